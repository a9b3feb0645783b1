"""The journal: what a recorder writes down *while* the program runs, as cheaply as it can be done.

In-place operations destroy the past, so what a step changed must be copied at once. But only copied: an entry is a tuple
`(kind, ...)` of plain facts, appended to a list. What the entries mean is worked out later, by `reader.Reader`, when nobody
waits. So a recorded operation costs a small multiple of an unrecorded one, whatever the picture will show of it.

The journal keeps no tensor, storage or node alive: it refers to them weakly, and they lead to what it knows of them (`seen`).
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import numpy as np

from inplacelab.autograd.history import refresh
from inplacelab.autograd.nodes import AccumulateNode, CopySlicesNode, Node, OpNode, ViewNode
from inplacelab.autograd.saved import Saved
from inplacelab.recorders import copies
from inplacelab.recorders.seen import SeenNode, SeenStorage, SeenTensor, known_to, without
from inplacelab.storage import Storage
from inplacelab.tensor import Tensor


class Journal:
    """The entries so far, and which objects they are about.

    Attributes:
        entries: tuples whose first item names the method of `reader.Reader` that reads the rest; and dead references.
        bound: the tensors that the learner's names lead to, by `id`, each with its names.
        outer: for the node inside a `CopySlicesNode`, the number of the node that it is inside of.
        tensors: the tensors that were met, in the order of their numbers; some of them may be dead.
        storages: the storages that were met, likewise.
        next_tensor, next_storage: the number of the next one.
        memory: the copies of whole storages.
    """

    def __init__(self) -> None:
        self.entries: list[Any] = []
        self.bound: dict[int, tuple[weakref.ref[Tensor], tuple[str, ...]]] = {}
        self.outer: dict[int, int] = {}
        self.tensors: list[SeenTensor] = []
        self.storages: list[SeenStorage] = []
        self._nodes: dict[int, SeenNode] = {}
        self.next_tensor, self.next_storage = count().__next__, count().__next__
        self.memory = copies.Memory()
        self._append = self.entries.append

    # ---- tensors ---------------------------------------------------------------------------------------------------------

    def known(self, tensor: Tensor) -> SeenTensor | None:
        """What is known of a tensor, if it was written down before."""
        seen: SeenTensor | None = known_to(self, tensor._told)
        return seen

    def tensor(self, tensor: Tensor) -> SeenTensor:
        """A tensor, written down now if it never was."""
        return self.known(tensor) or self.meet(tensor)

    def meet(self, tensor: Tensor, filled: bool = True) -> SeenTensor:
        """Write a tensor down for the first time. `filled`: whether the values in a new storage mean anything."""
        address = id(tensor)
        seen = SeenTensor(tensor, self._append)
        seen.journal, seen.beside, tensor._told = self, tensor._told, seen
        seen.serial, seen.names = self.next_tensor(), ()
        self.tensors.append(seen)
        if address in self.bound:
            reference, names = self.bound[address]
            if reference() is tensor:
                seen.names = names
        self.portray(seen, tensor, filled)
        return seen

    def portray(self, seen: SeenTensor, tensor: Tensor, filled: bool = True) -> None:
        """Write down all there is to know of a tensor: its metadata, its storage, its base, its history, its gradient."""
        array, storage, base, gradient = tensor.array, tensor.storage, tensor.base, tensor._grad
        known = known_to(self, storage.told) or self._meet_storage(storage, filled)
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
        living = [(seen, tensor) for seen in self.tensors if (tensor := seen()) is not None]
        self.tensors[:] = [seen for seen, _ in living]
        return living

    def forget(self) -> None:
        """Nothing more will be written down: leave no trace on what lives on."""
        for _, tensor in self.living():
            tensor._told = without(self, tensor._told)
        for _, storage in self._living_storages():
            storage.told = without(self, storage.told)
        self.tensors.clear()
        self.storages.clear()

    # ---- storages --------------------------------------------------------------------------------------------------------

    def storage(self, storage: Storage) -> SeenStorage:
        """A storage; written down if it is new, or was written by nothing that an operation has told."""
        seen: SeenStorage | None = known_to(self, storage.told)
        if seen is None:
            seen = self._meet_storage(storage, True)
        elif seen.version != storage.version:
            self._written(seen, storage)
        return seen

    def _written(self, seen: SeenStorage, storage: Storage) -> None:
        seen.version = storage.version
        self._append(("written", seen.serial, storage.version, self._everything(seen, storage.buffer)))

    def _everything(self, seen: SeenStorage, buffer: Any) -> copies.Copied:
        """What is copied of a storage when nothing is known of what was written."""
        if not seen.whole:
            return copies.summary(buffer)
        memory = self.memory
        memory.end = end = memory.end + seen.write(buffer)
        return end

    def storage_known(self, storage: Storage | None) -> int | None:
        """The number of a storage that was written down before. Nothing is written down now."""
        seen: SeenStorage | None = None if storage is None else known_to(self, storage.told)
        return None if seen is None else seen.serial

    def look_again(self) -> None:
        """Write down the storages that were written while nobody was told of it."""
        for seen, storage in self._living_storages():
            if seen.version != storage.version:
                self._written(seen, storage)

    def _living_storages(self) -> list[tuple[SeenStorage, Storage]]:
        living = [(seen, storage) for seen in self.storages if (storage := seen()) is not None]
        self.storages[:] = [seen for seen, _ in living]
        return living

    def _meet_storage(self, storage: Storage, filled: bool) -> SeenStorage:
        buffer, version = storage.buffer, storage.version
        size = buffer.size
        whole = size <= copies.WHOLE
        seen = SeenStorage(storage, self._append if whole else self.let_go)
        seen.journal, seen.beside, storage.told = self, storage.told, seen
        self.storages.append(seen)
        seen.serial, seen.version, seen.tensors = self.next_storage(), version, []
        seen.whole, seen.write, seen.views = whole, self.writer(buffer), None
        values = self._everything(seen, buffer) if filled else None
        self._append(("storage", seen.serial, storage.nbytes, size, buffer.dtype, storage.device, version, values))
        return seen

    def let_go(self, seen: SeenStorage) -> None:
        """A large storage is gone: views of it would keep its memory."""
        seen.views = None
        self._append(seen)

    def writer(self, buffer: Any) -> Callable[[Any], int]:
        """What copies the values of such a buffer into the memory."""
        return self.memory.write if type(buffer) is np.ndarray else self.memory.write_from_device

    def values(
        self, held: SeenStorage, storage: Storage, output: SeenTensor, window: Any, where: Tensor | list[int] | None
    ) -> copies.Copied:
        """What is copied of a storage that an operation has written through the `window` of its output; `where` is another
        tensor that shows what was written, or the list of its slots, if that is not all of the output.
        """
        buffer = storage.buffer
        if held.whole:
            return self._everything(held, buffer)
        if where is None:
            if window is buffer and type(buffer) is np.ndarray and buffer.flags.c_contiguous:
                views = held.views = copies.Views(buffer)
                return views.written(output.serial)
            return copies.through(window, buffer, output.serial)
        if isinstance(where, list):
            return copies.at(where, buffer)
        return copies.through(where.array, buffer, self.shown(where.array, held, storage))

    def shown(self, array: Any, seen: SeenStorage, storage: Storage) -> tuple[Any, Any, Any]:
        """A window on a storage, for `plain.layout`: of a small one the arrays are kept as they are, since finding out where
        the one lies in the other takes longer than a small operation does. Those of a large one would keep much memory.
        """
        device = storage.device
        return (array, storage.buffer, device) if seen.whole else (_layout(array, storage), None, device)

    # ---- nodes -----------------------------------------------------------------------------------------------------------

    def node(self, node: Node) -> int:
        """The number of a node: its own. It is written down if it is new, with every new node that it leads to."""
        serial, nodes = node.serial, self._nodes
        if serial in nodes:
            return serial
        waiting = [node]
        while waiting:
            node = waiting.pop()
            number = node.serial
            if number in nodes:
                continue
            seen = nodes[number] = SeenNode(node, self._append)
            seen.serial = number
            edges: list[int | None] = []
            for each in node.edges:
                if each is None:
                    edges.append(None)
                else:
                    edges.append(each.serial)
                    if each.serial not in nodes:
                        waiting.append(each)
            if type(node) is OpNode:
                kept = node.kept
                saved = self._saved(kept) if kept else ()
                self._append(("operations_node", number, node.row, edges, saved, kept is None))
            else:
                self._meet_other_node(node, edges)
        return serial

    def _meet_other_node(self, node: Node, edges: list[int | None]) -> None:
        """Write a node down that is not one of an operation's own."""
        serial = node.serial
        if type(node) is CopySlicesNode:
            self.outer[node.inner.serial] = serial
        leaf = self.tensor(node.leaf).serial if type(node) is AccumulateNode else None
        self._append((
            "node", serial, node.name, _input_names(node), edges, self._saved(node.saved), node.released, leaf, type(node) is ViewNode,
        ))  # fmt: skip

    def _saved(self, saved: Sequence[Saved]) -> list[tuple[Any, ...]]:
        """What a node keeps, and of which storages."""
        kept = []
        for each in saved:
            storage = each.storage
            known = storage.told  # `self.storage(storage)`
            if known is None or known.journal is not self or known.version != storage.version:
                known = self.storage(storage)
            shown = (
                (each.array, storage.buffer, storage.device) if known.whole else self.shown(each.array, known, storage)
            )
            kept.append((each.name, known.serial, each.version, *shown, each.is_copy))
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
