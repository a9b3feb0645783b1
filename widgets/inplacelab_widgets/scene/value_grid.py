"""Arranges the elements of one layout in cells: blocks of rows of columns. If there are too many, only the first are drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
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


@dataclass(frozen=True)
class Grid:
    """The position of each element of a layout: `blocks` blocks of `rows` rows of `columns` cells, each `cell` px wide.

    Cells of the size `MINIATURE` have no values: they show only where an element is.
    The last axis runs to the right, the one before it down; the axes before those number the blocks. With `hops` there is room for
    the hops along the axes, and below each value for its slot.
    """

    layout: Laid
    cell: float
    room: float
    hops: bool = True

    @cached_property
    def total(self) -> tuple[int, int, int]:
        """The number of blocks, rows and columns of the layout."""
        *leading, rows, columns = (1, 1, *self.layout.shape) if self.rank < 2 else self.layout.shape
        return prod(leading), rows, columns

    @cached_property
    def drawn(self) -> tuple[int, int, int]:
        """The number of blocks, rows and columns that are drawn."""
        blocks, rows, columns = self.total
        columns = min(columns, MOST_COLUMNS, max(1, int((self.room - self.left) // self.cell)))
        rows = min(rows, max(1, MOST // max(columns, 1)))
        if not self.hops:
            rows = min(rows, int((HIGHEST_IN_MINIATURE if self.is_miniature else HIGHEST) // self.row_height))
        in_sight = int((self.room + self.between) // (self._block_width(columns) + self.between))
        return min(blocks, max(1, MOST // max(rows * columns, 1)), max(1, in_sight)), rows, columns

    @cached_property
    def rank(self) -> int:
        return len(self.layout.shape)

    @property
    def cut(self) -> bool:
        """Whether some elements are not drawn."""
        return self.drawn != self.total

    @property
    def is_too_high(self) -> bool:
        """Whether some rows are not drawn."""
        return self.drawn[1] < self.total[1]

    @cached_property
    def left(self) -> float:
        """The x of the cells within a block: right of the hop along the rows and of the rows' indices."""
        if self.rank < 2 or not self.hops:
            return 0.0
        return width_of(hop(self.layout, self.rank - 2), SMALL) + 4 + ARC + ROW_LABELS

    @cached_property
    def top(self) -> float:
        """The y of the cells: below the headings and the hop along the columns."""
        if not self.hops:
            return BARE_HEADING if self.rank > 2 else 0.0
        return (COLUMNS_BAND if self.rank else LONE_BAND) + (HEADING if self.rank > 2 else 0.0)

    @property
    def row_height(self) -> float:
        """The height of a cell, in px."""
        return HEIGHT if self.hops else MINIATURE if self.is_miniature else BARE_HEIGHT

    @property
    def is_miniature(self) -> bool:
        """Whether there is no room for values in the cells."""
        return self.cell <= MINIATURE

    @property
    def between(self) -> float:
        """The space between one block and the next, in px."""
        return BETWEEN if self.hops else BARE_BETWEEN

    @cached_property
    def width(self) -> float:
        blocks, _, columns = self.drawn
        ellipsis = 16 if (blocks, columns) != (self.total[0], self.total[2]) else 0
        return blocks * self._block_width(columns) + (blocks - 1) * self.between + ellipsis

    @cached_property
    def height(self) -> float:
        _, rows, columns = self.drawn
        return self.top + rows * self.row_height + (12 if rows < self.total[1] else 0) if columns else 0.0

    def _block_width(self, columns: int) -> float:
        return self.left + columns * self.cell

    def block_left(self, block: int) -> float:
        """Returns the left edge of a block."""
        return block * (self._block_width(self.drawn[2]) + self.between)

    def x(self, block: int, column: float) -> float:
        """Returns the left edge of a column."""
        return round(self.block_left(block) + self.left + column * self.cell, 1)

    def y(self, row: float) -> float:
        """Returns the top edge of a row."""
        return self.top + row * self.row_height

    def heads(self) -> list[Index]:
        """Returns the leading indices of the drawn blocks."""
        return [self._head(block) for block in range(self.drawn[0])]

    def _head(self, block: int) -> Index:
        index: list[int] = []
        for size in reversed(self.layout.shape[:-2]):  # `product` would make a tuple of each axis, however long
            block, place = divmod(block, size)
            index.append(place)
        return tuple(reversed(index))

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
                yield index, self.x(block, column), self.y(row)


def position(layout: Laid, index: Index) -> int:
    """Returns the position of an element in its storage, counted in elements of the tensor's dtype."""
    return layout.offset + sum(i * stride for i, stride in zip(index, layout.strides, strict=True))
