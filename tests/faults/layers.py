"""Hooks and custom operations of a program, which fail on demand (`faults.CallbackFault`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inplacelab import Tensor
from inplacelab.autograd import PyLayer

from .faults import CallbackFault

SLOPES: dict[str, Callable[[Tensor], Tensor]] = {
    "sin": lambda x: x.cos(),
    "cos": lambda x: -x.sin(),
    "exp": lambda x: x.exp(),
    "square": lambda x: x * 2.0,
}
"""The functions that are also custom operations, with their derivatives."""


class Custom(PyLayer):
    """One of these functions as a custom operation, in a new storage."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, name: str) -> Tensor:
        CallbackFault.reached()
        ctx.function = name
        ctx.save_for_backward(x)
        result: Tensor = getattr(x, name)()
        CallbackFault.reached()
        return result

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        CallbackFault.reached()
        (x,) = ctx.saved_tensor()
        gradient = g * SLOPES[ctx.function](x)
        CallbackFault.reached()
        return gradient


class CustomInPlace(PyLayer):
    """The same in place."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, name: str) -> Tensor:
        CallbackFault.reached()
        ctx.function = name
        ctx.save_for_backward(x.clone())
        getattr(x, name + "_")()
        CallbackFault.reached()
        return x

    backward = Custom.backward


def in_place(x: Tensor, name: str) -> Tensor:
    """Calls the custom operation in place where that is not refused: a custom operation is refused after it has written."""
    root = x if x.base is None else x.base
    made: Tensor = getattr(x, name + "_")() if root.is_leaf or x.untracked else CustomInPlace.apply(x, name)
    return made


def hook(factor: float) -> Callable[[Tensor], Tensor]:
    """A hook that multiplies the gradient."""

    def scaled(g: Tensor) -> Tensor:
        CallbackFault.reached()
        return g * factor

    return scaled
