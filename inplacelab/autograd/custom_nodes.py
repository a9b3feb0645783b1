"""The grad nodes of custom operations, the tensors that they save, and the context that passes values from `forward` to `backward`.

A node of the graph has one result. An operation with several results is treated as one whose single result is the flat
vector of all of them: the `CustomNode` is that operation, and each result has a `ResultNode` with an edge to it, which puts
the result's gradient in its place in the vector, with zeros elsewhere. So the engine adds the gradients up and runs the
operation's backward once, when all have arrived, by the same rules as for any other node.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from inplacelab import errors, modes
from inplacelab.autograd import operations
from inplacelab.autograd.history import edge
from inplacelab.autograd.nodes import Gradients, Node, fitted, number
from inplacelab.autograd.saved import Saved, save
from inplacelab.layout import Shape
from inplacelab.tensor import Tensor, over


class Kept:
    """A tensor that `forward` saved for `backward`.

    Attributes:
        saved: the value, with the version at which it was saved.
        original: the tensor itself; None where the call's node belongs to its history, and so must not hold it.
        result: the position of the result that it is, or None.
        explained: False if it is unknown how it was computed from the inputs.
    """

    __slots__ = ("explained", "original", "result", "saved")

    def __init__(self, saved: Saved, original: Tensor, explained: bool) -> None:
        self.saved, self.explained = saved, explained
        self.original: Tensor | None = original
        self.result: int | None = None


class Unpacker(Protocol):
    """Gives a saved tensor its place in the history: the node whose `backward` runs."""

    def unpack(self, kept: Kept) -> Tensor:
        """Returns the tensor as it was saved."""


class Memory:
    """The saved tensors of one call, by position and by attribute name.

    Attributes:
        listed: the arguments of `save_for_backward`, in order: tensors as `Kept`, other values as they are.
        named: the tensors that were set on the context as attributes.
    """

    def __init__(self, inputs: Sequence[tuple[Tensor, Node | None]]) -> None:
        self.listed: list[Any] = []
        self.named: dict[str, Kept] = {}
        self._inputs = inputs
        self._reader: Unpacker | None = None

    @property
    def tensors(self) -> list[Kept]:
        """All saved tensors."""
        return [each for each in (*self.listed, *self.named.values()) if isinstance(each, Kept)]

    def keep(self, name: str, tensor: Tensor) -> Kept:
        """Saves a tensor, and finds its relation to the inputs."""
        for given, place in self._inputs:
            if given is tensor:
                return Kept(save(name, tensor.array, tensor.storage, place), tensor, explained=True)
        place = edge(tensor)
        return Kept(
            save(name, tensor.array, tensor.storage, place),
            tensor,
            explained=place is not None or not differentiable(tensor),
        )

    def take(self, kept: Kept) -> Tensor:
        """Returns a saved tensor: unpacked in `backward`, the tensor itself while `forward` still runs."""
        if self._reader is not None:
            return self._reader.unpack(kept)
        return over(kept.saved.array, kept.saved.storage) if kept.original is None else kept.original

    def settle(self, results: Sequence[Tensor | None], constants: Sequence[Tensor]) -> None:
        """Called after `forward`: finds its results among the saved tensors."""
        inputs, self._inputs = [given for given, _ in self._inputs], ()
        for each in self.tensors:
            original = each.original
            if any(original is constant for constant in constants):
                each.explained = True
                continue
            each.result = next((k for k, result in enumerate(results) if result is original), None)
            written = each.result is not None and any(original is given for given in inputs)
            if written or each.saved.array is None:  # the latter: packed by a hook, which unpacks it in backward
                each.original = None

    @contextmanager
    def read_by(self, node: Unpacker) -> Iterator[None]:
        """While `backward` runs: saved tensors are unpacked by its node."""
        self._reader = node
        try:
            yield
        finally:
            self._reader = None

    def forget(self) -> None:
        """Frees all saved tensors."""
        self.listed, self.named = [], {}


def differentiable(tensor: Tensor) -> bool:
    """Returns True if the elements are floating-point or complex numbers."""
    return tensor.array.dtype.kind in "fc"


class PyLayerContext:
    """The first argument, `ctx`, of `forward` and `backward`: values for backward, and marks on arguments and results.

    Any value may be set as an attribute. Tensors are then kept as by `save_for_backward`: checked by version, and without the
    reference cycle of an ordinary attribute that holds a result.
    """

    _memory: Memory
    _materialize: bool
    _not_in_place: tuple[Tensor, ...]
    _constants: tuple[Tensor, ...]

    def __init__(self, memory: Memory | None = None) -> None:
        self.__dict__.update(_memory=memory or Memory([]), _materialize=True, _not_in_place=(), _constants=())

    def save_for_backward(self, *tensors: Any) -> None:
        """Saves tensors for `backward`. If one is overwritten before `backward` uses it, backward refuses it.

        Args:
            *tensors: the tensors, which `saved_tensor()` returns in the same order; other values are kept, too.
        """
        keep = self._memory.keep
        self._memory.listed = [
            keep(f"saved_tensor()[{k}]", each) if isinstance(each, Tensor) else each for k, each in enumerate(tensors)
        ]

    def saved_tensor(self) -> tuple[Any, ...] | None:
        """Returns the saved tensors, in order; None if there are none.

        Raises:
            StaleSavedTensorError: if one of them has been overwritten since.
        """
        memory = self._memory
        return tuple(memory.take(each) if isinstance(each, Kept) else each for each in memory.listed) or None

    def mark_not_inplace(self, *tensors: Tensor) -> None:
        """Marks arguments that are returned but not as in-place results: the call returns copies of them."""
        self._not_in_place = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Marks results that need no gradient. `backward` receives zeros for them."""
        self._constants = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Sets what `backward` receives for a result without a gradient: zeros (True, the default) or None."""
        self._materialize = bool(value)

    def __setattr__(self, name: str, value: Any) -> None:
        self._memory.named.pop(name, None)
        self.__dict__.pop(name, None)
        if isinstance(value, Tensor):
            self._memory.named[name] = self._memory.keep(f"ctx.{name}", value)
        else:
            self.__dict__[name] = value

    def __getattr__(self, name: str) -> Any:
        kept = self.__dict__["_memory"].named.get(name)
        if kept is None:
            raise AttributeError(f"the context has no attribute {name!r}")
        return self._memory.take(kept)


class Side(NamedTuple):
    """The metadata of an input or a result that its gradient must match."""

    shape: Shape
    dtype: np.dtype[Any]

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=int))


def side(tensor: Tensor) -> Side:
    """Returns the metadata of a tensor."""
    return Side(tensor.array.shape, tensor.array.dtype)


class CustomNode(Node):
    """The node of one call of a `PyLayer`.

    Attributes:
        layer, context: the class whose `backward` to call, and its first argument.
        inputs: the metadata that the gradients must match.
        slots: the number of tensors in each argument; None for an argument that is a tensor.
        order: the position of the input that each edge belongs to.
        results: the metadata of the results.
    """

    __slots__ = (
        "_differentiable",
        "_released",
        "_result_nodes",
        "context",
        "inputs",
        "layer",
        "order",
        "results",
        "slots",
    )

    kind: ClassVar[str] = "GradNodePyLayer"

    def __init__(self, layer: type[Any], context: PyLayerContext, edges: Sequence[Node | None]) -> None:
        self.layer, self.context, self.edges = layer, context, tuple(edges)
        self.order: Sequence[int] = range(len(edges))
        self.inputs: Sequence[Side] = ()
        self.slots: Sequence[int | None] = ()
        self.results: Sequence[Side] = ()
        self._result_nodes: list[weakref.ref[ResultNode]] = []
        self._released = self._differentiable = False
        number(self)

    @property
    def name(self) -> str:
        return f"{self.kind}_{self.layer.__name__}"

    @property
    def saved(self) -> Sequence[Saved]:
        return tuple(kept.saved for kept in self.context._memory.tensors)

    @property
    def released(self) -> bool:
        return self._released

    def release(self) -> None:
        """Forgets the saved tensors. A layer that saved none can run again, as in PyTorch."""
        self._released = self._released or bool(self.context._memory.tensors)
        self.context._memory.forget()

    def places(self) -> list[Node]:
        """The node of each result: this one, if there is only one."""
        if len(self.results) == 1:
            return [self]
        made = [ResultNode(self, k) for k in range(len(self.results))]
        self._result_nodes = [weakref.ref(each) for each in made]
        return list(made)

    def unpack(self, kept: Kept) -> Tensor:
        """Returns a saved tensor: the same object each time, so that the program may use its `.grad`. If the gradient is
        differentiated again, another one with its place in the history, where the tensor itself does not have that.
        """
        tensor = kept.saved.unpack(self)
        if kept.original is not None and kept.saved.is_copy and kept.original.storage is not tensor.storage:
            kept.original = tensor  # the tensor itself has been overwritten since
        if kept.original is not None and (not self._differentiable or _has_place(kept)):
            return kept.original
        if kept.result is not None:
            tensor.node = self._node_of(kept.result)
        elif not kept.explained and self._differentiable:
            tensor.node = UnexplainedNode(self, kept.saved.name)
        tensor._stop = tensor.node is None
        return tensor

    def _node_of(self, result: int) -> Node:
        """The node of a result; a new one if the program dropped the old one."""
        if not self._result_nodes:
            return self
        return self._result_nodes[result]() or ResultNode(self, result)

    def apply(self, g: Tensor, wanted: Sequence[bool]) -> Gradients:
        if self._released:
            raise errors.freed_graph(node_name=self.name, node=self)
        version, self._differentiable = g.storage.version, modes.current().recording_history
        arrived = self._arrived(g)
        for each in modes.current().listeners:
            each.custom_begins(self, self.layer.backward, arrived)
        with self.context._memory.read_by(self):
            given = self.layer.backward(self.context, *arrived)
        for each in modes.current().listeners:
            each.custom_ends(self)
        if g.storage.version != version:
            raise errors.arriving_gradient_written(node_name=self.name, node=self)
        found = self._matched(given)
        return [self._form(k, found[k]) if want else None for k, want in zip(self.order, wanted, strict=True)]

    def _arrived(self, g: Tensor) -> Sequence[Tensor | None]:
        """The gradient of each result, cut out of the vector; None for one that did not arrive, if the layer asked for that."""
        if len(self.results) == 1:
            return [g]
        starts = [0, *accumulate(each.size for each in self.results)]
        came = g.numpy()[starts[-1] :] != 0
        return [
            fitted(g[start : start + each.size].reshape(list(each.shape)), each.shape, each.dtype)
            if self.context._materialize or flag
            else None
            for start, each, flag in zip(starts, self.results, came, strict=False)
        ]

    def _matched(self, given: Any) -> list[Tensor | None]:
        """The gradients that `backward` returned, one for each input; fewer are accepted if the others need none.

        Those of an argument that is a list stand in a list, or one by one among the others.
        """
        returned = list(given) if isinstance(given, tuple | list) else [given]
        if len(returned) == len(self.inputs) and not any(isinstance(each, tuple | list) for each in returned):
            return returned
        short = len(self.slots) - len(returned)
        if short < 0:
            raise errors.gradient_count_differs(node_name=self.name, expected=len(self.slots), found=len(returned))
        found: list[Tensor | None] = []
        for k, (slot, parts) in enumerate(zip(self.slots, [*returned, *[None] * short], strict=True)):
            first = len(found)
            found.extend([parts] if slot is None else self._several(parts, slot))
            if k >= len(returned) and any(self._needs(each) for each in range(first, len(found))):
                raise errors.gradient_missing(node_name=self.name, position=k)
        return found

    def _several(self, parts: Any, count: int) -> Sequence[Tensor | None]:
        """The gradients of an argument that is a list."""
        if parts is None:
            return [None] * count
        if not isinstance(parts, tuple | list):
            raise errors.gradient_is_not_a_tensor(node_name=self.name, found=parts)
        if len(parts) != count:
            raise errors.gradient_count_differs(node_name=self.name, expected=count, found=len(parts))
        return parts

    def _needs(self, position: int) -> bool:
        """True if the input at this position needs a gradient."""
        return self.edges[list(self.order).index(position)] is not None

    def _form(self, position: int, gradient: Any) -> Tensor | None:
        """A gradient in the form of its input: summed where it was broadcast, cast, and a copy in any case.

        The engine adds gradients up in place, and the program may have kept the gradient or returned it twice.
        """
        if gradient is None:
            return None
        if not isinstance(gradient, Tensor):
            raise errors.gradient_is_not_a_tensor(node_name=self.name, found=gradient)
        expected = self.inputs[position]
        if not _reaches(expected.shape, gradient.array.shape):
            raise errors.gradient_shape_differs(
                node_name=self.name, position=position, found=gradient.shape, expected=expected.shape
            )
        formed = fitted(gradient, expected.shape, expected.dtype)
        return operations.ops.clone(formed) if formed is gradient or formed.storage is gradient.storage else formed


def _has_place(kept: Kept) -> bool:
    """True if a saved tensor still has the place in the history that it had when it was saved."""
    original = kept.original
    return original is not None and kept.explained and kept.result is None and edge(original) is kept.saved.edge


def _reaches(shape: Shape, larger: Shape) -> bool:
    """True if a tensor of `shape` can be broadcast to `larger`."""
    try:
        return np.broadcast_shapes(shape, larger) == larger
    except ValueError:
        return False


class ResultNode(Node):
    """The node of one of several results: puts its gradient into the vector of all, and a one at the end as a sign that it arrived."""

    __slots__ = ("position",)

    def __init__(self, custom: CustomNode, position: int) -> None:
        self.edges, self.position = (custom,), position
        number(self)

    @property
    def _custom(self) -> CustomNode:
        (custom,) = self.edges
        assert isinstance(custom, CustomNode)
        return custom

    @property
    def name(self) -> str:
        return f"{self._custom.name}.{self.position}"

    def apply(self, g: Tensor, wanted: Sequence[bool]) -> Gradients:  # noqa: ARG002  # its one edge is always wanted
        ops, results = operations.ops, self._custom.results
        start = sum(each.size for each in results[: self.position])
        total = sum(each.size for each in results)
        common = np.result_type(*(each.dtype for each in results if each.dtype.kind in "fc"))
        wide = g if g.array.dtype == common else ops.cast(g, common)
        vector = ops.zeros(wide, (total + len(results),))
        ops.set_part(vector, slice(start, start + results[self.position].size), ops.reshape(wide, (-1,)))
        ops.set_part(vector, total + self.position, 1.0)
        return (vector,)


class UnexplainedNode(Node):
    """The node of a value that `forward` computed and saved, whose relation to the inputs is unknown: refuses a gradient."""

    __slots__ = ("_custom_name", "_saved_name")

    kind: ClassVar[str] = "UnexplainedNode"

    def __init__(self, custom: CustomNode, saved_name: str) -> None:
        self.edges, self._custom_name, self._saved_name = custom.edges, custom.name, saved_name
        number(self)

    def apply(self, g: Tensor, wanted: Sequence[bool]) -> Gradients:  # noqa: ARG002
        raise errors.saved_without_history(node_name=self._custom_name, saved_name=self._saved_name, node=self)
