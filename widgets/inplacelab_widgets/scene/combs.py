"""Draws the combs under a strip: a bracket under each run of slots that a tensor reaches, with the tensor's name.

If a tensor reads the bytes as another dtype, its comb marks the bounds of its elements; if several elements share one
slot, the comb shows how many.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from inplacelab.recording.facts import StorageFacts, TensorFacts
from inplacelab.recording.slots import slot_runs
from inplacelab.recording.values_read import bytes_of, slots_reached
from inplacelab_widgets.scene.cards import Card
from inplacelab_widgets.scene.marks import Attributes, Look, Mark, Runs, lasting, text
from inplacelab_widgets.scene.measure import abridged, coordinate, widest, width_of
from inplacelab_widgets.scene.palette import DASHES
from inplacelab_widgets.scene.strip import GUTTER, WITH_VALUES, Strip

TINY = 9.0
NAME_AIR = 5.0
"""The space between a name and the strip, in px."""
WIDEST_NAME = 62.0 - NAME_AIR
"""The width up to which a name is never cut, in px: ten Latin letters, six Chinese characters."""
WIDEST_NAME_ALONE = 92.0
"""The same beside a strip that takes no room from its cards: ten Chinese characters."""
BOUND = 5.0
"""Length of the mark between two elements of another dtype."""


def gutter_for(names: Iterable[str], widest_name: float = WIDEST_NAME) -> float:
    """Returns the width that the names of the combs need to the left of a strip; names wider than `widest_name` are cut."""
    return max(GUTTER, min(widest(names, TINY), widest_name) + NAME_AIR)


def comb_marks(card: Card, storage: StorageFacts, strip: Strip, top: float, place: int) -> list[Mark]:
    """Draws the comb of a tensor, number `place` under the strip whose first row begins at `top`."""
    moments, last = card.life.moments, card.life.last
    style = f"comb c{card.colour}-line dash{place % len(DASHES)}"
    if strip.cell < 4:
        # Slots narrower than a dash: thin solid teeth.
        style = f"comb hair c{card.colour}-line"
    bends = ((step, Look(style, None, _comb(face.facts, storage, strip, top, place))) for step, face in moments)
    marks = [Mark("path", (), lasting(bends, last), card.keys, card.links)]
    if any(face.facts.dtype != storage.dtype for face in card.life.every()):
        bounds = ((step, _bounds(face.facts, storage, strip, top, place, card.colour)) for step, face in moments)
        marks.append(Mark("path", (), lasting(bounds, last), card.keys))
    return marks + _names(card, storage, strip, top, place)


def _comb(facts: TensorFacts, storage: StorageFacts, strip: Strip, top: float, place: int) -> Attributes:
    return (("d", strip.comb(slots_reached(storage, facts), place, top)),)


def _bounds(
    facts: TensorFacts, storage: StorageFacts, strip: Strip, top: float, place: int, colour: int
) -> Look | None:
    """Marks between the elements of another dtype; none where slots are not drawn one by one."""
    if strip.slots > WITH_VALUES:
        return None
    wide, slot = bytes_of(facts.dtype, storage), bytes_of(storage.dtype, storage)
    y = top + strip.comb_top(place)
    bounds = []
    for position in (slot for start, stop in slot_runs(facts) for slot in range(start, stop)):
        start, stop = position * wide / slot, (position + 1) * wide / slot
        row = int(start // strip.per_row)
        for at in (start, stop):
            x = strip.gutter + (at - row * strip.per_row) * strip.cell
            bounds.append(f"M{coordinate(x)} {coordinate(y + row * strip.pitch)}v{coordinate(BOUND)}")
    return Look(f"comb hair c{colour}-line", None, (("d", "".join(dict.fromkeys(bounds))),))


def _names(card: Card, storage: StorageFacts, strip: Strip, top: float, place: int) -> list[Mark]:
    """The tensor's name to the left of its comb, or to the right if it fits only there."""
    left: list[tuple[int, Look | None]] = []
    right: list[tuple[int, Look | None]] = []
    end = _end(card, storage, strip)
    for step, face in card.life.moments:
        name, several, room = face.comb_name, _elements_in_a_slot(face.facts), strip.gutter - NAME_AIR
        outside = width_of(name, TINY) > room and width_of(f"{name} {several}", TINY) <= strip.right - end
        # Cut in the middle, so that names which differ in their last letters (h_1, h_2) stay distinct.
        left.append((step, None if outside else Look("text tiny end", abridged(name, room, TINY))))
        beside = " ".join(filter(None, (name if outside else "", several)))
        right.append((step, Look("text tiny", beside) if beside else None))
    y = top + (strip.rows - 1) * strip.pitch + strip.comb_top(place) + 6
    last = card.life.last
    placed: list[tuple[float, Runs]] = [(strip.gutter - 4, lasting(left, last)), (end, lasting(right, last))]
    return [text(round(x, 1), y, looks, keys=card.keys) for x, looks in placed if looks]


def _end(card: Card, storage: StorageFacts, strip: Strip) -> float:
    """The x to the right of all slots that the tensor ever reaches in the last row of the strip."""
    floor = (strip.rows - 1) * strip.pitch
    pieces = [piece for face in card.life.every() for piece in strip.pieces(slots_reached(storage, face.facts))]
    return max((right for _, right, row in pieces if row == floor), default=strip.gutter) + 4


def _elements_in_a_slot(facts: TensorFacts) -> str:
    if not prod(facts.shape):
        return ""
    several = prod(size for size, stride in zip(facts.shape, facts.strides, strict=True) if stride == 0)
    return f"×{several}" if several > 1 else ""
