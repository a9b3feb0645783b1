"""The outcome of a program, in the same form for the reference and for every framework."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from .jets import Array, Shape


class Refusal(NamedTuple):
    """Something was refused."""

    kind: str
    message: str
    crash: bool = False
    """An exception that is not a refusal: an accident."""


class Gradient(NamedTuple):
    """The derivative of a weighted sum of a tensor with respect to one leaf, and one of the weighted sum of all these."""

    first: Array
    second: Array | None


Probe = Mapping[str, Gradient] | Refusal
"""The gradients of one tensor with respect to every leaf."""


@dataclass
class Outcome:
    """The state after a program.

    Attributes:
        refusals: which statements were refused, by position. The program went on after each.
        values: the values of every named tensor.
        strides: along each axis of more than one element; not computed by the reference.
        stopped: its `stop_gradient`.
        versions: its version counter; empty where the framework counts otherwise.
        grads: the `.grad` of every leaf, and of the tensors that retain theirs; None where it is unknown or not there.
        probes: its gradients.
        left: a tensor with views has left the history.
        lost: the first statement that this framework cannot express (later results are ignored), or None.
    """

    refusals: dict[int, Refusal] = field(default_factory=dict)
    values: dict[str, Array] = field(default_factory=dict)
    strides: dict[str, tuple[int, ...]] = field(default_factory=dict)
    stopped: dict[str, bool] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    grads: dict[str, Array | None] = field(default_factory=dict)
    probes: dict[str, Probe] = field(default_factory=dict)
    left: bool = False
    lost: int | None = None


def weights(shape: Shape, *, second: bool = False) -> Array:
    """Different numbers for different elements, so that no two gradients can be mixed up unnoticed."""
    count = np.arange(int(np.prod(shape, dtype=int)))
    return np.asarray(((7 * count + 3) % 11 - 4.5) / 4 if second else ((5 * count + 2) % 13 + 1) / 8).reshape(shape)


@contextmanager
def quietly() -> Iterator[None]:
    """Without warnings: a program may divide by zero, or ask for a `.grad` that is not there."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def agree(found: Array | None, expected: Array, tolerance: float) -> bool:
    """True if a gradient is the expected one; None means zeros. Infinity times zero is not compared."""
    return not np.isfinite(expected).all() or close(0 * expected if found is None else found, expected, tolerance)


def close(a: Any, b: Any, tolerance: float) -> bool:
    """True if two arrays have the same shape and agree up to rounding, measured against their largest number."""
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape:
        return False
    if a.dtype.kind in "biu" and b.dtype.kind in "biu":
        return bool(np.array_equal(a, b))
    finite = np.abs(np.concatenate([a.ravel(), b.ravel()]))
    scale = max(1.0, float(np.max(finite, initial=0.0, where=np.isfinite(finite))))
    return bool(np.allclose(a, b, rtol=0, atol=tolerance * scale, equal_nan=True))
