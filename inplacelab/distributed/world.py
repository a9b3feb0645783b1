"""The ranks of a program, and how they meet.

Before a collective every rank tells all others what it is about to do, and reads what they say: a *meeting*. Only if all say the same does
it begin. So a collective that is missing on one rank, or has another shape there, is found by all ranks, before anything is written, and all
raise the same error. A rank that ends says so, which the others read when they wait for it. Nothing here waits without an end: every wait
asks again and again whether it is over, whether a rank has left, and whether the time is up.

What moves elements writes its result into the given memory. Sums are computed in the order of the ranks, ((r0 + r1) + r2) + r3, whatever the
number of elements and the library of MPI. MPI itself may add in any order, and choose another one for larger tensors; in floating point that
gives other last digits.
"""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from inplacelab import errors
from inplacelab.language import Text

_PACKAGE = str(Path(__file__).parents[1])
_GENERATED = "<inplacelab "


@dataclass(frozen=True, slots=True)
class Announcement:
    """A collective that a rank is about to make. All ranks must announce the same, but for `where`, `refused` and `told`.

    Attributes:
        meeting: how many meetings of the ranks came before.
        number: which collective of the program it is, from 1.
        name: the operation: "all_reduce".
        operands: the shape and dtype of each tensor: "float32[2, 3]".
        options: further arguments on which the ranks must agree: "SUM", "src=0".
        where: the program's file and line: "train.py:12".
        refused: the headline of the reason why this rank cannot make it; empty if it can.
        told: values for the other ranks.
    """

    meeting: int
    number: int
    name: str
    operands: tuple[str, ...]
    options: str
    where: str
    refused: str = ""
    told: Any = field(default=None, compare=False)

    @property
    def agreed(self) -> tuple[object, ...]:
        """What must be the same on all ranks."""
        return self.meeting, self.name, self.operands, self.options

    def __str__(self) -> str:
        arguments = ", ".join((*self.operands, *filter(None, (self.options,))))
        return f"{self.name}({arguments}) at {self.where}"


@dataclass(frozen=True, slots=True)
class Farewell:
    """The last words of a rank.

    Attributes:
        completed: how many meetings, with what followed, it has completed.
        reason: why it goes: "it has finished the program".
    """

    completed: int
    reason: Text


def calls_by_rank(announcements: list[Announcement]) -> str:
    """Returns who announced what, equal calls together: "rank 0: barrier() at a.py:3; ranks 1, 2: ..."."""
    ranks: dict[str, list[int]] = {}
    for rank, each in enumerate(announcements):
        ranks.setdefault(str(each), []).append(rank)
    return "; ".join(
        f"rank{'s' * (len(those) > 1)} {', '.join(map(str, those))}: {call}" for call, those in ranks.items()
    )


def program_line() -> str:
    """Returns the file and line of the program that calls the package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith((_PACKAGE, _GENERATED)):
        frame = frame.f_back
    return f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"


_SPINS = 50
"""So often a wait only lets other processes run, before it begins to sleep."""
_LONGEST_SLEEP = 0.002

_GAVE_UP = Text("it gave up, because of an error in an earlier collective", "它因先前一次集合通信出错而放弃")


class World:
    """The ranks of one program.

    Args:
        messages: a communicator of MPI for announcements.
        data: another one for the elements of tensors.
        timeout: how many seconds to wait for the other ranks.

    Attributes:
        rank: the number of this rank, from 0.
        size: how many ranks there are.
        meetings: how often this rank has met the others.
        collectives: for how many collectives.
        broken: the error after which no collective is possible any more.
        left: the ranks that take part in nothing more, with their last words.
    """

    def __init__(self, messages: Any, data: Any, timeout: float) -> None:
        self.messages, self.data, self.timeout = messages, data, timeout
        self.rank, self.size = int(messages.Get_rank()), int(messages.Get_size())
        self.meetings = self.collectives = 0
        self.broken: BaseException | None = None
        self.left: dict[int, Farewell] = {}
        self._inbox: list[deque[Announcement]] = [deque() for _ in range(self.size)]
        self._sent: list[Any] = []  # requests of messages that are on their way
        self._unfinished: list[Any] = []  # requests, and with them memory, of a collective that never ended

    # ---- meetings --------------------------------------------------------------------------------------------------------

    def announcement(
        self, name: str, operands: Sequence[str], options: str = "", *, refused: str = "", told: Any = None
    ) -> Announcement:
        """Returns what this rank says at the next meeting. The arguments are attributes of `Announcement`."""
        return Announcement(
            self.meetings, self.collectives + 1, name, tuple(operands), options, program_line(), refused, told
        )

    def meet(self, announcement: Announcement) -> list[Announcement]:
        """Tells all ranks what this one is about to do, and returns what each of them said.

        Raises:
            CommunicationError: if a rank says something else or refuses (on all ranks, which can go on), or if a rank has left or does
                not come in time (then no further collective is possible).
        """
        if self.broken is not None:
            raise errors.group_broken(op=announcement.name, reason=headline(self.broken))
        try:
            said = self._said(announcement)
        except BaseException as error:
            self.give_up(error, self.meetings)
            raise
        self.meetings += 1
        for rank, each in enumerate(said):
            if each.refused and rank != self.rank:
                raise errors.refused_elsewhere(
                    number=each.number, op=each.name, rank=rank, reason=each.refused, where=each.where
                )
        if any(each.agreed != announcement.agreed for each in said):
            raise errors.collectives_differ(number=announcement.number, calls=calls_by_rank(said))
        return said

    def _said(self, announcement: Announcement) -> list[Announcement]:
        others = [rank for rank in range(self.size) if rank != self.rank]
        self._tell(announcement)
        self.wait(lambda: all(self._inbox[rank] for rank in others) and self._all_sent(), announcement)
        self._inbox[self.rank].append(announcement)
        return [self._inbox[rank].popleft() for rank in range(self.size)]

    def _tell(self, message: Announcement | Farewell) -> None:
        self._sent += [self.messages.isend(message, dest=rank) for rank in range(self.size) if rank != self.rank]

    def _all_sent(self) -> bool:
        self._sent = [request for request in self._sent if not request.Test()]
        return not self._sent

    def _read(self) -> None:
        """Reads all messages that have arrived."""
        while (message := self.messages.improbe()) is not None:
            rank, said = message_of(message)
            if isinstance(said, Farewell):
                self.left[rank] = said
            else:
                self._inbox[rank].append(said)

    # ---- waiting ---------------------------------------------------------------------------------------------------------

    def wait(self, over: Callable[[], bool], announcement: Announcement) -> None:
        """Waits until `over()`.

        Raises:
            CommunicationError: if a rank has left that this collective needs, or the time is up.
        """
        deadline = time.monotonic() + self.timeout
        asked = 0
        while not over():
            self._read()
            if over():
                return
            self._check_all_there(announcement)
            if time.monotonic() > deadline:
                self._too_late(announcement)
            asked += 1
            time.sleep(0 if asked < _SPINS else min(_LONGEST_SLEEP, 1e-5 * asked))

    def finish(self, requests: list[Any], announcement: Announcement) -> None:
        """Waits until requests of MPI are completed: the second part of a collective."""
        try:
            self.wait(lambda: all(request.Test() for request in requests), announcement)
        except BaseException as error:
            self._unfinished += requests
            self.give_up(error, announcement.meeting)
            raise

    def _check_all_there(self, announcement: Announcement) -> None:
        for rank, farewell in sorted(self.left.items()):
            if farewell.completed <= announcement.meeting and not self._inbox[rank]:
                raise errors.rank_left(
                    rank=rank,
                    op=announcement.name,
                    number=announcement.number,
                    where=announcement.where,
                    reason=farewell.reason,
                )

    def _too_late(self, announcement: Announcement) -> NoReturn:
        missing = [rank for rank in range(self.size) if rank != self.rank and not self._inbox[rank]]
        raise errors.ranks_do_not_come(
            ranks=", ".join(map(str, missing)),
            op=announcement.name,
            number=announcement.number,
            where=announcement.where,
            seconds=f"{self.timeout:g}",
        )

    # ---- leaving ---------------------------------------------------------------------------------------------------------

    def give_up(self, error: BaseException, completed: int) -> None:
        """Notes that no further collective is possible, and tells the other ranks."""
        self.broken = error
        self._tell(Farewell(completed, _GAVE_UP))

    def leave(self, reason: Text) -> None:
        """Tells the other ranks that this one takes part in nothing more."""
        if self.broken is None:
            self._tell(Farewell(self.meetings, reason))

    def all_leave(self, seconds: float) -> list[int]:
        """Waits until all other ranks have left, and returns those that have not after so many seconds."""
        deadline = time.monotonic() + seconds
        while True:
            self._read()
            staying = [rank for rank in range(self.size) if rank != self.rank and rank not in self.left]
            if not staying or time.monotonic() > deadline:
                return staying
            time.sleep(_LONGEST_SLEEP)


def message_of(message: Any) -> tuple[int, Announcement | Farewell]:
    """Receives a message that was found, and returns its sender's rank with it."""
    from mpi4py import MPI

    status = MPI.Status()
    said = message.recv(status=status)
    return int(status.Get_source()), said


def headline(error: BaseException) -> str:
    """Returns the first line of an error, for other ranks."""
    return error.headline if isinstance(error, errors.Refusal) else f"{type(error).__name__}: {error}"


# ---- moving elements ---------------------------------------------------------------------------------------------------------

Flat = np.ndarray[Any, np.dtype[Any]]


class ReduceOp(IntEnum):
    """How a collective combines the elements of the ranks. The numbers are Paddle's."""

    SUM = 0
    MAX = 1
    MIN = 2
    PROD = 3
    AVG = 4


_COMBINE: dict[ReduceOp, Callable[..., Any]] = {
    ReduceOp.SUM: np.add,
    ReduceOp.MAX: np.maximum,
    ReduceOp.MIN: np.minimum,
    ReduceOp.PROD: np.multiply,
    ReduceOp.AVG: np.add,
}


def reduce_everywhere(world: World, call: Announcement, flat: Flat, op: ReduceOp) -> None:
    """Writes the reduction of all ranks' `flat` into each of them.

    Each rank reduces one part of the elements, and then gives it to all: `MPI.IN_PLACE`, so the result arrives in `flat` itself.
    """
    from mpi4py import MPI

    parts = np.array_split(flat, world.size)
    reduce_parts(world, call, parts, parts[world.rank], op)
    counts = [part.nbytes for part in parts]
    starts = [sum(counts[:k]) for k in range(world.size)]
    gathered = [as_bytes(flat), counts, starts, MPI.BYTE]
    world.finish([world.data.Iallgatherv(MPI.IN_PLACE, gathered)], call)


def reduce_parts(world: World, call: Announcement, parts: Sequence[Flat], out: Flat, op: ReduceOp) -> None:
    """Writes into `out` the reduction of what the ranks have for this one: their `parts[rank]`. `out` may be one of the parts."""
    arrived = [np.empty_like(out) for _ in range(world.size - 1)]
    arrived.insert(world.rank, parts[world.rank])
    others = [rank for rank in range(world.size) if rank != world.rank]
    receiving = [world.data.Irecv(as_bytes(arrived[rank]), source=rank) for rank in others]
    sending = [world.data.Isend(as_bytes(parts[rank]), dest=rank) for rank in others]
    world.finish(receiving + sending, call)
    total = arrived[0] if world.rank else arrived[0].copy()
    for each in arrived[1:]:
        _COMBINE[op](total, each, out=total)
    if op is ReduceOp.AVG:
        np.divide(total, world.size, out=total)
    np.copyto(out, total)


def send_to_all(world: World, call: Announcement, flats: Sequence[Flat], roots: Sequence[int]) -> None:
    """Writes the elements that rank `roots[k]` has in `flats[k]` into those of all other ranks."""
    world.finish([world.data.Ibcast(as_bytes(flat), root=root) for flat, root in zip(flats, roots, strict=True)], call)


def as_bytes(flat: Flat) -> Flat:
    """Returns the same memory as bytes, which MPI moves for every data type."""
    return flat.view(np.uint8)
