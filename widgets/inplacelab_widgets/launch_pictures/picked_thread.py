"""Draws a picked thread: its index arithmetic with its numbers, and for each operand the threads of its warp above the sectors that they touch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from inplacelab.kernels import geometry
from inplacelab.kernels.geometry import PASSES, TILE, WARP, Access, parts
from inplacelab.kernels.launch import Launch, Operand
from inplacelab.kernels.traffic import SECTOR
from inplacelab.language import Text
from inplacelab_widgets.launch_pictures.blocks import (
    LANE,
    LEFT,
    PANEL,
    PANELS,
    ROOM,
    WIDTH,
    Drawn,
    Layers,
    Picks,
    beam_marks,
    block_hits,
    block_marks,
    box,
    coordinate,
    em,
    grid_hits,
    grid_marks,
    grouped,
    lane_hits,
    lane_marks,
    path,
    picked_lane,
    picked_thread,
    text,
)
from inplacelab_widgets.launch_pictures.launches import Lane, Pick, ShownLaunch, WarpRequest, accesses_at, warp_requests
from inplacelab_widgets.launch_pictures.words import PICKED
from inplacelab_widgets.scene.text_layout import size_in_bytes


def share_of(shown: ShownLaunch, pick: Pick) -> Text:
    """Returns the sentence about the part of the work that the thread has in its turn."""
    launch = shown.launch
    done = accesses_at(shown, *pick)
    if not done:
        return PICKED["takes_none"].format(thread=pick.thread, block=pick.block)
    if launch.kind == "normalize":
        return _column(launch, pick)
    if launch.kind in ("transpose", "transpose_square"):
        return _in_tile(launch, pick, done[0])
    return _element(launch, pick)


def first_element(launch: Launch, pick: Pick) -> tuple[int, int, str]:
    """Return, for an element-wise kernel, the first element of the turn, how many there are, and the sum that gives the first."""
    written = launch.operands[-1] if launch.kind == "scatter_add" else geometry.target(launch)
    width, step = launch.width, launch.blocks * launch.threads
    packs = written.elements // width
    rounds = parts(packs, step)
    number = pick.block * launch.threads + pick.thread
    terms = f"{pick.block}·{launch.threads} + {pick.thread}"
    if pick.turn < rounds:
        terms += f" + {pick.turn}·{step}" if pick.turn else ""
        return (number + pick.turn * step) * width, width, f"({terms})·{width}" if width > 1 else terms
    late = pick.turn - rounds
    terms = f"{packs * width} + {terms}" + (f" + {late}·{step}" if late else "")
    return packs * width + number + late * step, 1, terms


def _element(launch: Launch, pick: Pick) -> Text:
    first, count, terms = first_element(launch, pick)
    facts = {"thread": pick.thread, "block": pick.block, "sum": terms, "first": first, "last": first + count - 1}
    return PICKED["takes_many" if count > 1 else "takes_one"].format(**facts)


def _column(launch: Launch, pick: Pick) -> Text:
    most = parts(launch.operands[0].shape[-1], launch.threads)
    k, rest = divmod(pick.turn, PASSES * most)
    done, j = divmod(rest, most)
    row = f"{pick.block} + {k}·{launch.blocks} = {pick.block + k * launch.blocks}" if k else f"{pick.block}"
    terms = f"{pick.thread} + {j}·{launch.threads}"
    column = pick.thread + j * launch.threads
    purpose = PICKED[("mean", "variance", "result")[done]]
    return PICKED["row"].format(
        block=pick.block, row=row, thread=pick.thread, sum=terms, column=column, purpose=purpose
    )


def _in_tile(launch: Launch, pick: Pick, first: Access) -> Text:
    """The thread's position in its tile; for a transpose, in the tile that it reads."""
    (a, b, _), (across, down, _) = geometry.position(launch, pick.thread), geometry.block_position(launch, pick.block)
    operand = launch.operand(first.operand)
    row, column = divmod((first.slot or 0) - operand.offset, operand.shape[-1])
    below = (row - b) % TILE
    rows = f"{row // TILE}·{TILE} + {b}" + (f" + {below}" if below else "")
    return PICKED["tile"].format(
        a=a, b=b, across=across, down=down, rows=rows, row=row, columns=f"{column // TILE}·{TILE} + {a}", column=column,
        name=operand.name,
    )  # fmt: skip


def slot_of(shown: ShownLaunch, pick: Pick, position: int) -> Text:
    """Returns the formula from the element of an operand that the thread touches to its slot."""
    launch = shown.launch
    operand = launch.operands[position]
    mine = [each for each in accesses_at(shown, *pick) if each.operand == operand.name]
    if not mine:
        return PICKED["untouched"]
    if mine[0].slot is None:
        return PICKED["somewhere"]
    if mine[0].kind == "adds":
        return PICKED["place"].format(element=first_element(launch, pick)[0], slot=mine[0].slot)
    whole_rows = launch.kind not in ("contiguous", "strided", "scatter_add")
    element = mine[0].slot - operand.offset if whole_rows else first_element(launch, pick)[0]
    index = geometry.index(operand.shape, element)
    facts = {
        "element": f"{operand.name}[{','.join(map(str, index))}]",
        "sum": _sum(operand, index),
        "slot": mine[0].slot,
        "last": mine[0].slot + mine[0].slots - 1,
    }
    return PICKED["slots" if mine[0].slots > 1 else "slot"].format(**facts)


def _sum(operand: Operand, index: tuple[int, ...]) -> str:
    """`offset + i·stride + ...`, without axes of size 1."""
    terms = [
        f" {'−' if stride < 0 else '+'} {i}·{abs(stride)}"
        for i, stride, size in zip(index, operand.strides, operand.shape, strict=True)
        if size != 1
    ]
    return f"{operand.offset}{''.join(terms)}"


LANES, STRIP, STRIP_HEIGHT, OVERVIEW, FOOT = 20, 88, 24, 127, 150
"""The y, from the top of an operand's part, of its threads, its sectors, its whole storage and its cost."""
COLORS = ("c0", "c1", "c3", "c4", "c2")
"""The colors of the operands, in order: those that differ most come first."""
PIXELS_FOR_A_SECTOR = 5.5
"""The width of a sector, in px, on the bar that compares wanted bytes with requested bytes."""


class Spread(NamedTuple):
    """The positions of sectors: neighbors touch each other, others are apart.

    Attributes:
        lefts: the left edge of each sector, by its number, in px.
        slot: the width of a slot, in px.
        per: the number of slots in a sector.
    """

    lefts: dict[int, float]
    slot: float
    per: int


def spread(sectors: tuple[int, ...], size: int) -> Spread:
    """Returns positions for sectors. Slots are as wide as threads if there is room, so that they line up."""
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
    """Returns the left edge of a slot, in px."""
    return spreaded.lefts[slot // spreaded.per] + slot % spreaded.per * spreaded.slot


def strip_of_warp(shown: ShownLaunch, pick: Pick, request: WarpRequest) -> Layers:
    """Returns the marks of an operand's part that are the same for all threads of the warp."""
    top = top_of(request)
    operand = shown.launch.operands[request.operand]
    color, places = COLORS[request.operand % len(COLORS)], _places(shown, request)
    name = f"{operand.name} · {shown.storages[request.operand]}" if shown.storages[request.operand] else operand.name
    ribbons = "".join(_ribbon(each, places, top) for each in request.lanes)
    return {
        "name": [text(0, top + 11, "bold", name)],
        "ribbons": [path(ribbons, f"ribbon {color}-fill {color}-line")],
        "lanes": lane_marks(shown.launch, pick, top + LANES),
        "directions": _directions(request, top),
        "sectors": _sectors(request, places, color, top),
        "overview": _overview(request, operand.storage_bytes, color, top),
        "cost": _cost(request, color, top),
    }


def strip_of_thread(shown: ShownLaunch, pick: Pick, request: WarpRequest) -> Layers:
    """Returns the marks of an operand's part that belong to the picked thread. They are in front."""
    top, places = top_of(request), _places(shown, request)
    picked = [each for each in request.lanes if each.lane == pick.thread % WARP]
    slots = _slot_boxes(places, picked, top + STRIP)
    return {
        "slot": [text(LEFT, top + 11, "", slot_of(shown, pick, request.operand))],
        "ribbon": [path("".join(_ribbon(each, places, top) for each in picked), "ribbon-picked")],
        "lane": picked_lane(pick, top + LANES),
        "mine": [path(slots, "written")],
    }


def strip_hits(shown: ShownLaunch, pick: Pick, request: WarpRequest) -> list[Drawn]:
    """Returns the click areas that pick another thread of the warp: its cell, and the slots that it touches."""
    top, places = top_of(request), _places(shown, request)
    cells = lane_hits(shown.launch, pick, top + LANES)
    touched = {each.lane: _slot_boxes(places, [each], top + STRIP) for each in request.lanes}
    return [path(cell + touched.get(lane, ""), "hit", f"pick:lane:{lane}") for lane, cell in enumerate(cells)]


def top_of(request: WarpRequest) -> float:
    """Returns the y at which an operand's part begins."""
    return PANELS + request.operand * PANEL


def _places(shown: ShownLaunch, request: WarpRequest) -> Spread:
    return spread(request.sectors, geometry.itemsize(shown.launch.operands[request.operand].dtype))


def _slot_boxes(places: Spread, lanes: Iterable[Lane], y: float) -> str:
    """Draws the slots that threads access, each once."""
    slots = sorted({slot for _, first, count in lanes for slot in range(first, first + count)})
    return "".join(box(left_of(places, slot), y, places.slot, STRIP_HEIGHT) for slot in slots)


def _ribbon(lane: Lane, places: Spread, top: float) -> str:
    """The ribbon from a thread to the slots that it touches."""
    above, below = top + LANES + 18, top + STRIP
    x, left = LEFT + lane.lane * LANE + 3, left_of(places, lane.slot)
    right = left_of(places, lane.slot + lane.slots - 1) + places.slot
    return f"M{coordinate(x)} {coordinate(above)}H{coordinate(x + LANE - 6)}L{coordinate(right)} {coordinate(below)}H{coordinate(left)}z"


def _directions(request: WarpRequest, top: float) -> list[Drawn]:
    """Arrows and words: reads, writes, adds."""
    arrows = {"reads": "↑ ", "writes": "↓ ", "adds": "↓ "}
    labels = [Text(arrows[kind], arrows[kind]) + PICKED[kind] for kind in request.kinds]
    return [text(LEFT - 6, top + 56 + 14 * k, "small end", each) for k, each in enumerate(labels)]


def _sectors(request: WarpRequest, places: Spread, color: str, top: float) -> list[Drawn]:
    y, wide = top + STRIP, places.slot * places.per
    cells = "".join(
        f"M{coordinate(left + k * places.slot)} {coordinate(y)}v{STRIP_HEIGHT}"
        for left in places.lefts.values()
        for k in range(1, places.per)
        if places.slot >= 4
    )
    marks = [
        path("".join(box(left, y, wide, STRIP_HEIGHT) for left in places.lefts.values()), "over"),
        path(_slot_boxes(places, request.lanes, y), f"wanted {color}-fill"),
        path(cells, "cells"),
        path("".join(box(left, y, wide, STRIP_HEIGHT) for left in places.lefts.values()), "sector"),
    ]
    return [*marks, *_numbers(places, y + STRIP_HEIGHT + 10)]


def _numbers(places: Spread, y: float) -> list[Drawn]:
    """The number of the first slot of each sector, where there is room."""
    marks, free = [], 0.0
    for sector, left in places.lefts.items():
        number = str(sector * places.per)
        if left >= free:
            marks.append(text(left, y, "tiny", number))
            free = left + em(number, 9) + 6
    return marks


def _overview(request: WarpRequest, storage_bytes: int, color: str, top: float) -> list[Drawn]:
    """The whole storage, with the sectors at their true positions."""
    y, total = top + OVERVIEW, -(-storage_bytes // SECTOR)
    wide = ROOM / max(1, total)
    size = size_in_bytes(storage_bytes)
    here = "".join(box(LEFT + sector * wide, y, max(1.5, wide), 7) for sector in request.sectors)
    return [
        text(LEFT - 6, y + 7, "tiny end", PICKED["whole"].format(size=size)),
        path(box(LEFT, y, ROOM, 7), "slot"),
        path(here, f"wanted {color}-fill"),
    ]


def _cost(request: WarpRequest, color: str, top: float) -> list[Drawn]:
    """The bytes requested, and the part of them that was wanted: in words, and as a bar."""
    y, cost = top + FOOT, cost_of(request)
    if not request.sectors:
        return [text(LEFT, y, "soft", cost)]
    scale = PIXELS_FOR_A_SECTOR / SECTOR
    left = WIDTH - 70 - 32 * PIXELS_FOR_A_SECTOR
    share, end = f"{share_used(request)} %", left + request.requested * scale
    return [
        text(LEFT, y, "", cost),
        path(box(left, y - 9, request.requested * scale, 11), "over sector"),
        path(box(left, y - 9, request.wanted * scale, 11), f"wanted {color}-fill"),
        text(end + 6, y, "bold", share),
    ]


def share_used(request: WarpRequest) -> str:
    """Returns the part of the requested bytes that was wanted, in percent."""
    tenths = request.wanted * 1000 // request.requested
    return f"{tenths // 10}" if tenths % 10 == 0 else f"{tenths // 10}.{tenths % 10}"


def cost_of(request: WarpRequest) -> Text:
    """Returns the cost of the warp's request, in a sentence."""
    if request.unknown:
        return PICKED["cost_unknown"]
    if not request.sectors:
        return PICKED["cost_none"]
    if _why(request) == "scattered" and request.apart:
        return PICKED["apart"].format(sectors=len(request.sectors), wanted=request.wanted, apart=request.apart)
    key = "cost_one" if len(request.sectors) == 1 else "cost"
    cost = PICKED[key].format(sectors=len(request.sectors), wanted=request.wanted, share=share_used(request))
    if request.crowd > 1:
        return cost + PICKED["crowd"].format(crowd=request.crowd)
    return cost + PICKED[why] if (why := _why(request)) else cost


def _why(request: WarpRequest) -> str:
    """The key of the word for the best or worst case, "coalesced" or "scattered"; "" otherwise."""
    if len(request.lanes) < 2:
        return ""
    if request.wanted == request.requested:
        return "coalesced"
    return "scattered" if len(request.sectors) == len(request.lanes) else ""


def picked_marks(shown: ShownLaunch, pick: Pick) -> list[Drawn]:
    """Returns the marks that depend on the pick, for a still picture, which has the sentence among its marks."""
    layers = [*warp_layers(shown, pick).values(), *thread_layers(shown, pick).values()]
    return [*(each for layer in layers for each in layer), text(LEFT, PANELS - 8, "bold", sentence_of(shown, pick))]


def warp_layers(shown: ShownLaunch, pick: Pick) -> Layers:
    """Returns the marks that are the same for all threads of the picked warp in the picked turn."""
    launch = shown.launch
    layers = {
        "beams": beam_marks(launch, pick),
        "grid": grid_marks(launch, pick),
        "block": block_marks(launch, pick),
    }
    for request in warp_requests(shown, pick):
        layers |= _of_operand(request.operand, strip_of_warp(shown, pick, request))
    return layers


def thread_layers(shown: ShownLaunch, pick: Pick) -> Layers:
    """Returns the marks of the picked thread alone. They are in front."""
    layers = {"thread": picked_thread(shown.launch, pick)}
    for request in warp_requests(shown, pick):
        layers |= _of_operand(request.operand, strip_of_thread(shown, pick, request))
    return layers


def hit_layers(shown: ShownLaunch, pick: Pick, picks: Picks) -> Layers:
    """Returns the click areas that pick another thread, and the threads that cannot be picked, faint."""
    layers = {
        "blocks": grid_hits(shown.launch, pick, picks.blocks),
        "threads": block_hits(shown.launch, pick, picks.warps),
    }
    for request in warp_requests(shown, pick):
        layers |= _of_operand(request.operand, {"hits": strip_hits(shown, pick, request)})
    return layers


def _of_operand(operand: int, layers: Layers) -> Layers:
    return {f"{name} of {operand}": layer for name, layer in layers.items()}


def sentence_of(shown: ShownLaunch, pick: Pick) -> Text:
    """Returns the sentence about the work of the thread, with its turn if there are several."""
    share, turns = share_of(shown, pick), geometry.turns(shown.launch)
    if turns == 1:
        return share
    turn = PICKED["turn"].format(turn=grouped(pick.turn + 1), turns=grouped(turns))
    return turn + Text(". ", "：") + share


def description_of(shown: ShownLaunch, pick: Pick) -> Text:
    """Returns the picture in a few sentences, for a screen reader."""
    return _joined([sentence_of(shown, pick), costs_of(shown, pick)])


def costs_of(shown: ShownLaunch, pick: Pick) -> Text:
    """Returns what the requests of a warp cost, a sentence for each operand."""
    names = [operand.name for operand in shown.launch.operands]
    return _joined(
        [
            Text(f"{names[request.operand]}: ", f"{names[request.operand]}：") + cost_of(request) + Text(".", "。")
            for request in warp_requests(shown, pick)
        ]
    )


def _joined(parts: Sequence[Text]) -> Text:
    return Text(" ".join(part.en for part in parts if part.en), "".join(part.zh for part in parts))


def height_of(shown: ShownLaunch) -> float:
    """Returns the height of the marks, in px."""
    return PANELS + PANEL * len(shown.launch.operands)
