"""Draws the grid with the picked block, and the block with the picked warp and thread."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from inplacelab.kernels import geometry
from inplacelab.kernels.geometry import WARP
from inplacelab.kernels.launch import Launch
from inplacelab.language import Text
from inplacelab_widgets.kernel.drawing import (
    HEAD,
    LANE,
    LEFT,
    PANELS,
    ROOM,
    Drawn,
    box,
    coordinate,
    grouped,
    path,
    text,
)
from inplacelab_widgets.kernel.warp_accesses import Pick
from inplacelab_widgets.kernel.words import PICKED

COLUMNS, ROWS = 32, 8
"""The most blocks drawn across and down; `ROWS` is also the most warps."""
CELL = 10
"""The distance from one block to the next, and from one warp to the next, in px."""
BLOCK_LEFT = 416
THREAD = 11.4
"""The distance from one thread to the next, in px."""
TOP = HEAD + 20
EDGE = BLOCK_LEFT + 4


class Window(NamedTuple):
    """The blocks that are drawn: the first column and row, how many of each, and a note if some are left out."""

    left: int
    top: int
    columns: int
    rows: int
    wraps: bool
    note: Text | None


def window(launch: Launch, block: int) -> Window:
    """Returns the part of the grid around a block. A grid of one row is broken into lines."""
    across, down = launch.grid[0], launch.grid[1] * launch.grid[2]
    if down == 1:
        lines = -(-across // COLUMNS)
        top = block // COLUMNS // ROWS * ROWS
        rows = min(ROWS, lines - top)
        last = min(across, (top + rows) * COLUMNS) - 1
        facts = {"first": top * COLUMNS, "last": last, "blocks": across}
        note = PICKED["blocks_shown"].format(**_grouped(facts)) if lines > ROWS else None
        return Window(0, top, min(across, COLUMNS), rows, True, note)
    row, column = divmod(block, across)
    left, top = column // COLUMNS * COLUMNS, row // ROWS * ROWS
    columns, rows = min(COLUMNS, across - left), min(ROWS, down - top)
    facts = {
        "left": left,
        "right": left + columns - 1,
        "across": across,
        "top": top,
        "bottom": top + rows - 1,
        "down": down,
    }
    folded = across > COLUMNS or down > ROWS
    return Window(left, top, columns, rows, False, PICKED["tiles_shown"].format(**_grouped(facts)) if folded else None)


def cell_of(launch: Launch, seen: Window, block: int) -> tuple[int, int]:
    """Returns the column and row of a block in a window."""
    if seen.wraps:
        return block % COLUMNS, block // COLUMNS - seen.top
    row, column = divmod(block, launch.grid[0])
    return column - seen.left, row - seen.top


def beam_marks(launch: Launch, pick: Pick) -> list[Drawn]:
    """Draws beams from the picked block to its threads and from the picked warp to its threads, each drawn larger below."""
    column, row = cell_of(launch, window(launch, pick.block), pick.block)
    x, y = column * CELL + 8, TOP + row * CELL
    bottom = TOP + _warps(launch) * CELL
    beside, below = coordinate(EDGE + 32 * THREAD), coordinate(TOP + pick.thread // WARP % ROWS * CELL + 8)
    return [
        path(
            f"M{coordinate(x)} {coordinate(y)}L{BLOCK_LEFT} {coordinate(TOP - 2)}V{coordinate(bottom)}L{coordinate(x)} {coordinate(y + 8)}z",
            "beam",
        ),
        path(
            f"M{EDGE} {below}V{coordinate(bottom)}L{LEFT} {PANELS + 20}H{LEFT + ROOM}L{beside} {coordinate(bottom)}V{below}z",
            "beam",
        ),
    ]


def grid_marks(launch: Launch, pick: Pick) -> list[Drawn]:
    """Draws the blocks of the grid."""
    seen = window(launch, pick.block)
    column, row = cell_of(launch, seen, pick.block)
    marks = [
        text(0, HEAD + 10, "bold", _grid_title(launch, pick.block)),
        path("".join(_block_box(launch, seen, block) for block in blocks_in(launch, seen)), "slot"),
        path(box(column * CELL, TOP + row * CELL, 8, 8), "inked"),
    ]
    return [*marks, text(0, TOP + seen.rows * CELL + 11, "tiny", seen.note)] if seen.note else marks


def grid_hits(launch: Launch, pick: Pick, drawn: Collection[int]) -> list[Drawn]:
    """Draws the blocks that cannot be picked, faint, and invisible click areas over those that can."""
    seen = window(launch, pick.block)
    there = blocks_in(launch, seen)
    faint = "".join(_block_box(launch, seen, block) for block in there if block not in drawn)
    hits = [path(_block_box(launch, seen, block), "hit", f"pick:block:{block}") for block in there if block in drawn]
    return [path(faint, "slot unknown"), *hits]


def blocks_in(launch: Launch, seen: Window) -> list[int]:
    """Yields the blocks of a window."""
    if seen.wraps:
        first = seen.top * COLUMNS
        return list(range(first, min(first + seen.rows * COLUMNS, launch.grid[0])))
    rows, columns = range(seen.top, seen.top + seen.rows), range(seen.left, seen.left + seen.columns)
    return [row * launch.grid[0] + column for row in rows for column in columns]


def _block_box(launch: Launch, seen: Window, block: int) -> str:
    column, row = cell_of(launch, seen, block)
    return box(column * CELL, TOP + row * CELL, 8, 8)


def _grid_title(launch: Launch, block: int) -> Text:
    """Returns a block's number, with its position in a grid of several rows."""
    x, y, _ = geometry.block_position(launch, block)
    number = f"{grouped(block)} ({grouped(x)}, {grouped(y)})" if launch.grid[1] > 1 else grouped(block)
    return PICKED["grid"].format(block=number, blocks=grouped(launch.blocks))


def _grouped(facts: Mapping[str, int]) -> dict[str, str]:
    return {name: grouped(number) for name, number in facts.items()}


def _warps(launch: Launch) -> int:
    return min(ROWS, -(-launch.threads // WARP))


def block_marks(launch: Launch, pick: Pick) -> list[Drawn]:
    """Draws the threads of the picked block, one warp per row."""
    there = _rows(launch, pick)
    cells = "".join(_thread_box(there, thread) for row in there for thread in threads_of(launch, row))
    warp = "".join(_thread_box(there, thread) for thread in threads_of(launch, pick.thread // WARP))
    return [path(cells, "slot"), path(warp, "in-warp")]


def picked_thread(launch: Launch, pick: Pick) -> list[Drawn]:
    """Draws the picked thread in its block, and the title of the block."""
    x, _, _ = geometry.position(launch, pick.thread)
    number = f"{pick.thread} ({x}, {pick.thread // launch.block[0]})" if launch.block[1] > 1 else f"{pick.thread}"
    facts = {"block": grouped(pick.block), "thread": number, "threads": grouped(launch.threads)}
    return [
        text(EDGE, HEAD + 10, "bold", PICKED["block"].format(**facts)),
        path(_thread_box(_rows(launch, pick), pick.thread), "inked"),
    ]


def block_hits(launch: Launch, pick: Pick, warps: Collection[int]) -> list[Drawn]:
    """Draws the threads that cannot be picked, faint, and invisible click areas over those that can."""
    there = _rows(launch, pick)
    faint = "".join(
        _thread_box(there, thread) for row in there if row not in warps for thread in threads_of(launch, row)
    )
    threads = [thread for row in there if row in warps for thread in threads_of(launch, row)]
    return [
        path(faint, "slot unknown"),
        *(path(_thread_box(there, thread), "hit", f"pick:thread:{thread}") for thread in threads),
    ]


def threads_of(launch: Launch, warp: int) -> range:
    """Returns the threads of a warp."""
    return range(warp * WARP, min((warp + 1) * WARP, launch.threads))


def _rows(launch: Launch, pick: Pick) -> range:
    """The warps of the picked block that are drawn."""
    top = pick.thread // WARP // ROWS * ROWS
    return range(top, min(top + ROWS, -(-launch.threads // WARP)))


def _thread_box(there: range, thread: int) -> str:
    warp, lane = divmod(thread, WARP)
    return box(EDGE + lane * THREAD, TOP + (warp - there.start) * CELL, 9.4, 8)


def lane_marks(launch: Launch, pick: Pick, top: float) -> list[Drawn]:
    """Draws the 32 threads of the warp, with their numbers."""
    warp = pick.thread // WARP
    threads = threads_of(launch, warp)
    return [
        text(LEFT - 6, top + 13, "small end", PICKED["warp"].format(warp=warp)),
        path("".join(_lane_box(thread, top) for thread in threads), "slot"),
        *(_lane_number(thread, top) for thread in threads),
    ]


def picked_lane(pick: Pick, top: float) -> list[Drawn]:
    """Draws the picked thread among the 32."""
    return [path(_lane_box(pick.thread, top), "written"), _lane_number(pick.thread, top)]


def lane_hits(launch: Launch, pick: Pick, top: float) -> list[str]:
    """Returns the box of each of the 32 threads, in path notation."""
    return [_lane_box(thread, top) for thread in threads_of(launch, pick.thread // WARP)]


def _lane_box(thread: int, top: float) -> str:
    return box(LEFT + thread % WARP * LANE + 1, top, LANE - 2, 18)


def _lane_number(thread: int, top: float) -> Drawn:
    return text(LEFT + thread % WARP * LANE + LANE / 2, top + 12.5, "tiny middle", str(thread))
