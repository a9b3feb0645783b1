"""Draws storages with more elements than are drawn one by one: the lens under their overview, and their tensors as heat maps.

The lens is a window of slots with their values, at the start of the last write; a value that was not recorded is a dot. A heat map has a line around
the elements that a step wrote. Its colors run from dark blue to yellow (after cividis: Nuñez, Anderton and Renslow, 2018, PLOS ONE 13, e0199239),
evenly to the eye, in gray, and for readers who do not tell red from green. A map is a PNG of one pixel for each element, so it is small in a notebook.
"""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby, pairwise, product
from math import inf, isfinite, prod
from typing import cast

from inplacelab.language import Text
from inplacelab.recording.facts import Number, StorageFacts, Summary, TensorFacts, Values
from inplacelab.recording.numerals import number
from inplacelab.recording.slots import Runs as SlotRuns
from inplacelab.recording.slots import Touched, common_runs, element_values, slots_under
from inplacelab_widgets import words
from inplacelab_widgets.scene.svg import Look, Mark, between, flashes, lasting, rect, text
from inplacelab_widgets.scene.text_layout import boxes, coordinate
from inplacelab_widgets.scene.timeline import Life
from inplacelab_widgets.scene.value_grid import Index, position

PER_ROW = 3
ROWS = 2
SIZE = PER_ROW * ROWS
"""The number of slots in the lens."""
CELL, CELL_HEIGHT, PITCH = 76.0, 17.0, 19.0
LONGEST_WHOLE = 8
"""The most digits of a whole number in a cell of the lens."""
TITLE = 14.0
WAS = 12.0
"""The space under each row for the values before a write."""
WIDTH = PER_ROW * CELL
UNKNOWN = "·"


@dataclass(frozen=True, slots=True)
class View:
    """The content of the lens from `step` on: the slots from `first`."""

    step: int
    first: int
    texts: tuple[str, ...]
    done: Touched
    """What the step did to the slots of the window."""
    before: tuple[str, ...]
    """The text of each slot before the step."""


def height(*, has_was: bool) -> float:
    """Returns the height of the lens, with space for the values before a write if there is one."""
    return TITLE + ROWS * (PITCH + WAS * has_was) + 6


def views(life: Life[StorageFacts], done: Mapping[int, Touched], *, exponent: bool = False) -> Iterator[View]:
    """Yields the views of the lens over the life of a storage: it moves at each write."""
    first, earlier = 0, None
    for step, facts in life.moments:
        now = done.get(step, Touched())
        slots = now.written or now.around
        if slots:
            first = magnified_from(slots[0][0], facts.slots)
        texts, before = (_texts(each, first, exponent=exponent) for each in (facts, earlier or facts))
        yield View(step, first, texts, Touched(*(common_runs(each, ((first, first + SIZE),)) for each in now)), before)
        earlier = facts


def _texts(facts: StorageFacts, first: int, *, exponent: bool) -> tuple[str, ...]:
    slots = range(first, first + SIZE)
    return tuple(value_text(facts, slot, exponent=exponent) if slot < facts.slots else "" for slot in slots)


def magnified_from(slot: int, slots: int) -> int:
    """Returns the first slot of the window that shows `slot`. Rows begin at multiples of their length; the last is full.

    >>> magnified_from(0, 100), magnified_from(17, 100), magnified_from(99, 100)
    (0, 15, 96)
    """
    last = max(0, -(-slots // PER_ROW) * PER_ROW - SIZE)
    return min(slot // PER_ROW * PER_ROW, last)


def value_text(facts: StorageFacts, slot: int, *, exponent: bool = False) -> str:
    """Returns the value of a slot, or a dot if it was not recorded."""
    values = facts.values
    if isinstance(values, tuple):
        return number(values[slot], LONGEST_WHOLE, exponent=exponent)
    if isinstance(values, Summary):
        pieces = (*values.runs, (0, values.head), (facts.slots - len(values.tail), values.tail))
        for start, piece in pieces:
            if start <= slot < start + len(piece):
                return number(piece[slot - start], LONGEST_WHOLE, exponent=exponent)
    return UNKNOWN


def lens_marks(
    left: float,
    top: float,
    storage: int,
    life: Life[StorageFacts],
    done: Mapping[int, Touched],
    *,
    has_was: bool,
    exponent: bool,
) -> list[Mark]:
    """Draws the lens with its top left corner at (left, top)."""
    pitch = PITCH + WAS * has_was
    found, keys = tuple(views(life, done, exponent=exponent)), (f"s{storage}",)
    frame = between(life.first, life.last, Look("slot lens"))
    places = [(left + k % PER_ROW * CELL, top + TITLE + k // PER_ROW * pitch) for k in range(SIZE)]
    marks = [rect(x, y, CELL, CELL_HEIGHT, frame, keys=keys) for x, y in places]
    for part, style in (("changed", "written lens"), ("same", "unchanged lens")):
        if any(getattr(view.done, part) for view in found):
            moments = [(view.step, _look(style, getattr(view.done, part), view, places), None) for view in found]
            marks.append(Mark("path", (), flashes(moments, life.last), keys))
    for k, (x, y) in enumerate(places):
        looks = ((view.step, Look("text value lens", view.texts[k])) for view in found)
        marks.append(text(round(x + CELL / 2, 1), y + 12.5, lasting(looks, life.last), keys=keys))
    for row in range(ROWS):
        label = ((view.step, Look("text tiny end lens", str(view.first + row * PER_ROW))) for view in found)
        marks.append(text(left - 4, top + TITLE + row * pitch + 12.5, lasting(label, life.last)))
    if has_was:
        marks += _was(left, found, places, life.last)
    titles = ((view.step, Look("text tiny lens", _title(view, life))) for view in found)
    return [*marks, text(left, top + 9, lasting(titles, life.last))]


def _was(left: float, found: tuple[View, ...], places: list[tuple[float, float]], last: int) -> Iterator[Mark]:
    """Under each slot of the window that a step wrote the value that it had, and beside the row the word "was"."""
    written = {
        view.step: {slot - view.first for start, stop in view.done.written for slot in range(start, stop)}
        for view in found
    }
    for k, (x, y) in enumerate(places):
        looks = [
            (view.step, Look("text tiny middle lens was", view.before[k]) if k in written[view.step] else None, None)
            for view in found
        ]
        yield text(round(x + CELL / 2, 1), y + CELL_HEIGHT + 11, flashes(looks, last))
    for row in range(ROWS):
        here = {*range(row * PER_ROW, (row + 1) * PER_ROW)}
        beside = Look("text tiny end lens was", words.VALUE_BEFORE)
        looks = [(view.step, beside if here & written[view.step] else None, None) for view in found]
        yield text(left - 4, places[row * PER_ROW][1] + CELL_HEIGHT + 11, flashes(looks, last))


def _title(view: View, life: Life[StorageFacts]) -> Text:
    slots = max(facts.slots for facts in life.every())
    title = words.LENS.format(first=view.first, last=min(view.first + SIZE, slots) - 1)
    return title + words.LENS_GAPS if UNKNOWN in view.texts else title


def _look(style: str, slots: SlotRuns, view: View, places: list[tuple[float, float]]) -> Look | None:
    """Boxes around some slots of the window; those of slots that were written with the same value have a hollow border."""
    corners = [places[slot - view.first] for start, stop in slots for slot in range(start, stop)]
    inset = 3.0 if style.startswith("unchanged") else 0.0
    return Look(style, None, (("d", boxes(corners, CELL, CELL_HEIGHT, inset=inset)),)) if corners else None


# --- heat maps --------------------------------------------------------------------------------------------------------

MOST = 4096
"""The most elements of a heat map."""
HIGHEST, WIDEST = 112.0, 220.0
"""The greatest height and width of a slice, in px."""
SCALES = (1.4, 1.0, 0.75)
"""How much larger slices may be: as large as all tensors of a storage fit side by side."""
SMALLEST = 44.0
"""The least height or width of a slice, in px: elements of a small one are drawn larger than those of others on its storage."""
LARGEST = 10.0
"""The greatest size of an element, in px."""
AIR = 8.0
LEVELS = 64
_ANCHORS = ("00224e", "123570", "3b496c", "575d6d", "707173", "8a8678", "a59c74", "c3b369", "e1cc55", "fee838")
_STRANGE, _UNKNOWN = LEVELS, LEVELS + 1
"""The places in the palette of infinities and NaN, and of values that were not recorded."""


@dataclass
class HeatMap:
    """A tensor as a heat map over the steps `first` to `last`, in which its layout does not change.

    Attributes:
        facts: the tensor.
        first: the first step.
        last: the last step.
        moments: the facts of its storage at each change.
        scale: the values that get the first and the last color.
        large: how much larger than usual slices may be.
        pixel_of_all: the size of an element of all tensors on its storage, in px, so that a part is drawn as large as in the whole.
        shape: the number of slices, rows and columns.
        pixel: the size of an element, in px.
        largest_pixel: the greatest size of an element, in px.
        drawn: the number of slices that are drawn.
    """

    facts: TensorFacts
    first: int
    last: int
    moments: tuple[tuple[int, StorageFacts], ...]
    scale: tuple[float, float]
    large: float = 1.0
    pixel_of_all: float = LARGEST

    def __post_init__(self) -> None:
        *leading, rows, columns = (1, 1, *self.facts.shape)[-max(len(self.facts.shape), 2) :]
        slices, self.left = prod(leading), 0.0
        self.shape = slices, rows, columns
        self.largest_pixel = min(self.large * HIGHEST / rows, self.large * WIDEST / columns / min(slices, 2), LARGEST)
        self.pixel = self.cell = min(self.largest_pixel, max(self.pixel_of_all, SMALLEST / max(rows, columns)))
        wide = columns * self.pixel + AIR
        self.drawn = max(1, min(slices, int((2 * self.large * WIDEST + AIR) // wide)))
        self.width, self.height = round(self.drawn * wide - AIR, 1), round(rows * self.pixel, 1)

    def cells(self) -> Iterator[tuple[Index, float, float]]:
        """Yields (index, left, top) of each drawn element, as a grid does."""
        leading = [*product(*map(range, self.facts.shape[:-2]))][: self.drawn]
        rows = self.facts.shape[-2:-1]
        for slice_, head in enumerate(leading):
            for row, column in product(range(self.shape[1]), range(self.shape[2])):
                index = (*head, row, column) if rows else (column,)
                yield index, slice_ * (self.shape[2] * self.pixel + AIR) + column * self.pixel, row * self.pixel

    def marks(self, x: float, y: float, done: Mapping[int, Touched], keys: tuple[str, ...]) -> Iterator[Mark]:
        """Draws the map with its top left corner at (x, y)."""
        wide = round(self.shape[2] * self.pixel, 1)
        seen = {step: each.written for step, each in done.items() if self.first <= step <= self.last}
        for slice_ in range(self.drawn):
            left = round(x + slice_ * (wide + AIR), 1)
            place = (("x", left), ("y", y), ("width", wide), ("height", self.height), ("preserveAspectRatio", "none"))
            positions = self._positions(slice_)
            pictures = []
            for step, facts in self.moments:
                values = element_values(facts, self.facts.dtype, positions)
                pixels = png(bytes(level(value, self.scale) for value in values), self.shape[2])
                pictures.append((step, Look("pixels", None, (("href", pixels),))))
            yield Mark("image", place, lasting(pictures, self.last), keys)
            rims = {step: self._rim(slots, positions, left, y) for step, slots in seen.items()}
            for style in ("rim-ground", "rim") if any(rims.values()) else ():
                looks = ((step, Look(style, None, (("d", rim),)) if rim else None, None) for step, rim in rims.items())
                yield Mark("path", (), flashes(looks, self.last))
            wholly = [step for step, slots in seen.items() if all(self._written(slots, positions))]
            edges = [(self.first, Look("frame"), Look("frame"))]
            edges += [(step, Look("unchanged"), Look("frame")) for step in wholly]
            yield rect(left, y, wide, self.height, flashes(edges, self.last), keys=keys)

    def rims(self, slots: SlotRuns, x: float, y: float) -> Iterator[str]:
        """Yields the paths around the elements in these slots, slice by slice."""
        for slice_ in range(self.drawn):
            left = round(x + slice_ * (round(self.shape[2] * self.pixel, 1) + AIR), 1)
            yield self._rim(slots, self._positions(slice_), left, y)

    def _positions(self, slice_: int) -> list[int]:
        """The position of each element of a slice, row by row."""
        leading = [*product(*map(range, self.facts.shape[:-2]))][slice_] if len(self.facts.shape) > 2 else ()
        ends = product(*map(range, self.facts.shape[-2:]))
        return [position(self.facts, (*leading, *end)) for end in ends]

    def _rim(self, slots: SlotRuns, positions: Sequence[int], x: float, y: float) -> str:
        """The path around the elements in these slots: empty if they are all of them, or none."""
        written = self._written(slots, positions)
        if not any(written) or all(written):
            return ""
        columns, pixel = self.shape[2], self.pixel
        rows = [written[at : at + columns] for at in range(0, len(written), columns)]
        across, down = _edges(rows), _edges([*zip(*rows, strict=True)])
        lines = [
            f"M{coordinate(x + a * pixel)} {coordinate(y + at * pixel)}h{coordinate((b - a) * pixel)}"
            for at, a, b in across
        ]
        lines += [
            f"M{coordinate(x + at * pixel)} {coordinate(y + a * pixel)}v{coordinate((b - a) * pixel)}"
            for at, a, b in down
        ]
        return "".join(lines)

    def _written(self, slots: SlotRuns, positions: Sequence[int]) -> list[bool]:
        reached = bytearray(max((stop for _, stop in slots), default=0))
        for start, stop in slots:
            reached[start:stop] = b"\1" * (stop - start)
        storage = self.moments[0][1]
        spans = (slots_under(storage, self.facts.dtype, at, at + 1) for at in positions)
        return [any(reached[start:stop]) for start, stop in spans]


def _edges(rows: Sequence[Sequence[bool]]) -> Iterator[tuple[int, int, int]]:
    """Yields the edges along rows between what is written and what is not: (row that the edge is above, first column, one past the last)."""
    none = [False] * len(rows[0])
    for at, (above, below) in enumerate(pairwise([none, *rows, none])):
        column = 0
        for differs, run in groupby(one != other for one, other in zip(above, below, strict=True)):
            length = len([*run])
            if differs:
                yield at, column, column + length
            column += length


def extent(moments: Iterable[StorageFacts]) -> tuple[float, float] | None:
    """Returns the smallest and the largest recorded value of a storage over the steps; None if no values were recorded."""
    low, high, known = inf, -inf, False
    for facts in moments:
        if isinstance(facts.values, tuple):
            known = True
            finite = _finite(facts.values)
            low, high = min(low, min(finite, default=low)), max(high, max(finite, default=high))
    return None if not known else (float(low), float(high)) if low <= high else (0.0, 0.0)


def _finite(values: Values) -> Sequence[float]:
    """Those of the values that have a place on a scale."""
    total = sum(values)
    if not isinstance(total, complex) and isfinite(total):  # so is each of them
        return cast(Sequence[float], values)
    return [value for value in values if not isinstance(value, complex) and isfinite(value)]


def level(value: Number | None, scale: tuple[float, float]) -> int:
    """Returns the place of a value in the palette.

    >>> level(0.0, (0.0, 10.0)), level(10.0, (0.0, 10.0)), level(None, (0.0, 1.0)) == level(float("nan"), (0.0, 1.0))
    (0, 63, False)
    """
    if value is None:
        return _UNKNOWN
    if isinstance(value, complex) or not isfinite(value):
        return _STRANGE
    low, high = scale
    return LEVELS // 2 if high <= low else round((value / 2 - low / 2) / (high / 2 - low / 2) * (LEVELS - 1))


def legend_mark(x: float, y: float, width: float, first: int, last: int) -> Mark:
    """Draws all colors from the smallest to the largest value."""
    place = (("x", x), ("y", y), ("width", width), ("height", 8.0), ("preserveAspectRatio", "none"))
    scale = Look("pixels", None, (("href", png(bytes(range(LEVELS)), LEVELS)),))
    return Mark("image", place, between(first, last, scale))


@cache
def png(levels: bytes, columns: int) -> str:
    """Returns rows of places in the palette as the address of a PNG picture."""
    rows = b"".join(b"\0" + levels[at : at + columns] for at in range(0, len(levels), columns))
    size = struct.pack(">IIBBBBB", columns, len(levels) // columns, 8, 3, 0, 0, 0)
    content = (
        (b"IHDR", size),
        (b"PLTE", _palette()),
        (b"tRNS", b"\xff" * (LEVELS + 1) + b"\0"),
        (b"IDAT", zlib.compress(rows, 9)),
        (b"IEND", b""),
    )
    chunks = b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in content
    )
    return "data:image/png;base64," + b64encode(b"\x89PNG\r\n\x1a\n" + chunks).decode()


@cache
def _palette() -> bytes:
    anchors = [bytes.fromhex(each) for each in _ANCHORS]
    found = bytearray()
    for step in range(LEVELS):
        at = step * (len(anchors) - 1) / (LEVELS - 1)
        below = min(int(at), len(anchors) - 2)
        found += bytes(
            round(a + (b - a) * (at - below)) for a, b in zip(anchors[below], anchors[below + 1], strict=True)
        )
    return bytes(found) + bytes.fromhex("d6006c") + bytes(3)
