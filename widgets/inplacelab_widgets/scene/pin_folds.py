"""Places the pins of a storage. Many pins are folded, so that the block stays as high as one with a few.

A weight that a loop reads is saved once in every turn. Its pins are then drawn as one, with their number. Stale pins are
folded separately, since backward will fail on them, and the pin that backward checks in this step has its own place. In the
player a fold opens a list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from inplacelab.language import Text
from inplacelab_widgets import words
from inplacelab_widgets.scene.marks import Mark
from inplacelab_widgets.scene.pins import HEIGHT, Pin, PinContent, Plate, Plates, Status, pin_marks, turns_of
from inplacelab_widgets.scene.timeline import Life, gatherings

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


@dataclass(frozen=True, slots=True)
class StoragePins:
    """All pins of one storage."""

    stacks: tuple[PinStack, ...] = ()

    @property
    def height(self) -> float:
        return HEIGHT * (1 + max((each.place for each in self.stacks), default=-1))

    @property
    def width(self) -> float:
        return max((plate.width for each in self.stacks for _, plate in each.plates if plate), default=0)

    def marks(self, x: float, y: float) -> Iterator[Mark]:
        """Draws all pins, from (x, y) downwards."""
        width = self.width
        for each in self.stacks:
            yield from pin_marks(each.plates, x, y + HEIGHT * each.place, width, each.keys, each.links)


def storage_pins(placed: Sequence[tuple[int, Pin]]) -> StoragePins:
    """Returns the pins of a storage, given with their places. Pins that never exist at the same time share a place."""
    if max((place for place, _ in placed), default=-1) < MOST:
        return StoragePins(tuple(PinStack(place, pin.plates, pin.keys, pin.links) for place, pin in placed))
    return StoragePins(tuple(_folded([pin for _, pin in placed])))


def _folded(pins: Sequence[Pin]) -> Iterator[PinStack]:
    storage, by_key = pins[0].storage, {(pin.node, pin.version): pin for pin in pins}
    summaries = list(_summaries({key: pin.life for key, pin in by_key.items()}))
    keys = (f"k{storage}", *(key for pin in pins for key in pin.keys))
    links = tuple(dict.fromkeys(link for pin in pins for link in pin.links))
    place = 0
    for plates in ([(step, each.first) for step, each in summaries], [(step, each.second) for step, each in summaries]):
        if any(plate for _, plate in plates):
            yield PinStack(place, plates, keys, links)
            place += 1
    for key in dict.fromkeys(each.looked_at for _, each in summaries if each.looked_at):
        plates = [(step, each.apart if each.looked_at == key else None) for step, each in summaries]
        yield PinStack(place, plates, by_key[key].keys, by_key[key].links)


@dataclass(frozen=True, slots=True)
class _Summary:
    """The plates of many pins after one step: for those that are not stale, for those that are (`first` and `second`, if
    there are both), and for the one that is checked.
    """

    first: Plate | None
    second: Plate | None
    looked_at: _Key | None
    apart: Plate | None


def _summaries(lives: Mapping[_Key, Life[PinContent]]) -> Iterator[tuple[int, _Summary]]:
    turns: dict[int, set[_Key]] = {}
    for key, life in lives.items():
        for step in turns_of(life):
            turns.setdefault(step, set()).add(key)
    for step, alive, _ in gatherings(lives, turns):
        stale = {key: face for key, face in alive.items() if face.status == "stale"}
        together = {key: face for key, face in alive.items() if key not in stale}
        looked_at = next((key for key, face in alive.items() if face.checked), None)
        if any(len(group) == 1 and looked_at in group for group in (together, stale)):
            looked_at = None  # it has its own plate already
        first, second = [*filter(None, (_plate(together, set()), _plate(stale, turns.get(step, set())))), None, None][
            :2
        ]
        yield step, _Summary(first, second, looked_at, alive[looked_at].plate if looked_at else None)


def _plate(alive: Mapping[_Key, PinContent], turned: Collection[_Key]) -> Plate | None:
    """One plate for several pins; for a single pin its own plate. `turned` are those that become stale in this step."""
    faces = list(alive.values())
    turn = any(key in turned for key in alive)
    if len(faces) < 2:
        return (faces[0].turned if turn else faces[0].plate) if faces else None
    nodes = words.NODES.format(count=len({node for node, _ in alive}))
    states = Counter(face.turned_state if key in turned else face.state for key, face in alive.items())
    counted = [f"{{}} ×{count}" if len(states) > 1 else "{}" for count in states.values()]
    second = Text(*[" · ".join(counted)] * 2).format(*states)
    released = all(face.status == "released" for face in faces)
    status: Status = "stale" if faces[0].status == "stale" else "released" if released else "fresh"
    return Plate(status, words.SAVED_BY.format(node=nodes), second, turned=turn)
