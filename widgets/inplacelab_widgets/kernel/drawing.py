"""The elements of the picture of a launch, and the positions of its parts.

From top to bottom: the grid with the picked block, the block with the picked warp, the sentence about the thread; then, for each
operand, the 32 threads of the warp, the sectors that they touch, and lines from threads to slots.
"""

from __future__ import annotations

from functools import lru_cache
from math import floor
from typing import Literal, NamedTuple

from inplacelab_widgets.scene.text_layout import Words

WIDTH = 800
PAD = 12.0
"""The margin around the picture, in px."""
LEFT = 76
LANE = 22
ROOM = 32 * LANE
HEAD = 52
"""The y at which the grid begins: above are the fixed marks."""
PANELS = 196
PANEL = 168
"""The y at which the first operand begins, and the height of each."""


Tag = Literal["path", "text"]


class Drawn(NamedTuple):
    """One SVG element, while a given thread is picked.

    Attributes:
        tag: the SVG element.
        style: names from the style table.
        place: its attributes.
        content: the words of a text.
        key: what a click on it picks ("pick:block:3"); "" for nothing.
    """

    tag: Tag
    style: str
    place: dict[str, float | str]
    content: Words | None = None
    key: str = ""


Layers = dict[str, list[Drawn]]
"""Marks by the name of their layer, the front layer last. The names do not depend on the pick."""


def text(x: float, y: float, style: str, content: Words) -> Drawn:
    """Makes a line of text."""
    return Drawn("text", f"text {style}".rstrip(), {"x": tenth(x), "y": tenth(y)}, content)


def grouped(number: int) -> str:
    """Returns a number with its digits in groups of three.

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
def coordinate(value: float) -> str:
    """Formats a coordinate for a path."""
    rounded = tenth(value)
    return str(int(rounded)) if rounded == int(rounded) else str(rounded)


def box(x: float, y: float, width: float, height: float) -> str:
    """Returns the path of a rectangle."""
    return f"M{coordinate(x)} {coordinate(y)}h{coordinate(width)}v{coordinate(height)}h{coordinate(-width)}z"


def em(words: str, size: float) -> float:
    """Returns the width that digits and Latin letters need, in px."""
    return len(words) * size * 0.62
