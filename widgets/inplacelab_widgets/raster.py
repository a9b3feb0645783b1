"""Converts SVG pictures to PNG, and several of them to an animated GIF.

resvg draws. It has wheels for every system and needs nothing beside them but the system's fonts; CairoSVG needs the C library Cairo, which
Windows and macOS lack, and a browser would be a download of hundreds of megabytes. resvg writes PNG only, so Pillow joins pictures to a GIF.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from io import BytesIO
from typing import Any

from inplacelab.installing import spelled
from inplacelab.language import Text
from inplacelab_widgets.scene.palette import FONT, ROLES

__all__ = ["NoFontError", "can_draw", "check_installed", "gif", "png"]

# resvg uses the first installed font for a whole text, and an arbitrary one for characters that it lacks.
_CHINESE_FIRST = f"'Noto Sans Mono CJK SC', 'PingFang SC', 'Microsoft YaHei', {FONT}"
_NO_RESVG = Text(
    "To draw PNG pictures, install resvg: pip install 'inplacelab[png]'",
    "绘制 PNG 图片需要安装 resvg：pip install 'inplacelab[png]'",
)
_NO_PILLOW = Text(
    "To draw animated GIFs, install Pillow: pip install 'inplacelab[share]'",
    "绘制 GIF 动图需要安装 Pillow：pip install 'inplacelab[share]'",
)
_NO_FONT = Text(
    "This picture would have no words: the system has no font. Install one, such as DejaVu Sans Mono (Debian: apt-get install fonts-dejavu-core)",
    "系统中没有任何字体，图中的文字将无法显示。请安装字体，例如 DejaVu Sans Mono（Debian：apt-get install fonts-dejavu-core）",
)
_NO_CHINESE_FONT = Text(
    "This picture has Chinese text, and no font of the system has its characters. Install one, such as Noto Sans CJK "
    "(Debian: apt-get install fonts-noto-cjk)",
    "图中含有中文，而系统的字体都不含这些字符。请安装中文字体，例如 Noto Sans CJK（Debian：apt-get install fonts-noto-cjk）",
)
_CHINESE = re.compile("[\u4e00-\u9fff]")
_COLORS = 256
"""The most colors of a GIF."""


class NoFontError(RuntimeError):
    """Raised if the system has no font for the words of a picture. The message says what to install."""


def png(picture: str, scale: float, language: str) -> bytes:
    """Returns one of our SVG pictures as PNG, with `scale` pixels per px.

    Raises:
        ImportError: if resvg is not installed; the message says how to install it.
        NoFontError: if there is no font for the words of the picture.
        ValueError: if `scale` is not positive.
    """
    if scale <= 0:
        raise ValueError(f"scale must be positive, not {scale}")
    check_installed()
    if _CHINESE.search(picture) and not can_draw("张量"):
        raise NoFontError(str(_NO_CHINESE_FONT))
    return _drawn(picture.replace(FONT, _CHINESE_FIRST, 1) if language == "zh" else picture, scale)


def check_installed(*, animated: bool = False) -> None:
    """Checks that there is all that pictures, or animations, need on any machine.

    Raises:
        ImportError: if resvg or, for animations, Pillow is not installed; the message says how to install it.
        NoFontError: if there is no font at all.
    """
    if animated:
        _pillow()
    if not can_draw("ab"):
        raise NoFontError(str(_NO_FONT))


@cache
def can_draw(characters: str) -> bool:
    """Returns whether the fonts of the system can tell two characters apart. What they lack is drawn as a box, or not at all.

    Raises:
        ImportError: if resvg is not installed.
    """
    one, other = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40" font-family="{_CHINESE_FIRST}"><text y="30">{each}</text></svg>'
        for each in characters
    )
    return _drawn(one, 1) != _drawn(other, 1)


def gif(pictures: Sequence[str], seconds: Sequence[float], language: str, comment: str) -> bytes:
    """Returns SVG pictures of one size as an animated GIF, which begins again after the last one.

    Args:
        pictures: the pictures, at least one.
        seconds: how long each of them is shown.
        language: that of the pictures, "en" or "zh".
        comment: what is noted in the file, in ASCII.

    Raises:
        ImportError: if resvg or Pillow is not installed; the message says how to install it.
        NoFontError: if there is no font for the words of a picture.
    """
    image = _pillow()
    files = [png(each, 1, language) for each in pictures]  # kept as files: as pixels, a hundred of them need 300 MB
    palette = _palette(_opened(file) for file in files)
    mapped = (_opened(file).quantize(palette=palette, dither=image.Dither.NONE) for file in files)
    written = BytesIO()
    durations = [round(each * 100) * 10 for each in seconds]  # a GIF counts hundredths of a second
    next(mapped).save(
        written,
        format="GIF",
        save_all=True,
        append_images=mapped,
        duration=durations,
        loop=0,
        comment=comment.encode("ascii"),
    )
    return written.getvalue()


def _drawn(picture: str, scale: float) -> bytes:
    try:
        import resvg_py  # noqa: PLC0415  # an extra, imported only when a PNG is drawn
    except ImportError:
        raise ImportError(str(spelled(_NO_RESVG)), name="resvg_py") from None
    return bytes(resvg_py.svg_to_bytes(svg_string=picture, zoom=scale))


def _pillow() -> Any:
    try:
        from PIL import Image  # noqa: PLC0415  # an extra, imported only when a GIF is drawn
    except ImportError:
        raise ImportError(str(spelled(_NO_PILLOW)), name="PIL") from None
    return Image


def _opened(file: bytes) -> Any:
    return _pillow().open(BytesIO(file)).convert("RGB")


def _palette(pictures: Iterable[Any]) -> Any:
    """The colors of all pictures: those that mean something as they are, and the most frequent ones of the edges of letters."""
    meant = [tuple(bytes.fromhex(light[1:])) for light, _ in ROLES.values()]
    counts: Counter[tuple[int, ...]] = Counter()
    for picture in pictures:
        for count, color in picture.getcolors(picture.width * picture.height) or ():
            counts[color] += count
    frequent = sorted(counts, key=lambda color: (-counts[color], color))
    chosen = list(dict.fromkeys([*meant, *frequent]))[:_COLORS]
    holder = _pillow().new("P", (1, 1))
    holder.putpalette([part for color in chosen for part in color])
    return holder
