"""What the picture of a launch is made of, and where its parts stand.

From top to bottom: the grid with the picked block, the block with the picked warp, what the thread has to do; then, for each
operand, the 32 threads of the warp, the sectors that hold what they touch, and lines from the ones to the others.
"""

from __future__ import annotations

from functools import lru_cache
from math import floor
from typing import Literal, NamedTuple

from inplacelab_widgets.scene.marks import Words

WIDTH = 800
PAD = 12.0
"""Around the picture."""
LEFT = 76
LANE = 22
ROOM = 32 * LANE
HEAD = 52
"""Where the grid begins: above stand the marks of `fixed`."""
PANELS = 196
PANEL = 168
"""Where the first operand begins, and how high each is."""


Tag = Literal["path", "text"]


class Drawn(NamedTuple):
    """One SVG element while one thread is picked.

    Attributes:
        tag: the SVG element.
        style: names from the style table.
        place: its attributes.
        said: what it says, for a text.
        key: what a click on it picks ("pick:block:3"); "" for nothing.
    """

    tag: Tag
    style: str
    place: dict[str, float | str]
    content: Words | None = None
    key: str = ""


Layers = dict[str, list[Drawn]]
"""Marks by what they are part of, those in front last. The same names are there whatever is picked."""


def text(x: float, y: float, style: str, content: Words) -> Drawn:
    """A line of text."""
    return Drawn("text", f"text {style}".rstrip(), {"x": tenth(x), "y": tenth(y)}, content)


def grouped(number: int) -> str:
    """A number that may be large, as it is read.

    >>> grouped(8192)
    '8,192'
    """
    return f"{number:,}"


def path(d: str, style: str, key: str = "") -> Drawn:
    """A line or shape."""
    return Drawn("path", style, {"d": d}, None, key)


def tenth(value: float) -> float:
    """A coordinate with one decimal."""
    return floor(value * 10 + 0.5) / 10


@lru_cache(maxsize=1 << 14)
def coordinate(value: float) -> str:
    """A coordinate in path notation."""
    rounded = tenth(value)
    return str(int(rounded)) if rounded == int(rounded) else str(rounded)


def box(x: float, y: float, width: float, height: float) -> str:
    """A rectangle in path notation."""
    return f"M{coordinate(x)} {coordinate(y)}h{coordinate(width)}v{coordinate(height)}h{coordinate(-width)}z"


def em(words: str, size: float) -> float:
    """The room that digits and Latin letters need."""
    return len(words) * size * 0.62
