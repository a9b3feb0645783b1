"""The class `Layout`, and properties of layouts."""

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
