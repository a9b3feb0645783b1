"""Static HTML for other packages' widgets in a box with ours, shown when there is no kernel: their last state, without controls.

A widget that provides a picture or HTML (as a Matplotlib canvas does) is shown by that, a control of `ipywidgets` by its
description and value, and any other widget by its class.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from html import escape
from typing import Any

import ipywidgets
from ipywidgets import Widget

from inplacelab.language import Text

__all__ = ["titled", "widget_html"]

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
