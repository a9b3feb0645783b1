"""Arguments that are not tensors: checks and conversions of shapes and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import isfinite, isnan
from numbers import Number
from operator import index as as_integer
from typing import Any

import numpy as np

from inplacelab import errors
from inplacelab.language import Text
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
    sizes = shape.tolist() if hasattr(shape, "tolist") else shape
    try:
        return [
            as_integer(n) for n in (sizes if isinstance(sizes, Sequence) and not isinstance(sizes, str) else [sizes])
        ]
    except TypeError:
        raise errors.bad_shape(op=op, shape=shape) from None


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
