"""Draws the lens under the overview of a large storage: a window of slots with their values, at the start of the last write.

A value that was not recorded is a dot, and a note explains the dots.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from inplacelab.language import Text
from inplacelab.recording.facts import StorageFacts, Summary
from inplacelab.recording.slots import Runs as SlotRuns
from inplacelab.recording.slots import common_runs
from inplacelab.recording.touched import Touched
from inplacelab_widgets import words
from inplacelab_widgets.scene.marks import Look, Mark, between, flashes, lasting, rect, text
from inplacelab_widgets.scene.measure import boxes
from inplacelab_widgets.scene.numerals import number
from inplacelab_widgets.scene.timeline import Life

PER_ROW = 3
ROWS = 2
SIZE = PER_ROW * ROWS
"""The number of slots in the lens."""
CELL, CELL_HEIGHT, PITCH = 72.0, 17.0, 19.0
LONGEST_WHOLE = 8
"""The most digits of a whole number in a cell of the lens."""
TITLE = 14.0
HEIGHT = TITLE + ROWS * PITCH + 6
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


def views(life: Life[StorageFacts], done: Mapping[int, Touched]) -> Iterator[View]:
    """Yields the views of the lens over the life of a storage: it moves at each write."""
    first = 0
    for step, facts in life.moments:
        now = done.get(step, Touched())
        slots = now.written or now.around
        if slots:
            first = window(slots[0][0], facts.slots)
        texts = tuple(value_text(facts, slot) if slot < facts.slots else "" for slot in range(first, first + SIZE))
        yield View(step, first, texts, Touched(*(common_runs(each, ((first, first + SIZE),)) for each in now)))


def window(slot: int, slots: int) -> int:
    """Returns the first slot of the window that shows `slot`. Rows begin at multiples of their length; the last is full.

    >>> window(0, 100), window(17, 100), window(99, 100)
    (0, 15, 96)
    """
    last = max(0, -(-slots // PER_ROW) * PER_ROW - SIZE)
    return min(slot // PER_ROW * PER_ROW, last)


def value_text(facts: StorageFacts, slot: int) -> str:
    """Returns the value of a slot, or a dot if it was not recorded."""
    values = facts.values
    if isinstance(values, tuple):
        return number(values[slot], LONGEST_WHOLE)
    if isinstance(values, Summary):
        pieces = (*values.runs, (0, values.head), (facts.slots - len(values.tail), values.tail))
        for start, piece in pieces:
            if start <= slot < start + len(piece):
                return number(piece[slot - start], LONGEST_WHOLE)
    return UNKNOWN


def lens_marks(
    left: float, top: float, storage: int, life: Life[StorageFacts], done: Mapping[int, Touched]
) -> list[Mark]:
    """Draws the lens with its top left corner at (left, top)."""
    found, keys = tuple(views(life, done)), (f"s{storage}",)
    frame = between(life.first, life.last, Look("slot lens"))
    places = [(left + k % PER_ROW * CELL, top + TITLE + k // PER_ROW * PITCH) for k in range(SIZE)]
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
        marks.append(text(left - 4, top + TITLE + row * PITCH + 12.5, lasting(label, life.last)))
    titles = ((view.step, Look("text tiny lens", _title(view, life))) for view in found)
    return [*marks, text(left, top + 9, lasting(titles, life.last))]


def _title(view: View, life: Life[StorageFacts]) -> Text:
    slots = max(facts.slots for facts in life.every())
    title = words.LENS.format(first=view.first, last=min(view.first + SIZE, slots) - 1)
    return title + words.LENS_GAPS if UNKNOWN in view.texts else title


def _look(style: str, slots: SlotRuns, view: View, places: list[tuple[float, float]]) -> Look | None:
    """Boxes around some slots of the window; those of slots that were written with the same value have a hollow border."""
    corners = [places[slot - view.first] for start, stop in slots for slot in range(start, stop)]
    inset = 3.0 if style.startswith("unchanged") else 0.0
    return Look(style, None, (("d", boxes(corners, CELL, CELL_HEIGHT, inset=inset)),)) if corners else None
