"""Helpers for the kernels and derivatives of several chapters of the table."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
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


def scratch(out: Any, x: Any, device: Any) -> Any:
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


_BITS = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64}
"""An integer type for the bits of an element, by its size in bytes."""

_FEW = 500
"""Up to so many elements, a test of each takes no longer than the steps without one."""


def keep_where(out: Any, x: Any, mask: Any, device: Any) -> None:
    """Writes `x` where the mask is true and zero elsewhere. All have the shape of `out`, or are broadcast to it; `out` may be `x`.

    The bits of many elements are multiplied by 0 or 1: so inf and nan need no care, and no branch is mispredicted. With a random
    mask of 64 by 256 elements, `np.copyto(out, x, where=mask)` takes ten times as long.
    """
    bits = _bits_of(out, x)
    if bits is not None:
        _borrow_buffer(out, device)
        np.multiply(x.view(bits), mask, out.view(bits))
    elif out is x:
        device.ledger.borrow(mask.nbytes)
        np.copyto(out, constant(0, out.dtype), where=np.logical_not(mask))
    else:
        np.copyto(out, constant(0, out.dtype))
        np.copyto(out, x, where=mask)


def choose(out: Any, mask: Any, x: Any, y: Any, device: Any) -> None:
    """Writes `x` where the mask is true and `y` elsewhere. All have the shape of `out`, or are broadcast to it; `out` may be `x`,
    but not `y`.

    Many elements are chosen without a branch: `y ^ ((x ^ y) * mask)`, computed with their bits.
    """
    bits = _bits_of(out, x, y)
    if bits is not None:
        _borrow_buffer(out, device)
        chosen, other = out.view(bits), y.view(bits)
        np.bitwise_xor(x.view(bits), other, chosen)
        np.multiply(chosen, mask, chosen)
        np.bitwise_xor(chosen, other, chosen)
    elif out is x:
        device.ledger.borrow(mask.nbytes)
        np.copyto(out, y, where=np.logical_not(mask))
    else:
        np.copyto(out, y)
        np.copyto(out, x, where=mask)


def _bits_of(out: Any, *operands: Any) -> Any:
    """The integer type for the bits of many elements; None for few, or if the operands need a conversion."""
    alike = out.size > _FEW and all(each.dtype == out.dtype for each in operands)
    return _BITS.get(out.itemsize) if alike else None


def _borrow_buffer(out: Any, device: Any) -> None:
    """Reports what NumPy converts a mask in, a part at a time."""
    device.ledger.borrow(min(out.size, np.getbufsize()) * out.itemsize)


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


def launcher(row: Any, variant: str) -> Callable[..., bool]:
    """Launches the row's CUDA kernel. It is made on first use, which never happens on the CPU."""

    @cache
    def made() -> Callable[..., bool]:
        from inplacelab.ops.cuda.own_kernels import Launcher  # noqa: PLC0415

        return Launcher(row, variant)

    return lambda *given, **attributes: made()(*given, **attributes)
