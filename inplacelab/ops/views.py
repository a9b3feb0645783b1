"""Views: the same storage seen through other metadata. No data move, in either variant.

A view has no kernel, only a layout. Its derivative sends the gradient of what is seen back to where it was seen.
`reshape` and `flatten` of a tensor whose elements no strides can show in that shape give a copy instead (and their
in-place variants are then in place in name only).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inplacelab import layout
from inplacelab.layout import Layout, Shape
from inplacelab.ops.table import view


def _shape(x: Any, shape: Any) -> Shape:
    sizes = shape.tolist() if hasattr(shape, "tolist") else [shape] if isinstance(shape, int) else shape
    return layout.resolve_shape(x.shape, sizes)


def _axis(x: Any, axis: Any) -> Any:
    """One axis or several; a tensor of them is read."""
    return axis.tolist() if hasattr(axis, "tolist") else axis


def inverse(perm: Sequence[int]) -> list[int]:
    """The permutation that undoes `perm`."""
    places = [p % len(perm) for p in perm]
    return [places.index(k) for k in range(len(perm))]


def _flatten(before: Layout, start_axis: int, stop_axis: int) -> Layout | None:
    return layout.reshape(before, layout.flatten_shape(before.shape, start_axis, stop_axis))


view(
    "reshape", ("The same elements in another shape; a copy only where no strides can show them so.",
                "同样的元素，另一种形状；只有在任何步幅都无法表示时才复制。"),
    attrs="shape", prepare={"shape": _shape}, layout=layout.reshape, shape=lambda shape: shape, same_is_self=True,
    d_x=lambda g, x_meta: g.reshape(x_meta.shape),
)  # fmt: skip
view(
    "flatten", ("Join the axes from `start_axis` to `stop_axis` into one.", "把 `start_axis` 到 `stop_axis` 的轴合并为一个轴。"),
    attrs="start_axis=0, stop_axis=-1", layout=_flatten,
    shape=lambda x, start_axis, stop_axis: layout.flatten_shape(x, start_axis, stop_axis),
    d_x=lambda g, x_meta: g.reshape(x_meta.shape),
)  # fmt: skip
view(
    "transpose", ("Reorder the axes: axis `k` of the result is axis `perm[k]`.", "重排各轴：结果的第 `k` 轴是原来的第 `perm[k]` 轴。"),
    attrs="perm", prepare={"perm": _axis}, layout=layout.transpose,
    d_x=lambda g, perm: g.transpose(inverse(perm)),
)  # fmt: skip
view(
    "t", ("The transpose of a matrix.", "矩阵的转置。"),
    layout=layout.t, node="TransposeGradNode", same_is_self=True,
    d_x=lambda g: g.t(),
)  # fmt: skip
view(
    "squeeze", ("Without the axes of one element: all of them, or those in `axis`.", "去掉长度为 1 的轴：全部，或 `axis` 指定的。"),
    attrs="axis=None", prepare={"axis": _axis}, layout=layout.squeeze,
    d_x=lambda g, x_meta: g.reshape(x_meta.shape),
)  # fmt: skip
view(
    "unsqueeze", ("With an axis of one element put in at `axis`.", "在 `axis` 处插入一个长度为 1 的轴。"),
    attrs="axis", prepare={"axis": _axis}, layout=layout.unsqueeze,
    d_x=lambda g, x_meta: g.reshape(x_meta.shape),
)  # fmt: skip

getitem = view(
    "getitem", ("Select by integers, slices, None and `...`.", "用整数、切片、None 与 `...` 选取。"),
    attrs="key", layout=layout.index, node="SliceGradNode", in_place=False, method=False, function=False,
    d_x=lambda g, x_meta, out_layout: g._scatter(x_meta.layout, out_layout),
)  # fmt: skip
window = view(
    "_window", ("Look at the storage through any layout.", "以任意布局查看存储。"),
    attrs="layout", layout=lambda before, layout: layout, node="AsStridedGradNode", in_place=False, function=False,
    d_x=lambda g, x_meta, layout: g._scatter(x_meta.layout, layout),
)  # fmt: skip
