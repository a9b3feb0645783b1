"""Compresses what is sent to the browser: a text's bytes, deflated, in base64. `player/unpack.js` decompresses it.

A recording repeats the same sentence a thousand times with other numbers, in both languages, and its marks differ mostly in
position. Deflate finds all of this repetition, so the payload itself can stay plain (`scene/payload.py` makes it,
`player/runs.js` names its parts). A text is also fast for Jupyter, which searches every list and dictionary of a widget's state
for bytes.

Every browser since the spring of 2023 can inflate (`DecompressionStream`).
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path
from typing import Any
from zlib import crc32

_UNPACK = Path(__file__).parent / "player" / "unpack.js"
_IMPORT = """\
const [style, module] = (await unpacked("PACKED")).split("\\f");
const name = "NAME";
const address = URL.createObjectURL(new Blob([module], { type: "text/javascript" }));
const player = (await import(address)).default;
URL.revokeObjectURL(address);
"""
_COMMENT = re.compile(r"^(?://[^\n]*|/\*.*?\*/)\n+", re.MULTILINE | re.DOTALL)
_BETWEEN = "\f"
"""Separates a style sheet from a module: neither contains a form feed."""


def packed(text: str, level: int = 6) -> str:
    """Compresses a text.

    Args:
        text: the text to compress.
        level: the compression level, 1 to 9. Level 9 takes five times as long as the default and saves a few percent more.

    Returns:
        The compressed text: letters, digits, "+", "/" and "=" only.

    >>> len(packed("x.add_(y); " * 1000)) < 100
    True
    """
    return base64.b64encode(zlib.compress(text.encode(), level)).decode("ascii")


def unpacked(text: str) -> str:
    """Returns the text that `packed` compressed.

    >>> unpacked(packed("视图"))
    '视图'
    """
    return zlib.decompress(base64.b64decode(text)).decode()


def packed_json(data: Any) -> str:
    """Compresses plain lists and dictionaries, as JSON."""
    return packed(json.dumps(data, ensure_ascii=False, separators=(",", ":")))


def unpacking(module: str, style: str) -> str:
    """Returns JavaScript that decompresses a module and its style sheet. It binds the module's default export to `player`;
    `dress(element, style, name)` applies the sheet to an element.
    """
    name = f"ipl-{crc32(style.encode()):08x}"  # another version on the same page has another name
    text = packed(style + _BETWEEN + module, 9)
    imported = _IMPORT.replace("PACKED", text).replace("NAME", name)
    return _COMMENT.sub("", _UNPACK.read_text(encoding="utf-8")).replace("export ", "") + imported
