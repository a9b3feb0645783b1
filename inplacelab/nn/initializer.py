"""Initializers of parameters. They write in place, outside the history, and raise the version.

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
from inplacelab.autograd import modes
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
    """The base of all initializers: called with a parameter, it writes the values."""

    def __call__(self, parameter: Tensor) -> None:
        with modes.no_grad():
            self._write(parameter)

    def _write(self, parameter: Tensor) -> None:
        raise NotImplementedError(f"{type(self).__name__} does not define _write(parameter), which writes the values")


class Constant(Initializer):
    """Writes the same number into every element.

    Args:
        value: the number.
    """

    def __init__(self, value: float = 0.0) -> None:
        self._value = value

    def _write(self, parameter: Tensor) -> None:
        parameter.fill_(self._value)


class Assign(Initializer):
    """Writes given numbers: a list, an array or a tensor of the parameter's shape."""

    def __init__(self, value: Any, name: str | None = None) -> None:
        self._value = value

    def _write(self, parameter: Tensor) -> None:
        parameter.copy_(to_tensor(self._value, dtype=parameter.dtype, place=parameter.place))


class Uniform(Initializer):
    """Writes random numbers, uniformly distributed in [`low`, `high`).

    Args:
        low: the lower bound.
        high: the upper bound.
        name: ignored.
    """

    def __init__(self, low: float = -1.0, high: float = 1.0, name: str | None = None) -> None:
        self._low, self._high = low, high

    def _write(self, parameter: Tensor) -> None:
        parameter.uniform_(self._low, self._high)


class Normal(Initializer):
    """Writes random numbers from the normal distribution.

    Args:
        mean: the mean.
        std: the standard deviation.
        name: ignored.
    """

    def __init__(self, mean: float = 0.0, std: float = 1.0, name: str | None = None) -> None:
        self._mean, self._std = mean, std

    def _write(self, parameter: Tensor) -> None:
        parameter.normal_(self._mean, self._std)


class _Xavier(Initializer):
    """Keeps the variance the same from layer to layer, forwards and backwards."""

    def __init__(
        self, fan_in: float | None = None, fan_out: float | None = None, gain: float = 1.0, name: str | None = None
    ) -> None:
        self._in, self._out, self._gain = fan_in, fan_out, gain

    def _deviation(self, parameter: Tensor) -> float:
        inputs, outputs = fans(parameter)
        into, out_of = inputs if self._in is None else self._in, outputs if self._out is None else self._out
        return self._gain * sqrt(2.0 / (into + out_of))


class XavierUniform(_Xavier):
    """Writes uniformly distributed numbers with variance 2 / (fan_in + fan_out) (Glorot and Bengio, 2010)."""

    def _write(self, parameter: Tensor) -> None:
        _spread_evenly(parameter, self._deviation(parameter))


class XavierNormal(_Xavier):
    """Writes normally distributed numbers with variance 2 / (fan_in + fan_out) (Glorot and Bengio, 2010)."""

    def _write(self, parameter: Tensor) -> None:
        parameter.normal_(0.0, self._deviation(parameter))


class _Kaiming(Initializer):
    """Keeps the variance the same through layers with a `relu` between them."""

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
    """Writes uniformly distributed numbers with variance gain² / fan_in (He et al., 2015)."""

    def _write(self, parameter: Tensor) -> None:
        _spread_evenly(parameter, self._deviation(parameter))


class KaimingNormal(_Kaiming):
    """Writes normally distributed numbers with variance gain² / fan_in (He et al., 2015)."""

    def _write(self, parameter: Tensor) -> None:
        parameter.normal_(0.0, self._deviation(parameter))


def gain_of(nonlinearity: str, negative_slope: float = 0.0) -> float:
    """Returns the factor that makes up for the variance that the activation function between two layers removes.

    Raises:
        ArgumentError: if the gain of this function is not known.
    """
    gains = {"linear": 1.0, "sigmoid": 1.0, "tanh": 5.0 / 3.0, "relu": sqrt(2.0)}
    gains["leaky_relu"] = sqrt(2.0 / (1.0 + negative_slope**2))
    if nonlinearity not in gains:
        raise errors.unknown_gain(nonlinearity=nonlinearity, known=tuple(gains))
    return gains[nonlinearity]


def fans(parameter: Tensor) -> tuple[int, int]:
    """Returns fan_in and fan_out: how many inputs a result of the layer reads, and how many results read an input."""
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
