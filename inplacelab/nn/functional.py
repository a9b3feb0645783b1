"""Paddle's `nn.functional`: table operations that belong to it, and functions composed of table operations."""

from __future__ import annotations

from typing import Any

from inplacelab import errors
from inplacelab.nn.activation_functions import (
    celu,
    glu,
    gumbel_softmax,
    hardshrink,
    hardsigmoid,
    hardswish,
    log_sigmoid,
    mish,
    prelu,
    rrelu,
    selu,
    softshrink,
    softsign,
    swish,
    tanhshrink,
)
from inplacelab.nn.classification_losses import cross_entropy, nll_loss
from inplacelab.nn.convolution import conv2d
from inplacelab.nn.distances import cosine_similarity, pairwise_distance
from inplacelab.nn.embeddings import embedding
from inplacelab.nn.layer_functions import gelu, linear, log_softmax, one_hot
from inplacelab.nn.losses import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    kl_div,
    l1_loss,
    mse_loss,
    poisson_nll_loss,
    smooth_l1_loss,
    square_error_cost,
)
from inplacelab.nn.normalization import batch_norm, layer_norm, normalize
from inplacelab.nn.pooling import avg_pool2d, max_pool2d
from inplacelab.nn.resizing import interpolate, upsample
from inplacelab.ops.table import FUNCTIONAL

__all__ = [  # noqa: PLE0604  # the functions of the table are strings too
    "avg_pool2d", "batch_norm", "binary_cross_entropy", "binary_cross_entropy_with_logits", "celu", "conv2d", "cosine_similarity", "cross_entropy",
    "embedding", "gelu", "glu", "gumbel_softmax", "hardshrink", "hardsigmoid", "hardswish", "interpolate", "kl_div", "l1_loss", "layer_norm",
    "linear", "log_sigmoid", "log_softmax", "max_pool2d", "mish", "mse_loss", "nll_loss", "normalize", "one_hot", "pairwise_distance",
    "poisson_nll_loss", "prelu", "rrelu", "selu", "smooth_l1_loss", "softshrink", "softsign", "square_error_cost", "swish", "tanhshrink",
    "upsample", *FUNCTIONAL,
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Generates a function of the table when it is first used."""
    if name not in FUNCTIONAL:
        raise errors.not_there(__name__, name, __dir__())
    return FUNCTIONAL.give(name, globals())


def __dir__() -> list[str]:
    return sorted(__all__)
