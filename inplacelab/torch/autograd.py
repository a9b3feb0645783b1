"""`torch.autograd`: gradients, custom functions, and switches of the history."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import inplacelab as engine
from inplacelab import modes
from inplacelab.autograd.grad_mode import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from inplacelab.autograd.history import edge
from inplacelab.autograd.py_layer import PyLayer
from inplacelab.tensor import Tensor as Engine
from inplacelab.torch.backward import backward, captured_gradients, root
from inplacelab.torch.calls import inward, outward, spoken
from inplacelab.torch.missing import missing
from inplacelab.torch.refusals import refuse

__all__ = ["Function", "Variable", "backward", "enable_grad", "grad", "is_grad_enabled", "no_grad", "set_grad_enabled"]

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
