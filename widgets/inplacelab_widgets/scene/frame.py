"""Draws one step as one small still picture, for saved notebooks and pages: what happened, the code, the storages, and the graph where the
step is about it.
"""

from __future__ import annotations

from dataclasses import replace

from inplacelab.language import Text
from inplacelab.recording.facts import Step
from inplacelab_widgets.scene import Scene
from inplacelab_widgets.scene.code import code_panel
from inplacelab_widgets.scene.graph_in_frame import graph_in
from inplacelab_widgets.scene.marks import Group, Look, always, rect
from inplacelab_widgets.scene.measure import NORMAL, SMALL, shortened, wrapped
from inplacelab_widgets.scene.names import unquoted
from inplacelab_widgets.scene.picture import PAD, place_of, provisos
from inplacelab_widgets.scene.svg import document, mark_at, panel_at, placed, stack_at, text_at

WIDTH = 848.0
"""The width of a notebook's output and of a page on GitHub, in px."""
HIGHEST = 480.0
_CODE = 228.0
"""The width of the code, in px."""
_SAID, _SAID_LINE = 18.0, 21.0
"""The size of the words on the step, and the height of their lines, in px."""
_MOST_DETAIL = 3
"""The most lines of the rest of what is said; the description has all of it."""
_FOOT = 26.0
_SMALLEST = 0.95
"""The least scale of the storages at which there still is a graph, or the shelf, below them: their words stay legible."""
_MOST_NODES = 300
"""The most grad nodes of a graph below the storages: to lay out more takes as long as all the rest of the first picture."""


_NO_CHIPS = (Group(0, 0, 0, 0, 0, -1, ()),)
"""A shelf without chips: the storages are moved together all the same."""


def frame(scene: Scene, step: int, language: str) -> str:
    """Returns a step as an SVG picture of 848 by at most 480 px."""
    now, told = scene.recording.steps[step], scene.headline(step)
    clause, detail = (unquoted(each).in_language(language) for each in told)
    lines = [(line, "text headline") for line in wrapped(clause, WIDTH - 2 * PAD - 12, _SAID)]
    lines += [(line, "text code soft") for line in _detail_lines(detail) if line]
    bar = rect(0, PAD, 5, _SAID_LINE * len(lines) + 2, always(Look("flag-stale" if now.error else "mark-now")))
    parts = [mark_at(bar, 0, language)]
    for k, (line, style) in enumerate(lines):
        parts.append(text_at(PAD, PAD + 16 + _SAID_LINE * k, style, line, language))
    top = PAD + _SAID_LINE * len(lines) + 16
    room = HIGHEST - _FOOT - top
    code = code_panel(scene.recording, _CODE, step, near=True)
    parts.append(placed(panel_at(code, step, language), PAD, top))
    drawn, high = _pictures(scene, step, language, room)
    parts.append(placed(drawn, _CODE + 2 * PAD, top))
    height = min(HIGHEST, top + max(code.height, high) + _FOOT)
    titled = Text("{0}", "{0}").format(scene.recording.title)
    said_below = [unquoted(each).in_language(language) for each in [titled, *place_of(scene, step), *provisos(scene)]]
    foot = shortened(" · ".join(filter(None, said_below)), WIDTH - 2 * PAD, SMALL)
    parts.append(text_at(WIDTH - PAD, height - 9, "text soft end", foot, language))
    return document((WIDTH, height), parts, scene.recording.title, said(scene, step, language))


def _detail_lines(detail: str) -> list[str]:
    """The detail in lines; the last of them ends with dots if there is more."""
    wide = WIDTH - 2 * PAD - 12
    lines = wrapped(detail, wide, NORMAL)
    if len(lines) <= _MOST_DETAIL:
        return lines
    last = shortened(f"{lines[_MOST_DETAIL - 1]} {lines[_MOST_DETAIL]}", wide, NORMAL)
    return [*lines[: _MOST_DETAIL - 1], last]


def said(scene: Scene, step: int, language: str) -> str:
    """Returns what a step did, in words."""
    return unquoted(scene.sentence(step)).in_language(language)


def _pictures(scene: Scene, step: int, language: str, room: float) -> tuple[str, float]:
    """The storages, and below them the graph if the step is about it and there is room; and their height."""
    wide = WIDTH - _CODE - 3 * PAD
    drawn, high = stack_at(scene.storages, step, language)
    if high * _SMALLEST > room and scene.storages.shelf:
        drawn, high = stack_at(replace(scene.storages, shelf=_NO_CHIPS), step, language)
    alone = min(1.0, wide / scene.storages.width, room / max(high, 1))
    if _is_about_the_graph(scene.recording.steps[step]) and 0 < len(scene.recording.state(step).nodes) <= _MOST_NODES:
        graph, its_height = graph_in(scene, step, language, wide)
        scale = min(alone, (room - its_height - PAD) / max(high, 1))
        if scale >= _SMALLEST:
            both = placed(drawn, 0, 0, scale) + placed(graph, 0, high * scale + PAD)
            return both, high * scale + PAD + its_height
    return placed(drawn, 0, 0, alone), high * alone


def _is_about_the_graph(now: Step) -> bool:
    failed = now.error is not None and now.error.node is not None
    return bool(now.rewired) or now.phase == "backward" or failed
