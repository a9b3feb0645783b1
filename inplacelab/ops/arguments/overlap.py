"""Operands that share slots with the target of an in-place operation.

Reading an element that has been overwritten would be silently wrong. So such an operand must have exactly the target's
window, or it is read from a copy, or refused; and backward keeps a copy of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab import errors
from inplacelab.autograd.nodes import Node
from inplacelab.autograd.saved import Saved, save, save_copy
from inplacelab.layout import Layout
from inplacelab.tensor import Tensor


def same_window(x: Tensor, y: Tensor) -> bool:
    """Returns True if two tensors show the same slots in the same order; axes of one element make no difference."""
    return x.array is y.array or (x.storage is y.storage and _walk(x.layout) == _walk(y.layout))


def _walk(layout: Layout) -> tuple[int, list[tuple[int, int]]]:
    """The order in which a layout visits the slots."""
    return layout.offset, [(n, s) for n, s in zip(layout.shape, layout.strides, strict=True) if n != 1]


def refuse_self_overlap(op: str, x: Tensor) -> None:
    """Refuses to write a tensor whose elements share slots."""
    raise errors.self_overlap(op=op, tensor=x)


def check_overlap(op: str, x: Tensor, y: Tensor) -> None:
    """Refuses to read `y` while writing `x` if one element writes a slot and another reads it."""
    if not same_window(x, y) and x.storage.device.share_a_slot(x.array, y.array) and _cross(x, y):
        raise errors.partial_overlap(op=op, tensor=x)


def _cross(x: Tensor, y: Tensor) -> bool:
    """True if an element of `y` is in a slot that another element of `x` writes."""
    if x.array.dtype != y.array.dtype:
        return True
    written = slots_of(x)
    read = np.broadcast_to(slots_of(y), written.shape)
    return bool(np.isin(read[read != written], written).any())


def slots_of(x: Tensor) -> Any:
    """Returns the slot of each element."""
    return x.storage.device.window(np.arange(x.storage.nbytes // x.element_size()), x.layout, np.dtype(np.int64))


def copy_if_overlapping(x: Tensor, y: Tensor) -> Any:
    """Returns the values of `y`, as a copy if the operation will overwrite some of them."""
    if not x.storage.device.share_a_slot(x.array, y.array):
        return y.array
    x.storage.device.ledger.lend(y.nbytes)
    return x.storage.device.from_host(y.array)


def save_operand(name: str, y: Tensor, y_edge: Node | None, x: Tensor) -> Saved:
    """Saves an operand of an operation that will write `x`.

    It saves a copy only if the write overwrites part of it (`x.multiply_(x)`).
    """
    if y.storage is x.storage and x.storage.device.share_a_slot(x.array, y.array):
        return save_copy(name, y.array, y.storage, y_edge)
    return save(name, y.array, y.storage, y_edge)
