"""What other people's widgets leave behind in a box with ours, once there is no kernel: what they said last, without controls.

A widget that brings a picture or HTML of its own (a Matplotlib canvas does) is shown by that. Of `ipywidgets`' controls it is
the description and the value. All else says what it was.
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
    """A widget as HTML without scripts.

    >>> left_by(ipywidgets.IntSlider(value=3, description="step"), "en")
    '<div><span style="display:inline-block;margin:2px 0;padding:2px 8px;border:1px solid #8a8a8a;border-radius:4px">step 3</span></div>'
    """
    shown = _own_picture(widget) or _said(widget)
    if shown is None:
        shown = _framed(escape(_GONE.format(type(widget).__name__).in_language(language)), "dashed")
    return f"<div>{shown}</div>"


def titled(box: Widget, position: int) -> str:
    """The title over a child of a box: the pages of a `Tab` or an `Accordion` have one."""
    titles = getattr(box, "titles", ())
    title = titles[position] if position < len(titles) else ""
    return f"<div><b>{escape(title)}</b></div>\n" if title else ""


def _own_picture(widget: Widget) -> str | None:
    """By its own account of itself, if that is more than a line of text."""
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
    value = (
        getattr(widget, "label", None) if hasattr(widget, "options") else None
    )  # what stands in a list to choose from
    value = getattr(widget, "value", None) if value is None else value
    if value is None or isinstance(value, (bytes, Mapping)):
        return ""
    if isinstance(value, bool):
        return "☑" if value else "☐"
    return ", ".join(map(str, value)) if isinstance(value, (tuple, list)) else str(value)


def _output(output: Mapping[str, Any]) -> str:
    """One of the outputs that an `Output` has caught."""
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
    """An image of these bytes; as text, SVG stands for itself and everything else is base64 already."""
    if isinstance(value, str):
        value = value.encode() if kind == "image/svg+xml" else base64.b64decode(value)
    return f'<img alt="" src="data:{kind};base64,{base64.b64encode(value).decode("ascii")}">'


def _framed(words: str, line: str) -> str:
    return f'<span style="{_FRAME.format(line)}">{words}</span>'
