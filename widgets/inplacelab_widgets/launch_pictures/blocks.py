"""Draws the grid of a launch with the picked block, and the block with the picked warp and thread; chooses the threads that are drawn in advance."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import product
from math import floor
from typing import Literal, NamedTuple

from inplacelab.kernels import geometry
from inplacelab.kernels.geometry import WARP, parts
from inplacelab.kernels.launch import Launch
from inplacelab.language import Text
from inplacelab_widgets.launch_pictures.launches import Pick, ShownLaunch, warp_requests
from inplacelab_widgets.launch_pictures.words import PICKED
from inplacelab_widgets.scene.text_layout import Words

WIDTH = 800
PAD = 12.0
"""The margin around the picture, in px."""
LEFT = 84
"""The x at which the lanes begin: on the left is room for `all 999.9 KiB`."""
LANE = 22
ROOM = 32 * LANE
HEAD = 52
"""The y at which the grid begins: above are the fixed marks."""
PANELS = 196
PANEL = 168
"""The y at which the first operand begins, and the height of each."""


Tag = Literal["path", "text"]


class Drawn(NamedTuple):
    """One SVG element, while a given thread is picked.

    Attributes:
        tag: the SVG element.
        style: names from the style table.
        place: its attributes.
        content: the words of a text.
        key: what a click on it picks ("pick:block:3"); "" for nothing.
    """

    tag: Tag
    style: str
    place: dict[str, float | str]
    content: Words | None = None
    key: str = ""


Layers = dict[str, list[Drawn]]
"""Marks by the name of their layer, the front layer last. The names do not depend on the pick."""


def text(x: float, y: float, style: str, content: Words) -> Drawn:
    """Makes a line of text."""
    return Drawn("text", f"text {style}".rstrip(), {"x": tenth(x), "y": tenth(y)}, content)


def grouped(number: int) -> str:
    """Returns a number with its digits in groups of three.

    >>> grouped(8192)
    '8,192'
    """
    return f"{number:,}"


def path(d: str, style: str, key: str = "") -> Drawn:
    """Makes a line or shape."""
    return Drawn("path", style, {"d": d}, None, key)


def tenth(value: float) -> float:
    """Rounds a coordinate to one decimal."""
    return floor(value * 10 + 0.5) / 10


@lru_cache(maxsize=1 << 14)
def coordinate(value: float) -> str:
    """Formats a coordinate for a path."""
    rounded = tenth(value)
    return str(int(rounded)) if rounded == int(rounded) else str(rounded)


def box(x: float, y: float, width: float, height: float) -> str:
    """Returns the path of a rectangle."""
    return f"M{coordinate(x)} {coordinate(y)}h{coordinate(width)}v{coordinate(height)}h{coordinate(-width)}z"


def em(words: str, size: float) -> float:
    """Returns the width that digits and Latin letters need, in px."""
    return len(words) * size * 0.62


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
    bottom = TOP + min(ROWS, parts(launch.threads, WARP)) * CELL
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


MOST = 2048
"""The most threads drawn of a launch; each counts once per turn and per operand."""
MOST_OF_ALL = 4096
"""The most for several launches together; at least one warp of each is drawn."""
MOST_TURNS = 8
FEWEST_BLOCKS = 4
"""Up to this many, more blocks are drawn rather than more warps of each."""


class Picks(NamedTuple):
    """The blocks, the warps of each, and the turns that are drawn, in order."""

    blocks: tuple[int, ...]
    warps: tuple[int, ...]
    turns: tuple[int, ...]

    def threads(self, of_block: int) -> Iterator[Pick]:
        """Yields every thread that is drawn, in the order of the steps. A block has `of_block` threads."""
        for block, turn, warp in product(self.blocks, self.turns, self.warps):
            for thread in range(warp * WARP, min((warp + 1) * WARP, of_block)):
                yield Pick(block, thread, turn)

    def has(self, pick: Pick) -> bool:
        """Returns whether a thread is drawn."""
        return pick.block in self.blocks and pick.thread // WARP in self.warps and pick.turn in self.turns


def picks_of(shown: ShownLaunch, wanted: Pick, most: int = MOST) -> Picks:
    """Returns the threads that are drawn of a launch, always with the wanted one.

    Args:
        shown: the launch.
        wanted: the thread that is shown first.
        most: the most threads to draw, counted as for `MOST`.

    Returns:
        Whole warps; none for a launch whose threads have no known geometry.
    """
    launch = shown.launch
    if not shown.drawable:
        return Picks((), (), ())
    blocks, warps, turns = launch.blocks, parts(launch.threads, WARP), geometry.turns(launch)
    room = max(1, most // WARP // len(launch.operands))
    many_turns = turns if blocks * warps * turns <= room else min(turns, MOST_TURNS, room)
    many_warps = min(warps, max(1, room // (many_turns * min(blocks, FEWEST_BLOCKS))))
    many_blocks = min(blocks, max(1, room // (many_turns * many_warps)))
    block, warp = _last_at_work(launch)
    telling = (wanted.block, 0, launch.blocks - 1, block, *_crowded(shown), *_corners(launch))
    return Picks(
        _first(many_blocks, telling, blocks),
        _first(many_warps, (wanted.thread // WARP, 0, warp, warps - 1), warps),
        _first(many_turns, (wanted.turn, 0, turns - 1), turns),
    )


def _first(count: int, preferred: Iterable[int], total: int) -> tuple[int, ...]:
    """`count` numbers in order: the preferred ones, then from 0 on."""
    found = dict.fromkeys(preferred)
    for each in range(total):
        if len(found) >= count:
            break
        found[each] = None
    return tuple(sorted(list(found)[:count]))


def _corners(launch: Launch) -> tuple[int, ...]:
    """In a grid of several rows, the last block of the first row and the first of the second."""
    return (launch.grid[0] - 1, launch.grid[0]) if launch.grid[1] > 1 else ()


def _last_at_work(launch: Launch) -> tuple[int, int]:
    """The block and the warp with the last of the data, which may be partly filled."""
    if launch.kind in ("transpose", "transpose_square"):
        return launch.blocks - 1, parts(launch.threads, WARP) - 1
    if launch.kind == "normalize":
        x = launch.operands[0]
        return (x.elements // x.shape[-1] - 1) % launch.blocks, (x.shape[-1] - 1) % launch.threads // WARP
    sized = launch.operands[-1] if launch.kind == "scatter_add" else geometry.target(launch)
    block, thread = divmod(parts(sized.elements, launch.width) - 1, launch.threads)
    return block % launch.blocks, thread // WARP


def _crowded(shown: ShownLaunch) -> list[int]:
    """The block with the warp that has the most threads on one slot, if any share a slot."""
    launch = shown.launch
    if shown.places is None:
        return []
    crowds = [
        (max(request.crowd for request in warp_requests(shown, Pick(block, warp * WARP))), -block)
        for block, warp in product(range(launch.blocks), range(parts(launch.threads, WARP)))
    ]
    crowd, block = max(crowds)
    return [-block] if crowd > 1 else []


def totals_of(launch: Launch) -> dict[str, int]:
    """Returns the number of blocks, of threads in each, and of turns of each thread."""
    return {"block": launch.blocks, "thread": launch.threads, "turn": geometry.turns(launch)}


def description_of_picks(launch: Launch, picks: Picks) -> Text:
    """Returns a note of which threads are drawn; empty if all are."""
    ends = [(warp * WARP, min((warp + 1) * WARP, launch.threads) - 1) for warp in picks.warps]
    found = [
        ("blocks", _ranges((block, block) for block in picks.blocks), len(picks.blocks), launch.blocks),
        ("threads", _ranges(ends), sum(last - first + 1 for first, last in ends), launch.threads),
        ("turns", _ranges((turn + 1, turn + 1) for turn in picks.turns), len(picks.turns), geometry.turns(launch)),
    ]
    parts = [
        PICKED[f"drawn_{name}"].format(drawn=drawn, all=grouped(total))
        for name, drawn, count, total in found
        if count < total
    ]
    if not parts:
        return Text("", "")
    return PICKED["drawn"].format(
        picks=Text(" · ".join(each.en for each in parts), " · ".join(each.zh for each in parts))
    )


def _ranges(spans: Iterable[tuple[int, int]]) -> Text:
    """Numbers in order, with neighbors joined: "0–3, 15"."""
    merged: list[tuple[int, int]] = []
    for first, last in spans:
        if merged and merged[-1][1] + 1 == first:
            merged[-1] = (merged[-1][0], last)
        else:
            merged.append((first, last))
    parts = [grouped(first) if first == last else f"{grouped(first)}–{grouped(last)}" for first, last in merged]
    return Text(", ".join(parts), "、".join(parts))
