"""What the recorder writes down of backward passes: nodes that wait, unpack what they kept, and run."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterable, Iterator, Sequence
from types import FrameType
from typing import Any

from inplacelab.autograd.custom.node import CustomNode
from inplacelab.autograd.nodes import AccumulateNode, Node
from inplacelab.autograd.saved import Saved
from inplacelab.recorders import source as learner
from inplacelab.recorders.operations import Operations
from inplacelab.tensor import Tensor

SMALL = 16
"""Gradients of up to this many elements are kept with their values."""


class Passes(Operations):
    """Hears of backward passes (see `observe.Observer`)."""

    def __init__(self, program: learner.Program, limit: int, outermost: FrameType | None) -> None:
        super().__init__(program, limit, outermost)
        self._gradient: Tensor | None = None  # what arrived at the node that is running
        self._waiting: list[weakref.ref[Node]] = []  # the nodes of this backward pass

    def backward_begins(self, roots: Sequence[tuple[Any, Any]]) -> None:
        self._depth += 1
        if self._depth > 1 or self._full():
            return
        where, journal = self._where(sys._getframe(1)), self._journal
        first, self._gradient = roots[0]
        nodes = list(reachable(node for node, _ in roots))
        self._waiting = [weakref.ref(node) for node in nodes]
        numbers = [journal.node(node) for node in nodes]
        self._append(("begin", numbers, first.serial, self._arrived(), where, *self._own_account()))

    def gradient_arrives(self, node: Node, gradient: Tensor) -> None:
        if self._depth == 1:
            self._append(("arrived", node.serial))

    def node_begins(self, node: Node, gradient: Tensor) -> None:
        if self._depth == 1:
            self._gradient = gradient

    def unpacks(self, node: Node, saved: Saved) -> None:
        if self._depth != 1 or self._full():
            return
        serial = self._journal.outer.get(node.serial, node.serial)
        where = self._where(sys._getframe(1)) if isinstance(node, CustomNode) else None
        self._append((
            "unpack", serial, saved.name, saved.version, saved.storage.version, where, self._arrived(), *self._own_account(),
        ))  # fmt: skip

    def node_ends(self, node: Node) -> None:
        if self._depth != 1 or self._full():
            return
        filled = self._filled(node.leaf) if isinstance(node, AccumulateNode) else None
        self._append(("run", node.serial, node.released, filled, self._arrived(), *self._own_account()))
        self._gradient = None

    def _filled(self, leaf: Tensor) -> tuple[int, int] | None:
        """A leaf whose `.grad` was set or added to: the numbers of the gradient and of its storage."""
        journal, gradient = self._journal, leaf._grad
        if gradient is None:
            return None
        seen = journal.tensor(gradient)
        journal.storage(gradient.storage)
        if (
            not gradient._stop
        ):  # it has been computed with a history, and so have views of it, which are written with it
            for each, tensor in journal.family(seen.storage):
                journal.history(each, tensor)
        journal.gradient(journal.tensor(leaf), leaf)
        return seen.serial, seen.storage.serial

    def unheard(self) -> None:
        if not self._depth and self._heard < self._limit:
            self._journal.look_again()

    def handed(self, tensors: Sequence[Tensor]) -> None:
        if not self._depth and self._heard < self._limit:
            for tensor in tensors:
                self._journal.tensor(tensor)
            self._append(("earlier",))

    def backward_fails(self) -> None:
        if self._depth:  # else the engine's refusal has said so
            self._append(("fail",))
        self._depth, self._gradient = 0, None

    def backward_ends(self) -> None:
        self._depth -= 1
        if self._depth or self._full():
            return
        self._journal.look_again()  # hooks may have written, and what they do is no step
        nodes = [node for reference in self._waiting if (node := reference()) is not None]
        self._append(("release", [node.serial for node in nodes if node.released]))
        self._append(("end", *self._own_account()))
        self._gradient = None

    def _arrived(self) -> tuple[Any, ...]:
        """The gradient that has arrived, if any: its values if it is small, and its shape."""
        gradient = self._gradient
        if gradient is None:
            return ()
        values = gradient.numpy().reshape(-1).tolist() if gradient.size <= SMALL else None
        return values, tuple(gradient.array.shape)


def reachable(roots: Iterable[Node]) -> Iterator[Node]:
    """Every node that the roots lead to, themselves included."""
    seen: set[Node] = set()
    waiting = list(roots)
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            yield node
            waiting.extend(e for e in node.edges if e is not None)
