"""Storages: flat runs of slots on a device, with a version counter.

Tensors are metadata that point into a storage. Every write to the storage, through any tensor, raises the version counter
by one; views and `detach()` share the storage and therefore the counter. A saved tensor remembers the version at which it
was saved (see `autograd/saved.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inplacelab.backends.base import Device


class Storage:
    """The bytes of tensors, their device, and the number of writes.

    Attributes:
        buffer: the device's array that owns the bytes; its elements are the slots, in order.
        device: the device that the bytes are on.
        nbytes: the size in bytes.
        version: the number of writes since the storage was first filled.
        episode: the number of the ledger's episode in which it was made.
        mark: the ledger's mark, by which it knows how many storages exist.
    """

    __slots__ = ("__weakref__", "buffer", "device", "episode", "mark", "nbytes", "version")

    def __init__(self, buffer: Any, device: Device) -> None:
        self.buffer, self.device, self.version = buffer, device, 0
        self.nbytes = nbytes = buffer.nbytes
        ledger = device.ledger
        self.episode = ledger.episode
        self.mark = ledger.mark  # from here on the ledger notices if this storage is not counted
        ledger.counted = counted = ledger.counted + nbytes
        if ledger.episodes:
            for each in ledger.episodes:
                each.hold(nbytes)
        ledger.storages += 1
        if counted > ledger.peak:
            ledger.raise_peak()

    def __del__(self) -> None:
        try:
            ledger = self.mark.ledger
        except AttributeError:
            return  # an interrupt arrived before it was counted
        ledger.counted -= self.nbytes
        if ledger.episodes:
            for each in ledger.episodes:
                if self.episode >= each.number:
                    each.live -= self.nbytes
        ledger.storages -= 1

    @property
    def slots(self) -> int:
        """The number of elements."""
        return int(self.buffer.size)

    def __repr__(self) -> str:
        return f"Storage({self.nbytes} bytes, {self.buffer.dtype.name}, {self.device.place}, version {self.version})"


class Unaccounted(Storage):
    """The storage of a number that was passed instead of a tensor. It is in no account, because no tensor of the program
    owns it.
    """

    __slots__ = ()

    def __init__(self, buffer: Any, device: Device) -> None:
        self.buffer, self.device, self.version, self.nbytes = buffer, device, 0, 0

    def __del__(self) -> None:
        """Counts nothing."""
