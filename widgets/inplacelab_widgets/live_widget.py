"""A live widget in a notebook, and what stands in for it once it is gone.

A notebook that is saved keeps the name of a widget, not the widget. JupyterLab prefers a widget to everything else in an
output, also one that is no longer there: of an output with a widget and a picture it would show the words "model not found".
So a widget of ours leaves two outputs: one that only names the widget, and after it one with its stand-in. Where widgets are
unknown only the second can be shown. Where they are known, a style sheet in the second looks at the first: beside a live
widget the stand-in is hidden, and beside a lost one the complaint is. A box (`VBox`, `Tab`, ...) with widgets of ours in it is
shown in the same way; what the others in it leave is worked out in `foreign_widgets.py`.
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
from inplacelab_widgets.foreign_widgets import titled, widget_html

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
    """The same HTML, which hides itself as long as a live widget is in the output before its own.

    The page around it may be in another language, in which a screen reader would read it.
    """
    tag = "zh-Hans" if language == "zh" else "en"
    return f'<div class="ipl-still" lang="{tag}">\n{html}\n</div>\n<style>{_STYLE}</style>'


class LiveWidget(anywidget.AnyWidget):
    """A widget that leaves a stand-in in the notebook: the base of ours, whose root elements have the class `ipl`."""

    language = traitlets.Enum(LANGUAGES, help="The language shown: 'en' or 'zh'.").tag(sync=True)

    def __init__(self, *args: Any, **traits: Any) -> None:
        super().__init__(*args, **traits)
        if shell := get_ipython():  # from now on a box may have one of ours in it
            shell.display_formatter.ipython_display_formatter.for_type(Box, _show_box)

    def _stand_in(self) -> dict[str, str]:
        """What is shown where the widget is not, by MIME type; "text/html" is one of them."""
        raise NotImplementedError

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """Both in one, for programs that ask an object what it can be shown as."""
        data, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
        return data | self._stand_in(), metadata

    def _ipython_display_(self) -> None:
        """Both, one after the other: what a cell shows."""
        data, metadata = super()._repr_mimebundle_() or ({}, {})
        _show(data, self._stand_in(), self.language, metadata)


def _show(
    data: dict[str, Any], stand_in: dict[str, str], language: str, metadata: dict[str, Any] | None = None
) -> None:
    """The widget out of its own bundle, and its stand-in, as two outputs."""
    display({_WIDGET: data[_WIDGET]}, metadata=metadata, raw=True)
    display(stand_in | {"text/html": hidden_beside_the_live(stand_in["text/html"], language)}, raw=True)


def _show_box(box: Box) -> None:
    """What a cell shows of a box, if there is a widget of ours in it."""
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
    """The line of text of a box: those of the widgets of ours in it."""
    return f"{type(widget).__name__}({', '.join(map(repr, _ours(widget)))})"


def _stacked(widget: Widget, language: str) -> str:
    """The stand-ins of a box, standing as its widgets do: side by side only in an `HBox`."""
    if isinstance(widget, LiveWidget):
        return f"<div>\n{widget._stand_in()['text/html']}\n</div>"
    if not isinstance(widget, Box):
        return widget_html(widget, language)
    inner = "\n".join(titled(widget, k) + _stacked(child, language) for k, child in enumerate(widget.children))
    beside = ' style="display:flex;flex-wrap:wrap;gap:8px;align-items:flex-start"' if isinstance(widget, HBox) else ""
    return f"<div{beside}>\n{inner}\n</div>"
