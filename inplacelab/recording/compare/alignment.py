"""Aligns two recordings step by step: by line of each source, then by visit of a line, then by step of a visit.

Sources are paired by their names, the programs that were started with each other. Lines are paired first: equal lines of paired sources, and between them the lines that have most words in common. A *visit* is what one statement did on one
line; a loop visits its lines again and again. Visits of paired lines are paired in order, so the first turn of a loop stands beside the
first turn, and the side with fewer turns has gaps at the end. Steps of paired visits are paired if they are of one kind.

All three are the same search: the order-preserving pairing with the highest score, the earliest one if there are several.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, zip_longest
from typing import NamedTuple, TypeVar

from inplacelab.recording.facts import Step
from inplacelab.recording.places import line_of
from inplacelab.recording.recording import Recording

_Item = TypeVar("_Item")
Line = tuple[int, int]
"""The number of a source, and a line of it."""
_Score = Callable[[_Item, _Item], int]

MOST_CELLS = 1 << 22
"""How many pairs are scored at most. Longer sequences are paired in order, item by item, where their scores allow it."""

_EQUAL_LINES = 200
_COMMON_WORDS = 100
_SAME_OPERATION, _SAME_KIND, _ONE_RAISES = 4, 2, 1
_WORD = re.compile(r"\w+")


class Position(NamedTuple):
    """One position of the common cursor: a step of the left side, of the right side, or of both.

    Attributes:
        left: the index of the left side's step; None for a gap.
        right: the same for the right side. At least one of the two is a step.
    """

    left: int | None
    right: int | None


@dataclass(frozen=True)
class Alignment:
    """Two recordings and the positions of their common cursor.

    Attributes:
        left: one recording.
        right: the other one.
        positions: every step of each side exactly once, in order.
        ends: the last position of each line as it ran: of a pair of visits, or of a visit that only one side made.
        lines: each pair of lines, as (source, line) of the left and of the right program; lines count from 1.
    """

    left: Recording
    right: Recording
    positions: tuple[Position, ...]
    ends: tuple[int, ...]
    lines: tuple[tuple[Line, Line], ...]

    @cached_property
    def reached(self) -> tuple[Position, ...]:
        """The last step of each side at or before each position; None before its first step."""
        found, left, right = [], None, None
        for position in self.positions:
            left = left if position.left is None else position.left
            right = right if position.right is None else position.right
            found.append(Position(left, right))
        return tuple(found)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The first position of the line that each position belongs to."""
        found, start = [], 0
        for end in self.ends:
            found += [start] * (end + 1 - start)
            start = end + 1
        return tuple(found)

    @cached_property
    def pairs(self) -> int:
        """At how many positions both sides have a step; 0 if nothing could be aligned."""
        return sum(None not in position for position in self.positions)


def align(left: Recording, right: Recording) -> Alignment:
    """Aligns two recordings.

    Args:
        left: one recording.
        right: the other one; of another framework, if you like.

    Returns:
        The alignment. A recording without steps has gaps only.

    >>> import inplacelab as paddle
    >>> with paddle.record() as one:
    ...     x = paddle.ones([2])
    ...     _ = x.scale_(2.0)
    >>> alignment = align(one.recording, one.recording)
    >>> alignment.pairs == len(alignment.positions) == len(one.recording)
    True
    """
    lines = {
        (one, line): (other, beside)
        for one, other in _paired_sources(left, right)
        for line, beside in _paired_lines(left.text_of(one).splitlines(), right.text_of(other).splitlines()).items()
    }
    visits = _best(_visits(left), _visits(right), lambda one, other: int(_goes_with(one, other, lines)))
    positions: list[Position] = []
    ends = []
    for one, other in visits:
        positions += _positions(one, other)
        ends.append(len(positions) - 1)
    return Alignment(left, right, tuple(positions), tuple(ends), tuple(lines.items()))


def _positions(left: _Visit | None, right: _Visit | None) -> Iterator[Position]:
    steps = _best(left.steps if left else (), right.steps if right else (), _likeness)
    for one, other in steps:
        yield Position(one.index if one else None, other.index if other else None)


# --- lines -------------------------------------------------------------------------------------------------------------


def _paired_sources(left: Recording, right: Recording) -> list[tuple[int, int]]:
    """Returns the numbers of the sources of both sides that have one name, after those that were started."""
    known = {each.name: number for number, each in enumerate(right.sources) if number}
    named = [(number, known[each.name]) for number, each in enumerate(left.sources) if number and each.name in known]
    return [(0, 0), *named]


def _paired_lines(left: Sequence[str], right: Sequence[str]) -> dict[int, int]:
    """Returns for each line of the left source that has a counterpart the line of the right source; lines count from 1."""
    pairs = _best(_numbered(left), _numbered(right), _common_words)
    return {one.number: other.number for one, other in pairs if one and other}


class _Line(NamedTuple):
    number: int
    text: str
    words: Counter[str]


def _numbered(lines: Sequence[str]) -> tuple[_Line, ...]:
    stripped = (line.strip() for line in lines)
    return tuple(_Line(number, text, Counter(_WORD.findall(text))) for number, text in enumerate(stripped, 1))


def _common_words(one: _Line, other: _Line) -> int:
    """Returns how alike two lines are: by the words that they have in common (Dice's coefficient), more if they are equal."""
    if one.text == other.text:
        return _EQUAL_LINES
    words = one.words.total() + other.words.total()
    return 2 * _COMMON_WORDS * (one.words & other.words).total() // words if words else 0


# --- visits and steps --------------------------------------------------------------------------------------------------


class _Visit(NamedTuple):
    line: Line | None
    steps: tuple[Step, ...]


def _visits(recording: Recording) -> tuple[_Visit, ...]:
    grouped = groupby(recording.steps, key=lambda step: (step.turn, line_of(step.place)))
    return tuple(_Visit(line, tuple(steps)) for (_, line), steps in grouped)


def _goes_with(one: _Visit, other: _Visit, lines: Mapping[Line, Line]) -> bool:
    if one.line is None or other.line is None:
        return one.line is other.line
    return lines.get(one.line) == other.line


def _likeness(one: Step, other: Step) -> int:
    """Returns how well two steps of paired visits go together. An exception is shown beside what the other side did instead."""
    if one.kind != other.kind:
        return _ONE_RAISES if "error" in (one.kind, other.kind) else 0
    if one.backward is not None and other.backward is not None and one.backward.action != other.backward.action:
        return 0
    return _SAME_OPERATION if one.op == other.op else _SAME_KIND


# --- the search --------------------------------------------------------------------------------------------------------


def _best(
    left: Sequence[_Item], right: Sequence[_Item], score: _Score[_Item]
) -> Iterator[tuple[_Item | None, _Item | None]]:
    """Yields the order-preserving pairing with the highest total score; an item without counterpart stands beside None.

    Items whose score is 0 are never paired. Of several pairings, the one that pairs early items is chosen.
    """
    if len(left) * len(right) > MOST_CELLS:
        yield from _in_order(left, right, score)
        return
    scores = [[score(one, other) for other in right] for one in left]
    rest = _highest_totals(scores, len(right))
    i = j = 0
    while i < len(left) and j < len(right):
        here = rest[i][j]
        if scores[i][j] and here == scores[i][j] + rest[i + 1][j + 1]:
            yield left[i], right[j]
            i, j = i + 1, j + 1
        elif here == rest[i + 1][j]:
            yield left[i], None
            i += 1
        else:
            yield None, right[j]
            j += 1
    yield from ((one, None) for one in left[i:])
    yield from ((None, other) for other in right[j:])


def _highest_totals(scores: list[list[int]], width: int) -> list[list[int]]:
    """Returns the highest total score of the items from i of the left and from j of the right, for all i and j."""
    rest = [[0] * (width + 1)]
    for row in reversed(scores):
        below, totals = rest[-1], [0] * (width + 1)
        for j in range(width - 1, -1, -1):
            totals[j] = max(below[j], totals[j + 1], row[j] + below[j + 1])
        rest.append(totals)
    rest.reverse()
    return rest


def _in_order(
    left: Sequence[_Item], right: Sequence[_Item], score: _Score[_Item]
) -> Iterator[tuple[_Item | None, _Item | None]]:
    for one, other in zip_longest(left, right):
        if one is None or other is None or score(one, other):
            yield one, other
        else:
            yield one, None
            yield None, other
