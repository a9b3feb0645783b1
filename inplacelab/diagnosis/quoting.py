"""Quotes lines of a program, with what is said of them underlined, in color on a terminal."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import TextIO

from inplacelab.recording.sentences.failures import Mark
from inplacelab.recording.sentences.phrases import closed_up

_SIGNS = {"overwritten": "~", "released": "~"}
"""The characters that underline; all others are `^`."""

Paint = Callable[[str, str], str]
"""Gives a text the color of what it is: a role, "file", "added" or "removed"."""

_CODES = {
    "kept": "36", "overwritten": "31", "released": "31", "read": "35", "needed": "35", "refused": "31", "file": "1", "added": "32", "removed": "31",
}  # fmt: skip
"""How ANSI terminals are told a color: a write is red, what it concerns is cyan, and what then fails is magenta."""


def plain(text: str, _: str) -> str:
    """Returns a text as it is (a `Paint`)."""
    return text


def paint_for(stream: TextIO | None) -> Paint:
    """Returns what colors texts for a stream: if it is a terminal that can, and `NO_COLOR` is not set.

    Not `FORCE_COLOR`: Jupyter's kernels set it, and a program that reads our output there would find escape sequences in it.
    """
    can = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return _colored if can and stream is not None and not stream.closed and stream.isatty() else plain


def _colored(text: str, what: str) -> str:
    return f"\x1b[{_CODES[what]}m{text}\x1b[0m" if text else text


def quoted(lines: Sequence[Mark], *, indent: str = "  ", paint: Paint = plain) -> Iterator[str]:
    """Yields each line with its remarks below; consecutive remarks about one line share it."""
    gutter = max((len(str(each.line)) for each in lines), default=0)
    shown = None
    for each in lines:
        text = each.at.text.rstrip()
        if each.line != shown:
            yield f"{indent}{each.line:>{gutter}} | {text}"
            shown = each.line
        left, right = each.at.span or (len(text) - len(text.lstrip()), len(text))
        blank, sign = " " * _width(text[:left]), _SIGNS.get(each.role, "^") * max(_width(text[left:right]), 1)
        yield f"{indent}{'':>{gutter}} | {blank}{paint(f'{sign} {closed_up(each.says)}', each.role)}"


def painted_diff(diff: str, paint: Paint) -> str:
    """Returns a diff with its lines in the colors of what they do."""
    return "\n".join(paint(line, _in_diff(line)) if _in_diff(line) else line for line in diff.split("\n"))


def _in_diff(line: str) -> str:
    if line.startswith(("--- ", "+++ ")):
        return "file"
    return {"+": "added", "-": "removed"}.get(line[:1], "")


def _width(text: str) -> int:
    """Returns the columns of a terminal that a text takes."""
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text.expandtabs(4))
