"""Adds to each refusal in a recording the lines that led to it, and a fix for this program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from inplacelab.errors import Refusal
from inplacelab.language import Text
from inplacelab.ops.table import ROWS
from inplacelab.recorders.checked_fixes import checked_fixes
from inplacelab.recorders.replay import Replay
from inplacelab.recording.facts import ErrorFacts, FixFacts
from inplacelab.recording.fixes import fixes, in_one_sentence
from inplacelab.recording.recording import Recording
from inplacelab.recording.sentences.failures import notes
from inplacelab.recording.sentences.phrases import closed_up
from inplacelab.recording.trace import failure_at
from inplacelab.tensor import Tensor

ADVISED = 20
"""To fix a program, all of it is looked at: of one that goes on after more refusals than this, only so many are looked into."""

_FIX = Text("In this program: {0}", "在本程序中：{0}")
_LEFT_OUT = Text(
    "… (yours to find; without `--no-fix` it would be shown here)",
    "……（请自己找出来；去掉 `--no-fix`，这里就会写出改法）",
)


def advised(recording: Recording, replay: Replay | None, *, fix: bool = True) -> Recording:
    """Returns the recording with notes and fixes for each refusal.

    Args:
        recording: the recording.
        replay: runs variants of the program, to try fixes; None if that cannot be done.
        fix: False to leave the fixes out, where finding one is an exercise.
    """
    refusals = refused(recording)
    if not refusals or recording.truncated:
        return recording
    steps = list(recording.steps)
    for count, (index, error) in enumerate(refusals):
        found: tuple[FixFacts, ...] = ()
        if fix and count < ADVISED:
            found = _fixes(
                replace(recording, steps=recording.steps[: index + 1]), replay if index + 1 == len(recording) else None
            )
        text = _LEFT_OUT if not fix else in_one_sentence(found) if found else error.fix
        message = error.message if fix or error.fix is None else _left_out(error.message, error.fix)
        facts = failure_at(recording, index)
        of_values = notes(facts) if facts is not None and facts.values else ()
        said = replace(error, message=message, notes=of_values, fix=text, fixes=found)
        steps[index] = replace(steps[index], error=said)
    return replace(recording, steps=tuple(steps))


def _fixes(recording: Recording, replay: Replay | None) -> tuple[FixFacts, ...]:
    """Returns fixes that work, if that can be found out; others if not."""
    checked = None if replay is None else checked_fixes(recording, replay, has_ordinary)
    untried = fixes(recording, has_ordinary) if not checked else ()
    # Those with edits have been tried, and do not work.
    return checked or tuple(each for each in untried if checked is None or not each.edits)


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


def has_ordinary(name: str) -> bool:
    """Whether a name is an ordinary operation: "relu" is, "zero" is not."""
    row = ROWS.get(name)
    return hasattr(Tensor, name) if row is None else row.ordinary
