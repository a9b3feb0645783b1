"""Finds the memory under a NumPy array, where the array lies in it, and what in it differs from before."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from inplacelab.layout import Layout, extent
from inplacelab.recorders.bindings import attributes_of

_DTYPES = frozenset({
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64", "complex64",
    "complex128",
})  # fmt: skip


class Memory(NamedTuple):
    """The memory that an array shows a part of.

    Attributes:
        owner: the array that owns it; None if no array does, but a buffer (`np.frombuffer`) or something that NumPy cannot ask.
        start, stop: the addresses at which it begins and ends.
        bytes: what is in it.
    """

    owner: Any
    start: int
    stop: int
    bytes: Any


def memory_of(array: Any) -> Memory | None:
    """The memory under an array; None if its bytes mean nothing outside (objects), or lie apart in memory that NumPy cannot ask about."""
    owner, owned = array, True
    under: Any = array.base
    while under is not None:
        under = under.obj if type(under) is memoryview else under
        if isinstance(under, np.ndarray):
            owner, under = under, under.base
            continue
        further = attributes_of(under).get("base")  # of what `as_strided` puts between a view and its base
        if further is None:
            try:
                return _memory(None, np.frombuffer(under, np.uint8))
            except (TypeError, ValueError, BufferError):
                owned = False
        under = further
    flat = np.asarray(owner).ravel("K")
    if flat.flags.owndata or owner.dtype.hasobject:
        return None
    return _memory(owner if owned else None, flat.view(np.uint8))


def _memory(owner: Any, flat: Any) -> Memory:
    start = flat.__array_interface__["data"][0]
    return Memory(owner, start, start + flat.size, flat)


def place_of(array: Any) -> tuple[Any, ...]:
    """Where an array lies, as NumPy describes it: another answer means that its metadata or its memory were changed."""
    return array.__array_interface__["data"][0], array.shape, array.strides, array.dtype


def is_known(dtype: np.dtype[Any]) -> bool:
    """Whether elements of this type are numbers that a recording can hold."""
    return dtype.name in _DTYPES and dtype.isnative


def slot_type(array: Any, memory: Memory) -> np.dtype[Any]:
    """The data type in which the slots of a memory are counted when it is met through this array."""
    owner = array if memory.owner is None else memory.owner
    askew = (memory.stop - memory.start) % array.itemsize or (place_of(array)[0] - memory.start) % array.itemsize
    if is_known(owner.dtype):
        return owner.dtype if memory.owner is not None or not askew else np.dtype(np.uint8)
    return np.dtype(np.uint8) if askew else array.dtype


def layout_in(array: Any, start: int, stop: int) -> Layout | None:
    """Where an array lies in the memory between two addresses, in its own elements; None if that cannot be said in elements."""
    size, first = array.itemsize, place_of(array)[0] - start
    if not is_known(array.dtype) or first % size or any(stride % size for stride in array.strides):
        return None
    layout = Layout(array.shape, tuple(stride // size for stride in array.strides), first // size)
    low, high = extent(layout)
    return layout if low >= 0 and high * size <= stop - start else None


def differing(before: bytes, now: bytes, slot: int) -> Layout | tuple[int, ...]:
    """The slots of so many bytes that differ: as a layout if they lie side by side, otherwise one by one."""
    word = min(slot, 8)  # whole words are compared, since -0.0 equals 0.0, and nothing equals nan
    old, new = (np.frombuffer(each, f"u{word}").reshape(-1, slot // word) for each in (before, now))
    slots = np.flatnonzero((old != new).any(axis=1))
    first, count = int(slots[0]), len(slots)
    return Layout((count,), (1,), first) if slots[-1] - first + 1 == count else tuple(slots.tolist())


def covers(layout: Layout, slots: Layout | tuple[int, ...]) -> bool:
    """Whether an array that lies like this shows all of these slots."""
    low, high = extent(layout)
    first, end = extent(slots) if isinstance(slots, Layout) else (slots[0], slots[-1] + 1)
    if first < low or end > high:
        return False
    reached = np.zeros(high, bool)
    np.ndarray(layout.shape, bool, reached, layout.offset, layout.strides)[...] = True
    return bool(reached[slice(first, end) if isinstance(slots, Layout) else np.array(slots)].all())
