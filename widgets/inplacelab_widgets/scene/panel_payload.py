"""Encodes panels and tables as plain data for the player.

Repeated texts, styles, moving attributes and looks are stored once and referred to by position, since the recording of a
training loop repeats them a thousand times. `player/runs.js` documents the same shapes as JSDoc types.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import astuple
from functools import lru_cache
from typing import Any

from inplacelab.language import Text
from inplacelab_widgets.scene.marks import Group, Look, Mark, More, Panel, Runs, Words
from inplacelab_widgets.scene.predict_question import in_both_languages

Json = dict[str, Any]
_GONE = -1


class _Pool:
    """Values without repeats, each referred to by its position."""

    def __init__(self, pack: Callable[[Any], Any]) -> None:
        self.values: list[Any] = []
        self._pack = pack
        self._positions: dict[Hashable, int] = {}

    def position(self, value: Hashable) -> int:
        found = self._positions.get(value)
        if found is None:
            packed = self._pack(value)
            found = self._positions[value] = len(self.values)
            self.values.append(packed)
        return found


class Pools:
    """Encodes panels and tables, and stores what they refer to."""

    def __init__(self) -> None:
        self._words = _Pool(in_both_languages)
        self._styles = _Pool(lambda style: " ".join(f"ipl-{name}" for name in style.split()))
        self._moves = _Pool(lambda moves: {key: _number(value) for key, value in moves})
        self._looks = _Pool(self._look)
        self._known: dict[int, list[int]] = {}

    def packed(self) -> Json:
        """Returns the values that panels and tables refer to."""
        return {
            "said": self._words.values,
            "styles": self._styles.values,
            "moves": self._moves.values,
            "looks": self._looks.values,
        }

    def says(self, words: Words) -> int:
        """Returns the position of a text."""
        return self._words.position(words)

    def panel(self, panel: Panel) -> Json:
        """Encodes a panel over all steps."""
        size = {"name": panel.name, "width": panel.width, "height": panel.height}
        notes: Json = {"notes": self._packed_runs(panel.notes)} if panel.notes else {}
        groups = {"groups": [packed for group in panel.groups for packed in self._unfolded(group, panel.more)]}
        if panel.more:
            size["height"] = panel.more.note.y
            notes["unfolds"] = {"says": in_both_languages(panel.more.says), "height": panel.more.height}
        if panel.opened:
            notes["unfolds"] = {"says": in_both_languages(panel.opened.says)}
            notes["opened"] = self.panel(panel.opened.panel)
        shelf = {"shelf": [self._group(chip) for chip in panel.shelf]} if panel.shelf else {}
        return {**size, **notes, "says": self._packed_runs(panel.says), **groups, **shelf}

    def table(
        self, title: Text, columns: Iterable[Words], changes: Iterable[tuple[int, str, tuple[Words, ...] | None]]
    ) -> Json:
        """Encodes a table over all steps.

        Args:
            title: its caption.
            columns: its headings.
            changes: (step, key of a row, its cells from then on), in order of steps; None for the cells of a removed row.
        """
        rows: dict[str, list[Any]] = {}
        for step, key, cells in changes:
            self._add_row(rows.setdefault(key, []), step, cells)
        return {
            "title": in_both_languages(title),
            "columns": [in_both_languages(column) for column in columns],
            "rows": rows,
        }

    def _packed_runs(self, words: tuple[tuple[int, Text], ...]) -> list[int]:
        """Encodes texts as [step, text, step, text, ...], with an entry for each change."""
        packed: list[int] = []
        for step, words_then in words:
            position = self.says(words_then)
            if not packed or packed[-1] != position:
                packed += [step, position]
        return packed

    def _unfolded(self, group: Group, more: More | None) -> Iterable[Json]:
        """Encodes a group; instead of the note of folded groups, these groups."""
        if more is None or group is not more.note:
            return [self._group(group)]
        return [self._group(hidden) | {"folded": True} for hidden in more.groups]

    def _group(self, group: Group) -> Json:
        place: Json = {"x": _number(group.x), "y": _number(group.y), "height": _number(group.height)}
        place |= {"width": _number(group.width), "first": group.first, "last": group.last}
        if group.is_fixed:
            place["fixed"] = True
        if group.block:
            row, width, height, cards, count, pitch = astuple(group.block)
            place |= {"row": row, "memory": [_number(width), _number(height)]}
            place["cards"] = [*map(_number, cards), count, _number(pitch)]
        if group.key:
            place["key"] = group.key
        if group.open:
            place |= {"open": [step for span in group.open for step in span]}
        return {**place, "marks": [self._mark(mark) for mark in group.marks]}

    def _mark(self, mark: Mark) -> list[Any]:
        """Encodes a mark as [tag, place, [step, look, ...], keys, links, card], without empty items at the end."""
        place = {key: _number(value) for key, value in mark.place}
        runs = self._runs(mark.runs)
        if mark.card:
            return [mark.tag, place, runs, " ".join(mark.keys), " ".join(mark.links), mark.card]
        if mark.links:
            return [mark.tag, place, runs, " ".join(mark.keys), " ".join(mark.links)]
        if mark.keys:
            return [mark.tag, place, runs, " ".join(mark.keys)]
        return [mark.tag, place, runs] if runs else [mark.tag, place]

    def _runs(self, runs: Runs) -> list[int]:
        """Encodes looks as [step, look, step, look, ...]. Many marks share runs, such as the slots of a storage."""
        found = self._known.get(id(runs))  # the scene keeps all runs alive, so identities are unique
        if found is None:
            found = self._known[id(runs)] = []
            for step, look in runs:
                found += (step, _GONE if look is None else self._looks.position(look))
        return found

    def _look(self, look: Look) -> list[int]:
        """Encodes a look as the positions [style, text, moves]."""
        style = self._styles.position(look.style)
        words = _GONE if look.text is None else self.says(look.text)
        if look.attributes:
            return [style, words, self._moves.position(look.attributes)]
        return [style] if words == _GONE else [style, words]

    def _add_row(self, runs: list[Any], step: int, cells: tuple[Words, ...] | None) -> None:
        """Adds an entry to a row, which is [[step, cells or null], ...], if the cells have changed."""
        here = None if cells is None else [self.says(cell) for cell in cells]
        if runs and runs[-1][0] == step:
            runs.pop()
        if here != (runs[-1][1] if runs else None):
            runs.append([step, here])


@lru_cache(maxsize=1 << 14)
def _number(value: str | float) -> str | float:
    """Returns a coordinate as a number, rounded as by `measure.coordinate`."""
    if isinstance(value, str):
        return value
    short = round(value, 1)
    return int(short) if short == int(short) else short
