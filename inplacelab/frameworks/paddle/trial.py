"""Runs a Paddle program for a trial (see `trial_run.py`)."""

from __future__ import annotations

import ast
import gc
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import replace
from functools import partial, wraps
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import paddle
from paddle.base import core

from inplacelab.diagnosis.trial_run import Asked, error_of, recorded
from inplacelab.frameworks.paddle import on_engine  # noqa: F401  # it finds Paddle's functions as they are
from inplacelab.frameworks.paddle.interception import paused
from inplacelab.frameworks.paddle.readings import WATCHED
from inplacelab.recorders.bindings import Bindings
from inplacelab.recorders.fix_search import LOSS, Memory, Outcome, named
from inplacelab.recorders.main_module import Main, main_module
from inplacelab.recorders.own_code import is_own
from inplacelab.recorders.pass_values import PassValues
from inplacelab.recorders.program import scopes_of
from inplacelab.recorders.sources import identifiers, parsed
from inplacelab.recorders.trial_data import Compared, Leaf, OtherData, Shift, Slope, compare, slopes_at
from inplacelab.recorders.trial_end import Passes
from inplacelab.recorders.updates import Updates


class Copies:
    """Has every grad node save a copy, and counts their bytes."""

    def __init__(self) -> None:
        self.bytes = 0
        self.block = paddle.autograd.saved_tensors_hooks(self._pack, lambda packed: packed)

    def _pack(self, saved: Any) -> Any:
        with paused():  # in the middle of an operation
            copy = _copied(saved.detach())
        self.bytes += copy.size * copy.element_size()
        return copy


def _copied(tensor: Any) -> Any:
    """Returns a copy with the same strides and offset: Paddle 3.3 reads what a hook has packed with those of the original."""
    if tensor.is_contiguous() and not tensor.offset:
        return tensor.clone()
    last = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.strides, strict=True))
    slots = tensor.offset // tensor.element_size() + last + 1 if tensor.size else 0
    whole = paddle.as_strided(tensor, [slots], [1], 0).clone()
    return paddle.as_strided(whole, tensor.shape, tensor.strides, tensor.offset)


class Gradients:
    """Collects the losses, and the gradients of the leaves that have names in a script, of each backward pass.

    Paddle does not show to which tensor a grad node of a leaf belongs.
    """

    def __init__(self, main: Main, text: str, ends: Passes) -> None:
        self._ends = ends
        self.passes = PassValues()
        self.first: tuple[float, list[tuple[Leaf, Any]]] | None = (
            None  # the loss of the first pass, and the leaves with their names
        )
        self._last: list[tuple[Any, Sequence[str]]] = []  # leaves and results of the last pass, with their names
        self._filename, self._names = str(main.path), identifiers(parsed(text))

    @contextmanager
    def collected(self) -> Iterator[None]:
        """Collects them inside a `with` block."""
        with _replaced(core.eager, run_backward=self._followed, run_partial_grad=self._followed):
            yield

    def _followed(self, run: Callable[..., Any]) -> Callable[..., Any]:
        def followed(*args: Any, **kwargs: Any) -> Any:
            with self._ends.one(sys._getframe(1)):
                return collected(*args, **kwargs)

        def collected(*args: Any, **kwargs: Any) -> Any:
            found = {LOSS.format(k): _array(each) for k, each in enumerate(args[0])}
            loss = _loss(args)
            result = run(*args, **kwargs)
            gradients = {f"result {k}": each for k, each in enumerate(result or ())}
            leaves = list(self._leaves(sys._getframe(2)))
            self._last = [*leaves, *((each, [name]) for name, each in gradients.items())]
            for tensor, names in leaves:
                gradients |= dict.fromkeys(names, tensor.grad)
            found |= {name: None if each is None else _array(each) for name, each in gradients.items()}
            if not self.passes.found and not result:
                self.first = (
                    loss,
                    [(Leaf(-1, names[0], _array(tensor), found[names[0]]), tensor) for tensor, names in leaves],
                )
            self.passes.add(found)
            return result

        return followed

    def corrects(self, tensor: Any, meant: Any, *, is_returned: bool) -> bool:
        """Puts the engine's gradient into the place of one that Paddle gets wrong (see `judging.judgment.Corrects`)."""
        gradient = tensor if is_returned else tensor.grad
        if gradient is None:
            tensor.grad = paddle.to_tensor(meant)
        else:  # without an operation, which would be recorded
            gradient.get_tensor().set(np.array(meant, order="C"), core.CPUPlace())
        names = [name for each, some in self._last if each is tensor for name in some]
        self.passes.correct(dict.fromkeys(names, meant))
        if self.first is not None and len(self.passes.found) == 1:
            loss, leaves = self.first
            self.first = (
                loss,
                [(replace(leaf, gradient=meant) if each is tensor else leaf, each) for leaf, each in leaves],
            )
        return True

    def _leaves(self, frame: FrameType | None) -> Iterator[tuple[Any, tuple[str, ...]]]:
        frames = []
        while frame is not None:
            if frame.f_code.co_filename == self._filename:
                frames.append(frame)
            frame = frame.f_back
        for tensor, names in Bindings(self._names, WATCHED).look(scopes_of(frames), done=True) or ():
            if tensor.is_leaf and not tensor.stop_gradient:
                yield tensor, names


@contextmanager
def _replaced(owner: Any, **by: Callable[[Any], Any]) -> Iterator[None]:
    """Replaces functions inside a `with` block: each by what is made of it."""
    before = {name: getattr(owner, name) for name in by}
    for name, function in before.items():
        setattr(owner, name, by[name](function))
    try:
        yield
    finally:
        for name, function in before.items():
            setattr(owner, name, function)


class Updating:
    """Collects what optimizers' steps used and left."""

    def __init__(self) -> None:
        self.updates = Updates()
        self._is_inside = False

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Collects it inside a `with` block."""
        with ExitStack() as stack:
            for each in _classes(paddle.optimizer.Optimizer):
                methods = [name for name in ("step", "minimize") if name in vars(each)]
                stack.enter_context(_replaced(each, **dict.fromkeys(methods, self._followed)))
            yield

    def _followed(self, run: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(run)
        def followed(optimizer: Any, *args: Any, **kwargs: Any) -> Any:
            if self._is_inside or not self.updates.has_room:
                return run(optimizer, *args, **kwargs)
            self._is_inside, leaves = True, _parameters_of(optimizer)
            used = [None if each.grad is None else _array(each.grad) for each in leaves]
            try:
                result = run(optimizer, *args, **kwargs)
            finally:
                self._is_inside = False
            self.updates.add(used, map(_array, leaves))
            return result

        return followed


def _classes(base: type) -> Iterator[type]:
    """Yields a class and those made of it."""
    yield base
    derived: list[type] = base.__subclasses__()
    for each in derived:
        yield from _classes(each)


def _parameters_of(optimizer: Any) -> list[Any]:
    listed: Sequence[Any] = getattr(optimizer, "_parameter_list", None) or ()
    return [one for each in listed for one in (each["params"] if isinstance(each, dict) else (each,))]


def _loss(args: Any) -> float:
    """Returns the number that a pass differentiates, from the arguments of Paddle's engine."""
    weights = args[1] or [None] * len(args[0])
    pairs = zip(args[0], weights, strict=True)
    return float(sum(np.sum(_array(each) * (1.0 if weight is None else _array(weight))) for each, weight in pairs))


class Varied:
    """Gives other values to the tensors that a program makes of numbers, or moves one element of one of them.

    Attributes:
        made: these tensors, in order.
    """

    def __init__(self, data: OtherData, shift: Shift | None = None) -> None:
        self.made: list[Any] = []
        self._data, self._shift = data, shift

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Does so inside a `with` block."""
        names = [each for each in _MAKE if hasattr(paddle, each)]
        with (
            self._data.reseeding((paddle, "seed")),
            _replaced(paddle, **dict.fromkeys(names, self._making)),
            _replaced(paddle.nn.Layer, create_parameter=lambda function: self._making(function, always=True)),
        ):
            paddle.seed(0)
            yield

    def _making(self, function: Callable[..., Any], *, always: bool = False) -> Callable[..., Any]:
        @wraps(function)
        def making(*args: Any, **kwargs: Any) -> Any:
            result = function(*args, **kwargs)
            if always or is_own(sys._getframe(1).f_code.co_filename):
                self._vary(result)
            return result

        return making

    def _vary(self, tensor: Any) -> None:
        if (
            not isinstance(tensor, paddle.Tensor)
            or tensor.dtype not in (paddle.float32, paddle.float64)
            or not tensor.place.is_cpu_place()
        ):
            return
        own = tensor.numpy()
        values = self._data.values(own).copy()
        if self._shift is not None and self._shift.leaf == len(self.made):
            values.flat[self._shift.element] += self._shift.step
        self.made.append(tensor)
        if not np.array_equal(values, own):  # without an operation, which would be recorded
            tensor.get_tensor().set(values, core.CPUPlace())


_MAKE = (
    "to_tensor", "ones", "zeros", "full", "eye", "arange", "linspace", "ones_like", "zeros_like", "full_like", "rand", "randn", "uniform",
    "normal", "standard_normal", "create_parameter",
)  # fmt: skip
"""Functions that make tensors of numbers."""


class _Stop(BaseException):
    """Ends a run where its first backward pass would begin."""

    def __init__(self, loss: float) -> None:
        super().__init__()
        self.loss = loss


def _loss_with(shift: Shift | None, main: Main, text: str, asked: Asked) -> float | None:
    """Returns the loss of the first pass of a script in which an element is moved; None if it does not begin one."""

    def stopping(_: Any) -> Any:
        def stop(*args: Any, **__: Any) -> Any:
            raise _Stop(_loss(args))

        return stop

    data = OtherData(asked.data.number)
    paddle.set_default_dtype("float32")
    with (
        main_module(main, sys.argv[1:]) as module,
        data.seeded(),
        Varied(data, shift).inside(),
        _replaced(core.eager, run_backward=stopping, run_partial_grad=stopping),
    ):
        try:
            exec(compile(text, str(main.path), "exec", dont_inherit=True), vars(module))
        except _Stop as stop:
            return stop.loss
        except BaseException:  # noqa: BLE001  # whatever the program raises, there is no loss
            return None
    return None


def _slopes_at(gradients: Gradients, varied: Varied, main: Main, text: str, asked: Asked) -> dict[str, Slope]:
    """Returns finite differences of the loss of the first pass, at the elements that are asked for."""
    if gradients.first is None or asked.elements is None or _cuts(main, text, asked):
        return {}
    loss, first = gradients.first
    numbers = {id(tensor): number for number, tensor in enumerate(varied.made)}
    leaves = [replace(leaf, number=numbers[id(tensor)]) for leaf, tensor in first if id(tensor) in numbers]
    run = partial(_loss_with, main=main, text=text, asked=asked)
    return slopes_at(leaves, asked.elements, loss, run, seconds=asked.seconds)


def _slopes(gradients: Gradients, varied: Varied, main: Main, text: str, asked: Asked) -> Compared:
    """Compares the gradients of the first pass with finite differences of its loss."""
    if gradients.first is None:
        return Compared()
    loss, first = gradients.first
    numbers = {id(tensor): number for number, tensor in enumerate(varied.made)}
    leaves = [replace(leaf, number=numbers.get(id(tensor), -1)) for leaf, tensor in first]
    if any(each.number < 0 for each in leaves) or _cuts(main, text, asked):
        return Compared()
    return compare(leaves, loss, lambda shift: _loss_with(shift, main, text, asked), seconds=asked.seconds)


def _cuts(main: Main, text: str, asked: Asked) -> bool:
    """Whether the program leaves something out of its gradients on purpose, before the first pass: finite differences know nothing of it."""
    found = False

    def noticing(function: Any) -> Any:
        @wraps(function)
        def notice(*args: Any, **kwargs: Any) -> Any:
            nonlocal found
            found = found or is_own(sys._getframe(1).f_code.co_filename)
            return function(*args, **kwargs)

        return notice

    methods = [each for each in _CUT if hasattr(paddle.Tensor, each)]
    with (
        _replaced(paddle.Tensor, **dict.fromkeys(methods, noticing)),
        _replaced(paddle.no_grad, __enter__=noticing),
    ):
        began = _loss_with(None, main, text, asked) is not None
    return found or not began or any(map(_cut_in, _texts(main, text)))


def _texts(main: Main, text: str) -> Iterator[str]:
    """Yields the texts of a program, and of the modules in its folder that it has imported."""
    yield text
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if file is not None and Path(file).suffix == ".py" and Path(file).is_relative_to(main.folder) and is_own(file):
            yield Path(file).read_text(encoding="utf-8", errors="replace")


def _cut_in(text: str) -> bool:
    """Whether a text has a statement that leaves something out of gradients."""
    for node in ast.walk(parsed(text)):
        match node:
            case ast.Attribute(attr="data" | "PyLayer" | "set_grad_enabled") | ast.Name(id="PyLayer"):
                return True
            case ast.Assign(targets=[ast.Attribute(attr="stop_gradient")], value=value) if (
                ast.unparse(value) != "False"
            ):
                return True
            case ast.FunctionDef(decorator_list=decorators) if "no_grad" in "".join(map(ast.unparse, decorators)):
                return True
    return False


_CUT = (
    "detach", "detach_", "numpy", "item", "tolist", "__float__", "__int__", "__array__", "register_hook", "set_value", "get_tensor",
)  # fmt: skip
"""Methods whose results have no gradient, or which change it."""


def _array(tensor: Any) -> Any:
    """Returns a copy of the values as a NumPy array, which has no `bfloat16`."""
    values = tensor.detach()
    return (values.astype("float32") if values.dtype == paddle.bfloat16 else values).numpy().copy()


def run(main: Main, text: str, names: dict[str, Any], asked: Asked) -> Outcome:
    """Runs a script; see `trial_run.Run`."""
    if asked.measured:
        return _measured(main, text, names, asked)
    ends = Passes(asked.end)
    gradients, copies, varied, updating = Gradients(main, text, ends), Copies(), Varied(asked.data), Updating()
    with varied.inside(), updating.inside(), gradients.collected(), copies.block if asked.reference else nullcontext():
        ran = recorded("paddle", main.path, text, names, asked, corrects=gradients.corrects).until(ends.reached)
    slopes = None
    if asked.reference and asked.edits is None and not ran.error:
        sampled = replace(asked, seconds=min(asked.seconds, asked.judging)) if ran.is_judged else asked
        slopes = _slopes(gradients, varied, main, text, sampled)
    values = named(names, text, WATCHED, _array)
    return replace(
        ran,
        slopes_at=_slopes_at(gradients, varied, main, text, asked),
        passes=gradients.passes.found,
        values=values,
        copies=copies.bytes,
        slopes=slopes,
        updates=updating.updates.found,
        checksum=gradients.passes.checksum ^ updating.updates.checksum,
        has_all_updates=updating.updates.is_whole,
    )


def _measured(main: Main, text: str, names: dict[str, Any], asked: Asked) -> Outcome:
    """Runs a script, and returns only how it ended and what memory it needed, as Paddle counts it."""
    ends, held, error = Passes(asked.end), [0], ""

    def followed(run: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            held.append(_counted("current") - before)
            with ends.one(sys._getframe(1)):
                return run(*args, **kwargs)

        return call

    varied = Varied(asked.data)
    with varied.inside(), _replaced(core.eager, run_backward=followed, run_partial_grad=followed):
        gc.collect()
        before = _counted("current")
        _counted("reset_peak")
        try:
            exec(compile(text, str(main.path), "exec", dont_inherit=True), names)
        except BaseException as raised:  # noqa: BLE001  # whatever the program raises is an outcome
            error = error_of(raised)
        peak = _counted("peak") - before
    return replace(Outcome(error).until(ends.reached), memory=Memory(peak, max(held)))


def _counted(what: str) -> int:
    """Returns the sum of Paddle's counters of bytes: that of the host, and that of the GPU if it uses one."""
    device, _, number = paddle.device.get_device().partition(":")
    found: int = getattr(core, f"host_memory_stat_{what}_value")("Allocated", 0) or 0
    if device == "gpu":
        found += getattr(core, f"device_memory_stat_{what}_value")("Allocated", int(number)) or 0
    return found
