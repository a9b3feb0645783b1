"""Records programs that use PyTorch: overrides its functions with a mode that calls them, looks at their tensors, and emits events.

A `TorchFunctionMode` stands above autograd. The call that it makes is the ordinary one, so operations, results, errors and memory are
those of the unrecorded run. It sees no operation of backward, which is inferred from the graph, before and after (`torch_backward.py`).
What a call has done is read from its tensors:

- it has written those whose `_version` was raised;
- it has made the nodes whose sequence numbers lie between that of the next node before and after it;
- a result on a known storage is a view.

Not seen are operations of other threads and of compiled code, writes through NumPy, and what a `CopySlices` or the program's own
`torch.autograd.Function` computes in backward. The recording says so where it happens.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import FrameType
from typing import TYPE_CHECKING, Any

import torch

from inplacelab.language import Text
from inplacelab.recorders import events
from inplacelab.recorders.dependences import depends_of
from inplacelab.recorders.events import INFERRED, Operand
from inplacelab.recorders.log import Log
from inplacelab.recorders.positions import ALL
from inplacelab.recorders.program import Program, Scope, scopes_of
from inplacelab.recorders.refused_calls import FailedCall
from inplacelab.recorders.shield import Shield
from inplacelab.recorders.stand_in import call_for
from inplacelab.recorders.static import class_name, message_of, names_in
from inplacelab.recorders.step_limit import StepLimit
from inplacelab.recorders.torch_backward import (
    Asked,
    Stale,
    in_order,
    is_second_pass,
    reachable,
    root_node,
    shape_at,
    stale,
)
from inplacelab.recorders.torch_calls import RELAYOUTS, Call, depends, kind_of, tensors_in, tensors_of, touched
from inplacelab.recorders.torch_compiled import CompiledCalls
from inplacelab.recorders.torch_names import WATCHED
from inplacelab.recorders.torch_objects import (
    SHOWS_SAVED,
    KnownTensor,
    Made,
    TorchObjects,
    gradient_held,
    needs_gradient,
    retains_grad,
    saved_by,
    version_of,
)
from inplacelab.recorders.torch_overrides import EnginePatch, Mode, caller_of, in_force, take_away
from inplacelab.recorders.whereabouts import Whereabouts

if TYPE_CHECKING:
    from inplacelab.recording.facts import Category, SlotsAre

TESTED = "2.13"
"""The version that this recorder was tested with."""
SMALL = 16
"""Gradients of up to this many elements are kept with their values."""

_off = torch._C.DisableTorchFunction
_next_node = torch._C._autograd._get_sequence_nr
_running_node = getattr(torch._C, "_current_autograd_node", lambda: None)


@dataclass(slots=True, eq=False)
class Pass:
    """A running backward pass.

    Attributes:
        order: the nodes that it runs, in order, as far as they have not been reported.
        gradient: what the first node receives.
        fills, keeps: see `torch_backward.Asked`.
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


class TorchRecorder:
    """Emits events between `begin` and `end` (see `recorder.Recorder`)."""

    framework, version, refusals = "torch", str(torch.__version__), ()

    def __init__(
        self, program: Program, log: Log, *, limit: int | None = None, outermost: FrameType | None = None
    ) -> None:
        self._program, self._emit, self._limit = program, log.emit, StepLimit(limit)
        self.shield = Shield(log.emit, self._forget, _ELSEWHERE)
        protect = self.shield.protect
        self._where = Whereabouts(program, WATCHED, log.emit, self._account, self._meet, outermost)
        self._objects = TorchObjects(log.emit, self._where.names_of, self.shield.protect_callback, self.shield.remark)
        self._before, self._after, self._interrupted = (
            protect(self._call_begins),
            protect(self._call_ended),
            protect(self._call_failed),
        )
        self._hand = protect(self._handed)
        self._pass_before, self._pass_after, self._pass_error = (
            protect(self._pass_begins),
            protect(self._pass_ended),
            protect(self._pass_failed),
        )
        self._mode, self._engine = Mode(self), EnginePatch(self)
        self._passes: list[Pass | None] = []  # None: one that is not recorded
        self._refused: tuple[int, str] = (0, "")  # the last error that a pass has raised, and its message
        self._failed = FailedCall()  # the last call that has raised
        self._begun = False
        self._hooks: list[Any] = []
        self._compiled = CompiledCalls(program.text)
        self._is_off = False  # the mode, for a statement that calls a compiled function
        self._fast: list[Any] = []  # the module that runs with the mode off
        self.live_before = 0
        if not self.version.startswith(TESTED + "."):
            self.shield.remark(_UNTESTED.format(self.version, TESTED))
        if not SHOWS_SAVED:
            self.shield.remark(_NOT_SHOWN.format(self.version))

    @property
    def missed(self) -> int:
        """The number of events not recorded because of the limit."""
        return self._limit.missed

    def begin(self) -> None:
        """Begins to override PyTorch's functions."""
        self.shield.begin()
        self._engine.begin()
        self._mode.__enter__()
        hooks = torch.nn.modules.module
        self._hooks = [
            hooks.register_module_forward_pre_hook(self._module_begins),
            hooks.register_module_forward_hook(self._module_ended, always_call=True),
        ]

    def end(self) -> None:
        """Ends that (see `Recorder.end`)."""
        self.shield.end()
        while self._hooks:
            self._hooks.pop().remove()
        take_away(self._mode)
        self._engine.end()

    def _forget(self) -> None:
        self._objects.forget()
        self._where.forget()
        self._passes.clear()

    # ---- the program -----------------------------------------------------------------------------------------------------

    def statement_begins(self, line: int, simple: bool, frame: FrameType, /) -> None:
        """Called when a statement of the program begins (see `instrument.StatementListener`)."""
        if frame.f_code.co_filename == self._program.filename:
            with _off():
                self._objects.settle()
                self._where.statement_begins(line, simple, frame)
                self._take_stock()
            self._switch(frame)

    def _switch(self, frame: FrameType) -> None:
        """Switches the mode off for a statement that calls a compiled function, and on again for the next one."""
        own = scopes_of([frame])[0].names if "torch._dynamo" in sys.modules else {}
        scopes = [own, names_in(frame.f_globals)] if own else []
        if self._compiled.on(self._program.line(frame.f_lineno), scopes):
            self._is_off = take_away(self._mode) or self._is_off
            self.shield.remark(_COMPILED)
        elif self._is_off:
            self._is_off = False
            self._mode.__enter__()

    def _take_stock(self) -> None:
        """Takes what the first scan of names has found as made before the program."""
        if not self._begun:
            self._begun = True
            self._objects.began()
            self.live_before = self._objects.before

    def finish(self, scope: Scope) -> None:
        """Called when the program has ended, with its names, which belong to its last statement."""
        with _off():
            if not self._limit.exceeded and self._objects.look_again():
                self.shield.remark(_UNOBSERVED)
            self._objects.settle()
            self._where.finish(scope)

    def failed(self, error: BaseException) -> None:
        """Called when the program ended with an exception."""
        if self._refused == (id(error), message_of(error)):
            return
        with _off():
            self._where.look(scopes_of(self._program.frames_in(error)), done=True)
            line = self._program.line_of(error)
            operands = self._failed.operands_of(error, line)
            self._emit(
                events.Raised(class_name(type(error)), message_of(error), line, *self._objects.account(), operands)
            )

    def _meet(self, tensor: Any) -> KnownTensor | None:
        """Describes a tensor that the program has a name for, and what has changed in it without an operation that was seen."""
        known = self._objects.tensors.find(tensor)
        if known is not None:
            self._objects.flagged_history(known, tensor)
        elif not self._limit.exceeded:
            known = self._objects.tensor(tensor)
            self._emit(events.Handed())
        return known

    def _account(self) -> tuple[int, int]:
        return self._objects.account()

    # ---- operations ------------------------------------------------------------------------------------------------------

    def called(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Calls a function of PyTorch for the program."""
        kind = kind_of(function)
        if kind.quiet:
            return function(*args, **kwargs)
        frame = caller_of(sys._getframe(2))
        if kind.is_pass:
            return call_for(frame, function, args, kwargs)
        call = Call(kind)
        self._before(call, args, kwargs)
        try:
            result = call_for(frame, function, args, kwargs)
        except BaseException:
            self._interrupted(call)
            raise
        self._after(call, result)
        return result

    def _call_begins(self, call: Call, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        frame = sys._getframe(4)  # beyond the shield, `called`, and the mode
        if (self._passes and not self._in_own_code(frame)) or self._limit.exceeded:
            return
        with _off():
            self._take_stock_unless_begun(frame)
            objects, kind = self._objects, call.kind
            call.line = self._where.line(frame)
            if self._passes:
                self._advance(_running_node())
            if kind.leads_outside:
                self.shield.remark(_OUTSIDE.format(kind.name))
            for tensor in tensors_in(args, kwargs):
                known = objects.tensor(tensor)
                if known is not None:
                    if objects.wrote_unseen(known, tensor):
                        self.shield.remark(_UNOBSERVED)
                    call.known.append(known)
                    call.tensors = (*call.tensors, tensor)
            call.operands = tuple([each.operand for each in call.known])
            call.versions = [version_of(each) for each in call.tensors]
            call.touched = touched(kind.name, args, kwargs)
            call.depends = depends(kind.name, args, kwargs, call.tensors)
            if kind.is_silent:
                call.contents = [objects.contents(each) for each in call.known]
            call.with_history, call.first, call.storages = torch.is_grad_enabled(), _next_node(), objects.seen
            call.begun = True

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
                        self.shield.remark(_UNOBSERVED)
            self._failed = FailedCall(id(sys.exception()), call.line, tuple(known.number for known in call.known))
            call.tensors, call.touched = (), ALL

    def _call_ended(self, call: Call, result: Any) -> None:
        if not call.begun:
            return
        with _off():
            self._objects.made = made = Made(call.first, _next_node(), False, call.storages)
            written = self._written(call, result)
            made.writes = bool(written)
            self._uses(call, made)
            for known, tensor in written:
                self._report_write(call, known, tensor)
            self._report_changes(call, written)
            self._report_silent_writes(call, written)
            for tensor in tensors_of(result):
                self._report_result(call, tensor)
            self._objects.made = Made()
        call.tensors, call.touched = (), ALL

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

    def _uses(self, call: Call, made: Made) -> None:
        """Emits the nodes that PyTorch has made for views because a call has used them."""
        if call.kind.reads_node or (call.makes_nodes_of_views and made.last > made.first):
            for known, tensor in zip(call.known, call.tensors, strict=True):
                if needs_gradient(tensor):
                    self._objects.flagged_history(known, tensor, fresh=True)

    def _report_write(self, call: Call, known: KnownTensor, tensor: Any) -> None:
        if self._limit.reached():
            return
        objects = self._objects
        slots = call.touched.written if tensor is call.touched.target else None
        objects.replacing = True
        objects.histories(known.storage, (tensor,) if call.makes_nodes_of_views else ())
        objects.look_at(known, tensor)
        relaid = call.kind.name in RELAYOUTS
        objects.wrote(known, tensor, known.operand.layout if slots is None else slots)
        output = known.operand if slots is None else replace(known.operand, part=slots)
        around = not call.touched.exact and (call.touched.target is None or tensor is call.touched.target)
        self._done(call, output, "relayout" if relaid else "in-place", known.node, "around" if around else "written")
        objects.replacing = False

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
            if not counted and before != self._objects.contents(known) and not self._limit.reached():
                self.shield.remark(_SILENT.format(call.kind.name))
                self._objects.wrote(known, tensor, known.operand.layout)
                self._done(call, known.operand, "in-place", None)

    def _report_result(self, call: Call, tensor: Any) -> None:
        objects = self._objects
        if objects.tensors.find(tensor) is not None or self._limit.reached():
            return
        seen = objects.seen
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
            call.kind.name, category, inputs, output, {}, node, call.line, *self._objects.account(), slots_are, copied, depends_of(call.depends, category, output, call.reported),
        ))  # fmt: skip

    # ---- modules with a fast path ----------------------------------------------------------------------------------------

    def _module_begins(self, module: Any, _: Any) -> None:
        """Switches the mode off while a module runs that PyTorch computes in another way if there is a mode."""
        if not self._fast and self.shield.is_here() and _has_fast_path(module) and take_away(self._mode):
            self._fast.append(module)
            self.shield.remark(_FAST.format(class_name(type(module))))

    def _module_ended(self, module: Any, _: Any, result: Any) -> None:
        """Switches it on again."""
        if self._fast and self._fast[-1] is module:
            self._fast.pop()
            self._mode.__enter__()
            self._hand(result)

    def _handed(self, result: Any) -> None:
        """Describes tensors that the program receives from code that was not recorded."""
        with _off():
            for tensor in () if self._limit.exceeded else tensors_of(result):
                self._objects.tensor(tensor)
            self._emit(events.Handed())

    # ---- backward --------------------------------------------------------------------------------------------------------

    def _in_own_code(self, frame: FrameType | None) -> bool:
        """Whether code of the program runs in the backward pass that began last, such as a hook."""
        while frame is not None and frame.f_code is not _PASS:
            if self._program.has(frame):
                return True
            frame = frame.f_back
        return False

    def run_pass(self, run: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Runs a backward pass for the program: `run` is the function through which all of them enter PyTorch's engine."""
        if not self.shield.is_here() or self._is_off or self._fast:
            return run(*args, **kwargs)
        depth = len(self._passes)
        if not self._passes or self._in_own_code(sys._getframe(2)):  # and not in PyTorch's code that runs in a pass
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
        frame = sys._getframe(4)  # beyond the shield, `run_pass`, and `EnginePatch`
        asks = Asked.of(args, kwargs)
        with _off():
            self._take_stock_unless_begun(frame)
            line = self._where.line(frame)
            if self._passes:
                self._advance(_running_node())
            roots = [node for each in asks.roots if (node := root_node(each)) is not None]
            if not roots or self._limit.reached():
                self._passes.append(None)
                return
            objects = self._objects
            for each in tensors_of(asks.roots):
                known = objects.tensor(each)
                if known is not None:
                    objects.flagged_history(known, each, fresh=True)
            if objects.look_again():
                self.shield.remark(_UNOBSERVED)
            nodes = reachable(roots)
            numbers = [objects.node(node) for node in nodes]
            ends = None if asks.inputs is None else [root_node(each) for each in asks.inputs]
            order = in_order(roots, ends, fills=asks.fills)
            gradient = _gradient(asks)
            had = frozenset(known.number for _, known in objects.tensors.living() if known.grad is not None)
            self._passes.append(Pass(order, gradient, asks.fills, asks.keeps, nodes, set(order), roots[0], had))
            self._emit(events.BackwardBegan(
                tuple(number for number in numbers if number is not None), objects.number_of(roots[0]) or 0, gradient,
                line, *objects.account(),
            ))  # fmt: skip

    def _advance(self, until: Any) -> None:
        """Emits what the nodes of the current pass have done that ran before a node, of which code of the program runs now."""
        under = self._passes[-1]
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
        objects, number = self._objects, self._objects.node(node)
        leaf = getattr(node, "variable", None) if under.fills and not node.next_functions else None
        gradient, filled = self._arrived(under, node), None
        if leaf is not None:
            known, filled = objects.tensor(leaf), objects.filled(leaf)
            if filled is not None and known is not None and known.number not in under.had:
                gradient = _gradient_of(gradient_held(leaf), tuple(leaf.shape))
        if number is not None:
            for following in dict.fromkeys(each for each, _ in node.next_functions if each in under.runs):
                self._emit(events.Arrived(objects.node(following) or 0, origin=INFERRED))
            self._emit(events.NodeRan(
                number, not under.keeps and _has_released(node), filled, gradient, *objects.account(), origin=INFERRED
            ))  # fmt: skip

    def _unpacks(self, under: Pass, node: Any, last: events.Kept | None = None) -> None:
        """Emits that a node has used what it had saved, until the one that failed, if one did."""
        number, gradient = self._objects.node(node), self._arrived(under, node)
        for kept in self._objects.kept_by(number):
            if number is None or self._limit.reached():
                return
            found = self._objects.version(kept.counter, kept.version)
            self._emit(events.Unpacked(
                number, kept.name, kept.version, found, gradient, None, *self._objects.account(), origin=INFERRED
            ))  # fmt: skip
            if kept is last:
                return

    def _arrived(self, under: Pass, node: Any) -> events.Gradient | None:
        """Returns what is known of the gradient that a node has received."""
        if node is under.first:
            return under.gradient
        shape = shape_at(node)
        return None if shape is None else events.Gradient(shape, None)

    def _pass_ended(self, result: Any) -> None:
        under = self._passes.pop()
        if under is None or self._limit.exceeded:
            return
        with _off():
            objects = self._objects
            objects.made = Made()
            for node in under.order:
                self._ran(under, node)
            for tensor, known in objects.tensors.living():
                if known.node is not None and retains_grad(tensor):
                    objects.filled(tensor)
            self._release(under)
            objects.settle()
            self._limit.reached()
            self._emit(events.BackwardEnded(*objects.account()))
            if not under.fills:
                for tensor in tensors_of(result):
                    objects.tensor(tensor)
                self._emit(events.Handed())

    def _release(self, under: Pass) -> None:
        """Emits which nodes have released what they had saved."""
        released = [
            number
            for node in under.nodes
            if (number := self._objects.number_of(node)) is not None
            and self._objects.kept_by(number)
            and _has_released(node)
        ]
        for number in released:
            self._objects.release(number)
        under.nodes.clear()
        under.runs.clear()
        self._emit(events.Released(tuple(released)))

    def _pass_failed(self, error: BaseException) -> None:
        under = self._passes.pop()
        if under is None or self._limit.exceeded:
            return
        with _off():
            objects, message = self._objects, message_of(error)
            failing, kept = self._failing(under, message)
            if failing in under.order:
                for node in under.order[: under.order.index(failing)]:
                    self._ran(under, node)
                self._unpacks(under, failing, last=kept)
            number = objects.number_of(failing)
            if isinstance(error, RuntimeError) and (stale(message) or is_second_pass(message)):
                if failing is None and stale(message) and SHOWS_SAVED:
                    self.shield.remark(_HIDDEN)
                why = _STALE if stale(message) else _AGAIN
                fix = _STALE_FIX if stale(message) else _AGAIN_FIX
                self._emit(events.Refused(
                    class_name(type(error)), message, why, fix, number, None if kept is None else kept.storage, None,
                    None, *objects.account(),
                ))  # fmt: skip
                self._refused = id(error), message
            self._emit(events.BackwardFailed(number))
            self._release(under)
            under.order.clear()

    def _failing(self, under: Pass, message: str) -> tuple[Any, events.Kept | None]:
        """Returns the node at which a pass has failed, and what it had saved; None for what cannot be known."""
        told = stale(message)
        for node in under.order:
            for kept in self._objects.kept_by(self._objects.number_of(node)):
                found = self._objects.version(kept.counter, kept.version)
                if not kept.copy and told == Stale(tuple(kept.layout.shape), kept.version, found):
                    return node, kept
            if is_second_pass(message) and self._objects.was_released(self._objects.number_of(node)):
                return node, None
        return None, None


_PASS = TorchRecorder.run_pass.__code__


def _among(tensor: Any, others: Sequence[Any]) -> bool:
    return any(tensor is each for each in others)


def _has_released(node: Any) -> bool:
    """Whether a node had saved something and has released it."""
    return all(saved.data is None for _, saved in saved_by(node))


def _gradient(asks: Asked) -> events.Gradient:
    """Returns the gradient with which a pass begins."""
    given = asks.gradients[0] if asks.gradients else None
    return _gradient_of(given, () if given is None else tuple(given.shape))


def _gradient_of(tensor: Any, shape: tuple[int, ...]) -> events.Gradient:
    """Returns a gradient's shape, and its values if it is small and in the memory of this process."""
    readable = tensor is not None and tensor.device.type == "cpu" and tensor.layout is torch.strided
    if not readable or tensor.numel() > SMALL or tuple(tensor.shape) != shape:
        return events.Gradient(shape, None)
    return events.Gradient(shape, tuple(tensor.detach().reshape(-1).tolist()))


def _has_fast_path(module: Any) -> bool:
    """Whether PyTorch may compute a module in another way than by its ordinary operations."""
    if not issubclass(type(module), _FAST_MODULES) or module.training:
        return False
    return not torch.is_grad_enabled() or not any(each.requires_grad for each in module.parameters())


_FAST_MODULES = (torch.nn.TransformerEncoder, torch.nn.TransformerEncoderLayer, torch.nn.MultiheadAttention)
_SETS_FLAGS = frozenset({"requires_grad_", "requires_grad", "grad", "retain_grad", "detach_"})

_UNTESTED = Text(
    "This is PyTorch {0}; the recorder was tested with {1}.", "这里的 PyTorch 是 {0}；记录器是用 {1} 测试的。"
)
_NOT_SHOWN = Text(
    "PyTorch {0} does not show what grad nodes have saved: that was left out. Newer versions do.",
    "PyTorch {0} 不显示梯度节点保存了什么，这部分没有记录；较新的版本可以显示。",
)
_ELSEWHERE = Text("What other threads or coroutines did was left out.", "其他线程或协程所做的没有记录。")
_UNOBSERVED = Text(
    "Tensors were also written by code that was not recorded: another thread, an operation that failed halfway, "
    "or code below PyTorch's functions.",
    "还有未被记录的代码写入了张量：其他线程、中途失败的操作，或 PyTorch 函数之下的代码。",
)
_OUTSIDE = Text(
    "`{0}` leads to a tensor's memory itself. Writes from there raise no version, and were not seen.",
    "`{0}` 直接给出张量的内存。由此进行的写入不增加版本号，也看不到。",
)
_FAST = Text(
    "What `{0}` computes was not recorded: without gradients PyTorch has a fast path for it, which a recorder would switch off.",
    "`{0}` 的计算没有记录：不求梯度时，PyTorch 对它有快速路径，记录器会使其失效。",
)
_COMPILED = Text(
    "What functions compiled by `torch.compile` do was not recorded.", "经 `torch.compile` 编译的函数所做的没有记录。"
)
_SILENT = Text(
    "`{0}` writes tensors without raising their versions: that is how PyTorch has it, so backward would use them unnoticed.",
    "`{0}` 写入张量而不增加版本号：PyTorch 就是这样，所以反向传播会不加察觉地使用它们。",
)
_HIDDEN = Text(
    "PyTorch does not show what the node at which backward failed has saved, such as the one inside a CopySlices. "
    "So which node it was, and which line has made it, is not known.",
    "PyTorch 不显示反向传播出错的节点保存了什么（例如 CopySlices 内部的节点）。因此不知道是哪个节点，也不知道是哪一行建立的。",
)
_STALE = Text(
    "The node has saved a value for backward, and an in-place operation has overwritten it since.",
    "节点为反向传播保存了一个值，此后有原地操作覆盖了它。",
)
_STALE_FIX = Text(
    "write out of place, or to a clone, what is overwritten before backward.",
    "在反向传播之前要覆盖的内容，请改为非原地操作，或写入它的 `clone()`。",
)
_AGAIN = Text("An earlier backward has released what this node kept.", "之前的反向传播已经释放了这个节点保存的内容。")
_AGAIN_FIX = Text("give the earlier backward `retain_graph=True`.", "给之前的反向传播加上 `retain_graph=True`。")
