"""Cuts a panel down to one step: what is sent with a widget, so that the first picture need not wait for the others.

The marks of the other steps are missing, but their room is not: the storages of the steps that need most room are kept, without marks,
so that the player divides its room as it will for all steps.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace

from inplacelab.language import Text
from inplacelab_widgets.scene.axis import WIDTH
from inplacelab_widgets.scene.marks import Group, Mark, Panel, drawn_together, flowed

MOST_CHIPS = 100
"""The most storages that are named though they are not drawn: a pane has room for fewer, and a hundred take 4 kB."""
_NEVER = ((-1, -1),)
_ROOMS = (320, 440, 520, 560, 600, 660, 760, 900, 1100, 1400, 1800)
"""Widths that a page may have for the storages, in px: which step needs most height depends on it."""


def at_step(panel: Panel, step: int) -> Panel:
    """Returns a panel with the marks of one step, which look as they do in the whole panel at that step.

    Args:
        panel: the panel over all steps.
        step: the step.
    """
    kept = _kept(panel, step)
    named = sum(each.is_drawn(step) for each in panel.shelf) <= MOST_CHIPS
    return replace(
        panel,
        height=panel.more.note.y if panel.more else panel.height,
        groups=_cut(panel.groups, kept, step),
        # Its heading stays, unseen: a player moves the storages of a panel with a shelf together.
        shelf=(_cut(panel.shelf, kept, step) if named else ())
        or tuple(replace(each, open=_NEVER) for each in panel.shelf[:1]),
        says=_at(panel.says, step),
        notes=_at(panel.notes, step),
        more=None,
        opened=None,
    )


def empty(name: str) -> Panel:
    """Returns a panel that is not to be seen in the first picture."""
    return Panel(name, WIDTH, 1, (), ((0, Text("", "")),))


def _kept(panel: Panel, step: int) -> set[int]:
    """The steps whose groups are kept: that of the picture; and if the groups are moved together, the one that needs most room."""
    if not panel.shelf:
        return {step}
    together: dict[
        tuple[tuple[float, float], ...], int
    ] = {}  # in a loop the same storages are together again and again
    for at, drawn in drawn_together(panel.groups):
        together.setdefault(tuple([(each.width, each.height) for each in drawn]), at)
    if not together:
        return {step}

    def highest(room: float) -> int:
        return together[max(together, key=lambda boxes: flowed(boxes, room)[1])]

    return {step, *map(highest, _ROOMS)}


def _cut(groups: Sequence[Group], kept: set[int], step: int) -> tuple[Group, ...]:
    found = {id(group) for group in groups if any(map(group.is_drawn, kept))} | _largest(groups)
    return tuple(
        replace(
            group,
            marks=tuple(_marks(group, step)),
            alone=None,
            open=tuple((each, each) for each in sorted(kept) if group.is_drawn(each)) or _NEVER,
        )
        for group in groups
        if id(group) in found
    )


def _largest(groups: Sequence[Group]) -> set[int]:
    """The widest and the highest of the storages that share a row; those with a shelf share the whole panel."""
    found: dict[tuple[int | None, str], Group] = {}
    for group in groups:
        if group.row is not None:
            for way in ("width", "height"):
                key = (None if group.open else group.row, way)
                if key not in found or getattr(group, way) > getattr(found[key], way):
                    found[key] = group
    return {id(group) for group in found.values()}


def _marks(group: Group, step: int) -> Iterator[Mark]:
    """The marks that are there at a step, each with the look that it has then."""
    for mark in group.marks_at(step) if group.is_drawn(step) else ():
        place = bisect_right(mark.runs, step, key=lambda run: run[0])
        if place and mark.runs[place - 1][1] is not None:
            yield mark._replace(runs=mark.runs[place - 1 : place])


def _at(words: tuple[tuple[int, Text], ...], step: int) -> tuple[tuple[int, Text], ...]:
    """The words at a step, as if they were there from the beginning."""
    place = bisect_right(words, step, key=lambda run: run[0])
    return tuple((0, then) for _, then in words[max(place - 1, 0) : max(place, 1)])
