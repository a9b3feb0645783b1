"""Counts the bytes of a whole launch, requested and moved."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from inplacelab.devices.kernels import geometry, traffic
from inplacelab.devices.kernels.geometry import WARP
from inplacelab.language import Text
from inplacelab_widgets.kernel import words
from inplacelab_widgets.kernel.launches import Shown
from inplacelab_widgets.kernel.warp_accesses import Pick, served


class Totals(NamedTuple):
    """Bytes of a launch.

    Attributes:
        read: bytes that the threads read.
        written: bytes that the threads wrote.
        moved: bytes of the sectors, summed over warps; None if the slots are unknown, or the layout is too irregular.
    """

    read: int
    written: int
    moved: int | None


@lru_cache(maxsize=64)
def totals(shown: Shown) -> Totals:
    """Returns the bytes of a launch.

    A sector that two instructions need is counted for each; caches are not modelled.
    """
    launch = shown.launch
    return Totals(launch.bytes_read, launch.bytes_written, _moved(shown) if shown.drawable else None)


def why_not_counted(shown: Shown) -> Text:
    """Explains why `moved` is None; None if it is not."""
    if not shown.drawable:
        return words.UNKNOWN_MOVED
    return words.BY_INDEX if _is_left_to_the_index(shown) else words.NOT_COUNTED


def _is_left_to_the_index(shown: Shown) -> bool:
    return shown.launch.kind == "scatter_add" and shown.places is None


def _moved(shown: Shown) -> int | None:
    launch = shown.launch
    if launch.kind != "scatter_add":
        return traffic.moved(launch)
    if shown.places is None:
        return None
    warps = [(block, first) for block in range(launch.blocks) for first in range(0, launch.threads, WARP)]
    asked = (
        each
        for block, first in warps
        for turn in range(geometry.turns(launch))
        for each in served(shown, Pick(block, first, turn))
    )
    return sum(_times(each.kinds) * each.moved for each in asked)


def _times(kinds: tuple[str, ...]) -> int:
    """Returns how often the sectors of an operand are moved: an addition reads and writes."""
    return len(kinds) + ("adds" in kinds)
