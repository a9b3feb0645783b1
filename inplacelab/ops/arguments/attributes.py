"""Arguments that are no tensors: shapes and numbers, checked; and numbers in the form in which they meet a tensor."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, isnan
from numbers import Number
from operator import index as as_integer
from typing import Any

import numpy as np

from inplacelab import errors
from inplacelab.tensor import Tensor

REAL = frozenset((int, float))
"""The types of nearly all numbers: to ask whether one is a `Number`, whatever that may be, takes longer than to add it."""

FEW = 50
"""Up to so many numbers, Python looks through a list of them sooner than NumPy gets under way."""


def sizes_of(op: str, shape: Any) -> list[int]:
    """A shape, however it was given: a number, a sequence, a tensor."""
    sizes = shape.tolist() if hasattr(shape, "tolist") else shape
    try:
        return [
            as_integer(n) for n in (sizes if isinstance(sizes, Sequence) and not isinstance(sizes, str) else [sizes])
        ]
    except TypeError:
        raise errors.bad_shape(op=op, shape=shape) from None


def plain_number(x: Any, value: Any) -> Any:
    """A factor, an exponent, a value to fill with: a Python number, or a tensor of one element."""
    if type(value) in REAL:
        return value
    if isinstance(value, Tensor):
        if not value.stop_gradient:
            raise errors.factor_needs_gradient(tensor=value)
        value = value.item()
    if not isinstance(value, Number | np.bool_):
        raise errors.not_a_number(value=value)
    if isinstance(value, complex) and x.dtype.kind != "c":
        raise errors.cannot_promote(x=x.dtype.name, y="complex", op="number")
    return value


def number_for(x: Any, value: Any) -> Any:
    """The same for a number that `x` has to hold."""
    number = plain_number(x, value)
    check_holds(x.dtype, number)
    return number


def number_with(x: Any, value: Any) -> Any:
    """The same for a number that `x` is computed with: a product of a truth value and NaN is no truth value, either."""
    number = plain_number(x, value)
    check_holds(x.dtype, number, kinds="biu")
    return number


def check_holds(dtype: np.dtype[Any], number: Any, kinds: str = "iu") -> None:
    """Refuse NaN and infinity where integers are stored: whatever would be written in their place is no such number.

    Truth values can hold them: they are True, like all that is not zero.
    """
    if dtype.kind in kinds and isinstance(number, float | np.floating) and not isfinite(number):
        raise errors.fill_value_not_finite(shown="NaN" if isnan(number) else "infinite", value=number, dtype=dtype.name)


def check_keeps_imaginary(op: str, dtype: np.dtype[Any], given: np.dtype[Any]) -> None:
    """Refuse to write complex numbers where real ones are stored. A cast is another matter: it is asked for by name."""
    if given.kind == "c" and dtype.kind != "c":
        raise errors.imaginary_part_lost(op=op, given=given.name, held=dtype.name)


def check_all_hold(op: str, dtype: np.dtype[Any], values: Any) -> None:
    """Refuse NaN and infinity among the values of an array that are about to be cast to integers.

    To find the least and the largest takes no memory; and NaN is both, of any values it is among.
    """
    if dtype.kind not in "iu" or values.dtype.kind not in "fc" or not values.size:
        return
    for number in np.stack([values.real.min(), values.real.max()]).tolist():  # on a GPU one wait, for both
        if not isfinite(number):
            raise errors.no_such_integer(op=op, value=number, dtype=dtype.name)


# ---- constants ----------------------------------------------------------------------------------------------------------

_constants: dict[tuple[Any, Any], Any] = {}


def constant(value: Any, dtype: np.dtype[Any]) -> Any:
    """A number as an array without axes, in the dtype of the tensor it meets; cached, because making one takes longer
    than a small kernel.
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


def _number(value: Any, dtype: np.dtype[Any]) -> Any:
    """A Python number in `dtype`; towards zero for integers, as in Paddle. One that is too large is infinite, without a remark:
    where a filter makes errors of remarks, that would keep the kernel from computing (see `template.parts.launch`).
    """
    with np.errstate(all="ignore"):
        return np.asarray(value).astype(dtype)
