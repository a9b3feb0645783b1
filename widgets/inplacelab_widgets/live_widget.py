"""The base class of the widgets: a live widget in a notebook, and a static copy that replaces it when it is gone.

A saved notebook keeps the identifier of a widget, not the widget. JupyterLab prefers a widget to everything else in an
output, even if the widget no longer exists: for an output with a widget and a picture it would show "model not found".
So each widget leaves two outputs: one with the widget's identifier only, then one with its static copy. A program that
does not support widgets shows only the second. Elsewhere a style sheet in the second output checks the first: if the
widget is live it hides the static copy, and if it is gone it hides the error message. A box (`VBox`, `Tab`, ...) that
contains one of these widgets is shown in the same way; `widget_html` makes the static copies of its other children.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

import anywidget
import ipywidgets
import traitlets
from IPython import get_ipython
from IPython.display import display
from ipywidgets import Box, HBox, Widget

from inplacelab.language import LANGUAGES, Text

__all__ = ["LiveWidget", "folded", "hidden_while_live", "titled", "widget_html"]


_PICTURES = ("image/svg+xml", "image/png", "image/jpeg", "image/gif")
_FRAME = "display:inline-block;margin:2px 0;padding:2px 8px;border:1px {0} #8a8a8a;border-radius:4px"
_GONE = Text("{0}: shown only while the kernel runs", "{0}：只在内核运行时显示")
_HIDDEN = "•••"


def widget_html(widget: Widget, language: str) -> str:
    """Returns a widget as HTML without scripts.

    >>> widget_html(ipywidgets.IntSlider(value=3, description="step"), "en")
    '<div><span style="display:inline-block;margin:2px 0;padding:2px 8px;border:1px solid #8a8a8a;border-radius:4px">step 3</span></div>'
    """
    shown = _own_picture(widget) or _said(widget)
    if shown is None:
        shown = _framed(escape(_GONE.format(type(widget).__name__).in_language(language)), "dashed")
    return f"<div>{shown}</div>"


def titled(box: Widget, position: int) -> str:
    """Returns the title of a child of a box, which the pages of a `Tab` or an `Accordion` have, as HTML."""
    titles = getattr(box, "titles", ())
    title = titles[position] if position < len(titles) else ""
    return f"<div><b>{escape(title)}</b></div>\n" if title else ""


def _own_picture(widget: Widget) -> str | None:
    """The picture or HTML that a widget provides; None if it provides only a line of text."""
    made = widget._repr_mimebundle_()
    data = made[0] if isinstance(made, tuple) else made
    return _bundle(data or {}, plain=False)


def _said(widget: Widget) -> str | None:
    if isinstance(widget, ipywidgets.Image):
        return _picture(f"image/{widget.format}", widget.value)
    if isinstance(widget, ipywidgets.Output):
        return "\n".join(filter(None, map(_output, widget.outputs)))
    if isinstance(widget, (ipywidgets.HTML, ipywidgets.HTMLMath)):
        return " ".join(filter(None, (escape(widget.description), widget.value)))
    if isinstance(widget, ipywidgets.Label):
        return escape(" ".join(filter(None, (widget.description, widget.value))))
    description, value = getattr(widget, "description", None), _value(widget)
    return None if description is None else _framed(escape(" ".join(filter(None, (description, value)))), "solid")


def _value(widget: Widget) -> str:
    if isinstance(widget, ipywidgets.Password):
        return _HIDDEN
    value = getattr(widget, "label", None) if hasattr(widget, "options") else None  # the labels of a list of choices
    value = getattr(widget, "value", None) if value is None else value
    if value is None or isinstance(value, (bytes, Mapping)):
        return ""
    if isinstance(value, bool):
        return "☑" if value else "☐"
    return ", ".join(map(str, value)) if isinstance(value, (tuple, list)) else str(value)


def _output(output: Mapping[str, Any]) -> str:
    """One of the outputs that an `Output` widget captured."""
    if output.get("output_type") == "stream":
        return f"<pre>{escape(output['text'])}</pre>"
    return _bundle(output.get("data", {}), plain=True) or ""


def _bundle(data: Mapping[str, Any], *, plain: bool) -> str | None:
    if "text/html" in data:
        return str(data["text/html"])
    for kind in _PICTURES:
        if kind in data:
            return _picture(kind, data[kind])
    return f"<pre>{escape(data['text/plain'])}</pre>" if plain and "text/plain" in data else None


def _picture(kind: str, value: str | bytes) -> str:
    """An image of these bytes. As text, SVG is used unchanged; any other format is base64 already."""
    if isinstance(value, str):
        value = value.encode() if kind == "image/svg+xml" else base64.b64decode(value)
    return f'<img alt="" src="data:{kind};base64,{base64.b64encode(value).decode("ascii")}">'


def _framed(words: str, line: str) -> str:
    return f'<span style="{_FRAME.format(line)}">{words}</span>'


_WIDGET = "application/vnd.jupyter.widget-view+json"

_PATIENCE = "1.5s"
"""How long a widget may take to appear before its static copy is shown, so that no copy flashes up before a live widget."""

# One output of a cell: in JupyterLab, Notebook and Voila; in VS Code.
_OUTPUT = ":is(.jp-OutputArea-child,.output_container)"
# JupyterLab's own element for a widget: it contains only text ("Loading widget...") until the widget appears, and when
# # JupyterLab has given the widget up. Only in the second case does it have the class `jupyter-widgets` itself.
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


def hidden_while_live(html: str, language: str) -> str:
    """Wraps HTML so that it is hidden while the output before it has a live widget.

    The language is set on it, since the page around it may be in another one, in which a screen reader would read it.
    """
    tag = "zh-Hans" if language == "zh" else "en"
    return f'<div class="ipl-still" lang="{tag}">\n{html}\n</div>\n<style>{_STYLE}</style>'


_MOST_TELLING = Text("The most telling step", "最能说明问题的一步")


def folded(html: str, language: str) -> str:
    r"""Returns the static copy of a view that opens before its most telling step, folded: to be seen at once, it tells too much.

    >>> folded("<p>the end</p>", "en")
    '<details><summary>The most telling step</summary>\n<p>the end</p>\n</details>'
    """
    return f"<details><summary>{escape(_MOST_TELLING.in_language(language))}</summary>\n{html}\n</details>"


class LiveWidget(anywidget.AnyWidget):
    """A widget that leaves a static copy in the notebook: the base class of all ours. Their root elements have the class `ipl`."""

    language = traitlets.Enum(LANGUAGES, help="The language shown: 'en' or 'zh'.").tag(sync=True)

    def __init__(self, *args: Any, **traits: Any) -> None:
        super().__init__(*args, **traits)
        if shell := get_ipython():  # from now on a box may contain one of ours
            shell.display_formatter.ipython_display_formatter.for_type(Box, _show_box)

    def _static_copy(self) -> dict[str, str]:
        """The static copy, by MIME type; "text/html" is always among them."""
        raise NotImplementedError

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """The widget and its static copy in one bundle, for programs that ask an object for its formats."""
        data, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
        return data | self._static_copy(), metadata

    def _ipython_display_(self) -> None:
        """Displays both in a cell, one after the other."""
        data, metadata = super()._repr_mimebundle_() or ({}, {})
        _show(data, self._static_copy(), self.language, metadata)


def _show(
    data: dict[str, Any], static_copy: dict[str, str], language: str, metadata: dict[str, Any] | None = None
) -> None:
    """Displays a widget, taken from its bundle, and its static copy as two outputs."""
    display({_WIDGET: data[_WIDGET]}, metadata=metadata, raw=True)
    display(static_copy | {"text/html": hidden_while_live(static_copy["text/html"], language)}, raw=True)


def _show_box(box: Box) -> None:
    """Displays a box in a cell, with static copies if one of our widgets is in it."""
    first = next(_ours(box), None)
    if first is None:
        raise NotImplementedError  # tells IPython to show it as usual
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
    """The line of text for a box: those of our widgets in it."""
    return f"{type(widget).__name__}({', '.join(map(repr, _ours(widget)))})"


def _stacked(widget: Widget, language: str) -> str:
    """The static copies of a box, arranged as its widgets are: side by side only in an `HBox`."""
    if isinstance(widget, LiveWidget):
        return f"<div>\n{widget._static_copy()['text/html']}\n</div>"
    if not isinstance(widget, Box):
        return widget_html(widget, language)
    inner = "\n".join(titled(widget, k) + _stacked(child, language) for k, child in enumerate(widget.children))
    beside = ' style="display:flex;flex-wrap:wrap;gap:8px;align-items:flex-start"' if isinstance(widget, HBox) else ""
    return f"<div{beside}>\n{inner}\n</div>"
