"""What a tensor can do because it has a history: given to `Tensor` here, so that `tensor.py` need not know autograd."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from inplacelab import errors, observe
from inplacelab.autograd import engine, modes, operations
from inplacelab.autograd.grad_fn import GradFn, HookHandle
from inplacelab.autograd.history import edge, refresh
from inplacelab.tensor import Tensor, over


def _stop_gradient(self: Tensor) -> bool:
    """True if no gradient is computed for this tensor; settable. PyTorch's `requires_grad` is its opposite."""
    if self.base is not None:
        refresh(self)
    return self._stop


def _set_stop_gradient(self: Tensor, stop: bool) -> None:
    if not isinstance(stop, bool):
        raise errors.stop_gradient_not_bool(value=stop)
    if self.base is not None:
        refresh(self)
    self._stop = stop
    if self.base is not None and self.untracked != "bits":
        _take_out(self) if stop else _take_back(self)
    for each in observe.listeners:
        each.flagged(self)


def _take_out(view: Tensor) -> None:
    """It leaves the history of its base, and must not be written within it."""
    view.untracked = view.untracked or "stopped"


def _take_back(view: Tensor) -> None:
    """It is in the history of its base again; or, if it never was, a leaf of its own, as in Paddle and PyTorch."""
    if view.untracked in ("no_grad", "leaf"):
        view.untracked = "leaf"
    else:
        view.untracked, view._seen = "", -1


def _is_leaf(self: Tensor) -> bool:
    """True if no operation in the history made this tensor."""
    if self.base is not None:
        refresh(self)
    return self.node is None


def _grad_fn(self: Tensor) -> GradFn | None:
    """The grad node that made this tensor's value, or None."""
    node = edge(self)
    return None if node is None else GradFn(node)


def _grad(self: Tensor) -> Tensor | None:
    """The gradient that backward put here, or None; settable."""
    return self._grad


def _set_grad(self: Tensor, gradient: Tensor | None) -> None:
    if gradient is not None and not isinstance(gradient, Tensor):
        raise errors.not_a_tensor("grad", "gradient", 0, gradient)
    if gradient is not None and gradient.array.shape != self.array.shape:
        raise errors.value_shape_differs(expected=self.shape, given=gradient.shape)
    self._grad = gradient
    for each in observe.listeners:
        each.flagged(self)


def backward(self: Tensor, grad_tensor: Tensor | None = None, retain_graph: bool = False) -> None:
    """Compute the gradients of every leaf this tensor was computed from, into their `.grad`; add to what is there.

    Args:
        self: where to start, with history.
        grad_tensor: the gradient to start with, of this tensor's shape; ones if None, also for several elements.
        retain_graph: keep what the nodes saved, so that backward can go through the graph again.

    Raises:
        NoGradientError: if the tensor has no history.
        StaleSavedTensorError: if a value that a derivative needs has been overwritten since it was kept.
        FreedGraphError: if an earlier pass freed what is needed.

    >>> import inplacelab as paddle
    >>> a = paddle.to_tensor([1., 2.], stop_gradient=False)
    >>> a.scale(2.).scale_(2.).backward()
    >>> a.grad.tolist()
    [4.0, 4.0]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/Tensor_en.html
    """
    engine.backward([self], [grad_tensor], retain_graph=retain_graph)


def detach(self: Tensor) -> Tensor:
    """The same storage and version counter without the history: writes through either are seen by both."""
    tensor = over(self.array, self.storage)
    tensor.overlaps = self.overlaps
    if observe.listeners:
        observe.tell("detach", "view", (self,), tensor, None)
    return tensor


def detach_(self: Tensor) -> Tensor:
    """Leave the history: a leaf with `stop_gradient=True` from now on. Raises no version."""
    self.node, self._stop = None, True
    self.untracked = "stopped" if self.base is not None else ""
    for each in observe.listeners:
        each.flagged(self)
    return self


def retain_grads(self: Tensor) -> None:
    """Have backward keep this tensor's gradient in `.grad` although it is not a leaf.

    It is the gradient of the value that the tensor has now: a later in-place operation gives it another value, whose
    gradient is another one (as in Paddle; PyTorch moves with the tensor).
    """
    node = edge(self)
    if node is None:
        raise errors.nothing_to_differentiate(tensor=self)
    if self.node is not None:
        node.retained = weakref.ref(self)


def register_hook(self: Tensor, hook: Callable[[Tensor], Tensor | None]) -> HookHandle:
    """Call `hook(gradient)` when the gradient of this tensor's present value is complete; what it returns, if anything,
    takes the gradient's place.

    Raises:
        HookError: if the tensor needs no gradient, the hook cannot be called, or it returns what is no gradient of the tensor.
    """
    if not callable(hook):
        raise errors.hook_not_callable(hook=hook)
    node = edge(self)
    if node is None:
        raise errors.hook_on_constant(tensor=self)
    hooks: dict[int, Any] = {} if node.hooks is None else node.hooks
    node.hooks = hooks
    if self.node is None:
        self._hooks = hooks  # a leaf's accumulation node comes and goes; its hooks stay with the leaf
    key = max(hooks, default=-1) + 1
    hooks[key] = hook
    return HookHandle(hooks, key)


def clear_gradient(self: Tensor, set_to_zero: bool = True) -> None:
    """Fill `.grad` with zeros in place, or drop it if `set_to_zero` is False."""
    if self._grad is not None and set_to_zero:
        with modes.no_grad():
            operations.ops.zero_(self._grad)
    else:
        _set_grad(self, None)


def clear_grad(self: Tensor) -> None:
    """Fill `.grad` with zeros in place, as Paddle does."""
    clear_gradient(self)


_PROPERTIES: dict[str, Any] = {
    "stop_gradient": property(_stop_gradient, _set_stop_gradient, doc=_stop_gradient.__doc__),
    "is_leaf": property(_is_leaf, doc=_is_leaf.__doc__),
    "grad_fn": property(_grad_fn, doc=_grad_fn.__doc__),
    "grad": property(_grad, _set_grad, doc=_grad.__doc__),
}
for _name, _member in _PROPERTIES.items():
    setattr(Tensor, _name, _member)
for _method in (backward, detach, detach_, retain_grads, register_hook, clear_gradient, clear_grad):
    setattr(Tensor, _method.__name__, _method)
