"""Decides when a grad node is gone, for frameworks without weak references to their nodes.

It is gone when no known tensor and no known node leads to it any more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable


class NodeReferences:
    """How many known tensors and nodes lead to each node.

    Args:
        gone: called with the number of a node to which nothing leads any more. It returns the nodes to which that one leads.
    """

    def __init__(self, gone: Callable[[int], Iterable[int | None]]) -> None:
        self._gone = gone
        self._counts: dict[int, int] = {}

    def forget(self) -> None:
        """Drops all counts."""
        self._counts.clear()

    def drop(self, number: int) -> None:
        """Drops the count of a node that is gone already."""
        self._counts.pop(number, None)

    def change(self, number: int | None, by: int) -> None:
        """Counts that something more (1) or less (-1) leads to a node. Then nodes may be gone: this one, and those that it alone led to."""
        waiting = [] if number is None else [number]
        while waiting:
            each = waiting.pop()
            self._counts[each] = self._counts.get(each, 0) + by
            if self._counts[each] <= 0:
                by = -1
                del self._counts[each]
                waiting += [following for following in self._gone(each) if following is not None]

    def move(self, before: int | None, now: int | None) -> None:
        """Counts that something leads to another node than before."""
        if before != now:
            self.change(now, 1)
            self.change(before, -1)
