"""Indices along an axis, for the operations `..._along_axis`.

An index has the shape of the elements that are read or written. Its values are positions on the axis; on the other axes an
element of the index selects its own position.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from inplacelab import errors
from inplacelab.layout import Shape
from inplacelab.ops.arguments.index_checks import Refuse, as_index_error, check_range
from inplacelab.ops.results.kernel_tools import packed


class Along(NamedTuple):
    """The options of a write along an axis.

    Attributes:
        axis: the axis of the index.
        broadcast: whether index and values are broadcast to the shape of the target.
        include_self: whether the old values are combined with the written ones.
        largest: True for the maximum of several values, False for the minimum.
    """

    axis: int
    broadcast: bool = True
    include_self: bool = True
    largest: bool = False


def check_index(op: str, arr: Any, indices: Any, axis: int, refusal: Refuse = as_index_error) -> None:
    """Refuses an axis that does not exist, and an index with another number of axes, of no integers, or out of range."""
    if arr.ndim != indices.ndim:
        raise errors.index_rank_differs(op=op)
    if not -arr.ndim <= axis < arr.ndim:
        raise errors.along_axis_out_of_range(rank=arr.ndim)
    if indices.dtype.name not in ("int32", "int64"):
        raise errors.indices_not_integer(dtype=indices.dtype.name, op=op)
    check_range(op, indices, arr.shape[axis], refusal)


def index_shape(op: str, arr: Shape, indices: Shape, axis: int, broadcast: bool, *, widen: bool = False) -> Shape:
    """Returns the shape that the index is broadcast to: that of the tensor except for the axis; or (`broadcast=False`) its
    own, which must not be larger on the other axes. `widen`: the tensor may be broadcast, too.
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
    """Returns the shape with one element on the axis."""
    return (*shape[:axis], 1, *shape[axis + 1 :])


def key_of(index: Any, axis: int) -> tuple[Any, ...]:
    """Returns the index for NumPy: an array for each axis, in C order, so that of several writes to one slot the last counts."""
    key: list[Any] = list(np.indices(index.shape, sparse=True))
    key[axis] = packed(index)
    return tuple(key)


def slots_of(index: Any, shape: Shape, axis: int) -> Any:
    """Returns the flat positions in a tensor of that shape."""
    inside = index % max(shape[axis], 1)
    return np.ravel_multi_index(np.broadcast_arrays(*key_of(inside, axis)), shape)


def written_last(slots: Any, size: int) -> Any:
    """Returns True for each position that does not repeat later."""
    order = np.arange(slots.size, like=slots)
    last = np.empty(size, order.dtype, like=slots)
    last[slots.ravel()] = order
    return (last[slots.ravel()] == order).reshape(slots.shape)
