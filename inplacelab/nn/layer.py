"""`nn.Layer`: a function with parameters, and other layers inside it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from itertools import count
from typing import Any

import numpy as np

from inplacelab import observe
from inplacelab.autograd import modes
from inplacelab.dtypes import get_default_dtype
from inplacelab.ops.distributions import generator
from inplacelab.ops.factories import to_tensor
from inplacelab.tensor import Parameter, Tensor, adopt

_serials: dict[str, Iterator[int]] = {}


class Layer:
    """The base of every layer: define `forward`, call the layer.

    Attributes that are parameters or layers are found by `parameters()` and `named_parameters()`.

    >>> import inplacelab as paddle
    >>> class Double(paddle.nn.Layer):
    ...     def forward(self, x):
    ...         return x.scale(2.)
    >>> Double()(paddle.ones([2])).tolist()
    [2.0, 2.0]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/Layer_en.html
    """

    training: bool

    def __init__(self, name_scope: str | None = None, dtype: str | None = None) -> None:
        kind = (name_scope or type(self).__name__).lower()
        self._full_name = f"{kind}_{next(_serials.setdefault(kind, count()))}"
        self._dtype, self._made, self.training = dtype, count(), True

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """What the layer computes. To be defined by each layer."""
        raise NotImplementedError(f"{type(self).__name__} defines no forward(): say there what the layer computes")

    def __call__(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.forward(*inputs, **kwargs)

    def full_name(self) -> str:
        """The layer's name: "linear_0"."""
        return self._full_name

    def create_parameter(
        self, shape: Any, dtype: Any = None, is_bias: bool = False, default_initializer: Any = None
    ) -> Parameter:
        """A new parameter: Xavier-uniform numbers for weights, zeros for biases, as Paddle does by default."""
        sizes = tuple(int(n) for n in shape)
        limit = 0.0 if is_bias or not sizes else float(np.sqrt(6.0 / (sizes[0] + sizes[-1])))
        with observe.silence(), modes.no_grad():
            parameter = as_parameter(
                to_tensor(generator().uniform(-limit, limit, sizes), dtype=dtype or self._dtype or get_default_dtype())
            )
            parameter.name = f"{self._full_name}.{'b' if is_bias else 'w'}_0"
            if default_initializer is not None:
                default_initializer(parameter)
        if observe.listeners:
            observe.tell("create_parameter", "create", (), parameter, None)
        return parameter

    def add_sublayer(self, name: str, sublayer: Layer) -> Layer:
        """Put a layer inside this one under `name`."""
        setattr(self, name, sublayer)
        return sublayer

    def named_sublayers(self, prefix: str = "") -> Iterator[tuple[str, Layer]]:
        """The layers inside, with dotted names, outermost first."""
        for name, value in vars(self).items():
            if isinstance(value, Layer):
                path = f"{prefix}.{name}" if prefix else name
                yield path, value
                yield from value.named_sublayers(path)

    def sublayers(self) -> list[Layer]:
        """The layers inside."""
        return [layer for _, layer in self.named_sublayers()]

    def named_parameters(self, prefix: str = "") -> Iterator[tuple[str, Tensor]]:
        """The parameters of this layer and of those inside, with dotted names."""
        for name, value in vars(self).items():
            path = f"{prefix}.{name}" if prefix else name
            if isinstance(value, Parameter):
                yield path, value
            elif isinstance(value, Layer):
                yield from value.named_parameters(path)

    def parameters(self) -> list[Tensor]:
        """The parameters of this layer and of those inside."""
        return [parameter for _, parameter in self.named_parameters()]

    def state_dict(self) -> OrderedDict[str, Tensor]:
        """The parameters by name."""
        return OrderedDict(self.named_parameters())

    def clear_gradients(self) -> None:
        """Fill the gradients of all parameters with zeros."""
        for parameter in self.parameters():
            parameter.clear_gradient()

    def train(self) -> None:
        """Switch this layer and those inside to training."""
        for layer in (self, *self.sublayers()):
            layer.training = True

    def eval(self) -> None:
        """Switch this layer and those inside to evaluation."""
        for layer in (self, *self.sublayers()):
            layer.training = False


def as_parameter(values: Tensor) -> Parameter:
    """A parameter over the storage of `values`."""
    parameter = object.__new__(Parameter)
    parameter._name = parameter._hooks = parameter._grad = parameter._told = None
    adopt(parameter, values)
    parameter._stop = False
    return parameter


class Linear(Layer):
    """`x @ weight + bias`.

    Args:
        in_features: the size of the last axis of the input.
        out_features: the size of the last axis of the result.
        bias_attr: False for no bias.
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        weight_attr: Any = None,
        bias_attr: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        self.weight = self.create_parameter([in_features, out_features])
        self.bias = None if bias_attr is False else self.create_parameter([out_features], is_bias=True)

    def forward(self, x: Tensor) -> Tensor:
        """The product with the weight, plus the bias."""
        product = x @ self.weight
        return product if self.bias is None else product + self.bias


class ReLU(Layer):
    """`nn.functional.relu` as a layer."""

    def forward(self, x: Tensor) -> Tensor:
        """Replace negative elements by zero."""
        return x.relu()


class Sequential(Layer):
    """Layers one after the other."""

    def __init__(self, *layers: Layer) -> None:
        super().__init__()
        for k, layer in enumerate(layers):
            self.add_sublayer(str(k), layer)

    def forward(self, x: Any) -> Any:
        """Hand `x` from layer to layer."""
        for layer in [value for value in vars(self).values() if isinstance(value, Layer)]:
            x = layer(x)
        return x
