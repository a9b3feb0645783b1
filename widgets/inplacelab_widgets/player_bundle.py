"""The player's JavaScript and CSS, as text.

The sources are small modules in `player/`. anywidget loads one module that cannot import files beside it, and an
exported page must fetch nothing, so the modules are put together here: no bundler, only their text one after the other.
Both carry that text packed, and the style sheet with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from inplacelab_widgets.packing import unpacking
from inplacelab_widgets.scene.palette import css

MODULES = (
    "runs",
    "words",
    "unpack",
    "elements",
    "shortcuts",
    "sight",
    "linking",
    "numbers",
    "lens",
    "reading",
    "shelf",
    "axis",
    "motion",
    "panel",
    "keyboard",
    "picks",
    "things",
    "stage",
    "grid_keys",
    "minimap",
    "unfold",
    "panes",
    "code",
    "sentence",
    "readout",
    "tables",
    "pace",
    "toolbar",
    "dialog",
    "help",
    "keepers",
    "present",
    "predict",
    "follow",
    "room",
    "player",
    "widget",
)
"""The modules in an order in which each stands after those that it imports."""

STYLES = (
    "frame",
    "toolbar",
    "code",
    "panes",
    "minimap",
    "sentence",
    "predict",
    "foot",
    "marks",
    "linking",
    "help",
    "follow",
    "wide",
    "present",
    "picks",
    "preferences",
)
"""The style sheets in order: later ones override earlier ones."""

_PLAYER = Path(__file__).parent / "player"
_IMPORT = re.compile(r'^import \{[^}]*\} from "\.[\w./-]+\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)
# Only comments that fill whole lines, so that nothing inside a string can be taken for one.
_COMMENT = re.compile(r"^[ \t]*(?://[^\n]*|/\*.*?\*/)[ \t]*\n", re.MULTILINE | re.DOTALL)
_CSS_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
# Around these, blanks mean nothing in CSS; around a colon they do: "a :hover" is not "a:hover".
_CSS_BLANK = re.compile(r"\s*([{};,>])\s*")
_CSS_COLON = re.compile(r"(?<=[{;])([\w-]+): ")
# No string of ours goes on over a line's end, so that what a line begins with means nothing.
_BLANK = re.compile(r"\s*\n\s*")

# A sheet of anywidget's own (`_css`) would travel as it is written.
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
def javascript() -> str:
    """The player as one ES module without imports: it exports anywidget's `render`, and `play` for a page.

    Comments and indentation stay in the sources.
    """
    return joined(source(name) for name in MODULES)


def joined(modules: Iterable[str]) -> str:
    """Modules as one without imports. They stand in an order in which each comes after those that it imports."""
    return _BLANK.sub("\n", _COMMENT.sub("", _EXPORT.sub("", _IMPORT.sub("", "\n".join(modules))))).lstrip()


@cache
def packed_javascript() -> str:
    """The same, and its style sheet, as a module that unpacks both: all of the player that every widget of a notebook carries."""
    return for_anywidget(javascript(), stylesheet())


def for_anywidget(module: str, style: str) -> str:
    """A module that unpacks another one and its style sheet, and exports what that exports by default."""
    return f"{unpacking(module, style)}{_DRESSED}"


@cache
def stylesheet() -> str:
    """The player's CSS: the colours and styles of the marks, then the panels around them. Comments and blanks stay in the sources."""
    text = "".join((_PLAYER / f"{name}.css").read_text(encoding="utf-8") for name in STYLES)
    return css() + without_comments(text)


def without_comments(text: str) -> str:
    """CSS as it is sent: a rule a line."""
    tight = _CSS_COLON.sub(r"\1:", _CSS_BLANK.sub(r"\1", _CSS_COMMENT.sub("", text)))
    return tight.replace("}", "}\n")


def source(name: str) -> str:
    """One of `MODULES` as it is written."""
    return (_PLAYER / f"{name}.js").read_text(encoding="utf-8")
