"""Sees a step of one of PyTorch's optimizers as one operation.

A mode would be called for each parameter several times, and nothing in such a step makes nodes, views or other ways to the same memory. So it
is away meanwhile, and the versions of what the step may write tell what it has written. A step in which other code runs, such as a
closure or a hook of the program, is seen as any code is; so is one that writes without raising versions, or that may be refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.optim import optimizer as optimizers

from inplacelab.frameworks.torch.readings import gradient_held, version_of


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A step that runs.

    Attributes:
        optimizer: the optimizer.
        tensors, versions: what it may write, and the versions before it.
    """

    optimizer: Any
    tensors: Sequence[Any]
    versions: Sequence[int]


def step_of(optimizer: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Step | None:
    """Returns a step that begins; None if it is not to be seen as one operation."""
    kind = type(optimizer)
    if not kind.__module__.startswith("torch.optim.") or kind.step.__module__ != kind.__module__:
        return None
    if len(args) > 1 or any(each is not None for each in kwargs.values()) or _has_hooks(optimizer):
        return None
    if any(group.get("fused") or group.get("differentiable") for group in optimizer.param_groups):
        return None
    tensors: list[Any] = []
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            gradient = gradient_held(parameter)
            if gradient is not None:
                tensors += (parameter, gradient, *optimizer.state.get(parameter, {}).values())
    tensors = [each for each in tensors if issubclass(type(each), torch.Tensor)]
    return Step(optimizer, tensors, [*map(version_of, tensors)]) if all(map(_is_ordinary, tensors)) else None


def _has_hooks(optimizer: Any) -> bool:
    mine = optimizers._global_optimizer_pre_hooks, optimizers._global_optimizer_post_hooks
    others = optimizer._optimizer_step_pre_hooks, optimizer._optimizer_step_post_hooks
    return any(len(each) > 1 for each in mine) or any(others)


def _is_ordinary(tensor: Any) -> bool:
    """Whether to write a tensor is not refused, and calls nothing of the program."""
    return type(tensor) in _ORDINARY and (tensor.layout is not torch.strided or 0 not in tensor.stride())


_ORDINARY = (torch.Tensor, torch.nn.Parameter)
