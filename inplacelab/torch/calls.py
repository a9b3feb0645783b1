"""The border between a PyTorch program and the engine: what goes in, what comes out, and whose words are spoken.

A program holds `torch.Tensor` objects. Each stands for one tensor of the engine, which computes, keeps the history and counts the
versions. `spoken` makes a function on the engine's tensors into one for a program.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from inplacelab import dtypes as engine_dtypes
from inplacelab.errors.catalogue import SPEAKER
from inplacelab.tensor import Parameter as EngineParameter
from inplacelab.tensor import Tensor as Engine
from inplacelab.torch import dtypes
from inplacelab.torch.grad_nodes import note_living
from inplacelab.torch.refusals import refusal

_R = TypeVar("_R")
_new = object.__new__


class Shown:
    """A tensor as a program sees it. `Tensor` adds the names.

    Attributes:
        _tensor: the engine's tensor.
        _output: its number among the results of a function that returned several.
    """

    __slots__ = ("__dict__", "__weakref__", "_output", "_tensor")

    _tensor: Engine
    _output: int


KINDS: dict[str, type[Any]] = {}
"""The classes that programs see: "tensor" and "parameter". `tensor.py` fills it in."""


def shown(tensor: Engine) -> Any:
    """Returns what a program sees of a tensor of the engine: the same object as long as the program has it."""
    known = tensor.__dict__.get("_shown")
    found = None if known is None else known()
    if found is None:
        found = _new(KINDS["parameter" if isinstance(tensor, EngineParameter) else "tensor"])
        attach(found, tensor)
    return found


def attach(facade: Shown, tensor: Engine) -> None:
    """Makes an object stand for a tensor of the engine."""
    facade._tensor, facade._output = tensor, 0
    tensor.__dict__["_shown"] = weakref.ref(facade)
    note_living(tensor)


def inward(value: Any) -> Any:
    """Returns an argument as the engine takes it: tensors and data types are the engine's, also in lists, tuples and slices."""
    if isinstance(value, Shown):
        return value._tensor
    if isinstance(value, dtypes.dtype):
        return value.engine
    if isinstance(value, Sizes):
        return tuple(value)
    if type(value) is list or type(value) is tuple:
        return type(value)([inward(each) for each in value])
    if type(value) is slice:
        return slice(inward(value.start), inward(value.stop), inward(value.step))
    return value


class Sizes(tuple[int, ...]):
    """The base of `torch.Size`."""

    __slots__ = ()


def outward(value: Any) -> Any:
    """Returns a result as a program sees it."""
    if isinstance(value, Engine):
        return shown(value)
    if isinstance(value, engine_dtypes.DType):
        return dtypes.shown(value)
    if isinstance(value, tuple):
        parts = [outward(each) for each in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    if type(value) is list:
        return [outward(each) for each in value]
    return value


def speaking(function: Callable[..., _R], *args: Any, **kwargs: Any) -> _R:
    """Calls a function of the engine, whose refusals are then in PyTorch's words."""
    token = SPEAKER.set(refusal)
    try:
        return function(*args, **kwargs)
    finally:
        SPEAKER.reset(token)


def spoken(function: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a function on the engine's tensors into one on those of a program."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        token = SPEAKER.set(refusal)
        try:
            return outward(
                function(*[inward(each) for each in args], **{name: inward(each) for name, each in kwargs.items()})
            )
        finally:
            SPEAKER.reset(token)

    return call
