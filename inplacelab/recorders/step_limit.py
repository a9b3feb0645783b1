"""Counts the events that become steps, up to the limit of a recording."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from inplacelab.recorders.events import Event, Missed


class StepLimit:
    """The limit of a recording.

    Args:
        most: the most steps; None for no limit.
        emit: receives an event for each one beyond the limit.

    Attributes:
        counted: how many events were counted.
    """

    def __init__(self, most: int | None, emit: Callable[[Event], None]) -> None:
        self._most, self._emit = inf if most is None else most, emit
        self.counted = 0

    def reached(self) -> bool:
        """Counts an event that becomes a step. Returns whether it is beyond the limit."""
        self.counted += 1
        if self.exceeded:
            self._emit(_MISSED)
        return self.exceeded

    @property
    def exceeded(self) -> bool:
        """Whether events were beyond the limit."""
        return self.counted > self._most


_MISSED = Missed()
"""One for all, since there may be many."""
