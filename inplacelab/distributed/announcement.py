"""What a rank tells the others: which collective it is about to make, or that it will not make any more."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inplacelab.language import Text

_PACKAGE = str(Path(__file__).parents[1])
_GENERATED = "<inplacelab "


@dataclass(frozen=True, slots=True)
class Announcement:
    """A collective that a rank is about to make. All ranks must announce the same, but for `where`, `refused` and `told`.

    Attributes:
        meeting: how many meetings of the ranks came before.
        number: which collective of the program it is, from 1.
        name: the operation: "all_reduce".
        operands: the shape and dtype of each tensor: "float32[2, 3]".
        options: further arguments on which the ranks must agree: "SUM", "src=0".
        where: the program's file and line: "train.py:12".
        refused: the headline of the reason why this rank cannot make it; empty if it can.
        told: values for the other ranks.
    """

    meeting: int
    number: int
    name: str
    operands: tuple[str, ...]
    options: str
    where: str
    refused: str = ""
    told: Any = field(default=None, compare=False)

    @property
    def agreed(self) -> tuple[object, ...]:
        """What must be the same on all ranks."""
        return self.meeting, self.name, self.operands, self.options

    def __str__(self) -> str:
        arguments = ", ".join((*self.operands, *filter(None, (self.options,))))
        return f"{self.name}({arguments}) at {self.where}"


@dataclass(frozen=True, slots=True)
class Farewell:
    """The last words of a rank.

    Attributes:
        completed: how many meetings, with what followed, it has completed.
        reason: why it goes: "it has finished the program".
    """

    completed: int
    reason: Text


def calls_by_rank(announcements: list[Announcement]) -> str:
    """Returns who announced what, equal calls together: "rank 0: barrier() at a.py:3; ranks 1, 2: ..."."""
    ranks: dict[str, list[int]] = {}
    for rank, each in enumerate(announcements):
        ranks.setdefault(str(each), []).append(rank)
    return "; ".join(
        f"rank{'s' * (len(those) > 1)} {', '.join(map(str, those))}: {call}" for call, those in ranks.items()
    )


def program_line() -> str:
    """Returns the file and line of the program that calls the package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith((_PACKAGE, _GENERATED)):
        frame = frame.f_back
    return f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"
