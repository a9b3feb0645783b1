"""Traces of memory accesses, recorded while a kernel runs on the CPU, and the races in them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

RECORD = np.dtype([
    ("block", "i8"), ("byte", "i8"), ("thread", "i4"), ("ordinal", "i4"), ("barriers", "i4"), ("operand", "i4"), ("bytes", "i4"),
    ("kind", "i4"),
])  # fmt: skip
"""One access: `struct Record` in cuda_on_cpu.h. `byte` is counted from the start of the operand's storage, `ordinal` is the number of
the access in its thread, and `barriers` the number of barriers that the block has passed.
"""

KINDS = ("reads", "writes", "adds")


class Seen(NamedTuple):
    """One access, decoded.

    Attributes:
        operand: the name of the operand.
        kind: "reads", "writes" or "adds" (an atomic addition).
        byte: the first byte, counted from the start of the operand's storage.
        bytes: the number of bytes.
    """

    operand: str
    kind: str
    byte: int
    bytes: int


class Race(NamedTuple):
    """Two threads that access the same byte without a barrier between, at least one of them with a write.

    Attributes:
        operand: the name of the operand.
        byte: the byte, counted from the start of its storage.
        one, other: (block, thread) of both.
    """

    operand: str
    byte: int
    one: tuple[int, int]
    other: tuple[int, int]


class Trace:
    """Every access of a launch.

    Attributes:
        operands: the names of the operands.
        records: an array of `RECORD`s, in order of execution.
    """

    def __init__(self, operands: tuple[str, ...], records: np.ndarray[Any, Any]) -> None:
        self.operands, self.records = operands, records

    def __len__(self) -> int:
        return len(self.records)

    def of_thread(self, block: int, thread: int) -> list[Seen]:
        """Returns the accesses of one thread, in order.

        Args:
            block: the number of the block in the grid.
            thread: the number of the thread in its block.
        """
        mine = self.records[(self.records["block"] == block) & (self.records["thread"] == thread)]
        return [Seen(self.operands[r["operand"]], KINDS[r["kind"]], int(r["byte"]), int(r["bytes"])) for r in mine]

    def bytes(self, kind: str) -> int:
        """Returns the number of bytes of one kind of access: "reads", "writes" or "adds"."""
        return int(self.records["bytes"][self.records["kind"] == KINDS.index(kind)].sum())

    def races(self) -> list[Race]:
        """Finds the accesses that make the result depend on the order of the threads.

        A race is two accesses to the same byte, at least one of which writes, by threads of different blocks, or of one block
        without a barrier between them. Two atomic additions are not a race. Shared memory is not traced.

        Returns:
            At most one race for each byte.
        """
        spread = np.repeat(self.records, self.records["bytes"])
        starts = np.cumsum(self.records["bytes"]) - self.records["bytes"]
        spread["byte"] += np.arange(len(spread)) - np.repeat(starts, self.records["bytes"])
        order = np.lexsort((spread["barriers"], spread["block"], spread["byte"], spread["operand"]))
        found: list[Race] = []
        ordered = spread[order]
        edges = np.flatnonzero(np.diff(ordered["byte"]) | np.diff(ordered["operand"])) + 1
        for group in np.split(ordered, edges):
            pair = _conflict(group)
            if pair is not None:
                one, other = ((int(r["block"]), int(r["thread"])) for r in pair)
                found.append(Race(self.operands[group[0]["operand"]], int(group[0]["byte"]), one, other))
        return found


def _conflict(group: np.ndarray[Any, Any]) -> tuple[Any, Any] | None:
    """Two conflicting accesses to one byte, or None."""
    writes = group[group["kind"] != KINDS.index("reads")]
    for write in writes:
        apart = (group["block"] != write["block"]) | (
            (group["thread"] != write["thread"]) & (group["barriers"] == write["barriers"])
        )
        both_atomic = (group["kind"] == KINDS.index("adds")) & (write["kind"] == KINDS.index("adds"))
        others = group[apart & ~both_atomic]
        if len(others):
            return write, others[0]
    return None
