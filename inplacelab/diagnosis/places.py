"""Tells where a program is: the frames of its own code on the stack, without those of libraries."""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import CodeType, FrameType

from inplacelab.recorders.own_code import OWNS, is_own
from inplacelab.recorders.program import RELAY
from inplacelab.recording.facts import SiteFacts, Sites

DEEPEST = 32
"""So many frames of a place are kept, innermost first: a recursive program has no end of places otherwise."""


@dataclass(frozen=True, slots=True)
class Site:
    """One frame of a place.

    Attributes:
        code: the code that it runs.
        instruction: the offset of its instruction.
    """

    code: CodeType
    instruction: int

    @property
    def filename(self) -> str:
        """The file."""
        return self.code.co_filename

    @property
    def function(self) -> str:
        """The function's name; "" for a module."""
        name = self.code.co_qualname
        return "" if name == "<module>" else name.replace("<locals>.", "")

    @property
    def line(self) -> int:
        """The line, counted from 1."""
        return self.position[0] or self.code.co_firstlineno

    @property
    def text(self) -> str:
        """The text of the line; "" if the file cannot be read."""
        return linecache.getline(self.filename, self.line).rstrip("\n")

    @property
    def facts(self) -> SiteFacts:
        """The same as plain data."""
        line, last, left, right = self.position
        columns = (-1, -1) if None in (line, last, left, right) else (left or 0, right or 0)
        return SiteFacts(self.filename, self.line, last or self.line, *columns, self.text, self.function)

    @property
    def position(self) -> tuple[int | None, int | None, int | None, int | None]:
        """Its first and last line, and its first column and the one after its last, in bytes; None for what is not known."""
        return _positions(self.code)[self.instruction // 2]


@lru_cache(maxsize=64)
def _positions(code: CodeType) -> list[tuple[int | None, int | None, int | None, int | None]]:
    return list(code.co_positions())


@dataclass(frozen=True, eq=False)
class Place:
    """Where the program was.

    Attributes:
        sites: its frames, innermost first.
    """

    sites: tuple[Site, ...]

    @cached_property
    def facts(self) -> Sites:
        """The same as plain data."""
        return tuple(each.facts for each in self.sites)

    def outside(self, code: CodeType) -> Place:
        """Returns the place from which the outermost call of a function came; itself if the function is not on the stack."""
        calls = [k for k, site in enumerate(self.sites) if site.code is code]
        return Place(self.sites[calls[-1] + 1 :]) if calls and calls[-1] + 1 < len(self.sites) else self


class Places:
    """Finds places. The same place is the same object, so that a program that runs for hours has few of them."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, ...], Place] = {}

    def of(self, frame: FrameType | None) -> Place | None:
        """Returns the program's place in a frame and those that have called it; None if none runs the program's code."""
        key: list[int] = []
        innermost, owns = frame, OWNS.get
        while frame is not None:  # this runs at every operation
            code = frame.f_code
            own = owns(code.co_filename)
            if (is_own(code.co_filename) if own is None else own) and code.co_name != RELAY:
                key += (id(code), frame.f_lasti)
            frame = frame.f_back
        if not key:
            return None
        del key[2 * DEEPEST :]
        known = self._known.get(tuple(key))
        if known is None:
            known = self._known[tuple(key)] = Place(_sites(innermost))  # which keeps the code, and so its address
        return known


def _sites(frame: FrameType | None) -> tuple[Site, ...]:
    return tuple(Site(each.f_code, each.f_lasti) for each in own_frames(frame))[:DEEPEST]


def own_frames(frame: FrameType | None) -> Iterator[FrameType]:
    """Yields the frames of the program's code: a frame and those that have called it."""
    while frame is not None:
        if is_own(frame.f_code.co_filename) and frame.f_code.co_name != RELAY:
            yield frame
        frame = frame.f_back
