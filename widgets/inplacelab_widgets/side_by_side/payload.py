"""Packs two programs, or several ranks, side by side as plain data for the player: frames that one cursor plays.

Each side is the payload of its scene, as a stepper has it. The steps of the whole are the positions of the common cursor: each has the
step of either side, what is said of it, and the storages and outlines that it draws.
"""

from __future__ import annotations

from collections.abc import Iterable

from inplacelab.language import Text
from inplacelab.recording.comparison import SIDES, Side
from inplacelab.recording.conclusion import ending
from inplacelab.recording.differences import verdict
from inplacelab.recording.sentences.phrases import byte_count
from inplacelab.recording.stages import stages
from inplacelab_widgets import words
from inplacelab_widgets.scene import Scene
from inplacelab_widgets.scene.names import unquoted
from inplacelab_widgets.scene.payload import payload
from inplacelab_widgets.scene.payload_parts import Json, Pools, in_both_languages
from inplacelab_widgets.scene.timeline import LEFT, RIGHT
from inplacelab_widgets.side_by_side.comparison import ComparisonScene, Outline
from inplacelab_widgets.side_by_side.ranks import RanksScene
from inplacelab_widgets.side_by_side.ranks_picture import ranks_panel
from inplacelab_widgets.words.player import LINKS, PLAYER, SHARE
from inplacelab_widgets.words.side_by_side import (
    BOTH_SIDES,
    COMPARED,
    DIFFERENCES,
    DIFFERS,
    DIFFERS_BETWEEN_RANKS,
    DRIFT_TABLE,
    KEYS_OF_COMPARISON,
    KEYS_OF_RANKS,
    PARAMETER,
    PROGRAM,
    RANK,
    RANKS,
    SHARE_OF_COMPARISON,
)

__all__ = [
    "SAMPLE",
    "SIDE_PANELS",
    "WITHOUT_PANELS",
    "FramesPacker",
    "comparison_payload",
    "payload_of_side",
    "ranks_payload",
]


SIDE_PANELS = ("code", "storages")
SAMPLE = "M4 3h24v14h-24z"
"""An outline, in a box of 32 by 20 px."""
WITHOUT_PANELS: Json = {
    "axis": {"left": LEFT, "right": RIGHT, "spacing": 0},
    "source": [],
    "panels": [],
    "threads": [],
    "elsewhere": {},
    "pages": [],
    "layouts": [],
    "tensors": [],
    "kept": [],
    "writes": [],
}
"""What the payload of one program says of its panels, of a whole that has none besides its sides."""
_OF_THE_WHOLE = ("keys", "marks", "story", "tables", "sharing", "predict", "title", "notes", "opens")
"""What the payload of a side has and only the whole shows."""


def payload_of_side(scene: Scene, panels: tuple[str, ...]) -> Json:
    """Returns the payload of a side with these panels, as a stepper has it, without what only the whole shows."""
    return {key: value for key, value in payload(scene, panels=panels).items() if key not in _OF_THE_WHOLE}


class FramesPacker:
    """Packs what is said and drawn at the positions of the cursor.

    Attributes:
        pools: the sentences, and what panels share.
        paths: the outlines so far, each with its number.
    """

    def __init__(self) -> None:
        self.pools = Pools()
        self.paths: dict[tuple[str, str, str], int] = {}

    def words(self, clause: Text, detail: Text) -> Json:
        """Returns what is said of a position."""
        return {"says": self.pools.says(clause)} | ({"detail": self.pools.says(detail)} if detail.en else {})

    def waits(self, said: Text | None) -> int:
        """Returns what is said of a side that does nothing; -1 if it does something."""
        return -1 if said is None else self.pools.says(said)

    def outlines(self, outlines: Iterable[Outline]) -> list[int]:
        """Returns the outlines in a side: [group, paths, group, paths, ...]."""
        found: list[int] = []
        for each in outlines:
            paths = each.around, each.grounds, each.signs
            found += (each.group, self.paths.setdefault(paths, len(self.paths)))
        return found


def comparison_payload(scene: ComparisonScene) -> Json:
    """Returns all data that the player needs to play two programs side by side."""
    return _ComparisonPacker(scene).packed()


class _ComparisonPacker:
    def __init__(self, scene: ComparisonScene) -> None:
        self.scene = scene
        self.frames = FramesPacker()
        self.ends = frozenset(scene.comparison.alignment.ends)

    def packed(self) -> Json:
        scene = self.scene
        count = len(scene.comparison.alignment.positions)
        steps = [self._step(position) for position in range(count)]
        sides = [self._side(side) for side in SIDES]
        notes = dict.fromkeys(note for side in SIDES for note in scene.scene(side).recording.notes)
        return {
            "title": scene.title,
            "concludes": self.frames.pools.says(scene.conclusion),
            "notes": [in_both_languages(note) for note in notes],
            "sides": sides,
            "steps": steps,
            "paths": [list(paths) for paths in self.frames.paths],
            "tables": [self._table()],
            "words": {key: in_both_languages(said) for key, said in (PLAYER | LINKS | COMPARED).items()},
            "sharing": {key: in_both_languages(said) for key, said in (SHARE | SHARE_OF_COMPARISON).items()},
            "keys": [[in_both_languages(keys), in_both_languages(does)] for keys, does in KEYS_OF_COMPARISON],
            "marks": [["ipl-differs", SAMPLE, in_both_languages(DIFFERS)]],
            **WITHOUT_PANELS,
            **self.frames.pools.packed(),
        }

    def _side(self, side: Side) -> Json:
        scene, place = self.scene.scene(side), SIDES.index(side)
        verdict = self.scene.comparison.verdicts[place]
        is_aligned = bool(self.scene.comparison.alignment.pairs)
        peaks = {each.peak for each in self.scene.comparison.verdicts}
        return payload_of_side(scene, SIDE_PANELS) | {
            "title": scene.recording.title,
            "called": in_both_languages(self.scene.called(side)),
            "named": in_both_languages(PROGRAM[side].format(title=scene.recording.title)),
            "verdict": in_both_languages(unquoted(ending(verdict))),
            "raises": verdict.error is not None,
            "bytes": in_both_languages(words.PEAK.format(peak=byte_count(verdict.peak))),
            "unequal": len(peaks) > 1 and is_aligned,
            "changed": list(self.scene.comparison.changed_lines[place]) if is_aligned else [],
            "elsewhere": {},
            "tables": [],
        }

    def _step(self, position: int) -> Json:
        comparison = self.scene.comparison
        ends = position in self.ends
        lines = self._lines(position)
        packed: Json = {
            # A line number belongs to both programs only if it is the same in both.
            "line": lines[0] if lines[0] == lines[1] else None,
            "phase": self._phase(position),
            "at_sides": [self.scene.reached(position, side) for side in SIDES],
        }
        facts = {"ends": ends, "stop": comparison.is_telling(position), "idle": self.scene.is_idle(position)}
        packed |= {name: True for name, holds in facts.items() if holds}
        told = comparison.told(position, by_line=False)
        packed |= self.frames.words(told.clause, told.detail)
        if ends:
            whole = comparison.told(position, by_line=True)
            packed["whole"] = self.frames.words(whole.clause, whole.detail)
        packed["waits"] = [self._waits(position, side) for side in SIDES]
        packed["drawn"] = [" ".join(self.scene.drawn(position, side)) for side in SIDES]
        packed["outlines"] = [self.frames.outlines(self.scene.outlines(position, side)) for side in SIDES]
        return packed

    def _lines(self, position: int) -> list[int | None]:
        found: list[int | None] = []
        for side in SIDES:
            step = self.scene.reached(position, side)
            found.append(None if step is None else self.scene.scene(side).recording.steps[step].line)
        return found

    def _phase(self, position: int) -> str:
        """The phase, if both programs are in the same."""
        reached = ((self.scene.scene(side).recording, self.scene.reached(position, side)) for side in SIDES)
        phases = {stages(recording)[step] for recording, step in reached if step is not None}
        return phases.pop() if len(phases) == 1 else ""

    def _waits(self, position: int, side: Side) -> list[int]:
        """What is said of a side that does nothing: at this event, and on the whole line; -1 if it does something."""
        waiting = self.scene.comparison.waiting
        found = (waiting(position, side, by_line=by_line) for by_line in (False, True))
        return [self.frames.waits(said) for said in found]

    def _table(self) -> Json:
        """What differs at each position, one difference in a row."""
        everywhere = self.scene.comparison.found
        most = max(map(len, everywhere), default=0)
        changes = (
            (position, f"d{row}", (unquoted(found[row].says),) if row < len(found) else None)
            for position, found in enumerate(everywhere)
            for row in range(most)
        )
        return self.frames.pools.table(DIFFERENCES, (BOTH_SIDES,), changes)


MOST_WITH_CODE = 2
"""So many ranks are drawn with the code, which is the same for all; of more there is room for the storages only."""


def ranks_payload(scene: RanksScene) -> Json:
    """Returns all data that the player needs to play several ranks side by side."""
    return _RanksPacker(scene).packed()


class _RanksPacker:
    def __init__(self, scene: RanksScene) -> None:
        self.scene = scene
        self.frames = FramesPacker()

    def packed(self) -> Json:
        scene = self.scene
        steps = [self._step(position) for position in range(len(scene.alignment.positions))]
        notes = dict.fromkeys(note for each in scene.alignment.recordings for note in each.notes)
        said = PLAYER | LINKS | RANKS
        return {
            "title": scene.title,
            "concludes": self.frames.pools.says(scene.conclusion),
            "notes": [in_both_languages(note) for note in notes],
            "sides": [self._side(rank) for rank in scene.ranks],
            "steps": steps,
            "paths": [list(paths) for paths in self.frames.paths],
            "tables": [self._table()],
            "words": {key: in_both_languages(each) for key, each in said.items()},
            "keys": [[in_both_languages(keys), in_both_languages(does)] for keys, does in KEYS_OF_RANKS],
            "marks": [["ipl-differs", SAMPLE, in_both_languages(DIFFERS_BETWEEN_RANKS)]],
            **WITHOUT_PANELS | {"panels": [self.frames.pools.panel(ranks_panel(scene))]},
            **self.frames.pools.packed(),
        }

    def _side(self, rank: int) -> Json:
        scene, name = self.scene.scenes[rank], RANK.format(rank)
        ends = [verdict(each) for each in self.scene.alignment.recordings]
        panels = SIDE_PANELS if len(self.scene.scenes) <= MOST_WITH_CODE else ("storages",)
        return payload_of_side(scene, panels) | {
            "title": scene.recording.title,
            "called": in_both_languages(scene.recording.title),
            "named": in_both_languages(name),
            "verdict": in_both_languages(name),
            "raises": ends[rank].error is not None,
            "bytes": in_both_languages(words.PEAK.format(peak=byte_count(ends[rank].peak))),
            "unequal": len({each.peak for each in ends}) > 1,
            "changed": [],
            "elsewhere": {},
            "tables": [],
        }

    def _step(self, position: int) -> Json:
        scene = self.scene
        lines = {scene.step_line(position, rank) for rank in scene.ranks}
        packed: Json = {
            # A line number belongs to all ranks only if it is the same on all.
            "line": lines.pop() if len(lines) == 1 else None,
            "phase": "",
            "at_sides": list(scene.alignment.reached[position]),
        }
        facts = {"ends": position in scene.ends, "stop": scene.is_telling(position), "idle": scene.is_idle(position)}
        packed |= {name: True for name, holds in facts.items() if holds}
        told = scene.told(position)
        packed |= self.frames.words(told.clause, told.detail)
        if position in scene.ends:
            packed["whole"] = self.frames.words(told.clause, told.detail)
        packed["waits"] = [self._waits(position, rank) for rank in scene.ranks]
        packed["drawn"] = [" ".join(scene.drawn(position, rank)) for rank in scene.ranks]
        packed["outlines"] = [self.frames.outlines(scene.outlines(position, rank)) for rank in scene.ranks]
        return packed

    def _waits(self, position: int, rank: int) -> list[int]:
        """What is said of a rank that does nothing here, by event and by line; -1 if it does something."""
        waiting = self.scene.waiting(position, rank)
        return [self.frames.waits(waiting)] * 2

    def _table(self) -> Json:
        """The parameters that differ, each from where it begins to."""
        changes = [
            (position, f"d{position}-{k}", (f"{each.name}", unquoted(each.says)))
            for position, drifts in sorted(self.scene.drifting.items())
            for k, each in enumerate(drifts)
        ]
        return self.frames.pools.table(DRIFT_TABLE, (PARAMETER, DIFFERENCES), changes)
