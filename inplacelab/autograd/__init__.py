"""The gradient history: saved tensors, histories of views that are rewritten after writes, and the backward pass.

    history.py         the node that made a tensor's current value, also after writes through views; a tensor's views
    nodes.py           grad nodes: from the gradient of a result to those of the inputs
    saved.py           saved tensors and metadata, the check of their versions; copies before a write; forms that a program chooses
    engine.py          the backward pass                 gradients.py         `backward` and `grad`
    operations.py      the operations that backward computes with: what this package needs from `ops`, a higher layer
    grad_mode.py       `no_grad` and its like            tensor_methods.py    what programs see of the history
    py_layer.py        `PyLayer`                         custom_nodes.py      the grad nodes of custom operations
    gradient_checks.py checks of derivatives by finite differences

The public names are those of `paddle.autograd`, and two additions: checks of derivatives, and copies of saved tensors. They
are imported on first use, since the engine's modules in this package import each other.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from inplacelab import errors

if TYPE_CHECKING:
    from inplacelab.autograd.custom_nodes import PyLayerContext
    from inplacelab.autograd.grad_mode import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
    from inplacelab.autograd.gradient_checks import gradcheck, gradgradcheck
    from inplacelab.autograd.gradients import backward, grad
    from inplacelab.autograd.py_layer import PyLayer
    from inplacelab.autograd.saved import copy_saved_before_write, saved_tensors_hooks

_HOME = {
    "PyLayer": "py_layer",
    "PyLayerContext": "custom_nodes",
    "backward": "gradients",
    "copy_saved_before_write": "saved",
    "enable_grad": "grad_mode",
    "grad": "gradients",
    "gradcheck": "gradient_checks",
    "gradgradcheck": "gradient_checks",
    "is_grad_enabled": "grad_mode",
    "no_grad": "grad_mode",
    "saved_tensors_hooks": "saved",
    "set_grad_enabled": "grad_mode",
}

__all__ = [
    "PyLayer", "PyLayerContext", "backward", "copy_saved_before_write", "enable_grad", "grad", "gradcheck", "gradgradcheck",
    "is_grad_enabled", "no_grad", "saved_tensors_hooks", "set_grad_enabled",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise errors.not_there(__name__, name, __all__)
    value = globals()[name] = getattr(import_module(f"inplacelab.autograd.{_HOME[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
