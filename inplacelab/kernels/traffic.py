"""Computes the memory traffic of a launch: bytes used and bytes requested.

Memory is accessed in sectors of 32 bytes. The 32 threads of a warp send one request, which contains each sector that it needs once. Neighboring
threads that access neighboring slots share sectors ("coalesced"): 32 floats are 4 sectors. Neighboring threads that access distant
slots need a sector each: 32 sectors, of which an eighth is used.

    used        the bytes that threads read or write
    requested   the bytes of the sectors that contain them
    efficiency  used / requested

Caches are ignored: a sector that a later request finds in a cache is counted again, as the load and store units count it.

Source: NVIDIA, CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import gcd, lcm, prod
from typing import NamedTuple

from inplacelab.kernels import geometry
from inplacelab.kernels.launch import C_TYPES, Launch, Operand
from inplacelab.layout import Layout

SECTOR = 32
"""The smallest number of bytes that a request asks for."""


class Request(NamedTuple):
    """The accesses of the threads of one warp by one instruction.

    Attributes:
        operand: the name of the operand.
        kind: "reads" or "writes".
        threads: the threads that take part, counted within the warp.
        used: the number of bytes that they access.
        sectors: the sectors that contain them, counted from the start of the operand's storage.
    """

    operand: str
    kind: str
    threads: tuple[int, ...]
    used: int
    sectors: tuple[int, ...]

    @property
    def requested(self) -> int:
        """The bytes of the sectors."""
        return SECTOR * len(self.sectors)

    @property
    def efficiency(self) -> float:
        """The fraction of the requested bytes that is used."""
        return self.used / self.requested


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
        """The sum of both."""
        return self.read + self.written

    def __add__(self, other: tuple[int, ...]) -> Bytes:  # type: ignore[override]  # two sums, not one longer tuple
        return Bytes(self.read + other[0], self.written + other[1])


def sectors(byte_ranges: Iterable[tuple[int, int]]) -> tuple[int, ...]:
    """Returns the sectors that contain some byte ranges, given as (first byte, number of bytes).

    >>> sectors((4 * thread, 4) for thread in range(32)), len(sectors((400 * thread, 4) for thread in range(32)))
    ((0, 1, 2, 3), 32)
    """
    held = {s for first, count in byte_ranges for s in range(first // SECTOR, (first + count - 1) // SECTOR + 1)}
    return tuple(sorted(held))


def requests(launch: Launch, block: int = 0, warp: int = 0) -> tuple[Request, ...]:
    """Returns the requests of one warp, in order, except atomic additions, whose slots depend on values.

    Args:
        launch: a launch of a kernel of this package.
        block: the number of the block in the grid.
        warp: the number of the warp in the block.
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


def of_kernel(kind: str, operands: Sequence[Operand], width: int) -> Bytes:
    """Computes the bytes that all threads of a launch read and write.

    An element of a broadcast operand is read once for every element of the result, or once for a pack if it is the same for all
    elements of the pack.

    Args:
        kind: the kind of the kernel, as in `Launch.kind`.
        operands: the operands.
        width: the number of elements that a thread processes at once.
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
    turns = n // width + n % width  # packs, and the remaining elements
    each_time = [turns if geometry.stays(each.layout) else n for each in operands]
    asked = [(each.role, often * size) for each, often, size in zip(operands, each_time, sizes, strict=True)]
    return Bytes(*(sum(count for role, count in asked if role != other) for other in ("writes", "reads")))


def requested(launch: Launch) -> int | None:
    """Computes the bytes of the sectors of all requests of a launch: the sum of `requested` over `requests`, without listing them.

    The 32 threads of a warp process neighboring elements, so a request is a run of elements, and the sectors of successive runs
    repeat. So a few formulas suffice for any size.

    Args:
        launch: a launch of a kernel of this package.

    Returns:
        A number of bytes; None if it depends on values (an atomic addition), or if a layout has too many rows before it repeats.

    >>> from inplacelab.kernels.launch import Launch, Operand
    >>> x = Operand("x", "both", "float32", (1_000_000,), (8,), 0, 32_000_000)
    >>> requested(Launch("relu_", "strided", (3907, 1, 1), (256, 1, 1), 1, "float32", (x,), 4_000_000, 4_000_000))
    64000000
    """
    if launch.kind == "scatter_add":
        return None
    if launch.kind in ("contiguous", "strided"):
        counts = [_of_elements(each, launch) for each in launch.operands]
        times = [2 if each.role == "both" else 1 for each in launch.operands]
    else:
        counts = [_of_rows(each) for each in launch.operands]
        times = [geometry.PASSES + 1] if launch.kind == "normalize" else [2 // len(counts)] * len(counts)
    known = [count for count in counts if count is not None]
    if len(known) < len(counts):
        return None
    return SECTOR * sum(count * often for count, often in zip(known, times, strict=True))


MOST_ROWS = 1 << 14
"""The largest number of rows of a layout that are counted one by one before they repeat."""


def _of_elements(operand: Operand, launch: Launch) -> int | None:
    """The sectors of all requests for an operand of an element-wise kernel, each counted once."""
    n, width, each = operand.elements, launch.width, SECTOR // C_TYPES[operand.dtype].size
    layout = operand.layout if launch.kind == "strided" else Layout((n,), (1,), operand.offset)
    if geometry.stays(operand.layout):  # one element for a pack
        if launch.kind == "contiguous":
            return geometry.parts(n // width, geometry.WARP) + bool(n % width)
        layout = layout._replace(shape=(*layout.shape[:-1], layout.shape[-1] // width))
        n, width = n // width, 1
    per = geometry.WARP * width
    if width > 1 and n % width:  # whole packs, and one request for the rest
        packed, rest = n - n % width, n % width
        left_over = _in_run((operand.offset + packed) % each, 1, rest, each)
        return _in_runs(operand.offset, 1, packed, per, each) + left_over
    inner = prod(layout.shape[1:])
    # After so many rows of the first axis a request begins a row, and the row a sector, as the first one did.
    again = inner * lcm(per // gcd(per, inner), each // gcd(each, layout.strides[0])) if layout.shape else 1
    if len(layout.shape) > 1 and min(n, again) // layout.shape[-1] > MOST_ROWS:
        return None
    times, rest = divmod(n, again) if len(layout.shape) > 1 else (0, n)
    return (times * _of_first(layout, again, per, each) if times else 0) + _of_first(layout, rest, per, each)


def _of_first(layout: Layout, n: int, per: int, each: int) -> int:
    """The sectors of the requests for the first `n` elements, with `per` elements in a request and `each` slots in a sector."""
    found = done = 0
    while done < n:
        row_ends = min(n, (done // layout.shape[-1] + 1) * layout.shape[-1]) if layout.shape else n
        inside = (row_ends - done) // per * per
        if inside:
            found += _in_runs(geometry.slot(layout, done), layout.strides[-1], inside, per, each)
        else:  # a request that continues in the next row, or the last one
            inside = min(per, n - done)
            found += len({geometry.slot(layout, k) // each for k in range(done, done + inside)})
        done += inside
    return found


def _of_rows(operand: Operand) -> int:
    """The sectors of a matrix that warps process in runs of 32 elements, each within a row."""
    *_, columns = operand.shape
    rows, each = operand.elements // max(columns, 1), SECTOR // C_TYPES[operand.dtype].size
    again = each // gcd(each, columns)
    of_row = [_in_runs(operand.offset + k * columns, 1, columns, geometry.WARP, each) for k in range(min(again, rows))]
    return rows // again * sum(of_row) + sum(of_row[: rows % again])


def _in_runs(first: int, step: int, n: int, per: int, each: int) -> int:
    """The sectors of the requests for `n` slots with distance `step`. The start of a run within its sector repeats."""
    again = each // gcd(each, per * step)
    of_run = [_in_run((first + k * per * step) % each, step, per, each) for k in range(min(again, n // per))]
    of_whole = (n // per // again * sum(of_run) + sum(of_run[: n // per % again])) if of_run else 0
    return of_whole + _in_run((first + n // per * per * step) % each, step, n % per, each)


def _in_run(place: int, step: int, n: int, each: int) -> int:
    """The sectors of `n` slots with distance `step`; `place` is the first slot within its sector."""
    if n == 0 or step == 0:
        return min(n, 1)
    return n if abs(step) >= each else abs((place + (n - 1) * step) // each - place // each) + 1


def total(launches: Iterable[Launch]) -> Bytes:
    """Returns the bytes that several launches request together, such as those of a chain."""
    return sum((Bytes(each.bytes_read, each.bytes_written) for each in launches), Bytes(0, 0))


def allocated(launches: Iterable[Launch]) -> int:
    """Returns the bytes of new storages for the results of some launches; in-place kernels allocate nothing."""
    ordinary = (each for each in launches if not each.kernel.endswith("_"))
    return sum(geometry.target(each).storage_bytes for each in ordinary)
