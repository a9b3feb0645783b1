"""Draws the marks along the axis and merges those that would overlap, so that their number is bounded by the width."""

from __future__ import annotations

from collections.abc import Iterable

from inplacelab_widgets.scene.axis import WIDTH, room_for
from inplacelab_widgets.scene.marks import Look, Mark, between, lasting, path, text
from inplacelab_widgets.scene.measure import SMALL, coordinate, width_of

GRAIN = 4.0
"""Marks of one kind in one row that begin within this many px are merged."""


class Crowd:
    """Collects marks and merges those of one kind that begin at the same place. They are shown until step `end`."""

    def __init__(self, end: int) -> None:
        self._end = end
        self._found: dict[tuple[float, str, int], tuple[str, dict[str, None], dict[str, None]]] = {}
        self._wide: list[Mark] = []

    def line(self, row: int, left: float, right: float, y: float, style: str, key: str) -> None:
        """Adds a piece of a lane."""
        d = f"M{coordinate(left)} {coordinate(y)}H{coordinate(right)}"
        if right - left > GRAIN:
            self._wide.append(path(d, between(0, self._end, Look(style)), keys=(key,)))
        else:
            self._add((row, style, int(left / GRAIN)), d, (key,), ())

    def tick(self, row: int, x: float, y: float, key: str) -> None:
        """Adds a tick where a version is raised. Of several at one place, a click goes to the first."""
        place = (row, "bump", int(x / GRAIN))
        if place not in self._found:
            self._add(place, f"M{coordinate(x)} {coordinate(y - 6)}v12", (key,), ())

    def flag(self, x: float, y: float, *, stale: bool, keys: Iterable[str], links: Iterable[str]) -> None:
        """Adds the pin of a saved tensor."""
        d = f"M{coordinate(x - 4)} {coordinate(y + 3)}h8l-4 6.5z"
        self._add((y, "flag-stale" if stale else "flag", int(x / GRAIN)), d, keys, links)

    def _add(self, place: tuple[float, str, int], d: str, keys: Iterable[str], links: Iterable[str]) -> None:
        _, known, linked = self._found.setdefault(place, (d, {}, {}))
        known.update(dict.fromkeys(keys))
        linked.update(dict.fromkeys(links))

    def marks(self) -> list[Mark]:
        """Returns all marks."""
        merged = (
            path(d, between(0, self._end, Look(style)), keys=tuple(keys), links=tuple(links))
            for (_, style, _), (d, keys, links) in self._found.items()
        )
        return [*self._wide, *merged]


def versions_above(labels: list[tuple[float, str, str, int]], y: float, end: int) -> list[Mark]:
    """Draws version numbers above a row, given as (x, words, key, step), as many as fit; the last one is always drawn.

    They are faint until their step. A veil over later steps would also cover the present number, which extends beyond its step.
    """
    *others, last = sorted(labels, key=lambda each: each[0])
    marks: list[Mark] = []
    edge = 0.0
    for wanted, words, key, step in [*others, last]:
        x = min(wanted, WIDTH - width_of(words, SMALL))
        room = x + room_for(width_of(words, SMALL) + 1)
        if x >= edge and (key == last[2] or room <= last[0] or not marks):
            looks = lasting(((0, Look("text tiny ahead", words)), (step, Look("text tiny", words))), end)
            marks.append(text(round(x, 1), y - 7, looks, keys=(key,)))
            edge = room
    return marks
