"""Layouts made from the axes of another: reordered, removed or added axes, slices, diagonals and windows; and by a key, `x[key]`."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index as as_integer
from typing import Any

from inplacelab import errors
from inplacelab.layout.basics import Layout, listed, normal_axis


def transpose(layout: Layout, perm: Sequence[int]) -> Layout:
    """Returns the layout whose axis `k` is axis `perm[k]` of `layout`."""
    rank = len(layout.shape)
    try:
        axes = [as_integer(axis) for axis in perm]
    except TypeError:
        raise errors.bad_permutation(perm=perm, rank=rank, last=max(rank - 1, 0)) from None
    if sorted(axis + rank if axis < 0 else axis for axis in axes) != list(range(rank)):
        raise errors.bad_permutation(perm=axes, rank=rank, last=max(rank - 1, 0))
    return Layout(tuple(layout.shape[a] for a in axes), tuple(layout.strides[a] for a in axes), layout.offset)


def t(layout: Layout) -> Layout:
    """The transpose of a matrix; a vector or a scalar stays as it is."""
    if len(layout.shape) > 2:
        raise errors.transpose_of_too_many_axes(most=2, rank=len(layout.shape), op="t")
    if len(layout.shape) < 2:
        return layout
    return transpose(layout, range(len(layout.shape))[::-1])


def squeeze(layout: Layout, axis: int | Sequence[int] | None) -> Layout:
    """Returns the layout without axes of one element: all of them, or those in `axis` (longer ones stay, as in Paddle)."""
    rank = len(layout.shape)
    named = range(rank) if axis is None else listed(axis)
    gone = {a for a in (normal_axis(n, max(rank, 1)) for n in named) if a < rank and layout.shape[a] == 1}
    kept = [a for a in range(rank) if a not in gone]
    return Layout(tuple(layout.shape[a] for a in kept), tuple(layout.strides[a] for a in kept), layout.offset)


def unsqueeze(layout: Layout, axis: int | Sequence[int]) -> Layout:
    """Returns the layout with an axis of one element inserted at each position in `axis`, one after the other."""
    for place in listed(axis):
        rank = len(layout.shape)
        at = normal_axis(place, rank + 1)
        step = layout.shape[at] * layout.strides[at] if at < rank else 1
        shape, strides = layout.shape, layout.strides
        layout = Layout((*shape[:at], 1, *shape[at:]), (*strides[:at], step, *strides[at:]), layout.offset)
    return layout


def swapped_axes(layout: Layout, axis0: int, axis1: int) -> Layout:
    """Returns the layout with two axes exchanged."""
    rank = len(layout.shape)
    perm = list(range(rank))
    first, second = normal_axis(axis0, rank), normal_axis(axis1, rank)
    perm[first], perm[second] = second, first
    return transpose(layout, perm)


def moved_axes(layout: Layout, source: int | Sequence[int], destination: int | Sequence[int]) -> Layout:
    """Returns the layout with the axes in `source` moved to the positions in `destination`; the others keep their order."""
    rank = len(layout.shape)
    taken, places = _axes_named("source", source, rank), _axes_named("destination", destination, rank)
    if len(taken) != len(places):
        raise errors.move_count_differs(taken=len(taken), places=len(places))
    perm = [axis for axis in range(rank) if axis not in taken]
    for place, axis in sorted(zip(places, taken, strict=True)):
        perm.insert(place, axis)
    return transpose(layout, perm)


def _axes_named(argument: str, axes: Any, rank: int) -> list[int]:
    """Different axes, counted from the front."""
    named = []
    axis: Any
    for axis in listed(axes):
        if not isinstance(axis, int) or not -rank <= axis < rank:
            raise errors.move_axis_out_of_range(argument=argument, rank=rank)
        named.append(axis % rank)
    if len(set(named)) != len(named):
        raise errors.axis_moved_twice(argument=argument)
    return named


def narrow(layout: Layout, axis: int, start: int, length: int) -> Layout:
    """Returns `length` positions of one axis, beginning at `start`; a negative `start` counts from the end."""
    rank = len(layout.shape)
    if not -rank <= axis < rank:
        raise errors.narrow_axis_out_of_range(rank=rank, last=rank - 1, axis=axis)
    size = layout.shape[axis]
    first = start + size if start < 0 else start
    if length < 0 or not 0 <= first <= size - length:
        raise _bad_narrow(start, length, size)
    return slices(layout, (axis,), (first,), (first + length,), (1,))


def _bad_narrow(start: int, length: int, size: int) -> Exception:
    if length < 0:
        return errors.narrow_length_negative(size=size)
    if not -size <= start <= size:
        return errors.narrow_start_out_of_range(start=start, size=size)
    return errors.narrow_too_long(start=start, length=length, size=size)


def slices(
    layout: Layout, axes: Sequence[int], starts: Sequence[int], ends: Sequence[int], steps: Sequence[int]
) -> Layout:
    """Returns the slice of each axis in `axes` from a start to an end by a step, as in `x[start:end:step]`."""
    counts = (len(axes), len(starts), len(ends), len(steps))
    if len(set(counts)) != 1:
        raise errors.slice_count_differs(axes=len(axes), other=next(n for n in counts if n != len(axes)))
    shape, strides, offset = list(layout.shape), list(layout.strides), layout.offset
    for axis, start, end, step in zip(axes, starts, ends, steps, strict=True):
        at = normal_axis(axis, len(shape))
        if step == 0:
            raise errors.zero_step()
        places = range(layout.shape[at])[start:end:step]
        shape[at], strides[at] = len(places), layout.strides[at] * step
        offset += places.start * layout.strides[at] if places else 0
    return Layout(tuple(shape), tuple(strides), offset)


def diagonal(layout: Layout, offset: int, axis1: int, axis2: int) -> Layout:
    """Returns the diagonal of two axes, as the last axis of the result.

    Args:
        layout: the layout.
        offset: the number of columns to the right of the corner (negative: rows below it).
        axis1: the axis of rows.
        axis2: the axis of columns.
    """
    rank = len(layout.shape)
    if rank < 2:
        raise errors.too_few_axes_for_diagonal(rank=rank)
    for argument, axis in (("axis1", axis1), ("axis2", axis2)):
        if not -rank <= axis < rank:
            raise errors.diagonal_axis_out_of_range(argument=argument, rank=rank, last=rank - 1, axis=axis)
    down, right = axis1 % rank, axis2 % rank
    if down == right:
        raise errors.diagonal_of_one_axis(axis1=axis1, axis2=axis2)
    first = max(-offset, 0), max(offset, 0)
    size = max(min(layout.shape[down] - first[0], layout.shape[right] - first[1]), 0)
    step = layout.strides[down] + layout.strides[right]
    corner = first[0] * layout.strides[down] + first[1] * layout.strides[right]
    kept = [axis for axis in range(rank) if axis not in (down, right)]
    shape, strides = [layout.shape[a] for a in kept], [layout.strides[a] for a in kept]
    return Layout((*shape, size), (*strides, step), layout.offset + (corner if size else 0))


def unfold(layout: Layout, axis: int, size: int, step: int) -> Layout:
    """Returns windows along one axis. Overlapping windows show a slot several times.

    Args:
        layout: the layout.
        axis: the axis, whose positions are those of the windows in the result.
        size: the number of elements in a window, the size of a new last axis.
        step: the distance of the windows.

    >>> unfold(Layout((5,), (1,), 0), 0, 3, 2)
    Layout(shape=(2, 3), strides=(2, 1), offset=0)
    """
    shape, strides = layout.shape or (1,), layout.strides or (1,)
    at = normal_axis(axis, len(shape))
    if not 0 <= size <= shape[at]:
        raise errors.unfold_size_too_large(size=size, have=shape[at])
    if step <= 0:
        raise errors.bad_unfold_step(step=step)
    count = (shape[at] - size) // step + 1
    outer = (*strides[:at], strides[at] * step, *strides[at + 1 :])
    if not layout.shape:
        return Layout((size,), (1,), layout.offset)
    return Layout((*shape[:at], count, *shape[at + 1 :], size), (*outer, strides[at]), layout.offset)


def index(layout: Layout, key: Any) -> Layout:
    """Returns the layout of `x[key]` for basic keys: integers, slices, None and `...`, alone or in a tuple.

    New axes come last: as in PaddlePaddle, their strides are those that `unsqueeze` gives them in what was selected.
    """
    keys = key if isinstance(key, tuple) else (key,)
    shape: list[int] = []
    strides: list[int] = []
    new: list[int] = []
    offset = layout.offset
    axis = 0
    for k in _without_ellipsis(keys, len(layout.shape)):
        if k is None:
            new.append(len(shape) + len(new))
            continue
        size, stride = layout.shape[axis], layout.strides[axis]
        if isinstance(k, slice):
            start, stop, step = _slice_bounds(k, size)
            shape.append(len(range(start, stop, step)))
            strides.append(stride * step)
            offset += start * stride if shape[-1] else 0
        else:
            if not -size <= k < size:
                raise errors.index_out_of_range(index=k, axis=axis, size=size)
            offset += k % size * stride
        axis += 1
    selected = Layout(tuple(shape), tuple(strides), offset)
    return unsqueeze(selected, new) if new else selected


def _slice_bounds(key: slice, size: int) -> tuple[int, int, int]:
    try:
        return key.indices(size)
    except (TypeError, ValueError):
        raise errors.bad_index(index=key) from None


def _without_ellipsis(keys: tuple[Any, ...], rank: int) -> list[Any]:
    """The keys with `...` written out, one for each axis, integers as plain ints."""
    plain = [k if k is None or k is Ellipsis or isinstance(k, slice) else _integer(k) for k in keys]
    used = sum(k is not None and k is not Ellipsis for k in plain)
    if used > rank:
        excess = [k for k in plain if k is not None and k is not Ellipsis][rank]
        raise errors.too_many_indices(excess=0 if isinstance(excess, slice) else excess, rank=rank, given=used)
    dots = [i for i, k in enumerate(plain) if k is Ellipsis]
    if len(dots) > 1:
        raise errors.bad_index(index=keys)
    at = dots[0] if dots else len(plain)
    return [*plain[:at], *[slice(None)] * (rank - used), *plain[at + 1 :]]


def _integer(key: Any) -> int:
    if isinstance(key, bool):
        raise errors.bad_index(index=key)
    try:
        return as_integer(key)
    except TypeError:
        raise errors.bad_index(index=key) from None


PLAIN = frozenset((int, slice, type(None), type(Ellipsis)))
"""The most frequent types of keys, which need no further check."""


def is_basic(key: Any) -> bool:
    """Returns True if `key` selects by layout alone (a view); False if it needs a gather (a copy)."""
    return type(key) in PLAIN or all(
        k is None
        or k is Ellipsis
        or isinstance(k, slice)
        or (hasattr(k, "__index__") and not isinstance(k, bool) and not getattr(k, "shape", ()))
        for k in (key if isinstance(key, tuple) else (key,))
    )
