"""Initializers write the first values of a parameter in place, without gradient tracking. Each write raises the version.

>>> import inplacelab as paddle
>>> layer = paddle.nn.Linear(2, 1, weight_attr=paddle.nn.initializer.Constant(0.5))
>>> layer.weight.tolist()
[[0.5], [0.5]]

Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/initializer/Overview_en.html
"""

from __future__ import annotations

from math import prod, sqrt
from typing import Any

from inplacelab import errors
from inplacelab.autograd.grad_mode import without_history
from inplacelab.language import Text
from inplacelab.ops.creation import to_tensor
from inplacelab.tensor import Tensor

__all__ = [
    "Assign",
    "Constant",
    "Initializer",
    "KaimingNormal",
    "KaimingUniform",
    "Normal",
    "Uniform",
    "XavierNormal",
    "XavierUniform",
]


class Initializer:
    """The base of every initializer. A subclass defines `_write(parameter)`."""

    def __call__(self, parameter: Tensor) -> None:
        """Writes the values into `parameter`, in place."""
        without_history(self._write, parameter)

    def _write(self, parameter: Tensor) -> None:
        raise NotImplementedError(f"{type(self).__name__} does not define _write(parameter), which writes the values")


class Constant(Initializer):
    """Fills a parameter with one number.

    Args:
        value: the number.
    """

    def __init__(self, value: float = 0.0) -> None:
        self._value = value

    def _write(self, parameter: Tensor) -> None:
        parameter.fill_(self._value)


class Assign(Initializer):
    """Copies given numbers.

    Args:
        value: a list, an array or a tensor of the parameter's shape.
        name: accepted for compatibility with Paddle; ignored.
    """

    def __init__(self, value: Any, name: str | None = None) -> None:
        self._value = value

    def _write(self, parameter: Tensor) -> None:
        parameter.copy_(to_tensor(self._value, dtype=parameter.dtype, place=parameter.place))


class Uniform(Initializer):
    """Fills a parameter with random numbers from a uniform distribution.

    Args:
        low: the lower end of the range, included.
        high: the upper end, excluded.
        name: accepted for compatibility with Paddle; ignored.
    """

    def __init__(self, low: float = -1.0, high: float = 1.0, name: str | None = None) -> None:
        self._low, self._high = low, high

    def _write(self, parameter: Tensor) -> None:
        parameter.uniform_(self._low, self._high)


class Normal(Initializer):
    """Fills a parameter with random numbers from a normal distribution.

    Args:
        mean: the mean.
        std: the standard deviation.
        name: accepted for compatibility with Paddle; ignored.
    """

    def __init__(self, mean: float = 0.0, std: float = 1.0, name: str | None = None) -> None:
        self._mean, self._std = mean, std

    def _write(self, parameter: Tensor) -> None:
        parameter.normal_(self._mean, self._std)


class _Xavier(Initializer):
    """Chooses the variance so that it stays the same from layer to layer, forward and backward."""

    def __init__(
        self, fan_in: float | None = None, fan_out: float | None = None, gain: float = 1.0, name: str | None = None
    ) -> None:
        self._in, self._out, self._gain = fan_in, fan_out, gain

    def _deviation(self, parameter: Tensor) -> float:
        inputs, outputs = fans(parameter)
        into, out_of = inputs if self._in is None else self._in, outputs if self._out is None else self._out
        return self._gain * sqrt(2.0 / (into + out_of))


class XavierUniform(_Xavier):
    """Fills a parameter from a uniform distribution with mean 0 and variance gain² · 2 / (fan_in + fan_out).

    Args:
        fan_in: the number of inputs of one output; None for that of the parameter's shape.
        fan_out: the number of outputs that use one input; None for that of the parameter's shape.
        gain: the factor of the standard deviation.
        name: accepted for compatibility with Paddle; ignored.

    Source: Glorot and Bengio, "Understanding the difficulty of training deep feedforward neural networks", 2010.
    """

    def _write(self, parameter: Tensor) -> None:
        _spread_evenly(parameter, self._deviation(parameter))


class XavierNormal(_Xavier):
    """Fills a parameter from a normal distribution with mean 0 and variance gain² · 2 / (fan_in + fan_out).

    Args:
        fan_in: the number of inputs of one output; None for that of the parameter's shape.
        fan_out: the number of outputs that use one input; None for that of the parameter's shape.
        gain: the factor of the standard deviation.
        name: accepted for compatibility with Paddle; ignored.

    Source: Glorot and Bengio, "Understanding the difficulty of training deep feedforward neural networks", 2010.
    """

    def _write(self, parameter: Tensor) -> None:
        parameter.normal_(0.0, self._deviation(parameter))


class _Kaiming(Initializer):
    """Chooses the variance so that it stays the same through layers with an activation between them."""

    def __init__(
        self,
        fan_in: float | None = None,
        negative_slope: float = 0.0,
        nonlinearity: str = "relu",
        mode: str = "fan_in",
    ) -> None:
        if mode not in ("fan_in", "fan_out"):
            raise errors.bad_argument(
                op="Kaiming", argument="mode", value=mode, possible=Text("fan_in, fan_out", "fan_in、fan_out")
            )
        self._in, self._gain, self._backwards = fan_in, gain_of(nonlinearity, negative_slope), mode == "fan_out"

    def _deviation(self, parameter: Tensor) -> float:
        return self._gain / sqrt(fans(parameter)[self._backwards] if self._in is None else self._in)


class KaimingUniform(_Kaiming):
    """Fills a parameter from a uniform distribution with mean 0 and variance gain² / fan_in.

    Args:
        fan_in: the number of inputs of one output; None for that of the parameter's shape.
        negative_slope: the slope below 0 of `leaky_relu`.
        nonlinearity: the activation after the layer, which determines the gain: "linear", "sigmoid", "tanh", "relu" or
            "leaky_relu".
        mode: "fan_in", or "fan_out" to divide by the number of outputs instead.

    Raises:
        ArgumentError: if `mode` or `nonlinearity` is not one of these.

    Source: He et al., "Delving deep into rectifiers", 2015, https://arxiv.org/abs/1502.01852
    """

    def _write(self, parameter: Tensor) -> None:
        _spread_evenly(parameter, self._deviation(parameter))


class KaimingNormal(_Kaiming):
    """Fills a parameter from a normal distribution with mean 0 and variance gain² / fan_in.

    Args:
        fan_in: the number of inputs of one output; None for that of the parameter's shape.
        negative_slope: the slope below 0 of `leaky_relu`.
        nonlinearity: the activation after the layer, which determines the gain: "linear", "sigmoid", "tanh", "relu" or
            "leaky_relu".
        mode: "fan_in", or "fan_out" to divide by the number of outputs instead.

    Raises:
        ArgumentError: if `mode` or `nonlinearity` is not one of these.

    Source: He et al., "Delving deep into rectifiers", 2015, https://arxiv.org/abs/1502.01852
    """

    def _write(self, parameter: Tensor) -> None:
        parameter.normal_(0.0, self._deviation(parameter))


def gain_of(nonlinearity: str, negative_slope: float = 0.0) -> float:
    """Returns the factor that makes up for the variance that an activation removes.

    Args:
        nonlinearity: "linear", "sigmoid", "tanh", "relu" or "leaky_relu".
        negative_slope: the slope below 0 of `leaky_relu`.

    Raises:
        ArgumentError: if `nonlinearity` is not one of these.
    """
    gains = {"linear": 1.0, "sigmoid": 1.0, "tanh": 5.0 / 3.0, "relu": sqrt(2.0)}
    gains["leaky_relu"] = sqrt(2.0 / (1.0 + negative_slope**2))
    if nonlinearity not in gains:
        raise errors.unknown_gain(nonlinearity=nonlinearity, known=tuple(gains))
    return gains[nonlinearity]


def fans(parameter: Tensor) -> tuple[int, int]:
    """Returns fan-in (inputs of one output) and fan-out (outputs that use one input).

    Args:
        parameter: of shape [in, out] for linear layers, or [out, in, *window] for convolutions.
    """
    shape = tuple(parameter.shape)
    if len(shape) < 2:
        size = shape[0] if shape else 1
        return size, size
    if len(shape) == 2:
        return shape[0], shape[1]
    window = prod(shape[2:])
    return shape[1] * window, shape[0] * window


def _spread_evenly(parameter: Tensor, deviation: float) -> None:
    limit = sqrt(3.0) * deviation
    if limit:
        parameter.uniform_(-limit, limit)


def __getattr__(name: str) -> Any:
    raise errors.not_there(__name__, name, __all__)
