"""Chooses the threads of a launch to draw in advance: all of a small launch, and of a larger one those that may differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import NamedTuple

from inplacelab.kernels import geometry
from inplacelab.kernels.geometry import WARP, parts
from inplacelab.kernels.launch import Launch
from inplacelab.language import Text
from inplacelab_widgets.kernel.drawing import grouped
from inplacelab_widgets.kernel.launches import ShownLaunch
from inplacelab_widgets.kernel.warp_accesses import Pick, warp_requests
from inplacelab_widgets.kernel.words import PICKED

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
