"""The marks that depend on which thread is picked. `drawing.js` makes the same ones, number for number.

From top to bottom: the grid with the picked block, the block with the picked warp, what the thread has to do; then, for each
operand, the 32 threads of the warp, the sectors that hold what they touch, and lines from the ones to the others.
"""

from __future__ import annotations

from math import floor
from typing import NamedTuple

from inplacelab.language import Text
from inplacelab_widgets.scene.marks import Words

WIDTH = 800
LEFT = 76
LANE = 22
ROOM = 32 * LANE
HEAD = 52
"""Where the grid begins: above stand the marks of `fixed`."""
PANELS = 196
PANEL = 168
"""Where the first operand begins, and how high each is."""


class Drawn(NamedTuple):
    """One SVG element: its tag, its styles, its place, and what it says."""

    tag: str
    style: str
    place: dict[str, float | str]
    said: Words | None = None


def text(x: float, y: float, style: str, said: Words) -> Drawn:
    """A line of text."""
    return Drawn("text", f"text {style}".rstrip(), {"x": tenth(x), "y": tenth(y)}, said)


def grouped(number: int) -> str:
    """A number that may be large, as it is read.

    >>> grouped(8192)
    '8,192'
    """
    return f"{number:,}"


def path(d: str, style: str) -> Drawn:
    """A line or shape."""
    return Drawn("path", style, {"d": d})


def tenth(value: float) -> float:
    """A coordinate with one decimal: rounded by the same few operations in both languages."""
    return floor(value * 10 + 0.5) / 10


def said(value: float) -> str:
    """A coordinate as both languages write it."""
    rounded = tenth(value)
    return str(int(rounded)) if rounded == int(rounded) else str(rounded)


def box(x: float, y: float, width: float, height: float) -> str:
    """A rectangle in path notation."""
    return f"M{said(x)} {said(y)}h{said(width)}v{said(height)}h{said(-width)}z"


def em(words: str, size: float) -> float:
    """The room that digits and Latin letters need."""
    return len(words) * size * 0.62


def labelled(key: Text, **facts: object) -> Text:
    """A pattern of `words.PICKED`, filled in."""
    return key.format(**facts)
