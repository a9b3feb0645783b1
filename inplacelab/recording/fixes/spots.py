"""Where a failure happened in the text of the program: plain data, which may come from another process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any


@dataclass(frozen=True, slots=True)
class Spot:
    """An expression or a statement in a file.

    Attributes:
        filename: the file.
        line, end_line: its first and last line, counted from 1.
        column, end_column: where it begins and ends, in bytes, as in Python's syntax trees; -1 if that is unknown.
        op: the operation that ran there; "" if it is not known.
    """

    filename: str
    line: int
    end_line: int
    column: int = -1
    end_column: int = -1
    op: str = ""


@dataclass(frozen=True, slots=True)
class Trail:
    """The spots of one failure.

    Attributes:
        kind: "stale": a value was overwritten; "again": an earlier pass had released it; "silent": it was overwritten unnoticed.
        kept: where the value was kept: the frames of the program, innermost first.
        is_result: whether the operation kept its result.
        writes: where it was overwritten, each with its frames, innermost first.
        views: where the views were made through which that happened.
        needed: where the pass began.
        released: where the earlier pass began, for "again".
    """

    kind: str
    kept: tuple[Spot, ...] = ()
    is_result: bool = False
    writes: tuple[tuple[Spot, ...], ...] = ()
    views: tuple[Spot, ...] = ()
    needed: tuple[Spot, ...] = ()
    released: tuple[Spot, ...] = ()

    def to_data(self) -> dict[str, Any]:
        """Returns the trail as data that JSON can hold."""
        return asdict(self)

    @classmethod
    def of_data(cls, data: Mapping[str, Any]) -> Trail:
        """Returns a trail from such data."""

        def spots(name: str) -> tuple[Spot, ...]:
            return tuple(Spot(**each) for each in data[name])

        return cls(
            data["kind"], spots("kept"), data["is_result"], tuple(tuple(Spot(**each) for each in one) for one in data["writes"]),
            spots("views"), spots("needed"), spots("released"),
        )  # fmt: skip

    def renamed(self, rename: Callable[[str], str]) -> Trail:
        """Returns the trail with other names of its files."""

        def move(spots: tuple[Spot, ...]) -> tuple[Spot, ...]:
            return tuple(replace(each, filename=rename(each.filename)) for each in spots)

        return Trail(
            self.kind, move(self.kept), self.is_result, tuple(map(move, self.writes)), move(self.views), move(self.needed),
            move(self.released),
        )  # fmt: skip
