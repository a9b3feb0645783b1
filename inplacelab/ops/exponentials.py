"""Exponentials and logarithms. Integers become floating-point numbers; for them the in-place variant is in name only."""

from __future__ import annotations

from math import log, nan
from typing import Any

import numpy as np

from inplacelab.ops.arguments.attributes import constant
from inplacelab.ops.results.kernel_tools import conj, quietly, scalar
from inplacelab.ops.table import transcendental
from inplacelab.ops.table.row import Times
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
