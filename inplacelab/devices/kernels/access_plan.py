"""Plans the memory accesses of an element-wise kernel: the order of the elements, the width of packs and the width of indices.

The order of the elements does not matter to an element-wise operation. So the axes of its operands can be permuted and merged, and
every axis less saves a division for each element:

>>> turned = Layout((64, 64), (1, 64), 0)                      # a transposed matrix covers all of its slots
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
"""The largest count for 32-bit indices. The last turn of a loop adds one whole grid to the index before the loop ends."""


class AccessPlan(NamedTuple):
    """Everything that determines a launch except addresses.

    Attributes:
        form: the form of the kernel.
        layouts: the layouts of the operands, with axes permuted and merged.
        passed: the layouts that the kernel takes as arguments, in packs of `width`; none for a contiguous kernel.
        turns: the kernel's argument `n`: elements or packs for a strided kernel, elements for a contiguous one.
        grid: the blocks and threads.
    """

    form: Form
    layouts: tuple[Layout, ...]
    passed: tuple[Layout, ...]
    turns: int
    grid: Grid


@lru_cache(maxsize=4096)
def plan(layouts: tuple[Layout, ...], dtypes: tuple[str, ...], written: int, *, aligned: bool) -> AccessPlan:
    """Plans the accesses for some operands. Results are cached, because the same operands occur again and again.

    Args:
        layouts: the layouts of the operands, which are broadcast to the shape of the one that is written.
        dtypes: their dtypes.
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
        return AccessPlan(Form("contiguous", width, once=once), met, (), n, geometry.elementwise(n, width))
    width = most if all(_in_packs(each, most) for each, _ in packed) else 1
    once = once if width > 1 else ()  # element by element, broadcast operands need no special case
    passed = tuple(packs(each, width) for each in met)
    form = Form("strided", width, bits(met), len(met[written].shape), once)
    return AccessPlan(form, met, passed, n // width, geometry.elementwise(n, width))


def form_of(launch: Launch) -> Form:
    """Returns the form of the kernel of a launch of the kind "contiguous" or "strided"."""
    layouts = [each.layout for each in launch.operands]
    if launch.kind == "contiguous":
        return Form("contiguous", launch.width, once=_once(layouts))
    once = _once(layouts) if launch.width > 1 else ()
    return Form("strided", launch.width, bits(layouts), len(layouts[0].shape), once)


def _once(layouts: Sequence[Layout]) -> tuple[int, ...]:
    """The positions of the operands that are broadcast along the last axis: one load serves all neighbors."""
    return tuple(k for k, each in enumerate(layouts) if geometry.stays(each))


def _in_one_run(layouts: Sequence[Layout]) -> bool:
    """Whether every operand is packed or a single element."""
    return all(is_packed(each) or not any(each.strides) for each in layouts)


def broadcast(layout: Layout, shape: Shape) -> Layout:
    """Broadcasts a layout to a shape.

    Args:
        layout: the layout.
        shape: a shape to which it can be broadcast.

    Returns:
        A layout with stride 0 along the broadcast axes.

    >>> broadcast(Layout((3,), (1,), 0), (2, 3))
    Layout(shape=(2, 3), strides=(0, 1), offset=0)
    """
    if layout.shape == shape:
        return layout
    missing = len(shape) - len(layout.shape)
    known = zip(layout.shape, layout.strides, shape[missing:], strict=True)
    return Layout(shape, (0,) * missing + tuple(0 if n != m else s for n, s, m in known), layout.offset)


def merged(layouts: Sequence[Layout], written: int) -> tuple[Layout, ...]:
    """Permutes and merges the axes, so that as few as possible are left, in the memory order of the operand that is written.

    Two axes are merged if in every operand the outer stride is the inner stride times the inner size.

    Args:
        layouts: the layouts of the operands, all of one shape.
        written: the position of the operand that is written.

    Returns:
        Layouts of the same elements.
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
    """Returns the layout of packs of neighboring elements.

    Args:
        layout: the layout of single elements.
        width: the number of elements in a pack.

    Returns:
        A layout whose strides and offset count packs; of an operand that is broadcast along the last axis, single elements.

    >>> packs(Layout((2, 8), (16, 1), 4), 4)
    Layout(shape=(2, 2), strides=(4, 1), offset=1)
    """
    if width == 1:
        return layout
    (*outer, inner), (*steps, step) = layout.shape, layout.strides
    if step == 0:  # broadcast: one element for every pack of the others
        return Layout((*outer, inner // width), layout.strides, layout.offset)
    return Layout((*outer, inner // width), (*(step // width for step in steps), 1), layout.offset // width)


def _in_packs(layout: Layout, width: int) -> bool:
    """Whether the last axis consists of neighboring slots that can be divided into aligned packs."""
    whole = (layout.shape[-1], layout.offset, *layout.strides[:-1])
    return layout.strides[-1] == 1 and all(each % width == 0 for each in whole)


def bits(layouts: Sequence[Layout]) -> int:
    """Returns the width of indices, 32 or 64 bits, that elements and slots need.

    >>> bits([Layout((10,), (2,), 0)]), bits([Layout((3,), (2**30,), 0)])
    (32, 64)
    """
    return 32 if all(each.size < FITS and extent(each)[1] < FITS for each in layouts) else 64
