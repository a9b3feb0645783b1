"""Watches a program by recording it: only the last events are kept, without values, so that a program may run for hours.

A framework that has a watch of its own, such as PyTorch, needs less time for each operation.
"""

from __future__ import annotations

import linecache
import sys
from dataclasses import dataclass
from types import FrameType

from inplacelab.diagnosis import refusals
from inplacelab.diagnosis.unnoticed import warnings_of
from inplacelab.language import Text
from inplacelab.recorders.detection import Use
from inplacelab.recorders.program import Program, parsed, scopes_of
from inplacelab.recorders.run import Session
from inplacelab.recorders.static import message_of, names_in
from inplacelab.recording.recording import Recording

EVENTS = 50_000
"""How many events are kept. An operation has about four."""


@dataclass(frozen=True)
class Explained:
    """An error that a backward pass raised, or a gradient that is wrong without an error.

    Attributes:
        error: its address and message; (0, "") if there was none.
        text: which lines led to it.
    """

    error: tuple[int, str]
    text: str


class RecordedWatch:
    """Watches the code of one file, in the thread that calls `begin`, until `end` (see `explain.Watch`).

    Args:
        framework: its framework.
        filename: the file; that of the code that begins to watch if not given.
    """

    def __init__(self, framework: str, filename: str | None = None) -> None:
        self.framework, self._filename = framework, filename
        self.failures: list[Explained] = []
        self.remarks: list[Text] = []
        self.operations = self.storages = 0
        self._session: Session | None = None
        self._frame: FrameType | None = None

    def begin(self) -> None:
        """Begins to watch."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_globals.get("__name__", "").startswith("inplacelab."):
            frame = frame.f_back
        assert frame is not None
        filename = self._filename or frame.f_code.co_filename
        text = "".join(linecache.getlines(filename))
        program = Program.of(parsed(text), text, filename)
        outermost = frame if filename == frame.f_code.co_filename else None
        self._frame = frame
        self._session = Session(program, fix=False, outermost=outermost, use=Use(self.framework), last=EVENTS)
        self._session.begin(names_in(frame.f_globals))

    def end(self, error: BaseException | None = None) -> None:
        """Ends that, and finds out why a backward pass has raised `error`, if one has."""
        session, frame, self._session, self._frame = self._session, self._frame, None, None
        if session is None or frame is None:
            return
        session.finish(error, lambda: scopes_of([frame])[0])
        recording = session.recording()
        self.operations, self.storages = watched_in(recording)
        self.remarks = list(recording.notes)
        self.failures += [Explained((0, ""), each) for each in warnings_of(recording)]
        lines = None if error is None else refusals.lines_of(error, recording)
        if error is not None and lines is not None:
            self.failures.append(Explained((id(error), message_of(error)), lines))


def watched_in(recording: Recording) -> tuple[int, int]:
    """Returns how many operations and storages a recording has."""
    operations = sum(step.kind == "operation" for step in recording.steps)
    return operations, len({number for step in recording.steps for number, _ in step.storages})
