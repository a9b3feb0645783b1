"""Tables of slots: the effect of views on them, and whether strides can express them."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np

from .jets import Array, Shape


def flatten_shape(shape: Shape, start: int, stop: int) -> Shape:
    """The axes from `start` to `stop` joined into one."""
    if not shape:
        return (1,)
    start, stop = start % len(shape), stop % len(shape)
    return (*shape[:start], prod(shape[start : stop + 1]), *shape[stop + 1 :])


def _squeeze(slots: Array, axis: int | None) -> Array:
    if axis is None or not slots.ndim:
        return slots.squeeze()
    return slots.squeeze(axis) if slots.shape[axis] == 1 else slots


TABLES: dict[str, Callable[..., Array]] = {
    "reshape": lambda slots, shape: slots.reshape(shape),
    "flatten": lambda slots, start, stop: slots.reshape(flatten_shape(slots.shape, start, stop)),
    "transpose": lambda slots, perm: slots.transpose(perm),
    "t": lambda slots: slots.T,
    "squeeze": _squeeze,
    "unsqueeze": lambda slots, axis: np.expand_dims(slots, axis),
}
"""The views that are not written with brackets: how they rearrange a table."""


def has_strides(slots: Array) -> bool:
    """True if the slot is an offset plus a fixed step along each axis: then a view can show the table.

    The steps are computed next to the first element; the table that they give is compared with the actual one.
    """
    if slots.size == 0:
        return True
    first = slots[(0,) * slots.ndim]
    steps = [
        slots[tuple(int(k == axis) for k in range(slots.ndim))] - first if n > 1 else 0
        for axis, n in enumerate(slots.shape)
    ]
    places = np.indices(slots.shape).reshape(slots.ndim, slots.size)
    return bool(np.array_equal(first + np.array(steps, dtype=int) @ places, slots.ravel()))
