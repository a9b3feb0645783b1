"""Code that one thread at a time may run, or that runs without the garbage collector."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
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


@contextmanager
def gc_paused() -> Iterator[None]:
    """Pauses the garbage collector while a recording is built or a picture is drawn. It would free nothing and take up to a third of the time.

    When the pause ends, everything that was made is young, and the next collection would go through all of it, which takes a twelfth of
    the time. So it is moved to the oldest generation first, by way of the permanent one. A program that keeps objects of its own there
    is left alone, since they would come back, too.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            if not gc.get_freeze_count():
                gc.freeze()
                gc.unfreeze()
            gc.enable()
