"""Emits events that describe the engine's tensors, storages and grad nodes, when each is first seen and when it has changed."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Protocol

from inplacelab.autograd.history import is_outdated, refresh
from inplacelab.autograd.nodes import AccumulateNode, CopySlicesNode, Node, ViewNode
from inplacelab.autograd.saved import Saved as SavedTensor
from inplacelab.backends.base import Device
from inplacelab.language import Text
from inplacelab.layout import Layout, whole
from inplacelab.nn import Layer
from inplacelab.optimizer.optimizer import Optimizer, state_by_parameter
from inplacelab.recorders import events
from inplacelab.recorders.bindings import ATTRIBUTES, Watched
from inplacelab.recorders.events import SMALL
from inplacelab.recorders.guard import Guard
from inplacelab.recorders.live_objects import Handles
from inplacelab.recorders.names_and_lines import NamesAndLines
from inplacelab.recorders.snapshots import snapshot
from inplacelab.recorders.static import attributes_of
from inplacelab.storage import Storage
from inplacelab.tensor import Tensor


@dataclass(slots=True)
class EngineStorage:
    """The state of a storage at the last event about it.

    Attributes:
        number: its number, and that of its version counter: this engine has one for each storage.
        version: the version at which its contents were last copied.
        tensors: the living tensors on it, by number.
    """

    number: int
    version: int
    tensors: dict[int, EngineTensor] = field(default_factory=dict)


@dataclass(slots=True)
class EngineTensor:
    """The state of a tensor at the last event about it.

    Attributes:
        number: its number.
        alive: the tensor, or None once it is gone.
        names: the program's names for it.
        storage: its storage.
        operand: its metadata.
        node, stop: its place in the gradient history.
    """

    number: int
    alive: Callable[[], Tensor | None]
    names: tuple[str, ...]
    storage: EngineStorage
    operand: events.Operand
    node: int | None = None
    stop: bool = True


@dataclass(frozen=True, slots=True)
class EngineNode:
    """A node: its number in the engine, and in the recording."""

    serial: int
    number: int


class Records(Protocol):
    """The recorder of the engine, or of the engine under other names."""

    emit: Callable[[events.Event], None]
    guard: Guard
    names: NamesAndLines

    def node_name(self, node: Node) -> str:
        """Returns what a grad node is called."""


class EngineObjects:
    """Emits events about objects of the engine.

    Args:
        recorder: the recorder.

    Attributes:
        tensors, storages, nodes: the known live objects.
        only_looks: True if nothing may be changed: nodes that views would get are inferred, and of large storages only the ends are read.
        replacing: True while an operation is reported that gives tensors another history: nodes freed then were replaced by it.
    """

    def __init__(self, recorder: Records) -> None:
        self._emit, self._recorder, protect = recorder.emit, recorder, recorder.guard.protect_callback
        self.tensors: Handles[Tensor, EngineTensor] = Handles(self._tensor_died, protect)
        self.storages: Handles[Storage, EngineStorage] = Handles(self._storage_died, protect)
        self.nodes: Handles[Node, EngineNode] = Handles(self._node_died, protect)
        self.replacing = self.only_looks = False
        self._outer: dict[int, int] = {}  # from the node inside a `CopySlicesNode` to that one
        self._node_numbers: dict[int, int] = {}  # the engine counts from the start of the session, a recording from 0

    def forget(self) -> None:
        """Drops all references."""
        self.tensors.clear()
        self.storages.clear()
        self.nodes.clear()

    def _tensor_died(self, known: EngineTensor) -> None:
        known.storage.tensors.pop(known.number, None)
        self._emit(events.Died("tensor", known.number, self.replacing))

    def _storage_died(self, known: EngineStorage) -> None:
        self._emit(events.Died("storage", known.number, self.replacing))

    def _node_died(self, known: EngineNode) -> None:
        del self._node_numbers[known.serial]
        self._outer.pop(known.serial, None)
        self._emit(events.Died("node", known.number, self.replacing))

    # ---- tensors ---------------------------------------------------------------------------------------------------------

    def tensor(self, tensor: Tensor) -> EngineTensor:
        """Returns a known tensor; describes it first if it is new."""
        return self.tensors.find(tensor) or self.describe_new(tensor)

    def describe_new(self, tensor: Tensor, *, filled: bool = True) -> EngineTensor:
        """Describes a new tensor. `filled` is False if a new storage has no meaningful values yet."""
        number = self.tensors.next_number()
        storage = self.storages.find(tensor.storage) or self._describe_storage(tensor.storage, filled)
        operand = self._operand(number, tensor, storage)
        known = EngineTensor(number, weakref.ref(tensor), self._recorder.names.names_of(tensor), storage, operand)
        self.tensors.add(tensor, known)
        self._describe(known, tensor)
        return known

    def describe_again(self, known: EngineTensor, tensor: Tensor) -> None:
        """Emits changes of a tensor's metadata, storage and history."""
        storage = self.storages.find(tensor.storage) or self._describe_storage(tensor.storage, True)
        if storage is not known.storage:
            known.storage.tensors.pop(known.number, None)
            known.storage = storage
        known.operand = self._operand(known.number, tensor, known.storage)
        self._describe(known, tensor)

    def _describe(self, known: EngineTensor, tensor: Tensor) -> None:
        known.storage.tensors[known.number] = known
        base = None if tensor.base is None else self.tensor(tensor.base).number
        known.node, known.stop = self.history_of(tensor)
        grad = None if tensor._grad is None else self.tensor(tensor._grad).number
        device = tensor.storage.device.place.text
        self._emit(events.TensorMade(known.operand, device, not known.stop, base, known.node, grad, known.names))

    def _operand(self, number: int, tensor: Tensor, storage: EngineStorage) -> events.Operand:
        array, whose = tensor.array, tensor.storage
        return events.Operand(
            number,
            storage.number,
            storage.number,
            layout_of(array, whose.buffer, whose.device),
            dtype_name(array.dtype),
        )

    def histories(self, storage: EngineStorage) -> None:
        """Emits changes of the history of every tensor on a storage."""
        for known in list(storage.tensors.values()):
            tensor = known.alive()
            if tensor is not None:
                node, stop = self.history_of(tensor)
                if node != known.node or stop is not known.stop:
                    known.node, known.stop = node, stop
                    self._emit(events.Rewired(known.number, not stop, node))

    def history_of(self, tensor: Tensor) -> tuple[int | None, bool]:
        """Returns a tensor's current node, and whether it stops the gradient."""
        if tensor.base is not None and not self.only_looks:
            refresh(tensor)
        elif tensor.base is not None and is_outdated(tensor):
            return self._expected(tensor, tensor.base)
        return None if tensor.node is None else self.node(tensor.node), tensor._stop

    def _expected(self, view: Tensor, base: Tensor) -> tuple[int | None, bool]:
        """Emits the node that a view will get when its history is needed, and returns what `history_of` will return then."""
        if base._stop:
            return None if view.node is None else self.node(view.node), True
        root = base.node or (base._accumulator and base._accumulator())
        edges = () if root is None else (self.node(root),)
        number = self.nodes.next_number()
        kind = self._recorder.node_name(ViewNode.__new__(ViewNode))
        self._emit(events.NodeMade(number, kind, ("base",), edges, (), False, None, True, origin=events.INFERRED))
        return number, False

    def gradient(self, known: EngineTensor, tensor: Tensor) -> None:
        """Emits the gradient that a backward pass has given to a tensor."""
        grad = None if tensor._grad is None else self.tensor(tensor._grad).number
        self._emit(events.GradientSet(known.number, grad))

    # ---- storages --------------------------------------------------------------------------------------------------------

    def storage(self, storage: Storage) -> EngineStorage:
        """Returns a known storage. Describes it first if it is new; emits a write that was not reported."""
        known = self.storages.facts.get(id(storage))
        if known is None:
            return self._describe_storage(storage, True)
        if known.version != storage.version:
            self.wrote(known, storage)
        return known

    def wrote(
        self, known: EngineStorage, storage: Storage, window: Any = None, slots: Layout | Sequence[int] | None = None
    ) -> None:
        """Emits a write to a storage, through a window or in these slots, if known (see `snapshots.snapshot`)."""
        known.version = storage.version
        self._emit(events.Wrote(known.number, known.number, known.version, snapshot(storage.buffer, window, slots)))

    def wrote_unseen(self, storage: Storage) -> bool:
        """Emits a write to a known storage that was not reported. Returns whether there was one."""
        known = self.storages.find(storage)
        if known is None or known.version == storage.version:
            return False
        self.wrote(known, storage)
        return True

    def look_again(self) -> bool:
        """Emits the writes that were not reported. Returns whether there were any."""
        unseen = [storage for storage, _ in self.storages.living() if self.wrote_unseen(storage)]
        return bool(unseen)

    def _describe_storage(self, storage: Storage, filled: bool) -> EngineStorage:
        buffer, device = storage.buffer, storage.device
        known = EngineStorage(self.storages.next_number(), storage.version)
        self.storages.add(storage, known)
        values = snapshot(buffer, slots=() if self.only_looks else None) if filled else None
        self._emit(events.StorageSeen(
            known.number, storage.nbytes, int(buffer.size), dtype_name(buffer.dtype), device.place.text, device.simulated, values
        ))  # fmt: skip
        self._emit(events.CounterSeen(known.number, known.number, known.version))
        return known

    # ---- nodes -----------------------------------------------------------------------------------------------------------

    def number_of(self, node: Node | None) -> int | None:
        """Returns the number of a node; for a node inside a `CopySlicesNode`, the number of the outer one."""
        return None if node is None else self._number(self._outer.get(node.serial, node.serial))

    def _number(self, serial: int) -> int:
        if serial not in self._node_numbers:
            self._node_numbers[serial] = self.nodes.next_number()
        return self._node_numbers[serial]

    def node(self, node: Node | None) -> int | None:
        """Returns the number of a node. Describes it first if it is new, with every new node reachable from it."""
        if node is None:
            return None
        waiting = [node]
        while waiting:
            each = waiting.pop()
            if self.nodes.find(each) is None:
                self._describe_node(each)
                waiting += [e for e in each.edges if e is not None and self.nodes.find(e) is None]
        return self._number(node.serial)

    def _describe_node(self, node: Node) -> None:
        number = self._number(node.serial)
        self.nodes.add(node, EngineNode(node.serial, number))
        if type(node) is CopySlicesNode:
            self._outer[node.inner.serial] = node.serial
        kept = self._kept(node.saved)
        edges = tuple(None if each is None else self._number(each.serial) for each in node.edges)
        leaf = self.tensor(node.leaf).number if type(node) is AccumulateNode else None
        self._emit(
            events.NodeMade(
                number,
                self._recorder.node_name(node),
                _inputs(node),
                edges,
                kept,
                node.released,
                leaf,
                type(node) is ViewNode,
            )
        )

    def _kept(self, saved: Sequence[SavedTensor]) -> tuple[events.Kept, ...]:
        """Returns what a node has saved."""
        found = []
        for each in saved:
            if each.array is None:  # packed by a hook of the program: no storage is kept
                continue
            known = self.storage(each.storage)
            layout = layout_of(each.array, each.storage.buffer, each.storage.device)
            found.append(events.Kept(each.name, known.number, known.number, each.version, layout, each.is_copy))
        return tuple(found)

    def kept_again(self) -> None:
        """Emits changes of what nodes have saved, which happen if a `modes.current().keeper` copies saved tensors before writes."""
        for node, known in self.nodes.living():
            if not node.released and node.saved:
                self._emit(events.Saved(known.number, self._kept(node.saved)))


def part_of(known: EngineTensor, written: Tensor | Sequence[int] | None) -> events.Operand:
    """Returns an operand of which only a part was written: the window of another tensor, or a list of slots."""
    if written is None:
        return known.operand
    part = written.layout if isinstance(written, Tensor) else tuple(written)
    return replace(known.operand, part=part)


def layout_of(array: Any, buffer: Any, device: Device) -> Layout:
    """Returns the layout of a window on a buffer, in elements."""
    if array is buffer:
        return whole(array.shape)
    return Layout(array.shape, tuple([s // array.itemsize for s in array.strides]), device.offset(array, buffer))


@lru_cache(maxsize=64)
def dtype_name(dtype: Any) -> str:
    """Returns the name of a NumPy dtype, cached, because NumPy takes longer for it than a small operation."""
    return str(dtype.name)


def _inputs(node: Node) -> tuple[str, ...]:
    """Returns the inputs of a node's edges: "x", "y"; "base" for nodes of views, which have no row in the table."""
    row = getattr(node, "row", None)
    if row is None and type(node) is CopySlicesNode:
        row = getattr(node.inner, "row", None)
        return ("base",) if row is None else ("base", *row.inputs[1:])
    return () if row is None else row.inputs


def gradient_of(tensor: Tensor, most: int = SMALL) -> events.Gradient:
    """Returns a gradient's shape, and its values if it has no more than so many elements."""
    values = tuple(tensor.numpy().reshape(-1).tolist()) if tensor.size <= most else None
    return events.Gradient(tuple(tensor.array.shape), values)


def reachable(roots: Iterable[Node]) -> Iterator[Node]:
    """Returns every node reachable from the roots, including them."""
    seen: set[Node] = set()
    waiting = list(roots)
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            yield node
            waiting.extend(e for e in node.edges if e is not None)


def address_of(buffer: Any) -> int:
    """Returns the address of the memory of a device's array."""
    shown = getattr(buffer, "__array_interface__", None) or buffer.__cuda_array_interface__
    return int(shown["data"][0])


def _state_of_optimizer(holder: Any, _: object) -> Iterator[tuple[str, Tensor]]:
    """Yields an optimizer's state for each parameter, in their order: `opt.velocity[0]`."""
    if not issubclass(type(holder), Optimizer):
        return
    by_kind: dict[str, list[tuple[int, Tensor]]] = {}
    for place, state in state_by_parameter(attributes_of(holder))[:ATTRIBUTES]:
        for kind, tensor in state.items():
            by_kind.setdefault(kind, []).append((place, tensor))
    for kind, found in by_kind.items():
        yield from ((f".{kind}[{place}]", tensor) for place, tensor in found)


WATCHED = Watched(Tensor, (Layer, Optimizer), (Layer,), _state_of_optimizer)
"""The classes whose objects have names."""


UNOBSERVED = Text(
    "Tensors were also written by code that was not recorded: another thread or coroutine, or an operation that failed halfway.",
    "还有未被记录的代码写入了张量：其他线程或协程，或中途失败的操作。",
)
ELSEWHERE = Text(
    "What other threads or coroutines did was left out, but bytes count their tensors, too.",
    "其他线程或协程中的操作没有记录，但字节数也包括它们的张量。",
)
