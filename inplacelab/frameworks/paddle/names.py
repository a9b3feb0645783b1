"""Tells where Paddle's layers and optimizers keep tensors that the program has names for: `net.0.weight`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import paddle

from inplacelab.recorders.names_and_lines import ATTRIBUTES, Watched, items, of_module
from inplacelab.recorders.static import attributes_of


def _further(holder: Any) -> Iterator[tuple[str, Any]]:
    """Yields the tensors of a layer and those inside it, or of an optimizer's state, which are not attributes."""
    if issubclass(type(holder), paddle.nn.Layer):
        yield from of_module(holder, "_sub_layers")
    else:
        for kind, held in items(attributes_of(holder).get("_accumulators"), ATTRIBUTES):
            for place, (_, each) in enumerate(items(held, ATTRIBUTES)):
                yield f".{kind}[{place}]", each


WATCHED = Watched(paddle.Tensor, (paddle.nn.Layer, paddle.optimizer.Optimizer), (), _further)
"""The classes whose objects have names."""
