"""Tells which iterations of which loops a step is in: "epoch 1 of 2, start 2 of 2"."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from inplacelab.recording.facts import IterationFacts
from inplacelab.recording.recording import Recording
from inplacelab.recording.source_tree import source_tree_of

__all__ = ["Iteration", "loops_around"]


@dataclass(frozen=True, slots=True)
class Iteration:
    """An iteration of a loop.

    Attributes:
        name: the loop's variable, or variables: "epoch", "x, y"; "" if it has none, as `while` has.
        source: the source that the loop is in.
        line: the line of its head.
        number: which iteration of this run of the loop it is, from 1.
        count: how many iterations this run has; None if the recording or an error ended it: nobody knows how many there would have been.
        first: the first step of the iteration.
        last: its last step.
    """

    name: str
    source: int
    line: int
    number: int
    count: int | None
    first: int
    last: int


def loops_around(recording: Recording) -> tuple[tuple[Iteration, ...], ...]:
    """Returns for each step the iterations that it is in, outermost first, those of the functions that called its function included.

    The program has reported them (see `instrument`). Comprehensions do not count, nor do loops in generators, and in code that was not run
    by inplacelab. The steps of a loop's head, which binds its variable, are outside the loop.
    """
    return recording.once(_loops_around)


def _loops_around(recording: Recording) -> tuple[tuple[Iteration, ...], ...]:
    steps: dict[IterationFacts, list[int]] = {}
    for step in recording.steps:
        for each in step.loops:
            steps.setdefault(each, []).append(step.index)
    made = {
        each: Iteration(
            _variable(recording, each), each.source, each.line, each.number, each.count, inside[0], inside[-1]
        )
        for each, inside in steps.items()
    }
    return tuple(tuple(made[each] for each in step.loops) for step in recording.steps)


def _variable(recording: Recording, iteration: IterationFacts) -> str:
    program = source_tree_of(recording, iteration.source)
    around = () if program is None else program.nested(iteration.line)
    loop = next((each for each in around if each.lineno == iteration.line and isinstance(each, _WITH_VARIABLE)), None)
    if loop is None:
        return ""
    return (
        ", ".join(map(ast.unparse, loop.target.elts))
        if isinstance(loop.target, ast.Tuple)
        else ast.unparse(loop.target)
    )


_WITH_VARIABLE = ast.For | ast.AsyncFor
