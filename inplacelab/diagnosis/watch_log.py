"""Keeps what explains a stale value, in bounded memory: which lines made grad nodes, and which lines wrote which storage.

The framework numbers the nodes of each thread from zero. The log counts what it notes, in whatever thread it happens: such a number is a
`moment`.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import lru_cache
from typing import Any, Literal, NamedTuple
from weakref import ref

from inplacelab.diagnosis.places import Place
from inplacelab.layout import Layout

MARKS = "mark_dirty"
"""What raises the version of a tensor that the `forward` of a `torch.autograd.Function` has marked, once more than its writes did."""
NODES = 1 << 15
"""Of so many operations that made nodes it is known which line ran them: several times those of a step of a large model."""
THREADS = 64
"""So many threads are remembered whose operations made nodes."""
INSIDE = 1 << 12
"""So many operations may run inside another."""
WRITES = 128
"""So many writes of each storage are kept."""
VIEWS = 64
"""So many views of each storage are kept."""
UNSWEPT = 1024
"""After so many new storages those that are gone are dropped."""


class Counter:
    """A version counter, as far as a watch can tell counters apart.

    Args:
        home: the log of the storage whose tensors it counted first.
        is_apart: whether it is that of `x.data`, which other tensors on the storage do not share.
    """

    __slots__ = ("_home", "is_apart")

    def __init__(self, home: StorageLog, *, is_apart: bool) -> None:
        self._home, self.is_apart = home, is_apart

    @property
    def home(self) -> StorageLog:
        """The log of the storage whose tensors it counted first."""
        return self._home


class Made(NamedTuple):
    """An operation that made nodes.

    Attributes:
        first, last: its nodes are `first`, and so on, before `last`.
        op: its name.
        place: where it ran.
        moment: when it ended.
        versions: the addresses of the storages of its tensors, and the versions of these, see `packed`.
        labels: what the program calls its first tensors there.
        operands: their addresses, in as few bytes.
    """

    first: int
    last: int
    op: str
    place: Place | None
    moment: int = 0
    versions: bytes = b""
    labels: tuple[str, ...] = ()
    operands: bytes = b""

    def label_of(self, tensor: int, storage: int | None) -> tuple[str, bool]:
        """Returns what the program called a tensor there, given by its address and that of its storage; and whether that is another one on the storage."""
        for label, each in zip(self.labels, struct.unpack(f"{len(self.labels)}q", self.operands), strict=True):
            if each == tensor and label:
                return label, False
        addresses = struct.unpack(f"{len(self.versions) // 8}q", self.versions)[::2]
        labels = {label for label, each in zip(self.labels, addresses, strict=False) if label and each == storage}
        return (labels.pop(), True) if len(labels) == 1 else ("", False)

    def versions_of(self, address: int | None) -> list[int]:
        """Returns the versions of its tensors on a storage: of each that it was given, and of each that it was given or returned, after it."""
        numbers = struct.unpack(f"{len(self.versions) // 8}q", self.versions)
        return [version for each, version in zip(numbers[::2], numbers[1::2], strict=True) if each == address]


def packed(versions: Sequence[int]) -> bytes:
    """Returns the addresses of storages, each followed by the version of a tensor on it, in few bytes."""
    return _packs(len(versions))(*versions)


def addresses(tensors: Iterable[object]) -> bytes:
    """Returns the addresses of tensors in few bytes."""
    return _packs(len(found))(*found) if (found := [*map(id, tensors)]) else b""


@lru_cache(maxsize=256)
def _packs(count: int) -> Callable[..., bytes]:
    return struct.Struct(f"{count}q").pack


class Pass(NamedTuple):
    """A backward pass that has ended.

    Attributes:
        begun: the number of the next node when it began.
        place: where that was.
        roots: the tensors with which it began.
    """

    begun: int
    place: Place | None
    roots: tuple[ref[Any], ...]


class Write(NamedTuple):
    """A write to a storage.

    Attributes:
        moment: when it ended.
        op: the operation.
        before, after: the version before and after it.
        layout: of the view that was written; None for a tensor that is no view.
        place: where it ran.
        counter: the counter that has counted it.
        silent: whether the version of other tensors on the storage did not rise with it, as for `x.data`.
        made: where the view was made; None if that is not known, or if it is none.
        update: whether it changed a parameter where autograd records nothing: an optimizer's "step", or by the program's "own" code.
    """

    moment: int
    op: str
    before: int
    after: int
    layout: Layout | None
    place: Place | None
    counter: Counter
    silent: bool = False
    made: Place | None = None
    update: Literal["", "step", "own"] = ""


class StorageLog(Counter):
    """What is known of a storage. It stands for the counter of its tensors, but those that count apart.

    Attributes:
        address: where it is.
        pin: keeps its address from being used again (see `Ledger`).
        writes: the last writes, in order.
        views: the last views of it, by their addresses: the layout of each, and where it was made.
        shapes: those of tensors that were written and are no views.
        counts_apart: whether there may be tensors that count apart.
    """

    __slots__ = ("address", "counts_apart", "pin", "shapes", "views", "writes")

    def __init__(self, address: int, pin: int) -> None:
        self.address, self.pin, self.is_apart, self.counts_apart = address, pin, False, False
        self.writes: deque[Write] = deque(maxlen=WRITES)
        self.views: dict[int, tuple[Layout, Place | None]] = {}
        self.shapes: set[tuple[int, ...]] = set()

    @property
    def home(self) -> StorageLog:
        """Itself."""
        return self

    def made_view(self, address: int, layout: Layout, place: Place | None) -> None:
        """Notes where a view was made."""
        self.views.pop(address, None)
        if len(self.views) >= VIEWS:
            del self.views[next(iter(self.views))]
        self.views[address] = layout, place

    def view(self, address: int, layout: Layout) -> Place | None:
        """Returns where a view was made: the last one with that layout, if that one is not known."""
        known, place = self.views.get(address, (None, None))
        if known == layout:
            return place
        return next((place for each, place in reversed(self.views.values()) if each == layout), None)


class WatchLog:
    """Keeps what a watch has seen.

    Args:
        is_gone: whether a storage is gone, by its pin.
        unpin: drops a pin.
    """

    def __init__(self, is_gone: Callable[[int], bool], unpin: Callable[[int], None]) -> None:
        self._is_gone, self._unpin = is_gone, unpin
        self._storages: dict[int, StorageLog] = {}
        self._made: dict[Hashable, deque[Made]] = {}
        self._sweep_at = UNSWEPT
        self.operations = 0
        self.moment = 0

    def forget(self) -> None:
        """Drops everything, and all pins."""
        for log in self._storages.values():
            self._unpin(log.pin)
        self._storages.clear()
        self._made.clear()

    def passes(self) -> int:
        """Begins another moment, and returns it."""
        self.moment += 1
        return self.moment

    def made(self, thread: Hashable, made: Made) -> None:
        """Notes an operation of a thread that made nodes."""
        by_thread = self._made.get(thread)
        if by_thread is None:
            if len(self._made) >= THREADS:
                self._made.pop(next(iter(self._made)))
            by_thread = self._made[thread] = deque(maxlen=NODES)
        inner = []  # an operation may contain others, which were noted before it; they are kept in the order of their nodes
        while by_thread and by_thread[-1].first > made.first:
            inner.append(by_thread.pop())
        by_thread.extend((made, *reversed(inner)))

    def remade(self, thread: Hashable, before: Made, now: Made) -> None:
        """Notes more of an operation, others of which may have been noted meanwhile: their order is that of their nodes."""
        by_thread = self._made.get(thread, ())
        place = next((k for k in range(len(by_thread) - 1, -1, -1) if by_thread[k] is before), None)
        if place is not None:
            self._made[thread][place] = now

    def storage(self, address: int, pin: Callable[[], int]) -> StorageLog:
        """Returns the log of a storage; begins it if there is none."""
        log = self._storages.get(address)
        if log is None:
            if len(self._storages) >= self._sweep_at:
                self._sweep()
            log = self._storages[address] = StorageLog(address, pin())
        return log

    def _sweep(self) -> None:
        for address in [each for each, log in self._storages.items() if self._is_gone(log.pin)]:
            self._unpin(self._storages.pop(address).pin)
        self._sweep_at = len(self._storages) + UNSWEPT

    def find(self, address: int) -> StorageLog | None:
        """Returns the log of a storage; None if nothing is known of it."""
        return self._storages.get(address)

    def logs(self) -> Sequence[StorageLog]:
        """Returns the logs of all storages."""
        return list(self._storages.values())

    @property
    def watched(self) -> int:
        """How many storages were written, or have views."""
        return len(self._storages)

    def makers(self, node: int) -> list[Made]:
        """Returns the operations that may have made a node with this number: at most one of each thread."""
        found = (_maker(by_thread, node) for by_thread in list(self._made.values()))
        return [each for each in found if each is not None]


def _maker(made: Sequence[Made], node: int) -> Made | None:
    last = bisect_right(made, node, key=lambda each: each.first) - 1
    near = (made[position] for position in range(last, max(-1, last - INSIDE), -1))
    return next((each for each in near if each.first <= node < each.last), None)


def since(log: StorageLog, kept_at: int, found_at: int) -> list[Write]:
    """Returns the writes that have raised a version from one to another, as far as they were seen.

    A storage may have several counters. If the writes of one that counts apart explain everything, it is that of the tensor.
    """
    writes = list(log.writes)
    usual = _of_counter(writes, log, kept_at, found_at)
    if unseen(usual, kept_at, found_at):
        for counter in dict.fromkeys(each.counter for each in writes):
            found = _of_counter(writes, counter, kept_at, found_at)
            if not unseen(found, kept_at, found_at):
                return found
    return usual


def _of_counter(writes: Sequence[Write], counter: Counter, kept_at: int, found_at: int) -> list[Write]:
    counted = [each for each in writes if each.counter is counter and each.after > each.before]
    if counted and counted[-1].after > found_at:  # the version is another's
        return []
    found: list[Write] = []
    version = kept_at
    for write in counted:
        if write.before >= version:
            found.append(write)
            version = write.after
    return found


def unseen(writes: Sequence[Write], kept_at: int, found_at: int) -> int:
    """Returns by how much a version rose in writes that are not among these."""
    return found_at - kept_at - sum(each.after - each.before for each in writes)
