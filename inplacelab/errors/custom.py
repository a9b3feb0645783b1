"""Refusals of operations of one's own (`PyLayer`): what its `forward` and `backward` hand back."""

from __future__ import annotations

from typing import Any

from inplacelab.errors.kinds import ArgumentError, NoGradientError, ShapeError, WriteConflictError
from inplacelab.language import Text


def no_result(layer: str) -> ArgumentError:
    return ArgumentError(
        f"(InvalidArgument) {layer} : At least one output of `PyLayer.forward` is a `Tensor`.",
        Text("without a tensor there is nothing to differentiate.", "没有张量，就没有可以求导的结果。"),
        Text(
            "return a tensor, or several in a tuple or a list, from `forward`.",
            "让 `forward` 返回一个张量，或用元组、列表返回多个张量。",
        ),
    )


def gradient_count(node_name: str, expected: int, found: int) -> ArgumentError:
    return ArgumentError(
        f"(InvalidArgument) {node_name} : The number of outputs of `PyLayer.backward` should be {expected}, but received {found}.",
        Text(
            "`backward` gives one gradient for each tensor that `forward` was given, in the same order; other arguments have none "
            "(in PyTorch they have None).",
            "`backward` 按顺序为传给 `forward` 的每个张量各返回一个梯度；非张量参数没有梯度（在 PyTorch 中则要返回 None）。",
        ),
        Text(
            "return {n} gradients; None for a tensor that the results do not depend on.",
            "请返回 {n} 个梯度；若结果与某个张量无关，则对应返回 None。",
        ).format(n=expected),
    )


def gradient_missing(node_name: str, position: int) -> ArgumentError:
    return ArgumentError(
        f"(InvalidArgument) {node_name}'s backward function should not return empty at {position} position.",
        Text(
            "the tensor at this position needs a gradient, and `backward` returned fewer than there are tensors.",
            "该位置的张量需要梯度，而 `backward` 返回的梯度个数少于张量个数。",
        ),
        Text(
            "return its gradient too, or None to say that it is zero.", "请一并返回它的梯度；若梯度为零，可返回 None。"
        ),
    )


def gradient_kind(node_name: str, found: Any) -> ArgumentError:
    return ArgumentError(
        f"(InvalidArgument) {node_name} : We can only support Tensor or None for backward output, but got "
        f"{type(found).__name__}, please check your PyLayer code and make it fits",
        Text(
            "a gradient has the shape of its tensor; anything else has no shape to compare.",
            "梯度与其张量形状相同；其他对象没有形状可言。",
        ),
        Text("return a tensor, or None for zero.", "请返回张量；梯度为零时可返回 None。"),
    )


def gradient_shape(node_name: str, position: int, expected: Any, found: Any) -> ShapeError:
    return ShapeError(
        f"(InvalidArgument) {node_name} : the gradient at position {position} has shape {list(found)}, but its tensor has shape "
        f"{list(expected)}.",
        Text(
            "a gradient has one number for each element of its tensor (PaddlePaddle 3.3.1 does not look, and fills `.grad` with another shape).",
            "梯度的每个数对应张量的一个元素（PaddlePaddle 3.3.1 不检查这一点，会把形状不符的结果写入 `.grad`）。",
        ),
        Text("return a gradient of shape {shape}.", "请返回形状为 {shape} 的梯度。").format(shape=list(expected)),
    )


def gradient_written(node_name: str, **facts: Any) -> WriteConflictError:
    return WriteConflictError(
        f"(PermissionDenied) {node_name} : `backward` wrote to the gradient that it was given.",
        Text(
            "others may be about to read the same gradient: the caller, a hook, or another branch of the graph.",
            "同一个梯度可能还有别人要读：调用者、钩子，或计算图的另一条分支。",
        ),
        Text(
            "use the ordinary operation there, or write to a `clone()`.",
            "请在那里使用普通操作，或先 `clone()` 再写入。",
        ),
        **facts,
    )


def input_overwritten(layer: str, position: int, **facts: Any) -> WriteConflictError:
    return WriteConflictError(
        f"(PermissionDenied) {layer} : `forward` overwrote the tensor at position {position}, which has a gradient history.",
        Text(
            "its history would go on to describe the value that is gone. That is put right if `forward` returns the very tensor, in the "
            "storage it came with, alone on that storage, and, if it is a view, as the only result. The value has been overwritten already: "
            "only `forward` knew that it would be.",
            "它的历史描述的仍是已经不在的那个值。只有当 `forward` 原样返回这个张量时历史才能改正：存储不变，输入中没有别的张量与它共享存储；"
            "若它是视图，则还须是唯一的结果。该值此时已被覆盖，因为事先只有 `forward` 知道会写入它。",
        ),
        Text(
            "return the tensor that was written, or write to a `clone()` of it.",
            "请返回被写入的张量，或改为写入它的 `clone()`。",
        ),
        **facts,
    )


def kept_without_history(node_name: str, saved_name: str, **facts: Any) -> NoGradientError:
    return NoGradientError(
        f"(InvalidArgument) {node_name} : a second derivative would go through `{saved_name}`, which has no history.",
        Text(
            "`forward` runs outside the history, so how this value came from the inputs is not known; to treat it as a constant could be "
            "silently wrong.",
            "`forward` 在历史之外运行，因此无从得知这个值如何由输入得到；把它当作常量，可能悄悄得出错误的梯度。",
        ),
        Text(
            "save an input or a result and compute the value again in `backward`; or return the value as a further result.",
            "请保存输入或结果，并在 `backward` 中重新计算这个值；或者把它作为另一个结果返回。",
        ),
        **facts,
    )
