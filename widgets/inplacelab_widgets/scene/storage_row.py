"""Draws a storage as a row of slots, here called its strip: the place of each slot, its value, and the slots that a step wrote.

Up to 64 slots are drawn with their values, and more as a bar, with a note that explains it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from inplacelab.language import Text
from inplacelab.recording.facts import StorageFacts, Summary
from inplacelab.recording.numerals import apart, number
from inplacelab.recording.slots import Runs as SlotRuns
from inplacelab.recording.slots import Touched
from inplacelab_widgets import words
from inplacelab_widgets.scene import large_storages
from inplacelab_widgets.scene.names import extremes
from inplacelab_widgets.scene.svg import Look, Mark, between, flashes, lasting, path, rect, text, text_runs
from inplacelab_widgets.scene.tensor_cards import Overwritten
from inplacelab_widgets.scene.text_layout import (
    NORMAL,
    SMALL,
    boxes,
    coordinate,
    shortened,
    widest,
    width_of,
)
from inplacelab_widgets.scene.timeline import Life, StorageLife

WITH_VALUES = 64
UNKNOWN = "·"
MOST_HIGH_ROWS, MOST_WITH_WAS, MOST_ROWS = 4, 8, 16
"""The most rows that are high, that always have a line for the values before a write, and of all: of a tensor with more, several stand side by side."""
GUTTER = 46.0
"""The least space to the left of a strip, for the number and the size of the storage, in px."""
RULER = 13.0
WAS = 12.0
"""The space for the values before a write, in px."""
DIGIT = 8.0
"""The height of a small digit, in px."""
EARLIER_WIDTH = widest([words.VALUE_BEFORE, words.VALUE_KEPT], SMALL)
"""The width of what the earlier values of a row are called, in px."""
SQUEEZED = 3.0
"""How much narrower the slots of many rows may be than usual, in px, so that they have half as many rows."""
LOW, LOW_WITH_WAS = 20.0, 16.0
"""The height of many rows, and of those with values before a write under them, in px."""
BESIDE, LEAST_BESIDE = 8.0, 90.0
"""The space between a row and the values before a write beside it, and the least width of these, in px."""
LENS_AISLE = 46.0
"""The space between a strip and the lens beside it, where the indices of its rows stand, in px."""
LENS_BESIDE = large_storages.WIDTH + LENS_AISLE + large_storages.WIDTH
"""The width of a strip with the lens beside it, in px."""

Piece = tuple[float, float, float]
"""(left, right, top) of a run of slots within one row of a strip."""


@dataclass
class StorageRow:
    """The places of the slots of one storage: `rows` rows of `per_row` slots, each `cell` by `height` px.

    Attributes:
        rows: the number of rows.
        ruler: the space under each row for the indices of its slots, in px; rows of cells have theirs in the gutter.
        pitch: the distance from the top of one row to the top of the next, in px.
        right: the right edge of the slots.
        outer_right: the same, or that of the values before a write that stand beside them.
        bottom: the height of all rows together, in px.
        lens: the left and the top of the lens, from the top of the strip.
        lens_bottom: the lower edge of the lens, from the top of the strip.
    """

    slots: int
    per_row: int
    cell: float
    height: float
    folded: bool = False
    """Whether it has several rows, with only the first index of each row beside it."""
    gutter: float = GUTTER
    """The space to the left of its slots, in px."""
    has_was: bool = False
    """Whether there is a line under the indices for the values before a write."""
    was_beside: float = 0.0
    """The space to the right of each row for the values before a write, in px."""
    is_lens_beside: bool = False
    """Whether the lens stands to the right of the strip, not below it."""
    exponent: bool = False
    """Whether its values are written with exponents."""
    rows: int = field(init=False)
    ruler: float = field(init=False)
    pitch: float = field(init=False)
    right: float = field(init=False)
    outer_right: float = field(init=False)
    bottom: float = field(init=False)
    lens: tuple[float, float] = field(init=False)
    lens_bottom: float = field(init=False)

    def __post_init__(self) -> None:
        has_values = self.slots <= WITH_VALUES
        self.rows = -(-self.slots // self.per_row) or 1
        under = WAS + 3 if self.rows <= MOST_HIGH_ROWS else WAS
        self.ruler = under * self.has_was if self.folded else RULER + WAS * (self.has_was and has_values)
        self.pitch = self.height + self.ruler
        self.right = self.gutter + max(self.cell * min(self.per_row, max(self.slots, 1)), 8)
        self.outer_right = self.right + (BESIDE + self.was_beside if self.was_beside else 0)
        lens_height = large_storages.height(has_was=self.has_was)
        below = 0 if has_values else RULER + (0 if self.is_lens_beside else lens_height)
        self.bottom = self.rows * self.pitch + below
        self.lens = self.gutter, self.bottom - lens_height + 2
        if self.is_lens_beside:
            self.lens = self.right + LENS_AISLE, -RULER
        self.lens_bottom = 0 if has_values else self.lens[1] + lens_height

    @property
    def is_close(self) -> bool:
        """Whether its rows are so close that only frames within them leave room for the earlier values between them."""
        return self.has_was and self.rows > MOST_HIGH_ROWS

    def pieces(self, slots: SlotRuns) -> list[Piece]:
        """Returns runs of slots as pieces of rows, in px."""
        found = []
        for start, stop in slots:
            for row in range(start // self.per_row, (max(stop, start + 1) - 1) // self.per_row + 1):
                a, b = max(start, row * self.per_row), min(stop, (row + 1) * self.per_row)
                left = self.gutter + (a - row * self.per_row) * self.cell
                # A run narrower than a pixel is drawn one pixel wide.
                found.append((left, max(left + (b - a) * self.cell, left + 1), row * self.pitch))
        return found


def _joined(pieces: list[Piece]) -> list[Piece]:
    # Where a pixel has many slots, brackets closer than a pixel would only blur: draw them as one.
    joined: list[Piece] = []
    for left, right, top in pieces:
        if joined and joined[-1][2] == top and left - joined[-1][1] < 0.4:
            joined[-1] = (joined[-1][0], max(right, joined[-1][1]), top)
        else:
            joined.append((left, right, top))
    return joined


def storage_row(
    life: StorageLife,
    room: float,
    gutter: float = GUTTER,
    *,
    is_written: bool = False,
    folded: Sequence[int] = (),
    is_narrow: bool = False,
    is_lens_beside: bool = False,
) -> StorageRow:
    """Returns the strip of a storage in `room` px, with space for its longest value over all steps.

    Args:
        life: the storage over the steps.
        room: the space, in px.
        gutter: the part of it to the left of the slots.
        is_written: whether a step writes it, so that values before a write are shown.
        folded: the numbers of slots that a row may have, the least first, if the strip is folded into the shape of a tensor.
        is_narrow: whether it is no wider than its lens, so that two such storages have room side by side.
        is_lens_beside: whether the lens stands to its right.
    """
    slots = max(facts.slots for facts in life.every())
    available, exponent = room - gutter, life.has_exponents
    if not slots:
        return StorageRow(0, 1, width_of(words.NO_SLOTS, NORMAL) + 12, 26, gutter=gutter)
    if slots <= WITH_VALUES:
        cell = max(width_of("0" * life.characters, NORMAL) + 6, 28)
        rows = [each for each in folded if min(each, slots) * cell <= available]
        if rows:
            few = (each for each in rows if slots <= MOST_HIGH_ROWS * each)
            per_row = next(few, rows[-1])
            while slots > MOST_ROWS * per_row:
                per_row *= 2
        else:
            least = cell - SQUEEZED if slots > MOST_WITH_WAS * 4 else cell
            per_row = next((n for n in (16, 8, 4, 2) if min(n, slots) * least <= available), 1)
            cell = min(cell, available / min(per_row, slots))
        if rows or slots > per_row:
            strip = _folded(slots, per_row, cell, gutter, available, is_written=is_written)
        else:
            strip = StorageRow(slots, per_row, round(cell, 1), 26, gutter=gutter, has_was=is_written)
        return replace(strip, exponent=exponent)
    if is_narrow:
        available = min(available, large_storages.WIDTH)
    return StorageRow(
        slots,
        slots,
        available / slots,
        14,
        gutter=gutter,
        has_was=is_written,
        is_lens_beside=is_lens_beside,
        exponent=exponent,
    )


def _folded(slots: int, per_row: int, cell: float, gutter: float, available: float, *, is_written: bool) -> StorageRow:
    """A strip of several rows. If there are many, they are lower, and the values before a write stand beside them, if there is room; of very many, the
    first of these values.
    """
    few = slots <= MOST_HIGH_ROWS * per_row
    strip = StorageRow(
        slots, per_row, round(cell, 1), 24 if few else LOW, folded=True, gutter=gutter, has_was=is_written and few
    )
    if few or not is_written:
        return strip
    room = available - (strip.right - gutter) - BESIDE
    wanted = EARLIER_WIDTH + per_row * cell
    if wanted <= room or (strip.rows > MOST_WITH_WAS and room >= LEAST_BESIDE):
        return replace(strip, was_beside=min(wanted, room))
    return replace(strip, has_was=True, height=LOW_WITH_WAS)


def cell_texts(facts: StorageFacts, *, exponent: bool) -> list[str]:
    """Returns the text of each slot; "·" where the value was not recorded."""
    if isinstance(facts.values, tuple):
        return [number(value, exponent=exponent) for value in facts.values]
    texts = [UNKNOWN] * facts.slots
    if isinstance(facts.values, Summary) and facts.slots <= WITH_VALUES:
        for k, value in enumerate(facts.values.head):
            texts[k] = number(value, exponent=exponent)
        for k, value in enumerate(facts.values.tail):
            texts[facts.slots - len(facts.values.tail) + k] = number(value, exponent=exponent)
    return texts


def row_marks(
    strip: StorageRow,
    top: float,
    storage: int,
    life: Life[StorageFacts],
    done: Mapping[int, Touched],
    earlier: tuple[Mapping[int, StorageFacts], Overwritten | None],
) -> list[Mark]:
    """Draws the slots of a storage over its life.

    Args:
        strip: the places of the slots.
        top: the y of its first row.
        storage: the storage's number.
        life: its facts over the steps.
        done: for each step that wrote or read it, which slots.
        earlier: what it held before writes of steps that have made it, and what a refused step found overwritten.
    """
    former, lost = earlier
    if not strip.slots:
        return _nothing(strip, top, storage, life)
    marks = (_slots if strip.slots <= WITH_VALUES else _cells)(strip, top, storage, life)
    marks += _effects(strip, top, storage, done, life.last)
    if lost is not None:
        pieces = _pieces(strip, lost.slots, apart=True)
        drawn = _bold(strip, top, pieces)
        look = Look("lost", None, (("d", drawn),)) if drawn else None
        marks += [Mark("path", (), between(lost.step, lost.step, look), (f"s{storage}",))] if look else []
    if strip.slots <= WITH_VALUES and (strip.has_was or strip.was_beside):
        shown = _earlier(strip, life, done, former, lost)
        marks += (_was if strip.has_was else _was_beside)(strip, top, life.last, shown)
    return marks + _values(strip, top, storage, life, done)


def _nothing(strip: StorageRow, top: float, storage: int, life: Life[StorageFacts]) -> list[Mark]:
    """The mark of a storage without slots, which the pointers of its tensors lead to."""
    keys = (f"s{storage}",)
    box, content = (
        between(life.first, life.last, look) for look in (Look("slot none"), Look("text value soft", words.NO_SLOTS))
    )
    return [
        rect(strip.gutter, top, strip.cell, strip.height, box, keys=keys),
        text(round(strip.gutter + strip.cell / 2, 1), top + strip.height / 2 + 4.5, content, keys=keys),
    ]


def _slots(strip: StorageRow, top: float, storage: int, life: Life[StorageFacts]) -> list[Mark]:
    marks = []
    filled = ((step, Look("slot unknown" if facts.values is None else "slot")) for step, facts in life.moments)
    looks = lasting(filled, life.last)
    for slot in range(strip.slots):
        (left, right, y) = strip.pieces(((slot, slot + 1),))[0]
        keys = (f"s{storage}:{slot}", f"s{storage}")
        marks.append(rect(left, top + y, right - left, strip.height, looks, keys=keys))
    unfilled = [(step, Look("hatch") if facts.values is None else None) for step, facts in life.moments]
    if any(look for _, look in unfilled):
        strokes = "".join(
            hatch(left, top + y, right - left, strip.height) for left, right, y in strip.pieces(((0, strip.slots),))
        )
        marks.append(path(strokes, lasting(unfilled, life.last)))
    return marks


def hatch(x: float, y: float, width: float, height: float) -> str:
    """Returns slanting strokes over a box whose values are not known."""
    strokes = []
    at = 6.0 - height
    while at < width:
        # From the bottom edge upwards to the right, cut off at the sides of the box.
        start, end = max(at, 0.0), min(at + height, width)
        a, b = coordinate(x + start), coordinate(y + height - (start - at))
        strokes.append(f"M{a} {b}L{coordinate(x + end)} {coordinate(y + height - (end - at))}")
        at += 6.0
    return "".join(strokes)


def _values(
    strip: StorageRow, top: float, storage: int, life: Life[StorageFacts], done: Mapping[int, Touched]
) -> list[Mark]:
    """The values of the slots, with their indices; of a large storage a note, and those in the lens."""
    if strip.slots > WITH_VALUES:
        notes = lasting(((step, Look("text tiny", _note(strip, facts))) for step, facts in life.moments), life.last)
        left, lens_top = strip.lens
        lens = large_storages.lens_marks(
            left, top + lens_top, storage, life, done, has_was=strip.has_was, exponent=strip.exponent
        )
        return [text(strip.gutter, top + strip.rows * strip.pitch + RULER - 2, notes), *lens]
    marks = []
    content = [(step, cell_texts(facts, exponent=strip.exponent)) for step, facts in life.moments]
    for slot in range(strip.slots):
        ((left, right, y),) = strip.pieces(((slot, slot + 1),))
        shown = ((step, texts[slot] if slot < len(texts) else "") for step, texts in content)
        middle, looks = round((left + right) / 2, 1), text_runs("text value", shown, life.last)
        marks.append(text(middle, top + y + strip.height / 2 + 4.5, looks, keys=(f"s{storage}:{slot}",)))
        if not strip.folded:
            index = between(life.first, life.last, Look("text tiny middle", str(slot)))
            marks.append(text(middle, top + y + strip.height + 10.5, index))
    for row in range(strip.rows if strip.rows > 1 else 0):  # the index of its first slot stands beside it
        label = between(life.first, life.last, Look("text tiny end", str(row * strip.per_row)))
        marks.append(text(strip.gutter - 4, top + row * strip.pitch + min(strip.height - 4, 16), label))
    return marks


def _cells(strip: StorageRow, top: float, storage: int, life: Life[StorageFacts]) -> list[Mark]:
    frame = between(life.first, life.last, Look("slot"))
    marks = [
        rect(left, top + y, right - left, strip.height, frame, keys=(f"s{storage}",))
        for left, right, y in strip.pieces(((0, strip.slots),))
    ]
    if strip.cell >= 4:
        lines = "".join(
            f"M{coordinate(left + k * strip.cell)} {coordinate(top + y)}v{coordinate(strip.height)}"
            for left, right, y in strip.pieces(((0, strip.slots),))
            for k in range(1, round((right - left) / strip.cell))
        )
        marks.append(path(lines, between(life.first, life.last, Look("cells"))))
    return marks


EFFECTS: tuple[tuple[Literal["changed", "same", "around", "read"], str], ...] = (
    ("changed", "written"), ("same", "unchanged"), ("around", "around"), ("read", "read"),
)  # fmt: skip
"""What a step may have done to slots (see `recording.touched`), with the style of their boxes."""
HOLLOW = 3.0
"""The distance of the two lines of a hollow border, in px."""


def legend() -> Iterable[tuple[str, str, Text]]:
    """Yields for each mark of slots its style, its path in a box of 32 by 20 px, and what it means."""
    for effect, style in EFFECTS:
        yield style, boxes([(4, 3)], 24, 14, inset=HOLLOW * (effect == "same")), words.MARKS[effect]
    yield "lost", boxes([(4, 3)], 24, 14), words.MARKS["lost"]
    yield "copy", "M6 17V8H26V16M22.5 11.5L26 16.5L29.5 11.5", words.MARKS["copy"]


def _effects(strip: StorageRow, top: float, storage: int, done: Mapping[int, Touched], last: int) -> list[Mark]:
    """The boxes of the slots that steps wrote and read: one mark for each effect that occurs."""
    marks = []
    for effect, style in EFFECTS:
        if not any(getattr(each, effect) for each in done.values()):
            continue
        shown = "inked" if effect == "changed" and strip.slots > WITH_VALUES else style
        # The inner line of a hollow border in a low row is clear of the value.
        inset = min(HOLLOW, (strip.height - 11) / 2) if effect == "same" and strip.slots <= WITH_VALUES else 0.0
        looks: dict[SlotRuns, Look | None] = {(): None}  # a loop writes the same slots again and again
        moments = []
        for step, each in done.items():
            slots: SlotRuns = getattr(each, effect)
            if slots not in looks:
                pieces = _pieces(strip, slots, apart=effect in ("changed", "same"))
                drawn = _bold(strip, top, pieces) if effect == "changed" else _boxes(strip, top, pieces, inset)
                looks[slots] = Look(shown, None, (("d", drawn),)) if drawn else None
            moments.append((step, looks[slots], None))
        marks.append(Mark("path", (), flashes(moments, last), (f"s{storage}",)))
    return marks


def _boxes(strip: StorageRow, top: float, pieces: Iterable[Piece], inset: float = 0.0) -> str:
    return "".join(boxes([(left, top + y)], right - left, strip.height, inset=inset) for left, right, y in pieces)


def _bold(strip: StorageRow, top: float, pieces: Iterable[Piece]) -> str:
    """Boxes with a thick border, which in close rows is within the row."""
    within = 1.0 if strip.is_close else 0.0
    return "".join(
        boxes([(left, top + y + within)], right - left, strip.height - 2 * within) for left, right, y in pieces
    )


def _pieces(strip: StorageRow, slots: SlotRuns, *, apart: bool) -> Iterable[Piece]:
    """The places of slots, each for itself or as runs."""
    if strip.slots > WITH_VALUES:
        return _joined(strip.pieces(slots))
    if not apart:
        return strip.pieces(slots)
    return (
        piece for start, stop in slots for slot in range(start, stop) for piece in strip.pieces(((slot, slot + 1),))
    )


class _Earlier(NamedTuple):
    """What is said at a step of the values that slots had earlier: before its write, or when a value was kept that it finds overwritten."""

    word: Text
    texts: Sequence[str]
    slots: frozenset[int]


def _earlier(
    strip: StorageRow,
    life: Life[StorageFacts],
    done: Mapping[int, Touched],
    former: Mapping[int, StorageFacts],
    lost: Overwritten | None,
) -> dict[int, _Earlier]:
    """The earlier values at each step that shows some; a question mark for what was not recorded."""
    starts = [step for step, _ in life.moments]
    shown: dict[int, tuple[Text, StorageFacts | None, SlotRuns]] = {}
    for step, each in done.items():
        if each.changed or each.same:
            since = bisect_left(starts, step)
            shown[step] = words.VALUE_BEFORE, life.moments[since - 1][1] if since else former.get(step), each.written
    if lost is not None:
        shown[lost.step] = words.VALUE_KEPT, lost.kept, lost.slots
    found = {}
    for step, (word, facts, runs) in shown.items():
        now = life.at(step)
        known, after = (each.values if each is not None else None for each in (facts, now))
        if isinstance(known, tuple) and isinstance(after, tuple) and len(known) == len(after):
            # Where rounding hides the change, the earlier value has more digits.
            texts = [apart(old, new, exponent=strip.exponent) for old, new in zip(known, after, strict=True)]
            found[step] = _Earlier(word, texts, _slots_of(runs))
            continue
        texts = cell_texts(facts, exponent=strip.exponent) if facts is not None and facts.values is not None else []
        texts = [known.replace(UNKNOWN, "?") for known in texts] or ["?"] * strip.slots
        found[step] = _Earlier(word, texts, _slots_of(runs))
    return found


def _slots_of(runs: SlotRuns) -> frozenset[int]:
    return frozenset(slot for start, stop in runs for slot in range(start, stop))


def _was(strip: StorageRow, top: float, last: int, earlier: Mapping[int, _Earlier]) -> Iterator[Mark]:
    """Under each slot the value that it had earlier, and beside the row what these values are."""
    # In the middle between two rows of cells, or below the indices.
    y = strip.height + ((strip.ruler + DIGIT) / 2 if strip.folded else strip.ruler - 2.5)
    for row in range(strip.rows):
        here = range(row * strip.per_row, min((row + 1) * strip.per_row, strip.slots))
        steps = {step for step, each in earlier.items() if not each.slots.isdisjoint(here)}
        if not steps:
            continue
        beside = (
            (step, Look("text tiny end was", each.word) if step in steps else None, None)
            for step, each in earlier.items()
        )
        yield text(strip.gutter - 4, top + row * strip.pitch + y, flashes(beside, last))
        for slot in here:
            if not any(slot in earlier[step].slots for step in steps):
                continue
            (left, right, above) = strip.pieces(((slot, slot + 1),))[0]
            looks = (
                (step, Look("text tiny middle was", each.texts[slot]) if slot in each.slots else None, None)
                for step, each in earlier.items()
            )
            yield text(round((left + right) / 2, 1), top + above + y, flashes(looks, last))


def _was_beside(strip: StorageRow, top: float, last: int, earlier: Mapping[int, _Earlier]) -> Iterator[Mark]:
    """To the right of each row the values that its slots had earlier."""
    for row in range(strip.rows):
        here = range(row * strip.per_row, min((row + 1) * strip.per_row, strip.slots))
        looks = []
        for step, each in earlier.items():
            had = " ".join(each.texts[slot] for slot in here if slot in each.slots)
            said = each.word + Text(f" {had}", f" {had}")
            cut = Text(shortened(said.en, strip.was_beside), shortened(said.zh, strip.was_beside))
            looks.append((step, Look("text tiny was", cut) if had else None, None))
        if any(look for _, look, _ in looks):
            y = top + row * strip.pitch + strip.height / 2 + 4
            yield text(round(strip.right + BESIDE, 1), y, flashes(looks, last))


def _note(strip: StorageRow, facts: StorageFacts) -> Text:
    if strip.right <= strip.gutter + large_storages.WIDTH:  # its tensors are heat maps, with a legend
        return words.SLOTS.format(slots=f"{facts.slots:,}")
    per_pixel = f"{round(1 / strip.cell):,}"
    note = words.SLOTS if strip.cell >= 1 else words.OVERVIEW
    said = note.format(slots=f"{facts.slots:,}", per_pixel=per_pixel) + Text("; ", "；") + extremes(facts)
    if width_of(said, SMALL) <= strip.right - strip.gutter:
        return said
    return words.SLOTS.format(slots=f"{facts.slots:,}") + Text("; ", "；") + extremes(facts)
