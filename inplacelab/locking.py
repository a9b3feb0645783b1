"""Code that one thread at a time may run."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from threading import RLock
from typing import Any, TypeVar

_R = TypeVar("_R")


class CallLock:
    """A lock around calls. A thread that has it may take it again.

    The lock is released whenever an interrupt arrives. A `with` statement has a gap between the last line of its body and the
    first of `__exit__`: a lock that stays closed there makes every other thread wait for ever.
    """

    def __init__(self) -> None:
        self._lock = RLock()

    def run(self, function: Callable[..., _R], *args: Any) -> _R:
        """Calls a function while no other thread runs one here.

        Args:
            function: the function.
            *args: its arguments.

        Returns:
            Its result.
        """
        try:
            self._lock.acquire()
            result = function(*args)
            self._lock.release()
            return result
        except BaseException:
            self.abandon()
            raise

    def abandon(self) -> bool:
        """Releases the lock if this thread has it, and returns whether it had."""
        with suppress(RuntimeError):  # another thread has it, or none
            self._lock.release()
            return True
        return False
