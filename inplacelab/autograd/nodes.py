"""Grad nodes: how the gradient of a result becomes the gradients of the inputs.

A node has one edge for each input: the node that the input's gradient goes to, or None. Nodes are numbered when they are
made, always after the nodes on their edges; so a node's number is larger than those of everything it leads to, and
going through them from the largest down is an order in which backward may run.

Derivatives are written in tensor operations. Run them while the history is recorded and the gradient itself can be
differentiated.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any, ClassVar, Protocol

import numpy as np

from inplacelab import errors
from inplacelab.autograd import operations
from inplacelab.autograd.meta import Meta, Selected
from inplacelab.autograd.saved import Saved
from inplacelab.layout import Shape
from inplacelab.tensor import Tensor

next_serial = count().__next__

Gradients = Sequence[Tensor | None]


def meta(tensor: Tensor) -> Meta:
    """What there is to remember of a tensor."""
    return Meta(tensor.layout, tensor.array.dtype)


class Rule(Protocol):
    """The derivative with respect to one input."""

    @property
    def asks(self) -> tuple[str, ...]:
        """The names of what it needs: "g", inputs, "out", attributes, "x_meta"."""

    @property
    def function(self) -> Callable[..., Tensor | None]:
        """Computes the gradient from what it asks for."""


class Differentiable(Protocol):
    """What a node must know of its row of the table."""

    @property
    def node_name(self) -> str:
        """What its nodes are called."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of the tensors it reads."""

    @property
    def rules(self) -> Sequence[Rule | None]:
        """The derivative with respect to each."""


class Node:
    """A place in the history.

    Attributes:
        kind: its name, as `grad_fn.name()` gives it.
        edges: where the gradients of the inputs go.
        serial: larger than those of all nodes it leads to.
        hooks: called with the gradient that arrives; may return another.
        retained: `retain_grads()` asked that the arriving gradient be put into this tensor's `.grad` (held weakly).
    """

    __slots__ = ("__weakref__", "edges", "hooks", "retained", "serial")

    edges: tuple[Node | None, ...]
    serial: int
    hooks: dict[int, Callable[[Tensor], Tensor | None]] | None
    retained: weakref.ref[Tensor] | None

    @property
    def name(self) -> str:
        """What kind of node it is."""
        return type(self).kind

    kind: ClassVar[str]

    def apply(self, g: Tensor, wanted: Sequence[bool]) -> Gradients:
        """The gradients for the edges that are wanted, from the gradient `g` of the result; None for the others."""
        raise NotImplementedError

    def release(self) -> None:
        """Let go of what was saved."""

    @property
    def saved(self) -> Sequence[Saved]:
        """The tensors it keeps."""
        return ()

    @property
    def released(self) -> bool:
        """True if what it kept has been let go."""
        return False


def number(node: Node) -> Node:
    """Give a node whose edges are in place its number."""
    node.serial, node.hooks, node.retained = next_serial(), None, None
    return node


class AccumulateNode(Node):
    """The end of the way: puts the gradient into a leaf's `.grad`, or adds it to the one that is there."""

    __slots__ = ("leaf",)

    kind = "GradNodeAccumulation"

    def __init__(self, leaf: Tensor) -> None:
        self.leaf, self.edges = leaf, ()
        number(self)


class OpNode(Node):
    """The node of one operation: looks up its row's derivative rules and gives each what it asks for.

    Attributes:
        row: the row of the table.
        shapes, dtypes: of the inputs, to undo broadcasting and promotion.
        kept: saved tensors; None once they were released.
        facts: the attributes and metadata that rules ask for.
    """

    __slots__ = ("dtypes", "facts", "kept", "row", "shapes")

    row: Differentiable
    shapes: tuple[Shape, ...]
    dtypes: tuple[np.dtype[Any], ...]
    kept: tuple[Saved, ...] | None
    facts: Mapping[str, Any]

    @property
    def name(self) -> str:
        return self.row.node_name

    @property
    def saved(self) -> Sequence[Saved]:
        return self.kept or ()

    @property
    def released(self) -> bool:
        return self.kept is None

    def release(self) -> None:
        if self.kept:
            self.kept = None

    def apply(self, g: Tensor, wanted: Sequence[bool]) -> Gradients:
        if self.kept is None:
            raise errors.freed_graph(node_name=self.name, node=self)
        scope: dict[str, Any] = {"g": g}
        found: list[Tensor | None] = []
        for rule, want, shape, dtype in zip(self.row.rules, wanted, self.shapes, self.dtypes, strict=True):
            gradient = rule.function(*[self._fetch(name, scope) for name in rule.asks]) if want and rule else None
            found.append(None if gradient is None else fitted(gradient, shape, dtype))
        return found

    def _fetch(self, name: str, scope: dict[str, Any]) -> Any:
        if name not in scope:
            saved = next((each for each in self.saved if each.name == name), None)
            scope[name] = self.facts[name] if saved is None else saved.unpack(self)
        return scope[name]


class ViewNode(Node):
    """A view's history, made anew from its base after the storage was written through another tensor.

    What the view shows is a part of the base's present value, whatever operations that value came from. So the gradient
    goes to the base, into the slots that the view covers, with zeros elsewhere.
    """

    __slots__ = ("base", "view")

    kind = "AsStridedGradNode"

    def __init__(self, root: Node, base: Meta, view: Meta) -> None:
        self.edges, self.base, self.view = (root,), base, view
        number(self)

    def apply(self, g: Tensor, wanted: Sequence[bool]) -> Gradients:  # noqa: ARG002  # its one edge is always wanted
        return (operations.ops.scatter(g, self.base, self.view),)


class CopySlicesNode(Node):
    """A base's history after a write through a view.

    The base's new value is the old one except in the view's slots, where it is what the operation `inner` made of them.
    So outside the view the gradient passes through, and inside it goes through `inner` first.

    Source: the same idea and name in PyTorch's autograd.
    """

    __slots__ = ("base", "inner", "view")

    kind = "CopySlices"

    def __init__(self, root: Node | None, base: Meta, view: Meta | Selected, inner: Node) -> None:
        self.edges = (root, *inner.edges[1:])
        self.base, self.view, self.inner = base, view, inner
        number(self)

    @property
    def saved(self) -> Sequence[Saved]:
        return self.inner.saved

    @property
    def released(self) -> bool:
        return self.inner.released

    def release(self) -> None:
        self.inner.release()

    def apply(self, g: Tensor, wanted: Sequence[bool]) -> Gradients:
        ops = operations.ops
        whole = ops.arrange(g, self.base.within(self.base))
        view = self.view.meta if isinstance(self.view, Selected) else self.view
        part = ops.window(whole, view.within(self.base), view.dtype)
        first, *others = self.inner.apply(ops.clone(part), wanted)
        if not wanted[0]:
            return (None, *others)
        if first is None:
            ops.zero_(part)
        else:
            ops.copy_(part, first)
        return (whole, *others)


def fitted(gradient: Tensor, shape: Shape, dtype: np.dtype[Any]) -> Tensor:
    """Undo broadcasting (sum over the axes that were repeated) and promotion (cast back)."""
    if gradient.array.shape != shape:
        lead = gradient.array.ndim - len(shape)
        axes = [
            *range(lead),
            *(k + lead for k, n in enumerate(shape) if n == 1 and gradient.array.shape[k + lead] != 1),
        ]
        summed = operations.ops.sum(gradient, axes) if axes else gradient
        gradient = operations.ops.reshape(summed, shape)
    return gradient if gradient.array.dtype == dtype else operations.ops.cast(gradient, dtype)
