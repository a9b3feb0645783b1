"""Backward under PyTorch's names: what a pass begins with, and hooks of programs inside the engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from inplacelab.autograd import operations
from inplacelab.autograd.engine import Pass
from inplacelab.autograd.grad_function import gradients_of
from inplacelab.autograd.history import edge
from inplacelab.autograd.nodes import Node
from inplacelab.tensor import Tensor as Engine
from inplacelab.torch.calls import inward, shown, spoken
from inplacelab.torch.generate import RETAINING
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
        before = [(each, each._grad) for each in list(RETAINING.values()) if each._grad is not None]
        Pass(create_graph=create_graph, retain_graph=kept).run(roots)
        for each, gradient in before:  # PyTorch adds to the gradient of a result, too
            if each._grad is not gradient:
                each.grad = gradient + each._grad
        return
    wanted = [inputs] if isinstance(inputs, Engine) else list(inputs)
    found = captured_gradients(roots, wanted, retain_graph=kept, create_graph=create_graph, allow_unused=True)
    for leaf, given in zip(wanted, found, strict=True):
        if given is not None:
            leaf.grad = given if leaf.grad is None else leaf.grad + given


class _Unpacking(Pass):
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
