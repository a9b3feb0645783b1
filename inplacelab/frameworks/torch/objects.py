"""Emits events that describe PyTorch's tensors, when each is first seen and when it has changed.

Nothing is kept alive: tensors are known by weak references. Their storages and counters are in `storages.py`, their nodes in `nodes.py`.

To read `grad_fn` or `is_leaf` of a view whose storage was written since makes a new node, which PyTorch would otherwise make when the
view is used next, or never. That might change the order of backward, so it is not read: until then the node is inferred
(`TorchNodes.expected`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import torch

from inplacelab.frameworks.torch.known import Counter, KnownStorage, KnownTensor, Moment, gone
from inplacelab.frameworks.torch.nodes import TorchNodes
from inplacelab.frameworks.torch.readings import (
    base_of,
    device_of,
    dtype_name,
    dtype_of,
    gradient_held,
    has_version,
    is_outdated,
    is_wrapped,
    kind_of_layout,
    layout_of,
    may_be_remade,
    needs_gradient,
    node_of,
    remade_nodes,
    retains_grad,
    version_of,
)
from inplacelab.frameworks.torch.storages import TorchStorages
from inplacelab.language import Text
from inplacelab.recorders import events
from inplacelab.recorders.live_objects import Handles, Protect
from inplacelab.recorders.static import class_name

_Tensor: Any = torch.Tensor

_INFERENCE = Text(
    "Inference tensors were left out: PyTorch counts no versions for them.",
    "推理张量没有记录：PyTorch 不为它们计版本。",
)
_NOT_STRIDED = Text(
    "Tensors without a storage of their own, such as sparse and nested ones and those inside `vmap`, were left out.",
    "没有自己的存储的张量（如稀疏张量、嵌套张量以及 `vmap` 内部的张量）没有记录。",
)
_UNREADABLE = Text(
    "Tensors were left out that PyTorch does not show: to read them raises {0}.",
    "PyTorch 不显示的张量没有记录：读取它们会引发 {0}。",
)
_READ_OTHERWISE = Text(
    "Some views of complex numbers, such as `x.conj()` and `x.conj().imag`, are conjugated or negated only when they are read. The values "
    "shown for them are those in their storage.",
    "复数的某些视图（如 `x.conj()` 和 `x.conj().imag`）在读取时才取共轭或取负；这里显示的是存储里的数值。",
)


class TorchObjects:
    """Emits events about objects of PyTorch. Its methods are called while `torch.Tensor` is not overridden (`DisableTorchFunction`).

    Args:
        emit: receives the events.
        names_of: returns the program's names for a tensor.
        protect: makes a function into one that Python may call when an object is freed.
        remark: has the recording say something once.

    Attributes:
        tensors: the known living tensors.
        moment: what the recorder is doing.
        nodes: the grad nodes.
        storages: the storages and version counters.
    """

    def __init__(
        self,
        emit: Callable[[events.Event], None],
        names_of: Callable[[Any], tuple[str, ...]],
        protect: Protect,
        remark: Callable[[Text], None],
    ) -> None:
        self._emit, self._names_of, self._remark = emit, names_of, remark
        self.tensors: Handles[Any, KnownTensor] = Handles(self._tensor_died, protect)
        self.moment = Moment()
        self.nodes = TorchNodes(emit, self.moment, self.tensor, self._kept, remark)
        self.storages = TorchStorages(emit, self.moment, self.nodes.kept_counters, remark)

    def forget(self) -> None:
        """Drops all references."""
        for (
            known
        ) in self.tensors.facts.values():  # which may stay for a while, since storages and tensors lead to each other
            known.alive = gone
        self.tensors.clear()
        self.storages.forget()
        self.nodes.forget()

    # ---- tensors ---------------------------------------------------------------------------------------------------------

    def _tensor_died(self, known: KnownTensor) -> None:
        known.storage.tensors.pop(known.number, None)
        self.storages.moved(known.storage)
        self._emit(events.Died("tensor", known.number, self.moment.replacing))
        self.storages.drop_counters(known.storage)
        self.nodes.references.change(known.node, -1)

    def recordable(self, tensor: Any) -> bool:
        """Whether a tensor has a storage, elements at strides and a version counter."""
        try:
            if kind_of_layout(tensor) is not torch.strided or is_wrapped(tensor) or _Tensor.is_nested.__get__(tensor):
                self._remark(_NOT_STRIDED)
                return False
            if _Tensor.is_inference(tensor) or not has_version(tensor):
                self._remark(_INFERENCE)
                return False
            _Tensor.untyped_storage(tensor), layout_of(tensor), dtype_of(tensor), device_of(tensor), base_of(tensor)
        except Exception as error:  # noqa: BLE001  # whatever a tensor of an unusual kind raises
            self._remark(_UNREADABLE.format(class_name(type(error))))
            return False
        return True

    def tensor(
        self, tensor: Any, *, filled: bool = True, own_counter: bool = False, of: Sequence[KnownTensor] = ()
    ) -> KnownTensor | None:
        """Returns a known tensor; describes it first if it is new. None if it cannot be recorded.

        Args:
            tensor: the tensor.
            filled: False if a new storage has no meaningful values yet.
            own_counter: whether a new tensor counts its writes apart from others on its storage, as `x.data` does.
            of: of which tensors an operation has made a new one: it shares the counter of one of them, if it shares a storage.
        """
        return self.tensors.find(tensor) or self._meet(tensor, filled, own_counter, of)

    def _meet(self, tensor: Any, filled: bool, own_counter: bool, of: Sequence[KnownTensor]) -> KnownTensor | None:
        if not self.recordable(tensor):
            return None
        storage = self.storages.storage(tensor, filled)
        base = None if (found := base_of(tensor)) is None else self.tensor(found)
        from_base = [] if base is None else [base]
        shared = () if own_counter else (*from_base, *of, *storage.tensors.values())
        counter = self.storages.counter(storage, version_of(tensor), shared)
        if _Tensor.is_conj(tensor) or _Tensor.is_neg(tensor):
            self._remark(_READ_OTHERWISE)
        number = self.tensors.next_number()
        operand = _operand(number, tensor, storage, counter)
        known = KnownTensor(number, self._names_of(tensor), storage, counter, operand)
        known.base = None if base is None else base.number
        storage.tensors[number] = known
        self.storages.moved(storage)
        known.alive = self.tensors.add(tensor, known)
        known.needs = needs_gradient(tensor)
        self._point(known, self._history(known, tensor, fresh=not is_outdated(tensor)))
        known.grad = self._gradient(known, tensor)
        self._describe(known)
        self.storages.drop_counters(storage)
        return known

    def _describe(self, known: KnownTensor) -> None:
        self._emit(
            events.TensorMade(
                known.operand, known.storage.device, known.needs, known.base, known.node, known.grad, known.names
            )
        )

    def look_at(self, known: KnownTensor, tensor: Any) -> bool:
        """Emits a change of a tensor's layout or storage. Returns whether there was one."""
        storage = self.storages.storage(tensor, filled=True)
        counter = known.counter
        if storage is not known.storage:  # `x.data = y`, `x.set_(y)`: the tensor keeps its counter, as a new one there
            counter = self.storages.meet_counter(storage, version_of(tensor))
        operand = _operand(known.number, tensor, storage, counter)
        if operand == known.operand:
            return False
        left, known.storage, known.counter, known.operand = known.storage, storage, counter, operand
        known.remade = ()
        left.tensors.pop(known.number, None)
        storage.tensors[known.number] = known
        self.storages.moved(left)
        self.storages.moved(storage)
        self.storages.agree_on_types()
        base = None if (found := base_of(tensor)) is None else self.tensor(found)
        known.base = None if base is None else base.number
        self._describe(known)
        self.storages.drop_counters(left)
        return True

    def drop_reference(self, tensor: Any) -> None:
        """Drops the weak reference to a tensor, which must be kept alive until `hold` is called."""
        self.tensors.drop_reference(tensor)
        if (known := self.tensors.find(tensor)) is not None:
            known.alive = gone

    def hold(self, tensor: Any) -> None:
        """Holds a weak reference again."""
        if (known := self.tensors.find(tensor)) is not None:
            known.alive = self.tensors.add(tensor, known)

    def swapped(self, one: KnownTensor, other: KnownTensor) -> None:
        """Emits that two tensors have become each other (see `swaps.py`)."""
        one.swap(other)
        self.nodes.swapped(one.number, other.number)
        self._describe(one)
        self._describe(other)

    def flags(self, known: KnownTensor, tensor: Any, *, fresh: bool) -> bool:
        """Emits a change of `requires_grad`, `.grad` or the node of a tensor. Returns whether the program has set one.

        Args:
            known: the tensor.
            tensor: the tensor.
            fresh: whether the program has used the tensor in a way that makes the node of a view.
        """
        needs, node = needs_gradient(tensor), self._history(known, tensor, fresh)
        grad = self._gradient(known, tensor)
        if (needs, node, grad) == (known.needs, known.node, known.grad):
            return False
        known.needs, known.grad = needs, grad
        self._point(known, node)
        self._emit(events.FlagsSet(known.number, needs, node, grad))
        return True

    def filled(self, leaf: Any, later: Iterable[Any] = ()) -> events.Operand | None:
        """Emits the gradient that a backward pass has given to a tensor.

        Args:
            leaf: the tensor.
            later: the leaves that the pass reached after it.

        Returns:
            The tensor that holds the gradient.
        """
        known = self.tensor(leaf)
        if known is None:
            return None
        held = gradient_held(leaf)
        gradient = None if held is None else self.tensor(held)
        if gradient is not None:
            self._accumulated(gradient, held, later)
            if self.flagged_history(gradient, held):
                self.histories(gradient.storage, ())
        known.grad = None if gradient is None else gradient.number
        self._emit(events.GradientSet(known.number, known.grad))
        return None if gradient is None else gradient.operand

    def _accumulated(self, gradient: KnownTensor, held: Any, later: Iterable[Any]) -> None:
        """Emits the write to a gradient. Gradients that are parts of one storage share its counter: each write has raised it by one."""
        moved = version_of(held) - gradient.counter.version
        following = 0 if moved < 2 else sum(self._counts_with(gradient, gradient_held(leaf)) for leaf in later)
        if following:
            version = version_of(held) - min(following, moved - 1)
            self.storages.wrote(gradient, held, gradient.operand.layout, version=version)
        else:
            self.wrote_unseen(gradient, held)

    def _counts_with(self, gradient: KnownTensor, held: Any) -> bool:
        other = None if held is None else self.tensors.find(held)
        return other is not None and other is not gradient and other.counter is gradient.counter

    def look_at_gradients(self) -> None:
        """Emits the gradients that a pass has given to tensors and that were not reported: those kept by `retain_grad`, and those of
        passes that PyTorch's own code has run inside it, as a checkpoint does.
        """
        for tensor, known in self.tensors.living():
            if known.node is None:
                held = gradient_held(tensor)
                gradient = None if held is None else self.tensors.find(held)
                changed = held is not None and (gradient is None or gradient.counter.version != version_of(held))
                if changed or known.grad != (None if gradient is None else gradient.number):
                    self.filled(tensor)
            elif retains_grad(tensor):
                self.filled(tensor)

    def _gradient(self, known: KnownTensor, tensor: Any) -> int | None:
        if known.node is not None and not retains_grad(tensor):  # PyTorch warns of reading it
            return None
        held = gradient_held(tensor)
        gradient = None if held is None else self.tensor(held)
        return None if gradient is None else gradient.number

    # ---- histories -------------------------------------------------------------------------------------------------------

    def histories(self, storage: KnownStorage, used: tuple[Any, ...]) -> None:
        """Emits changes of the history of every tensor on a storage. `used` are the tensors that the operation has used."""
        for known in list(storage.tensors.values()):
            tensor = known.alive()
            if tensor is not None:
                self.flagged_history(known, tensor, fresh=any(tensor is each for each in used))

    def flagged_history(self, known: KnownTensor, tensor: Any, *, fresh: bool = False) -> bool:
        """Emits a change of a tensor's node or of whether it needs a gradient. Returns whether there was one."""
        node, needs = self._history(known, tensor, fresh), needs_gradient(tensor)
        if node == known.node and needs is known.needs:
            return False
        known.needs = needs
        self._point(known, node)
        self._emit(events.Rewired(known.number, needs, node))
        return True

    def _history(self, known: KnownTensor, tensor: Any, fresh: bool) -> int | None:
        """Returns a tensor's node. That of a view is inferred if reading it would make it."""
        base, version = base_of(tensor), version_of(tensor)
        if base is None or fresh or known.read_at == version:
            if not needs_gradient(tensor):
                return None
            try:
                node = node_of(tensor)
            except RuntimeError:  # one of several views that an operation returned, written since
                return known.node
            known.read_at = version
            return self.nodes.node(node, known.node)
        if not needs_gradient(base) or not may_be_remade(tensor):
            return known.node
        root = self.tensor(base)
        if root is None:
            return known.node
        to = self._history(root, base, fresh=False)
        known.remade = known.remade or remade_nodes(tensor, base)
        return self.nodes.expected(known.node, self.nodes.of_leaf(root.number) if to is None else to, known.remade)

    def _point(self, known: KnownTensor, node: int | None) -> None:
        """Sets the node that a tensor leads to."""
        before, known.node = known.node, node
        self.nodes.references.move(before, node)

    # ---- writes and saved tensors -------------------------------------------------------------------------------------------

    def wrote_unseen(self, known: KnownTensor, tensor: Any) -> bool:
        """Emits a write that was not reported. Returns whether there was one."""
        if known.counter.version == version_of(tensor):
            return False
        others = [
            each for each in known.storage.tensors.values() if each.counter is known.counter and each is not known
        ]
        alone = [
            each
            for each in others
            if (other := each.alive()) is not None and version_of(other) == known.counter.version
        ]
        if alone:  # they do not share a counter, as was believed
            self._split(known, tensor)
            return False
        self.storages.wrote(known, tensor, None)
        return True

    def _split(self, known: KnownTensor, tensor: Any) -> None:
        known.counter = self.storages.meet_counter(known.storage, version_of(tensor))
        known.operand = replace(known.operand, counter=known.counter.number)
        self._describe(known)
        self.storages.drop_counters(known.storage)

    def look_again(self) -> bool:
        """Emits the writes that were not reported. Returns whether there were any."""
        unseen = [known for tensor, known in self.tensors.living() if self.wrote_unseen(known, tensor)]
        return bool(unseen)

    def _kept(self, name: str, data: Any, version: int | None) -> events.Kept | None:
        """Describes a tensor that a node has saved by a name; None if it cannot be recorded.

        Args:
            name: the name.
            data: the tensor.
            version: at which version it was saved; None if the operation has just done that.
        """
        if not self.recordable(data):
            return None
        known = self.tensors.find(data)
        storage = self.storages.storage(data, filled=True) if known is None else known.storage
        counter = self.storages.counter_shown(storage, data) if known is None else known.counter
        storage.seen = None
        self.storages.moved(storage)
        is_result = name.startswith(("out", "result"))  # saved after the operation, which may have written it
        if version is None:
            version = version_of(data) if is_result else counter.version
        operand = _operand(-1, data, storage, counter)
        copied = self.moment.made.writes and storage.number >= self.moment.made.known and known is None
        dtype = "" if operand.dtype == dtype_name(storage.dtype) else operand.dtype
        return events.Kept(name, storage.number, counter.number, version, operand.layout, copied, dtype)


def _operand(number: int, tensor: Any, storage: KnownStorage, counter: Counter) -> events.Operand:
    return events.Operand(number, storage.number, counter.number, layout_of(tensor), dtype_name(dtype_of(tensor)))
