"""Adds to a recording what it can say of its refusals itself: the lines that led to each, and how this very program is fixed."""

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
_NOT_TOLD = Text(
    "… (yours to find; without `--no-fix` it would stand here)",
    "……（请自己找出来；去掉 `--no-fix`，这里就会写出改法）",
)


def advised(recording: Recording, *, tell: bool = True) -> Recording:
    """The recording, with notes and a fix for each refusal.

    Args:
        recording: the recording.
        tell: whether to say how the program is fixed. Where finding that is an exercise, it is not said.
    """
    refusals = refused(recording)
    if not refusals or recording.truncated:
        return recording
    steps = list(recording.steps)
    for count, (index, error) in enumerate(refusals):
        fix = None
        if not tell:
            fix = _NOT_TOLD
        elif count < ADVISED:
            found = fixes(replace(recording, steps=recording.steps[: index + 1]), has_ordinary)
            fix = in_one_sentence(found) if found else None
        said = replace(error, notes=stale_notes(Moment(recording, index)), fix=fix or error.fix)
        steps[index] = replace(steps[index], error=said)
    return replace(recording, steps=tuple(steps))


def annotate(recording: Recording, refusals: Sequence[Callable[[], Refusal | None]]) -> None:
    """Have the refusals that are still alive say what the recording knows of them.

    Args:
        recording: the recording.
        refusals: the refusals in the order in which they were recorded; None for those that are gone.
    """
    for (_, error), alive in zip(refused(recording), refusals, strict=False):
        refusal = alive()
        if refusal is None or recording.truncated:
            continue
        for note in error.notes:
            refusal.add_note(str(closed_up(note)))
        if error.fix is not None and error.fix != refusal.fix:
            refusal.add_note(str(closed_up(_FIX.format(error.fix))))


def refused(recording: Recording) -> list[tuple[int, ErrorFacts]]:
    """What the framework refused, each with the number of its step."""
    errors = ((step.index, step.error) for step in recording.steps)
    return [(index, error) for index, error in errors if error is not None and error.explanation is not None]


def has_ordinary(name: str) -> bool:
    """Whether there is an ordinary operation of a name: "relu", but not "zero"."""
    row = ROWS.get(name)
    return hasattr(Tensor, name) if row is None else row.ordinary
