"""Shapes, axes and indices that do not fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inplacelab.errors.kinds import AxisError, IndexKindError, IndexRangeError, ShapeError
from inplacelab.language import Text


def _listed(values: Any) -> Any:
    """A sequence as a list; anything else as it is."""
    return list(values) if isinstance(values, Sequence) else values


# ---- shapes, axes, indices --------------------------------------------------------------------------------------------


def cannot_broadcast(op: str, x: Sequence[int], y: Sequence[int]) -> ShapeError:
    return ShapeError(
        f"(InvalidArgument) Broadcast dimension mismatch. Operands could not be broadcast together with the shape of "
        f"X = {list(x)} and the shape of Y = {list(y)}.",
        Text(
            "`{op}` compares shapes from the right; in each place they must be equal, or one of them 1.",
            "`{op}` 从右往左比较形状；每一维必须相等，或其中之一为 1。",
        ).format(op=op),
        Text("reshape one of the operands so that the shapes fit.", "先调整其中一个操作数的形状，使二者匹配。"),
    )


def cannot_multiply(x: Sequence[int], y: Sequence[int]) -> ShapeError:
    left, right = max(len(x) - 1, 0), max(len(y) - 2, 0)
    return ShapeError(
        f"(InvalidArgument) In operator matmul, the [{left}] dimension of Input(X) must be equal to the [{right}] dimension of "
        f"Input(Y). But receiving the shape of X = {list(x)} and the shape of Y = {list(y)}.",
        Text(
            "each row of X is multiplied with a column of Y: their lengths must agree.",
            "X 的每一行与 Y 的每一列相乘，长度必须相等。",
        ),
        Text("transpose or reshape one of them.", "转置或调整其中一个的形状。"),
    )


def cannot_reshape(shape: Sequence[int], wanted: Sequence[int], size: int) -> ShapeError:
    return ShapeError(
        f"(InvalidArgument) The 'shape' in ReshapeOp is invalid. The input tensor X'size must be equal to the capacity of "
        f"'shape'. But received X's shape = {list(shape)}, X's size = {size}, 'shape' is {_listed(wanted)}.",
        Text(
            "a reshape keeps every element: the products of the two shapes must agree.",
            "reshape 不增减元素：两个形状的乘积必须相等。",
        ),
        Text(
            "choose sizes whose product is {size}; one of them may be -1.",
            "选择乘积为 {size} 的各维大小；其中一个可以写作 -1。",
        ).format(size=size),
    )


def two_unknown_sizes(wanted: Sequence[int]) -> ShapeError:
    return ShapeError(
        f"(InvalidArgument) Only one dimension value of 'shape' in ReshapeOp can be -1. But received shape = {list(wanted)}.",
        Text(
            "only one unknown size can be worked out from the number of elements.",
            "由元素个数只能推出一个未知的维度大小。",
        ),
        Text("write the other sizes as numbers.", "把其余的大小写成具体数字。"),
    )


def bad_axis(axis: int, rank: int) -> AxisError:
    return AxisError(
        f"(InvalidArgument) The axis is expected to be in range of [{-rank}, {rank}), but got {axis}.",
        Text("the tensor has {rank} axes.", "该张量有 {rank} 个轴。").format(rank=rank),
        Text("count axes from 0, or from the end with negative numbers.", "轴从 0 开始计数，也可用负数从末尾计数。"),
    )


def bad_permutation(perm: Sequence[int], rank: int) -> AxisError:
    return AxisError(
        f"(InvalidArgument) The input axis {_listed(perm)} must be a permutation of the {rank} axes. Each element of axis should "
        "be unique.",
        Text("a transpose moves every axis to a place of its own.", "转置把每个轴移到各自的位置。"),
        Text("name each of 0 to {last} once.", "把 0 到 {last} 各写一次。").format(last=max(rank - 1, 0)),
    )


def bad_rank(op: str, rank: int, most: int) -> ShapeError:
    return ShapeError(
        f"Input(input) only support N-D (N<={most}) tensor, but received length of Input(input) is {rank}.",
        Text("`{op}` is the transpose of a matrix.", "`{op}` 是矩阵的转置。").format(op=op),
        Text("use `transpose(perm)` for more axes.", "轴更多时请使用 `transpose(perm)`。"),
    )


def index_out_of_range(index: int, axis: int, size: int) -> IndexRangeError:
    return IndexRangeError(
        f"(OutOfRange) The starting index {index} of slice is out of bounds in tensor {axis}-th axis, it should be in the "
        f"range of [{-size}, {size}).",
        Text("axis {axis} has {size} elements.", "第 {axis} 轴有 {size} 个元素。").format(axis=axis, size=size),
        Text("use an index inside that range.", "请使用该范围内的下标。"),
    )


def too_many_indices(given: int, rank: int, excess: Any) -> IndexRangeError:
    return IndexRangeError(
        f"(OutOfRange) The starting index {excess} of slice is out of bounds in tensor {rank}-th axis, it should be in the "
        "range of [0, 0).",
        Text("{given} indices were given for {rank} axes.", "给出了 {given} 个下标，而张量只有 {rank} 个轴。").format(
            given=given, rank=rank
        ),
        Text("use at most {rank} indices.", "最多使用 {rank} 个下标。").format(rank=rank),
    )


def bad_index(index: Any) -> IndexKindError:
    return IndexKindError(
        f"(InvalidType) A tensor cannot be indexed with {type(index).__name__}: {index!r}.",
        Text(
            "an index is an integer, a slice, None, `...`, a list of integers, or a tensor of integers or booleans.",
            "下标可以是整数、切片、None、`...`、整数列表，或整数/布尔张量。",
        ),
        Text("convert it first.", "请先转换。"),
    )
