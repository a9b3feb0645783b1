"""The bytes of a whole launch: asked for, and moved."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from inplacelab.devices.kernels import geometry, traffic
from inplacelab.devices.kernels.geometry import WARP
from inplacelab.language import Text
from inplacelab_widgets.kernel import words
from inplacelab_widgets.kernel.pick import Pick, served
from inplacelab_widgets.kernel.shown import Shown

MOST_ACCESSES = 1 << 16
"""Every warp is looked at if its launch makes at most so many accesses; of larger ones, only those that are all alike."""


class Totals(NamedTuple):
    """Bytes of a launch.

    Attributes:
        read: what the threads asked to read,
        written: and to write.
        moved: those of the sectors, warp by warp; None if there are too many warps to look at, or their places are unknown.
    """

    read: int
    written: int
    moved: int | None


@lru_cache(maxsize=64)
def totals(shown: Shown) -> Totals:
    """What a launch costs.

    A sector that two instructions need is counted for each: a cache may know it still, but that is another story.
    """
    launch = shown.launch
    return Totals(launch.bytes_read, launch.bytes_written, _moved(shown) if shown.drawable else None)


def why_not_counted(shown: Shown) -> Text:
    """Why `moved` is None, if it is."""
    if not shown.drawable:
        return words.UNKNOWN_MOVED
    return words.BY_INDEX if _is_left_to_the_index(shown) else words.NOT_COUNTED


def _is_left_to_the_index(shown: Shown) -> bool:
    return shown.launch.kind == "scatter_add" and shown.places is None


def _moved(shown: Shown) -> int | None:
    launch = shown.launch
    if _is_left_to_the_index(shown):
        return None
    if launch.kind == "contiguous" and _whole_sectors(shown):
        return sum(_ways(each.role) * _held(each.offset, each.elements, each.dtype) for each in launch.operands)
    warps, turns = launch.blocks * -(-launch.threads // WARP), geometry.turns(launch)
    if warps * turns * WARP * len(launch.operands) > MOST_ACCESSES:
        return None
    places = [(block, first) for block in range(launch.blocks) for first in range(0, launch.threads, WARP)]
    if launch.kind == "scatter_add":  # what the additions ask for, the index says
        asked = (
            each for block, first in places for turn in range(turns) for each in served(shown, Pick(block, first, turn))
        )
        return sum(_times(each.kinds) * each.moved for each in asked)
    return sum(each.moved for block, first in places for each in traffic.requests(launch, block, first // WARP))


def _times(kinds: tuple[str, ...]) -> int:
    """How often the sectors of an operand are moved: an addition reads and writes."""
    return len(kinds) + ("adds" in kinds)


def _ways(role: str) -> int:
    """In place, a sector is moved twice: to be read and to be written."""
    return 2 if role == "both" else 1


def _held(offset: int, elements: int, dtype: str) -> int:
    size = geometry.itemsize(dtype)
    first, last = offset * size // traffic.SECTOR, (offset + elements) * size - 1
    return (last // traffic.SECTOR - first + 1) * traffic.SECTOR


def _whole_sectors(shown: Shown) -> bool:
    """Whether each warp's part of each operand begins where a sector does, so that no two warps share one."""
    launch = shown.launch
    leftovers = geometry.target(launch).elements % launch.width
    begins = (each.offset * geometry.itemsize(each.dtype) % traffic.SECTOR for each in launch.operands)
    spans = (WARP * launch.width * geometry.itemsize(each.dtype) % traffic.SECTOR for each in launch.operands)
    return not leftovers and not any(begins) and not any(spans)
