"""Records programs that use PaddlePaddle: takes the places of its functions, looks at the tensors of each call, and emits events.

The call that is made is the ordinary one, so operations, results, errors and memory are those of the unrecorded run. No operation of
backward is seen: it is inferred from the graph, before and after (`paddle_backward.py`). What a call has done is read from its tensors:

- it has written those whose version was raised;
- a result on the storage of an argument is a view of it;
- new nodes that its results and arguments lead to are its own. What they have saved Paddle does not show: that is
  inferred from what such nodes save (`paddle_saved.py`).

Some functions write without raising a version: optimizers, `set_value`, `copy_`, `out=`, running statistics. For these the
contents are compared, and the recording says so.

Not seen are operations of other threads and of compiled code (`to_static`), and writes through other libraries.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

import paddle

from inplacelab.language import Text
from inplacelab.recorders import events, paddle_watch
from inplacelab.recorders.bindings import ATTRIBUTES, Watched
from inplacelab.recorders.events import INFERRED, Operand
from inplacelab.recorders.log import Log
from inplacelab.recorders.paddle_backward import Asked, Graph, is_second_pass, node_named, root_of, stale
from inplacelab.recorders.paddle_calls import (
    COUNTS_TOGETHER,
    RELAYOUTS,
    SETS_FLAGS,
    VIEWS,
    Call,
    Kind,
    slots_written,
    tensors_in,
    tensors_of,
)
from inplacelab.recorders.paddle_objects import (
    LEAF_NODE,
    KnownTensor,
    PaddleObjects,
    gradient_held,
    layout_of,
    node_of,
    values_of,
    version_of,
)
from inplacelab.recorders.paddle_saved import kept_by
from inplacelab.recorders.program import Program, Scope, code_of, scopes_of
from inplacelab.recorders.shield import Shield
from inplacelab.recorders.static import attributes_of, class_name, first_items, message_of
from inplacelab.recorders.step_limit import StepLimit
from inplacelab.recorders.whereabouts import Whereabouts

if TYPE_CHECKING:
    from inplacelab.recording.facts import Category

TESTED = "3.3"
"""The version that this recorder was tested with."""
SMALL = 16
"""Gradients of up to this many elements are kept with their values."""


@dataclass(slots=True, eq=False)
class Pass:
    """A running backward pass.

    Attributes:
        order: the addresses of the nodes that it runs, in order, as far as they have not been reported.
        graph: all nodes that it may reach.
        runs: all nodes that it runs.
        gradient: what the first node receives.
        fills, keeps: see `paddle_backward.Asked`.
        had: the tensors that had a gradient already, by number.
    """

    order: list[int]
    graph: Graph
    runs: tuple[int, ...]
    gradient: events.Gradient
    fills: bool
    keeps: bool
    had: frozenset[int]


class PaddleRecorder:
    """Emits events between `begin` and `end` (see `recorder.Recorder`)."""

    framework, version, refusals = "paddle", str(paddle.__version__), ()

    def __init__(
        self, program: Program, log: Log, *, limit: int | None = None, outermost: FrameType | None = None
    ) -> None:
        self._program, self._emit, self._limit = program, log.emit, StepLimit(limit)
        self.shield = Shield(log.emit, self._forget, _ELSEWHERE)
        protect = self.shield.protect
        self._where = Whereabouts(program, _WATCHED, log.emit, self._account, self._meet, outermost)
        self._objects = PaddleObjects(log.emit, self._where.names_of, self.shield.protect_callback, self.shield.remark)
        self._before, self._after = protect(self._call_begins), protect(self._call_ended)
        self._interrupted = protect(self._call_failed)
        self._pass_before, self._pass_after = protect(self._pass_begins), protect(self._pass_ended)
        self._pass_error, self._noted = protect(self._pass_failed), protect(self._note_hook)
        self._passes: list[Pass | None] = []  # None: one that is not recorded
        self._codes: dict[CodeType, list[int]] = {}  # of hooks and `PyLayer`s: the nodes that call them
        self._inside = 0  # how many `PyLayer`s compute forward
        self._refused: tuple[int, str] = (0, "")  # the last error that a pass has raised, and its message
        self._begun = False
        self.live_before = 0
        if not self.version.startswith(TESTED + "."):
            self.shield.remark(_UNTESTED.format(self.version, TESTED))

    @property
    def missed(self) -> int:
        """The number of events not recorded because of the limit."""
        return self._limit.missed

    def begin(self) -> None:
        """Begins to take the places of Paddle's functions."""
        self.shield.begin()
        paddle_watch.begin(self)

    def end(self) -> None:
        """Ends that (see `Recorder.end`)."""
        paddle_watch.end(self)
        self.shield.end()

    def _forget(self) -> None:
        self._objects.forget()
        self._where.forget()
        self._passes.clear()
        self._codes.clear()

    # ---- the program -----------------------------------------------------------------------------------------------------

    def statement_begins(self, line: int, simple: bool, frame: FrameType, /) -> None:
        """Called when a statement of the program begins (see `instrument.StatementListener`)."""
        if frame.f_code.co_filename == self._program.filename:
            self._where.statement_begins(line, simple, frame)
            self._take_stock()

    def _take_stock(self) -> None:
        """Takes what the first scan of names has found as made before the program."""
        if not self._begun:
            self._begun = True
            self._objects.began()
            self.live_before = self._objects.before

    def finish(self, scope: Scope) -> None:
        """Called when the program has ended, with its names, which belong to its last statement."""
        if not self._limit.exceeded and self._objects.look_again():
            self.shield.remark(_UNOBSERVED)
        self._where.finish(scope)

    def failed(self, error: BaseException) -> None:
        """Called when the program ended with an exception."""
        if self._refused == (id(error), message_of(error)):
            return
        self._where.look(scopes_of(self._program.frames_in(error)), done=True)
        self._emit(events.Raised(
            class_name(type(error)), message_of(error), self._program.line_of(error), *self._objects.account()
        ))  # fmt: skip

    def _meet(self, tensor: Any) -> KnownTensor | None:
        """Describes a tensor that the program has a name for."""
        known = self._objects.tensors.find(tensor)
        if known is None and not self._limit.exceeded:
            known = self._objects.tensor(tensor)
            self._emit(events.Handed())
        return known

    def _account(self) -> tuple[int, int]:
        return self._objects.account()

    # ---- operations ------------------------------------------------------------------------------------------------------

    def called(self, kind: Kind, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Calls a function of Paddle for the program."""
        if self._inside:
            return function(*args, **kwargs)
        call = Call(kind)
        self._before(call, args, kwargs)
        try:
            result = function(*args, **kwargs)
        except BaseException:
            self._interrupted(call)
            raise
        self._after(call, args, kwargs, result)
        return result

    def applied(self, layer: Any, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Calls the `apply` of a `PyLayer`, which is one operation."""
        if self._inside or not self.shield.is_here():
            return function(*args, **kwargs)
        call = Call(Kind(class_name(layer)))
        self._before(call, args, kwargs)
        self._inside += 1
        try:
            result = function(*args, **kwargs)
        except BaseException:
            self._inside -= 1
            self._interrupted(call)
            raise
        self._inside -= 1
        self._after(call, args, kwargs, result)
        self._noted(getattr(layer, "backward", None), tensors_of(result))
        return result

    def _note_hook(self, function: Any, tensors: Iterator[Any]) -> None:
        """Notes which node calls a function of the program."""
        code = code_of(function)
        for tensor in tensors:
            node = node_of(tensor)
            if code is not None and node is not None:
                self._codes.setdefault(code, []).append(node.node_ptr())

    def _call_begins(self, call: Call, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        frame = sys._getframe(3)  # beyond the shield and `called`
        if self._limit.exceeded or (self._passes and not self._in_own_code(frame)):
            return
        if not self._begun:
            self._where.line(frame)
            self._take_stock()
        objects, kind = self._objects, call.kind
        call.line = self._where.line(frame)
        if self._passes:
            self._advance(frame)
        if kind.leads_outside and _asked_by(frame, self._program):
            self.shield.remark(_OUTSIDE.format(kind.name))
        for tensor in tensors_in(args, kwargs):
            known = objects.tensor(tensor)
            if known is None:
                call.unfilled.append(tensor)
            else:
                if objects.wrote_unseen(known, tensor) and known.storage.bytes:
                    self.shield.remark(_UNOBSERVED)
                if objects.look_at(known, tensor) | objects.history(known, tensor):
                    self._emit(events.Handed())
                call.known.append(known)
                call.tensors = (*call.tensors, tensor)
        call.operands = tuple([each.operand for each in call.known])
        call.versions = [each.counter.version for each in call.known]
        call.slots = slots_written(kind.name, args)
        refusable = kind.name.endswith("_") and any(each.needs and each.node is None for each in call.known[:1])
        if kind.is_silent or refusable or kwargs.get("out") is not None:
            call.contents = [objects.fingerprint(each) for each in call.known]
        if kind.name in SETS_FLAGS:
            call.gradients = [None if each.grad is None else objects.fingerprint(each.grad) for each in call.known]
        call.begun = True

    def _call_failed(self, call: Call) -> None:
        """Called when an operation has raised: it may have written something before that, as Paddle does to a leaf."""
        if call.begun:
            for known, tensor in zip(call.known, call.tensors, strict=True):
                if self._objects.wrote_unseen(known, tensor):
                    self.shield.remark(_UNOBSERVED)
            for known, tensor, before in zip(call.known, call.tensors, call.contents, strict=False):
                wrote = before != self._objects.fingerprint(known)
                if self._objects.look_at(known, tensor) or wrote:
                    self.shield.remark(_REFUSED_LATE.format(call.kind.name))
                    self._objects.wrote(known, tensor, known.operand.layout)
                    self._emit(events.Handed())
        call.tensors = ()
        call.unfilled.clear()

    def _call_ended(self, call: Call, args: Sequence[Any], kwargs: Mapping[str, Any], result: Any) -> None:
        if not call.begun:
            return
        objects = self._objects
        objects.reporting = True
        objects.made.clear()
        if call.kind.name == "register_hook":
            self._note_hook(args[1] if len(args) > 1 else None, iter(args[:1]))
        written = self._written(call, result)
        for known, tensor in written:
            self._report_write(call, known, tensor, _given(call, args, kwargs))
        self._report_changes(call, written)
        self._report_silent_writes(call, written)
        self._report_results(call, [*tensors_of(result), *call.unfilled], _given(call, args, kwargs))
        objects.reporting = False
        objects.made.clear()
        call.tensors = ()
        call.unfilled.clear()

    def _written(self, call: Call, result: Any) -> list[tuple[KnownTensor, Any]]:
        """Returns the tensors that a call has written, one for each version counter: the one that it returns, or else the first."""
        found: dict[int, tuple[KnownTensor, Any]] = {}
        results = list(tensors_of(result))
        for known, tensor, before in zip(call.known, call.tensors, call.versions, strict=True):
            if version_of(tensor) != before:
                first = found.get(known.counter.number)
                if first is None or (_among(tensor, results) and not _among(first[1], results)):
                    found[known.counter.number] = known, tensor
        return list(found.values())

    def _report_write(self, call: Call, known: KnownTensor, tensor: Any, given: _Given) -> None:
        if self._limit.reached():
            return
        objects = self._objects
        slots = call.slots if tensor is call.tensors[0] else None
        objects.replacing = True
        left = known.storage
        objects.own_leaf(known, tensor)
        relaid = objects.look_at(known, tensor)
        if relaid:
            objects.look_at_aliases(known)
        objects.history(known, tensor)
        category: Category = "in-place"
        if relaid and (known.storage is not left or call.kind.name in RELAYOUTS):
            category = "relayout" if known.storage is left else "reallocated"
        objects.wrote(known, tensor, known.operand.layout if slots is None else slots)
        self._infer_saved(call, [known], given, in_place=True)
        output = known.operand if slots is None else replace(known.operand, part=slots)
        self._done(call, output, category, known.node)
        objects.replacing = False

    def _report_changes(self, call: Call, written: Sequence[tuple[KnownTensor, Any]]) -> None:
        """Emits what else a call has changed in its tensors: layout, storage, flags."""
        objects = self._objects
        for known, tensor in zip(call.known, call.tensors, strict=True):
            if any(known is each for each, _ in written):
                continue
            left = known.storage
            if objects.look_at(known, tensor):
                objects.history(known, tensor)
                if not self._limit.reached():
                    self._done(call, known.operand, "relayout" if left is known.storage else "reallocated", known.node)
            elif call.kind.name in SETS_FLAGS:
                objects.flags(known, tensor)
                self._report_cleared(call, known, tensor)

    def _report_cleared(self, call: Call, known: KnownTensor, tensor: Any) -> None:
        """Emits that the gradient of a tensor was set to zeros in place."""
        before = call.gradients[call.known.index(known)]
        if known.grad is not None and before not in (None, self._objects.fingerprint(known.grad)):
            if not self._limit.reached():
                self._objects.wrote(known.grad, gradient_held(tensor), known.grad.operand.layout)
                self._done(call, known.grad.operand, "in-place", None)

    def _report_silent_writes(self, call: Call, written: Sequence[tuple[KnownTensor, Any]]) -> None:
        """Emits what a call has written without raising a version."""
        objects = self._objects
        reported: set[int] = set()
        for known, tensor, before in zip(call.known, call.tensors, call.contents, strict=False):
            counted = known.storage.number in reported or any(known.counter is each.counter for each, _ in written)
            if not counted and before != objects.fingerprint(known) and not self._limit.reached():
                reported.add(known.storage.number)
                self.shield.remark(_SILENT.format(call.kind.name))
                objects.history(known, tensor)
                objects.wrote(known, tensor, known.operand.layout)
                self._done(call, known.operand, "in-place", known.node)

    def _report_results(self, call: Call, results: Sequence[Any], given: _Given) -> None:
        objects = self._objects
        new = [each for each in results if objects.tensors.find(each) is None]
        described: list[KnownTensor] = []
        for tensor in new:
            if self._limit.reached():
                return
            known = objects.tensor(tensor, filled=call.kind.fills, of=call.known, resulted=True)
            if known is not None and not _among(known, call.known):
                described.append(known)
        if described:
            self._infer_saved(call, described, given, in_place=False)
        for known in described[: call.kind.shows]:
            category: Category = "ordinary" if call.known else "create"
            self._count_together(call, known)
            if known.storage.number in [each.storage for each in call.operands]:
                category = "view"
            self._done(call, known.operand, category, known.node)

    def _count_together(self, call: Call, result: KnownTensor) -> None:
        """Notes that a result on another storage shares the version counter of the argument."""
        source = call.known[0] if len(call.known) == 1 else None
        if source is None or call.kind.name not in (VIEWS if not source.storage.bytes else COUNTS_TOGETHER):
            return
        if self._objects.count_together(result, source) and result.storage.bytes:
            self.shield.remark(_TOGETHER.format(call.kind.name))

    def _infer_saved(self, call: Call, results: Sequence[KnownTensor], given: _Given, *, in_place: bool) -> None:
        """Emits what the nodes of an operation are inferred to have saved."""
        objects = self._objects
        nodes = [each.node for each in results]
        seen = [(each.operand, each.counter.version) for each in results]
        for number, name in objects.made:
            if number not in nodes and call.kind.name != "linear":
                continue
            kept = kept_by(name, given, seen, in_place=in_place)
            if kept is None:
                self.shield.remark(_UNKNOWN_SAVED.format(name))
            elif found := tuple(kept):
                self.shield.remark(_INFERRED)
                objects.saved(number, found)

    def _done(self, call: Call, output: Operand, category: Category, node: int | None) -> None:
        self._emit(events.OperationDone(
            call.kind.name, category, call.operands, output, {}, node, call.line, *self._objects.account(),
        ))  # fmt: skip

    # ---- backward --------------------------------------------------------------------------------------------------------

    def _in_own_code(self, frame: FrameType | None) -> bool:
        """Whether code of the program runs in the backward pass that began last, such as a hook."""
        while frame is not None and frame.f_code is not _PASS:
            if frame.f_code.co_filename == self._program.filename:
                return True
            frame = frame.f_back
        return False

    def run_pass(self, name: str, run: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Runs a backward pass for the program: `run` is the function through which it enters Paddle's engine."""
        if not self.shield.is_here() or self._inside:
            return run(*args, **kwargs)
        depth = len(self._passes)
        if not self._passes or self._in_own_code(sys._getframe(2)):
            self._pass_before(name, args, kwargs)
        try:
            result = run(*args, **kwargs)
        except BaseException as error:
            if len(self._passes) > depth:
                self._pass_error(error)
            raise
        if len(self._passes) > depth:
            self._pass_after(result)
        return result

    def _pass_begins(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        frame = sys._getframe(3)  # beyond the shield and `run_pass`
        asks = Asked.of(name, args, kwargs)
        if not self._begun:
            self._where.line(frame)
            self._take_stock()
        line = self._where.line(frame)
        if self._passes:
            self._advance(frame)
        roots = [node for each in tensors_of(asks.roots) if (node := root_of(each)) is not None]
        if not roots or self._limit.reached():
            self._passes.append(None)
            return
        objects = self._objects
        for each in tensors_of(asks.roots):
            known = objects.tensor(each)
            if known is not None:
                objects.history(known, each)
        if objects.look_again():
            self.shield.remark(_UNOBSERVED)
        graph = Graph(roots)
        numbers = [objects.node(node) for node in roots if node.name() != LEAF_NODE]
        ends = None if asks.inputs is None else [
            node.node_ptr() for each in tensors_of(asks.inputs) if (node := root_of(each)) is not None
        ]  # fmt: skip
        order = graph.in_order(ends)
        gradient = _gradient(asks)
        had = frozenset(known.number for _, known in objects.tensors.living() if known.grad is not None)
        self._passes.append(Pass(order, graph, tuple(order), gradient, asks.fills, asks.keeps, had))
        known_nodes = [number for each in graph.every() if (number := objects.number_of(each)) is not None]
        first = next((number for number in numbers if number is not None), 0)
        self._emit(events.BackwardBegan(tuple(known_nodes), first, gradient, line, *objects.account()))

    def _advance(self, frame: FrameType | None) -> None:
        """Emits what the nodes of the current pass have done that ran before the one whose hook, or `PyLayer`, runs now."""
        under = self._passes[-1]
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
        while frame is not None and frame.f_code is not _PASS:
            found = self._codes.get(frame.f_code, found)
            frame = frame.f_back
        return found

    def _ran(self, under: Pass, address: int) -> None:
        """Emits that a node has run."""
        self._unpacks(under, address)
        if self._limit.reached():
            return
        objects = self._objects
        number = objects.number_of(address)
        known = objects.leaf_of(address)
        leaf = None if known is None or not under.fills else known.alive()
        gradient, filled = self._arrived(under, address), None
        if leaf is not None and known is not None:
            filled = objects.filled(leaf)
            if filled is not None and known.number not in under.had:
                gradient = _gradient_of(gradient_held(leaf))
        if number is not None:
            following = [each for each in dict.fromkeys(under.graph.after(address)) if each in under.runs]
            for each in following:
                self._emit(events.Arrived(objects.number_of(each) or 0, origin=INFERRED))
            released = not under.keeps and bool(objects.kept_by(number))
            self._emit(events.NodeRan(number, released, filled, gradient, *objects.account(), origin=INFERRED))

    def _unpacks(self, under: Pass, address: int, last: events.Kept | None = None) -> None:
        """Emits that a node has used what it had saved, until the one that failed, if one did."""
        number, gradient = self._objects.number_of(address), self._arrived(under, address)
        for kept in self._objects.kept_by(number):
            if number is None or self._limit.reached():
                return
            found = self._objects.version(kept.counter, kept.version)
            self._emit(events.Unpacked(
                number, kept.name, kept.version, found, gradient, None, *self._objects.account(), origin=INFERRED
            ))  # fmt: skip
            if kept is last:
                return

    def _arrived(self, under: Pass, address: int) -> events.Gradient | None:
        """Returns what is known of the gradient that a node has received."""
        return under.gradient if address == under.graph.roots[0] else None

    def _pass_ended(self, result: Any) -> None:
        under = self._passes.pop()
        if under is None or self._limit.exceeded:
            return
        objects = self._objects
        for address in under.order:
            self._ran(under, address)
        objects.look_at_gradients()  # `retain_grads`
        self._release(under, under.runs)
        self._limit.reached()
        self._emit(events.BackwardEnded(*objects.account()))
        if not under.fills:
            for tensor in tensors_of(result):
                objects.tensor(tensor, resulted=True)
            self._emit(events.Handed())

    def _release(self, under: Pass, ran: Sequence[int]) -> None:
        """Emits which nodes have released what they had saved."""
        if not under.keeps:
            numbers = [number for each in ran if (number := self._objects.number_of(each)) is not None]
            self._objects.release([each for each in numbers if self._objects.name_of(each) != LEAF_NODE])
        under.order.clear()

    def _pass_failed(self, error: BaseException) -> None:
        under = self._passes.pop()
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
        number = None if failing is None else objects.number_of(failing)
        if stale(message) or is_second_pass(message):
            why, fix = (_STALE, _STALE_FIX) if stale(message) else (_AGAIN, _AGAIN_FIX)
            self._emit(events.Refused(
                class_name(type(error)), message, why, fix, number, None if kept is None else kept.storage, None, None,
                *objects.account(),
            ))  # fmt: skip
            self._refused = id(error), message
        self._emit(events.BackwardFailed(number))
        self._release(under, ran)

    def _failing(self, under: Pass, message: str) -> tuple[int | None, events.Kept | None]:
        """Returns the node at which a pass has failed, and what it had saved; None for what cannot be known."""
        told, objects = stale(message), self._objects
        if told is None:
            name = node_named(message)
            same = [each for each in under.order if under.graph.names[each] == name]
            again = [each for each in same if objects.was_released(objects.number_of(each))]
            return (again[0] if again else None), None
        fitting = [
            (address, kept)
            for address in under.order
            for kept in objects.kept_by(objects.number_of(address))
            if (kept.version, objects.version(kept.counter, kept.version)) == (told.kept_at, told.found_at)
        ]
        if not fitting:
            self.shield.remark(_HIDDEN)
        elif len({address for address, _ in fitting}) > 1:
            self.shield.remark(_FIRST)
        return fitting[0] if fitting else (None, None)


_PASS = PaddleRecorder.run_pass.__code__
_Given = Sequence[tuple[Operand, int] | None]


def _given(call: Call, args: Sequence[Any], kwargs: Mapping[str, Any]) -> _Given:
    """Returns the operands of a call in the order of its arguments, with their versions before it; None for a number."""
    values = [*args, *(value for name, value in kwargs.items() if name != "out")]
    if call.kind.name in ("getitem", "setitem"):
        values[1:2] = [next(tensors_of(args[1] if len(args) > 1 else None), None)]
    elif call.kind.swaps:
        values.reverse()
    pairs = zip(call.operands, call.versions, strict=True)
    told = {id(tensor): pair for tensor, pair in zip(call.tensors, pairs, strict=True)}
    flat = [each for value in values for each in (value if type(value) in (list, tuple) else [value])]
    return [told.get(id(value)) for value in flat]


def _among(tensor: Any, others: Sequence[Any]) -> bool:
    return any(tensor is each for each in others)


def _asked_by(frame: FrameType | None, program: Program) -> bool:
    """Whether the program itself has called a function, and not one of Paddle."""
    while frame is not None and frame.f_code.co_filename in _OURS:
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename == program.filename


_OURS = (__file__, str(paddle_watch.__file__))


def _gradient(asks: Asked) -> events.Gradient:
    """Returns the gradient with which a pass begins."""
    given = asks.gradients[0] if asks.gradients else None
    if given is not None:
        return _gradient_of(given)
    shape = tuple(layout_of(asks.roots[0]).shape)
    return events.Gradient(shape, (1.0,) * prod(shape) if prod(shape) <= SMALL else None)


def _gradient_of(tensor: Any) -> events.Gradient:
    """Returns a gradient's shape, and its values if it is small and in the memory of this process."""
    layout = layout_of(tensor)
    return events.Gradient(tuple(layout.shape), values_of(tensor) if prod(layout.shape) <= SMALL else None)


def _further(holder: Any) -> Iterator[tuple[str, Any]]:
    """Yields the tensors of a layer and those inside it, or of an optimizer's state, which are not attributes."""
    if issubclass(type(holder), paddle.nn.Layer):
        waiting, left = [("", holder)], ATTRIBUTES
        while waiting and left > 0:
            path, layer = waiting.pop()
            inside = attributes_of(layer)
            for kind in ("_parameters", "_buffers"):
                some = _items(inside.get(kind), left)
                left -= len(some)
                yield from ((f"{path}.{name}", each) for name, each in some)
            some = _items(inside.get("_sub_layers"), left)
            waiting += [(f"{path}.{name}", each) for name, each in reversed(some)]
            left -= len(some)
    else:
        for kind, held in _items(attributes_of(holder).get("_accumulators"), ATTRIBUTES):
            for place, (_, each) in enumerate(_items(held, ATTRIBUTES)):
                yield f".{kind}[{place}]", each


def _items(held: Any, most: int) -> list[tuple[Any, Any]]:
    return first_items(held, most) if issubclass(type(held), dict) else []


_WATCHED = Watched(paddle.Tensor, (paddle.nn.Layer, paddle.optimizer.Optimizer), (), _further)

_UNTESTED = Text(
    "This is PaddlePaddle {0}; the recorder was tested with {1}.",
    "这里的 PaddlePaddle 是 {0}；记录器是用 {1} 测试的。",
)
_ELSEWHERE = Text("What other threads or coroutines did was left out.", "其他线程或协程所做的没有记录。")
_UNOBSERVED = Text(
    "Tensors were also written by code that was not recorded: another thread, an operation that failed halfway, "
    "or code below Paddle's functions.",
    "还有未被记录的代码写入了张量：其他线程、中途失败的操作，或 Paddle 函数之下的代码。",
)
_REFUSED_LATE = Text(
    "Paddle refused `{0}`, but had changed the tensor already.", "Paddle 拒绝了 `{0}`，但在此之前已经改变了张量。"
)
_TOGETHER = Text(
    "`{0}` made a copy, but Paddle raises the versions of the tensor and of the copy together.",
    "`{0}` 得到的是副本，但 Paddle 把张量和副本的版本号一起增加。",
)
_OUTSIDE = Text(
    "`{0}` leads to a tensor's memory itself. Writes from there raise no version, and were not seen.",
    "`{0}` 直接给出张量的内存。由此进行的写入不增加版本号，也看不到。",
)
_SILENT = Text(
    "`{0}` writes tensors without raising their versions: that is how Paddle has it, so backward would use them unnoticed.",
    "`{0}` 写入张量而不增加版本号：Paddle 就是这样，所以反向传播会不加察觉地使用它们。",
)
_INFERRED = Text(
    "Paddle does not show what grad nodes have saved. It was inferred from their names, and is marked so.",
    "Paddle 不显示梯度节点保存了什么。这部分由节点的名称推断得出，并注明是推断。",
)
_UNKNOWN_SAVED = Text(
    "What `{0}` has saved is not known: Paddle does not show it.", "不知道 `{0}` 保存了什么：Paddle 不显示。"
)
_HIDDEN = Text(
    "Paddle does not name the node at which backward failed, and none is known to have saved a value at that version. "
    "So which line has made it is not known.",
    "Paddle 不给出反向传播出错的节点，也没有已知节点保存过该版本的值。因此不知道是哪一行建立的。",
)
_FIRST = Text(
    "Paddle does not name the node at which backward failed. Several have saved a value that was overwritten; "
    "it is taken to be the first that backward reaches.",
    "Paddle 不给出反向传播出错的节点。有几个节点保存的值都被覆盖了；这里认为是反向传播最先到达的那一个。",
)
_STALE = Text(
    "The node has saved a value for backward, and an in-place operation has overwritten it since.",
    "节点为反向传播保存了一个值，此后有原地操作覆盖了它。",
)
_STALE_FIX = Text(
    "write out of place, or to a clone, what is overwritten before backward.",
    "在反向传播之前要覆盖的内容，请改为非原地操作，或写入它的 `clone()`。",
)
_AGAIN = Text(
    "An earlier backward has released what this node had saved.", "之前的反向传播已经释放了这个节点保存的内容。"
)
_AGAIN_FIX = Text("give the earlier backward `retain_graph=True`.", "给之前的反向传播加上 `retain_graph=True`。")
