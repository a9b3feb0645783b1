"""Computes which slots of a storage an operation on some elements reads or writes, for observers.

A row does not declare the meaning of its index, its mask or its diagonal. So its kernel runs on other values: on slot numbers instead
of the values that are read, on NaN and on numbers instead of those that are written. What it does to them says which slots it reaches.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from inplacelab.backends import CPU
from inplacelab.ops.arguments.overlap import slots_of
from inplacelab.ops.table.row import Row
from inplacelab.tensor import Tensor

ENOUGH = 1 << 20
"""The most elements of a tensor, or slots of a storage, for which slots are computed; more would take too long."""


def read(row: Row, x: Tensor, given: Mapping[str, Any], shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """Returns the slots that a selection reads.

    Args:
        row: the operation.
        x: its first input.
        given: its arrays and attributes, by name, as the kernel receives them.
        shape: the shape of the result.

    Returns:
        The slot of each element of the result, in row-major order; None if `x` is too large, or the kernel is one that launches.
    """
    if _cannot_run(row, x):
        return None
    slots = slots_of(x)
    result = np.empty(shape, slots.dtype)
    _run(row, x, {**given, row.inputs[0]: slots}, result)
    return tuple(result.ravel().tolist())


def in_place(row: Row, x: Tensor, given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns which slots an in-place operation is about to write and read, as details for `Observer.operation`.

    A slot is written if the operation can change it, for some values of its inputs. Two runs of the kernel tell: on zeros with NaN
    as values, what becomes NaN is written; on NaN with numbers as values, what becomes a number is written, and what is written and
    stays NaN depends on the old value, so it is read. If all that is written are some of those numbers, they were copied. A third run,
    on large numbers, finds what only some values change.

    Args:
        row: the operation.
        x: its first input, which has not been written yet.
        given: its arrays and attributes, by name, as the kernel receives them.

    Returns:
        The details: all of `x` is written at most, but it is not known where, if it is too large, or the kernel is one that launches.
    """
    if _cannot_run(row, x):
        return {"exact": False}
    shape = x.array.shape
    valued = [name for name, rule in zip(row.inputs[1:], row.rules[1:], strict=True) if rule is not None]
    numbers = {name: _distinct(given[name].shape) for name in valued}
    missing = {name: np.full(given[name].shape, np.nan) for name in valued}
    reached = np.isnan(_result(row, x, {**given, **missing}, np.zeros(shape)))
    combined = _result(row, x, {**given, **numbers}, np.full(shape, np.nan))
    large = np.array(_distinct(shape) * 1e6)
    reached = reached | ~np.isnan(combined) | (_result(row, x, {**given, **numbers}, large.copy()) != large)
    slots, kept = slots_of(x), np.isnan(combined)
    return {
        "written": _listed(slots[reached]),
        "read": _listed(slots[reached & kept]),
        "copied": next((k for k, name in enumerate(row.inputs) if _holds(numbers.get(name), combined[reached])), None),
    }


def _distinct(shape: tuple[int, ...]) -> Any:
    """Returns different numbers. A sum of several is none of them, and most likely neither is a product or a mean."""
    count = math.prod(shape)
    return (count + 1 + count * (np.arange(1, count + 1) * 0.6180339887498949 % 1)).reshape(shape)


def _holds(numbers: Any, found: Any) -> bool:
    """Whether all that was found are some of these numbers."""
    return numbers is not None and found.size > 0 and bool(np.isin(found, numbers).all())


def _listed(slots: Any) -> tuple[int, ...]:
    """Returns the slots in order, without repeats."""
    return tuple(np.unique(slots).tolist())


def _cannot_run(row: Row, x: Tensor) -> bool:
    too_large = max(x.array.size, x.storage.nbytes // x.element_size()) > ENOUGH
    return bool(too_large or "planned" in _parameters(row))


def _parameters(row: Row) -> Mapping[str, inspect.Parameter]:
    assert row.kernel is not None
    return inspect.signature(row.kernel).parameters


class _Unaccounted:
    """Replaces the device by the CPU without its ledger: memory used here is not the program's."""

    def __getattr__(self, name: str) -> Any:
        return getattr(CPU, name)

    @property
    def ledger(self) -> _Unaccounted:
        return self

    def borrow(self, _bytes: int) -> None:
        """Counts nothing."""


def _result(row: Row, x: Tensor, given: Mapping[str, Any], out: Any) -> Any:
    """Returns what the kernel makes of the values in `out`, which it overwrites."""
    with np.errstate(all="ignore"):
        _run(row, x, {**given, row.inputs[0]: out}, out)
    return out


def _run(row: Row, x: Tensor, given: Mapping[str, Any], out: Any) -> None:
    """Runs the kernel in the memory of the CPU."""
    assert row.kernel is not None
    device = x.storage.device
    host = {
        name: device.to_host(value) if name in row.inputs and not isinstance(value, np.ndarray) else value
        for name, value in given.items()
    }
    known = {**host, "out": out, "device": _Unaccounted()}
    row.kernel(**{name: known[name] for name in _parameters(row)})
