"""Checks of indices, all made before the first write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from inplacelab import errors
from inplacelab.layout import Shape, normal_axis
from inplacelab.ops.arguments.attributes import FEW
from inplacelab.ops.results.kernel_tools import packed


class Positions(NamedTuple):
    """A key for NumPy, and the shape of the elements that it selects."""

    keys: tuple[Any, ...]
    shape: Shape

    @classmethod
    def counted(cls, places: Any) -> Positions:
        """Positions in a vector that a kernel or a derivative computed: they need no check."""
        return cls((places,), places.shape)


Refuse = Callable[[str, int, int], Exception]
"""What makes the refusal of an index: of the operation, the index, and the size of the axis."""


def as_index_error(op: str, index: int, size: int) -> Exception:
    """As `gather`, `scatter` and `put_along_axis` refuse an index in Paddle."""
    return errors.index_beyond_axis(op=op, index=index, size=size, last=_last(size))


def as_value_error(op: str, index: int, size: int) -> Exception:
    """As `index_select` and `index_add` refuse it."""
    return errors.selected_index_beyond_axis(op=op, index=index, size=size, last=_last(size))


def as_value_error_of_range(op: str, index: int, size: int) -> Exception:
    """As `gather_nd` refuses it."""
    return errors.gathered_index_beyond_axis(op=op, index=index, size=size, last=_last(size))


def as_runtime_error(op: str, index: int, size: int) -> Exception:
    """As `put_along_axis` with `broadcast=False` refuses it, which checks the upper end apart."""
    if index < size:
        return as_index_error(op, index, size)
    return errors.index_above_axis(op=op, index=index, size=size, last=_last(size))


def _last(size: int) -> int:
    return max(size - 1, 0)


def check_range(op: str, index: Any, size: int, refusal: Refuse = as_index_error) -> None:
    """Refuses indices outside `[-size, size)`, and those that are not integers."""
    if index.dtype.kind != "i" or index.dtype.itemsize < 4:  # (a dtype's `name` is slow)
        raise errors.index_not_integer(op=op, dtype=index.dtype.name)
    if not index.size:
        return
    for extreme in _extremes(index):
        if not -size <= extreme < size:
            raise refusal(op, extreme, size)


def _extremes(index: Any) -> tuple[int, int]:
    if index.size > FEW:
        largest, smallest = np.stack((index.max(), index.min())).tolist()  # one synchronization for both
        return largest, smallest
    places = index.ravel().tolist()
    return max(places), min(places)


def check_list(
    op: str,
    index: Any,
    size: int,
    refusal: Refuse = as_index_error,
    *,
    single: bool = False,
) -> None:
    """Refuses an index that is not a list of positions on an axis (`single`: or one position).

    A column of positions, of shape `[n, 1]`, is a list too, as in Paddle.
    """
    if not (index.ndim == 1 or (index.ndim == 2 and index.shape[1] == 1) or (single and index.ndim == 0)):
        raise errors.index_not_a_list(op=op, shape=index.shape, rank=len(index.shape))
    check_range(op, index, size, refusal)


def check_dtype(op: str, argument: str, x: Any, value: Any) -> None:
    """Refuses a value whose dtype differs from that of the tensor that stores it."""
    if value.dtype != x.dtype:
        raise errors.written_dtype_differs(op=op, argument=argument, wanted=x.dtype.name, given=value.dtype.name)


def line_of(index: Any) -> Any:
    """Returns the positions as a contiguous vector of int64, which NumPy needs."""
    return index.ravel().astype(np.intp, copy=False)


def along(axis: int, places: Any) -> tuple[Any, ...]:
    """Returns the key that selects `places` on one axis, and all positions on those before it."""
    return (*(slice(None),) * axis, places)


def checked_axis(axis: Any, rank: int) -> int:
    """Returns an axis counted from the front; refuses it with an index error where Paddle does."""
    if not -rank <= axis < rank:
        raise errors.axis_out_of_range(rank=rank, last=rank - 1, axis=axis)
    return normal_axis(axis, rank)


def front_axis(x: Any, axis: Any) -> int:
    """Does the same, for `prepare`."""
    return checked_axis(axis, x.ndim)


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
