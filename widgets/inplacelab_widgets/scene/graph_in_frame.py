"""Draws the graph in a frame of a still picture: all of it, smaller if necessary, or the part around the node of the step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from inplacelab_widgets import words
from inplacelab_widgets.scene import Scene
from inplacelab_widgets.scene.code import LINE_HEIGHT
from inplacelab_widgets.scene.graph_sight import node_of
from inplacelab_widgets.scene.marks import Group, Mark, Panel
from inplacelab_widgets.scene.measure import SMALL
from inplacelab_widgets.scene.svg import panel_at, placed, text_at, window

_SMALLEST = 0.6
"""The least scale of a graph: smaller, its words would be unreadable."""
_PART = 0.8
"""The scale at which a part of a graph is drawn."""
_HIGHEST = 260.0
"""The most height for a part of a graph, in px."""

_MARGIN = 14.0
"""The space above and below a part, in px of the graph."""

_Bounds = tuple[float, float, float, float]


def graph_in(scene: Scene, step: int, language: str, room: float) -> tuple[str, float]:
    """Returns the graph at `step` as SVG in `room` px, and its height."""
    left, top, right, bottom = bounds_at(scene.graph.groups, step)
    scale = min(1.0, room / (right - left))
    if scale >= _SMALLEST:
        drawn = placed(panel_at(scene.graph, step, language), -left * scale, -top * scale, scale)
        return drawn, (bottom - top) * scale
    node = _box_of_the_step(scene, step)
    if node is None:
        return text_at(0, 12, "text soft", words.GRAPH_TOO_WIDE, language), LINE_HEIGHT
    across = _stretch(node[0], node[2], left, right, room / _PART)
    seen = bounds_at(scene.graph.groups, step, across)
    down = _stretch(node[1], node[3], seen[1], seen[3], _HIGHEST / _PART)
    # Edges pass over and under the boxes.
    part = (across[0], max(0.0, down[0] - _MARGIN), across[1], min(scene.graph.height, down[1] + _MARGIN))
    drawn = window(panel_at(_within(scene.graph, step, part), step, language), part, _PART, LINE_HEIGHT)
    note = text_at(0, 12, "text soft", words.PART_OF_GRAPH, language)
    return note + drawn, LINE_HEIGHT + (part[3] - part[1]) * _PART


def bounds_at(groups: Iterable[Group], step: int, across: tuple[float, float] | None = None) -> _Bounds:
    """Returns left, top, right and bottom of the boxes and words shown at `step`: of all, or of those between two x positions."""
    boxes = [box for box, _ in _boxes(groups, step) if across is None or (box[0] < across[1] and box[2] > across[0])]
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def _boxes(groups: Iterable[Group], step: int) -> Iterator[tuple[_Bounds, tuple[str, ...]]]:
    """The bounds of the boxes and words that are shown, with their keys."""
    for group in groups:
        for mark in group.marks if group.first <= step <= group.last else ():
            box = _place(group, mark, step)
            if box is not None:
                yield box, mark.keys


def _place(group: Group, mark: Mark, step: int) -> _Bounds | None:
    """The bounds of a box or a line of words; None if it is not shown, or is a line or a curve."""
    look = mark.at(step)
    if look is None or mark.tag not in ("rect", "text"):
        return None
    place = dict((*mark.place, *look.attributes))
    x, y = group.x + float(place["x"]), group.y + float(place["y"])
    wide, high = float(place.get("width", 0)), float(place.get("height", 0))
    return x, y - (0 if high else SMALL), x + wide, y + (high or 4)


def _within(panel: Panel, step: int, part: _Bounds) -> Panel:
    """A panel without the boxes and words outside a part of it: a picture in a notebook must be small."""

    def may_be_seen(group: Group, mark: Mark) -> bool:
        box = _place(group, mark, step)
        # The width of words is not known exactly.
        return box is None or (
            box[0] - 300 < part[2] and box[2] + 300 > part[0] and box[1] < part[3] and box[3] > part[1]
        )

    return replace(
        panel,
        groups=tuple(
            replace(group, marks=tuple(mark for mark in group.marks if may_be_seen(group, mark)))
            for group in panel.groups
        ),
    )


def _box_of_the_step(scene: Scene, step: int) -> _Bounds | None:
    number = node_of(scene.recording.steps[step])
    found = (box for box, keys in _boxes(scene.graph.groups, step) if f"n{number}" in keys and box[2] > box[0])
    return next(found, None)


def _stretch(low: float, high: float, first: float, last: float, room: float) -> tuple[float, float]:
    """As much of the range from `first` to `last` as fits, with the span from `low` to `high` in its middle."""
    if last - first <= room:
        return first, last
    start = max(first, min((low + high - room) / 2, last - room))
    return start, start + room
