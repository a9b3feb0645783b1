"""Detects writes to storages by comparing their bytes.

For recorders of frameworks that report nothing. Emits the events about storages and their counters; a counter counts the
writes that were detected.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np

from inplacelab.layout import Layout, extent
from inplacelab.recorders.events import INFERRED, CounterSeen, Died, Event, Operand, StorageSeen, Wrote
from inplacelab.recorders.snapshots import snapshot

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class Storage(Generic[T]):
    """The state of a storage at the last event about it.

    Attributes:
        number: its number, and that of its counter.
        start: its address.
        dtype: of its slots.
        size: how many bytes it has.
        contents: its bytes; none if they will not be compared.
        version: how many writes were seen.
        tensors: the tensors on it. It lives while there are any.
    """

    number: int
    start: int
    dtype: np.dtype[Any]
    size: int
    contents: bytes
    version: int = 0
    tensors: set[T] = field(default_factory=set)

    @property
    def stop(self) -> int:
        """The address of its end. An empty storage has one byte, so that no two storages begin at the same address."""
        return self.start + max(self.size, 1)


class Storages(Generic[T]):
    """The storages that are known.

    In its methods, `memory` is a storage as an array of one axis, with all of its elements in order.

    Args:
        emit: receives the events.
        device: where the storages are: "cpu".

    Attributes:
        only_ends: whether only the ends of a large storage are read, and none is compared.
    """

    def __init__(self, emit: Callable[[Event], None], device: str) -> None:
        self._emit, self._device = emit, device
        self._known: list[Storage[T]] = []
        self.only_ends = False
        self._given: int | None = None
        self._numbered = self._peak = self._before = 0

    def living(self) -> list[Storage[T]]:
        """Returns the storages with tensors on them."""
        return [each for each in self._known if each.tensors]

    def find(self, memory: Any, before: Storage[T] | None = None) -> Storage[T] | None:
        """Finds the storage of some memory; describes it first if it is new.

        Args:
            memory: the elements.
            before: the last known storage of the tensor on this memory, if any.

        Returns:
            The storage; None if the memory overlaps other storages.
        """
        start = _address(memory)
        stop = start + max(memory.nbytes, 1)
        there = [each for each in self._known if start < each.stop and each.start < stop]
        for each in there:
            if (each.start, each.stop) == (start, stop) and (each.tensors or each is before):
                return each
        if any(each.tensors for each in there):
            return None
        contents, written = (b"", ()) if self.only_ends else (memory.tobytes(), None)
        storage: Storage[T] = Storage(self._numbered, start, memory.dtype, memory.nbytes, contents)
        self._known.append(storage)
        self._numbered += 1
        size, slots, dtype = memory.nbytes, memory.size, memory.dtype.name
        self._emit(
            StorageSeen(storage.number, size, slots, dtype, self._device, False, snapshot(memory, slots=written))
        )
        self._emit(CounterSeen(storage.number, storage.number, 0, origin=INFERRED))
        return storage

    def compare(self, storage: Storage[T], memory: Any) -> Layout | tuple[int, ...] | None:
        """Emits a write if a storage has changed. Returns the slots that differ, as a layout if they are contiguous; None if none do."""
        if memory is None or self.only_ends:
            return None
        now, before = memory.tobytes(), storage.contents
        if now == before or (_address(memory), len(now)) != (storage.start, len(before)):
            return None
        flat, storage.contents, storage.version = memory.view(storage.dtype), now, storage.version + 1
        slots = _differing(before, now, flat.itemsize)
        window = flat[slots.offset : slots.offset + slots.size] if isinstance(slots, Layout) else None
        values = snapshot(flat, window, slots)
        self._emit(Wrote(storage.number, storage.number, storage.version, values, origin=INFERRED))
        return slots

    def settle(self) -> int:
        """Ends a scan of the tensors: emits the storages that are gone.

        Returns:
            The bytes of the storages that existed before the program, which are those of the first scan.
        """
        if self._given is None:
            self._given, self._before = self._numbered, sum(each.size for each in self._known)
        self.account()  # freed storages were alive until the statement had made the new ones
        for storage in [each for each in self._known if not each.tensors]:
            self._known.remove(storage)
            self._emit(Died("storage", storage.number))
        return self._before

    def account(self) -> tuple[int, int]:
        """Returns the bytes of the storages that the program has made, and their peak so far."""
        live = sum(each.size for each in self._known if each.number >= (self._given or 0))
        self._peak = max(self._peak, live)
        return live, self._peak


def shows(operand: Operand, storage: Storage[Any], slots: Layout | tuple[int, ...]) -> bool:
    """Whether a tensor may reach all of these slots of its storage. True for another dtype, which counts elements differently."""
    if operand.dtype != storage.dtype.name:
        return True
    layout = operand.layout
    low, high = extent(layout)
    wanted = np.arange(slots.offset, slots.offset + slots.size) if isinstance(slots, Layout) else np.array(slots)
    if wanted[0] < low or wanted[-1] >= high:
        return False
    reached = np.zeros(high, bool)
    np.ndarray(layout.shape, bool, reached, layout.offset, layout.strides)[...] = True
    return bool(reached[wanted].all())


def _differing(before: bytes, now: bytes, slot: int) -> Layout | tuple[int, ...]:
    width = min(slot, 8)  # bits are compared, since -0.0 equals 0.0, and nothing equals nan
    old, new = (np.frombuffer(each, f"u{width}").reshape(-1, slot // width) for each in (before, now))
    slots = np.flatnonzero((old != new).any(axis=1))
    first, count = int(slots[0]), len(slots)
    return Layout((count,), (1,), first) if slots[-1] - first + 1 == count else tuple(slots.tolist())


def _address(memory: Any) -> int:
    return int(memory.__array_interface__["data"][0])
