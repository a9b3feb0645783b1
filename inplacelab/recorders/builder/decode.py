"""Decodes events into facts of a recording: bytes into values, layouts into runs of slots, launches into launch facts."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from inplacelab.kernels.launch import Launch
from inplacelab.layout import Layout
from inplacelab.recorders.events import Kept, Operand
from inplacelab.recorders.snapshots import Snapshot, Whole
from inplacelab.recording.facts import LaunchFacts, OperandFacts, SavedFacts, StorageFacts, Summary, Values
from inplacelab.recording.slots import Laid, Runs, joined, slot_runs, slots_under


def values(snapshot: Snapshot | None) -> Values | Summary | None:
    """Returns the values in a storage: all of them, a summary, or None if nothing was copied."""
    if snapshot is None:
        return None
    if isinstance(snapshot, Whole):
        return tuple(np.frombuffer(snapshot.data, snapshot.dtype).tolist())
    runs: tuple[tuple[int, Values], ...] = ()
    if snapshot.slots is not None:
        slots = (
            first_slots(snapshot.slots, len(snapshot.written)) if isinstance(snapshot.slots, Layout) else snapshot.slots
        )
        kept = dict(zip(slots, snapshot.written, strict=False))  # a slot written twice has the last value
        found = joined((slot, slot + 1) for slot in sorted(kept))
        runs = tuple((start, tuple(kept[slot] for slot in range(start, stop))) for start, stop in found)
    return Summary(snapshot.minimum, snapshot.maximum, snapshot.head, snapshot.tail, runs)


def changed(before: Values | Summary | None, after: Values | Summary | None, runs: Runs) -> Values | Summary | None:
    """Returns the values before with those after in some slots; those after, if not all values of both are known."""
    if not isinstance(before, tuple) or not isinstance(after, tuple) or len(before) != len(after):
        return after
    found = [*before]
    for start, stop in runs:
        found[start:stop] = after[start:stop]
    return tuple(found)


def first_slots(layout: Laid, count: int) -> list[int]:
    """Returns the slots of the first `count` elements of a layout, in row-major order."""
    found = []
    for position in range(min(count, prod(layout.shape))):
        slot, rest = layout.offset, position
        for size, stride in zip(reversed(layout.shape), reversed(layout.strides), strict=True):
            rest, index = divmod(rest, size)
            slot += index * stride
        found.append(slot)
    return found


def runs_of(operand: Operand, storage: StorageFacts | None) -> Runs:
    """Returns the slots that an operation read or wrote, as runs. An operand of another dtype than its storage counts other elements."""
    if operand.part is None or isinstance(operand.part, Layout):
        runs = slot_runs(operand.part or operand.layout)
    else:
        runs = joined((slot, slot + 1) for slot in sorted(operand.part))
    if storage is None or operand.dtype == storage.dtype:
        return runs
    return joined(slots_under(storage, operand.dtype, start, stop) for start, stop in runs)


def saved(kept: Sequence[Kept], *, observed: bool) -> tuple[SavedFacts, ...]:
    """Returns the facts of saved tensors, which the framework has reported (`observed`) or the recorder has inferred."""
    return tuple(
        SavedFacts(
            each.name, each.storage, each.counter, each.version, *each.layout, each.copy, not observed, each.dtype
        )
        for each in kept
    )


def launch(
    ran: Launch, storages: Sequence[int | None], inputs: Sequence[int | None], output: int | None
) -> LaunchFacts:
    """Returns the facts of a launch. An operand without a storage is matched with the operation's tensors: a written operand is the
    result, read operands are the inputs in order, if their numbers agree.
    """
    others = list(inputs[1:] if ran.kernel.endswith("_") else inputs)
    reads = [each.role == "reads" for each in ran.operands]
    read = iter(others if len(others) == sum(reads) else [None] * len(reads))
    likely = [next(read) if reads_only else output for reads_only in reads]
    operands = tuple(
        OperandFacts(
            each.name, each.role, each.dtype, each.shape, each.strides, each.offset, each.storage_bytes,
            guessed if known is None else known,
        )
        for each, known, guessed in zip(ran.operands, storages, likely, strict=True)
    )  # fmt: skip
    return LaunchFacts(
        ran.kernel, ran.kind, ran.grid, ran.block, ran.width, ran.dtype, operands, ran.bytes_read, ran.bytes_written,
        ran.device, ran.simulated,
    )  # fmt: skip
