"""Reads the player's JavaScript and CSS as esbuild has bundled them (`make bundle`), and packs them.

The sources are small modules in `player/`. anywidget loads one module that cannot import files beside it, and an
exported page must fetch nothing; so the folder `bundled` has all in one, minified, and is committed. Widgets and pages contain
that text and the style sheet in compressed form.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from inplacelab_widgets.page import unpacking
from inplacelab_widgets.scene.palette import css

_BUNDLED = Path(__file__).parent / "bundled"

# anywidget's own style sheet (`_css`) would be sent uncompressed.
_DRESSED = """\
export default {
  ...player,
  render(view) {
    dress(view.el, style, name);
    return player.render(view);
  },
};
"""


def javascript(*, compares: bool = False) -> str:
    """Returns the player as one ES module without imports. Its default export has anywidget's `render`, and `play` for a page. With
    `compares` it also plays two programs side by side.
    """
    return _bundled("comparison.js" if compares else "player.js")


@cache
def stylesheet(*, compares: bool = False) -> str:
    """Returns the player's CSS: the styles of the marks, then of the panels around them."""
    return css() + _bundled("player.css") + (_bundled("comparison.css") if compares else "")


@cache
def packed_javascript(*, compares: bool = False) -> str:
    """Returns a module that decompresses the player and its style sheet: what every widget of a notebook contains."""
    return for_anywidget(javascript(compares=compares), stylesheet(compares=compares))


def packed_view(name: str) -> str:
    """Returns the same for another view, which has a module and a style sheet of that name beside the player's."""
    return for_anywidget(_bundled(f"{name}.js"), stylesheet() + _bundled(f"{name}.css"))


def for_anywidget(module: str, style: str) -> str:
    """Returns a module that decompresses another one and its style sheet, and re-exports its default export."""
    return f"{unpacking(module, style)}{_DRESSED}"


@cache
def _bundled(name: str) -> str:
    return (_BUNDLED / name).read_text(encoding="utf-8")
