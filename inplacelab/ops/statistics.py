"""Variance, standard deviation, and the logarithm of a sum of exponentials."""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab import dtypes
from inplacelab.layout import Shape
from inplacelab.ops.reductions import axes_of, count, reduced, spread
from inplacelab.ops.results.kernel_tools import quietly
from inplacelab.ops.table import reduction
from inplacelab.ops.table.depends import along_axes
from inplacelab.ops.table.row import same
from inplacelab.tensor import Tensor

# ---- variance -------------------------------------------------------------------------------------------------------------------


def _freedom(shape: Shape, axis: tuple[int, ...], unbiased: bool | None, correction: float = 1) -> float:
    """The divisor of the sum of squares: the number of elements minus the correction. Refuses too few elements."""
    taken = 0.0 if unbiased is False else float(correction)
    return max(count(shape, axis) - taken, 0.0)


@quietly
def _spread_squared(out: Any, x: Any, axis: tuple[int, ...], keepdim: bool, freedom: float, device: Any) -> None:
    device.ledger.borrow(x.nbytes + 2 * out.nbytes)
    mean = np.sum(x, axis, out.dtype, keepdims=True) / out.dtype.type(max(count(x.shape, axis), 1))
    away = (x - mean.astype(out.dtype))[...]  # an array also where `x` has no axes
    np.square(away, away)
    np.sum(away, axis, out.dtype, out, keepdim)
    np.true_divide(out, freedom, out, casting="unsafe")


def _var(out: Any, x: Any, axis: Any, unbiased: Any, keepdim: bool, correction: float, device: Any) -> None:
    _spread_squared(out, x, axis, keepdim, _freedom(x.shape, axis, unbiased, correction), device)


def _std(out: Any, x: Any, axis: Any, unbiased: bool, keepdim: bool, device: Any) -> None:
    _spread_squared(out, x, axis, keepdim, _freedom(x.shape, axis, unbiased), device)
    np.sqrt(out, out)


def _away_from_mean(x: Tensor, axis: tuple[int, ...]) -> Tensor:
    return x - x.mean(list(axis), keepdim=True) if axis else x._zeros()


def _gradient_of_var(g: Tensor, x: Tensor, axis: tuple[int, ...], unbiased: Any, correction: float) -> Tensor:
    """The mean depends on `x`, too, but the deviations from it add up to zero, so this makes no difference."""
    return spread(g, x.array.shape, axis) * _away_from_mean(x, axis).scale(_over(2.0, x, axis, unbiased, correction))


def _over(number: float, x: Tensor, axis: tuple[int, ...], unbiased: Any, correction: float = 1) -> float:
    freedom = _freedom(x.array.shape, axis, unbiased, correction)
    return number / freedom if freedom else float("nan")


def _gradient_of_std(g: Tensor, x: Tensor, out: Tensor, axis: tuple[int, ...], unbiased: bool) -> Tensor:
    return spread(g / out, x.array.shape, axis) * _away_from_mean(x, axis).scale(_over(1.0, x, axis, unbiased))


VAR = reduction(
    "var", ("The variance: the mean of the squared distances from the mean.", "与平均值之差的平方的平均。"),
    attrs="axis=None, unbiased=None, keepdim=False, name=None, *, correction=1", accepts="f", kernel=_var, prepare={"axis": axes_of},
    shape=lambda x, axis, keepdim: reduced(x, axis, keepdim), dtype=same, out=True, depends=along_axes("reduced"),
    d_x=_gradient_of_var,
)  # fmt: skip
STD = reduction(
    "std", ("The standard deviation: the square root of the variance.", "标准差：方差的平方根。"),
    attrs="axis=None, unbiased=True, keepdim=False", accepts="f", kernel=_std, prepare={"axis": axes_of},
    shape=lambda x, axis, keepdim: reduced(x, axis, keepdim), dtype=same, depends=along_axes("reduced"),
    d_x=_gradient_of_std,
)  # fmt: skip

# ---- the logarithm of a sum of exponentials -------------------------------------------------------------------------------------


@quietly
def _logsumexp(out: Any, x: Any, axis: tuple[int, ...], keepdim: bool, device: Any) -> None:
    """The largest exponent is subtracted first, so that nothing overflows."""
    device.ledger.borrow(2 * max(x.size, 1) * out.itemsize + 2 * out.nbytes)
    values = x.astype(out.dtype)
    largest = np.max(values, axis, keepdims=True, initial=-np.inf)[...]  # an array also where `x` has no axes
    np.copyto(largest, 0, where=~np.isfinite(largest))
    np.subtract(values, largest, values)
    np.exp(values, values)
    np.sum(values, axis, None, out, keepdim)
    np.log(out, out)
    np.add(out, largest.reshape(out.shape), out)


LOGSUMEXP = reduction(
    "logsumexp", ("The logarithm of the sum of exponentials over the axes in `axis`.", "沿 `axis` 各轴的指数和的对数。"),
    attrs="axis=None, keepdim=False", accepts="fi", kernel=_logsumexp, prepare={"axis": axes_of}, dtype=dtypes.floating, out=True,
    depends=along_axes("reduced"),
    shape=lambda x, axis, keepdim: reduced(x, axis, keepdim),
    d_x=lambda g, x, out, axis: spread(g, x.array.shape, axis) * (x - spread(out, x.array.shape, axis)).exp(),
)  # fmt: skip
