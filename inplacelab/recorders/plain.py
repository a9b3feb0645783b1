"""From what the journal copied to what a recording holds: bytes to values, layouts to runs of slots, instructions to lines."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from math import prod
from types import CodeType
from typing import Any

import numpy as np

from inplacelab.devices.kernels.launch import Launch
from inplacelab.layout import Layout, packed
from inplacelab.recorders.copies import ENDS
from inplacelab.recording.facts import LaunchFacts, OperandFacts, SavedFacts, Summary, Values
from inplacelab.recording.slots import Laid, Runs, joined, slot_runs


def saved(kept: tuple[Any, ...]) -> SavedFacts:
    """What a node keeps."""
    name, storage, version, shown, buffer, device, copy = kept
    shape, strides, _, offset = layout(shown, buffer, device)
    return SavedFacts(name, storage, version, shape, strides, offset, copy)


def layout(shown: Any, buffer: Any, device: Any) -> tuple[tuple[int, ...], tuple[int, ...], np.dtype[Any], int]:
    """Shape, strides in elements, dtype and offset of a window on a storage (see `journal.Journal.portray`)."""
    if shown is buffer and buffer is not None:
        return shown.shape, packed(shown.shape), shown.dtype, 0  # (NumPy gives an array without elements strides of 0)
    if buffer is not None:
        shown = shown.shape, shown.strides, shown.dtype, device.offset(shown, buffer)
    shape, strides, dtype, offset = shown
    return shape, tuple([s // dtype.itemsize for s in strides]), dtype, offset


def place(written: Any) -> Any:
    """Where was written: through a window (see `journal.Journal.shown`), or else what is told anyway."""
    if type(written) is not tuple:
        return written
    shape, strides, _, offset = layout(*written)
    return Layout(shape, strides, offset)


def values(kept: Any, dtype: np.dtype[Any], slots: int, copied: memoryview) -> Values | Summary | None:
    """The values in a storage: all of them, where they were copied; a summary of them; or nothing."""
    if kept is None:
        return None
    if type(kept) is int:  # where its copy ends
        return tuple(np.frombuffer(copied[kept - slots * dtype.itemsize : kept], dtype).tolist())
    lowest, highest, head, tail, some, of, where = kept
    shown = [] if some is None else np.frombuffer(some, of).tolist()
    return Summary(
        _number(lowest),
        _number(highest),
        tuple(shown[:ENDS] if head is None else np.frombuffer(head, dtype).tolist()),
        tuple(np.frombuffer(tail, dtype).tolist()),
        () if where is None else _some(shown, place(where)),
    )


def _number(value: Any) -> Any:
    """A number of Python's own; a device may have given it as an array."""
    return value if value is None or type(value) in (int, float, bool) else value.item()


def _some(values: list[Any], where: Laid | list[int]) -> tuple[tuple[int, Values], ...]:
    """Some values that were written, as runs of neighbouring slots. Of a slot written twice the last value stays."""
    slots = where if isinstance(where, list) else _first_slots(where, len(values))
    kept = dict(zip(slots, values, strict=False))
    return tuple((start, tuple(kept[slot] for slot in range(start, stop))) for start, stop in runs(sorted(kept)))


def _first_slots(layout: Laid, count: int) -> list[int]:
    """The slots of the first elements in row-major order."""
    found = []
    for position in range(min(count, prod(layout.shape))):
        slot, rest = layout.offset, position
        for size, stride in zip(reversed(layout.shape), reversed(layout.strides), strict=True):
            rest, index = divmod(rest, size)
            slot += index * stride
        found.append(slot)
    return found


def runs(written: Any) -> Runs:
    """Runs of the slots in a list, or of those that a layout or a window reaches."""
    written = place(written)
    return joined((slot, slot + 1) for slot in written) if isinstance(written, list) else slot_runs(written)


def launch(
    ran: Launch, storages: Sequence[int | None], inputs: Sequence[int | None], output: int | None
) -> LaunchFacts:
    """A launch, with the storages that were known when it ran; the others are those of the operation that it is of.

    What is written is its result; what is only read are its inputs, in order, unless the two do not go together.
    """
    others = list(inputs[1:] if ran.kernel.endswith("_") else inputs)
    reads = [each.role == "reads" for each in ran.operands]
    read = iter(others if len(others) == sum(reads) else [None] * len(reads))
    meant = [next(read) if reads_only else output for reads_only in reads]
    operands = tuple(
        OperandFacts(
            each.name, each.role, each.dtype, each.shape, each.strides, each.offset, each.storage_bytes,
            told if known is None else known,
        )
        for each, known, told in zip(ran.operands, storages, meant, strict=True)
    )  # fmt: skip
    return LaunchFacts(
        ran.kernel, ran.kind, ran.grid, ran.block, ran.width, ran.dtype, operands, ran.bytes_read, ran.bytes_written,
        ran.device, ran.simulated,
    )  # fmt: skip


@lru_cache(maxsize=256)
def _lines(code: CodeType) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Where in a code object a line begins, and which one."""
    starts, lines = [], []
    for start, _, line in code.co_lines():
        if line is not None:
            starts.append(start)
            lines.append(line)
    return tuple(starts), tuple(lines)


def line_of(code: CodeType, instruction: int) -> int:
    """The line of the file on which an instruction stands."""
    starts, lines = _lines(code)
    return lines[max(bisect_right(starts, instruction) - 1, 0)]
