"""`PyLayer`: an operation of one's own, with a derivative of one's own.

It is an operation like any other: what it keeps is checked by version when backward uses it (PaddlePaddle 3.3.1 does not check,
and is silently wrong once a kept tensor was overwritten), its gradients can be differentiated again, and its results have
storages of their own, unless `forward` writes an input and returns it: then it is an in-place operation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inplacelab import errors, observe
from inplacelab.autograd import modes
from inplacelab.autograd.custom.call import Call
from inplacelab.autograd.custom.context import PyLayerContext
from inplacelab.autograd.custom.kept_tensors import Memory
from inplacelab.tensor import Tensor


class PyLayer:
    """An operation of one's own. Define `forward(ctx, ...)` and `backward(ctx, ...)` as static methods; call `apply`.

    `forward` computes outside the history. `backward` is given the gradient of each tensor that `forward` returned, and returns
    one for each tensor that `forward` was given (None for zero). It is written in tensor operations, and so can be differentiated.

    What `forward` keeps by `ctx.save_for_backward` is checked by version. A result that shows an input's storage is handed out
    as a copy; but an input that `forward` wrote *and* returns is the result itself, as with every in-place operation.

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

    @staticmethod
    def forward(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        """What the operation computes. To be defined by each layer."""
        raise NotImplementedError("a PyLayer defines forward(ctx, ...): say there what it computes")

    @staticmethod
    def backward(ctx: Any, *args: Any) -> Any:
        """The gradients of the inputs, from those of the results. To be defined by each layer."""
        raise NotImplementedError("a PyLayer defines backward(ctx, ...): say there how gradients go back")

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Compute `forward` and, if an input needs a gradient, write the operation into the history.

        Raises:
            ArgumentError: if `forward` returned no tensor.
            LeafWriteError: if `forward` wrote a leaf that needs a gradient.
            WriteConflictError: if `forward` wrote another input whose history cannot be rewritten.
        """
        call = Call(cls, [*args, *kwargs.values()])
        context = PyLayerContext(Memory(call.places))
        with modes.no_grad(), observe.silence():
            returned = cls.forward(context, *args, **kwargs)
            several = isinstance(returned, tuple | list)
            tensors = [each for each in (returned if several else [returned]) if isinstance(each, Tensor)]
            if not tensors:
                raise errors.forward_returned_no_tensor(layer=cls.__name__)
            results = call.finish(context, tensors) if call.needed else tensors
        for each in observe.listeners:
            each.unheard()
        _tell(cls.__name__, call, results)
        if not several:
            return results[0]
        remaining = iter(results)
        return type(returned)(next(remaining) if isinstance(each, Tensor) else each for each in returned)


def _tell(name: str, call: Call, results: Sequence[Tensor]) -> None:
    """Tell of each result: the operation made it, or wrote it."""
    if observe.listeners:
        inputs = tuple(each.tensor for each in call.inputs)
        for result in results:
            in_place = any(result is each for each in inputs)
            root = result.base if in_place and result.base is not None else result
            observe.tell(name, "in-place" if in_place else "ordinary", inputs, result, root.node)
