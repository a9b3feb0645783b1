"""Adds to each refusal in a recording the lines that led to it, and a fix for this program."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Sequence
from dataclasses import replace

from inplacelab.errors import Refusal
from inplacelab.language import Text
from inplacelab.recorders.fix_search import search
from inplacelab.recorders.replay import Replay
from inplacelab.recording.facts import ErrorFacts, FixFacts
from inplacelab.recording.fixes import fixes, fixes_for, in_one_sentence, of_recording, with_copies
from inplacelab.recording.fixes.proposals import updates
from inplacelab.recording.fixes.recorded import refusal_fixes, trails_of
from inplacelab.recording.places import source_of
from inplacelab.recording.recording import Recording
from inplacelab.recording.sentences.phrases import closed_up
from inplacelab.recording.source_tree import package_of, tree_at
from inplacelab.recording.trace import failure_at, told_notes, trail_of
from inplacelab.supported import framework_named, framework_of

ADVISED = 20
"""To fix a program, all of it is looked at: of one that goes on after more refusals than this, only so many are looked into."""

_FIX = Text("In this program: {0}", "在本程序中：{0}")
_LEFT_OUT = Text(
    "… (yours to find; without `--no-fix` it would be shown here)",
    "……（请自己找出来；去掉 `--no-fix`，这里就会写出改法）",
)


def advised(recording: Recording, replay: Replay | None, *, fix: bool = True) -> Recording:
    """Returns the recording with notes and fixes for each refusal, and with fixes for the error of another framework that ended it.

    Args:
        recording: the recording.
        replay: runs variants of the program, to try fixes; None if that cannot be done.
        fix: False to leave the fixes out, where finding one is an exercise.
    """
    refusals = refused(recording)
    last = len(recording) - 1
    error = recording.steps[last].error if recording.steps else None
    if recording.truncated or not (refusals or error):
        return recording
    steps = list(recording.steps)
    for count, (index, refusal) in enumerate(refusals):
        found: tuple[FixFacts, ...] = ()
        if fix and count < ADVISED:
            until = replace(recording, steps=recording.steps[: index + 1])
            found = _fixes(until, replay if index == last else None)
        text = _LEFT_OUT if not fix else in_one_sentence(found) if found else refusal.fix
        message = refusal.message if fix or refusal.fix is None else _left_out(refusal.message, refusal.fix)
        facts = failure_at(recording, index)
        of_values = told_notes(recording, facts) if facts is not None and facts.values else ()
        said = replace(refusal, message=message, notes=of_values, fix=text, fixes=found)
        steps[index] = replace(steps[index], error=said)
    if fix and error is not None and error.explanation is None and (others := _untried(recording)):
        steps[last] = replace(steps[last], error=replace(error, fix=in_one_sentence(others), fixes=others))
    return replace(recording, steps=tuple(steps))


def _untried(recording: Recording) -> tuple[FixFacts, ...]:
    """Returns fixes for the error at the end of a recording. Where the framework has a watch, they are those that it gives for the same failure."""
    facts = failure_at(recording, len(recording) - 1)
    refused_at_once = facts is not None and facts.refusal is not None
    if facts is None or not (refused_at_once or (facts.values and framework_of(recording).watch)):
        return fixes(recording)

    read_source, lines = of_recording(recording)

    def read(name: str) -> str:
        return "".join(linecache.getlines(name)) if source_of(recording, name) is None else read_source(name)

    return fixes_for([trail_of(facts)], read, lines)


def _fixes(recording: Recording, replay: Replay | None) -> tuple[FixFacts, ...]:
    """Returns fixes that work, if that can be found out; others if not."""
    checked = None if replay is None else _checked(recording, replay)
    untried = _untried(recording) if not checked else ()
    # Those with edits have been tried, and do not work.
    return checked or tuple(each for each in untried if checked is None or not each.edits)


def _checked(recording: Recording, replay: Replay) -> tuple[FixFacts, ...] | None:
    """Tries fixes for a program that ended with a refusal.

    Returns:
        Those that work, the best first. If no edit does: the mode that copies what backward needs, with its price. None if the program
        cannot run again, does not fail in the same way, or fails in a later line, too, so that there are no gradients to compare with.
    """
    error = recording.steps[-1].error
    failure = "" if error is None else f"{error.type}: {error.message}"
    if error is None or replay.run(()).error != failure:
        return None
    reference = replay.run((), reference=True)
    if reference.error not in ("", failure):
        return None
    meant = None if reference.error else reference
    found = search(refusal_fixes(recording), trails_of(recording), replay, replay.budget, meant)
    known = framework_named(recording.framework)
    if found or meant is None or known is None or all(map(updates, trails_of(recording))):
        return found  # a copy would keep parameters that were updated
    program = tree_at(recording, recording.steps[-1].place)
    package = (None if program is None else package_of(program, known.alias)) or known.alias
    statement = known.copying.replace(known.alias, package)
    return (with_copies(statement, meant.copies),)


def _left_out(message: str, fix: Text) -> str:
    """Returns a refusal's text without how to fix it, which stands at its end."""
    return message.removesuffix(str(fix)) + str(_LEFT_OUT) if message.endswith(str(fix)) else message


def annotate(recording: Recording, refusals: Sequence[Callable[[], Refusal | None]], *, fix: bool = True) -> None:
    """Adds notes and fixes from the recording to the exceptions that are still alive.

    Args:
        recording: the recording.
        refusals: the refusals in the order in which they were recorded; None for those that are gone.
        fix: False to leave out how to fix them, also where their texts say it.
    """
    for (_, error), alive in zip(refused(recording), refusals, strict=False):
        refusal = alive()
        if refusal is None or recording.truncated:
            continue
        for note in error.notes:
            BaseException.add_note(refusal, str(closed_up(note)))
        if not fix:
            refusal.args = (_left_out(str(refusal), refusal.fix), *refusal.args[1:])
        elif error.fix is not None and error.fix != refusal.fix:
            BaseException.add_note(refusal, str(closed_up(_FIX.format(error.fix))))


def refused(recording: Recording) -> list[tuple[int, ErrorFacts]]:
    """Returns the framework's refusals, each with the index of its step."""
    errors = ((step.index, step.error) for step in recording.steps)
    return [(index, error) for index, error in errors if error is not None and error.explanation is not None]
