"""Orders the rows of storages so that there is little blank space above live storages.

A storage keeps its place while it is alive: if storages moved up after another was freed, readers would have to find them again
at every step of a loop. New storages fill the gaps. All lives are known, so rows that become empty early go below rows that last
longer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def order_of_rows(lives: Sequence[tuple[int, int]], rows: Sequence[int], heights: Mapping[int, float]) -> list[int]:
    """Returns the rows from top to bottom. Rows without blank space between them keep their order.

    Args:
        lives: the first and the last step of each storage.
        rows: the row of each.
        heights: the height of each row, in px.

    >>> order_of_rows([(0, 9), (1, 2), (1, 9)], [0, 1, 2], {0: 80, 1: 80, 2: 80})
    [0, 2, 1]
    """
    taken = dict.fromkeys(range(len(heights)), 0)
    for (first, last), row in zip(lives, rows, strict=True):
        # One bit per step, so that rows of thousands of steps are compared in one operation.
        taken[row] |= ((1 << (last - first + 1)) - 1) << first

    def blank(upper: int, lower: int) -> float:
        """Returns how much of `upper`, in px times steps, is blank while `lower` has a live storage."""
        return heights[upper] * (taken[lower] & ~taken[upper]).bit_count()

    order = list(taken)
    for end in range(1, len(order)):
        at = end
        while at and blank(order[at], order[at - 1]) < blank(order[at - 1], order[at]):
            order[at - 1], order[at] = order[at], order[at - 1]
            at -= 1
    return order
