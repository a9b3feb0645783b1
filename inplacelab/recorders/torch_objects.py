"""Emits events that describe PyTorch's tensors, storages and grad nodes, when each is first seen and when it has changed.

PyTorch gives no notice of any of these, so they are looked at when an operation has run:

- a **storage** is known by the address of its C++ object, which a weak reference of PyTorch's own pins: it keeps neither the bytes nor a
  Python object alive, and tells when the storage has expired;
- a **version counter** belongs to a tensor, and its views and `detach()` share it; `.data` counts apart on the same storage;
- a **node** is known by its sequence number, or, if it accumulates into a leaf, by that leaf. What it has saved is read from its
  `_raw_saved_*` attributes, which check no version. A node is gone when no living tensor leads to it.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from inplacelab.layout import Layout
from inplacelab.recorders import events
from inplacelab.recorders.handles import Handles, Protect
from inplacelab.recorders.snapshots import Part, Snapshot, snapshot

_SAVED = "_raw_saved_"
_RESULTS = frozenset(("result", "result0", "output", "out"))
"""What PyTorch's derivatives call the result of their operation. Ours call it "out"."""


@dataclass(slots=True)
class KnownCounter:
    """A version counter: its number, and its version at the last event about it."""

    number: int
    version: int


@dataclass(slots=True)
class KnownStorage:
    """The state of a storage at the last event about it.

    Attributes:
        number: its number.
        pin: PyTorch's weak reference to it.
        bytes: its size.
        dtype: PyTorch's dtype of its slots: that of the first tensor that was seen on it.
        counters: the version counters of the tensors on it.
        tensors: the living tensors on it, by number.
    """

    number: int
    pin: int
    bytes: int
    dtype: torch.dtype
    counters: list[KnownCounter] = field(default_factory=list)
    tensors: dict[int, KnownTensor] = field(default_factory=dict)


@dataclass(slots=True)
class KnownTensor:
    """The state of a tensor at the last event about it.

    Attributes:
        number: its number.
        alive: the tensor, or None once it is gone.
        names: the program's names for it.
        storage, counter: its storage, and its version counter.
        operand: its metadata.
        node: the number of the node that made its value.
        needs: `requires_grad`.
    """

    number: int
    alive: Callable[[], Any]
    names: tuple[str, ...]
    storage: KnownStorage
    counter: KnownCounter
    operand: events.Operand
    node: int | None = None
    needs: bool = False


@dataclass(slots=True)
class KnownNode:
    """A node: its edges, what it has saved, and the leaf that it fills."""

    number: int
    edges: tuple[int | None, ...]
    kept: tuple[events.Kept, ...]
    leaf: KnownTensor | None
    order: float


class TorchObjects:
    """Emits events about objects of PyTorch.

    Args:
        emit: receives the events.
        names_of: returns the program's names for a tensor.
        protect: makes a function into one that Python may call when an object is freed.

    Attributes:
        tensors, nodes: the known live objects; nodes by number.
        live, peak: the bytes of the storages that were seen, and their peak.
    """

    def __init__(
        self, emit: Callable[[events.Event], None], names_of: Callable[[Any], tuple[str, ...]], protect: Protect
    ) -> None:
        self._emit, self._names_of = emit, names_of
        self.tensors: Handles[Any, KnownTensor] = Handles(self._tensor_died, protect)
        self.nodes: dict[int, KnownNode] = {}
        self._storages: dict[int, KnownStorage] = {}
        self._numbers: dict[object, int] = {}  # of nodes, by sequence number or leaf
        self._next = {"storage": 0, "counter": 0, "node": 0}
        self._lost = False  # a tensor has died, or has another node: nodes may be gone
        self._before: Mapping[int, int] = {}
        self.live = self.peak = 0

    def forget(self) -> None:
        """Drops all references."""
        for storage in self._storages.values():
            torch.UntypedStorage._free_weak_ref(storage.pin)
        self._storages.clear()
        self.tensors.clear()
        self.nodes.clear()

    def _number(self, kind: str) -> int:
        self._next[kind] += 1
        return self._next[kind] - 1

    def _tensor_died(self, known: KnownTensor) -> None:
        known.storage.tensors.pop(known.number, None)
        self._lost = True
        self._emit(events.Died("tensor", known.number))

    # ---- tensors ---------------------------------------------------------------------------------------------------------

    def tensor(self, tensor: Any, *, beside: KnownTensor | None = None, apart: bool = False) -> KnownTensor | None:
        """Returns a known tensor; describes it first if it is new.

        Args:
            tensor: the tensor.
            beside: the tensor of which it is an alias, if that is known.
            apart: whether an alias has a version counter of its own, as `.data` has.

        Returns:
            None for a tensor without a storage, such as a sparse one.
        """
        known = self.tensors.find(tensor)
        if known is not None:
            return known
        base = tensor._base
        if base is not None and not apart:
            beside = self.tensor(base) or beside
        storage = self._storage(tensor)
        if storage is None:
            return None
        number = self.tensors.next_number()
        counter = self._counter(tensor, storage, None if apart else beside, apart)
        operand = _operand(number, tensor, storage, counter)
        known = KnownTensor(number, weakref.ref(tensor), self._names_of(tensor), storage, counter, operand)
        self.tensors.add(tensor, known)
        self._describe(known, tensor)
        return known

    def describe_again(self, known: KnownTensor, tensor: Any) -> bool:
        """Emits changes of a tensor's metadata and storage. Returns whether there were any."""
        storage = self._storage(tensor)
        if storage is None:
            return False
        if storage is not known.storage:
            known.storage.tensors.pop(known.number, None)
            known.storage, known.counter = storage, self._counter(tensor, storage, None, True)  # it keeps its own
        operand = _operand(known.number, tensor, storage, known.counter)
        if operand == known.operand:
            return False
        known.operand = operand
        self._describe(known, tensor)
        return True

    def _describe(self, known: KnownTensor, tensor: Any) -> None:
        known.storage.tensors[known.number] = known
        base = None if tensor._base is None else self.tensor(tensor._base)
        known.node, known.needs = self._history_of(known, tensor)
        self._emit(
            events.TensorMade(
                known.operand, str(tensor.device), known.needs, None if base is None else base.number, known.node,
                self._gradient_of(known, tensor), known.names,
            )
        )  # fmt: skip

    def history(self, known: KnownTensor, tensor: Any) -> None:
        """Emits a change of a tensor's node or of `requires_grad`."""
        node, needs = self._history_of(known, tensor)
        if (node, needs) != (known.node, known.needs):
            known.node, known.needs, self._lost = node, needs, True
            self._emit(events.Rewired(known.number, needs, node))

    def needs_on(self, storage: KnownStorage) -> None:
        """Emits which tensors on a storage need a gradient now. Their nodes are not asked for."""
        for known in list(storage.tensors.values()):
            tensor = known.alive()
            if tensor is not None and tensor.requires_grad != known.needs:
                known.needs = tensor.requires_grad
                self._emit(events.Rewired(known.number, known.needs, known.node))

    def flags(self, known: KnownTensor, tensor: Any) -> None:
        """Emits `requires_grad` and `.grad` as the program has set them."""
        known.node, known.needs = self._history_of(known, tensor)
        self._emit(events.FlagsSet(known.number, known.needs, known.node, self._gradient_of(known, tensor)))

    def _history_of(self, known: KnownTensor, tensor: Any) -> tuple[int | None, bool]:
        """The number of a tensor's node, and `requires_grad`.

        A view gets a new node when somebody asks for it after a write. Where PyTorch itself has not asked, the recorder must not:
        the order of nodes, and so of sums, would change.
        """
        if tensor._base is not None and not torch.is_grad_enabled():
            return known.node, tensor.requires_grad
        try:
            return self.node(tensor.grad_fn), tensor.requires_grad
        except RuntimeError:  # a view made under no_grad, of which PyTorch refuses to tell more
            return known.node, tensor.requires_grad

    def gradient(self, known: KnownTensor, tensor: Any) -> KnownTensor | None:
        """Emits the gradient that a backward pass has given to a tensor, and returns it."""
        gradient = tensor.grad
        if gradient is None:
            return None
        found = self.tensor(gradient)
        if found is not None:
            self.notice(found, gradient)
            self._emit(events.GradientSet(known.number, found.number))
        return found

    def _gradient_of(self, known: KnownTensor, tensor: Any) -> int | None:
        """The number of the tensor in `.grad`. PyTorch warns of one that is not a leaf."""
        if known.node is not None or tensor._base is not None or tensor.grad is None:
            return None
        gradient = self.tensor(tensor.grad)
        return None if gradient is None else gradient.number

    # ---- storages and versions -------------------------------------------------------------------------------------------

    def _storage(self, tensor: Any) -> KnownStorage | None:
        try:
            storage = tensor.untyped_storage()
            address = storage._cdata
        except (NotImplementedError, RuntimeError):  # sparse, or of a subclass without one
            return None
        known = self._storages.get(address)
        if known is None:
            known = KnownStorage(self._number("storage"), storage._weak_ref(), storage.nbytes(), tensor.dtype)
            self._storages[address] = known
            self._emit_storage(known, storage, str(tensor.device))
            self.live += known.bytes
            self.peak = max(self.peak, self.live)
        elif known.bytes != storage.nbytes():  # resized
            self.live += storage.nbytes() - known.bytes
            known.bytes = storage.nbytes()
            self.peak = max(self.peak, self.live)
            self._emit_storage(known, storage, str(tensor.device))
        return known

    def _emit_storage(self, known: KnownStorage, storage: Any, device: str) -> None:
        memory = _memory(storage, known.dtype)
        values = None if memory is None else snapshot(memory)
        slots = known.bytes // known.dtype.itemsize
        self._emit(events.StorageSeen(known.number, known.bytes, slots, _name(known.dtype), device, False, values))

    def _counter(self, tensor: Any, storage: KnownStorage, beside: KnownTensor | None, apart: bool) -> KnownCounter:
        """The version counter of a new tensor on a storage: that of the tensor beside it, or one that shows its version."""
        if beside is not None and beside.storage is storage:
            return beside.counter
        version = version_of(tensor)
        alike = [] if apart else [each for each in storage.counters if each.version == version]
        if alike:
            return alike[0]
        counter = KnownCounter(self._number("counter"), version)
        storage.counters.append(counter)
        self._emit(events.CounterSeen(counter.number, storage.number, version))
        return counter

    def notice(self, known: KnownTensor, tensor: Any) -> bool:
        """Emits a write through a tensor if its version has risen. Returns whether it has."""
        version = version_of(tensor)
        if version == known.counter.version:
            return False
        known.counter.version = version
        self.wrote(known, tensor)
        return True

    def wrote(self, known: KnownTensor, tensor: Any) -> None:
        """Emits a write to the elements that a tensor shows."""
        storage = known.storage
        memory = _memory(tensor.untyped_storage(), storage.dtype)
        values: Snapshot = Part(None, None, (), ())
        if memory is not None:
            layout = known.operand.layout if tensor.dtype == storage.dtype else None
            values = snapshot(memory, None if layout is None else _window(memory, layout), layout)
        self._emit(events.Wrote(storage.number, known.counter.number, known.counter.version, values))

    def sweep(self) -> None:
        """Emits the storages and nodes that are gone."""
        for address, known in list(self._storages.items()):
            if not known.tensors and torch.UntypedStorage._expired(known.pin):
                torch.UntypedStorage._free_weak_ref(self._storages.pop(address).pin)
                self.live -= known.bytes
                self._emit(events.Died("storage", known.number))
        if self._lost:
            self._lost = False
            self._sweep_nodes()

    def _sweep_nodes(self) -> None:
        roots = [known.node for _, known in self.tensors.living() if known.node is not None]
        alive = set(self.reachable(roots))
        for number in [each for each in self.nodes if each not in alive]:
            del self.nodes[number]
            self._emit(events.Died("node", number))
        self._numbers = {key: number for key, number in self._numbers.items() if number in alive}

    # ---- nodes -----------------------------------------------------------------------------------------------------------

    def node(self, node: Any, versions: Mapping[int, int] | None = None) -> int | None:
        """Returns the number of a node. Describes it first if it is new, with every new node that it leads to.

        Args:
            node: PyTorch's node, or None.
            versions: for each version counter, what it showed before the operation that made the node.
        """
        if node is None:
            return None
        waiting = [node]
        while waiting:
            each = waiting.pop()
            if self._key(each) not in self._numbers or self._numbers[self._key(each)] not in self.nodes:
                self._meet(each, versions or self._before)
                waiting += [after for after, _ in each.next_functions if after is not None]
        return self._numbers[self._key(node)]

    def showed(self, versions: Mapping[int, int]) -> None:
        """Says what each version counter showed before the operation that has just run."""
        self._before = versions

    def _key(self, node: Any) -> object:
        leaf = getattr(node, "variable", None)
        return node._sequence_nr() if leaf is None else ("leaf", id(leaf))

    def _numbered(self, node: Any) -> int:
        key = self._key(node)
        if key not in self._numbers:
            self._numbers[key] = self._number("node")
        return self._numbers[key]

    def _meet(self, node: Any, versions: Mapping[int, int]) -> None:
        variable = getattr(node, "variable", None)
        leaf = None if variable is None else self.tensor(variable)
        number = self._numbered(node)
        edges = tuple(None if each is None else self._numbered(each) for each, _ in node.next_functions)
        kept = tuple(self._kept(node, versions))
        order = float("inf") if variable is not None else float(node._sequence_nr())
        self.nodes[number] = KnownNode(number, edges, kept, leaf, order)
        name = node.name().rpartition("::")[2]
        self._emit(events.NodeMade(
            number, name, _inputs(name, len(edges)), edges, kept, False, None if leaf is None else leaf.number,
            name.startswith("AsStridedBackward"),
        ))  # fmt: skip

    def _kept(self, node: Any, versions: Mapping[int, int]) -> Iterator[events.Kept]:
        """What a node has saved. A result was saved after the operation, everything else before."""
        for name, tensor in saved_by(node):
            known = self._alias(tensor)
            if known is None:
                continue
            storage, counter, is_copy = known
            now = version_of(tensor) if is_copy else counter.version
            version = now if name == "out" else versions.get(counter.number, now)
            yield events.Kept(name, storage.number, counter.number, version, layout_of(tensor), is_copy)

    def _alias(self, tensor: Any) -> tuple[KnownStorage, KnownCounter, bool] | None:
        """The storage and the counter of a saved tensor, and whether it is a copy that only the node has."""
        seen = len(self._storages)
        storage = self._storage(tensor)
        if storage is None:
            return None
        is_copy = len(self._storages) > seen
        version = version_of(tensor)
        counter = next((each for each in storage.counters if each.version == version), None) or (
            storage.counters[0] if storage.counters else self._counter(tensor, storage, None, True)
        )
        return storage, counter, is_copy

    def reachable(self, roots: list[int]) -> Iterator[int]:
        """Yields the numbers of the nodes that lie on a path from the roots, including these."""
        seen, waiting = set(roots), list(roots)
        while waiting:
            number = waiting.pop()
            node = self.nodes.get(number)
            if node is None:
                continue
            yield number
            for each in node.edges:
                if each is not None and each not in seen:
                    seen.add(each)
                    waiting.append(each)


_saved_names: dict[type, tuple[str, ...]] = {}


def saved_by(node: Any) -> Iterator[tuple[str, Any]]:
    """Yields what a node has saved, with the derivative's names; nothing once it is freed. No version is checked."""
    kind = type(node)
    if kind not in _saved_names:
        _saved_names[kind] = tuple(name for name in dir(node) if name.startswith(_SAVED))
    for attribute in _saved_names[kind]:
        try:
            found = getattr(node, attribute)
        except RuntimeError:  # freed
            return
        several = isinstance(found, list | tuple)
        for position, each in enumerate(found if several else [found]):
            tensor = getattr(each, "data", None)
            if isinstance(tensor, torch.Tensor):
                name = attribute[len(_SAVED) :]
                yield "out" if name in _RESULTS else f"{name}[{position}]" if several else name, tensor


def version_of(tensor: Any) -> int:
    """The version of a tensor; 0 for one that was made in inference mode, which has none."""
    return 0 if tensor.is_inference() else int(tensor._version)


def _operand(number: int, tensor: Any, storage: KnownStorage, counter: KnownCounter) -> events.Operand:
    return events.Operand(number, storage.number, counter.number, layout_of(tensor), _name(tensor.dtype))


def layout_of(tensor: Any) -> Layout:
    """The shape, strides and offset of a tensor, in elements."""
    return Layout(tuple(tensor.shape), tuple(tensor.stride()), int(tensor.storage_offset()))


def _name(dtype: torch.dtype) -> str:
    return str(dtype).partition(".")[2]


_WIDER = {torch.bfloat16: "bfloat16"}
"""Dtypes that NumPy does not have, whose values it shows as float32."""


def _memory(storage: Any, dtype: torch.dtype) -> Any:
    """The slots of a storage as an array of one axis; None on a device, where looking would wait for it, and for dtypes unknown to NumPy."""
    if storage.device.type != "cpu":
        return None
    size = storage.nbytes()
    raw = (
        np.frombuffer((ctypes.c_char * size).from_address(storage.data_ptr()), np.uint8)
        if size
        else np.zeros(0, np.uint8)
    )
    raw = raw[: size // dtype.itemsize * dtype.itemsize]
    if dtype in _WIDER:
        return (raw.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    try:
        return raw.view(np.dtype(_name(dtype)))
    except TypeError:
        return None


def _window(memory: Any, layout: Layout) -> Any:
    """The elements of a tensor in the memory of its storage."""
    size = memory.itemsize
    if not memory.size:
        return memory
    return np.ndarray(layout.shape, memory.dtype, memory, layout.offset * size, tuple(s * size for s in layout.strides))


def _inputs(name: str, edges: int) -> tuple[str, ...]:
    """The names of a node's inputs, of which PyTorch tells only the order."""
    if name == "CopySlices":
        return ("base", *(f"input{k}" for k in range(1, edges)))
    return ("self", "other")[:edges] if edges < 3 else tuple(f"input{k}" for k in range(edges))
