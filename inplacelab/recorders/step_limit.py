"""Counts the events that become steps, up to the limit of a recording."""

from __future__ import annotations

from math import inf


class StepLimit:
    """The limit of a recording.

    Args:
        most: the most steps; None for no limit.

    Attributes:
        counted: how many events were counted.
    """

    def __init__(self, most: int | None) -> None:
        self._most = inf if most is None else most
        self.counted = 0

    def reached(self) -> bool:
        """Counts an event that becomes a step. Returns whether it is beyond the limit."""
        self.counted += 1
        return self.counted > self._most

    @property
    def exceeded(self) -> bool:
        """Whether events were beyond the limit."""
        return self.counted > self._most

    @property
    def missed(self) -> int:
        """The number of events beyond the limit."""
        return int(max(self.counted - self._most, 0))
