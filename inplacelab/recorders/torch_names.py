"""Tells which objects of a PyTorch program lead to tensors that have names: modules, with those inside them, and optimizers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from inplacelab.recorders.bindings import ATTRIBUTES, Watched
from inplacelab.recorders.static import attributes_of, first_items


def _further(holder: Any) -> Iterator[tuple[str, Any]]:
    """Yields the tensors of a module and those inside it, or of an optimizer's state, which are not attributes."""
    if issubclass(type(holder), torch.nn.Module):
        waiting, left = [("", holder)], ATTRIBUTES
        while waiting and left > 0:
            path, module = waiting.pop()
            inside = attributes_of(module)
            for kind in ("_parameters", "_buffers"):
                held = inside.get(kind)
                some = _items(held, left)
                left -= len(some)
                yield from ((f"{path}.{name}", each) for name, each in some)
            modules = inside.get("_modules")
            some = _items(modules, left)
            waiting += [(f"{path}.{name}", each) for name, each in reversed(some)]
            left -= len(some)
    else:
        state = attributes_of(holder).get("state")
        states = _items(state, ATTRIBUTES)
        for place, (_, kept) in enumerate(states):
            some = _items(kept, ATTRIBUTES)
            yield from ((f".state[{place}][{name!r}]", each) for name, each in some if type(name) is str)


def _items(held: Any, most: int) -> list[tuple[Any, Any]]:
    return first_items(held, most) if issubclass(type(held), dict) else []


WATCHED = Watched(torch.Tensor, (torch.nn.Module, torch.optim.Optimizer), (), _further)
