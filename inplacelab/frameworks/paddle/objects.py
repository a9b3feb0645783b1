"""Emits events that describe Paddle's tensors, storages and version counters. Their nodes are in `nodes.py`.

Nothing is kept alive, also not the memory of a gradient, which Paddle hands out as another object at each `x.grad`. Paddle gives no
reference to a storage that could be weak, so one is known by its address, which Paddle uses again. It lives as long as a tensor that is
known to be on it, or a node that is inferred to have saved it (`nodes.py`).

Some of Paddle's properties do more than they seem to. To read `stop_gradient` of a tensor that Paddle has not given a place in a history
makes one, after which other errors are raised. To read `name` may use up a number. So `stop_gradient` is read of tensors only
that have a `grad_fn`, are gradients, or whose flag Paddle has set itself. (A tensor that asks for a gradient has a `grad_fn`: Paddle gives it a
`GradNodeAccumulation`.)
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from inplacelab.frameworks.paddle.nodes import PaddleNodes
from inplacelab.frameworks.paddle.readings import (
    LEAF_NODE,
    address_of,
    device_name,
    dtype_name,
    gradient_held,
    is_dense,
    is_distributed,
    item_size,
    layout_of,
    node_of,
    shape_of,
    size_of,
    stopped,
    version_of,
)
from inplacelab.language import Text
from inplacelab.recorders import events
from inplacelab.recorders.call_recorder import CallRecorder
from inplacelab.recorders.known_objects import Counter, KnownObjects, KnownStorage, KnownStorages, KnownTensor, Slots

_NOT_DENSE = Text(
    "Tensors without a storage of their own, such as sparse and distributed ones, were left out.",
    "没有自己的存储的张量（如稀疏张量和分布式张量）没有记录。",
)


@dataclass(slots=True, eq=False)
class PaddleStorage(KnownStorage):
    """The state of a storage at the last event about it. Its address is the start of its memory.

    Attributes:
        keepers: how many nodes are inferred to have saved it.
    """

    keepers: int = 0


@dataclass(slots=True, eq=False)
class PaddleTensor(KnownTensor):
    """The state of a tensor at the last event about it.

    Attributes:
        owner: the tensor whose `.grad` it is.
        flagged: whether Paddle itself has set `stop_gradient` of it, so that it may be read although the tensor has no node.
        outdated: the line that has written it through another tensor, so that its node does not know of the write.
        objects: the objects of the program that are this tensor, as weak references. A gradient has none, or several, and
            some functions, such as `copy_`, return another object for the same tensor.
    """

    owner: PaddleTensor | None = None
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


class PaddleObjects(KnownObjects[PaddleTensor]):
    """Emits events about tensors.

    Attributes:
        reporting: whether the results of an operation are described.
    """

    def __init__(self, recorder: CallRecorder[Any]) -> None:
        super().__init__(recorder)
        self.reporting = False
        self.storages: PaddleStorages = PaddleStorages(self)
        self.nodes: PaddleNodes = PaddleNodes(self)

    # ---- tensors ---------------------------------------------------------------------------------------------------------

    def _object_died(self, known: PaddleTensor) -> None:
        known.objects = [each for each in known.objects if each() is not None]
        if not known.objects and known.owner is None:
            self._gone(known)

    _tensor_died = _object_died

    def _gone(self, known: PaddleTensor) -> None:
        known.storage.tensors.pop(known.number, None)
        self._emit(events.Died("tensor", known.number, self.replacing))
        self.nodes.leaf_died(known)
        self.nodes.count(known.node, -1)
        self.storages.free_unless_used(known.storage)
        self._disown(known)

    def _disown(self, known: PaddleTensor) -> None:
        """Notes that a tensor has no longer the gradient that it had."""
        held, known.grad = known.grad, None
        if held is not None:
            held.owner = None
            if not held.objects:
                self._gone(held)

    def recordable(self, tensor: Any) -> bool:
        """Whether a tensor has a storage, elements at strides and a version counter."""
        if not is_dense(tensor) or is_distributed(tensor):
            self._note(_NOT_DENSE)
            return False
        return bool(size_of(tensor)) or 0 in shape_of(tensor)  # a parameter has no memory before it is initialized

    def tensor(
        self,
        tensor: Any,
        *,
        filled: bool = True,
        of: Sequence[PaddleTensor] = (),
        own_counter: bool = False,  # noqa: ARG002  # Paddle shares it
        resulted: bool = False,
    ) -> PaddleTensor | None:
        """Returns a known tensor; describes it first if it is new. None if it cannot be recorded.

        One that an operation has just made (`resulted`) is no gradient, and has a storage of its own unless a living tensor has the same. It is
        a view of the first of the tensors of which it was made (`of`) that is on the same storage.
        """
        known = self.tensors.find(tensor)
        if known is not None:
            return known
        if not self.recordable(tensor):
            return None
        known = self._same_as(tensor, of) if resulted else self._gradient_shown(tensor) or self._passed_on(tensor)
        if known is None:
            return self._describe_new(tensor, filled, of, resulted)
        self._hold(known, tensor)
        return known

    def _same_as(self, tensor: Any, others: Sequence[PaddleTensor]) -> PaddleTensor | None:
        """Returns which of these tensors the result of an operation is, as another object: one with its place in the history."""
        node = node_of(tensor)
        for known in others if node is not None else ():
            other = known.alive()
            if (
                other is not None
                and known.operand.layout == layout_of(tensor)
                and address_of(tensor) == known.storage.address
            ):
                its = node_of(other)
                if its is not None and its.node_ptr() == node.node_ptr():
                    return known
        return None

    def _gradient_shown(self, tensor: Any) -> PaddleTensor | None:
        """Returns the gradient that an object of the program is: `x.grad` is another object at each call."""
        storage = self.storages.at(tensor)
        for known in () if storage is None else list(storage.tensors.values()):
            if known.owner is not None and known.operand.layout == layout_of(tensor):
                return known  # type: ignore[no-any-return]
        return None

    def _passed_on(self, tensor: Any) -> PaddleTensor | None:
        """Returns which known tensor an object without a name stands for: pooling hands its operand to the kernel as another object."""
        storage = None if self.recorder.names.names_of(tensor) else self.storages.at(tensor)
        alike: list[PaddleTensor] = [
            known
            for known in (() if storage is None else list(storage.tensors.values()))
            if known.operand.layout == layout_of(tensor) and known.alive() is not None
        ]
        same = self._same_as(tensor, alike)
        if same is not None or node_of(tensor) is not None:
            return same
        return next((each for each in alike if each.node is None and each.needs == self._needs(each, tensor)), None)

    def _hold(self, known: PaddleTensor, tensor: Any) -> None:
        known.objects.append(weakref.ref(tensor))
        self.tensors.add(tensor, known)

    def _describe_new(
        self,
        tensor: Any,
        filled: bool,
        of: Sequence[PaddleTensor],
        resulted: bool,
        owner: PaddleTensor | None = None,
    ) -> PaddleTensor:
        storage = self.storages.storage(tensor, filled=filled, resulted=resulted)
        base = next((each for each in of if each.storage is storage), None)
        counter = self.storages.counter(storage, version_of(tensor), base)
        number = self.tensors.next_number()
        names = self.recorder.names.names_of(tensor)
        known = PaddleTensor(number, names, storage, counter, _operand(number, tensor, storage, counter), owner=owner)
        if base is not None:
            known.base = base.number if base.base is None else base.base
        storage.tensors[number] = known
        if owner is None:
            self._hold(known, tensor)
        node, known.needs = self._history(known, tensor)
        self._point(known, node)
        known.grad = self._gradient(known, tensor)
        self._describe(known)
        return known

    def look_at(self, known: PaddleTensor, tensor: Any, *, apart: bool = False) -> bool:
        storage, counter, address = known.storage, known.counter, address_of(tensor)
        if address != storage.address or (storage.address and size_of(tensor) != storage.bytes):
            storage = self.storages.storage(tensor, filled=True, resulted=False)
        if storage is not known.storage:
            version = version_of(tensor)
            counter = (
                self.storages.new_counter(storage, version) if apart else self.storages.counter(storage, version, None)
            )
            if counter.together == [counter] and address and not storage.tensors:
                # An operation gave it other memory: views still count with it.
                self.storages.raise_together(counter, known.counter)
        operand = _operand(known.number, tensor, storage, counter)
        if operand == known.operand:
            return False
        left, known.storage, known.counter, known.operand = known.storage, storage, counter, operand
        left.tensors.pop(known.number, None)
        storage.tensors[known.number] = known
        known.base = known.base if left is storage else None
        self._describe(known)
        self.storages.free_unless_used(left)
        return True

    def look_at_aliases(self, known: PaddleTensor) -> None:
        """Emits the changes of layout of tensors that share their metadata with one, as `x.data` and `x.detach()` do with `x`."""
        for each in list(known.storage.tensors.values()):
            tensor = None if each is known else each.alive()
            if tensor is not None:
                self.look_at(each, tensor)

    def moved(self, known: PaddleTensor) -> None:
        """Emits where a tensor is whose memory is used again."""
        tensor = known.alive()
        if tensor is not None and self.look_at(known, tensor):
            self._emit(events.Handed())  # it has moved before the operation that is reported now

    # ---- gradients -------------------------------------------------------------------------------------------------------

    def _replace_gradient(self, known: PaddleTensor, grad: PaddleTensor | None) -> None:
        if known.grad is not grad:
            self._disown(known)
            known.grad = grad

    def filled(self, leaf: Any, later: Iterable[Any] = ()) -> events.Operand | None:  # noqa: ARG002  # one counter each
        known = self.tensor(leaf)
        if known is None:
            return None
        before = known.grad
        gradient = self._gradient(known, leaf)
        if gradient is not None and gradient is before:
            held = gradient_held(leaf)
            self.history(gradient, held)
            self.storages.wrote(gradient, held, None)
        self._emit(events.GradientSet(known.number, None if gradient is None else gradient.number))
        self._replace_gradient(known, gradient)
        return None if gradient is None else gradient.operand

    def look_at_gradients(self) -> None:
        """Emits the gradients that tensors have which were not reported, such as those kept by `retain_grads`."""
        for tensor, known in list(self.tensors.living()):
            if known.owner is None:
                held, before = gradient_held(tensor), known.grad
                if (held is None) != (before is None) or (before is not None and self._differs(before, held)):
                    self.filled(tensor)

    def _differs(self, before: PaddleTensor, held: Any) -> bool:
        return address_of(held) != before.storage.address or version_of(held) != before.counter.version

    def _gradient(self, known: PaddleTensor, tensor: Any) -> PaddleTensor | None:
        """Returns the tensor in the `.grad` of a tensor: described first, if it is another one than before."""
        if known.owner is not None:
            return None
        held = gradient_held(tensor)
        if held is None or not self.recordable(held):
            return None
        gradient: PaddleTensor | None = known.grad
        if gradient is not None and address_of(held) == gradient.storage.address:
            return gradient
        found = self.tensors.find(held) or self._gradient_given(held)
        if found is not None:
            found.owner = known
            return found
        # Its memory may be that of what a node had saved: the pass that has freed that has not ended.
        return self._describe_new(held, True, (), resulted=True, owner=known)

    def _gradient_given(self, held: Any) -> PaddleTensor | None:
        """Returns the tensor that the program has assigned to a `.grad`, or that a hook has returned."""
        storage = self.storages.at(held)
        alone = list(storage.tensors.values()) if storage is not None and self.storages.is_there(storage) else []
        fitting = [each for each in alone if each.owner is None and each.operand.layout == layout_of(held)]
        return fitting[0] if len(fitting) == 1 else None

    # ---- histories -------------------------------------------------------------------------------------------------------

    def _history(self, known: PaddleTensor, tensor: Any, fresh: bool = False) -> tuple[int | None, bool]:  # noqa: ARG002
        """Returns a tensor's node, and whether it needs a gradient. A leaf has none: its accumulation node is noted."""
        node, number = node_of(tensor), None
        if node is not None and node.name() == LEAF_NODE:
            self.nodes.leaf_is(node, known)
        elif node is not None:
            number = self.nodes.node(node)
        return number, self._needs(known, tensor)

    def _needs(self, known: PaddleTensor, tensor: Any) -> bool:
        if known.owner is None and not known.flagged and node_of(tensor) is None:  # to ask would change later errors
            return False
        return not stopped(tensor)

    def wrote_unseen(self, known: PaddleTensor, tensor: Any) -> bool:
        return super().wrote_unseen(known, tensor) and known.storage.bytes > 0


def _operand(number: int, tensor: Any, storage: PaddleStorage, counter: Counter) -> events.Operand:
    return events.Operand(number, storage.number, counter.number, layout_of(tensor), dtype_name(tensor))


class PaddleStorages(KnownStorages[PaddleStorage]):
    """Emits events about storages and version counters."""

    def __init__(self, objects: PaddleObjects) -> None:
        super().__init__(objects)
        self._tensor_moved = objects.moved
        self._numbered: dict[int, PaddleStorage] = {}

    def forget(self) -> None:
        self._numbered.clear()
        super().forget()

    # ---- memory ----------------------------------------------------------------------------------------------------------

    def free_unless_used(self, storage: PaddleStorage) -> None:
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
        super()._free(storage)

    def at(self, tensor: Any) -> PaddleStorage | None:
        """Returns the storage that is known at the address of a tensor."""
        return self._storages.get(address_of(tensor))

    def storage(self, tensor: Any, *, filled: bool, resulted: bool) -> PaddleStorage:
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
        dtype = dtype_name(tensor)
        known = PaddleStorage(self.seen, address, address, dtype, item_size(dtype), size, device_name(tensor))
        self._numbered[known.number] = known
        if address:
            self._storages[address] = known
        self._add(known, filled=filled)
        return known

    def dtype(self, number: int) -> str | None:
        """Returns the dtype of the slots of a storage; None if it is gone."""
        known = self._numbered.get(number)
        return None if known is None else known.dtype

    def is_there(self, storage: PaddleStorage) -> bool:
        """Whether a living tensor still shows a storage at its address."""
        shown = (each.alive() for each in list(storage.tensors.values()))
        return any(each is not None and address_of(each) == storage.address for each in shown)

    def _vanished(self, storage: PaddleStorage) -> None:
        """Notes that the memory of a storage is used again. Tensors that were on it are elsewhere, without an operation that was seen."""
        del self._storages[storage.address]
        for known in list(storage.tensors.values()):
            self._tensor_moved(known)
        self.free_unless_used(storage)
        if storage.number in self._numbered and not storage.tensors:
            self._free(storage)

    # ---- version counters ------------------------------------------------------------------------------------------------

    def counter(self, storage: PaddleStorage, version: int, base: PaddleTensor | None) -> Counter:
        """Returns the version counter of a tensor: that of its base, or one on the storage that shows the same version."""
        first = [] if base is None else [base.counter]
        same = [each for each in (*first, *storage.counters) if each.version == version]
        return same[0] if same else self.new_counter(storage, version)

    def wrote(self, known: PaddleTensor, tensor: Any, slots: Slots) -> None:
        storage, version = known.storage, version_of(tensor)
        for counter in known.counter.together:
            counter.version = version
            within = slots if counter.storage is storage and known.operand.dtype == storage.dtype else None
            if counter.storage.number in self._numbered:
                values = self._copy(counter.storage, within)
                self._emit(events.Wrote(counter.storage.number, counter.number, version, values))

    def count_together(self, known: PaddleTensor, other: PaddleTensor) -> bool:
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
