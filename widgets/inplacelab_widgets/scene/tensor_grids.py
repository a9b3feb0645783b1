"""Draws the tensors of a storage above its strip: each as a grid in its own shape, with its values.

A tensor that is laid out as the storage is has no grid of its own: its name stands on the strip. If all tensors of a storage are laid
out in the same way, the strip itself is folded into their shape.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, prod

from inplacelab.language import Text
from inplacelab.recording.facts import Number, StorageFacts, TensorFacts
from inplacelab.recording.numerals import number
from inplacelab.recording.slots import Runs as SlotRuns
from inplacelab.recording.slots import Touched, element_values, is_contiguous, joined, slots_under
from inplacelab_widgets import words
from inplacelab_widgets.scene.large_storages import LARGEST, MOST, SCALES, HeatMap, extent
from inplacelab_widgets.scene.storage_row import EFFECTS, HOLLOW, MOST_WITH_WAS, WITH_VALUES, StorageRow
from inplacelab_widgets.scene.svg import Look, Mark, Runs, between, flashes, path, rect, text, text_runs
from inplacelab_widgets.scene.tensor_cards import (
    METADATA,
    NAMES,
    Caption,
    Card,
    CardContent,
    Overwritten,
    TensorRole,
    chip_marks,
    stretches,
)
from inplacelab_widgets.scene.text_layout import NORMAL, SMALL, boxes, shortened, widest, width_of
from inplacelab_widgets.scene.timeline import Life, StorageLife, shared_rows
from inplacelab_widgets.scene.value_grid import MINIATURE, Grid, Index, are_tangled, position, ribbons_path, ticks_path

CHIP = 17.0
CAPTION = 35.0
"""The height of the two lines above a grid or a strip: the names, and what made the tensor."""
NARROWEST_CELL = 28.0
FEW = 16
"""The most elements that are always drawn with their values."""
MOST_TWICE = 32
"""With more slots, there is no room above them for grids with the same values."""
HIGHEST = 200.0
"""The height of grids that leaves room for their ribbons and the strip, in px."""
AISLE = 18.0
"""The space between one tensor and the next, in px."""
MARGIN = 6.0
"""The space to the left of the first grid, in px."""


Cell = tuple[Index, float, float]


@dataclass
class Sheet:
    """A tensor over the steps `first` to `last`, in which its layout does not change: as a grid, or as a heat map."""

    facts: TensorFacts
    first: int
    last: int
    moments: tuple[tuple[int, StorageFacts], ...]
    drawn: Grid | HeatMap
    exponent: bool = False
    """Whether its values are written with exponents, as those of its whole storage."""


@dataclass
class Seat:
    """The place of one tensor, or of several that never live together: its caption, and below it its grid if it has one.

    Attributes:
        first: the step at which it is first taken.
        narrowest: its width without what made the tensors, in px.
        widest_origin: the width of what made the tensors, in px.
        width: its width, in px.
    """

    cards: tuple[Card, ...]
    sheets: tuple[tuple[Card, Sheet], ...] = ()
    caption: Caption = "full"
    """How much is in its caption. In a short one strides, offsets and whether it asks for gradients are left out, and some of what made it; the tables have
    them in any case.
    """
    spare: float = 0.0
    """What its row has room for beside what a short caption needs, in px."""

    def __post_init__(self) -> None:
        self.first = min(card.life.first for card in self.cards)
        faces = [face for card in self.cards for face in card.life.every()]
        beside = [face.chips_width + width_of(face.beside_chips(self.caption), SMALL) for face in faces]
        self.narrowest = round(max([*beside, *(sheet.drawn.width for _, sheet in self.sheets)]), 1)
        self.widest_origin = widest([face.origin for face in faces], SMALL)
        full, short = max(self.narrowest, self.widest_origin), round(self.narrowest + self.spare, 1)
        self.width = full if self.caption == "full" else short

    def short(self) -> Seat:
        """Returns it with a short caption."""
        return replace(self, caption="short", spare=0.0)

    def with_origin(self) -> Seat:
        """Returns it with room for all of what made the tensors."""
        return replace(self, spare=max(0.0, self.widest_origin - self.narrowest))

    def near(self, step: int | None) -> Sequence[tuple[Card, Sheet]]:
        """Returns the sheets, for all steps or with what is drawn of them at one."""
        if step is None:
            return self.sheets
        found = []
        for card, sheet in self.sheets:
            moments, drawn = Life(sheet.moments, sheet.last).near(step).moments, sheet.drawn
            drawn = replace(drawn, moments=moments) if isinstance(drawn, HeatMap) else drawn
            found.append((card, replace(sheet, moments=moments, drawn=drawn)))
        return found


@dataclass(frozen=True)
class Tensors:
    """The tensors of one storage: those with a grid, and those whose names stand on the strip."""

    above: tuple[Seat, ...]
    on_strip: tuple[Seat, ...]
    folded: tuple[int, ...]
    """If the strip has the shape of all tensors, the numbers of slots that its rows may have: those of a row, of a matrix, and so on."""
    scale: tuple[float, float] | None = None
    """The values that get the first and the last color, if the tensors are heat maps."""


def tensors_of(cards: Sequence[Card], life: StorageLife, room: float) -> Tensors:
    """Decides which tensors of a storage have grids."""
    if not cards:
        return Tensors((), (), ())
    slots = max(facts.slots for facts in life.every())
    shapes: set[tuple[int, ...]] = {face.facts.shape for card in cards for face in card.life.every()}
    plain = [card for card in cards if all(_is_storage(face.facts, life) for face in card.life.every())]
    if len(plain) == len(cards) and len(shapes) == 1 and slots <= WITH_VALUES:
        (shape,) = shapes
        return Tensors((), _seats(cards), _rows_of(shape) if slots else ())
    flat = [card for card in plain if all(len(face.facts.shape) < 2 for face in card.life.every())]
    scale = extent(life.every()) if WITH_VALUES < slots <= MOST else None
    if slots > WITH_VALUES and scale is None:
        return Tensors((), _seats(cards), ())
    others = [card for card in cards if card not in flat]
    above = _in_few_rows(_with_sheets(others, life, room, scale), room)
    if scale is not None:
        above = _as_large_as_fits(above, room)
    if scale is None and extent_of(above, room)[0] > 1 and len(plain) > len(flat):
        found = _on_folded_strip(plain, others, flat, life, room)
        if found is not None:
            return found
    grids = [sheet.drawn for seat in above for _, sheet in seat.sheets if isinstance(sheet.drawn, Grid)]
    if scale is None and (extent_of(above, room)[0] > 1 or any(each.is_too_high for each in grids)):
        above = _in_miniature(others, life, room)
    return Tensors(above, _seats(flat), (), scale if above else None)


def _on_folded_strip(
    plain: Sequence[Card], others: Sequence[Card], flat: Sequence[Card], life: StorageLife, room: float
) -> Tensors | None:
    """The strip in the shape of a tensor that is laid out as it is, if the other tensors then stand side by side."""
    slots = max(facts.slots for facts in life.every())
    shape = next(card.life.moments[0][1].facts.shape for card in plain if card not in flat)
    on_strip = [card for card in plain if all(face.facts.shape == shape for face in card.life.every())]
    rest = [card for card in others if card not in on_strip]
    beside, is_higher = _in_few_rows(_with_sheets(rest, life, room, None), room), False
    if slots > MOST_TWICE:
        beside = _in_miniature(rest, life, room)
        is_higher = _height(beside, room) + CAPTION > _height(_in_miniature(others, life, room), room)
    if extent_of(beside, room)[0] > 1 or is_higher:
        return None
    folded = tuple(each for each in _rows_of(shape) if slots <= MOST_WITH_WAS * each)
    return Tensors(beside, _seats([*on_strip, *flat]), folded)


def _in_miniature(cards: Sequence[Card], life: StorageLife, room: float) -> tuple[Seat, ...]:
    """The seats of tensors for whose values there is no room: the strip has them. The larger ones show only where they are; all of them, where
    the strip would be out of sight.
    """
    found: tuple[Seat, ...] = ()
    for most in (FEW, 0):
        found = _in_few_rows(_with_sheets(cards, life, room, None, most=most), room, ("short", "names"))
        if _height(found, room) <= HIGHEST:
            break
    return found


def _rows_of(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The numbers of slots that the rows of a strip of this shape may have."""
    return tuple(prod(shape[axis:]) for axis in range(len(shape) - 1, 0, -1))


def _as_large_as_fits(seats: tuple[Seat, ...], room: float) -> tuple[Seat, ...]:
    """The seats with their heat maps all at one scale: the largest at which they are side by side, or a small one. No scale takes the room of
    another storage beside this one.
    """
    leaves_room = extent_of(_in_few_rows(_at_one_scale(seats, 1.0), room), room)[1] <= room / 2
    for large in SCALES:
        scaled = _in_few_rows(_at_one_scale(seats, large), room)
        rows, right = extent_of(scaled, room)
        if rows == 1 and (not leaves_room or right <= room / 2):
            return scaled
    return _in_few_rows(_at_one_scale(seats, SCALES[-1]), room)


def _at_one_scale(seats: tuple[Seat, ...], large: float) -> tuple[Seat, ...]:
    maps = [sheet.drawn for seat in seats for _, sheet in seat.sheets if isinstance(sheet.drawn, HeatMap)]
    pixel = min((replace(each, large=large).largest_pixel for each in maps), default=LARGEST)

    def scaled(sheet: Sheet) -> Sheet:
        drawn = sheet.drawn
        return (
            replace(sheet, drawn=replace(drawn, large=large, pixel_of_all=pixel))
            if isinstance(drawn, HeatMap)
            else sheet
        )

    return tuple(
        replace(seat, sheets=tuple((card, scaled(sheet)) for card, sheet in seat.sheets), caption="full")
        for seat in seats
    )


def _in_few_rows(seats: tuple[Seat, ...], room: float, captions: Sequence[Caption] = ("short",)) -> tuple[Seat, ...]:
    """The seats with their captions in full, or with the longest of these captions that needs the fewest rows: each then with as much of what is left
    out as its row has room for.
    """
    found = (seats, *(tuple(replace(seat, caption=each, spare=0.0) for seat in seats) for each in captions))
    short = min(found, key=lambda some: extent_of(some, room)[0])
    rows, _ = extent_of(short, room)
    if short is seats:
        return seats
    for fuller in (Seat.short, Seat.with_origin):
        for place in sorted(range(len(short)), key=lambda place: short[place].widest_origin):
            tried = (*short[:place], fuller(short[place]), *short[place + 1 :])
            short = tried if extent_of(tried, room)[0] == rows else short
    return short


CUT_NAME = re.compile(r"(  [\w.]*(\W.{0,2})?|(?<=[\d行]) )…$")
"""What made a tensor, behind the line, cut within a name or soon after it."""


def _height(seats: Sequence[Seat], room: float) -> float:
    """The height of grids in their rows, with their captions."""
    rows: dict[int, float] = {}
    for seat, _, row in placed(seats, MARGIN, room):
        rows[row] = max(
            rows.get(row, 0.0), CAPTION + max((sheet.drawn.height for _, sheet in seat.sheets), default=0.0)
        )
    return sum(rows.values())


def extent_of(seats: Sequence[Seat], room: float) -> tuple[int, float]:
    """Returns the number of rows of grids, and their right edge."""
    places = [*placed(seats, MARGIN, room)]
    rows = 1 + max((row for *_, row in places), default=0)
    return rows, max((x + seat.width for seat, x, _ in places), default=0)


def _is_storage(facts: TensorFacts, life: StorageLife) -> bool:
    """Whether a tensor has every slot of its storage as an element, in the same order."""
    own = life.moments[0][1]
    return is_contiguous(facts) and not facts.offset and facts.dtype == own.dtype and prod(facts.shape) == own.slots


def _seats(cards: Sequence[Card]) -> tuple[Seat, ...]:
    """Tensors that never live together share a seat."""
    found: dict[int, list[Card]] = {}
    for row, card in zip(shared_rows([(card.life.first, card.life.last) for card in cards]), cards, strict=True):
        found.setdefault(row, []).append(card)
    return tuple(Seat(tuple(found[row])) for row in sorted(found))


def _with_sheets(
    cards: Sequence[Card],
    life: StorageLife,
    room: float,
    scale: tuple[float, float] | None,
    most: float = inf,
) -> tuple[Seat, ...]:
    """The seats of tensors, each with its grid in each of its layouts: without values if it has more than `most` elements."""
    found, exponent = [], life.has_exponents
    for seat in _seats(cards):
        sheets: list[tuple[Card, Sheet]] = []
        for card, (first, last, face) in (
            (each, laid) for each in seat.cards for laid in stretches(each.life, METADATA)
        ):
            facts = face.facts
            since = [(first, each) for step, each in life.moments if step <= first][-1:]
            moments = (*since, *(each for each in life.moments if first < each[0] <= last))
            narrow = Grid(facts, NARROWEST_CELL, room, hops=False)
            drawn: Grid | HeatMap = narrow
            if scale is not None and prod(facts.shape, start=1) > FEW:
                drawn = HeatMap(facts, first, last, moments, scale)
            elif prod(facts.shape, start=1) > most or (most < inf and narrow.is_too_high):
                drawn = Grid(facts, MINIATURE, room, hops=False)
            else:
                known = (each for _, row in cell_values(facts, moments, narrow) for each in row)
                values = [value_text(each, exponent=exponent) for each in known]
                drawn = Grid(facts, max(NARROWEST_CELL, widest(values, NORMAL) + 6), room, hops=False)
            sheets.append((card, Sheet(facts, first, last, moments, drawn, exponent)))
        found.append(Seat(seat.cards, tuple(sheets)))
    return tuple(found)


def placed(seats: Sequence[Seat], left: float, room: float) -> Iterator[tuple[Seat, float, int]]:
    """Yields (seat, x, row): side by side, with a new row when the room is used up."""
    x, row = left, 0
    for seat in seats:
        if x > left and x + seat.width > room:
            x, row = left, row + 1
        yield seat, round(x, 1), row
        x += seat.width + AISLE


def caption_marks(seat: Seat, x: float, y: float, roles: Mapping[int, Mapping[int, TensorRole]]) -> Iterator[Mark]:
    """Draws the names of the tensors of a seat and what is unusual about them, and under them what made each; from (x, y)."""
    for card in seat.cards:
        acting = roles.get(card.tensor, {})
        for first, last, face in stretches(card.life, NAMES):
            yield from chip_marks(card, face, x, y, first, last, acting)
            unusual = Look("text soft", face.beside_chips(seat.caption))
            yield text(round(x + face.chips_width, 1), y + 11.5, between(first, last, unusual), keys=card.keys)
        yield text(x, y + CHIP + 9, _origin(seat, card, acting), keys=card.keys)


def _origin(seat: Seat, card: Card, acting: Mapping[int, TensorRole]) -> Runs:
    """What made a tensor, cut if there is no room: bold in the step that made it. A step that is refused with it says so instead."""

    def origin(face: CardContent) -> Text:
        if seat.caption == "full":
            return face.origin
        both = [(each, shortened(each, seat.width)) for each in (face.origin.en, face.origin.zh)]
        # Of a cut name, as of an ellipsis alone, nothing can be learned: then the line's number is enough.
        return Text(*(cut if cut == whole else CUT_NAME.sub("", cut) for whole, cut in both))

    made = {step for step, act in acting.items() if act == "made"}
    moments = []
    for step, face in card.life.moments:
        said = origin(face)
        moments.append((step, Look("text bold" if step in made else "text soft", said), Look("text soft", said)))
    for step in (step for step, act in acting.items() if act == "refused"):
        there = card.life.at(step)
        if there is not None:
            moments.append((step, Look("text alarm", words.REFUSED_HERE), Look("text soft", origin(there))))
    return flashes(moments, card.life.last)


def grid_marks(card: Card, sheet: Sheet, x: float, y: float, done: Mapping[int, Touched]) -> Iterator[Mark]:
    """Draws the elements of a tensor; the top left corner is (x, y)."""
    grid, facts = sheet.drawn, sheet.facts
    if isinstance(grid, HeatMap):
        yield from grid.marks(x, y, done, card.keys)
        return
    cells = [(index, round(x + left, 1), y + top) for index, left, top in grid.cells()]
    values = [] if grid.is_miniature else cell_values(facts, sheet.moments, grid)
    here = between(sheet.first, sheet.last, Look("slot"))
    for index, left, top in cells:
        yield rect(left, top, grid.cell, grid.row_height, here, keys=(element_key(facts, index),))
    edge = between(sheet.first, sheet.last, Look(f"bar c{card.color}-fill"))
    if cells:
        yield rect(x - 5, y + grid.top, 3, max(grid.height - grid.top, 4), edge, keys=card.keys)
    yield from effect_marks(facts, sheet.moments[0][1], grid, cells, done, sheet.first, sheet.last)
    for k, (index, left, top) in enumerate(() if grid.is_miniature else cells):
        texts = ((step, value_text(known[k], exponent=sheet.exponent)) for step, known in values)
        looks = text_runs("text value", texts, sheet.last)
        yield text(
            round(left + grid.cell / 2, 1), top + grid.row_height / 2 + 4.5, looks, keys=(element_key(facts, index),)
        )
    if grid.rank > 2:
        for block in range(grid.drawn[0]):
            heading = between(sheet.first, sheet.last, Look("text tiny", grid.heading(block)))
            yield text(round(x + grid.block_left(block), 1), y + 10, heading)
    if grid.cut:
        more = between(sheet.first, sheet.last, Look("text soft", "…"))
        yield text(round(x + grid.width - 10, 1), y + grid.height - 2, more)


def cell_values(
    facts: TensorFacts, moments: tuple[tuple[int, StorageFacts], ...], grid: Grid
) -> list[tuple[int, tuple[Number | None, ...]]]:
    """Returns the value of each drawn element, at each change."""
    positions = [position(facts, index) for index, _, _ in grid.cells()]
    return [(step, element_values(storage, facts.dtype, positions)) for step, storage in moments]


def element_key(facts: TensorFacts, index: Index) -> str:
    """Returns the key of an element in the player: "t3:1,2"."""
    return f"t{facts.id}:{','.join(map(str, index))}"


def value_text(value: Number | None, *, exponent: bool) -> str:
    """Returns the value of an element; "·" if it was not recorded."""
    return "·" if value is None else number(value, exponent=exponent)


def effect_marks(
    facts: TensorFacts,
    storage: StorageFacts,
    grid: Grid,
    cells: Sequence[Cell],
    done: Mapping[int, Touched],
    first: int,
    last: int,
) -> list[Mark]:
    """Draws a box around each element whose slot a step from `first` to `last` wrote or read, through any tensor."""
    steps = [step for step in done if first <= step <= last]
    if not steps:
        return []
    spans = _spans(facts, storage, cells)
    looks: dict[tuple[SlotRuns, ...], list[Look | None]] = {}  # a loop touches the same slots again and again
    moments: list[tuple[int, list[Look | None]]] = []
    for step in steps:
        touched = tuple([getattr(done[step], effect) for effect, _ in EFFECTS])
        if touched not in looks:
            looks[touched] = list(_effect_looks(spans, touched, grid))
        moments.append((step, looks[touched]))
    return [
        Mark("path", (), flashes([(step, each[k], None) for step, each in moments], last))
        for k in range(len(EFFECTS))
        if any(each[k] for _, each in moments)
    ]


def _effect_looks(spans: Sequence[_Span], touched: Sequence[SlotRuns], grid: Grid) -> Iterator[Look | None]:
    """Yields how each effect looks; an element of several slots has the first one that applies."""
    left = list(spans)
    for (effect, style), runs in zip(EFFECTS, touched, strict=True):
        hit = [each for each in left if any(each[1] < b and a < each[2] for a, b in runs)] if runs else []
        left = [each for each in left if each not in hit] if hit else left
        drawn = boxes((corner for corner, *_ in hit), grid.cell, grid.row_height, inset=HOLLOW * (effect == "same"))
        yield Look(style, None, (("d", drawn),)) if drawn else None


_Span = tuple[tuple[float, float], int, int]
"""The corner of a cell, and its slots: the first, and one past the last."""


def _spans(facts: TensorFacts, storage: StorageFacts, cells: Sequence[Cell]) -> list[_Span]:
    """The corner of each cell, and its slots."""
    places = [(x, y, position(facts, index)) for index, x, y in cells]
    return [((x, y), *slots_under(storage, facts.dtype, at, at + 1)) for x, y, at in places]


def lost_marks(sheet: Sheet, x: float, y: float, lost: Overwritten) -> Iterator[Mark]:
    """Draws a border around the elements that a refused step found overwritten; the top left corner of the tensor is (x, y)."""
    grid, facts = sheet.drawn, sheet.facts
    if not sheet.first <= lost.step <= sheet.last:
        return
    if isinstance(grid, HeatMap):
        drawn = "".join(grid.rims(lost.slots, x, y))
    else:
        cells = [(index, round(x + left, 1), y + top) for index, left, top in grid.cells()]
        spans = _spans(facts, sheet.moments[0][1], cells)
        hit = [corner for corner, first, end in spans if any(first < b and a < end for a, b in lost.slots)]
        drawn = boxes(hit, grid.cell, grid.row_height)
    if drawn:
        yield Mark("path", (), between(lost.step, lost.step, Look("lost", None, (("d", drawn),))))


def ribbon_marks(
    card: Card,
    sheet: Sheet,
    strip: StorageRow,
    x: float,
    ends: tuple[float, float, float],
    acting: Mapping[int, TensorRole],
    done: Mapping[int, Touched],
) -> Iterator[Mark]:
    """Draws the ribbons from the grid of a tensor to the strip: those of the slots that a step touched, in the steps that are about the tensor; and all,
    while a reader points at it. Of more than can be told apart, only those of the elements that a reader points at. `ends` are the lower edge of the
    grid, that of the highest grid beside it, and the upper edge of the strip.
    """
    if strip.slots > WITH_VALUES:
        return
    facts, storage = sheet.facts, sheet.moments[0][1]
    where = facts, storage, sheet.drawn, strip.pieces
    style, every = f"ribbon c{card.color}-line c{card.color}-fill", ribbons_path(*where, x, ends)
    hidden = between(sheet.first, sheet.last, Look(f"{style} asleep"))
    if not every:
        return
    if not are_tangled(*where):
        yield path(every, hidden, keys=card.keys)
    else:
        cells = [*sheet.drawn.cells()]
        for (_, *slots), (index, *_) in zip(_spans(facts, storage, cells), cells, strict=True):
            alone = ribbons_path(*where, x, ends, ((slots[0], slots[1]),))
            yield path(alone, hidden, keys=(element_key(facts, index),))
    looks: dict[SlotRuns | None, Look | None] = {}  # a loop touches the same slots again and again
    moments = []
    for step in (step for step in acting if sheet.first <= step <= sheet.last):
        only = _touched(sheet, done.get(step, Touched()))
        if only not in looks:
            drawn = "" if are_tangled(*where, only) else ribbons_path(*where, x, ends, only)
            looks[only] = Look(style, None, (("d", drawn),)) if drawn else None
        moments.append((step, looks[only], None))
    if any(looks.values()):
        yield Mark("path", (), flashes(moments, sheet.last), card.keys)


def tick_marks(
    card: Card,
    sheet: Sheet,
    strip: StorageRow,
    top: float,
    acting: Mapping[int, TensorRole],
    done: Mapping[int, Touched],
) -> Iterator[Mark]:
    """Draws marks at the slots of a tensor in the steps that are about it and in which its ribbons cannot be told apart."""
    if strip.slots > WITH_VALUES:
        return
    where = sheet.facts, sheet.moments[0][1], sheet.drawn, strip.pieces
    steps = [step for step in acting if sheet.first <= step <= sheet.last]
    tangled = [step for step in steps if are_tangled(*where, _touched(sheet, done.get(step, Touched())))]
    if tangled:
        shown = Look(f"tick c{card.color}-fill")
        drawn = ticks_path(*where, top)
        yield path(drawn, flashes([(step, shown, None) for step in tangled], sheet.last), keys=card.keys)


def _touched(sheet: Sheet, done: Touched) -> SlotRuns | None:
    """The slots of a tensor that a step touched; None if it touched none of them, or all."""
    touched = joined(sorted((*done.written, *done.around, *done.read)))
    spans = {(first, end) for _, first, end in _spans(sheet.facts, sheet.moments[0][1], [*sheet.drawn.cells()])}
    reached = {(first, end) for first, end in spans if any(first < b and a < end for a, b in touched)}
    return joined(sorted(reached)) if reached and reached != spans else None
