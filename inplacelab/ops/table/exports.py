"""Gives functions to the package and methods to `Tensor`, under their names in Paddle.

A row of the table does so when it is added. What is no row is marked by one of the decorators below, where it is defined:

    @as_method
    @as_function
    def broadcast_shape(...): ...
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from inplacelab.ops.arguments.keywords import takes_other_names, with_aliases
from inplacelab.tensor import Tensor

_F = TypeVar("_F", bound=Callable[..., Any])


class Functions(dict[str, Callable[[], Callable[..., Any]]]):
    """Functions by name, each made when a module is first asked for it, and then kept there until another takes its name."""

    def __init__(self) -> None:
        super().__init__()
        self._kept: dict[str, dict[str, Any]] = {}

    def give(self, name: str, module: dict[str, Any]) -> Callable[..., Any]:
        """Make a function, and keep it among the names of the module that was asked for it."""
        made = module[name] = self[name]()
        self._kept[name] = module
        return made

    def __setitem__(self, name: str, make: Callable[[], Callable[..., Any]]) -> None:
        super().__setitem__(name, make)
        self._kept.pop(name, {}).pop(name, None)


FUNCTIONS = Functions()
"""The functions of the package's top level, by name, each made when it is first asked for."""

FUNCTIONAL = Functions()
"""The functions of `nn.functional` that come from `ops`."""


@cache
def _exported(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as learners call it: where Paddle has other names for its keywords, it takes these, too."""
    return with_aliases(function) if takes_other_names(function.__name__) else function


def as_function(function: _F, name: str = "") -> _F:
    """Offer a function in the package's top level, under its own name or another."""
    FUNCTIONS[name or function.__name__] = lambda: _exported(function)
    return function


def as_functional(function: _F) -> _F:
    """Offer a function in `nn.functional`."""
    FUNCTIONAL[function.__name__] = lambda: _exported(function)
    return function


def as_method(function: _F, name: str = "") -> _F:
    """Make a function a method of `Tensor`, under its own name or another."""
    setattr(Tensor, name or function.__name__, _exported(function))
    return function


def as_property(name: str, read: Callable[[Tensor], Any], write: Callable[[Tensor, Any], None] | None = None) -> None:
    """Give `Tensor` a property, documented by the function that reads it."""
    setattr(Tensor, name, property(read, write, doc=read.__doc__))
