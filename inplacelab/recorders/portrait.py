"""Facts about live objects: what a tensor, a storage or a grad node of the engine is at this moment."""

from __future__ import annotations

from typing import Any

from inplacelab.autograd.history import refresh
from inplacelab.autograd.nodes import AccumulateNode, Node
from inplacelab.autograd.saved import Saved
from inplacelab.dtypes import named
from inplacelab.layout import Layout
from inplacelab.recorders.registry import Registry
from inplacelab.recording.facts import (
    EdgeFacts,
    NodeFacts,
    NodeStatus,
    Number,
    SavedFacts,
    StorageFacts,
    Summary,
    TensorFacts,
    Values,
)
from inplacelab.recording.slots import Runs, joined, slot_runs
from inplacelab.storage import Storage
from inplacelab.tensor import Tensor

WHOLE = 4096
"""Storages of up to this many slots are kept whole at every version."""
ENDS = 8
"""Of larger ones, this many slots are kept at either end."""


class Portraits:
    """Turns live objects into facts, giving them numbers on the way.

    Attributes:
        tensors, storages, nodes: the numbers.
        names: for each tensor (by `id`), the learner's names.
        origins: for each node's number, the operation and line that made it.
        statuses: for each node's number, where backward stands with it.
        unfilled: the numbers of storages that nobody has written yet (`empty`): their values mean nothing.
    """

    def __init__(self) -> None:
        self.tensors: Registry[Tensor] = Registry()
        self.storages: Registry[Storage] = Registry()
        self.nodes: Registry[Node] = Registry()
        self.names: dict[int, tuple[str, ...]] = {}
        self.origins: dict[int, tuple[str, int | None]] = {}
        self.statuses: dict[int, NodeStatus] = {}
        self.unfilled: set[int] = set()

    # ---- tensors -----------------------------------------------------------------------------------------------------

    def tensor(self, tensor: Tensor) -> TensorFacts:
        """The tensor's metadata, names and place in the history."""
        if tensor.base is not None:
            refresh(tensor)
        layout, gradient = tensor.layout, tensor._grad
        return TensorFacts(
            id=self.tensors.number(tensor),
            names=self.names.get(id(tensor), ()),
            storage=self.storages.number(tensor.storage),
            shape=layout.shape,
            strides=layout.strides,
            offset=layout.offset,
            dtype=tensor.dtype.name,
            device=tensor.place.text,
            leaf=tensor.node is None,
            needs_gradient=not tensor._stop,
            base=None if tensor.base is None else self.tensors.number(tensor.base),
            node=None if tensor.node is None else self.nodes.number(tensor.node),
            grad=None if gradient is None else self.tensors.number(gradient),
        )

    def runs(self, tensor: Tensor, written: Layout | list[int] | None) -> Runs:
        """The runs of slots that were written: under a layout, in a list, or under all of the tensor."""
        if isinstance(written, list):
            return joined((slot, slot + 1) for slot in written)
        return slot_runs(tensor.layout if written is None else written)

    # ---- storages ----------------------------------------------------------------------------------------------------

    def storage(self, storage: Storage) -> StorageFacts:
        """The storage's size, version and values now."""
        serial = self.storages.number(storage)
        return StorageFacts(
            id=serial,
            bytes=storage.nbytes,
            slots=storage.slots,
            dtype=named(storage.buffer.dtype).name,
            device=storage.device.place.text,
            version=storage.version,
            values=None if serial in self.unfilled else values_of(storage.buffer),
        )

    # ---- nodes -------------------------------------------------------------------------------------------------------

    def node(self, node: Node) -> NodeFacts:
        """The node's edges and what it keeps."""
        serial = self.nodes.number(node)
        op, line = self.origins.get(serial, ("", None))
        released = node.released
        leaf = node.leaf if isinstance(node, AccumulateNode) else None
        return NodeFacts(
            id=serial,
            name=node.name,
            op=op,
            line=line,
            edges=tuple(
                EdgeFacts(input_name(node, k), self.nodes.number(each))
                for k, each in enumerate(node.edges)
                if each is not None
            ),
            saved=() if released else tuple(self.saved(each) for each in node.saved),
            released=released,
            leaf=None if leaf is None else self.tensors.number(leaf),
            status=self.statuses.get(serial, ""),
        )

    def saved(self, saved: Saved) -> SavedFacts:
        """What was saved, and at which version."""
        device = saved.storage.device
        step = saved.array.itemsize
        return SavedFacts(
            name=saved.name,
            storage=self.storages.number(saved.storage),
            version=saved.version,
            shape=saved.array.shape,
            strides=tuple(s // step for s in saved.array.strides),
            offset=device.offset(saved.array, saved.storage.buffer),
            copy=saved.is_copy,
        )


def input_name(node: Node, position: int) -> str:
    """Which input an edge stands for: "x", "y"; "base" for the nodes that views bring about."""
    row = getattr(node, "row", None)
    if row is None and position:
        row = getattr(getattr(node, "inner", None), "row", None)
    return row.inputs[position] if row is not None else "base"


def values_of(buffer: Any) -> Values | Summary:
    """The slots in memory order, whole if there are few."""
    flat = buffer.reshape(-1)
    if flat.size <= WHOLE:
        return tuple(flat.tolist())
    lowest: Number = flat.min().item() if flat.dtype.kind != "c" else 0
    highest: Number = flat.max().item() if flat.dtype.kind != "c" else 0
    return Summary(lowest, highest, tuple(flat[:ENDS].tolist()), tuple(flat[-ENDS:].tolist()))
