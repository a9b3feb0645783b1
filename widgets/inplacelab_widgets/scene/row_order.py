"""Orders the rows that storages share, so that there is little blank space above live storages.

A storage keeps its place while it lives: if storages moved up whenever one above them was freed, a reader would have to
find them again at every step of a loop. A gap is filled by the next storage that is made. All lives are known, so a row that
is soon empty for good is put below those that are used longer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def order_of_rows(lives: Sequence[tuple[int, int]], rows: Sequence[int], heights: Mapping[int, float]) -> list[int]:
    """Returns the rows from top to bottom. Rows that cause no blank space keep the order in which they were made.

    Args:
        lives: the first and the last step of each storage.
        rows: the row of each storage.
        heights: the height of each row, in px.

    >>> order_of_rows([(0, 9), (1, 2), (1, 9)], [0, 1, 2], {0: 80, 1: 80, 2: 80})
    [0, 2, 1]
    """
    taken = dict.fromkeys(range(len(heights)), 0)
    for (first, last), row in zip(lives, rows, strict=True):
        # One bit per step: rows of thousands of steps are compared in one operation.
        taken[row] |= ((1 << (last - first + 1)) - 1) << first

    def blank(upper: int, lower: int) -> float:
        """Returns the blank space in `upper` above live storages in `lower`, in px times steps."""
        return heights[upper] * (taken[lower] & ~taken[upper]).bit_count()

    order = list(taken)
    for end in range(1, len(order)):
        at = end
        while at and blank(order[at], order[at - 1]) < blank(order[at - 1], order[at]):
            order[at - 1], order[at] = order[at], order[at - 1]
            at -= 1
    return order
