"""Draws the code at one step, for still pictures: the running line, and notes at the lines of a stale value's trace."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from inplacelab.language import Text
from inplacelab.recording.recording import Recording
from inplacelab.recording.sentences.failures import Mark as MarkedPlace
from inplacelab.recording.trace import trace
from inplacelab_widgets import words
from inplacelab_widgets.scene.marks import Group, Look, Mark, Panel, always, rect, text
from inplacelab_widgets.scene.measure import LATIN_EM, NORMAL, shortened, width_of

LINE_HEIGHT = 18.0
NEIGHBORS = 2
"""The number of lines shown before and after the line of the step."""
_DEEPEST = 12
"""Deeper indentation than this many blanks is not drawn, to leave room for the code."""
_NUMBERS = 3.5 * LATIN_EM * NORMAL
_DOTS = 26.0
"""The right edge of the dots for omitted lines: under the line numbers."""
_AIR = 6.0
"""The space on both sides of a note, in px."""

LOOKS = {
    "kept": "kept", "read": "kept", "overwritten": "written", "released": "written", "needed": "refused", "refused": "refused",
}  # fmt: skip
"""How the player names the looks of the roles in the trace."""
_SIGNS = {"kept": ("▼ ", "pin stale"), "written": ("", "pill changed"), "refused": ("✗ ", "pin blamed")}
"""The sign before a note, and the style of its box, for each look."""


MOST_LINES = 2000
"""The most lines drawn one below the other in a still picture."""
MOST_IN_LINE = 2000
"""The most characters drawn of a line."""


def code_panel(recording: Recording, width: float, step: int, *, near: bool = False) -> Panel:
    """Returns the code at `step`, wrapped to `width` px. The player shows the code as a list of lines instead.

    With `near`, and for a program of more than `MOST_LINES` lines, only the line of the step, its neighbors and the lines of the trace are drawn, with dots for omitted lines.
    All lines but the step's own are then cut to one row.
    """
    now, source, marked = recording.steps[step], source_lines(recording), trace(recording, step)
    near = near or len(source) > MOST_LINES
    line = max(1, min(now.line or 1, len(source))) if near else now.line
    shown = _near(line or 1, len(source), marked) if near else range(1, len(source) + 1)
    here = Look("flag-stale" if now.error else "mark-now")
    column, room = _Column(width), width - _NUMBERS - 12
    for before, number in zip([0, *shown], shown, strict=False):
        if number > before + 1:
            column.dots()
        whole, text_of = number == line or not near, source[number - 1]
        pieces = _pieces(text_of[:MOST_IN_LINE], room) if whole else [shortened(text_of, room, NORMAL)]
        here_marked = [each for each in marked if each.line == number]
        column.line(number, pieces, here_marked, here if number == now.line else None)
    if shown[-1] < len(source):
        column.dots()
    says = words.LINE.format(line=now.line) if now.line is not None else Text("", "")
    group = Group(0, 0, width, column.y, 0, len(recording) - 1, tuple(column.marks))
    return Panel("code", width, column.y, (group,), ((0, says),))


def source_lines(recording: Recording) -> list[str]:
    """Returns the lines of the source, without blank ones at the end."""
    return [line.expandtabs(4) for line in recording.source.rstrip().split("\n")]


def _near(line: int, last: int, marked: Iterable[MarkedPlace]) -> list[int]:
    close = range(max(line - NEIGHBORS, 1), min(line + NEIGHBORS, last) + 1)
    return sorted({*close, *(each.line for each in marked if each.line <= last)})


class _Column:
    """Lines of code, one below the other, as marks."""

    def __init__(self, width: float) -> None:
        self.width, self.y = width, 0.0
        self.marks: list[Mark] = []

    def dots(self) -> None:
        """Draws dots for omitted lines."""
        self._text(_DOTS, "text soft end", "⋮")
        self.y += LINE_HEIGHT

    def line(self, number: int, pieces: list[str], marked: Sequence[MarkedPlace], here: Look | None) -> None:
        """Draws a line in as many rows as it needs; `here` is its look if it is running."""
        top, band = self.y, len(self.marks)
        self._text(_NUMBERS, "text soft end", str(number))
        for piece in pieces:
            self._text(_NUMBERS + 10, "text code", piece)
            self.y += LINE_HEIGHT
        self._draw_notes(marked, top, _NUMBERS + 10 + width_of(pieces[0], NORMAL))
        if here is not None:
            height = self.y - top
            ground = [rect(0, top, self.width, height, always(Look("tint"))), rect(0, top, 4, height, always(here))]
            self.marks[band:band] = ground

    def _draw_notes(self, marked: Sequence[MarkedPlace], row: float, code_ends: float) -> None:
        """Draws the notes of a line, on the right of its first row, or below its last one if there is no room."""
        if not marked:
            return
        for some in [marked] if sum(map(_wide, marked)) <= self.width else [[each] for each in marked]:
            x = self.width - sum(map(_wide, some)) + _AIR
            if x < code_ends + _AIR:
                row, code_ends = self.y, 0.0
                self.y += LINE_HEIGHT
            for each in some:
                sign, box = _SIGNS[LOOKS[each.role]]
                wide = _wide(each) - _AIR
                self.marks.append(rect(x, row + 1.5, wide, LINE_HEIGHT - 3, always(Look(box)), 7))
                self.marks.append(text(x + _AIR, row + 13, always(Look("text", Text(sign, sign) + each.brief))))
                x += _wide(each)
            code_ends = self.width  # the next note gets its own row

    def _text(self, x: float, style: str, content: str) -> None:
        self.marks.append(text(round(x, 1), self.y + 13, always(Look(style, content))))


def _wide(marked: MarkedPlace) -> float:
    """The width of a note and the space after it, in px."""
    return width_of(Text(_SIGNS[LOOKS[marked.role]][0], "") + marked.brief) + 3 * _AIR


def _pieces(source: str, room: float) -> list[str]:
    """A line of code in pieces that fit; continued pieces are indented by two more characters."""
    code = source.lstrip(" ")
    indent = " " * min(len(source) - len(code), _DEEPEST)
    em = LATIN_EM * NORMAL
    first = _head(code, room - len(indent) * em)
    pieces, rest = [indent + first.rstrip()], code[len(first) :].lstrip(" ")
    while rest:
        head = _head(rest, room - (len(indent) + 2) * em)
        pieces.append(f"{indent}  {head.rstrip()}")
        rest = rest[len(head) :].lstrip(" ")
    return pieces


def _head(code: str, room: float) -> str:
    """As much of a line of code as fits, with a whole word at its end: cut after a blank, a comma or an opening bracket, or else before a dot.
    Only a word that is longer than a row is cut itself.

    >>> _head("x.scale_(other_name, 2.)", 165.0), _head("x.detach().add_(1)", 90.0), _head("a_long_name", 50.0)
    ('x.scale_(other_name, ', 'x.detach()', 'a_lon')
    """
    whole = code if width_of(code, NORMAL) <= room else shortened(code, room, NORMAL)[:-1] or code[0]
    if whole == code:
        return code
    ends = [k for k in range(1, len(whole) + 1) if code[k - 1] in " ,([{" and code[k] not in " )]}"]
    dots = [k for k in range(1, len(whole) + 1) if code[k] == "." and not code[k - 1].isdigit()]
    return whole[: max(ends or dots or [len(whole)])]
