"""Draws several ranks side by side: their axis, and at one position of their cursor a still picture with the storages of each rank.

On the axis a step is a tick, an in-place write a dot. A collective is a bar across the lanes of its ranks, with a bead on each. Where a parameter has
drifted apart, the writes that differ have the sign of what is not equal, and the lane of a rank that has other values than rank 0 is dashed from there on.
"""

from __future__ import annotations

from collections.abc import Iterator

from inplacelab.language import Text
from inplacelab_widgets import words
from inplacelab_widgets.scene.names import line_of, unquoted
from inplacelab_widgets.scene.still_pictures import PAD
from inplacelab_widgets.scene.svg import (
    Group,
    Look,
    Mark,
    Panel,
    Runs,
    between,
    document,
    group_at,
    panel_at,
    path,
    placed,
    rule,
    text,
    text_at,
)
from inplacelab_widgets.scene.text_layout import NORMAL, SMALL, coordinate, shortened, width_of, wrapped
from inplacelab_widgets.scene.timeline import LEFT, WIDTH, Axis, cursor_marks
from inplacelab_widgets.side_by_side.comparison import outlined
from inplacelab_widgets.side_by_side.ranks import RanksScene
from inplacelab_widgets.words.side_by_side import AXIS_SAYS, NOT_BEGUN, RANK

__all__ = ["ranks_panel", "ranks_picture", "ranks_said"]


_TOP = 34.0
"""The first lane, in px below the top: above it are the names of the collectives."""
_PITCH = 30.0
_FOOT = 20.0
_CLOSE = 5.0
"""Where steps are closer, in px, ticks are drawn only where there is room."""


def ranks_panel(scene: RanksScene) -> Panel:
    """Returns the axis of all ranks."""
    count = len(scene.alignment.positions)
    axis, last = Axis(count), count - 1
    foot = _TOP + _PITCH * (len(scene.scenes) - 1) + 14
    (column, point), veil = cursor_marks(axis, foot)
    marks = [
        column,
        point,
        *_lanes(scene, axis),
        *_ticks(scene, axis),
        *_links(scene, axis),
        *_drifts(scene, axis),
        *_raises(scene, axis),
    ]
    marks += [*_lines(scene, axis, foot + 12), veil]
    group = Group(0, 0, WIDTH, foot + _FOOT, 0, last, tuple(marks))
    return Panel("ranks", WIDTH, foot + _FOOT, (group,), _descriptions(scene))


def _y(rank: int) -> float:
    return _TOP + _PITCH * rank


def _disc(x: float, y: float, radius: float) -> str:
    r, whole = coordinate(radius), coordinate(2 * radius)
    return f"M{coordinate(x)} {coordinate(y)}m-{r} 0a{r} {r} 0 1 0 {whole} 0a{r} {r} 0 1 0 -{whole} 0"


def _always(axis: Axis, style: str, ranks_said: str | Text | None = None) -> Runs:
    return between(0, axis.steps - 1, Look(style, ranks_said))


def _lanes(scene: RanksScene, axis: Axis) -> Iterator[Mark]:
    """A line for each rank, dashed from where a parameter has other values than on rank 0."""
    for rank in scene.ranks:
        yield text(0, _y(rank) + 4, _always(axis, "text bold", RANK.format(rank)))
        apart = min(
            (place for place, drifts in scene.drifting.items() if any(_is_apart(d.agreeing, rank) for d in drifts)),
            default=None,
        )
        middle = axis.end if apart is None else axis.x(apart)
        yield path(f"M{coordinate(LEFT)} {coordinate(_y(rank))}H{coordinate(middle)}", _always(axis, "versions hair"))
        if apart is not None:
            yield path(f"M{coordinate(middle)} {coordinate(_y(rank))}H{coordinate(axis.end)}", _always(axis, "thread"))


def _is_apart(agreeing: tuple[tuple[int, ...], ...], rank: int) -> bool:
    return all(not {0, rank} <= set(group) for group in agreeing)


def _ticks(scene: RanksScene, axis: Axis) -> Iterator[Mark]:
    """A tick for each step, and a dot for each write."""
    linked = {(each.position, rank) for each in scene.alignment.links for rank in each.ranks}
    for rank in scene.ranks:
        y, edge, ticks, dots = _y(rank), -1e9, "", ""
        for position, here in enumerate(scene.alignment.positions):
            step = here[rank]
            if step is None or (position, rank) in linked:
                continue
            x = axis.x(position)
            if any(write.slots for write in scene.scenes[rank].recording.steps[step].writes):
                dots += _disc(x, y, 3.5)
            elif x - edge >= _CLOSE:
                ticks += f"M{coordinate(x)} {coordinate(y - 4)}v8"
                edge = x
        if ticks:
            yield path(ticks, _always(axis, "wire"))
        if dots:
            yield path(dots, _always(axis, "flag"))


def _links(scene: RanksScene, axis: Axis) -> Iterator[Mark]:
    """A bar for each collective, with a bead on the lane of each of its ranks, and its name where there is room."""
    edge, before = -1e9, ""
    for link in scene.alignment.links:
        x = axis.x(link.position)
        first, last = _y(min(link.ranks)), _y(max(link.ranks))
        missing = len(link.ranks) < len(scene.scenes)
        yield path(
            f"M{coordinate(x)} {coordinate(first)}V{coordinate(last)}", _always(axis, "thread" if missing else "lane")
        )
        for rank in link.ranks:
            yield path(_disc(x, _y(rank), 4.5), _always(axis, "bead"))
        is_new = link.name != before or x - edge > 40
        if is_new and x >= edge + 8:
            yield text(x, _TOP - 14, _always(axis, "text tiny", link.name))
            edge = x + width_of(link.name, SMALL)
        before = link.name


def _drifts(scene: RanksScene, axis: Axis) -> Iterator[Mark]:
    """The sign of what is not equal on each write that differs."""
    seen = set()
    for drifts in scene.drifting.values():
        for each in drifts:
            for rank, write in enumerate(each.writes):
                if write is not None and (rank, write.step) not in seen:
                    seen.add((rank, write.step))
                    x, y = axis.x(scene.alignment.position_of(rank, write.step)), _y(rank)
                    yield path(_disc(x, y, 7), _always(axis, "differs-ground"))
                    yield path(
                        f"M{coordinate(x)} {coordinate(y)}m-3.5 -1.6h7m-7 3.2h7m-1.5 -5.6l-4 8",
                        _always(axis, "differs-sign"),
                    )


def _raises(scene: RanksScene, axis: Axis) -> Iterator[Mark]:
    """A cross where an exception ends a rank."""
    for position, errors in scene.raising.items():
        x = coordinate(axis.x(position))
        for rank in errors:
            yield path(f"M{x} {coordinate(_y(rank))}m-5 -5l10 10m0 -10l-10 10", _always(axis, "versions blamed"))


def _lines(scene: RanksScene, axis: Axis, y: float) -> Iterator[Mark]:
    """The line numbers of the program along the axis, where there is room."""
    yield text(LEFT - 12, y, _always(axis, "text tiny end", words.STEP_AXIS))
    edge, before = -1e9, None
    for position, here in enumerate(scene.alignment.positions):
        rank = next(rank for rank in scene.ranks if here[rank] is not None)
        line = scene.step_line(position, rank)
        x = axis.x(position)
        if line is not None and line != before and x >= edge:
            yield text(x, y, _always(axis, "text tiny middle", str(line)))
            edge = x + 18
        before = line


def _descriptions(scene: RanksScene) -> tuple[tuple[int, Text], ...]:
    links = [each.position for each in scene.alignment.links]
    count = len(scene.alignment.positions)
    return tuple(
        (k, AXIS_SAYS.format(k + 1, count, sum(each <= k for each in links), len(links))) for k in range(count)
    )


_WIDTH = 848.0
_MOST_BESIDE = 2
_LINE = 18.0


def ranks_picture(scene: RanksScene, position: int, language: str) -> str:
    """Returns a position as an SVG picture, 848 px wide."""
    parts = [
        text_at(
            PAD,
            PAD + 14,
            "text headline",
            shortened(_plain(scene.conclusion, language), _WIDTH - 2 * PAD, 17),
            language,
        )
    ]
    y = PAD + 30
    told = scene.told(position)
    clause = "" if told.clause == scene.conclusion else _plain(told.clause, language)  # the same is said once
    for line in wrapped(f"{clause}  {_plain(told.detail, language)}".strip(), _WIDTH - 2 * PAD, NORMAL):
        parts.append(text_at(PAD, y + 10, "text", line, language))
        y += _LINE
    panel = ranks_panel(scene)
    parts.append(placed(panel_at(panel, position, language), PAD, y + 4, (_WIDTH - 2 * PAD) / panel.width))
    y += panel.height + 12
    parts.append(rule(y, _WIDTH))
    beside = min(len(scene.scenes), _MOST_BESIDE)
    width = (_WIDTH - (beside + 1) * PAD) / beside
    for first in range(0, len(scene.scenes), beside):
        heights = []
        for column, rank in enumerate(range(first, min(first + beside, len(scene.scenes)))):
            drawn, height = _frame(scene, position, rank, width, language)
            parts.append(placed(drawn, PAD + column * (width + PAD), y + 10))
            heights.append(height)
        y += max(heights) + 18
    return document((_WIDTH, y + 4), parts, scene.title, ranks_said(scene, position, language))


def ranks_said(scene: RanksScene, position: int, language: str) -> str:
    """Returns what it comes to, and what happens at a position, in words."""
    told = scene.told(position)
    stop = {"en": ". ", "zh": "。"}[language]
    clauses = dict.fromkeys(_plain(each, language) for each in (scene.conclusion, told.clause))  # the same is said once
    return ("".join(each + stop for each in clauses) + _plain(told.detail, language)).strip()


def _plain(text: Text, language: str) -> str:
    return unquoted(text).in_language(language)


def _frame(scene: RanksScene, position: int, rank: int, width: float, language: str) -> tuple[str, float]:
    """A rank's name, what it does, and its storages; and the height."""
    step = scene.alignment.reached[position][rank]
    waiting = scene.waiting(position, rank)
    name = text_at(0, 14, "text bold", RANK.format(rank), language)
    if step is None:
        return name + text_at(0, 32, "text soft", _plain(NOT_BEGUN.format(rank), language), language), 40.0
    now = scene.scenes[rank].recording.steps[step]
    line = Text("", "") if now.place is None else line_of(scene.scenes[rank].recording, now.place)
    does = waiting or (Text(now.op, now.op) if now.op else line)
    where = f" · {line.in_language(language)}" if line.en else ""
    told = shortened(f"{_plain(does, language)}{where if waiting is None and now.op else ''}", width - 70, SMALL)
    parts = [name, text_at(70, 14, "text soft" if waiting else "text", told, language)]
    panel = outlined(scene.scenes[rank].storages, scene.outlines(position, rank))
    drawn = scene.drawn(position, rank)
    chosen = [group for group in panel.groups if group.key in drawn and group.is_there(step)]
    scale = min(1.0, width / panel.width)
    y = 24.0
    for group in chosen[:3]:
        parts.append(placed(group_at(group, step, language), 0, y, scale))
        y += scale * group.height + 8
    return "".join(parts), y
