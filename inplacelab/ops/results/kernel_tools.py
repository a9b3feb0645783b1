"""What the kernels and derivatives of several chapters share."""

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
"""For kernels of several steps: a remark on the first must not keep the second from being taken (see `template.parts.launch`)."""


def conj(x: Tensor) -> Tensor:
    """Conjugate a complex tensor; a real one is its own conjugate. A product with `y` has `g` times that of `y` as its derivative."""
    return x.conj() if x.array.dtype.kind == "c" else x


def room(out: Any, x: Any, device: Any) -> Any:
    """Where a kernel of several steps puts what comes before its last step: into `out`, unless it still has to read `x` there."""
    if out is not x:
        return out
    device.ledger.borrow(out.nbytes)
    return np.empty_like(out)


def power(out: Any, x: Any, y: Any, device: Any) -> None:
    """`x ** y`. Of an integer to a negative power its integer part is left: 1 or -1 for those two, else 0, as in Paddle.
    NumPy refuses them.
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
    """Begin with the elements of `x`, for a kernel that then changes some of them. In place they are there already."""
    if out is not x:
        np.copyto(out, x)


def packed(x: Any) -> Any:
    """The elements one after the other, the last axis first: itself if they lie so, else a copy."""
    return x if x.flags.c_contiguous else x.copy()


def clip_into(out: Any, x: Any, min: Any, max: Any) -> None:
    """Raise what is below `min`, then lower what is above `max`. nan stays nan."""
    if min is not None:
        x = np.maximum(x, constant(min, out.dtype), out=out)
    if max is not None:
        x = np.minimum(x, constant(max, out.dtype), out=out)
    start(out, x)


def in_dtype_of_result(ufunc: Any) -> Callable[..., None]:
    """A kernel that converts integers to the result's dtype first: left to itself, NumPy computes small ones in float16."""

    def of_one(out: Any, x: Any) -> None:
        ufunc(x, out, dtype=out.dtype)

    def of_two(out: Any, x: Any, y: Any) -> None:
        ufunc(x, y, out, dtype=out.dtype)

    return of_one if ufunc.nin == 1 else of_two


def whole_number(op: str, argument: str) -> Callable[[Any, Any], Any]:
    """A check for an attribute that must be an integer."""

    def check(x: Any, value: Any) -> Any:
        try:
            return index(value)
        except TypeError:
            raise errors.not_an_integer(op=op, argument=argument, position=2, value=value) from None

    return check


def scalar(op: str, argument: str, *, optional: bool = False) -> Callable[[Any, Any], Any]:
    """A check for an attribute that must be a real number, or None where that is possible."""

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
