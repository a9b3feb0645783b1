"""Tells where Paddle's layers and optimizers keep tensors that the program has names for: `net.0.weight`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import paddle

from inplacelab.recorders.bindings import ATTRIBUTES, Watched
from inplacelab.recorders.static import attributes_of, first_items


def _further(holder: Any) -> Iterator[tuple[str, Any]]:
    """Yields the tensors of a layer and those inside it, or of an optimizer's state, which are not attributes."""
    if issubclass(type(holder), paddle.nn.Layer):
        waiting, left = [("", holder)], ATTRIBUTES
        while waiting and left > 0:
            path, layer = waiting.pop()
            inside = attributes_of(layer)
            for kind in ("_parameters", "_buffers"):
                some = _items(inside.get(kind), left)
                left -= len(some)
                yield from ((f"{path}.{name}", each) for name, each in some)
            some = _items(inside.get("_sub_layers"), left)
            waiting += [(f"{path}.{name}", each) for name, each in reversed(some)]
            left -= len(some)
    else:
        for kind, held in _items(attributes_of(holder).get("_accumulators"), ATTRIBUTES):
            for place, (_, each) in enumerate(_items(held, ATTRIBUTES)):
                yield f".{kind}[{place}]", each


def _items(held: Any, most: int) -> list[tuple[Any, Any]]:
    return first_items(held, most) if issubclass(type(held), dict) else []


WATCHED = Watched(paddle.Tensor, (paddle.nn.Layer, paddle.optimizer.Optimizer), (), _further)
"""The classes whose objects have names."""
