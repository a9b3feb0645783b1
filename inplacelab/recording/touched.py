"""Says what a step did to the slots of each storage: which it wrote, with which effect, and which it only read.

Whether a slot was written with another value is seen in the recorded values before and after the step.

>>> import inplacelab as paddle
>>> with paddle.record() as rec:
...     x = paddle.to_tensor([1.0, 2.0, 3.0])
...     _ = x.index_fill_(paddle.to_tensor([0, 2]), 0, 3.0)
>>> touched(rec.recording)[0][2]
Touched(changed=((0, 1),), same=((2, 3),), around=(), read=())
"""

from __future__ import annotations

from cmath import isnan
from collections.abc import Iterable, Iterator, Mapping
from operator import ne
from typing import NamedTuple

from inplacelab.recording.facts import Number, Step, StorageFacts, Values, WriteFacts
from inplacelab.recording.recording import Recording
from inplacelab.recording.slots import Runs, joined, without

__all__ = ["Touched", "differing", "effect", "same_value", "touched"]


class Touched(NamedTuple):
    """What a step did to the slots of one storage. No slot is in two of these lists.

    Attributes:
        changed: written with another value, or with one that cannot be compared because one of the two was not recorded.
        same: written with the value that they had.
        around: some of these were written, and neither the recorder nor the values say which.
        read: read, and not written.
    """

    changed: Runs = ()
    same: Runs = ()
    around: Runs = ()
    read: Runs = ()

    @property
    def written(self) -> Runs:
        """The slots that are known to have been written."""
        return joined(sorted(self.changed + self.same))


def touched(recording: Recording) -> Mapping[int, Mapping[int, Touched]]:
    """Returns what each step did, by storage and step: `touched(recording)[storage][step]`. The values of a step are compared when it is first
    looked at.
    """
    return recording.once(_touched)


def _touched(recording: Recording) -> dict[int, Mapping[int, Touched]]:
    found: dict[int, _OnStorage] = {}
    known: dict[int, StorageFacts] = {}
    for step in recording.steps:
        after = dict(step.storages)  # None for one that was freed: what it held at the end was not recorded
        for storage in dict.fromkeys([*(each.storage for each in step.writes), *(each.storage for each in step.reads)]):
            before = known.get(storage)
            if before or after.get(storage):  # else it was made and freed within the step
                mine = found.setdefault(storage, _OnStorage(storage))
                mine.deeds[step.index] = step, before, after.get(storage, before)
        known |= {number: facts for number, facts in after.items() if facts is not None}
    return dict(found)


class _OnStorage(Mapping[int, Touched]):
    """What the steps did to one storage."""

    def __init__(self, storage: int) -> None:
        self.storage = storage
        self.deeds: dict[int, tuple[Step, StorageFacts | None, StorageFacts | None]] = {}
        """The steps that wrote or read it, with its facts before and after them."""
        self._found: dict[int, Touched] = {}

    def __getitem__(self, step: int) -> Touched:
        if step not in self._found:
            self._found[step] = _done(self.storage, *self.deeds[step])
        found = self._found[step]
        if not any(found):
            raise KeyError(step)
        return found

    def __iter__(self) -> Iterator[int]:
        return (step for step in self.deeds if step in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _done(storage: int, step: Step, before: StorageFacts | None, after: StorageFacts | None) -> Touched:
    effects = [effect(write, before, after) for write in step.writes if write.storage == storage]
    read = _together(each.slots for each in step.reads if each.storage == storage)
    changed, same, around = (_together(each[k] for each in effects) for k in range(3))
    same = without(same, changed)
    written = joined(sorted(changed + same))
    return Touched(changed, same, without(around, written), without(read, written))


def effect(write: WriteFacts, before: StorageFacts | None, after: StorageFacts | None) -> Touched:
    """Returns what a write did to its slots, from the facts of its storage before and after it."""
    old, new = (None if facts is None else facts.values for facts in (before, after))
    if write.slots_are == "changed":
        return Touched(changed=write.slots)
    if not isinstance(old, tuple) or not isinstance(new, tuple):
        return Touched(around=write.slots) if write.slots_are == "around" else Touched(changed=write.slots)
    changed = differing(old, new, write.slots)
    return Touched(changed, without(write.slots, changed) if write.slots_are == "written" else ())


def same_value(one: Number, other: Number) -> bool:
    """Whether a slot shows no change: nan differs even from itself, but a nan that stays a nan is none."""
    return one == other or (isnan(one) and isnan(other))


def differing(old: Values, new: Values, runs: Runs) -> Runs:
    """Returns those of some slots whose values differ, or are not in both lists.

    >>> differing((1.0, 2.0, 3.0), (1.0, 5.0, 6.0), ((0, 2),))
    ((1, 2),)
    """
    return joined(
        run for start, stop in runs if old[start:stop] != new[start:stop] for run in _runs(old, new, start, stop)
    )


def _runs(old: Values, new: Values, start: int, stop: int) -> Iterator[tuple[int, int]]:
    known = min(len(old), len(new), stop)
    # A storage has thousands of slots and is written a thousand times: they are compared and searched without a loop in Python.
    differs = bytes(map(ne, old[start:known], new[start:known]))
    first = differs.find(1)
    while first >= 0:
        end = differs.find(0, first)
        end = len(differs) if end < 0 else end
        yield from _without_nan(old, new, start + first, start + end)
        first = differs.find(1, end)
    if known < stop:
        yield max(known, start), stop


def _without_nan(old: Values, new: Values, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """A run of slots that differ, without those that were nan and still are."""
    if not isnan(sum(new[start:stop])):
        yield start, stop
        return
    yield from ((slot, slot + 1) for slot in range(start, stop) if not same_value(old[slot], new[slot]))


def _together(lists: Iterable[Runs]) -> Runs:
    return joined(sorted(run for runs in lists for run in runs))
