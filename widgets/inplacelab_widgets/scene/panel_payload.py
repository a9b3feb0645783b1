"""Packs panels and tables as plain data for the player.

Repeated values (words, styles, moving attributes, looks) are stored once and referred to by position, since a recording of
a training loop repeats the same words a thousand times. `player/runs.js` documents the same shapes as JSDoc types.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import lru_cache
from itertools import pairwise
from typing import Any

from inplacelab.language import Text
from inplacelab_widgets.scene.marks import Group, Look, Mark, More, Panel, Runs
from inplacelab_widgets.scene.measure import Words
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
    """Packs panels and tables, and stores the values that they refer to."""

    def __init__(self) -> None:
        self._words = _Pool(in_both_languages)
        self._styles = _Pool(lambda style: " ".join(f"ipl-{name}" for name in style.split()))
        self._moves = _Pool(lambda moves: {key: _number(value) for key, value in moves})
        self._looks = _Pool(self._look)
        self._known: dict[int, tuple[Runs, list[int]]] = {}

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
        if panel.opened:
            notes["unfolds"] = {"says": in_both_languages(panel.opened.says)}
            notes["opened"] = self.panel(panel.opened.panel)
        shelf = {"shelf": [self._group(chip) for chip in panel.shelf]} if panel.shelf else {}
        copies = (
            {"copies": [[each.step, [*each.source], [*each.target]] for each in panel.copies]} if panel.copies else {}
        )
        return {**size, **notes, "says": self._packed_runs(panel.says), **groups, **shelf, **copies}

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
        for step, words_then in words:
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
        if group.row is not None:
            place["row"] = group.row
        if group.key:
            place["key"] = group.key
        if group.open:
            # As distances, which repeat from turn to turn of a loop, so that they are compressed well.
            steps = [step for span in group.open for step in span]
            place |= {"open": [steps[0], *(after - step for step, after in pairwise(steps))]}
        return {**place, "marks": [self._mark(mark) for mark in group.marks]}

    def _mark(self, mark: Mark) -> list[Any]:
        """[tag, place, [step, look, step, look, ...], keys, links], without what is empty at the end."""
        place = {key: _number(value) for key, value in mark.place}
        runs = self._runs(mark.runs)
        if mark.links:
            return [mark.tag, place, runs, " ".join(mark.keys), " ".join(mark.links)]
        if mark.keys:
            return [mark.tag, place, runs, " ".join(mark.keys)]
        return [mark.tag, place, runs] if runs else [mark.tag, place]

    def _runs(self, runs: Runs) -> list[int]:
        """[step, look, step, look, ...]. Many marks share their runs, such as the slots of a storage."""
        _, found = self._known.get(id(runs), (runs, None))
        if found is None:
            found = []
            self._known[id(runs)] = runs, found  # kept alive, so that no other runs get this id
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


@lru_cache(maxsize=1 << 14)
def _number(value: str | float) -> str | float:
    """A coordinate as a number, rounded as `measure.coordinate` does."""
    if isinstance(value, str):
        return value
    short = round(value, 1)
    return int(short) if short == int(short) else short
