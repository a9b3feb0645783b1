"""Describes where a tensor's storage is, so that those of several frameworks can be compared."""

from __future__ import annotations

from typing import NamedTuple


class Memory(NamedTuple):
    """Where a tensor's storage is.

    Attributes:
        storage: what tells it from the framework's other storages while it lives; None if there is nothing to tell it by.
        start: its address; 0 if it has no memory.
        bytes: its size.
        framework: the framework that it belongs to.
    """

    storage: int | None
    start: int
    bytes: int
    framework: str

    def is_shared_with(self, other: Memory) -> bool:
        """Whether another storage is the same one, or has some of the same memory."""
        if self.storage is not None and (self.framework, self.storage) == (other.framework, other.storage):
            return True
        if not (self.start and other.start):
            return False
        return self.start < other.start + other.bytes and other.start < self.start + self.bytes


class NoStorageError(ValueError):
    """A tensor has no storage of its own, so nothing can be said of what it shares."""
