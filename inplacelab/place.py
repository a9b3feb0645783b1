"""A place in a program: what a recorder reports, and a recording keeps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

__all__ = ["MOST_CALLS", "Place", "same_line", "same_source"]

MOST_CALLS = 64
"""The most places in a chain of calls: of a deeper recursion, the calls in the middle are left out."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a program was: a line of one of its sources, the function that it is in, and the call that led there."""

    line: int
    """The line of the source, from 1."""
    source: int = field(default=0, metadata={"left_out": True})
    """The number of the source; 0 for the program that was started."""
    function: str = field(default="", metadata={"left_out": True})
    """The function: "Block.forward"; "" outside functions."""
    owner: str = field(default="", metadata={"left_out": True})
    """What the program calls the object whose method it is: "net.layers.3"; "" if it has no name."""
    called_from: Place | None = field(default=None, metadata={"left_out": True})
    """Where the program called this function; None in the outermost one. Calls by libraries in between are left out."""
    skipped: int = field(default=0, metadata={"left_out": True})
    """How many calls between this place and `called_from` are left out, because there are so many."""

    @property
    def calls(self) -> Iterator[Place]:
        """Yields this place and those that it was called from, innermost first."""
        place: Place | None = self
        while place is not None:
            yield place
            place = place.called_from

    @property
    def depth(self) -> int:
        """How many functions of the program run: 1 outside its functions."""
        return sum(1 + each.skipped for each in self.calls)


def same_line(one: Place | None, other: Place | None) -> bool:
    """Whether two places are on the same line of the same source, from wherever it was called."""
    return one is other or (
        one is not None and other is not None and (one.source, one.line) == (other.source, other.line)
    )


def same_source(one: Place | None, other: Place | None) -> bool:
    """Whether two places are in the same source."""
    return one is not None and other is not None and one.source == other.source
