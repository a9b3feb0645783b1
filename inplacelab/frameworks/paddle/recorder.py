"""Records programs that use PaddlePaddle: takes the places of its functions, looks at their tensors, and emits events.

What a call has done is read from its tensors (`call_recorder.py`). New nodes that its results and arguments lead to are its own. What
they have saved Paddle does not show: that is inferred from what such nodes save (`nodes.py`).

Some functions write without raising a version: optimizers, `set_value`, `copy_`, `out=`, running statistics. For these the
contents are compared, and the recording says so.

Not seen are operations of other threads and of compiled code (`to_static`), and writes through other libraries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import FrameType
from typing import Any

import paddle

from inplacelab.frameworks.paddle import interception, readings
from inplacelab.frameworks.paddle.calls import (
    COUNTS_APART,
    COUNTS_TOGETHER,
    RELAYOUTS,
    SETS_FLAGS,
    VIEWS,
    PaddleCall,
    PaddleKind,
    depends,
    given_to,
    tensors_in,
    tensors_of,
    touched,
)
from inplacelab.frameworks.paddle.nodes import as_kept, inferred_kept
from inplacelab.frameworks.paddle.objects import PaddleObjects, PaddleTensor
from inplacelab.frameworks.paddle.passes import PaddlePasses
from inplacelab.frameworks.paddle.readings import CUSTOM_NODE, WATCHED, address_of, gradient_held, has_memory, node_of
from inplacelab.language import Text
from inplacelab.layout import share_slots
from inplacelab.recorders import call_recorder, events
from inplacelab.recorders.call_recorder import CallRecorder, among
from inplacelab.recorders.log import Log
from inplacelab.recorders.program import Program
from inplacelab.recorders.static import class_name

_REFUSED_LATE = Text(
    "Paddle refused `{0}`, but had changed the tensor already.", "Paddle 拒绝了 `{0}`，但在此之前已经改变了张量。"
)
_A_TENSOR = Text("a tensor", "一个张量")
_OUTDATED = Text(
    "Line {1} wrote {0} through another tensor. Paddle gives only that one a new grad node, so gradients through {0} are computed as if "
    "nothing had been written.",
    "第 {1} 行通过另一个张量写入了 {0}。Paddle 只给那个张量建立新的梯度节点，因此经过 {0} 的梯度是按没有写入来计算的。",
)
_TOGETHER = Text(
    "`{0}` made a copy, but Paddle raises the versions of the tensor and of the copy together.",
    "`{0}` 得到的是副本，但 Paddle 把张量和副本的版本号一起增加。",
)
_COMPILED = Text(
    "All that a function compiled by `to_static` does is shown as one operation, `run_program`.",
    "经 `to_static` 编译的函数，其中的全部操作记录为一个操作 `run_program`。",
)
_INFERRED = Text(
    "Paddle does not show what grad nodes keep. It was inferred from their names, and is marked as inferred.",
    "Paddle 不显示梯度节点保存了什么。这部分由节点的名称推断得出，并注明是推断。",
)
_UNKNOWN_SAVED = Text(
    "What `{0}` keeps is not known: Paddle does not show it.", "不知道 `{0}` 保存了什么：Paddle 不显示。"
)
_UNOBSERVED = Text(
    "Tensors were also written by code that was not recorded: another thread, an operation that failed halfway, "
    "or code below Paddle's functions.",
    "还有未被记录的代码写入了张量：其他线程、中途失败的操作，或 Paddle 函数之下的代码。",
)


class PaddleRecorder(CallRecorder[PaddleCall]):
    """Emits events between `begin` and `end` (see `recorder.Recorder`)."""

    framework, version, title = "paddle", str(paddle.__version__), "Paddle"
    watched, memory_of = WATCHED, staticmethod(readings.memory_of)
    read, unobserved, relayouts, counts_apart = readings, _UNOBSERVED, RELAYOUTS, COUNTS_APART
    tensors_in, tracks, infers = staticmethod(tensors_in), staticmethod(paddle.is_grad_enabled), True

    def __init__(
        self, program: Program, log: Log, *, limit: int | None = None, outermost: FrameType | None = None
    ) -> None:
        super().__init__(program, log, limit=limit, outermost=outermost)
        self.objects: PaddleObjects = PaddleObjects(self)
        self.live_and_peak = self.objects.storages.live_and_peak
        self.passes: PaddlePasses = PaddlePasses(self)
        self._noted = self.guard.protect(self.passes.calls)
        self._saved_by_program: Sequence[Any] = ()  # by the `forward` of the `PyLayer` that runs

    def intercept(self) -> None:
        interception.begin(self)

    def release(self) -> None:
        interception.end(self)

    def _look_at_named(self) -> None:
        """Emits which tensors with names have got other memory, as `layer.to(dtype=...)` gives it, with no function that is seen. So it
        belongs to the statement that has ended.
        """
        # What a pass or an operation changes is reported when it has ended.
        if self.passes.running or self._inside or self.limit.exceeded:
            return
        moved = False
        for known in self.names.named():
            tensor = known.alive()
            if tensor is not None and address_of(tensor) != known.storage.address:
                moved |= self.objects.look_at(known, tensor)
        if moved:
            self.objects.look_at_gradients()
            self.emit(events.Handed())

    # ---- calls -----------------------------------------------------------------------------------------------------------

    def called(
        self, kind: PaddleKind, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], frame: FrameType
    ) -> Any:  # fmt: skip
        """Calls a function of Paddle for the program."""
        if self._inside:
            return function(*args, **kwargs)
        run = partial(function, *args, **kwargs)
        return self._run(PaddleCall(kind, function), frame, run, args, kwargs, inside=kind.is_whole)

    def runs_init(
        self, _: str, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], frame: FrameType
    ) -> Any:
        """Calls the `__init__` of a layer."""
        result = function(*args, **kwargs)
        if args:
            self.constructs(args[0], frame.f_back)
        return result

    def applied(
        self, layer: Any, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], frame: FrameType
    ) -> Any:
        """Calls the `apply` of a `PyLayer`, which is one operation."""
        if self._inside or not self.guard.is_here():
            return function(*args, **kwargs)
        backward = getattr(layer, "backward", None)
        call = PaddleCall(PaddleKind(class_name(layer), is_custom=True), backward=backward)
        self._saved_by_program = ()
        result = self._run(call, frame, partial(function, *args, **kwargs), args, kwargs, inside=1)
        self._saved_by_program = ()
        self._noted(backward, tensors_of(result))
        return result

    def saves(
        self,
        name: str,  # noqa: ARG002  # every method for a replaced function is told the same
        function: Callable[..., Any],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        frame: FrameType,  # noqa: ARG002
    ) -> Any:
        """Calls the `save_for_backward` of a `PyLayer` for the program."""
        if self.guard.is_here():
            self._saved_by_program = args[1:]
        return function(*args, **kwargs)

    def _note_outside(self, call: PaddleCall, frame: FrameType) -> None:
        if call.kind.name == "run_program":
            self.guard.note(_COMPILED, aside=True)
        elif _asked_by(frame, self.program):
            super()._note_outside(call, frame)

    def _look_closer(self, known: PaddleTensor, tensor: Any) -> None:
        if self.objects.look_at(known, tensor) | self.objects.history(known, tensor):
            self.emit(events.Handed())
        if known.outdated is not None and known.needs and paddle.is_grad_enabled():
            name = f"`{known.names[0]}`" if known.names else _A_TENSOR
            self.guard.note(_OUTDATED.format(name, known.outdated), aside=True)

    def _foresee(self, call: PaddleCall, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        kind, contents = call.kind, self.objects.storages.contents
        call.touched = touched(kind.name, args, kwargs)
        self._inside += 1  # it may try the function on other arrays
        try:
            call.depends = depends(call, args, kwargs)
        finally:
            self._inside -= 1
        refusable = kind.name.endswith("_") and any(each.needs and each.node is None for each in call.known[:1])
        if kind.is_silent or refusable or kwargs.get("out") is not None:
            call.contents = [contents(each) for each in call.known]
        if kind.name in SETS_FLAGS:
            call.gradients = [None if each.grad is None else contents(each.grad) for each in call.known]

    def _refused_late(self, call: PaddleCall) -> None:
        """Emits what Paddle has done to a tensor before it has refused to write it, as to a leaf."""
        for known, tensor, before in zip(call.known, call.tensors, call.contents, strict=False):
            wrote = before != self.objects.storages.contents(known)
            if self.objects.look_at(known, tensor) or wrote:
                self.guard.note(_REFUSED_LATE.format(call.kind.name))
                self.objects.storages.wrote(known, tensor, known.operand.layout)
                self.emit(events.Handed())

    def _report(self, call: PaddleCall, args: Sequence[Any], kwargs: Mapping[str, Any], result: Any) -> None:
        objects = self.objects
        objects.reporting = True
        objects.nodes.made.clear()
        if call.kind.name == "register_hook":
            self.passes.calls(args[1] if len(args) > 1 else None, iter(args[:1]))
        several = result if type(result) is tuple else (result,)  # some of them may be lists of tensors
        results = [tensor for each in several for tensor in tensors_of(each)]
        written = self._written(call, results)
        call.given = given_to(call, args, kwargs)
        for known, tensor in written:
            self._report_write(call, known, tensor)
        self._report_changes(call, written)
        self._report_silent_writes(call, written)
        self._report_results(call, [*results, *call.unknown])
        objects.reporting = False
        objects.nodes.made.clear()

    def _look_at_written(self, call: PaddleCall, known: PaddleTensor, tensor: Any) -> None:
        self.objects.nodes.own_leaf(node_of(tensor), known)
        if self.objects.look_at(known, tensor):
            self.objects.look_at_aliases(known)
        if call.kind.name == "setitem" and any(each.needs for each in call.known if each is not known):
            known.flagged = True  # under `no_grad` Paddle clears `stop_gradient`, and gives no node
        if not self.objects.history(known, tensor) or call.kind.name in RELAYOUTS:
            return
        for other in list(
            known.storage.tensors.values()
        ):  # Paddle gives a new node only to the tensor that was written
            tracked = other is not known and other.needs and other.node not in (None, known.node)
            if tracked and share_slots(other.operand.layout, known.operand.layout):
                other.outdated = None if (place := self.place_of(call)) is None else place.line

    def _node_after(self, known: PaddleTensor, tensor: Any) -> int | None:
        self.objects.history(known, tensor)
        return known.node

    def _look_at_flags(self, call: PaddleCall, known: PaddleTensor, tensor: Any) -> None:
        if call.kind.name not in SETS_FLAGS:
            return
        self.objects.flags(known, tensor)
        # The gradient of the tensor may have been set to zeros in place.
        before, gradient = call.gradients[list(call.known).index(known)], known.grad
        if gradient is None or before in (None, self.objects.storages.contents(gradient)) or self.limit.reached():
            return
        self.objects.storages.wrote(gradient, gradient_held(tensor), gradient.operand.layout)
        self._done(call, gradient.operand, "in-place", None)

    def _named_results(self, call: PaddleCall, results: Sequence[Any]) -> list[PaddleTensor]:
        """Emits the history of results that the program has named in its function, before they had one. Returns them."""
        if not call.kind.is_custom:
            return []
        found = [(known, each) for each in results if (known := self.objects.tensors.find(each)) is not None]
        return [known for known, each in found if not among(known, call.known) and self.objects.history(known, each)]

    def _report_results(self, call: PaddleCall, results: Sequence[Any]) -> None:
        objects = self.objects
        new = [each for each in results if objects.tensors.find(each) is None and has_memory(each)]
        described = self._named_results(call, results)
        for tensor in new:
            if self.limit.reached():
                return
            known = objects.tensor(tensor, filled=call.kind.fills, of=call.known, resulted=True)
            if known is not None and not among(known, call.known):
                described.append(known)
        if described:
            self._report_saved(call, described, in_place=False)
        for known in described[: call.kind.shows]:
            self._count_together(call, known)
            is_view = known.storage.number in [each.storage for each in call.operands]
            self._done(call, known.operand, "view" if is_view else "ordinary" if call.known else "create", known.node)
            call.reported += 1

    def _count_together(self, call: PaddleCall, result: PaddleTensor) -> None:
        """Notes that a result on another storage shares the version counter of the argument."""
        source = call.known[0] if len(call.known) == 1 else None
        if source is None or call.kind.name not in (VIEWS if not source.storage.bytes else COUNTS_TOGETHER):
            return
        if self.objects.storages.count_together(result, source) and result.storage.bytes:
            self.guard.note(_TOGETHER.format(call.kind.name), aside=True)

    def _report_saved(self, call: PaddleCall, results: Sequence[PaddleTensor], *, in_place: bool) -> None:
        objects = self.objects
        nodes = [each.node for each in results]
        seen = [(each.operand, each.counter.version) for each in results]
        for number, name in objects.nodes.made:
            if number not in nodes and call.kind.name != "linear":
                continue
            own = self._kept_by_program() if name.startswith(CUSTOM_NODE) else []
            kept = own or inferred_kept(name, call.given, seen, in_place=in_place)
            if kept is None or len(own) < len(self._saved_by_program):
                self.guard.note(_UNKNOWN_SAVED.format(name), aside=True)
            if kept is not None and (found := tuple([self._with_dtype(each) for each in kept])):
                self.guard.note(_INFERRED, aside=True)
                objects.nodes.saved(number, found)

    def _kept_by_program(self) -> list[events.Kept]:
        """Returns what the `forward` of a `PyLayer` has saved of its operands and results."""
        saved = ((k, self.objects.tensors.find(each)) for k, each in enumerate(self._saved_by_program))
        return [as_kept(f"saved_tensor()[{k}]", each.operand, each.counter.version) for k, each in saved if each]

    def _with_dtype(self, kept: events.Kept) -> events.Kept:
        """Returns what a node keeps with the dtype of its elements, if its storage counts other ones."""
        same = kept.dtype == self.objects.storages.dtype(kept.storage)
        return replace(kept, dtype="") if same else kept

    # ---- backward --------------------------------------------------------------------------------------------------------

    def runs_pass(
        self, name: str, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], frame: FrameType
    ) -> Any:
        """Runs a backward pass for the program: `function` is the one through which it enters Paddle's engine."""
        if not self.guard.is_here() or self._inside:
            return function(*args, **kwargs)
        return self.run_pass(partial(function, *args, **kwargs), name, args, kwargs, frame)


def _asked_by(frame: FrameType | None, program: Program) -> bool:
    """Whether the program itself has called a function, and not one of Paddle."""
    while frame is not None and frame.f_code.co_filename in _OURS:
        frame = frame.f_back
    return frame is not None and program.has(frame)


_OURS = (__file__, str(interception.__file__), str(call_recorder.__file__))
