"""Records programs that use PaddlePaddle: takes the places of its functions, looks at the tensors of each call, and emits events.

The call that is made is the ordinary one, so operations, results, errors and memory are those of the unrecorded run. No operation of
backward is seen: it is inferred from the graph, before and after (`pass_order.py`). What a call has done is read from its tensors:

- it has written those whose version was raised;
- a result on the storage of an argument is a view of it;
- new nodes that its results and arguments lead to are its own. What they have saved Paddle does not show: that is
  inferred from what such nodes save (`saved.py`).

Some functions write without raising a version: optimizers, `set_value`, `copy_`, `out=`, running statistics. For these the
contents are compared, and the recording says so.

Not seen are operations of other threads and of compiled code (`to_static`), and writes through other libraries.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import FrameType
from typing import TYPE_CHECKING, Any

import paddle

from inplacelab.frameworks.paddle import interception, remarks
from inplacelab.frameworks.paddle.calls import (
    COUNTS_APART,
    COUNTS_TOGETHER,
    RELAYOUTS,
    SETS_FLAGS,
    VIEWS,
    Call,
    Given,
    Kind,
    depends,
    given_to,
    tensors_in,
    tensors_of,
    touched,
)
from inplacelab.frameworks.paddle.known import KnownTensor
from inplacelab.frameworks.paddle.names import WATCHED
from inplacelab.frameworks.paddle.objects import PaddleObjects
from inplacelab.frameworks.paddle.passes import PaddlePasses
from inplacelab.frameworks.paddle.readings import address_of, gradient_held, has_memory, memory_of, node_of, version_of
from inplacelab.frameworks.paddle.saved import kept_by
from inplacelab.layout import Layout, share_slots
from inplacelab.recorders import events
from inplacelab.recorders.dependences import depends_of
from inplacelab.recorders.events import Operand
from inplacelab.recorders.guard import Guard
from inplacelab.recorders.log import Log, StepLimit
from inplacelab.recorders.names_and_lines import NamesAndLines
from inplacelab.recorders.positions import ALL
from inplacelab.recorders.program import Program, Scope, scopes_of
from inplacelab.recorders.raised_versions import among, tensors_written
from inplacelab.recorders.refused_calls import FailedCall
from inplacelab.recorders.remarks import ELSEWHERE, OUTSIDE, SILENT
from inplacelab.recorders.static import class_name, message_of

if TYPE_CHECKING:
    from inplacelab.recording.facts import Category, SlotsAre


class PaddleRecorder:
    """Emits events between `begin` and `end` (see `recorder.Recorder`)."""

    framework, version, refusals = "paddle", str(paddle.__version__), ()
    watched, memory_of = WATCHED, staticmethod(memory_of)

    def __init__(
        self, program: Program, log: Log, *, limit: int | None = None, outermost: FrameType | None = None
    ) -> None:
        self._program, self._emit, self._limit = program, log.emit, StepLimit(limit, log.emit)
        self.guard = Guard(log.emit, self._forget, ELSEWHERE)
        protect = self.guard.protect
        self._where = NamesAndLines(program, WATCHED, log.emit, self._account, self._meet, outermost)
        self._objects = PaddleObjects(
            log.emit,
            self._where.names_of,
            self.guard.protect_callback,
            self.guard.remark,
            with_values=log.with_values,
        )
        self._before, self._after = protect(self._call_begins), protect(self._call_ended)
        self._interrupted = protect(self._call_failed)
        self._passes = passes = PaddlePasses(
            program, self._objects, self._where, log.emit, self._limit, self.guard.remark, _ENTERED
        )
        self._pass_before, self._pass_after = protect(self._pass_begins), protect(passes.ended)
        self._pass_error, self._noted = protect(passes.failed), protect(passes.calls)
        self._inside = 0  # how many `PyLayer`s compute forward, and calls of which the calls inside are parts
        self._begun = False
        self._failed = FailedCall()  # the last call that has raised
        self.live_before = 0

    def look(self, tensors: dict[str, Any], /) -> None:
        """Describes existing tensors as they are now (see `Recorder.look`)."""
        self._objects.storages.only_ends = True
        try:
            self._where.look([Scope(tensors, "")], done=True)
        finally:
            self._forget()

    def begin(self) -> None:
        """Begins to take the places of Paddle's functions."""
        self.guard.begin()
        interception.begin(self)

    def end(self) -> None:
        """Ends that (see `Recorder.end`)."""
        interception.end(self)
        self.guard.end()

    def _forget(self) -> None:
        self._objects.forget()
        self._where.forget()
        self._passes.forget()

    # ---- the program -----------------------------------------------------------------------------------------------------

    def statement_begins(self, line: int, simple: bool, frame: FrameType, /) -> None:
        """Called when a statement of the program begins (see `instrument.StatementListener`)."""
        if frame.f_code.co_filename == self._program.filename:
            self._look_at_named()
            self._where.statement_begins(line, simple, frame)
            self._take_stock()

    def _look_at_named(self) -> None:
        """Emits which tensors with names have got other memory, as `layer.to(dtype=...)` gives it, with no function that is seen. So it
        belongs to the statement that has ended.
        """
        # What a pass or an operation changes is reported when it has ended.
        if self._passes or self._inside or self._limit.exceeded:
            return
        moved = False
        for known in self._where.named():
            tensor = known.alive()
            if tensor is not None and address_of(tensor) != known.storage.address:
                moved |= self._objects.look_at(known, tensor)
        if moved:
            self._objects.look_at_gradients()
            self._emit(events.Handed())

    def _take_stock(self) -> None:
        """Takes what the first scan of names has found as made before the program."""
        if not self._begun:
            self._begun = True
            self._objects.storages.began()
            self.live_before = self._objects.storages.live_bytes.before

    def _begin_at(self, frame: FrameType | None) -> None:
        """Takes stock at the first operation, of a program whose statements are not reported."""
        if not self._begun:
            self._where.line(frame)
            self._take_stock()

    def finish(self, scope: Scope) -> None:
        """Called when the program has ended, with its names, which belong to its last statement."""
        if not self._limit.exceeded and self._objects.look_again():
            self.guard.remark(remarks.UNOBSERVED)
        self._look_at_named()
        self._where.finish(scope)

    def failed(self, error: BaseException) -> None:
        """Called when the program ended with an exception."""
        if self._passes.inferred.has_refused(error):
            return
        self._where.look(scopes_of(self._program.frames_in(error)), done=True)
        line = self._program.line_of(error)
        operands = self._failed.operands_of(error, line)
        self._emit(
            events.Raised(class_name(type(error)), message_of(error), line, *self._objects.storages.account(), operands)
        )

    def _meet(self, tensor: Any) -> KnownTensor | None:
        """Describes a tensor that the program has a name for."""
        known = self._objects.tensors.find(tensor)
        if known is None and not self._limit.exceeded:
            known = self._objects.tensor(tensor)
            self._emit(events.Handed())
        return known

    def _account(self) -> tuple[int, int]:
        return self._objects.storages.account()

    # ---- operations ------------------------------------------------------------------------------------------------------

    def called(self, kind: Kind, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Calls a function of Paddle for the program."""
        if self._inside:
            return function(*args, **kwargs)
        call = Call(kind, function)
        self._before(call, args, kwargs)
        self._inside += kind.is_whole
        try:
            result = function(*args, **kwargs)
        except BaseException:
            self._inside -= kind.is_whole
            self._interrupted(call)
            raise
        self._inside -= kind.is_whole
        self._after(call, args, kwargs, result)
        return result

    def applied(self, layer: Any, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Calls the `apply` of a `PyLayer`, which is one operation."""
        if self._inside or not self.guard.is_here():
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

    def _call_begins(self, call: Call, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        frame = sys._getframe(3)  # beyond the guard and `called`
        if self._limit.exceeded or (self._passes and not self._passes.in_own_code(frame)):
            return
        self._begin_at(frame)
        objects, kind = self._objects, call.kind
        call.line = self._where.line(frame)
        if self._passes:
            self._passes.advance(frame)
        if kind.name == "run_program":
            self.guard.remark(remarks.COMPILED)
        if kind.leads_outside and _asked_by(frame, self._program):
            self.guard.remark(OUTSIDE.format(kind.name))
        for tensor in tensors_in(args, kwargs):
            self._take(call, tensor)
        call.operands = tuple([each.operand for each in call.known])
        call.versions = [each.counter.version for each in call.known]
        call.touched = touched(kind.name, args, kwargs)
        self._inside += 1  # it may try the function on other arrays
        try:
            call.depends = depends(call, args, kwargs)
        finally:
            self._inside -= 1
        refusable = kind.name.endswith("_") and any(each.needs and each.node is None for each in call.known[:1])
        if kind.is_silent or refusable or kwargs.get("out") is not None:
            call.contents = [objects.storages.fingerprint(each) for each in call.known]
        if kind.name in SETS_FLAGS:
            call.gradients = [
                None if each.grad is None else objects.storages.fingerprint(each.grad) for each in call.known
            ]
        call.begun = True

    def _take(self, call: Call, tensor: Any) -> None:
        """Describes a tensor that a call is given, and what has changed in it without an operation that was seen."""
        objects = self._objects
        known = objects.tensor(tensor)
        if known is None:
            call.unfilled.append(tensor)
            return
        if objects.wrote_unseen(known, tensor) and known.storage.bytes:
            self.guard.remark(remarks.UNOBSERVED)
        if objects.look_at(known, tensor) | objects.history(known, tensor):
            self._emit(events.Handed())
        if known.outdated is not None and known.needs and paddle.is_grad_enabled():
            name = f"`{known.names[0]}`" if known.names else remarks.A_TENSOR
            self.guard.remark(remarks.OUTDATED.format(name, known.outdated))
        call.known.append(known)
        call.tensors = (*call.tensors, tensor)

    def _call_failed(self, call: Call) -> None:
        """Called when an operation has raised: it may have written something before that, as Paddle does to a leaf."""
        if call.begun:
            for known, tensor in zip(call.known, call.tensors, strict=True):
                if self._objects.wrote_unseen(known, tensor):
                    self.guard.remark(remarks.UNOBSERVED)
            for known, tensor, before in zip(call.known, call.tensors, call.contents, strict=False):
                wrote = before != self._objects.storages.fingerprint(known)
                if self._objects.look_at(known, tensor) or wrote:
                    self.guard.remark(remarks.REFUSED_LATE.format(call.kind.name))
                    self._objects.storages.wrote(known, tensor, known.operand.layout)
                    self._emit(events.Handed())
            self._failed = FailedCall(id(sys.exception()), call.line, tuple(known.number for known in call.known))
        call.tensors, call.touched = (), ALL
        call.unfilled.clear()

    def _call_ended(self, call: Call, args: Sequence[Any], kwargs: Mapping[str, Any], result: Any) -> None:
        if not call.begun:
            return
        objects = self._objects
        objects.moment.reporting = True
        objects.nodes.made.clear()
        if call.kind.name == "register_hook":
            self._passes.calls(args[1] if len(args) > 1 else None, iter(args[:1]))
        taken = zip(call.known, call.tensors, call.versions, strict=True)
        written = tensors_written(taken, list(tensors_of(result)), version_of)
        for known, tensor in written:
            self._report_write(call, known, tensor, given_to(call, args, kwargs))
        self._report_changes(call, written)
        self._report_silent_writes(call, written)
        self._report_results(call, [*tensors_of(result), *call.unfilled], given_to(call, args, kwargs))
        objects.moment.reporting = False
        objects.nodes.made.clear()
        call.tensors, call.touched = (), ALL
        call.unfilled.clear()

    def _report_write(self, call: Call, known: KnownTensor, tensor: Any, given: Given) -> None:
        if self._limit.reached():
            return
        objects = self._objects
        slots = call.touched.written if tensor is call.touched.target else None
        objects.moment.replacing = True
        left = known.storage
        objects.nodes.own_leaf(node_of(tensor), known)
        relaid = objects.look_at(known, tensor)
        if relaid:
            objects.look_at_aliases(known)
        if call.kind.name == "setitem" and any(each.needs for each in call.known if each is not known):
            known.flagged = True  # under `no_grad` Paddle clears `stop_gradient`, and gives no node
        if objects.history(known, tensor) and call.kind.name not in RELAYOUTS:
            self._outdates(call, known)
        category: Category = "in-place"
        if known.storage is not left:
            category = "reallocated"
        elif call.kind.name in RELAYOUTS:
            category = "relayout"
        objects.storages.wrote(known, tensor, known.operand.layout if slots is None else slots)
        self._infer_saved(call, [known], given, in_place=True)
        output = known.operand if slots is None else replace(known.operand, part=slots)
        around = not call.touched.exact and (call.touched.target is None or tensor is call.touched.target)
        self._done(call, output, category, known.node, "around" if around else "written")
        objects.moment.replacing = False

    def _outdates(self, call: Call, known: KnownTensor) -> None:
        """Notes which tensors a write has changed through another one. Paddle gives a new node only to that one."""
        for other in list(known.storage.tensors.values()):
            tracked = other is not known and other.needs and other.node not in (None, known.node)
            if tracked and share_slots(other.operand.layout, known.operand.layout):
                other.outdated = call.line

    def _report_changes(self, call: Call, written: Sequence[tuple[KnownTensor, Any]]) -> None:
        """Emits what else a call has changed in its tensors: layout, storage, flags."""
        objects = self._objects
        for known, tensor in zip(call.known, call.tensors, strict=True):
            if any(known is each for each, _ in written):
                continue
            left = known.storage
            if objects.look_at(known, tensor, apart=call.kind.name in COUNTS_APART):
                objects.look_at_aliases(known)
                objects.history(known, tensor)
                if not self._limit.reached():
                    self._done(call, known.operand, "relayout" if left is known.storage else "reallocated", known.node)
            elif call.kind.name in SETS_FLAGS:
                objects.flags(known, tensor)
                self._report_cleared(call, known, tensor)

    def _report_cleared(self, call: Call, known: KnownTensor, tensor: Any) -> None:
        """Emits that the gradient of a tensor was set to zeros in place."""
        before = call.gradients[call.known.index(known)]
        changed = known.grad is not None and before not in (None, self._objects.storages.fingerprint(known.grad))
        if known.grad is not None and changed and not self._limit.reached():
            self._objects.storages.wrote(known.grad, gradient_held(tensor), known.grad.operand.layout)
            self._done(call, known.grad.operand, "in-place", None)

    def _report_silent_writes(self, call: Call, written: Sequence[tuple[KnownTensor, Any]]) -> None:
        """Emits what a call has written without raising a version."""
        objects = self._objects
        reported: set[tuple[int, Layout]] = set()
        for known, tensor, before in zip(call.known, call.tensors, call.contents, strict=False):
            place = known.storage.number, known.operand.layout
            counted = place in reported or any(known.counter is each.counter for each, _ in written)
            if not counted and before != objects.storages.fingerprint(known) and not self._limit.reached():
                reported.add(place)
                self.guard.remark(SILENT.format(call.kind.name, "Paddle"))
                objects.history(known, tensor)
                objects.storages.wrote(known, tensor, known.operand.layout)
                self._done(call, known.operand, "in-place", known.node)

    def _report_results(self, call: Call, results: Sequence[Any], given: Given) -> None:
        objects = self._objects
        new = [each for each in results if objects.tensors.find(each) is None and has_memory(each)]
        described: list[KnownTensor] = []
        for tensor in new:
            if self._limit.reached():
                return
            known = objects.tensor(tensor, filled=call.kind.fills, of=call.known, resulted=True)
            if known is not None and not among(known, call.known):
                described.append(known)
        if described:
            self._infer_saved(call, described, given, in_place=False)
        for known in described[: call.kind.shows]:
            category: Category = "ordinary" if call.known else "create"
            self._count_together(call, known)
            if known.storage.number in [each.storage for each in call.operands]:
                category = "view"
            self._done(call, known.operand, category, known.node)
            call.reported += 1

    def _count_together(self, call: Call, result: KnownTensor) -> None:
        """Notes that a result on another storage shares the version counter of the argument."""
        source = call.known[0] if len(call.known) == 1 else None
        if source is None or call.kind.name not in (VIEWS if not source.storage.bytes else COUNTS_TOGETHER):
            return
        if self._objects.storages.count_together(result, source) and result.storage.bytes:
            self.guard.remark(remarks.TOGETHER.format(call.kind.name))

    def _infer_saved(self, call: Call, results: Sequence[KnownTensor], given: Given, *, in_place: bool) -> None:
        """Emits what the nodes of an operation are inferred to have saved."""
        objects = self._objects
        nodes = [each.node for each in results]
        seen = [(each.operand, each.counter.version) for each in results]
        for number, name in objects.nodes.made:
            if number not in nodes and call.kind.name != "linear":
                continue
            kept = kept_by(name, given, seen, in_place=in_place)
            if kept is None:
                self.guard.remark(remarks.UNKNOWN_SAVED.format(name))
            elif found := tuple([self._with_dtype(each) for each in kept]):
                self.guard.remark(remarks.INFERRED)
                objects.nodes.saved(number, found)

    def _with_dtype(self, kept: events.Kept) -> events.Kept:
        """Returns what a node keeps with the dtype of its elements, if its storage counts other ones."""
        same = kept.dtype == self._objects.storages.dtype(kept.storage)
        return replace(kept, dtype="") if same else kept

    def _done(
        self, call: Call, output: Operand, category: Category, node: int | None, slots_are: SlotsAre = "written"
    ) -> None:
        inputs = call.touched.inputs(call.tensors, call.operands)
        copied = call.touched.place_copied(call.tensors)
        self._emit(events.OperationDone(
            call.kind.name, category, inputs, output, {}, node, call.line, *self._objects.storages.account(), slots_are, copied, depends_of(call.depends, category, output, call.operands, call.reported),
            paddle.is_grad_enabled(),
        ))  # fmt: skip

    def _pass_begins(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        frame = sys._getframe(3)  # beyond the guard and `run_pass`
        self._begin_at(frame)
        self._passes.begins(frame, name, args, kwargs)

    # ---- backward --------------------------------------------------------------------------------------------------------

    def run_pass(self, name: str, run: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Runs a backward pass for the program: `run` is the function through which it enters Paddle's engine."""
        if not self.guard.is_here() or self._inside:
            return run(*args, **kwargs)
        depth = len(self._passes)
        if not self._passes or self._passes.in_own_code(sys._getframe(2)):
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


_ENTERED = PaddleRecorder.run_pass.__code__


def _asked_by(frame: FrameType | None, program: Program) -> bool:
    """Whether the program itself has called a function, and not one of Paddle."""
    while frame is not None and frame.f_code.co_filename in _OURS:
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename == program.filename


_OURS = (__file__, str(interception.__file__))
