"""`torch.nn.init`: first values of parameters, written in place outside the history."""

from __future__ import annotations

from math import sqrt
from typing import Any

from inplacelab.autograd.grad_mode import no_grad
from inplacelab.torch.refusals import missing

__all__ = [
    "constant_", "kaiming_normal_", "kaiming_uniform_", "normal_", "ones_", "uniform_", "xavier_normal_", "xavier_uniform_", "zeros_",
]  # fmt: skip


@no_grad()
def uniform_(tensor: Any, a: float = 0.0, b: float = 1.0) -> Any:
    """Fills with uniform numbers from `a` to `b`."""
    return tensor.uniform_(a, b)


@no_grad()
def normal_(tensor: Any, mean: float = 0.0, std: float = 1.0) -> Any:
    """Fills with normal numbers."""
    return tensor.normal_(mean, std)


@no_grad()
def constant_(tensor: Any, val: float) -> Any:
    """Fills with one number."""
    return tensor.fill_(val)


def zeros_(tensor: Any) -> Any:
    """Fills with zeros."""
    return constant_(tensor, 0.0)


def ones_(tensor: Any) -> Any:
    """Fills with ones."""
    return constant_(tensor, 1.0)


def xavier_uniform_(tensor: Any, gain: float = 1.0) -> Any:
    """Fills with uniform numbers whose variance keeps that of signals both ways."""
    limit = gain * sqrt(6.0 / sum(_fans(tensor)))
    return uniform_(tensor, -limit, limit)


def xavier_normal_(tensor: Any, gain: float = 1.0) -> Any:
    """Fills with normal numbers whose variance keeps that of signals both ways."""
    return normal_(tensor, 0.0, gain * sqrt(2.0 / sum(_fans(tensor))))


def kaiming_uniform_(tensor: Any, a: float = 0.0, mode: str = "fan_in", nonlinearity: str = "leaky_relu") -> Any:
    """Fills with uniform numbers whose variance keeps that of signals through rectified units."""
    limit = sqrt(3.0) * _gain(a, nonlinearity) / sqrt(_fan(tensor, mode))
    return uniform_(tensor, -limit, limit)


def kaiming_normal_(tensor: Any, a: float = 0.0, mode: str = "fan_in", nonlinearity: str = "leaky_relu") -> Any:
    """Fills with normal numbers whose variance keeps that of signals through rectified units."""
    return normal_(tensor, 0.0, _gain(a, nonlinearity) / sqrt(_fan(tensor, mode)))


def _fans(tensor: Any) -> tuple[int, int]:
    outputs, inputs, *rest = tensor.shape
    field = 1
    for size in rest:
        field *= size
    return inputs * field, outputs * field


def _fan(tensor: Any, mode: str) -> int:
    return _fans(tensor)[mode == "fan_out"]


def _gain(a: float, nonlinearity: str) -> float:
    return {"relu": sqrt(2.0), "leaky_relu": sqrt(2.0 / (1 + a * a)), "tanh": 5.0 / 3}.get(nonlinearity, 1.0)


def __getattr__(name: str) -> Any:
    raise missing("torch.nn.init", name, __all__)
