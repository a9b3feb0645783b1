"""Adds to each refusal in a recording the lines that led to it, and a fix for this program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from inplacelab.errors import Refusal
from inplacelab.language import Text
from inplacelab.ops.table import ROWS
from inplacelab.recording.facts import ErrorFacts
from inplacelab.recording.fixes import fixes, in_one_sentence
from inplacelab.recording.recording import Recording
from inplacelab.recording.sentences.errors import stale_notes
from inplacelab.recording.sentences.phrases import closed_up
from inplacelab.recording.sentences.step_context import Moment
from inplacelab.tensor import Tensor

ADVISED = 20
"""To fix a program, all of it is looked at: of one that goes on after more refusals than this, only so many are looked into."""

_FIX = Text("In this program: {0}", "在本程序中：{0}")
_LEFT_OUT = Text(
    "… (yours to find; without `--no-fix` it would be shown here)",
    "……（请自己找出来；去掉 `--no-fix`，这里就会写出改法）",
)


def advised(recording: Recording, *, fix: bool = True) -> Recording:
    """Returns the recording with notes and a fix for each refusal.

    Args:
        recording: the recording.
        fix: False to leave the fix out, where finding it is an exercise.
    """
    refusals = refused(recording)
    if not refusals or recording.truncated:
        return recording
    steps = list(recording.steps)
    for count, (index, error) in enumerate(refusals):
        text = None
        if not fix:
            text = _LEFT_OUT
        elif count < ADVISED:
            found = fixes(replace(recording, steps=recording.steps[: index + 1]), has_ordinary)
            text = in_one_sentence(found) if found else None
        said = replace(error, notes=stale_notes(Moment(recording, index)), fix=text or error.fix)
        steps[index] = replace(steps[index], error=said)
    return replace(recording, steps=tuple(steps))


def annotate(recording: Recording, refusals: Sequence[Callable[[], Refusal | None]]) -> None:
    """Adds notes and fixes from the recording to the exceptions that are still alive.

    Args:
        recording: the recording.
        refusals: the refusals in the order in which they were recorded; None for those that are gone.
    """
    for (_, error), alive in zip(refused(recording), refusals, strict=False):
        refusal = alive()
        if refusal is None or recording.truncated:
            continue
        for note in error.notes:
            BaseException.add_note(refusal, str(closed_up(note)))
        if error.fix is not None and error.fix != refusal.fix:
            BaseException.add_note(refusal, str(closed_up(_FIX.format(error.fix))))


def refused(recording: Recording) -> list[tuple[int, ErrorFacts]]:
    """Returns the framework's refusals, each with the index of its step."""
    errors = ((step.index, step.error) for step in recording.steps)
    return [(index, error) for index, error in errors if error is not None and error.explanation is not None]


def has_ordinary(name: str) -> bool:
    """Whether a name is an ordinary operation: "relu" is, "zero" is not."""
    row = ROWS.get(name)
    return hasattr(Tensor, name) if row is None else row.ordinary
