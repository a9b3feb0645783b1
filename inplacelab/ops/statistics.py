"""Variance, standard deviation, the logarithm of a sum of exponentials; quantiles, medians and the most frequent element.

For values that an order or a count chooses, the elements are sorted, or their places are; the gradient goes to those that were chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inplacelab import dtypes
from inplacelab.layout import Shape, normal_axis
from inplacelab.ops.arguments.attributes import bad_value
from inplacelab.ops.arguments.operands import as_tensor
from inplacelab.ops.creation import to_tensor
from inplacelab.ops.joining_and_splitting import stack
from inplacelab.ops.reductions import axes_of, count, reduced, spread
from inplacelab.ops.results.kernel_tools import quietly
from inplacelab.ops.table import as_function, as_method, reduction
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


# ---- quantiles, medians and the most frequent element -----------------------------------------------------------------------


def _lines(x: Tensor, axes: tuple[int, ...]) -> Tensor:
    """The elements over some axes, in one last axis."""
    others = [k for k in range(x.ndim) if k not in axes]
    line: Tensor = x.transpose([*others, *axes]).reshape([*(x.shape[k] for k in others), -1])
    return line


# ---- quantiles --------------------------------------------------------------------------------------------------------------


@as_method
@as_function
def quantile(
    x: Tensor, q: Any, axis: Any = None, keepdim: bool = False, interpolation: str = "linear", name: str | None = None
) -> Tensor:
    """Returns the values below which the fraction `q` of the elements lies; NaN if any element is NaN.

    Args:
        x: a floating-point tensor.
        q: the fraction, from 0 to 1, or several, which then become the first axis of the result.
        axis: the axes of the elements; None for all.
        keepdim: keep these axes with size 1.
        interpolation: between two elements: "linear", "lower", "higher", "nearest" or "midpoint".
        name: accepted for compatibility with Paddle; ignored.

    Raises:
        ArgumentError: if `q` is not from 0 to 1, or the interpolation is unknown.

    >>> import inplacelab as paddle
    >>> paddle.quantile(paddle.to_tensor([1., 2., 4.]), 0.75).item()
    3.0
    """
    x = as_tensor("quantile", "x", 0, x)
    parts = q.numpy() if isinstance(q, Tensor) else np.asarray(q, np.float64)
    if parts.size == 0 or ((parts < 0) | (parts > 1)).any():
        raise bad_value("quantile", "q", q, "numbers from 0 to 1", "0 到 1 之间的数")
    if interpolation not in ("linear", "lower", "higher", "nearest", "midpoint"):
        names = '"linear", "lower", "higher", "nearest", "midpoint"'
        raise bad_value("quantile", "interpolation", interpolation, names, names)
    axes = axes_of(x, axis)
    line = _lines(x, axes).sort(-1)
    unknown = line.isnan().any(-1)
    found = [_at(line, float(part), interpolation).masked_fill(unknown, float("nan")) for part in parts.reshape(-1)]
    if keepdim:
        found = [each.reshape(reduced(x.array.shape, axes, True)) for each in found]
    return stack(found) if parts.ndim else found[0]


def _at(line: Tensor, part: float, interpolation: str) -> Tensor:
    """The quantile of sorted elements along the last axis."""
    place = part * (line.shape[-1] - 1)
    low = int(place)
    share = place - low
    if interpolation == "nearest":
        low, share = round(place), 0.0
    elif interpolation != "linear":
        share = {"lower": 0.0, "higher": 1.0, "midpoint": 0.5}[interpolation] * (share > 0)
    if share == 0:
        return line[..., low]
    return line[..., low].scale(1.0 - share) + line[..., low + 1].scale(share)


@as_method
@as_function
def kthvalue(
    x: Tensor, k: int, axis: int | None = None, keepdim: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Returns the `k`-th smallest element along an axis, and its position.

    Args:
        x: the tensor.
        k: 1 for the smallest.
        axis: the axis; the last one if None.
        keepdim: keep the axis with size 1.
        name: accepted for compatibility with Paddle; ignored.

    Raises:
        ArgumentError: if there are fewer than `k` elements.
    """
    x = as_tensor("kthvalue", "x", 0, x)
    if not x.ndim:
        return x.clone(), to_tensor(0, place=x.place)
    along = normal_axis(-1 if axis is None else axis, x.ndim)
    if not 1 <= k <= x.shape[along]:
        raise bad_value("kthvalue", "k", k, f"1 to {x.shape[along]}", f"1 到 {x.shape[along]}")
    places = x.argsort(along)[(slice(None),) * along + (slice(k - 1, k),)]
    values = x.take_along_axis(places, along)
    return (values, places) if keepdim else (values.squeeze(along), places.squeeze(along))


# ---- medians ----------------------------------------------------------------------------------------------------------------


@as_method
@as_function
def median(
    x: Tensor,
    axis: int | Sequence[int] | None = None,
    keepdim: bool = False,
    mode: str = "avg",
    name: str | None = None,
) -> Any:
    """Returns the middle one of the sorted elements; NaN if any element is NaN.

    Args:
        x: a tensor of floating-point numbers or integers.
        axis: the axes of the elements; None for all.
        keepdim: keep these axes with size 1.
        mode: of an even number of elements: "avg" for the mean of the two in the middle, "min" for the smaller one.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        With "avg" a tensor, float64 of float64 and float32 otherwise. With "min" a tensor with the dtype of `x`; if there is one axis,
        a pair of it and the positions (int64).

    Raises:
        ArgumentError: if the mode is neither of these, or there are no elements.

    >>> import inplacelab as paddle
    >>> paddle.median(paddle.to_tensor([3., 1., 2., 9.])).item()
    2.5

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/median_en.html
    """
    return _median("median", x, axis, keepdim, mode)


@as_method
@as_function
def nanmedian(
    x: Tensor,
    axis: int | Sequence[int] | None = None,
    keepdim: bool = False,
    mode: str = "avg",
    name: str | None = None,
) -> Any:
    """Returns the middle one of the sorted elements that are not NaN; NaN if all are. The arguments are those of `median`.

    >>> import inplacelab as paddle
    >>> paddle.nanmedian(paddle.to_tensor([3., float("nan"), 1.])).item()
    2.0

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nanmedian_en.html
    """
    return _median("nanmedian", x, axis, keepdim, mode)


def _median(op: str, x: Tensor, axis: Any, keepdim: bool, mode: str) -> Any:
    x = as_tensor(op, "x", 0, x)
    if mode not in ("avg", "min"):
        raise bad_value(op, "mode", mode, "'avg' or 'min'", "'avg' 或 'min'")
    axes = axes_of(x, axis)
    shape, line = reduced(x.array.shape, axes, keepdim), _lines(x, axes)
    if not line.shape[-1]:
        raise bad_value(op, "x", x, "a tensor with elements along `axis`", "沿 `axis` 有元素的张量")
    order = line.argsort(-1)  # NaN counts as the largest
    low, high = (order.take_along_axis(each, -1) for each in _middle(line, skip_nan=op == "nanmedian"))
    if mode == "min":
        values = line.take_along_axis(low, -1).reshape(shape)
        one = isinstance(axis, int) or (isinstance(axis, Sequence) and len(axis) == 1)
        return (values, low.reshape(shape)) if one else values
    line = line if line.array.dtype.kind == "f" and line.array.dtype.itemsize > 2 else line.cast("float32")
    return (line.take_along_axis(low, -1) + line.take_along_axis(high, -1)).scale(0.5).reshape(shape)


def _middle(line: Tensor, skip_nan: bool) -> tuple[Tensor, Tensor]:
    """The two places in the middle of each sorted line: the same one, if the number of elements is odd.

    With NaN among the elements, the places of the others, or the place of the first NaN.
    """
    length = line.shape[-1]
    numbers = line.isnan().logical_not().cast("int64").sum(-1, keepdim=True)
    if skip_nan:
        return (numbers - 1).clip(min=0) // 2, (numbers // 2).clip(max=length - 1)
    complete = (numbers == length).cast("int64")
    nan = (1 - complete) * numbers
    return complete * ((length - 1) // 2) + nan, complete * (length // 2) + nan


# ---- the most frequent element ----------------------------------------------------------------------------------------------


@as_method
@as_function
def mode(x: Tensor, axis: int = -1, keepdim: bool = False, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Returns the most frequent element along an axis, and the position of the last one of its kind.

    Args:
        x: the tensor.
        axis: the axis.
        keepdim: keep the axis with size 1.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A pair: the values, of several equally frequent ones the smallest, and their positions (int64).

    Raises:
        ArgumentError: if there are no elements.

    >>> import inplacelab as paddle
    >>> values, indices = paddle.mode(paddle.to_tensor([1., 2., 2., 3.]))
    >>> values.item(), indices.item()
    (2.0, 2)

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/mode_en.html
    """
    x = as_tensor("mode", "x", 0, x)
    if not x.ndim:
        return x.clone(), to_tensor(0, place=x.place)
    along = normal_axis(axis, x.ndim)
    if not x.shape[along]:
        raise bad_value("mode", "x", x, "a tensor with elements along `axis`", "沿 `axis` 有元素的张量")
    found = np.apply_along_axis(_place_of_mode, along, x.numpy())
    places = to_tensor(np.expand_dims(found, along), dtype="int64", place=x.place)
    values = x.take_along_axis(places, along)
    return (values, places) if keepdim else (values.squeeze(along), places.squeeze(along))


def _place_of_mode(line: Any) -> Any:
    values, counts = np.unique(line, return_counts=True, equal_nan=False)
    most = values[np.argmax(counts)]
    same = np.isnan(line) if np.isnan(most) else line == most
    return np.flatnonzero(same)[-1]
