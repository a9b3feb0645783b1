"""Paddle's `nn.functional`: table operations that belong to it, and functions composed of table operations.

Those on images are in images.py, losses in losses.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from inplacelab import errors
from inplacelab.autograd.grad_mode import no_grad
from inplacelab.language import Text
from inplacelab.nn.images import avg_pool2d, conv2d, interpolate, max_pool2d
from inplacelab.nn.losses import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cross_entropy,
    l1_loss,
    log_softmax,
    mse_loss,
    one_hot,
    smooth_l1_loss,
)
from inplacelab.ops.arguments.operands import as_tensor
from inplacelab.ops.table import FUNCTIONAL, FUNCTIONS
from inplacelab.tensor import Tensor


def _where(condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    chosen: Tensor = FUNCTIONS["where"]()(condition, x, y)
    return chosen


def hardswish(x: Tensor, name: str | None = None) -> Tensor:
    """Computes `x * (x + 3) / 6` between -3 and 3, 0 below and `x` above.

    Args:
        x: a floating-point tensor of any shape.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A new tensor with the shape and dtype of `x`.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/hardswish_en.html
    """
    x = as_tensor("hardswish", "x", 0, x)
    between = x * x.scale(1.0 / 6.0, 0.5)
    return _where(x >= 3.0, x, between.masked_fill(x <= -3.0, 0.0))


def prelu(x: Tensor, weight: Tensor, data_format: str = "NCHW", name: str | None = None) -> Tensor:
    """Computes `x` above 0 and `weight * x` below: a `leaky_relu` with a trainable slope.

    Args:
        x: a floating-point tensor, of shape [N, C, *] or [N, *, C].
        weight: the slopes, of shape [1] or [C].
        data_format: if it ends in "C", channels are the last axis; otherwise the second.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A new tensor with the shape and dtype of `x`.

    Raises:
        ShapeError: if the number of slopes is neither 1 nor the number of channels.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/prelu_en.html
    """
    x, weight = as_tensor("prelu", "x", 0, x), as_tensor("prelu", "weight", 1, weight)
    slopes = weight
    if weight.size > 1:
        axis = x.ndim - 1 if data_format.endswith("C") and data_format != "NC" else 1
        if x.ndim < 2 or x.shape[axis] != weight.size:
            raise errors.slope_count_differs(slopes=weight.size, shape=x.shape)
        slopes = weight.reshape([-1 if k == axis else 1 for k in range(x.ndim)])
    return _where(x > 0, x, x * slopes)


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None, name: str | None = None) -> Tensor:
    """Computes `x @ weight + bias`.

    Args:
        x: the input, of shape [*, in_features].
        weight: of shape [in_features, out_features].
        bias: of shape [out_features], or None.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A new tensor of shape [*, out_features].

    >>> import inplacelab as paddle
    >>> paddle.nn.functional.linear(paddle.ones([1, 2]), paddle.ones([2, 3])).tolist()
    [[2.0, 2.0, 2.0]]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/linear_en.html
    """
    product = as_tensor("linear", "x", 0, x) @ weight
    return product if bias is None else product + bias


def gelu(x: Tensor, approximate: Any = False, name: str | None = None) -> Tensor:
    """Computes `x * Φ(x)`, where Φ is the distribution function of the standard normal distribution.

    Args:
        x: a floating-point tensor of any shape.
        approximate: True or "tanh" uses an approximation with tanh; False or "none" the error function.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A new tensor with the shape and dtype of `x`.

    Raises:
        ArgumentError: if `approximate` is not one of these.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/gelu_en.html
    """
    x = as_tensor("gelu", "x", 0, x)
    if approximate not in (True, False, "tanh", "none"):
        raise errors.bad_argument(
            op="gelu", argument="approximate", value=approximate, possible=Text("tanh, none", "tanh、none")
        )
    if approximate in (True, "tanh"):
        inner = (x + x * x * x.scale(0.044715)).scale(math.sqrt(2.0 / math.pi)).tanh()
    else:
        inner = x.scale(math.sqrt(0.5)).erf()
    result: Tensor = x.scale(0.5) * inner.scale(1.0, 1.0)
    return result


def embedding(
    x: Tensor, weight: Tensor, padding_idx: int | None = None, name: str | None = None, *, sparse: bool = False
) -> Tensor:
    """Copies a row of `weight` for each number in `x`. The gradients of a row that is copied several times are added.

    Args:
        x: row numbers (int32 or int64), of shape [*].
        weight: the table, of shape [n, d].
        padding_idx: this row is read as zeros and gets no gradient; counted from the end if negative.
        name: accepted for compatibility with Paddle; ignored.
        sparse: the same; gradients are always dense.

    Returns:
        A new tensor of shape [*, d], of the dtype of `weight`.

    Raises:
        ArgumentError: if a row number or `padding_idx` is out of range. (PaddlePaddle 3.3.1 returns zeros for -1.)
        UnsupportedError: if `x` is not int32 or int64.

    >>> import inplacelab as paddle
    >>> table = paddle.to_tensor([[1., 2.], [3., 4.]])
    >>> paddle.nn.functional.embedding(paddle.to_tensor([1, 1, 0]), table).tolist()
    [[3.0, 4.0], [3.0, 4.0], [1.0, 2.0]]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/embedding_en.html
    """
    x, weight = as_tensor("embedding", "x", 0, x), as_tensor("embedding", "weight", 1, weight)
    rows = weight.shape[0]
    padding = padding_row(padding_idx, rows)
    if x.dtype.name not in ("int32", "int64"):
        raise errors.ids_not_integers(dtype=x.dtype.name)
    for extreme in (x.min().item(), x.max().item()) if x.size else ():
        if not 0 <= extreme < rows:
            raise errors.id_out_of_range(rows=rows, number=extreme, last=max(rows - 1, 0))
    taken = weight.gather_nd(x.unsqueeze(-1))
    return taken if padding is None else taken.masked_fill((x == padding).unsqueeze(-1), 0.0)


def padding_row(padding_idx: int | None, rows: int) -> int | None:
    """Returns the row that is read as zeros, counted from the start; refuses one that is out of range."""
    if padding_idx is None:
        return None
    if not -rows <= padding_idx < rows:
        raise errors.padding_out_of_range(rows=rows, padding=padding_idx)
    return padding_idx % rows


def normalize(x: Tensor, p: float = 2, axis: int = 1, epsilon: float = 1e-12, name: str | None = None) -> Tensor:
    """Divides each vector along `axis` by its p-norm, or by `epsilon` if that is larger.

    Args:
        x: a floating-point tensor.
        p: the order of the norm.
        axis: the axis of the vectors; counted from the end if negative.
        epsilon: the smallest divisor, which avoids division by zero.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A new tensor with the shape and dtype of `x`.

    Raises:
        AxisError: if `axis` is out of range.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/normalize_en.html
    """
    x = as_tensor("normalize", "x", 0, x)
    result: Tensor = x / x.norm(float(p), axis, keepdim=True).clamp_min(epsilon)
    return result


def standardized(x: Tensor, axes: Sequence[int], epsilon: float) -> tuple[Tensor, Tensor, Tensor]:
    """Normalizes `x` to mean 0 and variance 1 over `axes`.

    Args:
        x: a floating-point tensor.
        axes: the axes over which mean and variance are computed.
        epsilon: added to the variance.

    Returns:
        The normalized tensor, the mean and the (biased) variance. The last two keep `axes` with size 1.
    """
    mean = x.mean(axes, keepdim=True)
    centered = x - mean
    variance = centered.square().mean(axes, keepdim=True)
    return centered * variance.scale(1.0, epsilon).rsqrt(), mean, variance


def layer_norm(
    x: Tensor,
    normalized_shape: int | Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    epsilon: float = 1e-05,
    name: str | None = None,
) -> Tensor:
    """Normalizes each example to mean 0 and variance 1 over the last axes, then multiplies by `weight` and adds `bias`.

    Args:
        x: of shape [*, *normalized_shape].
        normalized_shape: the sizes of the last axes.
        weight: a factor for each element of these axes, in one axis; or None.
        bias: of the same shape as `weight`, or None.
        epsilon: added to the variance to avoid division by zero.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A new tensor with the shape and dtype of `x`.

    Raises:
        ShapeError: if the last axes of `x` have other sizes.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/layer_norm_en.html
    """
    sizes = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    x = as_tensor("layer_norm", "x", 0, x)
    if not sizes or x.array.shape[-len(sizes) :] != sizes:
        raise errors.normalized_shape_differs(wanted=sizes, sizes=", ".join(map(str, sizes)), given=x.shape)
    shaped = (each if each is None or len(sizes) == 1 else each.reshape(sizes) for each in (weight, bias))
    return _scaled(standardized(x, range(-len(sizes), 0), epsilon)[0], *shaped)


def batch_norm(
    x: Tensor,
    running_mean: Tensor,
    running_var: Tensor,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.9,
    epsilon: float = 1e-05,
    data_format: str = "NCHW",
    use_global_stats: bool | None = None,
    name: str | None = None,
) -> Tensor:
    """Normalizes each channel to mean 0 and variance 1 over a batch, then multiplies by `weight` and adds `bias`.

    In training, `running_mean` and `running_var` are updated **in place**, which raises their versions (PaddlePaddle 3.3.1
    updates them, too, but does not raise the versions).

    Args:
        x: of shape [N, C, *], or [N, *, C] if `data_format` ends with C.
        running_mean: of shape [C].
        running_var: of shape [C].
        weight: of shape [C], or None.
        bias: of shape [C], or None.
        training: whether to normalize with the mean and variance of the batch, and to update the running ones.
        momentum: the part of the running mean and variance that each batch keeps.
        epsilon: added to the variance to avoid division by zero.
        data_format: "NC", "NCL", "NCHW", "NCDHW": the channels are the second axis; "NLC", "NHWC", "NDHWC": the last.
        use_global_stats: True uses the running mean and variance in training, too; None only in evaluation.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A new tensor with the shape and dtype of `x`.

    Raises:
        ArgumentError: if `data_format` is not one of these.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/batch_norm_en.html
    """
    x = as_tensor("batch_norm", "x", 0, x)
    if data_format not in _CHANNELS:
        raise errors.bad_argument(
            op="batch_norm",
            argument="data_format",
            value=data_format,
            possible=Text(", ".join(_CHANNELS), "、".join(_CHANNELS)),
        )
    channel = _CHANNELS[data_format] % x.ndim
    others = [axis for axis in range(x.ndim) if axis != channel]
    sizes = [-1 if axis == channel else 1 for axis in range(x.ndim)]
    if not training or use_global_stats:
        mean, variance = running_mean.reshape(sizes), running_var.reshape(sizes)
        result = (x - mean) * variance.scale(1.0, epsilon).rsqrt()
    else:
        result, mean, variance = standardized(x, others, epsilon)
        _follow(running_mean, mean, momentum)
        _follow(running_var, variance, momentum)
    return _scaled(result, *(None if each is None else each.reshape(sizes) for each in (weight, bias)))


@no_grad()
def _follow(running: Tensor, now: Tensor, momentum: float) -> None:
    """Moves a running statistic towards that of this batch."""
    running.scale_(momentum).add_(now.reshape([-1]).scale(1.0 - momentum))


_CHANNELS = {"NC": 1, "NCL": 1, "NCHW": 1, "NCDHW": 1, "NLC": -1, "NHWC": -1, "NDHWC": -1}


def _scaled(x: Tensor, weight: Tensor | None, bias: Tensor | None) -> Tensor:
    x = x if weight is None else x * weight
    return x if bias is None else x + bias


__all__ = [  # noqa: PLE0604  # the functions of the table are strings too
    "avg_pool2d", "batch_norm", "binary_cross_entropy", "binary_cross_entropy_with_logits", "conv2d", "cross_entropy",
    "embedding", "gelu", "hardswish", "interpolate", "l1_loss", "layer_norm", "linear", "log_softmax", "max_pool2d", "mse_loss", "normalize",
    "one_hot", "prelu", "smooth_l1_loss", *FUNCTIONAL,
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Generates a function of the table when it is first used."""
    if name not in FUNCTIONAL:
        raise errors.not_there(__name__, name, __dir__())
    return FUNCTIONAL.give(name, globals())


def __dir__() -> list[str]:
    return sorted(__all__)
