"""Quotes lines of a program, with what is said of them underlined."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from inplacelab.language import Text
from inplacelab.recording.sentences.phrases import closed_up


class Quoted(NamedTuple):
    """A line, and what is said of it.

    Attributes:
        line: its number.
        text: its text.
        span: the columns to underline, as (first, one past the last); None for all of it.
        sign: the character that underlines.
        says: what is said.
    """

    line: int
    text: str
    span: tuple[int, int] | None
    sign: str
    says: Text


def quoted(lines: Sequence[Quoted], *, indent: str = "  ") -> Iterator[str]:
    """Yields each line with its remarks below; consecutive remarks about one line share it."""
    gutter = max((len(str(each.line)) for each in lines), default=0)
    shown = None
    for each in lines:
        text = each.text.rstrip()
        if each.line != shown:
            yield f"{indent}{each.line:>{gutter}} | {text}"
            shown = each.line
        left, right = each.span or (len(text) - len(text.lstrip()), len(text))
        blank, sign = " " * _width(text[:left]), each.sign * max(_width(text[left:right]), 1)
        yield f"{indent}{'':>{gutter}} | {blank}{sign} {closed_up(each.says)}"


def _width(text: str) -> int:
    """Returns the columns of a terminal that a text takes."""
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text.expandtabs(4))
