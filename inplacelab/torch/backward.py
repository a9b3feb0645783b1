"""Backward under PyTorch's names: what a pass begins with, and hooks of programs inside the engine."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from inplacelab import modes
from inplacelab.autograd import operations
from inplacelab.autograd.engine import BackwardPass
from inplacelab.autograd.grad_mode import recording
from inplacelab.autograd.gradients import gradients_of
from inplacelab.autograd.history import edge
from inplacelab.autograd.nodes import Node
from inplacelab.errors.classes import Refusal
from inplacelab.tensor import Tensor as Engine
from inplacelab.torch.calls import inward, shown, spoken
from inplacelab.torch.handles import Size
from inplacelab.torch.refusals import refuse


def hook_inside(hook: Callable[[Any], Any]) -> Callable[[Engine], Engine | None]:
    """A hook of a program as the engine calls it."""

    def call(gradient: Engine) -> Any:
        return inward(hook(shown(gradient)))

    call.__name__ = getattr(hook, "__name__", "hook")
    call.__dict__["__wrapped__"] = hook
    return call


def backward(
    tensors: Sequence[Any],
    gradients: Sequence[Any],
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Computes the gradients of several tensors at once. The arguments are those of `Tensor.backward`."""
    spoken(_backward)(list(tensors), list(gradients), retain_graph, create_graph, inputs)


def _backward(
    tensors: Sequence[Engine], gradients: Sequence[Any], retain_graph: Any, create_graph: bool, inputs: Any
) -> None:
    kept = create_graph if retain_graph is None else retain_graph
    roots = [root(k, x, g) for k, (x, g) in enumerate(zip(tensors, gradients, strict=True))]
    if inputs is None:
        TorchPass(create_graph=create_graph, retain_graph=kept).run(roots)
        return
    wanted = [inputs] if isinstance(inputs, Engine) else list(inputs)
    for each in wanted:
        if not each.is_leaf:
            retain(each)  # so the pass itself adds to its gradient
    found = captured_gradients(roots, wanted, retain_graph=kept, create_graph=create_graph, allow_unused=True)
    for leaf, given in zip(wanted, found, strict=True):
        if given is not None and leaf.is_leaf:
            leaf.grad = _accumulated(leaf._grad, given, create_graph)


def _accumulated(before: Engine | None, gradient: Engine, create_graph: bool) -> Engine:
    """The next `.grad` of a leaf: the tensor that it was, written in place, unless the sum belongs into the history."""
    if before is None or create_graph:
        return modes.run_inside(recording(create_graph), _added, before, gradient)
    return modes.run_inside(recording(False), operations.ops.add_, _constant(before), gradient)


def _added(before: Engine | None, gradient: Engine) -> Engine:
    """The sum of what `.grad` was and another gradient: in the history if that is recorded."""
    total = gradient if before is None else operations.ops.add(_constant(before), gradient)
    return _constant(total)


def _constant(gradient: Engine) -> Engine:
    """A gradient without history, which in Paddle is a leaf that needs a gradient, needs none."""
    if gradient.node is None:
        gradient._stop = True
    return gradient


RETAINING: weakref.WeakValueDictionary[int, Engine] = weakref.WeakValueDictionary()
"""The tensors that are no leaves and retain their gradients."""


def retain(x: Engine) -> None:
    """Makes passes keep the gradient of a tensor that is no leaf."""
    x.retain_grads()
    if x.node is not None:
        RETAINING[id(x)] = x
        x.__dict__.setdefault("_retains", weakref.ref(x.node))
        _settle(x)


def _settle(x: Engine) -> None:
    """Makes a tensor retain the gradient of the value that it has now, which an in-place operation, also on a view, may have made since
    `retain_grad()`.
    """
    before, node = x.__dict__["_retains"](), None
    with suppress(Refusal):  # a view of which it is not known whether it has a history
        node = edge(x)
    if before is not node and before is not None:
        before.retained = None
    if x.node is not None and node is not None:
        node.retained, x.__dict__["_retains"] = weakref.ref(x), weakref.ref(node)


class TorchPass(BackwardPass):
    """A pass by PyTorch's rules: `.grad` is a constant unless the pass is recorded, and what a result retains is added up."""

    def run(self, roots: Sequence[tuple[Node, Engine]]) -> None:
        for x in list(RETAINING.values()):
            _settle(x)
        super().run(roots)

    def _to_retain(self, tensor: Engine, gradient: Engine) -> Engine:
        return _added(tensor._grad, operations.ops.clone(gradient if self.create_graph else gradient.detach()))

    def _accumulate(self, leaf: Engine, gradient: Engine, ours: bool) -> None:
        if leaf._grad is not None:
            _constant(leaf._grad)
        super()._accumulate(leaf, gradient, ours)
        if leaf._grad is not None:
            _constant(leaf._grad)


class _Unpacking(TorchPass):
    """A pass whose nodes unpack all that they saved, as PyTorch's do: a stale tensor is refused, although only a gradient that is not asked
    for would need it.
    """

    def _pass_on(self, node: Node, gradient: Engine, ours: bool) -> tuple[Node | None, Engine, bool]:
        for saved in node.saved:
            if saved.stale:
                saved.unpack(node)
        return super()._pass_on(node, gradient, ours)


def captured_gradients(
    roots: Sequence[tuple[Any, Engine]],
    inputs: Sequence[Engine],
    *,
    retain_graph: bool,
    create_graph: bool,
    allow_unused: bool,
) -> list[Engine | None]:
    """Returns the gradients of `inputs` in a pass that starts from these nodes, each with the gradient that arrives there."""
    targets = [edge(each) for each in inputs]
    walk = _Unpacking(create_graph=create_graph, retain_graph=retain_graph, capture=targets)
    return gradients_of(walk, roots, targets, allow_unused)


def root(position: int, x: Engine, gradient: Any) -> tuple[Any, Engine]:
    """Returns the node and the gradient that a pass starts with."""
    start = edge(x)
    if start is None:
        raise refuse("nothing_to_differentiate", tensor=x, position=position)
    if gradient is None:
        if x.size != 1:
            raise refuse("gradient_not_implicit", tensor=x)
        return start, operations.ops.ones_like(x)
    if gradient.array.shape != x.array.shape:
        raise refuse(
            "gradient_shape_differs", position=position, gradient=Size(gradient.array.shape), output=Size(x.array.shape)
        )
    return start, gradient
