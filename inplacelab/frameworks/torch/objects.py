"""Emits events that describe PyTorch's tensors, which are known by weak references. Storages are in `storages.py`, nodes in `nodes.py`.

To read `grad_fn` or `is_leaf` of a view whose storage was written since makes a new node, which PyTorch would otherwise make when the
view is used next, or never. That might change the order of backward, so it is not read: until then the node is inferred
(`TorchNodes.expected`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from inplacelab.frameworks.torch.nodes import TorchNodes
from inplacelab.frameworks.torch.readings import (
    base_of,
    device_of,
    dtype_names,
    dtype_of,
    gradient_held,
    has_version,
    is_conj,
    is_inference,
    is_neg,
    is_nested,
    is_outdated,
    is_wrapped,
    kind_of_layout,
    layout_of,
    may_be_remade,
    needs_gradient,
    node_of,
    offset_of,
    remade_nodes,
    retains_grad,
    shape_of,
    strides_of,
    untyped_of,
    version_of,
)
from inplacelab.frameworks.torch.storages import TorchStorage, TorchStorages
from inplacelab.language import Text
from inplacelab.recorders import events
from inplacelab.recorders.call_recorder import CallRecorder
from inplacelab.recorders.known_objects import Counter, KnownObjects, KnownTensor
from inplacelab.recorders.static import class_name

_STRIDED = torch.strided
_PLAIN = torch.Tensor, torch.nn.Parameter

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


def gone() -> None:
    """What a reference returns whose object is gone."""


@dataclass(slots=True, eq=False)
class TorchTensor(KnownTensor):
    """The state of a tensor at the last event about it.

    Attributes:
        alive: the tensor, or None once it is gone.
        read_at: the version at which its node was last read.
        remade: of a view whose base was written, see `readings.remade_nodes`; empty if that was not asked yet.
    """

    alive: Callable[[], Any] = gone
    read_at: int = 0
    remade: tuple[str, ...] = ()

    @property
    def is_read(self) -> bool:
        """Whether its node, as known, is that at the version `read_at`: that of a view may be made by an operation on another tensor."""
        return self.needs and self.base is None

    def swap(self, other: TorchTensor) -> None:
        """Exchanges all but the numbers and the names of two tensors."""
        for name in ("storage", "counter", "base", "node", "needs", "grad", "read_at", "remade", "twin"):
            mine, its = getattr(self, name), getattr(other, name)
            setattr(self, name, its)
            setattr(other, name, mine)
        for each in (self, other):
            if each.twin is not None:
                each.twin.number = each.number
        mine, its = self.operand, other.operand
        self.operand, other.operand = replace(its, tensor=self.number), replace(mine, tensor=other.number)
        for each, left in ((self, other.storage), (other, self.storage)):
            left.tensors.pop(each.number, None)
        for each in (self, other):
            each.storage.tensors[each.number] = each


@dataclass(slots=True)
class Operation:
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


NONE = Operation()
"""No operation runs."""


class TorchObjects(KnownObjects[TorchTensor]):
    """Emits events about tensors. Its methods are called while `torch.Tensor` is not overridden (`Unseen`).

    Attributes:
        operation: the operation that is reported.
    """

    def __init__(self, recorder: CallRecorder[Any]) -> None:
        super().__init__(recorder)
        self.operation = NONE
        self.nodes: TorchNodes = TorchNodes(self)
        self.storages: TorchStorages = TorchStorages(self)

    def forget(self) -> None:
        # They stay for a while, since storages and tensors lead to each other.
        for known in list(self.tensors.facts.values()):
            known.alive = gone
        super().forget()

    def settle(self) -> None:
        self.storages.settle()

    # ---- tensors ---------------------------------------------------------------------------------------------------------

    def _tensor_died(self, known: TorchTensor) -> None:
        known.storage.tensors.pop(known.number, None)
        self.storages.moved(known.storage)
        self._emit(events.Died("tensor", known.number, self.replacing))
        self.storages.drop_counters(known.storage)
        self.nodes.count(known.node, -1)

    def recordable(self, tensor: Any) -> bool:
        """Whether a tensor has a storage, elements at strides and a version counter."""
        try:
            if kind_of_layout(tensor) is not _STRIDED or is_wrapped(tensor) or is_nested(tensor):
                self._note(_NOT_STRIDED)
                return False
            if is_inference(tensor) or not has_version(tensor):
                self._note(_INFERENCE)
                return False
            untyped_of(tensor)
            if type(tensor) not in _PLAIN:
                layout_of(tensor), dtype_of(tensor), device_of(tensor), base_of(tensor)
        except Exception as error:  # noqa: BLE001  # whatever a tensor of an unusual kind raises
            self._note(_UNREADABLE.format(class_name(type(error))))
            return False
        return True

    def tensor(
        self,
        tensor: Any,
        *,
        filled: bool = True,
        of: Sequence[TorchTensor] = (),
        own_counter: bool = False,
        resulted: bool = False,  # noqa: ARG002  # whether it has a storage of its own, PyTorch tells
    ) -> TorchTensor | None:
        return self.tensors.find(tensor) or self._describe_new(tensor, filled, own_counter, of)

    def _describe_new(
        self, tensor: Any, filled: bool, own_counter: bool, of: Sequence[TorchTensor]
    ) -> TorchTensor | None:
        if not self.recordable(tensor):
            return None
        storage = self.storages.storage(tensor, filled)
        base = None if (found := base_of(tensor)) is None else self.tensor(found)
        from_base = [] if base is None else [base]
        shared = () if own_counter else (*from_base, *of, *storage.tensors.values())
        counter = self.storages.counter(storage, version_of(tensor), shared)
        if is_conj(tensor) or is_neg(tensor):
            self._note(_READ_OTHERWISE)
        number = self.tensors.next_number()
        names = self.recorder.names.names_of(tensor)
        known = TorchTensor(number, names, storage, counter, _operand(number, tensor, storage, counter))
        known.base = None if base is None else base.number
        storage.tensors[number] = known
        self.storages.moved(storage)
        known.alive = self.tensors.add(tensor, known)
        known.needs = needs_gradient(tensor)
        node, _ = self._history(known, tensor, fresh=not is_outdated(tensor))
        self._point(known, node)
        known.grad = self._gradient(known, tensor)
        self._describe(known)
        self.storages.drop_counters(storage)
        return known

    def look_at(self, known: TorchTensor, tensor: Any, *, apart: bool = False) -> bool:  # noqa: ARG002
        if _is_as_before(known, tensor):
            return False
        storage = self.storages.storage(tensor, filled=True)
        counter = known.counter
        if storage is not known.storage:  # `x.data = y`, `x.set_(y)`: the tensor keeps its counter, as a new one there
            counter = self.storages.new_counter(storage, version_of(tensor))
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

    def swapped(self, one: TorchTensor, other: TorchTensor) -> None:
        """Emits that two tensors have become each other."""
        one.swap(other)
        self.nodes.swapped(one.number, other.number)
        self._describe(one)
        self._describe(other)

    # ---- gradients -------------------------------------------------------------------------------------------------------

    def filled(self, leaf: Any, later: Iterable[Any] = ()) -> events.Operand | None:
        known = self.tensor(leaf)
        if known is None:
            return None
        held = gradient_held(leaf)
        gradient = None if held is None else self.tensor(held)
        if gradient is not None:
            self._accumulated(gradient, held, later)
            if self.history(gradient, held):
                self.histories(gradient.storage)
        known.grad = gradient
        self._emit(events.GradientSet(known.number, None if gradient is None else gradient.number))
        return None if gradient is None else gradient.operand

    def _accumulated(self, gradient: TorchTensor, held: Any, later: Iterable[Any]) -> None:
        """Emits the write to a gradient. Gradients that are parts of one storage share its counter: each write has raised it by one."""
        moved = version_of(held) - gradient.counter.version
        following = 0 if moved < 2 else sum(self._counts_with(gradient, gradient_held(leaf)) for leaf in later)
        if following:
            version = version_of(held) - min(following, moved - 1)
            self.storages.wrote(gradient, held, gradient.operand.layout, version=version)
        else:
            self.wrote_unseen(gradient, held)

    def _counts_with(self, gradient: TorchTensor, held: Any) -> bool:
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
                if changed or known.grad is not gradient:
                    self.filled(tensor)
            elif retains_grad(tensor):
                self.filled(tensor)

    def _gradient(self, known: TorchTensor, tensor: Any) -> TorchTensor | None:
        if known.node is not None and not retains_grad(tensor):  # PyTorch warns of reading it
            return None
        held = gradient_held(tensor)
        return None if held is None else self.tensor(held)

    # ---- histories -------------------------------------------------------------------------------------------------------

    def histories(self, storage: TorchStorage, used: Any = None) -> None:
        """Emits changes of the history of every tensor on a storage. `used` is the one that the operation has used."""
        for known in list(storage.tensors.values()):
            tensor = known.alive()
            if tensor is not None:
                self.history(known, tensor, fresh=tensor is used)

    def _history(self, known: TorchTensor, tensor: Any, fresh: bool) -> tuple[int | None, bool]:
        """Returns a tensor's node, and whether it needs a gradient. The node of a view is inferred if reading it would make it."""
        base, version, needs = base_of(tensor), version_of(tensor), needs_gradient(tensor)
        if base is None or fresh or known.read_at == version:
            if not needs:
                return None, needs
            try:
                node = node_of(tensor)
            except RuntimeError:  # one of several views that an operation returned, written since
                return known.node, needs
            known.read_at = version
            return self.nodes.node(node, known.node), needs
        if not needs_gradient(base) or not may_be_remade(tensor):
            return known.node, needs
        root = self.tensor(base)
        if root is None:
            return known.node, needs
        to, _ = self._history(root, base, fresh=False)
        known.remade = known.remade or remade_nodes(tensor, base)
        leads_to = self.nodes.of_leaf(root.number) if to is None else to
        return self.nodes.expected(known.node, leads_to, known.remade), needs

    # ---- writes and saved tensors -------------------------------------------------------------------------------------------

    def wrote_unseen(self, known: TorchTensor, tensor: Any) -> bool:
        if known.counter.version == version_of(tensor):
            return False
        others = [
            each for each in list(known.storage.tensors.values()) if each.counter is known.counter and each is not known
        ]
        alone = [
            each
            for each in others
            if (other := each.alive()) is not None and version_of(other) == known.counter.version
        ]
        if not alone:
            self.storages.wrote(known, tensor, None)
            self.recorder.judged("written_unseen", known)
            return True
        # They do not share a counter, as was believed.
        known.counter = self.storages.new_counter(known.storage, version_of(tensor))
        known.operand = replace(known.operand, counter=known.counter.number)
        self._describe(known)
        self.storages.drop_counters(known.storage)
        return False

    def kept(self, name: str, data: Any, version: int | None) -> events.Kept | None:
        """Describes a tensor that a node has saved by a name; None if it cannot be recorded.

        Args:
            name: the name.
            data: the tensor.
            version: at which version it was saved; None if the operation has just done that.
        """
        known = self.tensors.facts.get(id(data))
        if known is not None:
            storage, counter = known.storage, known.counter
        elif self.recordable(data):
            storage = self.storages.storage(data, filled=True)
            counter = self.storages.counter_shown(storage, data)
        else:
            return None
        storage.seen = None
        self.storages.moved(storage)
        is_result = name.startswith(("out", "result"))  # saved after the operation, which may have written it
        if version is None:
            version = version_of(data) if is_result else counter.version
        # What a call overwrites is its first operand. `other` is the second one: the number in `x.mul_(3)` becomes a tensor.
        is_new = storage.number >= self.operation.known and known is None
        is_copy = self.operation.writes and is_new and name != "other"
        dtype = dtype_names[dtype_of(data)]
        return events.Kept(
            name,
            storage.number,
            counter.number,
            version,
            layout_of(data),
            is_copy,
            "" if dtype == storage.dtype else dtype,
        )


def _is_as_before(known: TorchTensor, tensor: Any) -> bool:
    """Whether a tensor has the storage and the metadata that it had. That is asked for each tensor of each operation."""
    storage, operand, found = known.storage, known.operand, untyped_of(tensor)
    return bool(
        found._cdata == storage.address
        and found.nbytes() == storage.bytes
        and operand.layout == (shape_of(tensor), strides_of(tensor), offset_of(tensor))
        and operand.dtype == dtype_names[dtype_of(tensor)]
    )


def _operand(number: int, tensor: Any, storage: TorchStorage, counter: Counter) -> events.Operand:
    return events.Operand(number, storage.number, counter.number, layout_of(tensor), dtype_names[dtype_of(tensor)])
