"""Packs where numbers come from: an index of the numbers that slots have held, with edges to those from which each was computed.

The player only follows the edges (`player/origins.js`). The index is bounded: of a storage of many slots it has one entry for all numbers
that came into it in a step, with the rule by which they were computed; a long recording is cut, and what is cut is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from typing import Any, NamedTuple, get_args

from inplacelab.language import Text
from inplacelab.recording.naming import number_label, storage_label
from inplacelab.recording.origins import Computed, Hop, by_rule, computed, contributions, life_of_slot
from inplacelab.recording.origins.arrivals import Arrival, arrival_at, arrivals
from inplacelab.recording.origins.elements import index_of, slots_of_element, written_index
from inplacelab.recording.origins.life import Event, Kind
from inplacelab.recording.origins.words import arrived_says, comes_from
from inplacelab.recording.recording import Recording
from inplacelab_widgets import words
from inplacelab_widgets.scene.gradient_paths import Asked, Packer
from inplacelab_widgets.scene.measure import Words

Json = dict[str, Any]

MOST_SLOTS = 64
"""Of a storage with more slots, origins are told by rule: its tensors are drawn as heat maps."""
MOST_NUMBERS = 2400
"""Of a longer recording the numbers that came first are packed."""
MOST_EVENTS = 24
"""Of a slot's life so many events are packed."""
MOST_FROM = 64

EVERY = -1
"""Stands for all the slots of a storage."""
KINDS: tuple[str, ...] = get_args(Kind)


class _Number(NamedTuple):
    storage: int
    slot: int
    step: int


def origins(recording: Recording, position_of: Callable[[Words], int]) -> Json:
    """Returns the index of numbers. `position_of` gives the position of words.

    `numbers`: [storage, slot, step, words, [number, ...]], in the order of the steps; step -1 for a number that was there before, slot -1 for all
    that came into a large storage. `life`: for each slot ("s1:4") its events [step, words, kind, value]. `paths`: for the number of a
    gradient what it is made of, as `gradient_paths.py` packs it. `cut`: what was left out, as words; none if nothing was.
    """
    return _Index(recording, position_of).packed()


class _Index:
    def __init__(self, recording: Recording, position_of: Callable[[Words], int]) -> None:
        self.recording, self.position_of = recording, position_of
        self.large: dict[int, None] = {}
        self.places: dict[_Number, int] = {}
        self.came: dict[_Number, Computed | Arrival] = {}

    def packed(self) -> Json:
        for storage, came in arrivals(self.recording).items():
            self._collect(storage, came)
        kept = sorted(self.came, key=lambda each: (each.step, each.storage, each.slot))[:MOST_NUMBERS]
        self.places = {each: k for k, each in enumerate(kept)}
        paths = Packer(self.recording, self.position_of, self._place_of_hop)
        asked = {k: found for k, each in enumerate(kept) if (found := _gradient(self.recording, self.came[each]))}
        slots = dict.fromkeys((each.storage, each.slot) for each in kept if each.slot != EVERY)
        return {
            "numbers": [self._number(each, asked.get(k)) for k, each in enumerate(kept)],
            "life": {f"s{storage}:{slot}": self._life(storage, slot) for storage, slot in slots},
            "paths": {k: paths.packed(found) for k, found in asked.items()},
            "cut": [self.position_of(each) for each in self._cut(len(self.came) - len(kept))],
        }

    def _collect(self, storage: int, came: Sequence[Arrival]) -> None:
        """Collects every number that came into a slot; of a large storage one entry for each step."""
        if _sizes(self.recording).get(storage, 0) > MOST_SLOTS:
            self.large[storage] = None
            self.came |= {_Number(storage, EVERY, each.step): each for each in came}
            return
        for each in came:
            for slot in (slot for start, stop in each.slots for slot in range(start, stop)):
                number = computed(self.recording, storage, slot, max(each.step, -1))
                self.came[_Number(storage, slot, number.step)] = number

    def _number(self, place: _Number, asked: Asked | None) -> list[Any]:
        came = self.came[place]
        if isinstance(came, Arrival):
            rule = by_rule(self.recording, came)
            back = [key for storage, step in rule.operands for key in self._all_of(storage, step)]
            says = rule.says
        else:
            back = [self._key(each.storage, each.slot, each.step) for each in came.origins[:MOST_FROM]]
            says = comes_from(self.recording, came) if asked is None else arrived_says(asked.found, came.line)
        found = list(dict.fromkeys(self.places[key] for key in back[:MOST_FROM] if key in self.places))
        return [*place, self.position_of(says), found]

    def _key(self, storage: int, slot: int, step: int) -> _Number:
        """The number that a slot held after a step."""
        if storage in self.large:
            arrival = arrival_at(self.recording, storage, slot, step)
            return _Number(storage, EVERY, -1 if arrival is None else arrival.step)
        return _Number(storage, slot, computed(self.recording, storage, slot, step).step)

    def _all_of(self, storage: int, step: int) -> list[_Number]:
        """All the numbers that a storage held after a step."""
        if storage in self.large:
            steps = [each.step for each in arrivals(self.recording).get(storage, ()) if each.step <= step]
            return [_Number(storage, EVERY, max(steps, default=-1))]
        return [self._key(storage, slot, step) for slot in range(_sizes(self.recording).get(storage, 0))]

    def _life(self, storage: int, slot: int) -> list[list[Any]]:
        events = life_of_slot(self.recording, storage, slot)[:MOST_EVENTS]
        return [[each.step, self.position_of(each.says), KINDS.index(each.kind), _arrived(each)] for each in events]

    def _place_of_hop(self, hop: Hop) -> int | None:
        return self.places.get(_Number(hop.flow.storage, hop.flow.slot, hop.flow.step))

    def _cut(self, left: int) -> Iterator[Text]:
        if self.large:
            yield words.ORIGINS["large"].format(storages=", ".join(map(storage_label, self.large)), most=MOST_SLOTS)
        if left:
            yield words.ORIGINS["left_out"].format(most=MOST_NUMBERS, left=left)


def _arrived(event: Event) -> str:
    """The number that came into the slot with an event; "" if none did."""
    if event.kind not in ("made", "written"):
        return ""
    return "?" if event.after is None else number_label(event.after)


def _sizes(recording: Recording) -> Mapping[int, int]:
    return recording.once(_sizes_of)


def _sizes_of(recording: Recording) -> dict[int, int]:
    return {key: facts.slots for step in recording.steps for key, facts in step.storages if facts is not None}


def _gradient(recording: Recording, number: Computed | Arrival) -> Asked | None:
    """The contributions to an element of a gradient; None for any other number."""
    if isinstance(number, Arrival) or number.how != "backward":
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
                called = f"{state.called(owner.id).first}{written_index(index)}"
                try:
                    return Asked(owner, called, contributions(recording, owner, index, number.step))
                except LookupError:
                    return None
    return None
