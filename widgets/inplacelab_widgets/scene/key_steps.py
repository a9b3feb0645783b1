"""Chooses the key steps of a recording, for still pictures."""

from __future__ import annotations

from collections.abc import Iterable

from inplacelab.recording import queries
from inplacelab.recording.facts import Step
from inplacelab.recording.recording import Recording

FRAMES = 4
"""The most steps in one still picture."""


def key_step(recording: Recording) -> int:
    """Returns the step that a single picture should show: the error if there is one, else the last write by the program,
    else the last step.
    """
    for step in reversed(recording.steps):
        if step.error is not None:
            return step.index
    writes = _writes(recording)
    return writes[-1].index if writes else len(recording) - 1


def all_key_steps(recording: Recording) -> tuple[int, ...]:
    """Returns the one to four key steps, in order.

    For a failed backward: the steps that saved the value and overwrote it, and the failure. For writes: the step before
    them, the first, the last, and the end of backward. A program with at most one write that does not change the graph has
    one key step.

    Raises:
        ValueError: if the recording has no steps.
    """
    if not len(recording):
        raise ValueError("No step tells anything: the recording has none.")
    chosen = key_step(recording)
    others = _failure(recording, chosen) if recording.steps[chosen].error else _changes(recording)
    return tuple(sorted({chosen, *others}))


def _failure(recording: Recording, failed: int) -> set[int]:
    """The steps that saved and overwrote the stale value; empty if backward failed for another reason."""
    # The step before: at the failing step, the function's end may already have freed the objects.
    error, state = recording.steps[failed].error, recording.state(max(failed - 1, 0))
    for node, saved in queries.stale(state):
        if error and error.node == node and error.storage in (None, saved.storage):
            makers = queries.who_kept(recording, saved.storage, saved.version, failed)
            kept = [step.index for step, maker in makers if maker.id == node]
            raised = [step.index for step, _ in queries.who_overwrote(recording, saved, failed)]
            return {*kept[:1], *raised[:1], *raised[-1:]}
    return set()


def _changes(recording: Recording) -> set[int]:
    """The steps before, at and after the program's writes; empty if one picture of the last write shows everything."""
    writes = _writes(recording)
    backward = [step.index for step in recording.steps if step.phase == "backward"]
    rewired = [step.index for step in writes if step.rewired]
    if not writes or (len(writes) == 1 and not rewired and not backward):
        return set()
    return {max(writes[0].index - 1, 0), _first(rewired, writes[0].index), *backward[-1:]}


def _first(steps: Iterable[int], otherwise: int) -> int:
    return next(iter(steps), otherwise)


def _writes(recording: Recording) -> list[Step]:
    """The steps in which the program itself wrote; not those in which backward adds to gradients."""
    return [step for step in recording.steps if step.writes and step.kind == "operation"]
