"""Keeps what explains a stale value, in bounded memory: which lines made grad nodes, and which lines wrote which storage.

A moment of the program is the number that the framework would give its next grad node. It rises with every node.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from inplacelab.diagnosis.places import Place
from inplacelab.layout import Layout

NODES = 1 << 17
"""Of so many operations that made nodes it is known which line ran them."""
WRITES = 128
"""So many writes of each storage are kept."""
VIEWS = 64
"""So many views of each storage are kept."""
UNSWEPT = 1024
"""After so many new storages those that are gone are dropped."""


class Made(NamedTuple):
    """An operation that made nodes.

    Attributes:
        first, last: its nodes are `first`, and so on, before `last`.
        op: its name.
        place: where it ran.
    """

    first: int
    last: int
    op: str
    place: Place | None


class Write(NamedTuple):
    """A write to a storage.

    Attributes:
        first, last: the moments before and after it.
        op: the operation.
        before, after: the version before and after it.
        layout: of the view that was written; None for a tensor that is no view.
        place: where it ran.
        silent: whether the version of other tensors on the storage did not rise with it, as for `x.data`.
    """

    first: int
    last: int
    op: str
    before: int
    after: int
    layout: Layout | None
    place: Place | None
    silent: bool = False


@dataclass(slots=True)
class StorageLog:
    """What is known of a storage.

    Attributes:
        pin: keeps its address from being used again (see `Ledger`).
        writes: the last writes, in order.
        views: where views of it were made, by layout.
        shapes: those of tensors that were written and are no views.
    """

    pin: int
    writes: deque[Write] = field(default_factory=lambda: deque(maxlen=WRITES))
    views: dict[Layout, Place | None] = field(default_factory=dict)
    shapes: set[tuple[int, ...]] = field(default_factory=set)


class Ledger:
    """Keeps what a watch has seen.

    Args:
        is_gone: whether a storage is gone, by its pin.
        unpin: drops a pin.
    """

    def __init__(self, is_gone: Callable[[int], bool], unpin: Callable[[int], None]) -> None:
        self._is_gone, self._unpin = is_gone, unpin
        self._storages: dict[int, StorageLog] = {}
        self._made: deque[Made] = deque(maxlen=NODES)
        self._sweep_at = UNSWEPT
        self.operations = 0

    def forget(self) -> None:
        """Drops everything, and all pins."""
        for log in self._storages.values():
            self._unpin(log.pin)
        self._storages.clear()
        self._made.clear()

    def made(self, made: Made) -> None:
        """Notes an operation that made nodes."""
        self._made.append(made)

    def storage(self, address: int, pin: Callable[[], int]) -> StorageLog:
        """Returns the log of a storage; begins it if there is none."""
        log = self._storages.get(address)
        if log is None:
            if len(self._storages) >= self._sweep_at:
                self._sweep()
            log = self._storages[address] = StorageLog(pin())
        return log

    def _sweep(self) -> None:
        for address in [each for each, log in self._storages.items() if self._is_gone(log.pin)]:
            self._unpin(self._storages.pop(address).pin)
        self._sweep_at = len(self._storages) + UNSWEPT

    def find(self, address: int) -> StorageLog | None:
        """Returns the log of a storage; None if nothing is known of it."""
        return self._storages.get(address)

    def logs(self) -> Iterator[StorageLog]:
        """Yields the logs of all storages."""
        yield from self._storages.values()

    @property
    def watched(self) -> int:
        """How many storages were written, or have views."""
        return len(self._storages)

    def maker(self, node: int) -> Made | None:
        """Returns the operation that made a node, by its number; None if it is not known (any more)."""
        position = bisect_right(self._made, node, key=lambda each: each.first) - 1
        while position >= 0:  # operations may contain others, which were noted before them
            found = self._made[position]
            if found.first <= node < found.last:
                return found
            if found.last <= node and found.last > found.first:
                return None
            position -= 1
        return None

    def seen(self) -> Iterator[Made]:
        """Yields the operations that made nodes, the last one first."""
        yield from reversed(self._made)


def since(log: StorageLog, node: int, versions: range, *, is_result: bool) -> list[Write]:
    """Returns the writes that came after a node was made, each of which found the version that the one before had left.

    Args:
        log: the storage.
        node: the node's number.
        versions: those from the one that it has saved to the last one.
        is_result: whether it has saved the result of its operation, which may have written it, and not an operand.
    """
    later = [each for each in log.writes if not each.silent and (each.first > node if is_result else each.last > node)]
    if later and len(log.writes) == WRITES and later[0] is log.writes[0]:  # the first ones may be forgotten
        versions = range(max(later[0].before, versions.start), versions.stop)
    found: list[Write] = []
    version = versions.start
    for write in later:
        if write.before == version in versions:
            found.append(write)
            version = write.after
    return found
