"""When things are there: lifetimes over the steps, and rows shared by things that never meet."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from inplacelab.recording.recording import Recording, State

Facts = TypeVar("Facts")
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Life(Generic[Facts]):
    """One thing over the steps: `moments` are (step, facts) at each change; `last` is the last step at which it lives."""

    moments: tuple[tuple[int, Facts], ...]
    last: int

    @property
    def first(self) -> int:
        """The step at which it came to be."""
        return self.moments[0][0]

    def every(self) -> Iterable[Facts]:
        """All the facts it ever had."""
        return (facts for _, facts in self.moments)


def lives(recording: Recording, of: Callable[[State], Mapping[Key, Facts]]) -> dict[Key, Life[Facts]]:
    """The life of each thing that `of` finds in the states, in order of first appearance.

    A thing that goes and comes back lives on in between: its room is kept.
    """
    moments: dict[Key, list[tuple[int, Facts]]] = {}
    last: dict[Key, int] = {}
    for state in recording.states():
        for key, facts in of(state).items():
            known = moments.setdefault(key, [])
            if not known or known[-1][1] != facts:
                known.append((state.step.index, facts))
            last[key] = state.step.index
    return {key: Life(tuple(found), last[key]) for key, found in moments.items()}


def shared_rows(spans: Sequence[tuple[int, int]]) -> list[int]:
    """A row for each (first, last) span, so that no two spans in one row meet. Spans come in order of their first step.

    >>> shared_rows([(0, 9), (1, 3), (2, 5), (4, 6)])
    [0, 1, 2, 1]
    """
    ends: list[int] = []
    rows = []
    for first, last in spans:
        row = next((row for row, end in enumerate(ends) if end < first), len(ends))
        if row == len(ends):
            ends.append(last)
        else:
            ends[row] = last
        rows.append(row)
    return rows
