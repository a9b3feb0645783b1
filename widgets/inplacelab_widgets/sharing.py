"""Exports steps for sites and messages, where no page can be played: one step as a card of 1200 x 675 px, which is the size that sites show of a linked
page; several as an animation.

Cards of several steps share one layout: what stays the same between two steps stays where it is. resvg converts the SVG pictures. It has wheels for
every system and needs nothing beside them but the system's fonts; CairoSVG needs the C library Cairo, which Windows and macOS lack, and a browser
would be a download of hundreds of megabytes. resvg writes PNG only, so Pillow joins pictures to a GIF.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

from inplacelab.installing import spelled
from inplacelab.language import Text, columns, get_language
from inplacelab.recording.recording import Recording
from inplacelab_widgets.scene import Scene, key_step, scene_of
from inplacelab_widgets.scene.key_steps import story
from inplacelab_widgets.scene.palette import FONT, PROSE_FONT, ROLES
from inplacelab_widgets.scene.still_pictures import code_panel, place_of, provisos
from inplacelab_widgets.scene.svg import (
    Look,
    Panel,
    always,
    document,
    mark_at,
    panel_at,
    placed,
    prose_at,
    rect,
    stack_at,
    stack_of,
    text_at,
)
from inplacelab_widgets.scene.text_layout import SMALL, prose_width, shortened, wrapped

__all__ = [
    "HEIGHT",
    "WIDTH",
    "NoFontError",
    "can_draw",
    "cards",
    "check_installed",
    "check_seconds",
    "drawn_from",
    "gif",
    "png",
    "reading_times",
    "to_card",
    "to_gif",
    "written",
]


WIDTH, HEIGHT = 1200.0, 675.0
_PAD = 40.0
_GAP = 28.0
_FOOT = 56.0
_SENTENCE = 15.0
"""The size of the sentence, in px, before it is enlarged: that of the style "title"."""
_SENTENCE_SCALES = (2.0, 1.7, 1.4, 1.2)
"""It is written smaller if it would need more than `_MOST_LINES` lines."""
_MOST_LINES = 3
_SENTENCE_LINE = 20.0
_CODE_SCALES = (2.0, 1.75, 1.5)
"""The code is written as large as its room allows."""
_CODE_WIDTH = 360.0
"""The width of the code beside the storages, in px of the card."""
_WHOLE_WIDTH = WIDTH - 2 * _PAD
_FOOT_SCALE = 1.6
_LARGEST = 2.2
"""The largest scale of the storages."""
_MUCH = 1.15
"""How much larger the storages must be below the code: beside it, the eye finds both at the same height."""


@dataclass(frozen=True)
class _Layout:
    """What all cards of one animation have in common.

    Attributes:
        sentence_scale: how much the sentence is enlarged.
        top: where the code and the storages begin, in px.
        is_below: whether the storages are below the code instead of beside it.
        near: whether only the lines around the present one are shown.
        code_width: the width of the code, in px of the card.
        code_scale: how much it is enlarged.
        code_height: the most that the code takes, in px of the card.
        scale: that of the storages.
    """

    sentence_scale: float
    top: float
    is_below: bool
    near: bool
    code_width: float
    code_scale: float
    code_height: float
    scale: float


def cards(scene: Scene, steps: Sequence[int], language: str) -> list[str]:
    """Returns a card for each of `steps` as SVG text, all in one layout."""
    layout = _layout(scene, steps, language)
    return [_card(scene, step, language, layout) for step in steps]


def _card(scene: Scene, step: int, language: str, layout: _Layout) -> str:
    said = scene.headline(step).clause.in_language(language)
    parts = [_sentence(scene, step, said, layout), _footer(scene, step, language)]
    code = _code(scene, step, layout.code_width, layout.code_scale, near=layout.near)
    parts.append(placed(panel_at(code, step, language), _PAD, layout.top, layout.code_scale))
    x, y = _PAD + layout.code_width + _GAP, layout.top
    if layout.is_below:
        x, y = _PAD, layout.top + layout.code_height + _GAP
    drawn, _ = stack_at(scene.storages, step, language)
    parts.append(placed(drawn, x, y, layout.scale))
    return document((WIDTH, HEIGHT), parts, scene.recording.title, said.replace("`", ""))


def _layout(scene: Scene, steps: Sequence[int], language: str) -> _Layout:
    """The layout with the largest storages, in the middle of the card."""
    sentence_scale, lines = _sentence_size(scene, steps, language)
    top = _PAD + lines * _SENTENCE_LINE * sentence_scale + _GAP
    room = HEIGHT - _FOOT - top
    beside, below = (_fitted(scene, steps, sentence_scale, top, room, wide) for wide in (_CODE_WIDTH, _WHOLE_WIDTH))
    best = below if below.scale > _MUCH * beside.scale else beside
    high = max(stack_of(scene.storages, step)[1] for step in steps) * best.scale
    free = room - (best.code_height + _GAP + high if best.is_below else max(best.code_height, high))
    return replace(best, top=top + max(free, 0) / 2)


def _sentence_size(scene: Scene, steps: Sequence[int], language: str) -> tuple[float, int]:
    """How much the sentences are enlarged, and the most lines that one needs."""
    said = [scene.headline(step).clause.in_language(language) for step in steps]
    for scale in _SENTENCE_SCALES:
        lines = max(len(_lines(each, scale)) for each in said)
        if lines <= _MOST_LINES:
            return scale, lines
    return _SENTENCE_SCALES[-1], _MOST_LINES


def _lines(said: str, scale: float) -> list[str]:
    return wrapped(said, (WIDTH - 2 * _PAD - 24) / scale, _SENTENCE, prose_width)


def _fitted(
    scene: Scene, steps: Sequence[int], sentence_scale: float, top: float, room: float, code_width: float
) -> _Layout:
    """The largest storages beside code of some width, or below code of the whole width."""
    is_below = code_width == _WHOLE_WIDTH
    most = room / 3 if is_below else room

    def height(code_scale: float, *, near: bool) -> float:
        return max(_code(scene, step, code_width, code_scale, near=near).height for step in steps)

    least = _CODE_SCALES[-1]
    near = least * height(least, near=False) > most
    heights = {each: height(each, near=near) for each in _CODE_SCALES}
    # It is not enlarged if more of its lines would then be wrapped.
    fitting = (each for each in _CODE_SCALES if heights[each] <= heights[least] and each * heights[each] <= most)
    code_scale = next(fitting, least)
    code_height = code_scale * heights[code_scale]
    wide = _WHOLE_WIDTH - (0 if is_below else code_width + _GAP)
    high = room - (code_height + _GAP if is_below else 0)
    scale = min(_scale(scene, step, wide, high) for step in steps)
    return _Layout(sentence_scale, top, is_below, near, code_width, code_scale, code_height, scale)


def _scale(scene: Scene, step: int, wide: float, high: float) -> float:
    """The scale at which the storages of a step fit."""
    places, height = stack_of(scene.storages, step)
    width = max((x + group.width for group, x, _ in places), default=1.0)
    return min(_LARGEST, wide / max(width, 1), high / max(height, 1))


def _code(scene: Scene, step: int, width: float, scale: float, *, near: bool) -> Panel:
    return code_panel(scene.recording, width / scale, step, near=near)


def _sentence(scene: Scene, step: int, said: str, layout: _Layout) -> str:
    """The sentence of the step, with a bar beside it; its end is cut if it is very long."""
    scale = layout.sentence_scale
    lines = _lines(said, scale)
    if len(lines) > _MOST_LINES:
        rest = "".join(lines[_MOST_LINES - 1 :])
        lines = [*lines[: _MOST_LINES - 1], shortened(rest, (WIDTH - 2 * _PAD - 24) / scale, _SENTENCE, prose_width)]
    height = len(lines) * _SENTENCE_LINE * scale
    error = scene.recording.steps[step].error is not None
    bar = rect(_PAD, _PAD - 4, 8, height + 4, always(Look("flag-stale" if error else "mark-now")))
    drawn = prose_at(0, _SENTENCE, "text title bold", lines, _SENTENCE_LINE)
    return mark_at(bar, 0, "en") + placed(drawn, _PAD + 24, _PAD - 4, scale)


def _footer(scene: Scene, step: int, language: str) -> str:
    title = Text(scene.recording.title, scene.recording.title)
    said = [title, *place_of(scene, step), *provisos(scene)]
    room = (WIDTH - 2 * _PAD) / _FOOT_SCALE
    name = "inplacelab"
    line = " · ".join(each.in_language(language) for each in said if each.in_language(language))
    left = text_at(0, 0, "text soft", shortened(line, room - 90, SMALL), language)
    right = text_at(room, 0, "text bold end", name, language)
    return placed(left + right, _PAD, HEIGHT - 24, _FOOT_SCALE)


# --- PNG and GIF ------------------------------------------------------------------------------------------------------

# resvg uses the first installed font for a whole text, and an arbitrary one for characters that it lacks.
_CHINESE_FIRST = f"'Noto Sans Mono CJK SC', 'PingFang SC', 'Microsoft YaHei', {FONT}"
_CHINESE_PROSE_FIRST = f"'Noto Sans CJK SC', 'PingFang SC', 'Microsoft YaHei', {PROSE_FONT}"
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
    if language == "zh":
        picture = picture.replace(FONT, _CHINESE_FIRST).replace(PROSE_FONT, _CHINESE_PROSE_FIRST)
    return _drawn(picture, scale)


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


# --- for readers ------------------------------------------------------------------------------------------------------

MOST_FRAMES = 24
"""The most steps that an animation shows, if the caller does not choose them."""
_SHORTEST, _LONGEST, _LAST = 2.0, 6.0, 1.5
_COLUMNS_PER_SECOND = 28.0
"""How fast a sentence is read, while the picture is looked at too."""


def to_card(
    recording: Recording | Scene,
    step: int | None = None,
    path: str | Path | None = None,
    *,
    language: str | None = None,
) -> bytes:
    """Returns a step as a PNG of 1200 x 675 pixels: what it did, its code, the storages. Needs the extra `png`.

    Args:
        recording: the recording to draw, or a scene already laid out.
        step: the step, counted from 0; negative numbers count from the end. By default the key step: the error, or else the last write.
        path: a file to write the picture to; none is written if not given.
        language: "en" or "zh"; the current language if not given.

    Returns:
        The PNG file's bytes.

    Raises:
        ImportError: if resvg is not installed; the message says how to install it.
        NoFontError: if the system has no font for the words.
        IndexError: if the recording has no such step.
        ValueError: if the recording has no steps.
    """
    scene, language = _scene(recording), language or get_language()
    chosen = key_step(scene.recording) if step is None else scene.recording.state(step).step.index
    scene, shown = scene.for_stills([chosen])
    return written(png(cards(scene, shown, language)[0], 1, language), path)


def to_gif(
    recording: Recording | Scene,
    steps: Sequence[int] | None = None,
    path: str | Path | None = None,
    *,
    seconds: float | None = None,
    language: str | None = None,
) -> bytes:
    """Returns steps as an animated GIF of 1200 x 675 pixels, which begins again at its end. Needs the extra `share`.

    Args:
        recording: the recording to draw, or a scene already laid out.
        steps: the steps to show, counted from 0; negative numbers count from the end. By default all steps; of a recording with more than 24
            steps the interesting ones, and if these are more, too, the key steps.
        path: a file to write the animation to; none is written if not given.
        seconds: how long each step is shown; by default long enough to read its sentence, and the last one longer.
        language: "en" or "zh"; the current language if not given.

    Returns:
        The GIF file's bytes.

    Raises:
        ImportError: if resvg or Pillow is not installed; the message says how to install it.
        NoFontError: if the system has no font for the words.
        IndexError: if the recording has no such step.
        ValueError: if the recording has no steps, no step is given, or `seconds` is not at least 0.02: browsers show shorter frames slower.
    """
    scene, language = _scene(recording), language or get_language()
    check_seconds(seconds)
    chosen = _telling(scene) if steps is None else [scene.recording.state(step).step.index for step in steps]
    if not chosen:
        raise ValueError("no steps are given to show")
    scene, chosen = scene.for_stills(chosen)
    pictures = cards(scene, chosen, language)
    said = [scene.sentence(step).in_language(language) for step in chosen]
    shown = reading_times(said) if seconds is None else [seconds] * len(chosen)
    return written(gif(pictures, shown, language, drawn_from(pictures)), path)


def drawn_from(pictures: Sequence[str]) -> str:
    """Returns a digest of the pictures of an animation, which is noted in the GIF. The pixels depend on the fonts of the machine; this does not."""
    return f"inplacelab {sha256(''.join(pictures).encode()).hexdigest()}"


def _telling(scene: Scene) -> list[int]:
    recording = scene.recording
    if len(recording) <= MOST_FRAMES:
        return [step.index for step in recording.steps]
    key_steps = tuple(chapter.step for chapter in story(recording))
    chosen = sorted({*scene.interesting, *key_steps})
    return chosen if len(chosen) <= MOST_FRAMES else [*key_steps]


def check_seconds(seconds: float | None) -> None:
    """Checks how long each picture of an animation is shown.

    Raises:
        ValueError: if a browser would not show it so, or nobody would wait.
    """
    if seconds is not None and not 0.02 <= seconds <= 600:
        raise ValueError(f"seconds must be from 0.02 to 600, not {seconds}")


def reading_times(said: Sequence[str]) -> list[float]:
    """Returns how long it takes to read each of some sentences, and to look at a picture, in seconds; the last one longer."""
    times = [min(_LONGEST, max(_SHORTEST, columns(each) / _COLUMNS_PER_SECOND)) for each in said]
    return [*times[:-1], times[-1] + _LAST]


def _scene(recording: Recording | Scene) -> Scene:
    return recording if isinstance(recording, Scene) else scene_of(recording)


def written(file: bytes, path: str | Path | None) -> bytes:
    """Returns a file, and writes it to `path` if given."""
    if path is not None:
        Path(path).write_bytes(file)
    return file
