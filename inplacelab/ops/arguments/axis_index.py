"""The places that an index along an axis names, for the operations `..._along_axis`.

An index has the shape of what is read or written. Off the axis it stands for its own place, on the axis for its value.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from inplacelab import errors
from inplacelab.layout import Shape
from inplacelab.ops.arguments.index_checks import Refuse, as_index_error, check_range
from inplacelab.ops.results.kernel_tools import packed


class Along(NamedTuple):
    """How to write along an axis.

    Attributes:
        axis: the axis along which the index counts.
        broadcast: whether index and values are broadcast to the shape of the target.
        include_self: whether what was there is combined with what is written.
        largest: of several the largest is taken, not the smallest.
    """

    axis: int
    broadcast: bool = True
    include_self: bool = True
    largest: bool = False


def check_index(op: str, arr: Any, indices: Any, axis: int, refusal: Refuse = as_index_error) -> None:
    """Refuse an axis that is not there, and an index of another number of axes, of no integers, or beyond the axis."""
    if arr.ndim != indices.ndim:
        raise errors.index_rank_differs(op=op)
    if not -arr.ndim <= axis < arr.ndim:
        raise errors.along_axis_out_of_range(rank=arr.ndim)
    if indices.dtype.name not in ("int32", "int64"):
        raise errors.indices_not_integer(dtype=indices.dtype.name, op=op)
    check_range(op, indices, arr.shape[axis], refusal)


def index_shape(op: str, arr: Shape, indices: Shape, axis: int, broadcast: bool, *, widen: bool = False) -> Shape:
    """The shape that the index is broadcast to: that of the tensor but for the axis; or its own (`broadcast=False`), if it is
    no larger than the tensor elsewhere. `widen`: the tensor may be broadcast, too.
    """
    axis %= len(arr)
    if not broadcast:
        if any(n > m for k, (n, m) in enumerate(zip(indices, arr, strict=True)) if k != axis):
            raise errors.index_too_large(index=indices, target=arr, axis=axis)
        return indices
    try:
        together = np.broadcast_shapes(off_axis(arr, axis), off_axis(indices, axis))
    except ValueError:
        raise errors.cannot_broadcast(x=arr, y=indices, op=op) from None
    if not widen and together != off_axis(arr, axis):
        raise errors.index_too_large(index=indices, target=arr, axis=axis)
    return (*together[:axis], indices[axis], *together[axis + 1 :])


def off_axis(shape: Shape, axis: int) -> Shape:
    """The shape with one element on the axis."""
    return (*shape[:axis], 1, *shape[axis + 1 :])


def key_of(index: Any, axis: int) -> tuple[Any, ...]:
    """The index as NumPy wants it: an array for each axis. In C order, so that of several writes to one place the last stays."""
    key: list[Any] = list(np.indices(index.shape, sparse=True))
    key[axis] = packed(index)
    return tuple(key)


def slots_of(index: Any, shape: Shape, axis: int) -> Any:
    """The places counted through all elements of a tensor of that shape."""
    inside = index % max(shape[axis], 1)
    return np.ravel_multi_index(np.broadcast_arrays(*key_of(inside, axis)), shape)


def written_last(slots: Any, size: int) -> Any:
    """True for each place that is not named again further on."""
    order = np.arange(slots.size, like=slots)
    last = np.empty(size, order.dtype, like=slots)
    last[slots.ravel()] = order
    return (last[slots.ravel()] == order).reshape(slots.shape)
