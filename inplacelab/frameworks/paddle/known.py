"""The state of Paddle's tensors, storages and version counters at the last event about each."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from typing import Any

from inplacelab.frameworks.paddle.readings import gradient_held
from inplacelab.recorders import events
from inplacelab.recorders.snapshots import memory_at


@dataclass(slots=True)
class Moment:
    """What the recorder is doing.

    Attributes:
        replacing: whether it reports an operation that gives tensors another history: nodes freed then were replaced by it.
        reporting: whether it describes the results of an operation.
    """

    replacing: bool = False
    reporting: bool = False


@dataclass(slots=True, eq=False)
class Counter:
    """A version counter: its number, its storage, and the version at the last event about it.

    Attributes:
        together: itself and the counters of other storages that Paddle raises with it: of a tensor and its copy by `reshape`.
    """

    number: int
    storage: KnownStorage
    version: int
    together: list[Counter] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class KnownStorage:
    """The state of a storage at the last event about it.

    Attributes:
        number: its number.
        address: the start of its memory; 0 if it has none.
        dtype: of its slots: that of the first tensor seen on it.
        bytes: its size.
        device: where it is.
        counters: its version counters: one, as long as Paddle shares it among all tensors on the storage.
        tensors: the living tensors on it, by number.
        keepers: how many nodes are inferred to have saved it.
    """

    number: int
    address: int
    dtype: str
    bytes: int
    device: str
    counters: list[Counter] = field(default_factory=list)
    tensors: dict[int, KnownTensor] = field(default_factory=dict)
    keepers: int = 0

    def memory(self) -> Any:
        """Returns the memory as an array of one axis; None if it cannot be read without waiting, or holds no numbers."""
        return memory_at(self.address, self.bytes, self.dtype) if self.device == "cpu" else None


@dataclass(slots=True, eq=False)
class KnownTensor:
    """The state of a tensor at the last event about it.

    Attributes:
        number: its number.
        objects: the objects of the program that are this tensor, as weak references. A gradient has none, or several, and
            some functions, such as `copy_`, return another object for the same tensor.
        names: the program's names for it.
        storage, counter: its storage and version counter.
        operand: its metadata.
        base: the tensor of which it is a view.
        node, needs, grad: its place in the gradient history.
        owner: the tensor whose `.grad` it is.
        flagged: whether Paddle itself has set `stop_gradient` of it, so that it may be read although the tensor has no node.
        outdated: the line that has written it through another tensor, so that its node does not know of the write.
    """

    number: int
    names: tuple[str, ...]
    storage: KnownStorage
    counter: Counter
    operand: events.Operand
    base: int | None = None
    node: int | None = None
    needs: bool = False
    grad: KnownTensor | None = None
    owner: KnownTensor | None = None
    flagged: bool = False
    outdated: int | None = None
    objects: list[weakref.ref[Any]] = field(default_factory=list)

    def alive(self) -> Any:
        """Returns the tensor, or None once it is gone."""
        for each in self.objects:
            if (tensor := each()) is not None:
                return tensor
        owner = None if self.owner is None else self.owner.alive()
        return None if owner is None else gradient_held(owner)
