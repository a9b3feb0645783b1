"""Makes a program smaller while its defect remains: greedily, one statement at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from .functions import FUNCTIONS
from .program import Program, Statement


def shrink(program: Program, still: Callable[[Program], bool]) -> Program:
    """The smallest program that can be reached by single steps, each of which keeps `still` true."""
    smaller: Program | None = program
    while smaller is not None:
        program = smaller
        smaller = next((each for each in _smaller(program) if is_fair(each) and still(each)), None)
    return program


def is_fair(program: Program) -> bool:
    """True if every hook, and every `retain_grads`, comes immediately after the value that it applies to.

    Forward mode sees a hook only from then on; backward sees it in all uses of the value, also earlier ones.
    """
    lines = program.statements
    watches = [(k, s) for k, s in enumerate(lines) if s.op in {"hook", "retain"}]
    return all(k > 0 and lines[k - 1].out == s.inputs[0] and lines[k - 1].op in NEW for k, s in watches)


def _smaller(program: Program) -> Iterator[Program]:
    for position in reversed(range(len(program))):
        yield program.without(position)
    for position, statement in reversed(list(enumerate(program))):
        if statement.out and statement.inputs and statement.out not in statement.inputs:
            yield _bypassed(program, position)
        for simpler in _simpler(statement):
            yield _replaced(program, position, simpler)


def _bypassed(program: Program, position: int) -> Program:
    """The program in which the first input takes the place of a statement's result."""
    statement = program.statements[position]
    names = {statement.out: statement.inputs[0]}
    rest = tuple(each.renamed(names) for each in program.statements[position + 1 :])
    return Program((*program.statements[:position], *rest))


def _simpler(statement: Statement) -> Iterator[Statement]:
    if statement.quiet:
        yield replace(statement, quiet=False)
    if len(statement.inputs) == 2 and statement.op in _LINEAR:
        yield replace(
            statement, op="scale" + "_" * statement.op.endswith("_"), inputs=statement.inputs[:1], args=(2.0, 0.0)
        )
    if len(statement.inputs) == 1 and statement.op.removesuffix("_") in _CURVED:
        yield replace(statement, op="scale" + "_" * statement.op.endswith("_"), args=(2.0, 0.0))


def _replaced(program: Program, position: int, statement: Statement) -> Program:
    return Program((*program.statements[:position], statement, *program.statements[position + 1 :]))


_CURVED = frozenset(FUNCTIONS) | {"pow"}
_LINEAR = frozenset({"add", "add_", "subtract", "subtract_", "multiply", "multiply_", "divide", "divide_"})
NEW = _CURVED | {
    "leaf",
    "scale",
    "clone",
    "sum",
    "mean",
    "matmul",
    "expand",
    "cast",
    "add",
    "subtract",
    "multiply",
    "divide",
}
"""The operations whose result is a new value in a new storage."""
