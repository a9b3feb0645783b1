"""Draws one storage with all that stands on it: from top to bottom grids, ribbons, names, its row of slots with title and version, versions and pins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import itemgetter
from typing import NamedTuple

from inplacelab.language import Text
from inplacelab.recording.facts import StorageFacts
from inplacelab.recording.naming import is_constant, storage_label
from inplacelab.recording.numerals import number
from inplacelab.recording.slots import Touched
from inplacelab_widgets import words
from inplacelab_widgets.scene import large_storages, version_line
from inplacelab_widgets.scene.focus import Span
from inplacelab_widgets.scene.saved_tensors import Pin, StoragePins
from inplacelab_widgets.scene.storage_row import (
    EARLIER_WIDTH,
    GUTTER,
    LENS_BESIDE,
    MOST_HIGH_ROWS,
    StorageRow,
    row_marks,
    storage_row,
)
from inplacelab_widgets.scene.svg import Group, Lazily, Look, Mark, between, clipped, flashes, lasting, rect, text
from inplacelab_widgets.scene.tensor_cards import Card, Overwritten, TensorRole
from inplacelab_widgets.scene.tensor_grids import (
    AISLE,
    CAPTION,
    MARGIN,
    Seat,
    Tensors,
    caption_marks,
    extent_of,
    grid_marks,
    lost_marks,
    placed,
    ribbon_marks,
    tick_marks,
)
from inplacelab_widgets.scene.text_layout import SMALL, Words, size_in_bytes, widest, width_of
from inplacelab_widgets.scene.timeline import Life, StorageLife
from inplacelab_widgets.scene.value_grid import RIBBONS
from inplacelab_widgets.scene.version_line import Counter, Raise, VersionLine

MOST_STAGES = 8
"""The most ranges of steps with different room for tensors. After the last one, nothing moves any more."""
NARROWEST = 320.0
"""The least width of the panel, in px."""
PILL = 16.0
BEFORE_STRIP = 16.0
"""The space between the size of a storage and its strip, where the indices of folded rows stand, in px."""
PIN_LEFT = 6.0
LOW_RIBBONS = 16.0
"""The space for ribbons above many rows, in px: most of these are not reached by them."""
WAS_WORD = EARLIER_WIDTH + 8
"""The space to the left of many rows for what their earlier values are called, in px."""
SHARERS = 8.0
"""The space between a line with versions and the names beside it, in px."""


@dataclass(frozen=True)
class Storage:
    """One storage over the steps, and everything to draw for it."""

    id: int
    life: StorageLife
    versions: Life[str]
    last: int
    cards: tuple[Card, ...]
    pins: tuple[Pin, ...]
    storage_pins: StoragePins
    counters: tuple[Counter, ...]
    is_written: bool
    """Whether a step wrote a known slot."""
    done: Mapping[int, Touched]
    roles: Mapping[int, Mapping[int, TensorRole]]
    former: Mapping[int, StorageFacts]
    """What it held when a statement overwrote it that has made it, too."""
    lost: Overwritten | None
    """What a refused step found overwritten on it."""
    room: float
    """The width of the panel, in px."""
    shown: Span
    """The steps at which it is drawn as here. Room for a tensor is made when the tensor is, so it may be drawn lower before."""
    tensors: Tensors

    @cached_property
    def layout(self) -> Layout:
        """Where everything is drawn."""
        return _laid_out(self)

    @cached_property
    def stages(self) -> tuple[Storage, ...]:
        """It with `shown` for each range of steps with the same room for tensors."""
        above, names, is_beside = self.layout.all_above, self.layout.all_names, self.layout.are_names_beside
        # The steps at which more room is needed above the strip.
        rows = [(sheet.first, row, sheet.drawn.height) for seat, _, row in above for _, sheet in seat.sheets]
        rows += [] if is_beside else [(seat.first, ~row, CAPTION) for seat, _, row in names]
        starts, highest = [self.shown[0]], dict[int, float]()
        for step, row, height in sorted(rows):
            if height > highest.get(row, -1.0):
                highest[row] = height
                if step > starts[-1] and len(starts) < MOST_STAGES:
                    starts.append(step)
        if len(starts) == 1:
            return (self,)
        ends = [*(following - 1 for following in starts[1:]), self.shown[1]]
        return tuple(replace(self, shown=shown) for shown in zip(starts, ends, strict=True))

    def at(self, step: int) -> Storage:
        """Returns it as it is drawn at a step."""
        return next((each for each in self.stages if each.shown[0] <= step <= each.shown[1]), self)

    def group(self, x: float, y: float, row: int, spans: tuple[Span, ...] = ()) -> Group:
        """Returns its marks at a place of the panel. `row` and `spans` are the `row` and `open` of the group."""
        is_whole, at = self.shown == (self.life.first, self.last), self.layout
        marks = Lazily(self._marks if is_whole else lambda: clipped(self._marks(), *self.shown))
        return Group(x, y, at.width, at.height, *self.shown, marks, f"s{self.id}", spans, row, alone=self._marks)

    def _marks(self, step: int | None = None) -> Iterator[Mark]:
        """The marks of all steps, or of one."""
        life: Life[StorageFacts] = self.life
        done, at = self.done, self.layout
        if step is not None:
            life, done = life.near(step), {step: done[step]} if step in done else {}
        yield from self._title_marks()
        yield from self._version_marks()
        yield from self._grid_marks(step, done)
        for seat, x, y in at.names:
            if at.above and not at.are_names_beside:  # no ribbon crosses the words
                yield self._ground(seat, x, y)
            yield from caption_marks(seat, x, y, self.roles)
        if self.tensors.scale is not None:
            yield from self._legend(self.tensors.scale)
        if at.above and at.strip.is_close:  # no ribbon crosses the values before a write
            left, ground = at.gutter - WAS_WORD, between(life.first, life.last, Look("paper"))
            yield rect(left, at.strip_top, round(at.strip.right - left, 1), at.strip.bottom, ground)
        # A step that copies a temporary to another storage has freed it when it is done, and shows its slots once more.
        is_read_last = self.last > self.life.last and bool(self.done.get(self.life.last + 1, Touched()).read)
        seen = replace(life, last=life.last + is_read_last)
        yield from row_marks(at.strip, at.strip_top, self.id, seen, done, (self.former, self.lost))
        for card, sheet in (each for seat, *_ in at.above for each in seat.sheets):
            yield from tick_marks(card, sheet, at.strip, at.strip_top, self.roles.get(card.tensor, {}), done)
        yield from self.storage_pins.marks(PIN_LEFT, at.pins_top)

    def _title_marks(self) -> Iterator[Mark]:
        """The number and the size of the storage, to the left of its strip."""
        keys, label, last, y = (f"s{self.id}",), storage_label(self.id), self.life.last, self.layout.strip_top
        numbers = [(step, Look("text label", label)) for step, _ in self.life.moments]
        sizes = [(step, Look("text soft", _size(then))) for step, then in self.life.moments]
        if self.last > last:
            numbers.append((self.last, Look("text label soft", label)))
            sizes.append((self.last, Look("text italic soft", words.FREED)))
        yield text(0, y + 12, lasting(numbers, self.last), keys=keys)
        yield text(0, y + 25, lasting(sizes, self.last), keys=keys)

    def _version_marks(self) -> Iterator[Mark]:
        """The present version of each counter, and on a line to its right those before and after it."""
        # The key of a version leads to the step that raised it.
        keys, last, at = (f"v{self.id}", f"s{self.id}"), self.life.last, self.layout
        looks = [(step, Look("text value", content)) for step, content in self.versions.moments]
        if not at.version_lines:
            alone = {step: (look, look) for step, look in looks}
            for counter in self.counters:
                alone |= _stays(counter)
            yield from self._pill(at.versions_top, alone, (), keys)
        for place, (counter, line) in enumerate(at.version_lines):
            top = at.versions_top + place * version_line.HEIGHT
            counted = {step: Look("text value", content) for step, content in counter.labels}
            changes = {step: (look, look) for step, look in counted.items()}
            for each in counter.raises:
                settled = counted.get(each.step, Look("text value", each.after))
                changes[each.step] = Look("text value bold", each.label), settled
            changes |= _stays(counter)
            yield from self._pill(top + version_line.LINE - PILL / 2, changes, counter.raises, keys)
            yield from line.marks(at.gutter, top, keys)
        for y, moments, style in at.sharers:
            names = ((step, Look(style, said) if said else None) for step, said in moments)
            yield text(round(at.lines_right + SHARERS, 1), at.versions_top + y, lasting(names, last), keys=keys)

    def _pill(
        self, top: float, looks: Mapping[int, tuple[Look, Look]], raises: Sequence[Raise], keys: tuple[str, ...]
    ) -> Iterator[Mark]:
        """The present version of a counter, to the left of its line."""
        last, wide = self.life.last, self.layout.pill_width
        raised = [(each.step, Look("pill raised"), Look("pill")) for each in raises]
        outline = flashes([(min(looks), Look("pill"), Look("pill")), *raised], last)
        yield rect(0, top, wide, PILL, outline, 8, keys=keys)
        content = flashes(
            [(step, now, settled) for step, (now, settled) in sorted(looks.items(), key=itemgetter(0))], last
        )
        yield text(round(wide / 2, 1), top + 12, content, keys=keys)

    def _grid_marks(self, step: int | None, done: Mapping[int, Touched]) -> Iterator[Mark]:
        """The tensors in their own shapes, and above them the ribbons to their slots."""
        at = self.layout
        for seat, x, row in at.above:
            for card, sheet in seat.sheets:
                ends = at.rows[row] + sheet.drawn.height, at.floors[row], at.strip_top
                yield from ribbon_marks(card, sheet, at.strip, x, ends, self.roles.get(card.tensor, {}), done)
        for seat, x, row in at.above:
            if row:  # no ribbon of a row above crosses the words
                yield self._ground(seat, x, at.rows[row] - CAPTION)
            yield from caption_marks(seat, x, at.rows[row] - CAPTION, self.roles)
            for card, sheet in seat.near(step):
                yield from grid_marks(card, sheet, x, at.rows[row], done)
                if self.lost is not None:
                    yield from lost_marks(sheet, x, at.rows[row], self.lost)

    def _ground(self, seat: Seat, x: float, y: float) -> Mark:
        ground = between(self.life.first, self.life.last, Look("paper"))
        return rect(round(x - 2, 1), y, round(seat.width + 4, 1), CAPTION - 5, ground)

    def _legend(self, scale: tuple[float, float]) -> Iterator[Mark]:
        """The colors of heat maps, with the values of the first and the last one, in the space for ribbons."""
        first, last, y = self.life.first, self.life.last, self.layout.names_top - 12
        low, high = (number(each, exponent=self.layout.strip.exponent) for each in scale)
        x = self.layout.gutter + width_of(low, SMALL) + 4
        yield text(self.layout.gutter, y + 8, between(first, last, Look("text soft", low)))
        yield large_storages.legend_mark(x, y, 80, first, last)
        yield text(x + 84, y + 8, between(first, last, Look("text soft", high)))


ROW_GAP = 10.0
"""The space between two rows of grids, in px."""

Names = tuple[tuple[int, Words], ...]
"""(step, the names of tensors from then on)."""


class Layout(NamedTuple):
    """The places of a storage's parts, in px from its top left corner.

    Attributes:
        width: its width.
        height: its height.
        gutter: the space to the left of the strip.
        strip: the places of the slots.
        strip_top: the top of the strip.
        all_above: the tensors with grids, also those to come: (seat, x, row).
        above: those that are there at the steps that are shown.
        rows: the top of each row of grids, below the captions.
        floors: the lower edge of the highest grid of each row.
        all_names: the tensors on the strip, also those to come: (seat, x, row).
        names: those that are there: (seat, x, y).
        names_top: the top of the first row of names.
        are_names_beside: whether the names on the strip are to its right, where no ribbon crosses them.
        pill_width: the width of a present version.
        version_lines: a line for each counter that was raised.
        lines_right: the right edge of the longest of them.
        sharers: if there are several counters, which tensors each counts for: (y, names, style), beside its line. Those that nothing
            raised are said below the names beside the last line.
        versions_top: the y of the first line, or of the pill alone, which stands beside the strip if there is room.
        pins_top: the y of the first saved tensor.
    """

    width: float
    height: float
    gutter: float
    strip: StorageRow
    strip_top: float
    all_above: list[tuple[Seat, float, int]]
    above: list[tuple[Seat, float, int]]
    rows: list[float]
    floors: list[float]
    all_names: list[tuple[Seat, float, int]]
    names: list[tuple[Seat, float, float]]
    names_top: float
    are_names_beside: bool
    pill_width: float
    version_lines: list[tuple[Counter, VersionLine]]
    lines_right: float
    sharers: list[tuple[float, Names, str]]
    versions_top: float
    pins_top: float


def _laid_out(storage: Storage) -> Layout:
    tensors, life, room, until = storage.tensors, storage.life, storage.room, storage.shown[1]
    # From left to right, the same at all steps.
    raised = [each.label for counter in storage.counters for each in counter.raises]
    stays = [now.text for each in storage.counters if each.raises or not raised for now, _ in _stays(each).values()]
    pill_width = widest([*raised, *([] if raised else storage.versions.every()), *stays, "v0"], SMALL) + 14
    titles = [each for facts in life.every() for each in (storage_label(facts.id), _size(facts))]
    gutter = max(GUTTER, widest([*titles, words.FREED], SMALL) + BEFORE_STRIP, pill_width + 6)
    # Where no other storage fits beside this one anyway, the lens takes no height.
    is_wide, is_narrow = extent_of(tensors.above, room)[1] > room / 2, tensors.scale is not None
    strip = storage_row(
        life,
        room,
        gutter,
        is_written=storage.is_written,
        folded=tensors.folded,
        is_narrow=is_narrow,
        is_lens_beside=is_narrow and is_wide and gutter + LENS_BESIDE <= room,
    )
    if strip.is_close:  # the word is beside the size
        gutter = max(gutter, widest(titles, SMALL) + WAS_WORD)
        strip = replace(strip, gutter=gutter, cell=min(strip.cell, (room - gutter) // strip.per_row))
    strip_right = max(strip.outer_right, gutter + LENS_BESIDE if strip.is_lens_beside else 0)
    all_above = list(placed(tensors.above, MARGIN, room))
    is_beside = bool(all_above) and strip_right + sum(seat.width + AISLE for seat in tensors.on_strip) <= room
    left, right = (strip_right + AISLE / 2, room) if is_beside else (gutter, max(strip.right, NARROWEST))
    all_names = list(placed(tensors.on_strip, left, right))
    lines = [
        (each, VersionLine(each.raises, each.labels[0][0], life.last, strip.right - gutter))
        for each in storage.counters
        if each.raises
    ]
    lines_right = gutter + max((line.width for _, line in lines), default=0.0)
    sharers = _sharers(storage.counters, life.last) if lines and len(storage.counters) > 1 else []
    names_width = widest([said for _, moments, _ in sharers for _, said in moments], SMALL)
    rights = [x + seat.width for seat, x, _ in [*all_above, *all_names]]
    rights += [strip_right, lines_right + (names_width + SHARERS if names_width else 0)]
    # From top to bottom, with room for the tensors that are there.
    above = [each for each in all_above if each[0].first <= until]
    rows, floors, y = list[float](), list[float](), 0.0
    for row in range(1 + max((row for *_, row in above), default=-1)):
        here = [sheet for seat, _, its in above if its == row for _, sheet in seat.sheets]
        high = max((sheet.drawn.height for sheet in here if sheet.first <= until), default=0)
        rows.append(y + CAPTION)
        floors.append(rows[-1] + high)
        y += CAPTION + high + ROW_GAP
    ribbons = RIBBONS if strip.rows <= MOST_HIGH_ROWS else LOW_RIBBONS
    names_top = floors[-1] + ribbons if above else 2.0 * is_beside
    there = [each for each in all_names if each[0].first <= until]
    names = [(seat, x, names_top - 2 if is_beside else names_top + row * CAPTION) for seat, x, row in there]
    strip_top = names_top if is_beside else max((y + CAPTION for _, _, y in names), default=names_top)
    below = strip_top + strip.bottom + 2
    versions_top = below if lines else strip_top + 30
    below = below + version_line.HEIGHT * len(lines) if lines else max(below, versions_top + PILL + 3)
    pins_top = max(below, strip_top + strip.lens_bottom)
    return Layout(
        max([*rights, PIN_LEFT + storage.storage_pins.width]),
        pins_top + storage.storage_pins.height,
        gutter,
        strip,
        strip_top,
        all_above,
        above,
        rows,
        floors,
        all_names,
        names,
        names_top,
        is_beside,
        pill_width,
        lines,
        lines_right,
        sharers,
        versions_top,
        pins_top,
    )


def _stays(counter: Counter) -> dict[int, tuple[Look, Look]]:
    """What the present version of a counter looks like in the steps that wrote past it, and after them."""
    return {
        step: (Look("text value bold", words.STAYS.format(version=version)), Look("text value", version))
        for step, version in counter.stays
    }


def _sharers(counters: Sequence[Counter], last: int) -> list[tuple[float, Names, str]]:
    raised, others = [each for each in counters if each.raises], [each for each in counters if not each.raises]
    found: list[tuple[float, Names, str]] = [
        (place * version_line.HEIGHT + version_line.LINE + 4, tuple(counter.names(last)), "text")
        for place, counter in enumerate(raised)
    ]
    y = (len(raised) - 1) * version_line.HEIGHT + version_line.LINE + 4
    for k, counter in enumerate(others, 1):
        version = counter.labels[-1][1]
        named = Life(tuple(counter.names(last)), last)
        said: dict[int, Words] = {step: f"{version} {names}" if names else "" for step, names in named.moments}
        for step, here in counter.stays:
            said.setdefault(step + 1, f"{version} {named.at(step + 1) or ''}")
            said[step] = words.STAYS.format(version=here) + Text(*[f" {named.at(step) or ''}"] * 2)
        found.append((y + 13 * k, tuple(sorted(said.items(), key=itemgetter(0))), "text soft"))
    return found


def _size(facts: StorageFacts) -> Words:
    """The size of a storage; and its device, if that is not the CPU."""
    size = size_in_bytes(facts.bytes)
    what = words.CONSTANT if is_constant(facts) else Text(size, size)
    # That a device is simulated is said once, below the picture.
    there = "" if facts.device == "cpu" else f" {facts.device.partition(' ')[0]}"
    return what + Text(there, there)
