"""Records programs that use PyTorch: overrides its functions with a mode that calls them, looks at their tensors, and emits events.

A `TorchFunctionMode` stands above autograd (`interception.py`). What a call has done is read from its tensors (`call_recorder.py`), and
it has made the nodes whose sequence numbers lie between that of the next node before and after it.

Not seen are operations of other threads and of compiled code, writes through NumPy, and what a `CopySlices` or the program's own
`torch.autograd.Function` computes in backward. The recording says so where it happens.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import FrameType
from typing import Any, cast

import torch

from inplacelab.frameworks.torch import interception, readings
from inplacelab.frameworks.torch.calls import (
    RELAYOUTS,
    TorchCall,
    depends,
    tensors_in,
    tensors_of,
    touched,
)
from inplacelab.frameworks.torch.interception import CompilerPatch, Mode, Patch, TorchKind, kind_of, take_away
from inplacelab.frameworks.torch.objects import NONE, Operation, TorchObjects, TorchTensor
from inplacelab.frameworks.torch.passes import TorchPasses
from inplacelab.frameworks.torch.readings import SHOWS_SAVED, WATCHED, Unseen, gradient_held, needs_gradient, version_of
from inplacelab.frameworks.torch.steps import (
    FEW,
    STEP,
    RecordedStep,
    beginning,
    parts_of,
    range_around,
    step_of,
)
from inplacelab.frameworks.torch.storages import TorchStorage
from inplacelab.language import Text
from inplacelab.place import Place
from inplacelab.recorders import events
from inplacelab.recorders.call_recorder import CallRecorder, FailedCall
from inplacelab.recorders.guard import ELSEWHERE
from inplacelab.recorders.log import Log
from inplacelab.recorders.program import Program, call_from
from inplacelab.recorders.static import class_name

_next_node = torch._C._autograd._get_sequence_nr
_is_tracing = torch._C._is_tracing

_NOT_SHOWN = Text(
    "PyTorch {0} does not show what grad nodes keep: that was left out. Newer versions do.",
    "PyTorch {0} 不显示梯度节点保存了什么，这部分没有记录；较新的版本可以显示。",
)
_TRACED = Text(
    "What PyTorch traced (`torch.jit.trace`) was not recorded: the recorder would be traced, too.",
    "PyTorch 跟踪（`torch.jit.trace`）的部分没有记录，否则记录器也会被跟踪。",
)
_UNOBSERVED = Text(
    "Tensors were also written by code that was not recorded: another thread, compiled code, an operation that failed halfway, "
    "a `torch.autograd.Function` that marks its input as dirty, or code below PyTorch's functions.",
    "还有未被记录的代码写入了张量：其他线程、编译后的代码、中途失败的操作、用 `mark_dirty` 标记了输入的 `torch.autograd.Function`，"
    "或 PyTorch 函数之下的代码。",
)
_FAST = Text(
    "What `{0}` computes was not recorded: without gradients PyTorch has a fast path for it, which a recorder would switch off.",
    "`{0}` 的计算没有记录：不需要计算梯度时，PyTorch 会走一条快速路径，而记录器会使这条路径失效。",
)
_COMPILED = Text(
    "What functions compiled by `torch.compile` do was not recorded. With `TORCHDYNAMO_DISABLE=1` in the environment, PyTorch runs them uncompiled, "
    "and they are recorded.",
    "经 `torch.compile` 编译的函数，其中的操作没有记录。设置环境变量 `TORCHDYNAMO_DISABLE=1` 后，PyTorch 不编译这些函数，其中的操作就能记录。",
)


class TorchRecorder(CallRecorder[TorchCall]):
    """Emits events between `begin` and `end` (see `recorder.Recorder`)."""

    framework, version, title = "torch", str(torch.__version__), "PyTorch"
    watched, memory_of = WATCHED, staticmethod(readings.memory_of)
    read, unseen, unobserved, relayouts = readings, Unseen, _UNOBSERVED, RELAYOUTS
    tensors_in = staticmethod(tensors_in)

    def __init__(
        self, program: Program, log: Log, *, limit: int | None = None, outermost: FrameType | None = None
    ) -> None:
        super().__init__(program, log, limit=limit, outermost=outermost)
        self.objects: TorchObjects = TorchObjects(self)
        self.live_and_peak = self.objects.storages.live_and_peak
        self.passes: TorchPasses = TorchPasses(self)
        protect = self.guard.protect
        self._hand = protect(self._handed)
        self._apply_before, self._apply_after = protect(self._apply_begins), protect(self._apply_ended)
        self._swap_before, self._swap_failed, self._swap_after = (
            protect(each, anywhere=True) for each in (self._swap_begins, self._swap_raised, self._swap_ended)
        )
        self._step_before, self._step_after = protect(self._step_begins), protect(self._step_ended)
        self._made_in_step, self._stopped_in_step = protect(self._count_made), protect(self._fails_in_step)
        self._mode = mode = Mode(self)
        self._patches = (
            Patch(torch.autograd, "_engine_run_backward", self._runs_pass),
            Patch(torch.Tensor, "set_", self.called, unless=partial(interception.is_off, mode)),
            Patch(torch.nn.Module, "__init__", self._runs_init),
            Patch(torch.nn.Module, "__setstate__", self._copies),
            # Versions before 2.3 do not have it.
            *([Patch(torch.utils, "swap_tensors", self._swaps)] if hasattr(torch.utils, "swap_tensors") else []),
        )
        self._compiler = CompilerPatch(self)
        self._is_off = False  # the mode, while compiled code runs
        self._is_fast = False  # a module runs with the mode off
        self._step: RecordedStep | None = None  # the step of an optimizer that is recorded as one operation
        self._threads = _threads()
        self._outside: dict[int, tuple[TorchStorage, bytes, tuple[int, ...]]] = {}
        """Storages whose memory NumPy has, too: by number, with their bytes and versions. Only a judge has them looked at."""
        self._rewritten: list[TorchTensor] = []
        """Tensors that code of a library has written in a pass without raising their versions, and that was not reported yet."""
        self._began: Place | None = None  # the last statement, if there are such storages
        if not SHOWS_SAVED:
            self.guard.note(_NOT_SHOWN.format(self.version))

    def intercept(self) -> None:
        if self.judge is not None:
            self._patches = (*self._patches, Patch(torch.autograd.Function, "apply", self._applies))
        for patch in self._patches:
            patch.begin()
        self._compiler.begin(self.program.text)
        interception.put_in_force(self._mode)
        interception.report_fast_modules(self)

    def waits(self) -> None:
        """Has the compiler leave out the calls before statements, which it would trace (see `Recorder.waits`)."""
        if interception.may_compile(self.program.text):
            interception.leave_out_of_graphs()

    def is_idle(self) -> bool:
        """Whether PyTorch has not taken the mode off for a call: it puts the mode back when that ends."""
        return super().is_idle() and not interception.is_off(self._mode)

    def release(self) -> None:
        interception.end_reports(self)
        take_away(self._mode)
        for patch in self._patches:
            patch.end()
        self._compiler.end()

    # ---- the program -----------------------------------------------------------------------------------------------------

    def statement_begins(self, line: int, simple: bool, frame: FrameType, /) -> None:
        if self._step is not None and self.program.has(frame):  # as a signal's handler may
            self._end_step(self._step)
        if self.judge is not None and not self._inside and self.program.has(frame):
            with Unseen():
                self._look_outside()
        super().statement_begins(line, simple, frame)
        source = self.program.sources.at(frame.f_code, frame.f_lineno)
        if self._outside and not self._inside and source is not None:
            self._began = self.names.place(frame)
        if source is not None:
            self._compiler.begin(source.text)

    def _call_begins(self, call: TorchCall, args: Sequence[Any], kwargs: Mapping[str, Any], frame: FrameType) -> None:
        super()._call_begins(call, args, kwargs, frame)
        if not call.begun and call.kind.is_silent and self.passes.running and not (self._inside or self.limit.exceeded):
            found = map(self.objects.tensors.find, tensors_in(args, kwargs))
            call.known = [each for each in found if each is not None]
            call.contents = self._contents(call)

    def _call_ended(self, call: TorchCall, args: Sequence[Any], kwargs: Mapping[str, Any], result: Any) -> None:
        if call.contents:
            self._note_rewritten(call)
        super()._call_ended(call, args, kwargs, result)

    def _call_failed(self, call: TorchCall) -> None:
        self._note_rewritten(call)  # a checkpoint ends what it computes again with an exception
        super()._call_failed(call)

    def _note_rewritten(self, call: TorchCall) -> None:
        if call.contents and not call.begun:
            contents = self.objects.storages.contents
            compared = zip(call.known, call.contents, strict=True)
            self._rewritten += [known for known, before in compared if before not in (None, contents(known))]

    def _report_rewritten(self) -> None:
        """Emits what code of a library has written in a pass without raising a version, such as statistics that it computes again."""
        while self._rewritten:
            known = self._rewritten.pop()
            if (tensor := known.alive()) is not None and not self.limit.exceeded:
                self.objects.storages.wrote(known, tensor, None)
                self.guard.note(_UNOBSERVED, aside=True)

    def _look_at_named(self) -> None:
        if self._inside:  # what a call writes is reported when it has ended
            return
        self._report_rewritten()
        for known in self.names.named():
            tensor = known.alive()
            if tensor is not None and version_of(tensor) != known.counter.version and not self.limit.exceeded:
                self.objects.look_at(known, tensor)
                if self.objects.wrote_unseen(known, tensor):
                    self.objects.histories(known.storage)
                    self.guard.note(_UNOBSERVED)

    def _leads_outside(self, storage: TorchStorage) -> None:
        found = storage.contents()
        if found is not None:
            self._outside[storage.number] = storage, found, storage.versions()

    def _look_outside(self) -> None:
        """Tells the judge which memory the last statement has written without an operation."""
        for number, (storage, before, versions) in list(self._outside.items()):
            found = storage.contents()
            if found is None:
                del self._outside[number]
                continue
            if found != before and versions == storage.versions() and self._began is not None:
                self.judged("written_outside", self._began)
            self._outside[number] = storage, found, storage.versions()
        while self.objects.storages.of_others:
            self._leads_outside(self.objects.storages.of_others.pop())

    def known(self, tensor: Any) -> TorchTensor | None:
        """Describes a tensor that the program has a name for, and what has changed in it without an operation that was seen."""
        known = self.objects.tensors.find(tensor)
        if known is not None:
            self.objects.history(known, tensor)
        elif not self.limit.exceeded and not self._inside:  # what a call makes is described when it has ended
            if self._begun and _threads() != self._threads:
                self.guard.note(ELSEWHERE)
            known = self.objects.tensor(tensor)
            self.emit(events.Handed())
        return known

    # ---- calls -----------------------------------------------------------------------------------------------------------

    def called(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any], frame: FrameType) -> Any:
        """Calls a function of PyTorch for the program (see `interception.Caller`)."""
        if self._step is not None:
            return self._runs_in_step(self._step, function, args, kwargs, frame)
        kind = kind_of(function)
        if kind.quiet:
            return function(*args, **kwargs)
        if kind.begins_range:
            self._step_before(args, frame)
        if _is_tracing():
            self.guard.note(_TRACED)
            return function(*args, **kwargs)
        if kind.is_pass or (kind.only_reads and self._is_as_known(args, kwargs)):
            return call_from(frame, function, args, kwargs)
        run = partial(call_from, frame, function, args, kwargs)
        return self._run(TorchCall(kind, function), frame, run, args, kwargs, inside=1)

    def _is_as_known(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
        """Whether nothing has to be reported of a call that only reads a tensor: optimizers make many, which are most of their calls."""
        if len(args) != 1 or kwargs or not self.names.told or self.passes.running or self.judge is not None:
            return False
        if self.limit.exceeded or self.objects.storages.moved_to or not self.guard.is_here():
            return False
        (tensor,), facts = args, self.objects.tensors.facts
        known = facts.get(id(tensor))
        if known is None:
            return not issubclass(type(tensor), torch.Tensor | list | tuple | dict)
        with Unseen():
            self.live_and_peak()
            if known.node is not None or known.counter.version != version_of(tensor):
                return False  # PyTorch also warns of reading the `.grad` of what is computed
            held = gradient_held(tensor)
            return known.needs is needs_gradient(tensor) and known.grad is (
                None if held is None else facts.get(id(held))
            )

    def _runs_init(
        self, run: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], frame: FrameType | None
    ) -> Any:
        """Runs the `__init__` of a module."""
        result = run(*args, **kwargs)
        if args:
            self.constructs(args[0], frame)
        return result

    def _copies(
        self, run: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], frame: FrameType | None
    ) -> Any:
        """Runs the `__setstate__` of a module, which may be a copy: that of `copy.deepcopy`, for example."""
        result = run(*args, **kwargs)
        if frame is not None and frame.f_code.co_name == "_reconstruct" and self.guard.is_here():
            self.names.copied(args[0], frame.f_locals.get("x"))
        return result

    def _foresee(self, call: TorchCall, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        objects, kind = self.objects, call.kind
        if kind.leads_outside and call.known and self.judge is not None:
            self._leads_outside(call.known[0].storage)
        if kind.writes_each:
            call.listed = sum(objects.tensors.find(each) is not None for each in tensors_of(args[0]))
        call.touched = touched(kind.name, args, kwargs)
        if kind.may_write or "out" in kwargs:  # otherwise the arguments will be the same when it has ended
            call.depends = depends(call, args, kwargs)
        if kind.is_silent:
            self._report_rewritten()
            call.contents = self._contents(call)
        # `v[0] = y` writes a view of `v`, and not `v` itself, whose node is made when it is used next.
        call.makes_nodes = torch.is_grad_enabled() and kind.name != "setitem"
        call.first, call.storages = _next_node(), objects.storages.seen

    def _contents(self, call: TorchCall) -> list[int | None]:
        """Returns what tells whether tensors of a call are written: of a normalization, vectors such as its statistics. What a storage holds
        that was never written tells nothing: it may be what is written now.
        """
        contents, every = self.objects.storages.contents, not call.kind.name.endswith("_norm")
        return [
            (contents(each) if each.storage.is_filled else _NEVER)
            if every or len(each.operand.layout.shape) == 1
            else None
            for each in call.known
        ]

    def _report(self, call: TorchCall, args: Sequence[Any], kwargs: Mapping[str, Any], result: Any) -> None:
        call.results = results = [result] if type(result) is torch.Tensor else list(tensors_of(result))
        written = self._written(call, results)
        if written and not call.kind.may_write and "out" not in kwargs:  # as `relu(x, inplace=True)`
            call.depends = depends(call, args, kwargs)
        self.objects.operation = operation = Operation(call.first, _next_node(), bool(written), call.storages)
        if call.kind.reads_node or (call.makes_nodes and operation.last > operation.first):
            self._read_nodes(call)
        for known, tensor in written:
            (self._report_writes if call.listed else self._report_write)(call, known, tensor)
        self._report_changes(call, written)
        if call.contents:
            self._report_silent_writes(call, written)
        for tensor in results:
            if id(tensor) not in self.objects.tensors.facts and not self.limit.reached():
                self._report_result(call, tensor, args, kwargs)
        self.objects.operation = NONE

    def _read_nodes(self, call: TorchCall) -> None:
        """Emits the nodes of views, which PyTorch has made because the call has used them. That of another tensor is as it was read last."""
        self.objects.replacing = True
        for known, tensor in zip(call.known, call.tensors, strict=True):
            if needs_gradient(tensor) and not (known.read_at == version_of(tensor) and known.is_read):
                self.objects.history(known, tensor, fresh=True)
        self.objects.replacing = False

    def _report_writes(self, call: TorchCall, known: TorchTensor, tensor: Any) -> None:
        """Emits the writes of a call that writes each tensor of a list, of which one may share its counter with others."""
        now = version_of(tensor)
        writes = call.writes(known, tensor, now - known.counter.version)
        for left, (each, other) in zip(range(len(writes) - 1, -1, -1), writes, strict=True):
            self._report_write(call, each, other, now - left if left else None)

    def _look_at_written(self, call: TorchCall, known: TorchTensor, tensor: Any) -> None:
        self.objects.histories(known.storage, tensor if call.makes_nodes else None)
        self.objects.look_at(known, tensor)

    def _look_at_flags(self, call: TorchCall, known: TorchTensor, tensor: Any) -> None:
        if known.needs is not needs_gradient(tensor) or call.kind.name in _SETS_FLAGS:
            self.objects.flags(known, tensor)
            self.objects.histories(known.storage)  # views of it need a gradient as it does

    def _report_result(self, call: TorchCall, tensor: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        objects, seen = self.objects, self.objects.storages.seen
        known = objects.tensor(tensor, filled=call.kind.fills, own_counter=call.kind.own_counter, of=call.known)
        if known is None:
            return
        if call.kind.name == "grad":  # of a tensor: it was there
            self.emit(events.Handed())
            return
        storage = known.storage.number
        is_view = storage < max(seen, call.storages) and storage in [each.storage for each in call.operands]
        if not (is_view or call.depends or call.kind.may_write or "out" in kwargs):
            call.depends = depends(call, args, kwargs)
        self._done(call, known.operand, "view" if is_view else "ordinary" if call.known else "create", known.node)
        call.reported += 1

    def _applies(
        self, apply: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], frame: FrameType
    ) -> Any:
        """Calls the `apply` of a `torch.autograd.Function`, for which PyTorch calls no mode. Only the judge is told of it."""
        function: Any = cast("Any", apply).__self__
        call = TorchCall(TorchKind(class_name(function), is_custom=True), backward=getattr(function, "backward", None))
        self._apply_before(call, args, kwargs, frame)
        result = call_from(frame, apply, args, kwargs)
        self._apply_after(call, args, kwargs, result)
        return result

    def _apply_begins(self, call: TorchCall, args: Sequence[Any], kwargs: Mapping[str, Any], frame: FrameType) -> None:
        if self._inside or self.limit.exceeded or self._is_left_out():
            return
        with Unseen():
            call.place, call.begun = self.names.place(frame), True
            self._describe_operands(call, tensors_in(args, kwargs))
            self.emit(events.Handed())
            self.judged("call_begins", call)

    def _apply_ended(self, call: TorchCall, args: Sequence[Any], kwargs: Mapping[str, Any], result: Any) -> None:
        if call.begun:
            self._handed(result)
            with Unseen():
                for tensor in tensors_of(result):  # `forward` has made it without a history
                    known = self.objects.tensors.find(tensor)
                    if known is not None:
                        self.objects.history(known, tensor)
                self.judged("call_ended", call, args, kwargs, list(tensors_of(result)))

    # ---- steps of optimizers ---------------------------------------------------------------------------------------------

    def _step_begins(self, args: Sequence[Any], frame: FrameType) -> None:
        """Begins to record a large step of an optimizer as one operation, if nothing else can happen in it."""
        with Unseen():
            found = beginning(args, frame)
            if found is None or self.judge is not None or self.passes.running:
                return
            outer, *called = found
            step = None if interception.has_others(frame, outer) else step_of(*called)
            if step is None or len(step.parts) <= FEW:
                return
            call = TorchCall(STEP)
            self._call_begins(call, step.tensors, {}, outer)
            storages = {each.storage.number for each in call.known}
            if call.begun and len(storages) == len(step.tensors):
                self._step = RecordedStep(step, call)
                self._inside += 1

    def _runs_in_step(
        self, step: RecordedStep, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any], frame: FrameType
    ) -> Any:
        """Calls a function for an optimizer. Only the bytes that it uses are counted; what it writes shows when the step has ended."""
        kind = kind_of(function)
        if kind.quiet:
            return function(*args, **kwargs)
        if kind.ends_range and range_around(frame) is step.call.frame:
            self._end_step(step)
        try:
            result = call_from(frame, function, args, kwargs)
        except BaseException:
            self._stopped_in_step(step, args, kwargs)
            raise
        if not (kind.only_reads or kind.may_write):
            self._made_in_step(step, result)
        return result

    def _fails_in_step(self, step: RecordedStep, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        found = map(self.objects.tensors.find, tensors_in(args, kwargs))
        numbers = tuple(known.number for known in found if known is not None)
        self._failed = FailedCall(id(sys.exception()), self.place_of(step.call), numbers)

    def _count_made(self, step: RecordedStep, result: Any) -> None:
        with Unseen():
            for each in tensors_of(result):
                step.counts(each)

    def _end_step(self, step: RecordedStep) -> None:
        self._step = None
        self._inside -= 1
        self._step_after(step)

    def _step_ended(self, step: RecordedStep) -> None:
        """Emits what a step has written, and describes the state that it has made."""
        with Unseen():
            self.objects.storages.reached(step.ended())
            for part in parts_of(step.optimizer) if not self.limit.exceeded else ():
                for tensor in part.tensors.values():
                    self.objects.tensor(tensor)
            for call in step.calls():
                for known, tensor in reversed(self._written(call, ())):  # a parameter is computed from its state
                    self._report_write(call, known, tensor)

    # ---- code that runs with the mode off --------------------------------------------------------------------------------

    def compiled_begins(self) -> None:
        """Takes away what PyTorch's compiler would trace."""
        if self.guard.is_here() and take_away(self._mode):
            self._is_off = True
            interception.end_reports(self)
            interception.leave_out_of_graphs()
            self.guard.note(_COMPILED)

    def compiled_ended(self) -> None:
        """Puts it back."""
        if self._is_off and self.guard.is_here():
            self._is_off = False
            interception.put_in_force(self._mode)
            interception.report_fast_modules(self)

    def fast_begins(self, module: Any) -> bool:
        """Switches the mode off while a module runs that PyTorch computes in another way if there is a mode."""
        if self._is_fast or not self.guard.is_here():
            return False
        if not interception.has_fast_path(module) or not take_away(self._mode):
            return False
        self._is_fast = True
        self.guard.note(_FAST.format(class_name(type(module))))
        return True

    def fast_ended(self, result: Any) -> None:
        """Switches it on again."""
        self._threads = _threads()
        self._is_fast = False
        interception.put_in_force(self._mode)
        self._hand(result)

    def _handed(self, result: Any) -> None:
        """Describes tensors that the program receives from code that was not recorded."""
        with Unseen():
            for tensor in () if self.limit.exceeded else tensors_of(result):
                self.objects.tensor(tensor)
            self.emit(events.Handed())

    # ---- backward --------------------------------------------------------------------------------------------------------

    def _runs_pass(
        self, run: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], frame: FrameType
    ) -> Any:
        """Runs a backward pass for the program: `run` is the function through which all of them enter PyTorch's engine."""
        if not self.guard.is_here() or self._is_off or self._is_fast or self._inside:  # a judge runs passes of its own
            return run(*args, **kwargs)

        def runs() -> Any:
            with interception.in_force(self._mode):
                return run(*args, **kwargs)

        return self.run_pass(runs, "", args, kwargs, frame)

    def _pass_begins(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any], frame: FrameType) -> None:
        if self.judge is not None:  # what other threads have put into `.grad` is not what this pass adds to it
            with Unseen():
                self.objects.look_at_gradients()
                self.emit(events.Handed())
        super()._pass_begins(name, args, kwargs, frame)

    # ---- tensors that become each other ----------------------------------------------------------------------------------

    def _swaps(
        self, swap_tensors: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], frame: FrameType
    ) -> None:
        """Calls `torch.utils.swap_tensors` for the program, by which two tensors become each other.

        PyTorch calls no mode for it, and refuses tensors that have weak references. So the recorder has none to these two while it runs.
        """
        tensors = tensors_in(args, kwargs)
        self._swap_before(tensors)
        try:
            call_from(frame, swap_tensors, args, kwargs)
        except BaseException:
            self._swap_failed(tensors)
            raise
        self._swap_after(tensors, frame)

    def _is_left_out(self) -> bool:
        """Whether what runs now is not recorded."""
        return interception.is_off(self._mode) or not self.guard.is_here()

    def _swap_begins(self, tensors: Sequence[Any]) -> None:
        with Unseen():
            for tensor in tensors:
                if not (self.limit.exceeded or self._is_left_out()):
                    self.objects.tensor(tensor)
                self.objects.drop_reference(tensor)
                self.names.drop_reference(tensor)

    def _swap_raised(self, tensors: Sequence[Any]) -> None:
        for tensor in tensors:
            self.objects.hold(tensor)

    def _swap_ended(self, tensors: Sequence[Any], frame: FrameType) -> None:
        self._swap_raised(tensors)
        one, other = (self.objects.tensors.find(each) for each in tensors)
        if one is None or other is None:
            for tensor in tensors:  # one of them may be a tensor that cannot be recorded
                self.objects.tensors.forget(tensor)
        elif one is not other:
            with Unseen():
                inputs = one.operand, other.operand
                self.objects.swapped(one, other)
                if self._is_left_out():
                    self.emit(events.Handed())
                elif not self.limit.reached():
                    place, live_and_peak = self.names.place(frame), self.live_and_peak()
                    self.emit(events.OperationDone(
                        "swap_tensors", "reallocated", inputs, one.operand, one.node, place, *live_and_peak,
                    ))  # fmt: skip


_NEVER = -1
"""Is not what `contents` returns of any storage."""


def _threads() -> int:
    """How many threads have begun whose objects are still there. PyTorch calls no mode in them, so what they do is not seen."""
    return len(getattr(threading, "_dangling", ()))


_SETS_FLAGS = frozenset({"requires_grad_", "requires_grad", "grad", "retain_grad", "detach_"})
