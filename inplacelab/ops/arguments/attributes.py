"""Arguments that are not tensors: checks and conversions of shapes and numbers; and checks of indices, all made before the first write."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import isfinite, isnan
from numbers import Number
from operator import index as as_integer
from typing import Any, NamedTuple

import numpy as np

from inplacelab import errors
from inplacelab.language import Text
from inplacelab.layout import Shape, normal_axis
from inplacelab.tensor import Tensor

REAL = frozenset((int, float))
"""The types of nearly all numbers: the general test `isinstance(value, Number)` takes longer than an addition."""

FEW = 50
"""Up to this many numbers, Python checks a list faster than NumPy."""


def bad_value(op: str, argument: str, value: Any, en: str, zh: str) -> errors.Refusal:
    """Returns the refusal of an argument's value, with what is possible in both languages."""
    return errors.bad_argument(op=op, argument=argument, value=value, possible=Text(en, zh))


def sizes_of(op: str, shape: Any) -> list[int]:
    """Returns a shape argument (a number, a sequence, or a tensor) as a list of sizes."""
    found = _integers(shape)
    if found is None:
        raise errors.bad_shape(op=op, shape=shape)
    return found


def strides_of(op: str, stride: Any) -> list[int]:
    """Returns an argument with strides, in the same forms, as a list."""
    found = _integers(stride)
    if found is None:
        raise bad_value(op, "stride", stride, "one integer for each axis", "每个轴一个整数")
    return found


def _integers(shape: Any) -> list[int] | None:
    sizes = shape.tolist() if hasattr(shape, "tolist") else shape
    try:
        return [
            as_integer(n) for n in (sizes if isinstance(sizes, Sequence) and not isinstance(sizes, str) else [sizes])
        ]
    except TypeError:
        return None


def plain_number(x: Any, value: Any) -> Any:
    """Returns a factor, an exponent or a fill value as a Python number; also from a tensor of one element."""
    if type(value) in REAL:
        return value
    if isinstance(value, Tensor):
        if not value.stop_gradient:
            raise errors.factor_needs_gradient(tensor=value)
        value = value.item()
    if not isinstance(value, Number | np.bool_):
        raise errors.not_a_number(value=value)
    if isinstance(value, complex) and x.dtype.kind != "c":
        raise errors.number_does_not_fit(x=x.dtype.name, y="complex")
    return value


def number_for(x: Any, value: Any) -> Any:
    """Does the same for a number that `x` stores."""
    number = plain_number(x, value)
    check_holds(x.dtype, number)
    return number


def number_with(x: Any, value: Any) -> Any:
    """Does the same for a number that `x` is computed with: the product of a bool and NaN is not a bool."""
    number = plain_number(x, value)
    check_holds(x.dtype, number, kinds="biu")
    return number


def check_holds(dtype: np.dtype[Any], number: Any, kinds: str = "iu") -> None:
    """Refuses NaN and infinity for integer dtypes, which cannot represent them.

    Bools can: NaN and infinity are True, like all numbers except zero.
    """
    if dtype.kind in kinds and isinstance(number, float | np.floating) and not isfinite(number):
        raise errors.fill_value_not_finite(shown="NaN" if isnan(number) else "infinite", value=number, dtype=dtype.name)


def check_keeps_imaginary(op: str, dtype: np.dtype[Any], given: np.dtype[Any]) -> None:
    """Refuses to write complex numbers into a real tensor. An explicit `cast` is allowed."""
    if given.kind == "c" and dtype.kind != "c":
        raise errors.imaginary_part_lost(op=op, given=given.name, held=dtype.name)


def check_all_hold(op: str, dtype: np.dtype[Any], values: Any) -> None:
    """Refuses NaN and infinity in an array that will be cast to integers.

    Minimum and maximum need no memory, and both are NaN if any value is.
    """
    if dtype.kind not in "iu" or values.dtype.kind not in "fc" or not values.size:
        return
    for number in np.stack([values.real.min(), values.real.max()]).tolist():  # on a GPU one synchronization for both
        if not isfinite(number):
            raise errors.no_such_integer(op=op, value=number, dtype=dtype.name)


# ---- constants ----------------------------------------------------------------------------------------------------------

_constants: dict[tuple[Any, Any], Any] = {}


def constant(value: Any, dtype: np.dtype[Any]) -> Any:
    """Returns a number as an array without axes, in the dtype of the other operand; cached, because making one takes
    longer than a small kernel.
    """
    try:
        return _constants[value, dtype]
    except KeyError:
        made = _number(value, dtype)
        if value:  # 0.0 and -0.0 are equal keys but different numbers
            if len(_constants) > 1000:
                _constants.clear()
            _constants[value, dtype] = made
        return made


@cache
def zero(dtype: np.dtype[Any]) -> Any:
    """Returns zero as an array without axes. `constant` does not keep it."""
    return np.zeros((), dtype)


def _number(value: Any, dtype: np.dtype[Any]) -> Any:
    """A Python number in `dtype`; rounded towards zero for integers, as in Paddle. A number that is too large becomes infinite
    without a warning: if warnings are errors, one would keep the kernel from running (see `template.parts.launch`).
    """
    with np.errstate(all="ignore"):
        return np.asarray(value).astype(dtype)


def packed(x: Any) -> Any:
    """Returns a contiguous array in row-major order: `x`, if it is one, else a copy."""
    return x if x.flags.c_contiguous else x.copy()


# ---- indices: lists of positions -----------------------------------------------------------------------------------------


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


# ---- indices along an axis, for the operations `..._along_axis` ------------------------------------------------------------
# An index has the shape of the elements that are read or written. Its values are positions on the axis; on the other axes an
# element of the index selects its own position.


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
