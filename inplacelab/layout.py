"""Layout: how a tensor's elements lie in its storage, as pure functions on three facts.

A storage is a flat run of slots. A layout says which slot holds which element:

    slot(i, j, ...) = offset + i * strides[0] + j * strides[1] + ...

counted in elements, not bytes. A *view* is nothing but another layout on the same storage; every function here takes a
layout and returns one, and no data moves. (`device.window` turns a layout into something a kernel can read.)

>>> square = Layout((2, 3), packed((2, 3)), 0)
>>> square.strides
(3, 1)
>>> transpose(square, (1, 0))
Layout(shape=(3, 2), strides=(1, 3), offset=0)
>>> index(square, (slice(None), 1))
Layout(shape=(2,), strides=(3,), offset=1)
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from operator import index as as_integer
from typing import Any, NamedTuple

from inplacelab import errors

Shape = tuple[int, ...]
Strides = tuple[int, ...]


class Layout(NamedTuple):
    """Shape, strides and offset, all in elements."""

    shape: Shape
    strides: Strides
    offset: int

    @property
    def size(self) -> int:
        """How many elements there are."""
        return prod(self.shape)


def packed(shape: Shape) -> Strides:
    """The strides of a tensor that fills its storage row by row, with no gaps."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


def is_packed(layout: Layout) -> bool:
    """True if the elements lie in row-major order with no gaps ("contiguous").

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
    """The first slot touched and one past the last; (offset, offset) for no elements."""
    if layout.size == 0:
        return layout.offset, layout.offset
    first = last = layout.offset
    for size, stride in zip(layout.shape, layout.strides, strict=True):
        reach = (size - 1) * stride
        first, last = first + min(reach, 0), last + max(reach, 0)
    return first, last + 1


def moved(layout: Layout, by: int) -> Layout:
    """The same layout, `by` slots further along."""
    return layout._replace(offset=layout.offset + by)


def may_overlap_itself(layout: Layout) -> bool:
    """True if two elements may share a slot (an expanded axis has stride 0).

    Exact for everything made by slicing, transposing and reshaping; for odd strides it errs on the side of True.
    """
    reach = 0
    axes = sorted((abs(stride), size) for size, stride in zip(layout.shape, layout.strides, strict=True) if size > 1)
    for stride, size in axes:
        if stride <= reach:
            return layout.size > 0
        reach += stride * (size - 1)
    return False


# ---- views: one layout in, another out --------------------------------------------------------------------------------


def normal_axis(axis: int, rank: int) -> int:
    """`axis` counted from the front; refused if it does not exist."""
    try:
        axis = as_integer(axis)
    except TypeError:
        raise errors.bad_axis(axis, rank) from None
    if not -rank <= axis < rank:
        raise errors.bad_axis(axis, rank)
    return axis % rank


def listed(axis: Any) -> Sequence[int]:
    """One axis, or several."""
    if isinstance(axis, Sequence) and not isinstance(axis, str):
        return axis
    return (axis,)


def transpose(layout: Layout, perm: Sequence[int]) -> Layout:
    """Axis `k` of the result is axis `perm[k]` of `layout`."""
    rank = len(layout.shape)
    try:
        axes = [as_integer(axis) for axis in perm]
    except TypeError:
        raise errors.bad_permutation(perm, rank) from None
    if sorted(axis + rank if axis < 0 else axis for axis in axes) != list(range(rank)):
        raise errors.bad_permutation(axes, rank)
    return Layout(tuple(layout.shape[a] for a in axes), tuple(layout.strides[a] for a in axes), layout.offset)


def t(layout: Layout) -> Layout:
    """The transpose of a matrix; a vector or a scalar stays as it is."""
    if len(layout.shape) > 2:
        raise errors.bad_rank("t", len(layout.shape), 2)
    return transpose(layout, range(len(layout.shape))[::-1])


def squeeze(layout: Layout, axis: int | Sequence[int] | None) -> Layout:
    """Without its axes of one element: all of them, or those named (a longer axis is left alone, as in Paddle)."""
    rank = len(layout.shape)
    named = range(rank) if axis is None else listed(axis)
    gone = {a for a in (normal_axis(n, max(rank, 1)) for n in named) if a < rank and layout.shape[a] == 1}
    kept = [a for a in range(rank) if a not in gone]
    return Layout(tuple(layout.shape[a] for a in kept), tuple(layout.strides[a] for a in kept), layout.offset)


def unsqueeze(layout: Layout, axis: int | Sequence[int]) -> Layout:
    """With an axis of one element put in at each place named, one after the other."""
    for place in listed(axis):
        rank = len(layout.shape)
        at = normal_axis(place, rank + 1)
        step = layout.shape[at] * layout.strides[at] if at < rank else 1
        shape, strides = layout.shape, layout.strides
        layout = Layout((*shape[:at], 1, *shape[at:]), (*strides[:at], step, *strides[at:]), layout.offset)
    return layout


def flatten_shape(shape: Shape, start: int, stop: int) -> Shape:
    """The shape with the axes from `start` to `stop` (inclusive) joined into one."""
    rank = max(len(shape), 1)
    first, last = normal_axis(start, rank), normal_axis(stop, rank)
    if first > last:
        raise errors.bad_axis(stop, rank)
    return (*shape[:first], prod(shape[first : last + 1]), *shape[last + 1 :])


def resolve_shape(shape: Shape, wanted: Sequence[int]) -> Shape:
    """`wanted` with -1 worked out and 0 read as "the size that is there", as in Paddle."""
    try:
        sizes = [as_integer(n) for n in wanted]
    except TypeError:
        raise errors.cannot_reshape(shape, wanted, prod(shape)) from None
    size = prod(shape)
    if sizes.count(-1) > 1:
        raise errors.two_unknown_sizes(sizes)
    if size:
        sizes = [shape[k] if n == 0 and k < len(shape) else n for k, n in enumerate(sizes)]
    if -1 in sizes:
        rest = prod(n for n in sizes if n != -1)
        sizes[sizes.index(-1)] = size // rest if rest else 0
    if any(n < 0 for n in sizes) or prod(sizes) != size:
        raise errors.cannot_reshape(shape, list(wanted), size)
    return tuple(sizes)


def reshape(layout: Layout, shape: Shape) -> Layout | None:
    """`layout` seen with another shape, or None if no strides can show it so: then the elements must be copied.

    Neighbouring axes can be seen as one if stepping off the end of the inner lands on the next of the outer. The axes
    fall into such groups; each group's elements must be cut up anew by a run of the new sizes.
    """
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


def index(layout: Layout, key: Any) -> Layout:
    """`x[key]` for basic keys: integers, slices, None and `...`, alone or in a tuple."""
    keys = key if isinstance(key, tuple) else (key,)
    shape, strides, offset = [], [], layout.offset
    axis = 0
    for k in _without_ellipsis(keys, len(layout.shape)):
        if k is None:
            shape.append(1)
            strides.append(0 if axis == len(layout.shape) else layout.shape[axis] * layout.strides[axis])
            continue
        size, stride = layout.shape[axis], layout.strides[axis]
        if isinstance(k, slice):
            start, stop, step = _slice_bounds(k, size)
            shape.append(len(range(start, stop, step)))
            strides.append(stride * step)
            offset += start * stride if shape[-1] else 0
        else:
            if not -size <= k < size:
                raise errors.index_out_of_range(k, axis, size)
            offset += k % size * stride
        axis += 1
    return Layout(tuple(shape), tuple(strides), offset)


def _slice_bounds(key: slice, size: int) -> tuple[int, int, int]:
    try:
        return key.indices(size)
    except (TypeError, ValueError):
        raise errors.bad_index(key) from None


def _without_ellipsis(keys: tuple[Any, ...], rank: int) -> list[Any]:
    """The keys with `...` written out, one for each axis, integers as plain ints."""
    plain = [k if k is None or k is Ellipsis or isinstance(k, slice) else _integer(k) for k in keys]
    used = sum(k is not None and k is not Ellipsis for k in plain)
    if used > rank:
        excess = [k for k in plain if k is not None and k is not Ellipsis][rank]
        raise errors.too_many_indices(used, rank, 0 if isinstance(excess, slice) else excess)
    dots = [i for i, k in enumerate(plain) if k is Ellipsis]
    if len(dots) > 1:
        raise errors.bad_index(keys)
    at = dots[0] if dots else len(plain)
    return [*plain[:at], *[slice(None)] * (rank - used), *plain[at + 1 :]]


def _integer(key: Any) -> int:
    if isinstance(key, bool):
        raise errors.bad_index(key)
    try:
        return as_integer(key)
    except TypeError:
        raise errors.bad_index(key) from None


def is_basic(key: Any) -> bool:
    """True if `key` selects by layout alone (a view); False if it needs a gather (a copy)."""
    return all(
        k is None
        or k is Ellipsis
        or isinstance(k, slice)
        or (hasattr(k, "__index__") and not isinstance(k, bool) and not getattr(k, "shape", ()))
        for k in (key if isinstance(key, tuple) else (key,))
    )
