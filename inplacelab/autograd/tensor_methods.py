"""Tensor methods of the history, attached to `Tensor` here so that `tensor.py` does not depend on autograd.

The handles of the history that programs hold come first: a tensor's grad node (`x.grad_fn`), and a hook that can be removed.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from inplacelab import errors, modes, observe
from inplacelab.autograd import engine, operations
from inplacelab.autograd.grad_mode import recording
from inplacelab.autograd.history import come_back, edge, leave, refresh
from inplacelab.tensor import Tensor, over


class _Node(Protocol):
    """The part of a node that `GradFn` shows."""

    serial: int

    @property
    def name(self) -> str: ...

    @property
    def edges(self) -> Sequence[Any]: ...


class GradFn:
    """A grad node as `x.grad_fn` returns it, with the methods that Paddle's nodes have."""

    __slots__ = ("node",)

    def __init__(self, node: _Node) -> None:
        self.node = node

    def name(self) -> str:
        """Returns the name of the node: "ScaleGradNode"."""
        return self.node.name

    @property
    def next_functions(self) -> list[GradFn]:
        """The nodes that receive the gradients of the inputs."""
        return [GradFn(each) for each in self.node.edges if each is not None]

    def node_ptr(self) -> int:
        """Returns a number that identifies the node (in Paddle, its address)."""
        return self.node.serial

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GradFn) and self.node is other.node

    def __hash__(self) -> int:
        return hash(self.node)

    def __repr__(self) -> str:
        return f"<{self.node.name} {self.node.serial}>"


class HookHandle:
    """Removes a hook: the result of `register_hook`."""

    def __init__(self, hooks: dict[int, Any], key: int) -> None:
        self._hooks, self._key = hooks, key

    def remove(self) -> bool:
        """Removes the hook. Returns False if it was already removed."""
        return self._hooks.pop(self._key, None) is not None


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
    if self._stop is not stop:
        _flag_root(self, stop) if self.base is None else _flag_view(self, stop)
    for each in modes.current().listeners:
        each.flagged(self)


def _flag_root(root: Tensor, stop: bool) -> None:
    if stop:
        leave(root)
    root._stop = stop
    if not stop:
        come_back(root)


def _flag_view(view: Tensor, stop: bool) -> None:
    """Takes a view out of the history of its base: then writes to it in the history are refused. Or puts it back; or, if it never
    was in it, or the base is not any more, makes it a leaf, as in Paddle and PyTorch.
    """
    view._stop = stop
    if view.untracked in ("bits", "left"):
        return
    if stop:
        view.untracked = view.untracked or "stopped"
    elif view.untracked in ("no_grad", "leaf"):
        view.untracked = "leaf"
    elif view.node is not None and view.base is not None and view.base._stop:
        view.untracked, view.node = "leaf", None
    else:
        view.untracked, view._seen = "", -1


def _is_leaf(self: Tensor) -> bool:
    """True if this tensor is not the result of an operation in the history."""
    if self.base is not None:
        refresh(self)
    return self.node is None


def _grad_fn(self: Tensor) -> GradFn | None:
    """The grad node that made this tensor's value, or None."""
    node = edge(self)
    return None if node is None else GradFn(node)


def _grad(self: Tensor) -> Tensor | None:
    """The gradient that backward computed, or None; settable. It has the tensor's shape and dtype."""
    engine.check_gradient_finished(self)
    return self._grad


def _set_grad(self: Tensor, gradient: Tensor | None) -> None:
    if gradient is not None and not isinstance(gradient, Tensor):
        raise errors.not_a_tensor("grad", "gradient", 0, gradient)
    if gradient is not None and gradient.array.shape != self.array.shape:
        raise errors.gradient_set_shape_differs(expected=self.shape, given=gradient.shape)
    self._grad = gradient
    self.__dict__.pop("gradient_unfinished", None)
    for each in modes.current().listeners:
        each.flagged(self)


def backward(self: Tensor, grad_tensor: Tensor | None = None, retain_graph: bool = False) -> None:
    """Adds the gradients of this tensor to the `.grad` of every leaf that it depends on.

    Args:
        self: the tensor to start from, with history.
        grad_tensor: the gradient to start with, of this tensor's shape; ones if None, also for several elements.
        retain_graph: keep what the nodes saved, so that backward can go through the graph again.

    Raises:
        NoGradientError: if the tensor has no history.
        StaleSavedTensorError: if a saved tensor that a derivative needs has been overwritten.
        FreedGraphError: if an earlier pass freed a saved tensor.

    >>> import inplacelab as paddle
    >>> a = paddle.to_tensor([1., 2.], stop_gradient=False)
    >>> a.scale(2.).scale_(2.).backward()
    >>> a.grad.tolist()
    [4.0, 4.0]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/Tensor_en.html
    """
    engine.backward([self], [grad_tensor], retain_graph=retain_graph)


def detach(self: Tensor) -> Tensor:
    """Returns a tensor with the same storage and version counter but without the history. Both see each other's writes."""
    tensor = over(self.array, self.storage)
    tensor.overlaps = self.overlaps
    if modes.current().listeners:
        observe.notify("detach", "view", (self,), tensor, None)
    return tensor


def detach_(self: Tensor) -> Tensor:
    """Takes this tensor out of the history: it becomes a leaf with `stop_gradient=True`. The version does not change.

    Its views keep their history, but using them in the history is refused after the storage has been written again.
    """
    if self.base is None and not self._stop:
        leave(self)
    self.untracked = "stopped" if self.base is not None else ""
    self._stop = True  # first: without a node it would otherwise be a leaf that needs a gradient
    self.node = None
    for each in modes.current().listeners:
        each.flagged(self)
    return self


def retain_grads(self: Tensor) -> None:
    """Makes backward keep this tensor's gradient in `.grad` although it is not a leaf.

    It is the gradient of the tensor's current value. A later in-place operation gives the tensor a new value with another
    gradient, which is not kept (as in Paddle; PyTorch keeps that one). It is what arrives after all hooks have run, also those
    that are registered later (as in PyTorch; in Paddle hooks that are registered later do not count).

    Raises:
        NoGradientError: if the tensor needs no gradient.
    """
    node = edge(self)
    if node is None:
        raise errors.nothing_to_differentiate(tensor=self)
    if self.node is not None:
        node.retained = weakref.ref(self)


def register_hook(self: Tensor, hook: Callable[[Tensor], Tensor | None]) -> HookHandle:
    """Calls `hook(gradient)` in backward, when the gradient of this tensor's current value is complete.

    Args:
        self: a tensor that needs a gradient.
        hook: is called with the gradient; if it returns a tensor, that replaces the gradient.

    Returns:
        A handle whose `remove()` removes the hook.

    Raises:
        HookError: if the tensor needs no gradient, the hook is not callable, or (in backward) its result does not fit the tensor.
    """
    if not callable(hook):
        raise errors.hook_not_callable(hook=hook)
    return _add_hook(self, hook)


def _add_hook(tensor: Tensor, hook: Any) -> HookHandle:
    node = edge(tensor)
    if node is None:
        raise errors.hook_on_constant(tensor=tensor)
    hooks: dict[int, Any] = {} if node.hooks is None else node.hooks
    node.hooks = hooks
    if tensor.node is None:
        tensor._hooks = hooks  # a leaf's accumulation node comes and goes; its hooks stay with the leaf
    key = max(hooks, default=-1) + 1
    hooks[key] = hook
    return HookHandle(hooks, key)


def _register_backward_hook(self: Tensor, hook: Callable[[], None]) -> HookHandle:
    """Calls `hook()` after each backward that has added to this leaf's `.grad`, when all leaves have theirs.

    Args:
        self: a leaf that needs a gradient.
        hook: takes no argument; what it returns is ignored.

    Returns:
        A handle whose `remove()` removes the hook. (PaddlePaddle 3.3.1 returns None.)

    Raises:
        ArgumentError: if the tensor needs no gradient, or is not a leaf.
        ArgumentKindError: if the hook is not callable.

    >>> import inplacelab as paddle
    >>> x = paddle.to_tensor([1., 2.], stop_gradient=False)
    >>> _ = x._register_backward_hook(lambda: print("complete:", x.grad.tolist()))
    >>> (x * 3.).backward()
    complete: [3.0, 3.0]
    """
    if not callable(hook):
        raise errors.hook_not_callable(hook=hook)
    if not _is_leaf(self):
        raise errors.backward_hook_on_result(tensor=self)
    if self._stop:
        raise errors.backward_hook_on_constant(tensor=self)
    return _add_hook(self, engine.AfterAccumulation(hook))


def clear_gradient(self: Tensor, set_to_zero: bool = True) -> None:
    """Fills `.grad` with zeros in place, or sets it to None if `set_to_zero` is False."""
    if self._grad is not None and set_to_zero:
        try:
            modes.run_inside(recording(False), operations.ops.zero_, self._grad)
        except BaseException:
            engine.mark_gradient_unfinished(self)
            raise
    else:
        _set_grad(self, None)


def clear_grad(self: Tensor) -> None:
    """Fills `.grad` with zeros in place, as Paddle does."""
    clear_gradient(self)


def _zero_grads(self: Tensor) -> None:
    """Fills `.grad` with zeros in place, if there is one: Paddle's older name of `clear_gradient()`."""
    if self._grad is not None:
        clear_gradient(self)


def _grad_ivar(self: Tensor) -> Tensor | None:
    """Returns `.grad`: Paddle's older name."""
    return _grad(self)


_PROPERTIES: dict[str, Any] = {
    "stop_gradient": property(_stop_gradient, _set_stop_gradient, doc=_stop_gradient.__doc__),
    "is_leaf": property(_is_leaf, doc=_is_leaf.__doc__),
    "grad_fn": property(_grad_fn, doc=_grad_fn.__doc__),
    "grad": property(_grad, _set_grad, doc=_grad.__doc__),
}
for _name, _member in _PROPERTIES.items():
    setattr(Tensor, _name, _member)
for _method in (
    backward, detach, detach_, retain_grads, register_hook, clear_gradient, clear_grad, _register_backward_hook, _zero_grads, _grad_ivar,
):  # fmt: skip
    setattr(Tensor, _method.__name__, _method)
