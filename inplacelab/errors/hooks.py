"""Refusals of hooks: where none can be put, and what one must not return."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inplacelab.errors.kinds import ArgumentKindError, HookError
from inplacelab.language import Text


def no_hook(**facts: Any) -> HookError:
    return HookError(
        "Cannot register hook on a tensor that stop gradient.",
        Text("no gradient will ever arrive at it.", "永远不会有梯度到达它。"),
        Text(
            "set `x.stop_gradient = False` before computing with it.", "在用它计算之前设置 `x.stop_gradient = False`。"
        ),
        **facts,
    )


def hook_not_callable(hook: Any) -> ArgumentKindError:
    return ArgumentKindError(
        f"register_hook(): argument 'hook' must be callable, but got {type(hook).__name__}",
        Text("backward calls the hook with the gradient.", "反向传播会以梯度为参数调用钩子。"),
        Text("give a function: `lambda gradient: gradient * 2`.", "请给出函数：`lambda gradient: gradient * 2`。"),
    )


def hook_returned(changed: Any) -> HookError:
    return HookError(
        f"A hook must return a Tensor or None, but it returned {type(changed).__name__}.",
        Text("what a hook returns takes the place of the gradient.", "钩子返回的值会取代梯度。"),
        Text(
            "return a tensor, or nothing to leave the gradient as it is.", "请返回张量；若不改变梯度，则什么都不返回。"
        ),
    )


def hook_changed(shape: Sequence[int], dtype: Any, new_shape: Sequence[int], new_dtype: Any) -> HookError:
    return HookError(
        f"(PermissionDenied) The gradient before ({list(shape)}, {dtype}) and after ({list(new_shape)}, {new_dtype}) hook are not "
        "consistent",
        Text(
            "a gradient has the shape and the dtype of the tensor that it belongs to.",
            "梯度与它所属的张量具有相同的形状和数据类型。",
        ),
        Text("return a tensor of the same shape and dtype.", "请返回形状与数据类型都相同的张量。"),
    )
