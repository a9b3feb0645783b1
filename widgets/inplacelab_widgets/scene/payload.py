"""A scene as plain data for the player: marks with their runs, sentences, tables and words in both languages.

What repeats (words, styles, moving attributes, looks) is stored once and referred to by its position, since a recording
of a training loop says the same things a thousand times. `player/runs.js` documents the same shapes as JSDoc types.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import astuple
from functools import lru_cache
from typing import Any

from inplacelab.language import Text
from inplacelab.recording.frameworks import framework_of
from inplacelab.recording.quiz import Question
from inplacelab.recording.trace import Marked, trace
from inplacelab_widgets import words
from inplacelab_widgets.scene import PANELS, Scene, panels_of
from inplacelab_widgets.scene.asked import asked, spoken
from inplacelab_widgets.scene.axis import LEFT, RIGHT, Axis
from inplacelab_widgets.scene.code import source_lines
from inplacelab_widgets.scene.focus import Thread, threads
from inplacelab_widgets.scene.links import links
from inplacelab_widgets.scene.marks import Group, Look, Mark, More, Panel, Runs, Words
from inplacelab_widgets.scene.names import unquoted
from inplacelab_widgets.scene.pages import pages
from inplacelab_widgets.scene.tables import table_changes, tables, told_by

Json = dict[str, Any]
_GONE = -1


def payload(scene: Scene, questions: Sequence[Question] = (), *, panels: Sequence[str] | None = None) -> Json:
    """Everything that the player needs to play a recording without a kernel.

    Args:
        scene: the picture over all steps.
        questions: what predict mode asks.
        panels: which of `scene.PANELS` are shown, and "code" for the program's lines; all that the recording has if not given.
    """
    return _Packer(scene, panels_of(scene.recording) if panels is None else panels).packed() | {
        "predict": [asked(scene.recording, each) for each in questions]
    }


class _Pool:
    """Values without repeats, each known by its position."""

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


class _Packer:
    def __init__(self, scene: Scene, panels: Sequence[str]) -> None:
        self.scene = scene
        self.shown = panels
        self.said = _Pool(spoken)
        self.styles = _Pool(lambda style: " ".join(f"ipl-{name}" for name in style.split()))
        self.moves = _Pool(lambda moves: {key: _number(value) for key, value in moves})
        self.looks = _Pool(self._look)
        self.runs: dict[int, list[int]] = {}
        self.changes = table_changes(scene.recording)

    def packed(self) -> Json:
        scene, recording, framework = self.scene, self.scene.recording, framework_of(self.scene.recording)
        steps = [self._step(index) for index in range(len(recording))]
        panels = [self._panel(scene.panel(name)) for name in PANELS if name in self.shown]
        return {
            "title": recording.title,
            "simulated": recording.simulated,
            "truncated": recording.truncated,
            "source": source_lines(recording) if "code" in self.shown else [],
            "axis": {"left": LEFT, "right": RIGHT, "spacing": Axis(len(recording)).spacing},
            "keys": [[spoken(keys), spoken(does)] for keys, does in words.keys_for(framework)],
            "words": {
                key: spoken(said)
                for key, said in (
                    words.player_for(framework) | words.LINKS | words.PREDICT | words.FOLLOW | words.LENSES
                ).items()
            },
            # A program that asks for no gradient has no graph to look at first.
            "opens": "graph" if any(state.nodes for state in recording.states()) else "history",
            "steps": steps,
            "panels": panels,
            "pages": pages(recording) if "storages" in self.shown else [],
            "elsewhere": self._elsewhere(),
            "threads": [_thread(thread) for thread in threads(recording)],
            "tables": self._tables(),
            **links(recording, self.said.position),
            "said": self.said.values,
            "styles": self.styles.values,
            "moves": self.moves.values,
            "looks": self.looks.values,
        }

    def _step(self, index: int) -> Json:
        steps = self.scene.recording.steps
        step, after = steps[index], steps[index + 1] if index + 1 < len(steps) else None
        marked = [self._marked(each) for each in trace(self.scene.recording, index)] if "code" in self.shown else []
        return {
            "line": step.line,
            **({"marked": marked} if marked else {}),
            "ends": after is None or (after.line, after.turn) != (step.line, step.turn),
            "phase": step.phase,
            "error": step.error is not None,
            "stop": index in self.scene.interesting,
            "says": self.said.position(self.scene.sentences[index]),
        }

    def _marked(self, marked: Marked) -> list[Any]:
        """[line, role, brief, says, first and past the last column]."""
        brief, says = (self.said.position(each) for each in (marked.brief, unquoted(marked.says)))
        return [marked.line, marked.role, brief, says, *self._columns(marked)]

    def _columns(self, marked: Marked) -> list[int]:
        """The part of a line that is meant, in the line as it is shown."""
        lines = self.scene.recording.source.split("\n")
        if marked.span is None or marked.line > len(lines):
            return []
        return [len(lines[marked.line - 1][:column].expandtabs(4)) for column in marked.span]

    def _elsewhere(self) -> dict[str, str]:
        """What things are linked to in the panels that are not shown: a view follows what is kept lit in another one."""
        found: dict[str, dict[str, None]] = {}
        for name in PANELS:
            if name in self.shown:
                continue
            for group in self.scene.panel(name).groups:
                for mark in group.marks:
                    # What shares a slot or an element is known from the layouts.
                    if mark.links and mark.keys and _is_thing(mark.keys[0]):
                        found.setdefault(mark.keys[0], {}).update(dict.fromkeys(mark.links))
        return {key: " ".join(links) for key, links in found.items()}

    def _panel(self, panel: Panel) -> Json:
        size = {"name": panel.name, "width": panel.width, "height": panel.height}
        notes: Json = {"notes": self._told(panel.notes)} if panel.notes else {}
        groups = {"groups": [packed for group in panel.groups for packed in self._unfolded(group, panel.more)]}
        if panel.more:
            size["height"] = panel.more.note.y
            notes["unfolds"] = {"says": spoken(panel.more.says), "height": panel.more.height}
        if panel.opened:
            notes["unfolds"] = {"says": spoken(panel.opened.says)}
            notes["opened"] = self._panel(panel.opened.panel)
        shelf = {"shelf": [self._group(chip) for chip in panel.shelf]} if panel.shelf else {}
        return {**size, **notes, "says": self._told(panel.says), **groups, **shelf}

    def _told(self, said: tuple[tuple[int, Text], ...]) -> list[int]:
        """[step, words, step, words, ...], with an entry wherever they change."""
        told: list[int] = []
        for step, words_then in said:
            position = self.said.position(words_then)
            if not told or told[-1] != position:
                told += [step, position]
        return told

    def _unfolded(self, group: Group, more: More | None) -> Iterable[Json]:
        """A group; in place of the note that something is folded, what is folded."""
        if more is None or group is not more.note:
            return [self._group(group)]
        return [self._group(hidden) | {"folded": True} for hidden in more.groups]

    def _group(self, group: Group) -> Json:
        place: Json = {"x": _number(group.x), "y": _number(group.y), "height": _number(group.height)}
        place |= {"width": _number(group.width), "first": group.first, "last": group.last}
        if group.is_fixed:
            place["fixed"] = True
        if group.block:
            row, width, height, cards, count = astuple(group.block)
            place |= {"row": row, "memory": [_number(width), _number(height)]}
            place["cards"] = [*map(_number, cards), count]
        if group.key:
            place["key"] = group.key
        if group.open:
            place |= {"open": [step for span in group.open for step in span]}
        return {**place, "marks": [self._mark(mark) for mark in group.marks]}

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
        """[step, look, step, look, ...]. Many marks share their runs: the slots of a storage, what follows the steps."""
        found = self.runs.get(id(runs))  # the scene keeps them all, so that no other one can have this identity
        if found is None:
            found = self.runs[id(runs)] = []
            for step, look in runs:
                found += (step, _GONE if look is None else self.looks.position(look))
        return found

    def _look(self, look: Look) -> list[int]:
        """[style, words, moves], each the position of what it names."""
        style = self.styles.position(look.style)
        said = _GONE if look.text is None else self.said.position(look.text)
        if look.attributes:
            return [style, said, self.moves.position(look.attributes)]
        return [style] if said == _GONE else [style, said]

    def _tables(self) -> list[Json]:
        recording = self.scene.recording
        packed = []
        for table in told_by(self.shown, tables(recording, recording.state(0))):
            rows: dict[str, list[Any]] = {}
            for step, key, cells in self.changes[table.name]:
                self._add_row(rows.setdefault(key, []), step, cells)
            columns = [spoken(column) for column in table.columns]
            packed.append({"title": spoken(table.title), "columns": columns, "rows": rows})
        return packed

    def _add_row(self, runs: list[Any], step: int, cells: tuple[Words, ...] | None) -> None:
        """A row as [[step, cells or null], ...], with an entry wherever something changes."""
        here = None if cells is None else [self.said.position(cell) for cell in cells]
        if runs and runs[-1][0] == step:
            runs.pop()
        if here != (runs[-1][1] if runs else None):
            runs.append([step, here])


def _is_thing(key: str) -> bool:
    return key.startswith("p") or ":" not in key


def _thread(thread: Thread) -> Json:
    storages = " ".join(f"s{storage}" for storage in thread.storages)
    return {"name": thread.name, "storages": storages, "keys": " ".join(thread.keys), "stops": list(thread.stops)}


@lru_cache(maxsize=1 << 14)
def _number(value: str | float) -> str | float:
    """A coordinate as a number: what `measure.coordinate` says in words."""
    if isinstance(value, str):
        return value
    short = round(value, 1)
    return int(short) if short == int(short) else short
