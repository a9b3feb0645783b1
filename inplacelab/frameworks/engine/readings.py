"""Reads what the engine reports as plain data: attributes, gradients, the nodes of a graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from inplacelab.autograd.nodes import Node
from inplacelab.recorders import events
from inplacelab.recorders.events.backward import SMALL
from inplacelab.tensor import Tensor


def plain(attributes: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the attributes that are numbers, strings, or lists of these."""
    return {name: value for name, value in attributes.items() if _is_plain(value)} if attributes else attributes


_PLAIN = frozenset(map(id, (type(None), bool, int, float, complex, str)))  # (a metaclass may define `__hash__`)


def _is_plain(value: Any) -> bool:
    kind = type(value)
    return id(kind) in _PLAIN or ((kind is list or kind is tuple) and all(map(_is_plain, value)))


def gradient_of(tensor: Tensor, most: int = SMALL) -> events.Gradient:
    """Returns a gradient's shape, and its values if it has no more than so many elements."""
    values = tuple(tensor.numpy().reshape(-1).tolist()) if tensor.size <= most else None
    return events.Gradient(tuple(tensor.array.shape), values)


def reachable(roots: Iterable[Node]) -> Iterator[Node]:
    """Returns every node reachable from the roots, including them."""
    seen: set[Node] = set()
    waiting = list(roots)
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            yield node
            waiting.extend(e for e in node.edges if e is not None)


def address_of(buffer: Any) -> int:
    """Returns the address of the memory of a device's array."""
    shown = getattr(buffer, "__array_interface__", None) or buffer.__cuda_array_interface__
    return int(shown["data"][0])
