"""`torch.nn.utils`: clipping of gradients."""

from __future__ import annotations

from typing import Any

import inplacelab.torch as torch
from inplacelab.autograd.grad_mode import no_grad
from inplacelab.torch.refusals import missing
from inplacelab.torch.tensor import Tensor

__all__ = ["clip_grad_norm_"]

__path__: list[str] = []  # so that an import of a module inside, which is not here, is refused with a sentence


@no_grad()
def clip_grad_norm_(parameters: Any, max_norm: float, norm_type: float = 2.0) -> Any:
    """Scales all gradients together, in place, so that their norm is at most `max_norm`; returns the norm before."""
    given = [parameters] if isinstance(parameters, Tensor) else parameters
    gradients = [each.grad for each in given if each.grad is not None]
    if not gradients:
        return torch.tensor(0.0)
    total = torch.stack([each.norm(norm_type) for each in gradients]).norm(norm_type)
    factor = (max_norm / (total + 1e-6)).clamp(max=1.0)
    for each in gradients:
        each.mul_(factor)
    return total


def __getattr__(name: str) -> Any:
    raise missing("torch.nn.utils", name, __all__)
