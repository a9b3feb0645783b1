"""Defines the elements and the layout of a launch's picture.

From top to bottom: the grid with the picked block, the block with the picked warp, the thread's work; then, for each operand, the 32
threads of the warp, the sectors that they access, and lines from threads to sectors.
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
        said: its text, for a text element.
        key: what a click picks ("pick:block:3"); "" for nothing.
    """

    tag: Tag
    style: str
    place: dict[str, float | str]
    said: Words | None = None
    key: str = ""


Layers = dict[str, list[Drawn]]
"""Marks by what they are part of, those in front last. The same names are there whatever is picked."""


def text(x: float, y: float, style: str, said: Words) -> Drawn:
    """Makes a line of text."""
    return Drawn("text", f"text {style}".rstrip(), {"x": tenth(x), "y": tenth(y)}, said)


def grouped(number: int) -> str:
    """Formats a number with thousands separators.

    >>> grouped(8192)
    '8,192'
    """
    return f"{number:,}"


def path(d: str, style: str, key: str = "") -> Drawn:
    """Makes a line or shape."""
    return Drawn("path", style, {"d": d}, None, key)


def tenth(value: float) -> float:
    """Rounds a coordinate to one decimal."""
    return floor(value * 10 + 0.5) / 10


@lru_cache(maxsize=1 << 14)
def coord(value: float) -> str:
    """Formats a coordinate for a path."""
    rounded = tenth(value)
    return str(int(rounded)) if rounded == int(rounded) else str(rounded)


def box(x: float, y: float, width: float, height: float) -> str:
    """Returns the path of a rectangle."""
    return f"M{coord(x)} {coord(y)}h{coord(width)}v{coord(height)}h{coord(-width)}z"


def em(words: str, size: float) -> float:
    """Returns the width of digits and Latin letters."""
    return len(words) * size * 0.62
