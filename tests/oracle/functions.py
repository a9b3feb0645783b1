"""The functions of one number that programs apply: value, slope and curvature, in NumPy.

Where a derivative jumps (`relu` and `abs` at 0) the slope is the one PaddlePaddle and PyTorch agree on: 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .jets import Array, Jet, chain


class Function(NamedTuple):
    """`f`, `f'` and `f''`."""

    value: Callable[[Array], Array]
    slope: Callable[[Array], Array]
    curvature: Callable[[Array], Array]

    def __call__(self, x: Jet) -> Jet:
        with np.errstate(all="ignore"):
            return chain(x, *(np.asarray(part(x.value)) for part in self))


def _sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


def _tanh_curvature(x: Array) -> Array:
    return np.asarray(-2 * np.tanh(x) * (1 - np.tanh(x) ** 2))


FUNCTIONS = {
    "sin": Function(np.sin, np.cos, lambda x: -np.sin(x)),
    "cos": Function(np.cos, lambda x: -np.sin(x), lambda x: -np.cos(x)),
    "exp": Function(np.exp, np.exp, np.exp),
    "log": Function(np.log, lambda x: 1 / x, lambda x: -1 / x**2),
    "sqrt": Function(np.sqrt, lambda x: 0.5 / np.sqrt(x), lambda x: -0.25 * x**-1.5),
    "tanh": Function(np.tanh, lambda x: 1 - np.tanh(x) ** 2, _tanh_curvature),
    "sigmoid": Function(
        _sigmoid,
        lambda x: _sigmoid(x) * _sigmoid(-x),
        lambda x: _sigmoid(x) * _sigmoid(-x) * (1 - 2 * _sigmoid(x)),
    ),
    "square": Function(np.square, lambda x: 2 * x, lambda x: np.full_like(x, 2)),
    "neg": Function(np.negative, lambda x: np.full_like(x, -1), np.zeros_like),
    "abs": Function(np.abs, np.sign, np.zeros_like),
    "relu": Function(lambda x: np.maximum(x, 0), lambda x: (x > 0).astype(x.dtype), np.zeros_like),
}

RECIPROCAL = Function(lambda x: 1 / x, lambda x: -1 / x**2, lambda x: 2 / x**3)


def power(exponent: float) -> Function:
    """`x ** exponent`, for an exponent of at least 2."""
    p = exponent
    return Function(lambda x: x**p, lambda x: p * x ** (p - 1), lambda x: p * (p - 1) * x ** (p - 2))


def scaling(factor: float, bias: float) -> Function:
    """`factor * x + bias`."""
    return Function(lambda x: factor * x + bias, lambda x: np.full_like(x, factor), np.zeros_like)
