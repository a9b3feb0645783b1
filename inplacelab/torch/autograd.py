"""`torch.autograd`: gradients, custom functions, and switches of the history; and what a backward pass begins with, and hooks inside it."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import inplacelab as engine
from inplacelab import modes
from inplacelab.autograd import operations
from inplacelab.autograd.engine import BackwardPass
from inplacelab.autograd.grad_mode import enable_grad, is_grad_enabled, no_grad, recording, set_grad_enabled
from inplacelab.autograd.gradients import gradients_of
from inplacelab.autograd.history import edge
from inplacelab.autograd.nodes import Node
from inplacelab.autograd.py_layer import PyLayer
from inplacelab.errors.classes import Refusal
from inplacelab.tensor import Tensor as Engine
from inplacelab.torch.calls import inward, outward, shown, spoken
from inplacelab.torch.described import Size
from inplacelab.torch.refusals import missing, refuse

__all__ = ["Function", "Variable", "backward", "enable_grad", "grad", "is_grad_enabled", "no_grad", "set_grad_enabled"]


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


__path__: list[str] = []  # so that an import of a module inside, which is not here, is refused with a sentence


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    *,
    materialize_grads: bool = False,
) -> tuple[Any, ...]:
    """Returns the gradients of the sum of `outputs` with respect to `inputs`, without changing any `.grad`.

    Args:
        outputs: tensors with history.
        inputs: tensors that they were computed from.
        grad_outputs: the gradients to start with; not needed for outputs of one element.
        retain_graph: keep what the nodes saved; the value of `create_graph` if None.
        create_graph: make the gradients differentiable.
        allow_unused: give None for an input that the outputs do not depend on, instead of raising.
        materialize_grads: give zeros instead.

    Raises:
        RuntimeError: if an output has no history, or an input is unused.

    >>> import inplacelab.torch as torch
    >>> x = torch.tensor(3., requires_grad=True)
    >>> torch.autograd.grad(x ** 2, x)
    (tensor(6.),)
    """
    options = (retain_graph, create_graph, bool(allow_unused or materialize_grads), materialize_grads)
    result: tuple[Any, ...] = spoken(_grad)(outputs, inputs, grad_outputs, *options)
    return result


def _grad(
    outputs: Any, inputs: Any, grad_outputs: Any, retain_graph: Any, create_graph: bool, unused: bool, zeros: bool
) -> tuple[Any, ...]:
    results, wanted = (list(each) if isinstance(each, list | tuple) else [each] for each in (outputs, inputs))
    seeds = list(grad_outputs) if isinstance(grad_outputs, list | tuple) else [grad_outputs] * len(results)
    if not wanted:
        raise refuse("no_inputs")
    if any(each.stop_gradient for each in wanted):
        raise refuse("input_needs_no_gradient")
    roots = [root(k, x, g) for k, (x, g) in enumerate(zip(results, seeds, strict=True))]
    kept = create_graph if retain_graph is None else retain_graph
    found = captured_gradients(roots, wanted, retain_graph=kept, create_graph=create_graph, allow_unused=unused)
    if zeros:
        return tuple(engine.zeros_like(x) if g is None else g for x, g in zip(wanted, found, strict=True))
    return tuple(found)


class _Context:
    """The first argument, `ctx`, of `forward` and `backward`: values for backward, and marks on arguments and results."""

    def __init__(self, context: Any, needs: Sequence[bool]) -> None:
        self._context = context
        self.needs_input_grad = tuple(needs)
        self._to_save: tuple[Any, ...] | None = None
        self._dirty: tuple[Engine, ...] = ()

    def save_for_backward(self, *tensors: Any) -> None:
        """Saves tensors for `backward`, as they are when `forward` ends; if one is overwritten later, backward refuses it."""
        self._to_save = tuple(map(inward, tensors))

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The saved tensors, in order.

        Raises:
            RuntimeError: if one of them has been overwritten since, or they were freed.
        """
        found: tuple[Any, ...] = tuple(outward(each) for each in spoken(self._context.saved_tensor)() or ())
        return found

    def mark_dirty(self, *tensors: Any) -> None:
        """Says that `forward` writes these arguments in place. It raises their versions, as in PyTorch: also if no operation wrote them."""
        self._dirty = tuple(map(inward, tensors))

    def _settle(self, results: Sequence[Any], recorded: bool) -> None:
        """After `forward`: the marked arguments are written, and the tensors saved."""
        for each in self._dirty:
            each._bump_inplace_version()
            if recorded and each.base is None and each.is_leaf and not each._stop:
                raise refuse("leaf_marked_dirty", tensor=each)
            if not any(each is result for result in results):
                raise refuse("dirty_not_returned", tensor=each)
        if self._to_save is not None:
            self._context.save_for_backward(*self._to_save)

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Says that these results need no gradient."""
        self._context.mark_non_differentiable(*map(inward, tensors))

    def set_materialize_grads(self, value: bool) -> None:
        """Sets what `backward` gets for a result without a gradient: zeros (True) or None."""
        self._context.set_materialize_grads(value)


class Function:
    """A custom operation: define `forward(ctx, ...)` and `backward(ctx, ...)` as static methods, and call `apply`.

    >>> import inplacelab.torch as torch
    >>> class Cube(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x * x
    ...     @staticmethod
    ...     def backward(ctx, gradient):
    ...         (x,) = ctx.saved_tensors
    ...         return gradient * 3 * x * x
    >>> x = torch.tensor(2., requires_grad=True)
    >>> Cube.apply(x).backward()
    >>> x.grad
    tensor(12.)
    """

    _layer: type[PyLayer] | None = None

    @staticmethod
    def forward(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        """Computes the results. Each function defines it."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """Computes the gradients of the inputs. Each function defines it."""
        raise NotImplementedError("You must implement the backward function for custom autograd.Function.")

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Runs `forward` and records the operation in the history. The arguments are those of `forward` after `ctx`."""
        if "_layer" not in cls.__dict__:
            cls._layer = _layer_of(cls)
        assert cls._layer is not None
        call = _Call(modes.current().recording_history)
        result = spoken(cls._layer.apply)(call, *args)
        results = result if isinstance(result, list | tuple) else [result]
        for each in call.dirty:
            if each.node is not None:
                each._grad = None  # that of the value before
        for k in call.as_is:
            results[k]._tensor.__dict__["_several"] = ("returned_as_is", cls.__name__, k)
        return tuple(result) if isinstance(result, list) else result


class _Call:
    """One call of a custom function.

    Attributes:
        recorded: whether the history is recorded around it.
        as_is: the numbers of the results that are on the storage of an argument that was not written.
        dirty: the arguments that `forward` has marked.
    """

    as_is: Sequence[int] = ()
    dirty: Sequence[Engine] = ()

    def __init__(self, recorded: bool) -> None:
        self.recorded = recorded


def _as_is(arguments: Sequence[Any], versions: Sequence[int], results: Sequence[Any]) -> list[int]:
    tensors = [(x, v) for x, v in zip(arguments, versions, strict=True) if isinstance(x, Engine)]
    unwritten = {id(x.storage) for x, version in tensors if x.storage.version == version}
    return [k for k, each in enumerate(results) if isinstance(each, Engine) and id(each.storage) in unwritten]


def _layer_of(function: type[Function]) -> type[PyLayer]:
    """The engine's form of a custom function."""

    def forward(ctx: Any, call: _Call, *args: Any) -> Any:
        tensors = [isinstance(each, Engine) for each in args]
        needs = [is_one and modes_needs(each) for is_one, each in zip(tensors, args, strict=True)]
        outer = _Context(ctx, needs)
        ctx.__dict__["_outer"], ctx.__dict__["_tensors"] = outer, tensors
        versions = [each.storage.version if is_one else 0 for each, is_one in zip(args, tensors, strict=True)]
        results = inward(function.forward(outer, *map(outward, args)))
        several = results if isinstance(results, tuple | list) else [results]
        outer._settle(several, call.recorded)
        call.dirty = outer._dirty
        call.as_is = _as_is(args, versions, several)
        return results

    def backward(ctx: Any, *gradients: Any) -> Any:
        given = function.backward(ctx.__dict__["_outer"], *map(outward, gradients))
        tensors = ctx.__dict__["_tensors"]
        parts = list(given) if isinstance(given, tuple | list) else [given]
        if len(parts) != len(tensors) and any(each is not None for each in parts[len(tensors) :]):
            raise refuse("gradient_count", function=function.__name__, expected=len(tensors), found=len(parts))
        parts += [None] * (len(tensors) - len(parts))
        return tuple(inward(each) for each, is_one in zip(parts, tensors, strict=False) if is_one)

    members = {"forward": staticmethod(forward), "backward": staticmethod(backward), "__module__": function.__module__}
    return type(function.__name__, (PyLayer,), members)


def modes_needs(tensor: Engine) -> bool:
    """Whether a gradient of a tensor is wanted."""
    return edge(tensor) is not None if modes.current().recording_history else not tensor.stop_gradient


def Variable(data: Any, requires_grad: bool = False) -> Any:  # noqa: N802  # PyTorch's old name
    """Returns a tensor: PyTorch's old name for one that may need a gradient."""
    return data.detach().requires_grad_(requires_grad)


def __getattr__(name: str) -> Any:
    raise missing("torch.autograd", name, __all__)
