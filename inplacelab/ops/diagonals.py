"""Triangles and diagonals of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab import errors
from inplacelab.backends import CPU, Device
from inplacelab.layout import Shape
from inplacelab.ops.arguments.attributes import constant, number_for
from inplacelab.ops.results.kernel_tools import start
from inplacelab.ops.table import add_row, overwrite
from inplacelab.ops.table.depends import moved, written
from inplacelab.ops.table.exports import as_function, as_method
from inplacelab.ops.table.row import same
from inplacelab.tensor import Tensor

# ---- triangles ----------------------------------------------------------------------------------------------------------------


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


add_row(
    "triangle", "tril", "x", ("Keep the elements on and below a diagonal; the others become zero.", "保留某条对角线及其下方的元素，其余为零。"),
    attrs="diagonal=0", validate=_check_matrix, prepare={"diagonal": _whole_number}, kernel=_tril, shape=same, dtype=same, depends=moved(),
    d_x=lambda g, diagonal: g.tril(diagonal),
)  # fmt: skip
add_row(
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


overwrite(
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


add_row(
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


add_row(
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
