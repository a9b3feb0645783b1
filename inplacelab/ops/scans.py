"""Scans: running sums, products and sums of exponentials along an axis.

Each element reads those before it, in order, so the result may be written over the input while it is computed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab import dtypes, errors
from inplacelab.layout import Shape, normal_axis
from inplacelab.ops.arguments.indices import along, checked_axis
from inplacelab.ops.results.kernel_tools import conj, quietly
from inplacelab.ops.table import add_row
from inplacelab.ops.table.depends import along_axes
from inplacelab.ops.table.row import same
from inplacelab.tensor import Tensor

# ---- shared parts -----------------------------------------------------------------------------------------------------------


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
