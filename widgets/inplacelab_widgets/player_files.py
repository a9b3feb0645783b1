"""The player's JavaScript and CSS, as text."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from inplacelab_widgets.scene.palette import css

_HERE = Path(__file__).parent


@cache
def javascript() -> str:
    """The player: one plain ES module without imports."""
    return (_HERE / "player.js").read_text(encoding="utf-8")


@cache
def stylesheet() -> str:
    """The player's CSS: the colours and styles of the marks, then the panels around them."""
    return css() + (_HERE / "player.css").read_text(encoding="utf-8")
