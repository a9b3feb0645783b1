"""Copies with one part written: what `x[...] = y` does, in a new tensor. Each is a copy and a write through a view of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inplacelab import errors
from inplacelab.layout import normal_axis
from inplacelab.ops.arguments.indices import check_dtype
from inplacelab.ops.arguments.operands import as_tensor
from inplacelab.ops.table import as_function, as_method
from inplacelab.tensor import Tensor


def _written(op: str, x: Tensor, part: Tensor, value: Any, copy: Tensor) -> Tensor:
    """Writes `value` into a view of `copy`, and returns that."""
    given = as_tensor(op, "value", 1, value)
    check_dtype(op, "value", x.array, given.array)
    if given.array.shape != part.array.shape:
        raise errors.written_shape_differs(op=op, argument="value", wanted=part.shape, given=given.shape)
    part.copy_(given)
    return copy


@as_method
@as_function
def select_scatter(x: Tensor, values: Tensor, axis: int, index: int, name: str | None = None) -> Tensor:
    """Returns a copy of `x` with `values` at one place of an axis.

    Args:
        x: the tensor.
        values: what to write, of the shape of `x` without that axis.
        axis: the axis; counted from the end if negative.
        index: the place; counted from the end if negative.
        name: accepted for compatibility with Paddle; ignored.

    Raises:
        ShapeError: if `values` does not fit.
        OperandError: if it has another dtype.

    >>> import inplacelab as paddle
    >>> paddle.zeros([2, 2]).select_scatter(paddle.ones([2]), 1, 0).tolist()
    [[1.0, 0.0], [1.0, 0.0]]
    """
    x = as_tensor("select_scatter", "x", 0, x)
    copy = x.clone()
    key = (slice(None),) * normal_axis(axis, x.ndim) + (index,)
    return _written("select_scatter", x, copy[key], values, copy)


@as_method
@as_function
def slice_scatter(
    x: Tensor,
    value: Tensor,
    axes: Sequence[int],
    starts: Sequence[int],
    ends: Sequence[int],
    strides: Sequence[int],
    name: str | None = None,
) -> Tensor:
    """Returns a copy of `x` with `value` in a slice of it.

    Args:
        x: the tensor.
        value: what to write, of the shape of the slice, or broadcast to it.
        axes: the axes that are sliced.
        starts: the first place along each of them.
        ends: the place after the last one.
        strides: the steps.
        name: accepted for compatibility with Paddle; ignored.

    Raises:
        ShapeError: if `value` does not fit.
        OperandError: if it has another dtype.

    >>> import inplacelab as paddle
    >>> paddle.zeros([4]).slice_scatter(paddle.ones([2]), [0], [0], [4], [2]).tolist()
    [1.0, 0.0, 1.0, 0.0]
    """
    x = as_tensor("slice_scatter", "x", 0, x)
    copy = x.clone()
    part = copy.strided_slice(axes, starts, ends, strides)
    given = as_tensor("slice_scatter", "value", 1, value)
    fits = given.ndim <= part.ndim and given.array.shape != part.array.shape
    return _written("slice_scatter", x, part, given.expand(part.shape) if fits else given, copy)


@as_method
@as_function
def diagonal_scatter(
    x: Tensor, y: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1, name: str | None = None
) -> Tensor:
    """Returns a copy of `x` with `y` on a diagonal of two axes.

    Args:
        x: the tensor, of at least two axes.
        y: what to write, of the shape of `x.diagonal(offset, axis1, axis2)`.
        offset: 0 for the main diagonal, more for those above it, less for those below.
        axis1: the first axis.
        axis2: the second axis.
        name: accepted for compatibility with Paddle; ignored.

    Raises:
        ShapeError: if `y` does not fit.
        OperandError: if it has another dtype.

    >>> import inplacelab as paddle
    >>> paddle.zeros([2, 2]).diagonal_scatter(paddle.ones([2])).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    x = as_tensor("diagonal_scatter", "x", 0, x)
    copy = x.clone()
    return _written("diagonal_scatter", x, copy.diagonal(offset, axis1, axis2), y, copy)
