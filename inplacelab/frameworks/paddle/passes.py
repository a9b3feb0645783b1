"""Emits events about the backward passes of a Paddle program, which are inferred from the graph.

Paddle's engine keeps a queue of the nodes that have all of their gradients. A node that accumulates the gradient of a leaf goes to its
front, another one to its end. A pass of `paddle.grad` runs the nodes that lead to its inputs, and releases nothing.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from types import CodeType, FrameType
from typing import Any

from inplacelab.frameworks.paddle.calls import tensors_of
from inplacelab.frameworks.paddle.readings import LEAF_NODE, edges_of, gradient_held, layout_of, node_of, values_of
from inplacelab.language import Text
from inplacelab.recorders import events
from inplacelab.recorders.backward_passes import (
    BackwardPass,
    BackwardPasses,
    PassArguments,
    Refused,
    leading_to,
    reachable,
)
from inplacelab.recorders.call_recorder import ENTERED, CallRecorder
from inplacelab.recorders.events import SMALL
from inplacelab.recorders.program import code_of
from inplacelab.recorders.snapshots import WHOLE
from inplacelab.recorders.static import message_of

_HIDDEN = Text(
    "Paddle does not name the node at which backward failed, and no node is known to have saved a value at that version. "
    "So the line that made the node is not known.",
    "Paddle 不给出反向传播出错的节点，也没有已知节点保存过该版本的值。因此不知道是哪一行建立的。",
)
_FIRST = Text(
    "Paddle does not name the node at which backward failed. Several nodes had saved a value that was overwritten; "
    "the recording assumes that it is the one that backward reaches first.",
    "Paddle 不给出反向传播出错的节点。有几个节点保存的值都被覆盖了；这里认为是反向传播最先到达的那一个。",
)


class PaddlePasses(BackwardPasses):
    """The running backward passes. Their nodes are given by their addresses."""

    def __init__(self, recorder: CallRecorder[Any]) -> None:
        super().__init__(recorder)
        self._codes: dict[CodeType, list[int]] = {}  # of hooks and `PyLayer`s: the nodes that call them

    def forget(self) -> None:
        self._codes.clear()
        super().forget()

    def arguments(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> PassArguments:
        """Returns what the arguments of `core.eager.run_backward` or `run_partial_grad` ask."""
        if name == "run_partial_grad":
            given = dict(zip(("roots", "inputs", "gradients"), args, strict=False)) | dict(kwargs)
            inputs = _many(given.get("inputs"))
            return PassArguments(_many(given.get("roots")), _many(given.get("gradients")), inputs, False, True)
        given = dict(zip(("roots", "gradients", "keeps"), args, strict=False)) | dict(kwargs)
        keeps = bool(given.get("keeps"))
        return PassArguments(_many(given.get("roots")), _many(given.get("gradients")), None, True, keeps)

    def root_node(self, tensor: Any) -> Any:
        return next((node_of(each) for each in tensors_of(tensor)), None)

    def tensors_of(self, value: Any) -> Iterator[Any]:
        return tensors_of(value)

    def planned(self, asks: PassArguments, roots: Sequence[Any]) -> BackwardPass:
        graph = Graph(roots)
        numbers = [self._nodes.node(node) for node in roots if node.name() != LEAF_NODE]
        ends = None if asks.inputs is None else [
            node.node_ptr() for each in asks.inputs if (node := self.root_node(each)) is not None
        ]  # fmt: skip
        order = graph.in_order(ends)
        first = next((number for number in numbers if number is not None), 0)
        further = [self.number_of(node.node_ptr()) or 0 for node in roots[1:]]
        return BackwardPass(asks, [first, *further], graph.roots[0], graph.every(), order, graph.after)

    def calls(self, function: Any, tensors: Iterable[Any]) -> None:
        """Notes that the nodes of these tensors call a function of the program: a hook, or the `backward` of a `PyLayer`."""
        code = code_of(function)
        for tensor in tensors:
            node = node_of(tensor)
            if code is not None and node is not None:
                self._codes.setdefault(code, []).append(node.node_ptr())

    def number_of(self, key: Any) -> int | None:
        number: int | None = self._nodes.number_of(key)
        return number

    def leaf_of(self, key: Any) -> tuple[Any, Any]:
        known = self._nodes.leaf_of(key)
        return known, None if known is None else known.alive()

    def first_gradient(self, root: Any, given: Any) -> events.Gradient:
        if given is not None:
            return _gradient_of(given, WHOLE)
        shape = tuple(layout_of(root).shape)
        return events.Gradient(shape, (1.0,) * prod(shape) if prod(shape) <= WHOLE else None)

    def leaf_gradient(self, leaf: Any) -> events.Gradient:
        return _gradient_of(gradient_held(leaf))

    def has_released(self, key: Any) -> bool:
        return bool(self._nodes.kept_by(self.number_of(key)))

    def running_node(self, under: BackwardPass, frame: FrameType) -> Any:
        """Returns the node whose hook, or `PyLayer`, runs now; None if it is not known."""
        found: list[int] = []
        walk: FrameType | None = frame
        while walk is not None and walk.f_code is not ENTERED:
            found = self._codes.get(walk.f_code, found)
            walk = walk.f_back
        places = [each for each in found if each in under.order]
        return places[0] if len(places) == 1 else None

    def release(self, under: BackwardPass, ran: Sequence[Any]) -> None:
        if not under.asks.keeps:
            numbers = [number for each in ran if (number := self.number_of(each)) is not None]
            self._nodes.release([each for each in numbers if self._nodes.name_of(each) != LEAF_NODE])
        under.order.clear()

    def failing(self, under: BackwardPass, error: BaseException) -> tuple[Any, events.Kept | None, Refused | None]:
        message, version = message_of(error), self._objects.storages.version
        told, nodes = stale(message), self._nodes
        if told is None:
            named = _NAMED.search(message)
            same = [key for key in under.order if named and nodes.name_of(self.number_of(key)) == named[1]]
            again = [key for key in same if nodes.was_released(self.number_of(key))]
            return (again[0] if again else None), None, "again" if _AGAIN in message else None
        fitting = [
            (key, kept)
            for key in under.order
            for kept in nodes.kept_by(self.number_of(key))
            if (kept.version, version(kept.counter, kept.version)) == (told.kept_at, told.found_at)
        ]
        if not fitting:
            self._recorder.guard.note(_HIDDEN)
        elif len({key for key, _ in fitting}) > 1:
            self._recorder.guard.note(_FIRST)
        key, kept = fitting[0] if fitting else (None, None)
        return key, kept, "stale"


def _gradient_of(tensor: Any, most: int = SMALL) -> events.Gradient:
    """Returns a gradient's shape, and its values if they are no more than so many, and in the memory of this process."""
    layout = layout_of(tensor)
    return events.Gradient(tuple(layout.shape), values_of(tensor) if prod(layout.shape) <= most else None)


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
                after = [each for each in edges_of(node) if each is not None]
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
