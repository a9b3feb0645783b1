"""Exponentials and logarithms, powers and multiples, trigonometric and hyperbolic functions.

Integers become floating-point numbers in exponentials and logarithms; for them the in-place variant is in name only.

The parameters of a derivative are what backward keeps. `sqrt` keeps `out`, so it can overwrite its input without a copy.
`square` keeps `x`: in place, a copy of it. `tanh` keeps the result, too. `tan` could do the same, but keeps `x`, as in Paddle: a
chain `x.tan_().tan_()` would otherwise overwrite the saved tensor of the first.
"""

from __future__ import annotations

from math import log, nan, pi
from typing import Any

import numpy as np

from inplacelab import dtypes, errors
from inplacelab.language import Text
from inplacelab.ops.arguments.attributes import constant, number_with
from inplacelab.ops.comparisons_and_logic import chosen
from inplacelab.ops.results.kernel_tools import conj, power, quietly, scalar, start
from inplacelab.ops.table import elementwise, transcendental
from inplacelab.ops.table.row import ZERO, Times
from inplacelab.tensor import Tensor


@quietly
def _logit(out: Any, x: Any, eps: float | None, device: Any) -> None:
    """log(x / (1 - x)), with x clipped to [eps, 1 - eps] first."""
    rest = np.empty_like(x, out.dtype)
    device.ledger.borrow(rest.nbytes)
    if eps:
        x = np.clip(x, constant(eps, out.dtype), constant(1 - eps, out.dtype), out=out)
    np.subtract(constant(1, out.dtype), x, rest)
    np.divide(x, rest, out)
    np.log(out, out)


def _d_logit(g: Tensor, x: Tensor, eps: float | None) -> Tensor:
    """0 outside [eps, 1 - eps], and NaN outside [0, 1], where there is no result. The slope there is computed at a bound, since it could be infinite, and 0 * inf is nan."""
    within = x.clip(eps, 1 - eps) if eps else x
    slope = g / (within * within.scale(-1.0, 1.0))
    if not eps:
        return slope.masked_fill((x < 0).logical_or(x > 1), nan)
    return slope._outside(x < eps)._outside(x > 1 - eps)


_INTEGERS_TOO = {"accepts": "fic"}

EXP = transcendental("exp", ("e to the power of each element.", "逐元素求 e 的幂。"), ufunc=np.exp, cuda="exp(x)", **_INTEGERS_TOO,
               d_x=Times(lambda out: conj(out)))  # fmt: skip
EXP2 = transcendental("exp2", ("2 to the power of each element.", "逐元素求 2 的幂。"), ufunc=np.exp2, cuda="exp2(x)", accepts="fi",
               d_x=lambda g, out: (g * out).scale(log(2.0)))  # fmt: skip
EXPM1 = transcendental("expm1", ("exp(x) - 1, accurate even near 0.", "逐元素求 exp(x) - 1，在 0 附近也精确。"), ufunc=np.expm1, cuda="expm1(x)", **_INTEGERS_TOO,
               d_x=lambda g, out: g * conj(out).scale(1.0, 1.0))  # fmt: skip
LOG = transcendental("log", ("The natural logarithm of each element.", "逐元素求自然对数。"), ufunc=np.log, cuda="log(x)", **_INTEGERS_TOO,
               d_x=lambda g, x: g / conj(x))  # fmt: skip
LOG2 = transcendental("log2", ("The logarithm to base 2.", "逐元素求以 2 为底的对数。"), ufunc=np.log2, cuda="log2(x)", **_INTEGERS_TOO,
               d_x=lambda g, x: g / conj(x).scale(log(2.0)))  # fmt: skip
LOG10 = transcendental("log10", ("The logarithm to base 10.", "逐元素求以 10 为底的对数。"), ufunc=np.log10, cuda="log10(x)", **_INTEGERS_TOO,
               d_x=lambda g, x: g / conj(x).scale(log(10.0)))  # fmt: skip
LOG1P = transcendental("log1p", ("log(1 + x), accurate even near 0.", "逐元素求 log(1 + x)，在 0 附近也精确。"), ufunc=np.log1p, cuda="log1p(x)", **_INTEGERS_TOO,
               d_x=lambda g, x: g / conj(x).scale(1.0, 1.0))  # fmt: skip
LOGIT = transcendental("logit", ("log(x / (1 - x)), the inverse of `sigmoid`; `eps` keeps `x` away from 0 and 1.",
                         "log(x / (1 - x))，即 `sigmoid` 的反函数；`eps` 使 `x` 不过于接近 0 和 1。"),
               attrs="eps=None", prepare={"eps": scalar("logit", "eps", optional=True)}, kernel=_logit,
               cuda="log(x / (1 - x))",
               accepts="f", accepts_ordinary="fi", d_x=_d_logit)  # fmt: skip


# ---- signs, multiples and powers --------------------------------------------------------------------------------------------


def _scale(out: Any, x: Any, scale: Any, bias: Any, bias_after_scale: bool) -> None:
    if bias == 0:
        np.multiply(x, constant(scale, x.dtype), out)
    else:
        _scale_and_shift(out, x, scale, bias, bias_after_scale)


@quietly
def _scale_and_shift(out: Any, x: Any, scale: Any, bias: Any, bias_after_scale: bool) -> None:
    if bias_after_scale:
        np.multiply(x, constant(scale, x.dtype), out)
        np.add(out, constant(bias, x.dtype), out)
    else:
        np.add(x, constant(bias, x.dtype), out)
        np.multiply(out, constant(scale, x.dtype), out)


def _no_activation(x: Any, act: Any) -> None:
    if act is not None:
        raise errors.bad_argument(op="scale", argument="act", value=act, possible=Text("None", "None"))


def _neg(out: Any, x: Any) -> None:
    """Avoids `np.negative` for real numbers: in place, NumPy 2.4 computes wrong values for some strides (float32 in every fourth
    slot, float64 in every eighth). Multiplication by -1 is exact, and gives -0.0 where it should.
    """
    if x.dtype.kind == "c":
        np.negative(x, out)  # a complex product would make nan of infinity
    else:
        np.multiply(x, constant(-1, x.dtype), out)


@quietly
def _rsqrt(out: Any, x: Any) -> None:
    np.sqrt(x, out, dtype=out.dtype)
    np.reciprocal(out, out)


@quietly
def _sgn(out: Any, x: Any, device: Any) -> None:
    """A complex number divided by its magnitude; zero stays zero. The `np.sign` of NumPy 1 looks at the real part only."""
    if x.dtype.kind != "c":
        np.sign(x, out)
        return
    magnitude = np.abs(x)
    nonzero = magnitude != 0
    device.ledger.borrow(magnitude.nbytes + nonzero.nbytes)
    start(out, x)
    for part in (
        out.real,
        out.imag,
    ):  # separately: in a division of the complex number the divisor would become complex
        np.divide(part, magnitude, part, where=nonzero)


def _turning(g: Tensor, x: Tensor, out: Tensor) -> Tensor:
    """The derivative of z/|z|: only changes of the angle of z matter. It is zero for real numbers."""
    if x.array.dtype.kind != "c":
        return g._zeros()
    return ((g - out * (conj(out) * g).real()) / x.abs())._inside(x != 0)


def _d_base(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """`y * x ** (y - 1)`; 0 where both are zero, where that would be 0 * infinity: `x ** 0` is 1 everywhere."""
    both_zero = (x == 0).logical_and(y == 0)
    return g * conj(x.pow(chosen(both_zero, y, y.scale(1.0, -1.0))) * y)


def _d_exponent(g: Tensor, x: Tensor, y: Tensor, out: Tensor) -> Tensor:
    """`x ** y * log(x)`; 0 where `x` is zero and `y` is not negative, as powers of zero do not depend on `y` there.

    The logarithm is taken in the dtype of the result: that of a negative number is complex.
    """
    flat = (x == 0).logical_and(y >= 0)
    base = x if x.array.dtype == out.array.dtype else x.cast(out.array.dtype)
    return g * conj(out * chosen(flat, base.scale(0.0, 1.0), base).log())


_SIGN = "x > 0 ? 1 : x < 0 ? -1 : x == 0 ? 0 : x"
"""In CUDA C; the last case is NaN."""

# ---- sign and scale ---------------------------------------------------------------------------------------------------------

SCALE = elementwise(
    "scale", "x", ("Multiply by a number and add another: `scale * x + bias`.", "乘以一个数再加一个数：`scale * x + bias`。"),
    attrs="scale=1.0, bias=0.0, bias_after_scale=True, act=None", kernel=_scale,
    plain="type(scale) is float and bias == 0.0 and act is None", plain_kinds="fc",
    cuda="bias_after_scale ? x * scale + bias : (x + bias) * scale",
    prepare={"scale": number_with, "bias": number_with, "act": _no_activation},
    d_x=Times(lambda scale: scale.conjugate()),
)  # fmt: skip
NEG = elementwise("neg", "x", ("The negative of each element.", "逐元素取负。"), kernel=_neg, cuda="-x", accepts="fic", aliases=("negative",),
            d_x=Times(lambda: -1.0))  # fmt: skip
ABS = elementwise("abs", "x", ("The absolute value of each element.", "逐元素取绝对值。"),
            ufunc=np.absolute, cuda="abs(x)", accepts="fic", dtype=dtypes.real, aliases=("absolute",),
            d_x=lambda g, x: g * x.sgn())  # fmt: skip
SIGN = elementwise("sign", "x", ("-1, 0 or 1 for each element; for a complex number, its direction.", "逐元素取符号：-1、0 或 1；复数取其方向。"),
            cuda=_SIGN, kernel=_sgn, ufunc=np.sign, plain_kinds="fib", accepts="fic", d_x=ZERO)  # fmt: skip
SGN = elementwise("sgn", "x", ("The direction of each element: `x / |x|`, and 0 for 0.", "逐元素取方向：`x / |x|`，0 仍为 0。"),
            cuda=_SIGN, kernel=_sgn, ufunc=np.sign, plain_kinds="fib", accepts="fc", d_x=_turning)  # fmt: skip

# ---- powers -----------------------------------------------------------------------------------------------------------------

SQUARE = elementwise("square", "x", ("The square of each element.", "逐元素平方。"), ufunc=np.square, cuda="x * x", accepts="fic",
            d_x=Times(lambda x: conj(x).scale(2.0)))  # fmt: skip
SQRT = transcendental("sqrt", ("The square root of each element.", "逐元素求平方根。"), ufunc=np.sqrt, cuda="sqrt(x)",
               d_x=lambda g, out: g / conj(out).scale(2.0))  # fmt: skip
RSQRT = transcendental("rsqrt", ("1 / sqrt(x) for each element.", "逐元素求 1 / sqrt(x)。"),
               kernel=_rsqrt, cuda="1 / sqrt(x)", accepts="f", accepts_ordinary="fi",
               d_x=lambda g, out: (g * out.square() * out).scale(-0.5))  # fmt: skip
RECIPROCAL = transcendental("reciprocal", ("1 / x for each element.", "逐元素求倒数 1 / x。"), ufunc=np.reciprocal, cuda="1 / x",
               d_x=lambda g, out: (g * conj(out.square())).scale(-1.0))  # fmt: skip
POW = elementwise(
    "pow", "x, y", ("Raise each element to the power `y`, a tensor or a number.", "逐元素求 `y` 次幂，`y` 是张量或一个数。"),
    scalars=True, ufunc=np.power, plain_kinds="fbc", kernel=power, numbers=("y",), accepts="fic",
    cuda={"f": "pow(x, y)"},
    d_x=_d_base, d_y=_d_exponent,
)  # fmt: skip


# ---- trigonometric and hyperbolic functions, and their inverses -------------------------------------------------------------


def _one_minus_square(x: Tensor) -> Tensor:
    return x.square().scale(-1.0, 1.0)


def _one_plus_square(x: Tensor) -> Tensor:
    return x.square().scale(1.0, 1.0)


@quietly
def _sinc(out: Any, x: Any, device: Any) -> None:
    """sin(u) / u with u = pi x, and 1 where u is 0."""
    u = np.multiply(x, constant(pi, x.dtype))
    zero = u == 0
    device.ledger.borrow(u.nbytes + zero.nbytes)
    np.sin(u, out)
    np.divide(out, u, out)
    np.copyto(out, constant(1, out.dtype), where=zero)


# ---- of an angle ------------------------------------------------------------------------------------------------------------

SIN = transcendental("sin", ("The sine of each element (radians).", "逐元素求正弦（弧度）。"), ufunc=np.sin, cuda="sin(x)",
               d_x=Times(lambda x: conj(x.cos())))  # fmt: skip
COS = transcendental("cos", ("The cosine of each element (radians).", "逐元素求余弦（弧度）。"), ufunc=np.cos, cuda="cos(x)",
               d_x=Times(lambda x: conj(x.sin()).scale(-1.0)))  # fmt: skip
TAN = transcendental("tan", ("The tangent of each element (radians).", "逐元素求正切（弧度）。"), ufunc=np.tan, cuda="tan(x)",
               d_x=lambda g, x: g * conj(_one_plus_square(x.tan())))  # fmt: skip
ASIN = transcendental("asin", ("The inverse sine of each element, in radians.", "逐元素求反正弦。"), ufunc=np.arcsin, cuda="asin(x)", aliases=("arcsin",),
               d_x=lambda g, x: g / conj(_one_minus_square(x).sqrt()))  # fmt: skip
ACOS = transcendental("acos", ("The inverse cosine of each element, in radians.", "逐元素求反余弦。"), ufunc=np.arccos, cuda="acos(x)", aliases=("arccos",),
               d_x=lambda g, x: (g / conj(_one_minus_square(x).sqrt())).scale(-1.0))  # fmt: skip
ATAN = transcendental("atan", ("The inverse tangent of each element, in radians.", "逐元素求反正切。"), ufunc=np.arctan, cuda="atan(x)", aliases=("arctan",),
               d_x=lambda g, x: g / conj(_one_plus_square(x)))  # fmt: skip

# ---- hyperbolic -------------------------------------------------------------------------------------------------------------

SINH = transcendental("sinh", ("The hyperbolic sine of each element.", "逐元素求双曲正弦。"), ufunc=np.sinh, cuda="sinh(x)",
               d_x=Times(lambda x: conj(x.cosh())))  # fmt: skip
COSH = transcendental("cosh", ("The hyperbolic cosine of each element.", "逐元素求双曲余弦。"), ufunc=np.cosh, cuda="cosh(x)",
               d_x=Times(lambda x: conj(x.sinh())))  # fmt: skip
TANH = transcendental("tanh", ("The hyperbolic tangent of each element.", "逐元素求双曲正切。"), ufunc=np.tanh, cuda="tanh(x)", functional=True,
               d_x=Times(lambda out: conj(_one_minus_square(out))))  # fmt: skip
ASINH = transcendental("asinh", ("The inverse hyperbolic sine of each element.", "逐元素求反双曲正弦。"), ufunc=np.arcsinh, cuda="asinh(x)", aliases=("arcsinh",),
               d_x=lambda g, x: g / conj(_one_plus_square(x).sqrt()))  # fmt: skip
# Two roots: the root of the product x ** 2 - 1 would have the wrong sign in half of the complex plane.
ACOSH = transcendental("acosh", ("The inverse hyperbolic cosine of each element.", "逐元素求反双曲余弦。"), ufunc=np.arccosh, cuda="acosh(x)", aliases=("arccosh",),
               d_x=lambda g, x: g / conj(x.scale(1.0, -1.0).sqrt() * x.scale(1.0, 1.0).sqrt()))  # fmt: skip
ATANH = transcendental("atanh", ("The inverse hyperbolic tangent of each element.", "逐元素求反双曲正切。"), ufunc=np.arctanh, cuda="atanh(x)", aliases=("arctanh",),
               d_x=lambda g, x: g / conj(_one_minus_square(x)))  # fmt: skip

# ---- the sampling function --------------------------------------------------------------------------------------------------

# sinc is the spherical Bessel function j0 of pi x; j0' = -j1 has no singularity at 0, unlike (cos u - sinc u) / u.
SINC = transcendental("sinc", ("sin(pi x) / (pi x), and 1 at 0.", "逐元素求 sin(pi x) / (pi x)，在 0 处为 1。"), kernel=_sinc,
               cuda="x == 0 ? 1 : sin(T(3.141592653589793) * x) / (T(3.141592653589793) * x)",
               accepts_ordinary="fc", d_x=lambda g, x: (g * conj(x.scale(pi)._spherical_bessel(1))).scale(-pi))  # fmt: skip
