"""What the recorder writes down of backward passes: nodes that wait, unpack what they kept, and run; and the program's own code
that runs inside, which are hooks and the `backward` of a `PyLayer`.

While that code runs, operations are told as anywhere else. It may begin a pass of its own, so there may be several.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

from inplacelab.autograd.custom.node import CustomNode
from inplacelab.autograd.nodes import AccumulateNode, Node
from inplacelab.autograd.saved import Saved
from inplacelab.recorders import source as learner
from inplacelab.recorders.operations import Operations
from inplacelab.recorders.reader import Where
from inplacelab.tensor import Tensor

SMALL = 16
"""Gradients of up to this many elements are kept with their values."""


@dataclass(slots=True)
class Underway:
    """A backward pass that is under way.

    Attributes:
        gradient: what arrived at the node whose turn it is.
        where: the place in the program that has begun it.
        nodes: the nodes that it may reach.
        node: the number of the node whose turn it is.
        hook: the name of the hook that is running.
        given: the number of the gradient that the hook was given, and the version of its storage then.
        heard: how much had been heard then.
    """

    gradient: Tensor | None = None
    where: Where = None
    nodes: Sequence[weakref.ref[Node]] = ()
    node: int | None = None
    hook: str = ""
    given: tuple[int, int] = (-1, -1)
    heard: int = 0


class Passes(Operations):
    """Hears of backward passes (see `observe.Observer`)."""

    def __init__(self, program: learner.Program, limit: int, outermost: FrameType | None) -> None:
        super().__init__(program, limit, outermost)
        self._passes: list[Underway] = []  # each was begun by code that the one before it has called

    def backward_begins(self, roots: Sequence[tuple[Any, Any]]) -> None:
        first, gradient = roots[0]
        under = Underway(gradient)
        self._passes.append(under)
        self._computing = True
        if self._full():
            return
        under.where, journal = self._where(sys._getframe(1)), self._journal
        nodes = list(reachable(node for node, _ in roots))
        under.nodes = [weakref.ref(node) for node in nodes]
        numbers = [journal.node(node) for node in nodes]
        self._append(("begin", numbers, first.serial, told(gradient), under.where, *self._own_account()))

    def gradient_arrives(self, node: Node, gradient: Tensor) -> None:
        if self._computing:
            self._append(("arrived", node.serial))

    def node_begins(self, node: Node, gradient: Tensor) -> None:
        under = self._passes[-1]
        under.gradient, under.node = gradient, node.serial

    def unpacks(self, node: Node, saved: Saved) -> None:
        if not self._passes or self._full():
            return
        serial, under = self._journal.outer.get(node.serial, node.serial), self._passes[-1]
        where = self._where(sys._getframe(1)) if isinstance(node, CustomNode) else None
        self._append((
            "unpack", serial, saved.name, saved.version, saved.storage.version, where, told(under.gradient), *self._own_account(),
        ))  # fmt: skip

    def node_ends(self, node: Node) -> None:
        under = self._passes[-1]
        gradient, under.gradient, under.node = under.gradient, None, None
        if self._full():
            return
        filled = self._filled(node.leaf) if isinstance(node, AccumulateNode) else None
        self._append(("run", node.serial, node.released, filled, told(gradient), *self._own_account()))

    def _filled(self, leaf: Tensor) -> tuple[int, int] | None:
        """A leaf whose `.grad` was set or added to: the numbers of the gradient and of its storage."""
        journal, gradient = self._journal, leaf._grad
        if gradient is None:
            return None
        seen = journal.tensor(gradient)
        journal.storage(gradient.storage)
        if not gradient._stop:  # it has a history, and so have views of it, which are written with it
            for each, tensor in journal.family(seen.storage):
                journal.history(each, tensor)
        journal.gradient(journal.tensor(leaf), leaf)
        return seen.serial, seen.storage.serial

    # ---- the program's own code ------------------------------------------------------------------------------------------

    def hook_begins(self, node: Node, hook: Any, gradient: Tensor) -> None:
        under, under.node, self._computing = self._passes[-1], node.serial, False
        if self._full():
            return
        self._look_round()
        seen = self._journal.tensor(gradient)
        under.hook, under.given, under.heard = learner.called(hook), (seen.serial, seen.storage.version), self._heard
        line = self._program.line_of_function(hook)
        self._append(("hook", node.serial, under.hook, line, seen.serial, told(gradient), *self._own_account()))

    def hook_ends(self, node: Node, gradient: Tensor) -> None:
        under, self._computing = self._passes[-1], True
        if self._heard >= self._limit:
            return
        journal = self._journal
        seen = journal.tensor(gradient)
        journal.storage(gradient.storage)
        now = seen.serial, seen.storage.version
        if (now, self._heard) == (under.given, under.heard):
            return  # all that happened is told by the step of its beginning
        self._heard += 1
        self._append((
            "hooked", node.serial, under.hook, under.given[0], seen.serial, told(gradient), *self._own_account(),
        ))  # fmt: skip

    def custom_begins(self, node: Node, function: Any, gradients: Sequence[Tensor | None]) -> None:
        self._computing = False
        if self._full():
            return
        self._look_round()
        given = [gradient for gradient in gradients if gradient is not None]
        numbers = [self._journal.tensor(gradient).serial for gradient in given]
        name = (
            f"{node.layer.__name__}.{learner.called(function)}"
            if isinstance(node, CustomNode)
            else learner.called(function)
        )
        line = self._program.line_of_function(function)
        alone = told(given[0]) if len(given) == 1 else ()
        self._append(("custom", node.serial, name, line, numbers, alone, *self._own_account()))

    def custom_ends(self, node: Node) -> None:
        self._computing = True

    def _look_round(self) -> None:
        """Code of the program's own is about to run: the names in what ran before it in this pass are gone."""
        self._names.look(self._program.frames(sys._getframe(2), self._root), done=True)

    # ----------------------------------------------------------------------------------------------------------------------

    def unheard(self) -> None:
        if not self._computing and self._heard < self._limit:
            self._journal.look_again()

    def handed(self, tensors: Sequence[Tensor]) -> None:
        if not self._computing and self._heard < self._limit:
            for tensor in tensors:
                self._journal.tensor(tensor)
            self._append(("earlier",))

    def backward_fails(self) -> None:
        self._append(("fail", self._passes.pop().node))
        self._computing = False

    def backward_ends(self) -> None:
        under = self._passes.pop()
        self._computing = False
        if self._full():
            return
        nodes = [node for reference in under.nodes if (node := reference()) is not None]
        self._append(("release", [node.serial for node in nodes if node.released]))
        self._append(("end", *self._own_account()))

    def _where_refused(self, frame: FrameType) -> Where:
        """Where the program is when the engine refuses something; None where it is in the engine's own part of a pass, or what
        a hook has returned is refused: that was the line that was told last.
        """
        if self._computing:
            return None
        where = self._where(frame)
        return None if self._passes and where == self._passes[-1].where else where


def told(gradient: Tensor | None) -> tuple[Any, ...]:
    """A gradient that has arrived, if any: its values if it is small, and its shape."""
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
