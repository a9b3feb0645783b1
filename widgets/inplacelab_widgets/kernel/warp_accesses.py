"""Computes the accesses of one warp in one turn, by operand: slots, sectors, bytes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from inplacelab.devices.kernels import geometry, traffic
from inplacelab.devices.kernels.geometry import WARP, Access
from inplacelab.devices.kernels.launch import Launch
from inplacelab_widgets.kernel.launches import Shown


class Pick(NamedTuple):
    """A thread, counted within its block, and one of its turns."""

    block: int = 0
    thread: int = 0
    turn: int = 0


class Lane(NamedTuple):
    """The slots that one thread of the warp accesses: its lane, the first slot, the number of slots."""

    lane: int
    slot: int
    slots: int


class Served(NamedTuple):
    """The accesses of a warp to one operand in a turn.

    Attributes:
        operand: its position.
        kinds: those of "reads", "writes", "adds" that happen.
        lanes: the threads that take part, with their slots; empty if the slots are unknown.
        sectors: the sectors that hold the slots, counted from the start of the storage.
        wanted: bytes of the slots, each counted once.
        crowd: the largest number of threads on one slot.
        unknown: True if threads take part but their slots are unknown.
        apart: bytes from the start of one thread's slots to the next thread's; 0 if that differs or is unknown.
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
    def moved(self) -> int:
        """The bytes of the sectors."""
        return traffic.SECTOR * len(self.sectors)


def fitted(shown: Shown, pick: Pick) -> Pick:
    """Returns the nearest existing thread and turn."""
    launch = shown.launch
    turns = geometry.turns(launch) if shown.drawable else 1
    most = (launch.blocks - 1, launch.threads - 1, turns - 1)
    return Pick(*(min(max(value, 0), limit) for value, limit in zip(pick, most, strict=True)))


def accesses_at(shown: Shown, block: int, thread: int, turn: int) -> list[Access]:
    """Returns the accesses of a thread in a turn; slots of atomic additions are filled in if they are known."""
    found = [each for each in geometry.accesses(shown.launch, block, thread) if each.turn == turn]
    return [each._replace(slot=_place(shown, block, thread, turn)) if each.slot is None else each for each in found]


def _place(shown: Shown, block: int, thread: int, turn: int) -> int | None:
    if shown.places is None:
        return None
    launch = shown.launch
    return shown.places[(turn * launch.blocks + block) * launch.threads + thread]


def served(shown: Shown, pick: Pick) -> list[Served]:
    """Returns the accesses of the picked thread's warp in its turn, for each operand."""
    return _of_warp(shown, pick.block, pick.thread // WARP, pick.turn)


@lru_cache(maxsize=256)
def _of_warp(shown: Shown, block: int, warp: int, turn: int) -> list[Served]:
    launch, first = shown.launch, warp * WARP
    done = {lane: accesses_at(shown, block, first + lane, turn) for lane in range(min(WARP, launch.threads - first))}
    return [_served(launch, position, done) for position in range(len(launch.operands))]


def _served(launch: Launch, position: int, done: dict[int, list[Access]]) -> Served:
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
    return Served(position, kinds, lanes, held, len(met) * size, crowd, unknown, _apart(lanes) * size)


def _apart(lanes: Sequence[Lane]) -> int:
    """Returns the slots from one thread's first slot to the next thread's; 0 if that differs."""
    steps = {abs(other.slot - one.slot) for one, other in pairwise(lanes)}
    return steps.pop() if len(steps) == 1 else 0
