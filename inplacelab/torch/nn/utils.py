"""`torch.nn.utils`: clipping of gradients, and parameters as one vector."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import inplacelab.torch as torch
from inplacelab.autograd.grad_mode import no_grad
from inplacelab.torch.missing import missing
from inplacelab.torch.tensor import Tensor

__all__ = ["clip_grad_norm_", "clip_grad_value_", "parameters_to_vector", "vector_to_parameters"]

__path__: list[str] = []  # so that an import of a module inside, which is not here, is refused with a sentence


def _gradients(parameters: Any) -> list[Any]:
    given = [parameters] if isinstance(parameters, Tensor) else parameters
    return [each.grad for each in given if each.grad is not None]


@no_grad()
def clip_grad_norm_(parameters: Any, max_norm: float, norm_type: float = 2.0) -> Any:
    """Scales all gradients together, in place, so that their norm is at most `max_norm`; returns the norm before."""
    gradients = _gradients(parameters)
    if not gradients:
        return torch.tensor(0.0)
    total = torch.stack([each.norm(norm_type) for each in gradients]).norm(norm_type)
    factor = (max_norm / (total + 1e-6)).clamp(max=1.0)
    for each in gradients:
        each.mul_(factor)
    return total


@no_grad()
def clip_grad_value_(parameters: Any, clip_value: float) -> None:
    """Limits each element of the gradients, in place."""
    for each in _gradients(parameters):
        each.clamp_(-clip_value, clip_value)


def parameters_to_vector(parameters: Iterable[Any]) -> Any:
    """Returns all parameters in one vector."""
    return torch.cat([each.reshape(-1) for each in parameters])


def vector_to_parameters(vec: Any, parameters: Iterable[Any]) -> None:
    """Makes parameters show parts of a vector."""
    start = 0
    for each in parameters:
        size = each.numel()
        each.data = vec[start : start + size].view_as(each).data
        start += size


def __getattr__(name: str) -> Any:
    raise missing("torch.nn.utils", name, __all__)
