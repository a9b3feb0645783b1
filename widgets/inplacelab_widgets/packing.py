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

_UNPACK = Path(__file__).parent / "player" / "unpack.js"
_IMPORT = """\
const address = URL.createObjectURL(new Blob([await unpacked("PACKED")], { type: "text/javascript" }));
const player = (await import(address)).default;
URL.revokeObjectURL(address);
"""


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


def unpacking(module: str) -> str:
    """JavaScript that unpacks a module and calls what that exports by default `player`."""
    return _UNPACK.read_text(encoding="utf-8").replace("export ", "") + _IMPORT.replace("PACKED", packed(module, 9))
