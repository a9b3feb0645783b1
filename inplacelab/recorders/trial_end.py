"""Where a trial of a fix ends: a training loop would run for hours once its bug is fixed.

A trial ends when the backward pass that fails in the original has succeeded, the next pass from the same place, one step of the loop later, has
succeeded, too, and the first pass of another step would begin. So whole steps are compared, and all that the program does in the step after the
failure has its effect, even if an edit changes the order of the passes in a step. The reference finds out how many passes that are; the trials then
end after as many.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from inplacelab.recorders.own_code import is_own

_Place = tuple[tuple[str, int], ...]
"""The lines of the program that run, innermost first."""
MOST = 16
"""A trial ends at the latest after so many more passes: they may all begin at other places."""


@dataclass(frozen=True)
class End:
    """When a run ends early. Passes that run inside another one are not counted.

    Attributes:
        failing: the number of the pass that fails in the original, from 1 on; 0 if that is not known, or if `passes` is.
        passes: after so many passes; 0 if that is not known: then a run with `failing` finds it out, and any other goes on to the program's end.
    """

    failing: int = 0
    passes: int = 0


@dataclass(frozen=True)
class Reached:
    """How far a run came.

    Attributes:
        passes: how many passes began.
        failed: whether the last of them failed.
        early: whether the run was ended before the program would have.
    """

    passes: int = 0
    failed: bool = False
    early: bool = False

    @property
    def failing(self) -> int:
        """The number of the pass that failed, or that the error came before."""
        return self.passes + (not self.failed)


class EndOfTrial(BaseException):
    """Raised in a program to end a trial. It is no `Exception`, so that few programs handle it."""


class Passes:
    """Counts the backward passes of a run, and ends it.

    Args:
        end: when.

    Attributes:
        early: whether it was ended.
    """

    def __init__(self, end: End) -> None:
        self._failing, self._last = end.failing, end.passes
        self._count, self._depth, self._failed, self.early = 0, 0, False, False
        self._seen: set[_Place] = set()
        self._first: _Place | None = (
            None  # where the first pass of a step begins: no pass had begun before from a place where another one had
        )
        self._place: _Place = ()  # where the failing pass began
        self._came_back = False  # whether another pass has begun there since

    @property
    def reached(self) -> Reached:
        """How far the run came."""
        return Reached(self._count, self._failed, self.early)

    @contextmanager
    def one(self, frame: FrameType | None) -> Iterator[None]:
        """Counts the pass that runs inside a `with` block.

        Args:
            frame: where it began.

        Raises:
            EndOfTrial: if the run ends here.
        """
        self.begins(frame)
        try:
            yield
        except BaseException:
            self.ends(failed=True)
            raise
        self.ends()

    def begins(self, frame: FrameType | None) -> None:
        """Counts a pass, which ends with `ends`; see `one`."""
        if self._depth:
            self._depth += 1
            return
        ends = self._count >= self._last if self._last else self._failing and self._has_whole_step(_place(frame))
        if self.early or ends:
            self.early = True  # also if the program goes on
            raise EndOfTrial
        self._depth, self._failed = 1, False
        self._count += 1

    def _has_whole_step(self, place: _Place) -> bool:
        """Notes that a pass begins at a place. Returns whether the step after the failure has ended before it."""
        if self._first is None and place in self._seen:
            self._first = place
        self._seen.add(place)
        after = self._count + 1 - self._failing
        if after == 0:
            self._place = place
        elif after > 0:
            if self._came_back and place == self._first:
                return True
            self._came_back = self._came_back or place == self._place
        return after > MOST

    def ends(self, *, failed: bool = False) -> None:
        """Notes that the pass that began last has ended."""
        self._depth -= 1
        self._failed = failed


def _place(frame: FrameType | None) -> _Place:
    """Returns the lines of the program that run, innermost first."""
    found = []
    while frame is not None:
        if is_own(frame.f_code.co_filename):
            found.append((frame.f_code.co_filename, frame.f_lineno))
        frame = frame.f_back
    return tuple(found)
