"""The ranks of a program, and how they meet.

Before a collective every rank tells all others what it is about to do, and reads what they say: a *meeting*. Only if all say the same does
it begin. So a collective that is missing on one rank, or has another shape there, is found by all ranks, before anything is written, and all
raise the same error. A rank that ends says so, which the others read when they wait for it. Nothing here waits without an end: every wait
asks again and again whether it is over, whether a rank has left, and whether the time is up.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from inplacelab import errors
from inplacelab.distributed.announcement import Announcement, Farewell, calls_by_rank, program_line
from inplacelab.language import Text

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
