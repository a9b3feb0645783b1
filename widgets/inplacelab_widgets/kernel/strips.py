"""Draws an operand: the threads of the warp above, the sectors that they access below."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from inplacelab.devices.kernels import geometry
from inplacelab.devices.kernels.geometry import WARP
from inplacelab.devices.kernels.traffic import SECTOR
from inplacelab.language import Text
from inplacelab_widgets.kernel.blocks import lane_hits, lane_marks, picked_lane
from inplacelab_widgets.kernel.drawing import (
    LANE,
    LEFT,
    PANEL,
    PANELS,
    ROOM,
    WIDTH,
    Drawn,
    Layers,
    box,
    coord,
    em,
    path,
    text,
)
from inplacelab_widgets.kernel.formulas import slot_of
from inplacelab_widgets.kernel.launches import Shown
from inplacelab_widgets.kernel.warp_accesses import Lane, Pick, Served
from inplacelab_widgets.kernel.words import PICKED
from inplacelab_widgets.scene.measure import size_in_bytes

LANES, STRIP, STRIP_HEIGHT, OVERVIEW, FOOT = 20, 88, 24, 127, 150
"""Below an operand's top: its threads, its sectors, all of its storage, what it costs."""
COLOURS = ("c0", "c1", "c3", "c4", "c2")
"""Of the operands, in order: those that differ most come first."""
PIXELS_FOR_A_SECTOR = 5.5
"""On the bar that compares what is wanted with what is moved."""


class Spread(NamedTuple):
    """The places of sectors: adjacent sectors touch, others have a gap.

    Attributes:
        lefts: the left edge of each sector, by its number, in px.
        slot: the width of a slot, in px.
        per: the number of slots in a sector.
    """

    lefts: dict[int, float]
    slot: float
    per: int


def spread(sectors: tuple[int, ...], size: int) -> Spread:
    """Places sectors. Slots are as wide as threads if possible, so that adjacent slots are below adjacent threads."""
    per = SECTOR // size
    apart = [later != sooner + 1 for sooner, later in pairwise(sectors)]
    gap = 4 if sum(apart) > 8 else 14
    wide = min(LANE * per, (ROOM - gap * sum(apart)) / max(1, len(sectors)))
    x = LEFT + (ROOM - wide * len(sectors) - gap * sum(apart)) / 2
    lefts = {}
    for sector, jumps in zip(sectors, [*apart, False], strict=False):
        lefts[sector] = x
        x += wide + (gap if jumps else 0)
    return Spread(lefts, wide / per, per)


def left_of(spreaded: Spread, slot: int) -> float:
    """Returns the left edge of a slot."""
    return spreaded.lefts[slot // spreaded.per] + slot % spreaded.per * spreaded.slot


def strip_of_warp(shown: Shown, pick: Pick, asked: Served) -> Layers:
    """Draws the parts of an operand that are the same for all threads of the warp."""
    top = top_of(asked)
    operand = shown.launch.operands[asked.operand]
    colour, places = _colour(asked), _places(shown, asked)
    name = f"{operand.name} · {shown.storages[asked.operand]}" if shown.storages[asked.operand] else operand.name
    ribbons = "".join(_ribbon(each, places, top) for each in asked.lanes)
    return {
        "name": [text(0, top + 11, "bold", name)],
        "ribbons": [path(ribbons, f"ribbon {colour}-fill {colour}-line")],
        "lanes": lane_marks(shown.launch, pick, top + LANES),
        "directions": _directions(asked, top),
        "sectors": _sectors(asked, places, colour, top),
        "overview": _overview(asked, operand.storage_bytes, colour, top),
        "cost": _cost(asked, colour, top),
    }


def strip_of_thread(shown: Shown, pick: Pick, asked: Served) -> Layers:
    """Draws the parts of an operand that belong to the picked thread, in front of the rest."""
    top, places = top_of(asked), _places(shown, asked)
    picked = [each for each in asked.lanes if each.lane == pick.thread % WARP]
    slots = _slot_boxes(places, picked, top + STRIP)
    return {
        "slot": [text(LEFT, top + 11, "", slot_of(shown, pick, asked.operand))],
        "ribbon": [path("".join(_ribbon(each, places, top) for each in picked), "ribbon-picked")],
        "lane": picked_lane(pick, top + LANES),
        "mine": [path(slots, "written")],
    }


def strip_hits(shown: Shown, pick: Pick, asked: Served) -> list[Drawn]:
    """Makes the click targets of the warp's threads: their cells and the slots that they access."""
    top, places = top_of(asked), _places(shown, asked)
    cells = lane_hits(shown.launch, pick, top + LANES)
    touched = {each.lane: _slot_boxes(places, [each], top + STRIP) for each in asked.lanes}
    return [path(cell + touched.get(lane, ""), "hit", f"pick:lane:{lane}") for lane, cell in enumerate(cells)]


def top_of(asked: Served) -> float:
    """Returns the top of an operand's part."""
    return PANELS + asked.operand * PANEL


def _colour(asked: Served) -> str:
    return COLOURS[asked.operand % len(COLOURS)]


def _places(shown: Shown, asked: Served) -> Spread:
    return spread(asked.sectors, geometry.itemsize(shown.launch.operands[asked.operand].dtype))


def _slot_boxes(places: Spread, lanes: Iterable[Lane], y: float) -> str:
    """Draws the slots that threads access, each once."""
    slots = sorted({slot for _, first, count in lanes for slot in range(first, first + count)})
    return "".join(box(left_of(places, slot), y, places.slot, STRIP_HEIGHT) for slot in slots)


def _ribbon(lane: Lane, places: Spread, top: float) -> str:
    """Draws a ribbon from a thread to the slots that it accesses."""
    above, below = top + LANES + 18, top + STRIP
    x, left = LEFT + lane.lane * LANE + 3, left_of(places, lane.slot)
    right = left_of(places, lane.slot + lane.slots - 1) + places.slot
    return f"M{coord(x)} {coord(above)}H{coord(x + LANE - 6)}L{coord(right)} {coord(below)}H{coord(left)}z"


def _directions(asked: Served, top: float) -> list[Drawn]:
    """Draws arrows for the direction of the values."""
    arrows = {"reads": "↑ ", "writes": "↓ ", "adds": "↓ "}
    labels = [Text(arrows[kind], arrows[kind]) + PICKED[kind] for kind in asked.kinds]
    return [text(LEFT - 6, top + 56 + 14 * k, "small end", each) for k, each in enumerate(labels)]


def _sectors(asked: Served, places: Spread, colour: str, top: float) -> list[Drawn]:
    y, wide = top + STRIP, places.slot * places.per
    cells = "".join(
        f"M{coord(left + k * places.slot)} {coord(y)}v{STRIP_HEIGHT}"
        for left in places.lefts.values()
        for k in range(1, places.per)
        if places.slot >= 4
    )
    marks = [
        path("".join(box(left, y, wide, STRIP_HEIGHT) for left in places.lefts.values()), "over"),
        path(_slot_boxes(places, asked.lanes, y), f"wanted {colour}-fill"),
        path(cells, "cells"),
        path("".join(box(left, y, wide, STRIP_HEIGHT) for left in places.lefts.values()), "sector"),
    ]
    return [*marks, *_numbers(places, y + STRIP_HEIGHT + 10)]


def _numbers(places: Spread, y: float) -> list[Drawn]:
    """Writes the first slot of each sector, where there is room."""
    marks, free = [], 0.0
    for sector, left in places.lefts.items():
        number = str(sector * places.per)
        if left >= free:
            marks.append(text(left, y, "tiny", number))
            free = left + em(number, 9) + 6
    return marks


def _overview(asked: Served, storage_bytes: int, colour: str, top: float) -> list[Drawn]:
    """Draws the whole storage, with the sectors at their true positions."""
    y, total = top + OVERVIEW, -(-storage_bytes // SECTOR)
    wide = ROOM / max(1, total)
    size = size_in_bytes(storage_bytes)
    here = "".join(box(LEFT + sector * wide, y, max(1.5, wide), 7) for sector in asked.sectors)
    return [
        text(LEFT - 6, y + 7, "tiny end", PICKED["whole"].format(size=size)),
        path(box(LEFT, y, ROOM, 7), "slot"),
        path(here, f"wanted {colour}-fill"),
    ]


def _cost(asked: Served, colour: str, top: float) -> list[Drawn]:
    """Draws the bytes moved, and how many of them were requested, in words and as a bar."""
    y, cost = top + FOOT, cost_of(asked)
    if not asked.sectors:
        return [text(LEFT, y, "soft", cost)]
    scale = PIXELS_FOR_A_SECTOR / SECTOR
    left = WIDTH - 70 - 32 * PIXELS_FOR_A_SECTOR
    share, end = f"{share_of_moved(asked)} %", left + asked.moved * scale
    return [
        text(LEFT, y, "", cost),
        path(box(left, y - 9, asked.moved * scale, 11), "over sector"),
        path(box(left, y - 9, asked.wanted * scale, 11), f"wanted {colour}-fill"),
        text(end + 6, y, "bold", share),
    ]


def share_of_moved(asked: Served) -> str:
    """Returns the requested part of the bytes moved, in percent."""
    tenths = asked.wanted * 1000 // asked.moved
    return f"{tenths // 10}" if tenths % 10 == 0 else f"{tenths // 10}.{tenths % 10}"


def cost_of(asked: Served) -> Text:
    """Describes the cost of the warp's access in a sentence."""
    if asked.unknown:
        return PICKED["cost_unknown"]
    if not asked.sectors:
        return PICKED["cost_none"]
    if _why(asked) == "scattered" and asked.apart:
        return PICKED["apart"].format(sectors=len(asked.sectors), wanted=asked.wanted, apart=asked.apart)
    key = "cost_one" if len(asked.sectors) == 1 else "cost"
    cost = PICKED[key].format(sectors=len(asked.sectors), wanted=asked.wanted, share=share_of_moved(asked))
    if asked.crowd > 1:
        return cost + PICKED["crowd"].format(crowd=asked.crowd)
    return cost + PICKED[why] if (why := _why(asked)) else cost


def _why(asked: Served) -> str:
    """Returns the term for the best or the worst case."""
    if len(asked.lanes) < 2:
        return ""
    if asked.wanted == asked.moved:
        return "coalesced"
    return "scattered" if len(asked.sectors) == len(asked.lanes) else ""
