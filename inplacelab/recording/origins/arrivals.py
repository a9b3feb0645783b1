"""Finds for each slot how numbers came into it, step by step: computed by an operation, put there by backward, there before."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from inplacelab.recording.facts import Step, StorageFacts
from inplacelab.recording.recording import Recording
from inplacelab.recording.slots import Runs, same_value, slot_runs

__all__ = ["MOST_RESULTS", "Arrival", "How", "arrival_at", "arrivals", "next_arrival"]

How = Literal["computed", "made", "backward", "before", "unseen"]
"""How numbers came into slots: "computed" by an operation from others; "made" by one that reads no tensor; by a "backward" pass; "before":
they were there when the recorder first saw the storage; "unseen": written by something that was not recorded."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """How numbers came into slots of a storage in one step.

    Attributes:
        step: the step; -1 for what was there when the recorder first saw the storage, in a step that wrote it at once.
        how: what put them there.
        slots: runs of slots.
        tensor: the tensor through which they were written; None if that is not known.
    """

    step: int
    how: How
    slots: Runs
    tensor: int | None

    def reaches(self, slot: int) -> bool:
        """Whether a slot is among them."""
        at = bisect_right(self.slots, slot, key=lambda run: run[0])
        return at > 0 and slot < self.slots[at - 1][1]


def arrivals(recording: Recording) -> Mapping[int, Sequence[Arrival]]:
    """Returns the arrivals in each storage, in the order of the steps."""
    return recording.once(_arrivals)


def _arrivals(recording: Recording) -> dict[int, list[Arrival]]:
    found: dict[int, list[Arrival]] = {}
    for step in recording.steps:
        for storage, arrival in _in_step(recording, step):
            found.setdefault(storage, []).append(arrival)
    return found


def _in_step(recording: Recording, step: Step) -> Iterator[tuple[int, Arrival]]:
    before = recording.before(step.index).storages
    written = {write.storage for write in step.writes if write.slots}
    for storage, facts in step.storages:
        if facts is not None and storage not in before:
            yield storage, _first(recording, step, facts, at_once=storage in written)
    for write in step.writes:
        if write.slots:
            how: How = (
                "backward" if step.kind == "backward" else "computed"
            )  # a second pass adds to the gradient in place
            yield write.storage, Arrival(step.index, how, write.slots, write.tensor)
    for storage, facts in step.storages:
        known = before.get(storage)
        if facts is not None and known is not None and storage not in written and (slots := _changed(known, facts)):
            yield storage, Arrival(step.index, "backward" if step.kind == "backward" else "unseen", slots, None)


def _first(recording: Recording, step: Step, facts: StorageFacts, *, at_once: bool) -> Arrival:
    """What is in a storage when it is first seen. It may be written `at_once`, in the same step."""
    after = recording.state(step.index).tensors
    output = None if step.output is None else after.get(step.output) or dict(step.tensors).get(step.output)
    moved = output is not None and output.storage == facts.id and step.category in ("ordinary", "reallocated", "create")
    sibling = None if moved else _made_by_sibling(recording, step, facts)
    if sibling is not None:
        return sibling
    if moved and output is not None:
        return Arrival(step.index, "made" if step.category == "create" else "computed", slot_runs(output), output.id)
    if step.kind == "backward":
        return Arrival(step.index, "backward", ((0, facts.slots),), None)
    return Arrival(-1 if at_once else step.index, "before", ((0, facts.slots),), None)


MOST_RESULTS = 64
"""An operation has no more results than this."""


def _made_by_sibling(recording: Recording, step: Step, facts: StorageFacts) -> Arrival | None:
    """The arrival of a further result of an operation: all its results are there from the first of its steps on."""
    if step.op is None or step.category != "ordinary":
        return None
    for later in recording.steps[step.index + 1 : step.index + MOST_RESULTS]:
        if (later.op, later.line, later.inputs) != (step.op, step.line, step.inputs) or later.output is None:
            return None
        output = recording.state(later.index).tensors.get(later.output)
        if output is not None and output.storage == facts.id:
            return Arrival(later.index, "computed", slot_runs(output), output.id)
    return None


def _changed(before: StorageFacts, after: StorageFacts) -> Runs:
    """The slots with other values; all, if their values were not recorded."""
    if before.values == after.values:
        return ()
    if not isinstance(before.values, tuple) or not isinstance(after.values, tuple):
        return ((0, after.slots),)
    pairs = enumerate(zip(before.values, after.values, strict=False))
    return tuple((slot, slot + 1) for slot, (old, new) in pairs if not same_value(old, new))


def arrival_at(recording: Recording, storage: int, slot: int, step: int) -> Arrival | None:
    """Returns the arrival of the number that a slot held after a step; None if it was there before."""
    found = arrivals(recording).get(storage, ())
    upto = bisect_right(found, step, key=lambda each: each.step)
    return next((each for each in reversed(found[:upto]) if each.reaches(slot)), None)


def next_arrival(recording: Recording, storage: int, slot: int, step: int) -> Arrival | None:
    """Returns the arrival that overwrote the number that a slot held after a step; None if none did."""
    found = arrivals(recording).get(storage, ())
    after = bisect_right(found, step, key=lambda each: each.step)
    return next((each for each in found[after:] if each.reaches(slot)), None)
