"""Tells which objects of a program lead to tensors that have names: layers, with those inside them, and optimizers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from inplacelab.nn import Layer
from inplacelab.optimizer.optimizer import Optimizer, state_by_parameter
from inplacelab.recorders.bindings import ATTRIBUTES, Watched
from inplacelab.recorders.static import attributes_of
from inplacelab.tensor import Tensor


def _state_of_optimizer(holder: Any) -> Iterator[tuple[str, Tensor]]:
    """Yields an optimizer's state for each parameter, in their order: `opt.velocity[0]`."""
    if not issubclass(type(holder), Optimizer):
        return
    by_kind: dict[str, list[tuple[int, Tensor]]] = {}
    for place, state in state_by_parameter(attributes_of(holder))[:ATTRIBUTES]:
        for kind, tensor in state.items():
            by_kind.setdefault(kind, []).append((place, tensor))
    for kind, found in by_kind.items():
        yield from ((f".{kind}[{place}]", tensor) for place, tensor in found)


WATCHED = Watched(Tensor, (Layer, Optimizer), (Layer,), _state_of_optimizer)
"""The classes whose objects have names."""
