"""Emits events that describe PyTorch's tensors, storages, version counters and grad nodes, when each is first seen and when it has changed.

Nothing is kept alive. Tensors are known by weak references. PyTorch has none for the other objects, so

- a storage is pinned by a weak count of its `StorageImpl`, which keeps a header of a few bytes, so that its address is not used again;
- a node is known by its sequence number, and the node of a leaf by its leaf. It is gone when no known tensor and no known node leads
  to it any more.

Some of PyTorch's properties do more than they seem to. To read `grad_fn` or `is_leaf` of a view whose storage was written since makes a
new node, which PyTorch would otherwise make when the view is used next, or never. That might change the order of backward, so it is
not read: until then the node is inferred (`_expected`). Saved tensors are read by `_raw_saved_*`, which does not unpack them.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import torch

from inplacelab.language import Text
from inplacelab.layout import Layout
from inplacelab.recorders import events
from inplacelab.recorders.handles import Handles, Protect
from inplacelab.recorders.raw_memory import copied, memory_at
from inplacelab.recorders.snapshots import WHOLE, Snapshot

_Tensor: Any = torch.Tensor
version_of: Callable[[Any], int] = _Tensor._version.__get__
needs_gradient: Callable[[Any], bool] = _Tensor.requires_grad.__get__
node_of: Callable[[Any], Any] = _Tensor.grad_fn.__get__
gradient_held: Callable[[Any], Any] = _Tensor._grad.__get__
_base_of: Callable[[Any], Any] = _Tensor._base.__get__
retains_grad: Callable[[Any], bool] = _Tensor.retains_grad.__get__
_shape_of: Callable[[Any], Any] = _Tensor.shape.__get__
_dtype_of: Callable[[Any], Any] = _Tensor.dtype.__get__
_device_of: Callable[[Any], Any] = _Tensor.device.__get__
_layout_of: Callable[[Any], Any] = _Tensor.layout.__get__
_creation_meta: Callable[[Any], Any] | None = getattr(torch._C._autograd, "_get_creation_meta", None)
is_wrapped: Callable[[Any], bool] = getattr(torch._C._functorch, "is_functorch_wrapped_tensor", lambda _: False)
_Storage: Any = torch.UntypedStorage

_RESULTS = frozenset(("result", "result0", "output"))
"""What PyTorch's derivatives call the result of an operation. Recordings call it "out"."""
LEAF_NODE = "torch::autograd::AccumulateGrad"

_INFERENCE = Text(
    "Inference tensors were left out: PyTorch counts no versions for them.",
    "推理张量没有记录：PyTorch 不为它们计版本。",
)
_NOT_STRIDED = Text(
    "Tensors without a storage of their own, such as sparse and nested ones and those inside `vmap`, were left out.",
    "没有自己的存储的张量（如稀疏张量、嵌套张量以及 `vmap` 内部的张量）没有记录。",
)
_ON_DEVICE = Text(
    "Values on {0} were not copied: that would wait for the device.", "没有复制 {0} 上的数值，因为那样需要等待设备。"
)
_PACKED = Text(
    "The program's own `saved_tensors_hooks` packed what nodes have saved: that was left out.",
    "程序自己的 `saved_tensors_hooks` 打包了节点保存的内容：这部分没有记录。",
)


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
        dtype: of its slots: that of the first tensor seen on it.
        bytes: its size.
        device: where it is.
        start: the address of its memory.
        counters: its version counters.
        tensors: the living tensors on it, by number.
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

    def memory(self) -> Any:
        """Returns the memory as an array of one axis; None if it cannot be read without waiting, or holds no numbers."""
        return memory_at(self.start, self.bytes, dtype_name(self.dtype)) if self.device == "cpu" else None


@dataclass(slots=True, eq=False)
class KnownTensor:
    """The state of a tensor at the last event about it.

    Attributes:
        number: its number.
        alive: the tensor, or None once it is gone.
        names: the program's names for it.
        storage, counter: its storage and version counter.
        operand: its metadata.
        base: the tensor of which it is a view.
        node, needs, grad: its place in the gradient history.
        read_at: the version at which its node was last read.
    """

    number: int
    alive: Callable[[], Any]
    names: tuple[str, ...]
    storage: KnownStorage
    counter: Counter
    operand: events.Operand
    base: int | None = None
    node: int | None = None
    needs: bool = False
    grad: int | None = None
    read_at: int = 0


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
class _Node:
    """A node: its key, the nodes that receive its gradients, and what it has saved."""

    key: tuple[str, int]
    edges: tuple[int | None, ...]
    kept: tuple[events.Kept, ...] = ()
    released: bool = False


class TorchObjects:
    """Emits events about objects of PyTorch. Its methods are called while `torch.Tensor` is not overridden (`DisableTorchFunction`).

    Args:
        emit: receives the events.
        names_of: returns the program's names for a tensor.
        protect: makes a function into one that Python may call when an object is freed.
        remark: has the recording say something once.

    Attributes:
        tensors: the known living tensors.
        replacing: True while an operation is reported that gives tensors another history: nodes freed then were replaced by it.
        made: the operation that is reported.
        before: the bytes of the storages that existed before the recording.
        seen: how many storages have been seen.
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
        self.replacing, self.made, self.before, self.seen = False, Made(), 0, 0
        self._storages: dict[int, KnownStorage] = {}
        self._deserted: dict[int, KnownStorage] = {}  # no known tensor is on them, but a node may have saved them
        self._just_deserted: list[KnownStorage] = []
        self._next_storage, self._next_counter, self._next_node = count().__next__, count().__next__, count().__next__
        self._live = self._peak = self._given = 0
        self._nodes: dict[int, _Node] = {}
        self._numbers: dict[tuple[str, int], int] = {}  # of nodes, by key
        self._counters: dict[int, Counter] = {}
        self._led_to: dict[int, int] = {}  # how many known tensors and nodes lead to a node
        self._awaited: set[int] = set()  # nodes that PyTorch will make when a view is used

    def forget(self) -> None:
        """Drops all references."""
        self.tensors.clear()
        for storage in self._storages.values():
            _Storage._free_weak_ref(storage.pin)
        for each in (self._storages, self._deserted, self._just_deserted, self._nodes, self._numbers, self._led_to):
            each.clear()
        self._awaited.clear()
        self._counters.clear()

    # ---- memory ----------------------------------------------------------------------------------------------------------

    def began(self) -> None:
        """Takes the storages seen so far as those that existed before the recording."""
        self.before, self._live, self._peak, self._given = self._live, 0, 0, self.seen

    def account(self) -> tuple[int, int]:
        """Returns the bytes of the living storages that the program has made, and their peak."""
        self._settle(self._just_deserted)
        return self._live, self._peak

    def settle(self) -> None:
        """Emits the storages that are gone."""
        self._settle([*self._deserted.values(), *self._just_deserted])

    def _settle(self, deserted: list[KnownStorage]) -> None:
        for storage in list(deserted):
            if storage.tensors or storage.address not in self._storages:
                self._deserted.pop(storage.number, None)
            elif _Storage._expired(storage.pin):
                self._deserted.pop(storage.number, None)
                self._free(storage)
            else:
                self._deserted[storage.number] = storage
        self._just_deserted.clear()

    def _free(self, storage: KnownStorage) -> None:
        del self._storages[storage.address]
        _Storage._free_weak_ref(storage.pin)
        for counter in storage.counters:
            self._counters.pop(counter.number, None)
        self._count(storage, -storage.bytes)
        self._emit(events.Died("storage", storage.number, self.replacing))

    def _count(self, storage: KnownStorage, grown: int) -> None:
        if storage.number >= self._given:
            self._live += grown
            self._peak = max(self._peak, self._live)

    # ---- tensors ---------------------------------------------------------------------------------------------------------

    def _tensor_died(self, known: KnownTensor) -> None:
        known.storage.tensors.pop(known.number, None)
        if not known.storage.tensors:
            self._just_deserted.append(known.storage)
        self._emit(events.Died("tensor", known.number, self.replacing))
        self._drop_counters(known.storage)
        self._leads(known.node, -1)

    def recordable(self, tensor: Any) -> bool:
        """Whether a tensor has a storage, elements at strides and a version counter."""
        if _layout_of(tensor) is not torch.strided or is_wrapped(tensor) or _Tensor.is_nested.__get__(tensor):
            self._remark(_NOT_STRIDED)
            return False
        if _Tensor.is_inference(tensor):
            self._remark(_INFERENCE)
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
        storage = self._storage(tensor, filled)
        base = None if (found := _base_of(tensor)) is None else self.tensor(found)
        from_base = [] if base is None else [base]
        shared = () if own_counter else (*from_base, *of, *storage.tensors.values())
        counter = self._counter(storage, version_of(tensor), shared)
        number = self.tensors.next_number()
        operand = _operand(number, tensor, storage, counter)
        known = KnownTensor(number, weakref.ref(tensor), self._names_of(tensor), storage, counter, operand)
        known.base = None if base is None else base.number
        storage.tensors[number] = known
        self.tensors.add(tensor, known)
        known.needs = needs_gradient(tensor)
        self._point(known, self._history(known, tensor, fresh=True))
        known.grad = self._gradient(known, tensor)
        self._describe(known)
        self._drop_counters(storage)
        return known

    def _describe(self, known: KnownTensor) -> None:
        self._emit(
            events.TensorMade(
                known.operand, known.storage.device, known.needs, known.base, known.node, known.grad, known.names
            )
        )

    def look_at(self, known: KnownTensor, tensor: Any) -> bool:
        """Emits a change of a tensor's layout or storage. Returns whether there was one."""
        storage = self._storage(tensor, filled=True)
        counter = known.counter
        if storage is not known.storage:  # `x.data = y`, `x.set_(y)`: the tensor keeps its counter, as a new one there
            counter = self._meet_counter(storage, version_of(tensor))
        operand = _operand(known.number, tensor, storage, counter)
        if operand == known.operand:
            return False
        left, known.storage, known.counter, known.operand = known.storage, storage, counter, operand
        left.tensors.pop(known.number, None)
        if not left.tensors and left is not storage:
            self._just_deserted.append(left)
        storage.tensors[known.number] = known
        base = None if (found := _base_of(tensor)) is None else self.tensor(found)
        known.base = None if base is None else base.number
        self._describe(known)
        self._drop_counters(left)
        return True

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

    def filled(self, leaf: Any) -> events.Operand | None:
        """Emits the gradient that a backward pass has given to a tensor. Returns the tensor that holds it."""
        known = self.tensor(leaf)
        if known is None:
            return None
        held = gradient_held(leaf)
        gradient = None if held is None else self.tensor(held)
        if gradient is not None:
            self.wrote_unseen(gradient, held)
            if self.flagged_history(gradient, held):
                self.histories(gradient.storage, ())
        known.grad = None if gradient is None else gradient.number
        self._emit(events.GradientSet(known.number, known.grad))
        return None if gradient is None else gradient.operand

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
        base, version = _base_of(tensor), version_of(tensor)
        if base is None or fresh or known.read_at == version:
            if not needs_gradient(tensor):
                return None
            try:
                node = node_of(tensor)
            except RuntimeError:  # one of several views that an operation returned, written since
                return known.node
            known.read_at = version
            return self.node(node, known.node)
        if not needs_gradient(base) or not _may_be_remade(tensor):
            return known.node
        root = self.tensor(base)
        if root is None:
            return known.node
        to = self._history(root, base, fresh=False)
        return self._expected(known, self._numbers.get((LEAF_NODE, root.number)) if to is None else to)

    def _expected(self, known: KnownTensor, to: int | None) -> int | None:
        """Returns the node that PyTorch will make for a view of a base that has this node now."""
        before = self._nodes.get(-1 if known.node is None else known.node)
        if to is None or (known.node in self._awaited and before is not None and before.edges == (to,)):
            return known.node
        number = self._next_node()
        self._add_node(number, ("awaited", number), (to,))
        self._awaited.add(number)
        self._emit(
            events.NodeMade(
                number, "AsStridedBackward0", ("self",), (to,), (), False, None, True, origin=events.INFERRED
            )
        )
        return number

    def _point(self, known: KnownTensor, node: int | None) -> None:
        """Sets the node that a tensor leads to."""
        before, known.node = known.node, node
        if before != node:
            self._leads(node, 1)
            self._leads(before, -1)

    # ---- storages and counters -------------------------------------------------------------------------------------------

    def _storage(self, tensor: Any, filled: bool) -> KnownStorage:
        found = _Tensor.untyped_storage(tensor)
        address, size = found._cdata, found.nbytes()
        known = self._storages.get(address)
        if known is not None:
            if known.bytes != size:  # `resize_`
                grown, known.bytes, known.start = size - known.bytes, size, _start(found)
                self._count(known, grown)
                self._emit_storage(known, self._copy(known))
            known.start = _start(found)
            return known
        dtype = _dtype_of(tensor)
        known = KnownStorage(
            self._next_storage(), address, found._weak_ref(), dtype, size, str(_device_of(tensor)), _start(found)
        )
        self.seen += 1
        self._storages[address] = known
        self._count(known, size)
        self._emit_storage(known, self._copy(known) if filled else None)
        return known

    def _emit_storage(self, known: KnownStorage, values: Snapshot | None) -> None:
        name, slots = dtype_name(known.dtype), known.bytes // known.dtype.itemsize
        size = slots * known.dtype.itemsize
        self._emit(events.StorageSeen(known.number, size, slots, name, known.device, False, values))

    def _copy(self, known: KnownStorage, slots: Layout | tuple[int, ...] | None = None) -> Snapshot | None:
        memory = known.memory()
        if memory is None:
            if known.device != "cpu":
                self._remark(_ON_DEVICE.format(known.device))
            return None
        return copied(memory, dtype_name(known.dtype), slots)

    def _counter(self, storage: KnownStorage, version: int, shared: Sequence[KnownTensor]) -> Counter:
        """Returns the version counter of a new tensor: that of the first of these tensors with which it may be shared."""
        there = (each.counter for each in shared if each.storage is storage)
        found = next((each for each in there if each.version == version), None)
        return found or self._meet_counter(storage, version)

    def _drop_counters(self, storage: KnownStorage) -> None:
        """Emits which counters of a storage are gone: neither a tensor nor a node refers to them, and others count there."""
        if len(storage.counters) == 1 or not storage.tensors:
            return
        used = {each.counter.number for each in storage.tensors.values()}
        used |= {each.counter for node in self._nodes.values() for each in node.kept}
        for counter in [each for each in storage.counters if each.number not in used]:
            storage.counters.remove(counter)
            self._counters.pop(counter.number, None)
            self._emit(events.Died("counter", counter.number))

    def _meet_counter(self, storage: KnownStorage, version: int) -> Counter:
        counter = Counter(self._next_counter(), version)
        storage.counters.append(counter)
        self._counters[counter.number] = counter
        self._emit(events.CounterSeen(counter.number, storage.number, version))
        return counter

    def wrote(self, known: KnownTensor, tensor: Any, slots: Layout | tuple[int, ...] | None) -> None:
        """Emits a write to a storage through a tensor, in these slots of it, if known."""
        storage, known.counter.version = known.storage, version_of(tensor)
        same = known.operand.dtype == dtype_name(storage.dtype)
        self._storage(tensor, filled=True)  # whose memory may be elsewhere now
        values = self._copy(storage, slots if same else None)
        self._emit(events.Wrote(storage.number, known.counter.number, known.counter.version, values))

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
        self.wrote(known, tensor, None)
        return True

    def _split(self, known: KnownTensor, tensor: Any) -> None:
        known.counter = self._meet_counter(known.storage, version_of(tensor))
        known.operand = replace(known.operand, counter=known.counter.number)
        self._describe(known)
        self._drop_counters(known.storage)

    def contents(self, known: KnownTensor) -> bytes | None:
        """Returns the bytes of a tensor's storage; None if there are too many."""
        memory = known.storage.memory()
        return None if memory is None or memory.size > WHOLE else memory.tobytes()

    def look_again(self) -> bool:
        """Emits the writes that were not reported. Returns whether there were any."""
        unseen = [known for tensor, known in self.tensors.living() if self.wrote_unseen(known, tensor)]
        return bool(unseen)

    # ---- nodes -----------------------------------------------------------------------------------------------------------

    def node(self, node: Any, awaited: int | None = None) -> int | None:
        """Returns the number of a node. Describes it first if it is new, with every new node reachable from it.

        Args:
            node: the node.
            awaited: the number that was given to it if it was inferred.
        """
        if node is None:
            return None
        key = self._key(node)
        if key not in self._numbers and awaited is not None and awaited in self._awaited:
            self._awaited.discard(awaited)
            self._numbers[key] = awaited
            self._meet_node(node, key)
        waiting = [node]
        while waiting:
            each = waiting.pop()
            key = self._key(each)
            if self._number(key) not in self._nodes:
                self._meet_node(each, key)
                waiting += [following for following, _ in each.next_functions if following is not None]
        return self._numbers[self._key(node)]

    def number_of(self, node: Any) -> int | None:
        """Returns the number of a node that was described; None if it was not."""
        return None if node is None else self._numbers.get(self._key(node))

    def kept_by(self, number: int | None) -> tuple[events.Kept, ...]:
        """Returns what a node had saved when it was described."""
        return () if number is None or number not in self._nodes else self._nodes[number].kept

    def release(self, number: int) -> None:
        """Notes that a node has released what it had saved."""
        if number in self._nodes:
            self._nodes[number].released = True

    def was_released(self, number: int | None) -> bool:
        """Whether an earlier pass has released what a node had saved."""
        return number is not None and number in self._nodes and self._nodes[number].released

    def version(self, counter: int, otherwise: int) -> int:
        """Returns the version that a counter shows; if it is gone, `otherwise`."""
        known = self._counters.get(counter)
        return otherwise if known is None else known.version

    def _key(self, node: Any) -> tuple[str, int]:
        name = node.name()
        if name != LEAF_NODE:
            return name, node._sequence_nr()
        leaf = self.tensor(node.variable)
        return name, -1 if leaf is None else leaf.number

    def _number(self, key: tuple[str, int]) -> int:
        if key not in self._numbers:
            self._numbers[key] = self._next_node()
        return self._numbers[key]

    def _meet_node(self, node: Any, key: tuple[str, int]) -> None:
        number, (name, sequence) = self._numbers[key], key
        following = [each for each, _ in node.next_functions]
        edges = tuple([None if each is None else self._number(self._key(each)) for each in following])
        self._add_node(number, key, edges)
        leaf = sequence if name == LEAF_NODE and sequence >= 0 else None
        belongs = name != LEAF_NODE and self.made.first <= sequence < self.made.last
        inputs = tuple([f"input {k}" for k in range(len(edges))]) if len(edges) > 1 else ("input",)
        kept = self._nodes[number].kept = tuple(self._kept(node))
        self._emit(events.NodeMade(number, shown(name), inputs, edges, kept, False, leaf, belongs))

    def _add_node(self, number: int, key: tuple[str, int], edges: tuple[int | None, ...]) -> None:
        before = self._nodes.get(number)
        self._nodes[number] = _Node(key, edges)
        for each in edges:
            self._leads(each, 1)
        for each in () if before is None else before.edges:
            self._leads(each, -1)

    def _leads(self, number: int | None, change: int) -> None:
        """Counts what leads to a node. Emits that it is gone when nothing does, and then those that it alone led to."""
        waiting = [] if number is None else [number]
        while waiting:
            each = waiting.pop()
            self._led_to[each] = self._led_to.get(each, 0) + change
            if self._led_to[each] <= 0:
                change = -1
                del self._led_to[each]
                self._awaited.discard(each)
                gone = self._nodes.pop(each, None)
                if gone is not None:
                    self._numbers.pop(gone.key, None)
                    self._emit(events.Died("node", each, self.replacing))
                    waiting += [following for following in gone.edges if following is not None]

    def _kept(self, node: Any) -> Iterator[events.Kept]:
        """Yields what a node has saved."""
        for name, saved in saved_by(node):
            data = saved.data
            if data is None:
                continue
            if not issubclass(type(data), torch.Tensor):
                self._remark(_PACKED)
            elif self.recordable(data):
                yield self._kept_one(name, data)

    def _kept_one(self, name: str, data: Any) -> events.Kept:
        known = self.tensors.find(data)
        storage = self._storage(data, filled=True) if known is None else known.storage
        counter = self._counter_shown(storage, data) if known is None else known.counter
        if not storage.tensors:
            self._just_deserted.append(storage)
        is_result = name.startswith(("out", "result"))  # saved after the operation, which may have written it
        version = version_of(data) if is_result else counter.version
        operand = _operand(-1, data, storage, counter)
        copied = self.made.writes and storage.number >= self.made.known and known is None
        return events.Kept(name, storage.number, counter.number, version, operand.layout, copied)

    def _counter_shown(self, storage: KnownStorage, data: Any) -> Counter:
        """Returns the version counter of a saved tensor that the program has not: that of one that shows the same version."""
        version, others = version_of(data), storage.tensors.values()
        shown = ((each, other) for each in others if (other := each.alive()) is not None)
        same = next((each.counter for each, other in shown if version_of(other) == version), None)
        return same or (storage.counters[0] if storage.counters else self._meet_counter(storage, version))


SHOWS_SAVED = hasattr(getattr(torch._C._autograd, "SavedTensor", None), "data")
"""Whether PyTorch shows a saved tensor without unpacking it. Version 2.6 does not."""


def saved_by(node: Any) -> Iterator[tuple[str, Any]]:
    """Yields what a node has saved, as PyTorch's `SavedTensor`s, by the derivative's names."""
    for attribute in _saved_names(type(node)) if SHOWS_SAVED else ():
        try:
            found = getattr(node, attribute)
        except RuntimeError:  # a list that was released
            continue
        name = attribute.removeprefix("_raw_saved_")
        name = "out" if name in _RESULTS else name
        if isinstance(found, tuple | list):
            yield from ((f"{name}[{k}]", each) for k, each in enumerate(found))
        else:
            yield name, found


_names_saved: dict[type, list[str]] = {}


def _saved_names(kind: type) -> list[str]:
    if kind not in _names_saved:
        _names_saved[kind] = [name for name in dir(kind) if name.startswith("_raw_saved_")]
    return _names_saved[kind]


def shown(name: str) -> str:
    """Returns the name of a node as `repr` shows it: "AccumulateGrad" for "torch::autograd::AccumulateGrad"."""
    return name.rpartition("::")[2]


def _may_be_remade(view: Any) -> bool:
    """Whether PyTorch makes another node for a view whose base was written: it refuses to use some views after that."""
    return _creation_meta is None or _creation_meta(view).name == "DEFAULT"


def _operand(number: int, tensor: Any, storage: KnownStorage, counter: Counter) -> events.Operand:
    return events.Operand(number, storage.number, counter.number, layout_of(tensor), dtype_name(_dtype_of(tensor)))


def layout_of(tensor: Any) -> Layout:
    """Returns the layout of a tensor in its storage, in its own elements."""
    return Layout(tuple(_shape_of(tensor)), tuple(_Tensor.stride(tensor)), _Tensor.storage_offset(tensor))


def dtype_name(dtype: Any) -> str:
    """Returns the name of a type of elements: "float32"."""
    return str(dtype).removeprefix("torch.")


def _start(storage: Any) -> int:
    try:
        return int(storage.data_ptr())
    except RuntimeError:  # a storage without memory
        return 0
