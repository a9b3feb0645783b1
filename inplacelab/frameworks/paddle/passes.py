"""Emits events about the backward passes of a Paddle program, which are inferred from the graph (`pass_order.py`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import prod
from types import CodeType, FrameType
from typing import Any

from inplacelab.frameworks.paddle import remarks
from inplacelab.frameworks.paddle.calls import tensors_of
from inplacelab.frameworks.paddle.objects import PaddleObjects
from inplacelab.frameworks.paddle.pass_order import Asked, Graph, is_second_pass, node_named, root_of, stale
from inplacelab.frameworks.paddle.readings import LEAF_NODE, gradient_held, layout_of, node_of, values_of
from inplacelab.language import Text
from inplacelab.recorders import events
from inplacelab.recorders.events import SMALL
from inplacelab.recorders.inferred_pass import InferredPass
from inplacelab.recorders.log import StepLimit
from inplacelab.recorders.names_and_lines import NamesAndLines
from inplacelab.recorders.program import Program, code_of
from inplacelab.recorders.snapshots import WHOLE
from inplacelab.recorders.static import message_of


@dataclass(slots=True, eq=False)
class Pass:
    """A running backward pass.

    Attributes:
        order: the addresses of the nodes that it runs, in order, as far as they have not been reported.
        graph: all nodes that it may reach.
        runs: all nodes that it runs.
        gradient: what the first node receives.
        fills, keeps: see `pass_order.Asked`.
        had: the tensors that had a gradient already, by number.
    """

    order: list[int]
    graph: Graph
    runs: tuple[int, ...]
    gradient: events.Gradient
    fills: bool
    keeps: bool
    had: frozenset[int]


class PaddlePasses:
    """The running backward passes.

    Args:
        program: the program.
        objects, where: what is known of Paddle's objects, and where the program is.
        emit: receives the events.
        limit: counts the steps.
        remark: has the recording say something once.
        entered: the code that calls Paddle's engine: code of the program that it calls is called by a pass.

    Attributes:
        inferred: emits what the nodes of a pass do.
    """

    def __init__(  # what a recorder is made of
        self, program: Program, objects: PaddleObjects, where: NamesAndLines, emit: Callable[[events.Event], None],
        limit: StepLimit, remark: Callable[[Text], None], entered: CodeType,
    ) -> None:  # fmt: skip
        self._program, self._objects, self._where, self._emit = program, objects, where, emit
        self._limit, self._remark, self._entered = limit, remark, entered
        self._running: list[Pass | None] = []  # None: one that is not recorded
        self._codes: dict[CodeType, list[int]] = {}  # of hooks and `PyLayer`s: the nodes that call them
        self.inferred = InferredPass(emit, limit, objects.storages.account, objects.storages.version)

    def __len__(self) -> int:
        return len(self._running)

    def forget(self) -> None:
        """Drops all references."""
        self._running.clear()
        self._codes.clear()

    def calls(self, function: Any, tensors: Iterable[Any]) -> None:
        """Notes that the nodes of these tensors call a function of the program: a hook, or the `backward` of a `PyLayer`."""
        code = code_of(function)
        for tensor in tensors:
            node = node_of(tensor)
            if code is not None and node is not None:
                self._codes.setdefault(code, []).append(node.node_ptr())

    def in_own_code(self, frame: FrameType | None) -> bool:
        """Whether code of the program runs in the backward pass that began last, such as a hook."""
        return self._program.runs_inside(self._entered, frame)

    def begins(self, frame: FrameType | None, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """Called when a pass begins: `name` is the function through which it enters Paddle's engine."""
        asks = Asked.of(name, args, kwargs)
        line = self._where.line(frame)
        if self._running:
            self.advance(frame)
        roots = [node for each in tensors_of(asks.roots) if (node := root_of(each)) is not None]
        if not roots or self._limit.reached():
            self._running.append(None)
            return
        objects = self._objects
        for each in tensors_of(asks.roots):
            known = objects.tensor(each)
            if known is not None:
                objects.history(known, each)
        if objects.look_again():
            self._remark(remarks.UNOBSERVED)
        graph = Graph(roots)
        numbers = [objects.nodes.node(node) for node in roots if node.name() != LEAF_NODE]
        ends = None if asks.inputs is None else [
            node.node_ptr() for each in tensors_of(asks.inputs) if (node := root_of(each)) is not None
        ]  # fmt: skip
        order = graph.in_order(ends)
        gradient, *others = _gradients(asks)
        had = frozenset(known.number for _, known in objects.tensors.living() if known.grad is not None)
        self._running.append(Pass(order, graph, tuple(order), gradient.if_small(), asks.fills, asks.keeps, had))
        known_nodes = [number for each in graph.every() if (number := objects.nodes.number_of(each)) is not None]
        first = next((number for number in numbers if number is not None), 0)
        further = [objects.nodes.number_of(node.node_ptr()) or 0 for node in roots[1:]]
        self._emit(events.BackwardBegan(
            tuple(known_nodes), first, gradient, tuple(zip(further, others, strict=True)), line, *objects.storages.account()
        ))  # fmt: skip

    def advance(self, frame: FrameType | None) -> None:
        """Emits what the nodes of the current pass have done that ran before the one whose hook, or `PyLayer`, runs now."""
        under = self._running[-1]
        if under is None:
            return
        places = [each for each in self._called_from(frame) if each in under.order]
        if len(places) == 1:
            done = under.order.index(places[0])
            for node in under.order[:done]:
                self._ran(under, node)
            del under.order[:done]

    def _called_from(self, frame: FrameType | None) -> list[int]:
        """Returns the nodes that may have called the program's code that runs now."""
        found: list[int] = []
        while frame is not None and frame.f_code is not self._entered:
            found = self._codes.get(frame.f_code, found)
            frame = frame.f_back
        return found

    def _ran(self, under: Pass, address: int) -> None:
        """Emits that a node has run."""
        self._unpacks(under, address)
        if self._limit.reached():
            return
        objects = self._objects
        number = objects.nodes.number_of(address)
        known = objects.nodes.leaf_of(address)
        leaf = None if known is None or not under.fills else known.alive()
        gradient, filled = self._arrived(under, address), None
        if leaf is not None and known is not None:
            filled = objects.filled(leaf)
            if filled is not None and known.number not in under.had:
                gradient = _gradient_of(gradient_held(leaf))
        if number is not None:
            following = [each for each in dict.fromkeys(under.graph.after(address)) if each in under.runs]
            released = not under.keeps and bool(objects.nodes.kept_by(number))
            self.inferred.runs(number, map(objects.nodes.number_of, following), gradient, filled, released=released)

    def _unpacks(self, under: Pass, address: int, last: events.Kept | None = None) -> None:
        """Emits that a node has used what it had saved, until the one that failed, if one did."""
        number = self._objects.nodes.number_of(address)
        self.inferred.unpacks(number, self._objects.nodes.kept_by(number), self._arrived(under, address), last)

    def _arrived(self, under: Pass, address: int) -> events.Gradient | None:
        """Returns what is known of the gradient that a node has received."""
        return under.gradient if address == under.graph.roots[0] else None

    def ended(self, result: Any) -> None:
        """Called when a pass has ended, with what it returns."""
        under = self._running.pop()
        if under is None or self._limit.exceeded:
            return
        objects = self._objects
        for address in under.order:
            self._ran(under, address)
        objects.look_at_gradients()  # `retain_grads`
        self._release(under, under.runs)
        self._limit.reached()
        self._emit(events.BackwardEnded(*objects.storages.account()))
        if not under.fills:
            for tensor in tensors_of(result):
                objects.tensor(tensor, resulted=True)
            self._emit(events.Handed())

    def _release(self, under: Pass, ran: Sequence[int]) -> None:
        """Emits which nodes have released what they had saved."""
        if not under.keeps:
            numbers = [number for each in ran if (number := self._objects.nodes.number_of(each)) is not None]
            self._objects.nodes.release([each for each in numbers if self._objects.nodes.name_of(each) != LEAF_NODE])
        under.order.clear()

    def failed(self, error: BaseException) -> None:
        """Called when a pass has raised."""
        under = self._running.pop()
        if under is None or self._limit.exceeded:
            return
        objects, message = self._objects, message_of(error)
        failing, kept = self._failing(under, message)
        ran: list[int] = []
        if failing is not None:
            ran = under.order[: under.order.index(failing)]
            for address in ran:
                self._ran(under, address)
            self._unpacks(under, failing, last=kept)
        objects.look_at_gradients()
        number = None if failing is None else objects.nodes.number_of(failing)
        if stale(message) or is_second_pass(message):
            self.inferred.refused(error, number, kept, overwritten=stale(message) is not None)
        self._emit(events.BackwardFailed(number))
        self._release(under, ran)

    def _failing(self, under: Pass, message: str) -> tuple[int | None, events.Kept | None]:
        """Returns the node at which a pass has failed, and what it had saved; None for what cannot be known."""
        told, objects = stale(message), self._objects
        if told is None:
            name = node_named(message)
            same = [each for each in under.order if under.graph.names[each] == name]
            again = [each for each in same if objects.nodes.was_released(objects.nodes.number_of(each))]
            return (again[0] if again else None), None
        fitting = [
            (address, kept)
            for address in under.order
            for kept in objects.nodes.kept_by(objects.nodes.number_of(address))
            if (kept.version, objects.storages.version(kept.counter, kept.version)) == (told.kept_at, told.found_at)
        ]
        if not fitting:
            self._remark(_HIDDEN)
        elif len({address for address, _ in fitting}) > 1:
            self._remark(_FIRST)
        return fitting[0] if fitting else (None, None)


def _gradients(asks: Asked) -> Iterator[events.Gradient]:
    """Returns the gradients with which a pass begins, one for each root that has a node."""
    for root, given in zip_longest(tensors_of(asks.roots), asks.gradients[: len(asks.roots)]):
        if root_of(root) is None:
            continue
        if given is not None:
            yield _gradient_of(given, WHOLE)
        else:
            shape = tuple(layout_of(root).shape)
            yield events.Gradient(shape, (1.0,) * prod(shape) if prod(shape) <= WHOLE else None)


def _gradient_of(tensor: Any, most: int = SMALL) -> events.Gradient:
    """Returns a gradient's shape, and its values if they are no more than so many, and in the memory of this process."""
    layout = layout_of(tensor)
    return events.Gradient(tuple(layout.shape), values_of(tensor) if prod(layout.shape) <= most else None)


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
