"""What the journal says of things: tensors, storages and nodes, as facts that are new or different since the last step."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from inplacelab.dtypes import named
from inplacelab.layout import packed
from inplacelab.recorders import plain
from inplacelab.recorders.seen import SeenNode, SeenStorage, SeenTensor
from inplacelab.recorders.steps import Changes, StepBuilder
from inplacelab.recording.facts import EdgeFacts, NodeFacts, StorageFacts, TensorFacts


class Things:
    """Reads those entries of a journal that are about things. Each method named like a kind of entry reads one.

    What an entry says belongs either to the step that is about to be told (`now`: what its operation made and changed) or to
    the one before it (`late`: names that were bound and things that died after its last operation), since a statement gives
    its result a name only when its operations are over.

    Args:
        limit: the most steps to keep.

    Attributes:
        build: the steps so far, and the facts last told of everything.
        simulated: True once a storage of a simulated device was read of.
    """

    def __init__(self, limit: int) -> None:
        self.build = StepBuilder(limit)
        self.simulated = False
        self._now, self._late = Changes(), Changes()
        self._last: tuple[str, int | None] = ("", None)  # the last operation, and its line
        self._own = False  # what dies is let go by the operation that will be told next
        self._numbers: dict[int, int] = {}  # the engine numbers nodes from the start of the session, a recording from 0
        self._fresh: list[
            tuple[int, bool]
        ] = []  # nodes read of since the last step, and whether each stands for a view
        self._copied = memoryview(b"")  # the copies of storages, while they are read
        self._named: dict[int, tuple[str, ...]] = {}
        self._filler: dict[int, int] = {}  # the tensor whose `.grad` a tensor is

    def _died(self, seen: SeenTensor | SeenStorage | SeenNode) -> None:
        changes = self._now if self._own else self._late
        if type(seen) is SeenTensor:
            changes.tensors[seen.serial] = None
        elif type(seen) is SeenStorage:
            changes.storages[seen.serial] = None
        elif seen.serial in self._numbers:
            changes.nodes[self._numbers[seen.serial]] = None

    # ---- things ----------------------------------------------------------------------------------------------------------

    def tensor(
        self, serial: int, storage: int, shown: Any, buffer: Any, device: Any, stop: bool, base: int | None, node: int | None,
        grad: int | None, names: tuple[str, ...],
    ) -> None:  # fmt: skip
        """A tensor as it is now: `shown` is its layout, or its array and `buffer` the one that it looks into."""
        self._named[serial] = names
        if grad is not None:
            self._filler[grad] = serial
        shape, strides, dtype, offset = plain.layout(shown, buffer, device)
        self._now.tensors[serial] = TensorFacts(
            id=serial, names=self._names(serial), storage=storage, shape=shape,
            strides=strides, offset=offset, dtype=named(dtype).name,
            device=device.place.text, leaf=node is None, needs_gradient=not stop, base=base, node=self._number(node), grad=grad,
        )  # fmt: skip

    def result(
        self, serial: int, node: int | None, storage: int, shape: tuple[int, ...], dtype: np.dtype[Any], device: Any, version: int,
        values: Any, stop: bool,
    ) -> None:  # fmt: skip
        """A tensor that is all there is on a new storage, and has no name yet."""
        slots = prod(shape)
        self.storage(storage, slots * dtype.itemsize, slots, dtype, device, version, values)
        self._now.tensors[serial] = TensorFacts(
            id=serial, names=(), storage=storage, shape=shape, strides=packed(shape), offset=0, dtype=named(dtype).name,
            device=device.place.text, leaf=node is None, needs_gradient=not stop, base=None, node=self._number(node), grad=None,
        )  # fmt: skip

    def history(self, serial: int, stop: bool, node: int | None) -> None:
        """A tensor's history now: often another than before."""
        facts, number = self._tensor(serial), self._number(node)
        if facts is not None and (facts.node, facts.needs_gradient) != (number, not stop):
            self._now.tensors[serial] = replace(facts, leaf=node is None, needs_gradient=not stop, node=number)

    def flags(self, serial: int, stop: bool, node: int | None, grad: int | None) -> None:
        """The program has set `stop_gradient` or `.grad`: no operation did it, so it belongs to what was before."""
        facts = self._tensor(serial)
        if facts is not None:
            if grad is not None:
                self._filler[grad] = serial
            facts = replace(facts, leaf=node is None, needs_gradient=not stop, node=self._number(node), grad=grad)
            self.earlier()
            self._late.tensors[serial] = facts

    def earlier(self) -> None:
        """What was read since the last step belongs to what was before."""
        self._late.take(self._now)
        self._now = Changes()

    def gradient(self, serial: int, grad: int | None) -> None:
        """Another tensor holds a tensor's gradient now."""
        facts = self._tensor(serial)
        if facts is not None:
            if grad is not None:
                self._filler[grad] = serial
                self._rename(self._now, grad)
            self._now.tensors[serial] = replace(facts, grad=grad)

    def name(self, serial: int, names: tuple[str, ...]) -> None:
        """Other names lead to a tensor than before."""
        self._named[serial] = names
        self._rename(self._late, serial)
        facts = self._tensor(serial)
        if facts is not None and facts.grad is not None:
            self._rename(self._late, facts.grad)

    def _rename(self, changes: Changes, serial: int) -> None:
        facts, names = self._tensor(serial), self._names(serial)
        if facts is not None and facts.names != names:
            changes.tensors[serial] = replace(facts, names=names)

    def _names(self, serial: int) -> tuple[str, ...]:
        """A tensor's names; `x.grad` is one, too, if nothing better is bound to it."""
        own = self._named.get(serial, ())
        owner = () if own else self._named.get(self._filler.get(serial, -1), ())
        return own or (f"{owner[0]}.grad",) if own or owner else ()

    def _tensor(self, serial: int) -> TensorFacts | None:
        """The facts of a tensor, as last read."""
        for changes in (self._now, self._late):
            if serial in changes.tensors:
                return changes.tensors[serial]
        return self.build.tensors.get(serial)

    def storage(
        self, serial: int, nbytes: int, slots: int, dtype: np.dtype[Any], device: Any, version: int, values: Any
    ) -> None:
        """A storage that was not read of before."""
        self.simulated |= device.simulated
        self._now.storages[serial] = StorageFacts(
            id=serial, bytes=nbytes, slots=slots, dtype=named(dtype).name, device=device.place.text, version=version,
            values=plain.values(values, dtype, slots, self._copied),
        )  # fmt: skip

    def written(self, serial: int, version: int, values: Any) -> None:
        """A storage was written."""
        facts = self._storage(serial)
        if facts is None:
            return
        if type(values) is tuple and type(values[-1]) is int:  # where, in a large storage: under all of a tensor
            values = (*values[:-1], self._tensor(values[-1]))
        told = plain.values(values, np.dtype(facts.dtype), facts.slots, self._copied)
        self._now.storages[serial] = replace(facts, version=version, values=told)

    def _storage(self, serial: int) -> StorageFacts | None:
        """The facts of a storage, as last read; None if it is gone."""
        for changes in (self._now, self._late):
            if serial in changes.storages:
                return changes.storages[serial]
        return self.build.storages.get(serial)

    # ---- nodes -----------------------------------------------------------------------------------------------------------

    def node(
        self, serial: int, name: str, inputs: tuple[str, ...], edges: list[int | None], saved: list[tuple[Any, ...]], released: bool,
        leaf: int | None, view: bool,
    ) -> None:  # fmt: skip
        """A node that was not read of before."""
        number = self._number(serial)
        assert number is not None
        self._fresh.append((number, view))
        self._now.nodes[number] = NodeFacts(
            id=number, name=name, op="", line=None,
            edges=tuple(
                EdgeFacts(inputs[k] if k < len(inputs) else "base", to)
                for k, each in enumerate(edges) if (to := self._number(each)) is not None
            ),
            saved=() if released else tuple(map(plain.saved, saved)), released=released, leaf=leaf, status="",
        )  # fmt: skip

    def operations_node(self, serial: int, row: Any, edges: list[int | None], saved: Any, released: bool) -> None:
        """A node of an operation, with the row of the table that it belongs to."""
        self.node(serial, row.node_name, row.inputs, edges, saved, released, None, False)

    def kept(self, serial: int, saved: list[tuple[Any, ...]]) -> None:
        """What a node keeps was looked after: copied before a write, or found untouched by it."""
        self._change_node(serial, saved=tuple(map(plain.saved, saved)))

    def _number(self, serial: int | None) -> int | None:
        return None if serial is None else self._numbers.setdefault(serial, len(self._numbers))

    def _change_node(self, serial: int, **facts: Any) -> None:
        number = self._number(serial)
        known = self._node(number)
        if number is not None and known is not None:
            self._now.nodes[number] = replace(known, **facts)

    def _node(self, number: int | None) -> NodeFacts | None:
        """The facts of a node, as last read; None if it is gone."""
        if number is None:
            return None
        for changes in (self._now, self._late):
            if number in changes.nodes:
                return changes.nodes[number]
        return self.build.nodes.get(number)

    def _place_nodes(self, made: set[int | None]) -> None:
        """The nodes that came to be through the last operation know it, and its line."""
        for number, view in self._fresh:
            facts = self._now.nodes.get(number)
            if facts is not None and (view or number in made) and self._last[0]:
                self._now.nodes[number] = replace(facts, op=self._last[0], line=self._last[1])
        self._fresh.clear()
