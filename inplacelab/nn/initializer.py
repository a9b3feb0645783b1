"""First values of a parameter: each is called with the parameter, and writes it in place."""

from __future__ import annotations

from typing import Any

from inplacelab.autograd import modes
from inplacelab.tensor import Tensor


class Initializer:
    """The base of all: `_write` says what is written."""

    def __call__(self, parameter: Tensor) -> Tensor:
        """Write the parameter, outside the history."""
        with modes.no_grad():
            self._write(parameter)
        return parameter

    def _write(self, parameter: Tensor) -> None:
        raise NotImplementedError(f"{type(self).__name__} defines no _write(): say there what is written")


class Constant(Initializer):
    """The same number everywhere.

    >>> import inplacelab as paddle
    >>> layer = paddle.nn.Linear(1, 2)
    >>> paddle.nn.initializer.Constant(0.5)(layer.bias).tolist()
    [0.5, 0.5]
    """

    def __init__(self, value: float = 0.0) -> None:
        self.value = value

    def _write(self, parameter: Tensor) -> None:
        parameter.fill_(self.value)


class Assign(Initializer):
    """The given values, of the parameter's shape: a list, an array or a tensor."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def _write(self, parameter: Tensor) -> None:
        parameter.set_value(self.value)


class Uniform(Initializer):
    """Random numbers between `low` and `high`, all equally likely."""

    def __init__(self, low: float = -1.0, high: float = 1.0) -> None:
        self.low, self.high = low, high

    def _write(self, parameter: Tensor) -> None:
        parameter.uniform_(self.low, self.high)


class Normal(Initializer):
    """Random numbers of a normal distribution."""

    def __init__(self, mean: float = 0.0, std: float = 1.0) -> None:
        self.mean, self.std = mean, std

    def _write(self, parameter: Tensor) -> None:
        parameter.normal_(self.mean, self.std)
