"""Copies the contents of a storage before the next operation overwrites them.

A small storage is copied whole at every version. For a larger one, both ends, some of the written slots and the extremes are copied.
Bytes are decoded when the recording is built (`decode.values`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from inplacelab.layout import Layout

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


@dataclass(slots=True)  # not frozen, as one is made for each write (see `events`)
class Whole:
    """All slots of a small storage: their bytes, in order."""

    data: bytes
    dtype: np.dtype[Any]


@dataclass(frozen=True, slots=True)
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
