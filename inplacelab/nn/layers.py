"""Layers that are ready: a product with a weight, a function, a chain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from inplacelab import errors
from inplacelab.nn.layer import Layer
from inplacelab.tensor import Tensor


class Linear(Layer):
    """`x @ weight + bias`.

    Args:
        in_features: the size of the last axis of the input.
        out_features: the size of the last axis of the result.
        weight_attr: None.
        bias_attr: False for no bias.

    Raises:
        LayerKindError: for attributes of parameters (`ParamAttr`), which there are not here.
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
        for argument, given in (("weight_attr", weight_attr), ("bias_attr", bias_attr)):
            if not isinstance(given, bool | None):
                raise errors.unknown_attribute_of_parameter(argument, given)
        self.weight = self.create_parameter([in_features, out_features])
        self.bias = None if bias_attr is False else self.create_parameter([out_features], is_bias=True)

    def forward(self, x: Tensor) -> Tensor:
        """The product with the weight, plus the bias."""
        product = x @ self.weight
        return product if self.bias is None else product + self.bias

    def extra_repr(self) -> str:
        """The sizes."""
        features = "in_features={}, out_features={}".format(*self.weight.shape)
        return f"{features}, dtype={str(self.weight.dtype).removeprefix('paddle.')}"


class ReLU(Layer):
    """`nn.functional.relu` as a layer."""

    def forward(self, x: Tensor) -> Tensor:
        """Replace negative elements by zero."""
        return x.relu()


class Sequential(Layer):
    """Layers one after the other.

    Args:
        layers: the layers, or pairs of a name and a layer.

    >>> import inplacelab as paddle
    >>> net = paddle.nn.Sequential(paddle.nn.Linear(2, 3), paddle.nn.ReLU())
    >>> len(net), net[0].weight.shape
    (2, paddle.Size([2, 3]))
    """

    def __init__(self, *layers: Layer | tuple[str, Layer] | list[Any]) -> None:
        super().__init__()
        for k, layer in enumerate(layers):
            name, sublayer = layer if isinstance(layer, tuple | list) else (str(k), layer)
            self.add_sublayer(name, sublayer)

    def forward(self, x: Any) -> Any:
        """Hand `x` from layer to layer."""
        for layer in self:
            x = layer(x)
        return x

    def __iter__(self) -> Iterator[Any]:
        return self.children()

    def __len__(self) -> int:
        return len(list(self.children()))

    def __getitem__(self, which: int | slice | str) -> Any:
        if isinstance(which, str):
            return dict(self.named_children())[which]
        found = list(self.named_children())[which]
        return Sequential(*found) if isinstance(found, list) else found[1]
