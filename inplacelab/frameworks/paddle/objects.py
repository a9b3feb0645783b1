"""Emits events that describe Paddle's tensors, when each is first seen and when it has changed.

Nothing is kept alive, also not the memory of a gradient, which Paddle hands out as another object at each `x.grad`. Storages and version
counters are in `storages.py`, nodes in `nodes.py`.

Some of Paddle's properties do more than they seem to. To read `stop_gradient` of a tensor that Paddle has not given a place in a history
makes one, after which other errors are raised. To read `name` may use up a number. So `stop_gradient` is read of tensors only
that have a `grad_fn`, are gradients, or whose flag Paddle has set itself. (A tensor that asks for a gradient has a `grad_fn`: Paddle gives it a
`GradNodeAccumulation`.)
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from inplacelab.frameworks.paddle.known import Counter, KnownStorage, KnownTensor, Moment
from inplacelab.frameworks.paddle.nodes import PaddleNodes
from inplacelab.frameworks.paddle.readings import (
    LEAF_NODE,
    address_of,
    dtype_name,
    gradient_held,
    is_dense,
    is_distributed,
    layout_of,
    node_of,
    shape_of,
    size_of,
    stopped,
    version_of,
)
from inplacelab.frameworks.paddle.storages import PaddleStorages
from inplacelab.language import Text
from inplacelab.recorders import events
from inplacelab.recorders.live_objects import Handles, Protect

_NOT_DENSE = Text(
    "Tensors without a storage of their own, such as sparse and distributed ones, were left out.",
    "没有自己的存储的张量（如稀疏张量和分布式张量）没有记录。",
)


class PaddleObjects:
    """Emits events about objects of Paddle.

    Args:
        emit: receives the events.
        names_of: returns the program's names for a tensor.
        protect: makes a function into one that Python may call when an object is freed.
        remark: has the recording say something once.

    Attributes:
        tensors: the known living tensors.
        nodes: the grad nodes.
        moment: what the recorder is doing.
        storages: the storages and version counters.
    """

    def __init__(
        self,
        emit: Callable[[events.Event], None],
        names_of: Callable[[Any], tuple[str, ...]],
        protect: Protect,
        remark: Callable[[Text], None],
        *,
        with_values: bool = True,
    ) -> None:
        self._emit, self._names_of, self._remark = emit, names_of, remark
        self.tensors: Handles[Any, KnownTensor] = Handles(self._object_died, protect)
        self.moment = Moment()
        self.storages = PaddleStorages(emit, self.moment, self._moved, remark, with_values=with_values)
        self.nodes = PaddleNodes(emit, self.moment, self.storages.keeps)

    def forget(self) -> None:
        """Drops all references."""
        self.tensors.clear()
        self.nodes.forget()
        self.storages.forget()

    # ---- tensors ---------------------------------------------------------------------------------------------------------

    def _object_died(self, known: KnownTensor) -> None:
        known.objects = [each for each in known.objects if each() is not None]
        if not known.objects and known.owner is None:
            self._tensor_died(known)

    def _tensor_died(self, known: KnownTensor) -> None:
        known.storage.tensors.pop(known.number, None)
        self._emit(events.Died("tensor", known.number, self.moment.replacing))
        self.nodes.leaf_died(known)
        self.nodes.references.change(known.node, -1)
        self.storages.free_unless_used(known.storage)
        self._disown(known)

    def _disown(self, known: KnownTensor) -> None:
        """Notes that a tensor has no longer the gradient that it had."""
        held, known.grad = known.grad, None
        if held is not None:
            held.owner = None
            if not held.objects:
                self._tensor_died(held)

    def recordable(self, tensor: Any) -> bool:
        """Whether a tensor has a storage, elements at strides and a version counter."""
        if not is_dense(tensor) or is_distributed(tensor):
            self._remark(_NOT_DENSE)
            return False
        return bool(size_of(tensor)) or 0 in shape_of(tensor)  # a parameter has no memory before it is initialized

    def tensor(
        self, tensor: Any, *, filled: bool = True, of: Sequence[KnownTensor] = (), resulted: bool = False
    ) -> KnownTensor | None:
        """Returns a known tensor; describes it first if it is new. None if it cannot be recorded.

        Args:
            tensor: the tensor.
            filled: False if a new storage has no meaningful values yet.
            of: the tensors of which an operation has made it: it is a view of the first one that is on the same storage.
            resulted: whether an operation has just made it, so that it is no gradient, and has a storage of its own unless a living
                tensor has the same.
        """
        known = self.tensors.find(tensor)
        if known is not None:
            return known
        if not self.recordable(tensor):
            return None
        known = self._same_as(tensor, of) if resulted else self._gradient_shown(tensor) or self._passed_on(tensor)
        if known is None:
            return self._meet(tensor, filled, of, resulted)
        self._hold(known, tensor)
        return known

    def _same_as(self, tensor: Any, others: Sequence[KnownTensor]) -> KnownTensor | None:
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

    def _gradient_shown(self, tensor: Any) -> KnownTensor | None:
        """Returns the gradient that an object of the program is: `x.grad` is another object at each call."""
        storage = self.storages.at(tensor)
        for known in () if storage is None else storage.tensors.values():
            if known.owner is not None and known.operand.layout == layout_of(tensor):
                return known
        return None

    def _passed_on(self, tensor: Any) -> KnownTensor | None:
        """Returns which known tensor an object without a name stands for: pooling hands its operand to the kernel as another object."""
        storage = None if self._names_of(tensor) else self.storages.at(tensor)
        alike = [
            known
            for known in (() if storage is None else storage.tensors.values())
            if known.operand.layout == layout_of(tensor) and known.alive() is not None
        ]
        same = self._same_as(tensor, alike)
        if same is not None or node_of(tensor) is not None:
            return same
        return next((each for each in alike if each.node is None and each.needs == self._needs(each, tensor)), None)

    def _hold(self, known: KnownTensor, tensor: Any) -> None:
        known.objects.append(weakref.ref(tensor))
        self.tensors.add(tensor, known)

    def _meet(
        self,
        tensor: Any,
        filled: bool,
        of: Sequence[KnownTensor],
        resulted: bool,
        owner: KnownTensor | None = None,
    ) -> KnownTensor:
        storage = self.storages.storage(tensor, filled=filled, resulted=resulted)
        base = next((each for each in of if each.storage is storage), None)
        counter = self.storages.counter(storage, version_of(tensor), base)
        number = self.tensors.next_number()
        operand = _operand(number, tensor, storage, counter)
        known = KnownTensor(number, self._names_of(tensor), storage, counter, operand, owner=owner)
        if base is not None:
            known.base = base.number if base.base is None else base.base
        storage.tensors[number] = known
        if owner is None:
            self._hold(known, tensor)
        self._point(known, self._history(known, tensor))
        known.needs = self._needs(known, tensor)
        known.grad = self._gradient(known, tensor)
        self._describe(known)
        return known

    def _describe(self, known: KnownTensor) -> None:
        grad = None if known.grad is None else known.grad.number
        self._emit(events.TensorMade(
            known.operand, known.storage.device, known.needs, known.base, known.node, grad, known.names
        ))  # fmt: skip

    def look_at(self, known: KnownTensor, tensor: Any, *, apart: bool = False) -> bool:
        """Emits a change of a tensor's layout or storage. Returns whether there was one.

        Args:
            known: the tensor.
            tensor: the tensor.
            apart: whether it counts its writes apart from the other tensors on its new storage.
        """
        storage = known.storage
        moved = address_of(tensor) != storage.address
        if moved or (storage.address and size_of(tensor) != storage.bytes):
            storage = self.storages.storage(tensor, filled=True, resulted=False)
        counter = known.counter
        if storage is not known.storage:
            meet = self.storages.meet_counter if apart else partial(self.storages.counter, base=None)
            counter = meet(storage, version_of(tensor))
            if counter.together == [counter] and address_of(tensor) and not storage.tensors:
                self.storages.raise_together(
                    counter, known.counter
                )  # an operation gave it other memory: views still count with it
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

    def flags(self, known: KnownTensor, tensor: Any) -> bool:
        """Emits a change of `stop_gradient`, `.grad` or the node of a tensor that the program has made."""
        held = known.grad
        node, needs, grad = self._history(known, tensor), self._needs(known, tensor), self._gradient(known, tensor)
        if (needs, node, grad) == (known.needs, known.node, held):
            return False
        known.needs = needs
        self._point(known, node)
        self._emit(events.FlagsSet(known.number, needs, node, None if grad is None else grad.number))
        self._replace_gradient(known, grad)
        return True

    def _replace_gradient(self, known: KnownTensor, grad: KnownTensor | None) -> None:
        if known.grad is not grad:
            self._disown(known)
            known.grad = grad

    def filled(self, leaf: Any) -> events.Operand | None:
        """Emits the gradient that a backward pass has given to a tensor. Returns the tensor that holds it."""
        known = self.tensor(leaf)
        if known is None:
            return None
        before = known.grad
        gradient = self._gradient(known, leaf)
        if gradient is not None and gradient is before:
            self._written_by_pass(gradient, gradient_held(leaf))
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

    def _differs(self, before: KnownTensor, held: Any) -> bool:
        return address_of(held) != before.storage.address or version_of(held) != before.counter.version

    def _written_by_pass(self, gradient: KnownTensor, held: Any) -> None:
        self.history(gradient, held)
        self.storages.wrote(gradient, held, None)

    def _gradient(self, known: KnownTensor, tensor: Any) -> KnownTensor | None:
        """Returns the tensor in the `.grad` of a tensor: described first, if it is another one than before."""
        if known.owner is not None:
            return None
        held = gradient_held(tensor)
        if held is None or not self.recordable(held):
            return None
        gradient = known.grad
        if gradient is not None and address_of(held) == gradient.storage.address:
            return gradient
        found = self.tensors.find(held) or self._gradient_given(held)
        if found is not None:
            found.owner = known
            return found
        # Its memory may be that of what a node had saved: the pass that has freed that has not ended.
        return self._meet(held, True, (), resulted=True, owner=known)

    def _gradient_given(self, held: Any) -> KnownTensor | None:
        """Returns the tensor that the program has assigned to a `.grad`, or that a hook has returned."""
        storage = self.storages.at(held)
        alone = list(storage.tensors.values()) if storage is not None and self.storages.is_there(storage) else []
        fitting = [each for each in alone if each.owner is None and each.operand.layout == layout_of(held)]
        return fitting[0] if len(fitting) == 1 else None

    def look_at_aliases(self, known: KnownTensor) -> None:
        """Emits the changes of layout of tensors that share their metadata with one, as `x.data` and `x.detach()` do with `x`."""
        for each in list(known.storage.tensors.values()):
            tensor = None if each is known else each.alive()
            if tensor is not None:
                self.look_at(each, tensor)

    # ---- histories -------------------------------------------------------------------------------------------------------

    def history(self, known: KnownTensor, tensor: Any) -> bool:
        """Emits a change of a tensor's node or of whether it needs a gradient. Returns whether there was one."""
        node, needs = self._history(known, tensor), self._needs(known, tensor)
        if node == known.node and needs is known.needs:
            return False
        known.needs = needs
        self._point(known, node)
        self._emit(events.Rewired(known.number, needs, node))
        return True

    def _history(self, known: KnownTensor, tensor: Any) -> int | None:
        """Returns a tensor's node; None for a leaf, whose accumulation node is noted."""
        node = node_of(tensor)
        if node is None:
            return None
        if node.name() == LEAF_NODE:
            self.nodes.leaf_is(node, known)
            return None
        return self.nodes.node(node)

    def _needs(self, known: KnownTensor, tensor: Any) -> bool:
        if known.owner is None and not known.flagged and node_of(tensor) is None:  # to ask would change later errors
            return False
        return not stopped(tensor)

    def _point(self, known: KnownTensor, node: int | None) -> None:
        """Sets the node that a tensor leads to."""
        before, known.node = known.node, node
        self.nodes.references.move(before, node)

    # ---- writes that were not reported -------------------------------------------------------------------------------------------

    def _moved(self, known: KnownTensor) -> None:
        """Emits where a tensor is whose memory is used again."""
        tensor = known.alive()
        if tensor is not None and self.look_at(known, tensor):
            self._emit(events.Handed())  # it has moved before the operation that is reported now

    def wrote_unseen(self, known: KnownTensor, tensor: Any) -> bool:
        """Emits a write that was not reported. Returns whether there was one."""
        if known.counter.version == version_of(tensor):
            return False
        self.storages.wrote(known, tensor, None)
        return True

    def look_again(self) -> bool:
        """Emits the writes that were not reported. Returns whether there were any."""
        unseen = [known for tensor, known in self.tensors.living() if self.wrote_unseen(known, tensor)]
        return any(known.storage.bytes for known in unseen)


def _operand(number: int, tensor: Any, storage: KnownStorage, counter: Counter) -> events.Operand:
    return events.Operand(number, storage.number, counter.number, layout_of(tensor), dtype_name(tensor))
