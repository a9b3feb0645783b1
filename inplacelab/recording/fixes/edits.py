"""Changes to the text of a program, small enough to be read out, and exact enough to be made by a machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inplacelab.language import Text

__all__ = ["Edit", "Fix", "applied"]


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Put `text` in place of what stands between two places; lines count from 1, columns from 0 in characters."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """One way to fix a program.

    Attributes:
        says: what to do, as a part of a sentence: "in line 6 write `a = a.relu()`, which makes a new tensor".
        edits: the same as changes to the source; none for advice that leaves a choice to the reader.
    """

    says: Text
    edits: tuple[Edit, ...]

    def apply(self, source: str) -> str:
        """The program, fixed."""
        return applied(source, self.edits)


def applied(source: str, edits: Sequence[Edit]) -> str:
    """The source with these changes, which do not overlap."""
    lines = source.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    for edit in sorted(set(edits), reverse=True):
        first, last = edit.line - 1, edit.end_line - 1
        before = lines[first][: edit.column] if first < len(lines) else ""
        after = lines[last][edit.end_column :] if last < len(lines) else ""
        lines[first : last + 1] = (before + edit.text + after).splitlines(keepends=True)
    return "".join(lines)
