"""Emits events that describe PyTorch's grad nodes.

PyTorch has no weak references to nodes, so a node is known by its sequence number, and the node of a leaf by its leaf. It is gone when
no known tensor and no known node leads to it any more.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import torch

from inplacelab.frameworks.torch.readings import LEAF_NODE, kept_version, saved_by, shown, was_released
from inplacelab.language import Text
from inplacelab.recorders import events
from inplacelab.recorders.known_objects import KnownNode, KnownNodes

_PACKED = Text(
    "The program's own `saved_tensors_hooks` packed what nodes saved, so that was left out.",
    "程序自己的 `saved_tensors_hooks` 打包了节点保存的内容：这部分没有记录。",
)
_UNCERTAIN = Text(
    "PyTorch does not show at which version some nodes saved a tensor, as for a view that was written through another tensor since. The "
    "latest possible version is shown.",
    "PyTorch 不显示某些节点是在哪个版本保存张量的，例如此后经由其他张量被写入的视图。这里显示可能的最晚版本。",
)


@cache
def _numbered(count: int) -> tuple[str, ...]:
    return tuple([f"input {k}" for k in range(count)])


class TorchNodes(KnownNodes):
    """Emits events about grad nodes."""

    def __init__(self, objects: Any) -> None:
        super().__init__(objects)
        self._awaited: set[int] = set()  # nodes that PyTorch will make when a view is used

    def forget(self) -> None:
        self._awaited.clear()
        super().forget()

    def key_of(self, node: Any) -> tuple[str, int]:
        name = node.name()
        if name != LEAF_NODE:
            return name, node._sequence_nr()
        leaf = self._objects.tensor(node.variable)
        return name, -1 if leaf is None else leaf.number

    def kept_counters(self) -> set[int]:
        """Returns the numbers of the version counters of what nodes have saved."""
        return {each.counter for node in list(self._nodes.values()) for each in node.kept}

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
        key = self.key_of(node)
        if awaited in self._awaited and key not in self._numbers:
            self._made(node, awaited)
        number = self._numbers.get(key)
        return number if number in self._nodes else self._reached(node, key)

    def _made(self, node: Any, awaited: int | None) -> None:
        """Gives nodes that PyTorch has made for a view the numbers of those that were inferred, unless its base was written once more before
        that: then PyTorch has made others, which lead elsewhere.
        """
        made: list[tuple[Any, Any, int]] = []
        while awaited is not None and awaited in self._awaited and node is not None:
            key = self.key_of(node)
            if key in self._numbers:
                return
            made.append((node, key, awaited))
            (awaited,), ((node, _), *_) = self._nodes[awaited].edges, node.next_functions
        if node is None or self._numbers.get(self.key_of(node)) != awaited:
            return
        for _, key, number in made:
            self._awaited.discard(number)
            self._numbers[key] = number
        for each, key, _ in made:
            self._describe_new(each, key)

    def release(self, number: int) -> None:
        """Notes that a node has released what it had saved."""
        if number in self._nodes:
            self._nodes[number].released = True

    def _describe(self, node: Any, key: Any, edges: tuple[int | None, ...], after: tuple[Any, ...]) -> None:  # noqa: ARG002
        number, (name, sequence), operation = self._numbers[key], key, self._objects.operation
        is_leaf = name == LEAF_NODE
        known = self._add_node(number, key, edges)
        leaf = sequence if is_leaf and sequence >= 0 else None
        belongs = not is_leaf and operation.first <= sequence < operation.last
        inputs = _numbered(len(edges)) if len(edges) > 1 else ("input",)
        known.kept = tuple(
            [kept for called, saved in saved_by(node) if (kept := self._kept(node, called, saved, unseen=not belongs))]
        )
        known.released = not belongs and was_released(node)
        self._emit(events.NodeMade(
            number, name.rpartition("::")[2], inputs, edges, known.kept, known.released, leaf, belongs
        ))  # fmt: skip

    def _add_node(self, number: int, key: tuple[str, int], edges: tuple[int | None, ...]) -> KnownNode:
        before = self._nodes.get(number)
        known, counts = KnownNode(key, edges), self._counts
        self._nodes[number] = known
        for each in edges:
            if each is not None:
                counts[each] = counts.get(each, 0) + 1
        for each in () if before is None else before.edges:
            self.count(each, -1)
        return known

    def _gone(self, number: int) -> tuple[int | None, ...]:
        self._awaited.discard(number)
        return super()._gone(number)

    def _kept(self, node: Any, name: str, saved: Any, *, unseen: bool) -> events.Kept | None:
        """Describes what a node, which may have been `unseen`, has saved by a name; None if it cannot be recorded."""
        data = saved.data
        if data is None:
            return None
        if not issubclass(type(data), torch.Tensor):
            self._note(_PACKED)
            return None
        version, is_certain = kept_version(node, name, saved) if unseen else (None, True)
        if not is_certain:
            self._note(_UNCERTAIN)
        kept: events.Kept | None = self._objects.kept(name, data, version)
        return kept
