"""Layouts made by a key: `x[key]` for integers, slices, None and `...`."""

from __future__ import annotations

from operator import index as as_integer
from typing import Any

from inplacelab import errors
from inplacelab.layout.axes import unsqueeze
from inplacelab.layout.basics import Layout


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
