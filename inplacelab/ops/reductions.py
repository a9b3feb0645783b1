"""Reductions over axes: sums, means, products, `all` and `any`; and `expand`."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from inplacelab import dtypes, errors
from inplacelab.layout import Shape, normal_axis
from inplacelab.ops.arguments.attributes import constant, sizes_of
from inplacelab.ops.results.kernel_tools import conj
from inplacelab.ops.scans import products_before
from inplacelab.ops.table import add_row, reduction
from inplacelab.ops.table.depends import along_axes, pointwise
from inplacelab.tensor import Tensor

_ALL = [tuple(range(rank)) for rank in range(65)]
"""All axes of an array of each rank that NumPy allows."""


def axes_of(x: Any, axis: int | Sequence[int] | None) -> tuple[int, ...]:
    """Returns the axes to reduce, counted from the front: all for None or an empty list."""
    if axis is None:
        every: tuple[int, ...] = _ALL[x.ndim]
        return every
    named = [axis] if isinstance(axis, int) or not isinstance(axis, Sequence) else list(axis)
    axes = tuple(normal_axis(a, max(x.ndim, 1)) for a in named)
    if len(set(axes)) != len(axes):
        raise errors.bad_permutation(perm=axes, rank=x.ndim, last=max(x.ndim - 1, 0))
    return tuple(a for a in axes if a < x.ndim) if axes else tuple(range(x.ndim))


def reduced(x: Shape, axis: tuple[int, ...], keepdim: bool) -> Shape:
    """Returns the shape of the result, with one element on each reduced axis if `keepdim`."""
    if len(axis) == len(x) and not keepdim:
        return ()
    sizes = [(1 if k in axis else n) for k, n in enumerate(x)]
    return tuple(n for k, n in enumerate(sizes) if keepdim or k not in axis)


def spread(g: Tensor, shape: Shape, axis: tuple[int, ...]) -> Tensor:
    """Returns the gradient of a sum: every element gets the gradient of its sum."""
    return g.reshape(reduced(shape, axis, True)).expand(shape)


def count(shape: Shape, axis: tuple[int, ...]) -> int:
    """Returns the number of elements that are reduced to one."""
    return prod([shape[k] for k in axis])


def _sum(out: Any, x: Any, axis: Any, keepdim: bool) -> None:
    x.sum(axis, out.dtype, out, keepdim)


def _mean(out: Any, x: Any, axis: Any, keepdim: bool) -> None:
    number, dtype = count(x.shape, axis), out.dtype
    try:
        x.sum(axis, dtype, out, keepdim)
    finally:  # also after a warning that is an error
        if dtype.kind == "f" and dtype.itemsize > 2:  # as below, without a conversion of the number
            np.true_divide(out, constant(number, dtype), out)
        else:
            np.true_divide(out, np.float64(number) if dtype.kind in "biu" else number, out, casting="unsafe")


def _expanded(x: Any, shape: Any) -> Shape:
    """The shape to expand to, with -1 replaced by the current size.

    Raises:
        ShapeError: if `x` cannot be broadcast to it.
    """
    sizes = sizes_of("expand", shape)
    lead = len(sizes) - x.ndim
    wanted = tuple(x.shape[k - lead] if n == -1 and k >= lead else n for k, n in enumerate(sizes))
    if lead < 0 or any(have not in (1, want) for have, want in zip(x.shape, wanted[lead:], strict=True)):
        raise errors.cannot_broadcast(x=x.shape, y=wanted, op="expand")
    return wanted


def _expand(out: Any, x: Any) -> None:
    np.copyto(out, x)


def _result_dtype(x: Any, dtype: Any) -> Any:
    return x if dtype is None else dtypes.as_numpy(dtype)


def _sum_dtype(x: Any, dtype: Any) -> Any:
    """Integers and booleans are counted in int64."""
    return dtypes.int64.numpy if dtype is None and x.kind in "biu" else _result_dtype(x, dtype)


SUM = reduction(
    "sum", ("The sum over the axes in `axis`, or over all.", "沿 `axis` 各轴求和；缺省时对全部元素求和。"),
    attrs="axis=None, dtype=None, keepdim=False", kernel=_sum, prepare={"axis": axes_of},
    shape=lambda x, axis, keepdim: reduced(x, axis, keepdim), dtype=_sum_dtype, depends=along_axes("reduced"),
    d_x=lambda g, x_form, axis: spread(g, x_form.shape, axis),
)  # fmt: skip
MEAN = reduction(
    "mean", ("The mean over the axes in `axis`, or over all.", "沿 `axis` 各轴求平均；缺省时对全部元素求平均。"),
    attrs="axis=None, keepdim=False, *, dtype=None", kernel=_mean, prepare={"axis": axes_of}, depends=along_axes("reduced"),
    shape=lambda x, axis, keepdim: reduced(x, axis, keepdim), dtype=_result_dtype,
    d_x=lambda g, x_form, axis: spread(g, x_form.shape, axis).scale(1.0 / max(count(x_form.shape, axis), 1)),
)  # fmt: skip

# ---- products -------------------------------------------------------------------------------------------------------------------


def _prod(out: Any, x: Any, axis: Any, keepdim: bool) -> None:
    np.prod(x, axis, out.dtype, out, keepdim)


def _check_factors(x: Any, dtype: Any) -> None:
    if _result_dtype(x.dtype, dtype).kind == "b":
        raise errors.kernel_not_registered(dtype="bool", op="prod")


def _gradient_of_product(g: Tensor, x: Tensor, axis: tuple[int, ...]) -> Tensor:
    """For each factor the product of the others: of those before it, times those after it.

    There is no division by `x`, so zeros do no harm. PaddlePaddle 3.3.1 divides: its gradient is NaN if a factor is zero.
    """
    order = [*(k for k in range(x.ndim) if k not in axis), *axis]
    rows = count(reduced(x.array.shape, axis, False), tuple(range(x.ndim - len(axis))))
    line = x.transpose(order).reshape([rows, count(x.array.shape, axis)]) if x.ndim else x.reshape([1, 1])
    others = products_before(line, 1) * products_before(line[:, ::-1], 1)[:, ::-1]
    shape = [x.shape[k] for k in order]
    back = others.reshape(shape).transpose(np.argsort(order).tolist()) if x.ndim else others.reshape([])
    return spread(g, x.array.shape, axis) * conj(back)


PROD = reduction(
    "prod", ("The product over the axes in `axis`, or over all.", "沿 `axis` 各轴求积；缺省时对全部元素求积。"),
    attrs="axis=None, keepdim=False, dtype=None", kernel=_prod, prepare={"axis": axes_of}, validate=_check_factors, depends=along_axes("reduced"),
    shape=lambda x, axis, keepdim: reduced(x, axis, keepdim), dtype=_result_dtype,
    d_x=_gradient_of_product,
)  # fmt: skip

# ---- all, any -------------------------------------------------------------------------------------------------------------------


def _all(out: Any, x: Any, axis: Any, keepdim: bool) -> None:
    np.all(x, axis, out, keepdim)


def _any(out: Any, x: Any, axis: Any, keepdim: bool) -> None:
    np.any(x, axis, out, keepdim)


ALL = reduction(
    "all", ("True where all elements along `axis` are true (not zero).", "沿 `axis` 的元素全为真（或非零）时得 True。"),
    attrs="axis=None, keepdim=False", kernel=_all, prepare={"axis": axes_of}, dtype=lambda: np.dtype(bool), out=True, depends=along_axes("reduced"),
    shape=lambda x, axis, keepdim: reduced(x, axis, keepdim),
)  # fmt: skip
ANY = reduction(
    "any", ("True where at least one element along `axis` is true (not zero).", "沿 `axis` 有元素为真（或非零）时得 True。"),
    attrs="axis=None, keepdim=False", kernel=_any, prepare={"axis": axes_of}, dtype=lambda: np.dtype(bool), out=True, depends=along_axes("reduced"),
    shape=lambda x, axis, keepdim: reduced(x, axis, keepdim),
)  # fmt: skip

# ---- expand ---------------------------------------------------------------------------------------------------------------------

# the opposite of a reduction: one element becomes many. A copy, as in Paddle (PyTorch gives a view with stride 0).
EXPAND = add_row(
    "expansion", "expand", "x", ("Repeat axes of size 1 to reach `shape`; -1 keeps a size.", "把长度为 1 的轴重复到 `shape`；-1 表示保持不变。"),
    d_x=lambda g: g,
    attrs="shape", kernel=_expand, prepare={"shape": _expanded}, depends=pointwise(), shape=lambda shape: shape, aliases=("broadcast_to",), in_place=False,
)  # fmt: skip
