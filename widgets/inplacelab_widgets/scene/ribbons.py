"""Draws the ribbons between a tensor's grid and the row of its storage: from the elements to the slots that they are in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import hypot
from operator import attrgetter, itemgetter
from typing import NamedTuple

from inplacelab.recording.facts import StorageFacts, TensorFacts
from inplacelab.recording.values_read import slots_under
from inplacelab_widgets.scene.large_storages import HeatMap
from inplacelab_widgets.scene.storage_row import StorageRow
from inplacelab_widgets.scene.text_layout import coordinate
from inplacelab_widgets.scene.value_grid import Grid, Index, position

HEIGHT = 34.0
"""The space for the ribbons between grids and strip, in px."""
AIR = 3.0
THIN = 5.0
"""A slanted band that would be thinner than this, in px, is bent instead: down, level, and down to its slots."""
BETWEEN = 2.0
"""The space between level bands, in px."""
ROUND = 8.0
"""The radius of the inner side of a bend, in px."""

Point = tuple[float, float]
Corner = tuple[Point, Point]
"""A corner of an outline, and how far before and after it the outline leaves its straight sides, across and down; (0, 0) for a sharp one."""
SHARP: Point = (0.0, 0.0)


@dataclass(slots=True)
class _Ribbon:
    """A run of slots, with the left and the right edge of the elements in it, in px, and the rows that these are in."""

    start: int
    stop: int
    left: float
    right: float
    rows: set[Index]


class _Band(NamedTuple):
    """A ribbon as it is drawn: its edges at the grid, and its edges and their height at the strip."""

    left: float
    right: float
    to_left: float
    to_right: float
    top: float
    is_to_left: bool

    def thickness(self, height: float) -> float:
        """How thick it is, measured across, if it is slanted over `height` px."""
        aside = abs(self.to_left + self.to_right - self.left - self.right) / 2
        return min(self.right - self.left, self.to_right - self.to_left) * height / max(hypot(aside, height), 1)

    def slanted(self, y: float, floor: float) -> list[Corner]:
        """Its corners from `y` on: vertical down to `floor`, then straight to its slots."""
        ends = [((self.to_right, self.top), SHARP), ((self.to_left, self.top), SHARP)]
        if floor > y:
            soft = ROUND, min(ROUND, (floor - y) / 2, (self.top - floor) / 2)
            ends = [((self.right, floor), soft), *ends, ((self.left, floor), soft)]
        return [((self.left, y), SHARP), ((self.right, y), SHARP), *ends]

    def bent(self, y: float, above: float, below: float) -> list[Corner]:
        """Its corners from `y` on, with a level part from `above` to `below`. Each bend is a curve as wide as the band, around the corner that
        both its sides turn at.
        """
        right, left = (below, above) if self.is_to_left else (above, below)
        half = min(abs(self.to_left - self.left), abs(self.to_right - self.right)) / 2

        def bend(x: float, at: float, band: float, leg: float, *, is_outer: bool) -> Corner:
            inner = min(ROUND, leg - (below - above) * is_outer)
            return (x, at), (min(inner + band * is_outer, half), inner + (below - above) * is_outer)

        first, last = self.right - self.left, self.to_right - self.to_left
        return [
            ((self.left, y), SHARP),
            ((self.right, y), SHARP),
            bend(self.right, right, first, right - y, is_outer=right == below),
            bend(self.to_right, right, last, self.top - right, is_outer=right == above),
            ((self.to_right, self.top), SHARP),
            ((self.to_left, self.top), SHARP),
            bend(self.to_left, left, last, self.top - left, is_outer=left == above),
            bend(self.left, left, first, left - y, is_outer=left == below),
        ]


def ribbons_path(
    facts: TensorFacts,
    storage: StorageFacts,
    grid: Grid | HeatMap,
    strip: StorageRow,
    x: float,
    ends: tuple[float, float, float],
) -> str:
    """Returns the ribbons of a tensor as a path.

    Each run of neighboring slots has a ribbon. It begins under the elements in it; where elements of several ribbons are one below
    the other, the ribbons share the lower edge of the grid, in order. If the slots are so far to the side that slanted ribbons would
    be thin, all of them are bent; but not if they cross, where only slanted ones can be told apart.

    Args:
        facts: the tensor.
        storage: its storage.
        grid: the places of its elements.
        strip: the places of the slots.
        x: the left edge of the grid.
        ends: the lower edge of the grid, that of the highest grid beside it, down to which the ribbons are vertical, and the upper edge
            of the strip.
    """
    y, floor, top = ends
    ribbons_path = _ribbons(facts, storage, grid)
    edge = (grid.width - grid.left) / max(len(ribbons_path), 1)
    sides = sorted((each.left, each.right) for each in ribbons_path)
    aligned = all(one[1] <= other[0] + 0.2 for one, other in pairwise(sides))
    bands = []
    for place, ribbon in enumerate(ribbons_path):
        left = ribbon.left if aligned else grid.left + place * edge
        right = ribbon.right if aligned else left + edge
        for to_left, to_right, row in strip.pieces(((ribbon.start, ribbon.stop),))[:1]:
            is_to_left = to_left + to_right < (x + left) + (x + right)
            bands.append(_Band(x + left, x + right, to_left, to_right, top + row, is_to_left))
    floor = max(y, floor)
    slanted = min((band.thickness(top - floor) for band in bands), default=THIN)
    level = _levels(bands, floor + AIR, min(top, floor + HEIGHT) - AIR)
    keep_order = all(
        one.right <= other.left + 0.2 for one, other in pairwise(sorted(bands, key=attrgetter("top", "to_left")))
    )
    if slanted < THIN and keep_order and min(below - above for above, below in level) > slanted:
        outlines = [band.bent(y + AIR, *at) for band, at in zip(bands, level, strict=True)]
    else:
        outlines = [band.slanted(y + AIR, floor + AIR) for band in bands]
    return "".join(_outline(corners) for corners in outlines)


def _levels(bands: Sequence[_Band], above: float, below: float) -> list[tuple[float, float]]:
    """The upper and the lower edge of the level part of each band, between `above` and `below`: those that go to the same side share the
    height. The one that is ahead is the highest, so that bands in the same order above and below do not cross.
    """
    found: dict[int, tuple[float, float]] = {}
    for is_to_left in (True, False):
        there = [k for k, band in enumerate(bands) if band.is_to_left is is_to_left]
        there.sort(key=lambda k: bands[k].left, reverse=not is_to_left)
        share = (below - above) / max(len(there), 1)
        found |= {k: (above + place * share, above + (place + 1) * share - BETWEEN) for place, k in enumerate(there)}
    return [found[k] for k in range(len(bands))]


def _outline(corners: Sequence[Corner]) -> str:
    drawn = []
    for k, (corner, soft) in enumerate(corners):
        x, y = map(coordinate, corner)
        if soft == SHARP:
            drawn.append(f"L{x} {y}")
            continue
        ends = (_toward(corner, corners[place % len(corners)][0], soft) for place in (k - 1, k + 1))
        (a, b), (c, d) = (map(coordinate, end) for end in ends)
        drawn.append(f"L{a} {b}Q{x} {y} {c} {d}")
    return "M" + "".join(drawn)[1:] + "Z"


def _toward(corner: Point, other: Point, soft: Point) -> Point:
    """The point on the side from `corner` to `other` where a bend begins."""
    across, down = other[0] - corner[0], other[1] - corner[1]
    part = min(1, (soft[1] if down else soft[0]) / (hypot(across, down) or 1))
    return corner[0] + part * across, corner[1] + part * down


def _ribbons(facts: TensorFacts, storage: StorageFacts, grid: Grid | HeatMap) -> list[_Ribbon]:
    """The runs of slots of the drawn elements."""
    places = ((position(facts, index), index, left) for index, left, _ in grid.cells())
    elements = [(slots_under(storage, facts.dtype, at, at + 1), index, left) for at, index, left in places]
    ribbons: list[_Ribbon] = []
    for (start, stop), index, left in sorted(elements, key=itemgetter(0, 2)):
        right, row = left + grid.cell, {index[:-1]}
        last = ribbons[-1] if ribbons else None
        # An element that continues a row or a column shares its ribbon.
        if (
            last is not None
            and start <= last.stop
            and (
                (last.rows == row and abs(left - last.right) < 0.2)
                or (abs(left - last.left) < 0.2 and abs(last.right - last.left - grid.cell) < 0.2)
            )
        ):
            last.stop, last.left, last.right = max(stop, last.stop), min(left, last.left), max(right, last.right)
            last.rows |= row
        else:
            ribbons.append(_Ribbon(start, stop, left, right, row))
    return ribbons
