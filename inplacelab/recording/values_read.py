"""Reads the values of a tensor from the recorded slots of its storage, also through a view with another dtype.

A view with another dtype (`x.view("int16")`) counts offset and strides in its own elements, while the slots of the
storage stay the same: both are converted to bytes.

>>> storage = StorageFacts(0, 8, 2, "float32", "cpu", (1.0, -2.0))
>>> element_values(storage, "float32", [1, 0])
(-2.0, 1.0)
>>> element_values(storage, "int32", [0])
(1065353216,)
"""

from __future__ import annotations

import struct
from collections.abc import Iterable

from inplacelab.recording.facts import Number, SavedFacts, StorageFacts, Summary, TensorFacts
from inplacelab.recording.slots import Runs, joined, slot_runs

__all__ = ["bytes_of", "element_values", "known_bytes", "slot_value", "slots_reached", "slots_under"]

_FORMATS = {
    "bool": "?", "uint8": "B", "uint16": "H", "uint32": "I", "uint64": "Q", "int8": "b", "int16": "h", "int32": "i", "int64": "q",
    "float16": "e", "float32": "f", "float64": "d", "complex64": "ff", "complex128": "dd",
}  # fmt: skip


def bytes_of(dtype: str, storage: StorageFacts) -> int:
    """Returns the bytes of one element of `dtype`; an unknown dtype is taken to be as wide as the storage's slots."""
    known = known_bytes(dtype)
    if dtype == storage.dtype or known is None:
        return (storage.bytes // storage.slots if storage.slots else 0) or known or 1
    return known


def known_bytes(dtype: str) -> int | None:
    """Returns the bytes of one element of `dtype`; None for an unknown dtype."""
    form = _FORMATS.get(dtype)
    return None if form is None else struct.calcsize("<" + form)


def slots_under(storage: StorageFacts, dtype: str, start: int, stop: int) -> tuple[int, int]:
    """Returns the slots that hold the bytes of the elements of `dtype` at positions `start` to `stop`, as (first, one past)."""
    if dtype == storage.dtype:
        return start, stop
    wide, slot = bytes_of(dtype, storage), bytes_of(storage.dtype, storage)
    return start * wide // slot, -(-stop * wide // slot)


def slots_reached(storage: StorageFacts, tensor: TensorFacts | SavedFacts) -> Runs:
    """Returns the slots of its storage that a tensor, or what a node keeps, reaches, as runs."""
    runs = slot_runs(tensor)
    if tensor.dtype in ("", storage.dtype):
        return runs
    return joined(slots_under(storage, tensor.dtype, start, stop) for start, stop in runs)


def slot_value(storage: StorageFacts, slot: int) -> Number | None:
    """Returns the value of a slot; None if it was not recorded."""
    values = storage.values
    if isinstance(values, Summary):
        if slot < len(values.head):
            return values.head[slot]
        from_end = storage.slots - slot
        return values.tail[-from_end] if from_end <= len(values.tail) else None
    return values[slot] if values is not None and slot < len(values) else None


def element_values(storage: StorageFacts, dtype: str, positions: Iterable[int]) -> tuple[Number | None, ...]:
    """Returns the values of elements of `dtype` at `positions`.

    Args:
        storage: the storage.
        dtype: the dtype to read the bytes as.
        positions: positions counted in elements of `dtype`.

    Returns:
        One value for each position; None for a value that was not recorded.
    """
    if dtype == storage.dtype:
        known = storage.values
        if isinstance(known, tuple):
            count = len(known)
            return tuple([known[position] if position < count else None for position in positions])
        return tuple(slot_value(storage, position) for position in positions)
    return tuple(_reread(storage, dtype, position) for position in positions)


def _reread(storage: StorageFacts, dtype: str, position: int) -> Number | None:
    if not {dtype, storage.dtype} <= _FORMATS.keys():
        return None
    start, stop = slots_under(storage, dtype, position, position + 1)
    values = [slot_value(storage, slot) for slot in range(start, stop)]
    try:
        written = b"".join(_packed(storage.dtype, value) for value in values if value is not None)
    except (struct.error, OverflowError, TypeError):  # a value that is none of the storage's dtype
        return None
    wide, slot = bytes_of(dtype, storage), bytes_of(storage.dtype, storage)
    # The slots may begin before the element does, and some of them may not have been recorded.
    return _unpacked(dtype, written, position * wide - start * slot) if len(written) == slot * len(values) else None


def _packed(dtype: str, value: Number) -> bytes:
    parts = (value.real, value.imag) if dtype.startswith("complex") else (value,)
    return struct.pack("<" + _FORMATS[dtype], *parts)


def _unpacked(dtype: str, data: bytes, at: int) -> Number:
    parts = struct.unpack_from("<" + _FORMATS[dtype], data, at)
    return complex(*parts) if len(parts) == 2 else parts[0]
