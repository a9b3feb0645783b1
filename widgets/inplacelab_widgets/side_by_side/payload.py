"""Packs two programs, or several ranks, side by side as plain data for the player: frames that one cursor plays.

Each side is the payload of its scene, as a stepper has it. The steps of the whole are the positions of the common cursor: each has the
step of either side, what is said of it, and the storages and outlines that it draws.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from inplacelab.language import Text
from inplacelab.recording.compare import SIDES, ending
from inplacelab.recording.compare.contrast import Verdict, verdict
from inplacelab.recording.recording import Recording
from inplacelab.recording.relations import stages
from inplacelab.recording.sentences import Headline
from inplacelab.recording.sentences.phrases import byte_count
from inplacelab_widgets import words
from inplacelab_widgets.scene import Scene
from inplacelab_widgets.scene.names import has_sources, unquoted
from inplacelab_widgets.scene.payload import payload
from inplacelab_widgets.scene.payload_parts import Json, Pools, in_both_languages
from inplacelab_widgets.scene.timeline import LEFT, RIGHT
from inplacelab_widgets.side_by_side.comparison import ComparisonScene, Outline
from inplacelab_widgets.side_by_side.ranks import RanksScene
from inplacelab_widgets.side_by_side.ranks_picture import ranks_panel
from inplacelab_widgets.words.player import LINKS, ORIGINS, PLAYER, PREDICT, SHARE, STORY
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

__all__ = ["comparison_payload", "ranks_payload"]

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
_OF_THE_WHOLE = (
    "keys",
    "marks",
    "story",
    "tables",
    "savings",
    "sharing",
    "predict",
    "title",
    "notes",
    "opens",
    "joined",
)
"""What the payload of a side has and only the whole shows."""
_UNSAID = frozenset({*ORIGINS, *PREDICT, *STORY})
"""Words of what the sides do not have."""


Keys = Sequence[tuple[Text, Text]]


class _Frames:
    """Packs what is said and drawn at the positions of the cursor. The outlines so far are in `paths`, each with its number."""

    def __init__(self) -> None:
        self.pools = Pools()
        self.paths: dict[tuple[str, str, str], int] = {}

    def whole(
        self,
        scene: ComparisonScene | RanksScene,
        recordings: Iterable[Recording],
        steps: list[Json],
        sides: list[Json],
        said: Mapping[str, Text],
    ) -> Json:
        """Returns what the payloads have in common. Of its words, a side keeps those that are not `said` by the whole."""
        in_all = _said(said)
        notes = dict.fromkeys(note for each in recordings for note in each.notes)
        return {
            "title": scene.title,
            "concludes": self.pools.says(scene.conclusion),
            "notes": [in_both_languages(note) for note in notes],
            "words": in_all,
            "sides": [
                each | {"words": {key: word for key, word in each["words"].items() if word != in_all.get(key)}}
                for each in sides
            ],
            "steps": steps,
            "paths": [list(paths) for paths in self.paths],
        }

    def side(self, scene: Scene, panels: tuple[str, ...], named: Text, ends: Text, of_all: Sequence[Verdict]) -> Json:
        """Returns the payload of a side with these panels, as a stepper has it, without what only the whole shows.

        Args:
            scene: the scene of the side.
            panels: its panels.
            named: how the side is called.
            ends: how it ends, in words.
            of_all: how it ends, and how the others do.
        """
        mine, *_ = of_all
        packed = {key: each for key, each in payload(scene, panels=panels).items() if key not in _OF_THE_WHOLE}
        packed["words"] = {key: each for key, each in packed["words"].items() if key not in _UNSAID}
        return packed | {
            "title": scene.recording.title,
            "called": in_both_languages(scene.recording.title),
            "named": in_both_languages(named),
            "verdict": in_both_languages(ends),
            "raises": mine.error is not None,
            "bytes": in_both_languages(words.PEAK.format(peak=byte_count(mine.peak))),
            "unequal": len({each.peak for each in of_all}) > 1,
            "changed": [],
            "elsewhere": {},
            "tables": [],
            "threads": [],
            "origins": {"numbers": packed["origins"]["numbers"]},
        }

    def words(self, said: Headline) -> Json:
        """Returns what is said of a position."""
        return {"says": self.pools.says(said.clause)} | (
            {"detail": self.pools.says(said.detail)} if said.detail.en else {}
        )

    def step(self, facts: Mapping[str, bool], told: Headline, whole: Headline) -> Json:
        """Returns what holds and what is said at a position: of the event, and at the end of a line of the whole line."""
        packed: Json = {name: True for name, holds in facts.items() if holds} | self.words(told)
        return packed | ({"whole": self.words(whole)} if facts["ends"] else {})

    def waits(self, *waiting: Text | None) -> list[int]:
        """Returns what is said of a side that does nothing: at this event, and on the whole line; -1 if it does something."""
        return [-1 if said is None else self.pools.says(said) for said in waiting]

    def outlines(self, outlines: Iterable[Outline]) -> list[int]:
        """Returns the outlines in a side: [group, paths, group, paths, ...]."""
        found: list[int] = []
        for each in outlines:
            paths = each.around, each.grounds, each.signs
            found += (each.group, self.paths.setdefault(paths, len(self.paths)))
        return found


def _said(texts: Mapping[str, Text]) -> Json:
    return {key: in_both_languages(each) for key, each in texts.items()}


def _keys(keys: Keys) -> list[Any]:
    return [[in_both_languages(key), in_both_languages(does)] for key, does in keys]


def comparison_payload(scene: ComparisonScene) -> Json:
    """Returns all data that the player needs to play two programs side by side."""
    frames, ends = _Frames(), frozenset(scene.comparison.alignment.ends)
    steps = [_compared(scene, frames, k, k in ends) for k in range(len(scene.comparison.alignment.positions))]
    sides = []
    for side, its in zip(SIDES, scene.comparison.verdicts, strict=True):
        own, place = scene.scene(side), SIDES.index(side)
        named, all_ends = PROGRAM[side].format(title=own.recording.title), [its, *scene.comparison.verdicts]
        packed = frames.side(own, SIDE_PANELS, named, unquoted(ending(its)), all_ends)
        is_aligned = bool(scene.comparison.alignment.pairs)
        changed = list(scene.comparison.changed_lines[place]) if is_aligned else []
        packed |= {"called": in_both_languages(scene.called(side)), "changed": changed}
        sides.append(packed | {"unequal": packed["unequal"] and is_aligned})
    # What differs at each position, one difference in a row.
    everywhere = scene.comparison.found
    most = max(map(len, everywhere), default=0)
    changes = (
        (position, f"d{row}", (unquoted(found[row].says),) if row < len(found) else None)
        for position, found in enumerate(everywhere)
        for row in range(most)
    )
    return {
        **frames.whole(scene, [scene.scene(side).recording for side in SIDES], steps, sides, PLAYER | LINKS | COMPARED),
        "tables": [frames.pools.table(DIFFERENCES, (BOTH_SIDES,), changes)],
        "sharing": _said(SHARE | SHARE_OF_COMPARISON),
        "keys": _keys(KEYS_OF_COMPARISON),
        "marks": [["ipl-differs", SAMPLE, in_both_languages(DIFFERS)]],
        **WITHOUT_PANELS,
        **frames.pools.packed(),
    }


def _compared(scene: ComparisonScene, frames: _Frames, position: int, ends: bool) -> Json:
    """A position of two programs. A line number, or a phase, belongs to both only if it is the same in both."""
    comparison, reached = scene.comparison, [scene.reached(position, side) for side in SIDES]
    recordings = [scene.scene(side).recording for side in SIDES]
    there = [(each, step) for each, step in zip(recordings, reached, strict=True) if step is not None]
    lines = [_plain_line(each, step) for each, step in zip(recordings, reached, strict=True)]
    phases = {stages(recording)[step] for recording, step in there}
    facts = {"ends": ends, "stop": comparison.is_telling(position), "idle": scene.is_idle(position)}
    told, whole = (comparison.told(position, by_line=by_line) for by_line in (False, True))
    waiting = [[comparison.waiting(position, side, by_line=each) for each in (False, True)] for side in SIDES]
    return {
        "line": lines[0] if lines[0] == lines[1] else None,
        "phase": phases.pop() if len(phases) == 1 else "",
        "at_sides": reached,
        **frames.step(facts, told, whole),
        "waits": [frames.waits(*each) for each in waiting],
        "drawn": [" ".join(scene.drawn(position, side)) for side in SIDES],
        "outlines": [frames.outlines(scene.outlines(position, side)) for side in SIDES],
    }


def _plain_line(recording: Recording, step: int | None) -> int | None:
    """The line of a step, where it says enough: each side says in which of several texts it is."""
    return None if step is None or has_sources(recording) else recording.steps[step].line


MOST_WITH_CODE = 2
"""So many ranks are drawn with the code, which is the same for all; of more there is room for the storages only."""


def ranks_payload(scene: RanksScene) -> Json:
    """Returns all data that the player needs to play several ranks side by side."""
    frames, recordings = _Frames(), scene.alignment.recordings
    ends = [verdict(each) for each in recordings]
    panels = SIDE_PANELS if len(scene.scenes) <= MOST_WITH_CODE else ("storages",)
    steps = [_ranked(scene, frames, position) for position in range(len(scene.alignment.positions))]
    sides = [
        frames.side(scene.scenes[rank], panels, RANK.format(rank), RANK.format(rank), [ends[rank], *ends])
        for rank in scene.ranks
    ]
    # The parameters that differ, each from where it begins to.
    changes = [
        (position, f"d{position}-{k}", (f"{each.name}", unquoted(each.says)))
        for position, drifts in sorted(scene.drifting.items())
        for k, each in enumerate(drifts)
    ]
    return {
        **frames.whole(scene, recordings, steps, sides, PLAYER | LINKS | RANKS),
        "tables": [frames.pools.table(DRIFT_TABLE, (PARAMETER, DIFFERENCES), changes)],
        "keys": _keys(KEYS_OF_RANKS),
        "marks": [["ipl-differs", SAMPLE, in_both_languages(DIFFERS_BETWEEN_RANKS)]],
        **WITHOUT_PANELS | {"panels": [frames.pools.panel(ranks_panel(scene))]},
        **frames.pools.packed(),
    }


def _ranked(scene: RanksScene, frames: _Frames, position: int) -> Json:
    """A position of several ranks. A line number belongs to all of them only if it is the same on all."""
    reached = scene.alignment.reached[position]
    lines = {_plain_line(scene.scenes[rank].recording, reached[rank]) for rank in scene.ranks}
    ends, told = position in scene.ends, scene.told(position)
    facts = {"ends": ends, "stop": scene.is_telling(position), "idle": scene.is_idle(position)}
    return {
        "line": lines.pop() if len(lines) == 1 else None,
        "phase": "",
        "at_sides": list(scene.alignment.reached[position]),
        **frames.step(facts, told, told),
        "waits": [frames.waits(*[scene.waiting(position, rank)] * 2) for rank in scene.ranks],
        "drawn": [" ".join(scene.drawn(position, rank)) for rank in scene.ranks],
        "outlines": [frames.outlines(scene.outlines(position, rank)) for rank in scene.ranks],
    }
