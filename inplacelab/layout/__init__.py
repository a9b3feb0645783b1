"""Layouts: the positions of a tensor's elements in its storage, as pure functions of shape, strides and offset.

A storage is a flat run of slots. A layout says which slot holds which element:

    slot(i, j, ...) = offset + i * strides[0] + j * strides[1] + ...

counted in elements, not bytes. A *view* is another layout on the same storage. Every function here takes a layout and
returns one; no data moves. (`device.window` turns a layout into an array that a kernel can read.)

`basics` defines layouts, and makes one from another by its shape; `axes` does so by its axes, or by a key.

>>> square = Layout((2, 3), packed((2, 3)), 0)
>>> square.strides
(3, 1)
>>> transpose(square, (1, 0))
Layout(shape=(3, 2), strides=(1, 3), offset=0)
>>> index(square, (slice(None), 1))
Layout(shape=(2,), strides=(3,), offset=1)
"""

from __future__ import annotations

from inplacelab.layout.axes import (
    diagonal,
    index,
    is_basic,
    moved_axes,
    narrow,
    slices,
    squeeze,
    swapped_axes,
    t,
    transpose,
    unfold,
    unsqueeze,
)
from inplacelab.layout.basics import (
    Layout,
    Shape,
    Strides,
    common_shape,
    extent,
    flatten_shape,
    is_packed,
    listed,
    may_overlap_itself,
    moved,
    normal_axis,
    packed,
    reshape,
    resolve_shape,
    share_slots,
    unflatten_shape,
    whole,
)

__all__ = [
    "Layout", "Shape", "Strides", "common_shape", "diagonal", "extent", "flatten_shape", "index", "is_basic", "is_packed",
    "listed", "may_overlap_itself", "moved", "moved_axes", "narrow", "normal_axis", "packed", "reshape", "resolve_shape",
    "share_slots", "slices", "squeeze", "swapped_axes", "t", "transpose", "unflatten_shape", "unfold", "unsqueeze", "whole",
]  # fmt: skip
