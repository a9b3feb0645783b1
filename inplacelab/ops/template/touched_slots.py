"""Computes which slots of a storage an index operation reads or writes, for observers.

A row does not declare the meaning of its index. So its kernel runs again, on slot numbers instead of the values that are
read, or with NaN instead of those that are written.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np

from inplacelab.ops.arguments.overlap import slots_of
from inplacelab.ops.table.row import INDEX_PARAMETERS, Row
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
        The slot of each element of the result, in row-major order; None if `x` is too large.
    """
    if _too_large(x):
        return None
    slots = slots_of(x)
    result = np.empty(shape, slots.dtype)
    _run(row, x, {**given, row.inputs[0]: slots}, result)
    return tuple(result.ravel().tolist())


def written(row: Row, x: Tensor, given: Mapping[str, Any]) -> tuple[int, ...] | None:
    """Returns the slots that an in-place operation on some elements of `x` wrote.

    Args:
        row: the operation.
        x: its first input.
        given: its arrays and attributes, by name, as the kernel receives them.

    Returns:
        The slots in ascending order; None if `x` is too large.
    """
    if _too_large(x):
        return None
    marks = np.zeros(x.array.shape, np.float32)
    values = {
        name: np.full(given[name].shape, np.nan, np.float32) for name in row.inputs[1:] if name not in INDEX_PARAMETERS
    }
    _run(row, x, {**given, **values, row.inputs[0]: marks}, marks)
    return tuple(np.unique(slots_of(x)[np.isnan(marks)]).tolist())


def _too_large(x: Tensor) -> bool:
    return bool(max(x.array.size, x.storage.nbytes // x.element_size()) > ENOUGH)


class _Unaccounted:
    """Replaces the device: memory used here is not the program's."""

    @property
    def ledger(self) -> _Unaccounted:
        return self

    def borrow(self, _bytes: int) -> None:
        """Counts nothing."""


def _run(row: Row, x: Tensor, given: Mapping[str, Any], out: Any) -> None:
    """Runs the kernel in the memory of the CPU."""
    assert row.kernel is not None
    device = x.storage.device
    host = {
        name: device.to_host(value) if name in row.inputs and not isinstance(value, np.ndarray) else value
        for name, value in given.items()
    }
    known = {**host, "out": out, "device": _Unaccounted()}
    row.kernel(**{name: known[name] for name in inspect.signature(row.kernel).parameters})
