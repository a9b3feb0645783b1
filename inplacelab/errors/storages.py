"""Tensors that cannot be given another storage, or more of theirs than there is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inplacelab.errors.kinds import ArgumentKindError, DTypeError, KernelError, OperandError, ShapeError
from inplacelab.language import Text


def storage_of_other_dtype(have: str, given: str) -> DTypeError:
    return DTypeError(
        f"(InvalidArgument) set_: the source is of dtype {given}, the tensor of dtype {have}.",
        Text(
            "the bits of {given} would be read as {have}: other numbers. (PaddlePaddle 3.3.1 does so.)",
            "{given} 的比特会被当作 {have} 来读，成为另一些数。（PaddlePaddle 3.3.1 正是如此。）",
        ).format(given=given, have=have),
        Text("cast the source: `source.astype('{have}')`.", "先转换来源张量：`source.astype('{have}')`。").format(
            have=have
        ),
    )


def nothing_to_grow_into(wanted: int, slots: int) -> ShapeError:
    return ShapeError(
        "(InvalidArgument) The size of Holder is not enough to store the Tensor.",
        Text(
            "{n} elements were asked for, and from the first element on the storage has {m} slots: the others would be foreign "
            "memory. (PaddlePaddle 3.3.1 sometimes shows it.)",
            "要求 {n} 个元素，而存储从首元素起只有 {m} 个槽位：其余的将是不属于它的内存。（PaddlePaddle 3.3.1 有时会显示出来。）",
        ).format(n=wanted, m=slots),
        Text(
            "pass `fill_zero=True`: the tensor then gets a larger storage, with zeros behind its elements.",
            "传入 `fill_zero=True`：张量会得到更大的存储，原有元素之后补零。",
        ),
    )


def scattered(op: str, strides: Sequence[int]) -> ShapeError:
    return ShapeError(
        f"(InvalidArgument) {op}: the elements do not lie one after the other (strides {list(strides)}).",
        Text(
            "the first elements of the storage are not the first elements of this tensor.",
            "存储中靠前的元素并不是该张量中靠前的元素。",
        ),
        Text("use `contiguous()` first, or slice the tensor.", "请先调用 `contiguous()`，或对张量切片。"),
    )


def apply_of_gradient(**facts: Any) -> KernelError:
    return KernelError(
        "Cannot apply function on a tensor that required gradient.",
        Text(
            "a Python function may do anything with the numbers; no derivative is known for it.",
            "Python 函数可以对这些数做任何事情，它的导数无从得知。",
        ),
        Text(
            "write the computation with tensor operations, or apply the function to `x.detach()`.",
            "用张量运算写出这一计算，或对 `x.detach()` 应用该函数。",
        ),
        **facts,
    )


def applied_to_no_tensor(result: Any) -> OperandError:
    return OperandError(
        f"(InvalidArgument) apply_: the function must return a Tensor, but it returned {type(result).__name__}.",
        Text(
            "what it returns becomes the tensor. (PaddlePaddle 3.3.1 crashes here.)",
            "函数的返回值将成为该张量。（PaddlePaddle 3.3.1 在此会崩溃。）",
        ),
        Text("return a tensor.", "请返回张量。"),
    )


def gradient_would_not_fit(op: str, have: Sequence[int], given: Sequence[int], dtypes: tuple[str, str]) -> ShapeError:
    return ShapeError(
        f"(InvalidArgument) {op}: a tensor that needs a gradient has shape {list(have)} and dtype {dtypes[0]}; what it is to "
        f"show has shape {list(given)} and dtype {dtypes[1]}.",
        Text(
            "outside the history only the bytes are exchanged; the gradient would arrive in the old shape and dtype.",
            "在历史之外只交换字节；梯度仍会以原来的形状和数据类型到达。",
        ),
        Text(
            "give data of the same shape and dtype, or use a new tensor.",
            "请给出形状与数据类型相同的数据，或使用新的张量。",
        ),
    )


def flag_is_no_bool(attribute: str, value: Any) -> ArgumentKindError:
    headline = f"{attribute} must be bool, but got {type(value)}"
    if attribute == "stop_gradient":
        headline = f"(InvalidType) argument (position 1) must be bool, but got {type(value).__name__}"
    return ArgumentKindError(
        headline,
        Text("a gradient is wanted or not.", "要么需要梯度，要么不需要。"),
        Text("write True or False.", "请写 True 或 False。"),
    )
