"""`PyLayer`: a custom operation with a custom derivative.

It behaves like any other operation: backward checks the versions of its saved tensors (PaddlePaddle 3.3.1 does not, and
computes wrong gradients after an overwrite), its gradients can be differentiated again, and its results have new storages,
unless `forward` writes an input and returns it: then it is an in-place operation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from inplacelab import errors, modes, observe
from inplacelab.autograd.custom.call import Call
from inplacelab.autograd.custom.context import PyLayerContext
from inplacelab.autograd.custom.kept_tensors import Memory
from inplacelab.autograd.grad_mode import without_history
from inplacelab.tensor import Tensor


class PyLayer:
    """A custom operation. Define `forward(ctx, ...)` and `backward(ctx, ...)` as static methods; call `apply`.

    `forward` computes outside the history. `backward` receives the gradient of each tensor that `forward` returned, and returns
    one for each tensor argument of `forward` (None for zero). It is written in tensor operations, so it can be differentiated.

    Tensors saved by `ctx.save_for_backward` are checked by version. A result that shares an input's storage is returned as a
    copy; but an input that `forward` wrote *and* returns is the result itself, as with every in-place operation.

    >>> import inplacelab as paddle
    >>> from inplacelab.autograd import PyLayer
    >>> class Cube(PyLayer):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x * x
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         (x,) = ctx.saved_tensor()
    ...         return g * 3. * x * x
    >>> x = paddle.to_tensor([1., 2.], stop_gradient=False)
    >>> Cube.apply(x).sum().backward()
    >>> x.grad.tolist()
    [3.0, 12.0]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/autograd/PyLayer_en.html
    """

    _part: ClassVar[bool] = True  # `forward` may write only a part of a tensor that it returns

    @staticmethod
    def forward(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        """Computes the results. Each layer defines it."""
        raise NotImplementedError("a PyLayer must define forward(ctx, ...), which computes the results")

    @staticmethod
    def backward(ctx: Any, *args: Any) -> Any:
        """Computes the gradients of the inputs from those of the results. Each layer defines it."""
        raise NotImplementedError(
            "a PyLayer must define backward(ctx, ...), which computes the gradients of the inputs"
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Runs `forward` and, if an input needs a gradient, records the operation in the history.

        Args:
            *args: the arguments of `forward` after `ctx`.
            **kwargs: its keyword arguments.

        Returns:
            The results of `forward`: a tensor, or several.

        Raises:
            ArgumentError: if `forward` returned no tensor.
            LeafWriteError: if `forward` wrote a leaf that needs a gradient.
            WriteConflictError: if `forward` wrote another input whose history cannot be rewritten.
        """
        call = Call(cls, [*args, *kwargs.values()])
        try:
            returned, results = without_history(observe.silently, _forward, cls, call, args, kwargs)
        except BaseException:
            call.interrupted()
            raise
        for each in modes.current().listeners:
            each.unreported_code_ran()
        cls._report(call, results)
        if not isinstance(returned, tuple | list):
            return results[0]
        remaining = iter(results)
        return type(returned)(next(remaining) if isinstance(each, Tensor) else each for each in returned)

    @classmethod
    def _report(cls, call: Call, results: Sequence[Tensor]) -> None:
        """Reports each result to the observers: the operation made it, or wrote it."""
        if modes.current().listeners:
            inputs = tuple(each.tensor for each in call.inputs)
            for result in results:
                in_place = any(result is each for each in inputs)
                root = result.base if in_place and result.base is not None else result
                category = "in-place" if in_place else "ordinary"
                observe.notify(cls.__name__, category, inputs, result, root.node, exact=not (in_place and cls._part))


def _forward(
    layer: type[PyLayer], call: Call, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[Any, list[Tensor]]:
    """What `forward` returned, and the tensors in it, which are in the history now."""
    context = PyLayerContext(Memory(call.places))
    returned = layer.forward(context, *args, **kwargs)
    tensors = [t for t in (returned if isinstance(returned, tuple | list) else [returned]) if isinstance(t, Tensor)]
    if not tensors:
        raise errors.forward_returned_no_tensor(layer=layer.__name__)
    return returned, call.finish(context, tensors) if call.needed else tensors
