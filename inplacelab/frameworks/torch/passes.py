"""Emits events about the backward passes of a PyTorch program, which are inferred from the graph.

PyTorch reports nothing of them. On one device it always runs, of the nodes that have all of their gradients, the one with the highest
sequence number, which is the one that was made last. The nodes of leaves have the highest number of all.
"""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from types import FrameType
from typing import Any

import torch

from inplacelab.frameworks.torch.calls import tensors_of
from inplacelab.frameworks.torch.objects import NONE
from inplacelab.frameworks.torch.readings import (
    SHOWS_SAVED,
    edges_of,
    gradient_held,
    is_wrapped,
    needs_gradient,
    node_of,
    saved_by,
    shown,
)
from inplacelab.language import Text
from inplacelab.recorders import backward_passes, events
from inplacelab.recorders.backward_passes import BackwardPass, BackwardPasses, Following, PassArguments, Refused
from inplacelab.recorders.call_recorder import CallRecorder
from inplacelab.recorders.events import SMALL
from inplacelab.recorders.snapshots import WHOLE
from inplacelab.recorders.static import message_of

_running_node = getattr(torch._C, "_current_autograd_node", lambda: None)

_HIDDEN = Text(
    "PyTorch does not show what the node at which backward failed has saved, such as the one inside a CopySlices. "
    "So the node, and the line that made it, are not known.",
    "PyTorch 不显示反向传播出错的节点保存了什么（例如 CopySlices 内部的节点）。因此不知道是哪个节点，也不知道是哪一行建立的。",
)


class TorchPasses(BackwardPasses):
    """The running backward passes. Its methods are called while `torch.Tensor` is not overridden (`Unseen`)."""

    def __init__(self, recorder: CallRecorder[Any]) -> None:
        super().__init__(recorder)
        self._numbers: dict[Any, int | None] = {}  # of the nodes of the passes that run

    def forget(self) -> None:
        self._numbers.clear()
        super().forget()

    def arguments(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> PassArguments:  # noqa: ARG002
        return pass_arguments(args, kwargs)

    def root_node(self, tensor: Any) -> Any:
        return root_node(tensor)

    def tensors_of(self, value: Any) -> Iterator[Any]:
        return tensors_of(value)

    def planned(self, asks: PassArguments, roots: Sequence[Any]) -> BackwardPass:
        following = cache(after)  # nodes are asked for it several times
        nodes = reachable(roots, following)
        self._numbers.update((node, self._nodes.node(node)) for node in nodes)
        ends = None if asks.inputs is None else [root_node(each) for each in asks.inputs]
        order = in_order(roots, ends, fills=asks.fills, following=following)
        return BackwardPass(asks, [self.number_of(root) or 0 for root in roots], roots[0], nodes, order, following)

    def number_of(self, key: Any) -> int | None:
        number = self._numbers.get(key)
        if number is None or not self._nodes.has(number):
            number = self._nodes.node(key)
        return number

    def _known_number(self, node: Any) -> int | None:
        """Returns the number of a node that was described and is not gone."""
        number = self._numbers.get(node)
        if number is None or not self._nodes.has(number):
            number = self._nodes.number_of(self._nodes.key_of(node))
        return number

    def leaf_of(self, key: Any) -> tuple[Any, Any]:
        leaf = getattr(key, "variable", None) if not key.next_functions else None
        return (None, None) if leaf is None else (self._objects.tensor(leaf), leaf)

    def leaves_after(self, under: BackwardPass, key: Any) -> Iterator[Any]:
        for each in under.order[under.order.index(key) + 1 :]:
            if not each.next_functions and (leaf := getattr(each, "variable", None)) is not None:
                yield leaf

    def first_gradient(self, root: Any, given: Any) -> events.Gradient:  # noqa: ARG002
        return _gradient_of(given, () if given is None else tuple(given.shape), WHOLE)

    def leaf_gradient(self, leaf: Any) -> events.Gradient:
        return _gradient_of(gradient_held(leaf), tuple(leaf.shape))

    def arrived(self, under: BackwardPass, key: Any) -> events.Gradient | None:
        if key is under.first:
            return under.gradient
        shape = shape_at(key)
        return None if shape is None else events.Gradient(shape, None)

    def has_released(self, key: Any) -> bool:
        """Whether a node had saved something and has released it."""
        return all(saved.data is None for _, saved in saved_by(key))

    def running_node(self, under: BackwardPass, frame: FrameType) -> Any:  # noqa: ARG002  # PyTorch tells it
        return _running_node()

    def ended(self, result: Any) -> None:
        self._objects.operation = NONE
        super().ended(result)

    def release(self, under: BackwardPass, ran: Sequence[Any]) -> None:  # noqa: ARG002  # what is released, it shows
        known = [(node, self._known_number(node)) for node in under.nodes]
        released = [
            number
            for node, number in known
            if number is not None
            and self._nodes.kept_by(number)
            and (node in under.released or self.has_released(node))
        ]
        for number in released:
            self._nodes.release(number)
        under.nodes.clear()
        under.released.clear()
        self._numbers.clear()
        under.runs, under.after = {}, after  # nothing refers to the nodes any more
        self._emit(events.Released(tuple(released)))

    def failing(self, under: BackwardPass, error: BaseException) -> tuple[Any, events.Kept | None, Refused | None]:
        message = message_of(error)
        told, again = stale(message), is_second_pass(message)
        why: Refused | None = None
        if isinstance(error, RuntimeError) and (told or again):
            why = "stale" if told else "again"
        for node in under.order:
            number = self._known_number(node)
            for kept in self._nodes.kept_by(number):
                found = self._objects.storages.version(kept.counter, kept.version)
                if not kept.copy and told == Stale(tuple(kept.layout.shape), kept.version, found):
                    return node, kept, why
            if again and self._nodes.was_released(number):
                return node, None, why
        if why == "stale" and SHOWS_SAVED:
            self._recorder.guard.note(_HIDDEN)
        return None, None, why


def _gradient_of(tensor: Any, shape: tuple[int, ...], most: int = SMALL) -> events.Gradient:
    """Returns a gradient's shape, and its values if they are no more than so many, and in the memory of this process."""
    readable = (
        tensor is not None and not is_wrapped(tensor) and tensor.device.type == "cpu" and tensor.layout is torch.strided
    )
    if not readable or tensor.numel() > most or tuple(tensor.shape) != shape:
        return events.Gradient(shape, None)
    try:
        return events.Gradient(shape, tuple(tensor.detach().reshape(-1).tolist()))
    except RuntimeError:  # a tensor without values, such as a `FakeTensor`
        return events.Gradient(shape, None)


def pass_arguments(args: Sequence[Any], kwargs: Mapping[str, Any]) -> PassArguments:
    """Returns what the arguments of `torch.autograd._engine_run_backward` ask."""
    names = ("outputs", "gradients", "keeps", "creates", "inputs")
    given = dict(zip(names, args, strict=False))
    return PassArguments(
        tuple(given.get("outputs", ())), tuple(given.get("gradients") or ()), tuple(given.get("inputs") or ()) or None,
        bool(kwargs.get("accumulate_grad", False)), bool(given.get("keeps", False)),
    )  # fmt: skip


# --- the graph ---------------------------------------------------------------------------------------------------------


def after(node: Any) -> list[Any]:
    """Returns the nodes that receive the gradients of a node."""
    return [each for each in edges_of(node) if each is not None]


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


def reachable(roots: Iterable[Any], following: Following[Any] = after) -> list[Any]:
    """Returns every node reachable from the roots, including them."""
    return backward_passes.reachable([each for each in roots if each is not None], following)


def in_order(
    roots: Iterable[Any], ends: Sequence[Any] | None, *, fills: bool, following: Following[Any] = after
) -> list[Any]:
    """Returns the nodes that a pass runs, in its order.

    Args:
        roots: those with which it begins.
        ends: if it computes the gradients of some tensors only, their nodes.
        fills: whether it runs the nodes of these, too, as a pass that fills `.grad` does.
        following: returns the nodes after one.
    """
    first = list(dict.fromkeys(roots))
    every = reachable(first, following)
    runs = set(every) if ends is None else backward_passes.leading_to(every, set(ends), following)
    if ends is not None and fills:
        runs |= {each for each in ends if each is not None}
    return [node for node in _by_number(first, every, following) if node in runs]


def _by_number(first: Sequence[Any], every: Iterable[Any], following: Following[Any]) -> Iterator[Any]:
    """Yields nodes, each once all that send gradients to it have been, and of those that are ready the one made last."""
    waits = Counter(each for node in every for each in following(node))
    ready = [(-node._sequence_nr(), place, node) for place, node in enumerate(first) if not waits[node]]
    heapq.heapify(ready)
    place = count(len(ready))
    while ready:
        node = heapq.heappop(ready)[2]
        yield node
        for each in following(node):
            waits[each] -= 1
            if not waits[each]:
                heapq.heappush(ready, (-each._sequence_nr(), next(place), each))


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
