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
    return TITLE + ROWS * _pitch(has_was=has_was) + 6


def _pitch(*, has_was: bool) -> float:
    return PITCH + WAS * has_was


def views(life: Life[StorageFacts], done: Mapping[int, Touched]) -> Iterator[View]:
    """Yields the views of the lens over the life of a storage: it moves at each write."""
    first, earlier = 0, None
    for step, facts in life.moments:
        now = done.get(step, Touched())
        slots = now.written or now.around
        if slots:
            first = magnified_from(slots[0][0], facts.slots)
        texts, before = _texts(facts, first), _texts(earlier or facts, first)
        yield View(step, first, texts, Touched(*(common_runs(each, ((first, first + SIZE),)) for each in now)), before)
        earlier = facts


def _texts(facts: StorageFacts, first: int) -> tuple[str, ...]:
    return tuple(value_text(facts, slot) if slot < facts.slots else "" for slot in range(first, first + SIZE))


def magnified_from(slot: int, slots: int) -> int:
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
    left: float, top: float, storage: int, life: Life[StorageFacts], done: Mapping[int, Touched], *, has_was: bool
) -> list[Mark]:
    """Draws the lens with its top left corner at (left, top)."""
    pitch = _pitch(has_was=has_was)
    found, keys = tuple(views(life, done)), (f"s{storage}",)
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
        yield text(round(x + CELL / 2, 1), y + CELL_HEIGHT + 10.5, flashes(looks, last))
    for row in range(ROWS):
        here = {*range(row * PER_ROW, (row + 1) * PER_ROW)}
        beside = Look("text tiny end lens was", words.VALUE_BEFORE)
        looks = [(view.step, beside if here & written[view.step] else None, None) for view in found]
        yield text(left - 4, places[row * PER_ROW][1] + CELL_HEIGHT + 10.5, flashes(looks, last))


def _title(view: View, life: Life[StorageFacts]) -> Text:
    slots = max(facts.slots for facts in life.every())
    title = words.LENS.format(first=view.first, last=min(view.first + SIZE, slots) - 1)
    return title + words.LENS_GAPS if UNKNOWN in view.texts else title


def _look(style: str, slots: SlotRuns, view: View, places: list[tuple[float, float]]) -> Look | None:
    """Boxes around some slots of the window; those of slots that were written with the same value have a hollow border."""
    corners = [places[slot - view.first] for start, stop in slots for slot in range(start, stop)]
    inset = 3.0 if style.startswith("unchanged") else 0.0
    return Look(style, None, (("d", boxes(corners, CELL, CELL_HEIGHT, inset=inset)),)) if corners else None
