"""Finds the storages that each step is about: those that it reads, writes, saves, unpacks or creates.

In a recording with dozens of storages these are drawn in full, and the others only named: each is a chip of one line. The chips of a step are
moved together, in the order of their storages (`stack_of` in `svg.py`). The player draws as many as its pane has room for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from math import floor
from types import MappingProxyType
from typing import Any

from inplacelab.language import Text
from inplacelab.recording import queries
from inplacelab.recording.facts import StorageFacts
from inplacelab.recording.naming import is_constant, storage_label
from inplacelab.recording.recording import Recording, State
from inplacelab.recording.slots import joined
from inplacelab_widgets import words
from inplacelab_widgets.scene.saved_tensors import Pin
from inplacelab_widgets.scene.svg import (
    CHIP_GAP,
    CHIP_HEIGHT,
    CHIPS_TOP,
    Group,
    Lazily,
    Look,
    Mark,
    always,
    lasting,
    rect,
    text,
)
from inplacelab_widgets.scene.tensor_cards import Card
from inplacelab_widgets.scene.text_layout import SMALL, shortened, size_in_bytes, widest, width_of
from inplacelab_widgets.scene.timeline import Life, once_for_each, shared_rows

MOST = 8
"""The most storages drawn in full."""

Box = tuple[float, float]
"""The width and the height of a storage, in px."""
Fit = Callable[[tuple[Box, ...], int], bool]
"""Whether storages of these sizes fit, in the order of their numbers, beside a number of chips for the others."""
Span = tuple[int, int]
"""The first and the last step of a range of steps."""


@once_for_each
def storages_in_focus(recording: Recording) -> tuple[tuple[int, ...], ...]:
    """Returns for each step the storages that it is about, written ones first."""
    found = []
    before: State | None = None
    for state in recording.states():
        refused = queries.refused_operands(recording, state.step.index)
        about = dict.fromkeys([*_homes(state, before, refused), *_about(state, before)])
        found.append(tuple(key for key in about if key in state.storages))
        before = state
    return tuple(found)


def open_spans(
    recording: Recording,
    sizes: Mapping[int, Sequence[tuple[int, Box]]],
    fit: Fit,
    stale: Mapping[int, Sequence[Span]] = MappingProxyType({}),
) -> dict[int, tuple[Span, ...]]:
    """Returns for each storage the ranges of steps at which it is drawn in full.

    These are the storages that the step writes, checks or fails on, and others while there is room: first those with a stale value, then
    those that the step is about, those that were drawn before, and the newest.

    Args:
        recording: the recording.
        sizes: the width and the height of each storage, in px, with the steps from which it has them.
        fit: whether storages of given sizes fit.
        stale: for each storage the ranges of steps at which it holds a stale value.
    """
    spans: dict[int, list[Span]] = {}
    stage: tuple[int, ...] = ()
    choose = cache(partial(_chosen_places, fit))  # a loop asks the same again and again, of other storages
    boxes: dict[int, Box] = {}
    changes: dict[int, dict[int, Box]] = {}
    for key, found in sizes.items():
        for step, box in found:
            changes.setdefault(step, {})[key] = box
    for state, about in zip(recording.states(), storages_in_focus(recording), strict=True):
        now = state.step.index
        boxes.update(changes.get(now, {}))
        alarming = [key for key, ranges in stale.items() if any(first <= now <= last for first, last in ranges)]
        wanted = [
            *dict.fromkeys(_main(state)),
            *(about if state.step.error is not None else ()),
            *alarming,
            *about,
            *stage,
            *islice(reversed([*state.storages]), 2 * MOST),
        ]
        there = [key for key in dict.fromkeys(wanted) if key in state.storages]
        numbers = sorted(there)
        places = {number: place for place, number in enumerate(numbers)}
        its_boxes, order = tuple([boxes[number] for number in numbers]), tuple([places[key] for key in there])
        # Several chips take as much room as one.
        stage = tuple([numbers[place] for place in choose(its_boxes, order, min(len(state.storages), MOST + 1))])
        for key in stage:
            mine = spans.setdefault(key, [])
            if mine and mine[-1][1] == now - 1:
                mine[-1] = (mine[-1][0], now)
            else:
                mine.append((now, now))
    return {key: tuple(found) for key, found in spans.items()}


def _chosen_places(fit: Fit, boxes: tuple[Box, ...], wanted: tuple[int, ...], live: int) -> list[int]:
    """Chooses, out of the wanted storages, as many as fit: the first of them in any case.

    Args:
        fit: whether storages fit.
        boxes: the sizes of the wanted storages, in the order of their numbers.
        wanted: their places in that order, in the order of choice.
        live: the number of all storages.

    Returns:
        The places of those that are chosen.
    """
    if live <= MOST and fit(boxes, 0):
        return sorted(wanted)
    chosen = [*wanted[:1]]
    for place in wanted[1:]:
        with_it = sorted([*chosen, place])
        if fit(tuple([boxes[each] for each in with_it]), live - len(with_it)):
            chosen = with_it
        if len(chosen) >= MOST:
            break
    return chosen


@dataclass(frozen=True, slots=True)
class Thread:
    """What is shown of a tensor that a reader follows.

    Attributes:
        name: its name in the program.
        storages: the storages that tensors of this name have had.
        keys: the keys of its marks: the tensors, the storages, and the nodes that made or saved it.
        stops: the steps at which something happens on those storages.
    """

    name: str
    storages: tuple[int, ...]
    keys: tuple[str, ...]
    stops: tuple[int, ...]


@once_for_each
def threads(recording: Recording) -> tuple[Thread, ...]:
    """Returns what can be followed: every name that the program bound to a tensor, in order of appearance."""
    named: dict[str, dict[str, None]] = {}
    storages: dict[str, dict[int, None]] = {}
    for step in recording.steps:
        for key, facts in step.tensors:
            for name in facts.names if facts else ():
                made = [f"n{facts.node}"] if facts and facts.node is not None else []
                named.setdefault(name, {}).update(dict.fromkeys([f"t{key}", *made]))
                storages.setdefault(name, {}).update({facts.storage: None} if facts else {})
    savings = (
        (key, saved) for step in recording.steps for key, node in step.nodes for saved in (node.saved if node else ())
    )
    keepers: dict[int, dict[str, None]] = {}  # for each storage, the nodes that ever saved a tensor on it
    for key, saved in savings:
        keepers.setdefault(saved.storage, {})[f"n{key}"] = None
    about: dict[int, list[int]] = {}  # and the steps that are about it
    for at, in_focus in enumerate(storages_in_focus(recording)):
        for storage in in_focus:
            about.setdefault(storage, []).append(at)
    found = []
    for name, marks in named.items():
        own = storages[name]
        marks |= {each: None for storage in own for each in (f"s{storage}", *keepers.get(storage, ()))}
        stops = sorted({at for storage in own for at in about.get(storage, ())})
        found.append(Thread(name, tuple(own), tuple(marks), tuple(stops)))
    return tuple(found)


def _about(state: State, before: State | None) -> Iterator[int]:
    """The storages that a step is about, the most important first."""
    step = state.step
    yield from _main(state)
    if step.kind == "look":
        yield from (key for key in state.storages if sum(bool(each.names) for each in state.tensors_on(key)) > 1)
    yield from (key for key in step.touched_storages() if key in state.storages)
    touched = [step.output] if step.output is not None else []
    touched += step.inputs
    if step.kind == "line":  # the tensors whose names or flags it changed
        touched += [key for key, facts in step.tensors if facts is not None]
    yield from _homes(state, before, touched)
    kept = state.nodes.get(step.kept) if step.kept is not None else None
    yield from (saved.storage for saved in (kept.saved if kept else ()))


def _main(state: State) -> Iterator[int]:
    """The storages that a step writes, fails on, or checks."""
    step = state.step
    yield from (write.storage for write in step.writes)
    if step.error is not None and step.error.storage is not None:
        yield step.error.storage
    backward = step.backward
    if backward is not None and backward.action == "unpack" and backward.node is not None:
        node = state.nodes.get(backward.node)
        yield from (each.storage for each in (node.saved if node else ()) if each.name == backward.saved)


def _homes(state: State, before: State | None, tensors: Iterable[int]) -> Iterator[int]:
    for tensor in tensors:
        facts = state.tensors.get(tensor) or (before.tensors.get(tensor) if before else None)
        if facts is not None:
            yield facts.storage


# --- chips ------------------------------------------------------------------------------------------------------------

WIDEST = 195.0
"""The greatest width of a chip, in px: three fit side by side in a notebook of usual width, more if names are short."""
LONGEST_NAME = 96.0
NEVER: Span = (-1, -1)
"""For a storage that is always drawn in full: its chip is shown only while the reader follows another tensor."""


@dataclass(frozen=True, slots=True)
class StorageChip:
    """A storage with the data of its chip. `last` is the last step at which the chip may be shown."""

    id: int
    life: Life[StorageFacts]
    versions: Life[str]
    last: int
    cards: Sequence[Card]
    pins: Sequence[Pin]
    open: tuple[Span, ...]

    def labels(self) -> list[tuple[int, str, bool]]:
        """Returns (step, words, stale) wherever one of the two may change."""
        lives: list[Life[Any]] = [self.life, self.versions]
        lives += [*(card.life for card in self.cards), *(pin.life for pin in self.pins)]
        changes = {step for life in lives for step, _ in life.moments} | {life.last + 1 for life in lives}
        found = []
        for step in sorted(changes | {self.last}):
            facts = self.life.at(step)
            named = [face for card in self.cards if (face := card.life.at(step)) is not None and face.called.names]
            names = ", ".join(chip for face in named for chip in face.chips)
            label = f"{storage_label(self.id)} {shortened(names, LONGEST_NAME)}".rstrip()
            if facts is None:
                found.append((step, label, False))
                continue
            kept = [pin.life.at(step) for pin in self.pins]
            stale = any(each is not None and each.status == "stale" for each in kept)
            size = "" if is_constant(facts) else size_in_bytes(facts.bytes)
            line = " · ".join(filter(None, [label, self.versions.at(step), size]))
            found.append((step, f"✗ {line}" if stale else line, stale))
        return found


def chips_below(storages: Sequence[StorageChip], room: float) -> tuple[float, float, tuple[Group, ...]]:
    """Returns the width and the height of the chips, and their groups: a heading, and a chip for each storage."""
    if not storages:
        return 0, 0, ()
    labels = {storage.id: storage.labels() for storage in storages}
    lines = [line for some in labels.values() for _, line, _ in some]
    most = 1 + max(shared_rows([(storage.life.first, storage.last) for storage in storages]))
    # As many side by side as have room for names and versions; the rest of the row is for the bytes.
    shorter = (line.rpartition(" · ")[0] or line for line in lines)
    needed = min(WIDEST, widest(shorter, SMALL) + 14)
    columns = max(1, min(int((room + CHIP_GAP) // (needed + CHIP_GAP)), most))
    width = min(widest(lines, SMALL) + 14, (room + CHIP_GAP) / columns - CHIP_GAP)
    width = floor(width * 10) / 10  # rounded up, they would need more than the room
    chips = [_chip(storage, labels[storage.id], width) for storage in storages]
    height = CHIPS_TOP + -(-most // columns) * (CHIP_HEIGHT + CHIP_GAP)
    return columns * (width + CHIP_GAP) - CHIP_GAP, height, (_heading(chips), *chips)


def _heading(chips: Sequence[Group]) -> Group:
    """The heading above the chips, while there are any."""
    spans = sorted(span for chip in chips for span in chip.open if span != NEVER)
    # As half-open intervals, adjacent ranges are joined.
    drawn = tuple((start, stop - 1) for start, stop in joined((first, last + 1) for first, last in spans))
    first, last = (drawn[0][0], drawn[-1][1]) if drawn else (0, -1)
    marks = (text(0, 13, always(Look("text prose bold", words.SHELF))),)
    return Group(0, 0, width_of(words.SHELF, SMALL), CHIPS_TOP, first, last, marks, open=drawn)


def _chip(storage: StorageChip, labels: Sequence[tuple[int, str, bool]], width: float) -> Group:
    keys, freed = (f"s{storage.id}",), storage.life.last + 1
    # A storage that is drawn in full has no chip.
    shut = tuple(_between(storage.open, storage.life.first, storage.last)) or (NEVER,)

    def marks() -> Iterator[Mark]:
        outlines: list[tuple[int, Look | None]] = []
        lines: list[tuple[int, Look | None]] = []
        for step, line, stale in labels:
            if step >= freed:
                outlines.append((step, Look("pin released")))
                said = Text("{0} · {1}", "{0} · {1}").format(line, words.FREED)
                lines.append((step, Look("text italic soft", said)))
                continue
            outlines.append((step, Look("pin stale" if stale else "pin")))
            fitted = line  # the bytes and then the version are omitted before a name is cut
            while width_of(fitted, SMALL) > width - 14 and " · " in fitted:
                fitted = fitted.rpartition(" · ")[0]
            lines.append((step, Look("text alarm" if stale else "text", shortened(fitted, width - 14))))
        yield rect(0, 0, width, CHIP_HEIGHT, lasting(outlines, storage.last), 4, keys=keys)
        yield text(7, 13.5, lasting(lines, storage.last), keys=keys)

    return Group(0, 0, width, CHIP_HEIGHT, storage.life.first, storage.last, Lazily(marks), key=keys[0], open=shut)


def _between(spans: Sequence[Span], first: int, last: int) -> Iterator[Span]:
    """The ranges from `first` to `last` outside all of `spans`, which are in order."""
    for start, stop in spans:
        if first < start:
            yield first, min(start - 1, last)
        first = max(first, stop + 1)
    if first <= last:
        yield first, last
