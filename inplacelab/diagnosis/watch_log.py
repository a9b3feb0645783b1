"""Keeps what explains a stale value, in bounded memory: which lines made grad nodes, and which lines wrote which storage. A place in the
program is the frames of its own code on the stack, without those of libraries.

The framework numbers the nodes of each thread from zero. The log counts what it notes, in whatever thread it happens: such a number is a
`moment`.
"""

from __future__ import annotations

import linecache
import struct
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from types import CodeType, FrameType
from typing import NamedTuple

from inplacelab.layout import Layout
from inplacelab.recorders.own_code import OWNS, is_own
from inplacelab.recorders.program import RELAY
from inplacelab.recording.facts import SiteFacts, Sites

DEEPEST = 32
"""So many frames of a place are kept, innermost first: a recursive program has no end of places otherwise."""


@dataclass(frozen=True, slots=True)
class Site:
    """One frame of a place.

    Attributes:
        code: the code that it runs.
        instruction: the offset of its instruction.
    """

    code: CodeType
    instruction: int

    @property
    def filename(self) -> str:
        """The file."""
        return self.code.co_filename

    @property
    def function(self) -> str:
        """The function's name; "" for a module."""
        name = self.code.co_qualname
        return "" if name == "<module>" else name.replace("<locals>.", "")

    @property
    def line(self) -> int:
        """The line, counted from 1."""
        return self.position[0] or self.code.co_firstlineno

    @property
    def text(self) -> str:
        """The text of the line; "" if the file cannot be read."""
        return linecache.getline(self.filename, self.line).rstrip("\n")

    @property
    def facts(self) -> SiteFacts:
        """The same as plain data."""
        line, last, left, right = self.position
        columns = (-1, -1) if None in (line, last, left, right) else (left or 0, right or 0)
        return SiteFacts(self.filename, self.line, last or self.line, *columns, self.text, self.function)

    @property
    def position(self) -> tuple[int | None, int | None, int | None, int | None]:
        """Its first and last line, and its first column and the one after its last, in bytes; None for what is not known."""
        return _positions(self.code)[self.instruction // 2]


@lru_cache(maxsize=64)
def _positions(code: CodeType) -> list[tuple[int | None, int | None, int | None, int | None]]:
    return list(code.co_positions())


@dataclass(frozen=True, eq=False)
class Place:
    """Where the program was.

    Attributes:
        sites: its frames, innermost first.
    """

    sites: tuple[Site, ...]

    @cached_property
    def facts(self) -> Sites:
        """The same as plain data."""
        return tuple(each.facts for each in self.sites)

    def outside(self, code: CodeType) -> Place:
        """Returns the place from which the outermost call of a function came; itself if the function is not on the stack."""
        calls = [k for k, site in enumerate(self.sites) if site.code is code]
        return Place(self.sites[calls[-1] + 1 :]) if calls and calls[-1] + 1 < len(self.sites) else self


class Places:
    """Finds places. The same place is the same object, so that a program that runs for hours has few of them."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, ...], Place] = {}

    def of(self, frame: FrameType | None) -> Place | None:
        """Returns the program's place in a frame and those that have called it; None if none runs the program's code."""
        key: list[int] = []
        innermost, owns = frame, OWNS.get
        while frame is not None:  # this runs at every operation
            code = frame.f_code
            own = owns(code.co_filename)
            if (is_own(code.co_filename) if own is None else own) and code.co_name != RELAY:
                key += (id(code), frame.f_lasti)
            frame = frame.f_back
        if not key:
            return None
        del key[2 * DEEPEST :]
        known = self._known.get(tuple(key))
        if known is None:
            sites = tuple(Site(each.f_code, each.f_lasti) for each in own_frames(innermost))
            known = self._known[tuple(key)] = Place(sites[:DEEPEST])  # which keeps the code, and so its address
        return known


def own_frames(frame: FrameType | None) -> Iterator[FrameType]:
    """Yields the frames of the program's code: a frame and those that have called it."""
    while frame is not None:
        if is_own(frame.f_code.co_filename) and frame.f_code.co_name != RELAY:
            yield frame
        frame = frame.f_back


NODES = 1 << 17
"""Of so many operations that made nodes it is known which line ran them."""
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

    Attributes:
        home: the log of the storage whose tensors it counted first.
        is_apart: whether it is that of `x.data`, which other tensors on the storage do not share.
    """

    __slots__ = ("home", "is_apart")

    def __init__(self, home: StorageLog | None = None, *, is_apart: bool = False) -> None:
        self.home, self.is_apart = home, is_apart


class Made(NamedTuple):
    """An operation that made nodes.

    Attributes:
        first, last: its nodes are `first`, and so on, before `last`.
        op: its name.
        place: where it ran.
        moment: when it ended.
        versions: the addresses of the storages of its tensors, and the versions of these, see `packed`.
    """

    first: int
    last: int
    op: str
    place: Place | None
    moment: int = 0
    versions: bytes = b""

    def versions_of(self, address: int | None) -> list[int]:
        """Returns the versions of its tensors on a storage: of each that it was given, and of each that it was given or returned, after it."""
        numbers = struct.unpack(f"{len(self.versions) // 8}q", self.versions)
        return [version for each, version in zip(numbers[::2], numbers[1::2], strict=True) if each == address]


def packed(versions: Iterable[tuple[int, int]]) -> bytes:
    """Returns the addresses of storages and the versions of tensors on them in few bytes."""
    flat = [number for pair in versions for number in pair]
    return struct.pack(f"{len(flat)}q", *flat)


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
    """

    moment: int
    op: str
    before: int
    after: int
    layout: Layout | None
    place: Place | None
    counter: Counter
    silent: bool = False


@dataclass(slots=True, eq=False)
class StorageLog:
    """What is known of a storage.

    Attributes:
        address: where it is.
        pin: keeps its address from being used again (see `Ledger`).
        writes: the last writes, in order.
        views: where views of it were made, by layout.
        shapes: those of tensors that were written and are no views.
        counter: counts the versions of its tensors, but those that count apart.
    """

    address: int
    pin: int
    writes: deque[Write] = field(default_factory=lambda: deque(maxlen=WRITES))
    views: dict[Layout, Place | None] = field(default_factory=dict)
    shapes: set[tuple[int, ...]] = field(default_factory=set)
    counter: Counter = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.counter.home = self


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
    usual = _of_counter(writes, log.counter, kept_at, found_at)
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
