"""Builds an HTML page that plays a payload in any browser, from a file, without a network, and reads such a page.

What is sent to the browser is compressed: deflated, in base64; `player/unpack.js` decompresses it. A recording repeats the same sentence a thousand
times with other numbers, in both languages, and its marks differ mostly in position. Deflate finds all of this repetition, so the payload itself can
stay plain. A text is also fast for Jupyter, which searches every list and dictionary of a widget's state for bytes. Every browser since the spring of
2023 can inflate (`DecompressionStream`).
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from html import escape
from pathlib import Path
from typing import Any
from zlib import crc32

from inplacelab.language import Text

_UNPACK = Path(__file__).parent / "bundled" / "unpack.js"
_IMPORT = """\
const [style, module] = (await unpacked("PACKED")).split("\\f");
const name = "NAME";
const address = URL.createObjectURL(new Blob([module], { type: "text/javascript" }));
const player = (await import(address)).default;
URL.revokeObjectURL(address);
"""
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
    return _UNPACK.read_text(encoding="utf-8") + imported


_ABOUT = (
    "Made with inplacelab. What plays here is packed, to be small; its readable source is the folder {folder} "
    "of the Python package inplacelab."
)
# A page that shows this one in a frame may have a switch of its own: it sends {theme: "light"} or "dark", or "auto" for that of the system.
_THEME = (
    'addEventListener("message", ({ data }) => {\n'
    '  if (["light", "dark", "auto"].includes(data?.theme)) document.documentElement.dataset.theme = data.theme;\n'
    "});\n"
)
_TOO_OLD = Text(
    "This page needs a newer browser: one that has DecompressionStream, as all have since 2023.",
    "此网页需要较新的浏览器：须支持 DecompressionStream（2023 年以来的浏览器都支持）。",
)


def whole_page(
    *sent: str, player: str, style: str, folder: str, title: str, language: str, options: dict[str, Any]
) -> str:
    """Returns the whole page as HTML text.

    Args:
        *sent: the packed data to play. If there are two, the first is that of the first picture, and the page reads the second once it has painted that.
        player: a module whose default export has `play(element, payload, options)`.
        style: its CSS, which is compressed with it.
        folder: the folder with the sources of both, named in a comment.
        title: the title of the page.
        language: "en" or "zh".
        options: the options of the player.
    """
    named = zip(("first", "payload")[-len(sent) :], sent, strict=True)
    opening, *later = [f'<script type="text/plain" id="{name}">{text}</script>\n' for name, text in named]
    tag = "zh-Hans" if language == "zh" else "en"
    given = json.dumps({"language": language, "standalone": True, **options})
    too_old = json.dumps(_TOO_OLD.in_language(language), ensure_ascii=False)
    return (
        f'<!DOCTYPE html>\n<!-- {_ABOUT.format(folder=folder)} -->\n<html lang="{tag}">\n<head>\n<meta charset="utf-8">\n'
        f'<title>{escape(title)}</title>\n<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        "<style>\nbody{margin:0;padding:8px}\n:root[data-theme=light]{color-scheme:light}\n:root[data-theme=dark]{color-scheme:dark}\n</style>\n</head>\n<body>\n<main></main>\n"
        f'{opening}<script type="module">\n'
        f"{_THEME}"
        'const main = document.querySelector("main");\n'
        f"if (!globalThis.DecompressionStream) main.textContent = {too_old};\n"
        "const read = (id) => unpacked(document.getElementById(id).textContent);\n"
        # Both are decompressed at the same time.
        'const sent = read(document.querySelector("main + script").id);\n'
        f"{unpacking(player, style)}dress(main, style, name);\n"
        f"player.play(main, sent, {given}, () => read('payload'));\n</script>\n{''.join(later)}</body>\n</html>\n"
    )


def payload_of(text: str) -> Any:
    """Returns the payload of a page, as plain lists and dictionaries.

    Raises:
        ValueError: if the text is not such a page.
    """
    found = re.search(r'id="payload">([^<]*)<', text)
    if found is None:
        raise ValueError("this is not a page of inplacelab: it has no payload")
    return json.loads(unpacked(found[1]))
