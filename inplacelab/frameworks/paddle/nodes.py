"""Emits events that describe Paddle's grad nodes, which are known by their addresses.

A node lives as long as a known tensor or another known node leads to it. The result of an operation may still be a new node at a known
address, if an old one has died unseen: then its name or its edges differ.

Paddle does not show what nodes have saved, so that is inferred. What a kind of node saves was measured with PaddlePaddle 3.3.1: if a saved
tensor's version is raised, backward refuses it. (What a node saves without its elements, to know a shape, is not checked, and not listed.)
Nodes that were not measured save what this package's own table of derivatives names. `tests/recorders/test_paddle_saved.py` measures again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from inplacelab.frameworks.paddle.readings import LEAF_NODE
from inplacelab.layout import is_packed
from inplacelab.ops.table import ROWS
from inplacelab.recorders import events
from inplacelab.recorders.events import INFERRED
from inplacelab.recorders.known_objects import KnownNode, KnownNodes

INPUTS = ("x", "y", *(f"input {k}" for k in range(2, 256)))
"""The names of inputs by their positions."""


class PaddleNodes(KnownNodes):
    """Emits events about grad nodes.

    Attributes:
        made: the nodes that were described since the list was last cleared: their numbers and names.
    """

    def __init__(self, objects: Any) -> None:
        super().__init__(objects)
        self.made: list[tuple[int, str]] = []
        self._leaves: dict[int, Any] = {}  # known tensors, by the address of their accumulation node

    def forget(self) -> None:
        self._leaves.clear()
        self.made.clear()
        super().forget()

    def key_of(self, node: Any) -> int:
        address: int = node.node_ptr()
        return address

    def node(self, node: Any) -> int | None:
        """Returns the number of a node. Describes it first if it is new, with every new node reachable from it."""
        if node is None:
            return None
        address = node.node_ptr()
        if self._objects.reporting and address in self._numbers and not self._is_same(node, address):
            self._lost(address)
        number = self._numbers.get(address)
        return number if number in self._nodes else self._reached(node, address)

    def _is_same(self, node: Any, address: int) -> bool:
        """Whether the node at an address is the one that was known there."""
        known = self._nodes.get(self._numbers[address])
        return known is not None and known.name == node.name() and known.after == _addresses(node)

    def _lost(self, address: int) -> None:
        """Notes that a node has died unseen, and another one has its address."""
        number = self._numbers.pop(address)
        self._counts.pop(number, None)
        for each in self._gone(number):
            self.count(each, -1)

    def name_of(self, number: int | None) -> str:
        """Returns the name of a node; "" if it is not known."""
        return "" if number is None or number not in self._nodes else self._nodes[number].name

    def leaf_is(self, node: Any, known: Any) -> None:
        """Notes whose gradient a node accumulates."""
        self._leaves[node.node_ptr()] = known

    def own_leaf(self, node: Any, known: Any) -> None:
        """Notes the node that accumulates the gradient of what a tensor was before it was written with a history, given its node now."""
        for each in () if node is None else node.next_functions[:1]:
            if each is not None and each.name() == LEAF_NODE:
                self._leaves.setdefault(each.node_ptr(), known)

    def leaf_of(self, address: int) -> Any:
        """Returns the leaf whose gradient a node accumulates."""
        return self._leaves.get(address)

    def leaf_died(self, known: Any) -> None:
        """Notes that a tensor is gone."""
        for address, leaf in self._leaves.copy().items():
            if leaf is known:
                self._leaves.pop(address, None)

    def saved(self, number: int, kept: tuple[events.Kept, ...]) -> None:
        """Emits what a node is inferred to have saved."""
        if kept and number in self._nodes:
            self._keep(self._nodes[number], kept)
            self._emit(events.Saved(number, kept, origin=INFERRED))

    def release(self, numbers: Sequence[int]) -> None:
        """Emits that nodes have released what they had saved."""
        released = [number for number in numbers if number in self._nodes]
        self._emit(events.Released(tuple(released), origin=INFERRED))
        for number in released:
            self._nodes[number].released = True
            self._keep(self._nodes[number], ())

    def _keep(self, node: KnownNode, kept: tuple[events.Kept, ...]) -> None:
        before, node.kept = node.kept, kept
        for each in kept:
            self._objects.storages.keeps(each.storage, 1)
        for each in before:
            self._objects.storages.keeps(each.storage, -1)

    def _describe(self, node: Any, key: Any, edges: tuple[int | None, ...], after: tuple[Any, ...]) -> None:
        number, name = self._numbers[key], node.name()
        self._nodes[number] = KnownNode(key, edges, name=name, after=after)
        for each in edges:
            self.count(each, 1)
        leaf = self._leaves.get(key) if name == LEAF_NODE else None
        inputs = tuple(INPUTS[: len(edges)]) if len(edges) > 1 else ("x",)
        belongs = name != LEAF_NODE and self._objects.reporting
        if name == LEAF_NODE:
            edges = ()
        self._emit(events.NodeMade(
            number, name, inputs, edges, (), False, None if leaf is None else leaf.number, belongs
        ))  # fmt: skip
        if belongs:
            self.made.append((number, name))

    def _gone(self, number: int) -> tuple[int | None, ...]:
        gone = self._nodes.get(number)
        edges = super()._gone(number)
        if gone is not None:
            self._keep(gone, ())
        return edges


def _addresses(node: Any) -> tuple[int | None, ...]:
    return tuple([None if each is None else each.node_ptr() for each in node.next_functions])


if TYPE_CHECKING:
    from inplacelab.recorders.events import Operand

    Seen = tuple[Operand, int]
    """A tensor, and its version."""

OUT = "out"
"""What recordings call the result of an operation. Further results are "out 1" and so on."""


def _nodes(names: str, operands: str, saved: str) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """For nodes with these names: what their operands are called, in the order of the arguments, and which of them they save."""
    given, kept = (tuple([each.replace("_", " ") for each in some.split()]) for some in (operands, saved))
    return {f"{name}GradNode": (given, kept) for name in names.split()}


_MANY = "x y " + " ".join(f"input_{k}" for k in range(2, 40))
"""The operands of nodes that take a list of them."""

SAVED: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    **_nodes(
        "Abs Acos Acosh Angle Asin Asinh Atan Atanh Celu Clip Cos Cosh Crop Cumsum Digamma Erf Frame Gammaln Gelu Hardshrink Hardswish Hardtanh I0 "
        "LeakyRelu Lgamma Log Log10 Log1p Log2 Logit Logsigmoid Mish Pow RepeatInterleave Sin Sinh Softplus Softshrink Softsign Square "
        "Stanh Swish Tan TanhShrink TensorUnfold ThresholdedRelu",
        "x", "x",
    ),
    **_nodes(
        "Cholesky Erfinv Exp Expm1 GumbelSoftmax Hardsigmoid Inverse LogSoftmax Reciprocal Relu Relu6 Rsqrt Selu Sigmoid Softmax Sqrt Tanh",
        "x", "out",
    ),
    **_nodes(
        "Amax Amin AsStrided Cumprod Det Elu I0e I1 I1e Logcumsumexp Logsumexp LpPool2d MatrixPower Max Maxout Min PNorm Pool2d Pool3d Prod Silu "
        "Slogdet",
        "x", "x out",
    ),
    **_nodes("Cummax Cummin Kthvalue MaxPool2dWithIndex MaxPool3dWithIndex Mode Rrelu Topk", "x", "x out_1"),
    **_nodes("Argsort Eigvalsh", "x", "out_1"),
    **_nodes("Eig Eigh", "x", "out out_1"),
    **_nodes("Lu Median Nanmedian Qr", "x", "x out out_1"),
    **_nodes("Svd", "x", "x out out_1 out_2"),
    **_nodes(
        "Atan2 BceLoss Bmm Copysign Cross Dot ElementwisePow Fmax Fmin Gammaincc GridSample Heaviside Kron Matmul Maximum Minimum Multiply Mv Prelu "
        "ReduceAs Remainder SigmoidCrossEntropyWithLogits Swiglu",
        "x y", "x y",
    ),
    **_nodes("CholeskySolve Dist Divide Solve TriangularSolve", "x y", "x y out"),
    **_nodes("Lerp", "x y weight", "x y weight out"),
    **_nodes("Addmm Baddbmm", "input x y", "input x y"),
    **_nodes("Bilinear", "x y weight", "x y weight"),
    **_nodes("Complex", "real imag", "real imag"),
    **_nodes("LogLoss", "x label", "x label"),
    **_nodes("LayerNorm InstanceNorm", "x scale bias", "x scale"),
    **_nodes("GroupNorm", "x scale bias", "x scale bias out"),
    **_nodes("BatchNorm", "x mean variance scale bias", "x mean variance scale bias out_3 out_4 out_5"),
    **_nodes("Gather GatherNd IndexAdd IndexElementwiseGet IndexElementwisePut IndexElementwisePutWithTensor IndexPut IndexSample IndexSelect Scatter ScatterNdAdd", "x index values", "index"),
    **_nodes("TakeAlongAxis", "x index", "x index"),
    **_nodes("PutAlongAxis", "x index values", "x index values out"),
    **_nodes("MaskedSelect MaskedFill", "x mask values", "mask"),
    **_nodes("Where", "condition x y", "condition"),
    **_nodes("Embedding", "x weight", "x"),
    **_nodes("NllLoss", "x label weight", "x label weight out_1"),
    **_nodes("CrossEntropyWithSoftmax", "x label", "label out"),
    **_nodes("KldivLoss", "x label", "label"),
    **_nodes("SetValueWithTensor", "x key values", "values"),
    **_nodes("Conv2dTranspose Conv3d Conv3dTranspose DepthwiseConv2d DepthwiseConv2dTranspose", "x filter", "x filter"),
    **_nodes("DeformableConv", "x offset filter mask", "x offset filter mask"),
    **_nodes("RepeatInterleaveWithTensorIndex", "x index", "x index"),
    **_nodes("Unpool", "x index", "x index out"),
    **_nodes("RoiAlign", "x boxes counts", "boxes counts"),
    **_nodes("RoiPool", "x boxes counts", "x boxes counts out_1"),
    **_nodes("SegmentPool", "x index", "x index out out_1"),
    **_nodes("SendURecv", "x sources targets", "x sources targets out"),
    **_nodes("SendUeRecv", "x y sources targets", "x y sources targets out"),
    **_nodes("SendUv", "x y sources targets", "x y sources targets"),
    **_nodes("Meshgrid MultiDot Multiplex", _MANY, _MANY),
    **_nodes("Rnn", _MANY, f"{_MANY} out out_1 out_2 out_3 out_4"),
    **_nodes("Einsum", "x", "x=out_1 y=out_2"),
    "Conv2dGradNodeFinal": (("x", "filter"), ("x", "filter")),
    **_nodes(
        "Add AddN AffineGrid AsComplex AsReal Assign AssignOut BicubicInterp BilinearInterp BroadcastTensors Cast Ceil ChannelShuffle Clone Concat Detach Diagonal DivScale Dropout Expand ExpandAs Exponential "
        "FftC2c FftC2r FftR2c Fill FillDiagonal Flatten Flip Floor Fold HuberLoss Imag LabelSmooth LinearInterp Mean MeanAll NearestInterp Pad Pad3d PixelShuffle PixelUnshuffle Real Reshape Roll Round Scale SetValue Sign Slice Split SplitWithNum "
        "Squeeze Stack StridedSlice Subtract Sum TemporalShift Tile Trace Transpose Tril TrilinearInterp Triu Trunc Unbind Unfold Unsqueeze Unstack ViewDtype ViewShape",
        "x", "",
    ),
    "AddNGradNodeFinal": (("x",), ()),
}  # fmt: skip
"""What nodes save, by their names; "x=out 1" is the operand `x`, which is shown as a result. In place, the operand that is written is saved as a copy, which nothing shows."""

_IN_ORDER = (
    "Addmm Angle Atan2 Baddbmm BatchNorm Bilinear Bmm CholeskySolve Clip Conv2dTranspose Crop Cumprod Cumsum DepthwiseConv2d Det Digamma "
    "Dist Dot ElementwisePow Erf Frame Gammaincc Gammaln Gelu GridSample GroupNorm Hardshrink Hardswish I0 I0e I1 I1e InstanceNorm Kron "
    "Kthvalue LayerNorm Lerp Lgamma LogLoss Logcumsumexp Logit Logsumexp LpPool2d MatrixPower Maxout Median Mode Mv Nanmedian NllLoss "
    "PNorm Pool2d Pow PutAlongAxis Qr ReduceAs RepeatInterleaveWithTensorIndex Rnn RoiPool Rrelu SegmentPool SendURecv SendUeRecv SendUv "
    "Slogdet Stanh Svd Swiglu Swish TanhShrink ThresholdedRelu Topk TriangularSolve"
)
"""Nodes of operations that read elements in order: an operand with other strides is copied first, and the node saves the copy."""


@lru_cache(maxsize=1024)
def saved_operands(node: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Returns what the operands of a kind of node are called, and which of them, and of "out", it saves; None if that is not known."""
    if node in SAVED:
        return SAVED[node]
    row = next((each for each in ROWS.values() if each.node_name == node), None)
    if row is None:
        return None
    every = dict.fromkeys(name for position in range(len(row.inputs)) for name in row.keeps(position))
    return row.inputs, tuple(every)


def inferred_kept(
    node: str, operands: Sequence[Seen | None], results: Sequence[Seen], *, in_place: bool
) -> Iterator[events.Kept] | None:
    """Infers what a node has saved; None if nothing is known of such nodes.

    Args:
        node: its name.
        operands: the tensors of the call in the order of its arguments, with their versions before it. None for a number.
        results: its results, and their versions after it.
        in_place: whether the first result was written over the first operand.
    """
    known = saved_operands(node)
    if known is None:
        return None
    if node.removesuffix("GradNode") in _IN_ORDER.split():
        operands = [None if each is None or not is_packed(each[0].layout) else each for each in operands]
    return _kept(*known, operands, results, in_place)


def _kept(
    names: Sequence[str], saved: Sequence[str], operands: Sequence[Seen | None], results: Sequence[Seen], in_place: bool
) -> Iterator[events.Kept]:
    same = (place for place, each in enumerate(operands) if each and each[0].tensor == results[0][0].tensor)
    replaced = next(same, None) if in_place else None
    for each in saved:
        name, _, result = each.partition("=")
        result = result or name
        if result.startswith(OUT):
            place = int(result.removeprefix(OUT) or 0)
            if place < len(results):
                yield as_kept(name, *results[place])
        else:
            place = names.index(name)
            found = operands[place] if place < len(operands) and place != replaced else None
            if found is not None and _is_itself(name, found[0], results[0][0]):
                yield as_kept(name, *found)


def _is_itself(name: str, operand: Operand, result: Operand) -> bool:
    """Whether an operand entered the operation as it was: one of another floating-point type, or a mask for an index, is converted first,
    into a tensor that nothing shows.
    """
    if name in ("real", "imag") or (name == "index" and operand.dtype == "bool"):
        return name != "index"
    real = ("float", "bfloat")
    wider = (*real, "complex") if operand.dtype.startswith(real) else ("complex",)
    is_converted = operand.dtype.startswith((*real, "complex")) and result.dtype.startswith(wider)
    return operand.dtype == result.dtype or not is_converted


def as_kept(name: str, operand: Operand, version: int) -> events.Kept:
    """Returns a tensor that a node has saved, at a version."""
    return events.Kept(name, operand.storage, operand.counter, version, operand.layout, False, operand.dtype)
