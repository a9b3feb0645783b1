"""Counts the bytes of a whole launch: read, written and requested."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from inplacelab.kernels import geometry, traffic
from inplacelab.kernels.geometry import WARP
from inplacelab.language import Text
from inplacelab_widgets.kernel import words
from inplacelab_widgets.kernel.launches import ShownLaunch
from inplacelab_widgets.kernel.warp_accesses import Pick, warp_requests


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
    return words.BY_INDEX if _is_left_to_the_index(shown) else words.NOT_COUNTED


def _is_left_to_the_index(shown: ShownLaunch) -> bool:
    return shown.launch.kind == "scatter_add" and shown.places is None


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
