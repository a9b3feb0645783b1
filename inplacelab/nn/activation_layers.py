"""Activation layers: each applies a function of `nn.functional` and has the same parameters."""

from __future__ import annotations

from inspect import Parameter, Signature
from typing import Any

from inplacelab.nn import functional
from inplacelab.nn.initializer import Constant
from inplacelab.nn.layer import Layer
from inplacelab.tensor import Tensor


class Activation(Layer):
    """The base of the activation layers.

    Attributes:
        function: the name in `nn.functional` of the function that is applied.
    """

    function: str
    __signature__: Signature

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        given = self.__signature__.bind(*args, **kwargs)
        given.apply_defaults()
        self._options = {option: value for option, value in given.arguments.items() if option != "name"}

    def forward(self, x: Tensor) -> Tensor:
        """Applies the function to `x`, of any shape."""
        result: Tensor = getattr(functional, self.function)(x, **self._options)
        return result

    def extra_repr(self) -> str:
        """Returns the options as they are printed."""
        return ", ".join(f"{option}={value}" for option, value in self._options.items())


def _layer(name: str, function: str, **defaults: Any) -> type[Activation]:
    """Makes the class of a layer that applies `function`; `defaults` are the function's other parameters, as in Paddle."""
    parameters = [
        Parameter(option, Parameter.POSITIONAL_OR_KEYWORD, default=value)
        for option, value in (defaults | {"name": None}).items()
    ]
    doc = f"`nn.functional.{function}` as a layer.\n\n`nn.functional.{function}` 对应的层。"
    body = {"function": function, "__signature__": Signature(parameters), "__doc__": doc, "__module__": __name__}
    return type(name, (Activation,), body)


ReLU = _layer("ReLU", "relu")
ReLU6 = _layer("ReLU6", "relu6")
LeakyReLU = _layer("LeakyReLU", "leaky_relu", negative_slope=0.01)
ELU = _layer("ELU", "elu", alpha=1.0)
GELU = _layer("GELU", "gelu", approximate=False)
Silu = _layer("Silu", "silu", inplace=False)
Sigmoid = _layer("Sigmoid", "sigmoid")
Tanh = _layer("Tanh", "tanh")
Hardtanh = _layer("Hardtanh", "hardtanh", min=-1.0, max=1.0)
ThresholdedReLU = _layer("ThresholdedReLU", "thresholded_relu", threshold=1.0, value=0.0)
Softplus = _layer("Softplus", "softplus", beta=1, threshold=20)
Softmax = _layer("Softmax", "softmax", axis=-1)
LogSoftmax = _layer("LogSoftmax", "log_softmax", axis=-1)
Swish = _layer("Swish", "swish")
Mish = _layer("Mish", "mish")
Hardsigmoid = _layer("Hardsigmoid", "hardsigmoid")
Hardswish = _layer("Hardswish", "hardswish")
LogSigmoid = _layer("LogSigmoid", "log_sigmoid")
Softsign = _layer("Softsign", "softsign")
SELU = _layer("SELU", "selu", scale=1.0507009873554805, alpha=1.6732632423543772)
CELU = _layer("CELU", "celu", alpha=1.0)


class PReLU(Layer):
    """Applies `nn.functional.prelu` with trainable slopes.

    Args:
        num_parameters: the number of slopes: 1 or the number of channels.
        init: the first value of every slope.
        weight_attr: a `ParamAttr`, a name or an initializer for the slopes.
        data_format: if it ends in "C", channels are the last axis; otherwise the second.
        name: accepted for compatibility with Paddle; ignored.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/PReLU_en.html
    """

    def __init__(
        self,
        num_parameters: int = 1,
        init: float = 0.25,
        weight_attr: Any = None,
        data_format: str = "NCHW",
        name: str | None = None,
    ) -> None:
        super().__init__()
        self._weight = self.create_parameter([num_parameters], weight_attr, default_initializer=Constant(init))
        self._init, self._data_format = init, data_format

    def forward(self, x: Tensor) -> Tensor:
        """Applies the function to `x`, of shape [N, C, *] or [N, *, C]."""
        return functional.prelu(x, self._weight, self._data_format)

    def extra_repr(self) -> str:
        """Returns the options as they are printed."""
        slopes, dtype = self._weight.size, self._weight.dtype.name
        return f"num_parameters={slopes}, data_format={self._data_format}, init={self._init}, dtype={dtype}"
