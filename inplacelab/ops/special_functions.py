"""Special functions, computed by SciPy (the extra `special`), and functions of two numbers: lengths, angles, signs.

Each derivative is another function of the same family, so derivatives of any order exist:

    lgamma -> digamma -> polygamma(1) -> polygamma(2) -> ...        i0 -> i1 -> the Bessel functions of higher order

Source: NIST Digital Library of Mathematical Functions, https://dlmf.nist.gov, chapters 5, 7 and 10.
"""

from __future__ import annotations

from math import factorial, inf, log, pi, sqrt
from typing import Any

import numpy as np

from inplacelab import dtypes, errors
from inplacelab.ops.arguments.attributes import FEW, constant
from inplacelab.ops.arguments.operands import alike, floating
from inplacelab.ops.results.kernel_tools import conj, in_dtype_of_result, quietly, whole_number
from inplacelab.ops.table import elementwise, transcendental
from inplacelab.ops.table.row import ZERO, NoFormula
from inplacelab.tensor import Tensor

# ---- kernels ----------------------------------------------------------------------------------------------------------------


def _erf(out: Any, x: Any, special: Any) -> None:
    special.erf(x, out)


def _erfinv(out: Any, x: Any, special: Any) -> None:
    special.erfinv(x, out)


def _lgamma(out: Any, x: Any, special: Any, device: Any) -> None:
    """SciPy says -inf of -inf."""
    special.gammaln(x, out)
    device.ledger.borrow(out.size)
    np.copyto(out, constant(inf, out.dtype), where=out == -inf)


def _digamma(out: Any, x: Any, special: Any) -> None:
    special.digamma(x, out)


@quietly
def _polygamma(out: Any, x: Any, n: int, special: Any) -> None:
    """(-1) ** (n + 1) n! zeta(n + 1, x), the n-th derivative of digamma (DLMF 5.15.1)."""
    if n == 0:
        special.digamma(x, out)
        return
    special.zeta(constant(n + 1, out.dtype), x, out)
    np.multiply(out, constant((-1) ** (n + 1) * _factorial(n), out.dtype), out)


def _factorial(n: int) -> float:
    """n!, which is infinite as a float from 171! on."""
    return float(factorial(n)) if n <= 170 else float("inf")


@quietly
def _multigammaln(out: Any, x: Any, p: int, special: Any, device: Any) -> None:
    """The sum of lgamma(x - j / 2) over j < p, and p (p - 1) / 4 log(pi) (DLMF 35.3.4)."""
    total, term = np.empty_like(x), np.empty_like(x)
    device.ledger.borrow(total.nbytes + term.nbytes)
    total.fill(0.25 * p * (p - 1) * log(pi))
    for j in range(p):
        np.subtract(x, constant(0.5 * j, x.dtype), term)
        special.gammaln(term, term)
        np.add(total, term, total)
    np.copyto(out, total)


def _i0(out: Any, x: Any, special: Any) -> None:
    special.i0(x, out)


def _i1(out: Any, x: Any, special: Any) -> None:
    special.i1(x, out)


def _bessel_i(out: Any, x: Any, order: int, special: Any) -> None:
    special.iv(constant(order, out.dtype), x, out)


def _spherical_bessel(out: Any, x: Any, order: int, special: Any, device: Any) -> None:
    """Only numbers with a real part of at least 0 are given to SciPy, since versions before 1.15 answer NaN for the others:
    `j[n](-x)` is `(-1) ** n j[n](x)` (DLMF 10.47.14).
    """
    device.ledger.borrow(7 * x.size * np.result_type(x, np.float64).itemsize)  # at most: SciPy sorts by sign first
    turned = x.real < 0
    found = special.spherical_jn(order, np.where(turned, -x, x))
    np.copyto(out, np.where(turned, -found, found) if order % 2 else found, casting="same_kind")


# ---- derivatives and checks -------------------------------------------------------------------------------------------------


def _d_multigammaln(g: Tensor, x: Tensor, p: int) -> Tensor:
    terms = [x.scale(1.0, -0.5 * j).digamma() for j in range(p)]
    return g * sum(terms[1:], start=terms[0])


def _d_spherical_bessel(g: Tensor, x: Tensor, order: int) -> Tensor:
    """(n j[n-1] - (n+1) j[n+1]) / (2n+1), which holds at 0 too (DLMF 10.51.2)."""
    above = x._spherical_bessel(order + 1).scale((order + 1) / (2 * order + 1))
    below = x._spherical_bessel(abs(order - 1)).scale(order / (2 * order + 1))
    return g * conj(below - above)


def _dimension(x: Any, p: Any) -> int:
    if p < 1:
        raise errors.multigamma_order_below_one(p=p)
    return int(whole_number("multigammaln", "p")(x, p))


def _order(x: Any, n: Any) -> int:
    order = int(whole_number("polygamma", "n")(x, n))
    if order < 0:
        raise errors.negative_polygamma_order(n=order)
    return order


_REAL = {"accepts": "f", "accepts_ordinary": "fi"}

# ---- error function ---------------------------------------------------------------------------------------------------------

ERF = transcendental("erf", ("The error function.", "逐元素求误差函数。"), kernel=_erf, **_REAL, cuda="erf(x)",
               d_x=lambda g, x: g * x.square().scale(-1.0).exp().scale(2.0 / sqrt(pi)))  # fmt: skip
ERFINV = transcendental("erfinv", ("The inverse of the error function.", "逐元素求误差函数的反函数。"), kernel=_erfinv, **_REAL,
               d_x=lambda g, out: g * out.square().exp().scale(sqrt(pi) / 2.0))  # fmt: skip

# ---- gamma function ---------------------------------------------------------------------------------------------------------

LGAMMA = transcendental("lgamma", ("The logarithm of the magnitude of the gamma function.", "逐元素求伽马函数绝对值的对数。"), kernel=_lgamma,
               **_REAL, cuda="lgamma(x)", d_x=lambda g, x: g * x.digamma())  # fmt: skip
GAMMALN = elementwise("gammaln", "x", ("The same as `lgamma`, for floating-point tensors only.", "与 `lgamma` 相同；仅限浮点数。"), kernel=_lgamma, accepts="f",
            cuda="lgamma(x)",
            d_x=lambda g, x: g * x.digamma())  # fmt: skip
DIGAMMA = transcendental("digamma", ("The derivative of `lgamma`.", "逐元素求 `lgamma` 的导数（digamma 函数）。"), kernel=_digamma, **_REAL,
               d_x=lambda g, x: g * x.polygamma(1))  # fmt: skip
POLYGAMMA = transcendental("polygamma", ("The `n`-th derivative of `digamma`.", "逐元素求 `digamma` 的 `n` 阶导数。"), attrs="n", kernel=_polygamma,
               **_REAL, prepare={"n": _order}, d_x=lambda g, x, n: g * x.polygamma(n + 1))  # fmt: skip
MULTIGAMMALN = elementwise("multigammaln", "x", ("The logarithm of the multivariate gamma function of dimension `p`.", "逐元素求 `p` 维伽马函数的对数。"),
            attrs="p", kernel=_multigammaln, accepts="f", prepare={"p": _dimension}, d_x=_d_multigammaln)  # fmt: skip

# ---- Bessel functions -------------------------------------------------------------------------------------------------------

I0 = transcendental("i0", ("The modified Bessel function of order 0.", "逐元素求第一类 0 阶修正贝塞尔函数。"), kernel=_i0, **_REAL,
               d_x=lambda g, x: g * x.i1())  # fmt: skip
I1 = transcendental("i1", ("The modified Bessel function of order 1.", "逐元素求第一类 1 阶修正贝塞尔函数。"), kernel=_i1, **_REAL,
               in_place=False, d_x=lambda g, x: g * (x.i0() + x._bessel_i(2)).scale(0.5))  # fmt: skip
# The usual i0 - i1 / x is 0 / 0 at 0 (DLMF 10.29.1).
_BESSEL_I = elementwise("_bessel_i", "x", ("The modified Bessel function of a whole order.", "逐元素求第一类整数阶修正贝塞尔函数。"),
            attrs="order", kernel=_bessel_i, accepts="f", in_place=False, function=False,
            d_x=lambda g, x, order: g * (x._bessel_i(abs(order - 1)) + x._bessel_i(order + 1)).scale(0.5))  # fmt: skip
_SPHERICAL_BESSEL = elementwise("_spherical_bessel", "x", ("The spherical Bessel function of a whole order.", "逐元素求整数阶球贝塞尔函数。"),
            attrs="order", kernel=_spherical_bessel, accepts="fc", in_place=False, function=False,
            d_x=_d_spherical_bessel)  # fmt: skip


# ---- functions of two numbers, and the incomplete gamma function ------------------------------------------------------------

HYPOT = elementwise(
    "hypot", "x, y", ("The length of the hypotenuse: the square root of `x * x + y * y`.", "斜边长：`x * x + y * y` 的平方根。"),
    scalars=True, ufunc=np.hypot, kernel=in_dtype_of_result(np.hypot), plain_kinds="f", cuda="hypot(x, y)",
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
    scalars=True, kernel=_copysign, accepts="fib", numbers=("y",), cuda={"f": "copysign(x, y)", "i": "y < 0 ? -abs(x) : abs(x)"},
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
