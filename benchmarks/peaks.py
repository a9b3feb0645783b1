"""Compares the peaks of the memory account with those computed by hand, which must be equal. `compare.py` calls it.

`memory.py` shows how much memory in-place operations save; here, the account itself is checked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import inplacelab as paddle
from benchmarks.memory import peak
from inplacelab import Tensor

UNIT = 64 * 512 * 512 * 4
"""Bytes of one feature map of `SHAPE` in single precision."""
SHAPE = [1, 64, 512, 512]


class Peak(NamedTuple):
    """The most bytes of live storages while a program runs: as accounted for, and by hand."""

    name: str
    found: int
    expected: int
    why: str


def _relu() -> object:
    x = paddle.zeros(SHAPE)
    return paddle.nn.functional.relu(x)


def _relu_in_place() -> object:
    return paddle.zeros(SHAPE).relu_()


def _needs_gradient() -> Tensor:
    x = paddle.zeros(SHAPE)
    x.stop_gradient = False
    return x


def _sin_in_place() -> object:
    x = _needs_gradient().clone()  # the graph keeps the leaf alive, which backward gives its gradient
    return x.sin_()


def _view() -> object:
    x = paddle.zeros(SHAPE)
    views = [x[0], x.reshape([-1]), x.transpose([0, 2, 3, 1])]
    views[0].scale_(2.0)
    return views


def _chain() -> object:
    x = paddle.zeros(SHAPE)
    for _ in range(10):
        x.scale_(0.5).add_(x)
    return x


PROGRAMS: list[tuple[str, Callable[[], object], int, str]] = [
    ("relu", _relu, 2 * UNIT, "input and result"),
    ("relu_", _relu_in_place, UNIT, "one storage"),
    ("views of all of it, scale_ through one", _view, UNIT, "one storage"),
    ("ten times scale_ and add_", _chain, UNIT, "one storage"),
    ("sin_ with a gradient", _sin_in_place, 3 * UNIT, "leaf, tensor, and the copy that the derivative needs"),
]
"""Each with its peak by hand, and what that consists of."""


def peaks() -> list[Peak]:
    """Run all programs."""
    return [Peak(name, peak(program), expected, why) for name, program, expected, why in PROGRAMS]
