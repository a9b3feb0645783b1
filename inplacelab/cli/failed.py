"""Says what `inplacelab explain` has seen of a program that it has recorded, and tries fixes of one that has failed."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from inplacelab import installing
from inplacelab.cli import output
from inplacelab.cli.script import Ran, interruptible
from inplacelab.cli.seen import TRY, Seen, say, tries
from inplacelab.diagnosis.explain import nothing_found
from inplacelab.diagnosis.findings import Attempts, ChangedError, Finding, Paint, paint_for, told
from inplacelab.diagnosis.recorded_failures import finding, handled, unnoticed, watched_in
from inplacelab.diagnosis.report import (
    report,
    report_changed,
    report_not_tried,
    report_of_advice,
    report_of_trials,
    report_written,
    reports_of_wrong,
)
from inplacelab.diagnosis.trials import STOPPED, NotTriedError, Trials, Tried, changed_since, write
from inplacelab.diagnosis.wrong_gradients import elements_of, settled
from inplacelab.language import Text
from inplacelab.recorders.judging.judgment import Judgment
from inplacelab.recorders.main_module import Main
from inplacelab.recording.facts import FailureFacts, FixFacts
from inplacelab.recording.fixes import of_program
from inplacelab.recording.fixes import with_fixes as having
from inplacelab.recording.recording import Recording
from inplacelab.recording.stacks import shown_file
from inplacelab.recording.trace import ending_trails, places_of, trail_of
from inplacelab.supported import Framework

_NOT_CHECKED = Text("No finite differences were computed: {0}.", "没有计算有限差分：{0}。")
_NOT_ENDED = Text("fixes are tried only for an error that ends the program", "只对终止了程序的错误尝试改法")
_OTHER_TEXT = Text("the text of {0} is not that which ran", "{0} 的内容不是运行时的内容")

Check = Callable[[Sequence[Finding], Judgment], tuple[list[Finding], list[Text]]]
"""Checks by finite differences what is said of gradients. Returns what remains of it, and what else is said."""


def seen_in(
    ran: Ran, recording: Recording, path: Path, framework: Framework, *, paint: Paint, check: Check | None = None,
    untried: bool = True,
) -> Seen:  # fmt: skip
    """Returns what is seen in a recording.

    Args:
        ran: how the program ran.
        recording: its recording.
        path: the program's file.
        framework: its framework.
        paint: colors what is printed.
        check: checks gradients; None if they are not checked.
        untried: whether to say what may be done about wrong gradients, which was not tried.
    """
    filename, raised = str(path), ran.raised
    others = handled(raised, recording, filename)
    judged = framework.loses_history or ran.judgment is not None
    silent = unnoticed(recording, filename, ran.judgment) if judged else []
    checked_by_slopes: list[Text] = []
    if check is not None and ran.judgment is not None and (raised is None or ran.judgment.passes):
        silent, checked_by_slopes = check(silent, ran.judgment)
    found = [*others, *silent]
    said = [f"\n{report(each, paint=paint)}" for each in others]
    said += reports_of_wrong(silent, untried=untried, paint=paint)
    if not found:
        said += [*map(str, nothing_found(*watched_in(recording), ran.judgment))] if raised is None else []
        said += [str(each) for each in recording.notes if each not in ran.asides]
    said += ["", *map(str, checked_by_slopes)] if found and checked_by_slopes else [*map(str, checked_by_slopes)]
    notes = [*recording.notes, *checked_by_slopes]
    if raised is None:
        silently = [trail_of(each.facts) for each in silent]
        return Seen(said, *watched_in(recording), notes, found, None, None, silently)
    error = recording.steps[-1].error if recording.steps else None
    checked = [each for each in (error.fixes if error else ()) if each.checked and each.edits]
    trails = () if checked else ending_trails(recording, filename)
    ended = finding(raised, recording, filename)
    if ended is not None and any(_missed(ended) in each.facts.wrong for each in silent):
        ended = None  # the gradient is None because it is wrong
    return Seen(said, *watched_in(recording), notes, found, ended, told(raised), trails, checked)


def _missed(found: Finding) -> str | None:
    """Returns the tensor whose gradient a program has found to be None; None if that is not what failed."""
    refusal = found.facts.refusal
    return refusal.name if refusal is not None and refusal.rule == "no_gradient" else None


def checked(
    options: argparse.Namespace, main: Main, framework: Framework, found: Sequence[Finding], judgment: Judgment
) -> tuple[list[Finding], list[Text]]:
    """Settles by finite differences which gradients are right, in a copy of the script's folder (see `Check`)."""
    try:
        given = main.path, options.arguments
        trials = Trials(*given, framework=framework.name, seconds=options.seconds, module=main.module)
        slopes = trials.slopes_at(elements_of(judgment))
    except NotTriedError as reason:
        return [*found], [_NOT_CHECKED.format(reason.why)]
    facts, said = settled([each.facts for each in found], slopes, judgment, framework.title)
    return [replace(each, facts=one) for each, one in zip(found, facts, strict=True) if one is not None], said


def with_fixes(
    recording: Recording, fixes: Sequence[FixFacts], options: argparse.Namespace, *, can_be_tried: bool
) -> Recording:
    """Returns the recording with the fixes that were found; or with the command that tries those that it has."""
    if fixes:
        return having(recording, fixes)
    *before, last = recording.steps
    if not can_be_tried or last.error is None or last.error.fix is None:
        return recording
    command = shlex.join([installing.NAME, "explain", "--try", *options.script.words])
    error = replace(last.error, fix=last.error.fix + Text(" ", "") + TRY.format(f"`{command}`") + Text(".", "。"))
    return replace(recording, steps=(*before, replace(last, error=error)))


def tried(
    options: argparse.Namespace, main: Main, framework: Framework, seen: Seen
) -> tuple[Seen, Attempts | None, tuple[FixFacts, ...]]:
    """Tries fixes, if they are asked for, and says what came of it; those of a recording that were checked in this process are not tried again.

    Returns:
        What was seen, with the fixes that work; what came of trying them, None if there was nothing to try; and the fixes, if they are new.
    """
    if seen.checked:
        return (_written(options, main, seen) if options.fix else seen), None, ()
    if not tries(options) or not seen.trails:
        only_handled = tries(options) and seen.ended is None and bool(seen.handled)
        return seen, _not_tried(options, _NOT_ENDED) if only_handled else None, ()
    if (other := _with_another_text(seen)) is not None:
        return seen, _not_tried(options, _OTHER_TEXT.format(shown_file(other))), ()
    try:
        with interruptible(), output.progress() as tell:
            given = main.path, options.arguments
            trials = Trials(*given, framework=framework.name, seconds=options.seconds, module=main.module, tell=tell)
            tried = trials.find(seen.trails, fails=seen.error is not None)
    except (NotTriedError, KeyboardInterrupt) as reason:
        why = reason.why if isinstance(reason, NotTriedError) else STOPPED
        not_tried = _not_tried(options, why)
        _say_advice(options, seen)
        return seen, not_tried, ()
    said = _say_tried(options, framework, seen, tried)
    sources = {each.file: trials.read(each.file) for fix in tried.fixes for each in fix.edits}
    # What computes something else on purpose is shown, and never written.
    written = next((each for each in tried.fixes if options.fix and each.checked not in ("runs", "renewed")), None)
    changed = None if written is None else changed_since(sources)
    if written is not None and changed is None:
        write(written.edits)
        say(options, report_written())
    elif changed is not None:
        written = None
        say(options, report_changed(changed))
    seen = _with_tried(seen, tried.fixes, sources, written)
    return seen, Attempts(tried.count, said), of_program(tried.fixes, main.path)


def _with_tried(seen: Seen, fixes: tuple[FixFacts, ...], sources: Mapping[str, str], written: FixFacts | None) -> Seen:
    """Returns what was seen with the fixes that work, at the failure that they are for."""

    def fixed(found: Finding) -> Finding:
        return replace(found, fixes=fixes, sources=sources, written=written)

    if seen.error is None:  # backward went on, with wrong gradients
        return replace(seen, handled=[fixed(each) if each.error is None else each for each in seen.handled])
    return replace(seen, ended=fixed(seen.ended or Finding(FailureFacts("stale", ()), seen.error, ended=True)))


def _with_another_text(seen: Seen) -> str | None:
    """Returns a file of a failure that ended the program whose text is not that which ran; None if there is none."""
    if seen.ended is None:
        return None
    for name in dict.fromkeys(each.file for each in places_of(seen.ended.facts)):
        try:
            seen.ended.text_of(name)
        except ChangedError:
            return name
        except OSError:  # it never had a file
            continue
    return None


def _say_tried(options: argparse.Namespace, framework: Framework, seen: Seen, tried: Tried) -> str | None:
    """Says what came of trying fixes. Returns it if none works."""
    if seen.error is None:  # the report has said what is wrong, and copies do not help
        tried = replace(tried, copies=None, why=None)
    say(options, "\n" + report_of_trials(tried, framework.name, paint=paint_for(sys.stderr)))
    if tried.fixes:
        return None
    _say_advice(options, seen)
    return report_of_trials(tried, framework.name)


def _say_advice(options: argparse.Namespace, seen: Seen) -> None:
    """Says what else may be done about wrong gradients, if no tried fix is shown."""
    found = seen.handled if seen.error is None else ()  # otherwise the reports have said it
    for each in dict.fromkeys(report_of_advice(each) for each in found if each.error is None):
        say(options, each)


def _not_tried(options: argparse.Namespace, why: Text) -> Attempts:
    said = report_not_tried(why)
    say(options, f"\n{said}")
    return Attempts(0, said)


def _written(options: argparse.Namespace, main: Main, seen: Seen) -> Seen:
    """Writes the first fix that was checked in this process."""
    fix = seen.checked[0]
    write([replace(each, file=each.file or str(main.path)) for each in fix.edits])
    say(options, report_written())
    if seen.ended is None:
        return seen
    written = next((each for each in seen.ended.fixes if each.says == fix.says), None)
    return replace(seen, ended=replace(seen.ended, written=written))
