"""Runs a PyTorch program for a trial (see `trial_run.py`)."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from types import FrameType
from typing import Any

import numpy as np
import torch
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakIdKeyDictionary

from inplacelab.diagnosis.trial_run import Asked, error_of, recorded
from inplacelab.frameworks.torch.calls import tensors_in, tensors_of
from inplacelab.frameworks.torch.interception import Patch, kind_of
from inplacelab.frameworks.torch.passes import pass_arguments, root_node
from inplacelab.frameworks.torch.readings import LEAF_NODE, WATCHED, has_version, is_trained, version_of
from inplacelab.frameworks.torch.watch import TorchWatch
from inplacelab.recorders.backward_passes import PassArguments
from inplacelab.recorders.bindings import Bindings
from inplacelab.recorders.fix_search import LOSS, Memory, Outcome, named
from inplacelab.recorders.main_module import Main, main_module
from inplacelab.recorders.own_code import is_own
from inplacelab.recorders.pass_values import PassValues
from inplacelab.recorders.program import scopes_of
from inplacelab.recorders.sources import identifiers, parsed
from inplacelab.recorders.trial_data import Leaf, OtherData, Shift, Slope, slopes_at
from inplacelab.recorders.trial_end import Passes
from inplacelab.recorders.updates import Updates
from inplacelab.recording.trace import trail_of

MOST = 1 << 22
"""Tensors with more elements are not given other values."""

KEEPS = 2
"""The position of the argument of PyTorch's engine that says whether a pass keeps what nodes have saved."""


class Gradients:
    """Collects the losses and gradients that each backward pass gives, in the order in which leaves are reached from its roots.

    Args:
        ends: counts the passes, and ends the run.
        keeps_graphs: whether every pass keeps what nodes have saved, so that a second one does not fail.
        first: is told of the first pass.
    """

    def __init__(self, ends: Passes, *, keeps_graphs: bool, first: FirstPass | None = None) -> None:
        self._ends, self._keeps_graphs, self._first = ends, keeps_graphs, first
        self.passes = PassValues()
        self.patch = Patch(torch.autograd, "_engine_run_backward", self.run_pass)

    def run_pass(
        self, run: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], frame: FrameType
    ) -> Any:
        """Runs a backward pass, and collects what it gives."""
        with self._ends.one(frame):
            return self._collected(run, args, kwargs, frame)

    def _collected(
        self, run: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], frame: FrameType
    ) -> Any:
        asks = pass_arguments(args, kwargs)
        leaves = list(_leaves([root_node(each) for each in asks.roots]))
        if self._keeps_graphs:
            args = [*args[:KEEPS], True, *args[KEEPS + 1 :]]
        losses = {LOSS.format(k): each for k, each in enumerate(asks.roots) if isinstance(each, torch.Tensor)}
        before = {name: _array(each) for name, each in losses.items()}
        first = self._first if self._first is not None and asks.fills and not self.passes.found else None
        if first is not None:
            first.begins(_loss(asks), leaves, frame)
        result = run(*args, **kwargs)
        found = [each.grad for each in leaves] if asks.fills else list(result)
        gradients = {str(k): None if each is None else _array(each) for k, each in enumerate(found)}
        self.passes.add(before | gradients)
        if first is not None:
            first.ended()
        return result


def _leaves(roots: Sequence[Any]) -> Iterator[Any]:
    seen = set()
    waiting = [each for each in reversed(roots) if each is not None]
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        if node.name() == LEAF_NODE:
            yield node.variable
        waiting += [following for following, _ in reversed(node.next_functions) if following is not None]


class Copies:
    """Has every grad node save a copy, and counts their bytes."""

    def __init__(self) -> None:
        self.bytes = 0
        self.block = torch.autograd.graph.saved_tensors_hooks(self._pack, lambda packed: packed)

    def _pack(self, saved: Any) -> Any:
        copy = saved.detach().clone()
        self.bytes += copy.numel() * copy.element_size()
        return copy


class Varied(TorchFunctionMode):  # type: ignore[misc]  # torch is skipped by mypy
    """Gives other values to tensors that the program makes of numbers, and to leaves when the first operation uses them."""

    def __init__(self, data: OtherData) -> None:
        super().__init__()
        self._data = data
        self._done = WeakIdKeyDictionary()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs, kind = kwargs or {}, kind_of(func)
        if kind.quiet or kind.is_pass or getattr(func, "__module__", "") == INIT:
            return func(*args, **kwargs)
        given = tensors_in(args, kwargs)
        for each in given if torch.is_grad_enabled() and _computes(func) else ():
            if is_trained(each):
                self._vary(each)
        result = func(*args, **kwargs)
        makes = kind.fills and (not given or kind.name.endswith("_like"))
        if makes and type(result) is torch.Tensor and is_own(sys._getframe(1).f_code.co_filename):
            self._vary(result)
        return result

    def _vary(self, tensor: Any) -> None:
        if tensor not in self._done and tensor.is_floating_point() and tensor.numel() <= MOST:
            self._done[tensor] = True
            with torch._C.DisableTorchFunction(), torch.no_grad():
                values = torch.from_numpy(self._data.values(_array(tensor)))
                tensor.detach().copy_(values)


class Updating(TorchFunctionMode):  # type: ignore[misc]  # torch is skipped by mypy
    """Collects what optimizers' steps, and the program's own updates of leaves, used and left."""

    def __init__(self) -> None:
        super().__init__()
        self.updates = Updates()
        self._inside = 0
        self._used: list[Any] = []
        self._handles: list[Any] = []

    def __enter__(self) -> Any:
        self._handles = [register_optimizer_step_pre_hook(self._begins), register_optimizer_step_post_hook(self._ends)]
        return super().__enter__()

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        for each in self._handles:
            each.remove()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if torch.is_grad_enabled() or self._inside or getattr(func, "__module__", "") == INIT or kind_of(func).quiet:
            return func(*args, **kwargs)
        leaves = [each for each in tensors_in(args, kwargs) if is_trained(each) and has_version(each)]
        before = [version_of(each) for each in leaves]
        result = func(*args, **kwargs)
        for each in [leaf for leaf, version in zip(leaves, before, strict=True) if version_of(leaf) != version]:
            self._add(_gradients([each]), [each])
        return result

    def _begins(self, optimizer: Any, *_: Any) -> None:
        self._inside += 1
        self._used = _gradients(_leaves_of(optimizer))

    def _ends(self, optimizer: Any, *_: Any) -> None:
        self._inside -= 1
        self._add(self._used, _leaves_of(optimizer))

    def _add(self, used: Sequence[Any], leaves: Sequence[Any]) -> None:
        with torch._C.DisableTorchFunction():
            if self.updates.has_room:
                self.updates.add(used, map(_array, leaves))


def _address(tensor: Any) -> int:
    """Returns where the storage of a tensor is; its own identity if it has none."""
    return tensor.untyped_storage().data_ptr() if has_version(tensor) else id(tensor)


class Leaves(TorchFunctionMode):  # type: ignore[misc]  # torch is skipped by mypy
    """Numbers leaves in the order in which operations first use them, and moves an element of one of them just before.

    Args:
        shift: which element is moved; None if none is.
        numbers_read: the numbers that the program has read in a run without that, which it reads again: no gradient goes through them.

    Attributes:
        numbers: the numbers of the leaves.
        read: the numbers that the program has read.
        cuts: whether what the program has left out of gradients on purpose has come back: finite differences do not know that.
    """

    def __init__(self, shift: Shift | None = None, numbers_read: Sequence[Any] = ()) -> None:
        super().__init__()
        self.numbers, self.read, self.cuts = WeakIdKeyDictionary(), list[Any](), False
        self._shift, self._again = shift, deque(numbers_read)
        self._left_out = WeakIdKeyDictionary()  # what has no gradient, though it was computed from what has one
        self._written: dict[int, Any] = {}  # tensors whose storages were written with that, by the addresses of these
        self._is_outside = False  # whether other code has something of that

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs, kind, name = kwargs or {}, kind_of(func), getattr(func, "__name__", "")
        if kind.is_pass or getattr(func, "__module__", "") == INIT or (kind.quiet and name != _HOOK):
            return func(*args, **kwargs)
        if name in _READS:
            self.read.append(self._again.popleft() if self._again else func(*args, **kwargs))
            return self.read[-1]
        given = tensors_in(args, kwargs)
        writes = kind.name.endswith("_") or kind.name == "setitem" or "out" in kwargs
        for each in given[writes:] if _computes(func) else ():
            self._number(each)
        if (
            torch.is_grad_enabled()
            and name not in _CUT
            and kind.name != "data"
            and any(each.requires_grad for each in given)
        ):
            self.cuts = self.cuts or self._is_outside or any(map(self._is_left_out, given))
            return func(*args, **kwargs)
        left_out = any(map(self._is_left_out, given)) or any(map(self._follows, given))
        result = func(*args, **kwargs)
        if left_out:
            self._leave_out(result, given[:writes], name)
        return result

    def _follows(self, tensor: Any) -> bool:
        return bool(tensor.requires_grad) and (tensor in self.numbers or not tensor.is_leaf)

    def _is_left_out(self, tensor: Any) -> bool:
        # The result of a function with a `backward` of its own has got a gradient since.
        return (tensor in self._left_out and not tensor.requires_grad) or _address(tensor) in self._written

    def _leave_out(self, result: Any, written: Sequence[Any], name: str) -> None:
        self.cuts = self.cuts or name == _HOOK
        self._is_outside = self._is_outside or name in _LEADS_OUTSIDE
        for each in tensors_of(result):
            self._left_out[each] = True
        for each in written:
            self._written[_address(each)] = each

    def _number(self, tensor: Any) -> None:
        if tensor in self.numbers or not is_trained(tensor):
            return
        self.numbers[tensor] = number = len(self.numbers)
        if self._shift is not None and self._shift.leaf == number:
            self._move(tensor, self._shift.step)

    def _move(self, tensor: Any, step: float) -> None:
        assert self._shift is not None
        index = np.unravel_index(self._shift.element, tuple(tensor.shape))
        with torch._C.DisableTorchFunction(), torch.no_grad():
            tensor.detach()[tuple(map(int, index))] += step


class FirstPass:
    """Collects what finite differences of the loss of the first pass are compared with.

    Args:
        main: the script.
        text: its text.
        used: numbers the leaves.
        elements: the names of leaves that are asked about.

    Attributes:
        loss: its loss.
        leaves: the leaves that have numbers and names; none if something was left out of gradients.
        read: the numbers that the program has read before.
    """

    def __init__(self, main: Main, text: str, used: Leaves, elements: Mapping[str, int]) -> None:
        self.loss, self.leaves, self.read = 0.0, list[Leaf](), list[Any]()
        self._filename, self._names, self._used, self._elements = (
            str(main.path),
            identifiers(parsed(text)),
            used,
            elements,
        )
        self._reached: list[tuple[Leaf, Any]] = []

    def begins(self, loss: float, leaves: Sequence[Any], frame: FrameType | None) -> None:
        """Called before it runs."""
        self.loss, self.read = loss, [*self._used.read]
        frames = []
        while frame is not None:
            if frame.f_code.co_filename == self._filename:
                frames.append(frame)
            frame = frame.f_back
        bindings = Bindings(self._names, WATCHED)
        bindings.look(scopes_of(frames), done=True)
        for each in [] if self._used.cuts else leaves:
            names, number = bindings.names_of(each), self._used.numbers.get(each)
            is_changed = each._backward_hooks or getattr(each, "_post_accumulate_grad_hooks", None)
            if names and number is not None and each.is_floating_point() and not is_changed:
                name = next((one for one in names if one in self._elements), names[0])
                self._reached.append((Leaf(number, name, _array(each), None), each))

    def ended(self) -> None:
        """Called after it."""
        self.leaves = [
            replace(leaf, gradient=None if each.grad is None else _array(each.grad)) for leaf, each in self._reached
        ]
        self._reached.clear()


def _loss(asks: PassArguments) -> float:
    """Returns the number that a pass differentiates."""
    weights = [*asks.gradients, *[None] * len(asks.roots)]
    return float(sum(
        np.sum(_array(each) * (1.0 if weight is None else _array(weight)))
        for each, weight in zip(asks.roots, weights, strict=False) if isinstance(each, torch.Tensor)
    ))  # fmt: skip


class _Stop(BaseException):
    """Ends a run where its first backward pass would begin."""

    def __init__(self, loss: float) -> None:
        super().__init__()
        self.loss = loss


def _stop(_: Any, args: Sequence[Any], kwargs: Mapping[str, Any], __: FrameType) -> Any:
    raise _Stop(_loss(pass_arguments(args, kwargs)))


def _loss_with(shift: Shift | None, main: Main, text: str, numbers_read: Sequence[Any]) -> float | None:
    """Returns the loss of the first pass of a script in which an element is moved; None if it does not begin one."""
    data, stopping = OtherData(), Patch(torch.autograd, "_engine_run_backward", _stop)
    with main_module(main, sys.argv[1:]) as module, data.seeded(), Leaves(shift, numbers_read):
        torch.manual_seed(0)
        stopping.begin()
        try:
            exec(compile(text, str(main.path), "exec", dont_inherit=True), vars(module))
        except _Stop as stop:
            return stop.loss
        except BaseException:  # noqa: BLE001  # whatever the program raises, there is no loss
            return None
        finally:
            stopping.end()
    return None


def _slopes_at(first: FirstPass | None, main: Main, text: str, asked: Asked) -> dict[str, Slope]:
    """Returns finite differences of the loss of the first pass, at the elements that are asked for."""
    if first is None or asked.elements is None or not first.leaves:
        return {}
    run = partial(_loss_with, main=main, text=text, numbers_read=first.read)
    # A program that computes another loss when it runs again, such as one of global objects of its modules, has no slopes.
    if run(None) != first.loss:
        return {}
    return slopes_at(first.leaves, asked.elements, first.loss, run, seconds=asked.seconds)


def _leaves_of(optimizer: Any) -> list[Any]:
    return [each for group in optimizer.param_groups for each in group["params"]]


def _gradients(leaves: Sequence[Any]) -> list[Any]:
    with torch._C.DisableTorchFunction():
        return [None if each.grad is None else _array(each.grad) for each in leaves]


def _computes(func: Any) -> bool:
    """Whether a function computes with the values of a leaf. What only asks for its shape, or leads to its values, may run before it has any:
    what an uninitialized leaf holds must decide nothing.
    """
    name = getattr(func, "__name__", "")
    if name in ("__get__", "__set__", "__delete__"):
        return getattr(getattr(func, "__self__", None), "__name__", "") in _COMPUTED
    return name not in _ASKED and not name.startswith("new_") and not name.endswith("_like")


_COMPUTED = frozenset({"T", "mT", "H", "mH", "real", "imag"})
"""Attributes that are operations."""
_ASKED = frozenset({
    "__hash__", "__len__", "__repr__", "data_ptr", "detach", "detach_", "dim", "element_size", "get_device", "is_complex", "is_contiguous",
    "is_floating_point", "nelement", "ndimension", "numel", "register_hook", "register_post_accumulate_grad_hook", "requires_grad_", "retain_grad",
    "size", "storage_offset", "stride", "untyped_storage",
})  # fmt: skip
"""Methods that do not read values."""
_CUT = frozenset({"detach", "detach_", "set_", "numpy", "__array__", "register_hook"})
"""Methods whose results have no gradient, or which change it; besides `data`."""
_LEADS_OUTSIDE = frozenset({"numpy", "__array__"})
"""Those whose result other code may change and give back."""
_HOOK = "register_hook"
_READS = frozenset({"item", "tolist", "__float__", "__int__"})
"""Methods that return numbers."""


def _array(tensor: Any) -> Any:
    """Returns a copy of the values as a NumPy array, which has no `bfloat16`."""
    values = tensor.detach().cpu().resolve_conj().resolve_neg()
    return (values.float() if values.dtype == torch.bfloat16 else values.clone()).numpy()


def run(main: Main, text: str, names: dict[str, Any], asked: Asked) -> Outcome:
    """Runs a script; see `trial_run.Run`."""
    if asked.measured:
        return measured(main, text, names, asked)
    ends = Passes(asked.end)
    used = Leaves()
    first = None if asked.elements is None else FirstPass(main, text, used, asked.elements)
    gradients, copies, updating = Gradients(ends, keeps_graphs=asked.reference, first=first), Copies(), Updating()
    with (
        updating, asked.data.reseeding(*_SEEDS), Varied(asked.data) if asked.data.number else nullcontext(),
        nullcontext() if first is None else used,
    ):  # fmt: skip
        torch.manual_seed(0)
        gradients.patch.begin()
        try:
            with copies.block if asked.reference else nullcontext():
                if asked.edits is not None or asked.recorded:
                    ran = recorded("torch", main.path, text, names, asked)
                else:
                    ran = _watched(main, text, names)
        finally:
            gradients.patch.end()
    # What a recorder has not noticed of a PyTorch program is not looked at here: the reference is watched, and not recorded.
    return replace(
        ran.until(ends.reached), passes=gradients.passes.found, values=named(names, text, WATCHED, _array), copies=copies.bytes, unnoticed=(),
        updates=updating.updates.found, checksum=gradients.passes.checksum ^ updating.updates.checksum, has_all_updates=updating.updates.is_whole, slopes_at=_slopes_at(first, main, text, asked),
    )  # fmt: skip


def measured(main: Main, text: str, names: dict[str, Any], asked: Asked) -> Outcome:
    """Runs a script, and returns only how it ended and what memory it needed: that of its devices as the framework counts it, and on the CPU what
    the profiler has seen allocated and freed.
    """
    ends, began = Passes(asked.end), list[int]()

    def run_pass(run: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], frame: FrameType) -> Any:
        with ends.one(frame):
            with torch.profiler.record_function(_PASS):
                began.append(torch.cuda.memory_allocated() if torch.cuda.is_available() else 0)
            return run(*args, **kwargs)

    error = ""
    patch = Patch(torch.autograd, "_engine_run_backward", run_pass)
    with asked.data.reseeding(*_SEEDS), Varied(asked.data) if asked.data.number else nullcontext():
        torch.manual_seed(0)
        patch.begin()
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as profile:
            try:
                exec(compile(text, str(main.path), "exec", dont_inherit=True), names)
            except BaseException as raised:  # noqa: BLE001  # whatever the program raises is an outcome
                error = error_of(raised)
            finally:
                patch.end()
    peak, held = _allocated(profile)
    if torch.cuda.is_available():
        peak, held = peak + torch.cuda.max_memory_allocated(), held + max(began, default=0)
    return replace(Outcome(error).until(ends.reached), memory=Memory(peak, held))


_PASS = "inplacelab: backward"
"""Marks the beginning of a backward pass in a profile."""


def _allocated(profile: Any) -> tuple[int, int]:
    """Returns the most bytes that were allocated on the CPU, and the most when a backward pass began."""
    live = peak = held = 0
    events = sorted(profile.profiler.kineto_results.events(), key=lambda each: each.start_ns())
    for each in events:
        if each.name() == "[memory]" and each.device_type() == torch.autograd.DeviceType.CPU:
            live += each.nbytes()
            peak = max(peak, live)
        elif each.name() == _PASS:
            held = max(held, live)
    return peak, held


def _watched(main: Main, text: str, names: dict[str, Any]) -> Outcome:
    raised: BaseException | None = None
    watch = TorchWatch()
    watch.begin()
    try:
        exec(compile(text, str(main.path), "exec", dont_inherit=True), names)
    except BaseException as error:  # noqa: BLE001  # whatever the program raises is an outcome
        raised = error
    finally:
        watch.end(raised)
    return Outcome(error_of(raised), trails=tuple(trail_of(each.facts) for each in watch.failures[-1:]))


_SEEDS = (
    (torch, "manual_seed"), (torch.random, "manual_seed"), (torch.cuda, "manual_seed"), (torch.cuda, "manual_seed_all"),
)  # fmt: skip
INIT = "torch.nn.init"
"""The module whose functions give leaves their first values."""
