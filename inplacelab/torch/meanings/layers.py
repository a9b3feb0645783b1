"""Functions of layers and losses."""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab.autograd.grad_mode import without_history
from inplacelab.nn import functional as F
from inplacelab.nn.losses import check_reduction, reduced
from inplacelab.tensor import Tensor
from inplacelab.torch.grad_nodes import keep
from inplacelab.torch.meanings.naming import named
from inplacelab.torch.refusals import refuse


def last_axis(x: Tensor, dim: int | None) -> int:
    """Returns the axis that PyTorch chooses where a program names none."""
    return dim if dim is not None else 0 if x.array.ndim in (0, 1, 3) else 1


def embedding(x: Tensor, weight: Tensor, padding_idx: Any, max_norm: Any, norm_type: float) -> Tensor:
    """Returns rows of a table, which may be scaled down in place first."""
    if max_norm is not None:
        without_history(F.embedding_renorm_, x, weight, max_norm, norm_type)
    result: Tensor = F.embedding(x, weight, padding_idx)
    return named("EmbeddingBackward0", result)


def layer_norm(x: Tensor, normalized_shape: Any, weight: Any, bias: Any, eps: float) -> Tensor:
    """Normalizes over the last axes; PyTorch's weights have the shape of these."""
    scale, shift = (None if each is None else each.reshape([-1]) for each in (weight, bias))
    result: Tensor = F.layer_norm(x, list(normalized_shape), scale, shift, eps)
    return keep(result, "NativeLayerNormBackward0", x, weight)


def batch_norm(
    x: Tensor, mean: Any, variance: Any, weight: Any, bias: Any, training: bool, momentum: float, eps: float
) -> Tensor:
    """Normalizes each channel over a batch; PyTorch's `momentum` is the part that the new batch contributes."""
    form = {2: "NC", 4: "NCHW"}.get(x.array.ndim, "NCL")
    result: Tensor = F.batch_norm(x, mean, variance, weight, bias, training, 1.0 - momentum, eps, form)
    return keep(result, "NativeBatchNormBackward0", x, weight, *(() if training else (mean, variance)))


def smooth_l1(x: Tensor, target: Tensor, reduction: str, beta: float) -> Tensor:
    """Returns the smooth L1 loss; Paddle's is larger by `beta`."""
    result: Tensor = F.smooth_l1_loss(x, target, reduction, beta)
    result = result if beta == 1 else result.scale(1 / beta)
    return keep(result, "SmoothL1LossBackward0", x, target)


def l1(x: Tensor, target: Tensor, reduction: str) -> Tensor:
    """Returns the L1 loss."""
    check_reduction("l1_loss", reduction)
    return reduced((x - target)._abs(), reduction)


def probabilities(x: Tensor) -> Tensor:
    """Refuses elements that are not from 0 to 1."""
    if not np.all((x.array >= 0) & (x.array <= 1)):
        raise refuse("not_probabilities")
    return x


def cross_entropy_of_logits(x: Tensor, target: Tensor, weight: Any, reduction: str, pos_weight: Any) -> Tensor:
    """Returns the binary cross entropy of logits, in the form of PyTorch: of an infinite one it is NaN unless the target is 0 or 1."""
    check_reduction("binary_cross_entropy_with_logits", reduction)
    logs = F.log_sigmoid(x)
    logs = logs if pos_weight is None else logs * (target * pos_weight.scale(1.0, -1.0)).scale(1.0, 1.0)
    losses = target.scale(-1.0, 1.0) * x - logs
    return reduced(losses if weight is None else losses * weight, reduction)


def cross_entropy(
    x: Tensor, target: Tensor, weight: Any, ignore_index: int, reduction: str, label_smoothing: float
) -> Tensor:
    """Returns the cross entropy of logits and classes, or probabilities, along axis 1."""
    axis, label_smoothing = 1 if x.array.ndim > 1 else 0, max(label_smoothing, 0.0)
    soft = target.array.dtype.kind == "f"
    result: Tensor = F.cross_entropy(x, target, weight, ignore_index, reduction, soft, axis, True, label_smoothing)
    if soft:
        return named("DivBackward1", result)
    return keep(result, "AddBackward0" if label_smoothing else "NllLossBackward0", target, weight)
