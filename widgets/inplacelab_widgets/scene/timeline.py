"""Computes lifetimes over the steps, and rows that items share if they never live at the same time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from operator import itemgetter
from typing import Generic, TypeVar

from inplacelab.recording.facts import StorageFacts
from inplacelab.recording.recording import Recording, State
from inplacelab.supported import terms_of

Facts = TypeVar("Facts")
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Life(Generic[Facts]):
    """One item over the steps: `moments` are (step, facts) at each change; `last` is the last step at which it lives."""

    moments: tuple[tuple[int, Facts], ...]
    last: int

    @property
    def first(self) -> int:
        """The step at which it begins."""
        return self.moments[0][0]

    def at(self, step: int) -> Facts | None:
        """Returns the facts after a step; None where it does not exist."""
        found = bisect_right(self.moments, step, key=itemgetter(0))
        return self.moments[found - 1][1] if found and step <= self.last else None

    def near(self, step: int) -> Life[Facts]:
        """Returns the life with the last two moments up to a step only: all that is drawn of it at that step."""
        found = bisect_right(self.moments, step, key=itemgetter(0))
        return Life(self.moments[max(found - 2, 0) : max(found, 1)], self.last)

    def every(self) -> Iterable[Facts]:
        """Returns all the facts it ever had."""
        return (facts for _, facts in self.moments)


def followed(changes: Iterable[tuple[int, Key, Facts | None]], end: int) -> dict[Key, Life[Facts]]:
    """Returns the life of each item from its changes: (step, item, its facts from then on or None if it ends), in order.

    Facts equal to the former ones are not a change. An item that does not end lives until step `end`; one that ends and
    returns is considered alive in the meantime.
    """
    moments: dict[Key, list[tuple[int, Facts]]] = {}
    last: dict[Key, int] = {}
    for step, key, facts in changes:
        if facts is None:
            if last.get(key) == end:
                last[key] = step - 1
            continue
        known = moments.setdefault(key, [])
        if not known or known[-1][1] != facts:
            known.append((step, facts))
        last[key] = end
    return {key: Life(tuple(found), last[key]) for key, found in moments.items()}


def storage_lives(recording: Recording) -> dict[int, Life[StorageFacts]]:
    """Returns the life of each storage."""
    return recording.once(_storage_lives)


def _storage_lives(recording: Recording) -> dict[int, Life[StorageFacts]]:
    changes = ((step.index, key, facts) for step in recording.steps for key, facts in step.storages)
    return followed(changes, len(recording) - 1)


def version_lives(recording: Recording) -> dict[int, Life[tuple[int, ...]]]:
    """Returns the versions of each storage over the steps: one for each of its counters."""
    return recording.once(_version_lives)


def _version_lives(recording: Recording) -> dict[int, Life[tuple[int, ...]]]:
    changes = (
        (state.step.index, key, state.versions(key) if key in state.storages else None)
        for state in recording.states()
        for key in state.step.touched_storages()
    )
    return followed(changes, len(recording) - 1)


def version_labels(recording: Recording) -> dict[int, Life[str]]:
    """Returns the same in words: "v1"."""
    label = terms_of(recording).label
    return {
        key: Life(tuple((step, label(*versions)) for step, versions in life.moments), life.last)
        for key, life in version_lives(recording).items()
    }


def lives(recording: Recording, of: Callable[[State], Mapping[Key, Facts]]) -> dict[Key, Life[Facts]]:
    """Returns the life of each item that `of` finds in the states, in order of first appearance.

    An item that ends and returns is considered alive in the meantime: its place is kept.
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


def gatherings(
    members: Mapping[Key, Life[Facts]], also: Iterable[int] = ()
) -> Iterator[tuple[int, Mapping[Key, Facts], frozenset[Key]]]:
    """Yields (step, the facts of the live items, the items that begin in this step) wherever that changes, for items shown as one.

    The steps in `also`, and the step after each of them, are always included.
    """
    changes: dict[int, list[tuple[Key, Facts | None]]] = {at: [] for step in also for at in (step, step + 1)}
    for key, life in members.items():
        for step, then in life.moments:
            changes.setdefault(step, []).append((key, then))
        changes.setdefault(life.first + 1, [])
        changes.setdefault(life.last + 1, []).append((key, None))
    alive: dict[Key, Facts] = {}
    for step in sorted(changes):
        born = frozenset(key for key, _ in changes[step] if key not in alive)
        for key, now in changes[step]:
            if now is None:
                alive.pop(key, None)
            else:
                alive[key] = now
        yield step, alive, born & alive.keys()


def shared_rows(spans: Sequence[tuple[int, int]]) -> list[int]:
    """Returns a row for each (first, last) span, so that no two spans in one row overlap. Spans are in order of their first step.

    >>> shared_rows([(0, 9), (1, 3), (2, 5), (4, 6)])
    [0, 1, 2, 1]
    """
    taken: list[
        tuple[int, int]
    ] = []  # a heap of (last step, row), and one of the rows below those that were ever taken
    free: list[int] = []
    rows = []
    for first, last in spans:
        while taken and taken[0][0] < first:
            heappush(free, heappop(taken)[1])
        row = heappop(free) if free else len(taken)
        heappush(taken, (last, row))
        rows.append(row)
    return rows
