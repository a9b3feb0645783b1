"""Draws one step as a card of 1200 x 675 px, which is the size that sites show of a linked page: the sentence of the step, its code, the
storages, and its place in the recording.

Cards of several steps, the frames of an animation, share one layout: what stays the same between two steps stays where it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from inplacelab.language import Text, enumerated
from inplacelab.recording.naming import storage_label
from inplacelab.recording.queries import tensors_on
from inplacelab.recording.recording import State
from inplacelab_widgets import words
from inplacelab_widgets.scene import Scene
from inplacelab_widgets.scene.code import code_panel
from inplacelab_widgets.scene.marks import Look, Panel, always, rect, stack_of
from inplacelab_widgets.scene.measure import SMALL, shortened, wrapped
from inplacelab_widgets.scene.names import tensor_name, unquoted
from inplacelab_widgets.scene.picture import place_of, provisos
from inplacelab_widgets.scene.svg import document, mark_at, panel_at, placed, stack_at, text_at

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
_LARGEST, _READABLE = 2.2, 0.9
"""The scales of the storages: the largest, and the one below which some storages are left out."""
_MUCH = 1.15
"""How much larger the storages must be below the code: beside it, the eye finds both at the same height."""
_MOST_STORAGES = 8
"""The most storages that are tried if all of them together are too small to read."""
_NOTE_LINE = 26.0
_NOTE_SCALE = 1.5


@dataclass(frozen=True)
class _Layout:
    """What all cards of one animation have in common.

    Attributes:
        sentence_scale: how much the sentence is enlarged.
        top: where the code and the storages begin, in px.
        is_below: whether the storages are below the code instead of beside it.
        near: whether only the lines around the present one are shown.
        code_height: the most that the code takes, in px of the card.
        count: the most storages that are drawn; None for all.
        scale: that of the storages.
    """

    sentence_scale: float
    top: float
    is_below: bool
    near: bool
    code_height: float
    count: int | None
    scale: float

    def shows_more(self, other: _Layout) -> bool:
        """Whether it leaves out fewer storages."""
        return other.count is not None and (self.count is None or self.count > other.count)


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
    panel = _shown(scene, step, layout.count)
    drawn, height = stack_at(panel, step, language)
    parts.append(placed(drawn, x, y, layout.scale))
    others = _others(panel, scene.recording.state(step)) if layout.count is not None else []
    if others:
        note = words.ALSO_THERE.format(storages=enumerated(others)).in_language(language)
        line = shortened(note, (WIDTH - _PAD - x) / _NOTE_SCALE, SMALL)
        below = min(y + height * layout.scale + _NOTE_LINE, HEIGHT - _FOOT - 4)
        parts.append(placed(text_at(0, 0, "text soft", line, language), x, below, _NOTE_SCALE))
    return document((WIDTH, HEIGHT), parts, scene.recording.title, said)


def _layout(scene: Scene, steps: Sequence[int], language: str) -> _Layout:
    sentence_scale, lines = _sentence_size(scene, steps, language)
    top = _PAD + lines * _SENTENCE_LINE * sentence_scale + _GAP
    room = HEIGHT - _FOOT - top
    tried = [_fitted(scene, steps, sentence_scale, top, room, is_below=below) for below in (False, True)]
    beside, below = tried
    if below.shows_more(beside) or (not beside.shows_more(below) and below.scale > _MUCH * beside.scale):
        return below
    return beside


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
    """The largest storages, beside or below the code; some are left out if they could not be read otherwise."""
    heights = _code_heights(scene, steps, is_below=is_below, near=False)
    near = max(heights) > (room if not is_below else room / 3)
    code_height = max(_code_heights(scene, steps, is_below=is_below, near=True) if near else heights)
    wide = WIDTH - 2 * _PAD - (0 if is_below else _CODE_WIDTH + _GAP)
    high = room - (code_height + _GAP if is_below else 0)
    scale = 0.0
    for count in (None, *range(_MOST_STORAGES, 0, -1)):
        scale = min(_scale(scene, step, count, wide, high) for step in steps)
        if scale >= _READABLE or count == 1:
            return _Layout(sentence_scale, top, is_below, near, code_height, count, scale)
    raise AssertionError("one storage is always drawn")


def _code_heights(scene: Scene, steps: Sequence[int], *, is_below: bool, near: bool) -> list[float]:
    return [_code(scene, step, is_below=is_below, near=near).height * _CODE_SCALE for step in steps]


def _scale(scene: Scene, step: int, count: int | None, wide: float, high: float) -> float:
    """The scale at which the storages of a step fit, with room for a note below them if some are left out."""
    places, height = stack_of(_shown(scene, step, count), step)
    width = max((x + group.width for group, x, _ in places), default=1.0)
    room = high - (_NOTE_LINE + 8 if count is not None else 0)
    return min(_LARGEST, wide / max(width, 1), room / max(height, 1))


def _picture_at(layout: _Layout) -> tuple[float, float]:
    if layout.is_below:
        return _PAD, layout.top + layout.code_height + _GAP
    return _PAD + _CODE_WIDTH + _GAP, layout.top


def _code(scene: Scene, step: int, *, is_below: bool, near: bool) -> Panel:
    width = WIDTH - 2 * _PAD if is_below else _CODE_WIDTH
    return code_panel(scene.recording, width / _CODE_SCALE, step, near=near)


def _shown(scene: Scene, step: int, count: int | None) -> Panel:
    """The panel of storages with the `count` that were touched last, in their order; the whole panel if None."""
    if count is None:
        return scene.storages
    drawn = {group.key for group in scene.storages.groups if group.first <= step <= group.last}
    chosen: dict[str, None] = {}
    for now in reversed(scene.recording.steps[: step + 1]):
        blamed = [now.error.storage] if now.error is not None and now.error.storage is not None else []
        written = [write.storage for write in now.writes]
        for storage in (*blamed, *written, *now.touched_storages()):
            if f"s{storage}" in drawn and len(chosen) < count:
                chosen[f"s{storage}"] = None
        if len(chosen) == count:
            break
    groups = tuple(replace(each, open=()) for each in scene.storages.groups if each.key in chosen)
    return replace(scene.storages, groups=groups, shelf=())


def _others(panel: Panel, state: State) -> list[Text]:
    """The live storages that are not drawn, with the names of their tensors."""
    drawn = {group.key for group in panel.groups}
    return [_named(state, storage) for storage in state.storages if f"s{storage}" not in drawn]


def _named(state: State, storage: int) -> Text:
    names = [tensor_name(tensor.id, state) for tensor in tensors_on(state, storage)]
    label = storage_label(storage)
    return Text("{0} ({1})", "{0}（{1}）").format(label, enumerated(names)) if names else Text(label, label)


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
