"""Paths of a gradient, and what is known of all the paths from a number on.

A graph of twenty layers has more paths than can be listed. What is known of all paths from a number on follows from what is known of the
numbers that it flowed into: the sum of all paths, and the largest of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from inplacelab.place import Place
from inplacelab.recording.origins.forward import Flow
from inplacelab.recording.origins.slope_table import Slope

MOST_PATHS = 24
"""At most so many paths are listed."""
MOST_HOPS = 200
"""A path of more hops is not listed. It is part of the sum."""

End = Literal[
    "root",
    "detached",
    "lost write",
    "lost read",
    "zero",
    "overwritten",
    "unused",
    "custom",
    "custom stale",
    "another pass",
    "overlapping",
    "not known",
]
"""Where a path ends: at the "root" of the pass; where the number was read without history ("detached"), or
overwritten through a tensor without one that the program did not ask for ("lost write"), or read through a view without one, made before the
number was written ("lost read"); at a slope of "zero"; in a slot that
was "overwritten" before anything read it; in a number that nothing used; at a "custom" operation,
whose slopes the program computes itself, maybe from a number that was overwritten since ("custom stale"); in the history of "another pass", of a
second derivative; at an operation that read what it was overwriting ("overlapping"); or at one that declares nothing ("not known")."""

_ADDING = ("root", "lost write", "lost read", "custom", "custom stale", "another pass", "overlapping", "not known")
"""Where paths end that add something, or may."""


@dataclass(frozen=True, slots=True)
class Hop:
    """One step of a path: an element that was computed from the one before.

    Attributes:
        flow: the element, and the step that computed it.
        slope: how strongly it follows the one before, with the values as they were when the step ran.
        used: the same with the values that backward found; None if they are the same.
        overwrote: the place that overwrote a value needed for the slope; None if none did.
    """

    flow: Flow
    slope: Slope
    used: Slope | None = None
    overwrote: Place | None = None


@dataclass(frozen=True, slots=True)
class GradientPath:
    """A path from an element towards the root.

    Attributes:
        hops: its hops, in the order in which the program ran them.
        end: where it ends.
        place: where it ends, if not at the root.
        value: what it adds to the gradient; None if it is not known.
    """

    hops: tuple[Hop, ...]
    end: End
    place: Place | None
    value: float | None


class Way(NamedTuple):
    """A path from a number on, as its first hop and the rest, which other paths share."""

    hop: Hop | None
    rest: Way | None
    end: End
    place: Place | None
    value: float | None
    hops: int


@dataclass(frozen=True, slots=True)
class Onward:
    """What is known of the paths from a number on.

    Attributes:
        ways: the largest, as they are listed.
        total: what all of them add up to; None if it is not known.
        adds: whether one of them adds something.
        more: whether there are more than are listed.
    """

    ways: tuple[Way, ...]
    total: float | None
    adds: bool
    more: bool = False


NOT_FOLLOWED = Onward((), None, adds=True, more=True)


def ended(hop: Hop | None, end: End, place: Place | None, value: float | None) -> Onward:
    """Returns a path that ends at a number, or with the hop from it."""
    way = Way(hop, None, end, place, value, int(hop is not None))
    return Onward((way,), value, end in _ADDING)


def after_hop(hop: Hop, factor: float | None, onward: Onward) -> Onward:
    """Returns the paths of a number that flowed into another one, of which `onward` is known, with the factor of the hop between them."""
    ways = [
        Way(hop, way, way.end, way.place, _times(factor, way.value) if way.end == "root" else way.value, way.hops + 1)
        for way in onward.ways
        if way.hops < MOST_HOPS
    ]
    total = _times(factor, onward.total) if onward.adds else onward.total
    more = onward.more or len(ways) < len(onward.ways)
    return Onward(tuple(ways), total, onward.adds, more)


def _times(factor: float | None, value: float | None) -> float | None:
    return None if factor is None or value is None else factor * value


def joined(parts: Sequence[Onward]) -> Onward:
    """Returns all paths that go on from one number."""
    if len(parts) == 1:
        return parts[0]
    ways = sorted((way for part in parts for way in part.ways), key=_rank)
    totals = [part.total for part in parts]
    known = [total for total in totals if total is not None]
    return Onward(
        tuple(ways[:MOST_PATHS]),
        sum(known) if len(known) == len(totals) else None,
        any(part.adds for part in parts),
        len(ways) > MOST_PATHS or any(part.more for part in parts),
    )


def _rank(way: Way) -> tuple[bool, float]:
    """Those that reach the root first, the largest first."""
    return way.end != "root", -abs(way.value or 0.0)


def listed(way: Way) -> GradientPath:
    """Returns a path with all its hops."""
    hops: list[Hop] = []
    here: Way | None = way
    while here is not None:
        if here.hop is not None:
            hops.append(here.hop)
        here = here.rest
    return GradientPath(tuple(hops), way.end, way.place, way.value)


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
    place: Place | None = None
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
            return ended(branch.hop, branch.end, branch.place, branch.value)
        if self._is_too_far(branch.to):
            return NOT_FOLLOWED
        onward = self._onward[branch.to]
        return onward if branch.hop is None else after_hop(branch.hop, self._factor(branch.hop), onward)
