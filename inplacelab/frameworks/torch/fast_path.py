"""Tells when a module runs that PyTorch computes in another way if there is a mode: those for transformers, without gradients."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any, Protocol

import torch

from inplacelab.recorders.stand_in import call_for

_MODULES = (torch.nn.TransformerEncoder, torch.nn.TransformerEncoderLayer, torch.nn.MultiheadAttention)


class Listener(Protocol):
    """Is called when such a module runs."""

    def fast_begins(self, module: Any) -> bool:
        """Called before it runs. Returns whether `fast_ended` shall be called."""

    def fast_ended(self, result: Any) -> None:
        """Called when it has ended, with its result; None if it has raised."""


_listeners: list[Listener] = []
_before: dict[Any, Callable[..., Any]] = {}


def listen(listener: Listener) -> None:
    """Begins to call a listener. The `forward` of these modules is another function while there are listeners."""
    _listeners.append(listener)
    for kind in _MODULES if not _before else ():
        _before[kind] = kind.forward
        kind.forward = _reported(kind.forward)


def leave(listener: Listener) -> None:
    """Ends that, if it has begun."""
    if listener in _listeners:
        _listeners.remove(listener)
    if not _listeners:
        for kind, forward in _before.items():
            kind.forward = forward
        _before.clear()


def has_fast_path(module: Any) -> bool:
    """Whether PyTorch may compute a module in another way than by its ordinary operations."""
    if module.training:
        return False
    return not torch.is_grad_enabled() or not any(each.requires_grad for each in module.parameters())


def _reported(forward: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(forward)
    def call(module: Any, *args: Any, **kwargs: Any) -> Any:
        told = [each for each in tuple(_listeners) if each.fast_begins(module)]
        result = None
        try:
            result = call_for(sys._getframe(1), forward, (module, *args), kwargs)
        finally:
            for each in reversed(told):
                each.fast_ended(result)
        return result

    return call
