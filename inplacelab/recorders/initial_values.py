"""Copies what a program was given, so that it can run again (`replay.py`) as it ran at first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np

from inplacelab import backends, dtypes
from inplacelab.installing import NAME
from inplacelab.layout import Layout
from inplacelab.storage import Storage
from inplacelab.tensor import Parameter, Tensor, adopt, over

LARGEST = 1 << 20
"""Tensors are copied up to so many elements in all."""


class NotWholeError(Exception):
    """Raised for an object that cannot be copied so that the program finds it as it was."""


@dataclass(frozen=True)
class _Form:
    """A tensor as plain data."""

    kind: type[Tensor]
    storage: int
    layout: Layout
    dtype: np.dtype[Any]
    stop_gradient: bool
    name: str | None
    gradient: _Form | None


class InitialValues:
    """What a program's names referred to when it began: whole copies, which the run does not change.

    Args:
        names: the program's names, with their objects.
        used: the names that occur in its text.
    """

    def __init__(self, names: Mapping[str, Any], used: Iterable[str]) -> None:
        self._buffers: dict[int, Any] = {}
        self._forms: dict[int, _Form] = {}
        self._room = LARGEST
        self._values: dict[str, Any] = {}
        self._alive: list[Any] = []  # their ids are keys
        for name in used:
            if name in names:
                try:
                    self._values[name] = self._kept(names[name])
                except NotWholeError:
                    continue
        self._alive.clear()

    @property
    def outside(self) -> list[str]:
        """The names of modules, classes and functions."""
        return [name for name, value in self._values.items() if _is_ours(value)]

    def names(self, values: Callable[[Any], Any]) -> dict[str, Any]:
        """Returns these names, with new copies of the objects.

        Args:
            values: returns the values that take the place of those in an array of floating-point numbers.
        """
        floating = {key: np.issubdtype(buffer.dtype, np.floating) for key, buffer in self._buffers.items()}
        storages = {
            key: Storage((values(buffer) if floating[key] else buffer).copy(), backends.CPU)
            for key, buffer in self._buffers.items()
        }
        made: dict[int, Tensor] = {}
        return {name: _thawed(value, storages, made) for name, value in self._values.items()}

    def _kept(self, value: Any) -> Any:
        kind = type(value)
        if kind in _IMMUTABLE or _is_ours(value):
            return value
        if kind in (list, tuple):
            return kind(map(self._kept, value))
        if kind is dict and all(type(key) in _IMMUTABLE for key in value):
            return {key: self._kept(each) for key, each in value.items()}
        if kind in (Tensor, Parameter):
            return self._frozen(value)
        raise NotWholeError

    def _frozen(self, tensor: Tensor) -> _Form:
        if id(tensor) in self._forms:
            return self._forms[id(tensor)]
        storage = tensor.storage
        leads_elsewhere = tensor.node is not None or tensor.base is not None or tensor._hooks or tensor.untracked
        if leads_elsewhere or storage.device is not backends.CPU:
            raise NotWholeError
        if id(storage) not in self._buffers:
            self._room -= storage.slots
            if self._room < 0:
                raise NotWholeError
            self._buffers[id(storage)] = storage.buffer.copy()
            self._alive.append(storage)
        gradient = None if tensor._grad is None else self._frozen(tensor._grad)
        form = _Form(
            type(tensor), id(storage), tensor.layout, tensor.array.dtype, tensor.stop_gradient, tensor._name, gradient
        )
        self._forms[id(tensor)] = form
        self._alive.append(tensor)
        return form


_IMMUTABLE = frozenset({int, float, complex, bool, str, bytes, type(None), type(...), range, slice, dtypes.DType})


def _is_ours(value: Any) -> bool:
    """Whether a value is a module, a class or a function of this package, or of `math`."""
    if isinstance(value, ModuleType):
        name = value.__name__
    elif isinstance(value, FunctionType | BuiltinFunctionType | type):
        name = str(value.__module__)
    else:
        return False
    return name.partition(".")[0] in (NAME, "math")


def _thawed(value: Any, storages: Mapping[int, Storage], made: dict[int, Tensor]) -> Any:
    if isinstance(value, _Form):
        if id(value) not in made:
            storage = storages[value.storage]
            made[id(value)] = tensor = object.__new__(value.kind)
            tensor._grad = tensor._hooks = None
            adopt(tensor, over(storage.device.window(storage.buffer, value.layout, value.dtype), storage))
            tensor._stop, tensor._name = value.stop_gradient, value.name
            if value.gradient is not None:
                tensor._grad = _thawed(value.gradient, storages, made)
        return made[id(value)]
    if type(value) in (list, tuple):
        return type(value)(_thawed(each, storages, made) for each in value)
    if type(value) is dict:
        return {key: _thawed(each, storages, made) for key, each in value.items()}
    return value
