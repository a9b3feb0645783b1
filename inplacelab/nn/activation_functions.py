"""Activation functions composed of table operations. As in Paddle, none has an in-place form."""

from __future__ import annotations

from inplacelab import errors
from inplacelab.language import Text
from inplacelab.ops.arguments.operands import as_tensor
from inplacelab.ops.table import FUNCTIONAL, FUNCTIONS
from inplacelab.tensor import Tensor


def _where(condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    chosen: Tensor = FUNCTIONS["where"]()(condition, x, y)
    return chosen


def swish(x: Tensor, name: str | None = None) -> Tensor:
    """Computes `x * sigmoid(x)`; the same function as `silu`.

    Args:
        x: a floating-point tensor of any shape.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A new tensor with the shape and dtype of `x`.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/swish_en.html
    """
    result: Tensor = FUNCTIONAL["silu"]()(x)
    return result


def mish(x: Tensor, name: str | None = None) -> Tensor:
    """Computes `x * tanh(log(1 + exp(x)))`.

    Args:
        x: a floating-point tensor of any shape.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A new tensor with the shape and dtype of `x`.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/mish_en.html
    """
    x = as_tensor("mish", "x", 0, x)
    result: Tensor = x * FUNCTIONAL["softplus"]()(x).tanh()
    return result


def hardsigmoid(x: Tensor, slope: float = 0.1666667, offset: float = 0.5, name: str | None = None) -> Tensor:
    """Approximates `sigmoid` by a straight line: `slope * x + offset`, clipped to the range from 0 to 1.

    Args:
        x: a floating-point tensor of any shape.
        slope: the slope of the line.
        offset: the value at `x = 0`.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A new tensor with the shape and dtype of `x`.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/hardsigmoid_en.html
    """
    result: Tensor = as_tensor("hardsigmoid", "x", 0, x).scale(slope, offset).clip(0.0, 1.0)
    return result


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


def log_sigmoid(x: Tensor, name: str | None = None) -> Tensor:
    """Computes `log(sigmoid(x))` without overflow in intermediate results.

    Args:
        x: a floating-point tensor of any shape.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A new tensor with the shape and dtype of `x`.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/log_sigmoid_en.html
    """
    x = as_tensor("log_sigmoid", "x", 0, x)
    return -(-x).logaddexp(x._zeros())


def softsign(x: Tensor, name: str | None = None) -> Tensor:
    """Computes `x / (1 + |x|)`.

    Args:
        x: a floating-point tensor of any shape.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A new tensor with the shape and dtype of `x`.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/softsign_en.html
    """
    x = as_tensor("softsign", "x", 0, x)
    return x / x.abs().scale(1.0, 1.0)


def selu(
    x: Tensor, scale: float = 1.0507009873554805, alpha: float = 1.6732632423543772, name: str | None = None
) -> Tensor:
    """Computes `scale * elu(x, alpha)`, which keeps mean 0 and variance 1 with the default values.

    Args:
        x: a floating-point tensor of any shape.
        scale: the factor of all results.
        alpha: minus the limit of `elu` for very negative `x`.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A new tensor with the shape and dtype of `x`.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/selu_en.html
    """
    result: Tensor = FUNCTIONAL["elu"]()(x, alpha).scale(scale)
    return result


def celu(x: Tensor, alpha: float = 1.0, name: str | None = None) -> Tensor:
    """Computes `x` above 0 and `alpha * (exp(x / alpha) - 1)` below: an `elu` with a continuous slope for every `alpha`.

    Args:
        x: a floating-point tensor of any shape.
        alpha: minus the limit for very negative `x`.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A new tensor with the shape and dtype of `x`.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/celu_en.html
    """
    result: Tensor = FUNCTIONAL["elu"]()(as_tensor("celu", "x", 0, x).scale(1.0 / alpha), 1.0).scale(alpha)
    return result


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


def hardshrink(x: Tensor, threshold: float = 0.5, name: str | None = None) -> Tensor:
    """Computes `x` where `|x| > threshold`, and 0 between.

    Args:
        x: a floating-point tensor of any shape.
        threshold: how large a value must be to stay.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A new tensor with the shape and dtype of `x`.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/hardshrink_en.html
    """
    x = as_tensor("hardshrink", "x", 0, x)
    return x.masked_fill(x.abs() <= threshold, 0.0)


def softshrink(x: Tensor, threshold: float = 0.5, name: str | None = None) -> Tensor:
    """Computes `x - threshold` above the threshold, `x + threshold` below its negative, and 0 between.

    Args:
        x: a floating-point tensor of any shape.
        threshold: by how much values move towards zero; 0 or more.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A new tensor with the shape and dtype of `x`.

    Raises:
        ArgumentError: if the threshold is negative.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/softshrink_en.html
    """
    if threshold < 0:
        possible = Text("a number of 0 or more", "不小于 0 的数")
        raise errors.bad_argument(op="softshrink", argument="threshold", value=threshold, possible=possible)
    x = as_tensor("softshrink", "x", 0, x)
    moved: Tensor = x - x.detach().sign().scale(threshold)
    return moved.masked_fill(x.abs() <= threshold, 0.0)


def tanhshrink(x: Tensor, name: str | None = None) -> Tensor:
    """Computes `x - tanh(x)`.

    Args:
        x: a floating-point tensor of any shape.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A new tensor with the shape and dtype of `x`.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/tanhshrink_en.html
    """
    x = as_tensor("tanhshrink", "x", 0, x)
    return x - x.tanh()


def glu(x: Tensor, axis: int = -1, name: str | None = None) -> Tensor:
    """Computes `a * sigmoid(b)` of the two halves `a` and `b` of `x` along an axis.

    Args:
        x: a floating-point tensor, of even size on the axis.
        axis: the axis.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A new tensor of half the size on this axis.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/glu_en.html
    """
    a, b = as_tensor("glu", "x", 0, x).split(2, axis)
    gated: Tensor = a * b.sigmoid()
    return gated


def rrelu(
    x: Tensor, lower: float = 1.0 / 8.0, upper: float = 1.0 / 3.0, training: bool = True, name: str | None = None
) -> Tensor:
    """Computes `x` above 0, and `x` times a random slope below: a `leaky_relu` that draws a slope for each element.

    Args:
        x: a floating-point tensor of any shape.
        lower: the least slope.
        upper: the greatest slope.
        training: False takes the mean of both for all elements.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A new tensor with the shape and dtype of `x`.

    Raises:
        ArgumentError: if the slopes are not from 0 to 1, or `lower` is greater than `upper`.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/rrelu_en.html
    """
    if not 0.0 <= lower <= upper <= 1.0:
        possible = Text("slopes from 0 to 1, `lower` at most `upper`", "0 到 1 之间的斜率，且 `lower` 不大于 `upper`")
        raise errors.bad_argument(op="rrelu", argument="lower, upper", value=(lower, upper), possible=possible)
    x = as_tensor("rrelu", "x", 0, x)
    if not training:
        return _where(x > 0, x, x.scale((lower + upper) / 2.0))
    return _where(x > 0, x, x * FUNCTIONS["uniform"]()(x.shape, x.dtype, lower, upper))


def gumbel_softmax(
    x: Tensor, temperature: float = 1.0, hard: bool = False, axis: int = -1, name: str | None = None
) -> Tensor:
    """Draws from categories with a gradient: the softmax of scores to which random numbers are added.

    Args:
        x: scores, of any shape.
        temperature: the smaller, the nearer the results are to 0 and 1.
        hard: return exactly 0 and 1; the gradient is that of the soft results.
        axis: the axis of the categories.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A new tensor with the shape and dtype of `x`.

    Source: E. Jang, S. Gu and B. Poole, "Categorical reparameterization with Gumbel-softmax", 2017;
    https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/gumbel_softmax_en.html
    """
    x = as_tensor("gumbel_softmax", "x", 0, x)
    drawn = FUNCTIONS["uniform"]()(x.shape, x.dtype, 1e-20, 1.0)
    soft: Tensor = FUNCTIONAL["softmax"]()((x - (-drawn.log()).log()).scale(1.0 / temperature), axis)
    if not hard:
        return soft
    chosen = (soft.detach() == soft.detach().max(axis, keepdim=True)).cast(x.dtype)
    return chosen - soft.detach() + soft
