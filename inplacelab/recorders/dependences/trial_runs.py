"""Finds what a function moves, and what it adds up, by running it again: on the numbers of the elements, or on one element after the other.

Only functions that are named here are run, on a few small arrays, before the program's own call. They read no random numbers and write nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from inplacelab.dependence import MOST_PLACES, Dependence, listed
from inplacelab.recorders.dependences.call import Call, Found, Shape

__all__ = ["by_trial"]

_MOVING = frozenset({
    "block_diag", "cartesian_prod", "channel_shuffle", "column_stack", "combinations", "crop", "diag", "diag_embed", "diagflat", "diagonal_scatter", "dstack",
    "flip", "fliplr", "flipud", "hstack", "meshgrid", "nearest_interp", "pad", "pad3d", "pixel_shuffle", "pixel_unshuffle", "repeat", "roll", "rot90",
    "row_stack", "select_scatter", "slice_scatter", "split", "split_with_num", "squeeze_copy", "tile", "tril", "triu", "unfold", "unstack", "vstack",
})  # fmt: skip
"""Functions whose results are elements of their tensors in other places, or constants."""
_MOVING_FIRST = frozenset({"repeat_interleave", "repeat_interleave_with_tensor_index"})
"""The same of the first tensor: the others are indices."""
_ADDING = frozenset({
    "bicubic_interp", "bilinear_interp", "cumulative_trapezoid", "diff", "fold", "linear_interp", "trace", "trapezoid", "trilinear_interp",
})  # fmt: skip
"""Functions whose results are sums of elements of their first tensor, times numbers."""
_ENLARGING = frozenset({"interpolate", "upsample"})
"""Functions that do either, as their `mode` says."""
_FIRST = 1 << 40
"""Numbers of elements begin here, so that a constant that a function writes is none of them."""
MOST_RUNS = 256
"""Of a tensor with more elements, not each one is tried."""


def by_trial(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:
    """Returns the dependence of a call that moves or adds elements; None of any other, or if they are too many.

    Args:
        call: the call.
        plain: its name without the underscore of an in-place operation.
        shapes: the shapes of its tensors.
    """
    if plain in _ENLARGING:
        mode = str(call.named("x", "size", "scale", "mode").get("mode", "nearest"))
        return _moved(call, shapes[:1]) if mode.startswith("nearest") else _added(call, shapes[0])
    if plain in _MOVING or plain in _MOVING_FIRST:
        return _moved(call, shapes if plain in _MOVING else shapes[:1])
    return _added(call, shapes[0]) if plain in _ADDING else None


def _moved(call: Call, shapes: Sequence[Shape]) -> Found:
    ends = np.cumsum([prod(shape) for shape in shapes])
    if ends[-1] > MOST_PLACES:
        return None
    numbers = np.split(np.arange(_FIRST, _FIRST + ends[-1], dtype=np.float64), ends[:-1])
    found = call.on([each.reshape(shape) for each, shape in zip(numbers, shapes, strict=True)])
    if isinstance(found, tuple):
        return tuple(_places(each, ends[-1]) for each in found)
    return _places(found, ends[-1])


def _places(found: Any, count: int) -> Dependence | None:
    known = (found >= _FIRST) & (found < _FIRST + count)
    places = np.where(known, found - _FIRST, -1).astype(int).reshape(-1)
    return None if places.size > MOST_PLACES else Dependence("moved", places=tuple(places.tolist()))


def _added(call: Call, shape: Shape) -> Dependence | None:
    if prod(shape) > MOST_RUNS:
        return None
    ones = np.eye(prod(shape)).reshape(-1, *shape)
    weights = np.array([call.on([each]).reshape(-1) for each in ones]).T
    if weights.size > MOST_RUNS * MOST_PLACES:
        return None
    groups = [np.flatnonzero(row) for row in weights]
    return listed(
        [each.tolist() for each in groups], [row[group].tolist() for row, group in zip(weights, groups, strict=True)]
    )
