"""Stands between a program and its recorder.

A recorder is called inside the program's operations, so what happens in the recorder must not reach the program. Every call of a
recorder goes through the `protect` of its guard, which decides three things:

- **Whose code runs.** A recording is of the thread or coroutine that began it, and of the coroutines that this one makes. What others do
  is left out, and the recording says so.
- **What a failure does.** If the recorder fails, the recording stops and says so, and the program goes on. An interrupt, or another
  exception that is not the recorder's own, stops the recording and reaches the program.
- **When the recording is over.** Coroutines may still refer to a recorder whose block has ended.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from math import inf
from pathlib import PurePath
from threading import get_ident
from traceback import walk_tb
from typing import Any, Protocol

from inplacelab import modes, observe
from inplacelab.language import Text
from inplacelab.modes import current
from inplacelab.recorders.events import Event, Missed, Stopped
from inplacelab.recorders.log import Log
from inplacelab.recorders.program import code_of
from inplacelab.recorders.static import class_name, message_of, traceback_of

ELSEWHERE = Text("What other threads or coroutines did was left out.", "其他线程或协程中的操作没有记录。")
_STOPPED = Text(
    "The recording stopped here, after step {0}: {1} inside the recorder. What the program did later is not shown.",
    "记录在第 {0} 步之后停止：记录器内部出现 {1}。程序此后的操作没有显示。",
)


class Guarded(Protocol):
    """A recorder.

    Attributes:
        elsewhere: what the recording says if other threads or coroutines did something that it leaves out.
    """

    elsewhere: Text

    @property
    def emit(self) -> Callable[[Event], None]:
        """Receives, at the end, the event that the recording has stopped."""

    def forget(self) -> None:
        """Drops the recorder's references to objects of the program."""


class Guard:
    """Protects a program from its recorder.

    Args:
        recorder: the recorder.

    Attributes:
        asides: those of the notes that say nothing about whether a backward pass went wrong.
    """

    def __init__(self, recorder: Guarded) -> None:
        self._recorder = recorder
        self._block: modes.Block = _Present()
        self._on, self._thread = False, 0
        self._interrupted = False  # while an object was freed
        self._failure = ""
        self._notes: list[Text] = []
        self.asides: set[Text] = set()

    def begin(self, observer: observe.Observer | None = None) -> None:
        """Begins to record the thread or coroutine that runs now.

        Args:
            observer: the recorder, if it observes the engine.
        """
        if observer is not None:
            self._block = observe.listening(self._protected(observer))
        self._thread = get_ident()
        self._block.__enter__()
        self._on = True

    def end(self) -> None:
        """Ends that, whether or not it has begun."""
        self.protect(self._recorder.forget, anywhere=True)()
        self._on = False
        modes.leave(self._block)
        if self._failure:
            self._recorder.emit(Stopped())

    def _protected(self, observer: observe.Observer) -> observe.Observer:
        shown = observe.Observer()
        for name in vars(observe.Observer):
            if not name.startswith("_"):
                setattr(shown, name, self.protect(getattr(observer, name)))
        return shown

    def is_here(self) -> bool:
        """Whether the code that runs now is recorded."""
        return self._on and get_ident() == self._thread and self._block in modes.current().blocks

    def others_run(self) -> bool:
        """Whether the code that runs now is not recorded, because another thread or coroutine runs it."""
        return self._on and not self.is_here()

    def protect(self, method: Callable[..., None], *, anywhere: bool = False) -> Callable[..., None]:
        """Returns a method of the recorder as the program may call it.

        Args:
            method: the method.
            anywhere: whether it is called for all threads and coroutines.
        """

        def call(*args: Any, **kwargs: Any) -> None:
            try:
                if self._on and get_ident() == self._thread and self._block in current().blocks:  # `is_here`, inlined
                    method(*args, **kwargs)
                else:
                    self._is_elsewhere(partial(method, *args, **kwargs) if anywhere else None)
            except RecursionError:  # of a program that is deep in its own functions: nothing can be called here
                self._on, self._failure = False, class_name(RecursionError)
            except BaseException as error:
                if self._on:  # and not what ends the program, once the recording is over
                    self._stop(error)
                if _is_interrupt(error):
                    raise

        return call

    def _is_elsewhere(self, do: Callable[[], None] | None) -> None:
        """Handles a call from code that is not recorded, or after the end."""
        if self._interrupted:
            self._interrupted = False
            raise KeyboardInterrupt
        if not self._on:  # a coroutine that was made in a block which has ended
            modes.leave(self._block)
        elif do is not None:
            do()
        else:
            self.note(self._recorder.elsewhere)

    def protect_callback(self, method: Callable[..., None]) -> Callable[..., None]:
        """Returns a method as Python may call it when an object is freed. Exceptions would be lost there, so an interrupt waits."""

        def call(*args: Any) -> None:
            try:
                if self._on:
                    method(*args)
            except BaseException as error:  # noqa: BLE001
                self._stop(error)
                self._interrupted = type(error) is KeyboardInterrupt

        return call

    def _stop(self, error: BaseException) -> None:
        """Stops the recording. Nothing refers to the error afterwards, since its frames keep tensors alive."""
        self._on, self._failure = False, class_name(type(error))
        with suppress(BaseException):  # such as a second lack of memory
            self._recorder.forget()
            self._failure = described(error)

    def note(self, text: Text, *, aside: bool = False) -> None:
        """Has the recording say something once that it leaves out.

        Args:
            text: the sentence.
            aside: whether it matters only to readers of the recording, and not to those who ask whether a backward pass went wrong.
        """
        if aside:
            self.asides.add(text)
        if text not in self._notes:
            self._notes.append(text)

    def notes(self, steps: int) -> tuple[Text, ...]:
        """Returns sentences that say what a recording with so many steps leaves out."""
        stopped = [_STOPPED.format(steps, self._failure)] if self._failure else []
        return (*self._notes, *stopped)


def described(error: BaseException) -> str:
    """Returns what to report of a failure of the recorder: its class, its message, and the line that raised it."""
    *_, (frame, line) = walk_tb(traceback_of(error))
    where = f" ({PurePath(frame.f_code.co_filename).name}:{line})"
    message = message_of(error).partition("\n")[0]
    return class_name(type(error)) + (f": {message}" if message else "") + where


def _is_interrupt(error: BaseException) -> bool:
    """Whether an error is not a failure of the recorder: it is `KeyboardInterrupt` or the like, or comes from a signal handler."""
    if not issubclass(type(error), Exception):
        return True
    handlers = [code_of(signal.getsignal(each)) for each in signal.valid_signals()]
    return any(frame.f_code in handlers for frame, _ in walk_tb(traceback_of(error)))


class _Present(modes.Block):
    """Marks the code that is recorded; changes nothing."""

    def change(self, modes: modes.Modes) -> None:
        pass


class StepLimit:
    """The limit of a recording. Once it is exceeded, the session ends the recording as soon as the program is between two statements.

    Args:
        most: the most steps; None for no limit.
        log: receives an event for each one beyond the limit.

    Attributes:
        counted: how many steps were counted.
        exceeded: whether some were beyond the limit.
        when_exceeded: is called once, when that is so.
    """

    def __init__(self, most: int | None, log: Log) -> None:
        self._most, self._log = inf if most is None else most, log
        self.counted, self.exceeded = 0, False
        self.when_exceeded: Callable[[], None] | None = None
        self._before, self._emitted, self._simple = -1, 0, False  # when the statement began that runs now

    def reached(self) -> bool:
        """Counts an event that becomes a step. Returns whether it is beyond the limit."""
        self.counted += 1
        if self.counted > self._most:
            self._log.emit(_MISSED)
            self._exceed()
        return self.exceeded

    def statement_began(self, *, simple: bool) -> None:
        """Counts the statement before, if it is a step of its own: no other step was counted in it, and it has changed something or is simple.

        Args:
            simple: whether the one that has begun now is a step even if it changes nothing.
        """
        emitted = self._log.emitted
        if self.counted == self._before and (self._simple or emitted > self._emitted + 1):
            self.counted += 1
            if self.counted > self._most:
                self._exceed()
        self._before, self._emitted, self._simple = self.counted, emitted, simple

    def leave_out(self) -> None:
        """Takes the last event as one that changes nothing."""
        self._emitted += 1

    def _exceed(self) -> None:
        if not self.exceeded:
            self.exceeded = True
            if self.when_exceeded is not None:
                self.when_exceeded()


_MISSED = Missed()
"""One for all, since there may be many."""
