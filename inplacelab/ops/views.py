"""Views: the same storage through other metadata. No data is moved, in either variant.

A view has no kernel, only a layout. Its derivative puts the gradient into the slots that the view shows.
`reshape` and `flatten` return a copy where no strides can express the new shape (their in-place variants are then in place
in name only).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from operator import index as as_integer
from typing import Any

from inplacelab import errors, layout
from inplacelab.layout import Layout, Shape, normal_axis
from inplacelab.layout.axes import PLAIN
from inplacelab.ops.arguments.attributes import sizes_of
from inplacelab.ops.arguments.keywords import Exchange
from inplacelab.ops.backward_operations import put_back, scatter
from inplacelab.ops.table import view
from inplacelab.ops.table.row import required


class Inferred(tuple[int, ...]):
    """A shape with a size that was inferred. Only a shape without one can return the tensor itself."""

    __slots__ = ()


_LISTED, _INTEGERS = frozenset((list, tuple)), frozenset((int,))


def _shape(x: Any, shape: Any) -> Shape:
    if type(shape) in _LISTED and _INTEGERS.issuperset(map(type, shape)):  # the usual case
        return _resolved_again(x.shape, tuple(shape))
    if type(shape) is not list:
        shape = shape.tolist() if hasattr(shape, "tolist") else [shape] if isinstance(shape, int) else shape
    return _resolved(x.shape, shape)


def _resolved(shape: Shape, wanted: Sequence[int]) -> Shape:
    resolved = layout.resolve_shape(shape, wanted)
    return Inferred(resolved) if -1 in wanted else resolved


_resolved_again = lru_cache(1000)(_resolved)


def _reshape(before: Layout, shape: Shape) -> Layout | None:
    after = layout.reshape(before, shape)
    return Layout(*before) if after is before and isinstance(shape, Inferred) else after


def _axis(x: Any, axis: Any) -> Any:
    """One axis or several; also from a tensor. A list is copied: the program may change it before backward."""
    if type(axis) is list:
        return axis.copy()
    return axis.tolist() if hasattr(axis, "tolist") else axis


def _permutation(x: Any, perm: Any) -> Any:
    """The axes in their new order; two axes alone are exchanged."""
    if type(perm) is not Exchange:
        return _axis(x, perm)
    order = list(range(x.ndim))
    first, second = (normal_axis(as_integer(axis), x.ndim) for axis in perm)
    order[first], order[second] = second, first
    return order


def inverse(perm: Sequence[int]) -> list[int]:
    """Returns the permutation that undoes `perm`."""
    places = [p % len(perm) for p in perm]
    return [places.index(k) for k in range(len(perm))]


def _as_it_is(x: Any, dtype: Any) -> Any:
    """The dtype of the view: the current one if none is given."""
    return x.dtype if dtype is None else dtype


def _number(x: Any, value: Any) -> int:
    """A number; also from a tensor."""
    return as_integer(value)


def _numbers(x: Any, values: Any) -> list[int]:
    """A list of numbers, from a list, one number, a tensor, or a list with tensors in it."""
    return sizes_of("slice", values)


def _axes(x: Any, axes: Any) -> list[int]:
    """A list of axes."""
    if not isinstance(axes, list | tuple):
        raise errors.axes_not_listed(axes=axes)
    return [as_integer(axis) for axis in axes]


_DOTS = type(Ellipsis)
_BOUNDS = frozenset((int, type(None)))


def fixed(x: Any, key: Any) -> Any:
    """Returns the key in plain numbers: a tensor in it may have another value by the time of backward."""
    return tuple(map(_fixed, key)) if type(key) is tuple else _fixed(key)


def _fixed(key: Any) -> Any:
    if type(key) is slice:
        bounds = (key.start, key.stop, key.step)
        if _BOUNDS.issuperset(map(type, bounds)):
            return key
        try:
            return slice(*(bound if bound is None else as_integer(bound) for bound in bounds))
        except TypeError:  # no number: refused with the key
            return key
    return key if type(key) in PLAIN else as_integer(key)


def _unflatten(before: Layout, axis: int, shape: Sequence[int]) -> Layout:
    """One axis can always be split without a copy."""
    return required(layout.reshape(before, layout.unflatten_shape(before.shape, axis, shape)))


def _matrix_transposed(before: Layout) -> Layout:
    if len(before.shape) < 2:
        raise errors.nothing_to_transpose(rank=len(before.shape))
    return layout.swapped_axes(before, -1, -2)


def _slice(before: Layout, axes: Sequence[int], starts: Sequence[int], ends: Sequence[int]) -> Layout:
    return layout.slices(before, axes, starts, ends, [1] * len(axes))


# NumPy's functions for windows are several times faster than ours. Tests compare them with the layouts.


def indexed(a: Any, key: Any) -> Any:
    """Returns `a[key]` as an array, also for one element; None for keys that must be refused, and for new axes, whose stride is 0 in NumPy."""
    keys = key if type(key) is tuple else (key,)
    if any(k is None for k in keys):
        return None
    try:
        return a[keys if _DOTS in map(type, keys) else (*keys, ...)]
    except (IndexError, TypeError, ValueError):
        return None


def _transposed(a: Any, perm: Any) -> Any:
    try:
        return a.transpose(perm)
    except (TypeError, ValueError):
        return None


def _reshaped(a: Any, shape: Shape) -> Any:
    return a.reshape(shape) if a.flags.c_contiguous and shape != a.shape else None


def _flattened(a: Any, start_axis: int, stop_axis: int) -> Any:
    return a.reshape(layout.flatten_shape(a.shape, start_axis, stop_axis)) if a.flags.c_contiguous else None


def _squeezed(a: Any, axis: Any) -> Any:
    try:
        return a.squeeze(axis)
    except (TypeError, ValueError):
        return None


def _unsqueezed(a: Any, axis: Any) -> Any:
    """Only for packed arrays, and not next to another axis of one element: there NumPy's strides may differ from Paddle's."""
    known = type(axis) is int and -a.ndim - 1 <= axis <= a.ndim
    if not known or not a.flags.c_contiguous or min(a.shape, default=2) < 2:
        return None
    at = axis % (a.ndim + 1)
    return a.reshape((*a.shape[:at], 1, *a.shape[at:]))


def _nth(before: Layout, axis: int, place: int) -> Layout:
    return layout.index(before, (*[slice(None)] * axis, place))


def _flatten(before: Layout, start_axis: int, stop_axis: int) -> Layout | None:
    return layout.reshape(before, layout.flatten_shape(before.shape, start_axis, stop_axis))


RESHAPE = view(
    "reshape", ("The same elements in another shape: a view, or a copy where no strides can express the shape.",
                "同样的元素，另一种形状；只有在任何步幅都无法表示时才复制。"),
    attrs="shape", prepare={"shape": _shape}, layout=_reshape, shortcut=_reshaped, shape=lambda shape: shape,
    same_is_self=True,
    d_x=lambda g, x_form: g.reshape(x_form.shape),
)  # fmt: skip
FLATTEN = view(
    "flatten", ("Join the axes from `start_axis` to `stop_axis` (inclusive) into one.", "把 `start_axis` 到 `stop_axis` 的轴合并为一个轴。"),
    attrs="start_axis=0, stop_axis=-1", layout=_flatten, shortcut=_flattened,
    shape=lambda x, start_axis, stop_axis: layout.flatten_shape(x, start_axis, stop_axis),
    d_x=lambda g, x_form: g.reshape(x_form.shape),
)  # fmt: skip
TRANSPOSE = view(
    "transpose", ("Reorder the axes: axis `k` of the result is axis `perm[k]`.", "重排各轴：结果的第 `k` 轴是原来的第 `perm[k]` 轴。"),
    attrs="perm", prepare={"perm": _permutation}, layout=layout.transpose, shortcut=_transposed,
    d_x=lambda g, perm: g.transpose(inverse(perm)),
)  # fmt: skip
T = view(
    "t", ("The transpose of a matrix.", "矩阵的转置。"),
    layout=layout.t, shortcut=lambda a: a.T if a.ndim == 2 else None, node="TransposeGradNode", same_is_self=True,
    d_x=lambda g: g.t(),
)  # fmt: skip
SQUEEZE = view(
    "squeeze", ("Remove axes of size 1: all of them, or those in `axis`.", "去掉长度为 1 的轴：全部，或 `axis` 指定的。"),
    attrs="axis=None", prepare={"axis": _axis}, layout=layout.squeeze, shortcut=_squeezed,
    d_x=lambda g, x_form: g.reshape(x_form.shape),
)  # fmt: skip
UNSQUEEZE = view(
    "unsqueeze", ("Insert an axis of size 1 at `axis`.", "在 `axis` 处插入一个长度为 1 的轴。"),
    attrs="axis", prepare={"axis": _axis}, layout=layout.unsqueeze, shortcut=_unsqueezed,
    d_x=lambda g, x_form: g.reshape(x_form.shape),
)  # fmt: skip

RAVEL = view(
    "ravel", ("All elements in one axis, in row-major order.", "把全部元素排成一个轴。"),
    layout=lambda before: layout.reshape(before, (before.size,)), shape=lambda x: (prod(x),), node="FlattenGradNode",
    in_place=False, d_x=lambda g, x_form: g.reshape(x_form.shape),
)  # fmt: skip
UNFLATTEN = view(
    "unflatten", ("Split one axis into several; one of their sizes may be -1.", "把一个轴切成几个轴；其中一个大小可以写作 -1。"),
    attrs="axis, shape", prepare={"axis": _number, "shape": _numbers}, layout=_unflatten, node="ReshapeGradNode",
    same_is_self=True, in_place=False, d_x=lambda g, x_form: g.reshape(x_form.shape),
)  # fmt: skip

# ---- some of the elements, and other orders of the axes --------------------------------------------------------------------

SWAPAXES = view(
    "swapaxes", ("Exchange two axes.", "交换两个轴。"),
    attrs="axis0, axis1", layout=layout.swapped_axes, node="TransposeGradNode", aliases=("swapdims",), in_place=False,
    d_x=lambda g, axis0, axis1: g.swapaxes(axis0, axis1),
)  # fmt: skip
MOVEAXIS = view(
    "moveaxis", ("Move the axes in `source` to the places in `destination`.", "把 `source` 中的轴移到 `destination` 所指的位置。"),
    attrs="source, destination", prepare={"source": _axis, "destination": _axis}, layout=layout.moved_axes, node="TransposeGradNode", in_place=False,
    d_x=lambda g, source, destination: g.moveaxis(destination, source),
)  # fmt: skip
_MT = view(
    "_mT", ("The last two axes exchanged.", "交换最后两个轴。"),
    layout=_matrix_transposed, node="TransposeGradNode", called="mT", function=False, in_place=False, d_x=lambda g: g._mT(),
)  # fmt: skip
DIAGONAL = view(
    "diagonal", ("The diagonal of two axes, which becomes the last axis.", "取两个轴的对角线，作为最后一个轴。"),
    attrs="offset=0, axis1=0, axis2=1", prepare={"offset": _number}, layout=layout.diagonal, in_place=False,
    d_x=lambda g, x_meta, out_meta: scatter(g, x_meta, out_meta),
)  # fmt: skip
UNFOLD = view(
    "unfold", ("Windows of `size` elements along an axis, `step` apart; the elements of a window become the last axis.",
               "沿一个轴每隔 `step` 取一个长为 `size` 的窗口，作为最后一个轴。"),
    attrs="axis, size, step", layout=layout.unfold, node="TensorUnfoldGradNode", in_place=False,
    d_x=lambda g, x_meta, out_meta: scatter(g, x_meta, out_meta),
)  # fmt: skip
SLICE = view(
    "slice", ("The slice from `starts` to `ends` along the named axes.", "沿指定的轴从 `starts` 取到 `ends`。"),
    attrs="axes, starts, ends", prepare={"axes": _axes, "starts": _numbers, "ends": _numbers}, layout=_slice, in_place=False,
    d_x=lambda g, x_meta, out_meta: scatter(g, x_meta, out_meta),
)  # fmt: skip
STRIDED_SLICE = view(
    "strided_slice", ("The slice from `starts` to `ends` along the named axes, in steps of `strides`.", "沿指定的轴从 `starts` 按步长取到 `ends`。"),
    attrs="axes, starts, ends, strides", layout=layout.slices, in_place=False,
    prepare={"axes": _axes, "starts": _numbers, "ends": _numbers, "strides": _numbers},
    d_x=lambda g, x_meta, out_meta: scatter(g, x_meta, out_meta),
)  # fmt: skip
NARROW = view(
    "narrow", ("A part of one axis: `length` positions, beginning with `start`.", "从 `start` 起取一个轴上的 `length` 个位置。"),
    attrs="dim, start, length", prepare={"start": _number}, layout=layout.narrow, node="AsStridedGradNode", in_place=False,
    d_x=lambda g, x_meta, out_meta: scatter(g, x_meta, out_meta),
)  # fmt: skip
NTH = view(
    "_nth", ("One place of one axis: `unbind` gives them all.", "一个轴上的一个位置：`unbind` 给出全部。"),
    attrs="axis, place", layout=_nth, node="UnbindGradNode", called="unbind", in_place=False, function=False,
    d_x=lambda g, x_meta, out_meta: scatter(g, x_meta, out_meta),
)  # fmt: skip

GETITEM = view(
    "getitem", ("Select by integers, slices, None and `...`.", "用整数、切片、None 与 `...` 选取。"),
    attrs="key", prepare={"key": fixed}, layout=layout.index, shortcut=indexed, node="SliceGradNode", in_place=False,
    method=False, function=False,
    d_x=lambda g, x_form, key: put_back(g, x_form, layout.index(layout.whole(x_form.shape), key)),
)  # fmt: skip
WINDOW = view(
    "_window", ("Look at the storage through any layout.", "以任意布局查看存储。"),
    attrs="layout, dtype=None", prepare={"dtype": _as_it_is}, layout=lambda before, layout, dtype: layout,
    dtype=lambda dtype: dtype, node="AsStridedGradNode", called="as_strided", in_place=False, function=False,
    d_x=lambda g, x_meta, out_meta: scatter(g, x_meta, out_meta),
)  # fmt: skip
