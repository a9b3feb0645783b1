"""Reads the static copies of widgets: the images in their HTML."""

from __future__ import annotations

from html.parser import HTMLParser
from urllib.parse import unquote

_BEFORE = "data:image/svg+xml;charset=utf-8,"


class _Images(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[dict[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "img":
            self.found.append(dict(attrs))


def images(html: str) -> list[dict[str, str | None]]:
    """Returns the attributes of each image, as a browser reads them."""
    parser = _Images()
    parser.feed(html)
    return parser.found


def svg_of(image: dict[str, str | None]) -> str:
    """Returns the SVG text of an image, as a browser reads it from its address."""
    address = image["src"] or ""
    assert address.startswith(_BEFORE)
    assert "#" not in address
    return unquote(address.removeprefix(_BEFORE))
