"""The button of a stepper that has fixes tried, on which a program runs again: what is said beside it, and the thread that waits."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread
from typing import Protocol

from inplacelab.language import Text
from inplacelab.recording.recording import Recording

__all__ = ["Attempt", "Trying", "fails_untried"]

_TRY = Text("Try these fixes", "尝试这些改法")
_LOOK = Text("Look for a fix", "寻找改法")
_CANCEL = Text("Cancel", "取消")
_ASKS = Text(
    "To check, the cells so far run again, in other processes and an empty folder:",
    "检验时会在其他进程和空文件夹中重新运行目前所有的单元格：",
)
_BEGINS = Text("Running the cells again …", "正在重新运行单元格……")
_CANCELED = Text("Canceled, so nothing was checked.", "已取消，未作检验。")
_BROKE = Text("No fix was tried: {0} in the search.", "没有尝试改法：搜索中出现 {0}。")
_NOTHING = Text("", "")


class Attempt(Protocol):
    """Tries fixes for a recorded program, in other processes."""

    def __call__(self, recording: Recording, tell: Callable[[Text], None], stop: Event, /) -> Recording | Text:
        """Tries them.

        Args:
            recording: the recording.
            tell: is told what is done next.
            stop: ends the search when it is set.

        Returns:
            The recording with the fixes that work; or a sentence, if none does or none could be tried.
        """


def fails_untried(recording: Recording) -> bool:
    """Whether a recording ends with a backward pass that failed, and no fix for it was checked."""
    last = recording.steps[-1]
    return last.error is not None and last.phase == "backward" and not any(fix.checked for fix in last.error.fixes)


class Trying:
    """Has fixes tried in a thread, each time that the button is pressed; pressed again before that has ended, it ends that.

    Args:
        recording: the recording, which `fails_untried`.
        attempt: tries the fixes.
        say: shows a text, and what is on the button; without words there is no button.
        found: takes the recording with the fixes that work.
    """

    def __init__(
        self,
        recording: Recording,
        attempt: Attempt,
        say: Callable[[Text, Text], None],
        found: Callable[[Recording], None],
    ) -> None:
        self._recording, self._attempt, self._say, self._found = recording, attempt, say, found
        error = recording.steps[-1].error
        self._offer = _TRY if error is not None and error.fixes else _LOOK
        self._stop: Event | None = None
        say(_ASKS, self._offer)

    def press(self) -> None:
        """Begins, or cancels what has begun."""
        if self._stop is not None:
            self._stop.set()
            return
        self._stop = Event()
        self._say(_BEGINS, _CANCEL)
        Thread(target=self._run, args=(self._stop,), daemon=True).start()

    def cancel(self) -> None:
        """Ends what has begun."""
        if self._stop is not None:
            self._stop.set()

    def _go_on(self, doing: Text) -> None:
        self._say(Text(f"{doing.en[:1].upper()}{doing.en[1:]} …", f"{doing.zh}……"), _CANCEL)

    def _run(self, stop: Event) -> None:
        try:
            came = self._attempt(self._recording, self._go_on, stop)
        except Exception as error:  # noqa: BLE001  # nobody would see it in a thread
            came = _BROKE.format(type(error).__name__)
        self._stop = None
        if isinstance(came, Recording):
            self._found(came)
            self._say(_NOTHING, _NOTHING)
        elif stop.is_set():
            self._say(_CANCELED, self._offer)
        else:
            self._say(came, self._offer)
