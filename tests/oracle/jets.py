"""Jets: arrays whose elements carry derivatives along some directions, to first and, if wanted, second order.

A jet with value of shape S along n directions is the truncated Taylor series

    x + sum_i first[..., i] e_i + 1/2 sum_ij second[..., i, j] e_i e_j          first: S + (n,), second: S + (n, n)

and arithmetic on jets is the chain rule. This is forward mode: no graph, no history, nothing saved, so it has nothing in common
with the engine that it judges.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]


class Jet(NamedTuple):
    """Values and their derivatives; `second` is None where only first derivatives are carried."""

    value: Array
    first: Array
    second: Array | None

    @property
    def directions(self) -> int:
        """The number of directions along which derivatives are carried."""
        return int(self.first.shape[-1])

    def map(self, change: Callable[[Array], Array]) -> Jet:
        """The same linear change of all three parts, one that leaves trailing axes alone: indexing, reshaping, ..."""
        return Jet(change(self.value), change(self.first), None if self.second is None else change(self.second))

    def linear(self, factor: Array) -> Jet:
        """Each derivative times `factor`, which has the value's shape; the value stays."""
        second = None if self.second is None else self.second * factor[..., None, None]
        return Jet(self.value, self.first * factor[..., None], second)


def constant(value: Array, like: Jet) -> Jet:
    """Values whose derivatives are zero, along the directions of `like`."""
    n = like.directions
    second = None if like.second is None else np.zeros((*value.shape, n, n))
    return Jet(value, np.zeros((*value.shape, n)), second)


def empty(*, second: bool) -> Jet:
    """No elements and no directions yet."""
    return Jet(np.zeros(0), np.zeros((0, 0)), np.zeros((0, 0, 0)) if second else None)


def widened(x: Jet, by: int) -> Jet:
    """The same along more directions, with zero derivatives."""
    rest = [(0, 0)] * x.value.ndim
    second = None if x.second is None else np.pad(x.second, [*rest, (0, by), (0, by)])
    return Jet(x.value, np.pad(x.first, [*rest, (0, by)]), second)


def chain(x: Jet, value: Array, slope: Array, curvature: Array) -> Jet:
    """`f(x)`, from f, f' and f'' at the value of `x`."""
    second = None
    if x.second is not None:
        second = curvature[..., None, None] * _outer(x.first, x.first) + slope[..., None, None] * x.second
    return Jet(value, slope[..., None] * x.first, second)


def add(x: Jet, y: Jet, factor: float = 1.0) -> Jet:
    """`x + factor * y`."""
    second = None if x.second is None or y.second is None else x.second + factor * y.second
    return Jet(np.asarray(x.value + np.asarray(factor, y.value.dtype) * y.value), x.first + factor * y.first, second)


def multiply(x: Jet, y: Jet) -> Jet:
    """`x * y`."""
    a, b, second = x.value[..., None], y.value[..., None], None
    if x.second is not None and y.second is not None:
        cross = _outer(x.first, y.first)
        second = a[..., None] * y.second + b[..., None] * x.second + cross + np.swapaxes(cross, -1, -2)
    return Jet(np.asarray(x.value * y.value), a * y.first + b * x.first, second)


def total(x: Jet, axes: Shape) -> Jet:
    """The sum along `axes`."""
    return x.map(lambda part: np.asarray(part.sum(axis=axes)))


def matmul(x: Jet, y: Jet) -> Jet:
    """The product of two matrices: elementwise products of rows and columns, added up."""
    return total(multiply(x.map(lambda part: part[:, :, None]), y.map(lambda part: part[None])), (1,))


def spread(x: Jet, shape: Shape) -> Jet:
    """Broadcast to `shape`."""
    trailing = [x.value.shape[x.value.ndim :], x.first.shape[x.value.ndim :]]
    value, first = (np.broadcast_to(p, shape + t) for p, t in zip((x.value, x.first), trailing, strict=True))
    second = None if x.second is None else np.broadcast_to(x.second, shape + x.second.shape[x.value.ndim :])
    return Jet(value, first, second)


def gradient(x: Jet, seed: Array) -> Array:
    """The derivative of the sum of `seed * x`, along each direction."""
    return np.asarray(np.tensordot(seed, x.first, axes=seed.ndim))


def curvature(x: Jet, seed: Array, along: Array) -> Array:
    """The derivative of `along @ gradient(x, seed)`, along each direction."""
    assert x.second is not None
    return np.asarray(along @ np.tensordot(seed, x.second, axes=seed.ndim))


def _outer(a: Array, b: Array) -> Array:
    return a[..., :, None] * b[..., None, :]
