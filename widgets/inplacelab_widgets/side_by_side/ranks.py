"""Lays out the recordings of several ranks side by side: the scene of each, the positions of their common cursor, and what differs.

Each rank is drawn by its own scene, as a stepper draws it, in a frame as in a comparison of two programs. What is added is the axis of all ranks
(`ranks_picture.py`), and outlines around the slots of parameters that are not the same everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from inplacelab.language import Text, enumerated
from inplacelab.recording.facts import ErrorFacts
from inplacelab.recording.queries import changes_nothing, visible_values
from inplacelab.recording.ranks import Drift, RankAlignment, Replicas, align_ranks, compared
from inplacelab.recording.recording import Recording, State
from inplacelab.recording.sentences import Headline
from inplacelab.recording.slots import same_value, slots_of
from inplacelab_widgets.scene import Scene, scene_of
from inplacelab_widgets.scene.names import has_sources
from inplacelab_widgets.side_by_side.comparison import MOST_DRAWN, Outline, outlines_around
from inplacelab_widgets.words.side_by_side import (
    ALL_HERE,
    ALL_ON_LINE,
    ALL_RANKS,
    BOTH_RANKS,
    COLLECTIVE,
    DRIFTED,
    DRIFTS_HERE,
    ENDED,
    EQUAL,
    LINKED,
    LINKED_ONCE,
    NOT_BEGUN,
    NOT_LINKED,
    ONLY,
    RAISED,
    RANK,
    WAITS,
)

__all__ = ["RanksScene", "ranks_scene"]


_NOTHING = Text("", "")


@dataclass(frozen=True)
class RanksScene:
    """The scenes of several ranks.

    Attributes:
        scenes: one of each rank, in their order.
    """

    scenes: tuple[Scene, ...]

    @cached_property
    def alignment(self) -> RankAlignment:
        """The steps of all ranks on one axis."""
        return align_ranks([scene.recording for scene in self.scenes])

    @cached_property
    def replicas(self) -> Replicas:
        """Which parameters have drifted apart."""
        return compared(self.alignment.recordings)

    @property
    def title(self) -> str:
        """The name of the program."""
        return self.scenes[0].recording.title

    @property
    def ranks(self) -> range:
        """The numbers of the ranks."""
        return range(len(self.scenes))

    @cached_property
    def conclusion(self) -> Text:
        """What it comes to, in one clause."""
        if self.raising:
            return self._raised(min(self.raising))
        if not self.replicas.tensors:
            links, ranks = len(self.alignment.links), len(self.scenes)
            said = {0: NOT_LINKED, 1: LINKED_ONCE}.get(links)
            return said.format(ranks) if said is not None else LINKED.format(links, ranks)
        if self.replicas:
            return EQUAL.format(self._those(self.ranks))
        return DRIFTED.format(_listed([Text(f"`{each.name}`", f"`{each.name}`") for each in self.replicas.drifts]))

    @cached_property
    def drifting(self) -> dict[int, list[Drift]]:
        """The positions at which parameters begin to differ."""
        found: dict[int, list[Drift]] = {}
        for each in self.replicas.drifts:
            places = [
                self.alignment.position_of(rank, write.step)
                for rank, write in enumerate(each.writes)
                if write is not None
            ]
            if places:
                found.setdefault(min(places), []).append(each)
        return found

    @cached_property
    def raising(self) -> dict[int, dict[int, ErrorFacts]]:
        """The positions at which exceptions end ranks, with the exception of each."""
        found: dict[int, dict[int, ErrorFacts]] = {}
        for rank, scene in enumerate(self.scenes):
            last = scene.recording.steps[-1]
            if last.error is not None:
                found.setdefault(self.alignment.position_of(rank, last.index), {})[rank] = last.error
        return found

    def _raised(self, position: int) -> Text:
        errors = self.raising[position]
        types = {each.type: [rank for rank in errors if errors[rank].type == each.type] for each in errors.values()}
        return _listed([RAISED.format(self._those(ranks), name) for name, ranks in types.items()])

    @cached_property
    def key_position(self) -> int:
        """The position that is shown first: where parameters begin to differ, or a rank raises, or the last collective (without
        collectives, the last write of unequal values), or the end.
        """
        links = [each.position for each in self.alignment.links]
        every = range(len(self.alignment.positions))
        last = max(links or filter(self._writes_differ, every), default=len(every) - 1)
        return min(self.drifting or self.raising, default=last)

    def _writes_differ(self, position: int) -> bool:
        """Whether ranks that write at a position have different values afterwards where they wrote."""
        written = set()
        for scene, step in zip(self.scenes, self.steps(position), strict=True):
            if step is not None and (writes := scene.recording.steps[step].writes):
                storages = scene.recording.state(step).storages
                written.add(str([storages[each.storage].values for each in writes if each.storage in storages]))
        return len(written) > 1

    @cached_property
    def ends(self) -> frozenset[int]:
        """The last position of each line as it ran."""
        lines = [self._line(position) for position in range(len(self.alignment.positions))]
        return frozenset(k for k, here in enumerate(lines) if k + 1 == len(lines) or lines[k + 1] != here)

    def _line(self, position: int) -> tuple[int | None, ...]:
        return tuple(self.step_line(position, rank) for rank in self.ranks if self.steps(position)[rank] is not None)

    def steps(self, position: int) -> tuple[int | None, ...]:
        """The steps at a position."""
        return self.alignment.positions[position]

    def step_line(self, position: int, rank: int) -> int | None:
        """Returns the line that a rank is on, after a position."""
        step = self.alignment.reached[position][rank]
        return None if step is None else self.scenes[rank].recording.steps[step].line

    def is_idle(self, position: int) -> bool:
        """Returns whether no rank changes anything at a position."""
        here = (
            (self.scenes[rank].recording, step) for rank, step in enumerate(self.steps(position)) if step is not None
        )
        return position not in self._linked and all(changes_nothing(recording, step) for recording, step in here)

    @cached_property
    def _linked(self) -> frozenset[int]:
        return frozenset(each.position for each in self.alignment.links)

    def is_telling(self, position: int) -> bool:
        """Returns whether there is a collective at a position, or parameters begin to differ."""
        return position in self._linked or position in self.drifting or position in self.raising

    def told(self, position: int) -> Headline:
        """Says in one clause what happens at a position, and the rest in a detail."""
        if position in self.drifting:
            drifts = self.drifting[position]
            names = _listed([DRIFTS_HERE.format(each.name) for each in drifts])
            return Headline(names, _listed([each.says for each in drifts], Text(" ", "")))
        if position in self.raising:
            said = dict.fromkeys(
                each.message.splitlines()[0] for each in self.raising[position].values() if each.message
            )
            return Headline(self._raised(position), _listed([Text(each, each) for each in said]))
        here = [rank for rank in self.ranks if self.steps(position)[rank] is not None]
        link = next((each for each in self.alignment.links if each.position == position), None)
        if link is not None:
            return Headline(COLLECTIVE.format(link.name, self._those(link.ranks)), _NOTHING)
        if len(here) < len(self.scenes):
            return Headline(ONLY.format(self._those(here)), _NOTHING)
        lines = {self.step_line(position, rank) for rank in here}
        same = len(lines) == 1 and None not in lines and not any(has_sources(each.recording) for each in self.scenes)
        return Headline(ALL_ON_LINE.format(*lines) if same else ALL_HERE, _NOTHING)

    def _those(self, ranks: Sequence[int]) -> Text:
        if len(ranks) == len(self.scenes):
            return BOTH_RANKS if len(ranks) == 2 else ALL_RANKS.format(len(ranks))
        return _listed([RANK.format(rank) for rank in ranks])

    def waiting(self, position: int, rank: int) -> Text | None:
        """Says why a rank does nothing at a position; None if it does something."""
        if self.steps(position)[rank] is not None:
            return None
        reached = self.alignment.reached[position][rank]
        if reached is None:
            return NOT_BEGUN.format(rank)
        ended = reached == len(self.scenes[rank].recording) - 1
        return (ENDED if ended else WAITS).format(rank)

    # ---- storages --------------------------------------------------------------------------------------------------------

    def drawn(self, position: int, rank: int) -> tuple[str, ...]:
        """Returns the keys of the storages that are drawn in full: those of parameters that have drifted apart, and those that the step
        writes; otherwise those that the scene draws by itself.
        """
        step = self.alignment.reached[position][rank]
        if step is None:
            return ()
        panel, state = self.scenes[rank].storages, self.scenes[rank].recording.state(step)
        own = tuple(group.key for group in panel.groups if group.is_drawn(step))
        wanted = [f"s{storage}" for storage in self._drifted(position, state)]
        if self.steps(position)[rank] is not None:
            wanted += [f"s{write.storage}" for write in state.step.writes]
        if not panel.table or not wanted:
            return own
        chosen = [*dict.fromkeys(wanted)][:MOST_DRAWN]
        return tuple(group.key for group in panel.groups if group.key in chosen and group.is_there(step))

    def _drifted(self, position: int, state: State) -> Iterator[int]:
        for begins, drifts in self.drifting.items():
            for each in drifts if begins <= position else ():
                if state.bound(each.name) is not None:
                    yield state.tensor(each.name).storage

    def outlines(self, position: int, rank: int) -> tuple[Outline, ...]:
        """Returns the outlines around the slots of parameters that are not the same on all ranks."""
        step = self.alignment.reached[position][rank]
        if step is None:
            return ()
        keys = frozenset(
            key for drifts in self.drifting.values() for each in drifts for key in self._apart(position, rank, each)
        )
        drawn = self.drawn(position, rank) if keys else ()
        panel = self.scenes[rank].storages
        groups = ((k, each) for k, each in enumerate(panel.groups) if each.key in drawn and each.is_there(step))
        return tuple(outlines_around(groups, step, keys))

    def _apart(self, position: int, rank: int, drift: Drift) -> Iterator[str]:
        """The slots, and the version, of a parameter that are not the same on all ranks after a position."""
        begins = next(place for place, drifts in self.drifting.items() if drift in drifts)
        reached = self.alignment.reached[position]
        if begins > position or None in reached:
            return
        states = [
            scene.recording.state(step) for scene, step in zip(self.scenes, reached, strict=True) if step is not None
        ]
        if any(state.bound(drift.name) is None for state in states):
            return
        tensors = [state.tensor(drift.name) for state in states]
        values = [visible_values(state, tensor) for state, tensor in zip(states, tensors, strict=True)]
        known = [each for each in values if each is not None]
        mine = tensors[rank]
        if len({state.version(tensor) for state, tensor in zip(states, tensors, strict=True)}) > 1:
            yield f"v{mine.storage}"
        if len(known) == len(values):
            for element, slot in enumerate(slots_of(mine)):
                if not all(same_value(each[element], known[0][element]) for each in known):
                    yield f"s{mine.storage}:{slot}"


def ranks_scene(recordings: Sequence[Recording]) -> RanksScene:
    """Lays out the recordings of several ranks.

    Raises:
        ValueError: if there are none, one of them has no steps, or they are not in the order of the ranks.
    """
    align_ranks(recordings)
    return RanksScene(tuple(scene_of(each) for each in recordings))


def _listed(texts: Sequence[Text], between: Text | None = None) -> Text:
    """Returns texts as a list, or with other words between them."""
    if between is None:
        return enumerated(texts)
    return Text(between.en.join(each.en for each in texts), between.zh.join(each.zh for each in texts))
