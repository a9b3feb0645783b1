"""In which order rows stand that storages share: so that as little as possible is blank above what is alive.

A storage stays where it is as long as it lives: to move up those below one that was freed would make the eye look for them
at every step of a loop. So a gap is closed by whoever is born next, and what remains is put where it disturbs least: since
all lives are known, a row that is soon left for good stands below those that live on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def order_of_rows(lives: Sequence[tuple[int, int]], rows: Sequence[int], heights: Mapping[int, float]) -> list[int]:
    """The rows from top to bottom. Rows that leave each other nothing blank stay in the order in which they came to be.

    Args:
        lives: the first and the last step of each storage.
        rows: the row of each.
        heights: the height of each row, in px.

    >>> order_of_rows([(0, 9), (1, 2), (1, 9)], [0, 1, 2], {0: 80, 1: 80, 2: 80})
    [0, 2, 1]
    """
    taken = dict.fromkeys(range(len(heights)), 0)
    for (first, last), row in zip(lives, rows, strict=True):
        # A bit for each step: rows of thousands of steps are compared at once.
        taken[row] |= ((1 << (last - first + 1)) - 1) << first

    def blank(upper: int, lower: int) -> float:
        """How much of `upper`, in px and steps, is blank above something that is alive in `lower`."""
        return heights[upper] * (taken[lower] & ~taken[upper]).bit_count()

    order = list(taken)
    for end in range(1, len(order)):
        at = end
        while at and blank(order[at], order[at - 1]) < blank(order[at - 1], order[at]):
            order[at - 1], order[at] = order[at], order[at - 1]
            at -= 1
    return order
