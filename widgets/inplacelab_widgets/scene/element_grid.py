"""Draws one tensor with one layout: its metadata, the hops along its axes, and its elements with their slots."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

from inplacelab.language import Text
from inplacelab.recording.facts import Number, StorageFacts, TensorFacts
from inplacelab.recording.naming import storage_label
from inplacelab.recording.slots import Runs as SlotRuns
from inplacelab.recording.slots import Touched, bytes_of, element_values, is_contiguous, slots_under
from inplacelab_widgets import words
from inplacelab_widgets.scene.grid import HEIGHT, Grid, Index, position
from inplacelab_widgets.scene.grid_hops import hop_marks
from inplacelab_widgets.scene.marks import Look, Mark, Runs, between, flashes, lasting, path, rect, text, text_runs
from inplacelab_widgets.scene.measure import NORMAL, SMALL, boxes, widest
from inplacelab_widgets.scene.names import axis_letter, formula, layout_words
from inplacelab_widgets.scene.numerals import number
from inplacelab_widgets.scene.strip import EFFECTS, HOLLOW, hatch
from inplacelab_widgets.scene.timeline import Life

LINE = 14.0
NARROWEST_CELL = 36.0
AIR = 4.0
"""The space between the elements and the notes below them, in px."""

_Moment = tuple[int, StorageFacts]
Cell = tuple[Index, float, float]


@dataclass(frozen=True)
class Sheet:
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

    @cached_property
    def width(self) -> float:
        content = [*self.metadata, *(line for _, line in self.changes), *(note for note, _ in self.notes)]
        return max(self.grid.width, widest(content, SMALL))

    @cached_property
    def height(self) -> float:
        """The height of the elements and the notes below them, in px."""
        return self.grid.height + (AIR + LINE * len(self.notes) if self.notes else 0)


def sheet_for(
    facts: TensorFacts, before: TensorFacts | None, first: int, last: int, storage: Life[StorageFacts], room: float
) -> Sheet:
    """Returns the sheet of a tensor from step `first` to step `last`; `before` is the tensor until then."""
    moments = tuple(_during(storage, first, last))
    # The width of a cell depends on the values, and the number of drawn values on that width: begin with the narrowest cells.
    most = Grid(facts, NARROWEST_CELL, room)
    value_texts = [
        number(value) for _, values in cell_values(facts, moments, most) for value in values if value is not None
    ]
    own = moments[0][1]
    labels = [_slot(own, facts, index) for index, _, _ in most.cells()]
    grid = Grid(facts, max(NARROWEST_CELL, widest(value_texts, NORMAL) + 8, widest(labels, 9) + 6), room)
    values = tuple(cell_values(facts, moments, grid))
    metadata = layout_words(facts), Text("{0} · {1}", "{0} · {1}").format(facts.dtype, formula(facts))
    notes = [(note, between(first, last, Look("text soft", note))) for note in _notes(facts, grid, own)]
    if any(None in known for _, known in values):
        note = Look("text soft", words.NOT_RECORDED)
        notes.append(
            (words.NOT_RECORDED, lasting(((at, note if None in known else None) for at, known in values), last))
        )
    changes = tuple(_changes(facts, before))
    return Sheet(facts, first, last, grid, own, values, metadata, changes, tuple(notes))


def _during(life: Life[StorageFacts], first: int, last: int) -> Iterable[_Moment]:
    """The facts of a storage from `first` to `last`."""
    since = [moment for moment in life.moments if moment[0] <= first][-1:]
    return [(first, facts) for _, facts in since] + [moment for moment in life.moments if first < moment[0] <= last]


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


def cell_values(
    facts: TensorFacts, moments: tuple[_Moment, ...], grid: Grid
) -> list[tuple[int, tuple[Number | None, ...]]]:
    """Returns the value of each drawn element, at each change."""
    positions = [position(facts, index) for index, _, _ in grid.cells()]
    return [(step, element_values(storage, facts.dtype, positions)) for step, storage in moments]


def element_key(facts: TensorFacts, index: Index) -> str:
    """Returns the key of an element in the player: "t3:1,2"."""
    return f"t{facts.id}:{','.join(map(str, index))}"


def value_text(value: Number | None) -> str:
    """Returns the value of an element; "·" if it was not recorded."""
    return "·" if value is None else number(value)


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
    marks = [
        _line(x, top, k, between(sheet.first, sheet.last, Look("text soft" if k else "text", content)))
        for k, content in enumerate(sheet.metadata)
    ]
    for k, (style, content) in enumerate(sheet.changes):
        look = between(sheet.first, sheet.first, Look(style, content))
        marks.append(text(x, top + LINE * (k + 3) - 3.5, look))
    cells = [(index, x + left, grid_top + y) for index, left, y in sheet.grid.cells()]
    marks += _boxes(sheet, cells, done)
    marks += _words(sheet, cells)
    marks += hop_marks(sheet.grid, x, grid_top, sheet.first, sheet.last)
    below = grid_top + sheet.grid.height + AIR
    return marks + [_line(x, below, k, looks) for k, (_, looks) in enumerate(sheet.notes)]


def _line(x: float, top: float, k: int, looks: Runs) -> Mark:
    return text(x, top + LINE * (k + 1) - 3.5, looks)


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
    marks, left = [], {step: list(spans) for step in steps}
    for effect, style in EFFECTS:  # an element of several slots has the first effect that applies
        moments = []
        for step in steps:
            runs: SlotRuns = getattr(done[step], effect)
            hit = [each for each in left[step] if any(each[1] < b and a < each[2] for a, b in runs)] if runs else []
            left[step] = [each for each in left[step] if each not in hit] if hit else left[step]
            drawn = boxes((corner for corner, *_ in hit), grid.cell, grid.row_height, inset=HOLLOW * (effect == "same"))
            moments.append((step, Look(style, None, (("d", drawn),)) if drawn else None, None))
        if any(look for _, look, _ in moments):
            marks.append(Mark("path", (), flashes(moments, last)))
    return marks


def corners_in(
    slots: SlotRuns, facts: TensorFacts, storage: StorageFacts, cells: Sequence[Cell]
) -> list[tuple[float, float]]:
    """Returns the corners of the cells whose elements are in these slots."""
    return [
        corner for corner, first, end in _spans(facts, storage, cells) if any(first < b and a < end for a, b in slots)
    ]


def _spans(
    facts: TensorFacts, storage: StorageFacts, cells: Sequence[Cell]
) -> list[tuple[tuple[float, float], int, int]]:
    """The corner of each cell, and its slots as (first, one past the last)."""
    places = [(x, y, position(facts, index)) for index, x, y in cells]
    return [((x, y), *slots_under(storage, facts.dtype, at, at + 1)) for x, y, at in places]


def _words(sheet: Sheet, cells: Sequence[Cell]) -> list[Mark]:
    """In each box the value, and below it the slot."""
    marks = []
    for k, (index, x, y) in enumerate(cells):
        middle = round(x + sheet.grid.cell / 2, 1)
        content = text_runs("text value", ((step, value_text(known[k])) for step, known in sheet.values), sheet.last)
        slot = Look("text tiny middle", _slot(sheet.storage, sheet.facts, index))
        marks.append(text(middle, y + 14.5, content, keys=(element_key(sheet.facts, index),)))
        marks.append(text(middle, y + 26, between(sheet.first, sheet.last, slot)))
    return marks
