"""Packs two programs side by side as plain data for the player.

Each side is the payload of its scene, as a stepper has it. The steps of the whole are the positions of the common cursor: each has the
step of either side, what is said of it, and the storages and outlines that it draws.
"""

from __future__ import annotations

from inplacelab.recording.comparison import SIDES, Side
from inplacelab.recording.conclusion import ending
from inplacelab.recording.sentences.phrases import byte_count
from inplacelab.recording.stages import stages
from inplacelab_widgets import words
from inplacelab_widgets.scene.comparison import ComparisonScene
from inplacelab_widgets.scene.frames_payload import SAMPLE, SIDE_PANELS, WITHOUT_PANELS, FramesPacker, payload_of_side
from inplacelab_widgets.scene.names import unquoted
from inplacelab_widgets.scene.payload_parts import Json, in_both_languages

__all__ = ["comparison_payload"]


def comparison_payload(scene: ComparisonScene) -> Json:
    """Returns all data that the player needs to play two programs side by side."""
    return _Packer(scene).packed()


class _Packer:
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
            "words": {
                key: in_both_languages(said) for key, said in (words.PLAYER | words.LINKS | words.COMPARED).items()
            },
            "sharing": {
                key: in_both_languages(said) for key, said in (words.SHARE | words.SHARE_OF_COMPARISON).items()
            },
            "keys": [[in_both_languages(keys), in_both_languages(does)] for keys, does in words.KEYS_OF_COMPARISON],
            "marks": [["ipl-differs", SAMPLE, in_both_languages(words.DIFFERS)]],
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
            "named": in_both_languages(words.PROGRAM[side].format(title=scene.recording.title)),
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
        return self.frames.pools.table(words.DIFFERENCES, (words.SIDES,), changes)
