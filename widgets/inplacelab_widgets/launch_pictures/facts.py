"""Draws and tabulates what does not depend on the picked thread: the head, the traffic of the whole launch, the legend; and the tables."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from inplacelab.kernels import geometry, traffic
from inplacelab.kernels.geometry import WARP
from inplacelab.kernels.launch import Dim3
from inplacelab.language import Text
from inplacelab_widgets.launch_pictures import words
from inplacelab_widgets.launch_pictures.blocks import HEAD, LEFT, WIDTH, Drawn, box, grouped, path, text
from inplacelab_widgets.launch_pictures.launches import Lane, Pick, ShownLaunch, WarpRequest, warp_requests
from inplacelab_widgets.launch_pictures.picked_thread import height_of, share_used
from inplacelab_widgets.launch_pictures.words import PICKED
from inplacelab_widgets.scene.text_layout import SMALL, Words, width_of


class Totals(NamedTuple):
    """Bytes of a launch.

    Attributes:
        read: the bytes that the threads read.
        written: the bytes that the threads write.
        requested: the bytes of the sectors, warp by warp; None if the slots are not known or the layout is too irregular.
    """

    read: int
    written: int
    requested: int | None


@lru_cache(maxsize=64)
def totals(shown: ShownLaunch) -> Totals:
    """Returns the memory traffic of a launch.

    A sector that two instructions need is counted for each of them; caches are not modeled.
    """
    launch = shown.launch
    return Totals(launch.bytes_read, launch.bytes_written, _requested(shown) if shown.drawable else None)


def why_not_counted(shown: ShownLaunch) -> Text:
    """Returns the reason why `requested` is None."""
    if not shown.drawable:
        return words.NOT_KNOWN
    return words.BY_INDEX if shown.launch.kind == "scatter_add" and shown.places is None else words.NOT_COUNTED


def _requested(shown: ShownLaunch) -> int | None:
    launch = shown.launch
    if launch.kind != "scatter_add":
        return traffic.requested(launch)
    if shown.places is None:
        return None
    warps = [(block, first) for block in range(launch.blocks) for first in range(0, launch.threads, WARP)]
    requests = (
        each
        for block, first in warps
        for turn in range(geometry.turns(launch))
        for each in warp_requests(shown, Pick(block, first, turn))
    )
    return sum(_times(each.kinds) * each.requested for each in requests)


def _times(kinds: tuple[str, ...]) -> int:
    """How many times the sectors of an operand are requested: an addition reads and writes."""
    return len(kinds) + ("adds" in kinds)


BAR = 340.0
"""The length of the longest bar."""
ROW = 18.0


def height(shown: ShownLaunch) -> float:
    """Returns the height of the whole picture, in px."""
    return height_of(shown) + 5 * ROW + 48 if shown.drawable else HEAD + 4 * ROW + 40


def fixed_marks(shown: ShownLaunch) -> list[Drawn]:
    """Draws everything that does not depend on the pick."""
    if shown.drawable:
        top = height_of(shown) + 12
        return [*_head(shown), *_totals(shown, top), *_legend(top + 4 * ROW + 24)]
    why = words.EMPTY if shown.launch.kind in words.KINDS and shown.launch.kind != "library" else words.LIBRARY
    return [*_head(shown), text(0, HEAD + 12, "", why), *_totals(shown, HEAD + 30)]


def device_of(shown: ShownLaunch) -> Words:
    """Returns the device that ran the launch: the name of the hardware, or a note that it was simulated."""
    launch = shown.launch
    return words.SIMULATED if launch.simulated else launch.device or words.UNNAMED_DEVICE


def head_of(shown: ShownLaunch) -> Text:
    """Returns the head line: the kernel, the facts of its launch, and the device."""
    device = device_of(shown)
    both = device if isinstance(device, Text) else Text(device, device)
    name = Text(f"{shown.launch.kernel}: ", f"{shown.launch.kernel}：")
    return name + facts_of(shown) + Text(" · ", " · ") + both + Text(".", "。")


def facts_of(shown: ShownLaunch) -> Text:
    """Returns the kind of kernel, the number of threads, and the elements that each takes at a time."""
    launch = shown.launch
    kind = words.KINDS.get(launch.kind, words.KINDS["library"])
    size = words.SIZE.format(blocks=counted(launch.grid), threads=counted(launch.block))
    takes = words.TAKES_ONE if launch.width == 1 else words.TAKES_SEVERAL
    takes = takes.format(width=launch.width, dtype=launch.dtype)
    dot = Text(" · ", " · ")
    return kind + dot + size + dot + takes if shown.drawable else kind


def counted(size: Dim3) -> str:
    """Returns a size, with its axes if it has several.

    >>> counted((8192, 1, 1)), counted((32, 8, 1))
    ('8,192', '32·8')
    """
    return "·".join(grouped(n) for n in size if n > 1) or "1"


def _head(shown: ShownLaunch) -> list[Drawn]:
    device = device_of(shown)
    wide = width_of(device, SMALL) + 18
    style = "pill raised" if shown.launch.simulated else "pill"
    return [
        text(0, 13, "title bold", shown.launch.kernel),
        text(0, 32, "soft", facts_of(shown)),
        path(box(WIDTH - wide - 1, 1.5, wide, 20), style),
        text(WIDTH - wide / 2 - 1, 15.5, "bold middle", device),
    ]


def _totals(shown: ShownLaunch, top: float) -> list[Drawn]:
    """Draws bars for the bytes that the threads read and write, and for those that are requested."""
    found = totals(shown)
    rows = (
        (words.TOTAL_READ, found.read),
        (words.TOTAL_WRITTEN, found.written),
        (words.TOTAL_REQUESTED, found.requested),
    )
    longest = max(1, *(n or 0 for _, n in rows), found.read + found.written)
    marks = [
        path(f"M0 {top}H{WIDTH}", "grid"),
        text(0, top + ROW, "bold", words.TOTAL),
        *([text(LEFT + 60, top + ROW, "soft", storage_of(shown))] if shown.drawable else []),
    ]
    for k, (name, count) in enumerate(rows):
        y = top + (k + 2) * ROW
        marks.append(text(LEFT - 6, y, "small end", name))
        if count is None:
            marks.append(text(LEFT, y, "soft", why_not_counted(shown)))
            continue
        wanted = count if name is not words.TOTAL_REQUESTED else min(count, found.read + found.written)
        marks.append(path(box(LEFT, y - 9, BAR * wanted / longest, 10), "wanted mark-soft"))
        if name is words.TOTAL_REQUESTED:
            marks.append(path(box(LEFT, y - 9, BAR * count / longest, 10), "sector"))
        marks.append(text(LEFT + BAR * count / longest + 8, y, "", words.IN_BYTES.format(bytes=f"{count:,}")))
    return marks


def storage_of(shown: ShownLaunch) -> Text:
    """Returns a sentence that says whether the result took new memory."""
    written = next(each for each in shown.launch.operands if each.role != "reads")
    if written.role == "both":
        return words.IN_PLACE.format(name=written.name)
    return words.OUT_OF_PLACE.format(size=words.IN_BYTES.format(bytes=f"{written.storage_bytes:,}"))


def _legend(top: float) -> list[Drawn]:
    """Draws the meaning of the fills and of the frame."""
    wanted, unused, picked, frame = words.LEGEND
    marks: list[Drawn] = []
    x = 0.0
    for style, meaning in (("wanted c0-fill", wanted), ("slot", unused), ("written", picked)):
        marks += [path(box(x + 2, top - 9, 11, 10), style), text(x + 19, top, "small soft", meaning)]
        x += 19 + width_of(meaning, SMALL) + 16
    return [*marks, path(box(2, top + 9, 22, 10), "over sector"), text(30, top + 18, "small soft", frame)]


class Table(NamedTuple):
    """A table: its caption, the heads of its columns, and its rows."""

    caption: Text
    heads: tuple[Words, ...]
    rows: tuple[tuple[Words, ...], ...]


def facts_table(shown: ShownLaunch) -> Table:
    """Returns the table of the facts of a launch."""
    launch, found, names = shown.launch, totals(shown), words.FACT_NAMES
    unknown = why_not_counted(shown)
    rows: tuple[tuple[Words, ...], ...] = (
        (names["kernel"], launch.kernel),
        (names["kind"], words.KINDS.get(launch.kind, words.KINDS["library"])),
        (names["grid"], counted(launch.grid)),
        (names["threads"], counted(launch.block)),
        (names["width"], str(launch.width)),
        (names["device"], device_of(shown)),
        (names["read"], grouped(found.read)),
        (names["written"], grouped(found.written)),
        (names["requested"], unknown if found.requested is None else grouped(found.requested)),
    )
    return Table(words.FACTS, (), rows)


def picked_tables(shown: ShownLaunch, pick: Pick) -> list[Table]:
    """Returns the tables of the picked warp's requests and of the slots that each of its threads touches."""
    of_warp = warp_requests(shown, pick)
    heads = tuple(
        PICKED[name] for name in ("operand", "does", "taking_part", "wanted", "sectors", "requested", "share")
    )
    requests = Table(PICKED["requests"], heads, tuple(_request(shown, each) for each in of_warp))
    first = pick.thread // WARP * WARP
    touched = [{lane.lane: lane for lane in each.lanes} for each in of_warp]
    rows = tuple(
        (str(first + lane), *(_slots(of, lane) for of in touched))
        for lane in range(min(WARP, shown.launch.threads - first))
    )
    names = tuple(PICKED["slots_of"].format(name=each.name) for each in shown.launch.operands)
    return [requests, Table(PICKED["threads"], (PICKED["thread"], *names), rows)]


def _request(shown: ShownLaunch, request: WarpRequest) -> tuple[Words, ...]:
    kinds = [PICKED[kind] for kind in request.kinds]
    comma = PICKED["comma"]
    does = Text(comma.en.join(each.en for each in kinds), comma.zh.join(each.zh for each in kinds))
    share = f"{share_used(request)} %" if request.sectors else ""
    counts = (str(n) for n in (len(request.lanes), request.wanted, len(request.sectors), request.requested))
    return shown.launch.operands[request.operand].name, does, *counts, share


def _slots(touched: dict[int, Lane], lane: int) -> str:
    found = touched.get(lane)
    if found is None:
        return ""
    _, slot, slots = found
    return str(slot) if slots == 1 else f"{slot}–{slot + slots - 1}"
