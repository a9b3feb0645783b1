"""Emits events that describe Paddle's storages and version counters, and counts the bytes of storages.

Paddle gives no reference to a storage that could be weak, so one is known by its address, which Paddle uses again. It lives as long as a
tensor that is known to be on it, or a node that is inferred to have saved it (`saved.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any
from zlib import crc32

from inplacelab.frameworks.paddle.known import Counter, KnownStorage, KnownTensor, Moment
from inplacelab.frameworks.paddle.readings import address_of, device_name, dtype_name, item_size, size_of, version_of
from inplacelab.language import Text
from inplacelab.layout import Layout, is_packed
from inplacelab.recorders import events
from inplacelab.recorders.live_objects import LiveBytes
from inplacelab.recorders.remarks import ON_DEVICE
from inplacelab.recorders.snapshots import Snapshot, copied


class PaddleStorages:
    """Emits events about storages and version counters.

    Args:
        emit: receives the events.
        moment: what the recorder is doing.
        moved: called with each tensor that was on a storage whose memory is used again.
        remark: has the recording say something once.
        with_values: whether contents are copied.

    Attributes:
        live_bytes: the bytes of the storages that are there.
        seen: how many storages have been seen.
        only_ends: whether only the ends of a large storage are read when it is first seen.
    """

    def __init__(
        self,
        emit: Callable[[events.Event], None],
        moment: Moment,
        moved: Callable[[KnownTensor], None],
        remark: Callable[[Text], None],
        *,
        with_values: bool,
    ) -> None:
        self._emit, self._moment, self._moved, self._remark = emit, moment, moved, remark
        self._with_values = with_values
        self.live_bytes, self.seen, self.only_ends = LiveBytes(), 0, False
        self._storages: dict[int, KnownStorage] = {}  # by address
        self._numbered: dict[int, KnownStorage] = {}
        self._next_storage, self._next_counter = count().__next__, count().__next__
        self._counters: dict[int, Counter] = {}

    def forget(self) -> None:
        """Drops all references."""
        for each in (self._storages, self._numbered, self._counters):
            each.clear()

    # ---- memory ----------------------------------------------------------------------------------------------------------

    def began(self) -> None:
        """Takes the storages seen so far as those that existed before the recording."""
        self.live_bytes.began(self.seen)

    def account(self) -> tuple[int, int]:
        """Returns the bytes of the living storages that the program has made, and their peak."""
        return self.live_bytes.account()

    def free_unless_used(self, storage: KnownStorage) -> None:
        """Emits that a storage is gone if no known tensor is on it and no node is inferred to have saved it."""
        if not storage.tensors and not storage.keepers and storage.number in self._numbered:
            self._free(storage)

    def keeps(self, number: int, change: int) -> None:
        """Counts the nodes that are inferred to have saved a storage."""
        storage = self._numbered.get(number)
        if storage is not None:
            storage.keepers += change
            self.free_unless_used(storage)

    def _free(self, storage: KnownStorage) -> None:
        del self._numbered[storage.number]
        if self._storages.get(storage.address) is storage:
            del self._storages[storage.address]
        for counter in storage.counters:
            self._counters.pop(counter.number, None)
        self.live_bytes.count(storage.number, -storage.bytes)
        self._emit(events.Died("storage", storage.number, self._moment.replacing))

    # ---- storages --------------------------------------------------------------------------------------------------------

    def at(self, tensor: Any) -> KnownStorage | None:
        """Returns the storage that is known at the address of a tensor."""
        return self._storages.get(address_of(tensor))

    def storage(self, tensor: Any, *, filled: bool, resulted: bool) -> KnownStorage:
        """Returns the storage of a tensor; describes it first if it is new.

        Args:
            tensor: the tensor.
            filled: False if a new storage has no meaningful values yet.
            resulted: whether an operation has just made the tensor.
        """
        address, size = address_of(tensor), size_of(tensor)
        known = self._storages.get(address) if address else None
        if known is not None:
            if known.bytes == size and (self.is_there(known) or (known.keepers and not resulted)):
                return known
            self._vanished(known)
        known = KnownStorage(self._next_storage(), address, dtype_name(tensor), size, device_name(tensor))
        self.seen += 1
        self._numbered[known.number] = known
        if address:
            self._storages[address] = known
        self.live_bytes.count(known.number, size)
        values = self._copy(known, () if self.only_ends else None) if filled else None
        slots = size // item_size(known.dtype)
        self._emit(events.StorageSeen(known.number, size, slots, known.dtype, known.device, False, values))
        return known

    def dtype(self, number: int) -> str | None:
        """Returns the dtype of the slots of a storage; None if it is gone."""
        known = self._numbered.get(number)
        return None if known is None else known.dtype

    def is_there(self, storage: KnownStorage) -> bool:
        """Whether a living tensor still shows a storage at its address."""
        shown = (each.alive() for each in list(storage.tensors.values()))
        return any(each is not None and address_of(each) == storage.address for each in shown)

    def _vanished(self, storage: KnownStorage) -> None:
        """Notes that the memory of a storage is used again. Tensors that were on it are elsewhere, without an operation that was seen."""
        del self._storages[storage.address]
        for known in list(storage.tensors.values()):
            self._moved(known)
        self.free_unless_used(storage)
        if storage.number in self._numbered and not storage.tensors:
            self._free(storage)

    def fingerprint(self, known: KnownTensor) -> int | None:
        """Returns a number that tells whether a tensor has other contents than before; None if they cannot be read.

        It is of the whole storage if the tensor's elements do not lie there one after the other.
        """
        memory, layout = known.storage.memory(), known.operand.layout
        if memory is None:
            return None
        if is_packed(layout) and known.operand.dtype == known.storage.dtype:
            memory = memory[layout.offset : layout.offset + layout.size]
        return crc32(memory)

    def _copy(self, known: KnownStorage, slots: Layout | tuple[int, ...] | None = None) -> Snapshot | None:
        if not self._with_values:
            return None
        memory = known.memory()
        if memory is None:
            if known.device != "cpu":
                self._remark(ON_DEVICE.format(known.device))
            return None
        return copied(memory, known.dtype, slots)

    def counter(self, storage: KnownStorage, version: int, base: KnownTensor | None) -> Counter:
        """Returns the version counter of a tensor: that of its base, or one on the storage that shows the same version."""
        first = [] if base is None else [base.counter]
        same = [each for each in (*first, *storage.counters) if each.version == version]
        return same[0] if same else self.meet_counter(storage, version)

    def meet_counter(self, storage: KnownStorage, version: int) -> Counter:
        """Returns a new version counter on a storage."""
        counter = Counter(self._next_counter(), storage, version)
        counter.together.append(counter)
        storage.counters.append(counter)
        self._counters[counter.number] = counter
        self._emit(events.CounterSeen(counter.number, storage.number, version))
        return counter

    def wrote(self, known: KnownTensor, tensor: Any, slots: Layout | tuple[int, ...] | None) -> None:
        """Emits a write to a storage through a tensor, in these slots of it, if known."""
        storage, version = known.storage, version_of(tensor)
        for counter in known.counter.together:
            counter.version = version
            within = slots if counter.storage is storage and known.operand.dtype == storage.dtype else None
            if counter.storage.number in self._numbered:
                values = self._copy(counter.storage, within)
                self._emit(events.Wrote(counter.storage.number, counter.number, version, values))

    def count_together(self, known: KnownTensor, other: KnownTensor) -> bool:
        """Notes that Paddle raises the counters of two tensors together, if they are different ones. Returns whether they are."""
        mine, its = known.counter, other.counter
        if mine in its.together or mine.version != its.version:
            return False
        self.raise_together(mine, its)
        return True

    def raise_together(self, one: Counter, other: Counter) -> None:
        """Notes that Paddle raises two counters together."""
        every = one.together + other.together
        for each in every:
            each.together = every

    def version(self, counter: int, otherwise: int) -> int:
        """Returns the version that a counter shows; if it is gone, `otherwise`."""
        known = self._counters.get(counter)
        return otherwise if known is None else known.version
