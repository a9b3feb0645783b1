"""Slots of storages: which of them a tensor reaches, which values they hold, and what each step did to them.

Element (i, j, ...) lives in slot `offset + i*strides[0] + j*strides[1] + ...`, counted in elements. A view with another dtype (`x.view("int16")`)
counts offset and strides in its own elements, while the slots of the storage stay the same: both are converted to bytes. Whether a slot was written
with another value is seen in the recorded values before and after a step.

>>> storage = StorageFacts(0, 8, 2, "float32", "cpu", (1.0, -2.0))
>>> element_values(storage, "float32", [1, 0]), element_values(storage, "int32", [0])
((-2.0, 1.0), (1065353216,))
>>> import inplacelab as paddle
>>> with paddle.record() as rec:
...     x = paddle.to_tensor([1.0, 2.0, 3.0])
...     _ = x.index_fill_(paddle.to_tensor([0, 2]), 0, 3.0)
>>> touched(rec.recording)[0][2]
Touched(changed=((0, 1),), same=((2, 3),), around=(), read=())
"""

from __future__ import annotations

import struct
from cmath import isnan
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import product
from math import prod
from operator import ne
from typing import NamedTuple, Protocol

from inplacelab.recording.facts import Number, SavedFacts, Step, StorageFacts, Summary, TensorFacts, Values, WriteFacts
from inplacelab.recording.recording import Recording


class Laid(Protocol):
    """Anything with a layout: a tensor's facts, a saved tensor's, a kernel's operand."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the axes."""

    @property
    def strides(self) -> tuple[int, ...]:
        """Slots from one element to the next along each axis."""

    @property
    def offset(self) -> int:
        """The slot of the first element."""


Runs = tuple[tuple[int, int], ...]
"""Runs of neighboring slots, as (first, one past the last), in order and apart from each other."""


def slots_of(tensor: Laid) -> tuple[int, ...]:
    """Returns the slot of every element, in row-major order. An expanded tensor repeats slots.

    Args:
        tensor: anything with `shape`, `strides` and `offset`, counted in elements.
    """
    steps = (range(0, size * stride, stride) if stride else (0,) * size for size, stride in _axes(tensor))
    return tuple(tensor.offset + sum(hops) for hops in product(*steps))


MOST_RUNS = 4096
"""A layout of more runs is taken to reach the gaps of its innermost axes, too: no picture shows so many runs apart."""


def slot_runs(tensor: Laid) -> Runs:
    """Returns the slots that a tensor reaches, as sorted runs (first, one past the last), at most `MOST_RUNS`. A contiguous tensor
    is one run.
    """
    return _slot_runs(tensor.shape, tensor.strides, tensor.offset)


@lru_cache(maxsize=256)
def _slot_runs(shape: tuple[int, ...], strides: tuple[int, ...], offset: int) -> Runs:
    if 0 in shape:
        return ()
    first = offset + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True) if stride < 0)
    starts, length = [first], 1
    for stride, size in _by_stride(shape, strides):
        if len(starts) * size > MOST_RUNS:
            starts, length = [first], starts[-1] - first + length
        # As long as a hop is no longer than the run so far, the shifted runs touch and make one longer run.
        if len(starts) == 1 and (stride <= length or size > MOST_RUNS):
            length += stride * (size - 1)
        else:
            starts = sorted({start + hop for hop in range(0, size * stride, stride) for start in starts})
    return joined((start, start + length) for start in starts)


def most_runs(tensor: Laid) -> int:
    """Returns a number of runs that `slot_runs` does not exceed, without making them."""
    runs = length = 1
    for stride, size in _by_stride(tensor.shape, tensor.strides):
        if runs == 1 and stride <= length:
            length += stride * (size - 1)
        else:
            runs = min(runs * size, MOST_RUNS)
    return runs


def _by_stride(shape: tuple[int, ...], strides: tuple[int, ...]) -> list[tuple[int, int]]:
    """The axes that reach other slots, as (distance, size), the shortest distance first."""
    return sorted((abs(stride), size) for size, stride in zip(shape, strides, strict=True) if size > 1 and stride)


def is_contiguous(tensor: Laid) -> bool:
    """Whether the elements lie in row-major order without gaps. Axes of size 1 do not matter."""
    expected = 1
    for size, stride in reversed(_axes(tensor)):
        if size != 1 and stride != expected:
            return prod(tensor.shape) == 0
        expected *= size
    return True


def common_runs(one: Runs, other: Runs) -> Runs:
    """Returns the slots that are in both lists of runs."""
    # Both are in order: walk them side by side and always leave the run that ends first.
    i = j = 0
    common = []
    while i < len(one) and j < len(other):
        start, stop = max(one[i][0], other[j][0]), min(one[i][1], other[j][1])
        if start < stop:
            common.append((start, stop))
        if one[i][1] <= other[j][1]:
            i += 1
        else:
            j += 1
    return tuple(common)


def without(runs: Runs, others: Runs) -> Runs:
    """Returns the slots that are in `runs` and not in `others`. Both are in order."""
    left, k = [], 0
    for start, stop in runs:
        at = start
        while k < len(others) and others[k][1] <= at:
            k += 1
        for first, end in others[k:]:
            if first >= stop:
                break
            if first > at:
                left.append((at, first))
            at = max(at, end)
        if at < stop:
            left.append((at, stop))
    return tuple(left)


def _axes(tensor: Laid) -> tuple[tuple[int, int], ...]:
    return tuple(zip(tensor.shape, tensor.strides, strict=True))


def joined(runs: Iterable[tuple[int, int]]) -> Runs:
    """Returns sorted runs, with adjacent and overlapping runs merged.

    Args:
        runs: runs in order of their first slot.
    """
    merged: list[tuple[int, int]] = []
    for start, stop in runs:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(stop, merged[-1][1]))
        else:
            merged.append((start, stop))
    return tuple(merged)


_FORMATS = {
    "bool": "?", "uint8": "B", "uint16": "H", "uint32": "I", "uint64": "Q", "int8": "b", "int16": "h", "int32": "i", "int64": "q",
    "float16": "e", "float32": "f", "float64": "d", "complex64": "ff", "complex128": "dd",
}  # fmt: skip


def bytes_of(dtype: str, storage: StorageFacts) -> int:
    """Returns the bytes of one element of `dtype`; an unknown dtype is taken to be as wide as the storage's slots."""
    known = known_bytes(dtype)
    if dtype == storage.dtype or known is None:
        return (storage.bytes // storage.slots if storage.slots else 0) or known or 1
    return known


def known_bytes(dtype: str) -> int | None:
    """Returns the bytes of one element of `dtype`; None for an unknown dtype."""
    form = _FORMATS.get(dtype)
    return None if form is None else struct.calcsize("<" + form)


def slots_under(storage: StorageFacts, dtype: str, start: int, stop: int) -> tuple[int, int]:
    """Returns the slots that hold the bytes of the elements of `dtype` at positions `start` to `stop`, as (first, one past)."""
    if dtype == storage.dtype:
        return start, stop
    wide, slot = bytes_of(dtype, storage), bytes_of(storage.dtype, storage)
    return start * wide // slot, -(-stop * wide // slot)


def slots_reached(storage: StorageFacts, tensor: TensorFacts | SavedFacts) -> Runs:
    """Returns the slots of its storage that a tensor, or what a node keeps, reaches, as runs."""
    runs = slot_runs(tensor)
    if tensor.dtype in ("", storage.dtype):
        return runs
    return joined(slots_under(storage, tensor.dtype, start, stop) for start, stop in runs)


def slot_value(storage: StorageFacts, slot: int) -> Number | None:
    """Returns the value of a slot; None if it was not recorded."""
    values = storage.values
    if isinstance(values, Summary):
        if slot < len(values.head):
            return values.head[slot]
        from_end = storage.slots - slot
        return values.tail[-from_end] if from_end <= len(values.tail) else None
    return values[slot] if values is not None and slot < len(values) else None


def element_values(storage: StorageFacts, dtype: str, positions: Iterable[int]) -> tuple[Number | None, ...]:
    """Returns the values of elements of `dtype` at `positions`.

    Args:
        storage: the storage.
        dtype: the dtype to read the bytes as.
        positions: positions counted in elements of `dtype`.

    Returns:
        One value for each position; None for a value that was not recorded.
    """
    if dtype == storage.dtype:
        known = storage.values
        if isinstance(known, tuple):
            count = len(known)
            return tuple([known[position] if position < count else None for position in positions])
        return tuple(slot_value(storage, position) for position in positions)
    return tuple(_reread(storage, dtype, position) for position in positions)


def _reread(storage: StorageFacts, dtype: str, position: int) -> Number | None:
    if not {dtype, storage.dtype} <= _FORMATS.keys():
        return None
    start, stop = slots_under(storage, dtype, position, position + 1)
    values = [slot_value(storage, slot) for slot in range(start, stop)]
    try:
        written = b"".join(_packed(storage.dtype, value) for value in values if value is not None)
    except (struct.error, OverflowError, TypeError):  # a value that is none of the storage's dtype
        return None
    wide, slot = bytes_of(dtype, storage), bytes_of(storage.dtype, storage)
    # The slots may begin before the element does, and some of them may not have been recorded.
    return _unpacked(dtype, written, position * wide - start * slot) if len(written) == slot * len(values) else None


def _packed(dtype: str, value: Number) -> bytes:
    parts = (value.real, value.imag) if dtype.startswith("complex") else (value,)
    return struct.pack("<" + _FORMATS[dtype], *parts)


def _unpacked(dtype: str, data: bytes, at: int) -> Number:
    parts = struct.unpack_from("<" + _FORMATS[dtype], data, at)
    return complex(*parts) if len(parts) == 2 else parts[0]


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
