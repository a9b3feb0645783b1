"""Collects the launches to draw, with facts from their recording, and computes the memory requests of a warp: slots, sectors, bytes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from inplacelab.kernels import geometry, traffic
from inplacelab.kernels.geometry import WARP, Access
from inplacelab.kernels.launch import Launch, Operand
from inplacelab.recording.facts import LaunchFacts, StorageFacts
from inplacelab.recording.recording import Recording, State

MOST_PLACES = 4096
"""The most slots of a scatter that are drawn: a recording stores no larger storage whole."""


class ShownLaunch(NamedTuple):
    """A launch to draw.

    Attributes:
        launch: the facts of the launch.
        storages: for each operand the name of its storage ("S1"); "" where it is not known.
        places: for a scatter, the slot to which each element is added; None if they are unknown.
        step: the step of the recording that launched it; None without a recording.
        line: the line of the program; None if not known.
    """

    launch: Launch
    storages: tuple[str, ...]
    places: tuple[int, ...] | None = None
    step: int | None = None
    line: int | None = None

    @property
    def drawable(self) -> bool:
        """Whether the arithmetic of its threads is known."""
        return self.launch.kind in KINDS and bool(self.launch.operands) and geometry.turns(self.launch) > 0


KINDS = ("contiguous", "strided", "normalize", "transpose", "transpose_square", "scatter_add")
"""The kernels whose geometry is known."""


def shown_launches(given: Any, index: Sequence[int] | None = None) -> tuple[ShownLaunch, ...]:
    """Returns the launches of a recording, or the given ones.

    Args:
        given: a recording, a launch, or several launches.
        index: for a scatter without a recording, the slot that each element goes to.
    """
    if isinstance(given, Recording):
        return tuple(_of_recording(given))
    if isinstance(given, Launch | LaunchFacts):
        given = (given,)
    return tuple(
        ShownLaunch(_plain(each), tuple("" for _ in each.operands), _chosen(_plain(each), index)) for each in given
    )


def _of_recording(recording: Recording) -> Iterable[ShownLaunch]:
    for state in recording.states():
        for facts in state.step.launches:
            names = tuple("" if each.storage is None else f"S{each.storage}" for each in facts.operands)
            launch = _plain(facts)
            yield ShownLaunch(launch, names, _chosen(launch, _values(facts, state)), state.step.index, state.step.line)


def _plain(facts: Launch | LaunchFacts) -> Launch:
    """The facts in the type that the arithmetic of launches takes."""
    if isinstance(facts, Launch):
        return facts
    operands = tuple(
        Operand(o.name, o.role, o.dtype, o.shape, o.strides, o.offset, o.storage_bytes) for o in facts.operands
    )
    return Launch(
        facts.kernel, facts.kind, facts.grid, facts.block, facts.width, facts.dtype, operands, facts.bytes_read,
        facts.bytes_written, facts.device, facts.simulated,
    )  # fmt: skip


def _values(facts: LaunchFacts, state: State) -> Sequence[int] | None:
    """The values of a scatter's index, if its storage was recorded whole. A scatter does not write it."""
    if facts.kind != "scatter_add":
        return None
    chosen = facts.operands[1]
    storage: StorageFacts | None = None if chosen.storage is None else state.storages.get(chosen.storage)
    if storage is None or not isinstance(storage.values, tuple):
        return None
    layout = _plain(facts).operands[1].layout
    return [int(storage.values[geometry.slot(layout, k)].real) for k in range(layout.size)]


def _chosen(launch: Launch, index: Sequence[int] | None) -> tuple[int, ...] | None:
    """Returns the slot of each element of the index; None if it is unknown or does not match."""
    if launch.kind != "scatter_add" or index is None or not len(index) == launch.operands[1].elements <= MOST_PLACES:
        return None
    return tuple(geometry.slot(launch.operands[0].layout, int(each)) for each in index)


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
