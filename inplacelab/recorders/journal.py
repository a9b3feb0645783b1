"""The journal: what a recorder writes down *while* the program runs, as cheaply as it can be done.

In-place operations destroy the past, so what a step changed must be copied at once. But only copied: an entry is a tuple
`(kind, ...)` of plain facts, appended to a list. What the entries mean is worked out later, by `reader.Reader`, when nobody
waits. So a recorded operation costs a small multiple of an unrecorded one, whatever the picture will show of it.

The journal keeps no tensor, storage or node alive. They are known by `id` and held weakly (`seen`); since an address may be
used again, a known object counts only if its weak reference still leads to that very object.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from itertools import count
from typing import Any

from inplacelab.autograd.history import refresh
from inplacelab.autograd.nodes import AccumulateNode, CopySlicesNode, Node, OpNode, ViewNode
from inplacelab.autograd.saved import Saved
from inplacelab.recorders.seen import SeenNode, SeenStorage, SeenTensor
from inplacelab.storage import Storage
from inplacelab.tensor import Tensor

WHOLE = 4096
"""Storages of up to this many slots are kept whole at every version."""
ENDS = 8
"""Of larger ones, this many slots are kept at either end,"""
SOME = 48
"""and this many of those that were written."""
WORTH_MEASURING = 4
"""The extremes of a large storage are measured if at least one slot in this many was written: looking at all of them costs
no more than a few times the write itself then."""


class Journal:
    """The entries so far, and which objects they are about.

    Attributes:
        entries: tuples whose first item names the method of `reader.Reader` that reads the rest; and dead references.
        bound: the tensors that the learner's names lead to, by `id`, each with its names.
        outer: for the node inside a `CopySlicesNode`, the number of the node that it is inside of.
        tensors: the tensors that were met, by `id`.
    """

    def __init__(self) -> None:
        self.entries: list[Any] = []
        self.bound: dict[int, tuple[weakref.ref[Tensor], tuple[str, ...]]] = {}
        self.outer: dict[int, int] = {}
        self.tensors: dict[int, SeenTensor] = {}
        self._storages: dict[int, SeenStorage] = {}
        self._nodes: dict[int, SeenNode] = {}
        self._next_tensor, self._next_storage = count().__next__, count().__next__
        self._append = self.entries.append

    # ---- tensors ---------------------------------------------------------------------------------------------------------

    def known(self, tensor: Tensor) -> SeenTensor | None:
        """What is known of a tensor, if it was written down before."""
        seen = self.tensors.get(id(tensor))
        return None if seen is None or seen() is not tensor else seen

    def tensor(self, tensor: Tensor) -> SeenTensor:
        """A tensor, written down now if it never was."""
        return self.known(tensor) or self.meet(tensor)

    def meet(self, tensor: Tensor, filled: bool = True) -> SeenTensor:
        """Write a tensor down for the first time. `filled`: whether the values in a new storage mean anything."""
        address = id(tensor)
        seen = self.tensors[address] = SeenTensor(tensor, self._append)
        seen.serial, seen.names = self._next_tensor(), ()
        if address in self.bound:
            reference, names = self.bound[address]
            if reference() is tensor:
                seen.names = names
        storage = tensor.storage
        if tensor.array is storage.buffer and tensor.base is None and tensor._grad is None:
            known = self._storages.get(id(storage))
            if known is None or known() is not storage:
                self._meet_made(seen, tensor, storage, filled)
                return seen
        self.portray(seen, tensor, filled)
        return seen

    def _meet_made(self, seen: SeenTensor, tensor: Tensor, storage: Storage, filled: bool) -> None:
        """Write down a tensor that is all there is on a new storage, as the results of most operations are: both at once.

        This is `portray` and `_meet_storage` without what cannot be. No array has to be kept to tell how it lies later: so its
        memory can be used again.
        """
        buffer = tensor.array
        held = self._storages[id(storage)] = SeenStorage(storage, self._append)
        serial = held.serial = self._next_storage()
        held.version = version = storage.version
        held.tensors, seen.storage = [seen], held
        held.whole = whole = buffer.size <= WHOLE
        values = None if not filled else buffer.tobytes() if whole else summary(buffer.reshape(-1), True)
        node = tensor.node
        seen.node = number = None if node is None else self.node(node)
        seen.stop = stop = tensor._stop
        self._append((
            "made", seen.serial, serial, buffer.shape, buffer.dtype, storage.nbytes, storage.device, version, values, stop, number,
            seen.names,
        ))  # fmt: skip

    def portray(self, seen: SeenTensor, tensor: Tensor, filled: bool = True) -> None:
        """Write down all there is to know of a tensor: its metadata, its storage, its base, its history, its gradient."""
        array, storage, base, gradient = tensor.array, tensor.storage, tensor.base, tensor._grad
        known = self._storages.get(id(storage))
        if known is None or known() is not storage:
            known = self._meet_storage(storage, filled)
        seen.storage = known
        known.tensors.append(seen)
        base_serial = None
        if base is not None:
            refresh(tensor)
            base_serial = self.tensor(base).serial
        node = tensor.node
        seen.node = node_serial = None if node is None else self.node(node)
        seen.stop = stop = tensor._stop
        shown = array if known.whole else _layout(array, storage)
        self._append((
            "tensor", seen.serial, known.serial, shown, storage.buffer if known.whole else None, storage.device, stop,
            base_serial, node_serial, None if gradient is None else self.tensor(gradient).serial, seen.names,
        ))  # fmt: skip

    def history(self, seen: SeenTensor, tensor: Tensor) -> None:
        """Write down a tensor's flag and its place in the history, if they are others than before."""
        if tensor.base is not None:
            refresh(tensor)
        node = None if tensor.node is None else tensor.node.serial
        if node != seen.node or tensor._stop != seen.stop:
            if tensor.node is not None:
                self.node(tensor.node)
            seen.node, seen.stop = node, tensor._stop
            self._append(("history", seen.serial, seen.stop, node))

    def gradient(self, seen: SeenTensor, tensor: Tensor) -> None:
        """Write down which tensor holds the gradient."""
        held = None if tensor._grad is None else self.tensor(tensor._grad).serial
        self._append(("gradient", seen.serial, held))

    def family(self, storage: SeenStorage) -> list[tuple[SeenTensor, Tensor]]:
        """The living tensors known to look at a storage."""
        them = {seen.serial: (seen, tensor) for seen in storage.tensors if (tensor := seen()) is not None}
        living = [(seen, tensor) for seen, tensor in them.values() if seen.storage is storage]
        storage.tensors = [seen for seen, _ in living]
        return living

    def living(self) -> list[tuple[SeenTensor, Tensor]]:
        """Every known tensor that still lives, in the order in which they were met."""
        living = [(seen, tensor) for seen in self.tensors.values() if (tensor := seen()) is not None]
        return sorted(living, key=lambda pair: pair[0].serial)

    # ---- storages --------------------------------------------------------------------------------------------------------

    def storage(self, storage: Storage) -> SeenStorage:
        """A storage; written down if it is new or was written."""
        seen = self._storages.get(id(storage))
        if seen is None or seen() is not storage:
            seen = self._meet_storage(storage, True)
        elif seen.version != storage.version:
            self.written(seen, storage)
        return seen

    def storage_known(self, storage: Storage | None) -> int | None:
        """The number of a storage that was written down before. Nothing is written down now."""
        seen = None if storage is None else self._storages.get(id(storage))
        return None if seen is None or seen() is not storage else seen.serial

    def look_again(self) -> None:
        """Write down the storages that were written while nobody was told of it."""
        for seen in list(self._storages.values()):
            storage = seen()
            if storage is not None and seen.version != storage.version:
                self.written(seen, storage)

    def _meet_storage(self, storage: Storage, filled: bool) -> SeenStorage:
        buffer, version = storage.buffer, storage.version
        seen = self._storages[id(storage)] = SeenStorage(storage, self._append)
        seen.serial, seen.version, seen.tensors = self._next_storage(), version, []
        size = buffer.size
        seen.whole = whole = size <= WHOLE
        values = None if not filled else buffer.tobytes() if whole else summary(buffer.reshape(-1), True)
        self._append(("storage", seen.serial, storage.nbytes, size, buffer.dtype, storage.device, version, values))
        return seen

    def written(
        self,
        seen: SeenStorage,
        storage: Storage,
        target: SeenTensor | None = None,
        where: Tensor | list[int] | None = None,
    ) -> None:
        """A storage has another version now: write down its values.

        `target` is the tensor through which it was written, if that is known, and `where` another one that shows what was
        written, or the list of its slots, if that is not all of the target.
        """
        seen.version, buffer = storage.version, storage.buffer.reshape(-1)
        shown = where if isinstance(where, Tensor) else None if target is None else target()
        if seen.whole:
            values: Any = buffer.tobytes()
        elif isinstance(where, list):
            some = where[:SOME]
            values = summary(buffer, len(where) * WORTH_MEASURING >= buffer.size, buffer[some], some)
        elif shown is None or target is None:
            values = summary(buffer, True)
        else:
            window = shown.array
            much = window.size * WORTH_MEASURING >= buffer.size
            place = target.serial if where is None else self.shown(window, seen, storage)
            values = summary(buffer, much, first_of(window), place)
        self._append(("written", seen.serial, storage.version, values))

    def shown(self, array: Any, seen: SeenStorage, storage: Storage) -> tuple[Any, Any, Any]:
        """A window on a storage, for `plain.layout`: of a small one the arrays are kept as they are, since finding out where
        the one lies in the other takes longer than a small operation does. Those of a large one would keep much memory.
        """
        device = storage.device
        return (array, storage.buffer, device) if seen.whole else (_layout(array, storage), None, device)

    # ---- nodes -----------------------------------------------------------------------------------------------------------

    def node(self, node: Node) -> int:
        """The number of a node: its own. It is written down if it is new, with every new node that it leads to."""
        if node.serial not in self._nodes:
            waiting = [node]
            while waiting:
                each = waiting.pop()
                if each.serial not in self._nodes:
                    self._meet_node(each)
                    waiting += [e for e in each.edges if e is not None and e.serial not in self._nodes]
        return node.serial

    def _meet_node(self, node: Node) -> None:
        seen = self._nodes[node.serial] = SeenNode(node, self._append)
        seen.serial = node.serial
        if type(node) is CopySlicesNode:
            self.outer[node.inner.serial] = node.serial
        leaf = self.tensor(node.leaf).serial if type(node) is AccumulateNode else None
        edges = [None if e is None else e.serial for e in node.edges]
        if type(node) is OpNode:
            kept = node.kept
            saved = self._saved(kept) if kept else ()
            self._append(("operations_node", seen.serial, node.row, edges, saved, kept is None))
            return
        self._append((
            "node", node.serial, node.name, _input_names(node), edges, self._saved(node.saved), node.released, leaf, type(node) is ViewNode,
        ))  # fmt: skip

    def _saved(self, saved: Sequence[Saved]) -> list[tuple[Any, ...]]:
        """What a node keeps, and of which storages."""
        kept = []
        for each in saved:
            array, storage = each.array, each.storage
            known = self.storage(storage)
            kept.append((each.name, known.serial, each.version, *self.shown(array, known, storage), each.is_copy))
        return kept

    def kept_again(self) -> None:
        """Write down anew what the nodes keep that keep something: it was copied before a write, or looked after."""
        for serial, reference in list(self._nodes.items()):
            node = reference()
            if node is not None and not node.released and node.saved:
                self._append(("kept", serial, self._saved(node.saved)))


def _layout(array: Any, storage: Storage) -> tuple[Any, ...]:
    """A window on a storage: shape, strides in bytes, dtype, and the slot at which it begins."""
    return array.shape, array.strides, array.dtype, storage.device.offset(array, storage.buffer)


def _input_names(node: Node) -> tuple[str, ...]:
    """What the edges stand for: "x", "y"; "base" for the nodes that views bring about, which have no row of the table."""
    row = getattr(node, "row", None)
    if row is None and type(node) is CopySlicesNode:
        row = getattr(node.inner, "row", None)
        return ("base",) if row is None else ("base", *row.inputs[1:])
    return () if row is None else row.inputs


def summary(buffer: Any, measured: bool, some: Any = None, where: Any = None) -> tuple[Any, ...]:
    """What is kept of a large storage: the extremes (if `measured`), both ends, and some of what was written, with the
    layout, the list of slots, or the number of the tensor that says where.
    """
    extremes = (None, None)
    if measured and buffer.dtype.kind != "c":  # complex numbers have no order
        extremes = buffer[buffer.argmin()], buffer[buffer.argmax()]  # (several times as quick as `min()`)
    return (*extremes, buffer[:ENDS].tobytes(), buffer[-ENDS:].tobytes(), some, where)


def first_of(window: Any) -> Any:
    """The first elements of a window, in row-major order, as a copy."""
    if window.ndim == 1:
        return window[:SOME].copy()
    return window.reshape(-1)[:SOME].copy() if window.flags.c_contiguous else window.flat[:SOME]
