"""The memory of the reference interpreter: storages of slots, tensors as tables of slots, and how they are read and written."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from . import jets
from .jets import Array, Jet, Shape

MAY_RUN = frozenset({"overlap", "touch", "left"})
"""Optional refusals, of statements that have a meaning: in a fixed order, reading before writing; or, for "left", since each slot
has its derivatives.
"""


class RefusedError(Exception):
    """A statement without a meaning, and the reason."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


@dataclass(eq=False)
class Memory:
    """The slots of a storage: one version counter, and usually one history."""

    version: int = 0
    histories: list[Storage] = field(default_factory=list)


@dataclass(eq=False)
class Storage:
    """A flat row of slots, and how their values depend on the leaves.

    When a tensor leaves the history, its views keep theirs. Then the same slots have two histories, for the one and for the others;
    what is written later is the same for both.
    """

    jets: Jet
    needs: bool = False
    """True if a gradient is needed for an element of it."""
    leaf: bool = False
    memory: Memory = field(default_factory=Memory)
    left: int | None = None
    """The version at which the tensor left whose views still have this history."""

    def __post_init__(self) -> None:
        self.memory.histories.append(self)

    @property
    def version(self) -> int:
        """The number of writes."""
        return self.memory.version

    @version.setter
    def version(self, version: int) -> None:
        self.memory.version = version


@dataclass(eq=False)
class Tensor:
    """A table of slots in a storage."""

    storage: Storage
    slots: Array
    tracked: bool = True
    """False for what has left the history: `detach()`, views made under `no_grad`."""
    root: bool = True
    """False for a view."""
    grad: Array | None = None
    directions: slice | None = None
    """For a leaf, or one that retains its gradient: the directions along which its own elements move."""
    own_shape: Shape = ()
    """The shape that it had when it was given these directions."""
    retains: bool = False

    @property
    def shape(self) -> Shape:
        """The sizes of the axes."""
        return self.slots.shape

    @property
    def value(self) -> Array:
        """The values, without derivatives."""
        return np.asarray(self.storage.jets.value[self.slots])

    @property
    def jet(self) -> Jet:
        """The elements with all their derivatives."""
        return self.storage.jets.map(lambda part: np.asarray(part[self.slots]))

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the values; derivatives are always float64."""
        return self.storage.jets.value.dtype

    @property
    def needs(self) -> bool:
        """The opposite of `stop_gradient`."""
        return self.tracked and self.storage.needs and self.dtype.kind == "f"

    @property
    def stale(self) -> bool:
        """True for a view whose base has left the history, and whose storage was written after that."""
        return self.needs and self.storage.left is not None and self.storage.left != self.storage.version

    def own(self, slopes: Array) -> Array:
        """The part of a gradient for this tensor's own directions, in the shape that it had then."""
        if self.directions is None:
            return np.zeros(self.shape)
        return slopes[self.directions].reshape(self.own_shape)


@dataclass
class World:
    """The named tensors, and the three actions on them: make, read, write.

    Attributes:
        second: carry second derivatives too.
        differentiate: carry derivatives; without them it is faster, and refusals are the same.
        names: the tensors of the program.
        escape: the program has left the history on purpose.
    """

    second: bool = False
    differentiate: bool = True
    names: dict[str, Tensor] = field(default_factory=dict)
    leaves: dict[str, Tensor] = field(default_factory=dict)
    escape: bool = False
    quiet: bool = False
    force: bool = False
    none: Jet = field(init=False)

    def __post_init__(self) -> None:
        self.none = jets.empty(second=self.second)

    @property
    def directions(self) -> int:
        """The number of directions along which derivatives are carried."""
        return self.none.directions

    # ---- reading and writing ---------------------------------------------------------------------------------------

    def read(self, tensor: Tensor) -> Jet:
        """The elements with their derivatives; constants outside the history."""
        taken = tensor.jet
        return taken if tensor.needs and not self.quiet else jets.constant(taken.value, taken)

    def fresh(self, jet: Jet, *sources: Tensor) -> Tensor:
        """A tensor in a new storage."""
        shape = jet.value.shape
        rows = jet.map(lambda part: np.array(part).reshape((prod(shape), *part.shape[len(shape) :])))
        needs = not self.quiet and any(source.needs for source in sources) and jet.value.dtype.kind == "f"
        return Tensor(Storage(rows, needs=needs), np.arange(prod(shape)).reshape(shape))

    def write(self, target: Tensor, slots: Array, jet: Jet, sources: list[Tensor]) -> Tensor:
        """Writes jets into some slots of a tensor."""
        if jet.value.shape != slots.shape:
            raise RefusedError("growth")
        self.check_write(target, slots, sources)
        storage = target.storage
        needed = not self.quiet and any(source.needs for source in sources)
        if (self.quiet or not target.tracked) and (storage.needs or needed):
            self.escape = True
        for history in storage.memory.histories:
            for old, new in zip(history.jets, jet, strict=True):
                if old is not None and new is not None:
                    old[slots.ravel()] = np.reshape(new, (slots.size, *old.shape[1:]))
            history.needs |= needed and storage.jets.value.dtype.kind == "f"
        storage.version += 1
        return target

    def check_write(self, target: Tensor, slots: Array, sources: list[Tensor]) -> None:
        """Refuses a write that has no meaning while history is recorded, or at all."""
        if not self.force and not self.quiet and target.tracked and target.storage.leaf:
            raise RefusedError("leaf")
        if not self.force and not self.quiet and target.needs and target.storage.left is not None:
            raise RefusedError("left")
        for source in () if self.force else sources:
            if source.storage.memory is target.storage.memory and not np.array_equal(source.slots, slots):
                _check_overlap(source.slots, slots)

    def move_by_itself(self, tensor: Tensor) -> None:
        """From now on carry derivatives along the elements of this tensor too."""
        if not self.differentiate:
            return
        before, size = self.none.directions, tensor.slots.size
        tensors = (*self.names.values(), *self.leaves.values(), tensor)
        storages = {id(each): each for t in tensors for each in t.storage.memory.histories}
        for storage in storages.values():
            storage.jets = jets.widened(storage.jets, size)
        self.none = jets.widened(self.none, size)
        tensor.directions, tensor.own_shape = slice(before, before + size), tensor.shape
        tensor.storage.jets.first[tensor.slots.ravel(), np.arange(before, before + size)] += 1


def _check_overlap(read: Array, written: Array) -> None:
    """Refuses a write whose result depends on the order of the loop.

    "touch" is the case in which it does not, because each slot that is both read and written is so by the same element:
    such a write has a meaning, but may be refused.
    """
    if np.intersect1d(read, written).size:
        extra = max(read.ndim - written.ndim, 0)  # leading axes of one element
        reader = np.broadcast_to(read.reshape(read.shape[extra:]), written.shape).ravel()
        writer = {slot: place for place, slot in enumerate(written.ravel())}
        harmless = all(writer.get(slot, place) == place for place, slot in enumerate(reader))
        raise RefusedError("touch" if harmless else "overlap")
