"""The cells of a notebook as one program, in which fixes are tried; and what is found there, in terms of the cells."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import groupby
from threading import Event
from typing import Any
from weakref import WeakKeyDictionary

from inplacelab.diagnosis.report import none_works, not_tried
from inplacelab.diagnosis.search_run import search
from inplacelab.diagnosis.trials import NotTriedError
from inplacelab.language import Text
from inplacelab.recording.facts import EditFacts, FixFacts
from inplacelab.recording.fixes import with_fixes
from inplacelab.recording.fixes.difference import diff_of, edits_between
from inplacelab.recording.recording import Recording
from inplacelab.recording.source_tree import applied, source_lines
from inplacelab.supported import framework_named

_BODY = re.compile(r"%%(?:stepper|time|capture|prun)\b[^\n]*\n")
"""The first line of a cell whose other lines run as they stand there."""
_MAGIC = re.compile(r"^(\s*)get_ipython\(\)\..*$", re.MULTILINE)
"""What IPython makes of a line with a magic, which no script can run."""

_LINE, _LINES = Text("line {0}", "第 {0} 行"), Text("lines {0} to {1}", "第 {0} 至 {1} 行")
_OF_CELL = Text("{0} of cell [{1}]", "单元格 [{1}] 的{0}")

failed = WeakKeyDictionary[Any, set[int]]()
"""For a shell, the numbers of the cells that raised an error. A program with one of them would end there, so only the last cell may be among them."""


@dataclass(frozen=True)
class Cell:
    """A cell, by its number, and its text as a part of a program."""

    number: int
    text: str


@dataclass(frozen=True)
class CellLines:
    """Names lines of cells that are one program (see `located.Lines`).

    Attributes:
        begins: for each cell, or each part of one, its first line in the program, the number that this line is counted as, and the number of the
            cell; None for the part that is shown, whose lines are said without it.
    """

    begins: tuple[tuple[int, int, int | None], ...]

    def __call__(self, _: str, first: int, last: int) -> Text:
        begin, counted, cell = [each for each in self.begins if each[0] <= first][
            -1
        ]  # the part that is shown may be the whole cell
        numbers = first - begin + counted, last - begin + counted
        said = (_LINE if first == last else _LINES).format(*numbers)
        return said if cell is None else _OF_CELL.format(said, cell)


class Cells:
    """The cells of a notebook that ran up to one of them.

    Args:
        shell: IPython.
        last: the number of that one; by default of the last that is no magic.
    """

    def __init__(self, shell: Any, last: int | None = None) -> None:
        numbered = [*enumerate(shell.history_manager.input_hist_raw)][: None if last is None else last + 1]
        ran = [(number, text) for number, raw in numbered if (text := _body(raw)).strip()]
        self.raw = ran[-1][1] if ran else ""
        self._cells = [
            Cell(number, _MAGIC.sub(r"\1pass", shell.transform_cell(text)))
            for number, text in ran
            if number == ran[-1][0] or number not in failed.get(shell, ())
        ]

    @property
    def text(self) -> str:
        """All of them as one program."""
        return "".join(each.text for each in self._cells)

    def lines(self, recording: Recording | None = None) -> CellLines:
        """Returns what names their lines.

        Args:
            recording: a recording of the last cell, or of a block in it, whose lines are counted as it counts them.
        """
        begins, line = list[tuple[int, int, int | None]](), 1
        for each in self._cells:
            is_last = each is self._cells[-1]
            begins.append((line, 1, None if len(self._cells) == 1 else each.number))
            if is_last and recording is not None and (block := _Block.of(each.text, recording.source)) is not None:
                begins.append((line + block.first, 1, None))
            line += len(source_lines(each.text))
        return CellLines(tuple(begins))

    def told(self, fix: FixFacts, recording: Recording | None = None) -> FixFacts:
        """Returns a fix of that program with edits of the cells, or of the recording, if it is of the last cell."""
        edits = list[EditFacts]()
        for cell, after in self._changed(fix):
            new = None
            if recording is not None and cell is self._cells[-1] and (block := _Block.of(cell.text, recording.source)):
                new = block.within(after)
            if recording is not None and new is not None:
                new = new if recording.source.endswith("\n") else new.removesuffix("\n")
                edits += edits_between(recording.source, new)
            else:
                edits += (replace(each, file=f"In [{cell.number}]") for each in edits_between(cell.text, after))
        return replace(fix, edits=tuple(edits))

    def diff(self, fix: FixFacts) -> str:
        """Returns what a fix of the program changes, as `diff -u` shows it."""
        return diff_of({f"In [{each.number}]": (each.text, after) for each, after in self._changed(fix)})

    def _changed(self, fix: FixFacts) -> list[tuple[Cell, str]]:
        """Returns the cells that a fix changes, each with its new text."""
        begins, line = list[tuple[int, Cell]](), 1
        for each in self._cells:
            begins.append((line, each))
            line += len(source_lines(each.text))

        def where(edit: EditFacts) -> int:
            return max(k for k, (begin, _) in enumerate(begins) if begin <= edit.line)

        changed = list[tuple[Cell, str]]()
        for k, group in groupby(sorted(fix.edits), key=where):
            begin, cell = begins[k]
            moved = [replace(e, line=e.line - begin + 1, end_line=e.end_line - begin + 1, file="") for e in group]
            changed.append((cell, applied(cell.text, moved)))
        return changed


def _body(raw: str) -> str:
    """Returns the lines of a cell that are a part of the program: none of a cell for another magic, or of a line that is one."""
    body = _BODY.sub("", raw, count=1) if _BODY.match(raw) else raw
    is_magic = all(each.lstrip().startswith(("%", "!")) for each in body.splitlines() if each.strip())
    return "" if body.startswith("%%") or is_magic else body


@dataclass(frozen=True)
class _Block:
    """Lines of a cell that were recorded: `first` to `last`, without the last one, counted from 0, without their common margin."""

    lines: list[str]
    first: int
    last: int
    margin: str

    @classmethod
    def of(cls, cell: str, source: str) -> _Block | None:
        """Finds the recorded lines in a cell."""
        lines = source_lines(cell)
        wanted = [each.strip() for each in source_lines(source.rstrip())]
        stripped = [each.strip() for each in lines]
        at = next((k for k in range(len(lines)) if wanted and stripped[k : k + len(wanted)] == wanted), None)
        if at is None:
            return None
        margin = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
        return cls(lines, at, at + len(wanted), margin)

    def within(self, after: str) -> str | None:
        """Returns the block in the new text of the cell; None if other lines have changed, too."""
        new = source_lines(after)
        below = len(self.lines) - self.last
        last = len(new) - below
        if new[: self.first] != self.lines[: self.first] or (below and new[last:] != self.lines[self.last :]):
            return None
        return "".join(each.removeprefix(self.margin) for each in new[self.first : last])


class CellsAttempt:
    """Tries fixes for a recorded cell when a reader asks for it (see `inplacelab_widgets.stepper.Attempt`).

    Args:
        shell: IPython.
        cell: the number of the cell.
        found: takes the recording with the fixes that work, in place of the recording.
    """

    def __init__(self, shell: Any, cell: int, found: Callable[[Recording, Recording], None]) -> None:
        self._shell, self._cell, self._found = shell, cell, found

    @classmethod
    def of(
        cls, shell: Any, recording: Recording, found: Callable[[Recording, Recording], None] = lambda _, __: None
    ) -> CellsAttempt | None:
        """Returns one for a recording of the last cell that has the recorded lines; None if there is none, or its program cannot be tried here."""
        known = framework_named(recording.framework)
        if sys.platform == "emscripten" or known is None or not known.trial:
            return None
        ran = [*enumerate(map(_body, shell.history_manager.input_hist_raw))]
        cell = next((number for number, text in reversed(ran) if _Block.of(text, recording.source)), None)
        return None if cell is None else cls(shell, cell, found)

    def __call__(self, recording: Recording, tell: Callable[[Text], None], stop: Event) -> Recording | Text:
        """Tries fixes."""
        cells = Cells(self._shell, self._cell)
        try:
            found = search(cells.text, recording.framework, cells.lines(recording), tell=tell, stop=stop)
        except NotTriedError as reason:
            return not_tried(reason.why)
        if not found.fixes:
            return none_works(found.count)
        fixes = tuple(cells.told(each, recording) for each in found.fixes)
        told = with_fixes(recording, fixes)
        self._found(recording, told)
        return told
