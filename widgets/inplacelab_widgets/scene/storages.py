"""Draws the memory panel: every storage with its tensors, its slots, its version counter and its saved tensors.

Each storage is a group of marks with a fixed place. Storages that never live at the same time share a row, so a loop
that makes a temporary a hundred times needs the room of one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
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
from inplacelab_widgets.scene import changed_looks, fans, heat, version_line
from inplacelab_widgets.scene.acts import Act, acts
from inplacelab_widgets.scene.cards import Card, cards
from inplacelab_widgets.scene.focus import Span, open_spans
from inplacelab_widgets.scene.marks import (
    GAP,
    Copy,
    Group,
    Lazily,
    Look,
    Mark,
    Panel,
    Words,
    between,
    drawn_together,
    flashes,
    flowed,
    lasting,
    rect,
    text,
)
from inplacelab_widgets.scene.measure import SMALL, size_in_bytes, widest, width_of
from inplacelab_widgets.scene.names import author_in_short, author_of
from inplacelab_widgets.scene.numerals import number
from inplacelab_widgets.scene.pin_folds import StoragePins, storage_pins
from inplacelab_widgets.scene.pins import Pin, pins
from inplacelab_widgets.scene.row_order import order_of_rows
from inplacelab_widgets.scene.shelf import Shelved, shelf
from inplacelab_widgets.scene.strip import GUTTER, Strip, strip_for, strip_marks
from inplacelab_widgets.scene.tensor_grids import (
    AISLE,
    CAPTION,
    Seat,
    Tensors,
    caption_marks,
    fan_marks,
    grid_marks,
    placed,
    tensors_of,
)
from inplacelab_widgets.scene.timeline import Life, shared_rows, storage_lives, version_labels
from inplacelab_widgets.scene.version_line import Raise, VersionLine

_Item = TypeVar("_Item", Card, Pin)

WIDTH = 570.0
"""The width of the panel beside the code in a notebook of usual width, in px."""
NARROWEST = 320.0
PILL = 16.0
BEFORE_STRIP = 16.0
"""The space between the size of a storage and its strip, where the indices of folded rows stand, in px."""
PIN_LEFT = 6.0
HIGHEST = 244.0
"""The greatest height of the panel, in px. A higher one draws in full only what a step is about; the rest is on the shelf."""


@dataclass(frozen=True)
class _Storage:
    """One storage over the steps, and everything to draw for it: from top to bottom grids, fans, names, strip, versions and pins."""

    id: int
    life: Life[StorageFacts]
    versions: Life[str]
    last: int
    cards: tuple[Card, ...]
    pins: tuple[Pin, ...]
    storage_pins: StoragePins
    raises: tuple[Raise, ...]
    is_written: bool
    """Whether a step wrote a known slot."""
    done: Mapping[int, Touched]
    acts: Mapping[int, Mapping[int, Act]]
    room: float
    """The width of the panel, in px."""

    @cached_property
    def tensors(self) -> Tensors:
        return tensors_of(_drawn(self.cards, self.acts), self.life, self.room)

    @cached_property
    def gutter(self) -> float:
        sizes = [size for facts in self.life.every() for size in _titles(facts)]
        return max(GUTTER, widest([*sizes, words.FREED], SMALL) + BEFORE_STRIP, self.pill_width + 6)

    @cached_property
    def strip(self) -> Strip:
        folded, is_narrow = self.tensors.folded, self.tensors.scale is not None
        return strip_for(
            self.life, self.room, self.gutter, is_written=self.is_written, folded=folded, is_narrow=is_narrow
        )

    @cached_property
    def pill_width(self) -> float:
        return widest([f"{each.before}→{each.after}" for each in self.raises] + ["v0"], SMALL) + 14

    @cached_property
    def above(self) -> list[tuple[Seat, float, int]]:
        """The tensors with grids: (seat, x, row)."""
        return list(placed(self.tensors.above, 6, self.room))

    @cached_property
    def rows(self) -> list[float]:
        """The top of each row of grids, below the captions."""
        tops, y = [], 0.0
        for row in range(1 + max((row for *_, row in self.above), default=-1)):
            tops.append(y + CAPTION)
            y += CAPTION + max(seat.grid_height for seat, _, its in self.above if its == row) + ROW_GAP
        return tops

    def floor(self, row: int) -> float:
        """The lower edge of the highest grid of a row."""
        return self.rows[row] + max(seat.grid_height for seat, _, its in self.above if its == row)

    @cached_property
    def names_top(self) -> float:
        if not self.above:
            return 0.0
        return self.floor(len(self.rows) - 1) + fans.HEIGHT

    @cached_property
    def are_names_beside(self) -> bool:
        """Whether the names on the strip are to its right, where no fan crosses them."""
        needed = sum(seat.width + AISLE for seat in self.tensors.on_strip)
        return bool(self.above) and self.strip.right + needed <= self.room

    @cached_property
    def names(self) -> list[tuple[Seat, float, float]]:
        """The tensors on the strip: (seat, x, y)."""
        if self.are_names_beside:
            seats = list(placed(self.tensors.on_strip, self.strip.right + AISLE / 2, self.room))
            return [(seat, x, self.names_top - 2) for seat, x, _ in seats]
        seats = list(placed(self.tensors.on_strip, self.gutter, max(self.strip.right, NARROWEST)))
        return [(seat, x, self.names_top + row * CAPTION) for seat, x, row in seats]

    @cached_property
    def strip_top(self) -> float:
        if self.are_names_beside:
            return self.names_top
        return max((y + CAPTION for _, _, y in self.names), default=self.names_top)

    @cached_property
    def version_line(self) -> VersionLine | None:
        if not self.raises:
            return None
        return VersionLine(self.raises, self.life.first, self.life.last, self.strip.right - self.gutter)

    @cached_property
    def versions_top(self) -> float:
        """The y of the line with the versions, or of the pill alone, which stands beside the strip if there is room."""
        below = self.strip_top + self.strip.bottom + 2
        return below if self.raises else self.strip_top + 30

    @cached_property
    def pins_top(self) -> float:
        below = self.strip_top + self.strip.bottom + 2
        return below + version_line.HEIGHT if self.raises else max(below, self.versions_top + PILL + 3)

    @property
    def height(self) -> float:
        return self.pins_top + self.storage_pins.height

    @cached_property
    def width(self) -> float:
        line = self.gutter + self.version_line.width if self.version_line else 0
        seats = [(seat, x) for seat, x, _ in [*self.above, *self.names]]
        return max([self.strip.right, line, PIN_LEFT + self.storage_pins.width, *(x + seat.width for seat, x in seats)])

    def group(self, x: float, y: float, row: int, spans: tuple[Span, ...] = ()) -> Group:
        marks, key = Lazily(self._marks), f"s{self.id}"
        return Group(
            x, y, self.width, self.height, self.life.first, self.last, marks, key, spans, row, alone=self._marks
        )

    def _marks(self, step: int | None = None) -> Iterator[Mark]:
        """The marks of all steps, or of one."""
        life, done = self.life, self.done
        if step is not None:
            life, done = life.near(step), {step: done[step]} if step in done else {}
        yield from _title_marks(self)
        for seat, x, row in self.above:
            for card, sheet in seat.sheets:
                ends = self.rows[row] + sheet.drawn.height, self.floor(row), self.strip_top
                yield from fan_marks(card, sheet, self.strip, x, ends, self.acts.get(card.tensor, {}))
        for seat, x, row in self.above:
            yield from caption_marks(seat, x, self.rows[row] - CAPTION, self.acts)
            for card, sheet in seat.near(step):
                yield from grid_marks(card, sheet, x, self.rows[row], done)
        for seat, x, y in self.names:
            yield from caption_marks(seat, x, y, self.acts)
        if self.tensors.scale is not None:
            yield from self._legend(self.tensors.scale)
        yield from strip_marks(self.strip, self.strip_top, self.id, self._seen(life), done)
        yield from self._versions()
        yield from self.storage_pins.marks(PIN_LEFT, self.pins_top)

    def _versions(self) -> Iterator[Mark]:
        if self.version_line is not None:
            yield from self.version_line.marks(self.gutter, self.versions_top, _version_keys(self))

    def _seen(self, life: Life[StorageFacts]) -> Life[StorageFacts]:
        """How long its slots are seen: a step that copies a temporary to another storage has freed it when it is done, and shows it once more."""
        is_read_last = bool(self.done.get(self.life.last + 1, Touched()).read) and self.last > self.life.last
        return replace(life, last=life.last + is_read_last)

    def _legend(self, scale: tuple[float, float]) -> Iterator[Mark]:
        """The colors of heat maps, with the values of the first and the last one, in the space for fans."""
        first, last, y = self.life.first, self.life.last, self.names_top - 12
        low, high = map(number, scale)
        x = self.gutter + width_of(low, SMALL) + 4
        yield text(self.gutter, y + 8, between(first, last, Look("text soft", low)))
        yield heat.legend_mark(x, y, 80, first, last)
        yield text(x + 84, y + 8, between(first, last, Look("text soft", high)))


ROW_GAP = 10.0
"""The space between two rows of grids, in px."""
ROOM_FOR_CHIPS = 46.0
"""The height of the shelf with one row of chips, in px."""


def _drawn(cards: Sequence[Card], acts: Mapping[int, Mapping[int, Act]]) -> Sequence[Card]:
    """The tensors that are drawn: those that ever have a name, and those through which the program writes. Without any, all."""
    named = [card for card in cards if any(face.called.names for face in card.life.every())]
    writers = [card for card in cards if "wrote" in acts.get(card.tensor, {}).values()]
    return [card for card in cards if card in named or card in writers] or cards


def storages_panel(recording: Recording, room: float = WIDTH) -> Panel:
    """Returns the memory panel of a recording, laid out in `room` px of width."""
    storages = _storages(recording, room)
    lives = [(each.life.first, each.last) for each in storages]
    rows = shared_rows(lives)
    if 1 + max(rows, default=0) > MOST_SEATS:
        return _with_a_shelf(recording, storages, room)
    heights: dict[int, float] = {}
    widths: dict[int, float] = {}
    for storage, row in zip(storages, rows, strict=True):
        heights[row] = max(heights.get(row, 0), storage.height)
        widths[row] = max(widths.get(row, 0), storage.width)
    order = order_of_rows(lives, rows, heights)
    places, bottom = flowed([(widths[row], heights[row]) for row in order], room)
    if bottom > max([HIGHEST, *heights.values()]):
        return _with_a_shelf(recording, storages, room)
    seats = dict(zip(order, places, strict=True))
    groups = tuple(storage.group(*seats[row], order.index(row)) for storage, row in zip(storages, rows, strict=True))
    return Panel(
        "storages",
        _width(groups),
        max(bottom, 40),
        groups,
        _descriptions(recording),
        copies=_copies(recording, storages),
    )


MOST_SEATS = 12
"""With more storages at the same time there is no room for all of them, whatever they hold."""


def _with_a_shelf(recording: Recording, storages: Sequence[_Storage], room: float) -> Panel:
    """The panel for many storages: those that a step is about in full, the others on the shelf."""
    sizes, stale = (
        {each.id: (each.width, each.height) for each in storages},
        {each.id: _stale(each) for each in storages},
    )
    spans = open_spans(recording, sizes, _fitting(room), {key: ranges for key, ranges in stale.items() if ranges})
    groups = tuple(each.group(0, 0, k, spans[each.id]) for k, each in enumerate(s for s in storages if s.id in spans))
    shelved = [
        Shelved(each.id, each.life, each.versions, each.last, each.cards, each.pins, spans.get(each.id, ()))
        for each in storages
    ]
    width, height, chips = shelf(shelved, room)
    return Panel(
        "storages",
        max(_width(groups), width, room if len(groups) > 1 else 0),
        height + _highest_stack(groups, room),
        groups,
        _descriptions(recording),
        shelf=chips,
        copies=_copies(recording, storages),
    )


def _fitting(room: float) -> Callable[[Sequence[tuple[float, float]], int], bool]:
    """Returns whether storages of given sizes can be seen at the same time, with chips for others. Beside the highest one there is room in any case."""

    @cache  # a loop asks the same again and again
    def bottom(boxes: tuple[tuple[float, float], ...]) -> float:
        return flowed(boxes, room)[1]

    def fits(boxes: Sequence[tuple[float, float]], chips: int) -> bool:
        highest = max((height for _, height in boxes), default=0)
        return bottom(tuple(boxes)) <= max(HIGHEST - ROOM_FOR_CHIPS * bool(chips), highest)

    return fits


def _stale(storage: _Storage) -> list[Span]:
    """The ranges of steps at which a stale value is on a storage."""
    found = []
    for pin in storage.pins:
        ends = [step - 1 for step, _ in pin.life.moments[1:]] + [pin.life.last]
        found += [
            (step, end) for (step, face), end in zip(pin.life.moments, ends, strict=True) if face.status == "stale"
        ]
    return found


def _width(groups: Sequence[Group]) -> float:
    return round(max([NARROWEST, *(group.x + group.width for group in groups)]), 1)


def _highest_stack(groups: Sequence[Group], room: float) -> float:
    """The height of the drawn groups at the step where they are highest, with the space below them, in px."""
    stacks = (flowed([(each.width, each.height) for each in drawn], room)[1] for _, drawn in drawn_together(groups))
    return max(stacks, default=0) + GAP


def _storages(recording: Recording, room: float) -> list[_Storage]:
    end = len(recording) - 1
    all_cards, all_pins = _by_storage(cards(recording)), _by_storage(pins(recording))
    all_writes: dict[int, list[tuple[Step, WriteFacts]]] = {}
    for step in recording.steps:
        for write in step.writes:
            all_writes.setdefault(write.storage, []).append((step, write))
    done, versions, label = touched(recording), version_labels(recording), framework_of(recording).label
    found = []
    for key, life in storage_lives(recording).items():
        own_pins = tuple(all_pins.get(key, ()))
        raises = tuple(
            Raise(
                step.index,
                label(write.before),
                label(write.after),
                author_of(recording, step),
                author_in_short(recording, step),
            )
            for step, write in all_writes.get(key, ())
        )
        # One step longer than its life: the step that frees it shows it fading.
        last, stacks = min(life.last + 1, end), storage_pins(_placed(own_pins))
        own_cards = tuple(all_cards.get(key, ()))
        is_written = any(write.slots for _, write in all_writes.get(key, ()))
        facts = (key, life, versions[key], last, own_cards, own_pins, stacks, raises, is_written, done.get(key, {}))
        found.append(_Storage(*facts, acts(recording), room))
    return found


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
            ends = _end(source, read.slots), _end(strips[target[0]], target[1])
            found.append(Copy(step.index, *ends))
    return tuple(found)


def _target(state: State) -> tuple[int, SlotRuns] | None:
    """The storage and the slots to which a step copied something."""
    write = next((write for write in state.step.writes if write.slots), None)
    if write is not None:
        return write.storage, write.slots
    made = state.tensors.get(state.step.output) if state.step.output is not None else None
    return None if made is None else (made.storage, slots_reached(state.storages[made.storage], made))


def _end(storage: _Storage, slots: SlotRuns) -> tuple[str, float, float]:
    """One end of an arrow: at the first run of slots."""
    left, right, y = storage.strip.pieces(slots[:1])[0]
    return f"s{storage.id}", round((left + right) / 2, 1), storage.strip_top + y


def _titles(facts: StorageFacts) -> tuple[str, Words]:
    """The number and the size of a storage; and its device, if that is not the CPU."""
    size = size_in_bytes(facts.bytes)
    what = words.CONSTANT if is_constant(facts) else Text(size, size)
    # That a device is simulated is said once, below the picture.
    there = "" if facts.device == "cpu" else f" {facts.device.partition(' ')[0]}"
    return storage_label(facts.id), what + Text(there, there)


def _title_marks(storage: _Storage) -> Iterator[Mark]:
    """The number, the size and the version of a storage, to the left of its strip."""
    keys, moments, last, y = (f"s{storage.id}",), storage.life.moments, storage.life.last, storage.strip_top
    numbers = [(step, Look("text label", _titles(facts)[0])) for step, facts in moments]
    sizes = [(step, Look("text soft", _titles(facts)[1])) for step, facts in moments]
    if storage.last > last:
        numbers.append((storage.last, Look("text label soft", _titles(moments[-1][1])[0])))
        sizes.append((storage.last, Look("text italic soft", words.FREED)))
    yield text(0, y + 12, lasting(numbers, storage.last), keys=keys)
    yield text(0, y + 25, lasting(sizes, storage.last), keys=keys)
    raised = [(each.step, Look("pill raised"), Look("pill")) for each in storage.raises]
    counted = {step: Look("text value", content) for step, content in storage.versions.moments}
    plain = [(step, look, look) for step, look in counted.items()]
    bumped = [
        (
            each.step,
            Look("text value bold", f"{each.before}→{each.after}"),
            counted.get(each.step, Look("text value", each.after)),
        )
        for each in storage.raises
    ]
    top = storage.versions_top + (version_line.LINE - PILL / 2 if storage.raises else 0)
    outline = flashes([(moments[0][0], Look("pill"), Look("pill")), *raised], last)
    yield rect(0, top, storage.pill_width, PILL, outline, 8, keys=_version_keys(storage))
    middle = round(storage.pill_width / 2, 1)
    yield text(middle, top + 12, flashes([*plain, *bumped], last), keys=_version_keys(storage))


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
