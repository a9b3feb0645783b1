"""Indices, masks and values that do not fit the tensor that they are to read or write."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from inplacelab.errors.kinds import (
    ArgumentError,
    AssertedArgumentError,
    AxisNameError,
    DTypeError,
    IndexRangeError,
    KernelError,
    OperandError,
    Refusal,
    ShapeError,
    UnsupportedError,
)
from inplacelab.language import Text

_Kind = TypeVar("_Kind", bound=Refusal)


def beyond_the_axis(op: str, index: int, size: int) -> IndexRangeError:
    """As `gather`, `scatter` and `put_along_axis` refuse it in Paddle."""
    return IndexRangeError(_beyond(op, index, size), *_inside(size))


def beyond_the_axis_value(op: str, index: int, size: int) -> ArgumentError:
    """As `index_select` and `index_add` refuse it in Paddle."""
    return ArgumentError(_beyond(op, index, size), *_inside(size))


def beyond_the_axis_unbroadcast(op: str, index: int, size: int) -> KernelError | IndexRangeError:
    """As `put_along_axis` with `broadcast=False` refuses it in Paddle, which checks the upper end apart."""
    kind = KernelError if index >= size else IndexRangeError
    return kind(_beyond(op, index, size), *_inside(size))


def _beyond(op: str, index: int, size: int) -> str:
    kind = "OutOfRange" if op not in ("index_select", "index_add") else "InvalidArgument"
    return (
        f"({kind}) Variable value (index) of OP({op}) expected >= -{size} and < {size}, but got {index}. "
        "Please check input value."
    )


def _inside(size: int) -> tuple[Text, Text]:
    return (
        Text("the axis has {size} elements; nothing was written.", "该轴有 {size} 个元素；没有写入任何内容。").format(
            size=size
        ),
        Text(
            "use indices from 0 to {last}, or negative ones that count from the end.",
            "请使用 0 到 {last} 的下标，或从末尾计数的负下标。",
        ).format(last=max(size - 1, 0)),
    )


def axis_beyond(axis: int, rank: int) -> IndexRangeError:
    return IndexRangeError(
        f"(OutOfRange) Attr(axis) is out of range, It's expected to be in range of [{-rank}, {rank - 1}]. But received "
        f"Attr(axis) = {axis}.",
        Text("the tensor has {rank} axes.", "该张量有 {rank} 个轴。").format(rank=rank),
        Text("count axes from 0, or from the end with negative numbers.", "轴从 0 开始计数，也可用负数从末尾计数。"),
    )


def index_dtype(op: str, dtype: str) -> OperandError:
    return OperandError(
        f"(InvalidArgument) {op}: Input(Index) holds the wrong type, it holds {dtype}, but desires to be int32 or int64",
        Text("positions are counted, so they are integers.", "位置是数出来的，因此必须是整数。"),
        Text("cast the index: `index.astype('int64')`.", "转换下标：`index.astype('int64')`。"),
    )


def index_rank(op: str, shape: Sequence[int]) -> ShapeError:
    return ShapeError(
        f"(InvalidArgument) {op}: the 'shape' of Input(Index) must be 1-D tensor. But received: the 'shape' of Input(Index) is "
        f"{list(shape)}, the dimension of Input(Index) is [{len(shape)}].",
        Text("the index is a list of positions along one axis.", "下标是沿一个轴的位置列表。"),
        Text("flatten it, or use `index_put` for several axes.", "先展平；若涉及多个轴，请使用 `index_put`。"),
    )


def index_of_other_rank(op: str) -> ShapeError:
    return ShapeError(
        "`indices` and `arr` must have the same number of dimensions!",
        Text(
            "`{op}` reads one index for each place of the result, so both have the same axes.",
            "`{op}` 为结果的每个位置读取一个下标，因此两者的轴数相同。",
        ).format(op=op),
        Text("add axes of one element with `unsqueeze`.", "用 `unsqueeze` 添加长度为 1 的轴。"),
    )


def index_too_large(index: Sequence[int], target: Sequence[int], axis: int) -> KernelError:
    return KernelError(
        f"Size does not match: expected index {list(index)} to be smaller than self {list(target)} apart from dimension {axis} "
        "and to be smaller size than values",
        Text(
            "off the axis an index stands for its own place, which must exist.",
            "在该轴之外，下标代表它自己所在的位置，而这个位置必须存在。",
        ),
        Text("slice the index, or let it be broadcast.", "截取下标，或让它广播。"),
    )


def axis_asserted(rank: int) -> AxisNameError:
    return AxisNameError(
        f"'axis'  must be in the range of [{-rank}, {rank})",
        Text("the tensor has {rank} axes.", "该张量有 {rank} 个轴。").format(rank=rank),
        Text("count axes from 0, or from the end with negative numbers.", "轴从 0 开始计数，也可用负数从末尾计数。"),
    )


def index_not_integer(op: str, dtype: str) -> DTypeError:
    return DTypeError(
        f"The data type of indices should be one of ['int32', 'int64'], but got {dtype}",
        Text("`{op}` counts positions, so they are integers.", "`{op}` 的位置是数出来的，因此必须是整数。").format(
            op=op
        ),
        Text("cast the index: `index.astype('int64')`.", "转换下标：`index.astype('int64')`。"),
    )


def not_indices(given: Any) -> OperandError:
    return OperandError(
        "(InvalidArgument) index_put(): argument 'indices' (position 1) must be list of Tensors, but got "
        f"{'empty list' if given in ((), []) else type(given).__name__}",
        Text("there is one tensor for each axis from the first on.", "从第一个轴开始，每个轴对应一个张量。"),
        Text("write `(index,)` for the first axis alone.", "只索引第一个轴时，请写 `(index,)`。"),
    )


def other_dtype(op: str, argument: str, wanted: str, given: str, *, asserted: bool = False) -> Refusal:
    """A value of another dtype than the tensor that it is written into (`asserted`: where Paddle has an `assert`)."""
    kind = AssertedArgumentError if asserted else OperandError
    return kind(
        f"(InvalidArgument) {op}: the type of data we are trying to retrieve ({wanted}) does not match the type of data ({given}) "
        "currently contained in the container.",
        Text(
            "`{argument}` is written without conversion, so that no digits are lost unnoticed.",
            "`{argument}` 按原样写入，不作转换，以免悄悄丢失精度。",
        ).format(argument=argument),
        Text("cast it: `{argument}.astype('{wanted}')`.", "先转换：`{argument}.astype('{wanted}')`。").format(
            argument=argument, wanted=wanted
        ),
    )


def not_a_mask(op: str, dtype: str) -> AssertedArgumentError:
    return AssertedArgumentError(
        f"(InvalidArgument) {op}: the mask must be of dtype bool, but got {dtype}.",
        Text("a mask says yes or no for each element.", "掩码对每个元素回答是或否。"),
        Text("compare, or cast: `mask.astype('bool')`.", "用比较得到掩码，或转换：`mask.astype('bool')`。"),
    )


def too_few_values(needed: int, given: int) -> AssertedArgumentError:
    return AssertedArgumentError(
        f"mask true nums must be <= value size, but got mask true nums is {needed}, value size is {given}",
        Text("each place that the mask shows takes one value, in order.", "掩码标出的每个位置依次取走一个值。"),
        Text("give at least {needed} values.", "请给出至少 {needed} 个值。").format(needed=needed),
    )


def wrong_shape(op: str, argument: str, wanted: Sequence[int], given: Sequence[int]) -> ShapeError:
    """An operand that is not broadcast and has another shape than the places that it belongs to."""
    return _shape_refused(ShapeError, op, argument, wanted, given)


def too_small(op: str, argument: str, wanted: Sequence[int], given: Sequence[int]) -> KernelError:
    """The same, where Paddle raises a `RuntimeError`."""
    return _shape_refused(KernelError, op, argument, wanted, given)


def _shape_refused(kind: type[_Kind], op: str, argument: str, wanted: Sequence[int], given: Sequence[int]) -> _Kind:
    return kind(
        f"(InvalidArgument) {op}: the shape of '{argument}' is expected to be {list(wanted)}, but got {list(given)}.",
        Text(
            "`{op}` has one element of `{argument}` for each place, and does not broadcast it.",
            "`{op}` 的每个位置对应 `{argument}` 的一个元素，不作广播。",
        ).format(op=op, argument=argument),
        Text("reshape or expand `{argument}` first.", "先对 `{argument}` 做 reshape 或 expand。").format(
            argument=argument
        ),
    )


def wrong_diagonal(wanted: Sequence[int], given: Sequence[int]) -> AssertedArgumentError:
    return AssertedArgumentError(
        f"the y shape should be {list(wanted)}",
        Text(
            "the diagonal has this shape: the axes that are left, then its own length; `y` has shape {given}.",
            "对角线的形状是：其余各轴，再加上它自己的长度；而 `y` 的形状是 {given}。",
        ).format(given=list(given)),
        Text("give one value for each place of the diagonal.", "为对角线上的每个位置给出一个值。"),
    )


def diagonal_axes(dim1: int, dim2: int, rank: int) -> AssertedArgumentError:
    return AssertedArgumentError(
        f"dim1 and dim2 should be different and between [{-rank},{rank}) in fill_diagonal_tensor_, but got {dim1} and {dim2}",
        Text("a diagonal runs through two axes.", "对角线穿过两个轴。"),
        Text("name two different axes of the tensor.", "请给出该张量的两个不同的轴。"),
    )


def no_matrix(op: str, rank: int) -> ShapeError:
    return ShapeError(
        f"(InvalidArgument) {op}: Input(X)'s rank must be at least 2 in TrilTriuOp, but got {rank}.",
        Text("the last two axes are the rows and columns of a matrix.", "最后两个轴是矩阵的行与列。"),
        Text("use a tensor with two axes or more.", "请使用至少有两个轴的张量。"),
    )


def no_diagonal(shape: Sequence[int]) -> ShapeError:
    return ShapeError(
        f"(InvalidArgument) fill_diagonal_: x must have two axes, or more of equal size, but its shape is {list(shape)}.",
        Text("the diagonal goes one place on along every axis at once.", "对角线在每个轴上同时前进一个位置。"),
        Text(
            "use `fill_diagonal_tensor_` for two axes among others.",
            "若只涉及其中两个轴，请使用 `fill_diagonal_tensor_`。",
        ),
    )


# ---- so many of them ------------------------------------------------------------------------------------------------------


def no_such_count(k: Any) -> ArgumentError:
    return ArgumentError(
        f"(InvalidArgument) the attribute of k in the topk must >= 1 or be a Tensor, but received {k} .",
        Text("`k` says how many elements are wanted.", "`k` 表示要取多少个元素。"),
        Text("give an integer of 1 or more.", "请给出不小于 1 的整数。"),
    )


def not_so_many(k: int, there: int) -> ArgumentError:
    return ArgumentError(
        f"(InvalidArgument) x has only {there} element, can not find {k} top values.",
        Text("the axis has {there} elements.", "该轴有 {there} 个元素。").format(there=there),
        Text("give a smaller `k`, or another `axis`.", "请减小 `k`，或换一个 `axis`。"),
    )


def no_diag(rank: int) -> ArgumentError:
    return ArgumentError(
        f"(InvalidArgument) The dimension of Input(x) should be less than or equal to 2, but received {rank}.",
        Text(
            "`diag` makes a matrix of a vector, or takes a matrix's diagonal.",
            "`diag` 由向量构造矩阵，或取矩阵的对角线。",
        ),
        Text("use `diagonal` for stacks of matrices.", "成叠的矩阵请用 `diagonal`。"),
    )


def index_has_too_many(columns: int, rank: int) -> ArgumentError:
    return ArgumentError(
        f"(InvalidArgument) Input(Index).shape[-1] should be no greater than Input(X).rank, but received {columns} > {rank}.",
        Text(
            "the last axis of the index holds a position for each of the first axes of the tensor.",
            "下标的最后一个轴依次给出张量前几个轴上的位置。",
        ),
        Text("give at most {rank} numbers for one place.", "每个位置最多给出 {rank} 个数。").format(rank=rank),
    )


def no_vector_for_a_grid(number: int, rank: int) -> ArgumentError:
    return ArgumentError(
        f"(InvalidArgument) Expected scalar or 1D tensor in the tensor list but got tensor {number}: with {rank} axes.",
        Text("each vector gets an axis of its own.", "每个向量各占一个轴。"),
        Text("flatten it first: `x.flatten()`.", "先展平：`x.flatten()`。"),
    )


def id_of_no_row(number: int, rows: int) -> ArgumentError:
    return ArgumentError(
        f"(InvalidArgument) Variable value (input) of OP(embedding) expected >= 0 and < {rows}, but got {number}.",
        Text("the table has {rows} rows, counted from 0.", "该表有 {rows} 行，从 0 数起。").format(rows=rows),
        Text("use numbers from 0 to {last}.", "请使用 0 到 {last} 的编号。").format(last=max(rows - 1, 0)),
    )


def ids_are_no_integers(dtype: str) -> UnsupportedError:
    return UnsupportedError(
        f"(Unimplemented) embedding input only support int32 and int64, but get {dtype}",
        Text("each number says which row is meant.", "每个数表示取哪一行。"),
        Text("cast it: `x.astype('int64')`.", "先转换：`x.astype('int64')`。"),
    )


def padding_of_no_row(padding: int, rows: int) -> ArgumentError:
    return ArgumentError(
        f"padding_idx must be within [-{rows}, {rows}), but received {padding}",
        Text("the table has {rows} rows.", "该表有 {rows} 行。").format(rows=rows),
        Text("name one of them, or leave `padding_idx` out.", "请指定其中一行，或去掉 `padding_idx`。"),
    )
