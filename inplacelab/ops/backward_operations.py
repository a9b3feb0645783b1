"""The operations that backward computes with, provided to `autograd`; and copies with one part written.

Most are operations of the table. Two arrange gradients like the storages they belong to: a view is a layout on a storage, so
its gradient can be put into place by the layout alone, for any chain of slices and transposes. They are not public, but they
are differentiable, so second derivatives go through views too.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from inplacelab import errors
from inplacelab.autograd import operations
from inplacelab.autograd.saved import Meta, packed_meta
from inplacelab.devices import CPU
from inplacelab.form import Form
from inplacelab.language import Text
from inplacelab.layout import Layout, Shape, extent, may_overlap_itself, normal_axis
from inplacelab.ops.arguments.attributes import check_dtype
from inplacelab.ops.arguments.operands import as_tensor
from inplacelab.ops.results import metadata
from inplacelab.ops.table import as_function, as_method
from inplacelab.ops.table.row import Row, Rule
from inplacelab.tensor import Tensor, fresh, over


def _part(g: Tensor, base: Meta, view: Meta) -> Tensor:
    part: Tensor = arrange(g, base.within(base))._window(view.within(base), view.dtype)
    return part


_ARRANGE = Row(
    name="_arrange", kind="geometry", inputs=("x",), attrs="layout", node="ArrangeGradNode", in_place=False,
    says=Text("A copy of `x` in a new storage, laid out by `layout`.", "按 `layout` 布局、位于新存储中的 `x` 的副本。"),
    rules=(Rule(lambda g: g),),
)  # fmt: skip
_SCATTER = Row(
    name="_scatter", kind="geometry", inputs=("x",), attrs="base, view", node="ScatterGradNode", in_place=False,
    says=Text("Zeros laid out like a base, with `x` in the slots of a view.", "按基张量布局的零，视图所在的槽位放入 `x`。"),
    rules=(Rule(_part),),
)  # fmt: skip


def arrange(x: Tensor, layout: Layout) -> Tensor:
    """Returns a copy in a new storage, arranged by `layout` (which starts at slot 0 and may have gaps)."""
    device = x.storage.device
    whole = fresh(device.zeros(extent(layout)[1], x.array.dtype), device)
    result = over(device.window(whole.array, layout, x.array.dtype), whole.storage)
    np.copyto(result.array, x.array)
    metadata.attach(_ARRANGE, x, result, {"layout": layout})
    return result


def scatter(x: Tensor, base: Meta, view: Meta) -> Tensor:
    """Returns zeros in the layout of a base, with `x` in the slots of a view of it, added up where the view repeats a slot."""
    device, (start, stop) = x.storage.device, extent(base.layout)
    whole = fresh(device.zeros(stop - start, base.dtype), device)
    shown = view.within(base)
    part = device.window(whole.array, shown, view.dtype)
    if part.size:
        slots = _repeated(shown, whole.array.size * base.dtype.itemsize // view.dtype.itemsize)
        if slots is None:
            np.copyto(part, x.array)
        else:
            np.add.at(whole.array.view(view.dtype), slots, x.array)
    result = over(device.window(whole.array, base.within(base), base.dtype), whole.storage)
    metadata.attach(_SCATTER, x, result, {"base": base, "view": view})
    return result


def put_back(x: Tensor, whole: Form, part: Layout) -> Tensor:
    """Returns zeros of the form `whole`, with `x` in the part that a layout shows."""
    return scatter(x, packed_meta(whole), Meta(part, whole.dtype))


def _repeated(shown: Layout, size: int) -> Any:
    """The slots that a view shows, out of `size`, if it shows one of them twice; otherwise None."""
    if not may_overlap_itself(shown):
        return None
    slots = CPU.window(np.arange(size), shown, np.dtype(np.int64))
    return slots if np.unique(slots).size != prod(slots.shape) else None


class BackwardOperations:
    """Implements `autograd.operations.Operations` with the operations of the table."""

    arrange = staticmethod(arrange)
    scatter = staticmethod(scatter)

    def add(self, x: Tensor, y: Tensor) -> Tensor:
        return x.add(y)

    def add_(self, x: Tensor, y: Tensor) -> Tensor:
        return x.add_(y)

    def cast(self, x: Tensor, dtype: np.dtype[Any]) -> Tensor:
        return (x.real() if x.array.dtype.kind == "c" and dtype.kind != "c" else x).cast(dtype)

    def clone(self, x: Tensor) -> Tensor:
        return x.clone()

    def copy_(self, x: Tensor, y: Tensor) -> Tensor:
        return x.copy_(y)

    def multiply_(self, x: Tensor, factor: Any) -> Tensor:
        return x.multiply_(factor) if type(factor) is Tensor else x.scale_(factor)

    def ones_like(self, x: Tensor) -> Tensor:
        return x._ones()

    def reshape(self, x: Tensor, shape: Shape) -> Tensor:
        return x.reshape(shape)

    def set_part(self, x: Tensor, key: Any, value: Any) -> None:
        x[key] = value

    def sum(self, x: Tensor, axes: list[int]) -> Tensor:
        return x.sum(axes)

    def window(self, x: Tensor, layout: Layout, dtype: np.dtype[Any]) -> Tensor:
        window: Tensor = x._window(layout, dtype)
        return window

    def zero_(self, x: Tensor) -> Tensor:
        return x.zero_()

    def zeros(self, like: Tensor, shape: Shape) -> Tensor:
        return like._spread_out(shape)


operations.provide(BackwardOperations())


# ---- copies with one part written: what `x[...] = y` does, in a new tensor --------------------------------------------------


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
