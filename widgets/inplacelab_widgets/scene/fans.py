"""Draws the fan between a tensor's grid and its storage's strip: from the elements to the slots that they are in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter

from inplacelab.recording.facts import StorageFacts, TensorFacts
from inplacelab.recording.values_read import slots_under
from inplacelab_widgets.scene.grid import Grid, Index, position
from inplacelab_widgets.scene.heat import HeatMap
from inplacelab_widgets.scene.measure import coordinate
from inplacelab_widgets.scene.strip import Strip

HEIGHT = 34.0
"""The space for the fans between grids and strip, in px."""
AIR = 3.0


@dataclass(slots=True)
class _Ribbon:
    """A run of slots, with the left and the right edge of the elements in it, in px, and the rows that these are in."""

    start: int
    stop: int
    left: float
    right: float
    rows: set[Index]


def fan(
    facts: TensorFacts,
    storage: StorageFacts,
    grid: Grid | HeatMap,
    strip: Strip,
    x: float,
    ends: tuple[float, float, float],
) -> str:
    """Returns the fan of a tensor as a path.

    Each run of neighboring slots has a ribbon. It begins under the elements in it; where elements of several ribbons are one below
    the other, the ribbons share the lower edge of the grid, in order.

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
    ribbons = _ribbons(facts, storage, grid)
    edge = (grid.width - grid.left) / max(len(ribbons), 1)
    sides = sorted((each.left, each.right) for each in ribbons)
    aligned = all(one[1] <= other[0] + 0.2 for one, other in pairwise(sides))
    drawn = []
    for place, ribbon in enumerate(ribbons):
        left = ribbon.left if aligned else grid.left + place * edge
        right = ribbon.right if aligned else left + edge
        for piece_left, piece_right, row in strip.pieces(((ribbon.start, ribbon.stop),))[:1]:
            corners = [(x + left, y + AIR), (x + right, y + AIR), (piece_right, top + row), (piece_left, top + row)]
            if floor > y:
                corners[2:2] = [(x + right, floor + AIR)]
                corners.append((x + left, floor + AIR))
            drawn.append("M" + "L".join(f"{coordinate(a)} {coordinate(b)}" for a, b in corners) + "Z")
    return "".join(drawn)


def _ribbons(facts: TensorFacts, storage: StorageFacts, grid: Grid | HeatMap) -> list[_Ribbon]:
    """The runs of slots of the drawn elements."""
    ribbons: list[_Ribbon] = []
    for (start, stop), index, left in sorted(_elements(facts, storage, grid), key=itemgetter(0, 2)):
        right, row = left + grid.cell, {index[:-1]}
        last = ribbons[-1] if ribbons else None
        if last is not None and start <= last.stop and _continues(last, left, row, grid.cell):
            last.stop, last.left, last.right = max(stop, last.stop), min(left, last.left), max(right, last.right)
            last.rows |= row
        else:
            ribbons.append(_Ribbon(start, stop, left, right, row))
    return ribbons


def _elements(
    facts: TensorFacts, storage: StorageFacts, grid: Grid | HeatMap
) -> Iterable[tuple[tuple[int, int], Index, float]]:
    for index, left, _ in grid.cells():
        at = position(facts, index)
        yield slots_under(storage, facts.dtype, at, at + 1), index, left


def _continues(last: _Ribbon, left: float, row: set[Index], cell: float) -> bool:
    """Whether an element continues a row or a column, so that they can share a ribbon."""
    same_row = last.rows == row and abs(left - last.right) < 0.2
    same_column = abs(left - last.left) < 0.2 and abs(last.right - last.left - cell) < 0.2
    return same_row or same_column
