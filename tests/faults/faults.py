"""Faults: each makes something fail once, while it is armed.

A fault is armed around one statement after the other until it has occurred. It notes in `fired` that it has.
"""

from __future__ import annotations

import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from opcode import opmap
from pathlib import Path
from types import FrameType
from typing import Any
from unittest.mock import patch

import numpy as np

import inplacelab
from inplacelab import backends

from . import launches

STATEMENT = "<statement>"
"""The file name of the program's lines."""

PACKAGE = (str(Path(inplacelab.__file__).parent), launches.GENERATED)
"""The beginnings of the file names of the code that is interrupted before a bytecode."""

_UNINTERRUPTED = frozenset(
    opmap[name]
    for name in ("NOP", "RETURN_VALUE", "RETURN_CONST", "PUSH_EXC_INFO", "POP_EXCEPT", "RERAISE", "COPY", "SWAP")
    if name in opmap
)
"""Bytecodes that cannot raise, and at which Python handles no signal: `try`, `return`, and those of `except`. An exception that a
trace function raises before one of the last would make the interpreter keep the exception that is being handled for ever.
"""


class DeviceFailure(RuntimeError):  # noqa: N818  # as the libraries of GPUs call theirs
    """An error of a device: the launch failed."""


class Fault:
    """Fails at its `count`-th opportunity while it is armed.

    Attributes:
        fired: whether it has occurred.
    """

    def __init__(self, count: int, error: type[BaseException]) -> None:
        self.fired = False
        self._left, self._error = count, error

    def armed(self) -> AbstractContextManager[None]:
        """Arms it inside a `with` block."""
        raise NotImplementedError

    def _due(self) -> bool:
        """Counts an opportunity; True if this is the one."""
        self._left -= 1
        self.fired |= self._left == 0
        return self._left == 0


class LaunchFault(Fault):
    """A kernel raises: before it writes, after it has written, or after half of its output."""

    def __init__(self, count: int, error: type[BaseException], moment: str) -> None:
        super().__init__(count, error)
        self._moment = moment

    def armed(self) -> AbstractContextManager[None]:
        return launches.replaced(self._launch)

    def _launch(self, kernel: Callable[[], Any], out: Any) -> Any:
        if not self._due():
            return kernel()
        if self._moment != "before":
            old = out.copy()
            kernel()
            if self._moment == "half":
                out.flat[out.size // 2 :] = old.flat[out.size // 2 :]
        raise self._error(f"injected: {self._moment} the write")


_ALLOCATING = ("empty", "empty_like", "zeros", "zeros_like", "ones_like", "full_like")


class AllocationFault(Fault):
    """An allocation raises MemoryError: of a device, or by NumPy inside a kernel."""

    @contextmanager
    def armed(self) -> Iterator[None]:
        with ExitStack() as stack:
            for device in (backends.CPU, backends.SIMULATED_GPU):
                for name in ("empty", "zeros", "from_host"):
                    stack.enter_context(patch.object(device, name, self._failing(getattr(device, name))))
            for name in _ALLOCATING:
                stack.enter_context(patch.object(np, name, self._failing(getattr(np, name))))
            yield

    def _failing(self, allocate: Callable[..., Any]) -> Callable[..., Any]:
        def allocated(*given: Any, **options: Any) -> Any:
            if self._due():
                raise self._error("injected: no memory")
            return allocate(*given, **options)

        return allocated


class CallbackFault(Fault):
    """A hook or a custom operation of the program raises. These call `reached` (see `layers`)."""

    armed_now: CallbackFault | None = None

    @contextmanager
    def armed(self) -> Iterator[None]:
        CallbackFault.armed_now = self
        try:
            yield
        finally:
            CallbackFault.armed_now = None

    @classmethod
    def reached(cls) -> None:
        """Called at every point where the program's own code can fail."""
        fault = cls.armed_now
        if fault is not None and fault._due():
            raise fault._error("injected: in the program's function")


class BytecodeFault(Fault):
    """An interrupt before a bytecode of the package, also in its generated operations and its finalizers."""

    @contextmanager
    def armed(self) -> Iterator[None]:
        before = sys.gettrace()
        sys._getframe().f_trace_opcodes = (
            True  # from Python 3.12 on, a tracer gets bytecodes only if a frame asked for them before
        )
        sys.settrace(self._enter)
        try:
            yield
        finally:
            sys.settrace(before)

    def _enter(self, frame: FrameType, event: str, _: Any) -> Any:
        if self.fired or not frame.f_code.co_filename.startswith(PACKAGE):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return self._step

    def _step(self, frame: FrameType, event: str, _: Any) -> Any:
        possible = event == "opcode" and frame.f_code.co_code[frame.f_lasti] not in _UNINTERRUPTED
        if possible and not self.fired and self._due():
            raise self._error("injected: interrupt")
        return self._step


class SignalFault(Fault):
    """A real signal after `count` microseconds, as Ctrl-C sends it."""

    @contextmanager
    def armed(self) -> Iterator[None]:
        before = signal.signal(signal.SIGALRM, self._interrupt)
        signal.setitimer(signal.ITIMER_REAL, self._left * 1e-6)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def _interrupt(self, _: int, frame: FrameType | None) -> None:
        """Raises if the signal arrived in the program; the harness itself is not interrupted."""
        while frame is not None and frame.f_code.co_filename != STATEMENT:
            frame = frame.f_back
        if frame is not None and not self.fired:
            self.fired = True
            raise self._error("injected: a signal")


class FloatingPointFault(Fault):
    """Every floating-point exception is an error, as after `np.seterr(all="raise")`; or every warning is."""

    def __init__(self, count: int, error: type[BaseException]) -> None:
        super().__init__(count, error)
        self.warning = issubclass(error, Warning)

    @contextmanager
    def armed(self) -> Iterator[None]:
        with np.errstate(all="warn" if self.warning else "raise"), warnings.catch_warnings():
            warnings.simplefilter("error" if self.warning else "ignore")
            yield


def unarmed() -> AbstractContextManager[None]:
    """Without a fault."""
    return nullcontext()
