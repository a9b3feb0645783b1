"""How long an operation on a small tensor takes, compared with NumPy's `out=` in the same run.

    python benchmarks/latency.py [--quick]

Small tensors show what the engine itself costs: checks, version, history. All figures are ratios to the NumPy call that does
the same arithmetic, measured in turns with it, so that they mean the same on a slow machine and on a fast one.

The budget: `add_` on 2 x 3 single-precision numbers within 3 times `np.add(x, y, out=x)` without a graph, and within 6 times
with one.
"""

from __future__ import annotations

import sys
import timeit
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import inplacelab as paddle
from inplacelab import Tensor
from inplacelab.ops.table import ROWS, variants

BUDGET = {"without a graph": 3.0, "with a graph": 6.0}
CHAIN = 50
"""Operations on one graph before a new one is begun: with longer ones, the garbage collector's walks would be measured."""

Call = Callable[[], object]


class Effort(NamedTuple):
    """How carefully to measure: the best of `rounds` rounds of `calls` calls."""

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
    """A call that does `CHAIN` operations on a graph of its own."""

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


# ---- every row ------------------------------------------------------------------------------------------------------------

ATTRIBUTES: dict[str, tuple[Any, ...]] = {
    "pow": (1,), "fill": (1.0,), "cast": ("float32",), "reshape": ([3, 2],), "transpose": ([1, 0],), "unsqueeze": (0,),
    "scale": (1.0,),
}  # fmt: skip
ONE, ZERO = np.asarray(1, np.float32), np.asarray(0, np.float32)
UFUNCS: dict[str, Any] = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.true_divide, "scale": np.multiply,
    "pow": np.power, "relu": np.maximum, "neg": np.negative, "square": np.square, "abs": np.absolute, "sign": np.sign,
    "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos, "tanh": np.tanh, "sigmoid": np.tanh,
}  # fmt: skip
SECOND: dict[str, Any] = {"scale": ONE, "pow": ONE, "relu": ZERO, "fill": ONE, "zero": ZERO}
"""The second operand in NumPy, where it is not a tensor of the same shape."""
VIEWS: dict[str, Callable[[Any], Any]] = {
    "reshape": lambda x: x.reshape(3, 2),
    "flatten": lambda x: x.reshape(6),
    "transpose": lambda x: x.transpose(1, 0),
    "t": lambda x: x.T,
    "squeeze": lambda x: x.squeeze(),
    "unsqueeze": lambda x: x[None],
}
UNDO: dict[str, tuple[str, tuple[Any, ...]]] = {
    "reshape": ("reshape_", ([2, 3],)),
    "flatten": ("reshape_", ([2, 3],)),
    "unsqueeze": ("squeeze_", ()),
}
"""What brings the shape back, so that the operation can be done again; half of the time of both is counted."""


def in_numpy(name: str, x: Any, y: Any) -> Call:
    """What a row does, as a call of NumPy."""
    if name in VIEWS:
        return partial(VIEWS[name], x)
    second = SECOND.get(name, y)
    if name not in UFUNCS:
        return partial(np.copyto, x, second)
    ufunc = UFUNCS[name]
    return partial(ufunc, x, second, out=x) if ufunc.nin == 2 else partial(ufunc, x, out=x)


def row_ratio(name: str, effort: Effort) -> float:
    """A row's in-place variant, without a graph, against NumPy."""
    array, other = np.ones((2, 3), np.float32), np.ones((2, 3), np.float32)
    x, y = paddle.to_tensor(array), paddle.to_tensor(other)
    arguments = (y,) if len(ROWS[name].inputs) == 2 else ATTRIBUTES.get(name, ())
    call: Call = partial(getattr(x, name + "_"), *arguments)
    reference = in_numpy(name, array, other)
    with np.errstate(all="ignore"):
        if name not in UNDO:
            return ratio(call, reference, effort)
        back, back_arguments = UNDO[name]
        undo = partial(getattr(x, back), *back_arguments)
        return ratio(lambda: (call(), undo()), reference, effort, calls_inside=2)


def measurable() -> list[str]:
    """The rows with an in-place variant that a learner can call, in the order of the table."""
    return [
        name for name, row in ROWS.items()
        if row.method and not name.startswith("_") and {"in-place", "relayout"} & set(variants(row))
    ]  # fmt: skip


def main() -> None:
    """Print both tables."""
    effort = Effort(5, 2_000) if "--quick" in sys.argv else Effort(20, 20_000)
    print("add_ on 2 x 3, times np.add(x, y, out=x):")
    for name, found in budget(effort).items():
        verdict = "met" if found <= BUDGET[name] else "NOT MET"
        print(f"  {name:16} {found:5.2f}   budget {BUDGET[name]:.0f}: {verdict}")
    print("\nIn place without a graph, times the same arithmetic (or the same view) in NumPy:")
    for name in measurable():
        print(f"  {name + '_':16} {row_ratio(name, Effort(effort.rounds // 2, effort.calls // 4)):5.2f}")


if __name__ == "__main__":
    main()
