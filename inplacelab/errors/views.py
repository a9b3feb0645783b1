"""Views that no strides can show, and axes, windows and slices that are not there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inplacelab.errors.kinds import (
    AxisError,
    AxisNameError,
    DTypeError,
    IndexRangeError,
    OperandError,
    ShapeError,
    WriteConflictError,
)
from inplacelab.language import Text

_AXES = Text("the tensor has {rank} axes.", "该张量有 {rank} 个轴。")
_COUNT = Text("count axes from 0, or from the end with negative numbers.", "轴从 0 开始计数，也可用负数从末尾计数。")


# ---- the same elements, seen otherwise ----------------------------------------------------------------------------------


def cannot_view(shape: Sequence[int], strides: Sequence[int], wanted: Sequence[int]) -> ShapeError:
    return ShapeError(
        "(InvalidArgument) The Tensor can not be viewed, please call reshape.",
        Text(
            "no strides show the elements of shape {shape}, strides {strides}, as {wanted}; `view` never copies.",
            "形状为 {shape}、步幅为 {strides} 的元素，没有任何步幅能表示成 {wanted}；而 `view` 从不复制。",
        ).format(shape=list(shape), strides=list(strides), wanted=list(wanted)),
        Text("use `reshape`, which copies where it must.", "改用 `reshape`，必要时它会复制。"),
    )


def cannot_view_dtype(have: str, wanted: str, shape: Sequence[int], strides: Sequence[int]) -> ShapeError:
    return ShapeError(
        f"(InvalidArgument) The Tensor of shape {list(shape)} and strides {list(strides)} can not be viewed from {have} to {wanted}.",
        Text(
            "slots of another size can be seen only where the last axis is contiguous, its bytes and all other strides are "
            "whole multiples of the larger slot, and a first slot begins there.",
            "要以另一种槽位大小来看，最后一个轴必须连续，其字节数与其余步幅都是较大槽位的整数倍，且起点正好落在槽位边界上。",
        ),
        Text("call `contiguous()` first, or cast the values.", "先调用 `contiguous()`，或者转换数值的数据类型。"),
    )


def bits_have_no_derivative(have: str, wanted: str) -> DTypeError:
    return DTypeError(
        f"(InvalidArgument) view() of a Tensor with stop_gradient=False from {have} to {wanted} has no derivative.",
        Text(
            "it shows the same bits as other numbers, and those do not change smoothly with the old ones.",
            "它把同样的比特当作另一些数来看，而那些数并不随原来的数平滑变化。",
        ),
        Text("look at `x.detach()`, or convert values with `astype`.", "改看 `x.detach()`，或用 `astype` 转换数值。"),
    )


def bits_written(op: str, **facts: Any) -> WriteConflictError:
    return WriteConflictError(
        f"(PermissionDenied) {op}: a view of another dtype is being written with a value that needs a gradient.",
        Text(
            "the view shows the same bits as other numbers: the gradient of what is written cannot go through them.",
            "该视图把同样的比特当作另一些数来看：写入值的梯度无法由此传递。",
        ),
        Text(
            "write inside `no_grad`, or write a `detach()`ed value.",
            "在 `no_grad` 之内写入，或写入经过 `detach()` 的值。",
        ),
        **facts,
    )


def not_pairs(last: int | None) -> ShapeError:
    return ShapeError(
        "(InvalidArgument) The size of the last dimension of input(X)does not equals 2.Expected the size of last dimension of "
        f"input(X) to be 2.But received {last}",
        Text(
            "a complex number is a pair of real ones: real part, imaginary part.",
            "一个复数由两个实数组成：实部与虚部。",
        ),
        Text("reshape so that the last axis holds the pairs.", "先调整形状，使最后一个轴长度为 2。"),
    )


def pairs_apart(stride: int) -> ShapeError:
    return ShapeError(
        "(InvalidArgument) Expected the stride of last dimension of input(X) to be 1.But received "
        f"{stride}. This means that the last dimension of the Tensor(x) is not continuous and cannot be as_complex directly.",
        Text(
            "the two parts of a number must be neighbours, and each pair must begin at an even slot.",
            "一个复数的两部分必须相邻，且每一对都从偶数号槽位开始。",
        ),
        Text("call `contiguous()` first.", "先调用 `contiguous()`。"),
    )


# ---- windows ------------------------------------------------------------------------------------------------------------


def unequal_window(shape: Sequence[int], strides: Sequence[int]) -> ShapeError:
    return ShapeError(
        f"(InvalidArgument) as_strided: {len(shape)} sizes but {len(strides)} strides.",
        Text("every axis has a size and a stride.", "每个轴都有一个大小和一个步幅。"),
        Text("give as many strides as sizes.", "步幅的个数应与大小的个数相同。"),
    )


def bad_window_offset(offset: int, itemsize: int) -> ShapeError:
    return ShapeError(
        f"(InvalidArgument) The offset must be non-negative, but got {offset}."
        if offset < 0
        else f"(InvalidArgument) The offset {offset} is not a multiple of {itemsize} bytes.",
        Text(
            "`offset` is counted in bytes from the beginning of the storage, and an element has {n} bytes.",
            "`offset` 以字节为单位，从存储的开头算起，而一个元素占 {n} 个字节。",
        ).format(n=itemsize),
        Text("give {n} times the number of the slot.", "应给出槽位号的 {n} 倍。").format(n=itemsize),
    )


def outside_storage(first: int, last: int, slots: int) -> IndexRangeError:
    return IndexRangeError(
        f"(OutOfRange) as_strided reaches slots {first} to {last} of a storage that has {slots}.",
        Text(
            "a window may show only slots that are there. (PaddlePaddle 3.3.1 reads and writes foreign memory here.)",
            "窗口只能显示存在的槽位。（PaddlePaddle 3.3.1 在这里会读写不属于它的内存。）",
        ),
        Text("make the window smaller, or begin earlier.", "缩小窗口，或者把起点前移。"),
    )


def bad_fold_size(size: int, have: int) -> ShapeError:
    return ShapeError(
        f"(InvalidArgument) paddle.unfold size({size}) must be less than shape[axis]({have}).",
        Text("a window cannot be longer than the axis.", "窗口不能比该轴更长。"),
        Text("choose a size from 0 to {have}.", "请选择 0 到 {have} 之间的大小。").format(have=have),
    )


def bad_fold_step(step: int) -> ShapeError:
    return ShapeError(
        "(InvalidArgument) paddle.unfold step must be greater than 0",
        Text("with step {step} the windows lead nowhere.", "步长为 {step} 时窗口无法前进。").format(step=step),
        Text("choose a step of 1 or more.", "步长至少取 1。"),
    )


# ---- slices -------------------------------------------------------------------------------------------------------------


def unequal_slices(axes: int, starts: int, ends: int, steps: int) -> ShapeError:
    other = next(n for n in (starts, ends, steps) if n != axes)
    return ShapeError(
        f"(InvalidArgument) The length of axes ({axes}) and length of starts ({other}) should be same.",
        Text("each axis needs a start and an end (and a step).", "每个轴都需要起点和终点（以及步长）。"),
        Text("give lists of the same length.", "各列表的长度应相同。"),
    )


def zero_step() -> ShapeError:
    return ShapeError(
        "(InvalidArgument) stride index in StridedSlice operator is 0.",
        Text("with a step of 0 the slice leads nowhere.", "步长为 0 时切片无法前进。"),
        Text("choose a positive or a negative step.", "请选择正的或负的步长。"),
    )


def no_axis_to_narrow(axis: int, rank: int) -> IndexRangeError:
    return IndexRangeError(
        f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {axis})",
        _AXES.format(rank=rank),
        _COUNT,
    )


def bad_narrow(start: int, length: int, size: int) -> AxisNameError:
    headline = f"start ({start}) + length ({length}) exceeds dimension size ({size})."
    if length < 0:
        headline = "narrow(): length must be non-negative."
    elif not -size <= start <= size:
        headline = f"start out of range (expected to be in range of [{-size}, {size}], but got {start})"
    return AxisNameError(
        headline,
        Text("the axis has {size} elements.", "该轴有 {size} 个元素。").format(size=size),
        Text("choose a part that lies inside it.", "请选择位于其中的一段。"),
    )


# ---- axes ---------------------------------------------------------------------------------------------------------------


def no_axis_to_move(argument: str, rank: int) -> AxisNameError:
    return AxisNameError(f"'{argument}' must be in the range of [-{rank}, {rank})", _AXES.format(rank=rank), _COUNT)


def no_axis_to_cut(rank: int) -> AxisNameError:
    return AxisNameError(f"'axis'  must be in the range of [-{rank}, {rank})", _AXES.format(rank=rank), _COUNT)


def unequal_moves(taken: int, places: int) -> AxisNameError:
    return AxisNameError(
        "'source' must have the same number with 'destination'",
        Text("{n} axes cannot go to {m} places.", "{n} 个轴无法放到 {m} 个位置。").format(n=taken, m=places),
        Text("name one place for each axis.", "为每个轴各指定一个位置。"),
    )


def axis_moved_twice(argument: str) -> AxisError:
    return AxisError(
        f"Each element of '{argument}' must be unique!",
        Text("an axis has one place.", "一个轴只能有一个位置。"),
        Text("name each axis once.", "每个轴只写一次。"),
    )


def no_axis_to_unbind(axis: Any, rank: int) -> AxisError:
    return AxisError(
        f"The axis must in range({-rank}, {rank}).",
        (_AXES + Text(" Asked for: {axis}.", "要求的是 {axis}。")).format(rank=rank, axis=axis),
        _COUNT,
    )


def too_few_axes_for_diagonal(rank: int) -> IndexRangeError:
    return IndexRangeError(
        f"(OutOfRange) Input's dim is out of range (expected at least 2 dimensions, but got {rank}).",
        Text("a diagonal runs along two axes at once.", "对角线同时沿两个轴前进。"),
        Text("use a tensor with two axes or more.", "请使用至少有两个轴的张量。"),
    )


def no_axis_for_diagonal(argument: str, axis: int, rank: int) -> IndexRangeError:
    return IndexRangeError(
        f"(OutOfRange) Attr({argument}) is out of range (expected to be in range of [{-rank}, {rank - 1}], but got {axis}).",
        _AXES.format(rank=rank),
        _COUNT,
    )


def diagonal_of_one_axis(axis1: int, axis2: int) -> AxisError:
    return AxisError(
        f"(InvalidArgument) The dimensions should not be identical {axis1} vs {axis2}.",
        Text("a diagonal runs along two different axes.", "对角线沿两个不同的轴前进。"),
        Text("name two axes.", "请指定两个不同的轴。"),
    )


def axes_not_listed(axes: Any) -> OperandError:
    return OperandError(
        f"Input axes must be a python list or tuple, but received {type(axes)}",
        Text("a slice may concern several axes.", "切片可以涉及多个轴。"),
        Text("write `[axis]`.", "写成 `[axis]`。"),
    )


def nothing_to_transpose(rank: int) -> ShapeError:
    return ShapeError(
        f"Tensor.ndim({rank}) is required to be greater than or equal to 2.",
        Text("`mT` transposes matrices: it needs two axes.", "`mT` 转置的是矩阵：至少要有两个轴。"),
        Text("add an axis with `unsqueeze` first.", "先用 `unsqueeze` 添加一个轴。"),
    )
