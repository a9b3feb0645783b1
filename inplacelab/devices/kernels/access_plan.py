"""Which way an element-wise kernel takes through memory: how elements are counted, how many at once, by how wide numbers.

An element-wise operation does not care in which order its elements come. So the axes of its operands may change places and
grow together until few are left, and every axis saves a division for each element:

>>> turned = Layout((64, 64), (1, 64), 0)                      # a transposed matrix, in place: all of its slots, in a row
>>> merged([turned], 0)
(Layout(shape=(4096,), strides=(1,), offset=0),)
>>> left = Layout((2, 3, 4), (120, 40, 10), 0), Layout((2, 3, 4), (12, 4, 1), 0)
>>> merged(left, 1)
(Layout(shape=(24,), strides=(10,), offset=0), Layout(shape=(24,), strides=(1,), offset=0))

PyTorch's `TensorIterator` does the same, for the same reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from inplacelab.devices.kernels import geometry
from inplacelab.devices.kernels.geometry import Grid
from inplacelab.devices.kernels.launch import Launch
from inplacelab.devices.kernels.source import Form
from inplacelab.devices.kernels.types import width_of
from inplacelab.layout import Layout, Shape, extent, is_packed

FITS = 2**31 - geometry.MOST_BLOCKS * geometry.THREADS
"""Up to here numbers of 32 bits do: also the last turn of a loop, which goes one grid too far before it ends."""


class Way(NamedTuple):
    """What a launch follows from, besides addresses.

    Attributes:
        form: of the kernel.
        layouts: of the operands, as the kernel counts their elements.
        passed: the layouts that the kernel is given: none, or in packs of `width`.
        turns: how many elements or packs there are for a strided kernel; for a contiguous one, the elements.
        grid: enough threads.
    """

    form: Form
    layouts: tuple[Layout, ...]
    passed: tuple[Layout, ...]
    turns: int
    grid: Grid


@lru_cache(maxsize=4096)
def way(layouts: tuple[Layout, ...], dtypes: tuple[str, ...], written: int, *, aligned: bool) -> Way:
    """The way for operands that lie like this. The same operands come again and again: it is worked out once.

    Args:
        layouts: of the operands, which are broadcast to the shape of the one that is written.
        dtypes: of the operands.
        written: the position of the operand that is written.
        aligned: whether all storages begin at a multiple of 16 bytes.
    """
    shape = layouts[written].shape
    met = tuple(broadcast(each, shape) for each in layouts)
    if not all(map(is_packed, met)):
        met = merged(met, written)
    n, once = met[written].size, _once(met)
    packed = [(each, dtype) for k, (each, dtype) in enumerate(zip(met, dtypes, strict=True)) if k not in once]
    most = width_of(dtype for _, dtype in packed) if aligned else 1
    if _in_one_run(met):
        width = most if all(each.offset % most == 0 for each, _ in packed) else 1
        return Way(Form("contiguous", width, once=once), met, (), n, geometry.elementwise(n, width))
    width = most if all(_in_packs(each, most) for each, _ in packed) else 1
    once = once if width > 1 else ()  # one by one, every element is looked up in the same way
    passed = tuple(packs(each, width) for each in met)
    form = Form("strided", width, bits(met), len(met[written].shape), once)
    return Way(form, met, passed, n // width, geometry.elementwise(n, width))


def form_of(launch: Launch) -> Form:
    """The form of the kernel that ran in a launch of the kind "contiguous" or "strided"."""
    layouts = [each.layout for each in launch.operands]
    if launch.kind == "contiguous":
        return Form("contiguous", launch.width, once=_once(layouts))
    once = _once(layouts) if launch.width > 1 else ()
    return Form("strided", launch.width, bits(layouts), len(layouts[0].shape), once)


def _once(layouts: Sequence[Layout]) -> tuple[int, ...]:
    """Which operands show one element again and again along the last axis: it is loaded once for all neighbours."""
    return tuple(k for k, each in enumerate(layouts) if geometry.stays(each))


def _in_one_run(layouts: Sequence[Layout]) -> bool:
    """Whether all operands lie side by side, or are a single element."""
    return all(is_packed(each) or not any(each.strides) for each in layouts)


def broadcast(layout: Layout, shape: Shape) -> Layout:
    """The layout that shows the same elements again and again, until they have that shape.

    >>> broadcast(Layout((3,), (1,), 0), (2, 3))
    Layout(shape=(2, 3), strides=(0, 1), offset=0)
    """
    if layout.shape == shape:
        return layout
    missing = len(shape) - len(layout.shape)
    known = zip(layout.shape, layout.strides, shape[missing:], strict=True)
    return Layout(shape, (0,) * missing + tuple(0 if n != m else s for n, s, m in known), layout.offset)


def merged(layouts: Sequence[Layout], written: int) -> tuple[Layout, ...]:
    """The same elements, counted along as few axes as possible: in the order in which they lie in the operand that is written.

    Two axes become one if a step along the outer is as long as a walk along the inner, in every operand.
    """
    shape, strides = layouts[written].shape, layouts[written].strides
    axes = sorted((axis for axis, size in enumerate(shape) if size != 1), key=lambda axis: -abs(strides[axis]))
    found: list[tuple[int, tuple[int, ...]]] = []
    for axis in axes:
        size, steps = shape[axis], tuple(each.strides[axis] for each in layouts)
        if found and found[-1][1] == tuple(size * step for step in steps):
            size *= found.pop()[0]
        found.append((size, steps))
    sizes = tuple(size for size, _ in found)
    return tuple(
        Layout(sizes, tuple(steps[k] for _, steps in found), each.offset) for k, each in enumerate(layouts)
    )  # fmt: skip


def packs(layout: Layout, width: int) -> Layout:
    """The layout of packs of `width` neighbours; of an operand that is broadcast along the last axis, that of single elements.

    >>> packs(Layout((2, 8), (16, 1), 4), 4)
    Layout(shape=(2, 2), strides=(4, 1), offset=1)
    """
    if width == 1:
        return layout
    (*outer, inner), (*steps, step) = layout.shape, layout.strides
    if step == 0:  # it stays where it is, one element for every pack of the others
        return Layout((*outer, inner // width), layout.strides, layout.offset)
    return Layout((*outer, inner // width), (*(step // width for step in steps), 1), layout.offset // width)


def _in_packs(layout: Layout, width: int) -> bool:
    """Whether the last axis is a run of neighbours which can be cut into packs, all of them aligned."""
    whole = (layout.shape[-1], layout.offset, *layout.strides[:-1])
    return layout.strides[-1] == 1 and all(each % width == 0 for each in whole)


def bits(layouts: Sequence[Layout]) -> int:
    """Whether numbers of 32 bits can count the elements and their slots, or 64 are needed.

    >>> bits([Layout((10,), (2,), 0)]), bits([Layout((3,), (2**30,), 0)])
    (32, 64)
    """
    return 32 if all(each.size < FITS and extent(each)[1] < FITS for each in layouts) else 64
