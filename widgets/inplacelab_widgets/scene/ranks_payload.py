"""Packs several ranks side by side as plain data for the player of comparisons, with the axis of all ranks above the frames."""

from __future__ import annotations

from inplacelab.recording.differences import verdict
from inplacelab.recording.sentences.phrases import byte_count
from inplacelab_widgets import words
from inplacelab_widgets.scene.frames_payload import SAMPLE, SIDE_PANELS, WITHOUT_PANELS, FramesPacker, payload_of_side
from inplacelab_widgets.scene.names import unquoted
from inplacelab_widgets.scene.payload_parts import Json, in_both_languages
from inplacelab_widgets.scene.ranks import RanksScene
from inplacelab_widgets.scene.ranks_axis import ranks_panel

__all__ = ["ranks_payload"]

MOST_WITH_CODE = 2
"""So many ranks are drawn with the code, which is the same for all; of more there is room for the storages only."""


def ranks_payload(scene: RanksScene) -> Json:
    """Returns all data that the player needs to play several ranks side by side."""
    return _Packer(scene).packed()


class _Packer:
    def __init__(self, scene: RanksScene) -> None:
        self.scene = scene
        self.frames = FramesPacker()

    def packed(self) -> Json:
        scene = self.scene
        steps = [self._step(position) for position in range(len(scene.alignment.positions))]
        notes = dict.fromkeys(note for each in scene.alignment.recordings for note in each.notes)
        said = words.PLAYER | words.LINKS | words.RANKS
        return {
            "title": scene.title,
            "concludes": self.frames.pools.says(scene.conclusion),
            "notes": [in_both_languages(note) for note in notes],
            "sides": [self._side(rank) for rank in scene.ranks],
            "steps": steps,
            "paths": [list(paths) for paths in self.frames.paths],
            "tables": [self._table()],
            "words": {key: in_both_languages(each) for key, each in said.items()},
            "keys": [[in_both_languages(keys), in_both_languages(does)] for keys, does in words.KEYS_OF_RANKS],
            "marks": [["ipl-differs", SAMPLE, in_both_languages(words.DIFFERS_BETWEEN_RANKS)]],
            **WITHOUT_PANELS | {"panels": [self.frames.pools.panel(ranks_panel(scene))]},
            **self.frames.pools.packed(),
        }

    def _side(self, rank: int) -> Json:
        scene, name = self.scene.scenes[rank], words.RANK.format(rank)
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
        return self.frames.pools.table(words.DRIFT_TABLE, (words.PARAMETER, words.DIFFERENCES), changes)
