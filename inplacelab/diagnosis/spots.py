"""Where a failure happened in the text of the program: plain data, which may come from another process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from inplacelab.diagnosis.failures import Failure
from inplacelab.diagnosis.places import Place


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
        kind: as in `Failure`.
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


def trail_of(failure: Failure) -> Trail:
    """Returns the spots of a failure, for the first of what it may have been."""
    saved = failure.saved[0] if failure.saved else None
    if saved is None:
        return Trail(failure.kind, needed=_spots(failure.needed), released=_spots(failure.released))
    writes = dict.fromkeys(_spots(each.write.place, each.write.op) for each in saved.writes)
    views = dict.fromkeys(spot for each in saved.writes for spot in _spots(each.made)[:1])
    return Trail(
        failure.kind, _spots(saved.place, saved.op), saved.is_result, tuple(each for each in writes if each), tuple(views),
        _spots(failure.needed), _spots(failure.released),
    )  # fmt: skip


def _spots(place: Place | None, op: str = "") -> tuple[Spot, ...]:
    found = []
    for number, site in enumerate(() if place is None else place.sites):
        line, end_line, column, end_column = site.position
        known = line is not None and end_line is not None and column is not None and end_column is not None
        where = (line or site.line, end_line or site.line, *((column or 0, end_column or 0) if known else (-1, -1)))
        found.append(Spot(site.filename, *where, op if number == 0 else ""))
    return tuple(found)
