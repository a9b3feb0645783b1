"""Shows a live widget in a notebook together with a stand-in for when the widget is gone.

A saved notebook keeps a widget's model id, not the widget. JupyterLab prefers a widget to everything else in an output, even one that
no longer exists: an output with a widget and a picture would show "model not found". So our widgets make two outputs: one with the
widget only, then one with its stand-in. A viewer without widget support shows only the second. In others, a style sheet in the
second output checks the first: it hides the stand-in of a live widget, and the error message of a lost one. A box (`VBox`,
`Tab`, ...) with our widgets is shown in the same way; `foreign_widgets.py` renders the other widgets in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import anywidget
import traitlets
from IPython import get_ipython
from IPython.display import display
from ipywidgets import Box, HBox, Widget

from inplacelab.language import LANGUAGES
from inplacelab_widgets.foreign_widgets import left_by, titled

__all__ = ["LiveWidget", "hidden_beside_the_live"]

_WIDGET = "application/vnd.jupyter.widget-view+json"

_PATIENCE = "1.5s"
"""How long a widget may take to appear before its stand-in is shown: nothing is to flash up before a live one."""

# One output of a cell: in JupyterLab, Notebook and Voila; in VS Code.
_OUTPUT = ":is(.jp-OutputArea-child,.output_container)"
# JupyterLab's own element for a widget: it has only words in it ("Loading widget...") until the widget is there, and when
# JupyterLab has given the widget up. Then, and only then, it has the class `jupyter-widgets` itself.
_PENDING = f"{_OUTPUT}:has(>.jp-OutputArea-output.lm-Panel:not(.jupyter-widgets))"
_LOST = f"{_OUTPUT}:has(>.jp-OutputArea-output.jupyter-widgets)"
_ONLY_WORDS = ":not(:has(>.jp-OutputArea-output>*))"
_BEFORE_STILL = f":has(+{_OUTPUT} .ipl-still)"
_NOTHING = "visibility:hidden;height:0;overflow:hidden"
_STYLE = (
    f"{_OUTPUT}:has(.ipl)+{_OUTPUT}:has(.ipl-still),{_LOST}{_ONLY_WORDS}{_BEFORE_STILL}{{display:none}}"
    f"{_PENDING}+{_OUTPUT} .ipl-still{{animation:ipl-later {_PATIENCE} step-end}}"
    f"{_PENDING}{_ONLY_WORDS}{_BEFORE_STILL}{{animation:ipl-first {_PATIENCE} step-end forwards}}"
    f"@keyframes ipl-later{{from{{{_NOTHING}}}}}@keyframes ipl-first{{to{{{_NOTHING}}}}}"
)


def hidden_beside_the_live(html: str, language: str) -> str:
    """Wraps HTML so that it is hidden while a live widget is in the output before it.

    Its language is marked, because a screen reader would otherwise read it in the language of the page.
    """
    tag = "zh-Hans" if language == "zh" else "en"
    return f'<div class="ipl-still" lang="{tag}">\n{html}\n</div>\n<style>{_STYLE}</style>'


class LiveWidget(anywidget.AnyWidget):
    """The base of our widgets, which leave a stand-in in the notebook. Their root elements have the class `ipl`."""

    language = traitlets.Enum(LANGUAGES, help="The language shown: 'en' or 'zh'.").tag(sync=True)

    def __init__(self, *args: Any, **traits: Any) -> None:
        super().__init__(*args, **traits)
        if shell := get_ipython():  # from now on a box may contain one of our widgets
            shell.display_formatter.ipython_display_formatter.for_type(Box, _show_box)

    def _stand_in(self) -> dict[str, str]:
        """Returns what is shown without the widget, by MIME type, including "text/html"."""
        raise NotImplementedError

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """Returns widget and stand-in in one bundle, for programs that request an object's MIME types."""
        data, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
        return data | self._stand_in(), metadata

    def _ipython_display_(self) -> None:
        """Displays widget and stand-in as two outputs of a cell."""
        data, metadata = super()._repr_mimebundle_() or ({}, {})
        _show(data, self._stand_in(), self.language, metadata)


def _show(
    data: dict[str, Any], stand_in: dict[str, str], language: str, metadata: dict[str, Any] | None = None
) -> None:
    """Displays a widget and its stand-in as two outputs."""
    display({_WIDGET: data[_WIDGET]}, metadata=metadata, raw=True)
    display(stand_in | {"text/html": hidden_beside_the_live(stand_in["text/html"], language)}, raw=True)


def _show_box(box: Box) -> None:
    """Displays a box with its stand-in, if it contains one of our widgets."""
    first = next(_ours(box), None)
    if first is None:
        raise NotImplementedError  # to IPython: show it as ever
    _show(
        box._repr_mimebundle_(), {"text/plain": _named(box), "text/html": _stacked(box, first.language)}, first.language
    )


def _ours(box: Box) -> Iterator[LiveWidget]:
    for child in box.children:
        if isinstance(child, LiveWidget):
            yield child
        elif isinstance(child, Box):
            yield from _ours(child)


def _named(widget: Widget) -> str:
    """Returns the text of a box: the texts of our widgets in it."""
    return f"{type(widget).__name__}({', '.join(map(repr, _ours(widget)))})"


def _stacked(widget: Widget, language: str) -> str:
    """Returns the stand-ins of a box's widgets, side by side in an `HBox`, otherwise below each other."""
    if isinstance(widget, LiveWidget):
        return f"<div>\n{widget._stand_in()['text/html']}\n</div>"
    if not isinstance(widget, Box):
        return left_by(widget, language)
    inner = "\n".join(titled(widget, k) + _stacked(child, language) for k, child in enumerate(widget.children))
    beside = ' style="display:flex;flex-wrap:wrap;gap:8px;align-items:flex-start"' if isinstance(widget, HBox) else ""
    return f"<div{beside}>\n{inner}\n</div>"
