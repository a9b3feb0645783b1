"""Checks of indices, all made before the first write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from inplacelab import errors
from inplacelab.layout import Shape, normal_axis
from inplacelab.ops.arguments.attributes import FEW


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
