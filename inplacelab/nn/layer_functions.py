"""Functions of `nn.functional` composed of table operations: `linear`, `log_softmax`, `gelu` and `one_hot`."""

from __future__ import annotations

from math import pi, sqrt
from typing import Any

from inplacelab import errors
from inplacelab.language import Text
from inplacelab.ops import FUNCTIONS
from inplacelab.ops.arguments.operands import as_tensor
from inplacelab.tensor import Tensor


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


def log_softmax(x: Tensor, axis: int = -1, dtype: Any = None, name: str | None = None) -> Tensor:
    """Computes `log(softmax(x))` without overflow in intermediate results.

    PaddlePaddle 3.3.1 returns at least -64 on the CPU; here there is no lower limit.

    Args:
        x: a floating-point tensor of any shape.
        axis: the axis along which the probabilities add up to 1.
        dtype: the dtype to cast `x` to first, or None.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A new tensor with the shape of `x`.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/log_softmax_en.html
    """
    scores = as_tensor("log_softmax", "x", 0, x) if dtype is None else x.cast(dtype)
    result: Tensor = scores._log_softmax(axis)
    return result


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
        inner = (x + x * x * x.scale(0.044715)).scale(sqrt(2.0 / pi)).tanh()
    else:
        inner = x.scale(sqrt(0.5)).erf()
    result: Tensor = x.scale(0.5) * inner.scale(1.0, 1.0)
    return result


def one_hot(x: Tensor, num_classes: int = -1, name: str | None = None) -> Tensor:
    """Encodes each integer as a row of zeros with a one at that index.

    Args:
        x: integers from 0 to `num_classes` - 1, of shape [*].
        num_classes: the length of a row; -1 for the largest number plus 1.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A new tensor of the default dtype, of shape [*, num_classes].

    Raises:
        IndexRangeError: if a number is out of range.

    >>> import inplacelab as paddle
    >>> paddle.nn.functional.one_hot(paddle.to_tensor([0, 2]), 3).tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/one_hot_en.html
    """
    x = as_tensor("one_hot", "x", 0, x)
    length = int(x.max()) + 1 if num_classes == -1 else int(num_classes)
    rows = FUNCTIONS["zeros"]()([*x.shape, length])
    result: Tensor = rows.put_along_axis(x.unsqueeze(-1), 1.0, x.ndim)
    return result
