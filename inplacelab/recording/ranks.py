"""Puts the recordings of several ranks on one axis of steps.

A collective is a step of all ranks at once, so the same collective stands at one position. Between two collectives the ranks run on their own, mostly
the same lines: equal steps stand at one position, and a step that only some ranks make has gaps on the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from typing import NamedTuple

from inplacelab.language import Text
from inplacelab.recording.facts import Step
from inplacelab.recording.recording import Recording

__all__ = ["Link", "RankAlignment", "align_ranks"]

_NONE = Text("recordings of ranks are needed, with at least one step each", "需要各进程的记录，且每份至少有一步")
_OTHER_RANK = Text(
    "recording {0} is that of rank {1}: give the recordings in the order of the ranks",
    "第 {0} 份记录来自进程 {1}：请按进程编号的顺序给出记录",
)


class Link(NamedTuple):
    """A collective, which links its ranks.

    Attributes:
        position: where it is.
        name: the operation: "all_reduce".
        number: which collective of the program it is, from 1.
        ranks: the ranks whose recordings have it.
    """

    position: int
    name: str
    number: int
    ranks: tuple[int, ...]


@dataclass(frozen=True)
class RankAlignment:
    """The recordings of several ranks, and the positions of their common cursor.

    Attributes:
        recordings: one of each rank, in their order.
        positions: for each position the index of each rank's step there, or None. Every step is there exactly once, in order.
    """

    recordings: tuple[Recording, ...]
    positions: tuple[tuple[int | None, ...], ...]

    @cached_property
    def reached(self) -> tuple[tuple[int | None, ...], ...]:
        """The last step of each rank at or before each position; None before its first step."""
        found: list[tuple[int | None, ...]] = []
        last: tuple[int | None, ...] = (None,) * len(self.recordings)
        for here in self.positions:
            last = tuple(before if now is None else now for before, now in zip(last, here, strict=True))
            found.append(last)
        return tuple(found)

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """The collectives, in order."""
        return tuple(self._links())

    def _links(self) -> Iterator[Link]:
        for position, here in enumerate(self.positions):
            made = {
                rank: each.steps[step].collective
                for rank, (each, step) in enumerate(zip(self.recordings, here, strict=True))
                if step is not None
            }
            known = {rank: facts for rank, facts in made.items() if facts is not None}
            if known:
                first = next(iter(known.values()))
                yield Link(position, first.name, first.number, tuple(known))

    def position_of(self, rank: int, step: int) -> int:
        """Returns where a rank makes a step."""
        return next(k for k, here in enumerate(self.positions) if here[rank] == step)


def align_ranks(recordings: Sequence[Recording]) -> RankAlignment:
    """Puts the recordings of several ranks on one axis.

    Args:
        recordings: one of each rank, in their order.

    Raises:
        ValueError: if there are none, one of them is empty, or they are in another order.

    >>> import inplacelab as paddle
    >>> with paddle.record() as rec:
    ...     x = paddle.ones([2]).scale_(2.0)
    >>> align_ranks([rec.recording, rec.recording]).positions
    ((0, 0), (1, 1))
    """
    if not recordings or not all(map(len, recordings)):
        raise ValueError(str(_NONE))
    for place, each in enumerate(recordings):
        ranks = {step.collective.rank for step in each.steps if step.collective is not None}
        if ranks - {place}:
            raise ValueError(str(_OTHER_RANK.format(place, *ranks)))
    return RankAlignment(tuple(recordings), tuple(_positions(recordings)))


def _positions(recordings: Sequence[Recording]) -> Iterator[tuple[int | None, ...]]:
    parts = list(map(_by_collective, recordings))
    common = set.intersection(*(set(each) for each in parts))
    joined = [_joined(each, common) for each in parts]
    for segment in zip(*joined, strict=True):
        columns: list[list[Step | None]] = []
        for rank, steps in enumerate(segment):
            columns = list(_merged(columns, steps, rank))
        for column in columns:
            yield tuple(None if step is None else step.index for step in column)


def _by_collective(recording: Recording) -> dict[int, list[Step]]:
    """Returns the steps in parts, each of which begins with a collective, by its number; 0 for those before the first one."""
    parts: dict[int, list[Step]] = {0: []}
    now = 0
    for step in recording.steps:
        if step.collective is not None:
            now = step.collective.number
        parts.setdefault(now, []).append(step)
    return parts


def _joined(parts: dict[int, list[Step]], common: set[int]) -> list[list[Step]]:
    """Returns the parts that begin with a collective of all ranks; the others belong to the part before them."""
    joined: list[list[Step]] = []
    for number, steps in parts.items():
        if number in common:
            joined.append(list(steps))
        else:
            joined[-1] += steps
    return joined


def _merged(columns: list[list[Step | None]], steps: list[Step], rank: int) -> Iterator[list[Step | None]]:
    """Yields the columns with the steps of a further rank: in the column of an equal step, or in one of their own."""
    known = [_key(next(step for step in column if step is not None)) for column in columns]
    matcher = SequenceMatcher(None, known, [_key(step) for step in steps], autojunk=False)
    for what, first, last, start, end in matcher.get_opcodes():
        if what == "equal":
            yield from ([*column, step] for column, step in zip(columns[first:last], steps[start:end], strict=True))
        else:
            yield from ([*column, None] for column in columns[first:last])
            yield from ([None] * rank + [step] for step in steps[start:end])


def _key(step: Step) -> tuple[object, ...]:
    """What equal steps have in common."""
    if step.kind == "error":
        return (step.kind,)  # the same error may come to ranks on different lines
    number = None if step.collective is None else step.collective.number
    return step.line, step.kind, step.op, number, None if step.backward is None else step.backward.action
