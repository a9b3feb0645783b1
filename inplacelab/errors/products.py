"""Matrices and vectors that cannot be multiplied, and norms that cannot be taken."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inplacelab.errors.kinds import ArgumentError, AssertedArgumentError, KernelError, ShapeError
from inplacelab.language import Text


def not_matrices(op: str, rank: int, x: Sequence[int], y: Sequence[int]) -> ShapeError:
    return ShapeError(
        f"The dimension of x, y should be {rank} but receive x's shape: {list(x)}, y's shape: {list(y)}.",
        Text("`{op}` is defined for exactly these numbers of axes.", "`{op}` 只对确定的轴数有定义。").format(op=op),
        Text("use `matmul`, or `unsqueeze` an axis.", "请使用 `matmul`，或用 `unsqueeze` 添加一个轴。"),
    )


def no_dot(x: Sequence[int], y: Sequence[int]) -> KernelError:
    return KernelError(
        f"(PreconditionNotMet) ShapeError: The shape of input tensor X: {list(x)} should be exactly the same with input tensor Y: "
        f"{list(y)}, of 1 or 2 dimensions",
        Text("`dot` pairs the elements of two vectors of one length.", "`dot` 把两个等长向量的元素逐一配对。"),
        Text("use `matmul` for matrices, or slice to one length.", "矩阵请使用 `matmul`，或截取为相同长度。"),
    )


def no_norm(op: str, p: Any) -> ArgumentError:
    return ArgumentError(
        f"(InvalidArgument) {op}(): argument 'p' got {p!r}, for which the norm is not defined here.",
        Text(
            "vectors have a norm for each number p; over two axes here only the Frobenius norm is taken.",
            "向量对每个数 p 都有范数；对两个轴，这里只计算 Frobenius 范数。",
        ),
        Text("give a number, or 'fro'; reshape to have one axis.", "请给出数字或 'fro'；或先变形为一个轴。"),
    )


def bad_bound(op: str, argument: str, value: Any, at_least: Text) -> ArgumentError:
    """A bound for a norm that no tensor could meet, or a norm that is none."""
    return ArgumentError(
        f"(InvalidArgument) {op}(): argument '{argument}' got {value!r}.",
        Text("rows are shortened to a length, which is not negative.", "各行被缩短到某个长度，而长度不为负。"),
        Text("possible: {possible}.", "可用取值：{possible}。").format(possible=at_least),
    )


def bad_weight(shape: Sequence[int]) -> ShapeError:
    return ShapeError(
        f"(InvalidArgument) Attr(axis) value should be in range [-R, R-1], R is the rank of Input(X). But received weight of shape {list(shape)}.",
        Text(
            "the weight of an embedding has a row for each word: two axes or more.",
            "嵌入的权重每个词一行：至少两个轴。",
        ),
        Text("use a weight of shape [words, features].", "请使用形状为 [词数, 特征数] 的权重。"),
    )


def nothing_to_choose(axis: int) -> ArgumentError:
    return ArgumentError(
        f"(InvalidArgument) Cannot perform reduction along an axis ({axis}) that has a size of 0.",
        Text("of no elements none is the largest or the smallest.", "没有元素，就没有最大或最小的元素。"),
        Text("use a tensor that has elements along this axis.", "请使用沿该轴有元素的张量。"),
    )


def no_place_dtype(dtype: str) -> ArgumentError:
    return ArgumentError(
        f"(InvalidArgument) The attribute of dtype in argmin/argmax must be [int32] or [int64], but received [{dtype}]",
        Text("a place is counted, so it is an integer.", "位置是数出来的，因此是整数。"),
        Text("choose 'int32' or 'int64'.", "请选择 'int32' 或 'int64'。"),
    )


# ---- sums of products, said by letters ------------------------------------------------------------------------------------


def operands_are_not_as_many(operands: int, terms: int) -> AssertedArgumentError:
    return AssertedArgumentError(
        f"Invalid equation: the number of operands is {operands}, but found {terms} segments in the label equation.",
        Text("each operand has its own letters, with commas between them.", "每个操作数有各自的字母，以逗号分隔。"),
        Text("write as many groups of letters as there are tensors.", "字母组的个数应与张量的个数相同。"),
    )


def equation_does_not_fit(term: str, rank: int) -> AssertedArgumentError:
    return AssertedArgumentError(
        f"Invalid equation: the label string '{term}' misses dimensions.",
        Text(
            "the tensor has {rank} axes, and each needs one letter; an ellipsis (`...`) stands for any number.",
            "该张量有 {rank} 个轴，每个轴需要一个字母；省略号（`...`）可代表任意多个轴。",
        ).format(rank=rank),
        Text("compare the letters with `x.ndim`.", "请将字母的个数与 `x.ndim` 比较。"),
    )


def result_of_no_operand(result: str) -> ArgumentError:
    return ArgumentError(
        f"(InvalidArgument) einsum(): the result '{result}' must consist of labels of the operands, each once.",
        Text("an axis of the result comes from an axis of an operand.", "结果的轴来自操作数的轴。"),
        Text(
            "write letters behind `->` that stand before it, each once.",
            "`->` 之后只写在它之前出现过的字母，各写一次。",
        ),
    )


def sizes_of_a_label_differ(label: str, first: int, second: int) -> ArgumentError:
    return ArgumentError(
        f"(InvalidArgument) Same label have different shapes for label: `{label}`",
        Text(
            "one axis has {first} elements, another {second}.", "一个轴有 {first} 个元素，另一个有 {second} 个。"
        ).format(first=first, second=second),
        Text("give axes of different sizes different letters.", "大小不同的轴请用不同的字母。"),
    )
