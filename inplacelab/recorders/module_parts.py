"""Finds the tensors that a module or an optimizer with PyTorch's names keeps outside its attributes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from inplacelab.recorders.bindings import ATTRIBUTES
from inplacelab.recorders.static import attributes_of, first_items


def parts_of(module_class: type) -> Callable[[Any], Iterator[tuple[str, Any]]]:
    """Returns a function for `Watched.further`: the tensors of a module and those inside it, or of an optimizer's state."""

    def further(holder: Any) -> Iterator[tuple[str, Any]]:
        return _of_module(holder) if issubclass(type(holder), module_class) else _of_optimizer(holder)

    return further


def _of_module(holder: Any) -> Iterator[tuple[str, Any]]:
    waiting, left = [("", holder)], ATTRIBUTES
    while waiting and left > 0:
        path, module = waiting.pop()
        inside = attributes_of(module)
        for kind in ("_parameters", "_buffers"):
            some = _items(inside.get(kind), left)
            left -= len(some)
            yield from ((f"{path}.{name}", each) for name, each in some)
        some = _items(inside.get("_modules"), left)
        waiting += [(f"{path}.{name}", each) for name, each in reversed(some)]
        left -= len(some)


def _of_optimizer(holder: Any) -> Iterator[tuple[str, Any]]:
    for place, (_, kept) in enumerate(_items(attributes_of(holder).get("state"), ATTRIBUTES)):
        some = _items(kept, ATTRIBUTES)
        yield from ((f".state[{place}][{name!r}]", each) for name, each in some if type(name) is str)


def _items(held: Any, most: int) -> list[tuple[Any, Any]]:
    return first_items(held, most) if issubclass(type(held), dict) else []
