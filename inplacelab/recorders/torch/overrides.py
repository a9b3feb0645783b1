"""Takes the place of PyTorch's functions while a recording runs: of its operations by a mode, of its backward engine by a patch.

Recordings may overlap, and need not end in the order in which they began. So each takes away what is its own and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from types import FrameType
from typing import Any, Protocol

import torch
from torch.overrides import TorchFunctionMode

_HANDLES = torch.overrides.handle_torch_function.__code__


class Caller(Protocol):
    """Calls PyTorch for the program."""

    def called(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Calls a function."""

    def run_pass(self, run: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Runs a backward pass with `run`."""


class Mode(TorchFunctionMode):  # type: ignore[misc]  # torch is skipped by mypy
    """Calls the functions of PyTorch through the recorder."""

    def __init__(self, caller: Caller) -> None:
        super().__init__()
        self._caller = caller

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return self._caller.called(func, args, kwargs or {})


class EnginePatch:
    """Takes the place of the function through which every backward pass enters PyTorch's engine, while a recording runs."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._before: Any = None
        self._ended = False

    def begin(self) -> None:
        """Takes its place."""
        self._before = getattr(torch.autograd, "_engine_run_backward", None)
        if self._before is not None:
            torch.autograd._engine_run_backward = self._run

    def end(self) -> None:
        """Puts the function back. If another recording has taken its place meanwhile, that does so when it ends."""
        self._ended = True
        if self._before is not None and torch.autograd._engine_run_backward == self._run:
            torch.autograd._engine_run_backward = self.beneath()

    def beneath(self) -> Any:
        """Returns what is in force without this patch, and without others that have ended."""
        other = getattr(self._before, "__self__", None)
        return other.beneath() if isinstance(other, EnginePatch) and other._ended else self._before

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        return self._caller.run_pass(self._before, args, kwargs)


class SetPatch:
    """Takes the place of `Tensor.set_` while a recording runs. PyTorch calls no mode for it."""

    def __init__(self, mode: Mode, caller: Caller) -> None:
        def set_(tensor: Any, *args: Any, **kwargs: Any) -> Any:
            if mode in torch.overrides._get_current_function_mode_stack():
                return caller.called(self._before, (tensor, *args), kwargs)
            return self._before(tensor, *args, **kwargs)

        set_.__doc__ = torch.Tensor.set_.__doc__
        set_.patch = self  # type: ignore[attr-defined]
        self._call: Any = set_
        self._before: Any = None
        self._ended = False

    def begin(self) -> None:
        """Takes its place."""
        self._before = torch.Tensor.set_
        torch.Tensor.set_ = self._call

    def end(self) -> None:
        """Puts the function back. If another recording has taken its place meanwhile, that does so when it ends."""
        self._ended = True
        if torch.Tensor.__dict__.get("set_") is self._call:
            torch.Tensor.set_ = self.beneath()
            if torch.Tensor.set_ is torch._C.TensorBase.set_:
                del torch.Tensor.set_

    def beneath(self) -> Any:
        """Returns what is in force without this patch, and without others that have ended."""
        other = getattr(self._before, "patch", None)
        return other.beneath() if isinstance(other, SetPatch) and other._ended else self._before


class CompilePatch:
    """Takes the place of `torch.compile`, so that what it compiles runs without a mode: its compiler would trace the mode.

    Functions that were compiled before are not seen.

    Args:
        mode: the mode.
        called: is called when something compiled runs.
    """

    def __init__(self, mode: Mode, called: Callable[[], None]) -> None:
        self._mode, self._called = mode, called
        self._before: Any = None
        self._ended = False

    def begin(self) -> None:
        """Takes its place."""
        self._before = torch.compile
        torch.compile = self._compile

    def end(self) -> None:
        """Puts the function back. If another patch has taken its place meanwhile, that does so when it ends."""
        self._ended = True
        if torch.compile == self._compile:
            torch.compile = self.beneath()

    def beneath(self) -> Any:
        """Returns what is in force without this patch, and without others that have ended."""
        other = getattr(self._before, "__self__", None)
        return other.beneath() if isinstance(other, CompilePatch) and other._ended else self._before

    def _compile(self, model: Any = None, **options: Any) -> Any:
        compiled = self._before(model, **options)
        if model is None:  # a decorator, which calls `torch.compile` again
            return compiled
        if isinstance(compiled, torch.nn.Module):
            compiled.forward = self._apart(compiled.forward)
            return compiled
        return self._apart(compiled)

    def _apart(self, compiled: Any) -> Any:
        @wraps(compiled)
        def call(*args: Any, **kwargs: Any) -> Any:
            was_on = take_away(self._mode)
            if was_on:
                self._called()
            try:
                return compiled(*args, **kwargs)
            finally:
                if was_on:
                    self._mode.__enter__()

        return call


def caller_of(frame: FrameType) -> FrameType:
    """Returns the frame that has called a function, given the one that has called `Mode`.

    Functions of PyTorch in C++ call it themselves. Those in Python do by way of `handle_torch_function`.
    """
    if frame.f_code is _HANDLES and frame.f_back is not None and frame.f_back.f_back is not None:
        return frame.f_back.f_back
    return frame


@contextmanager
def in_force(mode: Mode) -> Iterator[None]:
    """Has a mode in force, which PyTorch takes off while it handles a call, so that operations in hooks are recorded."""
    entered = not any(each is mode for each in torch.overrides._get_current_function_mode_stack())
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
