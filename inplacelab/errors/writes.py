"""Writes that have no well-defined meaning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inplacelab.errors.kinds import ShapeError, WriteConflictError
from inplacelab.language import Text


def would_grow(op: str, target: Sequence[int], result: Sequence[int]) -> ShapeError:
    return ShapeError(
        f"The shape of broadcast output {list(result)} is different from that of inplace tensor {list(target)} in the "
        "Inplace operation.",
        Text(
            "`{op}` writes into the storage that is there; a result of shape {result} does not fit into {target}.",
            "`{op}` 写入已有的存储；形状为 {result} 的结果放不进 {target}。",
        ).format(op=op, result=list(result), target=list(target)),
        _FITTING_VALUE if op == "setitem" else _LARGER_TARGET,
    )


_FITTING_VALUE = Text(
    "give a value that can be broadcast to the part that is written: compare `x[key].shape` with `value.shape`.",
    "请给出可以广播到所写部分的值：比较 `x[key].shape` 与 `value.shape`。",
)
_LARGER_TARGET = Text(
    "use the ordinary operation, which allocates its result, or make the target larger first.",
    "改用会为结果分配内存的普通操作，或先把目标张量变大。",
)


def partial_overlap(op: str, **facts: Any) -> WriteConflictError:
    return WriteConflictError(
        f"(InvalidArgument) {op}: the operand shares some, but not all, of its elements with the tensor that is written.",
        Text(
            "some elements would be read after they were overwritten, so the result would depend on the order of the loop.",
            "某些元素会在被覆盖之后才被读取，结果将取决于循环的先后次序。",
        ),
        Text("clone the operand first: `x.{op}(y.clone())`.", "先复制操作数：`x.{op}(y.clone())`。").format(op=op),
        **facts,
    )


def self_overlap(op: str, **facts: Any) -> WriteConflictError:
    return WriteConflictError(
        f"(InvalidArgument) {op}: more than one element of the written tensor refers to a single memory location.",
        Text(
            "the tensor's strides map several elements to one slot, so one write would overwrite another.",
            "该张量的步幅把多个元素映射到同一个槽位，一次写入会覆盖另一次写入。",
        ),
        Text(
            "clone the tensor first: the copy has a slot for each element.",
            "先 `clone()`：副本中每个元素都有自己的槽位。",
        ),
        **facts,
    )


def no_counter(size: int) -> ShapeError:
    return ShapeError(
        f"(InvalidArgument) The number of elements in Input(X) should be 1.Now the number is {size}.",
        Text("`increment` counts with a tensor of one element.", "`increment` 用只有一个元素的张量来计数。"),
        Text("use `x.scale_(bias=value)` for several elements.", "多个元素请用 `x.scale_(bias=value)`。"),
    )
