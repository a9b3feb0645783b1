"""Activation functions composed of operations of the table. As in Paddle, they have no in-place form."""

from __future__ import annotations

from inplacelab import errors
from inplacelab.ops.arguments.operands import as_tensor
from inplacelab.ops.table.exports import FUNCTIONAL, FUNCTIONS
from inplacelab.tensor import Tensor


def _where(condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    chosen: Tensor = FUNCTIONS["where"]()(condition, x, y)
    return chosen


def swish(x: Tensor, name: str | None = None) -> Tensor:
    """Computes `x * sigmoid(x)`: another name of `silu`.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/swish_en.html
    """
    result: Tensor = FUNCTIONAL["silu"]()(x)
    return result


def mish(x: Tensor, name: str | None = None) -> Tensor:
    """Computes `x * tanh(log(1 + exp(x)))`.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/mish_en.html
    """
    x = as_tensor("mish", "x", 0, x)
    result: Tensor = x * FUNCTIONAL["softplus"]()(x).tanh()
    return result


def hardsigmoid(x: Tensor, slope: float = 0.1666667, offset: float = 0.5, name: str | None = None) -> Tensor:
    """Computes a piecewise linear `sigmoid`: `slope * x + offset`, limited to [0, 1].

    Args:
        x: a floating-point tensor.
        slope: the slope between the limits.
        offset: the value at 0.
        name: ignored.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/hardsigmoid_en.html
    """
    result: Tensor = as_tensor("hardsigmoid", "x", 0, x).scale(slope, offset).clip(0.0, 1.0)
    return result


def hardswish(x: Tensor, name: str | None = None) -> Tensor:
    """Computes `x * (x + 3) / 6` between -3 and 3; 0 below, and `x` above.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/hardswish_en.html
    """
    x = as_tensor("hardswish", "x", 0, x)
    between = x * x.scale(1.0 / 6.0, 0.5)
    return _where(x >= 3.0, x, between.masked_fill(x <= -3.0, 0.0))


def log_sigmoid(x: Tensor, name: str | None = None) -> Tensor:
    """Computes the logarithm of `sigmoid`, without overflow.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/log_sigmoid_en.html
    """
    x = as_tensor("log_sigmoid", "x", 0, x)
    return -(-x).logaddexp(x._zeros())


def softsign(x: Tensor, name: str | None = None) -> Tensor:
    """Computes `x / (1 + |x|)`.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/softsign_en.html
    """
    x = as_tensor("softsign", "x", 0, x)
    return x / x.abs().scale(1.0, 1.0)


def selu(
    x: Tensor, scale: float = 1.0507009873554805, alpha: float = 1.6732632423543772, name: str | None = None
) -> Tensor:
    """Computes `scale * elu(x, alpha)`, which preserves mean 0 and variance 1.

    Args:
        x: a floating-point tensor.
        scale: the factor.
        alpha: the negative of the limit of `elu` at minus infinity.
        name: ignored.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/selu_en.html
    """
    result: Tensor = FUNCTIONAL["elu"]()(x, alpha).scale(scale)
    return result


def celu(x: Tensor, alpha: float = 1.0, name: str | None = None) -> Tensor:
    """Computes `elu` with a continuous slope: `alpha * (exp(x / alpha) - 1)` below 0.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/celu_en.html
    """
    result: Tensor = FUNCTIONAL["elu"]()(as_tensor("celu", "x", 0, x).scale(1.0 / alpha), 1.0).scale(alpha)
    return result


def prelu(x: Tensor, weight: Tensor, data_format: str = "NCHW", name: str | None = None) -> Tensor:
    """Computes `x` above 0 and `weight * x` below: a `leaky_relu` with a trained slope.

    Args:
        x: a floating-point tensor.
        weight: one element, or one for each channel.
        data_format: ends in "C" if channels are the last axis; otherwise they are the second.
        name: ignored.

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
