"""Containers of layers: `Sequential` and `LayerList`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from inplacelab import errors
from inplacelab.nn.layer import Layer, direct_sublayers


class _IndexedLayers(Layer):
    """Layers that are indexed by number or name."""

    def _numbered(self) -> list[tuple[str, Layer]]:
        return list(direct_sublayers(self))

    def __len__(self) -> int:
        return len(self._numbered())

    def __iter__(self) -> Iterator[Layer]:
        return iter([layer for _, layer in self._numbered()])

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            part = type(self)()
            part._put(list(self)[index])
            return part
        if isinstance(index, str):
            return dict(self._numbered())[index]
        return list(self)[index]

    def __setitem__(self, index: int | str, layer: Layer) -> None:
        name = index if isinstance(index, str) else self._numbered()[index][0]
        self.add_sublayer(name, _layer(layer))

    def __delitem__(self, index: int | slice) -> None:
        layers = list(self)
        del layers[index]
        for name, _ in self._numbered():
            delattr(self, name)
        self._put(layers)

    def _put(self, layers: Iterable[Layer]) -> None:
        for layer in layers:
            self.add_sublayer(str(len(self)), _layer(layer))


class Sequential(_IndexedLayers):
    """Applies layers one after another.

    Args:
        layers: the layers, or pairs of a name and a layer.

    Raises:
        ArgumentKindError: if an argument is neither.

    >>> import inplacelab as paddle
    >>> net = paddle.nn.Sequential(paddle.nn.Linear(2, 3), paddle.nn.ReLU())
    >>> net(paddle.ones([4, 2])).shape
    paddle.Size([4, 3])

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/Sequential_en.html
    """

    def __init__(self, *layers: Layer | tuple[str, Layer]) -> None:
        super().__init__()
        for number, each in enumerate(layers):
            name, layer = each if isinstance(each, tuple | list) else (str(number), each)
            self.add_sublayer(name, _layer(layer))

    def append(self, layer: Layer) -> Sequential:
        """Adds a layer at the end, and returns the container."""
        self._put([layer])
        return self

    def forward(self, x: Any) -> Any:
        """Applies the layers to `x` in order, and returns the last output."""
        for layer in self:
            x = layer(x)
        return x


class LayerList(_IndexedLayers):
    """A list of layers. Their parameters belong to the parent layer; the list itself computes nothing.

    Args:
        sublayers: the layers; None for an empty list.

    Raises:
        ArgumentKindError: if an item is not a layer.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/LayerList_en.html
    """

    def __init__(self, sublayers: Iterable[Layer] | None = None) -> None:
        super().__init__()
        self._put(sublayers or ())

    def append(self, sublayer: Layer) -> LayerList:
        """Adds a layer at the end, and returns the list."""
        self._put([sublayer])
        return self

    def extend(self, sublayers: Iterable[Layer]) -> LayerList:
        """Adds several layers at the end, and returns the list."""
        self._put(sublayers)
        return self


def _layer(value: Any) -> Layer:
    if not isinstance(value, Layer):
        raise errors.not_a_layer(given=value)
    return value
