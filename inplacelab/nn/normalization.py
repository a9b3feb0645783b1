"""Normalization: vectors to norm 1, examples or channels to mean 0 and variance 1."""

from __future__ import annotations

from collections.abc import Sequence

from inplacelab import errors
from inplacelab.autograd.grad_mode import no_grad
from inplacelab.language import Text
from inplacelab.ops.arguments.operands import as_tensor
from inplacelab.tensor import Tensor


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
