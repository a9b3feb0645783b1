"""Which steps tell the story of a recording, for pictures that cannot be stepped through."""

from __future__ import annotations

from collections.abc import Iterable

from inplacelab.recording import queries
from inplacelab.recording.facts import Step
from inplacelab.recording.recording import Recording

FRAMES = 4
"""The most steps that one still picture shows."""


def key_step(recording: Recording) -> int:
    """The step that a single picture should show: the error if there is one, else the last write by the learner, else
    the last step.
    """
    for step in reversed(recording.steps):
        if step.error is not None:
            return step.index
    writes = _writes(recording)
    return writes[-1].index if writes else len(recording) - 1


def all_key_steps(recording: Recording) -> tuple[int, ...]:
    """One to four steps that tell the story, in order.

    Of a failed backward: where the value was kept, where it was overwritten, and the failure. Of writes: the step before
    them, the first and the last, and where backward ended. A program with one write, or none, that changes no history
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
    """Where a value that backward found stale was kept and overwritten; nothing if something else failed."""
    # The step before: the failing step may already have lost what a function's end gives back.
    error, state = recording.steps[failed].error, recording.state(max(failed - 1, 0))
    for node, saved in queries.stale(state):
        if error and error.node == node and error.storage in (None, saved.storage):
            makers = queries.who_kept(recording, saved.storage, saved.version, failed)
            kept = [step.index for step, maker in makers if maker.id == node]
            raised = [step.index for step, _ in queries.who_overwrote(recording, saved, failed)]
            return {*kept[:1], *raised[:1], *raised[-1:]}
    return set()


def _changes(recording: Recording) -> set[int]:
    """Before, at and after the learner's writes; nothing if one picture of the last write shows it all."""
    writes = _writes(recording)
    backward = [step.index for step in recording.steps if step.phase == "backward"]
    rewired = [step.index for step in writes if step.rewired]
    if not writes or (len(writes) == 1 and not rewired and not backward):
        return set()
    return {max(writes[0].index - 1, 0), _first(rewired, writes[0].index), *backward[-1:]}


def _first(steps: Iterable[int], otherwise: int) -> int:
    return next(iter(steps), otherwise)


def _writes(recording: Recording) -> list[Step]:
    """The steps in which the learner's own code wrote; what backward adds to gradients is not meant."""
    return [step for step in recording.steps if step.writes and step.kind == "operation"]
