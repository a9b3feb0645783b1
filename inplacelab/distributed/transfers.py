"""Moves elements between ranks: each function writes its result into the given memory.

Sums are computed in the order of the ranks, ((r0 + r1) + r2) + r3, whatever the number of elements and the library of MPI. MPI itself may add in
any order, and choose another one for larger tensors; in floating point that gives other last digits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Any

import numpy as np

from inplacelab.distributed.announcement import Announcement
from inplacelab.distributed.world import World

Flat = np.ndarray[Any, np.dtype[Any]]


class ReduceOp(IntEnum):
    """How a collective combines the elements of the ranks. The numbers are Paddle's."""

    SUM = 0
    MAX = 1
    MIN = 2
    PROD = 3
    AVG = 4


_COMBINE: dict[ReduceOp, Callable[..., Any]] = {
    ReduceOp.SUM: np.add,
    ReduceOp.MAX: np.maximum,
    ReduceOp.MIN: np.minimum,
    ReduceOp.PROD: np.multiply,
    ReduceOp.AVG: np.add,
}


def reduce_everywhere(world: World, call: Announcement, flat: Flat, op: ReduceOp) -> None:
    """Writes the reduction of all ranks' `flat` into each of them.

    Each rank reduces one part of the elements, and then gives it to all: `MPI.IN_PLACE`, so the result arrives in `flat` itself.
    """
    from mpi4py import MPI

    parts = np.array_split(flat, world.size)
    reduce_parts(world, call, parts, parts[world.rank], op)
    counts = [part.nbytes for part in parts]
    starts = [sum(counts[:k]) for k in range(world.size)]
    gathered = [as_bytes(flat), counts, starts, MPI.BYTE]
    world.finish([world.data.Iallgatherv(MPI.IN_PLACE, gathered)], call)


def reduce_parts(world: World, call: Announcement, parts: Sequence[Flat], out: Flat, op: ReduceOp) -> None:
    """Writes into `out` the reduction of what the ranks have for this one: their `parts[rank]`. `out` may be one of the parts."""
    arrived = [np.empty_like(out) for _ in range(world.size - 1)]
    arrived.insert(world.rank, parts[world.rank])
    others = [rank for rank in range(world.size) if rank != world.rank]
    receiving = [world.data.Irecv(as_bytes(arrived[rank]), source=rank) for rank in others]
    sending = [world.data.Isend(as_bytes(parts[rank]), dest=rank) for rank in others]
    world.finish(receiving + sending, call)
    total = arrived[0] if world.rank else arrived[0].copy()
    for each in arrived[1:]:
        _COMBINE[op](total, each, out=total)
    if op is ReduceOp.AVG:
        np.divide(total, world.size, out=total)
    np.copyto(out, total)


def send_to_all(world: World, call: Announcement, flats: Sequence[Flat], roots: Sequence[int]) -> None:
    """Writes the elements that rank `roots[k]` has in `flats[k]` into those of all other ranks."""
    world.finish([world.data.Ibcast(as_bytes(flat), root=root) for flat, root in zip(flats, roots, strict=True)], call)


def as_bytes(flat: Flat) -> Flat:
    """Returns the same memory as bytes, which MPI moves for every data type."""
    return flat.view(np.uint8)
