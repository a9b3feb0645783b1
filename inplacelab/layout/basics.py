"""The class `Layout`, properties of layouts, and layouts of the same elements in another shape."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from operator import index as as_integer
from typing import Any, NamedTuple

from inplacelab import errors

Shape = tuple[int, ...]
Strides = tuple[int, ...]


class Layout(NamedTuple):
    """The positions of a tensor's elements in its storage.

    Attributes:
        shape: the sizes of the axes.
        strides: the step along each axis, in elements.
        offset: the slot of the first element.
    """

    shape: Shape
    strides: Strides
    offset: int

    @property
    def size(self) -> int:
        """The number of elements."""
        return prod(self.shape)


def packed(shape: Shape) -> Strides:
    """Returns the strides of a tensor in row-major order with no gaps.

    >>> packed((2, 3))
    (3, 1)
    """
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


@lru_cache(1000)
def whole(shape: Shape) -> Layout:
    """Returns the layout of a tensor that fills its storage in row-major order."""
    return Layout(shape, packed(shape), 0)


def is_packed(layout: Layout) -> bool:
    """Returns True if the elements are in row-major order with no gaps ("contiguous").

    An axis of one element may have any stride: it is never stepped along.
    """
    if layout.size == 0:
        return True
    step = 1
    for size, stride in zip(reversed(layout.shape), reversed(layout.strides), strict=True):
        if size != 1 and stride != step:
            return False
        step *= size
    return True


def extent(layout: Layout) -> tuple[int, int]:
    """Returns the first slot and one past the last slot; (offset, offset) if there are no elements."""
    if layout.size == 0:
        return layout.offset, layout.offset
    first = last = layout.offset
    for size, stride in zip(layout.shape, layout.strides, strict=True):
        reach = (size - 1) * stride
        first, last = first + min(reach, 0), last + max(reach, 0)
    return first, last + 1


COUNTED = 1 << 16
"""Slots of layouts with more elements are not compared one by one."""


def share_slots(one: Layout, other: Layout) -> bool:
    """Whether two layouts in one storage have a slot in common. For large ones, whether their ranges of slots overlap.

    >>> share_slots(Layout((3,), (2,), 0), Layout((3,), (2,), 1))
    False
    """
    (first, stop), (low, high) = extent(one), extent(other)
    if first >= high or low >= stop:
        return False
    return one.size > COUNTED or other.size > COUNTED or not _slots(one).isdisjoint(_slots(other))


def _slots(layout: Layout) -> set[int]:
    slots = {layout.offset}
    for size, stride in zip(layout.shape, layout.strides, strict=True):
        slots = {slot + stride * place for slot in slots for place in range(size)}
    return slots


def moved(layout: Layout, by: int) -> Layout:
    """Returns the same layout, `by` slots further along."""
    return layout._replace(offset=layout.offset + by)


def may_overlap_itself(layout: Layout) -> bool:
    """Returns True if two elements may share a slot (an expanded axis has stride 0).

    Exact for layouts made by slicing, transposing and reshaping; for other strides it may return True needlessly.
    """
    reach = 0
    axes = sorted((abs(stride), size) for size, stride in zip(layout.shape, layout.strides, strict=True) if size > 1)
    for stride, size in axes:
        if stride <= reach:
            return layout.size > 0
        reach += stride * (size - 1)
    return False


def normal_axis(axis: int, rank: int) -> int:
    """Returns `axis` counted from the front; refuses an axis that does not exist."""
    try:
        axis = as_integer(axis)
    except TypeError:
        raise errors.bad_axis(rank=rank, axis=axis) from None
    if not -rank <= axis < rank:
        raise errors.bad_axis(rank=rank, axis=axis)
    return axis % rank


def listed(axis: Any) -> Sequence[int]:
    """One axis, or several."""
    if isinstance(axis, Sequence) and not isinstance(axis, str):
        return axis
    return (axis,)


def flatten_shape(shape: Shape, start: int, stop: int) -> Shape:
    """Returns the shape with the axes from `start` to `stop` (inclusive) joined into one."""
    rank = max(len(shape), 1)
    first, last = normal_axis(start, rank), normal_axis(stop, rank)
    if first > last:
        raise errors.bad_axis(rank=rank, axis=stop)
    return (*shape[:first], prod(shape[first : last + 1]), *shape[last + 1 :])


def resolve_shape(shape: Shape, wanted: Sequence[int]) -> Shape:
    """Returns `wanted` with -1 replaced by the remaining size and 0 by the axis's current size, as in Paddle."""
    try:
        sizes = [as_integer(n) for n in wanted]
    except TypeError:
        raise errors.cannot_reshape(shape=shape, size=prod(shape), wanted=wanted) from None
    size = prod(shape)
    if prod(sizes) == size and min(sizes, default=1) > 0:  # the usual case
        return tuple(sizes)
    if sizes.count(-1) > 1:
        raise errors.two_unknown_sizes(wanted=sizes)
    if size:
        sizes = [shape[k] if n == 0 and k < len(shape) else n for k, n in enumerate(sizes)]
    if -1 in sizes:
        rest = prod(n for n in sizes if n != -1)
        sizes[sizes.index(-1)] = size // rest if rest else 0
    if any(n < 0 for n in sizes) or prod(sizes) != size:
        raise errors.cannot_reshape(shape=shape, size=size, wanted=list(wanted))
    return tuple(sizes)


@lru_cache(1000)
def common_shape(x: Shape, y: Shape) -> Shape | None:
    """Returns the shape to which two shapes are broadcast: axes are paired from the last on, and one of one element takes
    the size of the other; None if they do not fit.
    """  # NumPy's `broadcast_shapes` makes arrays, which takes ten times as long
    if len(x) < len(y):
        x, y = y, x
    if x[len(x) - len(y) :] == y:
        return x
    sizes = list(x)
    for axis in range(-len(y), 0):
        if sizes[axis] == 1:
            sizes[axis] = y[axis]
        elif y[axis] not in (1, sizes[axis]):
            return None
    return tuple(sizes)


def reshape(layout: Layout, shape: Shape) -> Layout | None:
    """Returns the layout with another shape, or None if no strides can express it: then the elements must be copied.

    Neighboring axes can be joined if a step past the end of the inner one is a step of the outer one. The axes form groups
    of such axes; the elements of each group must be divided by a run of the new sizes.
    """
    if shape == layout.shape:
        return layout
    if layout.size == 0:
        return Layout(shape, packed(shape), layout.offset)
    strides: list[int] = []
    wanted = list(shape)
    for count, step in _groups(layout):
        sizes: list[int] = []
        while wanted and prod(sizes) < count:
            sizes.append(wanted.pop(0))
        if prod(sizes) != count:
            return None
        strides.extend(step * s for s in packed(tuple(sizes)))
    strides.extend([strides[-1] if strides else 1] * len(wanted))  # what is left over are axes of one element
    return Layout(shape, tuple(strides), layout.offset)


def _groups(layout: Layout) -> list[tuple[int, int]]:
    """Runs of axes that could be one axis, outermost first, as (elements, innermost stride)."""
    groups: list[tuple[int, int]] = []
    for size, stride in zip(layout.shape, layout.strides, strict=True):
        if size == 1:
            continue
        if groups and groups[-1][1] == size * stride:
            groups[-1] = (groups[-1][0] * size, stride)
        else:
            groups.append((size, stride))
    return groups


def unflatten_shape(shape: Shape, axis: int, sizes: Sequence[int]) -> Shape:
    """Returns the shape with one axis divided into several; one of their sizes may be -1."""
    rank = len(shape)
    if not -rank <= axis < rank:
        raise errors.unflatten_axis_out_of_range(rank=rank)
    at = axis % rank
    return resolve_shape(shape, (*shape[:at], *sizes, *shape[at + 1 :]))
