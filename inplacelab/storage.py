"""Storage: a flat run of slots on a device, with a version counter.

Tensors are metadata that point into a storage. The version counter is raised by one whenever something writes to the
storage, through whichever tensor; views and `detach()` share the storage and therefore the counter. A tensor that
backward has kept remembers the version at which it was kept (see `autograd/saved.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inplacelab.devices.base import Device


class Storage:
    """Bytes, the device they are on, and how often they have been written.

    Attributes:
        buffer: the device's array that owns the bytes; its elements are the slots, in order.
        device: where they are.
        nbytes: how many bytes.
        version: how often the storage was written after its first filling.
        episode: the number of the ledger's episode in which it was made.
    """

    __slots__ = ("__weakref__", "buffer", "device", "episode", "nbytes", "version")

    def __init__(self, buffer: Any, device: Device) -> None:
        self.buffer, self.device, self.version = buffer, device, 0
        self.nbytes = nbytes = buffer.nbytes
        ledger = device.ledger
        self.episode = ledger.episode
        ledger.live = live = ledger.live + nbytes  # `ledger.hold`, written out: this runs for every ordinary operation
        if live > ledger.peak:
            ledger.peak = live

    def __del__(self) -> None:
        ledger = self.device.ledger
        if self.episode < ledger.began:
            ledger.release_inherited(self.nbytes, self.episode)
        else:
            ledger.live -= self.nbytes

    @property
    def slots(self) -> int:
        """How many elements it holds."""
        return int(self.buffer.size)

    def __repr__(self) -> str:
        return f"Storage({self.nbytes} bytes, {self.buffer.dtype.name}, {self.device.place}, version {self.version})"


class Unaccounted(Storage):
    """A number that an operation was given in a tensor's place: it stands in no account, because no tensor of the program
    owns it.
    """

    __slots__ = ()

    def __init__(self, buffer: Any, device: Device) -> None:
        self.buffer, self.device, self.version, self.nbytes = buffer, device, 0, 0
        self.episode = device.ledger.episode
