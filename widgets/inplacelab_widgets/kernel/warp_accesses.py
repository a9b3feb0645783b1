"""Computes the memory requests of one warp in one turn, for each operand: slots, sectors, bytes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from inplacelab.kernels import geometry, traffic
from inplacelab.kernels.geometry import WARP, Access
from inplacelab.kernels.launch import Launch
from inplacelab_widgets.kernel.launches import ShownLaunch


class Pick(NamedTuple):
    """A thread, counted within its block, and one of its turns."""

    block: int = 0
    thread: int = 0
    turn: int = 0


class Lane(NamedTuple):
    """The slots that one thread of the warp touches: its lane, the first slot, how many."""

    lane: int
    slot: int
    slots: int


class WarpRequest(NamedTuple):
    """The request of a warp to one operand in one turn.

    Attributes:
        operand: the position of the operand.
        kinds: the kinds of access, out of "reads", "writes", "adds".
        lanes: the threads that take part, with their slots; empty if the slots are not known.
        sectors: the sectors with these slots, counted from the start of the storage.
        wanted: the bytes of the slots, each counted once.
        crowd: the most threads on one slot.
        unknown: True if threads take part but their slots are not known.
        apart: the bytes from the first slot of one thread to that of the next; 0 if that differs or is not known.
    """

    operand: int
    kinds: tuple[str, ...]
    lanes: tuple[Lane, ...]
    sectors: tuple[int, ...]
    wanted: int
    crowd: int
    unknown: bool
    apart: int

    @property
    def requested(self) -> int:
        """The bytes of all sectors."""
        return traffic.SECTOR * len(self.sectors)


def fitted(shown: ShownLaunch, pick: Pick) -> Pick:
    """Returns the nearest pick that the launch has."""
    launch = shown.launch
    turns = geometry.turns(launch) if shown.drawable else 1
    most = (launch.blocks - 1, launch.threads - 1, turns - 1)
    return Pick(*(min(max(value, 0), limit) for value, limit in zip(pick, most, strict=True)))


def accesses_at(shown: ShownLaunch, block: int, thread: int, turn: int) -> list[Access]:
    """Returns the accesses of a thread in a turn, with the slot of an atomic addition filled in if it is known."""
    found = [each for each in geometry.accesses(shown.launch, block, thread) if each.turn == turn]
    return [each._replace(slot=_place(shown, block, thread, turn)) if each.slot is None else each for each in found]


def _place(shown: ShownLaunch, block: int, thread: int, turn: int) -> int | None:
    if shown.places is None:
        return None
    launch = shown.launch
    return shown.places[(turn * launch.blocks + block) * launch.threads + thread]


def warp_requests(shown: ShownLaunch, pick: Pick) -> list[WarpRequest]:
    """Returns the requests of the picked thread's warp in its turn, one for each operand."""
    return _of_warp(shown, pick.block, pick.thread // WARP, pick.turn)


@lru_cache(maxsize=256)
def _of_warp(shown: ShownLaunch, block: int, warp: int, turn: int) -> list[WarpRequest]:
    launch, first = shown.launch, warp * WARP
    done = {lane: accesses_at(shown, block, first + lane, turn) for lane in range(min(WARP, launch.threads - first))}
    return [_warp_request(launch, position, done) for position in range(len(launch.operands))]


def _warp_request(launch: Launch, position: int, done: dict[int, list[Access]]) -> WarpRequest:
    operand = launch.operands[position]
    mine = [(lane, each) for lane, accesses in done.items() for each in accesses if each.operand == operand.name]
    kinds = tuple(kind for kind in ("reads", "writes", "adds") if any(each.kind == kind for _, each in mine))
    places = {lane: Lane(lane, each.slot, each.slots) for lane, each in mine if each.slot is not None}
    lanes, size = tuple(places.values()), geometry.itemsize(operand.dtype)
    met: dict[int, int] = {}
    for _, slot, slots in lanes:
        for each in range(slot, slot + slots):
            met[each] = met.get(each, 0) + 1
    held = traffic.sectors((slot * size, size) for slot in met)
    crowd, unknown = max(met.values(), default=0), bool(mine) and not lanes
    return WarpRequest(position, kinds, lanes, held, len(met) * size, crowd, unknown, _apart(lanes) * size)


def _apart(lanes: Sequence[Lane]) -> int:
    """The number of slots from one thread's first slot to the next thread's; 0 if that differs."""
    steps = {abs(other.slot - one.slot) for one, other in pairwise(lanes)}
    return steps.pop() if len(steps) == 1 else 0
