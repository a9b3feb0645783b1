"""How PyTorch's functions come to call a recorder or a watch, and what each of them is (`kind_of`).

- `Mode`: PyTorch calls it for its operations.
- `Patch`: takes the place of one function for which PyTorch calls no mode. Recordings may overlap, and need not end in the order in which
  they began, so each takes away what is its own and nothing else.
- `report_fast_modules`: modules that PyTorch computes in another way if there is a mode: those for transformers, without gradients.
- `CompilerPatch`: the compiler traces whatever is in force while it compiles: a mode, hooks of modules, the calls that an instrumented
  program has before its statements. It would fail there, or compile something else. So these are taken away before compiled code begins.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache, wraps
from importlib import import_module
from inspect import getattr_static
from types import ClassMethodDescriptorType, FrameType
from typing import Any, Protocol

import torch
from torch.overrides import TorchFunctionMode

from inplacelab.recorders.instrument import loop_begins, statement_begins
from inplacelab.recorders.program import call_from

_HANDLES = torch.overrides.handle_torch_function.__code__


class Caller(Protocol):
    """Calls PyTorch for the program."""

    def called(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any], frame: FrameType) -> Any:
        """Calls a function. `frame` is the one that has called it."""


class Mode(TorchFunctionMode):  # type: ignore[misc]  # torch is skipped by mypy
    """Calls the functions of PyTorch through the recorder."""

    def __init__(self, caller: Caller) -> None:
        super().__init__()
        self._caller = caller

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        frame = sys._getframe(1)
        # Functions of PyTorch in C++ call the mode themselves. Those in Python do by way of `handle_torch_function`.
        if frame.f_code is _HANDLES and frame.f_back is not None and frame.f_back.f_back is not None:
            frame = frame.f_back.f_back
        return self._caller.called(func, args, kwargs or {}, frame)


def is_off(mode: Mode) -> bool:
    """Whether PyTorch would not call a mode now."""
    return not any(each is mode for each in torch.overrides._get_current_function_mode_stack())


def has_others(frame: FrameType | None, outer: FrameType) -> bool:
    """Whether PyTorch calls modes of the program, too, for a call for which it has called a mode.

    Args:
        frame: the frame that has called that mode.
        outer: one further out, which makes the call.
    """
    while frame is not None and frame is not outer:
        if frame.f_code.co_name == "__torch_function__" and frame.f_code.co_filename != __file__:
            return True  # of a mode above, which is not on the stack until it has returned
        frame = frame.f_back
    modes = torch.overrides._get_current_function_mode_stack()
    return not all(type(each).__module__.startswith(("torch.", __name__)) for each in modes)


def put_in_force(mode: Mode) -> None:
    """Puts a mode into force in the middle of a program: below the modes whose `with` blocks are running, since each of them takes the topmost
    mode away when it ends. Only that of `torch.set_default_device` has to stay below all others.
    """
    others = [torch._C._pop_torch_function_stack() for _ in range(torch._C._len_torch_function_stack())]
    default = getattr(getattr(torch, "_GLOBAL_DEVICE_CONTEXT", None), "device_context", None)
    lowest = [others.pop()] if others and others[-1] is default else []
    for each in (*lowest, mode, *reversed(others)):
        torch._C._push_on_torch_function_stack(each)


@contextmanager
def in_force(mode: Mode) -> Iterator[None]:
    """Has a mode in force, which PyTorch takes off while it handles a call, so that operations in hooks are recorded."""
    entered = is_off(mode)
    if entered:
        mode.__enter__()
    try:
        yield
    finally:
        if entered:
            take_away(mode)


def take_away(mode: Mode) -> bool:
    """Takes a mode from the stack of modes, where others may be above it: blocks need not end in the order in which they began.

    Returns:
        Whether it was there.
    """
    above: list[Any] = []
    found = False
    while not found and torch._C._len_torch_function_stack():
        top = torch._C._pop_torch_function_stack()
        found = top is mode
        if not found:
            above.append(top)
    for each in reversed(above):
        torch._C._push_on_torch_function_stack(each)
    return found


PatchedCall = Callable[[Callable[..., Any], Sequence[Any], Mapping[str, Any], FrameType], Any]
"""Calls a function for the program, with these arguments. The frame is the one that has called it."""


class Patch:
    """Takes the place of a function.

    Args:
        owner: the module or the class that has it.
        name: its name there.
        call: is called instead, with the function and its arguments.
        unless: tells, at each call, whether the function is called as if there were no patch.
    """

    def __init__(self, owner: Any, name: str, call: PatchedCall, *, unless: Callable[[], bool] = lambda: False) -> None:
        self._owner, self._name, self._call, self._unless = owner, name, call, unless
        self._before: Any = None
        self._now: Any = None
        self._inherited = False
        self._ended = False

    def begin(self) -> None:
        """Takes its place.

        Raises:
            AttributeError: if there is no such function in this version.
        """
        before, call, unless = getattr_static(self._owner, self._name), self._call, self._unless
        now: Any

        if isinstance(before, classmethod | ClassMethodDescriptorType):

            @classmethod  # type: ignore[misc]
            def now(cls: type, *args: Any, **kwargs: Any) -> Any:
                bound = before.__get__(None, cls)
                return bound(*args, **kwargs) if unless() else call(bound, args, kwargs, sys._getframe(1))

        else:

            @wraps(before)
            def now(*args: Any, **kwargs: Any) -> Any:
                return before(*args, **kwargs) if unless() else call(before, args, kwargs, sys._getframe(1))

        now.patch = self
        self._before, self._now, self._inherited = before, now, self._name not in vars(self._owner)
        setattr(self._owner, self._name, now)

    def end(self) -> None:
        """Puts the function back. If another patch has taken its place meanwhile, that does so when it ends."""
        self._ended = True
        if self._now is not None and vars(self._owner).get(self._name) is self._now:
            last = self._last_ended()
            if last._inherited:
                delattr(self._owner, self._name)
            else:
                setattr(self._owner, self._name, last._before)

    def _last_ended(self) -> Patch:
        """Returns the lowest of the patches below this one that have all ended."""
        below = getattr(self._before, "patch", None)
        return below._last_ended() if isinstance(below, Patch) and below._ended else self


_MODULES = (torch.nn.TransformerEncoder, torch.nn.TransformerEncoderLayer, torch.nn.MultiheadAttention)


class FastListener(Protocol):
    """Is called when a module runs that may have a fast path."""

    def fast_begins(self, module: Any) -> bool:
        """Called before it runs. Returns whether `fast_ended` shall be called."""

    def fast_ended(self, result: Any) -> None:
        """Called when it has ended, with its result; None if it has raised."""


_listeners: list[FastListener] = []
_before: dict[Any, Callable[..., Any]] = {}


def report_fast_modules(listener: FastListener) -> None:
    """Begins to call a listener. The `forward` of these modules is another function while there are listeners."""
    _listeners.append(listener)
    for kind in _MODULES if not _before else ():
        _before[kind] = kind.forward
        kind.forward = _reported(kind.forward)


def end_reports(listener: FastListener) -> None:
    """Ends that, if it has begun."""
    if listener in _listeners:
        _listeners.remove(listener)
    if not _listeners:
        for kind, forward in _before.items():
            kind.forward = forward
        _before.clear()


def has_fast_path(module: Any) -> bool:
    """Whether PyTorch may compute a module in another way than by its ordinary operations."""
    if module.training:
        return False
    return not torch.is_grad_enabled() or not any(each.requires_grad for each in module.parameters())


def _reported(forward: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(forward)
    def call(module: Any, *args: Any, **kwargs: Any) -> Any:
        told = [each for each in tuple(_listeners) if each.fast_begins(module)]
        result = None
        try:
            result = call_from(sys._getframe(1), forward, (module, *args), kwargs)
        finally:
            for each in reversed(told):
                each.fast_ended(result)
        return result

    return call


_COMPILER = "torch._dynamo.eval_frame"
_SWITCH = "_maybe_set_eval_frame"
"""The function of the compiler by which compiled code begins, with what compiles frames, and ends, with what was there before."""


def may_compile(text: str) -> bool:
    """Whether code that runs next, in a program with this text, may be compiled."""
    return _COMPILER in sys.modules or "compile" in text


class CompilerListener(Protocol):
    """Is called when compiled code runs."""

    def compiled_begins(self) -> None:
        """Called before compiled code begins."""

    def compiled_ended(self) -> None:
        """Called after the outermost compiled code has ended."""


class CompilerPatch:
    """Takes the place of the compiler's switch while a recording runs."""

    def __init__(self, listener: CompilerListener) -> None:
        self._listener = listener
        self._patch: Patch | None = None
        self._outermost: FrameType | None = None  # the frame that runs compiled code

    def begin(self, text: str) -> None:
        """Takes its place once the compiler is there.

        Args:
            text: the lines that run next. If they may compile something, the compiler is imported now, and not by them.
        """
        if self._patch is None and may_compile(text):
            self._patch = Patch(import_module(_COMPILER), _SWITCH, self._switch)
            self._patch.begin()

    def end(self) -> None:
        """Puts the function back."""
        if self._patch is not None:
            self._patch.end()

    def _switch(
        self, switch: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], caller: FrameType
    ) -> Any:
        compiles = any(map(callable, (*args, *kwargs.values())))
        if compiles and self._outermost is None:
            self._outermost = caller
            self._listener.compiled_begins()
        before = switch(*args, **kwargs)
        if self._outermost is caller and not compiles:  # and not code that is compiled, or the compiler
            self._outermost = None
            self._listener.compiled_ended()
        return before


@cache
def leave_out_of_graphs() -> None:
    """Has the compiler leave out the calls that an instrumented program has before its statements."""
    substitute = getattr(torch.compiler, "substitute_in_graph", None)
    if substitute is not None:
        substitute(statement_begins)(_no_statement)
        substitute(loop_begins)(_no_loop)


def _no_statement(line: int, simple: bool) -> None:
    """Stands for `statement_begins`."""


def _no_loop(line: int, end_line: int | None) -> None:
    """Stands for `loop_begins`."""


# ---- what a function is ----------------------------------------------------------------------------------------------

_VIEWS = frozenset({"data", "T", "mT", "H", "mH", "real", "imag"})
"""Properties that give tensors."""
_READ_NODE = frozenset({"grad_fn", "is_leaf", "output_nr", "name"})
"""Properties that make the node of a view whose base was written."""
_CHANGES = frozenset({"data", "requires_grad", "grad", "retains_grad", "real", "imag"})
_EMPTY = frozenset({"empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided"})
_TO_OTHERS = frozenset({"numpy", "__array__", "__dlpack__", "data_ptr", "untyped_storage", "storage", "share_memory_"})
"""Functions that lead to the memory itself."""
_SILENT = frozenset({"batch_norm", "instance_norm"})
"""Functions that write running statistics."""
_PASSES = frozenset({"backward", "grad"})
_GRADIENTS = frozenset({"grad", "requires_grad", "retains_grad"})
"""Properties that say what gradients a tensor gets."""
_IDLE = frozenset({
    "size", "dim", "stride", "numel", "nelement", "ndimension", "element_size", "storage_offset", "get_device", "is_contiguous",
    "is_floating_point", "is_complex", "__len__", "__hash__", "_set_grad_enabled", "_record_function_enter_new",
    "_record_function_exit._RecordFunction",
})  # fmt: skip
"""Functions that read no elements, or none of a tensor."""
_ONLY_READS = _IDLE | {"is_signed", "item"}
"""Functions that change nothing of their tensor, and give none."""


@dataclass(frozen=True, slots=True)
class TorchKind:
    """What a function is.

    Attributes:
        name: its name as a program writes it: "setitem", "T", "add_".
        quiet: whether nothing of it is recorded.
        only_reads: whether it changes nothing of its tensor, and gives none, or its `.grad`.
        idle: whether it makes neither nodes nor views, and writes no elements.
        begins_range, ends_range: whether it begins or ends a range of PyTorch's profiler, such as the step of an optimizer.
        is_pass: whether it is a backward pass, which is recorded where it enters the engine.
        reads_node: whether it makes the node of a view.
        own_counter: whether its result counts versions apart.
        moves: whether its first tensor gets the storage of another, and keeps its counter.
        fills: whether the elements of its result mean something.
        is_silent: whether it writes tensors without raising their versions.
        writes_each: whether it writes each tensor of a list.
        may_write: whether it may change its arguments, by its name.
        leads_outside: whether its result leads to the memory itself, through which writes are not seen.
        is_custom: whether it is the `apply` of a `torch.autograd.Function`.
    """

    name: str
    quiet: bool = False
    only_reads: bool = False
    is_pass: bool = False
    reads_node: bool = False
    own_counter: bool = False
    moves: bool = False
    fills: bool = True
    may_write: bool = False
    leads_outside: bool = False
    is_silent: bool = False
    writes_each: bool = False
    is_custom: bool = False
    idle: bool = False
    begins_range: bool = False
    ends_range: bool = False


def kind_of(function: Any) -> TorchKind:
    """Returns what a function is."""
    try:
        return _kind(function)
    except TypeError:  # it has no hash
        return TorchKind(str(getattr(function, "__name__", function)))


@lru_cache(maxsize=4096)
def _kind(function: Any) -> TorchKind:
    name = getattr(function, "__name__", "")
    if name in ("__get__", "__set__", "__delete__"):
        attribute = str(getattr(getattr(function, "__self__", None), "__name__", ""))
        if name == "__get__":
            quiet = attribute not in _VIEWS and attribute not in _READ_NODE and attribute != "grad"
            return TorchKind(
                attribute, quiet=quiet, only_reads=attribute == "grad", reads_node=attribute in _READ_NODE,
                own_counter=attribute == "data", idle=quiet or attribute == "grad",
            )  # fmt: skip
        quiet = attribute not in _CHANGES
        return TorchKind(
            attribute, quiet=quiet, moves=attribute == "data", may_write=True, idle=quiet or attribute in _GRADIENTS
        )
    plain = name[2:-2] if name.startswith("__") and name.endswith("__") else name
    module = getattr(function, "__module__", "")
    is_pass = name in _PASSES and module in ("torch._tensor", "torch.autograd")
    is_silent = name.startswith(("_fused_", "_amp_")) or name in _SILENT
    return TorchKind(
        plain or str(function), only_reads=name in _ONLY_READS, is_pass=is_pass, fills=name not in _EMPTY, leads_outside=name in _TO_OTHERS,
        moves=name == "set_", may_write=is_silent or plain.endswith("_") or plain == "setitem", is_silent=is_silent,
        writes_each=name.startswith("_foreach_") and name.endswith("_"), idle=name in _IDLE,
        begins_range=name == "_record_function_enter_new", ends_range=name == "_record_function_exit._RecordFunction",
    )  # fmt: skip
