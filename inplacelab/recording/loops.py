"""Finds which iterations of which loops a step is in: "epoch 1 of 2, start 2 of 2".

A recording has no steps at which an iteration begins. But a program reports the beginning of every statement, and a turn counts them: those of
blocks, too, which have no steps of their own. An iteration has begun where a function goes back to a line of the same loop. Where the turns let
several loops begin one, it is the one in which as many blocks have begun as there are turns without a step.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from inplacelab.place import Place
from inplacelab.recording.facts import Step
from inplacelab.recording.recording import Recording
from inplacelab.recording.source_tree import SourceTree, source_tree_of

__all__ = ["Iteration", "loops_around"]

_Loop = ast.For | ast.AsyncFor | ast.While
_Option = tuple[int, "_Loop | None"]
"""The frame in which a statement began, counted from the outermost, and the loop that began an iteration there, if one did."""


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

    Comprehensions do not count, nor do loops in one line. The steps of a loop's head, which binds its variable, are outside the loop.
    """
    return recording.once(_loops_around)


@dataclass(eq=False, slots=True)
class _Run:
    """A run of a loop: the steps of each of its iterations."""

    loop: _Loop
    source: int
    iterations: list[list[int]] = field(default_factory=lambda: [[]])


@dataclass(eq=False, slots=True)
class _Frame:
    """A function that runs, with the runs of the loops that it is in, outermost first, and of the one in whose head it is."""

    place: Place
    runs: list[_Run] = field(default_factory=list)
    held: _Run | None = None


def _loops_around(recording: Recording) -> tuple[tuple[Iteration, ...], ...]:
    follower, found = _Follower(recording), list[list[tuple[_Run, int]]]()
    for step in recording.steps:
        runs = follower.follow(step)
        for run in runs:
            run.iterations[-1].append(step.index)
        found.append([(run, len(run.iterations) - 1) for run in runs])
    end = len(recording) - 1
    made: dict[tuple[int, int], Iteration] = {}
    return tuple(
        tuple(made.setdefault((id(run), at), _iteration(recording, run, at, end)) for run, at in runs) for runs in found
    )


def _iteration(recording: Recording, run: _Run, at: int, end: int) -> Iteration:
    steps, loop = run.iterations[at], run.loop
    is_cut = bool(recording.truncated) or recording.steps[end].error is not None
    cut = is_cut and end in run.iterations[-1]
    name = "" if isinstance(loop, ast.While) else ast.unparse(loop.target).strip("()")
    return Iteration(name, run.source, loop.lineno, at + 1, None if cut else len(run.iterations), steps[0], steps[-1])


class _Follower:
    """Follows a program from step to step."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._frames: list[_Frame] = []
        self._turn = 0

    def follow(self, step: Step) -> list[_Run]:
        """Returns the runs of loops that a step is in."""
        places = [] if step.place is None else [*reversed([*step.place.calls])]
        if step.turn != self._turn or step.place is None:
            self._begin(places, step.turn - self._turn - 1)
        else:
            self._move(places, len(places), 1)
        self._turn = step.turn
        return [run for frame in self._frames for run in frame.runs]

    def _begin(self, places: Sequence[Place], silent: int) -> None:
        """A statement has begun; `silent` others have begun since the last step."""
        options = [*self._options(places, silent)]
        fitting = [option for option in options if self._blocks(places, option) == silent]
        chosen = next(iter(fitting or options), None)
        if chosen is None:
            self._move(places, len(places), silent)
            return
        at, loop = chosen
        self._move(places, at + 1, silent)
        frame = self._frames[at]
        for number, run in enumerate(frame.runs):
            if run.loop is loop:
                run.iterations.append([])
                frame.runs = [
                    *frame.runs[: number + 1],
                    *(_Run(each.loop, each.source) for each in frame.runs[number + 1 :]),
                ]

    def _options(self, places: Sequence[Place], silent: int) -> Iterator[_Option]:
        """What may have happened, the most likely first."""
        shared = self._shared(places)
        for at in reversed(range(shared)):
            before, now = self._frames[at].place, places[at]
            program = source_tree_of(self._recording, now.source)
            if program is None:
                continue
            inner = at == shared - 1
            is_call = before.line == now.line and len(places) > at + 1
            head = _head(program, now.line)
            is_next = silent > 0 and head is not None and head is _head(program, before.line)
            if inner and (is_call or is_next or _goes_on(program, before.line, now.line)):
                yield at, None
            around = _loops(program, now.line)
            for run in reversed(self._frames[at].runs):
                if any(run.loop is each for each in around):
                    yield at, run.loop
            if inner and before.line == now.line and len(self._frames) > at + 1:
                yield at, None  # the call has returned

    def _shared(self, places: Sequence[Place]) -> int:
        """How many of the frames may still run."""
        count = 0
        for frame, place in zip(self._frames, places, strict=False):
            if (frame.place.source, frame.place.function) != (place.source, place.function):
                break
            count += 1
            if frame.place.line != place.line:
                break
        return count

    def _blocks(self, places: Sequence[Place], option: _Option) -> int:
        """How many statements without a step begin on the way to a step: blocks, and the calls of the functions that it is in."""
        at, loop = option
        before = self._frames[at].place
        count = 0
        for number, place in enumerate(places[at:], at):
            program = source_tree_of(self._recording, place.source)
            if program is None:
                continue
            if number > at:
                count += _passed(program, place.line, None, 0)
            elif loop is not None:
                count += _passed(program, place.line, loop, 0) + _left(program, before.line, loop)
            elif before.line != place.line:
                count += _passed(program, place.line, None, before.line)
            is_same = number == at and loop is None and before.line == place.line
            count += number < len(places) - 1 and not is_same
        return count

    def _move(self, places: Sequence[Place], kept: int, silent: int) -> None:
        """Goes to a place. The first frames are kept if they are of the same functions."""
        shared = min(self._shared(places), kept)
        frames = self._frames[:shared]
        for number, place in enumerate(places):
            if number >= shared:
                frames.append(_Frame(place))
            program = source_tree_of(self._recording, place.source)
            if program is not None:
                _go(program, frames[number], place, silent)
            frames[number].place = place
        self._frames = frames


def _go(program: SourceTree, frame: _Frame, place: Place, silent: int) -> None:
    """Goes to a place in a function. From the head of a loop into its body, an iteration begins."""
    was, head = _head(program, frame.place.line), _head(program, place.line)
    known = {run.loop: run for run in (*frame.runs, *([frame.held] if frame.held else []))}
    around = _loops(program, place.line)
    if was is not None and was in known and (was in around or (was is head and silent > 0)):
        known[was].iterations.append([])
    frame.runs = [known.get(each) or _Run(each, place.source) for each in around]
    # A loop whose head comes twice, without even a `pass` in between, has ended, and begins again.
    again = was is head and silent == 0
    frame.held = None if head is None or again else known.get(head)


# --- the text -----------------------------------------------------------------------------------------------------------


def _loops(program: SourceTree, line: int) -> list[_Loop]:
    """The loops around a line in its function, outermost first: not one whose head it is, or that has ended there (`else`)."""
    around = program.nested(line)
    loops = [
        outer
        for inner, outer in pairwise(around)
        if isinstance(outer, _Loop)
        and any(inner is each for each in outer.body)
        and outer.body[0].lineno > outer.lineno
    ]
    return loops[::-1]


def _head(program: SourceTree, line: int) -> _Loop | None:
    """The loop whose head is on a line."""
    found = program.nested(line)
    return found[0] if found and isinstance(found[0], _Loop) else None


def _goes_on(program: SourceTree, before: int, now: int) -> bool:
    """Whether a function can come from one line to another without an iteration: it is further down, and not in the other branch of an `if`."""
    one, other = program.nested(before), program.nested(now)
    common = next((each for each in one if any(each is known for known in other)), None)
    if isinstance(common, ast.If) and one[0] is not common and other[0] is not common:
        return False
    return now > before or any(each is other[0] for each in one[1:] if other)


def _passed(program: SourceTree, line: int, loop: _Loop | None, since: int) -> int:
    """How many statements without a step begin before a line: in a loop, or in the function after the line `since`."""
    count = 0
    for each in program.nested(line):
        if each is loop:
            break
        count += sum(_is_silent(one) and one.lineno > since for one in program.before(each))
        count += _is_silent(each) and each.lineno > since and each.lineno != line
    return count


def _left(program: SourceTree, line: int, loop: _Loop) -> int:
    """How many statements without a step begin after a line until the end of an iteration."""
    count = 0
    for each in program.nested(line):
        if each is loop:
            break
        block = program.block(each)
        count += sum(map(_is_silent, block[block.index(each) + 1 :]))
    return count


def _is_silent(statement: ast.stmt) -> bool:
    """Whether a statement has no step of its own."""
    return hasattr(statement, "body") or isinstance(statement, ast.Pass)
