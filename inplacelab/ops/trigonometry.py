"""Trigonometric and hyperbolic functions, and their inverses.

Backward of `tanh` keeps the result, so in place there is no copy. `tan` could do the same, but keeps `x`, as in Paddle: a
chain `x.tan_().tan_()` would otherwise overwrite the saved tensor of the first.
"""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np

from inplacelab.ops.arguments.attributes import constant
from inplacelab.ops.results.kernel_tools import conj, quietly
from inplacelab.ops.table import transcendental
from inplacelab.ops.table.row import Times
from inplacelab.tensor import Tensor


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
