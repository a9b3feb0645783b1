"""What travels to the browser, made small: a text's bytes, deflated, in base64. `player/unpack.js` is the way back.

A recording says the same sentence a thousand times with other numbers, in both languages, and its marks look alike but for
where they stand. Deflating finds what repeats, and finds all of it; so the payload itself may stay as plain as it is used
(`scene/payload.py` makes it, `player/runs.js` names its parts). And a text is one thing to Jupyter, which walks through every
list and dictionary of a widget's state to look for bytes.

Every browser since the spring of 2023 can inflate (`DecompressionStream`).
"""

from __future__ import annotations

import base64
import json
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
_BETWEEN = "\f"
"""Stands between a style sheet and a module: neither has a form feed in it."""


def packed(text: str, level: int = 6) -> str:
    """A text as it travels: letters, digits, "+", "/" and "=" only.

    Args:
        text: what is packed.
        level: how hard to look for what repeats, 1 to 9. The highest takes five times as long for a few hundredths.

    >>> len(packed("x.add_(y); " * 1000)) < 100
    True
    """
    return base64.b64encode(zlib.compress(text.encode(), level)).decode("ascii")


def unpacked(text: str) -> str:
    """What was packed in a text.

    >>> unpacked(packed("视图"))
    '视图'
    """
    return zlib.decompress(base64.b64decode(text)).decode()


def packed_json(data: Any) -> str:
    """Plain lists and dictionaries as they travel."""
    return packed(json.dumps(data, ensure_ascii=False, separators=(",", ":")))


def unpacking(module: str, style: str) -> str:
    """JavaScript that unpacks a module and its style sheet: what the module exports by default it calls `player`, and
    `dress(element, style, name)` lets the sheet hold around an element.
    """
    name = f"ipl-{crc32(style.encode()):08x}"  # another version, on the same page, has another one
    text = packed(style + _BETWEEN + module, 9)
    imported = _IMPORT.replace("PACKED", text).replace("NAME", name)
    return _UNPACK.read_text(encoding="utf-8").replace("export ", "") + imported
