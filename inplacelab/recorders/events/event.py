"""The base of all events, and where an event comes from."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Origin:
    """The source of an event.

    Attributes:
        thread: the thread that ran the program, numbered from 0 in the order in which threads were seen.
        rank: the process, in a distributed program.
        observed: True if the framework reported it; False if it was inferred, for instance from changed values in memory.
    """

    thread: int = 0
    rank: int = 0
    observed: bool = True


OBSERVED = Origin()
INFERRED = Origin(observed=False)


@dataclass(slots=True)
class Event:
    """The base of all events, with their origin."""

    origin: Origin = field(default=OBSERVED, kw_only=True)
