"""The state of PyTorch's tensors, storages and version counters at the last event about each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from inplacelab.frameworks.torch.readings import dtype_name
from inplacelab.recorders import events
from inplacelab.recorders.snapshots import memory_at


@dataclass(slots=True, eq=False)
class Counter:
    """A version counter: its number, and the version at the last event about it."""

    number: int
    version: int


@dataclass(slots=True, eq=False)
class KnownStorage:
    """The state of a storage at the last event about it.

    Attributes:
        number: its number.
        address, pin: of its `StorageImpl`, and what keeps that from being used again.
        dtype: of its slots: that of the first tensor seen on it, or of those that are there, once they agree on another.
        bytes: its size.
        device: where it is.
        start: the address of its memory.
        counters: its version counters.
        tensors: the living tensors on it, by number.
        seen: the event that describes it, while nothing else that was emitted depends on the type of its slots.
    """

    number: int
    address: int
    pin: int
    dtype: Any
    bytes: int
    device: str
    start: int
    counters: list[Counter] = field(default_factory=list)
    tensors: dict[int, KnownTensor] = field(default_factory=dict)
    seen: events.StorageSeen | None = None

    def memory(self) -> Any:
        """Returns the memory as an array of one axis; None if it cannot be read without waiting, or holds no numbers."""
        return memory_at(self.start, self.bytes, dtype_name(self.dtype)) if self.device == "cpu" else None


def gone() -> None:
    """What a reference returns whose object is gone."""


@dataclass(slots=True, eq=False)
class KnownTensor:
    """The state of a tensor at the last event about it.

    Attributes:
        number: its number.
        names: the program's names for it.
        storage, counter: its storage and version counter.
        operand: its metadata.
        alive: the tensor, or None once it is gone.
        base: the tensor of which it is a view.
        node, needs, grad: its place in the gradient history.
        read_at: the version at which its node was last read.
        remade: of a view whose base was written, see `readings.remade_nodes`; empty if that was not asked yet.
    """

    number: int
    names: tuple[str, ...]
    storage: KnownStorage
    counter: Counter
    operand: events.Operand
    alive: Callable[[], Any] = gone
    base: int | None = None
    node: int | None = None
    needs: bool = False
    grad: int | None = None
    read_at: int = 0
    remade: tuple[str, ...] = ()

    def swap(self, other: KnownTensor) -> None:
        """Exchanges all but the numbers and the names of two tensors."""
        for name in ("storage", "counter", "base", "node", "needs", "grad", "read_at", "remade"):
            mine, its = getattr(self, name), getattr(other, name)
            setattr(self, name, its)
            setattr(other, name, mine)
        mine, its = self.operand, other.operand
        self.operand, other.operand = replace(its, tensor=self.number), replace(mine, tensor=other.number)
        for each, left in ((self, other.storage), (other, self.storage)):
            left.tensors.pop(each.number, None)
        for each in (self, other):
            each.storage.tensors[each.number] = each


@dataclass(slots=True)
class Made:
    """What is known of the operation that runs while objects are described.

    Attributes:
        first, last: the sequence numbers of its nodes: `first`, and so on, before `last`.
        writes: whether it has written one of its arguments.
        known: how many storages were known before it.
    """

    first: int = 0
    last: int = 0
    writes: bool = False
    known: int = 0


@dataclass(slots=True)
class Moment:
    """What the recorder is doing.

    Attributes:
        replacing: whether it reports an operation that gives tensors another history: nodes freed then were replaced by it.
        made: the operation that is reported.
    """

    replacing: bool = False
    made: Made = field(default_factory=Made)
