"""Emits events that describe PyTorch's grad nodes.

PyTorch has no weak references to nodes, so a node is known by its sequence number, and the node of a leaf by its leaf. It is gone when
no known tensor and no known node leads to it any more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

import torch

from inplacelab.frameworks.torch.known import KnownTensor, Moment
from inplacelab.frameworks.torch.readings import LEAF_NODE, kept_version, saved_by, shown, was_released
from inplacelab.language import Text
from inplacelab.recorders import events
from inplacelab.recorders.live_objects import NodeReferences

_PACKED = Text(
    "The program's own `saved_tensors_hooks` packed what nodes saved, so that was left out.",
    "程序自己的 `saved_tensors_hooks` 打包了节点保存的内容：这部分没有记录。",
)
_UNCERTAIN = Text(
    "PyTorch does not show at which version some nodes saved a tensor, as for a view that was written through another tensor since. The "
    "latest possible version is shown.",
    "PyTorch 不显示某些节点是在哪个版本保存张量的，例如此后经由其他张量被写入的视图。这里显示可能的最晚版本。",
)


@dataclass(slots=True)
class _Node:
    """A node: its key, the nodes that receive its gradients, and what it has saved."""

    key: tuple[str, int]
    edges: tuple[int | None, ...]
    kept: tuple[events.Kept, ...] = ()
    released: bool = False


class TorchNodes:
    """Emits events about grad nodes.

    Args:
        emit: receives the events.
        moment: what the recorder is doing.
        leaf: returns what is known of a leaf.
        keep: describes a tensor that a node has saved by a name, at a version, if that is not the present one; None if it cannot be
            recorded.
        remark: has the recording say something once.

    Attributes:
        references: counts what leads to each node.
    """

    def __init__(
        self,
        emit: Callable[[events.Event], None],
        moment: Moment,
        leaf: Callable[[Any], KnownTensor | None],
        keep: Callable[[str, Any, int | None], events.Kept | None],
        remark: Callable[[Text], None],
    ) -> None:
        self._emit, self._moment, self._leaf, self._keep, self._remark = emit, moment, leaf, keep, remark
        self._next_node = count().__next__
        self._nodes: dict[int, _Node] = {}
        self._numbers: dict[tuple[str, int], int] = {}  # by key
        self.references = NodeReferences(self._gone)
        self._awaited: set[int] = set()  # nodes that PyTorch will make when a view is used

    def forget(self) -> None:
        """Drops all references."""
        for each in (self._nodes, self._numbers, self._awaited):
            each.clear()
        self.references.forget()

    def kept_counters(self) -> set[int]:
        """Returns the numbers of the version counters of what nodes have saved."""
        return {each.counter for node in self._nodes.values() for each in node.kept}

    def of_leaf(self, number: int) -> int | None:
        """Returns the number of the node of a leaf, by the leaf's number; None if it was not described."""
        return self._numbers.get((LEAF_NODE, number))

    def swapped(self, one: int, other: int) -> None:
        """Emits that two leaves, by their numbers, have become each other: the node of each fills the gradient of the other one."""
        moved = [(self.of_leaf(before), (LEAF_NODE, leaf)) for before, leaf in ((one, other), (other, one))]
        for leaf in (one, other):
            self._numbers.pop((LEAF_NODE, leaf), None)
        for number, key in moved:
            if number is not None:
                self._numbers[key], self._nodes[number].key = number, key
                self._emit(events.NodeMade(number, shown(LEAF_NODE), ("input",), (), (), False, key[1], False))

    def expected(self, current: int | None, to: int | None, names: tuple[str, ...]) -> int | None:
        """Returns the node that PyTorch will make for a view, instead of the current one, once its base leads to the node `to`: the first
        of those with these names.
        """
        if to is None or (current in self._awaited and self._awaits(current) == to):
            return current
        for name in reversed(names):
            number = self._next_node()
            self._add_node(number, ("awaited", number), (to,))
            self._awaited.add(number)
            self._emit(events.NodeMade(number, name, ("self",), (to,), (), False, None, True, origin=events.INFERRED))
            to = number
        return to

    def _awaits(self, number: int | None) -> int | None:
        """Returns the node to which nodes lead that PyTorch will make."""
        while number is not None and number in self._awaited:
            (number,) = self._nodes[number].edges
        return number

    def node(self, node: Any, awaited: int | None = None) -> int | None:
        """Returns the number of a node. Describes it first if it is new, with every new node reachable from it.

        Args:
            node: the node.
            awaited: the number that was given to it if it was inferred.
        """
        if node is None:
            return None
        self._made(node, awaited)
        waiting = [node]
        while waiting:
            each = waiting.pop()
            key = self._key(each)
            if self._number(key) not in self._nodes:
                self._meet_node(each, key)
                waiting += [following for following, _ in each.next_functions if following is not None]
        return self._numbers[self._key(node)]

    def _made(self, node: Any, awaited: int | None) -> None:
        """Gives nodes that PyTorch has made for a view the numbers of those that were inferred."""
        made = []
        while awaited is not None and awaited in self._awaited and node is not None:
            key = self._key(node)
            if key in self._numbers:
                break
            self._awaited.discard(awaited)
            self._numbers[key] = awaited
            made.append((node, key))
            (awaited,), ((node, _), *_) = self._nodes[awaited].edges, node.next_functions
        for each, key in made:
            self._meet_node(each, key)

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

    def _key(self, node: Any) -> tuple[str, int]:
        name = node.name()
        if name != LEAF_NODE:
            return name, node._sequence_nr()
        leaf = self._leaf(node.variable)
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
        belongs = name != LEAF_NODE and self._moment.made.first <= sequence < self._moment.made.last
        inputs = tuple([f"input {k}" for k in range(len(edges))]) if len(edges) > 1 else ("input",)
        kept = self._nodes[number].kept = tuple(self._kept(node, unseen=not belongs))
        released = self._nodes[number].released = not belongs and was_released(node)
        self._emit(events.NodeMade(number, shown(name), inputs, edges, kept, released, leaf, belongs))

    def _add_node(self, number: int, key: tuple[str, int], edges: tuple[int | None, ...]) -> None:
        before = self._nodes.get(number)
        self._nodes[number] = _Node(key, edges)
        for each in edges:
            self.references.change(each, 1)
        for each in () if before is None else before.edges:
            self.references.change(each, -1)

    def _gone(self, number: int) -> tuple[int | None, ...]:
        """Emits that a node is gone. Returns the nodes that received its gradients."""
        self._awaited.discard(number)
        gone = self._nodes.pop(number, None)
        if gone is None:
            return ()
        self._numbers.pop(gone.key, None)
        self._emit(events.Died("node", number, self._moment.replacing))
        return gone.edges

    def _kept(self, node: Any, *, unseen: bool) -> Iterator[events.Kept]:
        """Yields what a node has saved, which may have been `unseen`."""
        for name, saved in saved_by(node):
            data = saved.data
            if data is None:
                continue
            if not issubclass(type(data), torch.Tensor):
                self._remark(_PACKED)
                continue
            version, is_certain = kept_version(node, name, saved) if unseen else (None, True)
            if not is_certain:
                self._remark(_UNCERTAIN)
            if (kept := self._keep(name, data, version)) is not None:
                yield kept
