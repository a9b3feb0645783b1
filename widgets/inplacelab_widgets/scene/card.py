"""Draws one step as a card of 1200 x 675 px, which is the size that sites show of a linked page: the sentence of the step, its code, the
storages, and its place in the recording.

Cards of several steps, the frames of an animation, share one layout: what stays the same between two steps stays where it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inplacelab.language import Text
from inplacelab_widgets.scene import Scene
from inplacelab_widgets.scene.names import unquoted
from inplacelab_widgets.scene.still_pictures import code_panel, place_of, provisos
from inplacelab_widgets.scene.svg import (
    Look,
    Panel,
    always,
    document,
    mark_at,
    panel_at,
    placed,
    rect,
    stack_at,
    stack_of,
    text_at,
)
from inplacelab_widgets.scene.text_layout import SMALL, shortened, wrapped

__all__ = ["HEIGHT", "WIDTH", "cards"]

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
_CODE_SCALE = 1.5
_CODE_WIDTH = 400.0
"""The width of the code beside the storages, in px of the card."""
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
        code_height: the most that the code takes, in px of the card.
        scale: that of the storages.
    """

    sentence_scale: float
    top: float
    is_below: bool
    near: bool
    code_height: float
    scale: float


def cards(scene: Scene, steps: Sequence[int], language: str) -> list[str]:
    """Returns a card for each of `steps` as SVG text, all in one layout."""
    layout = _layout(scene, steps, language)
    return [_card(scene, step, language, layout) for step in steps]


def _card(scene: Scene, step: int, language: str, layout: _Layout) -> str:
    said = unquoted(scene.headline(step).clause).in_language(language)
    parts = [_sentence(scene, step, said, layout), _footer(scene, step, language)]
    code = _code(scene, step, is_below=layout.is_below, near=layout.near)
    parts.append(placed(panel_at(code, step, language), _PAD, layout.top, _CODE_SCALE))
    x, y = _picture_at(layout)
    drawn, _ = stack_at(scene.storages, step, language)
    parts.append(placed(drawn, x, y, layout.scale))
    return document((WIDTH, HEIGHT), parts, scene.recording.title, said)


def _layout(scene: Scene, steps: Sequence[int], language: str) -> _Layout:
    sentence_scale, lines = _sentence_size(scene, steps, language)
    top = _PAD + lines * _SENTENCE_LINE * sentence_scale + _GAP
    room = HEIGHT - _FOOT - top
    beside, below = (_fitted(scene, steps, sentence_scale, top, room, is_below=below) for below in (False, True))
    return below if below.scale > _MUCH * beside.scale else beside


def _sentence_size(scene: Scene, steps: Sequence[int], language: str) -> tuple[float, int]:
    """How much the sentences are enlarged, and the most lines that one needs."""
    said = [unquoted(scene.headline(step).clause).in_language(language) for step in steps]
    for scale in _SENTENCE_SCALES:
        lines = max(len(_lines(each, scale)) for each in said)
        if lines <= _MOST_LINES:
            return scale, lines
    return _SENTENCE_SCALES[-1], _MOST_LINES


def _lines(said: str, scale: float) -> list[str]:
    return wrapped(said, (WIDTH - 2 * _PAD - 24) / scale, _SENTENCE)


def _fitted(
    scene: Scene, steps: Sequence[int], sentence_scale: float, top: float, room: float, *, is_below: bool
) -> _Layout:
    """The largest storages, beside or below the code."""
    heights = _code_heights(scene, steps, is_below=is_below, near=False)
    near = max(heights) > (room if not is_below else room / 3)
    code_height = max(_code_heights(scene, steps, is_below=is_below, near=True) if near else heights)
    wide = WIDTH - 2 * _PAD - (0 if is_below else _CODE_WIDTH + _GAP)
    high = room - (code_height + _GAP if is_below else 0)
    scale = min(_scale(scene, step, wide, high) for step in steps)
    return _Layout(sentence_scale, top, is_below, near, code_height, scale)


def _code_heights(scene: Scene, steps: Sequence[int], *, is_below: bool, near: bool) -> list[float]:
    return [_code(scene, step, is_below=is_below, near=near).height * _CODE_SCALE for step in steps]


def _scale(scene: Scene, step: int, wide: float, high: float) -> float:
    """The scale at which the storages of a step fit."""
    places, height = stack_of(scene.storages, step)
    width = max((x + group.width for group, x, _ in places), default=1.0)
    return min(_LARGEST, wide / max(width, 1), high / max(height, 1))


def _picture_at(layout: _Layout) -> tuple[float, float]:
    if layout.is_below:
        return _PAD, layout.top + layout.code_height + _GAP
    return _PAD + _CODE_WIDTH + _GAP, layout.top


def _code(scene: Scene, step: int, *, is_below: bool, near: bool) -> Panel:
    width = WIDTH - 2 * _PAD if is_below else _CODE_WIDTH
    return code_panel(scene.recording, width / _CODE_SCALE, step, near=near)


def _sentence(scene: Scene, step: int, said: str, layout: _Layout) -> str:
    """The sentence of the step, with a bar beside it; its end is cut if it is very long."""
    scale = layout.sentence_scale
    lines = _lines(said, scale)
    if len(lines) > _MOST_LINES:
        rest = "".join(lines[_MOST_LINES - 1 :])
        lines = [*lines[: _MOST_LINES - 1], shortened(rest, (WIDTH - 2 * _PAD - 24) / scale, _SENTENCE)]
    height = len(lines) * _SENTENCE_LINE * scale
    error = scene.recording.steps[step].error is not None
    bar = rect(_PAD, _PAD - 4, 8, height + 4, always(Look("flag-stale" if error else "mark-now")))
    drawn = "".join(
        text_at(0, _SENTENCE + _SENTENCE_LINE * k, "text title bold", line, "en") for k, line in enumerate(lines)
    )
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
