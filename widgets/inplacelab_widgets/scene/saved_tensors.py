"""Draws the saved tensors of a storage as pins below it: fresh, stale or released.

Many pins are folded, so that the block stays as high as one with a few: a weight that a loop reads is saved once in every turn. Its pins are then
drawn as one, with their number. Stale pins are folded separately, since backward will fail on them. A pin that this step makes stale, and the one that
backward checks in it, have their own plates. In the player a fold opens a list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, zip_longest
from operator import itemgetter
from typing import Literal, NamedTuple

from inplacelab.language import Text, enumerated
from inplacelab.recording import queries
from inplacelab.recording.facts import NodeFacts, SavedFacts
from inplacelab.recording.naming import says_nothing
from inplacelab.recording.recording import Recording, State
from inplacelab_widgets import words
from inplacelab_widgets.scene.names import kept_names, node_name, unquoted
from inplacelab_widgets.scene.svg import Look, Mark, path, rect, runs, text
from inplacelab_widgets.scene.text_layout import SMALL, Words, coordinate, widest
from inplacelab_widgets.scene.timeline import Life, followed, gatherings, once_for_each, step_changes

HEIGHT, LINE = 34.0, 12.5
"""The height of a pin with two lines, and of each line more, in px."""

Key = tuple[int, int, int]
"""(node, storage, version)."""

Status = Literal["fresh", "stale", "released"]

_STYLES: Mapping[Status, tuple[str, str, str, str]] = {
    "fresh": ("pin", "flag", "text", "text"),
    "stale": ("pin stale", "flag-stale", "text", "text alarm"),
    "released": ("pin released", "flag-released", "text soft", "text soft"),
}
"""The styles of a pin: its outline, its needle, and its two lines."""


class Plate(NamedTuple):
    """The text of a pin: its first line and the parts of the second; and whether backward is checking it in this step, or this step has made it stale."""

    status: Status
    first_line: Text
    parts: tuple[Words, ...]
    checked: bool = False
    turned: bool = False

    @property
    def second_line(self) -> Text:
        """Its parts in one line."""
        return Text(*[" · ".join(["{}"] * len(self.parts))] * 2).format(*self.parts)

    def lines(self, *, is_narrow: bool) -> list[Words]:
        """Returns its lines: where it is narrow, one for each part."""
        return [self.first_line, *(self.parts if is_narrow else (self.second_line,))]


Plates = Sequence[tuple[int, Plate | None]]
"""(step, the plate from then on, or None), in order."""


@dataclass(frozen=True, slots=True)
class PinContent:
    """The state of a pin after one step."""

    status: Status
    owner: Text
    saved: Words
    state: Words
    now: str
    """The present version of its storage."""
    checked: bool
    """Whether backward is checking it in this step."""
    attributes: str
    """The attributes of the node that have it: "_saved_mat2"; "" if the picture calls it by that name."""

    def said(self, *, turned: bool) -> Words:
        """Returns what is said of it; `turned` in the step that makes it stale."""
        return words.STALE_NOW.format(version=self.now) if turned else self.state

    def plate(self, *, turned: bool = False) -> Plate:
        """Returns its plate."""
        parts = self.saved, self.said(turned=turned)
        return Plate(self.status, words.SAVED_BY.format(node=self.owner), parts, self.checked and not turned, turned)


class Pin(NamedTuple):
    """The tensors that one node saved on one storage at one version, over the steps."""

    node: int
    storage: int
    version: int
    life: Life[PinContent]
    keys: tuple[str, ...]
    links: tuple[str, ...]

    @property
    def plates(self) -> Plates:
        """What stands on it."""
        found: dict[int, Plate | None] = {self.life.last + 1: None}
        turns = turns_of(self.life)
        for step, face in self.life.moments:
            if step in turns:
                found.setdefault(step + 1, face.plate())
            found[step] = face.plate(turned=step in turns)
        return sorted(found.items(), key=itemgetter(0))


def turns_of(life: Life[PinContent]) -> set[int]:
    """Returns the steps that make a pin stale."""
    before = [None, *(face.status for _, face in life.moments)]  # None: this step has also saved it
    turning = zip(life.moments, before, strict=False)
    return {step for (step, face), was in turning if face.status == "stale" and was in (None, "fresh")}


@once_for_each
def pins(recording: Recording) -> list[Pin]:
    """Returns all pins, in the order in which they were saved."""
    found = followed(pin_changes(recording), len(recording) - 1)
    return [
        Pin(node, storage, version, life, (f"p{node}:{storage}:{version}",), (f"n{node}", f"s{storage}"))
        for (node, storage, version), life in found.items()
    ]


def pin_changes(recording: Recording) -> Iterator[tuple[int, Key, PinContent | None]]:
    """Yields (step, pin, face) where a pin changes; None where it ends."""
    on: dict[int, dict[Key, PinContent]] = {}
    for touch in step_changes(recording):
        state, index = touch.state, touch.state.step.index
        for key in touch.keepers:
            before, after = on.get(key, {}), _pins_of(recording, state, key)
            on[key] = after
            for pin in before.keys() - after.keys():
                yield index, pin, None
            for pin, face in after.items():
                yield index, pin, face


def pins_at(recording: Recording, state: State) -> Mapping[Key, PinContent]:
    """Returns the pins after one step, with the state of each."""
    return {pin: face for node in state.nodes for pin, face in _pins_of(recording, state, node).items()}


def _pins_of(recording: Recording, state: State, key: int) -> dict[Key, PinContent]:
    node = state.nodes.get(key)
    kept: dict[Key, list[SavedFacts]] = {}
    for saved in node.saved if node else ():
        if saved.counter in state.counters:
            kept.setdefault((key, saved.storage, saved.version), []).append(saved)
    return {pin: _face(recording, state, state.nodes[key], saved) for pin, saved in kept.items()}


def _face(recording: Recording, state: State, node: NodeFacts, saved: list[SavedFacts]) -> PinContent:
    stale = any(map(state.is_stale, saved))
    status: Status = "released" if node.released else "stale" if stale else "fresh"
    names = enumerated([unquoted(each.short) for each in kept_names(recording, state, node.id, saved)])
    now = str(state.version(saved[0]))
    unnoticed = status == "fresh" and any(
        queries.overwritten_unnoticed(recording, state, node.id, each) for each in saved
    )
    says = {
        "fresh": words.UNNOTICED if unnoticed else words.FRESH,
        "stale": words.STALE.format(version=now),
        "released": words.RELEASED,
    }
    owner, held = node_name(recording, state, node), words.SAVED_AT.format(names=names, version=saved[0].version)
    backward, error, checked = state.step.backward, state.step.error, False
    if error is not None:
        checked = error.node == node.id and any(each.storage == error.storage for each in saved)
    elif backward is not None and backward.action == "unpack" and backward.node == node.id:
        checked = any((backward.saved, backward.kept_at) == (each.name, each.version) for each in saved)
    attributes = ", ".join(f"_saved_{each.name}" for each in saved if says_nothing(each.name))
    return PinContent(status, owner, held, says[status], now, checked, attributes)


# --- folds ------------------------------------------------------------------------------------------------------------

MOST = 3
"""The most pins drawn below each other; more are folded."""

_Key = tuple[int, int]
"""(node, version)."""


@dataclass(frozen=True, slots=True)
class PinStack:
    """The pins at one place: the plates over the steps, and what they represent."""

    place: int
    plates: Plates
    keys: tuple[str, ...]
    links: tuple[str, ...]


@dataclass(frozen=True)
class StoragePins:
    """All pins of one storage. Narrow ones have a line more, so that two storages with pins have room side by side."""

    stacks: tuple[PinStack, ...]
    is_narrow: bool = False

    @cached_property
    def lines(self) -> list[list[Words]]:
        """The lines of each plate."""
        return [plate.lines(is_narrow=self.is_narrow) for each in self.stacks for _, plate in each.plates if plate]

    @property
    def width(self) -> float:
        """The width that they need, in px."""
        return 28 + widest([*chain.from_iterable(self.lines)], SMALL) if self.lines else 0

    @property
    def pitch(self) -> float:
        """The height of one of them with the space below it, in px."""
        return HEIGHT + LINE * (max(map(len, self.lines), default=2) - 2)

    @property
    def height(self) -> float:
        """The height that they need, in px."""
        return self.pitch * (1 + max((each.place for each in self.stacks), default=-1))

    def marks(self, x: float, y: float) -> Iterator[Mark]:
        """Draws all pins, from (x, y) downwards."""
        most = max(map(len, self.lines), default=2)
        for stack in self.stacks:
            parts: tuple[list[tuple[int, Look | None]], ...] = tuple([] for _ in range(2 + most))
            for step, plate in stack.plates:
                looks: list[Look | None] = []
                if plate is not None:
                    outline, needle, first, second = _STYLES[plate.status]
                    outline += " checked" * plate.checked + " turned" * plate.turned
                    above, *below = plate.lines(is_narrow=self.is_narrow)
                    looks = [Look(outline), Look(needle), Look(first, above), *(Look(second, each) for each in below)]
                for part, look in zip_longest(parts, looks):
                    part.append((step, look))
            outlines, needles, *lines = map(runs, parts)
            top, keys = y + self.pitch * stack.place, stack.keys[:1]
            yield rect(x, top, self.width, self.pitch - 4, outlines, 4, keys=stack.keys, links=stack.links)
            yield path(f"M{coordinate(x + 7)} {coordinate(top + 8)}h9l-4.5 13z", needles, keys=keys)
            for k, line in enumerate(lines, 1):
                yield text(x + 22, top + LINE * k, line, keys=keys)


def storage_pins(placed: Sequence[tuple[int, Pin]]) -> StoragePins:
    """Returns the pins of a storage, given with their places. Pins that never exist at the same time share a place."""
    stacks = [PinStack(place, pin.plates, pin.keys, pin.links) for place, pin in placed]
    if max((place for place, _ in placed), default=-1) >= MOST:
        stacks = [*_folded([pin for _, pin in placed])]
    return StoragePins(tuple(stacks))


def _folded(pins: Sequence[Pin]) -> Iterator[PinStack]:
    storage, by_key = pins[0].storage, {(pin.node, pin.version): pin for pin in pins}
    keys = (f"k{storage}", *(key for pin in pins for key in pin.keys))
    links = tuple(dict.fromkeys(link for pin in pins for link in pin.links))
    stacks: dict[tuple[int, _Key | None], list[tuple[int, Plate | None]]] = {}
    before: dict[tuple[int, _Key | None], Plate] = {}
    for step, row in _rows({key: pin.life for key, pin in by_key.items()}):
        now = {(place, key): plate for place, (key, plate) in enumerate(row)}
        for stack in before | now:
            stacks.setdefault(stack, []).append((step, now.get(stack)))
        before = now
    for (place, key), plates in stacks.items():
        yield PinStack(place, plates, *((keys, links) if key is None else (by_key[key].keys, by_key[key].links)))


_Row = Sequence[tuple[_Key | None, Plate]]
"""The plates below each other: each with its pin, or None for several pins."""


def _rows(lives: Mapping[_Key, Life[PinContent]]) -> Iterator[tuple[int, _Row]]:
    """Yields the plates wherever they change: one for the pins that are not stale, one for those that are; then those of each pin that this step makes
    stale, and of the one that backward checks. Very many that go stale at once are not all drawn apart.
    """
    turns: dict[int, set[_Key]] = {}
    for key, life in lives.items():
        for step in turns_of(life):
            turns.setdefault(step, set()).add(key)
    for step, alive, _ in gatherings(lives, turns):
        turned = turns.get(step, set())
        apart = [key for key, face in alive.items() if face.checked or key in turned]
        folds = _folds(alive, apart, turned)
        if len(folds) + len(apart) > MOST + 1:
            apart = apart[: MOST - 1]
            folds = _folds(alive, apart, turned)
        each_apart = [(key, alive[key].plate(turned=key in turned)) for key in apart]
        yield step, [*((None, fold) for fold in folds), *each_apart]


def _folds(alive: Mapping[_Key, PinContent], apart: Collection[_Key], turned: Collection[_Key]) -> list[Plate]:
    groups: tuple[dict[_Key, PinContent], ...] = {}, {}
    for key, face in alive.items():
        if key not in apart:
            groups[face.status == "stale"][key] = face
    return [plate for each in groups if (plate := _plate(each, turned))]


def _plate(alive: Mapping[_Key, PinContent], turned: Collection[_Key]) -> Plate | None:
    """One plate for several pins; for a single pin its own plate. `turned` are those that become stale in this step."""
    faces = list(alive.values())
    turn = any(key in turned for key in alive)
    if len(faces) < 2:
        return faces[0].plate(turned=turn) if faces else None
    nodes = words.NODES.format(count=len({node for node, _ in alive}))
    states = Counter(face.said(turned=key in turned) for key, face in alive.items())
    counted = [f"{{}} ×{count}" if len(states) > 1 else "{}" for count in states.values()]
    parts = tuple(Text(each, each).format(said) for each, said in zip(counted, states, strict=True))
    released = all(face.status == "released" for face in faces)
    status: Status = "stale" if faces[0].status == "stale" else "released" if released else "fresh"
    return Plate(status, words.SAVED_BY.format(node=nodes), parts, turned=turn)
