"""What a worker measures: an operation of `operations.py`, or a program of `programs.py`, in one framework."""

from __future__ import annotations

import timeit
from contextlib import nullcontext
from typing import Any, NamedTuple, Protocol

import numpy as np

from benchmarks.contestants import Array, Framework
from benchmarks.operations import OPERATIONS, SMALL
from benchmarks.programs import PROGRAMS

CHAIN = 50
"""Operations in place on one graph before it is dropped."""
ENOUGH = 0.003
"""Seconds that a round should take."""


class Case(NamedTuple):
    """A row of a table.

    Attributes:
        kind: "operation" or "program".
        name: a key of `OPERATIONS` or `PROGRAMS`.
        graph: of an operation: whether its tensor needs a gradient.
        shape: of an operation: its tensor's.
    """

    kind: str
    name: str
    graph: bool = False
    shape: tuple[int, ...] = SMALL


class CannotRunError(Exception):
    """The framework cannot run the case."""


class Task(Protocol):
    """A case that is ready to be run."""

    unit: int
    """Operations in one call."""

    def run(self, calls: int) -> float:
        """Run it so many times, and return the seconds that it took in all."""

    def results(self) -> list[Array]:
        """Run it once, and return what it computed: a value, or gradients."""


class OperationTask:
    """One operation, as a statement that is compiled together with its loop, as `timeit` does it."""

    def __init__(self, framework: Framework, case: Case) -> None:
        operation = OPERATIONS[case.name]
        statement = operation.spelling(framework.spelled)
        if statement is None or case.graph not in framework.graphs or (operation.chain and not framework.copy):
            raise CannotRunError(f"no {case.name} {'with' if case.graph else 'without'} a graph")
        self._framework, self._case, self._statement = framework, case, statement
        self._names = self._made(framework)
        chained = operation.chain and case.graph and framework.spelled != "numpy"
        self.unit = CHAIN if chained else 1
        loop = f"{framework.copy}\nfor _ in chain:\n    {statement}" if chained else statement
        names = ", ".join(self._names)
        self._timer = timeit.Timer(loop, f"{names} = everything", globals={"everything": tuple(self._names.values())})

    def _made(self, framework: Framework) -> dict[str, Any]:
        case, shape = self._case, self._case.shape
        leaf = framework.tensor(np.ones(shape, np.float32), case.graph)
        return {
            "x": leaf,
            "leaf": leaf,
            # Filled: what `np.zeros` returns shares one page of zeros, which is read faster than memory.
            "y": framework.tensor(np.full(shape, 0, np.float32), False),
            "w": framework.tensor(np.ones((3, 2), np.float32), False),
            "row": framework.tensor(np.ones(shape[1:], np.float32), False),
            "one": np.ones((), np.float32),
            "zero": np.zeros((), np.float32),
            "np": np,
            "lib": framework.lib,
            "functional": framework.functional,
            "chain": (None,) * CHAIN,
        }

    def run(self, calls: int) -> float:
        with nullcontext() if self._case.graph else self._framework.without_graph():
            return self._timer.timeit(calls)  # without garbage collection

    def results(self) -> list[Array]:
        names = self._made(self._framework)
        if OPERATIONS[self._case.name].chain:
            exec(f"{self._framework.copy}\n{self._statement}", names)
            result = names["x"]
        else:
            result = eval(self._statement, names)
        return [self._framework.array(names["x"] if result is None else result)]


class ProgramTask:
    """One program."""

    unit = 1

    def __init__(self, framework: Framework, case: Case) -> None:
        program = PROGRAMS[case.name]
        if framework.spelled not in program.makers:
            raise CannotRunError(f"no {case.name}")
        self._array = framework.array
        self._program = program.makers[framework.spelled](framework.lib, program.arrays())

    def run(self, calls: int) -> float:
        return timeit.timeit(self._program, number=calls)

    def results(self) -> list[Array]:
        return [self._array(gradient) for gradient in self._program()]


def prepared(framework: Framework, case: Case) -> Task:
    """Make the tensors of a case.

    Raises:
        CannotRunError: the framework has no such operation or program.
    """
    return OperationTask(framework, case) if case.kind == "operation" else ProgramTask(framework, case)


def is_right(found: list[Array], expected: list[Array]) -> bool:
    """Whether results are those of NumPy, of the same shapes and dtypes, within what single precision loses in a long program."""
    return all(
        (one.shape, one.dtype) == (other.shape, other.dtype) and np.allclose(one, other, rtol=1e-3, atol=1e-6)
        for one, other in zip(found, expected, strict=True)
    )


def enough_calls(task: Task) -> int:
    """The calls that take about `ENOUGH` seconds. A pause of the machine must not pass for a slow call: the shortest of three counts."""
    calls = 1
    while (seconds := min(task.run(calls) for _ in range(3))) < ENOUGH / 4:
        calls *= 4
    return max(round(calls * ENOUGH / seconds), 1)
