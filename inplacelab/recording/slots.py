"""Computes which slots of its storage a tensor reaches, from shape, strides and offset.

Element (i, j, ...) lives in slot `offset + i*strides[0] + j*strides[1] + ...`, counted in elements.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import product
from math import prod
from typing import Protocol


class Laid(Protocol):
    """Anything with a layout: a tensor's facts, a saved tensor's, a kernel's operand."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the axes."""

    @property
    def strides(self) -> tuple[int, ...]:
        """Slots from one element to the next along each axis."""

    @property
    def offset(self) -> int:
        """The slot of the first element."""


Runs = tuple[tuple[int, int], ...]
"""Runs of neighboring slots, as (first, one past the last), in order and apart from each other."""

__all__ = [
    "MOST_RUNS",
    "Runs",
    "common_runs",
    "is_contiguous",
    "joined",
    "most_runs",
    "slot_runs",
    "slots_of",
    "without",
]


def slots_of(tensor: Laid) -> tuple[int, ...]:
    """Returns the slot of every element, in row-major order. An expanded tensor repeats slots.

    Args:
        tensor: anything with `shape`, `strides` and `offset`, counted in elements.
    """
    steps = (range(0, size * stride, stride) if stride else (0,) * size for size, stride in _axes(tensor))
    return tuple(tensor.offset + sum(hops) for hops in product(*steps))


MOST_RUNS = 4096
"""A layout of more runs is taken to reach the gaps of its innermost axes, too: no picture shows so many runs apart."""


def slot_runs(tensor: Laid) -> Runs:
    """Returns the slots that a tensor reaches, as sorted runs (first, one past the last), at most `MOST_RUNS`. A contiguous tensor
    is one run.
    """
    return _slot_runs(tensor.shape, tensor.strides, tensor.offset)


@lru_cache(maxsize=256)
def _slot_runs(shape: tuple[int, ...], strides: tuple[int, ...], offset: int) -> Runs:
    if 0 in shape:
        return ()
    first = offset + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True) if stride < 0)
    starts, length = [first], 1
    for stride, size in _by_stride(shape, strides):
        if len(starts) * size > MOST_RUNS:
            starts, length = [first], starts[-1] - first + length
        # As long as a hop is no longer than the run so far, the shifted runs touch and make one longer run.
        if len(starts) == 1 and (stride <= length or size > MOST_RUNS):
            length += stride * (size - 1)
        else:
            starts = sorted({start + hop for hop in range(0, size * stride, stride) for start in starts})
    return joined((start, start + length) for start in starts)


def most_runs(tensor: Laid) -> int:
    """Returns a number of runs that `slot_runs` does not exceed, without making them."""
    runs = length = 1
    for stride, size in _by_stride(tensor.shape, tensor.strides):
        if runs == 1 and stride <= length:
            length += stride * (size - 1)
        else:
            runs = min(runs * size, MOST_RUNS)
    return runs


def _by_stride(shape: tuple[int, ...], strides: tuple[int, ...]) -> list[tuple[int, int]]:
    """The axes that reach other slots, as (distance, size), the shortest distance first."""
    return sorted((abs(stride), size) for size, stride in zip(shape, strides, strict=True) if size > 1 and stride)


def is_contiguous(tensor: Laid) -> bool:
    """Whether the elements lie in row-major order without gaps. Axes of size 1 do not matter."""
    expected = 1
    for size, stride in reversed(_axes(tensor)):
        if size != 1 and stride != expected:
            return prod(tensor.shape) == 0
        expected *= size
    return True


def common_runs(one: Runs, other: Runs) -> Runs:
    """Returns the slots that are in both lists of runs."""
    # Both are in order: walk them side by side and always leave the run that ends first.
    i = j = 0
    common = []
    while i < len(one) and j < len(other):
        start, stop = max(one[i][0], other[j][0]), min(one[i][1], other[j][1])
        if start < stop:
            common.append((start, stop))
        if one[i][1] <= other[j][1]:
            i += 1
        else:
            j += 1
    return tuple(common)


def without(runs: Runs, others: Runs) -> Runs:
    """Returns the slots that are in `runs` and not in `others`. Both are in order."""
    left, k = [], 0
    for start, stop in runs:
        at = start
        while k < len(others) and others[k][1] <= at:
            k += 1
        for first, end in others[k:]:
            if first >= stop:
                break
            if first > at:
                left.append((at, first))
            at = max(at, end)
        if at < stop:
            left.append((at, stop))
    return tuple(left)


def _axes(tensor: Laid) -> tuple[tuple[int, int], ...]:
    return tuple(zip(tensor.shape, tensor.strides, strict=True))


def joined(runs: Iterable[tuple[int, int]]) -> Runs:
    """Returns sorted runs, with adjacent and overlapping runs merged.

    Args:
        runs: runs in order of their first slot.
    """
    merged: list[tuple[int, int]] = []
    for start, stop in runs:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(stop, merged[-1][1]))
        else:
            merged.append((start, stop))
    return tuple(merged)
