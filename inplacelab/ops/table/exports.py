"""Adds functions to the package and methods to `Tensor`, under their names in Paddle.

A row of the table does so when it is added. Other functions use the decorators below:

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
    """Functions by name, each made on first use by a module, which keeps it until another one gets its name."""

    def __init__(self) -> None:
        super().__init__()
        self._kept: dict[str, dict[str, Any]] = {}

    def give(self, name: str, module: dict[str, Any]) -> Callable[..., Any]:
        """Makes a function, and stores it among the names of the module."""
        made = module[name] = self[name]()
        self._kept[name] = module
        return made

    def __setitem__(self, name: str, make: Callable[[], Callable[..., Any]]) -> None:
        super().__setitem__(name, make)
        self._kept.pop(name, {}).pop(name, None)


FUNCTIONS = Functions()
"""The functions of the package's top level, by name, each made on first use."""

FUNCTIONAL = Functions()
"""The functions of `nn.functional` that come from `ops`."""


@cache
def _exported(function: Callable[..., Any]) -> Callable[..., Any]:
    """The public function, which also accepts Paddle's alternative keywords."""
    return with_aliases(function) if takes_other_names(function.__name__) else function


def as_function(function: _F, name: str = "") -> _F:
    """Adds a function to the package's top level, under its own name or another."""
    FUNCTIONS[name or function.__name__] = lambda: _exported(function)
    return function


def as_functional(function: _F) -> _F:
    """Adds a function to `nn.functional`."""
    FUNCTIONAL[function.__name__] = lambda: _exported(function)
    return function


def as_method(function: _F, name: str = "") -> _F:
    """Makes a function a method of `Tensor`, under its own name or another."""
    name = name or function.__name__
    setattr(Tensor, name, LazyMethod(name, function) if takes_other_names(function.__name__) else function)
    return function


class LazyMethod:
    """A method that also accepts Paddle's alternative keywords. It is made on first use, and then replaces this object."""

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        self._name, self._function = name, function

    def function(self) -> Callable[..., Any]:
        """Makes the function, and returns it."""
        made = _exported(self._function)
        if Tensor.__dict__.get(self._name) is self:
            setattr(Tensor, self._name, made)
        return made

    def __get__(self, tensor: Tensor | None, owner: type) -> Any:
        made = self.function()
        return made if tensor is None else made.__get__(tensor, owner)


def as_property(name: str, read: Callable[[Tensor], Any], write: Callable[[Tensor, Any], None] | None = None) -> None:
    """Adds a property to `Tensor`, documented by the function that reads it."""
    setattr(Tensor, name, property(read, write, doc=read.__doc__))
