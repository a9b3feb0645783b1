"""Measures what an operation costs as live views and history grow. `compare.py` calls it.

The time of an operation should not depend on them, and the time of backward and of deletion should be proportional to the number of
nodes. A chain of a million operations, its backward and its deletion also show that nothing is recursive.

Times are multiples of `np.add(x, y, out=x)` on an array as small, measured in turns: the speed of some machines doubles and halves
within seconds.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import mean, median
from time import perf_counter

import numpy as np

import inplacelab as paddle
from benchmarks.tables import Curve
from inplacelab import Tensor

CALLS = 200
"""Operations that are timed together. They are few, so they hardly change what the time may depend on."""
ROUNDS = 21
"""Of which the median counts."""

Step = Callable[[], object]

_array, _zeros = np.ones((10, 3), np.float32), np.zeros((10, 3), np.float32)


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    # The collector walks over all objects, so its time depends on how many there are, in any program.
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def seconds(step: Step, calls: int = CALLS) -> float:
    """Seconds for one call."""
    start = perf_counter()
    for _ in range(calls):
        step()
    return (perf_counter() - start) / calls


def unit() -> float:
    """The seconds that NumPy takes for an addition, now."""
    return seconds(lambda: np.add(_array, _zeros, out=_array), 1000)


def relative(step: Step, calls: int = CALLS) -> float:
    """How many times as long a call takes as NumPy's addition."""
    with _no_garbage_collection():
        return median(seconds(step, calls) / unit() for _ in range(ROUNDS))


def powers_of_ten(largest: int, smallest: int = 1) -> list[int]:
    """The sizes of a curve."""
    sizes = [smallest]
    while sizes[-1] * 10 <= largest:
        sizes.append(sizes[-1] * 10)
    return sizes


def _leaf() -> Tensor:
    x: Tensor = paddle.ones([10, 3])
    x.stop_gradient = False
    return x


def with_views(title: str, largest: int, step_on: Callable[[Tensor], Step], *, graph: bool) -> Curve:
    """The time of a step on a tensor, as the number of its live views grows."""
    points = []
    for size in powers_of_ten(largest):
        base = _leaf().clone() if graph else paddle.ones([10, 3])
        views = [base[i % 10] for i in range(size)]
        points.append((size, relative(step_on(base))))
        del views
    return Curve(title, "live views", points)


def with_history(largest: int) -> Curve:
    """The time of an in-place operation, as the history of its tensor grows."""
    x, y, done, points = _leaf().clone(), paddle.zeros([10, 3]), 0, []
    for size in powers_of_ten(largest, 10):
        with _no_garbage_collection():
            for _ in range(size - done):
                x.add_(y)
        calls = min(max(size // 10, 20), CALLS)
        points.append((size, relative(lambda: x.add_(y), calls)))
        done = size + calls * ROUNDS
    return Curve("add_", "operations in the history", points)


def passes(largest: int) -> list[Curve]:
    """The time of backward for each node, and of the deletion of the graph for each node."""
    backward, deletion = [], []
    for size in powers_of_ten(largest, 1000):
        times = [_one_pass(size) for _ in range(max(ROUNDS * 1000 // size, 1))]
        backward.append((size, median(time[0] for time in times)))
        deletion.append((size, median(time[1] for time in times)))
    return [Curve("node in backward", "nodes", backward), Curve("node in deletion", "nodes", deletion)]


def _one_pass(size: int) -> tuple[float, float]:
    y = paddle.zeros([10, 3])
    with _no_garbage_collection():
        x = _leaf().clone()
        for _ in range(size):
            x.add_(y)
        total = x.sum()
        units = [unit()]
        start = perf_counter()
        total.backward(retain_graph=True)  # so that the deletion has something to delete
        backward = perf_counter() - start
        units.append(unit())
        start = perf_counter()
        del x, total
        deletion = perf_counter() - start
        units.append(unit())
    return backward / size / mean(units[:2]), deletion / size / mean(units[1:])


def curves(quick: bool) -> list[Curve]:
    """Measure all curves.

    Args:
        quick: ends at a tenth of the sizes.
    """
    less = 10 if quick else 1
    y = paddle.zeros([10, 3])
    # The longest chains would not fit on the stack.
    assert sys.getrecursionlimit() < 50_000
    return [
        with_views("base write", 10_000 // less, lambda base: lambda: base.add_(y), graph=False),
        with_views("base write with a graph", 10_000 // less, lambda base: lambda: base.add_(y), graph=True),
        with_views("x[0]", 10_000 // less, lambda base: lambda: base[0], graph=False),
        with_views("x[0] with a graph", 10_000 // less, lambda base: lambda: base[0], graph=True),
        with_history(1_000_000 // less),
        *passes(1_000_000 // less),
    ]
