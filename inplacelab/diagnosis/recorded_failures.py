"""Finds failures in a recording: the error at its end, what led to it, and how to fix the program; and gradients that are wrong without one.
A watch for frameworks that have none records a program, and keeps the last events without values, so that it may run for hours.

Traceback (most recent call last):
  File "script.py", line 7, in <module>
    loss.backward()
RuntimeError: (PermissionDenied) Tensor '' used in gradient computation has been modified by an inplace operation. ...

Backward needed a value that was overwritten:

  script.py
    5 | loss = (y * a).sum()
      |         ^^^^^ kept: `MultiplyGradNode` keeps `a`, its second operand (float32 [3]) at version 0
    6 | a.relu_()
      | ~~~~~~~~~ overwritten by `relu_`: version 0 → 1
    7 | loss.backward()
      | ^^^^^^^^^^^^^^^ needed here: it finds version 1

To fix it, one of these (checked: it runs, and the loss and the gradients are right, on other data, too):
  - call `loss.backward()` before line 6
  - in line 6 write `a = a.relu()`, which makes a new tensor (8 bytes more)
"""

from __future__ import annotations

import linecache
import traceback
from dataclasses import replace
from types import FrameType

from inplacelab.diagnosis.findings import Finding, Paint, plain, sources_of, told
from inplacelab.diagnosis.places import beginning
from inplacelab.diagnosis.report import report
from inplacelab.diagnosis.wrong_gradients import wrong_gradients
from inplacelab.errors import Refusal
from inplacelab.language import Text
from inplacelab.recorders.detection import Use
from inplacelab.recorders.judging.judgment import Judgment
from inplacelab.recorders.program import Program, scopes_of
from inplacelab.recorders.run import Session
from inplacelab.recorders.sources import parsed
from inplacelab.recorders.static import message_of, names_in
from inplacelab.recording.facts import FailureFacts, FixFacts, Step
from inplacelab.recording.fixes import fixes_for, named, of_recording
from inplacelab.recording.fixes.proposals import in_other_forms
from inplacelab.recording.fixes.spots import NOTHING, Spot
from inplacelab.recording.recording import Recording
from inplacelab.recording.sentences.failures import advice_for, is_update
from inplacelab.recording.trace import failure_at, in_file, trail_of
from inplacelab.supported import framework_of, loaded

_FIX = Text("To fix it: {0}", "改法：{0}")


def error_report(
    raised: BaseException, recording: Recording, filename: str, paint: Paint = plain, *, untried: bool = True
) -> str | None:
    """Formats the error at the end of a recording for a terminal.

    Args:
        raised: the exception that the program raised.
        recording: the recording.
        filename: the program's file.
        paint: colors the lines.
        untried: whether to show fixes that were not tried.

    Returns:
        The lines; None if the recording does not show what led to it, or for a refusal of a chain.
    """
    found = finding(raised, recording, filename)
    if found is None:
        return None
    if not isinstance(raised, Refusal):
        said = "".join(traceback.format_exception(raised)).rstrip("\n")
    elif raised.__cause__ or raised.__context__:
        return None
    else:
        trace = "".join(traceback.format_tb(raised.__traceback__))
        hint = f"\n  [Hint: {raised.hint}]" if raised.hint else ""
        said = f"Traceback (most recent call last):\n{trace}{type(raised).__name__}: {raised.headline}{hint}"
    return f"{said}\n\n{report(found, advice=untried, paint=paint)}"


def finding(raised: BaseException, recording: Recording, filename: str) -> Finding | None:
    """Returns what is known of an error at the end of a recording; None if the recording does not show what led to it.

    Args:
        raised: the exception that the program raised.
        recording: the recording.
        filename: the program's file.
    """
    last = _last(raised, recording)
    facts = None if last is None else failure_at(recording, last.index)
    refused = raised if isinstance(raised, Refusal) else None
    if (
        last is None
        or last.error is None
        or facts is None
        or recording.truncated
        or not (facts.is_explained or refused)
    ):
        return None
    advice = advice_for(facts) if refused is None or is_update(facts) else _FIX.format(refused.fix)
    fixes = named(last.error.fixes, filename)
    why = None if refused is None else refused.why
    sources = {filename: recording.source + "\n"}
    return Finding(in_file(facts, filename), told(raised), why, advice, fixes, sources, ended=True)


def handled(raised: BaseException | None, recording: Recording, filename: str) -> list[Finding]:
    """Returns the backward passes of a recording that failed with an error that the program has handled: any but that which it raised in the end."""
    ended = None if raised is None else _last(raised, recording)
    failed = [each for each in recording.steps if each.error and each.phase == "backward" and each is not ended]
    found = ((each.error, failure_at(recording, each.index)) for each in failed)
    known = (
        Finding(in_file(facts, filename), (error.type, error.message), advice=advice_for(facts))
        for error, facts in found
        if error and facts and facts.values
    )
    return [*dict.fromkeys(known)]


def unnoticed(recording: Recording, filename: str, judgment: Judgment | None = None) -> list[Finding]:
    """Returns what is known of gradients that are wrong without an error: because of a write that a backward pass did not know of, or of an operation.

    Args:
        recording: the recording.
        filename: the program's file.
        judgment: what the comparison with this package's engine has shown, if there was one.
    """
    found = wrong_gradients(recording, judgment)
    fixes = [_of_update(recording, each, filename) or _in_other_form(recording, each, filename) for each in found]
    return [
        Finding(
            in_file(facts, filename),
            advice=advice_for(facts),
            fixes=some,
            sources={filename: recording.source + "\n"} if some else {},
        )
        for facts, some in zip(found, fixes, strict=True)
    ]


def _of_update(recording: Recording, facts: FailureFacts, filename: str) -> tuple[FixFacts, ...]:
    """Returns the fixes for a pass that used the new values of parameters, which were not tried; none for any other."""
    return named(fixes_for([trail_of(facts)], *of_recording(recording)), filename) if is_update(facts) else ()


def _in_other_form(recording: Recording, facts: FailureFacts, filename: str) -> tuple[FixFacts, ...]:
    """Returns another way to write the operation whose gradient is wrong, which was not tried; nothing if none is known that fits the line."""
    known = framework_of(recording)
    if facts.blamed is None or not (facts.blamed.alone and facts.blamed.sites and known.right_forms):
        return ()
    op, at = facts.blamed.op, facts.blamed.sites[0]
    spot = Spot(at.file, at.line, at.end_line, at.column, at.end_column, op)
    forms = in_other_forms(spot, loaded(known.right_forms).get(op, ()), known.alias, *of_recording(recording))
    first = next((replace(each, reason=NOTHING).facts() for each in forms if each.sure), None)
    return named([] if first is None else [first], filename)


def _last(raised: BaseException, recording: Recording) -> Step | None:
    """Returns the last step of a recording, if it is that of this error."""
    last = recording.steps[-1] if len(recording) else None
    return last if last is not None and last.error is not None and last.error.message == message_of(raised) else None


EVENTS = 50_000
"""How many events are kept. An operation has about four."""
JUDGING = 30.0
"""Comparing the gradients of a program takes no longer than so many seconds."""


class RecordedWatch:
    """Watches the code of one file, in the thread that calls `begin`, until `end` (see `explain.Watch`).

    Args:
        framework: its framework.
        filename: the file; that of the code that begins to watch if not given.
    """

    def __init__(self, framework: str, filename: str | None = None) -> None:
        self.framework, self._filename = framework, filename
        self.failures: list[Finding] = []
        self.remarks: list[Text] = []
        self.operations = self.storages = 0
        self.judgment: Judgment | None = None
        self._session: Session | None = None
        self._frame: FrameType | None = None

    def begin(self) -> None:
        """Begins to watch."""
        frame = beginning()
        assert frame is not None
        filename = self._filename or frame.f_code.co_filename
        text = "".join(linecache.getlines(filename))
        program = Program.of(parsed(text), text, filename)
        outermost = frame if filename == frame.f_code.co_filename else None
        self._frame = frame
        self._session = Session(program, outermost=outermost, use=Use(self.framework), last=EVENTS)
        self._session.compares_gradients(seconds=JUDGING)
        self._session.begin(names_in(frame.f_globals))

    def ended_by(self, error: BaseException) -> None:
        """Does nothing: `end` finds out all."""

    def end(self, error: BaseException | None = None) -> None:
        """Ends that, and finds out why a backward pass has raised `error`, if one has."""
        session, frame, self._session, self._frame = self._session, self._frame, None, None
        if session is None or frame is None:
            return
        session.finish(error, lambda: scopes_of([frame])[0])
        self.judgment = session.judgment
        recording = session.recording()
        self.operations, self.storages = watched_in(recording)
        asides = session.recorder.guard.asides
        self.remarks = [each for each in recording.notes if each not in asides]
        filename = session.program.filename
        self.failures += unnoticed(recording, filename, self.judgment)
        last = recording.steps[-1] if error is not None and len(recording) else None
        facts = None if last is None else failure_at(recording, last.index)
        if (
            last is not None
            and last.error is not None
            and facts is not None
            and facts.is_explained
            and error is not None
            and last.error.message == message_of(error)
        ):
            fixes = named(last.error.fixes, filename)
            self.failures.append(Finding(
                in_file(facts, filename), told(error), None, advice_for(facts), fixes, sources_of(fixes), address=id(error),
            ))  # fmt: skip


def watched_in(recording: Recording) -> tuple[int, int]:
    """Returns how many operations and storages a recording has."""
    operations = sum(step.kind == "operation" for step in recording.steps)
    return operations, len({number for step in recording.steps for number, _ in step.storages})
