"""Signs, multiples and powers.

The parameters of a derivative are what backward keeps. `sqrt` keeps `out`, so it can overwrite its input without a copy.
`square` keeps `x`: in place, a copy of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab import dtypes, errors
from inplacelab.language import Text
from inplacelab.ops.arguments.attributes import constant, number_with
from inplacelab.ops.maximum_and_where import chosen
from inplacelab.ops.results.kernel_tools import conj, power, quietly, start
from inplacelab.ops.table import elementwise, transcendental
from inplacelab.ops.table.row import ZERO, Times
from inplacelab.tensor import Tensor

# ---- kernels that are not a single ufunc ------------------------------------------------------------------------------------


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
    ufunc=np.power, plain_kinds="fbc", kernel=power, numbers=("y",), accepts="fic",
    cuda={"f": "pow(x, y)"},
    d_x=_d_base, d_y=_d_exponent,
)  # fmt: skip
