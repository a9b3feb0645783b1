"""The mode that has PyTorch's operations call a recorder. What PyTorch calls no mode for is patched (`patch.py`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any, Protocol

import torch
from torch.overrides import TorchFunctionMode

_HANDLES = torch.overrides.handle_torch_function.__code__


class Caller(Protocol):
    """Calls PyTorch for the program."""

    def called(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Calls a function."""


class Mode(TorchFunctionMode):  # type: ignore[misc]  # torch is skipped by mypy
    """Calls the functions of PyTorch through the recorder."""

    def __init__(self, caller: Caller) -> None:
        super().__init__()
        self._caller = caller

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return self._caller.called(func, args, kwargs or {})


def caller_of(frame: FrameType) -> FrameType:
    """Returns the frame that has called a function, given the one that has called `Mode`.

    Functions of PyTorch in C++ call it themselves. Those in Python do by way of `handle_torch_function`.
    """
    if frame.f_code is _HANDLES and frame.f_back is not None and frame.f_back.f_back is not None:
        return frame.f_back.f_back
    return frame


def is_off(mode: Mode) -> bool:
    """Whether PyTorch would not call a mode now."""
    return not any(each is mode for each in torch.overrides._get_current_function_mode_stack())


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
