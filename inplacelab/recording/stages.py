"""Finds what part of training each step belongs to: forward, backward, or the update of parameters and gradients.

The phase of a step says only whether backward is running. `sgd.step()` and `sgd.clear_grad()` run outside backward, but compute nothing
forward: after a backward pass, they write parameters, or gradients.
"""

from __future__ import annotations

from itertools import groupby
from typing import Literal

from inplacelab.recording.facts import Step
from inplacelab.recording.recording import Recording

__all__ = ["Stage", "stages"]

Stage = Literal["forward", "backward", "update"]


def stages(recording: Recording) -> tuple[Stage, ...]:
    """Returns the stage of each step. All steps of a statement outside backward have the same one."""
    return recording.once(_stages)


def _stages(recording: Recording) -> tuple[Stage, ...]:
    found: list[Stage] = []
    has_passed = False
    for _, group in groupby(recording.steps, key=lambda step: (step.phase, step.turn, step.line)):
        steps = list(group)
        stage: Stage = steps[0].phase
        has_passed |= stage == "backward"
        if stage == "forward" and has_passed and any(_updates(recording, step) for step in steps):
            stage = "update"
        found += [stage] * len(steps)
    return tuple(_with_loops(recording, found))


def _updates(recording: Recording, step: Step) -> bool:
    """Whether a step writes to a parameter or to a gradient without history, or clears a gradient."""
    before = recording.before(step.index)
    for write in step.writes:
        tensor = before.tensors.get(write.tensor)
        is_gradient = before.owner_of_gradient(write.tensor) is not None
        if step.kept is None and tensor is not None and (is_gradient or (tensor.leaf and tensor.needs_gradient)):
            return True
    changed = ((before.tensors.get(key), facts) for key, facts in step.tensors if facts is not None)
    return any(was is not None and was.grad is not None and now.grad is None for was, now in changed)


def _with_loops(recording: Recording, found: list[Stage]) -> list[Stage]:
    """Counts the lines of a loop between two updates, such as `for parameter in parameters:`, as part of the update."""
    since: int | None = None  # the step after the last update, while only lines without an operation follow
    for step, stage in zip(recording.steps, tuple(found), strict=True):
        if stage == "update":
            if since is not None:
                found[since : step.index] = ["update"] * (step.index - since)
            since = step.index + 1
        elif step.kind != "line" or stage == "backward":
            since = None
    return found
