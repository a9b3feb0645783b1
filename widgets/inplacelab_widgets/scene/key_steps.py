"""Selects the key steps of a recording, for pictures that cannot be stepped through."""

from __future__ import annotations

from collections.abc import Iterable

from inplacelab.recording import queries
from inplacelab.recording.facts import Step
from inplacelab.recording.recording import Recording

FRAMES = 4
"""The most steps that one still picture shows."""


def key_step(recording: Recording) -> int:
    """Returns the step for a single picture: the error if there is one, otherwise the last write by the program, otherwise
    the last step.
    """
    for step in reversed(recording.steps):
        if step.error is not None:
            return step.index
    writes = _writes(recording)
    return writes[-1].index if writes else len(recording) - 1


def all_key_steps(recording: Recording) -> tuple[int, ...]:
    """Returns one to four key steps, in order.

    For a failed backward: where the value was saved, where it was overwritten, and the failure. For writes: the step before
    them, the first and the last, and the end of backward. A program with at most one write, and no rewritten history,
    needs one picture only.

    Raises:
        ValueError: if the recording has no steps.
    """
    if not len(recording):
        raise ValueError("No step tells anything: the recording has none.")
    chosen = key_step(recording)
    others = _failure(recording, chosen) if recording.steps[chosen].error else _changes(recording)
    return tuple(sorted({chosen, *others}))


def _failure(recording: Recording, failed: int) -> set[int]:
    """Returns the steps that saved and overwrote a value that backward found stale; none for another failure."""
    # The step before: in the failing step, locals of a function may be gone.
    error, state = recording.steps[failed].error, recording.state(max(failed - 1, 0))
    for node, saved in queries.stale(state):
        if error and error.node == node and error.storage in (None, saved.storage):
            makers = queries.who_kept(recording, saved.storage, saved.version, failed)
            kept = [step.index for step, maker in makers if maker.id == node]
            raised = [step.index for step, _ in queries.who_overwrote(recording, saved, failed)]
            return {*kept[:1], *raised[:1], *raised[-1:]}
    return set()


def _changes(recording: Recording) -> set[int]:
    """Returns steps before, at and after the program's writes; none if one picture of the last write is enough."""
    writes = _writes(recording)
    backward = [step.index for step in recording.steps if step.phase == "backward"]
    rewired = [step.index for step in writes if step.rewired]
    if not writes or (len(writes) == 1 and not rewired and not backward):
        return set()
    return {max(writes[0].index - 1, 0), _first(rewired, writes[0].index), *backward[-1:]}


def _first(steps: Iterable[int], otherwise: int) -> int:
    return next(iter(steps), otherwise)


def _writes(recording: Recording) -> list[Step]:
    """Returns the steps in which the program wrote, without backward's writes to gradients."""
    return [step for step in recording.steps if step.writes and step.kind == "operation"]
