"""Special functions, computed by SciPy (`pip install inplacelab[special]`).

Each derivative is another function of the same family, so derivatives of any order exist:

    lgamma -> digamma -> polygamma(1) -> polygamma(2) -> ...        i0 -> i1 -> the Bessel functions of higher order

Source: NIST Digital Library of Mathematical Functions, https://dlmf.nist.gov, chapters 5, 7 and 10.
"""

from __future__ import annotations

from math import factorial, inf, log, pi, sqrt
from typing import Any

import numpy as np

from inplacelab import errors
from inplacelab.ops.arguments.attributes import constant
from inplacelab.ops.results.kernel_tools import conj, quietly, whole_number
from inplacelab.ops.table import elementwise, transcendental
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
