"""Follows paths from a number on to all those that it flowed into, however many; where they go on, the caller says."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from inplacelab.recording.origins.paths import (
    NOT_FOLLOWED,
    End,
    GradientPath,
    Hop,
    Onward,
    after_hop,
    ended,
    joined,
    listed,
)

__all__ = ["At", "Branch", "Following", "Found"]


class At(NamedTuple):
    """A number: a slot, and the step that put it there."""

    storage: int
    slot: int
    step: int


@dataclass(frozen=True, slots=True)
class Branch:
    """A hop from a number to another one, or where a path ends. Without a hop, the number itself is meant."""

    hop: Hop | None = None
    to: At | None = None
    end: End = "root"
    line: int | None = None
    value: float | None = 0.0


@dataclass(frozen=True, slots=True)
class Found:
    """The paths from a number.

    Attributes:
        paths: those that reach the root first, the largest first; not more than `MOST_PATHS`.
        total: what all paths add up to; None if it is not known.
        more: whether there are more paths than are listed.
    """

    paths: tuple[GradientPath, ...]
    total: float | None
    more: bool


class Following:
    """Follows the paths of one pass.

    Args:
        branches: where the paths go on from a number, and where they end.
        factor: what a hop multiplies by; None if it is not known.
        horizon: numbers that came before this step are not followed.
    """

    def __init__(
        self, branches: Callable[[At], Iterable[Branch]], factor: Callable[[Hop], float | None], horizon: int
    ) -> None:
        self._branches, self._factor, self._horizon = branches, factor, horizon
        self._onward: dict[At, Onward] = {}

    def paths(self, starts: Iterable[At]) -> Found:
        """Returns the paths from some numbers."""
        onward = joined([self._from(each) for each in starts])
        return Found(tuple(listed(way) for way in onward.ways), onward.total, onward.more)

    def _from(self, start: At) -> Onward:
        """What is known of the paths from a number on. The numbers that it flowed into come first; there may be thousands in a row."""
        waiting = [start]
        ahead: dict[At, list[Branch]] = {}
        while waiting:
            at = waiting[-1]
            if at in self._onward:
                waiting.pop()
            elif at in ahead:
                self._onward[at] = joined([self._along(each) for each in ahead.pop(at)])
                waiting.pop()
            else:
                ahead[at] = list(self._branches(at))
                waiting += [each.to for each in ahead[at] if each.to is not None and not self._is_too_far(each.to)]
        return self._onward[start]

    def _is_too_far(self, at: At) -> bool:
        return at.step < self._horizon

    def _along(self, branch: Branch) -> Onward:
        if branch.to is None:
            return ended(branch.hop, branch.end, branch.line, branch.value)
        if self._is_too_far(branch.to):
            return NOT_FOLLOWED
        onward = self._onward[branch.to]
        return onward if branch.hop is None else after_hop(branch.hop, self._factor(branch.hop), onward)
