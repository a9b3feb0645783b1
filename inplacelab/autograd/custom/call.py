"""One call of a custom operation: its inputs, and the history of its results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from inplacelab import errors, modes
from inplacelab.autograd.custom.context import PyLayerContext
from inplacelab.autograd.custom.kept_tensors import differentiable
from inplacelab.autograd.custom.node import CustomNode, side
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
