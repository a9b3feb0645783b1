"""Finds the tensors that a module or an optimizer keeps outside its attributes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from inplacelab.recorders.bindings import ATTRIBUTES
from inplacelab.recorders.static import attributes_of, first_items


def parts_of(module_class: type) -> Callable[[Any], Iterator[tuple[str, Any]]]:
    """Returns a function for `Watched.further` with PyTorch's names: the tensors of a module and those inside it, or of an optimizer's state."""

    def further(holder: Any) -> Iterator[tuple[str, Any]]:
        return of_module(holder, "_modules") if issubclass(type(holder), module_class) else _of_optimizer(holder)

    return further


def of_module(holder: Any, modules: str) -> Iterator[tuple[str, Any]]:
    """Yields the tensors of a module and of those inside it, with their paths. `modules` is the attribute that holds the modules inside."""
    waiting, left = [("", holder)], ATTRIBUTES
    while waiting and left > 0:
        path, module = waiting.pop()
        inside = attributes_of(module)
        for kind in ("_parameters", "_buffers"):
            some = items(inside.get(kind), left)
            left -= len(some)
            yield from ((f"{path}.{name}", each) for name, each in some)
        some = items(inside.get(modules), left)
        waiting += [(f"{path}.{name}", each) for name, each in reversed(some)]
        left -= len(some)


def _of_optimizer(holder: Any) -> Iterator[tuple[str, Any]]:
    for place, (_, kept) in enumerate(items(attributes_of(holder).get("state"), ATTRIBUTES)):
        some = items(kept, ATTRIBUTES)
        yield from ((f".state[{place}][{name!r}]", each) for name, each in some if type(name) is str)


def items(held: Any, most: int) -> list[tuple[Any, Any]]:
    """Returns the first items of a dictionary; none of anything else."""
    return first_items(held, most) if issubclass(type(held), dict) else []
