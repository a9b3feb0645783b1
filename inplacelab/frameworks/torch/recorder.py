"""Records programs that use PyTorch: overrides its functions with a mode that calls them, looks at their tensors, and emits events.

A `TorchFunctionMode` stands above autograd. The call that it makes is the ordinary one, so operations, results, errors and memory are
those of the unrecorded run. It sees no operation of backward, which is inferred from the graph, before and after (`pass_order.py`).
What a call has done is read from its tensors:

- it has written those whose `_version` was raised;
- it has made the nodes whose sequence numbers lie between that of the next node before and after it;
- a result on a known storage is a view.

Not seen are operations of other threads and of compiled code, writes through NumPy, and what a `CopySlices` or the program's own
`torch.autograd.Function` computes in backward. The recording says so where it happens.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING, Any

import torch

from inplacelab.frameworks.torch import interception, remarks
from inplacelab.frameworks.torch.calls import RELAYOUTS, Call, depends, kind_of, tensors_in, tensors_of, touched
from inplacelab.frameworks.torch.interception import (
    CompilerPatch,
    Mode,
    Patch,
    caller_of,
    has_fast_path,
    in_force,
    is_off,
    leave_out_of_graphs,
    take_away,
)
from inplacelab.frameworks.torch.known import KnownTensor, Made
from inplacelab.frameworks.torch.names import WATCHED
from inplacelab.frameworks.torch.objects import TorchObjects
from inplacelab.frameworks.torch.passes import TorchPasses
from inplacelab.frameworks.torch.readings import SHOWS_SAVED, Unseen, memory_of, needs_gradient, version_of
from inplacelab.frameworks.torch.swaps import Swaps
from inplacelab.recorders import events
from inplacelab.recorders.dependences import depends_of
from inplacelab.recorders.events import Operand
from inplacelab.recorders.guard import Guard
from inplacelab.recorders.instrument import statement_begins
from inplacelab.recorders.log import Log, StepLimit
from inplacelab.recorders.names_and_lines import NamesAndLines
from inplacelab.recorders.positions import ALL
from inplacelab.recorders.program import Program, Scope, call_from, scopes_of
from inplacelab.recorders.raised_versions import tensors_written
from inplacelab.recorders.refused_calls import FailedCall
from inplacelab.recorders.remarks import ELSEWHERE, OUTSIDE, SILENT
from inplacelab.recorders.static import class_name, message_of

if TYPE_CHECKING:
    from inplacelab.recording.facts import Category, SlotsAre


_off = Unseen
_next_node = torch._C._autograd._get_sequence_nr
_is_tracing = torch._C._is_tracing


class TorchRecorder:
    """Emits events between `begin` and `end` (see `recorder.Recorder`)."""

    framework, version, refusals = "torch", str(torch.__version__), ()
    watched, memory_of = WATCHED, staticmethod(memory_of)

    def __init__(
        self, program: Program, log: Log, *, limit: int | None = None, outermost: FrameType | None = None
    ) -> None:
        self._program, self._emit, self._limit = program, log.emit, StepLimit(limit, log.emit)
        self.guard = Guard(log.emit, self._forget, ELSEWHERE)
        protect = self.guard.protect
        self._where = NamesAndLines(program, WATCHED, log.emit, self._account, self._meet, outermost)
        self._objects = TorchObjects(log.emit, self._where.names_of, self.guard.protect_callback, self.guard.remark)
        self._before, self._after, self._interrupted = (
            protect(self._call_begins),
            protect(self._call_ended),
            protect(self._call_failed),
        )
        self._hand = protect(self._handed)
        self._passes = passes = TorchPasses(
            program, self._objects, self._where, log.emit, self._limit, self.guard.remark, _ENTERED
        )
        self._pass_before, self._pass_after = protect(self._pass_begins), protect(passes.ended)
        self._pass_error = protect(passes.failed)
        self._mode = mode = Mode(self)
        swaps = Swaps(self._objects, self._where, log.emit, self._limit, self.guard, partial(is_off, mode))
        self._patches = (
            Patch(torch.autograd, "_engine_run_backward", self.run_pass),
            Patch(torch.Tensor, "set_", self.called, unless=partial(is_off, mode)),
            # Versions before 2.3 do not have it.
            *([Patch(torch.utils, "swap_tensors", swaps.called)] if hasattr(torch.utils, "swap_tensors") else []),
        )
        self._failed = FailedCall()  # the last call that has raised
        # How many calls run: they may run code of the program, such as a hook that packs what a node saves.
        self._inside = 0
        self._begun = False
        self._compiler = CompilerPatch(self._compiled_begins, self._compiled_ended)
        self._is_off = False  # the mode, while compiled code runs
        self._threads = _threads()
        self._is_fast = False  # a module runs with the mode off
        self.live_before = 0
        if not SHOWS_SAVED:
            self.guard.remark(remarks.NOT_SHOWN.format(self.version))

    def look(self, tensors: dict[str, Any], /) -> None:
        """Describes existing tensors as they are now (see `Recorder.look`)."""
        self._objects.storages.only_ends = True
        try:
            with _off():
                self._where.look([Scope(tensors, "")], done=True)
                self._objects.storages.settle()
        finally:
            self._forget()

    def begin(self) -> None:
        """Begins to override PyTorch's functions."""
        self.guard.begin()
        for patch in self._patches:
            patch.begin()
        self._compiler.begin(self._program.text)
        self._mode.__enter__()
        interception.listen(self)

    def end(self) -> None:
        """Ends that (see `Recorder.end`)."""
        self.guard.end()
        interception.leave(self)
        take_away(self._mode)
        for patch in self._patches:
            patch.end()
        self._compiler.end()

    def _forget(self) -> None:
        self._objects.forget()
        self._where.forget()
        self._passes.forget()

    # ---- the program -----------------------------------------------------------------------------------------------------

    def statement_begins(self, line: int, simple: bool, frame: FrameType, /) -> None:
        """Called when a statement of the program begins (see `instrument.StatementListener`)."""
        if frame.f_code.co_filename == self._program.filename:
            with _off():
                self._objects.storages.settle()
                if not self._inside:  # what a call writes is reported when it has ended
                    self._look_at_named()
                self._where.statement_begins(line, simple, frame)
                self._take_stock()
            self._compiler.begin(self._program.text)

    def _look_at_named(self) -> None:
        """Emits what has happened to tensors with names that was not reported. So it belongs to the statement that has ended."""
        for known in self._where.named():
            tensor = known.alive()
            if tensor is not None and version_of(tensor) != known.counter.version and not self._limit.exceeded:
                self._objects.look_at(known, tensor)
                if self._objects.wrote_unseen(known, tensor):
                    self._objects.histories(known.storage, ())
                    self.guard.remark(remarks.UNOBSERVED)

    def _compiled_begins(self) -> None:
        """Takes away what PyTorch's compiler would trace."""
        if self.guard.is_here() and take_away(self._mode):
            self._is_off = True
            interception.leave(self)
            leave_out_of_graphs(statement_begins)
            self.guard.remark(remarks.COMPILED)

    def _compiled_ended(self) -> None:
        if self._is_off and self.guard.is_here():
            self._is_off = False
            self._mode.__enter__()
            interception.listen(self)

    def _take_stock(self) -> None:
        """Takes what the first scan of names has found as made before the program."""
        if not self._begun:
            self._begun = True
            self._objects.storages.began()
            self.live_before = self._objects.storages.live_bytes.before

    def finish(self, scope: Scope) -> None:
        """Called when the program has ended, with its names, which belong to its last statement."""
        with _off():
            if not self._limit.exceeded and self._objects.look_again():
                self.guard.remark(remarks.UNOBSERVED)
            self._objects.storages.settle()
            self._where.finish(scope)

    def failed(self, error: BaseException) -> None:
        """Called when the program ended with an exception."""
        if self._passes.inferred.has_refused(error):
            return
        with _off():
            self._where.look(scopes_of(self._program.frames_in(error)), done=True)
            line = self._program.line_of(error)
            operands = self._failed.operands_of(error, line)
            self._emit(
                events.Raised(
                    class_name(type(error)), message_of(error), line, *self._objects.storages.account(), operands
                )
            )

    def _meet(self, tensor: Any) -> KnownTensor | None:
        """Describes a tensor that the program has a name for, and what has changed in it without an operation that was seen."""
        known = self._objects.tensors.find(tensor)
        if known is not None:
            self._objects.flagged_history(known, tensor)
        elif not self._limit.exceeded and not self._inside:  # what a call makes is described when it has ended
            if self._begun and _threads() != self._threads:
                self.guard.remark(ELSEWHERE)
            known = self._objects.tensor(tensor)
            self._emit(events.Handed())
        return known

    def _account(self) -> tuple[int, int]:
        return self._objects.storages.account()

    # ---- operations ------------------------------------------------------------------------------------------------------

    def called(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Calls a function of PyTorch for the program."""
        kind = kind_of(function)
        if kind.quiet:
            return function(*args, **kwargs)
        if _is_tracing():
            self.guard.remark(remarks.TRACED)
            return function(*args, **kwargs)
        frame = caller_of(sys._getframe(2))
        if kind.is_pass:
            return call_from(frame, function, args, kwargs)
        call = Call(kind, function)
        self._before(call, args, kwargs)
        self._inside += 1
        try:
            result = call_from(frame, function, args, kwargs)
        except BaseException:
            self._inside -= 1
            self._interrupted(call)
            raise
        self._inside -= 1
        self._after(call, result)
        return result

    def _call_begins(self, call: Call, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        frame = sys._getframe(4)  # beyond the guard, `called`, and the mode
        if (self._passes and not self._passes.in_own_code(frame)) or self._limit.exceeded:
            return
        with _off():
            self._take_stock_unless_begun(frame)
            objects, kind = self._objects, call.kind
            objects.storages.agree_on_types()
            call.line = self._where.line(frame)
            if self._passes:
                self._passes.advance()
            if kind.leads_outside:
                self.guard.remark(OUTSIDE.format(kind.name))
            self._take(call, args, kwargs)
            call.operands = tuple([each.operand for each in call.known])
            call.versions = [version_of(each) for each in call.tensors]
            call.touched = touched(kind.name, args, kwargs)
            call.depends = depends(call, args, kwargs)
            if kind.is_silent:
                call.contents = [objects.storages.contents(each) for each in call.known]
            call.with_history, call.first, call.storages = torch.is_grad_enabled(), _next_node(), objects.storages.seen
            call.begun = True

    def _take(self, call: Call, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """Describes the tensors that a call is given, and what was written to them without an operation that was seen."""
        for tensor in tensors_in(args, kwargs):
            known = self._objects.tensor(tensor)
            if known is not None:
                if self._objects.wrote_unseen(known, tensor):
                    self.guard.remark(remarks.UNOBSERVED)
                call.known.append(known)
                call.tensors = (*call.tensors, tensor)
        if call.kind.writes_each:
            call.listed = sum(self._objects.tensors.find(each) is not None for each in tensors_of(args[0]))

    def _take_stock_unless_begun(self, frame: FrameType) -> None:
        if not self._begun:
            self._where.line(frame)
            self._take_stock()

    def _call_failed(self, call: Call) -> None:
        """Called when an operation has raised: it may have written something before that."""
        if call.begun:
            with _off():
                for known, tensor in zip(call.known, call.tensors, strict=True):
                    if self._objects.wrote_unseen(known, tensor):
                        self.guard.remark(remarks.UNOBSERVED)
            self._failed = FailedCall(id(sys.exception()), call.line, tuple(known.number for known in call.known))
            call.tensors, call.touched = (), ALL

    def _call_ended(self, call: Call, result: Any) -> None:
        if not call.begun:
            return
        with _off():
            self._objects.moment.made = made = Made(call.first, _next_node(), False, call.storages)
            taken = zip(call.known, call.tensors, call.versions, strict=True)
            written = tensors_written(taken, list(tensors_of(result)), version_of)
            made.writes = bool(written)
            self._uses(call, made)
            for known, tensor in written:
                self._report_writes(call, known, tensor)
            self._report_changes(call, written)
            self._report_silent_writes(call, written)
            for tensor in tensors_of(result):
                self._report_result(call, tensor)
            self._objects.moment.made = Made()
        call.tensors, call.touched = (), ALL

    def _uses(self, call: Call, made: Made) -> None:
        """Emits the nodes that PyTorch has made for views because a call has used them."""
        if call.kind.reads_node or (call.makes_nodes_of_views and made.last > made.first):
            for known, tensor in zip(call.known, call.tensors, strict=True):
                if needs_gradient(tensor):
                    self._objects.flagged_history(known, tensor, fresh=True)

    def _report_writes(self, call: Call, known: KnownTensor, tensor: Any) -> None:
        now = version_of(tensor)
        writes = call.writes(known, tensor, now - known.counter.version)
        for left, (each, other) in zip(range(len(writes) - 1, -1, -1), writes, strict=True):
            self._report_write(call, each, other, now - left if left else None)

    def _report_write(self, call: Call, known: KnownTensor, tensor: Any, version: int | None) -> None:
        if self._limit.reached():
            return
        objects = self._objects
        slots, left = call.touched.written if tensor is call.touched.target else None, known.storage
        objects.moment.replacing = True
        objects.histories(known.storage, (tensor,) if call.makes_nodes_of_views else ())
        objects.look_at(known, tensor)
        category: Category = "relayout" if call.kind.name in RELAYOUTS else "in-place"
        if known.storage is not left:
            category = "reallocated"
        objects.storages.wrote(known, tensor, known.operand.layout if slots is None else slots, version=version)
        output = known.operand if slots is None else replace(known.operand, part=slots)
        around = not call.touched.exact and (call.touched.target is None or tensor is call.touched.target)
        self._done(call, output, category, known.node, "around" if around else "written")
        objects.moment.replacing = False

    def _report_changes(self, call: Call, written: Sequence[tuple[KnownTensor, Any]]) -> None:
        """Emits what else a call has changed in its tensors: layout, storage, flags."""
        objects = self._objects
        for known, tensor in zip(call.known, call.tensors, strict=True):
            if not any(known is each for each, _ in written):
                left = known.storage
                if objects.look_at(known, tensor):
                    if not self._limit.reached():
                        self._done(call, known.operand, "relayout" if left is known.storage else "reallocated", None)
                elif known.needs is not needs_gradient(tensor) or call.kind.name in _SETS_FLAGS:
                    objects.flags(known, tensor, fresh=False)
                    objects.histories(known.storage, ())  # views of it need a gradient as it does

    def _report_silent_writes(self, call: Call, written: Sequence[tuple[KnownTensor, Any]]) -> None:
        """Emits what a call has written without raising a version, as PyTorch's fused optimizers do."""
        for known, tensor, before in zip(call.known, call.tensors, call.contents, strict=False):
            counted = any(known.counter is each.counter for each, _ in written)
            if not counted and before != self._objects.storages.contents(known) and not self._limit.reached():
                self.guard.remark(SILENT.format(call.kind.name, "PyTorch"))
                self._objects.storages.wrote(known, tensor, known.operand.layout)
                self._done(call, known.operand, "in-place", None)

    def _report_result(self, call: Call, tensor: Any) -> None:
        objects = self._objects
        if objects.tensors.find(tensor) is not None or self._limit.reached():
            return
        seen = objects.storages.seen
        known = objects.tensor(tensor, filled=call.kind.fills, own_counter=call.kind.own_counter, of=call.known)
        if known is None:
            return
        category: Category = "ordinary" if call.known else "create"
        if known.storage.number < max(seen, call.storages) and known.storage.number in [
            each.storage for each in call.operands
        ]:
            category = "view"
        if call.kind.name == "grad":  # of a tensor: it was there
            self._emit(events.Handed())
        else:
            self._done(call, known.operand, category, known.node)
            call.reported += 1

    def _done(
        self, call: Call, output: Operand, category: Category, node: int | None, slots_are: SlotsAre = "written"
    ) -> None:
        inputs = call.touched.inputs(call.tensors, call.operands)
        copied = call.touched.place_copied(call.tensors)
        self._emit(events.OperationDone(
            call.kind.name, category, inputs, output, {}, node, call.line, *self._objects.storages.account(), slots_are, copied, depends_of(call.depends, category, output, call.operands, call.reported),
        ))  # fmt: skip

    # ---- modules with a fast path ----------------------------------------------------------------------------------------

    def fast_begins(self, module: Any) -> bool:
        """Switches the mode off while a module runs that PyTorch computes in another way if there is a mode."""
        if self._is_fast or not self.guard.is_here() or not has_fast_path(module) or not take_away(self._mode):
            return False
        self._is_fast = True
        self.guard.remark(remarks.FAST.format(class_name(type(module))))
        return True

    def fast_ended(self, result: Any) -> None:
        """Switches it on again."""
        self._threads = _threads()
        self._is_fast = False
        self._mode.__enter__()
        self._hand(result)

    def _handed(self, result: Any) -> None:
        """Describes tensors that the program receives from code that was not recorded."""
        with _off():
            for tensor in () if self._limit.exceeded else tensors_of(result):
                self._objects.tensor(tensor)
            self._emit(events.Handed())

    # ---- backward --------------------------------------------------------------------------------------------------------

    def run_pass(self, run: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Runs a backward pass for the program: `run` is the function through which all of them enter PyTorch's engine."""
        if not self.guard.is_here() or self._is_off or self._is_fast:
            return run(*args, **kwargs)
        depth = len(self._passes)
        if not self._passes or self._passes.in_own_code(
            sys._getframe(2)
        ):  # and not in PyTorch's code that runs in a pass
            self._pass_before(args, kwargs)
        try:
            with in_force(self._mode):
                result = run(*args, **kwargs)
        except BaseException as error:
            if len(self._passes) > depth:
                self._pass_error(error)
            raise
        if len(self._passes) > depth:
            self._pass_after(result)
        return result

    def _pass_begins(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        frame = sys._getframe(4)  # beyond the guard, `run_pass`, and the patch
        with _off():
            self._take_stock_unless_begun(frame)
        self._passes.begins(frame, args, kwargs)


_ENTERED = TorchRecorder.run_pass.__code__


def _threads() -> int:
    """How many threads have begun whose objects are still there. PyTorch calls no mode in them, so what they do is not seen."""
    return len(getattr(threading, "_dangling", ()))


_SETS_FLAGS = frozenset({"requires_grad_", "requires_grad", "grad", "retain_grad", "detach_"})
