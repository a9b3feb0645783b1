"""Finds which tensors a step is about, and what it does to each: writes through it, makes it, reads it, or is refused with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from inplacelab.recording import queries
from inplacelab.recording.facts import Step
from inplacelab.recording.naming import name_on_line
from inplacelab.recording.recording import Recording

TensorRole = Literal["wrote", "made", "read", "refused"]

MOST_REFUSED = 2
"""The most operands of a refused operation that stand out."""
MOST_MADE = 3
"""The most tensors made by one step that stand out."""


def tensor_roles(recording: Recording) -> Mapping[int, Mapping[int, TensorRole]]:
    """Returns what each step does to a tensor, by tensor and step: `acts(recording)[tensor][step]`. What is written through a view without
    a name, as in `a[0].add_(b)`, is written through `a`.
    """
    return recording.once(_acts)


def names_used(recording: Recording) -> Mapping[int, Mapping[int, str]]:
    """Returns by which name the line of a step writes a tensor that has several: `names_used(recording)[tensor][step]`. A line that has none of
    them, or more than one, tells nothing.
    """
    return recording.once(_names_used)


def _names_used(recording: Recording) -> dict[int, dict[int, str]]:
    wrote: dict[int, list[int]] = {}
    for tensor, deeds in tensor_roles(recording).items():
        for at in (at for at, act in deeds.items() if act == "wrote"):
            wrote.setdefault(at, []).append(tensor)
    found: dict[int, dict[int, str]] = {}
    names: dict[int, tuple[str, ...]] = {}
    for step in recording.steps:
        for tensor in wrote.get(step.index, ()):
            several = names.get(tensor, ()) if len(names.get(tensor, ())) > 1 else ()
            used = [name for name in several if name_on_line(recording, step.line, (name,), or_first=False)]
            if len(used) == 1:
                found.setdefault(tensor, {})[step.index] = used[0]
        names |= {tensor: facts.names for tensor, facts in step.tensors if facts is not None}
    return found


def _acts(recording: Recording) -> dict[int, dict[int, TensorRole]]:
    found: dict[int, dict[int, TensorRole]] = {}
    known: set[int] = set()
    for step in recording.steps:
        refused: dict[int, TensorRole] = dict.fromkeys(
            queries.refused_operands(recording, step.index)[:MOST_REFUSED], "refused"
        )
        for tensor, act in (_acts_of(recording, step, known) | refused).items():
            found.setdefault(tensor, {})[step.index] = act
        known.update(tensor for tensor, facts in step.tensors if facts is not None)
    return found


def _acts_of(recording: Recording, step: Step, known: set[int]) -> dict[int, TensorRole]:
    """What one step does; `known` are the tensors that existed before it."""
    found: dict[int, TensorRole] = {read.tensor: "read" for read in step.reads}
    made = [tensor for tensor, facts in step.tensors if facts is not None and tensor not in known]
    if len(made) <= MOST_MADE:  # of many, none would stand out
        found |= dict.fromkeys(made, "made")
    if not step.writes:
        return found
    before = recording.before(step.index)
    return found | {queries.with_a_name(recording, before, write.tensor): "wrote" for write in step.writes}
