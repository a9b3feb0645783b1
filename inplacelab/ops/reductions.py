"""Reductions over axes: sums, means, products, `all` and `any`, maxima and minima and their indices; `expand`; and scans.

The gradient of a maximum goes to the chosen element. Equal ones share it, as in Paddle and in PyTorch's `amax`.

Scans are running sums, products and sums of exponentials along an axis. Each element reads those before it, in order, so the
result may be written over the input while it is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from inplacelab import dtypes, errors
from inplacelab.layout import Shape, normal_axis
from inplacelab.ops.arguments.attributes import along, checked_axis, constant, sizes_of
from inplacelab.ops.results.kernel_tools import conj, quietly
from inplacelab.ops.table import add_row, reduction
from inplacelab.ops.table.depends import along_axes, pointwise
from inplacelab.ops.table.row import Row, same
from inplacelab.tensor import Tensor

# ---- scans ------------------------------------------------------------------------------------------------------------------


def _axis(x: Any, axis: Any) -> int | None:
    """The axis, counted from the front; None for all elements as one vector. A tensor without axes counts as a vector."""
    return None if axis is None else checked_axis(axis, max(x.ndim, 1))


def _dim(x: Any, dim: Any) -> int | None:
    return None if dim is None else normal_axis(dim, max(x.ndim, 1))


def _line(x: Shape, axis: int | None) -> Shape:
    return x if axis is not None else (int(np.prod(x, dtype=int)),)


def _check_addable(op: str, x: Any, dtype: Any) -> None:
    """Refuses bools, unless they are converted to another dtype."""
    if _dtype(x.dtype, dtype).kind == "b":
        raise errors.kernel_not_registered(dtype="bool", op=op)


def _dtype(x: Any, dtype: Any) -> Any:
    return x if dtype is None else dtypes.as_numpy(dtype)


def _counted(x: Any, dtype: Any) -> Any:
    """Integers are added up in int64."""
    return dtypes.int64.numpy if dtype is None and x.kind in "iu" else _dtype(x, dtype)


def _scan(ufunc: Any, out: Any, x: Any, axis: int | None, device: Any) -> None:
    if axis is None:
        device.ledger.borrow(0 if x.flags.c_contiguous else x.nbytes)
        x, axis = x.reshape(-1), 0
    if x.ndim == 0:
        np.copyto(out, x, casting="unsafe")
    else:
        ufunc.accumulate(x, axis, out.dtype, out)


def _backwards(x: Tensor, axis: int) -> Tensor:
    """The elements along an axis from the last to the first: a view."""
    return x[along(axis, slice(None, None, -1))] if x.ndim else x


# ---- running sums -----------------------------------------------------------------------------------------------------------


def _cumsum(out: Any, x: Any, axis: int | None, device: Any) -> None:
    _scan(np.add, out, x, axis, device)


def _sums_to_the_end(g: Tensor, axis: int | None, shape: Shape) -> Tensor:
    """An element is part of all sums from its position on."""
    turned = _backwards(g, axis or 0).cumsum(axis or 0)
    return _backwards(turned, axis or 0).reshape(shape)


CUMSUM = add_row(
    "scan", "cumsum", "x", ("Cumulative sums along `axis`, or over all elements in one line.", "沿 `axis` 的累加和；缺省时把全部元素排成一行累加。"),
    attrs="axis=None, dtype=None", kernel=_cumsum, prepare={"axis": _axis}, shape=_line, dtype=_dtype, dtype_ordinary=_counted,
    validate=lambda x, dtype: _check_addable("cumsum", x, dtype), resizes=True, depends=along_axes("running"),
    d_x=lambda g, x_form, axis: _sums_to_the_end(g, axis, x_form.shape),
)  # fmt: skip

# ---- running products -------------------------------------------------------------------------------------------------------


def _cumprod(out: Any, x: Any, dim: int | None, device: Any) -> None:
    _scan(np.multiply, out, x, dim, device)


def products_before(x: Tensor, axis: int) -> Tensor:
    """Returns for each position along an axis the product of the elements before it; 1 for the first."""
    result = x._ones()
    result[along(axis, slice(1, None))] = x[along(axis, slice(None, -1))].cumprod(axis)
    return result


def _gradient_of_products(g: Tensor, x: Tensor, dim: int | None) -> Tensor:
    """`out[k] = out[k-1] * x[k]`, so what reaches `out[k]` is `g[k]` and `x[k+1]` times what reaches `out[k+1]`: a recurrence
    from the end. There is no division by `x`, so zeros do no harm (PaddlePaddle 3.3.1 divides, with a special case for zeros).
    """
    if x.ndim == 0:
        return g.reshape(())
    axis, values = (dim, x) if dim is not None else (0, x.reshape([-1]))
    factors = _backwards(conj(values)[along(axis, slice(1, None))], axis)
    reaching = _backwards(_backwards(g, axis)._recurrence(factors, axis), axis)
    return (reaching * conj(products_before(values, axis))).reshape(x.array.shape)


CUMPROD = add_row(
    "scan", "cumprod", "x", ("Cumulative products along `dim`, or over all elements in one line.", "沿 `dim` 的累乘积；缺省时把全部元素排成一行累乘。"),
    attrs="dim=None, dtype=None", kernel=_cumprod, prepare={"dim": _dim}, shape=lambda x, dim: _line(x, dim), dtype=_dtype,
    validate=lambda x, dtype: _check_addable("cumprod", x, dtype), resizes=True, depends=along_axes("running", "dim"),
    d_x=_gradient_of_products,
)  # fmt: skip

# ---- running logarithms of sums of exponentials -----------------------------------------------------------------------------


@quietly
def _logcumsumexp(out: Any, x: Any, axis: int | None, device: Any) -> None:
    """By doubling, as in `_recurrence` below: CuPy's `logaddexp` has no `accumulate`."""
    device.ledger.borrow(out.nbytes + (0 if x.flags.c_contiguous else x.nbytes))
    np.copyto(out, x if axis is not None or x.ndim == 0 else x.reshape(-1))
    if not out.ndim:
        return
    result = np.moveaxis(out, axis or 0, 0)
    distance = 1
    while distance < len(result):
        result[distance:] = np.logaddexp(result[distance:], result[:-distance])
        distance *= 2


def _gradient_of_logcumsumexp(g: Tensor, x: Tensor, out: Tensor, axis: int | None) -> Tensor:
    """`x[k]` reaches `out[j]` with `exp(x[k] - out[j])`: `exp(x[k] - out[k])` times `exp(out[k] - out[k+1])`, and so on up to `out[j]`.

    `out` never falls, so no exponent is positive, and nothing overflows. Where all elements so far are -inf, the slope is taken as 0.
    """
    if x.ndim == 0:
        return g.reshape(())
    line = 0 if axis is None else axis
    values = x.reshape([-1]) if axis is None else x
    sums = out.clip(min=float(np.finfo(out.array.dtype).min))
    steps = (sums[along(line, slice(None, -1))] - sums[along(line, slice(1, None))]).exp()
    reaching = _backwards(_backwards(g, line)._recurrence(_backwards(steps, line), line), line)
    return (reaching * (values - sums).exp()).reshape(x.array.shape)


LOGCUMSUMEXP = add_row(
    "scan", "logcumsumexp", "x",
    ("The logarithms of cumulative sums of exponentials along `axis`, or over all elements in one line.", "沿 `axis` 的指数累加和的对数；缺省时把全部元素排成一行累加。"),
    attrs="axis=None, dtype=None", accepts="f", kernel=_logcumsumexp, prepare={"axis": _axis}, shape=_line, dtype=_dtype, in_place=False,
    depends=along_axes("running"),
    d_x=_gradient_of_logcumsumexp,
)  # fmt: skip

# ---- recurrences ------------------------------------------------------------------------------------------------------------


def _recurrence(out: Any, x: Any, factors: Any, axis: int, device: Any) -> None:
    """By doubling: after the step `d` each position has combined `2 * d` positions before it. So a line of `n` elements takes
    `log2(n)` steps over all elements, not `n` steps over one each (W. D. Hillis and G. L. Steele, 1986).
    """
    device.ledger.borrow(2 * factors.nbytes + out.nbytes)
    np.copyto(out, x)
    result, carry = np.moveaxis(out, axis, 0), np.moveaxis(factors, axis, 0).copy()
    distance = 1
    while distance < len(result):
        result[distance:] += carry * result[:-distance]
        carry = carry[distance:] * carry[:-distance]
        distance *= 2


def _gradient_of_factors(g: Tensor, out: Tensor, factors: Tensor, axis: int) -> Tensor:
    reaching = _gradient_of_terms(g, factors, axis)
    return reaching[along(axis, slice(1, None))] * conj(out[along(axis, slice(None, -1))])


def _gradient_of_terms(g: Tensor, factors: Tensor, axis: int) -> Tensor:
    """The same recurrence, from the end to the beginning."""
    return _backwards(_backwards(g, axis)._recurrence(_backwards(conj(factors), axis), axis), axis)


_RECURRENCE = add_row(
    "scan", "_recurrence", "x, factors",
    ("`out[k] = x[k] + factors[k-1] * out[k-1]` along `axis`.", "沿 `axis` 计算 `out[k] = x[k] + factors[k-1] * out[k-1]`。"),
    attrs="axis", kernel=_recurrence, shape=lambda x: x, dtype=same, in_place=False, function=False, depends=along_axes("running"),
    d_x=_gradient_of_terms,
    d_factors=_gradient_of_factors,
)  # fmt: skip


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


# ---- maxima and minima ------------------------------------------------------------------------------------------------------


def _check_elements(x: Any, axis: int | Sequence[int] | None) -> None:
    """Refuses an empty axis, which has no largest element. PaddlePaddle 3.3.1 returns uninitialized memory."""
    for k in axes_of(x, axis):
        if x.shape[k] == 0 and 0 not in reduced(x.shape, axes_of(x, axis), False):
            raise errors.empty_axis_reduced(axis=k)


def _largest(out: Any, x: Any, axis: Any, keepdim: bool) -> None:
    np.max(x, axis, out, keepdim)


def _smallest(out: Any, x: Any, axis: Any, keepdim: bool) -> None:
    np.min(x, axis, out, keepdim)


def _to_the_chosen(g: Tensor, x: Tensor, out: Tensor, axis: tuple[int, ...]) -> Tensor:
    kept = reduced(x.array.shape, axis, True)
    chosen = x.equal(out.reshape(kept)).cast(g.dtype)
    return chosen * (g.reshape(kept) / (chosen.sum(list(axis), keepdim=True) if axis else chosen))


def _extreme(name: str, kernel: Callable[..., None], en: str, zh: str) -> Row:
    return reduction(
        name, (f"The {en} element over the axes in `axis`, or of all.", f"沿 `axis` 各轴的{zh}元素；缺省时在全部元素中取。"),
        attrs="axis=None, keepdim=False", accepts="fi", validate=_check_elements, kernel=kernel, prepare={"axis": axes_of},
        shape=lambda x, axis, keepdim: reduced(x, axis, keepdim), dtype=same, out=name.startswith("a"), depends=along_axes("reduced", rule=en),
        d_x=_to_the_chosen,
    )  # fmt: skip


MAX = _extreme("max", _largest, "largest", "最大")
MIN = _extreme("min", _smallest, "smallest", "最小")
AMAX = _extreme("amax", _largest, "largest", "最大")
AMIN = _extreme("amin", _smallest, "smallest", "最小")

# ---- the places -----------------------------------------------------------------------------------------------------------------


def _one_axis(x: Any, axis: Any) -> int | None:
    return None if axis is None else normal_axis(axis, max(x.ndim, 1))


def _check_line(x: Any, axis: Any) -> None:
    if (x.size if axis is None or x.ndim == 0 else x.shape[normal_axis(axis, x.ndim)]) == 0:
        raise errors.empty_axis_reduced(axis=axis or 0)


def _place_dtype(dtype: Any) -> Any:
    wanted = dtypes.as_numpy(dtype)
    if wanted not in (dtypes.int32.numpy, dtypes.int64.numpy):
        raise errors.bad_argmax_dtype(dtype=wanted.name)
    return wanted


def _place_shape(x: Shape, axis: int | None, keepdim: bool) -> Shape:
    return reduced(x, tuple(range(len(x))) if axis is None else (axis,), keepdim)


def _find(choose: Any, out: Any, x: Any, axis: int | None, device: Any) -> None:
    """NumPy first copies the array so that the axis is the last one."""
    device.ledger.borrow(x.nbytes + 8 * out.size)
    np.copyto(out, choose(x, axis).reshape(out.shape))


def _argmax(out: Any, x: Any, axis: int | None, device: Any) -> None:
    _find(np.argmax, out, x, axis if x.ndim else None, device)


def _argmin(out: Any, x: Any, axis: int | None, device: Any) -> None:
    _find(np.argmin, out, x, axis if x.ndim else None, device)


def _place_of(name: str, kernel: Callable[..., None], en: str, zh: str) -> Row:
    return reduction(
        name, (f"The index of the first {en} element along `axis`, or among all in one line.", f"沿 `axis` 第一个{zh}元素的下标；缺省时在排成一行的全部元素中取。"),
        attrs="axis=None, keepdim=False, dtype='int64'", accepts="fi", validate=_check_line, kernel=kernel, prepare={"axis": _one_axis},
        shape=_place_shape, dtype=_place_dtype, depends=along_axes("reduced"),
    )  # fmt: skip


ARGMAX = _place_of("argmax", _argmax, "largest", "最大")
ARGMIN = _place_of("argmin", _argmin, "smallest", "最小")
