"""What a launch costs: bytes asked for, bytes moved.

Memory answers in sectors of 32 bytes. The 32 threads of a warp ask together; their requests are served by as few sectors as
hold them all. Neighbours that want neighbouring slots share sectors ("coalesced"): 32 floats are 4 sectors. Neighbours that
want slots far apart pay for a sector each: 32 sectors, of which an eighth was wanted.

    requested   the bytes that threads read or wrote
    moved       the bytes of the sectors that hold them
    efficiency  requested / moved

Caches are left out: a sector that a later request finds in a cache is counted again, as the load and store units count it.

Source: NVIDIA, CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from inplacelab.devices.kernels import geometry
from inplacelab.devices.kernels.launch import Launch, Operand
from inplacelab.devices.kernels.types import C_TYPES

SECTOR = 32
"""Bytes that memory moves at least."""


class Request(NamedTuple):
    """What the threads of one warp ask for by one instruction.

    Attributes:
        operand: its name.
        kind: "reads" or "writes".
        threads: those that take part, counted within the warp.
        requested: bytes.
        sectors: the sectors that hold them, counted from the start of the operand's storage.
    """

    operand: str
    kind: str
    threads: tuple[int, ...]
    requested: int
    sectors: tuple[int, ...]

    @property
    def moved(self) -> int:
        """The bytes of the sectors."""
        return SECTOR * len(self.sectors)

    @property
    def efficiency(self) -> float:
        """The part of what is moved that was wanted."""
        return self.requested / self.moved


class Bytes(NamedTuple):
    """Bytes read and written.

    >>> Bytes(24, 24) + Bytes(24, 24)
    Bytes(read=48, written=48)
    >>> Bytes(24, 24).total
    48
    """

    read: int
    written: int

    @property
    def total(self) -> int:
        """Both together."""
        return self.read + self.written

    def __add__(self, other: tuple[int, ...]) -> Bytes:  # type: ignore[override]  # two sums, not one longer tuple
        return Bytes(self.read + other[0], self.written + other[1])


def sectors(byte_ranges: Iterable[tuple[int, int]]) -> tuple[int, ...]:
    """The sectors that hold some bytes, given as (first, number).

    >>> sectors((4 * thread, 4) for thread in range(32)), len(sectors((400 * thread, 4) for thread in range(32)))
    ((0, 1, 2, 3), 32)
    """
    held = {s for first, count in byte_ranges for s in range(first // SECTOR, (first + count - 1) // SECTOR + 1)}
    return tuple(sorted(held))


def requests(launch: Launch, block: int = 0, warp: int = 0) -> tuple[Request, ...]:
    """The requests of one warp, in order. What an atomic addition asks for, the data decide: it is left out.

    Args:
        launch: of one of our kernels.
        block: counted within the grid.
        warp: counted within the block.
    """
    turns: dict[tuple[int, str, str], list[tuple[int, int, int]]] = defaultdict(list)
    for lane in range(min(geometry.WARP, launch.threads - warp * geometry.WARP)):
        for operand, kind, slot, slots, turn in geometry.accesses(launch, block, warp * geometry.WARP + lane):
            if slot is not None:
                size = C_TYPES[launch.operand(operand).dtype].size
                turns[turn, operand, kind].append((lane, slot * size, slots * size))
    return tuple(
        Request(operand, kind, tuple(lane for lane, _, _ in asked), sum(n for _, _, n in asked), sectors((b, n) for _, b, n in asked))
        for (_, operand, kind), asked in sorted(turns.items(), key=lambda item: item[0][0])
    )  # fmt: skip


def of_kernel(kind: str, operands: Sequence[Operand]) -> Bytes:
    """The bytes that all threads of a launch ask for.

    An element of an operand that is broadcast is read once for every element of the result.
    """
    sizes = [C_TYPES[each.dtype].size for each in operands]
    first = operands[0].elements * sizes[0]
    if kind == "normalize":
        return Bytes(3 * first, first)  # for the mean, for the variance, for the result
    if kind == "scatter_add":
        each = operands[-1].elements
        return Bytes(each * (sizes[1] + 2 * sizes[2]), each * sizes[0])
    if kind in {"transpose", "transpose_square"}:
        return Bytes(first, first)
    n = next(each.elements for each in operands if each.role != "reads")
    read = sum(n * size for each, size in zip(operands, sizes, strict=True) if each.role != "writes")
    written = sum(n * size for each, size in zip(operands, sizes, strict=True) if each.role != "reads")
    return Bytes(read, written)


def total(launches: Iterable[Launch]) -> Bytes:
    """The bytes that several launches ask for together: those of a chain, say."""
    return sum((Bytes(each.bytes_read, each.bytes_written) for each in launches), Bytes(0, 0))


def allocated(launches: Iterable[Launch]) -> int:
    """The bytes of new storages that the launches wrote their results into: none in place, also where nothing was read."""
    ordinary = (each for each in launches if not each.kernel.endswith("_"))
    return sum(geometry.target(each).storage_bytes for each in ordinary)
