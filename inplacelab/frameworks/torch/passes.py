"""Emits events about the backward passes of a PyTorch program, which are inferred from the graph (`pass_order.py`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from types import CodeType, FrameType
from typing import Any

import torch

from inplacelab.frameworks.torch import remarks
from inplacelab.frameworks.torch.calls import tensors_of
from inplacelab.frameworks.torch.known import Made
from inplacelab.frameworks.torch.objects import TorchObjects
from inplacelab.frameworks.torch.pass_order import (
    Asked,
    Stale,
    in_order,
    is_second_pass,
    reachable,
    root_node,
    shape_at,
    stale,
)
from inplacelab.frameworks.torch.readings import SHOWS_SAVED, Unseen, gradient_held, is_wrapped, saved_by
from inplacelab.language import Text
from inplacelab.recorders import events
from inplacelab.recorders.events import SMALL
from inplacelab.recorders.inferred_pass import InferredPass
from inplacelab.recorders.log import StepLimit
from inplacelab.recorders.names_and_lines import NamesAndLines
from inplacelab.recorders.program import Program
from inplacelab.recorders.snapshots import WHOLE
from inplacelab.recorders.static import message_of

_off = Unseen
_running_node = getattr(torch._C, "_current_autograd_node", lambda: None)


@dataclass(slots=True, eq=False)
class Pass:
    """A running backward pass.

    Attributes:
        order: the nodes that it runs, in order, as far as they have not been reported.
        gradient: what the first node receives.
        fills, keeps: see `pass_order.Asked`.
        nodes, runs: all nodes that it may reach, and those that it runs, until it ends.
        first: the node with which it begins.
        had: the tensors that had a gradient already, by number.
    """

    order: list[Any]
    gradient: events.Gradient
    fills: bool
    keeps: bool
    nodes: list[Any]
    runs: set[Any]
    first: Any
    had: frozenset[int]


class TorchPasses:
    """The running backward passes. Its methods are called while `torch.Tensor` is not overridden (`DisableTorchFunction`).

    Args:
        program: the program.
        objects, where: what is known of PyTorch's objects, and where the program is.
        emit: receives the events.
        limit: counts the steps.
        remark: has the recording say something once.
        entered: the code that calls PyTorch's engine: code of the program that it calls is called by a pass.

    Attributes:
        inferred: emits what the nodes of a pass do.
    """

    def __init__(  # what a recorder is made of
        self, program: Program, objects: TorchObjects, where: NamesAndLines, emit: Callable[[events.Event], None],
        limit: StepLimit, remark: Callable[[Text], None], entered: CodeType,
    ) -> None:  # fmt: skip
        self._program, self._objects, self._where, self._emit = program, objects, where, emit
        self._limit, self._remark, self._entered = limit, remark, entered
        self._running: list[Pass | None] = []  # None: one that is not recorded
        self.inferred = InferredPass(emit, limit, objects.storages.account, objects.storages.version)

    def __len__(self) -> int:
        return len(self._running)

    def forget(self) -> None:
        """Drops all references."""
        self._running.clear()

    def in_own_code(self, frame: FrameType | None) -> bool:
        """Whether code of the program runs in the backward pass that began last, such as a hook."""
        return self._program.runs_inside(self._entered, frame)

    def begins(self, frame: FrameType, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """Called when a pass begins, with the arguments for PyTorch's engine."""
        asks = Asked.of(args, kwargs)
        with _off():
            line = self._where.line(frame)
            if self._running:
                self.advance()
            roots = [node for each in asks.roots if (node := root_node(each)) is not None]
            if not roots or self._limit.reached():
                self._running.append(None)
                return
            objects = self._objects
            for each in tensors_of(asks.roots):
                known = objects.tensor(each)
                if known is not None:
                    objects.flagged_history(known, each, fresh=True)
            if objects.look_again():
                self._remark(remarks.UNOBSERVED)
            nodes = reachable(roots)
            numbers = [objects.nodes.node(node) for node in nodes]
            ends = None if asks.inputs is None else [root_node(each) for each in asks.inputs]
            order = in_order(roots, ends, fills=asks.fills)
            gradient, *others = _gradients(asks)
            had = frozenset(known.number for _, known in objects.tensors.living() if known.grad is not None)
            self._running.append(
                Pass(order, gradient.if_small(), asks.fills, asks.keeps, nodes, set(order), roots[0], had)
            )
            first, *further = [objects.nodes.number_of(root) or 0 for root in roots]
            self._emit(events.BackwardBegan(
                tuple(number for number in numbers if number is not None), first, gradient,
                tuple(zip(further, others, strict=True)), line, *objects.storages.account(),
            ))  # fmt: skip

    def advance(self) -> None:
        """Emits what the nodes of the current pass have done that ran before the one that runs code of the program now."""
        under, until = self._running[-1], _running_node()
        if under is not None and until in under.order:
            done = under.order.index(until)
            for node in under.order[:done]:
                self._ran(under, node)
            del under.order[:done]

    def _ran(self, under: Pass, node: Any) -> None:
        """Emits that a node has run."""
        self._unpacks(under, node)
        if self._limit.reached():
            return
        objects, number = self._objects, self._objects.nodes.node(node)
        leaf = getattr(node, "variable", None) if under.fills and not node.next_functions else None
        gradient, filled = self._arrived(under, node), None
        if leaf is not None:
            known, filled = objects.tensor(leaf), objects.filled(leaf, _leaves_after(under, node))
            if filled is not None and known is not None and known.number not in under.had:
                gradient = _gradient_of(gradient_held(leaf), tuple(leaf.shape))
        if number is not None:
            following = dict.fromkeys(each for each, _ in node.next_functions if each in under.runs)
            released = not under.keeps and _has_released(node)
            self.inferred.runs(number, map(objects.nodes.node, following), gradient, filled, released=released)

    def _unpacks(self, under: Pass, node: Any, last: events.Kept | None = None) -> None:
        """Emits that a node has used what it had saved, until the one that failed, if one did."""
        number = self._objects.nodes.node(node)
        self.inferred.unpacks(number, self._objects.nodes.kept_by(number), self._arrived(under, node), last)

    def _arrived(self, under: Pass, node: Any) -> events.Gradient | None:
        """Returns what is known of the gradient that a node has received."""
        if node is under.first:
            return under.gradient
        shape = shape_at(node)
        return None if shape is None else events.Gradient(shape, None)

    def ended(self, result: Any) -> None:
        under = self._running.pop()
        if under is None or self._limit.exceeded:
            return
        with _off():
            objects = self._objects
            objects.moment.made = Made()
            for node in under.order:
                self._ran(under, node)
            objects.look_at_gradients()
            self._release(under)
            objects.storages.settle()
            self._limit.reached()
            self._emit(events.BackwardEnded(*objects.storages.account()))
            if not under.fills:
                for tensor in tensors_of(result):
                    objects.tensor(tensor)
                self._emit(events.Handed())

    def _release(self, under: Pass) -> None:
        """Emits which nodes have released what they had saved."""
        released = [
            number
            for node in under.nodes
            if (number := self._objects.nodes.number_of(node)) is not None
            and self._objects.nodes.kept_by(number)
            and _has_released(node)
        ]
        for number in released:
            self._objects.nodes.release(number)
        under.nodes.clear()
        under.runs.clear()
        self._emit(events.Released(tuple(released)))

    def failed(self, error: BaseException) -> None:
        under = self._running.pop()
        if under is None or self._limit.exceeded:
            return
        with _off():
            objects, message = self._objects, message_of(error)
            failing, kept = self._failing(under, message)
            if failing in under.order:
                for node in under.order[: under.order.index(failing)]:
                    self._ran(under, node)
                self._unpacks(under, failing, last=kept)
            objects.look_at_gradients()
            number = objects.nodes.number_of(failing)
            if isinstance(error, RuntimeError) and (stale(message) or is_second_pass(message)):
                if failing is None and stale(message) and SHOWS_SAVED:
                    self._remark(_HIDDEN)
                self.inferred.refused(error, number, kept, overwritten=stale(message) is not None)
            self._emit(events.BackwardFailed(number))
            self._release(under)
            under.order.clear()

    def _failing(self, under: Pass, message: str) -> tuple[Any, events.Kept | None]:
        """Returns the node at which a pass has failed, and what it had saved; None for what cannot be known."""
        told = stale(message)
        for node in under.order:
            for kept in self._objects.nodes.kept_by(self._objects.nodes.number_of(node)):
                found = self._objects.storages.version(kept.counter, kept.version)
                if not kept.copy and told == Stale(tuple(kept.layout.shape), kept.version, found):
                    return node, kept
            if is_second_pass(message) and self._objects.nodes.was_released(self._objects.nodes.number_of(node)):
                return node, None
        return None, None


def _leaves_after(under: Pass, node: Any) -> Iterator[Any]:
    """Yields the leaves that a pass reaches after a node."""
    for each in under.order[under.order.index(node) + 1 :]:
        if not each.next_functions and (leaf := getattr(each, "variable", None)) is not None:
            yield leaf


def _has_released(node: Any) -> bool:
    """Whether a node had saved something and has released it."""
    return all(saved.data is None for _, saved in saved_by(node))


def _gradients(asks: Asked) -> Iterator[events.Gradient]:
    """Returns the gradients with which a pass begins, one for each root that has a node."""
    for root, given in zip_longest(asks.roots, asks.gradients[: len(asks.roots)]):
        if root_node(root) is not None:
            yield _gradient_of(given, () if given is None else tuple(given.shape), WHOLE)


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


_HIDDEN = Text(
    "PyTorch does not show what the node at which backward failed has saved, such as the one inside a CopySlices. "
    "So the node, and the line that made it, are not known.",
    "PyTorch 不显示反向传播出错的节点保存了什么（例如 CopySlices 内部的节点）。因此不知道是哪个节点，也不知道是哪一行建立的。",
)
