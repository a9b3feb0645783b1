"""Compares gradients with finite differences of the loss: for frameworks whose own backward may be wrong.

Of each leaf some elements are moved up and down, each in a run of its own that ends where the first backward pass would begin. An
element at which the loss is not smooth tells nothing: where the slopes to both sides differ, or those of two step sizes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

__all__ = ["Compared", "Leaf", "Shift", "compare"]

ELEMENTS = 3
"""So many elements of each leaf are moved."""
LEAVES = 32
"""The gradients of so many leaves are compared."""
ACCURACY = 0.03
"""How far a gradient may be from the finite difference, relative to the larger of the two."""
SMOOTH = 0.1
"""How far the slopes to both sides may be from each other."""


class Shift(NamedTuple):
    """Moves one element of a leaf: of the leaf with this number, the element at this position, by this much."""

    leaf: int
    element: int
    step: float


@dataclass(frozen=True)
class Leaf:
    """A leaf, and the gradient that the first pass gave it.

    Attributes:
        number: the position in the order in which the program made its tensors.
        name: its name in the program; "" if it has none.
        values: its values.
        gradient: its gradient; None if it got none.
    """

    number: int
    name: str
    values: Any
    gradient: Any


@dataclass(frozen=True)
class Compared:
    """What that has shown.

    Attributes:
        count: how many elements of gradients agree.
        all_leaves: whether there is such an element in the gradient of each leaf.
        wrong: the name of a leaf whose gradient disagrees, its gradient and the finite difference; None if there is none.
    """

    count: int = 0
    all_leaves: bool = False
    wrong: tuple[str, float, float] | None = None


def compare(leaves: Sequence[Leaf], loss: float, run: Callable[[Shift], float | None], *, seconds: float) -> Compared:
    """Compares gradients with finite differences.

    Args:
        leaves: the leaves.
        loss: the loss with which the pass began.
        run: returns the loss of the program with a moved element; None if that does not run.
        seconds: how long that may take.
    """
    until = time.monotonic() + seconds
    count, met = 0, 0
    for leaf in leaves[:LEAVES]:
        agree = 0
        for element in _elements(leaf):
            if time.monotonic() > until:
                return Compared(count)
            found = _slope(leaf, element, loss, run)
            if found is None:
                continue
            slope, error = found
            gradient = 0.0 if leaf.gradient is None else float(leaf.gradient.flat[element])
            if not abs(slope - gradient) <= ACCURACY * max(abs(slope), abs(gradient)) + error:
                return Compared(count, wrong=(leaf.name, gradient, slope))
            agree += 1
        count += agree
        met += bool(agree)
    return Compared(count, all_leaves=bool(leaves) and met == len(leaves))


def _elements(leaf: Leaf) -> Iterable[int]:
    """Returns positions: where the gradient is largest, where it is zero, and one more."""
    if not leaf.values.size:
        return ()
    gradient = np.zeros(leaf.values.size) if leaf.gradient is None else np.abs(leaf.gradient).ravel()
    zeros = np.flatnonzero(gradient == 0)
    chosen: Iterator[int] = iter(
        [int(np.argmax(gradient)), *map(int, zeros[:1]), gradient.size // 2, 0, gradient.size - 1]
    )
    return list(dict.fromkeys(chosen))[:ELEMENTS]


def _slope(leaf: Leaf, element: int, loss: float, run: Callable[[Shift], float | None]) -> tuple[float, float] | None:
    """Returns the slope of the loss, and how inaccurate rounding makes it; None if it is not smooth there, or not known."""
    value, precision = float(leaf.values.flat[element]), float(np.finfo(leaf.values.dtype).eps)
    step = precision ** (1 / 3) * max(1.0, abs(value))
    losses = [run(Shift(leaf.number, element, each * step)) for each in (1.0, -1.0, 0.5, -0.5)]
    if not np.isfinite(loss) or any(each is None or not np.isfinite(each) for each in losses):
        return None
    up, down, nearer_up, nearer_down = (float(each or 0.0) for each in losses)
    error = 8 * precision * max(map(abs, (up, down, loss))) / step + 1e-4
    wide, narrow = (up - down) / (2 * step), (nearer_up - nearer_down) / step
    right, left = (up - loss) / step, (loss - down) / step
    allowed = SMOOTH * max(abs(wide), abs(narrow), 1e-2) + 2 * error
    if abs(right - left) > allowed or abs(wide - narrow) > allowed or error > max(abs(wide), 1.0) * SMOOTH:
        return None
    return wide, error
