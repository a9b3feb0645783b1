"""Measures `add_` on a small tensor, compared with NumPy's `out=` in the same run.

    python benchmarks/latency.py [--quick]

Small tensors show what the engine itself costs: checks, version, history. All numbers are ratios to the NumPy call with the
same arithmetic, measured alternately, so that they are comparable between machines.

The budget: `add_` on 2 x 3 single-precision numbers within 3 times `np.add(x, y, out=x)` without a graph, and within 6 times
with one. (All other rows are measured by `rows.py`.)
"""

from __future__ import annotations

import argparse
import timeit
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import inplacelab as paddle
from inplacelab import Tensor

BUDGET = {"without a graph": 3.0, "with a graph": 6.0}
CHAIN = 50
"""Operations on one graph before a new one begins: with longer ones, the garbage collector would be measured, too."""

Call = Callable[[], object]


class Effort(NamedTuple):
    """The effort: the best of `rounds` rounds of `calls` calls."""

    rounds: int
    calls: int


def seconds(call: Call, calls: int) -> float:
    """Seconds for one call."""
    return timeit.timeit(call, number=calls) / calls


def ratio(call: Call, reference: Call, effort: Effort, *, calls_inside: int = 1) -> float:
    """How many times as long `call` takes: each at its best, measured in turns.

    `calls_inside` says how many operations one call of `call` does.
    """
    ours, theirs = [], []
    for _ in range(effort.rounds):
        theirs.append(seconds(reference, effort.calls))
        ours.append(seconds(call, max(effort.calls // calls_inside, 1)) / calls_inside)
    return min(ours) / min(theirs)


def operands() -> tuple[Any, Any]:
    """Two arrays of 2 x 3 numbers that stay the same however often one is added to the other."""
    return np.ones((2, 3), np.float32), np.zeros((2, 3), np.float32)


def chained(start: Tensor, step: Callable[[Tensor], object]) -> Call:
    """A call that does `CHAIN` operations on a new graph."""

    def run() -> None:
        x = start.clone()
        for _ in range(CHAIN):
            step(x)

    return run


# ---- the budget ---------------------------------------------------------------------------------------------------------


def budget(effort: Effort) -> dict[str, float]:
    """`add_` against `np.add`, without and with a graph."""
    array, nothing = operands()
    x, y = paddle.to_tensor(array), paddle.to_tensor(nothing)
    leaf = paddle.to_tensor(array, stop_gradient=False)

    def reference() -> object:
        return np.add(array, nothing, out=array)

    return {
        "without a graph": ratio(lambda: x.add_(y), reference, effort),
        "with a graph": ratio(chained(leaf, lambda t: t.add_(y)), reference, effort, calls_inside=CHAIN),
    }


def main() -> None:
    """Print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer rounds, for a first look")
    effort = Effort(5, 2_000) if parser.parse_args().quick else Effort(20, 20_000)
    print("add_ on 2 x 3, times np.add(x, y, out=x):")
    for name, found in budget(effort).items():
        verdict = "met" if found <= BUDGET[name] else "NOT MET"
        print(f"  {name:16} {found:5.2f}   budget {BUDGET[name]:.0f}: {verdict}")


if __name__ == "__main__":
    main()
