"""Convolution and pooling of images: with a batch or without one, and one grad node for each, which has saved what PyTorch's has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inplacelab.nn import functional as F
from inplacelab.tensor import Tensor
from inplacelab.torch.grad_nodes import keep
from inplacelab.torch.meanings.naming import named
from inplacelab.torch.meanings.operands import kind_of
from inplacelab.torch.refusals import refuse


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
