"""Functions of layers, images and losses. What PyTorch computes in one step has one grad node, which has saved what PyTorch's has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from inplacelab.autograd.grad_mode import without_history
from inplacelab.nn import functional as F
from inplacelab.nn import losses
from inplacelab.tensor import Tensor
from inplacelab.torch.grad_nodes import keep, named
from inplacelab.torch.meanings.operands import kind_of
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
    losses.check_reduction("l1_loss", reduction)
    return losses.reduced((x - target)._abs(), reduction)


def probabilities(x: Tensor) -> Tensor:
    """Refuses elements that are not from 0 to 1."""
    if not np.all((x.array >= 0) & (x.array <= 1)):
        raise refuse("not_probabilities")
    return x


def cross_entropy_of_logits(x: Tensor, target: Tensor, weight: Any, reduction: str, pos_weight: Any) -> Tensor:
    """Returns the binary cross entropy of logits, in the form of PyTorch: of an infinite one it is NaN unless the target is 0 or 1."""
    losses.check_reduction("binary_cross_entropy_with_logits", reduction)
    logs = -(-x).logaddexp(x._zeros())
    logs = logs if pos_weight is None else logs * (target * pos_weight.scale(1.0, -1.0)).scale(1.0, 1.0)
    each = target.scale(-1.0, 1.0) * x - logs
    return losses.reduced(each if weight is None else each * weight, reduction)


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


def _batched(x: Tensor, compute: Callable[[Tensor], Any]) -> Any:
    """Calls a function of images with a batch; images without one get one for the call."""
    if x.array.ndim != 3:
        return compute(x)
    result = compute(x.unsqueeze(0))
    return tuple(each.squeeze(0) for each in result) if isinstance(result, tuple) else result.squeeze(0)


def convolved(x: Tensor, weight: Tensor, bias: Any, stride: Any, padding: Any, dilation: Any, groups: int) -> Tensor:
    """Returns the convolution of images and filters."""
    sizes, filters = list(x.array.shape), list(weight.array.shape)
    if len(sizes) not in (3, 4):
        raise refuse("conv_input", input=sizes)
    if sizes[-3] != filters[1] * groups:
        expected = filters[1] * groups
        raise refuse("conv_channels", groups=groups, weight=filters, input=sizes, expected=expected, found=sizes[-3])

    def convolution(images: Tensor) -> Tensor:
        result = F.conv2d(images, weight, bias, stride, padding, dilation, groups)
        return keep(result, "ConvolutionBackward0", images, weight)

    result: Tensor = _batched(x, convolution)
    return result if result.array.ndim == 4 else named("SqueezeBackward1", result)


def max_pooled(
    x: Tensor, size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool, return_indices: bool
) -> Any:
    """Returns the largest element of each window."""
    if dilation not in (1, (1, 1), [1, 1]):
        raise refuse("pool_dilation", dilation=dilation)
    found = _batched(x, lambda images: F.max_pool2d(images, size, stride, padding, True, ceil_mode))
    result = keep(found[0], "MaxPool2DWithIndicesBackward0", x)
    return (result, found[1].cast("int64")) if return_indices else result


def mean_pooled(
    x: Tensor, size: Any, stride: Any, padding: Any, ceil_mode: bool, count_include_pad: bool, divisor: Any
) -> Tensor:
    """Returns the mean of each window."""
    if x.array.dtype.kind != "f":
        raise refuse("pool_of_integers", dtype=kind_of(x.array.dtype))
    options = (size, stride, padding, ceil_mode, not count_include_pad, divisor)
    return keep(_batched(x, lambda images: F.avg_pool2d(images, *options)), "AvgPool2DBackward0", x)


def mean_pooled_to(x: Tensor, size: Any) -> Tensor:
    """Returns the means of so many windows down and across that divide the image evenly."""
    wanted = (size, size) if isinstance(size, int) else tuple(size)
    image = x.array.shape[-2:]
    down, across = (n if k is None else k for n, k in zip(image, wanted, strict=True))
    if (down, across) == (1, 1):
        return named("MeanBackward1", x.mean([-1, -2], keepdim=True))
    if image[0] % down or image[1] % across:
        raise refuse("uneven_windows", image=list(image), wanted=[down, across])
    return keep(_pooled(x, (image[0] // down, image[1] // across)), "AdaptiveAvgPool2DBackward0", x)


def _pooled(x: Tensor, window: tuple[int, int]) -> Tensor:
    result: Tensor = _batched(x, lambda images: F.avg_pool2d(images, window))
    return result


def padded(x: Tensor, pad: Any, mode: str, value: Any) -> Tensor:
    """Returns the tensor with elements added around it; the first two numbers are those of the last axis."""
    if mode == "constant":
        pairs = [*pad, *[0] * (2 * x.array.ndim - len(pad))]
        return named("ConstantPadNdBackward0", F.pad(x, pairs, mode, value or 0.0, pad_from_left_axis=False))
    result: Tensor = F.pad(x, list(pad), mode)
    if mode == "circular":
        return named("torch::autograd::CopySlices", result)
    kind = "Reflection" if mode == "reflect" else "Replication"
    return keep(result, f"{kind}Pad{len(pad) // 2}DBackward0", x)
