"""Records programs that use PyTorch: a `TorchFunctionMode` sees each call of its functions, and emits what has changed since.

The mode stands above autograd: the call that it passes on is the ordinary one, so operations, results, errors and peaks are those of
the unrecorded run. After the call the recorder compares versions and looks at the new tensors and nodes (`torch_objects.py`). It reads
`_raw_saved_*`, which checks and unpacks nothing, and leaves no hook on a graph.

What PyTorch's engine does in a backward pass is written in C++ and reports nothing. So the order of the nodes is inferred from
their numbers (`torch_backward.py`); the gradients of the leaves are observed.

>>> from inplacelab import record
>>> import torch                                                     # doctest: +SKIP
>>> with record() as rec:                                            # doctest: +SKIP
...     x = torch.ones(3, requires_grad=True)
...     y = x * 2
...     y.add_(1)
>>> [(step.op, step.category) for step in rec.recording.steps]       # doctest: +SKIP
[('ones', 'create'), ('mul', 'ordinary'), ('add_', 'in-place')]
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from math import inf
from types import FrameType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from inplacelab.errors import Refusal
from inplacelab.language import Text
from inplacelab.recorders import events
from inplacelab.recorders.bindings import ATTRIBUTES, Watched
from inplacelab.recorders.log import Log
from inplacelab.recorders.program import Program, Scope
from inplacelab.recorders.shield import Shield
from inplacelab.recorders.static import attributes_of, class_name, message_of
from inplacelab.recorders.torch_backward import Staleness, order, staleness_in
from inplacelab.recorders.torch_objects import KnownTensor, TorchObjects, layout_of, version_of
from inplacelab.recorders.whereabouts import Whereabouts

TESTED = "2.13"
"""The version that the tests compare with."""
SMALL = 16
"""Gradients of up to this many elements are kept with their values."""

_LOOKED_AT = frozenset(("data", "T", "mT", "H", "mH", "real", "imag"))
"""The properties that are operations. All others only tell something."""
_OTHER = Text(
    "This is PyTorch {0}. The recorder was tested with {1}; with another version, it may see less.",
    "这里是 PyTorch {0}。记录器以 {1} 测试过；换了版本，看到的可能较少。",
)
_ELSEWHERE = Text("What other threads did was left out.", "其他线程所做的没有记录。")
_UNOBSERVED = Text(
    "Tensors were also written by code that PyTorch does not report: another thread, NumPy, or code outside PyTorch.",
    "还有 PyTorch 不报告的代码写入了张量：其他线程、NumPy，或 PyTorch 之外的代码。",
)
_STALE_WHY = Text(
    "A value that backward needs was overwritten after it had been saved: its gradient would be wrong.",
    "反向传播需要的值在保存之后被改写了，算出的梯度会是错的。",
)
_STALE_FIX = Text(
    "save a copy on the line that saves it (`.clone()`), or write the new value to another tensor.",
    "在保存它的那一行保存副本（`.clone()`），或者把新值写进另一个张量。",
)


class TorchRecorder:
    """Emits events about the tensors of a PyTorch program (see `recorder.Recorder`)."""

    framework, version = "torch", str(torch.__version__)
    refusals: Sequence[Callable[[], Refusal | None]] = ()

    def __init__(
        self, program: Program, log: Log, *, limit: int | None = None, outermost: FrameType | None = None
    ) -> None:
        self._program, self._emit, self._limit = program, log.emit, inf if limit is None else limit
        self.shield = Shield(log.emit, self._forget, _ELSEWHERE)
        self._where = Whereabouts(program, _WATCHED, log.emit, self._account, self._find, outermost)
        self._objects = TorchObjects(log.emit, self._where.names_of, self.shield.protect_callback)
        self._mode, self._engine = Mode(self), EnginePatch(self)
        self._counted, self.live_before = 0, 0
        self._refused = -1  # the address of the last refusal: a reference would keep its frames, and their tensors
        self.run_operation = self.shield.protect(self._operation)
        self.begin_pass = self.shield.protect(self._pass_begins)
        self.end_pass = self.shield.protect(self._pass_ends)
        self.fail_pass = self.shield.protect(self._pass_fails)

    @property
    def missed(self) -> int:
        """The number of events not recorded because of the limit."""
        return int(max(self._counted - self._limit, 0))

    def begin(self) -> None:
        """Begins to watch PyTorch's functions and backward passes."""
        if not self.version.startswith(TESTED):
            self.shield.remark(_OTHER.format(self.version, TESTED))
        self.shield.begin()
        self._engine.begin()
        self._mode.__enter__()

    def end(self) -> None:
        """Ends that (see `Recorder.end`)."""
        _remove(self._mode)
        self._engine.end()
        self.shield.end()

    def _forget(self) -> None:
        self._objects.forget()
        self._where.forget()

    def _find(self, tensor: Any) -> KnownTensor | None:
        return self._objects.tensors.find(tensor)

    def _account(self) -> tuple[int, int]:
        return self._objects.live, self._objects.peak

    def _full(self) -> bool:
        """Counts an event that becomes a step. Returns whether the limit is exceeded."""
        self._counted += 1
        return self._counted > self._limit

    # ---- the program -----------------------------------------------------------------------------------------------------

    def statement_begins(self, line: int, simple: bool, frame: FrameType, /) -> None:
        """Called when a statement of the program begins (see `instrument.StatementListener`)."""
        self._look_again()
        self._where.statement_begins(line, simple, frame)

    def finish(self, scope: Scope) -> None:
        """Called when the program has ended, with its names, which belong to its last statement."""
        self._look_again()
        self._where.finish(scope)

    def failed(self, error: BaseException) -> None:
        """Called when the program ended with an exception."""
        if id(error) != self._refused:
            line = self._program.line_of(error)
            self._emit(events.Raised(class_name(type(error)), message_of(error), line, *self._account()))

    def _look_again(self) -> None:
        """Emits the writes that no call has shown, and what is gone."""
        if self._counted > self._limit:
            return
        with torch._C.DisableTorchFunction():
            for tensor, known in self._objects.tensors.living():
                self._objects.describe_again(known, tensor)  # by a function that no mode sees, such as `set_`
                if self._objects.notice(known, tensor):
                    self.shield.remark(_UNOBSERVED)
            self._objects.sweep()

    # ---- operations ------------------------------------------------------------------------------------------------------

    def _operation(self, call: Call, result: Any, frame: FrameType) -> None:
        """Emits what a call has done."""
        if self._counted > self._limit:
            self._counted += 1
            return
        outputs = list(tensors_in([result]))
        if call.hands_over:
            for each in outputs:
                self._objects.tensor(each)
            self._emit(events.Handed())
        else:
            self._changed(call, outputs, frame)

    def _changed(self, call: Call, outputs: Sequence[Any], frame: FrameType) -> None:
        """Emits what differs since before a call: tensors that are new, inputs that were written, or have other metadata."""
        objects = self._objects
        written = [(known, each) for known, each in call.inputs if version_of(each) != call.versions[known.number]]
        moved = [(known, each) for known, each in call.inputs if objects.describe_again(known, each)]
        new = [each for each in outputs if objects.tensors.find(each) is None]
        objects.showed({known.counter.number: call.versions[known.number] for known, _ in call.inputs})
        if not (written or moved or new):
            self._flags(call, outputs)
            return
        line = self._where.line(frame)
        for each in new:
            self._made(call, each, line)
        for known, each in written:
            self._wrote(call, known, each, line, relayout=any(known is other for other, _ in moved))
        for known, each in moved:
            if not any(known is other for other, _ in written):
                objects.history(known, each)
                self._done(
                    call,
                    "relayout" if known.storage is call.storages[known.number] else "reallocated",
                    known,
                    None,
                    line,
                )

    def _made(self, call: Call, tensor: Any, line: int | None) -> None:
        """Emits a new tensor and the operation that made it: a view if it is on the storage of an input."""
        objects = self._objects
        beside = next((known for known, each in call.inputs if _same_storage(each, tensor)), None)
        known = objects.tensor(tensor, beside=beside, apart=call.name == "data")
        if known is None:
            return
        self._done(call, "view" if beside else "ordinary" if call.inputs else "create", known, known.node, line)

    def _wrote(self, call: Call, known: KnownTensor, tensor: Any, line: int | None, *, relayout: bool) -> None:
        """Emits a write to an input, and the histories that it has changed. Other views get theirs when PyTorch makes it."""
        objects, before = self._objects, known.node
        if not objects.notice(known, tensor):  # through another input on the same storage
            return
        objects.history(known, tensor)
        base = tensor._base
        found = None if base is None else objects.tensor(base)
        if found is not None and found.counter is known.counter:
            objects.history(found, base)
        objects.needs_on(known.storage)
        made = known.node if known.node != before else None
        self._done(call, "relayout" if relayout else "in-place", known, made, line)

    def _done(self, call: Call, category: Any, output: KnownTensor, node: int | None, line: int | None) -> None:
        if self._full():
            return
        inputs = tuple(operand for operand in call.operands)
        part = output.operand
        if call.part is not None and category == "in-place":
            part = replace(part, part=call.part)
        live, peak = self._account()
        self._emit(events.OperationDone(call.name, category, inputs, part, {}, node, line, live, peak))

    def _flags(self, call: Call, outputs: Iterable[Any]) -> None:
        """Emits changes of `requires_grad` and `.grad` that a call without a result has made."""
        for known, tensor in call.inputs:
            if call.sets or any(tensor is each for each in outputs):
                before = known.node, known.needs
                self._objects.history(known, tensor)
                if call.sets or before != (known.node, known.needs):
                    self._objects.flags(known, tensor)

    # ---- backward --------------------------------------------------------------------------------------------------------

    def _pass_begins(self, under: Pass, frame: FrameType) -> None:
        """Emits the begin of a pass. What it may reach is known before it runs."""
        if self._full():
            return
        objects = self._objects
        roots = [(objects.node(_node_of(each)), each) for each in under.outputs]
        under.roots = [number for number, _ in roots if number is not None]
        if not under.roots:
            return
        under.order = order(objects.nodes, under.roots, [objects.node(_node_of(each)) for each in under.inputs])
        given = under.gradients[0] if under.gradients and under.gradients[0] is not None else None
        gradient = events.Gradient(tuple(under.outputs[0].shape), _ones(under.outputs[0]))
        if given is not None:
            gradient = _gradient(given)
        line = self._where.line(frame)
        self._emit(events.BackwardBegan(tuple(under.order), under.roots[0], gradient, line, *self._account()))
        under.began = True

    def _pass_ends(self, under: Pass) -> None:
        """Emits the nodes of a pass that has run, in the order in which PyTorch's engine runs them, and the gradients of the leaves."""
        if not under.began:
            return
        objects = self._objects
        for number in under.order:
            self._ran(under, number)
        if not under.keeps:
            for number in under.order:
                objects.nodes[number].kept = ()
        self._emit(events.Released(() if under.keeps else tuple(under.order)))
        self._emit(events.BackwardEnded(*self._account()))

    def _ran(self, under: Pass, number: int) -> None:
        """Emits that a node has run."""
        objects, node = self._objects, self._objects.nodes[number]
        inferred = events.INFERRED
        self._emit(events.Arrived(number, origin=inferred))
        for kept in node.kept:
            if not self._full():
                self._emit(
                    events.Unpacked(
                        number, kept.name, kept.version, kept.version, None, None, *self._account(), origin=inferred
                    )
                )
        filled, gradient, leaf = None, None, None if node.leaf is None else node.leaf.alive()
        if node.leaf is not None and leaf is not None and under.accumulates:
            found = objects.gradient(node.leaf, leaf)
            if found is not None:
                filled, gradient = found.operand, _gradient(leaf.grad)
        if not self._full():
            self._emit(
                events.NodeRan(
                    number,
                    not under.keeps,
                    filled,
                    gradient,
                    *self._account(),
                    origin=events.OBSERVED if filled else inferred,
                )
            )

    def _pass_fails(self, under: Pass, error: BaseException) -> None:
        """Emits the nodes that ran before the one that failed, and, if an overwritten value was the reason, which it was."""
        if not under.began:
            return
        objects = self._objects
        found = staleness_in(error, objects.nodes, under.order, self._current_versions())
        if found is not None:
            for number in under.order[: under.order.index(found.node)]:
                self._ran(under, number)
            self._refuse(error, found)
        self._emit(events.BackwardFailed(None if found is None else found.node))

    def _current_versions(self) -> dict[int, int]:
        return {known.counter.number: version_of(tensor) for tensor, known in self._objects.tensors.living()}

    def _refuse(self, error: BaseException, found: Staleness) -> None:
        kept, node = found.kept, found.node
        self._emit(events.Arrived(node, origin=events.INFERRED))
        self._emit(
            events.Unpacked(
                node, kept.name, kept.version, found.version, None, None, *self._account(), origin=events.INFERRED
            )
        )
        self._refused = id(error)
        self._emit(events.Refused(
            class_name(type(error)), message_of(error), _STALE_WHY, _STALE_FIX, node, kept.storage, None, None, *self._account(),
        ))  # fmt: skip


class Call:
    """A call of one of PyTorch's functions, as it was before it ran.

    Attributes:
        name: the operation: "add_", "getitem".
        inputs: the tensors among its arguments, each once, with what is known of them.
        operands: their metadata.
        versions, storages: of these, by the number of the tensor.
        part: the part that `x[key] = y` writes.
        sets: whether it sets a property.
        hands_over: whether its results were made by a backward pass.
    """

    def __init__(self, func: Any, args: Sequence[Any], kwargs: dict[str, Any], objects: TorchObjects) -> None:
        self.name, self.sets = _name_of(func)
        self.hands_over = func is torch.autograd.grad
        found: dict[int, tuple[KnownTensor, Any]] = {}
        for each in tensors_in([*args, *kwargs.values()]):
            known = objects.tensor(each)
            if known is not None:
                found[known.number] = (known, each)
        self.inputs = list(found.values())
        for known, each in self.inputs:
            objects.notice(known, each)
        self.operands = [known.operand for known, _ in self.inputs]
        self.versions = {known.number: version_of(each) for known, each in self.inputs}
        self.storages = {known.number: known.storage for known, _ in self.inputs}
        self.part = _part_set(func, args)


class Pass:
    """A backward pass, from the arguments of PyTorch's engine.

    Attributes:
        outputs, gradients: the roots, and the gradients that they receive (None for ones).
        keeps: `retain_graph`.
        inputs: the tensors whose gradients are asked for; none for all leaves.
        accumulates: whether the leaves' `.grad` is filled, as `backward()` does and `grad()` does not.
        roots, order: the numbers of the first nodes, and of all in the order in which they run.
        began: whether its begin was recorded.
    """

    def __init__(self, outputs: Sequence[Any], arguments: Sequence[Any], options: dict[str, Any]) -> None:
        given = dict(zip(("gradients", "keeps", "creates", "inputs", "unreachable"), arguments, strict=False))
        self.outputs = [each for each in outputs if isinstance(each, torch.Tensor)]
        self.gradients, self.keeps = given.get("gradients") or (), bool(given.get("keeps"))
        self.inputs = [each for each in given.get("inputs") or () if isinstance(each, torch.Tensor)]
        self.accumulates = bool(options.get("accumulate_grad"))
        self.roots: list[int] = []
        self.order: list[int] = []
        self.began = False


class Mode(TorchFunctionMode):  # type: ignore[misc]  # PyTorch is not typed here
    """Passes each call on, and tells the recorder what it did."""

    def __init__(self, recorder: TorchRecorder) -> None:
        super().__init__()
        self._recorder = recorder

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if not self._recorder.shield.is_here() or _only_tells(func):
            return func(*args, **kwargs)
        calls: list[Call] = []
        self._recorder.shield.protect(lambda: calls.append(Call(func, args, kwargs, self._recorder._objects)))()
        result = func(*args, **kwargs)
        if calls:
            self._recorder.run_operation(calls[0], result, sys._getframe(1))
        return result


class EnginePatch:
    """Stands before the function through which every backward pass enters PyTorch's engine, while a recording runs."""

    def __init__(self, recorder: TorchRecorder) -> None:
        self._recorder = recorder
        self._before: Any = None

    def begin(self) -> None:
        """Takes the function's place."""
        self._before = getattr(torch.autograd, "_engine_run_backward", None)
        if self._before is not None:
            torch.autograd._engine_run_backward = self._run

    def end(self) -> None:
        """Puts the function back, unless another recording has taken its place meanwhile."""
        if self._before is not None and torch.autograd._engine_run_backward == self._run:
            torch.autograd._engine_run_backward = self._before

    def _run(self, outputs: Any, *args: Any, **kwargs: Any) -> Any:
        recorder = self._recorder
        if not recorder.shield.is_here():
            return self._before(outputs, *args, **kwargs)
        under = Pass(outputs, args, kwargs)
        with torch._C.DisableTorchFunction():
            recorder.begin_pass(under, sys._getframe(1))
        try:
            with _inside(recorder._mode):
                result = self._before(outputs, *args, **kwargs)
        except BaseException as error:
            with torch._C.DisableTorchFunction():
                recorder.fail_pass(under, error)
            raise
        with torch._C.DisableTorchFunction():
            recorder.end_pass(under)
        return result


class _inside:  # noqa: N801  # used like a function
    """Has a mode in force, which PyTorch takes off while it handles a call, so that hooks are recorded, too."""

    def __init__(self, mode: Mode) -> None:
        self._mode, self._entered = mode, not any(each is mode for each in _modes())

    def __enter__(self) -> None:
        if self._entered:
            self._mode.__enter__()

    def __exit__(self, *_: object) -> None:
        if self._entered:
            _remove(self._mode)


def _modes() -> list[Any]:
    """The function modes in force, the innermost last."""
    return list(torch.overrides._get_current_function_mode_stack())


def _remove(mode: Mode) -> None:
    """Takes a mode out of force, also if the program has entered others inside it and not left them."""
    stack = _modes()
    if not any(each is mode for each in stack):
        return
    inner = stack[next(k for k, each in enumerate(stack) if each is mode) + 1 :]
    for _ in range(len(inner) + 1):
        torch.overrides._pop_mode()
    for each in inner:
        torch.overrides._push_mode(each)


def tensors_in(values: Iterable[Any]) -> Iterator[Any]:
    """Yields the tensors among values, and in lists, tuples and dictionaries among them."""
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, list | tuple):
            yield from tensors_in(value)
        elif isinstance(value, dict):
            yield from tensors_in(value.values())


_kinds: dict[Any, bool] = {}


def _only_tells(func: Any) -> bool:
    """Whether a call only tells something about a tensor: most properties do."""
    try:
        found = _kinds.get(func)
    except TypeError:
        return False
    if found is None:
        owner = getattr(getattr(func, "__self__", None), "__name__", "")
        found = _kinds[func] = getattr(func, "__name__", "") == "__get__" and owner not in _LOOKED_AT
    return found


def _name_of(func: Any) -> tuple[str, bool]:
    """The name of an operation, and whether it sets a property."""
    name = str(getattr(func, "__name__", func))
    if name in ("__get__", "__set__", "__delete__"):
        return str(getattr(func.__self__, "__name__", name)), name != "__get__"
    return (name.strip("_") if name.startswith("__") else name), False


def _part_set(func: Any, args: Sequence[Any]) -> Any:
    """The layout of the part that `x[key] = y` writes, for keys that select by layout; None for others, and other functions."""
    if func is not torch.Tensor.__setitem__ or len(args) < 2:
        return None
    with suppress(Exception), torch.no_grad():
        shown = args[0].detach()[args[1]]
        if shown.untyped_storage()._cdata == args[0].untyped_storage()._cdata:
            return layout_of(shown)
    return None


def _same_storage(a: Any, b: Any) -> bool:
    try:
        return bool(a.untyped_storage()._cdata == b.untyped_storage()._cdata)
    except (NotImplementedError, RuntimeError):
        return False


def _node_of(tensor: Any) -> Any:
    """The node that receives a tensor's gradient."""
    if tensor.grad_fn is not None or not tensor.requires_grad:
        return tensor.grad_fn
    edge = getattr(torch.autograd.graph, "get_gradient_edge", None)
    return None if edge is None else edge(tensor).node


def _ones(output: Any) -> Any:
    return (1.0,) * output.numel() if output.numel() <= SMALL else None


def _gradient(tensor: Any) -> events.Gradient:
    small = tensor.numel() <= SMALL and tensor.device.type == "cpu" and not tensor.is_sparse
    values = tuple(tensor.detach().reshape(-1).tolist()) if small else None
    return events.Gradient(tuple(tensor.shape), values)


def _further(holder: Any) -> Iterator[tuple[str, Any]]:
    """Yields the tensors of a module and of those inside it (`net.0.weight`), and an optimizer's state (`opt.exp_avg[0]`)."""
    found = _of_module(holder) if issubclass(type(holder), torch.nn.Module) else _of_optimizer(holder)
    yield from islice(found, ATTRIBUTES)


def _of_module(module: Any) -> Iterator[tuple[str, Any]]:
    held = attributes_of(module)
    for kind in ("_parameters", "_buffers"):
        yield from ((f".{name}", each) for name, each in held.get(kind, {}).items() if each is not None)
    for name, inner in held.get("_modules", {}).items():
        if inner is not None:
            yield from ((f".{name}{path}", each) for path, each in _of_module(inner))


def _of_optimizer(optimizer: Any) -> Iterator[tuple[str, Any]]:
    for place, state in enumerate(list(attributes_of(optimizer).get("state", {}).values())):
        for kind, value in list(state.items()):
            if isinstance(value, torch.Tensor):
                yield f".{kind}[{place}]", value


_WATCHED = Watched(torch.Tensor, (torch.nn.Module, torch.optim.Optimizer), (), _further)
