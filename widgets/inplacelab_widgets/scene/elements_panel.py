"""Draws the elements panel: each tensor as the grid that a program sees, and how its metadata map elements to slots.

A storage is a flat run of slots; shape, strides and offset arrange it in rows and columns. Each tensor with a name has a
fixed seat with its metadata, the formula with its numbers, the hops along the axes, and for each element its value and
its slot. Tensors that never live at the same time share a seat.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice
from math import prod
from typing import NamedTuple

from inplacelab.language import Text, enumerated
from inplacelab.recording.facts import Number, StorageFacts, TensorFacts
from inplacelab.recording.naming import storage_label
from inplacelab.recording.recording import Recording, State
from inplacelab.recording.slots import Touched, bytes_of, is_contiguous, slots_under, touched
from inplacelab.supported import terms_of
from inplacelab_widgets import words
from inplacelab_widgets.scene.names import axis_letter, formula, hop, layout_words
from inplacelab_widgets.scene.storage_row import hatch
from inplacelab_widgets.scene.svg import (
    Attributes,
    Group,
    Look,
    Mark,
    Panel,
    Runs,
    always,
    between,
    flashes,
    lasting,
    path,
    rect,
    runs,
    text,
    text_runs,
)
from inplacelab_widgets.scene.tensor_cards import METADATA, NAMES, Card, CardContent, cards, chip_marks, stretches
from inplacelab_widgets.scene.tensor_grids import Cell, cell_values, effect_marks, element_key, value_text
from inplacelab_widgets.scene.text_layout import NORMAL, SMALL, coordinate, widest, width_of
from inplacelab_widgets.scene.timeline import StorageLife, shared_rows, storage_lives
from inplacelab_widgets.scene.value_grid import ARC, COLUMNS_BAND, HEADING, HEIGHT, ROW_LABELS, Grid, Index, position

# --- hops -------------------------------------------------------------------------------------------------------------


def hop_marks(grid: Grid, x: float, y: float, first: int, last: int) -> list[Mark]:
    """Draws the indices and hops of a grid with its top left corner at (x, y), from step `first` to step `last`."""
    blocks, rows, columns = grid.drawn
    if not columns or not rows or not blocks:
        return []
    draw = _Drawing(grid, x, y, first, last)
    if grid.rank:
        draw.columns()
    if grid.rank > 1:
        draw.rows()
    if grid.rank > 2:
        draw.blocks()
    draw.ellipses()
    return draw.marks


class _Drawing:
    def __init__(self, grid: Grid, x: float, y: float, first: int, last: int) -> None:
        self.grid, self.left, self.top, self.first, self.last = grid, x, y, first, last
        self.marks: list[Mark] = []

    def columns(self) -> None:
        """Draws the columns' indices above every block, and the hop from one to the next above the first."""
        grid, letter = self.grid, axis_letter(self.grid.rank - 1)
        blocks, _, columns = grid.drawn
        y = self.top + grid.top - 4
        for block in range(blocks):
            for column in range(columns):
                label = f"{letter}={column}" if not column else str(column)
                self._text(self.left + grid.x(block, column + 0.5), y, "text tiny middle", label)
        a, b, end = (self.left + grid.x(0, at) for at in (0.5, 1.5, columns))
        base = self.top + grid.top - COLUMNS_BAND + 23
        self._hop_text(grid.rank - 1, (a + b) / 2, base - 11, "text middle")
        if hop(grid.layout, grid.rank - 1).startswith("×"):
            start, stop = coordinate(a - grid.cell / 2 + 2), coordinate(end - 2)
            self._wire(f"M{start} {coordinate(base)}v-5H{stop}v5")
        elif columns > 1:
            self._wire(
                f"M{coordinate(a)} {coordinate(base)}Q{coordinate((a + b) / 2)} {coordinate(base - 15)} {coordinate(b - 2)} {coordinate(base - 2)}"
            )
            self._tip(f"M{coordinate(b)} {coordinate(base)}l-7 -1.5l4.5 -5z")

    def rows(self) -> None:
        """Draws the rows' indices beside every block, and the hop from one to the next beside the first."""
        grid, letter = self.grid, axis_letter(self.grid.rank - 2)
        blocks, rows, _ = grid.drawn
        for block in range(blocks):
            for row in range(rows):
                label = f"{letter}={row}" if not row else str(row)
                self._text(
                    self.left + grid.x(block, 0) - 4, self.top + grid.y(row) + HEIGHT / 2 + 3, "text tiny end", label
                )
        x = self.left + grid.x(0, 0) - ROW_LABELS
        a, b, end = (self.top + grid.y(at) for at in (0.5, 1.5, rows))
        self._hop_text(grid.rank - 2, x - ARC - 2, (a + b) / 2 + 4, "text end")
        if hop(grid.layout, grid.rank - 2).startswith("×"):
            self._wire(f"M{coordinate(x)} {coordinate(a - HEIGHT / 2 + 2)}h-5V{coordinate(end - 2)}h5")
        elif rows > 1:
            self._wire(
                f"M{coordinate(x)} {coordinate(a)}Q{coordinate(x - 15)} {coordinate((a + b) / 2)} {coordinate(x - 2)} {coordinate(b - 2)}"
            )
            self._tip(f"M{coordinate(x)} {coordinate(b)}l-6.5 -2.5l5 -4.5z")

    def blocks(self) -> None:
        """Draws the heading of each block, and the hop from the first to the second."""
        grid = self.grid
        y = self.top + HEADING - 11
        for block in range(grid.drawn[0]):
            self._text(self.left + grid.block_left(block), y, "text", grid.heading(block))
        if grid.drawn[0] > 1 and grid.layout.shape[grid.rank - 3] > 1:
            start = self.left + width_of(grid.heading(0)) + 6
            end = self.left + grid.block_left(1) - 4
            self._wire(f"M{coordinate(start)} {coordinate(y - 3.5)}H{coordinate(end - 6)}")
            self._tip(f"M{coordinate(end)} {coordinate(y - 3.5)}l-7 -3.5v7z")
            self._hop_text(grid.rank - 3, (start + end) / 2, y - 7, "text middle")

    def ellipses(self) -> None:
        """Draws dots where elements are left out."""
        grid = self.grid
        blocks, rows, columns = grid.drawn
        if blocks < grid.total[0] or columns < grid.total[2]:
            self._text(self.left + grid.x(blocks - 1, columns) + 4, self.top + grid.y(0) + HEIGHT / 2 + 3, "text", "…")
        if rows < grid.total[1]:
            self._text(self.left + grid.x(0, 0.5), self.top + grid.y(rows) + 9, "text middle", "⋮")

    def _hop_text(self, axis: int, x: float, y: float, style: str) -> None:
        if label := hop(self.grid.layout, axis):
            self._text(x, y, f"{style} bold", label)

    def _text(self, x: float, y: float, style: str, label: str) -> None:
        self.marks.append(text(round(x, 1), round(y, 1), between(self.first, self.last, Look(style, label))))

    def _wire(self, d: str) -> None:
        self.marks.append(path(d, between(self.first, self.last, Look("wire"))))

    def _tip(self, d: str) -> None:
        self.marks.append(path(d, between(self.first, self.last, Look("tip"))))


# --- sheets -----------------------------------------------------------------------------------------------------------

LINE = 14.0
NARROWEST_CELL = 36.0
AIR = 4.0
"""The space between the elements and the notes below them, in px."""


class Sheet(NamedTuple):
    """A tensor over the steps `first` to `last`, in which its metadata do not change."""

    facts: TensorFacts
    first: int
    last: int
    grid: Grid
    storage: StorageFacts
    values: tuple[tuple[int, tuple[Number | None, ...]], ...]
    """(step, the value of each drawn element from then on)."""
    metadata: tuple[Text, Text]
    changes: tuple[tuple[str, Text], ...]
    """(style, words): what changed in the step that gave it this layout."""
    notes: tuple[tuple[Text, Runs], ...]
    """The notes below the elements, with the steps at which they are shown."""

    exponent: bool
    """Whether its values are written with exponents, as those of its whole storage."""
    width: float
    height: float
    """The height of the elements and the notes below them, in px."""


def sheet_for(
    facts: TensorFacts, before: TensorFacts | None, first: int, last: int, storage: StorageLife, room: float
) -> Sheet:
    """Returns the sheet of a tensor from step `first` to step `last`; `before` is the tensor until then."""
    since = [(first, facts_then) for step, facts_then in storage.moments if step <= first][-1:]
    moments = (*since, *(each for each in storage.moments if first < each[0] <= last))
    # The width of a cell depends on the values, and the number of drawn values on that width: begin with the narrowest cells.
    most = Grid(facts, NARROWEST_CELL, room)
    exponent = storage.has_exponents
    value_texts = [
        value_text(value, exponent=exponent) for _, values in cell_values(facts, moments, most) for value in values
    ]
    own = moments[0][1]
    labels = [_slot(own, facts, index) for index, _, _ in most.cells()]
    grid = Grid(facts, max(NARROWEST_CELL, widest(value_texts, NORMAL) + 8, widest(labels, 9) + 6), room)
    values = tuple(cell_values(facts, moments, grid))
    metadata = layout_words(facts), Text("{0} · {1}", "{0} · {1}").format(facts.dtype, formula(facts))
    notes = [(note, between(first, last, Look("text soft", note))) for note in _notes(facts, grid, own)]
    if any(None in known for _, known in values):
        note = Look("text soft", words.NOT_RECORDED)
        looks = lasting(((at, note if None in known else None) for at, known in values), last)
        notes.append((words.NOT_RECORDED, looks))
    changes = tuple(_changes(facts, before))
    content = [*metadata, *(line for _, line in changes), *(said for said, _ in notes)]
    width, height = max(grid.width, widest(content, SMALL)), AIR + LINE * len(notes) if notes else 0
    return Sheet(
        facts, first, last, grid, own, values, metadata, changes, tuple(notes), exponent, width, grid.height + height
    )


def _changes(facts: TensorFacts, before: TensorFacts | None) -> Iterable[tuple[str, Text]]:
    if before is None:
        return
    if before.storage != facts.storage:
        now, old = storage_label(facts.storage), storage_label(before.storage)
        yield "text bold", words.NEW_STORAGE.format(now=now, before=old)
    was = Text("{0}  {1}", "{0}  {1}").format(before.dtype, layout_words(before))
    if was != Text("{0}  {1}", "{0}  {1}").format(facts.dtype, layout_words(facts)):
        yield "text soft struck", was


def _notes(facts: TensorFacts, grid: Grid, storage: StorageFacts) -> Iterable[Text]:
    total = prod(facts.shape)
    if not total:
        yield words.NO_ELEMENTS
        return
    if grid.cut:
        yield words.ELEMENTS_CUT.format(drawn=prod(grid.drawn), total=total)
    for axis, (size, stride) in enumerate(zip(facts.shape, facts.strides, strict=True)):
        if size > 1 and stride == 0:
            yield words.ONE_SLOT.format(size=size, axis=axis_letter(axis))
    if not is_contiguous(facts):
        yield words.NON_CONTIGUOUS
    if facts.dtype != storage.dtype:
        wide, slot = bytes_of(facts.dtype, storage), bytes_of(storage.dtype, storage)
        yield words.READ_AS.format(dtype=facts.dtype, bytes=wide, slot=slot)


def _slot(storage: StorageFacts, facts: TensorFacts, index: Index) -> str:
    """The slot of an element: "→9", or "→2–3" for one that is wider than a slot."""
    at = position(facts, index)
    start, stop = slots_under(storage, facts.dtype, at, at + 1)
    return f"→{start}" if stop - start < 2 else f"→{start}–{stop - 1}"


def sheet_marks(sheet: Sheet, x: float, top: float, grid_top: float, done: Mapping[int, Touched]) -> list[Mark]:
    """Draws a sheet.

    Args:
        sheet: the sheet.
        x: its left edge.
        top: the y of its metadata.
        grid_top: the y of its elements.
        done: for each step that wrote or read the storage, which slots.
    """
    marks = []
    for k, content in enumerate(sheet.metadata):
        look = between(sheet.first, sheet.last, Look("text soft" if k else "text", content))
        marks.append(text(x, top + LINE * (k + 1) - 3.5, look))
    for k, (style, content) in enumerate(sheet.changes):
        look = between(sheet.first, sheet.first, Look(style, content))
        marks.append(text(x, top + LINE * (k + 3) - 3.5, look))
    cells = [(index, x + left, grid_top + y) for index, left, y in sheet.grid.cells()]
    marks += _boxes(sheet, cells, done)
    marks += _words(sheet, cells)
    marks += hop_marks(sheet.grid, x, grid_top, sheet.first, sheet.last)
    below = grid_top + sheet.grid.height + AIR
    return marks + [text(x, below + LINE * (k + 1) - 3.5, looks) for k, (_, looks) in enumerate(sheet.notes)]


def _boxes(sheet: Sheet, cells: Sequence[Cell], done: Mapping[int, Touched]) -> list[Mark]:
    """A box for each element, hatched where its value is not known."""
    wide = sheet.grid.cell
    marks = []
    all_known = between(sheet.values[0][0], sheet.last, Look("slot"))
    missing = any(None in known for _, known in sheet.values)
    for k, (index, x, y) in enumerate(cells):
        looks = all_known
        if missing:
            now = ((step, Look("slot" if known[k] is not None else "slot unknown")) for step, known in sheet.values)
            looks = lasting(now, sheet.last)
        marks.append(rect(x, y, wide, HEIGHT, looks, keys=(element_key(sheet.facts, index),)))
        if missing and any(known[k] is None for _, known in sheet.values):
            unknown = [(step, Look("hatch") if known[k] is None else None) for step, known in sheet.values]
            marks.append(path(hatch(x, y, wide, HEIGHT), lasting(unknown, sheet.last)))
    return marks + effect_marks(sheet.facts, sheet.storage, sheet.grid, cells, done, sheet.first, sheet.last)


def _words(sheet: Sheet, cells: Sequence[Cell]) -> list[Mark]:
    """In each box the value, and below it the slot."""
    marks = []
    for k, (index, x, y) in enumerate(cells):
        middle = round(x + sheet.grid.cell / 2, 1)
        texts = ((step, value_text(known[k], exponent=sheet.exponent)) for step, known in sheet.values)
        content = text_runs("text value", texts, sheet.last)
        slot = Look("text tiny middle", _slot(sheet.storage, sheet.facts, index))
        marks.append(text(middle, y + 14.5, content, keys=(element_key(sheet.facts, index),)))
        marks.append(text(middle, y + 26, between(sheet.first, sheet.last, slot)))
    return marks


# --- the panel --------------------------------------------------------------------------------------------------------

WIDTH = 814.0
PAD = 9.0
TITLE = 24.0
GAP = 10.0
"""The space between one seat and the next, in px."""
MOST_NAMES = 12
"""The most tensors that the description of a step names."""


class _Home(NamedTuple):
    """A tensor on one storage: its card, and a sheet for each of its layouts there."""

    card: Card
    sheets: tuple[Sheet, ...]


class _Seat:
    """The place of one tensor, or of several that never live together. Below the title are the lines of metadata: the present ones, and the
    earlier ones after a change.
    """

    def __init__(self, homes: Sequence[_Home]) -> None:
        self.homes, sheets = homes, [sheet for home in homes for sheet in home.sheets]
        faces = [face for home in homes for face in home.card.life.every()]
        titles = [face.chips_width + 12 + width_of(_place(face), SMALL) for face in faces]
        self.width = round(2 * PAD + max(*titles, *(sheet.width for sheet in sheets)), 1)
        self.below_title = TITLE + LINE * (2 + max(len(sheet.changes) for sheet in sheets))
        self.height = self.below_title + max(sheet.height for sheet in sheets) + PAD


def elements_panel(recording: Recording) -> Panel:
    """Returns the panel with the elements of every tensor that has a name at some step."""
    done, last = touched(recording), len(recording) - 1
    groups: list[Group] = []
    x = y = tall = 0.0
    seats = _seats(recording)
    for seat in seats:
        if x and x + seat.width > WIDTH:
            x, y, tall = 0.0, y + tall + GAP, 0.0
        marks = [mark for home in seat.homes for mark in _home_marks(home, seat, done.get(home.card.storage, {}))]
        marks = _merged(marks)
        lives_of = [home.card.life for home in seat.homes]
        first, end = min(life.first for life in lives_of), max(life.last for life in lives_of)
        groups.append(Group(x, y, seat.width, seat.height, first, end, tuple(marks)))
        x, tall = x + seat.width + GAP, max(tall, seat.height)
    if not groups:
        nothing = text(0, 20, always(Look("text soft", terms_of(recording).in_framework_words(words.NO_TENSOR))))
        groups.append(Group(0, 0, WIDTH, 30, 0, last, (nothing,)))
    width = max(WIDTH, *(group.x + group.width for group in groups))
    return Panel("elements", width, max(y + tall, 40), tuple(groups), _descriptions(recording, seats))


def _seats(recording: Recording) -> list[_Seat]:
    """Seats in the order in which their first tensors appeared."""
    storages = storage_lives(recording)
    tensors: dict[int, list[Card]] = {}
    for card in cards(recording):
        tensors.setdefault(card.tensor, []).append(card)
    named = [own for own in tensors.values() if any(face.called.names for card in own for face in card.life.every())]
    spans = [(own[0].life.first, max(card.life.last for card in own)) for own in named]
    seats: dict[int, list[_Home]] = {}
    for row, own in zip(shared_rows(spans), named, strict=True):
        seats.setdefault(row, []).extend(_homes(own, storages))
    return [_Seat(seats[row]) for row in sorted(seats)]


def _homes(own: Sequence[Card], storages: Mapping[int, StorageLife]) -> list[_Home]:
    homes = []
    before: TensorFacts | None = None
    for card in own:
        sheets = []
        for first, last, face in stretches(card.life, METADATA):
            sheets.append(sheet_for(face.facts, before, first, last, storages[card.storage], WIDTH - 2 * PAD))
            before = face.facts
        homes.append(_Home(card, tuple(sheets)))
    return homes


def _place(face: CardContent) -> Text:
    """The storage and the kind of a tensor, in words."""
    where = storage_label(face.facts.storage)
    return Text("{0} · {1}", "{0} · {1}").format(where, face.kind) if face.kind else Text(where, where)


def _home_marks(home: _Home, seat: _Seat, done: Mapping[int, Touched]) -> list[Mark]:
    card, life = home.card, home.card.life
    outline = flashes(((sheet.first, Look("card changed"), Look("card")) for sheet in home.sheets), life.last)
    bar = between(life.first, life.last, Look(f"bar c{card.color}-fill"))
    marks = [
        rect(0, 0, seat.width, seat.height, outline, 4, keys=card.keys),
        rect(0, 4, 4, seat.height - 8, bar),
    ]
    for first, last, face in stretches(life, NAMES):
        marks += chip_marks(card, face, PAD, 6, first, last)
    places = lasting(((step, Look("text soft end", _place(face))) for step, face in life.moments), life.last)
    marks.append(text(seat.width - PAD, 17.5, places))
    for sheet in home.sheets:
        marks += sheet_marks(sheet, PAD, TITLE, seat.below_title, done)
    return marks


_LAYERS = ("rect", "path", "text")
"""The marks of one tensor. Words are drawn over boxes, also over those of other tensors in the seat."""


def _merged(marks: Sequence[Mark]) -> list[Mark]:
    """Marks of a seat in layers. Marks without a key at the same place are merged: the tensors of a loop's turns have
    the same indices, hops and slots.
    """
    own = [mark for mark in marks if mark.keys]
    shared: dict[tuple[str, Attributes, str], list[tuple[int, Look | None]]] = {}
    kinds: dict[tuple[str, Attributes, str], Mark] = {}
    for mark in marks:
        if not mark.keys:
            # The borders of written and read elements have their places in their looks.
            style = "" if mark.place else next((look.style for _, look in mark.runs if look), "")
            kinds.setdefault((mark.tag, mark.place, style), mark)
            shared.setdefault((mark.tag, mark.place, style), []).extend(mark.runs)
    for key, looks in shared.items():
        # Where one ends and the next begins at the same step, show the next.
        looks.sort(key=lambda moment: (moment[0], moment[1] is not None))
        own.append(kinds[key]._replace(runs=runs(looks)))
    return sorted(own, key=lambda mark: _LAYERS.index(mark.tag))


def _descriptions(recording: Recording, seats: Sequence[_Seat]) -> tuple[tuple[int, Text], ...]:
    laid_out: dict[int, list[int]] = {}
    for home in chain.from_iterable(seat.homes for seat in seats):
        for sheet in home.sheets:
            laid_out.setdefault(sheet.first, []).append(home.card.tensor)
    return tuple((state.step.index, _said(state, laid_out.get(state.step.index, []))) for state in recording.states())


def _said(state: State, laid_out: Sequence[int]) -> Text:
    called = map(state.called, state.tensors)
    shown = [enumerated(each.shown) for each in islice((each for each in called if each.names), MOST_NAMES + 1)]
    shown[MOST_NAMES:] = [Text("…", "…")] if len(shown) > MOST_NAMES else []
    tensors = Text("; ".join(each.en for each in shown), "；".join(each.zh for each in shown)) if shown else words.NONE
    changed = enumerated([state.called(key).first for key in laid_out]) if laid_out else words.NONE
    return words.ELEMENTS_SAY.format(tensors=tensors, changed=changed)
