"""Draws the versions of a storage as dots on a line, each with the line and the operation that raised it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from inplacelab.language import Text
from inplacelab_widgets.scene.marks import Look, Mark, between, flashes, path, runs, text
from inplacelab_widgets.scene.measure import SMALL, coordinate, shortened, width_of

HEIGHT = 37.0
LINE = 17.0
"""The distance of the line from the top, in px: above it are the versions, below it what raised them."""
MOST_DOTS = 48
ROOM_FOR_NUMBER = 26.0
ROOM_FOR_AUTHOR = 84.0
NARROWEST, WIDEST = 190.0, 420.0


@dataclass(frozen=True, slots=True)
class Raise:
    """The step that raised a version, the version before and after it, and what raised it."""

    step: int
    before: str
    after: str
    author: Text


@dataclass(frozen=True)
class VersionLine:
    """The versions of a storage from its first to its last step, in `room` px."""

    raises: Sequence[Raise]
    first: int
    last: int
    room: float

    @cached_property
    def pitch(self) -> float:
        """The distance from one dot to the next, in px."""
        return min(max(self.room, NARROWEST), WIDEST) / (len(self.raises) + 1)

    @cached_property
    def width(self) -> float:
        return self.pitch * (len(self.raises) + 1)

    def marks(self, left: float, top: float, keys: tuple[str, ...]) -> Iterator[Mark]:
        """Draws the line from `left` on, below `top`."""
        y, places = top + LINE, [left + 6 + self.pitch * k for k in range(len(self.raises) + 1)]
        a, b = coordinate(places[0]), coordinate(left + self.width)
        yield path(f"M{a} {coordinate(y)}H{b}", between(self.first, self.last, Look("versions ahead")))
        past = [(self.first, 0), *((each.step, k) for k, each in enumerate(self.raises, 1))]
        reached = [
            (step, Look("versions", None, (("d", f"M{a} {coordinate(y)}H{coordinate(places[k])}"),)))
            for step, k in past
            if k
        ]
        yield Mark("path", (), runs([*reached, (self.last + 1, None)]), keys)
        if len(self.raises) <= MOST_DOTS:
            for k, x in enumerate(places):
                yield self._dot(x, y, k, keys)
        yield from self._numbers(places, y, keys)
        yield from self._authors(places, y, keys)

    def _dot(self, x: float, y: float, k: int, keys: tuple[str, ...]) -> Mark:
        since = self.raises[k - 1].step if k else self.first
        now, past, ahead = Look("dot raised"), Look("dot"), Look("dot ahead")
        looks = [(self.first, ahead, ahead), (since, now if k else past, past)] if k else [(since, past, past)]
        return Mark("circle", (("cx", round(x, 1)), ("cy", y), ("r", 4.5)), flashes(looks, self.last), keys)

    def _numbers(self, places: Sequence[float], y: float, keys: tuple[str, ...]) -> Iterator[Mark]:
        """Above each dot its version; if there is no room for all, above the present one."""
        labels = [self.raises[0].before, *(each.after for each in self.raises)]
        starts = [self.first, *(each.step for each in self.raises)]
        if self.pitch >= ROOM_FOR_NUMBER:
            for k, (x, label, start) in enumerate(zip(places, labels, starts, strict=True)):
                ahead, now, past = (
                    Look("text middle ahead", label),
                    Look("text middle bold", label),
                    Look("text middle", label),
                )
                moments = [(self.first, ahead, ahead)] if k else []
                moments.append((start, now if k else past, past))
                yield text(round(x, 1), y - 8, flashes(moments, self.last), keys=keys)
            return
        moving = (
            (start, Look("text bold middle", label, (("x", round(x, 1)),)))
            for x, label, start in zip(places, labels, starts, strict=True)
        )
        yield Mark("text", (("y", y - 8),), runs([*moving, (self.last + 1, None)]), keys)

    def _authors(self, places: Sequence[float], y: float, keys: tuple[str, ...]) -> Iterator[Mark]:
        """Below each dot what raised it; if there is no room for all, below the last one raised."""
        if self.pitch >= ROOM_FOR_AUTHOR:
            for x, each in zip(places[1:], self.raises, strict=True):
                said = _cut(each.author, self.pitch - 6)
                ahead, now, past = (
                    Look("text middle ahead", said),
                    Look("text middle bold", said),
                    Look("text soft middle", said),
                )
                yield text(
                    round(x, 1),
                    y + 17,
                    flashes([(self.first, ahead, ahead), (each.step, now, past)], self.last),
                    keys=keys,
                )
            return
        looks: list[tuple[int, Look | None, Look | None]] = []
        for x, each in zip(places[1:], self.raises, strict=True):
            said = _cut(each.author, self.width * 0.7)
            half = width_of(said, SMALL) / 2
            middle = min(max(x, places[0] + half - 6), max(places[0] + self.width - half, places[0] + half - 6))
            at = (("x", round(middle, 1)),)
            looks.append((each.step, Look("text middle bold", said, at), Look("text soft middle", said, at)))
        yield Mark("text", (("y", y + 17),), flashes(looks, self.last), keys)


def _cut(author: Text, room: float) -> Text:
    return Text(shortened(author.en, room), shortened(author.zh, room))
