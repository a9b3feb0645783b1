"""The JavaScript and CSS of `KernelView`, as text: put together like the player's, with which it shares its tools."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from inplacelab_widgets import player_files

SHARED = ("words", "unpack", "elements", "shortcuts")
"""Modules of the player that are used here too."""
MODULES = (
    "geometry", "pick", "formulas", "drawing", "blocks", "strips", "scene", "tables", "keys", "controls", "player",
)  # fmt: skip
"""The modules in an order in which each stands after those that it imports."""

_HERE = Path(__file__).parent


@cache
def javascript() -> str:
    """One ES module without imports: it exports anywidget's `render`, and `play` for a page."""
    own = [(_HERE / f"{name}.js").read_text(encoding="utf-8") for name in MODULES]
    return player_files.joined([*(player_files.source(name) for name in SHARED), *own])


@cache
def packed_javascript() -> str:
    """The same, and its style sheet, packed."""
    return player_files.for_anywidget(javascript(), stylesheet())


@cache
def stylesheet() -> str:
    """The player's CSS, and what is only here."""
    return player_files.stylesheet() + player_files.without_comments((_HERE / "kernel.css").read_text(encoding="utf-8"))
