"""Layout: how a tensor's elements lie in its storage, as pure functions on three facts.

A storage is a flat run of slots. A layout says which slot holds which element:

    slot(i, j, ...) = offset + i * strides[0] + j * strides[1] + ...

counted in elements, not bytes. A *view* is nothing but another layout on the same storage; every function here takes a
layout and returns one, and no data moves. (`device.window` turns a layout into something a kernel can read.)

`basics` says what a layout is; `axes`, `shapes` and `keys` make one from another: by its axes, by its shape, by a key.

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
    extent,
    is_packed,
    listed,
    may_overlap_itself,
    moved,
    normal_axis,
    packed,
    whole,
)
from inplacelab.layout.keys import index, is_basic
from inplacelab.layout.shapes import common_shape, flatten_shape, reshape, resolve_shape, unflatten_shape

__all__ = [
    "Layout", "Shape", "Strides", "common_shape", "diagonal", "extent", "flatten_shape", "index", "is_basic", "is_packed",
    "listed", "may_overlap_itself", "moved", "moved_axes", "narrow", "normal_axis", "packed", "reshape", "resolve_shape",
    "slices", "squeeze", "swapped_axes", "t", "transpose", "unflatten_shape", "unfold", "unsqueeze", "whole",
]  # fmt: skip
