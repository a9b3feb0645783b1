"""Copies the contents of a storage before the next operation overwrites them.

A small storage is copied whole at every version. For a larger one, both ends, some of the written slots and the extremes are copied.
Bytes are decoded when the recording is built (`builder_facts.values`).

The memory of a storage of another framework is read by its address, as an array of NumPy (`memory_at`).
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from inplacelab.layout import Layout, extent

if TYPE_CHECKING:
    from inplacelab.recording.facts import Number, Values


WHOLE = 4096
"""Storages of up to this many slots are copied whole at every version."""
ENDS = 8
"""Of larger ones, this many slots are copied at either end,"""
SOME = 48
"""and this many of those that were written."""
WORTH_MEASURING = 4
"""The extremes of a large storage are measured if at least one slot in this many was written: looking at all of them costs
no more than a few times the write itself then."""


# These are not frozen, as one is made for each write (see `events`).
@dataclass(slots=True)
class Whole:
    """All slots of a small storage: their bytes, in order."""

    data: bytes
    dtype: np.dtype[Any]


@dataclass(slots=True)
class Part:
    """Some slots of a large storage.

    Attributes:
        minimum, maximum: the extremes of all slots; None if they were not measured.
        head, tail: both ends.
        written: the first values that were written, in the order of `slots`.
        slots: the written slots: a layout, or slots one by one; None if they are unknown.
    """

    minimum: Number | None
    maximum: Number | None
    head: Values
    tail: Values
    written: Values = ()
    slots: Layout | tuple[int, ...] | None = None


Snapshot = Whole | Part


def snapshot(buffer: Any, window: Any = None, slots: Layout | Sequence[int] | None = None) -> Snapshot:
    """Copies a storage.

    Args:
        buffer: the array that owns the storage; an array on a device is copied to the host.
        window: the view of the written part of the buffer, if a large storage was written through one.
        slots: the layout of the window in the buffer; without a window, the slots written. None if they are unknown. If there are none,
            only the ends of a large storage are read.

    Returns:
        The copy; what it contains depends on the storage's size.
    """
    if buffer.size <= WHOLE:
        return Whole(buffer.tobytes(), buffer.dtype)
    flat = buffer if buffer.ndim == 1 else buffer.ravel()
    ends = listed(flat[:ENDS]), listed(flat[-ENDS:])
    if slots is None:
        return Part(*extremes(flat), *ends)
    many = window.size if isinstance(slots, Layout) else len(slots)
    measured = extremes(flat) if many * WORTH_MEASURING >= flat.size else (None, None)
    if isinstance(slots, Layout):
        return Part(*measured, *ends, listed(_first(window, buffer, flat)), slots)
    some = tuple(slots[:SOME])
    return Part(*measured, *ends, listed(flat[list(some)]), some)


def _first(window: Any, buffer: Any, flat: Any) -> Any:
    """Returns the first elements of a window on a buffer."""
    if window is buffer:
        return flat[:SOME]
    return window.reshape(-1)[:SOME] if window.flags.c_contiguous else window.flat[:SOME]


def extremes(flat: Any) -> tuple[Number | None, Number | None]:
    """Returns the lowest and the highest value; None for complex numbers, which have no order."""
    if flat.dtype.kind == "c":
        return None, None
    low, high = flat.argmin(), flat.argmax()  # NumPy's argmin takes half the time of min
    return (flat.item(low), flat.item(high)) if type(flat) is np.ndarray else (flat[low].item(), flat[high].item())


def listed(values: Any) -> Values:
    """Returns the values of an array as Python numbers."""
    return tuple(np.frombuffer(values.tobytes(), values.dtype).tolist())


BITS = {"bfloat16": np.dtype("uint16")}
"""Types that NumPy does not have, by the type of their bits."""


class _Dtypes(dict[str, Any]):
    """NumPy's types for types of elements, such as "float32"; None where there is none."""

    def __missing__(self, name: str) -> Any:
        try:
            self[name] = BITS.get(name) or np.dtype(name)
        except TypeError:
            self[name] = None
        return self[name]


_dtypes = _Dtypes()


def memory_at(address: int, size: int, dtype: str) -> Any:
    """Returns some memory as an array of one axis, which does not own it; None if its elements are no numbers.

    Args:
        address: its start.
        size: how many bytes.
        dtype: the type of its elements.
    """
    kind = _dtypes[dtype]
    if kind is None or (size and not address):
        return None
    size -= size % kind.itemsize
    if not size:
        return np.empty(0, kind)
    memory: Any = (ctypes.c_char * size).from_address(address)
    return np.frombuffer(memory, kind)


def whole_at(address: int, size: int, dtype: str) -> Whole | None:
    """Copies the memory of a small storage; None if it is a larger one, or its elements are no numbers that NumPy has.

    Args:
        address: its start.
        size: how many bytes.
        dtype: the type of its elements.
    """
    kind = _dtypes[dtype]
    if kind is None or dtype in BITS or not address or size > WHOLE * kind.itemsize:
        return None
    return Whole(ctypes.string_at(address, size - size % kind.itemsize), kind)


def copied(memory: Any, dtype: str, slots: Layout | tuple[int, ...] | None = None) -> Snapshot:
    """Copies the memory of a storage.

    Args:
        memory: the memory.
        dtype: the type of its elements.
        slots: those that were written, if it is known; none of a memory that is only looked at, of which only the ends are read if it is
            large.
    """
    if slots == () and memory.size > WHOLE:  # a large memory is not converted for its ends
        head, tail = (listed(_readable(each, dtype)) for each in (memory[:ENDS], memory[-ENDS:]))
        return Part(None, None, head, tail, (), ())
    if dtype == "bfloat16":
        memory = _readable(memory, dtype)
    if memory.size <= WHOLE:
        return Whole(memory.tobytes(), memory.dtype)
    window = None
    if isinstance(slots, Layout):
        first, stop = extent(slots)
        if first < 0 or stop > memory.size:
            slots = None
        else:
            strides = tuple(each * memory.itemsize for each in slots.strides)
            window = np.ndarray(slots.shape, memory.dtype, memory, slots.offset * memory.itemsize, strides)
    return snapshot(memory, window, slots)


def shown(memory: Any, dtype: str, layout: Layout) -> tuple[Any, ...]:
    """Returns the values at a layout of some memory, in row-major order, as Python numbers."""
    memory = _readable(memory, dtype)
    strides = tuple(each * memory.itemsize for each in layout.strides)
    window = np.ndarray(layout.shape, memory.dtype, memory, layout.offset * memory.itemsize, strides)
    return tuple(window.reshape(-1).tolist())


def _readable(memory: Any, dtype: str) -> Any:
    if dtype == "bfloat16":  # the upper half of a float32
        return (memory.astype(np.uint32) << 16).view(np.float32)
    return memory
