"""Packs panels and tables as plain data for the player.

Repeated values (words, styles, moving attributes, looks) are stored once and referred to by position, since a recording of
a training loop repeats the same words a thousand times. `player/runs.js` documents the same shapes as JSDoc types.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import astuple
from functools import lru_cache
from typing import Any

from inplacelab.language import Text
from inplacelab_widgets.scene.marks import Group, Look, Mark, More, Panel, Runs, Words
from inplacelab_widgets.scene.predict_question import in_both_languages

Json = dict[str, Any]
_GONE = -1


class _Pool:
    """Values without repeats, each identified by its position."""

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
    """Packs panels and tables, and stores the values that they refer to. `only`: the step to pack alone; all steps if None."""

    def __init__(self, only: int | None = None) -> None:
        self._only = only
        self._words = _Pool(in_both_languages)
        self._styles = _Pool(lambda style: " ".join(f"ipl-{name}" for name in style.split()))
        self._moves = _Pool(lambda moves: {key: _number(value) for key, value in moves})
        self._looks = _Pool(self._look)
        self._known: dict[int, list[int]] = {}

    def packed(self) -> Json:
        """Returns the values that the panels and tables refer to."""
        return {
            "said": self._words.values,
            "styles": self._styles.values,
            "moves": self._moves.values,
            "looks": self._looks.values,
        }

    def says(self, words: Words) -> int:
        """Returns the position of words."""
        return self._words.position(words)

    def panel(self, panel: Panel) -> Json:
        """Packs a panel over all steps."""
        size = {"name": panel.name, "width": panel.width, "height": panel.height}
        notes: Json = {"notes": self._packed_runs(panel.notes)} if panel.notes else {}
        groups = {"groups": [packed for group in panel.groups for packed in self._unfolded(group, panel.more)]}
        if panel.more:
            size["height"] = panel.more.note.y
            notes["unfolds"] = {"says": in_both_languages(panel.more.says), "height": panel.more.height}
        if panel.opened and self._only is None:
            notes["unfolds"] = {"says": in_both_languages(panel.opened.says)}
            notes["opened"] = self.panel(panel.opened.panel)
        shelf = {"shelf": [self._group(chip) for chip in panel.shelf]} if panel.shelf else {}
        return {**size, **notes, "says": self._packed_runs(panel.says), **groups, **shelf}

    def table(
        self, title: Text, columns: Iterable[Words], changes: Iterable[tuple[int, str, tuple[Words, ...] | None]]
    ) -> Json:
        """Packs a table over all steps.

        Args:
            title: its caption.
            columns: their heads.
            changes: in order of steps: the step, the key of a row, and its cells from then on; None if the row ends.
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
        """[step, words, step, words, ...], with an entry wherever they change."""
        packed: list[int] = []
        for step, words_then in words if self._only is None else _at(words, self._only):
            position = self.says(words_then)
            if not packed or packed[-1] != position:
                packed += [step, position]
        return packed

    def _unfolded(self, group: Group, more: More | None) -> Iterable[Json]:
        """A group; the note about folded groups is replaced by these groups."""
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
        return {**place, "marks": self._marks(group)}

    def _marks(self, group: Group) -> list[Any]:
        if self._only is None:
            return [self._mark(mark) for mark in group.marks]
        looks = ((mark, mark.at(self._only)) for mark in group.marks) if group.is_drawn(self._only) else ()
        return [self._mark(mark._replace(runs=((self._only, look),))) for mark, look in looks if look is not None]

    def _mark(self, mark: Mark) -> list[Any]:
        """[tag, place, [step, look, step, look, ...], keys, links, card], without what is empty at the end."""
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
        """[step, look, step, look, ...]. Many marks share their runs, such as the slots of a storage."""
        found = self._known.get(id(runs)) if self._only is None else None
        if found is None:
            found = []
            if self._only is None:  # the scene keeps all runs alive, so ids are unique
                self._known[id(runs)] = found
            for step, look in runs:
                found += (step, _GONE if look is None else self._looks.position(look))
        return found

    def _look(self, look: Look) -> list[int]:
        """[style, words, moves], each a position."""
        style = self._styles.position(look.style)
        words = _GONE if look.text is None else self.says(look.text)
        if look.attributes:
            return [style, words, self._moves.position(look.attributes)]
        return [style] if words == _GONE else [style, words]

    def _add_row(self, runs: list[Any], step: int, cells: tuple[Words, ...] | None) -> None:
        """A row as [[step, cells or null], ...], with an entry wherever something changes."""
        here = None if cells is None else [self.says(cell) for cell in cells]
        if runs and runs[-1][0] == step:
            runs.pop()
        if here != (runs[-1][1] if runs else None):
            runs.append([step, here])


def _at(words: Sequence[tuple[int, Text]], step: int) -> list[tuple[int, Text]]:
    """The words at a step, as if they were there from the beginning."""
    place = bisect_right(words, step, key=lambda run: run[0])
    return [(0, then) for _, then in words[max(place - 1, 0) : place]]


@lru_cache(maxsize=1 << 14)
def _number(value: str | float) -> str | float:
    """A coordinate as a number, rounded as `measure.coordinate` does."""
    if isinstance(value, str):
        return value
    short = round(value, 1)
    return int(short) if short == int(short) else short
