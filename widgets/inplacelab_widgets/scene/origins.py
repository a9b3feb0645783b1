"""Packs where numbers come from: an index of the numbers that slots have held, with edges to those from which each was computed.

The player only follows the edges (`player/origins.js`). The index is bounded: a storage of many slots is left out, and a long recording is
cut; what is cut is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import prod
from typing import Any, NamedTuple

from inplacelab.language import Text
from inplacelab.recording.naming import storage_label
from inplacelab.recording.origins import Computed, Contributions, GradientPath, computed, contributions, life_of_slot
from inplacelab.recording.origins.arrivals import arrivals
from inplacelab.recording.origins.elements import index_of, slots_of_element, written_index
from inplacelab.recording.origins.words import comes_from, gradient_says, path_says
from inplacelab.recording.recording import Recording
from inplacelab_widgets import words
from inplacelab_widgets.scene.marks import Words

Json = dict[str, Any]

MOST_SLOTS = 64
"""Of a storage with more slots no origins are packed: its tensors are drawn as heat maps."""
MOST_NUMBERS = 1500
"""Of a longer recording the numbers that came first are packed."""
MOST_EVENTS = 24
"""Of a slot's life so many events are packed."""
MOST_PATHS = 8
MOST_FROM = 64


class _Number(NamedTuple):
    storage: int
    slot: int
    step: int


def origins(recording: Recording, position_of: Callable[[Words], int]) -> Json:
    """Returns the index of numbers. `position_of` gives the position of words.

    `numbers`: [storage, slot, step, words, [number, ...]], in the order of the steps; step -1 for a number that was there before. `life`: for
    each slot ("s1:4") [step, words, step, words, ...]. `paths`: for the number of a gradient [words, [words, [number, ...]], ...]: what it is the
    sum of, and each path. `cut`: what was left out, as words; none if nothing was.
    """
    return _Index(recording, position_of).packed()


class _Index:
    def __init__(self, recording: Recording, position_of: Callable[[Words], int]) -> None:
        self.recording, self.position_of = recording, position_of
        self.large: dict[int, None] = {}
        self.places: dict[_Number, int] = {}

    def packed(self) -> Json:
        found = list(self._numbers())
        kept = found[:MOST_NUMBERS]
        self.places = {_Number(each.storage, each.slot, each.step): k for k, each in enumerate(kept)}
        paths = {k: paths for k, each in enumerate(kept) if (paths := self._paths(each))}
        slots = dict.fromkeys((each.storage, each.slot) for each in kept)
        return {
            "numbers": [self._number(each) for each in kept],
            "life": {f"s{storage}:{slot}": self._life(storage, slot) for storage, slot in slots},
            "paths": paths,
            "cut": [self.position_of(each) for each in self._cut(len(found) - len(kept))],
        }

    def _numbers(self) -> Iterator[Computed]:
        """Every number that came into a slot, in the order of the steps."""
        found: dict[_Number, Computed] = {}
        sizes = _sizes(self.recording)
        for storage, came in arrivals(self.recording).items():
            if sizes.get(storage, 0) > MOST_SLOTS:
                self.large[storage] = None
                continue
            for each in came:
                for slot in (slot for start, stop in each.slots for slot in range(start, stop)):
                    number = computed(self.recording, storage, slot, max(each.step, -1))
                    found[_Number(storage, slot, number.step)] = number
        yield from sorted(found.values(), key=lambda each: (each.step, each.storage, each.slot))

    def _number(self, number: Computed) -> list[Any]:
        keys = [_key(self.recording, each.storage, each.slot, each.step) for each in number.origins[:MOST_FROM]]
        back = list(dict.fromkeys(self.places[key] for key in keys if key in self.places))
        return [number.storage, number.slot, number.step, self.position_of(comes_from(self.recording, number)), back]

    def _life(self, storage: int, slot: int) -> list[int]:
        events = life_of_slot(self.recording, storage, slot)[:MOST_EVENTS]
        return [part for event in events for part in (event.step, self.position_of(event.says))]

    def _paths(self, number: Computed) -> list[Any]:
        """What a gradient is the sum of, and the paths; for a wrong one those that were used, too."""
        asked = _gradient(self.recording, number)
        if asked is None:
            return []
        found, called = asked
        shown = [path for path in found.paths if path.end != "unused"] or list(found.paths)
        listed = [(path, path_says(called, path)) for path in shown[:MOST_PATHS]]
        if found.wrong:
            listed = [(path, words.ORIGINS["right_path"].format(path=said)) for path, said in listed]
            used = [(path, path_says(called, path, as_found=True)) for path in found.used if path.end == "root"][
                :MOST_PATHS
            ]
            listed += [(path, words.ORIGINS["used_path"].format(path=said)) for path, said in used]
        return [
            self.position_of(gradient_says(found)),
            *([self.position_of(said), self._hops(path)] for path, said in listed),
        ]

    def _hops(self, path: GradientPath) -> list[int]:
        keys = [_Number(hop.flow.storage, hop.flow.slot, hop.flow.step) for hop in path.hops]
        return [self.places[key] for key in keys if key in self.places]

    def _cut(self, left: int) -> Iterator[Text]:
        if self.large:
            yield words.ORIGINS["large"].format(storages=", ".join(map(storage_label, self.large)), most=MOST_SLOTS)
        if left:
            yield words.ORIGINS["left_out"].format(most=MOST_NUMBERS, left=left)


def _sizes(recording: Recording) -> Mapping[int, int]:
    return {key: facts.slots for step in recording.steps for key, facts in step.storages if facts is not None}


def _key(recording: Recording, storage: int, slot: int, step: int) -> _Number:
    return _Number(storage, slot, computed(recording, storage, slot, step).step)


def _gradient(recording: Recording, number: Computed) -> tuple[Contributions, str] | None:
    """The contributions to an element of a gradient, and how the element of its tensor is called."""
    if number.how != "backward":
        return None
    state = recording.state(number.step)
    gradients = [
        each
        for each in state.tensors.values()
        if each.storage == number.storage and state.owner_of_gradient(each.id) is not None
    ]
    for gradient in gradients[:1]:
        owner = state.tensors.get(state.owner_of_gradient(gradient.id) or 0)
        for element in range(prod(gradient.shape)):
            if owner is not None and number.slot in slots_of_element(state, gradient, element):
                index = index_of(gradient.shape, element)
                try:
                    return contributions(
                        recording, owner, index, number.step
                    ), f"{state.called(owner.id).first}{written_index(index)}"
                except LookupError:
                    return None
    return None
