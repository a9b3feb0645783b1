"""`torch.nn`: modules, losses, and the functions that they are made of."""

from __future__ import annotations

from typing import Any

from inplacelab.torch.nn import functional, init, utils
from inplacelab.torch.nn.images import AdaptiveAvgPool2d, AvgPool2d, Conv2d, MaxPool2d
from inplacelab.torch.nn.layers import (
    PLAIN,
    BatchNorm1d,
    BatchNorm2d,
    Dropout,
    Embedding,
    Flatten,
    Identity,
    LayerNorm,
    Linear,
    ModuleList,
    Sequential,
    plain,
)
from inplacelab.torch.nn.module import Module
from inplacelab.torch.refusals import missing
from inplacelab.torch.tensor import Parameter

__all__ = [
    "AdaptiveAvgPool2d", "AvgPool2d", "BatchNorm1d", "BatchNorm2d", "Conv2d", "Dropout", "Embedding", "Flatten", "Identity",
    "LayerNorm", "Linear", "MaxPool2d", "Module", "ModuleList", "Parameter", "Sequential", "functional", "init", "utils",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Activations and losses are made of the table `PLAIN` on first use."""
    if name not in PLAIN:
        raise missing("torch.nn", name, __dir__())
    value = globals()[name] = plain(name)
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *PLAIN})
