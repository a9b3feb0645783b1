"""Arranges the elements of one layout in cells, blocks of rows of columns, and draws the ribbons from the cells to the slots that they are in.

If there are too many elements, only the first are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from math import hypot, prod
from operator import attrgetter, itemgetter
from typing import NamedTuple, Protocol

from inplacelab.recording.facts import StorageFacts, TensorFacts
from inplacelab.recording.slots import Laid, Runs, slots_under
from inplacelab_widgets.scene.names import axis_letter, hop
from inplacelab_widgets.scene.text_layout import SMALL, boxes, coordinate, width_of

MOST = 64
"""The most elements drawn one by one."""
MOST_COLUMNS = 16
HEIGHT = 30.0
"""The height of a cell: a value, and below it its slot."""
HEADING = 30.0
"""The height above each block of a tensor with three axes or more, for its index and the hop to the next."""
COLUMNS_BAND = 34.0
"""The height above the cells, for the hop along the last axis and the columns' indices."""
LONE_BAND = 5.0
"""The height above the cell of a tensor without axes."""
ROW_LABELS = 22.0
ARC = 10.0
BETWEEN = 30.0
MINIATURE = 13.0
"""The width and the height of a cell without a value."""
BARE_HEIGHT, BARE_HEADING, BARE_BETWEEN = 24.0, 14.0, 12.0
"""The same without hops and slots."""
HIGHEST, HIGHEST_IN_MINIATURE = 170.0, 105.0
"""The greatest height of the rows then, in px: with values and without."""

Index = tuple[int, ...]


@dataclass
class Grid:
    """The position of each element of a layout: `blocks` blocks of `rows` rows of `columns` cells, each `cell` px wide.

    Cells of the size `MINIATURE` have no values: they show only where an element is.
    The last axis runs to the right, the one before it down; the axes before those number the blocks. With `hops` there is room for
    the hops along the axes, and below each value for its slot.

    Attributes:
        rank: the number of axes.
        total: the number of blocks, rows and columns of the layout.
        drawn: the number of those that are drawn.
        cut: whether some elements are not drawn.
        is_too_high: whether some rows are not drawn.
        is_miniature: whether there is no room for values in the cells.
        row_height: the height of a cell, in px.
        between: the space between one block and the next, in px.
        left: the x of the cells within a block: right of the hop along the rows and of the rows' indices.
        top: the y of the cells: below the headings and the hop along the columns.
        width: the width of all that is drawn.
        height: its height.
    """

    layout: Laid
    cell: float
    room: float
    hops: bool = True
    rank: int = field(init=False)
    total: tuple[int, int, int] = field(init=False)
    drawn: tuple[int, int, int] = field(init=False)
    cut: bool = field(init=False)
    is_too_high: bool = field(init=False)
    is_miniature: bool = field(init=False)
    row_height: float = field(init=False)
    between: float = field(init=False)
    left: float = field(init=False)
    top: float = field(init=False)
    width: float = field(init=False)
    height: float = field(init=False)

    def __post_init__(self) -> None:
        shape, hops = self.layout.shape, self.hops
        self.rank = len(shape)
        *leading, rows, columns = (1, 1, *shape) if self.rank < 2 else shape
        self.total = prod(leading), rows, columns
        self.is_miniature = self.cell <= MINIATURE
        self.row_height = HEIGHT if hops else MINIATURE if self.is_miniature else BARE_HEIGHT
        self.between = BETWEEN if hops else BARE_BETWEEN
        self.left, self.top = 0.0, BARE_HEADING if self.rank > 2 else 0.0
        if hops:
            self.top = (COLUMNS_BAND if self.rank else LONE_BAND) + (HEADING if self.rank > 2 else 0.0)
        if hops and self.rank > 1:
            self.left = width_of(hop(self.layout, self.rank - 2), SMALL) + 4 + ARC + ROW_LABELS
        columns = min(columns, MOST_COLUMNS, max(1, int((self.room - self.left) // self.cell)))
        rows = min(rows, max(1, MOST // max(columns, 1)))
        if not hops:
            rows = min(rows, int((HIGHEST_IN_MINIATURE if self.is_miniature else HIGHEST) // self.row_height))
        block = self.left + columns * self.cell
        in_sight = int((self.room + self.between) // (block + self.between))
        blocks = min(self.total[0], max(1, MOST // max(rows * columns, 1)), max(1, in_sight))
        self.drawn = blocks, rows, columns
        self.cut, self.is_too_high = self.drawn != self.total, rows < self.total[1]
        ellipsis = 16 if (blocks, columns) != (self.total[0], self.total[2]) else 0
        self.width = blocks * block + (blocks - 1) * self.between + ellipsis
        self.height = self.top + rows * self.row_height + (12 if self.is_too_high else 0) if columns else 0.0

    def block_left(self, block: int) -> float:
        """Returns the left edge of a block."""
        return block * (self.left + self.drawn[2] * self.cell + self.between)

    def x(self, block: int, column: float) -> float:
        """Returns the left edge of a column."""
        return round(self.block_left(block) + self.left + column * self.cell, 1)

    def y(self, row: float) -> float:
        """Returns the top edge of a row."""
        return self.top + row * self.row_height

    def heads(self) -> list[Index]:
        """Returns the leading indices of the drawn blocks."""
        found: list[Index] = []
        for block in range(self.drawn[0]):
            index: list[int] = []
            rest = block
            for size in reversed(self.layout.shape[:-2]):
                rest, place = divmod(rest, size)
                index.append(place)
            found.append(tuple(reversed(index)))
        return found

    def heading(self, block: int) -> str:
        """Returns the heading of a block: "i=0", or "i,j=0,1"."""
        letters = ",".join(axis_letter(axis) for axis in range(self.rank - 2))
        return f"{letters}={','.join(map(str, self.heads()[block]))}"

    def cells(self) -> Iterator[tuple[Index, float, float]]:
        """Yields (index, left, top) of each drawn element, in row-major order."""
        _, rows, columns = self.drawn
        lost = 2 - min(self.rank, 2)
        for block, head in enumerate(self.heads()):
            lefts = [(column, self.x(block, column)) for column in range(columns)]
            for row in range(rows):
                top = self.top + row * self.row_height
                for column, left in lefts:
                    yield (*head, row, column)[lost:], left, top


def position(layout: Laid, index: Index) -> int:
    """Returns the position of an element in its storage, counted in elements of the tensor's dtype."""
    return layout.offset + sum(i * stride for i, stride in zip(index, layout.strides, strict=True))


# --- ribbons ----------------------------------------------------------------------------------------------------------

RIBBONS = 34.0
"""The space for the ribbons between grids and strip, in px."""
RIBBON_AIR = 3.0
THIN = 5.0
"""A slanted band that would be thinner than this, in px, is bent instead: down, level, and down to its slots."""
LEVELS_APART = 2.0
"""The space between level bands, in px."""
MOST_RIBBONS, MOST_CROSSINGS = 12, 12
"""So many ribbons, and crossings of two of them, can be told apart."""
TICK = 3.0
"""The height of the marks of slots whose ribbons are not drawn, in px."""
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


class Cells(Protocol):
    """The places of a tensor's elements: a grid, or a heat map."""

    @property
    def left(self) -> float: ...
    @property
    def width(self) -> float: ...
    @property
    def cell(self) -> float: ...
    def cells(self) -> Iterable[tuple[Index, float, float]]: ...


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
    grid: Cells,
    pieces_of: Callable[[Runs], Sequence[tuple[float, float, float]]],
    x: float,
    ends: tuple[float, float, float],
    only: Runs | None = None,
) -> str:
    """Returns the ribbons of a tensor as a path.

    Each run of neighboring slots has a ribbon. It begins under the elements in it; where elements of several ribbons are one below
    the other, the ribbons share the lower edge of the grid, in order. If the slots are so far to the side that slanted ribbons would
    be thin, all of them are bent; but not if they cross, where only slanted ones can be told apart.

    Args:
        facts: the tensor.
        storage: its storage.
        grid: the places of its elements.
        pieces_of: returns runs of slots as pieces of rows: left, right, top.
        x: the left edge of the grid.
        ends: the lower edge of the grid, that of the highest grid beside it, down to which the ribbons are vertical, and the upper edge
            of the strip.
        only: the slots whose ribbons are drawn; None for all.
    """
    y, floor, top = ends
    ribbons = _ribbons(facts, storage, grid, only)
    edge = (grid.width - grid.left) / max(len(ribbons), 1)
    sides = sorted((each.left, each.right) for each in ribbons)
    aligned = all(one[1] <= other[0] + 0.2 for one, other in pairwise(sides))
    bands = []
    for place, ribbon in enumerate(ribbons):
        left = ribbon.left if aligned else grid.left + place * edge
        right = ribbon.right if aligned else left + edge
        for to_left, to_right, row in pieces_of(((ribbon.start, ribbon.stop),))[:1]:
            is_to_left = to_left + to_right < (x + left) + (x + right)
            bands.append(_Band(x + left, x + right, to_left, to_right, top + row, is_to_left))
    floor = max(y, floor)
    slanted = min((band.thickness(top - floor) for band in bands), default=THIN)
    level = _levels(bands, floor + RIBBON_AIR, min(top, floor + RIBBONS) - RIBBON_AIR)
    keep_order = all(
        one.right <= other.left + 0.2 for one, other in pairwise(sorted(bands, key=attrgetter("top", "to_left")))
    )
    if slanted < THIN and keep_order and min(below - above for above, below in level) > slanted:
        outlines = [band.bent(y + RIBBON_AIR, *at) for band, at in zip(bands, level, strict=True)]
    else:
        outlines = [band.slanted(y + RIBBON_AIR, floor + RIBBON_AIR) for band in bands]
    return "".join(_outline(corners) for corners in outlines)


def are_tangled(
    facts: TensorFacts,
    storage: StorageFacts,
    grid: Cells,
    pieces_of: Callable[[Runs], Sequence[tuple[float, float, float]]],
    only: Runs | None = None,
) -> bool:
    """Returns whether ribbons are so many, or cross so often, that none can be followed."""
    ribbons = _ribbons(facts, storage, grid, only)
    if len(ribbons) > MOST_RIBBONS:
        return True
    ends = [(each.left, left) for each in ribbons for left, _, _ in pieces_of(((each.start, each.stop),))[:1]]
    crossings = sum((one[0] - other[0]) * (one[1] - other[1]) < 0 for one, other in combinations(ends, 2))
    return crossings > MOST_CROSSINGS


def ticks_path(
    facts: TensorFacts,
    storage: StorageFacts,
    grid: Cells,
    pieces_of: Callable[[Runs], Sequence[tuple[float, float, float]]],
    top: float,
) -> str:
    """Returns marks at the upper edge of the slots of a tensor, for a strip whose upper edge is `top`."""
    runs = [(each.start, each.stop) for each in _ribbons(facts, storage, grid)]
    pieces = dict.fromkeys(piece for run in runs for piece in pieces_of((run,)))
    return "".join(boxes([(left + 1, top + y)], right - left - 2, TICK) for left, right, y in pieces)


def _levels(bands: Sequence[_Band], above: float, below: float) -> list[tuple[float, float]]:
    """The upper and the lower edge of the level part of each band, between `above` and `below`: those that go to the same side share the
    height. The one that is ahead is the highest, so that bands in the same order above and below do not cross.
    """
    found: dict[int, tuple[float, float]] = {}
    for is_to_left in (True, False):
        there = [k for k, band in enumerate(bands) if band.is_to_left is is_to_left]
        there.sort(key=[band.left for band in bands].__getitem__, reverse=not is_to_left)
        share = (below - above) / max(len(there), 1)
        found |= {
            k: (above + place * share, above + (place + 1) * share - LEVELS_APART) for place, k in enumerate(there)
        }
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


def _ribbons(facts: TensorFacts, storage: StorageFacts, grid: Cells, only: Runs | None = None) -> list[_Ribbon]:
    """The runs of slots of the drawn elements, or of those in the slots `only`."""
    places = ((position(facts, index), index, left) for index, left, _ in grid.cells())
    elements = [(slots_under(storage, facts.dtype, at, at + 1), index, left) for at, index, left in places]
    if only is not None:
        elements = [each for each in elements if any(each[0][0] < b and a < each[0][1] for a, b in only)]
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
