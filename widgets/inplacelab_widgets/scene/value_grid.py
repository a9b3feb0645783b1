"""Arranges the elements of one layout in cells: blocks of rows of columns. If there are too many, only the first are drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from math import prod

from inplacelab.recording.slots import Laid
from inplacelab_widgets.scene.names import axis_letter, hop
from inplacelab_widgets.scene.text_layout import SMALL, width_of

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
            for size in reversed(self.layout.shape[:-2]):  # `product` would make a tuple of each axis, however long
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
        for block, head in enumerate(self.heads()):
            for row, column in product(range(rows), range(columns)):
                index = (*head, row, column)[2 - min(self.rank, 2) :]
                yield index, self.x(block, column), self.top + row * self.row_height


def position(layout: Laid, index: Index) -> int:
    """Returns the position of an element in its storage, counted in elements of the tensor's dtype."""
    return layout.offset + sum(i * stride for i, stride in zip(index, layout.strides, strict=True))
