"""Emits events that describe Paddle's grad nodes, which are known by their addresses.

A node lives as long as a known tensor or another known node leads to it. The result of an operation may still be a new node at a known
address, if an old one has died unseen: then its name or its edges differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inplacelab.frameworks.paddle.readings import LEAF_NODE
from inplacelab.recorders import events
from inplacelab.recorders.events import INFERRED
from inplacelab.recorders.known_objects import KnownNode, KnownNodes

INPUTS = ("x", "y", *(f"input {k}" for k in range(2, 256)))
"""The names of inputs by their positions."""


class PaddleNodes(KnownNodes):
    """Emits events about grad nodes.

    Attributes:
        made: the nodes that were described since the list was last cleared: their numbers and names.
    """

    def __init__(self, objects: Any) -> None:
        super().__init__(objects)
        self.made: list[tuple[int, str]] = []
        self._leaves: dict[int, Any] = {}  # known tensors, by the address of their accumulation node

    def forget(self) -> None:
        self._leaves.clear()
        self.made.clear()
        super().forget()

    def key_of(self, node: Any) -> int:
        address: int = node.node_ptr()
        return address

    def node(self, node: Any) -> int | None:
        """Returns the number of a node. Describes it first if it is new, with every new node reachable from it."""
        if node is None:
            return None
        address = node.node_ptr()
        if self._objects.reporting and address in self._numbers and not self._is_same(node, address):
            self._lost(address)
        number = self._numbers.get(address)
        return number if number in self._nodes else self._reached(node, address)

    def _is_same(self, node: Any, address: int) -> bool:
        """Whether the node at an address is the one that was known there."""
        known = self._nodes.get(self._numbers[address])
        return known is not None and known.name == node.name() and known.after == _addresses(node)

    def _lost(self, address: int) -> None:
        """Notes that a node has died unseen, and another one has its address."""
        number = self._numbers.pop(address)
        self._counts.pop(number, None)
        for each in self._gone(number):
            self.count(each, -1)

    def name_of(self, number: int | None) -> str:
        """Returns the name of a node; "" if it is not known."""
        return "" if number is None or number not in self._nodes else self._nodes[number].name

    def leaf_is(self, node: Any, known: Any) -> None:
        """Notes whose gradient a node accumulates."""
        self._leaves[node.node_ptr()] = known

    def own_leaf(self, node: Any, known: Any) -> None:
        """Notes the node that accumulates the gradient of what a tensor was before it was written with a history, given its node now."""
        for each in () if node is None else node.next_functions[:1]:
            if each is not None and each.name() == LEAF_NODE:
                self._leaves.setdefault(each.node_ptr(), known)

    def leaf_of(self, address: int) -> Any:
        """Returns the leaf whose gradient a node accumulates."""
        return self._leaves.get(address)

    def leaf_died(self, known: Any) -> None:
        """Notes that a tensor is gone."""
        for address in [address for address, leaf in self._leaves.items() if leaf is known]:
            del self._leaves[address]

    def saved(self, number: int, kept: tuple[events.Kept, ...]) -> None:
        """Emits what a node is inferred to have saved."""
        if kept and number in self._nodes:
            self._keep(self._nodes[number], kept)
            self._emit(events.Saved(number, kept, origin=INFERRED))

    def release(self, numbers: Sequence[int]) -> None:
        """Emits that nodes have released what they had saved."""
        released = [number for number in numbers if number in self._nodes]
        self._emit(events.Released(tuple(released), origin=INFERRED))
        for number in released:
            self._nodes[number].released = True
            self._keep(self._nodes[number], ())

    def _keep(self, node: KnownNode, kept: tuple[events.Kept, ...]) -> None:
        before, node.kept = node.kept, kept
        for each in kept:
            self._objects.storages.keeps(each.storage, 1)
        for each in before:
            self._objects.storages.keeps(each.storage, -1)

    def _describe(self, node: Any, key: Any, edges: tuple[int | None, ...], after: tuple[Any, ...]) -> None:
        number, name = self._numbers[key], node.name()
        self._nodes[number] = KnownNode(key, edges, name=name, after=after)
        for each in edges:
            self.count(each, 1)
        leaf = self._leaves.get(key) if name == LEAF_NODE else None
        inputs = tuple(INPUTS[: len(edges)]) if len(edges) > 1 else ("x",)
        belongs = name != LEAF_NODE and self._objects.reporting
        if name == LEAF_NODE:
            edges = ()
        self._emit(events.NodeMade(
            number, name, inputs, edges, (), False, None if leaf is None else leaf.number, belongs
        ))  # fmt: skip
        if belongs:
            self.made.append((number, name))

    def _gone(self, number: int) -> tuple[int | None, ...]:
        gone = self._nodes.get(number)
        edges = super()._gone(number)
        if gone is not None:
            self._keep(gone, ())
        return edges


def _addresses(node: Any) -> tuple[int | None, ...]:
    return tuple([None if each is None else each.node_ptr() for each in node.next_functions])
