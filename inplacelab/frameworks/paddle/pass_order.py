"""Infers what a backward pass of Paddle did: in which order it ran the nodes, and at which one it failed.

Paddle's engine keeps a queue of the nodes that have all of their gradients. A node that accumulates the gradient of a leaf goes to its
front, another one to its end. A pass of `paddle.grad` runs the nodes that lead to its inputs, and releases nothing.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from inplacelab.frameworks.paddle.readings import LEAF_NODE, node_of
from inplacelab.recorders.graph_search import leading_to, reachable


class Asked(NamedTuple):
    """What the program has asked of a pass.

    Attributes:
        roots: the tensors from which it begins.
        gradients: the gradient for each; None for ones.
        inputs: the tensors whose gradients it wants; None for all leaves.
        keeps: whether it keeps what nodes have saved.
    """

    roots: tuple[Any, ...]
    gradients: tuple[Any, ...]
    inputs: tuple[Any, ...] | None
    keeps: bool

    @property
    def fills(self) -> bool:
        """Whether it fills `.grad`."""
        return self.inputs is None

    @classmethod
    def of(cls, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Asked:
        """Returns what the arguments of `core.eager.run_backward` or `run_partial_grad` ask."""
        if name == "run_partial_grad":
            given = dict(zip(("roots", "inputs", "gradients"), args, strict=False)) | dict(kwargs)
            return cls(_many(given.get("roots")), _many(given.get("gradients")), _many(given.get("inputs")), True)
        given = dict(zip(("roots", "gradients", "keeps"), args, strict=False)) | dict(kwargs)
        return cls(_many(given.get("roots")), _many(given.get("gradients")), None, bool(given.get("keeps")))


def _many(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, list | tuple) else () if value is None else (value,)


class Graph:
    """The nodes that a pass may reach, by address. Nodes are not kept.

    Args:
        roots: the nodes with which it begins.
    """

    def __init__(self, roots: Iterable[Any]) -> None:
        self.names: dict[int, str] = {}
        self._after: dict[int, tuple[int, ...]] = {}
        self.roots = list(dict.fromkeys(each.node_ptr() for each in roots if each is not None))
        waiting = [each for each in roots if each is not None][::-1]
        while waiting:
            node = waiting.pop()
            address = node.node_ptr()
            if address not in self._after:
                after = [each for each in node.next_functions if each is not None]
                self.names[address] = node.name()
                self._after[address] = tuple(each.node_ptr() for each in after)
                waiting += after

    def after(self, address: int) -> tuple[int, ...]:
        """Returns the nodes that receive the gradients of one."""
        return self._after.get(address, ())

    def every(self) -> list[int]:
        """Returns all of them."""
        return reachable(self.roots, self.after)

    def in_order(self, ends: Sequence[int] | None) -> list[int]:
        """Returns the nodes that a pass runs, in its order.

        Args:
            ends: if it computes the gradients of some tensors only, their nodes.
        """
        every = self.every()
        runs = set(every) if ends is None else leading_to(every, ends, self.after)
        return [each for each in self._queued(every) if each in runs]

    def _queued(self, every: Sequence[int]) -> Iterable[int]:
        waits = Counter(following for node in every for following in self.after(node))
        ready = deque(each for each in self.roots if not waits[each])
        while ready:
            node = ready.popleft()
            yield node
            for following in self.after(node):
                waits[following] -= 1
                if not waits[following]:
                    (ready.appendleft if self.names[following] == LEAF_NODE else ready.append)(following)


def root_of(tensor: Any) -> Any:
    """Returns the node from which a pass begins at a tensor, or to which the gradient of an input goes; None if there is none."""
    return node_of(tensor)


# --- errors ------------------------------------------------------------------------------------------------------------

_STALE = re.compile(r"modified by an inplace operation.* version is (\d+) but the expected version is (\d+)", re.DOTALL)
_AGAIN = "You calculate backward twice for the same subgraph without setting retain_graph=True"
_NAMED = re.compile(r"The TensorWrappers of (\w+) do not exist")


@dataclass(frozen=True, slots=True)
class Stale:
    """What Paddle says of a saved tensor that was overwritten: its version when it was saved, and now."""

    kept_at: int
    found_at: int


def stale(message: str) -> Stale | None:
    """Reads what the message of an error says of a saved tensor; None if it is about something else."""
    found = _STALE.search(message)
    return None if found is None else Stale(int(found[2]), int(found[1]))


def is_second_pass(message: str) -> bool:
    """Whether a pass failed because an earlier one has released what nodes had saved."""
    return _AGAIN in message


def node_named(message: str) -> str | None:
    """Returns the name of the node whose saved tensors were released, as the message of an error tells it."""
    found = _NAMED.search(message)
    return None if found is None else found[1]
