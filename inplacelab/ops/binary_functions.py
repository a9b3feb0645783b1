"""Functions of two numbers: lengths, angles, signs, and the incomplete gamma function, which needs SciPy."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np

from inplacelab import dtypes, errors
from inplacelab.ops.arguments.attributes import FEW, constant
from inplacelab.ops.arguments.operands import alike, floating
from inplacelab.ops.results.kernel_tools import in_dtype_of_result, quietly
from inplacelab.ops.table import elementwise
from inplacelab.ops.table.row import ZERO, NoFormula
from inplacelab.tensor import Tensor

# ---- lengths and angles -------------------------------------------------------------------------------------------------------

HYPOT = elementwise(
    "hypot", "x, y", ("The length of the hypotenuse: the square root of `x * x + y * y`.", "斜边长：`x * x + y * y` 的平方根。"),
    ufunc=np.hypot, kernel=in_dtype_of_result(np.hypot), plain_kinds="f", cuda="hypot(x, y)",
    accepts="f", accepts_ordinary="fi", dtype=floating("hypot"),
    d_x=lambda g, x, out: g * (x / out),
    d_y=lambda g, y, out: g * (y / out),
)  # fmt: skip


def _turn(g: Tensor, side: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """`side / (x * x + y * y)`, without squares that could overflow."""
    length = x.hypot(y)
    return g * (side / length / length)


ATAN2 = elementwise(
    "atan2", "x, y", ("The angle of the point (y, x): the arc tangent of `x / y`, in the quadrant of the point.", "点 (y, x) 的辐角：`x / y` 的反正切，取正确的象限。"),
    ufunc=np.arctan2, kernel=in_dtype_of_result(np.arctan2), plain_kinds="f", cuda="atan2(x, y)",
    accepts="fi", dtype=floating("atan2", integers=dtypes.float64.numpy),
    d_x=lambda g, x, y: _turn(g, y, x, y),
    d_y=lambda g, x, y: _turn(g, x, x, y).scale(-1.0),
)  # fmt: skip
LOGADDEXP = elementwise(
    "logaddexp", "x, y", ("The logarithm of `exp(x) + exp(y)`, without overflow.", "`exp(x) + exp(y)` 的对数，不会上溢。"),
    ufunc=np.logaddexp, kernel=in_dtype_of_result(np.logaddexp), plain_kinds="f",
    cuda="x == y ? x + T(0.6931471805599453) : x > y ? x + log1p(exp(y - x)) : x < y ? y + log1p(exp(x - y)) : x - y",
    accepts="fi", dtype=floating("logaddexp"), in_place=False,
    d_x=lambda g, x, y: g * (x - y).sigmoid(),
    d_y=lambda g, x, y: g * (y - x).sigmoid(),
)  # fmt: skip


@quietly
def _copysign(out: Any, x: Any, y: Any, device: Any) -> None:
    if out.dtype.kind == "f":
        np.copysign(x, y, out)
        return
    device.ledger.borrow(y.size)
    negative = np.less(y, 0)  # read before `out`, which may be the same array, is written
    np.absolute(x, out)
    if out.dtype.kind == "i":
        np.multiply(out, constant(-1, out.dtype), out, where=negative)


COPYSIGN = elementwise(
    "copysign", "x, y", ("The magnitude of `x` with the sign of `y`.", "取 `x` 的绝对值与 `y` 的符号。"),
    kernel=_copysign, accepts="fib", numbers=("y",), cuda={"f": "copysign(x, y)", "i": "y < 0 ? -abs(x) : abs(x)"},
    d_x=lambda g, x, out: g * (out / x)._outside(x == 0),
    d_y=ZERO,
)  # fmt: skip

NEXTAFTER = elementwise(
    "nextafter", "x, y", ("The floating-point number next to `x` in the direction of `y`.", "从 `x` 朝 `y` 方向的下一个浮点数。"),
    ufunc=np.nextafter, kernel=in_dtype_of_result(np.nextafter), plain_kinds="f",
    cuda={"f": "nextafter(x, y)", "float16": ""},  # a neighbor in single precision would be rounded back to `x`
    accepts="f", dtype=floating("nextafter"), in_place=False,
)  # fmt: skip

# ---- powers of two ------------------------------------------------------------------------------------------------------------


def _scaled(x: np.dtype[Any], y: np.dtype[Any]) -> np.dtype[Any]:
    """The result dtype of a number times a power of two: any two real dtypes are allowed."""
    for dtype in (x, y):
        if dtype.kind == "c":
            raise errors.kernel_not_registered(dtype=dtype.name, op="ldexp")
    return np.promote_types(dtypes.floating(x), y) if y.kind == "f" else dtypes.floating(x)


@quietly
def _ldexp(out: Any, x: Any, y: Any, device: Any) -> None:
    if y.dtype.kind in "iu":  # only the exponent changes: exact, and nothing overflows on the way
        np.ldexp(x, y, out, casting="same_kind")
        return
    device.ledger.borrow(y.size * out.itemsize)
    np.multiply(x, np.exp2(y, dtype=out.dtype), out)


LDEXP = elementwise(
    "ldexp", "x, y", ("Multiply by a power of two: `x * 2 ** y`.", "乘以 2 的幂：`x * 2 ** y`。"),
    kernel=_ldexp, dtype=_scaled, cuda={"f": "x * exp2(y)"},
    d_x=lambda g, y: g.ldexp(y),
    d_y=lambda g, out: (g * out).scale(log(2.0)),
)  # fmt: skip

# ---- the incomplete gamma function ----------------------------------------------------------------------------------------------


def _check_gamma(x: Any, y: Any) -> None:
    for argument, values in (("x", x), ("y", y)):
        if _some_below_zero(values):
            raise errors.negative_argument(argument=argument, op="gammainc")


_BELOW_ZERO = (0.0).__gt__
"""Tests whether a float is below zero, without a Python frame; NaN is not."""


def _some_below_zero(values: Any) -> bool:
    if values.size > FEW:
        return bool(np.fmin.reduce(values, axis=None) < 0)  # (the smallest, leaving out NaN)
    return any(map(_BELOW_ZERO, values.ravel().tolist()))


def _gammainc(out: Any, x: Any, y: Any, special: Any) -> None:
    special.gammainc(x, y, out)


def _gammaincc(out: Any, x: Any, y: Any, special: Any) -> None:
    special.gammaincc(x, y, out)


@quietly
def _gamma_density(out: Any, x: Any, y: Any, special: Any, device: Any) -> None:
    device.ledger.borrow(x.nbytes)
    np.subtract(x, constant(1, x.dtype), out)
    special.xlogy(out, y, out)
    np.subtract(out, y, out)
    np.subtract(out, special.gammaln(x), out)
    np.exp(out, out)


_GAMMA_DENSITY = elementwise(
    "_gamma_density", "x, y",
    ("The slope of `gammainc` in `y`: `y ** (x - 1) * exp(-y) / gamma(x)`.", "`gammainc` 对 `y` 的导数：`y ** (x - 1) * exp(-y) / gamma(x)`。"),
    kernel=_gamma_density, accepts="f", dtype=alike("gammainc"), in_place=False, function=False,
    d_x=NoFormula("gammainc", "x"),
    d_y=lambda g, x, y, out: g * (out * (x.scale(1.0, -1.0) / y).scale(1.0, -1.0)),
)  # fmt: skip
GAMMAINC = elementwise(
    "gammainc", "x, y", ("The regularized lower incomplete gamma function P(x, y).", "正则化下不完全伽马函数 P(x, y)。"),
    kernel=_gammainc, accepts="f", dtype=alike("gammainc"), validate=_check_gamma,
    d_x=NoFormula("gammainc", "x"),
    d_y=lambda g, x, y: g * x._gamma_density(y),
)  # fmt: skip
GAMMAINCC = elementwise(
    "gammaincc", "x, y", ("The regularized upper incomplete gamma function Q(x, y) = 1 - P(x, y).", "正则化上不完全伽马函数 Q(x, y) = 1 - P(x, y)。"),
    kernel=_gammaincc, accepts="f", dtype=alike("gammaincc"), validate=_check_gamma,
    d_x=NoFormula("gammaincc", "x"),
    d_y=lambda g, x, y: (g * x._gamma_density(y)).scale(-1.0),
)  # fmt: skip
