"""Events about storages, version counters and tensors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from inplacelab.recorders.events.event import Event

if TYPE_CHECKING:
    from inplacelab.layout import Layout
    from inplacelab.recorders.snapshots import Snapshot


@dataclass(slots=True)
class StorageSeen(Event):
    """A storage is seen for the first time.

    Attributes:
        storage: its number.
        bytes: its size; 0 for a constant that no tensor of the program owns.
        slots: how many elements it holds.
        dtype: of its elements: "float32".
        device: "Place(cpu)".
        simulated: whether the device is simulated.
        values: a copy of its contents; None if they mean nothing yet.
    """

    storage: int
    bytes: int
    slots: int
    dtype: str
    device: str
    simulated: bool
    values: Snapshot | None


@dataclass(slots=True)
class CounterSeen(Event):
    """A version counter is seen for the first time. Most storages have one; some frameworks count for some aliases apart."""

    counter: int
    storage: int
    version: int


@dataclass(slots=True)
class Wrote(Event):
    """A storage was written.

    Attributes:
        storage: its number.
        counter: the counter that was raised.
        version: what the counter shows now.
        values: a copy of the contents; None if they were not copied.
        alone: the tensor through which it was written, if the copy was made after further writes through others.
    """

    storage: int
    counter: int
    version: int
    values: Snapshot | None
    alone: Operand | None = None


@dataclass(frozen=True, slots=True)
class Operand:
    """A tensor as an operation sees it: its numbers, and the layout of its elements.

    Attributes:
        tensor, storage, counter: their numbers.
        layout: the layout of its elements in the storage.
        dtype: of its elements.
        part: the part that the operation reads or writes, if that is not all of the tensor: the layout of a window, or slots one by one;
            none for an input that is only overwritten.
    """

    tensor: int
    storage: int
    counter: int
    layout: Layout
    dtype: str
    part: Layout | tuple[int, ...] | None = None


@dataclass(slots=True)
class TensorMade(Event):
    """A tensor is seen for the first time, or has new metadata.

    Attributes:
        operand: which tensor, and its metadata.
        device: where its storage is.
        needs_gradient: `not stop_gradient`, `requires_grad`.
        base: the tensor of which it is a view.
        node: the grad node that made its present value; None for a leaf.
        grad: the tensor that holds its gradient.
        names: the program's names for it.
    """

    operand: Operand
    device: str
    needs_gradient: bool
    base: int | None
    node: int | None
    grad: int | None
    names: tuple[str, ...]


@dataclass(slots=True)
class Rewired(Event):
    """An operation changed a tensor's grad node."""

    tensor: int
    needs_gradient: bool
    node: int | None


@dataclass(slots=True)
class FlagsSet(Event):
    """The program has set `stop_gradient` or `.grad` of a tensor."""

    tensor: int
    needs_gradient: bool
    node: int | None
    grad: int | None


@dataclass(slots=True)
class GradientSet(Event):
    """A backward pass has given a tensor its gradient."""

    tensor: int
    grad: int | None


@dataclass(slots=True)
class Handed(Event):
    """The program received tensors that no operation made: the objects described since the last step belong to that step."""


@dataclass(slots=True)
class LogBegan(Event):
    """A log that keeps only the last events begins here: objects described so far existed before."""


@dataclass(slots=True)
class Named(Event):
    """The program's names for a tensor have changed."""

    tensor: int
    names: tuple[str, ...]


@dataclass(slots=True)
class Died(Event):
    """An object is gone.

    Attributes:
        kind: what it was.
        number: its number.
        replaced: whether the current operation replaced it, as when it gives a view another node.
    """

    kind: Literal["tensor", "storage", "counter", "node"]
    number: int
    replaced: bool = False
