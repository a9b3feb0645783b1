"""Draws the memory panel: every storage with its slots, its version counter, its tensors and its saved tensors.

Each storage is a group of marks with a fixed place. Storages that never live at the same time share a row, so a loop
that makes a temporary a hundred times needs the room of one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TypeVar

from inplacelab.language import Text, enumerated
from inplacelab.recording import queries
from inplacelab.recording.facts import Step, StorageFacts, WriteFacts
from inplacelab.recording.frameworks import framework_of
from inplacelab.recording.naming import is_constant, storage_label
from inplacelab.recording.recording import Recording, State
from inplacelab.recording.slots import Runs as SlotRuns
from inplacelab.recording.touched import Touched, touched
from inplacelab.recording.values_read import slots_reached
from inplacelab_widgets import words
from inplacelab_widgets.scene import changed_looks
from inplacelab_widgets.scene.cards import Card, card_marks, cards, wire_marks
from inplacelab_widgets.scene.combs import WIDEST_NAME_ALONE, comb_marks, gutter_for
from inplacelab_widgets.scene.focus import Span, open_spans
from inplacelab_widgets.scene.marks import (
    GAP,
    Block,
    Copy,
    Group,
    Lazily,
    Look,
    Mark,
    Panel,
    between,
    flashes,
    lasting,
    rect,
    text,
)
from inplacelab_widgets.scene.measure import SMALL, size_in_bytes, widest, width_of
from inplacelab_widgets.scene.names import author_of
from inplacelab_widgets.scene.pin_folds import StoragePins, storage_pins
from inplacelab_widgets.scene.pins import Pin, pins
from inplacelab_widgets.scene.row_order import order_of_rows
from inplacelab_widgets.scene.shelf import Shelved, shelf
from inplacelab_widgets.scene.strip import GUTTER, WITH_VALUES, Strip, strip_for, strip_marks
from inplacelab_widgets.scene.timeline import Life, shared_rows, storage_lives, version_labels

_Item = TypeVar("_Item", Card, Pin)

WIDTH = 600.0
"""The width of the panel beside the code in a notebook of usual width, in px."""
NARROWEST = 320.0
TITLE = 23.0
BY_LINE = 17.0
"""The height of the line with the last writer, in px, with room for the underscore of `relu_` above the frame of a pin."""
PIN_LEFT = 6.0
HIGHEST = 600.0
"""The greatest height of the panel, in px. A higher one draws in full only what a step is about; the rest is on the shelf."""
CARD_GAP = 6.0
"""The space between a card and the one below it, in px."""
BUS = 22.0
"""The space between strips and the cards beside them, for the pointers, in px."""


@dataclass(frozen=True)
class _Parts:
    """One storage over the steps, and everything to draw for it."""

    id: int
    life: Life[StorageFacts]
    versions: Life[str]
    last: int
    cards: tuple[tuple[int, Card], ...]
    """(place, card): cards that never exist at the same time share a place."""
    pins: tuple[Pin, ...]
    storage_pins: StoragePins
    raised: tuple[tuple[int, str, str, Text], ...]
    """(step, version before, version after, what raised it)."""
    done: Mapping[int, Touched]

    @property
    def card_places(self) -> int:
        return 1 + max((place for place, _ in self.cards), default=-1)

    @cached_property
    def card_width(self) -> float:
        return max((card.width for _, card in self.cards), default=0)

    @cached_property
    def card_pitch(self) -> float:
        """The distance from the top of a card to the top of the one below it, in px."""
        return max((card.height for _, card in self.cards), default=0) + CARD_GAP

    @cached_property
    def title_width(self) -> float:
        return max(width_of(_title(facts), SMALL) for facts in self.life.every()) + 10 + self.pill_width

    @cached_property
    def pill_width(self) -> float:
        return widest([f"{before}→{after}" for _, before, after, _ in self.raised] + ["v0", words.FREED], SMALL) + 14

    @cached_property
    def raisers(self) -> tuple[tuple[int, Text], ...]:
        """(step, words on what raised the version)."""
        return tuple((step, words.BY.format(version=after, who=name)) for step, _, after, name in self.raised)


@dataclass(frozen=True)
class _Storage(_Parts):
    """A storage with its strip, which determines the places of all parts of its block."""

    strip: Strip

    @property
    def has_cards_beside(self) -> bool:
        """Whether its cards fit to the right of its strip; otherwise they are below it."""
        return self.strip.slots <= WITH_VALUES and self.memory_width + BUS + self.card_width <= WIDTH

    @cached_property
    def memory_width(self) -> float:
        """Its size without the cards, in px."""
        by_line = widest(content for _, content in self.raisers)
        return max(self.strip.right, self.title_width, PIN_LEFT + self.storage_pins.width, self.strip.gutter + by_line)


def storages_panel(recording: Recording) -> Panel:
    """Returns the memory panel of a recording."""
    parts = _parts(recording)
    rows = shared_rows([(each.life.first, each.last) for each in parts])
    if (1 + max(rows, default=0)) * (TITLE + GAP) > HIGHEST:  # even if each has only its title
        return _with_a_shelf(recording, parts)
    storages = _with_strips(parts, dense=False)
    heights: dict[int, float] = {}
    blocks = []
    for block, row in zip(_blocks(storages), rows, strict=True):
        heights[row] = max(heights.get(row, 0), block.height)
        blocks.append(block)
        if sum(heights.values()) + GAP * (len(heights) - 1) > HIGHEST:
            return _with_a_shelf(recording, parts)
    lives = [(s.life.first, s.last) for s in storages]
    order = order_of_rows(lives, rows, heights)
    tops = dict(zip(order, accumulate((heights[row] + GAP for row in order), initial=0.0), strict=False))
    groups = tuple(block.group(tops[row], order.index(row)) for block, row in zip(blocks, rows, strict=True))
    height = sum(heights.values()) + GAP * (len(heights) - 1)
    return Panel(
        "storages",
        _width(groups),
        max(height, 40),
        groups,
        _descriptions(recording),
        copies=_copies(recording, storages),
    )


def _with_a_shelf(recording: Recording, parts: Sequence[_Parts]) -> Panel:
    """The panel for many storages: those that a step is about in full, the others on the shelf."""
    storages, spans = _with_strips(parts, dense=True), open_spans(recording)
    blocks = _blocks([s for s in storages if s.id in spans])
    groups = tuple(block.group(0, k, spans[block.storage.id]) for k, block in enumerate(blocks))
    shelved = [
        Shelved(s.id, s.life, s.versions, s.last, [c for _, c in s.cards], s.pins, spans.get(s.id, ()))
        for s in storages
    ]
    width, height, chips = shelf(shelved, WIDTH)
    height += _highest_stack(groups, len(recording))
    return Panel(
        "storages",
        max(_width(groups), width),
        height,
        groups,
        _descriptions(recording),
        shelf=chips,
        copies=_copies(recording, storages),
    )


def _width(groups: Sequence[Group]) -> float:
    return round(max([NARROWEST, *(group.width for group in groups)]), 1)


@dataclass(frozen=True)
class _Block:
    """A storage as it is drawn in full, with its cards at x `column`, or below its memory if None."""

    storage: _Storage
    column: float | None
    card_width: float

    @property
    def in_row(self) -> int:
        """How many cards are side by side."""
        if self.column is not None or not self.storage.cards:
            return 1
        return max(1, int((WIDTH - GUTTER + 8) // (self.card_width + 8)))

    @property
    def below_strip(self) -> float:
        return TITLE + self.storage.strip.bottom + 3

    @property
    def pins_top(self) -> float:
        return self.below_strip + (BY_LINE if self.storage.raised else 0)

    @property
    def memory_height(self) -> float:
        """Its height without the cards, in px."""
        return self.pins_top + self.storage.storage_pins.height

    @property
    def first_card(self) -> tuple[float, float]:
        return (self.column, 0) if self.column is not None else (GUTTER, self.memory_height + 2)

    @property
    def width(self) -> float:
        if self.column is not None:
            return self.column + self.card_width
        in_row = min(self.in_row, self.storage.card_places)
        return max(self.storage.memory_width, GUTTER + in_row * (self.card_width + 8))

    @property
    def height(self) -> float:
        places, pitch = self.storage.card_places, self.storage.card_pitch
        if self.column is not None:
            return max(self.memory_height, places * pitch - CARD_GAP)
        return self.first_card[1] + -(-places // self.in_row) * pitch

    def group(self, y: float, row: int, spans: tuple[Span, ...] = ()) -> Group:
        storage, cards = self.storage, (*self.first_card, self.card_width, self.in_row)
        block = Block(row, storage.memory_width, self.memory_height, cards, storage.card_places, storage.card_pitch)
        first, last, key, marks = storage.life.first, storage.last, f"s{storage.id}", Lazily(self._marks)
        return Group(0, y, self.width, self.height, first, last, marks, key, spans, block)

    def _marks(self) -> Iterator[Mark]:
        storage = self.storage
        yield from _title_marks(storage)
        yield from strip_marks(storage.strip, TITLE, storage.id, storage.life, storage.done)
        for place, card in storage.cards:
            yield from comb_marks(card, storage.life.moments[0][1], storage.strip, TITLE, place)
        if storage.raised:
            yield _by_mark(storage, self.below_strip + 9)
        yield from storage.storage_pins.marks(PIN_LEFT, self.pins_top)
        for place, card in storage.cards:
            x, y = self._place_of_card(place)
            yield from (mark._replace(card=place + 1) for mark in card_marks(card, x, y, self.card_width))
            if self.column is not None:
                middle = TITLE + storage.strip.height / 2
                yield from wire_marks(card, x, y + card.height / 2, storage.strip.right, middle)

    def _place_of_card(self, place: int) -> tuple[float, float]:
        left, top = self.first_card
        return left + place % self.in_row * (self.card_width + 8), top + place // self.in_row * self.storage.card_pitch


def _blocks(storages: Sequence[_Storage]) -> Iterator[_Block]:
    """The blocks of the storages, with their cards in one column where that fits."""
    beside = [s for s in storages if s.has_cards_beside]
    column = max((s.memory_width for s in beside), default=0) + BUS
    if beside and column + max(s.card_width for s in beside) > WIDTH:
        # One column of cards for all storages does not fit: put the cards right beside each strip.
        columns = {s.id: s.memory_width + BUS for s in beside}
    else:
        columns = {s.id: column for s in beside}
    card_width = max((s.card_width for s in beside), default=0)
    for storage in storages:
        own_column = columns.get(storage.id)
        same_width = card_width if own_column is not None and own_column + card_width <= WIDTH else storage.card_width
        yield _Block(storage, own_column, same_width)


def _highest_stack(groups: Sequence[Group], steps: int) -> float:
    """The height of the drawn groups at the step where they are highest, in px."""
    changes = [0.0] * (steps + 1)
    for group in groups:
        for first, last in group.open:
            changes[first] += group.height + GAP
            changes[last + 1] -= group.height + GAP
    return max(accumulate(changes))


def _parts(recording: Recording) -> list[_Parts]:
    end = len(recording) - 1
    all_cards, all_pins = _by_storage(cards(recording)), _by_storage(pins(recording))
    all_writes: dict[int, list[tuple[Step, WriteFacts]]] = {}
    for step in recording.steps:
        for write in step.writes:
            all_writes.setdefault(write.storage, []).append((step, write))
    done, versions = touched(recording), version_labels(recording)
    found, label = [], framework_of(recording).label
    for key, life in storage_lives(recording).items():
        mine, own_pins = _placed(all_cards.get(key, ())), tuple(all_pins.get(key, ()))
        writes = all_writes.get(key, ())
        raised = tuple(
            (step.index, label(write.before), label(write.after), author_of(recording, step)) for step, write in writes
        )
        # One step longer than its life: the step that frees it shows it fading.
        last, stacks = min(life.last + 1, end), storage_pins(_placed(own_pins))
        found.append(_Parts(key, life, versions[key], last, mine, own_pins, stacks, raised, done.get(key, {})))
    return found


def _with_strips(parts: Sequence[_Parts], *, dense: bool) -> list[_Storage]:
    # All strips begin at the same x, so that they can be compared.
    gutter = gutter_for(name for each in parts for name in _comb_names(each))
    return [_with_strip(each, gutter, dense=dense) for each in parts]


def _with_strip(parts: _Parts, gutter: float, *, dense: bool) -> _Storage:
    def with_gutter(room: float) -> _Storage:
        is_written = any(each.changed or each.same for each in parts.done.values())
        strip = strip_for(parts.life, parts.card_places, WIDTH, dense, room, is_written=is_written)
        facts = (
            parts.id,
            parts.life,
            parts.versions,
            parts.last,
            parts.cards,
            parts.pins,
            parts.storage_pins,
            parts.raised,
            parts.done,
        )
        return _Storage(*facts, strip)

    storage, wider = with_gutter(gutter), gutter_for(_comb_names(parts), WIDEST_NAME_ALONE)
    return with_gutter(wider) if wider > gutter and not storage.has_cards_beside else storage


def _comb_names(parts: _Parts) -> Iterable[str]:
    return (face.comb_name for _, card in parts.cards for face in card.life.every())


def _by_storage(items: Iterable[_Item]) -> dict[int, list[_Item]]:
    found: dict[int, list[_Item]] = {}
    for item in items:
        found.setdefault(item.storage, []).append(item)
    return found


def _placed(items: Sequence[_Item]) -> tuple[tuple[int, _Item], ...]:
    places = shared_rows([(item.life.first, item.life.last) for item in items])
    return tuple(zip(places, items, strict=True))


def _copies(recording: Recording, storages: Iterable[_Storage]) -> tuple[Copy, ...]:
    """The arrows of the steps that copied something."""
    strips = {each.id: each for each in storages}
    found = []
    for state in recording.states():
        step = state.step
        read = next((each for each in step.reads if each.copied), None)
        target = None if read is None else _target(state)
        if read is None or target is None or {read.storage, target[0]} - strips.keys():
            continue
        source = strips[read.storage]
        if is_constant(source.life.moments[0][1]) or (read.storage, read.slots) == target:
            continue
        if read.slots and target[1]:
            ends = _end(source.strip, read.storage, read.slots), _end(strips[target[0]].strip, *target)
            found.append(Copy(step.index, *ends))
    return tuple(found)


def _target(state: State) -> tuple[int, SlotRuns] | None:
    """The storage and the slots to which a step copied something."""
    write = next((write for write in state.step.writes if write.slots), None)
    if write is not None:
        return write.storage, write.slots
    made = state.tensors.get(state.step.output) if state.step.output is not None else None
    return None if made is None else (made.storage, slots_reached(state.storages[made.storage], made))


def _end(strip: Strip, storage: int, slots: SlotRuns) -> tuple[str, float, float]:
    """One end of an arrow: at the first run of slots."""
    left, right, y = strip.pieces(slots[:1])[0]
    return f"s{storage}", round((left + right) / 2, 1), TITLE + y


def _title(facts: StorageFacts) -> Text:
    size = size_in_bytes(facts.bytes)
    what = words.CONSTANT if is_constant(facts) else Text(size, size)
    return Text("{0} · {1} · {2} · {3}", "{0} · {1} · {2} · {3}").format(
        storage_label(facts.id), what, facts.dtype, facts.device
    )


def _title_marks(storage: _Storage) -> list[Mark]:
    keys, moments, last = (f"s{storage.id}",), storage.life.moments, storage.life.last
    left = round(storage.title_width - storage.pill_width, 1)
    raised = [(step, Look("pill raised"), Look("pill")) for step, *_ in storage.raised]
    counted = {step: Look("text value", content) for step, content in storage.versions.moments}
    plain = [(step, look, look) for step, look in counted.items()]
    bumped = [
        (step, Look("text value bold", f"{before}→{after}"), counted.get(step, Look("text value", after)))
        for step, before, after, _ in storage.raised
    ]
    marks = [
        text(0, 12.5, lasting(((step, Look("text bold", _title(facts))) for step, facts in moments), last), keys=keys),
        rect(
            left,
            1,
            storage.pill_width,
            16,
            flashes([(moments[0][0], Look("pill"), Look("pill")), *raised], last),
            8,
            keys=_version_keys(storage),
        ),
        text(
            round(left + storage.pill_width / 2, 1), 13, flashes([*plain, *bumped], last), keys=_version_keys(storage)
        ),
    ]
    if storage.last > last:
        freed = Text("{0} · {1}", "{0} · {1}").format(_title(moments[-1][1]), words.FREED)
        marks.append(text(0, 12.5, between(storage.last, storage.last, Look("text italic soft", freed)), keys=keys))
    return marks


def _by_mark(storage: _Storage, y: float) -> Mark:
    moments = [(step, Look("text bold", content), Look("text soft", content)) for step, content in storage.raisers]
    return text(storage.strip.gutter, y, flashes(moments, storage.life.last), keys=_version_keys(storage))


def _version_keys(storage: _Storage) -> tuple[str, ...]:
    """The key of a version, which leads to the step that raised it."""
    return f"v{storage.id}", f"s{storage.id}"


def _descriptions(recording: Recording) -> tuple[tuple[int, Text], ...]:
    descriptions, framework = [], framework_of(recording)
    stale: dict[int, int] = {}  # the number of stale values of each node that has any
    for touch in changed_looks.touched(recording):
        state = touch.state
        for key in touch.keepers:
            saved = queries.kept_by(state, key) if key in state.nodes else ()
            stale[key] = sum(map(state.is_stale, saved))
        written = enumerated(dict.fromkeys(storage_label(write.storage) for write in state.step.writes))
        descriptions.append(
            (
                state.step.index,
                framework.in_framework_words(
                    words.STORAGES_SAY if framework.has_gradients else words.STORAGES_SAY_PLAINLY
                ).format(
                    storages=len(state.storages),
                    tensors=len(state.tensors),
                    written=written if state.step.writes else words.NONE,
                    stale=sum(stale.values()),
                ),
            )
        )
    return tuple(descriptions)
