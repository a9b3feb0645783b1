"""Which slots of a storage an index operation reads or writes, for observers.

A row says nowhere what its index means, but its kernel knows. So the kernel is asked: it computes once more, on slot numbers in the
place of the values that are read, or with NaN in the place of those that are written.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np

from inplacelab.ops.arguments.overlap import slots_of
from inplacelab.ops.table.row import SAYS_WHERE, Row
from inplacelab.tensor import Tensor

ENOUGH = 1 << 20
"""Slots are counted one by one. For tensors of more elements, or storages of more slots, that would take longer than a learner waits."""


def read(row: Row, x: Tensor, given: Mapping[str, Any], shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """The slots that a selection reads.

    Args:
        row: the operation.
        x: its first input.
        given: its arrays and attributes, by name, as the kernel is given them.
        shape: the shape of the result.

    Returns:
        For each element of the result, in row-major order, the slot that it was read from; None if `x` is too large to say.
    """
    if _too_large(x):
        return None
    slots = slots_of(x)
    result = np.empty(shape, slots.dtype)
    _run(row, x, {**given, row.inputs[0]: slots}, result)
    return tuple(result.ravel().tolist())


def written(row: Row, x: Tensor, given: Mapping[str, Any]) -> tuple[int, ...] | None:
    """The slots that an operation wrote which writes some elements of `x` in place.

    Args:
        row: the operation.
        x: its first input.
        given: its arrays and attributes, by name, as the kernel is given them.

    Returns:
        The slots in ascending order; None if `x` is too large to say.
    """
    if _too_large(x):
        return None
    marks = np.zeros(x.array.shape, np.float32)
    values = {name: np.full(given[name].shape, np.nan, np.float32) for name in row.inputs[1:] if name not in SAYS_WHERE}
    _run(row, x, {**given, **values, row.inputs[0]: marks}, marks)
    return tuple(np.unique(slots_of(x)[np.isnan(marks)]).tolist())


def _too_large(x: Tensor) -> bool:
    return bool(max(x.array.size, x.storage.nbytes // x.element_size()) > ENOUGH)


class _Unaccounted:
    """In the place of the device: what is computed here is no memory of the program's."""

    @property
    def ledger(self) -> _Unaccounted:
        return self

    def borrow(self, _bytes: int) -> None:
        """Count nothing."""


def _run(row: Row, x: Tensor, given: Mapping[str, Any], out: Any) -> None:
    """Run the kernel in ordinary memory, whatever device it ran on."""
    assert row.kernel is not None
    device = x.storage.device
    host = {
        name: device.to_host(value) if name in row.inputs and not isinstance(value, np.ndarray) else value
        for name, value in given.items()
    }
    known = {**host, "out": out, "device": _Unaccounted()}
    row.kernel(**{name: known[name] for name in inspect.signature(row.kernel).parameters})
