"""Grad nodes: turn the gradient of a result into the gradients of the inputs.

A node has one edge for each input: the node that receives the input's gradient, or None. Nodes are numbered when they are
made, always after the nodes on their edges. So a node's number is larger than those of all nodes that it can reach, and
backward may run them from the largest number down.

Derivatives are written in tensor operations. If they run while the history is recorded, the gradient can be
differentiated again.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any, ClassVar, Protocol

import numpy as np

from inplacelab import errors, modes
from inplacelab.autograd import operations
from inplacelab.autograd.saved import Meta, Saved, Selected, packed_meta
from inplacelab.form import Form
from inplacelab.layout import Shape
from inplacelab.tensor import Tensor, known_form, over

next_serial = count().__next__

Gradients = Sequence[Tensor | None]


def meta(tensor: Tensor) -> Meta:
    """Returns the metadata of a tensor."""
    if tensor.array is tensor.storage.buffer:
        return packed_meta(tensor.form or known_form(tensor))
    return Meta(tensor.layout, tensor.array.dtype)


class Rule(Protocol):
    """The derivative with respect to one input."""

    @property
    def asks(self) -> tuple[str, ...]:
        """The names of its parameters: "g", inputs, "out", attributes, "x_form", "x_meta"."""

    @property
    def function(self) -> Callable[..., Tensor | None]:
        """Computes the gradient from these arguments."""

    @property
    def factor(self) -> Callable[..., Any] | None:
        """If the gradient is `g` times a tensor or a number: computes that from the other arguments."""


class Differentiable(Protocol):
    """The part of a row of the table that a node needs."""

    @property
    def node_name(self) -> str:
        """The name of its nodes."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of the tensors it reads."""

    @property
    def form_names(self) -> tuple[str, ...]:
        """What the rules call the forms of these tensors: "x_form"."""

    @property
    def rules(self) -> Sequence[Rule | None]:
        """The derivative with respect to each input; None if there is none."""

    @property
    def layout(self) -> Callable[..., Any] | None:
        """For a view: computes its layout from that of its input."""

    @property
    def writes_some(self) -> bool:
        """True if in place it may leave elements as they are."""


class Node:
    """A node of the history.

    Attributes:
        kind: its name, as `grad_fn.name()` gives it.
        edges: the nodes that receive the gradients of the inputs.
        serial: its number, larger than those of all nodes that it can reach.
        hooks: called with the arriving gradient; may return a replacement.
        retained: the tensor, held weakly, whose `.grad` gets the arriving gradient because of `retain_grads()`.
    """

    __slots__ = ("__weakref__", "edges", "hooks", "retained", "serial")

    edges: tuple[Node | None, ...]
    serial: int
    hooks: dict[int, Callable[[Tensor], Tensor | None]] | None
    retained: weakref.ref[Tensor] | None

    @property
    def name(self) -> str:
        """The kind of node, such as "ScaleGradNode"."""
        return type(self).kind

    kind: ClassVar[str]

    def apply(self, g: Tensor, wanted: Sequence[bool]) -> Gradients:
        """Computes the gradients of the inputs.

        Args:
            g: the gradient of the result.
            wanted: for each edge, whether its gradient is needed.

        Returns:
            A gradient for each edge; None where it is not wanted or zero.
        """
        raise NotImplementedError

    def apply_own(self, g: Tensor, wanted: Sequence[bool]) -> Gradients:
        """Does the same with a gradient that no other tensor shares: its memory may be used for a result."""
        return self.apply(g, wanted)

    def release(self) -> None:
        """Frees the saved tensors."""

    @property
    def saved(self) -> Sequence[Saved]:
        """The saved tensors."""
        return ()

    @property
    def released(self) -> bool:
        """True if the saved tensors have been freed."""
        return False


def number(node: Node) -> Node:
    """Gives a node its serial number. Its edges must be set before."""
    node.serial, node.hooks, node.retained = next_serial(), None, None
    return node


class AccumulateNode(Node):
    """The end of a path: puts the gradient into a leaf's `.grad`, or adds it to the existing one."""

    __slots__ = ("leaf",)

    kind = "GradNodeAccumulation"

    def __init__(self, leaf: Tensor) -> None:
        self.leaf, self.edges, self.hooks, self.retained, self.serial = leaf, (), leaf._hooks, None, next_serial()


class Unfinished(tuple[()]):
    """What a node has saved while the write that it belongs to runs: nothing that backward could use."""

    __slots__ = ()


UNFINISHED = Unfinished()
"""It stays if an interrupt or an error ended the write: the values are unknown then, and backward refuses."""


class OpNode(Node):
    """The node of one operation: calls the derivative rules of its row, each with the arguments that it names.

    Attributes:
        row: the row of the table.
        forms: of the inputs, to undo broadcasting and promotion.
        kept: the saved tensors; None after they were freed; `UNFINISHED` if the write did not end.
        facts: the attributes and metadata that the rules name.
    """

    __slots__ = ("facts", "forms", "kept", "row")

    row: Differentiable
    forms: tuple[Form, ...]
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
        self._check_usable()
        rules = self.row.rules
        known: dict[str, Any] = {"g": g}
        found: list[Tensor | None] = [None] * len(wanted)
        for k, want in enumerate(wanted):
            rule = rules[k]
            if want and rule is not None:
                for name in rule.asks:
                    if name not in known:
                        known[name] = self._fetch(name)
                found[k] = self._fitted(k, rule.function(*[known[name] for name in rule.asks]))
        return found

    def apply_own(self, g: Tensor, wanted: Sequence[bool]) -> Gradients:
        if wanted[0] and not any(wanted[1:]):
            return (self.first(g), *[None] * (len(wanted) - 1))
        return self.apply(g, wanted)

    def first(self, g: Tensor) -> Tensor | None:
        """Returns the gradient of the first input alone. No other tensor shares `g`: a product is computed in its memory."""
        self._check_usable()
        rule = self.row.rules[0]
        if rule is None:
            return None
        asks = rule.asks
        known = [self._fetch(name) for name in asks[1:]] if len(asks) > 1 else ()
        if rule.factor is None:
            return self._fitted(0, rule.function(g, *known))
        version = g.storage.version
        product = operations.ops.multiply_(g, rule.factor(*known))
        product.storage.version = version  # the program has never seen this gradient: no write that it could notice
        return self._fitted(0, product)

    def _check_usable(self) -> None:
        kept = self.kept
        if kept is None:
            raise errors.freed_graph(node_name=self.name, node=self)
        if kept is UNFINISHED:
            raise errors.unfinished_write(node_name=self.name, node=self)

    def _fitted(self, k: int, gradient: Tensor | None) -> Tensor | None:
        """A gradient in the form of the input with this number."""
        if gradient is None:
            return None
        form = self.forms[k]
        if (gradient.form or known_form(gradient)) is form:
            return gradient
        return fitted(gradient, form.shape, form.dtype)

    def _fetch(self, name: str) -> Any:
        """Returns a saved tensor, a fact, or the form of an input."""
        for each in self.kept or ():
            if each.name == name:
                return each.unpack(self)
        facts = self.facts
        return facts[name] if name in facts else self.forms[self.row.form_names.index(name)]


new_node = OpNode.__new__
NOTHING: Mapping[str, Any] = {}
"""The facts of a node whose rules name none."""


class UnfinishedNode(Node):
    """The history of a value that was overwritten outside the history, by an operation that did not end: refuses a gradient."""

    __slots__ = ("_op",)

    kind = "UnfinishedNode"

    def __init__(self, op: str, edge: Node | None) -> None:
        self._op, self.edges = op, (edge,)
        number(self)

    def apply(self, g: Tensor, wanted: Sequence[bool]) -> Gradients:  # noqa: ARG002
        raise errors.unfinished_write(node_name=self._op, node=self)


class ViewNode(Node):
    """A view's history after its storage was written through another tensor.

    The view shows a part of the base's current value. So the gradient goes to the base, into the slots that the view covers,
    with zeros elsewhere.
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

    The base's new value is the old one except in the view's slots, which hold the result of the operation `inner`. So outside
    the view the gradient passes through unchanged, and inside it goes through `inner` first.

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
        ops, place = operations.ops, self.base.within(self.base)
        whole = ops.arrange(g, place)
        if not modes.current().recording_history:
            return self._change(whole, whole.storage.buffer, wanted)
        view = self.view.meta
        part = ops.window(whole, view.within(self.base), view.dtype)
        first, *others = self.inner.apply(ops.clone(part), wanted)
        return self._put(whole, part, first, others, wanted)

    def apply_own(self, g: Tensor, wanted: Sequence[bool]) -> Gradients:
        """Changes the gradient in place: a small write takes little time, however large the base."""
        array, base = g.array, self.base
        if base.packed and array.flags.c_contiguous and array.dtype == base.dtype:
            return self._change(g, array, wanted)
        return self.apply(g, wanted)

    def _change(self, whole: Tensor, memory: Any, wanted: Sequence[bool]) -> Gradients:
        """Sends the part of `whole` that the view shows through the operation inside. `memory` begins where the base does.

        The operation gets a copy of the part if the gradients of other inputs might be the same tensor, and if it runs code of
        the program, which might keep it.
        """
        base, view, inner = self.base, self.view, self.inner
        if isinstance(view, Selected) and view.whole == base:
            shown = view.of(whole.array)
        else:
            shown = whole.storage.device.window(memory, view.meta.within(base), view.meta.dtype)
        part = over(shown, whole.storage)
        first: Tensor | None
        others: list[Tensor | None]
        if type(inner) is OpNode and wanted[0] and not any(wanted[1:]):
            first, others = inner.first(part), [None] * (len(wanted) - 1)
        else:
            first, *others = inner.apply(operations.ops.clone(part), wanted)
        version = whole.storage.version
        found = self._put(whole, part, first, others, wanted)
        whole.storage.version = version  # the program has never seen this gradient: no write that it could notice
        return found

    def _put(
        self, whole: Tensor, part: Tensor, first: Tensor | None, others: Sequence[Tensor | None], wanted: Sequence[bool]
    ) -> Gradients:
        """The gradients: that of the base's old value is `whole`, with `first` in the view's slots."""
        if not wanted[0]:
            return (None, *others)
        if first is None:
            operations.ops.zero_(part)
        elif first is not part:
            operations.ops.copy_(part, first)
        return (whole, *others)


def fitted(gradient: Tensor, shape: Shape, dtype: np.dtype[Any]) -> Tensor:
    """Undoes broadcasting (sums over the repeated axes) and type promotion (casts back)."""
    if gradient.array.shape != shape:
        lead = gradient.array.ndim - len(shape)
        axes = [
            *range(lead),
            *(k + lead for k, n in enumerate(shape) if n == 1 and gradient.array.shape[k + lead] != 1),
        ]
        summed = operations.ops.sum(gradient, axes) if axes else gradient
        gradient = operations.ops.reshape(summed, shape)
    return gradient if gradient.array.dtype == dtype else operations.ops.cast(gradient, dtype)
