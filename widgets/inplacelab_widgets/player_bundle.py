"""Bundles the player's JavaScript and CSS.

The sources are small modules in `player/`. anywidget loads one module that cannot import files beside it, and an
exported page must fetch nothing, so this module concatenates their text; no bundler is needed. Widgets and pages contain
that text and the style sheet in compressed form.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from inplacelab_widgets.page import unpacking
from inplacelab_widgets.scene.palette import css

MODULES = (
    "steps",
    "places",
    "unpack",
    "dom",
    "notebook",
    "scrolling",
    "linking",
    "lens",
    "hover",
    "layout",
    "panel",
    "keyboard",
    "launch_picker",
    "highlighting",
    "stage",
    "grid_keys",
    "minimap",
    "panes",
    "calls",
    "code",
    "dialog",
    "fixes",
    "share",
    "texts",
    "toolbar",
    "key_steps",
    "help",
    "origins",
    "present",
    "predict",
    "follow",
    "pane_heights",
    "player",
    "widget",
)
"""The modules in order: each comes after those that it imports."""

COMPARISON = ("sides", "comparison_card", "comparison")
"""The modules, and the style sheet of the same name as the last, that play two programs side by side. Other widgets do not carry them."""

STYLES = (
    "frame",
    "toolbar",
    "key_steps",
    "code",
    "calls",
    "panes",
    "minimap",
    "sentence",
    "predict",
    "foot",
    "marks",
    "linking",
    "origins",
    "help",
    "share",
    "follow",
    "wide",
    "present",
    "launch_picker",
    "preferences",
)
"""The style sheets in order: later ones override earlier ones."""

_PLAYER = Path(__file__).parent / "player"
_IMPORT = re.compile(r'^import \{[^}]*\} from "\.[\w./-]+\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)
# Only comments that fill whole lines, and types within a line, so that nothing inside a string is mistaken for one.
_COMMENT = re.compile(
    r"^[ \t]*(?://[^\n]*|/\*.*?\*/)[ \t]*\n|/\*\* @(?:type|param) [^\n]*?\*/ ?", re.MULTILINE | re.DOTALL
)
_CSS_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
# CSS ignores blanks around these, but not around a colon: "a :hover" is not "a:hover".
_CSS_BLANK = re.compile(r"\s*([{};,>])\s*")
_CSS_COLON = re.compile(r"(?<=[{;])([\w-]+): ")
# No string in these sources spans lines, so indentation can be removed.
_BLANK = re.compile(r"\s*\n\s*")

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


@cache
def javascript(*, compares: bool = False) -> str:
    """Returns the player as one ES module without imports. It exports anywidget's `render`, and `play` for a page. With `compares` it also
    plays two programs side by side.

    Comments and indentation are removed.
    """
    return joined(source(name) for name in (*MODULES, *(COMPARISON if compares else ())))


def joined(modules: Iterable[str]) -> str:
    """Joins modules into one without imports. Each must come after those that it imports."""
    return _BLANK.sub("\n", _COMMENT.sub("", _EXPORT.sub("", _IMPORT.sub("", "\n".join(modules))))).lstrip()


@cache
def packed_javascript(*, compares: bool = False) -> str:
    """Returns a module that decompresses the player and its style sheet: what every widget of a notebook contains."""
    return for_anywidget(javascript(compares=compares), stylesheet(compares=compares))


def for_anywidget(module: str, style: str) -> str:
    """Returns a module that decompresses another one and its style sheet, and re-exports its default export."""
    return f"{unpacking(module, style)}{_DRESSED}"


@cache
def stylesheet(*, compares: bool = False) -> str:
    """Returns the player's CSS, without comments and blanks: the styles of the marks, then of the panels around them."""
    names = (*STYLES, *(COMPARISON[-1:] if compares else ()))
    text = "".join((_PLAYER / f"{name}.css").read_text(encoding="utf-8") for name in names)
    return css() + without_comments(text)


def without_comments(text: str) -> str:
    """Returns CSS without comments and blanks, one rule per line."""
    tight = _CSS_COLON.sub(r"\1:", _CSS_BLANK.sub(r"\1", _CSS_COMMENT.sub("", text)))
    return tight.replace("}", "}\n")


def source(name: str) -> str:
    """Returns the source of a module."""
    return (_PLAYER / f"{name}.js").read_text(encoding="utf-8")
