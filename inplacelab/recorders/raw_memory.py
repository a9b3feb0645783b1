"""Reads the memory of a storage of another framework, by its address, as an array of NumPy."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from inplacelab.layout import Layout, extent
from inplacelab.recorders.snapshots import ENDS, WHOLE, Part, Snapshot, listed, snapshot

BITS = {"bfloat16": np.dtype("uint16")}
"""Types that NumPy does not have, by the type of their bits."""

_kinds: dict[str, Any] = {}


def numpy_dtype(name: str) -> Any:
    """Returns NumPy's type for a type of elements, such as "float32"; None if there is none."""
    if name not in _kinds:
        try:
            _kinds[name] = BITS.get(name) or np.dtype(name)
        except TypeError:
            _kinds[name] = None
    return _kinds[name]


def memory_at(address: int, size: int, dtype: str) -> Any:
    """Returns some memory as an array of one axis, which does not own it; None if its elements are no numbers.

    Args:
        address: its start.
        size: how many bytes.
        dtype: the type of its elements.
    """
    kind = numpy_dtype(dtype)
    if kind is None or (size and not address):
        return None
    size -= size % kind.itemsize
    if not size:
        return np.empty(0, kind)
    memory: Any = (ctypes.c_char * size).from_address(address)
    return np.frombuffer(memory, kind)


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
    memory, window = _readable(memory, dtype), None
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
