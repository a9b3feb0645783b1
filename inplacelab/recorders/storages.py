"""Finds out which storages were written, by comparing their bytes with what they were.

For recorders of frameworks that tell nobody what they do. Emits the events about storages and their counters; such a counter counts the
writes that were seen.
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
    """What was last said of a storage.

    Attributes:
        number: its number, and that of its counter.
        start: its address.
        dtype: of its slots.
        contents: its bytes.
        version: how many writes were seen.
        tensors: the tensors on it. It lives while there are any.
    """

    number: int
    start: int
    dtype: np.dtype[Any]
    contents: bytes
    version: int = 0
    tensors: set[T] = field(default_factory=set)

    @property
    def stop(self) -> int:
        """The address at which it ends: no two storages begin at the same one, so that empty ones have a byte, too."""
        return self.start + max(len(self.contents), 1)


class Storages(Generic[T]):
    """The storages that are known.

    In what follows `memory` is a storage as an array of one axis, with all of its elements in order.

    Args:
        emit: where the events go.
        device: where the storages are: "cpu".
    """

    def __init__(self, emit: Callable[[Event], None], device: str) -> None:
        self._emit, self._device = emit, device
        self._known: list[Storage[T]] = []
        self._given: int | None = None
        self._met = self._peak = self._before = 0

    def living(self) -> list[Storage[T]]:
        """Those with tensors on them."""
        return [each for each in self._known if each.tensors]

    def find(self, memory: Any, before: Storage[T] | None = None) -> Storage[T] | None:
        """The storage that is this memory, which is described now if it is new.

        Args:
            memory: the elements.
            before: the storage of the tensor whose memory it is, if that was known.

        Returns:
            The storage; None if the memory is a part of others, or they are parts of it.
        """
        start = _address(memory)
        stop = start + max(memory.nbytes, 1)
        there = [each for each in self._known if start < each.stop and each.start < stop]
        for each in there:
            if (each.start, each.stop) == (start, stop) and (each.tensors or each is before):
                return each
        if any(each.tensors for each in there):
            return None
        storage: Storage[T] = Storage(self._met, start, memory.dtype, memory.tobytes())
        self._known.append(storage)
        self._met += 1
        size, slots, dtype = memory.nbytes, memory.size, memory.dtype.name
        self._emit(StorageSeen(storage.number, size, slots, dtype, self._device, False, snapshot(memory)))
        self._emit(CounterSeen(storage.number, storage.number, 0, origin=INFERRED))
        return storage

    def compare(self, storage: Storage[T], memory: Any) -> Layout | tuple[int, ...] | None:
        """Say whether a storage was written. Returns the slots that differ: as a layout if they lie side by side; None if there are none."""
        if memory is None:
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
        """A look at the tensors is over: say which storages are gone. What the first look has found was there before the program.

        Returns:
            The bytes of what was there before the program.
        """
        if self._given is None:
            self._given, self._before = self._met, sum(len(each.contents) for each in self._known)
        self.account()  # what is gone was there until the statement had made what is new
        for storage in [each for each in self._known if not each.tensors]:
            self._known.remove(storage)
            self._emit(Died("storage", storage.number))
        return self._before

    def account(self) -> tuple[int, int]:
        """The bytes of the storages that the program has made, and their peak so far."""
        live = sum(len(each.contents) for each in self._known if each.number >= (self._given or 0))
        self._peak = max(self._peak, live)
        return live, self._peak


def shows(operand: Operand, storage: Storage[Any], slots: Layout | tuple[int, ...]) -> bool:
    """Whether a tensor shows all of these slots of its storage. One of another dtype counts its elements otherwise, and may."""
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
    word = min(slot, 8)  # bits are compared, since -0.0 equals 0.0, and nothing equals nan
    old, new = (np.frombuffer(each, f"u{word}").reshape(-1, slot // word) for each in (before, now))
    slots = np.flatnonzero((old != new).any(axis=1))
    first, count = int(slots[0]), len(slots)
    return Layout((count,), (1,), first) if slots[-1] - first + 1 == count else tuple(slots.tolist())


def _address(memory: Any) -> int:
    return int(memory.__array_interface__["data"][0])
