"""Emits events that describe PyTorch's storages and version counters, and counts the bytes of storages.

Nothing is kept alive. PyTorch has no weak references to storages, so one is pinned by a weak count of its `StorageImpl`, which keeps a
header of a few bytes, so that its address is not used again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import torch

from inplacelab.frameworks.torch.known import Counter, KnownStorage, KnownTensor, Moment
from inplacelab.frameworks.torch.readings import device_of, dtype_name, dtype_of, start_of, version_of
from inplacelab.language import Text
from inplacelab.layout import Layout
from inplacelab.recorders import events
from inplacelab.recorders.live_objects import LiveBytes
from inplacelab.recorders.remarks import ON_DEVICE
from inplacelab.recorders.snapshots import WHOLE, Snapshot, copied

_Tensor: Any = torch.Tensor
_Storage: Any = torch.UntypedStorage

_OF_OTHERS = Text(
    "The memory of some tensors belongs to other code, such as NumPy. Its writes raise no version and were not seen.",
    "有些张量的内存属于其他代码（如 NumPy）。那里的写入不增加版本号，也看不到。",
)


class TorchStorages:
    """Emits events about storages and version counters.

    Args:
        emit: receives the events.
        moment: what the recorder is doing.
        kept_counters: returns the numbers of the counters of what nodes have saved.
        remark: has the recording say something once.

    Attributes:
        live_bytes: the bytes of the storages that are there.
        seen: how many storages have been seen.
        only_ends: whether only the ends of a large storage are read when it is first seen.
    """

    def __init__(
        self,
        emit: Callable[[events.Event], None],
        moment: Moment,
        kept_counters: Callable[[], set[int]],
        remark: Callable[[Text], None],
    ) -> None:
        self._emit, self._moment, self._kept_counters, self._remark = emit, moment, kept_counters, remark
        self.live_bytes, self.seen, self.only_ends = LiveBytes(), 0, False
        self._storages: dict[int, KnownStorage] = {}  # by address
        self._deserted: dict[int, KnownStorage] = {}  # no known tensor is on them, but a node may have saved them
        self._just_deserted: list[KnownStorage] = []
        self._moved: dict[int, KnownStorage] = {}  # on which other tensors may be now
        self._next_storage, self._next_counter = count().__next__, count().__next__
        self._counters: dict[int, Counter] = {}

    def forget(self) -> None:
        """Drops all references."""
        for storage in self._storages.values():
            _Storage._free_weak_ref(storage.pin)
        for each in (self._storages, self._deserted, self._just_deserted, self._moved, self._counters):
            each.clear()

    # ---- memory ----------------------------------------------------------------------------------------------------------

    def began(self) -> None:
        """Takes the storages seen so far as those that existed before the recording."""
        self.live_bytes.began(self.seen)

    def account(self) -> tuple[int, int]:
        """Returns the bytes of the living storages that the program has made, and their peak."""
        self._settle(self._just_deserted)
        return self.live_bytes.account()

    def moved(self, storage: KnownStorage) -> None:
        """Notes that other tensors are on a storage than before."""
        if not storage.tensors:
            self._just_deserted.append(storage)
        elif storage.seen is not None:
            self._moved[storage.number] = storage

    def settle(self) -> None:
        """Emits the storages that are gone."""
        self.agree_on_types()
        self._settle([*self._deserted.values(), *self._just_deserted])

    def _settle(self, deserted: list[KnownStorage]) -> None:
        for storage in list(deserted):
            if storage.tensors or storage.address not in self._storages:
                self._deserted.pop(storage.number, None)
            elif _Storage._expired(storage.pin):
                self._deserted.pop(storage.number, None)
                self._free(storage)
            else:
                self._deserted[storage.number] = storage
        self._just_deserted.clear()

    def _free(self, storage: KnownStorage) -> None:
        del self._storages[storage.address]
        _Storage._free_weak_ref(storage.pin)
        for counter in storage.counters:
            self._counters.pop(counter.number, None)
        self.live_bytes.count(storage.number, -storage.bytes)
        self._emit(events.Died("storage", storage.number, self._moment.replacing))

    def agree_on_types(self) -> None:
        """Gives the slots of storages the type of the tensors that are there, if the tensor that gave them theirs is gone.

        Bytes that were read from a file, say, are shown as what the program makes of them. This changes what was emitted, so it is
        not done once something depends on the slots: a write, or what a node has saved.
        """
        while self._moved:
            _, storage = self._moved.popitem()
            types = {dtype_of(tensor) for each in storage.tensors.values() if (tensor := each.alive()) is not None}
            seen, tensor = storage.seen, next((each.alive() for each in storage.tensors.values()), None)
            if seen is None or tensor is None or len(types) != 1 or storage.dtype in types:
                continue
            (dtype,) = types
            if storage.bytes % dtype.itemsize:  # some bytes would be left over
                continue
            storage.dtype, storage.start = dtype, start_of(_Tensor.untyped_storage(tensor))
            first = None if seen.values is None else self._copy(storage, () if self.only_ends else None)
            described = self._describe(storage, first)
            seen.bytes, seen.slots, seen.dtype, seen.values = (
                described.bytes, described.slots, described.dtype, described.values,
            )  # fmt: skip

    def storage(self, tensor: Any, filled: bool) -> KnownStorage:
        found = _Tensor.untyped_storage(tensor)
        address, size = found._cdata, found.nbytes()
        known = self._storages.get(address)
        if known is not None:
            if known.bytes != size:  # `resize_`
                grown, known.bytes, known.start = size - known.bytes, size, start_of(found)
                self.live_bytes.count(known.number, grown)
                known.seen = None
                self._emit(self._describe(known, self._copy(known)))
            known.start = start_of(found)
            return known
        dtype = dtype_of(tensor)
        known = KnownStorage(
            self._next_storage(), address, found._weak_ref(), dtype, size, str(device_of(tensor)), start_of(found)
        )
        if not (found.resizable() or found.is_shared() or found.device.type == "meta"):
            self._remark(_OF_OTHERS)
        self.seen += 1
        self._storages[address] = known
        self.live_bytes.count(known.number, size)
        known.seen = self._describe(known, self._copy(known, () if self.only_ends else None) if filled else None)
        self._emit(known.seen)
        return known

    def _describe(self, known: KnownStorage, values: Snapshot | None) -> events.StorageSeen:
        name, slots = dtype_name(known.dtype), known.bytes // known.dtype.itemsize
        size = slots * known.dtype.itemsize
        return events.StorageSeen(known.number, size, slots, name, known.device, False, values)

    def _copy(self, known: KnownStorage, slots: Layout | tuple[int, ...] | None = None) -> Snapshot | None:
        memory = known.memory()
        if memory is None:
            if known.device not in ("cpu", "meta"):
                self._remark(ON_DEVICE.format(known.device))
            return None
        return copied(memory, dtype_name(known.dtype), slots)

    def counter(self, storage: KnownStorage, version: int, shared: Sequence[KnownTensor]) -> Counter:
        """Returns the version counter of a new tensor: that of the first of these tensors with which it may be shared. If none is known on
        its storage, a node may have saved the tensor, or a view of it.
        """
        there = [each.counter for each in shared if each.storage is storage]
        there += [] if storage.tensors else storage.counters
        found = next((each for each in there if each.version == version), None)
        return found or self.meet_counter(storage, version)

    def drop_counters(self, storage: KnownStorage) -> None:
        """Emits which counters of a storage are gone: neither a tensor nor a node refers to them, and others count there."""
        if len(storage.counters) == 1 or not storage.tensors:
            return
        used = {each.counter.number for each in storage.tensors.values()}
        used |= self._kept_counters()
        for counter in [each for each in storage.counters if each.number not in used]:
            storage.counters.remove(counter)
            self._counters.pop(counter.number, None)
            self._emit(events.Died("counter", counter.number))

    def meet_counter(self, storage: KnownStorage, version: int) -> Counter:
        counter = Counter(self._next_counter(), version)
        storage.counters.append(counter)
        self._counters[counter.number] = counter
        self._emit(events.CounterSeen(counter.number, storage.number, version))
        return counter

    def wrote(
        self, known: KnownTensor, tensor: Any, slots: Layout | tuple[int, ...] | None, *, version: int | None = None
    ) -> None:
        """Emits a write to a storage through a tensor, in these slots of it, if known.

        Args:
            known: the tensor.
            tensor: the same, as PyTorch has it.
            slots: the slots.
            version: what its counter showed then, before it was written through other tensors; None if it still does.
        """
        storage, known.counter.version = known.storage, version_of(tensor) if version is None else version
        storage.seen = None
        same = known.operand.dtype == dtype_name(storage.dtype)
        self.storage(tensor, filled=True)  # whose memory may be elsewhere now
        values = self._copy(storage, slots if same else None)
        alone = None if version is None else known.operand
        self._emit(events.Wrote(storage.number, known.counter.number, known.counter.version, values, alone))

    def counter_shown(self, storage: KnownStorage, data: Any) -> Counter:
        """Returns the version counter of a saved tensor that the program has not: that of one that shows the same version."""
        version, others = version_of(data), storage.tensors.values()
        shown = ((each, other) for each in others if (other := each.alive()) is not None)
        same = next((each.counter for each, other in shown if version_of(other) == version), None)
        return same or (storage.counters[0] if storage.counters else self.meet_counter(storage, version))

    def version(self, counter: int, otherwise: int) -> int:
        """Returns the version that a counter shows; if it is gone, `otherwise`."""
        known = self._counters.get(counter)
        return otherwise if known is None else known.version

    def contents(self, known: KnownTensor) -> bytes | None:
        """Returns the bytes of a tensor's storage; None if there are too many."""
        memory = known.storage.memory()
        return None if memory is None or memory.size > WHOLE else memory.tobytes()
