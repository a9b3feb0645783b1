"""`PyLayer`: a custom operation with a custom derivative.

It behaves like any other operation: backward checks the versions of its saved tensors (PaddlePaddle 3.3.1 does not, and
computes wrong gradients after an overwrite), its gradients can be differentiated again, and its results have new storages,
unless `forward` writes an input and returns it: then it is an in-place operation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from inplacelab import errors, modes, observe
from inplacelab.autograd.custom_nodes import CustomNode, Memory, PyLayerContext, differentiable, side
from inplacelab.autograd.grad_mode import without_history
from inplacelab.autograd.history import check_leaf, edge, mark_unfinished, rebase
from inplacelab.autograd.nodes import Node
from inplacelab.storage import Storage
from inplacelab.tensor import Tensor, over


class Arrival(NamedTuple):
    """An input before `forward`: the node of its gradient, and its storage and version, which show if it is written."""

    tensor: Tensor
    edge: Node | None
    storage: Storage
    version: int

    @property
    def written(self) -> bool:
        """True if `forward` wrote or exchanged its storage."""
        return self.tensor.storage is not self.storage or self.storage.version != self.version


class Call:
    """One call of a `PyLayer`: its inputs, and the history of its results."""

    def __init__(self, layer: type[Any], arguments: Sequence[Any]) -> None:
        self.layer, self.arguments = layer, arguments
        groups = [_tensors_in(each) for each in arguments]
        self.slots = [None if isinstance(a, Tensor) else len(g) for a, g in zip(arguments, groups, strict=True) if g]
        self.inputs = [_arrival(tensor) for group in groups for tensor in group]
        self.sides = [side(each.tensor) for each in self.inputs]

    @property
    def needed(self) -> bool:
        """True if some input needs a gradient."""
        return any(each.edge is not None for each in self.inputs)

    @property
    def places(self) -> list[tuple[Tensor, Node | None]]:
        """The inputs, and the nodes that receive their gradients."""
        return [(each.tensor, each.edge) for each in self.inputs]

    def finish(self, context: PyLayerContext, returned: Sequence[Tensor]) -> list[Tensor]:
        """Puts the results into the history."""
        constants = [t for t in returned if not differentiable(t) or any(t is c for c in context._constants)]
        written = [t for t in returned if self._in_place(t, context) and not any(t is c for c in constants)]
        self._check_written(written, len(returned))
        node = self._node(context, returned, written)
        self._settle(context, returned, written, constants)
        results = self._own(returned, written)
        for before, result, place in zip(returned, results, node.places(), strict=True):
            if result is before:
                rebase(result, place)
            elif not any(before is c for c in constants):
                result.node, result._stop = place, False
        return results

    def interrupted(self) -> None:
        """Called if the operation did not end: backward must refuse the inputs that `forward` has written."""
        for each in self.inputs:
            if each.edge is not None and each.written:
                mark_unfinished(each.tensor, self.layer.__name__)

    def _node(self, context: PyLayerContext, returned: Sequence[Tensor], written: Sequence[Tensor]) -> CustomNode:
        order = list(range(len(self.inputs)))
        if (
            written and len(returned) == 1
        ):  # the history of a written view is rewritten by a node whose first edge is the view's
            order.sort(key=lambda k: self.inputs[k].tensor is not written[0])
        node = CustomNode(self.layer, context, [self.inputs[k].edge for k in order])
        node.order, node.inputs, node.slots, node.results = order, self.sides, self.slots, [side(t) for t in returned]
        return node

    def _settle(
        self,
        context: PyLayerContext,
        returned: Sequence[Tensor],
        written: Sequence[Tensor],
        constants: Sequence[Tensor],
    ) -> None:
        """Passes the results to the memory. An input that is returned unchanged stays an input there."""
        unchanged = [each.tensor for each in self.inputs if not any(each.tensor is t for t in written)]
        context._memory.settle([None if any(t is u for u in unchanged) else t for t in returned], constants)

    def _in_place(self, result: Tensor, context: PyLayerContext) -> bool:
        """True if a result is an input that was written, unless the program called `mark_not_inplace` with it."""
        marked = any(result is each for each in context._not_in_place)
        return not marked and any(each.tensor is result and each.written for each in self.inputs)

    def _check_written(self, written: Sequence[Tensor], count: int) -> None:
        """Refuses written inputs whose history cannot be rewritten."""
        for k, each in enumerate(self.inputs):
            if not each.written:
                continue
            if any(each.tensor is t for t in written):
                check_leaf(self.layer.__name__, each.tensor, write=f"{self.layer.__name__}.apply(y)")
                alone = all(o.tensor is each.tensor or o.storage is not each.storage for o in self.inputs)
                if alone and each.tensor.storage is each.storage and (each.tensor.base is None or count == 1):
                    continue
            elif each.edge is None:
                continue  # a constant, such as a running mean: `forward` may write it, as under `no_grad`
            raise errors.forward_overwrote_input(layer=self.layer.__name__, position=k, tensor=each.tensor)

    def _own(self, returned: Sequence[Tensor], written: Sequence[Tensor]) -> list[Tensor]:
        """The results as separate tensors: copies of those that share a storage with another tensor."""
        taken = {id(each.storage) for each in self.inputs}
        results: list[Tensor] = []
        for each in returned:
            if any(each is t for t in written) and not any(each is r for r in results):
                results.append(each)
                continue
            results.append(each.clone() if id(each.storage) in taken else _bare(each))
            taken.add(id(each.storage))
        return results


def _arrival(tensor: Tensor) -> Arrival:
    wanted = modes.current().recording_history and differentiable(tensor)
    return Arrival(tensor, edge(tensor) if wanted else None, tensor.storage, tensor.storage.version)


def _tensors_in(argument: Any) -> list[Tensor]:
    """An argument that is a tensor, or the tensors in a list."""
    return [t for t in (argument if isinstance(argument, list | tuple) else [argument]) if isinstance(t, Tensor)]


def _bare(tensor: Tensor) -> Tensor:
    """A tensor on the same bytes, without the state that `forward` gave it."""
    bare = over(tensor.array, tensor.storage)
    bare.overlaps = tensor.overlaps
    return bare


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
