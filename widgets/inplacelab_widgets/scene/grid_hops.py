"""Draws the hops along the axes of a grid: how many slots away the next element to the right, below, or in the next block is."""

from __future__ import annotations

from inplacelab_widgets.scene.grid import ARC, COLUMNS_BAND, HEADING, HEIGHT, ROW_LABELS, Grid
from inplacelab_widgets.scene.marks import Look, Mark, between, path, text
from inplacelab_widgets.scene.measure import coordinate, width_of
from inplacelab_widgets.scene.names import axis_letter, hop


def hop_marks(grid: Grid, x: float, y: float, first: int, last: int) -> list[Mark]:
    """Draws the indices and hops of a grid with its top left corner at (x, y), from step `first` to step `last`."""
    blocks, rows, columns = grid.drawn
    if not columns or not rows or not blocks:
        return []
    draw = _Drawing(grid, x, y, first, last)
    if grid.rank:
        draw.columns()
    if grid.rank > 1:
        draw.rows()
    if grid.rank > 2:
        draw.blocks()
    draw.ellipses()
    return draw.marks


class _Drawing:
    def __init__(self, grid: Grid, x: float, y: float, first: int, last: int) -> None:
        self.grid, self.left, self.top, self.first, self.last = grid, x, y, first, last
        self.marks: list[Mark] = []

    def columns(self) -> None:
        """Draws the columns' indices above every block, and the hop from one to the next above the first."""
        grid, letter = self.grid, axis_letter(self.grid.rank - 1)
        blocks, _, columns = grid.drawn
        y = self.top + grid.top - 4
        for block in range(blocks):
            for column in range(columns):
                label = f"{letter}={column}" if not column else str(column)
                self._text(self.left + grid.x(block, column + 0.5), y, "text tiny middle", label)
        a, b, end = (self.left + grid.x(0, at) for at in (0.5, 1.5, columns))
        base = self.top + grid.top - COLUMNS_BAND + 23
        self._hop_text(grid.rank - 1, (a + b) / 2, base - 11, "text middle")
        if hop(grid.layout, grid.rank - 1).startswith("×"):
            start, stop = coordinate(a - grid.cell / 2 + 2), coordinate(end - 2)
            self._wire(f"M{start} {coordinate(base)}v-5H{stop}v5")
        elif columns > 1:
            self._wire(
                f"M{coordinate(a)} {coordinate(base)}Q{coordinate((a + b) / 2)} {coordinate(base - 15)} {coordinate(b - 2)} {coordinate(base - 2)}"
            )
            self._tip(f"M{coordinate(b)} {coordinate(base)}l-7 -1.5l4.5 -5z")

    def rows(self) -> None:
        """Draws the rows' indices beside every block, and the hop from one to the next beside the first."""
        grid, letter = self.grid, axis_letter(self.grid.rank - 2)
        blocks, rows, _ = grid.drawn
        for block in range(blocks):
            for row in range(rows):
                label = f"{letter}={row}" if not row else str(row)
                self._text(
                    self.left + grid.x(block, 0) - 4, self.top + grid.y(row) + HEIGHT / 2 + 3, "text tiny end", label
                )
        x = self.left + grid.x(0, 0) - ROW_LABELS
        a, b, end = (self.top + grid.y(at) for at in (0.5, 1.5, rows))
        self._hop_text(grid.rank - 2, x - ARC - 2, (a + b) / 2 + 4, "text end")
        if hop(grid.layout, grid.rank - 2).startswith("×"):
            self._wire(f"M{coordinate(x)} {coordinate(a - HEIGHT / 2 + 2)}h-5V{coordinate(end - 2)}h5")
        elif rows > 1:
            self._wire(
                f"M{coordinate(x)} {coordinate(a)}Q{coordinate(x - 15)} {coordinate((a + b) / 2)} {coordinate(x - 2)} {coordinate(b - 2)}"
            )
            self._tip(f"M{coordinate(x)} {coordinate(b)}l-6.5 -2.5l5 -4.5z")

    def blocks(self) -> None:
        """Draws the heading of each block, and the hop from the first to the second."""
        grid = self.grid
        y = self.top + HEADING - 11
        for block in range(grid.drawn[0]):
            self._text(self.left + grid.block_left(block), y, "text", grid.heading(block))
        if grid.drawn[0] > 1 and grid.layout.shape[grid.rank - 3] > 1:
            start = self.left + width_of(grid.heading(0)) + 6
            end = self.left + grid.block_left(1) - 4
            self._wire(f"M{coordinate(start)} {coordinate(y - 3.5)}H{coordinate(end - 6)}")
            self._tip(f"M{coordinate(end)} {coordinate(y - 3.5)}l-7 -3.5v7z")
            self._hop_text(grid.rank - 3, (start + end) / 2, y - 7, "text middle")

    def ellipses(self) -> None:
        """Draws dots where elements are left out."""
        grid = self.grid
        blocks, rows, columns = grid.drawn
        if blocks < grid.total[0] or columns < grid.total[2]:
            self._text(self.left + grid.x(blocks - 1, columns) + 4, self.top + grid.y(0) + HEIGHT / 2 + 3, "text", "…")
        if rows < grid.total[1]:
            self._text(self.left + grid.x(0, 0.5), self.top + grid.y(rows) + 9, "text middle", "⋮")

    def _hop_text(self, axis: int, x: float, y: float, style: str) -> None:
        if label := hop(self.grid.layout, axis):
            self._text(x, y, f"{style} bold", label)

    def _text(self, x: float, y: float, style: str, label: str) -> None:
        self.marks.append(text(round(x, 1), round(y, 1), between(self.first, self.last, Look(style, label))))

    def _wire(self, d: str) -> None:
        self.marks.append(path(d, between(self.first, self.last, Look("wire"))))

    def _tip(self, d: str) -> None:
        self.marks.append(path(d, between(self.first, self.last, Look("tip"))))
