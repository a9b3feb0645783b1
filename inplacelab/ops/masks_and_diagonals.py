"""Operations with a mask: fill, overwrite or select the elements where it is True; and triangles and diagonals of matrices."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from inplacelab import errors
from inplacelab.devices import CPU, Device
from inplacelab.layout import Shape, common_shape
from inplacelab.ops.arguments.attributes import Positions, constant, number_for
from inplacelab.ops.creation import made
from inplacelab.ops.results.kernel_tools import choose, start
from inplacelab.ops.table import add_row, as_function, as_method, elementwise, overwrite
from inplacelab.ops.table.depends import chosen, moved, one_after_the_other, written
from inplacelab.ops.table.row import same
from inplacelab.tensor import Tensor

# ---- the same value everywhere ------------------------------------------------------------------------------------------------


def _check_value(x: Any, value: Any) -> None:
    if value.ndim and value.dtype != x.dtype:
        raise errors.written_dtype_differs(
            op="masked_fill", argument="value", wanted=x.dtype.name, given=value.dtype.name
        )


def _masked_fill(out: Any, x: Any, mask: Any, value: Any, device: Any) -> None:
    if mask.dtype != bool:
        device.ledger.borrow(mask.size)
        mask = mask.astype(bool)
    if out is x:
        np.copyto(out, value, where=mask)
    else:
        choose(out, mask, value, x, device)


MASKED_FILL = elementwise(
    "masked_fill", "x, mask, value", ("Write `value` where the mask is true.", "在掩码成立处写入 `value`。"),
    numbers=("value",), validate=_check_value, kernel=_masked_fill, dtype=same, depends=chosen(1, 2, 0),
    masks=("mask",), cuda=dict.fromkeys("fib", "mask ? value : x"),
    d_x=lambda g, mask: g.masked_fill(mask, 0),
    d_value=lambda g, mask: g._zeros().masked_fill(mask, g),
)  # fmt: skip

# ---- one value after the other ------------------------------------------------------------------------------------------------


def _together(op: str, x: Shape, mask: Shape) -> Shape:
    shape = common_shape(x, mask)
    if shape is None:
        raise errors.cannot_broadcast(x=x, y=mask, op=op)
    return shape


def _check_scatter(x: Any, mask: Any, value: Any) -> None:
    if mask.dtype != bool:
        raise errors.not_a_mask(op="masked_scatter", dtype=mask.dtype.name)
    if value.dtype != x.dtype:
        raise errors.scattered_dtype_differs(
            op="masked_scatter", argument="value", wanted=x.dtype.name, given=value.dtype.name
        )
    shape = _together("masked_scatter", x.shape, mask.shape)
    needed = int(np.count_nonzero(mask)) * (prod(shape) // max(mask.size, 1))
    if needed > value.size:
        raise errors.too_few_values(needed=needed, given=value.size)


def _masked_scatter(out: Any, x: Any, mask: Any, value: Any, device: Any) -> None:
    shown = np.broadcast_to(mask, out.shape)
    device.ledger.borrow(value.nbytes * (not value.flags.c_contiguous) + 2 * out.size)
    start(out, x)
    out[shown] = value.reshape(-1)[: np.count_nonzero(shown)]


def _masked(places: Any, mask: Any) -> Any:
    """The elements where the mask holds."""
    return places[np.broadcast_to(mask, places.shape)]


def _gradient_of_values(g: Tensor, mask: Tensor, shape: Shape) -> Tensor:
    """The used values come first; the unused ones get zero."""
    used = g.masked_select(mask)
    values = g._spread_out((int(np.prod(shape, dtype=int)),))
    values[: used.shape[0]] = used
    return values.reshape(shape)


MASKED_SCATTER = add_row(
    "masking", "masked_scatter", "x, mask, value",
    ("Write the elements of `value`, one after the other, where the mask is true.", "在掩码成立处依次写入 `value` 的元素。"),
    validate=_check_scatter, kernel=_masked_scatter, depends=written(_masked, "value", used=one_after_the_other), dtype=same, shape=lambda x, mask: _together("masked_scatter", x, mask),
    d_x=lambda g, mask: g.masked_fill(mask, 0),
    d_value=lambda g, mask, value_form: _gradient_of_values(g, mask, value_form.shape),
)  # fmt: skip

# ---- pick out -----------------------------------------------------------------------------------------------------------------


def _check_mask(x: Any, mask: Any) -> None:
    _together("masked_select", x.shape, mask.shape)
    if mask.dtype != bool:
        raise errors.written_dtype_differs(op="masked_select", argument="mask", wanted="bool", given=mask.dtype.name)


@as_method
@as_function
def masked_select(x: Tensor, mask: Tensor, name: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """Returns a copy of the elements where the mask is true, as a vector.

    取出掩码成立处的元素，排成一行（副本）。

    Args:
        x: a tensor.
        mask: a bool tensor; `x` and `mask` are broadcast against each other.
        name: ignored.
        out: a tensor to write the result into.

    Raises:
        OperandError: if the mask is not bool.
        ShapeError: if the shapes cannot be broadcast.
    """
    _check_mask(x.array, mask.array)
    shape = _together("masked_select", x.array.shape, mask.array.shape)
    whole = x if x.array.shape == shape else x.expand(list(shape))
    picked = whole.reshape([-1])._take(Positions.counted(np.flatnonzero(np.broadcast_to(mask.array, shape))))
    return picked if out is None else out.copy_(picked)


@as_method
@as_function
def nonzero(x: Tensor, as_tuple: bool = False) -> Any:
    """Returns the indices of the elements that are not zero.

    非零元素的下标：每个元素一行；`as_tuple` 时每个轴一个张量。

    Args:
        x: a tensor.
        as_tuple: whether to return a tuple with a tensor of indices for each axis.

    Returns:
        A tensor of int64 of shape [number of elements, number of axes]; or the tuple.

    Raises:
        ShapeError: if the tensor has no axes.
    """
    if x.array.ndim == 0:
        raise errors.index_not_a_list(op="nonzero", shape=x.array.shape, rank=len(x.array.shape))
    device = x.storage.device
    places = np.nonzero(x.array)
    if as_tuple:
        return tuple(made("nonzero", device.from_host(each), device) for each in places)
    return made("nonzero", device.from_host(np.stack(places, 1)), device)


# ---- triangles and diagonals ------------------------------------------------------------------------------------------------


def _whole_number(x: Any, diagonal: Any) -> int:
    if type(diagonal) is not int:
        raise errors.not_an_integer(op="tril", argument="diagonal", position=2, value=diagonal)
    return diagonal


def _check_matrix(x: Any) -> None:
    if x.ndim < 2:
        raise errors.not_a_matrix(op="tril", rank=x.ndim)


def _tril(out: Any, x: Any, diagonal: int, device: Any) -> None:
    """Zeros are written, as multiplying with 0 would leave NaN."""
    inside = _triangle(out, diagonal, device)
    start(out, x)
    np.copyto(out, constant(0, out.dtype), where=np.logical_not(inside, inside))


def _triu(out: Any, x: Any, diagonal: int, device: Any) -> None:
    start(out, x)
    np.copyto(out, constant(0, out.dtype), where=_triangle(out, diagonal - 1, device))


def _triangle(out: Any, diagonal: int, device: Any) -> Any:
    """True on and below a diagonal. NumPy counts in short integers, through a buffer."""
    rows, columns = out.shape[-2:]
    device.ledger.borrow(rows * columns + 8 * (rows + columns) + (1 << 16))
    return np.tri(rows, columns, diagonal, bool, like=out)


TRIL = add_row(
    "triangle", "tril", "x", ("Keep the elements on and below a diagonal; the others become zero.", "保留某条对角线及其下方的元素，其余为零。"),
    attrs="diagonal=0", validate=_check_matrix, prepare={"diagonal": _whole_number}, kernel=_tril, shape=same, dtype=same, depends=moved(),
    d_x=lambda g, diagonal: g.tril(diagonal),
)  # fmt: skip
TRIU = add_row(
    "triangle", "triu", "x", ("Keep the elements on and above a diagonal; the others become zero.", "保留某条对角线及其上方的元素，其余为零。"),
    attrs="diagonal=0", validate=_check_matrix, prepare={"diagonal": _whole_number}, kernel=_triu, shape=same, dtype=same, depends=moved(),
    d_x=lambda g, diagonal: g.triu(diagonal),
)  # fmt: skip

# ---- the diagonal of a matrix, one number -------------------------------------------------------------------------------------


def _check_square(x: Any) -> None:
    if x.ndim < 2 or (x.ndim > 2 and len(set(x.shape)) > 1):
        raise errors.no_diagonal(shape=x.shape)


def _down_the_diagonal(shape: Shape, offset: int, wrap: bool) -> Any:
    """The flat positions of the elements on a diagonal: repeated steps of one row down and one column right.

    `offset` moves each position within its row. In a matrix with more rows than columns the diagonal ends at the last
    column, or (`wrap`) restarts one row below. With more axes all of them take the same step.
    """
    columns, size = shape[1], int(np.prod(shape))
    step = sum(int(np.prod(shape[k + 1 :])) for k in range(len(shape)))
    places = np.arange(0, size if wrap or len(shape) > 2 else min(size, columns * columns), max(step, 1))
    column = places % max(columns, 1) + offset
    return (places + offset)[(column >= 0) & (column < columns)]


def _fill_diagonal(out: Any, value: Any, offset: int, wrap: bool, device: Any) -> None:
    places = _down_the_diagonal(out.shape, offset, wrap)
    device.ledger.borrow(places.nbytes * (3 + out.ndim))
    out[np.unravel_index(places, out.shape)] = constant(value, out.dtype)


FILL_DIAGONAL = overwrite(
    "fill_diagonal", "x", ("Write one number into every element of the diagonal.", "在对角线上写入同一个数。"),
    attrs="value, offset=0, wrap=False", accepts="fib", validate=_check_square, prepare={"value": number_for}, kernel=_fill_diagonal,
    depends=written(lambda places, offset, wrap: places.reshape(-1)[_down_the_diagonal(places.shape, offset, wrap)]),
    d_x=lambda g, offset, wrap: g.clone().fill_diagonal_(0, offset, wrap),
)  # fmt: skip

# ---- the diagonals of a stack of matrices, from a tensor ------------------------------------------------------------------------


def _diagonal_shape(x: Shape, offset: int, dim1: int, dim2: int) -> Shape:
    """The shape of the diagonals, whose axis is the last."""
    length = max(min(x[dim1] + min(offset, 0), x[dim2] - max(offset, 0)), 0)
    return (*(n for k, n in enumerate(x) if k not in (dim1, dim2)), length)


def _diagonal(x: Any, offset: int, dim1: int, dim2: int, device: Device) -> Any:
    """The diagonals as a window that may be written: a step along both axes is one step of the last axis."""
    begin = [slice(None)] * x.ndim
    begin[dim1], begin[dim2] = slice(max(-offset, 0), None), slice(max(offset, 0), None)
    others = [s for k, s in enumerate(x.strides) if k not in (dim1, dim2)]
    strides = (*others, x.strides[dim1] + x.strides[dim2])
    return device.restrided(x[tuple(begin)], _diagonal_shape(x.shape, offset, dim1, dim2), strides)


def _check_diagonal(x: Any, y: Any, offset: int, dim1: int, dim2: int) -> None:
    if not all(-x.ndim <= d < x.ndim for d in (dim1, dim2)) or dim1 % x.ndim == dim2 % x.ndim:
        raise errors.bad_diagonal_axes(rank=x.ndim, dim1=dim1, dim2=dim2)
    wanted = _diagonal_shape(x.shape, offset, dim1 % x.ndim, dim2 % x.ndim)
    if y.shape != wanted:
        raise errors.diagonal_shape_differs(wanted=wanted, given=y.shape)
    if y.dtype != x.dtype:
        raise errors.written_dtype_differs(
            op="fill_diagonal_tensor", argument="y", wanted=x.dtype.name, given=y.dtype.name
        )


def _fill_diagonal_tensor(out: Any, x: Any, y: Any, offset: int, dim1: int, dim2: int, device: Device) -> None:
    start(out, x)
    np.copyto(_diagonal(out, offset, dim1 % out.ndim, dim2 % out.ndim, device), y)


def _on_diagonals(places: Any, offset: int, dim1: int, dim2: int) -> Any:
    """The elements of the diagonals."""
    return _diagonal(places, offset, dim1 % places.ndim, dim2 % places.ndim, CPU)


def _without_diagonal(g: Tensor, shape: Shape, offset: int, dim1: int, dim2: int) -> Tensor:
    return g.fill_diagonal_tensor(g._spread_out(shape), offset, dim1, dim2)


def _diagonal_of(g: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
    """The diagonals of `g`."""
    places = np.arange(g.array.size).reshape(g.array.shape)
    return g.reshape([-1])._take(_diagonal(places, offset, dim1 % g.ndim, dim2 % g.ndim, CPU).copy())


FILL_DIAGONAL_TENSOR = add_row(
    "diagonal", "fill_diagonal_tensor", "x, y",
    ("Write `y` into the diagonals of the matrices in the axes `dim1` and `dim2`.", "把 `y` 写到由 `dim1` 与 `dim2` 两轴构成的各矩阵的对角线上。"),
    attrs="offset=0, dim1=0, dim2=1", validate=_check_diagonal, kernel=_fill_diagonal_tensor, shape=same, dtype=same, function=False,
    depends=written(_on_diagonals, "y"),
    d_x=lambda g, y_form, offset, dim1, dim2: _without_diagonal(g, y_form.shape, offset, dim1, dim2),
    d_y=_diagonal_of,
)  # fmt: skip

# ---- between a vector and the diagonal of a matrix ------------------------------------------------------------------------------


def _check_diag(x: Any) -> None:
    if x.ndim > 2:
        raise errors.too_many_axes_for_diag(rank=x.ndim)


def _diag_shape(x: Shape, offset: int) -> Shape:
    if len(x) == 2:
        return _diagonal_shape(x, offset, 0, 1)
    size = (x[0] if x else 1) + abs(offset)
    return (size, size)


def _diag(out: Any, x: Any, offset: int, padding_value: Any, device: Device) -> None:
    if x.ndim == 2:
        np.copyto(out, _diagonal(x, offset, 0, 1, device))
    else:
        np.copyto(out, constant(padding_value, out.dtype))
        np.copyto(_diagonal(out, offset, 0, 1, device), x)


def _gradient_of_diag(g: Tensor, shape: Shape, offset: int) -> Tensor:
    if len(shape) == 2:
        return g._spread_out(shape).fill_diagonal_tensor(g, offset)
    return g.diag(offset).reshape(shape)


DIAG = add_row(
    "diagonal", "diag", "x",
    ("A matrix with the vector `x` on a diagonal, or a copy of that diagonal of the matrix `x`.",
     "以向量 `x` 为某条对角线的矩阵；若 `x` 是矩阵，则取其该对角线。均为副本。"),
    attrs="offset=0, padding_value=0", accepts="fic", validate=_check_diag, kernel=_diag, prepare={"padding_value": number_for}, depends=moved(),
    shape=lambda x, offset: _diag_shape(x, offset), dtype=same, in_place=False,
    d_x=lambda g, x_form, offset: _gradient_of_diag(g, x_form.shape, offset),
)  # fmt: skip


@as_method
@as_function
def trace(x: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1, name: str | None = None) -> Tensor:
    """Returns the sum of a diagonal; for a stack of matrices, of each of them.

    Args:
        x: a tensor of two or more axes.
        offset: the number of columns to the right of the main diagonal (negative: rows below it).
        axis1: the axis of rows.
        axis2: the axis of columns.
        name: ignored.

    对角线元素之和；若为成叠的矩阵，则对每个矩阵求和。

    >>> import inplacelab as paddle
    >>> paddle.trace(paddle.to_tensor([[1., 2.], [3., 4.]])).item()
    5.0
    """
    total: Tensor = x.diagonal(offset, axis1, axis2).sum(-1)
    return total
