"""Draws one storage with all that stands on it: from top to bottom grids, fans, names, its strip with title and version, versions and pins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from inplacelab.language import Text
from inplacelab.recording.facts import StorageFacts
from inplacelab.recording.naming import is_constant, storage_label
from inplacelab.recording.touched import Touched
from inplacelab_widgets import words
from inplacelab_widgets.scene import large_storages, ribbons, version_line
from inplacelab_widgets.scene.focus import Span
from inplacelab_widgets.scene.saved_tensors import Pin, StoragePins
from inplacelab_widgets.scene.storage_row import GUTTER, LENS_BESIDE, StorageRow, row_marks, storage_row
from inplacelab_widgets.scene.svg import Group, Lazily, Look, Mark, between, clipped, flashes, lasting, rect, text
from inplacelab_widgets.scene.tensor_cards import Card, Overwritten, TensorRole
from inplacelab_widgets.scene.tensor_grids import (
    AISLE,
    CAPTION,
    MARGIN,
    Seat,
    Tensors,
    caption_marks,
    fan_marks,
    grid_marks,
    lost_marks,
    placed,
    right_of,
)
from inplacelab_widgets.scene.text_layout import SMALL, Words, number, size_in_bytes, widest, width_of
from inplacelab_widgets.scene.timeline import Life
from inplacelab_widgets.scene.version_line import Counter, Raise, VersionLine

MOST_STAGES = 8
"""The most ranges of steps with different room for tensors. After the last one, nothing moves any more."""
NARROWEST = 320.0
"""The least width of the panel, in px."""
PILL = 16.0
BEFORE_STRIP = 16.0
"""The space between the size of a storage and its strip, where the indices of folded rows stand, in px."""
PIN_LEFT = 6.0
SHARERS = 8.0
"""The space between a line with versions and the names beside it, in px."""


@dataclass(frozen=True)
class Storage:
    """One storage over the steps, and everything to draw for it."""

    id: int
    life: Life[StorageFacts]
    versions: Life[str]
    last: int
    cards: tuple[Card, ...]
    pins: tuple[Pin, ...]
    storage_pins: StoragePins
    counters: tuple[Counter, ...]
    is_written: bool
    """Whether a step wrote a known slot."""
    done: Mapping[int, Touched]
    acts: Mapping[int, Mapping[int, TensorRole]]
    lost: Overwritten | None
    """What a refused step found overwritten on it."""
    room: float
    """The width of the panel, in px."""
    shown: Span
    """The steps at which it is drawn as here. Room for a tensor is made when the tensor is, so it may be drawn lower before."""
    tensors: Tensors

    @cached_property
    def stages(self) -> tuple[Storage, ...]:
        """It with `shown` for each range of steps with the same room for tensors."""
        starts = self._starts()
        if len(starts) == 1:
            return (self,)
        ends = [following - 1 for following in starts[1:]]
        return tuple(replace(self, shown=shown) for shown in zip(starts, [*ends, self.shown[1]], strict=True))

    def at(self, step: int) -> Storage:
        """Returns it as it is drawn at a step."""
        return next((each for each in self.stages if each.shown[0] <= step <= each.shown[1]), self)

    def _starts(self) -> list[int]:
        """The steps at which more room is needed above the strip."""
        rows = [(sheet.first, row, sheet.drawn.height) for seat, _, row in self._above for _, sheet in seat.sheets]
        rows += [(seat.first, ~row, CAPTION) for seat, _, row in self._names if not self.are_names_beside]
        starts, highest = [self.shown[0]], dict[int, float]()
        for step, row, height in sorted(rows):
            if height > highest.get(row, -1.0):
                highest[row] = height
                if step > starts[-1] and len(starts) < MOST_STAGES:
                    starts.append(step)
        return starts

    @cached_property
    def gutter(self) -> float:
        sizes = [size for facts in self.life.every() for size in _titles(facts)]
        return max(GUTTER, widest([*sizes, words.FREED], SMALL) + BEFORE_STRIP, self.pill_width + 6)

    @cached_property
    def strip(self) -> StorageRow:
        folded, is_narrow = self.tensors.folded, self.tensors.scale is not None
        # Where no other storage fits beside this one anyway, the lens takes no height.
        is_wide = right_of(self.tensors.above, self.room) > self.room / 2
        is_lens_beside = is_narrow and is_wide and self.gutter + LENS_BESIDE <= self.room
        return storage_row(
            self.life,
            self.room,
            self.gutter,
            is_written=self.is_written,
            folded=folded,
            is_narrow=is_narrow,
            is_lens_beside=is_lens_beside,
        )

    @cached_property
    def pill_width(self) -> float:
        raised = [f"{each.before}→{each.after}" for counter in self.counters for each in counter.raises]
        return widest([*raised, *([] if raised else self.versions.every()), "v0"], SMALL) + 14

    @cached_property
    def above(self) -> list[tuple[Seat, float, int]]:
        """The tensors with grids: (seat, x, row)."""
        return [each for each in self._above if each[0].first <= self.shown[1]]

    @cached_property
    def _above(self) -> list[tuple[Seat, float, int]]:
        """The same with those to come."""
        return list(placed(self.tensors.above, MARGIN, self.room))

    @cached_property
    def rows(self) -> list[float]:
        """The top of each row of grids, below the captions."""
        tops, y = [], 0.0
        for row in range(1 + max((row for *_, row in self.above), default=-1)):
            tops.append(y + CAPTION)
            y += CAPTION + self._row_height(row) + ROW_GAP
        return tops

    def _row_height(self, row: int) -> float:
        """The height of the highest grid of a row."""
        return max(seat.grid_height(self.shown[1]) for seat, _, its in self.above if its == row)

    def floor(self, row: int) -> float:
        """The lower edge of the highest grid of a row."""
        return self.rows[row] + self._row_height(row)

    @cached_property
    def names_top(self) -> float:
        if not self.above:
            return 2.0 if self.are_names_beside else 0.0
        return self.floor(len(self.rows) - 1) + ribbons.HEIGHT

    @cached_property
    def are_names_beside(self) -> bool:
        """Whether the names on the strip are to its right, where no fan crosses them."""
        needed = sum(seat.width + AISLE for seat in self.tensors.on_strip)
        return bool(self._above) and self._strip_right + needed <= self.room

    @property
    def _strip_right(self) -> float:
        """The right edge of the strip with its lens."""
        return max(self.strip.outer_right, self.gutter + LENS_BESIDE if self.strip.is_lens_beside else 0)

    @cached_property
    def names(self) -> list[tuple[Seat, float, float]]:
        """The tensors on the strip: (seat, x, y)."""
        there = [each for each in self._names if each[0].first <= self.shown[1]]
        if self.are_names_beside:
            return [(seat, x, self.names_top - 2) for seat, x, _ in there]
        return [(seat, x, self.names_top + row * CAPTION) for seat, x, row in there]

    @cached_property
    def _names(self) -> list[tuple[Seat, float, int]]:
        """The same with those to come: (seat, x, row)."""
        if self.are_names_beside:
            return list(placed(self.tensors.on_strip, self._strip_right + AISLE / 2, self.room))
        return list(placed(self.tensors.on_strip, self.gutter, max(self.strip.right, NARROWEST)))

    @cached_property
    def strip_top(self) -> float:
        if self.are_names_beside:
            return self.names_top
        return max((y + CAPTION for _, _, y in self.names), default=self.names_top)

    @cached_property
    def version_lines(self) -> tuple[tuple[Counter, VersionLine], ...]:
        """A line for each counter that was raised."""
        room, last = self.strip.right - self.gutter, self.life.last
        raised = [each for each in self.counters if each.raises]
        return tuple((each, VersionLine(each.raises, each.labels[0][0], last, room)) for each in raised)

    @cached_property
    def sharers(self) -> tuple[tuple[float, tuple[tuple[int, str], ...], str], ...]:
        """If there are several counters, which tensors each counts for: (y, ((step, words), ...), style), beside its line. Those that nothing raised
        are said below the names beside the last line.
        """
        if len(self.counters) < 2 or not self.version_lines:
            return ()
        last, height = self.life.last, version_line.HEIGHT
        found = [
            (place * height + version_line.LINE + 4, tuple(counter.names(last)), "text")
            for place, (counter, _) in enumerate(self.version_lines)
        ]
        y = (len(self.version_lines) - 1) * height + version_line.LINE + 4
        for k, counter in enumerate([each for each in self.counters if not each.raises], 1):
            version = counter.labels[-1][1]
            names = ((step, f"{version} {names}" if names else "") for step, names in counter.names(last))
            found.append((y + 13 * k, tuple(names), "text soft"))
        return tuple(found)

    @cached_property
    def lines_right(self) -> float:
        return self.gutter + max((line.width for _, line in self.version_lines), default=0.0)

    @cached_property
    def sharers_width(self) -> float:
        names = widest([words for _, moments, _ in self.sharers for _, words in moments], SMALL)
        return names + SHARERS if names else 0

    @cached_property
    def versions_top(self) -> float:
        """The y of the line with the versions, or of the pill alone, which stands beside the strip if there is room."""
        below = self.strip_top + self.strip.bottom + 2
        return below if self.version_lines else self.strip_top + 30

    @cached_property
    def pins_top(self) -> float:
        below = self.strip_top + self.strip.bottom + 2
        if self.version_lines:
            below += version_line.HEIGHT * len(self.version_lines)
        else:
            below = max(below, self.versions_top + PILL + 3)
        return max(below, self.strip_top + self.strip.lens_bottom)

    @property
    def height(self) -> float:
        return self.pins_top + self.storage_pins.height

    @cached_property
    def width(self) -> float:
        seats = [(seat, x) for seat, x, _ in [*self._above, *self._names]]
        return max(
            [
                self._strip_right,
                self.lines_right + self.sharers_width,
                PIN_LEFT + self.storage_pins.width,
                *(x + seat.width for seat, x in seats),
            ]
        )

    def group(self, x: float, y: float, row: int, spans: tuple[Span, ...] = ()) -> Group:
        """Returns its marks at a place of the panel. `row` and `spans` are the `row` and `open` of the group."""
        is_whole = self.shown == (self.life.first, self.last)
        marks = Lazily(self._marks if is_whole else lambda: clipped(self._marks(), *self.shown))
        return Group(x, y, self.width, self.height, *self.shown, marks, f"s{self.id}", spans, row, alone=self._marks)

    def _marks(self, step: int | None = None) -> Iterator[Mark]:
        """The marks of all steps, or of one."""
        life, done = self.life, self.done
        if step is not None:
            life, done = life.near(step), {step: done[step]} if step in done else {}
        yield from _title_marks(self)
        yield from self._versions()
        for seat, x, row in self.above:
            for card, sheet in seat.sheets:
                ends = self.rows[row] + sheet.drawn.height, self.floor(row), self.strip_top
                yield from fan_marks(card, sheet, self.strip, x, ends, self.acts.get(card.tensor, {}))
        yield from self._grids(step, done)
        for seat, x, y in self.names:
            if self.above and not self.are_names_beside:  # no fan crosses the words
                ground = between(self.life.first, self.last, Look("paper"))
                yield rect(round(x - 2, 1), y, round(seat.width + 4, 1), CAPTION - 5, ground)
            yield from caption_marks(seat, x, y, self.acts)
        if self.tensors.scale is not None:
            yield from self._legend(self.tensors.scale)
        yield from row_marks(self.strip, self.strip_top, self.id, self._seen(life), done, self.lost)
        yield from self.storage_pins.marks(PIN_LEFT, self.pins_top)

    def _grids(self, step: int | None, done: Mapping[int, Touched]) -> Iterator[Mark]:
        for seat, x, row in self.above:
            yield from caption_marks(seat, x, self.rows[row] - CAPTION, self.acts)
            for card, sheet in seat.near(step):
                yield from grid_marks(card, sheet, x, self.rows[row], done)
                if self.lost is not None:
                    yield from lost_marks(sheet, x, self.rows[row], self.lost)

    def _versions(self) -> Iterator[Mark]:
        keys, last = _version_keys(self), self.life.last
        if not self.version_lines:
            looks = [(step, Look("text value", content)) for step, content in self.versions.moments]
            yield from self._pill(self.versions_top, [(step, look, look) for step, look in looks], ())
        for place, (counter, line) in enumerate(self.version_lines):
            top = self.versions_top + place * version_line.HEIGHT
            counted = {step: Look("text value", content) for step, content in counter.labels}
            bumped = (
                (
                    each.step,
                    Look("text value bold", f"{each.before}→{each.after}"),
                    counted.get(each.step, Look("text value", each.after)),
                )
                for each in counter.raises
            )
            looks_over_steps = [*((step, look, look) for step, look in counted.items()), *bumped]
            yield from self._pill(top + version_line.LINE - PILL / 2, looks_over_steps, counter.raises)
            yield from line.marks(self.gutter, top, keys)
        x = round(self.lines_right + SHARERS, 1)
        for y, moments, style in self.sharers:
            names = ((step, Look(style, said) if said else None) for step, said in moments)
            yield text(x, self.versions_top + y, lasting(names, last), keys=keys)

    def _pill(self, top: float, looks: Sequence[tuple[int, Look, Look]], raises: Sequence[Raise]) -> Iterator[Mark]:
        """The present version of a counter, to the left of its line."""
        last, keys, first = self.life.last, _version_keys(self), min(step for step, *_ in looks)
        raised = [(each.step, Look("pill raised"), Look("pill")) for each in raises]
        outline = flashes([(first, Look("pill"), Look("pill")), *raised], last)
        yield rect(0, top, self.pill_width, PILL, outline, 8, keys=keys)
        yield text(round(self.pill_width / 2, 1), top + 12, flashes(looks, last), keys=keys)

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
        yield large_storages.legend_mark(x, y, 80, first, last)
        yield text(x + 84, y + 8, between(first, last, Look("text soft", high)))


ROW_GAP = 10.0
"""The space between two rows of grids, in px."""


def drawn_cards(cards: Sequence[Card], acts: Mapping[int, Mapping[int, TensorRole]]) -> Sequence[Card]:
    """The tensors that are drawn: those that ever have a name, and those through which the program writes. Without any, all."""
    named = [card for card in cards if any(face.called.names for face in card.life.every())]
    writers = [card for card in cards if "wrote" in acts.get(card.tensor, {}).values()]
    return [card for card in cards if card in named or card in writers] or cards


def _titles(facts: StorageFacts) -> tuple[str, Words]:
    """The number and the size of a storage; and its device, if that is not the CPU."""
    size = size_in_bytes(facts.bytes)
    what = words.CONSTANT if is_constant(facts) else Text(size, size)
    # That a device is simulated is said once, below the picture.
    there = "" if facts.device == "cpu" else f" {facts.device.partition(' ')[0]}"
    return storage_label(facts.id), what + Text(there, there)


def _title_marks(storage: Storage) -> Iterator[Mark]:
    """The number and the size of a storage, to the left of its strip."""
    keys, moments, last, y = (f"s{storage.id}",), storage.life.moments, storage.life.last, storage.strip_top
    numbers = [(step, Look("text label", _titles(facts)[0])) for step, facts in moments]
    sizes = [(step, Look("text soft", _titles(facts)[1])) for step, facts in moments]
    if storage.last > last:
        numbers.append((storage.last, Look("text label soft", _titles(moments[-1][1])[0])))
        sizes.append((storage.last, Look("text italic soft", words.FREED)))
    yield text(0, y + 12, lasting(numbers, storage.last), keys=keys)
    yield text(0, y + 25, lasting(sizes, storage.last), keys=keys)


def _version_keys(storage: Storage) -> tuple[str, ...]:
    """The key of a version, which leads to the step that raised it."""
    return f"v{storage.id}", f"s{storage.id}"
