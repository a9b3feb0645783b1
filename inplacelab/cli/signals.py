"""Lets Ctrl-C and SIGTERM stop the script, but not what comes after it: the page of what it did is always written."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import CodeType, FrameType
from typing import Any

__all__ = ["INTERRUPTED", "PIPE_CLOSED", "TERMINATED", "Stopping", "held", "interruptible"]

INTERRUPTED = 128 + 2
"""The status of a process that Ctrl-C has stopped, as a shell reports it."""
PIPE_CLOSED = 128 + 13
"""The status of a process whose output nobody reads any more."""
TERMINATED = 128 + 15
"""The status of a process that was asked to end."""


class Stopping:
    """Handles the signals that stop a process while a script is recorded.

    A signal raises an exception only where the script's own code is running, or has called what is running. Afterwards, while the
    recording is built and written, it is remembered.

    Attributes:
        status: the exit status for a signal that was remembered; 0 if there was none.
    """

    def __init__(self, code: CodeType) -> None:
        self.status = 0
        self._code, self._process, self._begun = code, os.getpid(), False

    def parts(self) -> Iterator[CodeType]:
        """Yields the script's code when it is about to run. Until then a signal stops everything."""
        self._begun = True
        yield self._code

    @contextmanager
    def handled(self) -> Iterator[None]:
        """Handles the signals in a `with` block, except those that the process was told to ignore or handles itself."""
        usual: dict[int, Any] = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
        mine = [number for number, handler in usual.items() if signal.getsignal(number) == handler]
        with suppress(ValueError):  # not in the main thread: signals go elsewhere
            for number in mine:
                signal.signal(number, self._handle)
        try:
            yield
        finally:
            with suppress(ValueError):
                for number in mine:
                    signal.signal(number, usual[number])

    def hold(self) -> None:
        """Remembers all signals from now on, also where the script has set a handler of its own."""
        with suppress(ValueError):
            for number in (signal.SIGINT, signal.SIGTERM):
                if signal.getsignal(number) != signal.SIG_IGN:
                    signal.signal(number, self._remember)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        in_a_child = os.getpid() != self._process
        if in_a_child and number == signal.SIGTERM:  # it ends as it would without us
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        elif not self._begun or self._runs_script(frame):
            raise KeyboardInterrupt if number == signal.SIGINT else SystemExit(TERMINATED)
        else:
            self._remember(number, frame)

    def _remember(self, number: int, _: FrameType | None) -> None:
        self.status = 128 + number

    def _runs_script(self, frame: FrameType | None) -> bool:
        while frame is not None:
            if frame.f_code is self._code:
                return True
            frame = frame.f_back
        return False


@contextmanager
def held() -> Iterator[None]:
    """Holds back the signals that stop a process until the end of a `with` block, in which a report is written: a launcher stops all
    ranks as soon as one has failed.
    """
    came: list[int] = []
    before: dict[int, Any] = {}
    with suppress(ValueError):  # not in the main thread: signals go elsewhere
        for each in (signal.SIGINT, signal.SIGTERM):
            before[each] = signal.signal(each, lambda number, _: came.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        for number in came:
            signal.raise_signal(number)


@contextmanager
def interruptible() -> Iterator[None]:
    """Lets signals end what a `with` block does, by a KeyboardInterrupt, where they are held back or remembered: it takes long, and what
    comes after it is written nevertheless.
    """

    def stop(_: int, __: FrameType | None) -> None:
        raise KeyboardInterrupt

    before: dict[int, Any] = {}
    with suppress(ValueError):  # not in the main thread: signals go elsewhere
        for each in filter(None, (signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", None))):
            if signal.getsignal(each) not in (signal.SIG_IGN, None):
                before[each] = signal.signal(each, stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
