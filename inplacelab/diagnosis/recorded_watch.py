"""Watches a program by recording it: only the last events are kept, without values, so that a program may run for hours.

A framework that has a watch of its own, such as PyTorch, needs less time for each operation.
"""

from __future__ import annotations

import linecache
import sys
from types import FrameType

from inplacelab.diagnosis.failures import Failure
from inplacelab.language import Text
from inplacelab.recorders.detection import Use
from inplacelab.recorders.program import Program, parsed, scopes_of
from inplacelab.recorders.run import Session
from inplacelab.recorders.static import class_name, message_of, names_in
from inplacelab.recording.fixes import named
from inplacelab.recording.recording import Recording
from inplacelab.recording.trace import failure_at, in_file
from inplacelab.recording.unnoticed_writes import unnoticed_failures

EVENTS = 50_000
"""How many events are kept. An operation has about four."""


class RecordedWatch:
    """Watches the code of one file, in the thread that calls `begin`, until `end` (see `explain.Watch`).

    Args:
        framework: its framework.
        filename: the file; that of the code that begins to watch if not given.
    """

    def __init__(self, framework: str, filename: str | None = None) -> None:
        self.framework, self._filename = framework, filename
        self.failures: list[Failure] = []
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
        self._session = Session(program, outermost=outermost, use=Use(self.framework), last=EVENTS)
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
        filename = session.program.filename
        self.failures += [Failure(in_file(each, filename)) for each in unnoticed_failures(recording)]
        last = recording.steps[-1] if error is not None and len(recording) else None
        facts = None if last is None else failure_at(recording, last.index)
        key = (id(error), message_of(error)) if error is not None else (0, "")
        if (
            last is not None
            and last.error is not None
            and facts is not None
            and facts.values
            and last.error.message == key[1]
        ):
            fixes = named(last.error.fixes, filename)
            self.failures.append(Failure(in_file(facts, filename), key, class_name(type(error)), fixes))


def watched_in(recording: Recording) -> tuple[int, int]:
    """Returns how many operations and storages a recording has."""
    operations = sum(step.kind == "operation" for step in recording.steps)
    return operations, len({number for step in recording.steps for number, _ in step.storages})
