"""Helpers for the kernels and derivatives of several chapters of the table."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from operator import index
from typing import Any

import numpy as np

from inplacelab import errors
from inplacelab.ops.arguments.attributes import REAL, constant
from inplacelab.tensor import Tensor

quietly = np.errstate(all="ignore")
"""For kernels of several steps: a warning in the first must not keep the second from running (see `template.parts.launch`)."""


def conj(x: Tensor) -> Tensor:
    """Returns the conjugate of a complex tensor; a real one unchanged; derivatives of products use it."""
    return x.conj() if x.array.dtype.kind == "c" else x


def room(out: Any, x: Any, device: Any) -> Any:
    """Returns an array for the intermediate results of a kernel: `out`, unless the kernel still has to read `x` there."""
    if out is not x:
        return out
    device.ledger.borrow(out.nbytes)
    return np.empty_like(out)


def power(out: Any, x: Any, y: Any, device: Any) -> None:
    """Computes `x ** y`. An integer to a negative power is rounded towards zero: 1 or -1 for those two, else 0, as in Paddle.
    NumPy refuses negative powers of integers.
    """
    if out.dtype.kind not in "iu" or not np.any(y < 0):
        np.power(x, y, out)
        return
    device.ledger.borrow(y.nbytes + 2 * out.size)
    vanish = (y < 0) & (x != 1)
    np.logical_and(vanish, x != -1, out=vanish)
    np.power(x, np.absolute(y), out)
    np.copyto(out, 0, where=vanish)


def start(out: Any, x: Any) -> None:
    """Copies the elements of `x` to `out`, for a kernel that then changes some of them. In place they are there already."""
    if out is not x:
        np.copyto(out, x)


def packed(x: Any) -> Any:
    """Returns a contiguous array in row-major order: `x`, if it is one, else a copy."""
    return x if x.flags.c_contiguous else x.copy()


def clip_into(out: Any, x: Any, min: Any, max: Any) -> None:
    """Raises elements below `min` to it, then lowers those above `max` to it. nan stays nan."""
    if min is not None:
        x = np.maximum(x, constant(min, out.dtype), out=out)
    if max is not None:
        x = np.minimum(x, constant(max, out.dtype), out=out)
    start(out, x)


def in_dtype_of_result(ufunc: Any) -> Callable[..., None]:
    """Makes a kernel that converts integers to the result's dtype first; otherwise NumPy computes small ones in float16."""

    def of_one(out: Any, x: Any) -> None:
        ufunc(x, out, dtype=out.dtype)

    def of_two(out: Any, x: Any, y: Any) -> None:
        ufunc(x, y, out, dtype=out.dtype)

    return of_one if ufunc.nin == 1 else of_two


def whole_number(op: str, argument: str) -> Callable[[Any, Any], Any]:
    """Makes a check for an attribute that must be an integer."""

    def check(x: Any, value: Any) -> Any:
        try:
            return index(value)
        except TypeError:
            raise errors.not_an_integer(op=op, argument=argument, position=2, value=value) from None

    return check


def scalar(op: str, argument: str, *, optional: bool = False) -> Callable[[Any, Any], Any]:
    """Makes a check for an attribute that must be a real number; None is accepted if `optional`."""

    def check(x: Any, value: Any) -> Any:
        if type(value) in REAL:
            return value
        if isinstance(value, Tensor) and value.size == 1:
            if not value.stop_gradient:
                raise errors.factor_needs_gradient(tensor=value)
            value = value.item()
        if not (isinstance(value, Real | np.bool_) or (optional and value is None)):
            raise errors.not_a_scalar(op=op, argument=argument, value=value)
        return value

    return check
