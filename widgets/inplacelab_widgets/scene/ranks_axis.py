"""Draws the axis of several ranks: a lane for each, the steps on it, and collectives as links between the lanes.

A step is a tick, an in-place write a dot. A collective is a bar across the lanes of its ranks, with a bead on each. Where a parameter has drifted apart,
the writes that differ have the sign of what is not equal, and the lane of a rank that has other values than rank 0 is dashed from there on.
"""

from __future__ import annotations

from collections.abc import Iterator

from inplacelab.language import Text
from inplacelab_widgets import words
from inplacelab_widgets.scene.ranks import RanksScene
from inplacelab_widgets.scene.svg import Group, Look, Mark, Panel, Runs, between, path, text
from inplacelab_widgets.scene.text_layout import SMALL, coordinate, width_of
from inplacelab_widgets.scene.timeline import LEFT, WIDTH, Axis, cursor_marks

__all__ = ["ranks_panel"]

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


def _always(axis: Axis, style: str, said: str | Text | None = None) -> Runs:
    return between(0, axis.steps - 1, Look(style, said))


def _lanes(scene: RanksScene, axis: Axis) -> Iterator[Mark]:
    """A line for each rank, dashed from where a parameter has other values than on rank 0."""
    for rank in scene.ranks:
        yield text(0, _y(rank) + 4, _always(axis, "text bold", words.RANK.format(rank)))
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
        (k, words.AXIS_SAYS.format(k + 1, count, sum(each <= k for each in links), len(links))) for k in range(count)
    )
