"""Draws the shelf: the storages that the present step is not about, each as a chip of one line.

The chips of a step are moved together, in the order of their storages (`stack_of` in `marks.py`). The player draws as many as its pane has room for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import floor
from typing import TypeVar

from inplacelab.language import Text
from inplacelab.recording.facts import StorageFacts
from inplacelab.recording.naming import is_constant, storage_label
from inplacelab.recording.slots import joined
from inplacelab_widgets import words
from inplacelab_widgets.scene.cards import Card
from inplacelab_widgets.scene.focus import Span
from inplacelab_widgets.scene.marks import (
    CHIP_GAP,
    CHIP_HEIGHT,
    CHIPS_TOP,
    Group,
    Lazily,
    Look,
    Mark,
    Runs,
    always,
    lasting,
    rect,
    text,
)
from inplacelab_widgets.scene.measure import SMALL, shortened, size_in_bytes, width_of
from inplacelab_widgets.scene.pins import Pin
from inplacelab_widgets.scene.timeline import Life, shared_rows

_Facts = TypeVar("_Facts")

WIDEST = 195.0
"""The greatest width of a chip, in px: three fit side by side in a notebook of usual width, more if names are short."""
LONGEST_NAME = 96.0
NEVER: Span = (-1, -1)
"""For a storage that is always drawn in full: its chip is shown only while the reader follows another tensor."""


@dataclass(frozen=True, slots=True)
class Shelved:
    """A storage with the data of its chip. `last` is the last step at which the chip may be shown."""

    id: int
    life: Life[StorageFacts]
    versions: Life[str]
    last: int
    cards: Sequence[Card]
    pins: Sequence[Pin]
    open: tuple[Span, ...]

    def labels(self) -> tuple[tuple[int, str, bool], ...]:
        """Returns (step, words, stale) wherever one of the two may change."""
        return tuple((step, *self._at(step)) for step in sorted(set(self._boundaries())))

    def _boundaries(self) -> Iterator[int]:
        yield from _changes(self.life)
        yield from _changes(self.versions)
        yield from (step for card in self.cards for step in _changes(card.life))
        yield from (step for pin in self.pins for step in _changes(pin.life))
        yield self.last

    def _at(self, step: int) -> tuple[str, bool]:
        facts = self.life.at(step)
        named = [face for card in self.cards if (face := card.life.at(step)) is not None and face.called.names]
        names = ", ".join(chip for face in named for chip in face.chips)
        kept = [pin_face for pin in self.pins if (pin_face := pin.life.at(step)) is not None]
        stale = any(pin_face.status == "stale" for pin_face in kept)
        label = f"{storage_label(self.id)} {shortened(names, LONGEST_NAME)}".rstrip()
        if facts is None:
            return label, False
        size = [] if is_constant(facts) else [size_in_bytes(facts.bytes)]
        return " · ".join(filter(None, [label, self.versions.at(step), *size])), stale


def chips_below(storages: Sequence[Shelved], room: float) -> tuple[float, float, tuple[Group, ...]]:
    """Returns the width and the height of the shelf, and its groups: a heading, and a chip for each storage."""
    if not storages:
        return 0, 0, ()
    labels = {storage.id: storage.labels() for storage in storages}
    lines = [_marked(line, stale) for some in labels.values() for _, line, stale in some]
    most = 1 + max(shared_rows([(storage.life.first, storage.last) for storage in storages]))
    # As many side by side as have room for names and versions; the rest of the row is for the bytes.
    needed = min(WIDEST, max(width_of(_shorter(line), SMALL) for line in lines) + 14)
    columns = max(1, min(int((room + CHIP_GAP) // (needed + CHIP_GAP)), most))
    width = min(max(width_of(line, SMALL) for line in lines) + 14, (room + CHIP_GAP) / columns - CHIP_GAP)
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
    marks = (text(0, 13, always(Look("text bold", words.SHELF))),)
    return Group(0, 0, width_of(words.SHELF, SMALL), CHIPS_TOP, first, last, marks, open=drawn)


def _chip(storage: Shelved, labels: Sequence[tuple[int, str, bool]], width: float) -> Group:
    keys, freed = (f"s{storage.id}",), storage.life.last + 1
    # A storage that is drawn in full has no chip.
    shut = tuple(_between(storage.open, storage.life.first, storage.last)) or (NEVER,)

    def marks() -> Iterator[Mark]:
        outline = lasting(
            (
                (step, Look("pin released" if step >= freed else "pin stale" if stale else "pin"))
                for step, _, stale in labels
            ),
            storage.last,
        )
        yield rect(0, 0, width, CHIP_HEIGHT, outline, 4, keys=keys)
        yield text(7, 13.5, _words(storage, labels, width - 14), keys=keys)

    return Group(0, 0, width, CHIP_HEIGHT, storage.life.first, storage.last, Lazily(marks), key=keys[0], open=shut)


def _words(storage: Shelved, labels: Sequence[tuple[int, str, bool]], room: float) -> Runs:
    looks = []
    for step, line, stale in labels:
        if step > storage.life.last:
            freed = Text("{0} · {1}", "{0} · {1}").format(line, words.FREED)
            looks.append((step, Look("text italic soft", freed)))
        else:
            looks.append((step, Look("text alarm" if stale else "text", _fitting(_marked(line, stale), room))))
    return lasting(looks, storage.last)


def _fitting(line: str, room: float) -> str:
    """As many facts as fit: the bytes and then the version are omitted before a name is cut."""
    while width_of(line, SMALL) > room and " · " in line:
        line = _shorter(line)
    return shortened(line, room)


def _shorter(line: str) -> str:
    """The line without its last fact."""
    return line.rpartition(" · ")[0] or line


def _marked(line: str, stale: bool) -> str:
    return f"✗ {line}" if stale else line


def _between(spans: Sequence[Span], first: int, last: int) -> Iterator[Span]:
    """The ranges from `first` to `last` outside all of `spans`, which are in order."""
    for start, stop in spans:
        if first < start:
            yield first, min(start - 1, last)
        first = max(first, stop + 1)
    if first <= last:
        yield first, last


def _changes(life: Life[_Facts]) -> Iterator[int]:
    yield from (step for step, _ in life.moments)
    yield life.last + 1
