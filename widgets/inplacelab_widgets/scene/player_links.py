"""Packs what the player follows: from an element to its slot and back, from a number to those from which it was computed, and along the paths of
gradients.

Layouts repeat, so each is stored once and referred to by its position; `player/linking.js` does the arithmetic. Of numbers the player only follows
edges (`player/origins.js`). Their index is bounded: of a storage of many slots it has one entry for all numbers that came into it in a step, with
the rule by which they were computed; a long recording is cut, and what is cut is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from math import prod
from typing import Any, NamedTuple, get_args

from inplacelab.language import Text
from inplacelab.recording.code_of_steps import code_of
from inplacelab.recording.facts import NodeFacts, Step, StorageFacts, TensorFacts
from inplacelab.recording.naming import number_label, storage_label
from inplacelab.recording.origins import (
    Computed,
    Contributions,
    GradientPath,
    Hop,
    by_rule,
    computed,
    contributions,
    life_of_slot,
)
from inplacelab.recording.origins.elements import (
    Arrival,
    arrival_at,
    arrivals,
    index_of,
    slots_of_element,
    written_index,
)
from inplacelab.recording.origins.forward import Event, Kind
from inplacelab.recording.origins.words import arrived_says, comes_from, end_says, gradient_says, path_says
from inplacelab.recording.recording import Recording, State
from inplacelab.recording.slots import Touched, bytes_of, touched
from inplacelab_widgets.scene.names import node_name
from inplacelab_widgets.scene.places import Lines
from inplacelab_widgets.scene.text_layout import Words
from inplacelab_widgets.scene.timeline import once_for_each
from inplacelab_widgets.words.player import ORIGINS

Json = dict[str, Any]
_GONE = -1


def links(recording: Recording, position_of: Callable[[Words], int], lines: Lines) -> Json:
    """Returns the tensors' layouts over the steps, the saved tensors, and every write. `position_of` gives the position of words, `lines` the
    number of a line.

    `layouts`: [storage, shape, strides, offset, name], and if the tensor's dtype is not the storage's, the bytes of an element
    and of a slot. `tensors`: [number, [step, layout, ...]]. `kept`: [key, node, [step, layout, ...]] for each saved tensor. `writes`: [step, line, storage, [start, stop, ...]].
    """
    return _Links(recording, position_of, lines).packed()


class _Links:
    def __init__(self, recording: Recording, position_of: Callable[[Words], int], lines: Lines) -> None:
        self.recording, self.position_of, self.lines = recording, position_of, lines
        self.layouts: dict[tuple[Any, ...], int] = {}
        self.tensors: dict[int, list[int]] = {}
        self.kept: dict[int, dict[tuple[str, str], tuple[int, list[int]]]] = {}

    def packed(self) -> Json:
        for state in self.recording.states():
            for key in (*(key for key, _ in state.step.tensors), *state.awaited):
                self._follow(self.tensors.setdefault(key, []), state, self._of_tensor(state, key))
            for number, node in state.step.nodes:
                self._follow_node(state, number, node)
        return {
            "layouts": [list(layout if layout[-1] is not None else layout[:-1]) for layout in self.layouts],
            "tensors": list(map(list, self.tensors.items())),
            "kept": [[key, *rest] for kept in self.kept.values() for (key, _), rest in kept.items()],
            "writes": [
                [step.index, self.lines.of(step.place), storage, runs]
                for step, storage, runs in _writes(self.recording)
            ],
        }

    def _follow_node(self, state: State, number: int, node: NodeFacts | None) -> None:
        saved_now = () if node is None or node.released else node.saved
        # The key of a saved tensor's pin, and its name there.
        now = {(f"p{number}:{saved.storage}:{saved.version}", saved.name): saved for saved in saved_now}
        kept = self.kept.setdefault(number, {})
        for key, saved in now.items():
            if node is not None and key not in kept:
                kept[key] = (self.position_of(node_name(self.recording, state, node)), [])
            layout = (saved.storage, saved.shape, saved.strides, saved.offset, saved.name, None)
            self._follow(kept[key][1], state, layout)
        for key in kept.keys() - now.keys():
            self._follow(kept[key][1], state, None)

    def _of_tensor(self, state: State, key: int) -> tuple[Any, ...] | None:
        tensor = state.tensors.get(key)
        if tensor is None:
            return None
        storage = state.storages.get(tensor.storage)
        bytes_each = None
        if storage is not None and tensor.dtype != storage.dtype:
            bytes_each = (bytes_of(tensor.dtype, storage), bytes_of(storage.dtype, storage))
        name = state.called(key).first
        return tensor.storage, tensor.shape, tensor.strides, tensor.offset, name, bytes_each

    def _follow(self, runs: list[int], state: State, layout: tuple[Any, ...] | None) -> None:
        """Adds a layout, or its end, if it differs from the one before."""
        position = _GONE if layout is None else self.layouts.setdefault(layout, len(self.layouts))
        if position != (runs[-1] if runs else _GONE):
            runs += [state.step.index, position]


def _writes(recording: Recording) -> Iterator[tuple[Step, int, list[int]]]:
    """Every write: those that raised a version, and the first one, by the operation that made the storage."""
    met: set[int] = set()
    done = touched(recording)
    for state in recording.states():
        step = state.step
        for key, facts in step.storages:
            if key not in met and facts is not None and _made_it(state, facts):
                yield step, key, [0, facts.slots]
            met.add(key)
        for storage in dict.fromkeys(write.storage for write in step.writes):
            now = done.get(storage, {}).get(step.index, Touched())
            if runs := now.written or now.around:
                yield step, storage, [edge for run in runs for edge in run]


def _made_it(state: State, storage: StorageFacts) -> bool:
    """Whether a step made a storage and filled it. An older storage first appears as an input or through a name."""
    step = state.step
    if step.kind == "line" or storage.values is None:
        return False
    return step.category == "reallocated" or all(
        state.tensors[key].storage != storage.id for key in step.inputs if key in state.tensors
    )


# --- the paths of gradients -------------------------------------------------------------------------------------------

MOST_PATHS = 8
"""Of a gradient so many paths are packed."""


class Asked(NamedTuple):
    """An element of a gradient.

    Attributes:
        owner: the tensor whose gradient it is.
        called: how the program calls the element of that tensor.
        found: what was added up to it.
    """

    owner: TensorFacts
    called: str
    found: Contributions


class Packer:
    """Packs the paths of gradients.

    Args:
        recording: the recording.
        position_of: gives the position of words.
        place_of: gives the position of the number that a hop led to; None if it is not packed.
        lines: gives the number of a line.
    """

    def __init__(
        self,
        recording: Recording,
        position_of: Callable[[Words], int],
        place_of: Callable[[Hop], int | None],
        lines: Lines,
    ) -> None:
        self._recording, self._position_of, self._place_of, self._lines = recording, position_of, place_of, lines

    def packed(self, asked: Asked) -> Json:
        """Returns what the gradient is the sum of, and its paths; of a wrong gradient also those that were used.

        `says`: words. `start`: the name of the element. `paths`: each {says, role, hops, end, lights}, with role "", "right" or "used"; a hop is
        [number or -1, name, value, factor, node or -1, line that overwrote a value in the factor, or 0]; `lights` are the nodes and edges of the graph.
        """
        found = asked.found
        shown = [path for path in found.paths if path.end != "unused"] or list(found.paths)
        roles = [("right" if found.wrong else "", path) for path in shown[:MOST_PATHS]]
        used = [path for path in found.used if path.end in ("root", "zero")] or list(found.used)
        roles += [("used", path) for path in used[:MOST_PATHS] if found.wrong]
        return {
            "says": self._position_of(gradient_says(found)),
            "start": asked.called,
            "paths": [self._path(asked, role, path) for role, path in roles],
        }

    def _path(self, asked: Asked, role: str, path: GradientPath) -> Json:
        said = path_says(asked.called, path, self._recording.named_sources, as_found=role == "used")
        if role:
            said = ORIGINS[f"{role}_path"].format(path=said)
        return {
            "says": self._position_of(said),
            "role": role,
            "hops": [self._hop(hop, as_found=role == "used") for hop in path.hops],
            "end": self._position_of(end_says(path, self._recording.named_sources)),
            "lights": " ".join(self._lights(asked, path)),
        }

    def _hop(self, hop: Hop, *, as_found: bool) -> list[Any]:
        place = self._place_of(hop)
        node = self._recording.steps[hop.flow.step].kept
        slope = hop.used if as_found and hop.used is not None else hop.slope
        value = slope.value
        factor = "" if value is None else slope.written
        if value is not None and " " in factor:
            factor = f"{factor} = {number_label(value)}"
        shown = "" if hop.flow.value is None else number_label(hop.flow.value)
        return [
            -1 if place is None else place, self._name(hop), shown, factor, -1 if node is None else node, self._lines.of(hop.overwrote) or 0,
        ]  # fmt: skip

    def _name(self, hop: Hop) -> str:
        """How an element is called; of a tensor without a name, what the program wrote in its place."""
        flow, recording = hop.flow, self._recording
        facts = recording.state(flow.step).tensors.get(flow.tensor)
        if facts is None or facts.names:
            return flow.called.en.strip("`")
        return f"{code_of(recording, recording.steps[flow.step])}{written_index(flow.index)}"

    def _lights(self, asked: Asked, path: GradientPath) -> Iterator[str]:
        """The keys of the nodes and edges along which the gradient came, or should have, from the leaf's node on."""
        recording = self._recording
        begun = next(k for k in range(asked.found.step, -1, -1) if _begins(recording, k))
        state = recording.state(begun)
        leaf = next((key for key, node in state.nodes.items() if node.leaf == asked.owner.id), None)
        made = [recording.steps[hop.flow.step].kept for hop in path.hops]
        nodes = [key for key in (leaf, *made) if key is not None and key in state.nodes]
        keys: dict[str, None] = {f"n{key}": None for key in nodes}
        for to, start in pairwise(nodes):
            way = _way(state, start, to)
            keys |= {f"n{key}": None for key in way}
            keys |= {f"e{a}-{b}": None for a, b in pairwise(way)}
        yield from keys


def _begins(recording: Recording, step: int) -> bool:
    moment = recording.steps[step].backward
    return moment is not None and moment.action == "begin"


MOST_BETWEEN = 64
"""So many nodes are looked at between two of a path: those of views."""


def _way(state: State, start: int, to: int) -> list[int]:
    """The shortest way along the edges of the graph from one node to another; [] if there is none nearby."""
    came: dict[int, int] = {start: start}
    waiting = [start]
    while waiting and to not in came and len(came) < MOST_BETWEEN:
        node = waiting.pop(0)
        facts = state.nodes.get(node)
        for edge in facts.edges if facts is not None else ():
            if edge.to not in came:
                came[edge.to] = node
                waiting.append(edge.to)
    if to not in came:
        return []
    way = [to]
    while way[-1] != start:
        way.append(came[way[-1]])
    return way[::-1]


# --- the origins of numbers -------------------------------------------------------------------------------------------

MOST_SLOTS = 64
"""Of a storage with more slots, origins are told by rule: its tensors are drawn as heat maps."""
MOST_NUMBERS = 800
"""Of a longer recording the numbers that came first are packed."""
MOST_GRADIENTS = 60
"""Of so many elements of gradients, those that came first, the paths are packed."""
MOST_EVENTS = 16
"""Of a slot's life so many events are packed."""
MOST_FROM = 64

EVERY = -1
"""Stands for all the slots of a storage."""
KINDS: tuple[str, ...] = get_args(Kind)


class _Number(NamedTuple):
    storage: int
    slot: int
    step: int


def origins(
    recording: Recording,
    position_of: Callable[[Words], int],
    lines: Lines,
    seen_at: Callable[[int], int | None] = lambda event: event,
) -> Json:
    """Returns the index of numbers. `position_of` gives the position of words, `lines` the number of a line, `seen_at` the step of the player at which
    an event is seen.

    `numbers`: [storage, slot, step, words, [number, ...]], in the order of the steps; step -1 for a number that was there before, slot -1 for all
    that came into a large storage. `life`: for each slot ("s1:4") its events [step, words, kind, value]. `paths`: for the number of a
    gradient what it is made of, as `Packer` packs it. `cut`: what was left out, as words; none if nothing was.
    """
    return _Index(recording, position_of, lines, seen_at).packed()


class _Index:
    def __init__(
        self,
        recording: Recording,
        position_of: Callable[[Words], int],
        lines: Lines,
        seen_at: Callable[[int], int | None],
    ) -> None:
        self.recording, self.position_of, self.lines = recording, position_of, lines
        self.steps = {step.index: seen for step in recording.steps if (seen := seen_at(step.index)) is not None} | {
            -1: -1
        }
        """The step of the player at which an event is seen."""
        self.is_cut = False
        self.large: dict[int, None] = {}
        self.places: dict[_Number, int] = {}
        self.came: dict[_Number, Computed | Arrival] = {}

    def packed(self) -> Json:
        left = self._collect()
        kept = sorted(self.came, key=lambda each: (each.step, each.storage, each.slot))
        self.places = {each: k for k, each in enumerate(kept)}
        paths = Packer(self.recording, self.position_of, self._place_of_hop, self.lines)
        asked = self._gradients(kept)
        slots = dict.fromkeys((each.storage, each.slot) for each in kept if each.slot != EVERY)
        return {
            "numbers": [self._number(each, asked.get(k)) for k, each in enumerate(kept)],
            "life": {f"s{storage}:{slot}": self._life(storage, slot) for storage, slot in slots},
            "paths": {k: paths.packed(found) for k, found in asked.items()},
            "cut": [self.position_of(each) for each in self._cut(left)],
        }

    def _collect(self) -> int:
        """Collects the numbers that came first into a slot, of a large storage one entry for each step. Returns how many are left out."""
        sizes, left = _sizes(self.recording), 0
        came = [(each.step, storage, each) for storage, found in arrivals(self.recording).items() for each in found]
        for step, storage, each in sorted(came, key=lambda one: one[:2]):
            is_large = sizes.get(storage, 0) > MOST_SLOTS
            if is_large:
                self.large[storage] = None
            if step not in self.steps or len(self.came) >= MOST_NUMBERS:
                left += 1 if is_large else sum(stop - start for start, stop in each.slots)
            elif is_large:
                self.came[_Number(storage, EVERY, step)] = each
            else:
                for slot in (slot for start, stop in each.slots for slot in range(start, stop)):
                    number = computed(self.recording, storage, slot, max(step, -1))
                    self.came[_Number(storage, slot, number.step)] = number
        return left

    def _gradients(self, kept: Sequence[_Number]) -> dict[int, Asked]:
        """The gradients among the numbers, of which the first are asked for."""
        found: dict[int, Asked] = {}
        for k, each in enumerate(kept):
            came = self.came[each]
            if isinstance(came, Arrival) or came.how != "backward":
                continue
            if len(found) == MOST_GRADIENTS:
                self.is_cut = True
                break
            asked = _gradient(self.recording, came)
            if asked is not None:
                found[k] = asked
        return found

    def _number(self, place: _Number, asked: Asked | None) -> list[Any]:
        came = self.came[place]
        if isinstance(came, Arrival):
            rule = by_rule(self.recording, came)
            back = [key for storage, step in rule.operands for key in self._all_of(storage, step)]
            says = rule.says
        else:
            back = [self._key(each.storage, each.slot, each.step) for each in came.origins[:MOST_FROM]]
            says = (
                comes_from(self.recording, came)
                if asked is None
                else arrived_says(asked.found, came.place, self.recording.named_sources)
            )
        found = list(dict.fromkeys(self.places[key] for key in back[:MOST_FROM] if key in self.places))
        return [place.storage, place.slot, self.steps[place.step], self.position_of(says), found]

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
        events = life_of_slot(self.recording, storage, slot, MOST_EVENTS)
        return [
            [self.steps[each.step], self.position_of(each.says), KINDS.index(each.kind), _arrived(each)]
            for each in events
            if each.step in self.steps
        ]

    def _place_of_hop(self, hop: Hop) -> int | None:
        return self.places.get(_Number(hop.flow.storage, hop.flow.slot, hop.flow.step))

    def _cut(self, left: int) -> Iterator[Text]:
        if self.large:
            yield ORIGINS["large"].format(storages=", ".join(map(storage_label, self.large)), most=MOST_SLOTS)
        if left:
            yield ORIGINS["left_out"].format(most=len(self.came), left=left)
        if self.is_cut:
            yield ORIGINS["paths_left_out"].format(most=MOST_GRADIENTS)


def _arrived(event: Event) -> str:
    """The number that came into the slot with an event; "" if none did."""
    if event.kind not in ("made", "written"):
        return ""
    return "?" if event.after is None else number_label(event.after)


@once_for_each
def _sizes(recording: Recording) -> dict[int, int]:
    return {key: facts.slots for step in recording.steps for key, facts in step.storages if facts is not None}


def _gradient(recording: Recording, number: Computed) -> Asked | None:
    """The contributions to an element of a gradient; None for any other number."""
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
