"""Infers what Paddle's grad nodes have saved, which Paddle does not show.

What a kind of node saves was measured with PaddlePaddle 3.3.1: if a saved tensor's version is raised, backward refuses it. (What a
node saves without its elements, to know a shape, is not checked, and not listed.) Nodes that were not measured save what this
package's own table of derivatives names. `tests/recorders/test_paddle_saved.py` measures again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from inplacelab.ops.table import ROWS
from inplacelab.recorders import events

if TYPE_CHECKING:
    from inplacelab.recorders.events import Operand

    Seen = tuple[Operand, int]
    """A tensor, and its version."""

OUT = "out"
"""What recordings call the result of an operation. Further results are "out 1" and so on."""


def _nodes(names: str, operands: str, saved: str) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """For nodes with these names: what their operands are called, in the order of the arguments, and which of them they save."""
    return {
        f"{name}GradNode": (tuple(operands.split()), tuple(each.replace("_", " ") for each in saved.split()))
        for name in names.split()
    }


SAVED: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    **_nodes(
        "Abs Acos Acosh Angle Asin Asinh Atan Atanh Celu Clip Cos Cosh Cumsum Digamma Erf Gammaln Gelu Hardshrink Hardswish Hardtanh I0 "
        "LeakyRelu Lgamma Log Log10 Log1p Log2 Logit Logsigmoid Mish Pow RepeatInterleave Sin Sinh Softplus Softshrink Softsign Square "
        "Stanh Swiglu Swish Tan TanhShrink ThresholdedRelu",
        "x", "x",
    ),
    **_nodes(
        "Cholesky Erfinv Exp Expm1 Hardsigmoid Inverse LogSoftmax Reciprocal Relu Relu6 Rsqrt Selu Sigmoid Softmax Sqrt Tanh",
        "x", "out",
    ),
    **_nodes(
        "Amax Amin AsStrided Cumprod Det Elu I0e I1 Logcumsumexp Logsumexp Max Min PNorm Pool2d Prod Silu Slogdet",
        "x", "x out",
    ),
    **_nodes("Cummax Cummin Kthvalue MaxPool2dWithIndex Topk", "x", "x out_1"),
    **_nodes("Argsort", "x", "out_1"),
    **_nodes("Median", "x", "x out out_1"),
    **_nodes(
        "Atan2 BceLoss Bmm Copysign Cross Dot ElementwisePow Fmax Fmin Gammaincc Heaviside Kron Matmul Maximum Minimum Multiply Mv Prelu "
        "Remainder SigmoidCrossEntropyWithLogits",
        "x y", "x y",
    ),
    **_nodes("Dist Divide Solve", "x y", "x y out"),
    **_nodes("Lerp", "x y weight", "x y out"),
    **_nodes("Addmm Baddbmm", "input x y", "input x y"),
    **_nodes("LayerNorm InstanceNorm", "x scale bias", "x scale"),
    **_nodes("GroupNorm", "x scale bias", "x scale bias out"),
    **_nodes("BatchNorm", "x mean variance scale bias", "x mean variance scale bias out_3 out_4 out_5"),
    **_nodes("Gather GatherNd IndexAdd IndexElementwiseGet IndexElementwisePut IndexElementwisePutWithTensor IndexPut IndexSelect Scatter", "x index values", "index"),
    **_nodes("TakeAlongAxis", "x index", "x index"),
    **_nodes("PutAlongAxis", "x index values", "x index values out"),
    **_nodes("MaskedSelect MaskedFill", "x mask values", "mask"),
    **_nodes("Where", "condition x y", "condition"),
    **_nodes("Embedding", "x weight", "x"),
    **_nodes("NllLoss", "x label", "x label out_1"),
    **_nodes("CrossEntropyWithSoftmax", "x label", "label out"),
    **_nodes("KldivLoss", "x label", "label"),
    **_nodes("SetValueWithTensor", "x key values", "values"),
    **_nodes("Conv2dTranspose", "x filter", "x filter"),
    "Conv2dGradNodeFinal": (("x", "filter"), ("x", "filter")),
    **_nodes(
        "Add AddN AsComplex AsReal Assign AssignOut Cast Ceil Clone Concat Detach Diagonal DivScale Dropout Einsum Expand ExpandAs Exponential "
        "Fill FillDiagonal Flatten Flip Floor Imag Mean MeanAll Pad Real Reshape Roll Round Scale SetValue Sign Slice Split SplitWithNum "
        "Squeeze Stack StridedSlice Subtract Sum Tile Trace Transpose Tril Triu Trunc Unbind Unsqueeze Unstack ViewDtype ViewShape",
        "x", "",
    ),
    "AddNGradNodeFinal": (("x",), ()),
}  # fmt: skip
"""What nodes save, by their names. In place, the first operand is saved as a copy, which nothing shows."""


@lru_cache(maxsize=1024)
def saved_by(node: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Returns what the operands of a kind of node are called, and which of them, and of "out", it saves; None if that is not known."""
    if node in SAVED:
        return SAVED[node]
    row = next((each for each in ROWS.values() if each.node_name == node), None)
    if row is None:
        return None
    every = dict.fromkeys(name for position in range(len(row.inputs)) for name in row.keeps(position))
    return row.inputs, tuple(every)


def kept_by(
    node: str, operands: Sequence[Seen | None], results: Sequence[Seen], *, in_place: bool
) -> Iterator[events.Kept] | None:
    """Infers what a node has saved; None if nothing is known of such nodes.

    Args:
        node: its name.
        operands: the tensors of the call in the order of its arguments, with their versions before it. None for a number.
        results: its results, and their versions after it.
        in_place: whether the first result was written over the first operand.
    """
    known = saved_by(node)
    return None if known is None else _kept(*known, operands, results, in_place)


def _kept(
    names: Sequence[str], saved: Sequence[str], operands: Sequence[Seen | None], results: Sequence[Seen], in_place: bool
) -> Iterator[events.Kept]:
    for name in saved:
        if name.startswith(OUT):
            place = int(name.removeprefix(OUT) or 0)
            if place < len(results):
                yield _as_kept(name, *results[place])
        else:
            place = names.index(name)
            found = operands[place] if place < len(operands) and not (in_place and place == 0) else None
            if found is not None and _is_itself(found[0], results[0][0]):
                yield _as_kept(name, *found)


def _is_itself(operand: Operand, result: Operand) -> bool:
    """Whether an operand entered the operation as it was: one of another floating-point type is converted first, into a tensor that
    nothing shows.
    """
    floating = ("float", "bfloat", "complex")
    return operand.dtype == result.dtype or not (
        result.dtype.startswith(floating) and operand.dtype.startswith(floating)
    )


def _as_kept(name: str, operand: Operand, version: int) -> events.Kept:
    return events.Kept(name, operand.storage, operand.counter, version, operand.layout, False, operand.dtype)
