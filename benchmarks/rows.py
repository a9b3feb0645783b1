"""Measures every in-place operation on a small tensor: ours, PyTorch's and PaddlePaddle's, compared with NumPy alone.

    python -m benchmarks.rows [--quick] [name ...]

The measure of a row is its own arithmetic: the NumPy ufunc, or the row's kernel, called straight on arrays. What we take
beyond that is the engine: checks, version, history. Everything is measured alternately in one run, and each call has a separate
tensor, made before the clock starts: so all calls begin with the same values, and no chain of nodes grows. A round has few
calls, since their results live until its end, and allocating new memory would be measured, too.

A change of metadata has no arithmetic to be compared with: the measure is `np.add(x, x, out=x)`.

The budget holds for every row: 3 times the arithmetic without a graph, 6 times with one. Some operations do more than write
into a tensor's storage. Each kind of those has separate limits, with the reason next to its numbers.

The sample calls are those of the rows' tests. The other frameworks are measured if they are installed, have a function of that
name, and accept the same call.
"""

from __future__ import annotations

import argparse
import gc
import inspect
import operator
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

import inplacelab
from inplacelab.ops.table import variants
from inplacelab.ops.table.row import Row
from tests.row_cases.case import Case
from tests.row_cases.every import CASES

Array = np.ndarray[Any, Any]
Call = Callable[[], object]
Batch = Callable[[], list[Call]]
"""Makes the calls of a round, each with a separate tensor."""


class Budget(NamedTuple):
    """The limits without and with a graph, and why they are no lower."""

    plain: float
    graph: float
    why: str = ""


BUDGET = Budget(3.0, 6.0)
_TRIES_THE_KEY = "copies the indices, and tries them on the shape: all checks come before the write"
_READS_ALL = "looks for negative numbers in both operands: all checks come before the write"
EXCEPTIONS = {
    "reallocated": Budget(9.0, 11.0, "allocates a storage, enters it into the ledger, and moves the tensor there"),
    "relayout": Budget(8.0, 13.0, "no arithmetic: finds a new layout, and with a graph makes a view's node"),
    "setitem": Budget(6.0, 12.0, "two operations: a view, and a write through it; with a graph two nodes"),
    "index_put": Budget(5.0, 6.0, _TRIES_THE_KEY),
    "_put": Budget(5.0, 6.0, _TRIES_THE_KEY),
    "gammainc": Budget(5.0, 6.0, _READS_ALL),
    "gammaincc": Budget(5.0, 6.0, _READS_ALL),
}
"""Of a kind of row, or of one row."""

IN_TORCH = {
    "equal": "eq", "not_equal": "ne", "less_than": "lt", "less_equal": "le", "greater_than": "gt", "greater_equal": "ge",
    "gammainc": "igamma", "gammaincc": "igammac", "multigammaln": "mvlgamma", "gammaln": "lgamma",
}  # fmt: skip
NARROW = {"f": np.float32, "c": np.complex64}


class Effort(NamedTuple):
    """The effort: the median of `rounds` rounds of `calls` calls."""

    rounds: int
    calls: int


class Measured(NamedTuple):
    """One line of the table: for each column how many times the measure was taken; None where there is nothing to call."""

    name: str
    kind: str
    nanoseconds: float
    ratios: dict[str, float | None]

    @property
    def budget(self) -> Budget:
        """What the row may take."""
        return EXCEPTIONS.get(self.name) or EXCEPTIONS.get(self.kind, BUDGET)

    def over(self, budget: Budget) -> bool:
        """True if a limit is not kept."""
        ours = (self.ratios["ours"], self.ratios["ours, graph"])
        limits = (budget.plain, budget.graph)
        return any(found is not None and found > limit for found, limit in zip(ours, limits, strict=True))

    @property
    def remark(self) -> str:
        """A remark: that a number is over its limit, or why it may be."""
        if self.over(self.budget):
            return "   OVER"
        return f"   {self.budget.why}" if self.over(BUDGET) else ""


# ---- the three frameworks -------------------------------------------------------------------------------------------------------


class Framework:
    """The module of the functions, and the function that makes a tensor of an array."""

    def __init__(self, module: Any, make: Callable[[Any, Array, bool], Any], renamed: dict[str, str]) -> None:
        self._module, self._make, self._renamed = module, make, renamed

    def tensor(self, array: Array, graph: bool) -> Any:
        """A tensor with these elements: with a graph, one that has a history already."""
        made = self._make(self._module, array, graph)
        return made.clone() if graph else made

    def function(self, row: Row) -> Any:
        """The row's in-place function, or None."""
        if row.name == "setitem":
            return operator.setitem
        name = self._renamed.get(row.name, row.name) + "_"
        places = (self._module.Tensor, self._module, self._module.nn.functional)
        return next((getattr(place, name) for place in places if hasattr(place, name)), None)

    def batch(self, case: Case, effort: Effort, *, graph: bool) -> Batch | None:
        """The row as a learner calls it; None if it is not there or does not understand the call."""
        function, (x, *others) = self.function(case.row), samples(case)
        if function is None or (graph and x.dtype.kind not in "fc"):
            return None
        rest = [self.tensor(other, graph=False) for other in others]

        def call() -> Call:
            return called(case, function, [self.tensor(x, graph), *rest], self._converted)

        try:
            call()()
        except Exception:  # noqa: BLE001  # each framework raises other exceptions
            return None
        return lambda: [call() for _ in range(effort.calls)]

    def _converted(self, value: Any) -> Any:
        """An attribute: the arrays in it are tensors, too."""
        if isinstance(value, tuple):
            return tuple(map(self._converted, value)) if type(value) is tuple else value
        return self.tensor(value, graph=False) if isinstance(value, np.ndarray) else value


def _of_paddle(module: Any, array: Array, graph: bool) -> Any:
    return module.to_tensor(array, stop_gradient=not graph)


def _of_torch(module: Any, array: Array, graph: bool) -> Any:
    return module.tensor(array, requires_grad=graph)


def frameworks() -> Iterator[tuple[str, Framework]]:
    """Ours, and those that are installed."""
    yield "ours", Framework(inplacelab, _of_paddle, {})
    for name, make, renamed in (("torch", _of_torch, IN_TORCH), ("paddle", _of_paddle, {})):
        try:
            yield name, Framework(import_module(name), make, renamed)
        except ImportError:
            continue


# ---- calls ------------------------------------------------------------------------------------------------------------------------


def samples(case: Case) -> list[Array]:
    """The inputs of the row's test, in single precision where they are floating-point."""
    return [a.astype(NARROW.get(a.dtype.kind, a.dtype)) for a in case.arrays()]


def called(case: Case, function: Any, tensors: list[Any], converted: Callable[[Any], Any]) -> Call:
    """A call with the arguments in Paddle's order, by position where that is possible."""
    if case.row.name == "setitem":
        return partial(function, tensors[0], slice(1, None), tensors[1])
    attributes = {name: converted(value) for name, value in case.attrs.items()}
    given = dict(zip(case.row.inputs, tensors, strict=True)) | attributes
    bound = inspect.Signature(case.row.parameters).bind(**given)
    return partial(function, *bound.args, **bound.kwargs)


def kind_of(case: Case) -> str:
    """Whether the operation writes into the tensor's storage, found by one call."""
    if "relayout" in variants(case.row):
        return "relayout"
    framework = Framework(inplacelab, _of_paddle, {})
    tensors = [framework.tensor(a, graph=False) for a in samples(case)]
    storage = tensors[0].storage
    called(case, framework.function(case.row), tensors, lambda value: value)()
    return "in place" if tensors[0].storage is storage else "reallocated"


def measure(case: Case, kind: str, effort: Effort) -> Batch:
    """The arithmetic alone."""
    x, *others = samples(case)
    if kind == "relayout":
        unit = np.ones((2, 3), np.float32)
        return lambda: [partial(np.add, a, a, out=a) for a in (unit.copy() for _ in range(effort.calls))]
    if kind == "reallocated":
        result = case.expected([x, *others])
        return lambda: [arithmetic(case, [x, *others], np.empty_like(result)) for _ in range(effort.calls)]
    written = slice(1, None) if case.row.name == "setitem" else slice(None)
    return lambda: [arithmetic(case, [x.copy()[written], *others]) for _ in range(effort.calls)]


def arithmetic(case: Case, arrays: list[Any], out: Any = None) -> Call:
    """The ufunc of a row, or its kernel with the arguments that it names, on arrays: in place, or into `out`."""
    row, x = case.row, arrays[0]
    out = x if out is None else out
    given = {p.name: case.attrs.get(p.name, p.default) for p in row.attributes}
    given |= {name: prepare(x, given[name]) for name, prepare in row.prepare.items()}
    if row.by_ufunc_alone(x.dtype, given):
        return partial(row.ufunc, *arrays, out=out)
    assert row.kernel is not None
    given |= dict(zip(row.inputs, arrays, strict=True)) | {"out": out, "device": inplacelab.zeros([1]).storage.device}
    return partial(row.kernel, *(given[name] for name in inspect.signature(row.kernel).parameters))


# ---- measuring ----------------------------------------------------------------------------------------------------------------------


def seconds(calls: list[Call]) -> float:
    """Seconds for one call."""
    start = perf_counter()
    for call in calls:
        call()
    return (perf_counter() - start) / len(calls)


def row_measured(case: Case, sides: dict[str, Framework], effort: Effort) -> Measured:
    """All columns of one row, in turns: the ratio of each round, and of these the median."""
    kind = kind_of(case)
    reference = measure(case, kind, effort)
    columns = {
        name + ", graph" * graph: side.batch(case, effort, graph=graph)
        for name, side in sides.items() for graph in (False, True)
    }  # fmt: skip
    measures: list[float] = []
    found: dict[str, list[float]] = {name: [] for name in columns}
    for _ in range(effort.rounds):
        measures.append(seconds(reference()))
        for name, batch in columns.items():
            if batch is not None:
                found[name].append(seconds(batch()) / measures[-1])
    ratios = {name: median(values) if values else None for name, values in found.items()}
    return Measured(case.row.name, kind, median(measures) * 1e9, ratios)


def chosen(names: list[str]) -> list[Case]:
    """The first case of each row that has an in-place variant; only of those that are named, if any are."""
    first: dict[str, Case] = {}
    for case in CASES:
        if {"in-place", "relayout"} & set(variants(case.row)) and (not names or case.row.name in names):
            first.setdefault(case.row.name, case)
    return list(first.values())


def table(lines: list[Measured]) -> Iterator[str]:
    """The lines of the printed table, the most expensive row first."""
    columns = list(lines[0].ratios)
    yield f"{'':20}{'':12}{'NumPy, ns':>10}" + "".join(f"{column:>14}" for column in columns)
    for line in sorted(lines, key=lambda line: -(line.ratios["ours"] or 0)):
        figures = "".join(f"{'-':>14}" if found is None else f"{found:14.2f}" for found in line.ratios.values())
        yield f"{line.name + '_':20}{line.kind:12}{line.nanoseconds:10.0f}{figures}{line.remark}"


def main() -> None:
    """Measure, and print the table."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer rounds, for a first look")
    parser.add_argument("name", nargs="*", help="an in-place operation; all if none is given")
    options = parser.parse_args()
    effort = Effort(9, 40) if options.quick else Effort(51, 40)
    sides = dict(frameworks())
    gc.disable()
    lines = []
    with np.errstate(all="ignore"):
        for case in chosen(options.name):
            lines.append(row_measured(case, sides, effort))
            gc.collect()
    print("In place, as multiples of the row's own arithmetic in NumPy (of `np.add` where there is none):")
    print("\n".join(table(lines)))
    print(f"over the budget: {sum(line.over(BUDGET) for line in lines)} of {len(lines)}; ", end="")
    print(f"of these without a reason: {sum(line.over(line.budget) for line in lines)}")


if __name__ == "__main__":
    main()
