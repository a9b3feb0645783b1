"""Functions that Paddle keeps in `nn.functional`: the rows of the table that say so, and functions that are made of rows."""

from __future__ import annotations

from typing import Any

from inplacelab import errors
from inplacelab.nn.class_losses import cross_entropy, nll_loss
from inplacelab.nn.losses import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    kl_div,
    l1_loss,
    mse_loss,
    smooth_l1_loss,
)
from inplacelab.nn.normalization import batch_norm, layer_norm, normalize
from inplacelab.nn.transformations import gelu, linear, log_softmax, one_hot
from inplacelab.ops.table import FUNCTIONAL

__all__ = [  # noqa: PLE0604  # the functions of the table are strings too
    "batch_norm", "binary_cross_entropy", "binary_cross_entropy_with_logits", "cross_entropy", "gelu", "kl_div", "l1_loss",
    "layer_norm", "linear", "log_softmax", "mse_loss", "nll_loss", "normalize", "one_hot", "smooth_l1_loss", *FUNCTIONAL,
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Functions of the table are written out when first asked for."""
    if name not in FUNCTIONAL:
        raise errors.not_there(__name__, name, __dir__())
    return FUNCTIONAL.give(name, globals())


def __dir__() -> list[str]:
    return sorted(__all__)
