"""Pictures of a recording: the stepper for notebooks, and the same pictures as SVG, HTML and text.

>>> from inplacelab_widgets import Stepper, to_html, to_svg, to_text  # doctest: +SKIP

`Stepper`, the views of its panels, `ListView` and `QuestionView` need Jupyter and are imported on first use; the others need only
`inplacelab`.

**Python draws, the browser plays.** A scene (`scene/`) is laid out once over all steps: coordinates, marks, and for each step
which marks are on and how they look. The widget, the static picture, the page and the text all come from that scene, so they
cannot differ, and nothing jumps while stepping. The JavaScript (`player/`) switches attributes and moves the focus; it is plain
ES modules and fetches nothing.

**What is seen first is made first.** A scene makes a panel, a sentence, or the marks of a storage when it is first looked at. A widget
carries the first picture only: the step at which it opens, in the layout of the whole (`scene/payload_parts.py`). When the player has
drawn that, it asks the kernel for the whole, which arrives as a message, and takes the place of the first picture (`player/widget.js`).
So a notebook stores at most 40 kB for a widget: the first picture and the static copy. A recording of a few steps is carried whole. An
exported page has every step; of a long recording whole statements, within bounds, and says so (`Scene.for_page`). Where there is no kernel, a first picture is not drawn, and the static copy is shown.

A scene is laid out for one width and marks which parts may move: cards go below their storage, storages side by side, and the step
axis becomes as wide as its pane (`layout.js`). `pane_heights.js` divides the height of the window between the panes by what each
needs over all steps, so no step changes a size.

`scene/player_links.py` ships an index of the numbers that slots have held, with edges to those they came from; `origins.js` only follows them.

The modules of the player are: pure functions (`steps.js`, `linking.js`), parts of the picture (`panel.js`, `code.js`, `texts.js`,
`toolbar.js`), the state that they share (`stage.js`), and `player.js`, which assembles them. `notebook.js` decides which keys reach the
notebook around a widget. Node tests import them one by one;
`make bundle` makes one module of them, which `player_bundle.py` reads. `comparison.js` plays two programs with one cursor: each side (`sides.js`) is code and storages on a
stage of its own, as in a player of one program. That module, its style sheet and the payload are sent compressed (`page.py`, `unpack.js`).

`stepper.py` has the views, which differ in their panels only; `side_by_side/` what shows two programs, or several ranks, with one cursor;
`launch_pictures/` what draws the launches of kernels. `live_widget.py` stores a static copy beside each live widget and
decides when that copy is shown. A screen reader gets the sentence of the step and the tables; the marks are hidden from it
(`tests/e2e/test_read_aloud.py` has the rules).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from inplacelab.installing import spelled
from inplacelab.language import Text

if TYPE_CHECKING:
    from inplacelab_widgets.exports import to_html, to_markdown, to_png, to_svg, to_text
    from inplacelab_widgets.launch_pictures.view import KernelView
    from inplacelab_widgets.sharing import to_card, to_gif
    from inplacelab_widgets.side_by_side.widgets import Comparison, RanksView, compare, show_ranks
    from inplacelab_widgets.small_views import ListView, QuestionView
    from inplacelab_widgets.stepper import GraphView, MemoryView, MetadataView, Stepper, StorageView, VersionView, View

__all__ = [
    "Comparison",
    "GraphView",
    "KernelView",
    "ListView",
    "MemoryView",
    "MetadataView",
    "QuestionView",
    "RanksView",
    "Stepper",
    "StorageView",
    "VersionView",
    "View",
    "compare",
    "show_ranks",
    "to_card",
    "to_gif",
    "to_html",
    "to_markdown",
    "to_png",
    "to_svg",
    "to_text",
]

_HOMES = {
    "stepper": ("GraphView", "MemoryView", "MetadataView", "Stepper", "StorageView", "VersionView", "View"),
    "side_by_side.widgets": ("Comparison", "RanksView", "compare", "show_ranks"),
    "launch_pictures.view": ("KernelView",),
    "small_views": ("ListView", "QuestionView"),
    "sharing": ("to_card", "to_gif"),
    "exports": ("to_html", "to_markdown", "to_png", "to_svg", "to_text"),
}
"""The modules of the names, imported on first use."""

_OF_NOTEBOOKS = ("IPython", "anywidget", "ipywidgets", "traitlets")
"""Libraries of the extra `lab`."""
_NEEDS_NOTEBOOK = Text(
    '`{0}` is a widget for notebooks, and {1} is not installed here: pip install "inplacelab[lab]". Without it, `to_html`, `to_svg`, '
    "`to_markdown` and `to_text` draw the same pictures.",
    '`{0}` 是笔记本的控件，而这里没有安装 {1}：pip install "inplacelab[lab]"。不安装时，可用 `to_html`、`to_svg`、`to_markdown` 与 '
    "`to_text` 绘制同样的图。",
)


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; there are: {', '.join(__all__)}")
    try:
        home = next(home for home, names in _HOMES.items() if name in names)
        return getattr(import_module(f"{__name__}.{home}"), name)
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] not in _OF_NOTEBOOKS:
            raise
        raise ImportError(str(spelled(_NEEDS_NOTEBOOK.format(name, missing.name))), name=missing.name) from None


def __dir__() -> list[str]:
    return sorted(__all__)
