"""Reads traces of kernels that ran on the CPU: the accesses of a thread, and races."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from inplacelab.kernels.on_cpu import KINDS, Trace


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


def of_thread(trace: Trace, block: int, thread: int) -> list[Seen]:
    """Returns the accesses of one thread, in order."""
    mine = trace.records[(trace.records["block"] == block) & (trace.records["thread"] == thread)]
    return [Seen(trace.operands[r["operand"]], KINDS[r["kind"]], int(r["byte"]), int(r["bytes"])) for r in mine]


def races(trace: Trace) -> list[Race]:
    """Finds the accesses that make the result depend on the order of the threads.

    A race is two accesses to the same byte, at least one of which writes, by threads of different blocks, or of one block
    without a barrier between them. Two atomic additions are not a race. Shared memory is not traced.

    Returns:
        At most one race for each byte.
    """
    spread = np.repeat(trace.records, trace.records["bytes"])
    starts = np.cumsum(trace.records["bytes"]) - trace.records["bytes"]
    spread["byte"] += np.arange(len(spread)) - np.repeat(starts, trace.records["bytes"])
    order = np.lexsort((spread["barriers"], spread["block"], spread["byte"], spread["operand"]))
    found: list[Race] = []
    ordered = spread[order]
    edges = np.flatnonzero(np.diff(ordered["byte"]) | np.diff(ordered["operand"])) + 1
    for group in np.split(ordered, edges):
        pair = _conflict(group)
        if pair is not None:
            one, other = ((int(r["block"]), int(r["thread"])) for r in pair)
            found.append(Race(trace.operands[group[0]["operand"]], int(group[0]["byte"]), one, other))
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
