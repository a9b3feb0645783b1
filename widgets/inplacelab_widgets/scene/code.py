"""The learner's code with the line that each step is on."""

from __future__ import annotations

from inplacelab.language import Text
from inplacelab.recording.recording import Recording
from inplacelab_widgets import words
from inplacelab_widgets.scene.marks import Group, Look, Mark, Panel, lasting, rect, runs, text
from inplacelab_widgets.scene.measure import LATIN_EM, NORMAL, shortened, wrapped

LINE_HEIGHT = 18.0
NEIGHBOURS = 2
"""Lines shown before and after a line that stands for itself."""
_DEEPEST = 12
"""Indentation beyond this many blanks is not drawn: there would be no room left for the code."""
_NUMBERS = 3.5 * LATIN_EM * NORMAL


def code_panel(recording: Recording, width: float, around: int | None = None) -> Panel:
    """The code, wrapped to `width` px, for still pictures; the player shows it as a list of lines.

    With `around`, only that line and its neighbours, and the neighbours are cut rather than wrapped.
    """
    marks: list[Mark] = []
    y, last = 0.0, len(recording) - 1
    for line, source in enumerate(source_lines(recording), start=1):
        if around is not None and abs(line - around) > NEIGHBOURS:
            continue
        room = width - _NUMBERS - 12
        pieces = _pieces(source, room) if around in (None, line) else [shortened(source, room, NORMAL)]
        here = [(step.index, step.line == line, step.error is not None) for step in recording.steps]
        band = lasting(runs((index, Look("tint") if on else None) for index, on, _ in here), last)
        bar = lasting(
            runs((index, Look("flag-stale" if bad else "mark-now") if on else None) for index, on, bad in here), last
        )
        height = LINE_HEIGHT * len(pieces)
        marks += [rect(0, y, width, height, band), rect(0, y, 4, height, bar)]
        marks.append(text(round(_NUMBERS, 1), y + 13, ((0, Look("text soft end", str(line))),)))
        for k, piece in enumerate(pieces):
            marks.append(text(round(_NUMBERS + 10, 1), y + 13 + LINE_HEIGHT * k, ((0, Look("text code", piece)),)))
        y += height
    group = Group(0, 0, width, y, 0, last, tuple(marks))
    says = tuple((step.index, _says(step.line)) for step in recording.steps)
    return Panel("code", width, y, (group,), says)


def source_lines(recording: Recording) -> list[str]:
    """The lines of the source, without the blank ones at the end."""
    return [line.expandtabs(4) for line in recording.source.rstrip().split("\n")]


def _pieces(source: str, room: float) -> list[str]:
    """A line of code in pieces that fit; continued pieces hang two characters in from where the line began."""
    code = source.lstrip(" ")
    indent = " " * min(len(source) - len(code), _DEEPEST)
    em = LATIN_EM * NORMAL
    first, *rest = wrapped(code, room - len(indent) * em)
    again = wrapped(code[len(first) :].lstrip(" "), room - (len(indent) + 2) * em) if rest else []
    return [indent + first, *(f"{indent}  {piece}" for piece in again)]


def _says(line: int | None) -> Text:
    return words.LINE.format(line=line) if line is not None else Text("", "")
