"""A scene as plain data for the player: marks with their runs, sentences, tables and words in both languages.

What repeats (words, styles, moving attributes, looks) is stored once and referred to by its position, since a recording
of a training loop says the same things a thousand times. `player.js` documents the same shapes as JSDoc types.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from inplacelab.language import Text
from inplacelab_widgets import words
from inplacelab_widgets.scene import Scene
from inplacelab_widgets.scene.axis import LEFT, Axis
from inplacelab_widgets.scene.code import source_lines
from inplacelab_widgets.scene.marks import Group, Look, Mark, Panel, Words
from inplacelab_widgets.scene.measure import coordinate
from inplacelab_widgets.scene.tables import Row, Table, tables

Json = dict[str, Any]
_GONE = -1


def payload(scene: Scene) -> Json:
    """Everything that the player needs to play a recording without a kernel."""
    return _Packer(scene).packed()


class _Pool:
    """Values without repeats, each known by its position."""

    def __init__(self, pack: Callable[[Any], Any]) -> None:
        self.values: list[Any] = []
        self._pack = pack
        self._positions: dict[Hashable, int] = {}

    def position(self, value: Hashable) -> int:
        if value not in self._positions:
            packed = self._pack(value)
            self._positions[value] = len(self.values)
            self.values.append(packed)
        return self._positions[value]


class _Packer:
    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.said = _Pool(_spoken)
        self.styles = _Pool(lambda style: " ".join(f"ipl-{name}" for name in style.split()))
        self.moves = _Pool(lambda moves: {key: _number(value) for key, value in moves})
        self.looks = _Pool(self._look)

    def packed(self) -> Json:
        scene, recording = self.scene, self.scene.recording
        steps = [self._step(index) for index in range(len(recording))]
        panels = [self._panel(panel) for panel in (scene.storages, scene.graph, scene.lanes, scene.memory)]
        return {
            "title": recording.title,
            "simulated": recording.simulated,
            "truncated": recording.truncated,
            "source": source_lines(recording),
            "axis": {"left": LEFT, "spacing": Axis(len(recording)).spacing},
            "words": {key: _spoken(said) for key, said in words.PLAYER.items()},
            # A program that asks for no gradient has no graph to look at first.
            "opens": "graph" if any(state.nodes for state in recording.states()) else "history",
            "steps": steps,
            "panels": panels,
            "tables": self._tables(),
            "said": self.said.values,
            "styles": self.styles.values,
            "moves": self.moves.values,
            "looks": self.looks.values,
        }

    def _step(self, index: int) -> Json:
        step = self.scene.recording.steps[index]
        return {
            "line": step.line,
            "phase": step.phase,
            "error": step.error is not None,
            "stop": index in self.scene.interesting,
            "says": _spoken(self.scene.sentences[index]),
        }

    def _panel(self, panel: Panel) -> Json:
        says: list[int] = []
        for step, said in panel.says:
            position = self.said.position(said)
            if not says or says[-1] != position:
                says += [step, position]
        size = {"name": panel.name, "width": panel.width, "height": panel.height}
        return {**size, "says": says, "groups": [self._group(group) for group in panel.groups]}

    def _group(self, group: Group) -> Json:
        place = {"x": _number(group.x), "y": _number(group.y), "first": group.first, "last": group.last}
        return {**place, "marks": [self._mark(mark) for mark in group.marks]}

    def _mark(self, mark: Mark) -> list[Any]:
        """[tag, place, [step, look, step, look, ...], keys, links], without what is empty at the end."""
        place = {key: _number(value) for key, value in mark.place}
        runs = [number for step, look in mark.runs for number in (step, self._position(look))]
        return _trimmed([mark.tag, place, runs, " ".join(mark.keys), " ".join(mark.links)], "")

    def _position(self, look: Look | None) -> int:
        return _GONE if look is None else self.looks.position(look)

    def _look(self, look: Look) -> list[int]:
        """[style, words, moves], each the position of what it names."""
        said = _GONE if look.text is None else self.said.position(look.text)
        moves = self.moves.position(look.attributes) if look.attributes else _GONE
        return _trimmed([self.styles.position(look.style), said, moves], _GONE)

    def _tables(self) -> list[Json]:
        packed: list[Json] = []
        for state in self.scene.recording.states():
            for position, table in enumerate(tables(self.scene.recording, state)):
                if position == len(packed):
                    packed.append(self._table(table))
                self._add_rows(packed[position]["rows"], state.step.index, table.rows)
        return packed

    def _table(self, table: Table) -> Json:
        return {"title": _spoken(table.title), "columns": [_spoken(column) for column in table.columns], "rows": {}}

    def _add_rows(self, rows: dict[str, list[Any]], step: int, now: tuple[Row, ...]) -> None:
        """Rows as {key: [[step, cells or null], ...]}, with an entry wherever something changes."""
        here = {key: [self.said.position(cell) for cell in cells] for key, cells in now}
        for key, runs in rows.items():
            if key not in here and runs[-1][1] is not None:
                runs.append([step, None])
        for key, cells in here.items():
            runs = rows.setdefault(key, [])
            if not runs or runs[-1][1] != cells:
                runs.append([step, cells])


def _trimmed(packed: list[Any], empty: Any) -> list[Any]:
    while packed[-1] in (empty, []):
        packed.pop()
    return packed


def _number(value: str | float) -> str | float:
    return value if isinstance(value, str) else float(coordinate(value))


def _spoken(said: Words) -> Any:
    """A pair where the languages differ, one string where they do not."""
    if isinstance(said, Text):
        return said.en if said.en == said.zh else [said.en, said.zh]
    return said
