"""What was seen of a program that ran: by a watch, or in a recording. The command line says and writes the same of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from inplacelab.diagnosis.explain import explain, nothing_found
from inplacelab.diagnosis.findings import Finding, finding_of, told
from inplacelab.diagnosis.quoting import Paint
from inplacelab.diagnosis.recorded_watch import watched_in
from inplacelab.diagnosis.refusals import finding, handled, unnoticed
from inplacelab.diagnosis.report import report
from inplacelab.language import Text
from inplacelab.recording.facts import FixFacts
from inplacelab.recording.fixes.recorded import trails_of
from inplacelab.recording.fixes.spots import Trail
from inplacelab.recording.recording import Recording
from inplacelab.recording.trace import trail_of
from inplacelab.supported import Framework

MOST = 5
"""So many writes that a backward pass did not know of are shown."""
_MORE = Text("({0} more of this kind.)", "（另有 {0} 处同类情况。）")


@dataclass(frozen=True)
class Seen:
    """What was seen of a program.

    Attributes:
        said: what is printed below the error that ended it.
        operations, storages: how many were watched.
        remarks: what was not.
        handled: the failures that did not end it.
        ended: the failure that did.
        error: the type and the message of the error that did; None if there was none.
        trails: the values that its pass found overwritten, or would have found.
        checked: the fixes that were checked when the recording was made.
    """

    said: list[str]
    operations: int
    storages: int
    remarks: Sequence[Text]
    handled: Sequence[Finding]
    ended: Finding | None
    error: tuple[str, str] | None
    trails: Sequence[Trail]
    checked: Sequence[FixFacts] = ()


def seen_by(watching: explain, raised: BaseException | None, *, advice: bool, paint: Paint) -> Seen:
    """Returns what a watch has seen.

    Args:
        watching: the watch.
        raised: the error that ended the program.
        advice: whether to say what may be done, in general.
        paint: colors what is printed.
    """
    failure = None if raised is None else watching.of(raised)
    others = [each for each in watching.failures if each is not failure]
    ended = None if failure is None else replace(finding_of(failure), ended=True)
    trails = [] if failure is None else [trail_of(failure.facts)]
    said = [watching.said(raised, advice=advice, paint=paint)]
    error = None if raised is None else told(raised)
    found = [*dict.fromkeys(map(finding_of, others))]
    return Seen(said, *watching.watched, watching.remarks, found, ended, error, trails)


def seen_in(
    recording: Recording, raised: BaseException | None, path: Path, framework: Framework, *, paint: Paint
) -> Seen:
    """Returns what is seen in a recording.

    Args:
        recording: the recording.
        raised: the error that ended the program.
        path: the program's file.
        framework: its framework.
        paint: colors what is printed.
    """
    filename = str(path)
    others = handled(raised, recording, filename)
    silent = unnoticed(recording, filename) if framework.loses_history else []
    found = [*others, *silent]
    said = [f"\n{report(each, paint=paint)}" for each in (*others, *silent[:MOST])]
    if len(silent) > MOST:
        said.append(f"\n{_MORE.format(len(silent) - MOST)}")
    if not found:
        said += [*([str(nothing_found(*watched_in(recording)))] if raised is None else []), *map(str, recording.notes)]
    if raised is None:
        return Seen(said, *watched_in(recording), recording.notes, found, None, None, ())
    error = recording.steps[-1].error if recording.steps else None
    checked = [each for each in (error.fixes if error else ()) if each.checked and each.edits]
    trails = () if checked else trails_of(recording, filename)
    ended = finding(raised, recording, filename)
    return Seen(said, *watched_in(recording), recording.notes, found, ended, told(raised), trails, checked)
