"""Converts SVG pictures to PNG with resvg, which needs only the system's fonts."""

from __future__ import annotations

from inplacelab.language import Text
from inplacelab_widgets.scene.palette import FONT

__all__ = ["png"]

# resvg uses the first installed font for a whole text, and an arbitrary one for characters that it lacks.
_CHINESE_FIRST = f"'Noto Sans Mono CJK SC', 'PingFang SC', 'Microsoft YaHei', {FONT}"
_MISSING = Text(
    "To draw PNG pictures, install resvg: python -m pip install 'inplacelab[png]'",
    "绘制 PNG 图片需要安装 resvg：python -m pip install 'inplacelab[png]'",
)


def png(picture: str, scale: float, language: str) -> bytes:
    """Returns one of our SVG pictures as PNG, with `scale` pixels per px.

    Raises:
        ImportError: if resvg is not installed; the message says how to install it.
        ValueError: if `scale` is not positive.
    """
    if scale <= 0:
        raise ValueError(f"scale must be positive, not {scale}")
    try:
        import resvg_py  # noqa: PLC0415  # an extra, imported only when a PNG is drawn
    except ImportError:
        raise ImportError(str(_MISSING), name="resvg_py") from None
    if language == "zh":
        picture = picture.replace(FONT, _CHINESE_FIRST, 1)
    return bytes(resvg_py.svg_to_bytes(svg_string=picture, zoom=scale))
