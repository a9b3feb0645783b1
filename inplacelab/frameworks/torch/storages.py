"""Emits events that describe PyTorch's storages and version counters.

Nothing is kept alive. PyTorch has no weak references to storages, so one is pinned by a weak count of its `StorageImpl`, which keeps a
header of a few bytes, so that its address is not used again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from inplacelab.frameworks.torch.readings import (
    device_names,
    device_of,
    dtype_names,
    dtype_of,
    start_of,
    untyped_of,
    version_of,
)
from inplacelab.language import Text
from inplacelab.recorders import events
from inplacelab.recorders.known_objects import Counter, KnownObjects, KnownStorage, KnownStorages, Slots
from inplacelab.recorders.snapshots import WHOLE

_Storage: Any = torch.UntypedStorage

MOST = 64
"""So many storages whose memory belongs to other code are kept in mind."""
_OF_OTHERS = Text(
    "The memory of some tensors belongs to other code, such as NumPy. Its writes raise no version and were not seen.",
    "有些张量的内存属于其他代码（如 NumPy）。那里的写入不增加版本号，也看不到。",
)


@dataclass(slots=True, eq=False)
class TorchStorage(KnownStorage):
    """The state of a storage at the last event about it. Its address is that of its `StorageImpl`.

    Attributes:
        pin: keeps the address from being used again.
        seen: the event that describes it, while nothing else that was emitted depends on the type of its slots.
    """

    pin: int = 0
    seen: events.StorageSeen | None = None

    def unpin(self) -> None:
        """Lets the address be used again."""
        _Storage._free_weak_ref(self.pin)
        self.pin = 0

    @property
    def is_filled(self) -> bool:
        """Whether its values mean something, as far as is known."""
        return self.seen is None or self.seen.values is not None

    def contents(self) -> bytes | None:
        """Returns its bytes; None if there are too many, or if it is gone."""
        memory = None if not self.pin or _Storage._expired(self.pin) else self.memory()
        return None if memory is None or memory.size > WHOLE else memory.tobytes()

    def versions(self) -> tuple[int, ...]:
        """Returns the versions of the tensors that are on it."""
        return tuple(version_of(tensor) for each in self.tensors.values() if (tensor := each.alive()) is not None)


class TorchStorages(KnownStorages[TorchStorage]):
    """Emits events about storages and version counters.

    Attributes:
        of_others: the last storages whose memory belongs to other code.
    """

    def __init__(self, objects: KnownObjects[Any]) -> None:
        super().__init__(objects)
        self.of_others: deque[TorchStorage] = deque(maxlen=MOST)
        self._nodes: Any = objects.nodes
        self._deserted: dict[int, TorchStorage] = {}  # no known tensor is on them, but a node may have saved them
        self._just_deserted: list[TorchStorage] = []

    def forget(self) -> None:
        for storage in list(self._storages.values()):
            storage.unpin()
        for each in (self._deserted, self._just_deserted, self.of_others):
            each.clear()
        super().forget()

    # ---- memory ----------------------------------------------------------------------------------------------------------

    def live_and_peak(self) -> tuple[int, int]:
        if self._just_deserted:
            self._settle(self._just_deserted)
        return self._live, self._peak

    def moved(self, storage: TorchStorage) -> None:
        """Notes that other tensors are on a storage than before."""
        if not storage.tensors:
            self._just_deserted.append(storage)
        elif storage.seen is not None:
            self.moved_to[storage.number] = storage

    def settle(self) -> None:
        """Emits the storages that are gone."""
        self.agree_on_types()
        self._settle([*self._deserted.values(), *self._just_deserted])

    def _settle(self, deserted: Sequence[TorchStorage]) -> None:
        for storage in list(deserted):
            if storage.tensors or storage.address not in self._storages:
                self._deserted.pop(storage.number, None)
            elif _Storage._expired(storage.pin):
                self._deserted.pop(storage.number, None)
                del self._storages[storage.address]
                storage.unpin()
                self._free(storage)
            else:
                self._deserted[storage.number] = storage
        self._just_deserted.clear()

    def agree_on_types(self) -> None:
        """Gives the slots of storages the type of the tensors that are there, if the tensor that gave them theirs is gone.

        Bytes that were read from a file, say, are shown as what the program makes of them. This changes what was emitted, so it is
        not done once something depends on the slots: a write, or what a node has saved.
        """
        while self.moved_to:
            _, storage = self.moved_to.popitem()
            there = list(storage.tensors.values())
            types = {dtype_of(tensor) for each in there if (tensor := each.alive()) is not None}
            seen, tensor = storage.seen, there[0].alive() if there else None
            if seen is None or tensor is None or len(types) != 1:
                continue
            (dtype,) = types
            if storage.dtype == dtype_names[dtype] or storage.bytes % dtype.itemsize:  # some bytes would be left over
                continue
            storage.dtype, storage.item = dtype_names[dtype], dtype.itemsize
            storage.start = start_of(untyped_of(tensor))
            first = None if seen.values is None else self._copy(storage, () if self.only_ends else None)
            described = self._seen(storage, first)
            seen.bytes, seen.slots, seen.dtype, seen.values = (
                described.bytes, described.slots, described.dtype, described.values,
            )  # fmt: skip

    def storage(self, tensor: Any, filled: bool) -> TorchStorage:
        """Returns the storage of a tensor; describes it first if it is new. `filled` is False if it has no meaningful values yet."""
        found = untyped_of(tensor)
        address, size = found._cdata, found.nbytes()
        known = self._storages.get(address)
        if known is not None:
            if known.bytes != size:  # `resize_`
                grown, known.bytes, known.start = size - known.bytes, size, start_of(found)
                self._count(known, grown)
                known.seen = None
                self._emit(self._seen(known, self._copy(known)))
            known.start = start_of(found)
            return known
        dtype, device = dtype_of(tensor), device_names[device_of(tensor)]
        known = TorchStorage(
            self.seen, address, start_of(found), dtype_names[dtype], dtype.itemsize, size, device, pin=found._weak_ref()
        )
        if not (found.resizable() or found.is_shared() or found.device.type == "meta"):
            self._note(_OF_OTHERS)
            self.of_others.append(known)
        self._storages[address] = known
        known.seen = self._add(known, filled=filled)
        return known

    # ---- version counters ------------------------------------------------------------------------------------------------

    def counter(self, storage: TorchStorage, version: int, shared: Sequence[Any]) -> Counter:
        """Returns the version counter of a new tensor: that of the first of these tensors with which it may be shared. If none is known on
        its storage, a node may have saved the tensor, or a view of it.
        """
        if storage.counters:  # and it is not new
            there: list[Counter] = [each.counter for each in shared if each.storage is storage]
            there += [] if storage.tensors else storage.counters
            for counter in there:
                if counter.version == version:
                    return counter
        return self.new_counter(storage, version)

    def drop_counters(self, storage: TorchStorage) -> None:
        """Emits which counters of a storage are gone: neither a tensor nor a node refers to them, and others count there."""
        if len(storage.counters) == 1 or not storage.tensors:
            return
        used = {each.counter.number for each in storage.tensors.values()}
        used |= self._nodes.kept_counters()
        for counter in [each for each in storage.counters if each.number not in used]:
            storage.counters.remove(counter)
            self._counters.pop(counter.number, None)
            self._emit(events.Died("counter", counter.number))

    def wrote(self, known: Any, tensor: Any, slots: Slots, *, version: int | None = None) -> None:
        """Emits a write to a storage through a tensor, in these slots of it, if known.

        Args:
            known: the tensor.
            tensor: the same, as PyTorch has it.
            slots: the slots.
            version: what its counter showed then, before it was written through other tensors; None if it still does.
        """
        storage, known.counter.version = known.storage, version_of(tensor) if version is None else version
        storage.seen = None
        same = known.operand.dtype == storage.dtype
        self.storage(tensor, filled=True)  # whose memory may be elsewhere now
        values = self._copy(storage, slots if same else None)
        alone = None if version is None else known.operand
        self._emit(events.Wrote(storage.number, known.counter.number, known.counter.version, values, alone))

    def counter_shown(self, storage: TorchStorage, data: Any) -> Counter:
        """Returns the version counter of a saved tensor that the program has not: that of one that shows the same version."""
        version, others = version_of(data), list(storage.tensors.values())
        shown = ((each, other) for each in others if (other := each.alive()) is not None)
        same = next((each.counter for each, other in shown if version_of(other) == version), None)
        return same or (storage.counters[0] if storage.counters else self.new_counter(storage, version))

    def contents(self, known: Any) -> int | None:
        tensor = known.alive()
        if tensor is None:
            return None
        known.storage.start = start_of(untyped_of(tensor))
        return super().contents(known)
