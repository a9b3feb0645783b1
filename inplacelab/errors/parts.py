"""Tensors that cannot be cut so, joined so, or put in that order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inplacelab.errors.kinds import ArgumentError, AxisError, IndexKindError, OperandError, ShapeError
from inplacelab.language import Text

# ---- cut ----------------------------------------------------------------------------------------------------------------


def uneven_split(sections: int, shape: Sequence[int], axis: int) -> ShapeError:
    return ShapeError(
        "(InvalidArgument) The input's size along the split dimension must be evenly divisible by Attr(num_or_sections). But "
        f"received Attr(num_or_sections) = {sections}, input(X)'s shape = {list(shape)}, Attr(dim) = {axis}.",
        Text("all parts of a split into a number of parts are equal.", "按份数切分时，每一份的大小都相同。"),
        Text(
            "give the sizes as a list, or use `tensor_split`, whose parts may differ by one.",
            "用列表给出各份的大小，或改用 `tensor_split`，它的各份可以相差一。",
        ),
    )


def split_into_none() -> ArgumentError:
    return ArgumentError(
        "(InvalidArgument) Attr(num_or_sections) should not be 0.",
        Text("a tensor cannot be cut into no parts.", "张量不能切成零份。"),
        Text("ask for one part or more.", "至少要求一份。"),
    )


def sections_do_not_add_up(sections: Sequence[int], shape: Sequence[int], axis: int) -> ShapeError:
    return ShapeError(
        "(InvalidArgument) Sum of Attr(num_or_sections) must be equal to the input's size along the split dimension. But received "
        f"Attr(num_or_sections) = {list(sections)}, input(X)'s shape = {list(shape)}, Attr(dim) = {axis}.",
        Text("the parts together are the whole axis.", "各份合起来就是整个轴。"),
        Text(
            "let the sizes add up to {size}; one of them may be -1.", "让各份大小之和等于 {size}；其中一个可以写作 -1。"
        ).format(size=shape[axis]),
    )


def two_unknown_sections(sections: Sequence[int]) -> ShapeError:
    return ShapeError(
        "(InvalidArgument) Only one dimension value of Attr(num_or_sections) in SplitOp can be -1. But received "
        f"Attr(num_or_sections) = {list(sections)}.",
        Text("only one size can be worked out from the others.", "由其余大小只能推出一个未知的大小。"),
        Text("write the other sizes as numbers.", "把其余的大小写成具体数字。"),
    )


def bad_chunks(chunks: int, size: int) -> ArgumentError:
    return ArgumentError(
        "The value of 'chunks' must be greater than 0 and less than or equal to the size of the dimension specified by 'axis', but "
        f"received chunks={chunks} and x.shape[axis]={size}.",
        Text("every chunk has at least one element along the axis.", "每一块沿该轴至少有一个元素。"),
        Text("ask for 1 to {size} chunks.", "请要求 1 到 {size} 块。").format(size=size),
    )


def no_parts() -> ArgumentError:
    return ArgumentError(
        "num_or_indices must be larger than 0.",
        Text("a tensor cannot be cut into no parts.", "张量不能切成零份。"),
        Text("ask for one part or more.", "至少要求一份。"),
    )


def too_few_axes(needed: int, rank: int) -> ShapeError:
    return ShapeError(
        f"The input tensor's dimension must be greater than {needed - 1}, but got {rank}",
        Text("the axis along which to cut does not exist.", "要切分的轴不存在。"),
        Text("use a tensor with at least {n} axes.", "请使用至少有 {n} 个轴的张量。").format(n=needed),
    )


def bad_unstack(size: int) -> ArgumentError:
    return ArgumentError(
        f"`num` must be in the range [0, {size})",
        Text("`num`, if given, is the size of the axis.", "若给出 `num`，它应等于该轴的大小。"),
        Text("leave `num` out, or write {size}.", "省略 `num`，或写成 {size}。").format(size=size),
    )


def bad_sections(op: str, given: Any) -> IndexKindError:
    return IndexKindError(
        f"The type of 'num_or_sections' in {op} must be int, list or tuple in imperative mode, but received {type(given)}.",
        Text("parts are given by their number, or by a list.", "切分方式由份数或一个列表给出。"),
        Text("use an integer or a list of integers.", "请使用整数或整数列表。"),
    )


# ---- join ---------------------------------------------------------------------------------------------------------------


def nothing_to_join(op: str) -> ArgumentError:
    return ArgumentError(
        f"(InvalidArgument) {op}(): argument 'x' (position 0) must be list of Tensors, but got empty list",
        Text("of no tensors neither shape nor dtype is known.", "没有张量，就无从知道形状与数据类型。"),
        Text("give at least one tensor.", "至少给出一个张量。"),
    )


def not_a_list_of_tensors(op: str, given: Any) -> OperandError:
    return OperandError(
        f"(InvalidArgument) {op}(): argument 'x' (position 0) must be list of Tensors, but got {type(given).__name__}",
        Text("`{op}` takes the tensors in a list.", "`{op}` 接受由张量组成的列表。").format(op=op),
        Text("write `{op}([x, y])`.", "写成 `{op}([x, y])`。").format(op=op),
    )


def cannot_join(op: str, position: int, first: Sequence[int], other: Sequence[int]) -> ShapeError:
    what = f"The shape of input[0] and input[{position}]"
    differing = [k for k, (n, m) in enumerate(zip(first, other, strict=False)) if n != m]
    if len(first) == len(other) and differing:
        what = f"The {differing[-1]}-th dimension of input[0] and input[{position}]"
    return ShapeError(
        f"(InvalidArgument) {what} is expected to be equal.But received input[0]'s shape = {list(first)}, input[{position}]'s "
        f"shape = {list(other)}.",
        Text(
            "`stack` needs equal shapes; `concat` shapes that are equal but for the axis along which they are joined.",
            "`stack` 要求形状完全相同；`concat` 要求除拼接的轴以外都相同。",
        ),
        Text("reshape or slice before `{op}`.", "在 `{op}` 之前先调整形状或切片。").format(op=op),
    )


def cannot_join_dtypes(position: int, first: str, other: str) -> ArgumentError:
    return ArgumentError(
        f"(InvalidArgument) The data_type of input tensor in list isn't consistent, the first tensor is {first}, but {position}th "
        f"tensor is {other}.",
        Text("a tensor has one dtype for all its elements.", "一个张量的所有元素只有一种数据类型。"),
        Text("cast them to one dtype first.", "先转换为同一种数据类型。"),
    )


# ---- put in another order, repeat -----------------------------------------------------------------------------------------


def flipped_twice(axes: Sequence[int]) -> AxisError:
    return AxisError(
        f"(InvalidArgument) axes has duplicates, original flip axes size={len(axes)}, but unique flip axes size="
        f"{len(set(axes))}.)",
        Text("an axis is turned round once.", "一个轴只翻转一次。"),
        Text("name each axis once.", "每个轴只写一次。"),
    )


def unequal_rolls(shifts: int, axes: int) -> ArgumentError:
    headline = f"(InvalidArgument) When dims.size() != 0, dims.size() should be equal to shifts.size(). But received dims.size() = {axes}, shifts.size() = {shifts}"
    if axes == 0:
        headline = f"(InvalidArgument) When dims.size() == 0, shifts.size() should be equal to 1, But received shifts.size() = {shifts}"
    return ArgumentError(
        headline,
        Text("every axis named is shifted by one number.", "每个指定的轴对应一个移动量。"),
        Text("give as many shifts as axes.", "移动量的个数应与轴的个数相同。"),
    )


def bad_repeat(times: int) -> ArgumentError:
    return ArgumentError(
        "(InvalidArgument) All elements of the input 'repeat_times' for tile op must be positive integers, but the value received "
        f"is {times}.",
        Text("a tensor can be repeated several times, once, or not at all.", "张量可以重复多次、一次或零次。"),
        Text("give numbers from 0 on.", "请给出不小于 0 的整数。"),
    )
