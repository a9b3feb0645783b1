"""Where a failure happened in the text of the program, and what is known of the tensors there: plain data, which may come from another process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from inplacelab.recording.facts import EditFacts


@dataclass(frozen=True, slots=True)
class Spot:
    """An expression or a statement in a file, and the tensor that it kept, wrote or viewed.

    Attributes:
        filename: the file.
        line, end_line: its first and last line, counted from 1.
        column, end_column: where it begins and ends, in bytes, as in Python's syntax trees; -1 if that is unknown.
        op: the operation that ran there; "" if it is not known.
        names: the program's names for the tensor that was kept or written, or for the view that was made: those that are known. Of an update,
            the names of all tensors that it wrote.
        bytes: how many bytes that tensor has, or the one that was viewed; 0 if that is not known.
        alone: whether a write to it may go elsewhere: it is known that no other name of the program sees that.
        updates: whether the write was an update of a parameter: an optimizer's, or one under `no_grad`.
        named: whether the operation was called for that tensor by name: not inside another call, nor by a backward pass.
    """

    filename: str
    line: int
    end_line: int
    column: int = -1
    end_column: int = -1
    op: str = ""
    names: tuple[str, ...] = ()
    bytes: int = 0
    alone: bool = False
    updates: bool = False
    named: bool = True


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

    def renamed(self, rename: Callable[[str], str]) -> Trail:
        """Returns the trail with other names of its files."""
        return self._changed(lambda each: replace(each, filename=rename(each.filename)))

    def before(self, edits: Sequence[EditFacts]) -> Trail | None:
        """Returns a trail in an edited program as one in the original; None if nothing is left of it that could be edited."""
        moved = self._changed(lambda each: _before(each, edits))
        return moved if moved.writes or moved.kept or moved.released else None

    def _changed(self, change: Callable[[Spot], Spot | None]) -> Trail:
        def of(spots: Iterable[Spot]) -> tuple[Spot, ...]:
            return tuple(each for each in map(change, spots) if each is not None)

        writes = tuple(found for each in self.writes if (found := of(each)))
        return replace(
            self, kept=of(self.kept), writes=writes, views=of(self.views), needed=of(self.needed), released=of(self.released)
        )  # fmt: skip


def _before(spot: Spot, edits: Sequence[EditFacts]) -> Spot | None:
    """Returns where a spot of an edited program was before; None if its line was edited, or is new."""
    shift = 0
    for edit in sorted(each for each in edits if each.file == spot.filename):
        more = edit.text.count("\n")
        line = edit.line + shift
        if line + more < spot.line or (edit.column == edit.end_column == 0 and line + more <= spot.line):
            shift += more - (edit.end_line - edit.line)
        elif line <= spot.line:
            return None
    return replace(spot, line=spot.line - shift, end_line=spot.end_line - shift)
