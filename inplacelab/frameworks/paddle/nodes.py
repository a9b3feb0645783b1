"""Emits events that describe Paddle's grad nodes, which are known by their addresses.

A node lives as long as a known tensor or another known node leads to it. The result of an operation may still be a new node at a known
address, if an old one has died unseen: then its name or its edges differ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from inplacelab.frameworks.paddle.known import KnownTensor, Moment
from inplacelab.frameworks.paddle.readings import LEAF_NODE
from inplacelab.recorders import events
from inplacelab.recorders.events import INFERRED
from inplacelab.recorders.live_objects import NodeReferences

INPUTS = ("x", "y", *(f"input {k}" for k in range(2, 256)))
"""The names of inputs by their positions."""


@dataclass(slots=True)
class _Node:
    """A node: its address, its name, the addresses and the numbers of the nodes that receive its gradients, and what it has saved."""

    address: int
    name: str
    after: tuple[int | None, ...]
    edges: tuple[int | None, ...]
    kept: tuple[events.Kept, ...] = ()
    released: bool = False


class PaddleNodes:
    """Emits events about grad nodes.

    Args:
        emit: receives the events.
        moment: what the recorder is doing.
        keeps: called with the number of a storage that a node is inferred to have saved, and 1; with -1 when it has released it.

    Attributes:
        references: counts what leads to each node.
        made: the nodes that were described since the list was last cleared: their numbers and names.
    """

    def __init__(self, emit: Callable[[events.Event], None], moment: Moment, keeps: Callable[[int, int], None]) -> None:
        self._emit, self._moment, self._keeps = emit, moment, keeps
        self.made: list[tuple[int, str]] = []
        self._next_node = count().__next__
        self._nodes: dict[int, _Node] = {}
        self._numbers: dict[int, int] = {}  # by address
        self._leaves: dict[int, KnownTensor] = {}  # by the address of their accumulation node
        self.references = NodeReferences(self._gone)

    def forget(self) -> None:
        """Drops all references."""
        for each in (self._nodes, self._numbers, self._leaves, self.made):
            each.clear()
        self.references.forget()

    def node(self, node: Any) -> int | None:
        """Returns the number of a node. Describes it first if it is new, with every new node reachable from it."""
        if node is None:
            return None
        address = node.node_ptr()
        if self._moment.reporting and address in self._numbers and not self._is_same(node, address):
            self._lost(address)
        waiting = [node]
        while waiting:
            each = waiting.pop()
            place = each.node_ptr()
            if self._number(place) not in self._nodes:
                after = [following for following in each.next_functions if following is not None]
                self._meet_node(each, place)
                waiting += after
        return self._numbers[address]

    def _is_same(self, node: Any, address: int) -> bool:
        """Whether the node at an address is the one that was known there."""
        known = self._nodes.get(self._numbers[address])
        return known is not None and known.name == node.name() and known.after == _addresses(node)

    def _lost(self, address: int) -> None:
        """Notes that a node has died unseen, and another one has its address."""
        number = self._numbers.pop(address)
        self.references.drop(number)
        for each in self._gone(number):
            self.references.change(each, -1)

    def number_of(self, address: int) -> int | None:
        """Returns the number of a node that was described; None if it was not."""
        return self._numbers.get(address)

    def name_of(self, number: int | None) -> str:
        """Returns the name of a node; "" if it is not known."""
        return "" if number is None or number not in self._nodes else self._nodes[number].name

    def leaf_is(self, node: Any, known: KnownTensor) -> None:
        """Notes whose gradient a node accumulates."""
        self._leaves[node.node_ptr()] = known

    def own_leaf(self, node: Any, known: KnownTensor) -> None:
        """Notes the node that accumulates the gradient of what a tensor was before it was written with a history, given its node now."""
        for each in () if node is None else node.next_functions[:1]:
            if each is not None and each.name() == LEAF_NODE:
                self._leaves.setdefault(each.node_ptr(), known)

    def leaf_of(self, address: int) -> KnownTensor | None:
        """Returns the leaf whose gradient a node accumulates."""
        return self._leaves.get(address)

    def leaf_died(self, known: KnownTensor) -> None:
        """Notes that a tensor is gone."""
        for address in [address for address, leaf in self._leaves.items() if leaf is known]:
            del self._leaves[address]

    def kept_by(self, number: int | None) -> tuple[events.Kept, ...]:
        """Returns what a node is inferred to have saved."""
        return () if number is None or number not in self._nodes else self._nodes[number].kept

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

    def was_released(self, number: int | None) -> bool:
        """Whether an earlier pass has released what a node had saved."""
        return number is not None and number in self._nodes and self._nodes[number].released

    def _keep(self, node: _Node, kept: tuple[events.Kept, ...]) -> None:
        before, node.kept = node.kept, kept
        for each in kept:
            self._keeps(each.storage, 1)
        for each in before:
            self._keeps(each.storage, -1)

    def _number(self, address: int) -> int:
        if address not in self._numbers:
            self._numbers[address] = self._next_node()
        return self._numbers[address]

    def _meet_node(self, node: Any, address: int) -> None:
        number, name, after = self._numbers[address], node.name(), _addresses(node)
        edges = tuple([None if each is None else self._number(each) for each in after])
        self._nodes[number] = _Node(address, name, after, edges)
        for each in edges:
            self.references.change(each, 1)
        leaf = self._leaves.get(address) if name == LEAF_NODE else None
        inputs = tuple(INPUTS[: len(edges)]) if len(edges) > 1 else ("x",)
        belongs = name != LEAF_NODE and self._moment.reporting
        if name == LEAF_NODE:
            edges = ()
        self._emit(events.NodeMade(
            number, name, inputs, edges, (), False, None if leaf is None else leaf.number, belongs
        ))  # fmt: skip
        if belongs:
            self.made.append((number, name))

    def _gone(self, number: int) -> tuple[int | None, ...]:
        """Emits that a node is gone. Returns the nodes that received its gradients."""
        gone = self._nodes.pop(number, None)
        if gone is None:
            return ()
        self._numbers.pop(gone.address, None)
        self._emit(events.Died("node", number, self._moment.replacing))
        self._keep(gone, ())
        return gone.edges


def _addresses(node: Any) -> tuple[int | None, ...]:
    return tuple([None if each is None else each.node_ptr() for each in node.next_functions])
