"""Infers what a backward pass of PyTorch did: in which order it ran the nodes, and at which one it failed.

PyTorch reports nothing of this. On one device it always runs, of the nodes that have all of their gradients, the one with the highest
sequence number, which is the one that was made last. The nodes of leaves have the highest number of all.
"""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any, NamedTuple

import torch

from inplacelab.frameworks.torch.readings import needs_gradient, node_of, shown
from inplacelab.recorders import graph_search


class Asked(NamedTuple):
    """What the program has asked of a pass.

    Attributes:
        roots: the tensors from which it begins.
        gradients: the gradient for each; None for ones.
        inputs: the tensors whose gradients it wants; None for all leaves.
        fills: whether it fills `.grad`.
        keeps: whether it keeps what nodes have saved.
    """

    roots: tuple[Any, ...]
    gradients: tuple[Any, ...]
    inputs: tuple[Any, ...] | None
    fills: bool
    keeps: bool

    @classmethod
    def of(cls, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Asked:
        """Returns what the arguments of `torch.autograd._engine_run_backward` ask."""
        names = ("outputs", "gradients", "keeps", "creates", "inputs")
        given = dict(zip(names, args, strict=False))
        return cls(
            tuple(given.get("outputs", ())), tuple(given.get("gradients") or ()), tuple(given.get("inputs") or ()) or None,
            bool(kwargs.get("accumulate_grad", False)), bool(given.get("keeps", False)),
        )  # fmt: skip


def root_node(tensor: Any) -> Any:
    """Returns the node from which a pass begins at a tensor, or to which the gradient of an input goes; None if there is none."""
    if not isinstance(tensor, torch.Tensor):
        return tensor.node  # of a `GradientEdge`
    if not needs_gradient(tensor):
        return None
    try:
        node = node_of(tensor)
    except RuntimeError:  # one of several views that an operation returned, written since: PyTorch will refuse it
        return None
    if node is None and hasattr(torch.autograd.graph, "get_gradient_edge"):
        # Of a view that was made without history; or of a tensor of `torch.func` where its node cannot be seen.
        with suppress(RuntimeError, AssertionError, AttributeError):
            node = torch.autograd.graph.get_gradient_edge(tensor).node
    return node


def reachable(roots: Iterable[Any]) -> list[Any]:
    """Returns every node reachable from the roots, including them."""
    return graph_search.reachable([each for each in roots if each is not None], _following)


def in_order(roots: Iterable[Any], ends: Sequence[Any] | None, *, fills: bool) -> list[Any]:
    """Returns the nodes that a pass runs, in its order.

    Args:
        roots: those with which it begins.
        ends: if it computes the gradients of some tensors only, their nodes.
        fills: whether it runs the nodes of these, too, as a pass that fills `.grad` does.
    """
    first = list(dict.fromkeys(roots))
    every = reachable(first)
    runs = set(every) if ends is None else graph_search.leading_to(every, set(ends), _following)
    if ends is not None and fills:
        runs |= {each for each in ends if each is not None}
    return [node for node in _by_number(first, every) if node in runs]


def _by_number(first: Sequence[Any], every: Iterable[Any]) -> Iterator[Any]:
    """Yields nodes, each once all that send gradients to it have been, and of those that are ready the one made last."""
    waits = Counter(following for node in every for following in _following(node))
    ready = [(-node._sequence_nr(), place, node) for place, node in enumerate(first) if not waits[node]]
    heapq.heapify(ready)
    place = count(len(ready))
    while ready:
        node = heapq.heappop(ready)[2]
        yield node
        for following in _following(node):
            waits[following] -= 1
            if not waits[following]:
                heapq.heappush(ready, (-following._sequence_nr(), next(place), following))


def _following(node: Any) -> list[Any]:
    return [following for following, _ in node.next_functions if following is not None]


def shape_at(node: Any) -> tuple[int, ...] | None:
    """Returns the shape of the gradient that a node receives; None if it receives several, or PyTorch does not tell it."""
    told = getattr(node, "_input_metadata", None)
    return None if told is None or len(told) != 1 else tuple(told[0].shape)


# --- errors ------------------------------------------------------------------------------------------------------------

_STALE = re.compile(
    r"modified by an inplace operation: \[(?P<type>\S+) \[(?P<shape>[\d, ]*)\]\](?:, which is output (?P<output>\d+) of (?P<node>.+?),)?"
    r" is at version (?P<found>\d+); expected version (?P<kept>\d+)"
)
_AGAIN = "Trying to backward through the graph a second time"


@dataclass(frozen=True, slots=True)
class Stale:
    """What PyTorch says of a saved tensor that was overwritten.

    Attributes:
        shape: its shape.
        kept_at, found_at: its version when it was saved, and now.
        type: the type of its elements, in words of its own: "torch.FloatTensor"; "" if it is not told.
        output_of: the node of which it was an output, and which; None if there was none.
    """

    shape: tuple[int, ...]
    kept_at: int
    found_at: int
    type: str = field(default="", compare=False)
    output_of: tuple[str, int] | None = field(default=None, compare=False)


def stale(message: str) -> Stale | None:
    """Reads what the message of an error says of a saved tensor; None if it is about something else."""
    found = _STALE.search(message)
    if found is None:
        return None
    shape = tuple(int(each) for each in found["shape"].split(",") if each.strip())
    output_of = None if found["node"] is None else (without_backward(found["node"]), int(found["output"]))
    return Stale(shape, int(found["kept"]), int(found["found"]), found["type"], output_of)


def without_backward(name: str) -> str:
    """Returns the name of a node as messages give it, which depends on PyTorch's version: "Exp" for "ExpBackward0"."""
    return re.sub(r"Backward(0$)?", "", shown(name))


def is_second_pass(message: str) -> bool:
    """Whether a pass failed because an earlier one has released what nodes had saved."""
    return _AGAIN in message
