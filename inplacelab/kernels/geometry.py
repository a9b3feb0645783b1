"""Computes the grid of a launch and the slots that each thread accesses, as pure functions.

The formulas are those of the `.cu` files in this folder; tests run the kernels and compare every access.

>>> grid = elementwise(1_000_000, width=4)
>>> grid
Grid(blocks=(977, 1, 1), threads=(256, 1, 1))
>>> slot(Layout((2, 3), (1, 2), 0), 4), index((2, 3), 4)
(3, (1, 1))
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import NamedTuple

from inplacelab.kernels.launch import C_TYPES, Dim3, Launch, Operand
from inplacelab.layout import Layout

WARP = 32
"""Threads that execute the same instruction together."""

THREADS = 256
"""Threads in a block of an element-wise kernel: eight warps.

A multiprocessor of Ampere or Hopper holds 2048 threads, which are eight blocks, if a thread uses at most 32 registers. Each thread
waits for 16 bytes of every operand, which makes 32 KiB in flight. To keep memory busy, its bandwidth times its latency must be in
flight (Little's law): with 4.8 TB/s for 132 multiprocessors and about 0.7 microseconds, 25 KB for each.
"""

MOST_BLOCKS = 8192
"""The largest number of blocks: several times as many as any GPU runs at once, so an uneven last round costs little. For more
elements, each thread processes several, with the number of all threads as the distance.
"""

TILE, TILE_ROWS = 32, 8
"""A transpose moves tiles of 32 by 32 elements; each of its 32 by 8 threads moves four of them."""

MOST_ROWS = 65535
"""The largest number of blocks along y."""

PASSES = 3
"""The passes over a row that normalize it: for its mean, for its variance, for the result."""


class Grid(NamedTuple):
    """The size of a launch.

    Attributes:
        blocks: the number of blocks along x, y and z.
        threads: the number of threads in a block along x, y and z.
    """

    blocks: Dim3
    threads: Dim3


# ---- the grid ---------------------------------------------------------------------------------------------------------------


def parts(n: int, size: int) -> int:
    """Returns `n / size`, rounded up."""
    return -(-n // size)


def elementwise(n: int, width: int = 1) -> Grid:
    """Returns the grid for `n` elements, of which a thread processes `width` at once."""
    return Grid((max(1, min(parts(n, width * THREADS), MOST_BLOCKS)), 1, 1), (THREADS, 1, 1))


def rows(n: int) -> Grid:
    """Returns the grid for `n` rows, with a block for each."""
    return Grid((max(1, min(n, MOST_BLOCKS)), 1, 1), (THREADS, 1, 1))


def tiles(n_rows: int, n_columns: int) -> Grid:
    """Returns the grid for the tiles of a matrix."""
    across, down = max(1, parts(n_columns, TILE)), max(1, parts(n_rows, TILE))
    return Grid((across, min(down, MOST_ROWS), 1), (TILE, TILE_ROWS, 1))


def grid_for(kind: str, shape: tuple[int, ...], width: int = 1) -> Grid:
    """Returns the grid of a launch.

    Args:
        kind: the kind of the kernel, as in `Launch.kind`.
        shape: the shape of the first operand.
        width: the number of elements that a thread processes at once.
    """
    if kind == "normalize":
        return rows(_matrix(shape)[0])
    if kind in ("transpose", "transpose_square"):
        return tiles(*_matrix(shape))
    return elementwise(prod(shape), width)


def _matrix(shape: tuple[int, ...]) -> tuple[int, int]:
    """The product of all sizes but the last, and the last."""
    return prod(shape[:-1]), shape[-1] if shape else 1


# ---- elements and slots -------------------------------------------------------------------------------------------------------


def index(shape: tuple[int, ...], element: int) -> tuple[int, ...]:
    """Returns the index of an element from its number in row-major order."""
    found = []
    for size in reversed(shape):
        element, along = divmod(element, size)
        found.append(along)
    return tuple(reversed(found))


def slot(layout: Layout, element: int) -> int:
    """Returns the slot of an element.

    Args:
        layout: the layout of the operand.
        element: the number of the element in row-major order.
    """
    return layout.offset + sum(i * s for i, s in zip(index(layout.shape, element), layout.strides, strict=True))


def position(launch: Launch, thread: int) -> Dim3:
    """Returns `threadIdx` of a thread from its number in the block: x changes fastest."""
    x, y, _ = launch.block
    return thread % x, thread // x % y, thread // (x * y)


def block_position(launch: Launch, block: int) -> Dim3:
    """Returns `blockIdx` of a block from its number in the grid: x changes fastest."""
    x, y, _ = launch.grid
    return block % x, block // x % y, block // (x * y)


# ---- accesses of a thread -------------------------------------------------------------------------------------------------------


class Access(NamedTuple):
    """One access of one thread.

    Attributes:
        operand: the name of the operand.
        kind: "reads", "writes" or "adds" (an atomic addition).
        slot: the first slot; None if it depends on values.
        slots: the number of slots.
        turn: the round of the kernel's loops. Accesses of one turn, operand and kind are one instruction of a warp.
    """

    operand: str
    kind: str
    slot: int | None
    slots: int = 1
    turn: int = 0


def accesses(launch: Launch, block: int, thread: int) -> tuple[Access, ...]:
    """Returns all memory accesses of a thread, in order.

    Args:
        launch: a launch of a kernel of this package.
        block: the number of the block in the grid.
        thread: the number of the thread in its block.
    """
    return tuple(_BY_KIND[launch.kind](launch, block, thread))


def elements(launch: Launch, block: int, thread: int) -> list[int]:
    """Returns the elements that a thread of an element-wise kernel computes, in order; the arguments are those of `accesses`."""
    return [first + k for _, first, count in _portions(launch, block, thread) for k in range(count)]


def _portions(launch: Launch, block: int, thread: int) -> Iterator[tuple[int, int, int]]:
    """The turns of a thread as (number, first element, number of elements): whole packs first, then the rest."""
    n, width = _size(launch), launch.width
    number, step = block * launch.threads + thread, launch.blocks * launch.threads
    packs = n // width
    yield from ((turn, pack * width, width) for turn, pack in enumerate(range(number, packs, step)))
    if width > 1:
        left = range(packs * width + number, n, step)
        yield from ((parts(packs, step) + turn, element, 1) for turn, element in enumerate(left))


def turns(launch: Launch) -> int:
    """Returns the largest number of turns of a thread; at the edge of the data, some threads have fewer.

    >>> from inplacelab.kernels.launch import Launch, Operand
    >>> x = Operand("x", "both", "float32", (1003,), (1,), 0, 4012)
    >>> turns(Launch("relu_", "contiguous", (1, 1, 1), (256, 1, 1), 4, "float32", (x,), 4012, 4012))
    2
    """
    if launch.kind == "normalize":
        n_rows, n_columns = _matrix(launch.operands[0].shape)
        return parts(n_rows, launch.blocks) * PASSES * parts(n_columns, launch.threads)
    if launch.kind == "transpose":
        n_rows, _ = _matrix(launch.operands[0].shape)
        return parts(parts(n_rows, TILE), launch.grid[1]) * (TILE // TILE_ROWS)
    if launch.kind == "transpose_square":
        return 2 * TILE // TILE_ROWS
    n, step = _size(launch), launch.blocks * launch.threads
    packs = n // launch.width
    return parts(packs, step) + parts(n - packs * launch.width, step)


def _size(launch: Launch) -> int:
    """The number of elements that are computed: those of the result, or those that a scatter adds."""
    return launch.operands[-1].elements if launch.kind == "scatter_add" else target(launch).elements


def target(launch: Launch) -> Operand:
    """Returns the operand that is written."""
    return next(each for each in launch.operands if each.role != "reads")


def stays(layout: Layout) -> bool:
    """Returns whether an operand is broadcast along its last axis with more than one element, so all neighbors are one element.

    >>> stays(Layout((8, 4), (1, 0), 0)), stays(Layout((8, 4), (0, 1), 0)), stays(Layout((8, 1), (1, 0), 0))
    (True, False, False)
    """
    axes = zip(reversed(layout.shape), reversed(layout.strides), strict=True)
    return next((stride == 0 for size, stride in axes if size != 1), False) and 0 not in layout.shape


def _elementwise(launch: Launch, block: int, thread: int) -> Iterator[Access]:
    written = target(launch)
    for turn, first, count in _portions(launch, block, thread):
        for each in launch.operands:
            if each.role != "writes":
                slots = 1 if stays(each.layout) else count  # a broadcast operand: one element for the whole pack
                yield Access(each.name, "reads", slot(each.layout, first), slots, turn)
        yield Access(written.name, "writes", slot(written.layout, first), count, turn)


def _normalize(launch: Launch, block: int, thread: int) -> Iterator[Access]:
    x = launch.operands[0]
    n_rows, n_columns = _matrix(x.shape)
    most = parts(n_columns, launch.threads)
    for k, row in enumerate(range(block, n_rows, launch.blocks)):
        mine = [x.offset + row * n_columns + j for j in range(thread, n_columns, launch.threads)]
        for turn in (k * PASSES * most, (k * PASSES + 1) * most):  # for the mean, for the variance
            yield from (Access("x", "reads", s, 1, turn + j) for j, s in enumerate(mine))
        for j, s in enumerate(mine):
            yield Access("x", "reads", s, 1, (k * PASSES + 2) * most + j)
            yield Access("x", "writes", s, 1, (k * PASSES + 2) * most + j)


def _transpose(launch: Launch, block: int, thread: int) -> Iterator[Access]:
    x, out = launch.operands
    n_rows, n_columns = _matrix(x.shape)
    (a, b, _), (across, first_down, _) = position(launch, thread), block_position(launch, block)
    for k, down in enumerate(range(first_down, parts(n_rows, TILE), launch.grid[1])):
        here, there = (down * TILE + b, across * TILE + a), (across * TILE + b, down * TILE + a)
        yield from _tile(Access(x.name, "reads", x.offset, 1, k * 4), (n_rows, n_columns), here)
        yield from _tile(Access(out.name, "writes", out.offset, 1, k * 4), (n_columns, n_rows), there)


def _tile(first: Access, shape: tuple[int, int], start: tuple[int, int]) -> Iterator[Access]:
    """Four elements of a column of a tile, eight rows apart, without those outside. `first` has the offset as its slot."""
    (n_rows, n_columns), (row, column) = shape, start
    if column < n_columns:
        for k, r in enumerate(range(row, min(row + TILE, n_rows), TILE_ROWS)):
            yield first._replace(slot=(first.slot or 0) + r * n_columns + column, turn=first.turn + k)


def _transpose_square(launch: Launch, block: int, thread: int) -> Iterator[Access]:
    x = launch.operands[0]
    n, (a, b, _), (right, down, _) = x.shape[-1], position(launch, thread), block_position(launch, block)
    if down > right:
        return
    tiles_of_block = dict.fromkeys([(down * TILE, right * TILE), (right * TILE, down * TILE)])  # on the diagonal, one
    for kind in ("reads", "writes"):
        for k in range(b, TILE, TILE_ROWS):
            for side, (row, column) in enumerate(tiles_of_block):
                if row + k < n and column + a < n:
                    yield Access("x", kind, x.offset + (row + k) * n + column + a, 1, k // TILE_ROWS * 2 + side)


def _scatter_add(launch: Launch, block: int, thread: int) -> Iterator[Access]:
    x, chosen, y = launch.operands
    for turn, element, _ in _portions(launch, block, thread):
        yield Access(chosen.name, "reads", slot(chosen.layout, element), 1, turn)
        yield Access(y.name, "reads", slot(y.layout, element), 1, turn)
        yield Access(x.name, "adds", None, 1, turn)


_BY_KIND = {
    "contiguous": _elementwise, "strided": _elementwise, "normalize": _normalize, "transpose": _transpose,
    "transpose_square": _transpose_square, "scatter_add": _scatter_add,
}  # fmt: skip


def itemsize(dtype: str) -> int:
    """Returns the number of bytes of one element."""
    return C_TYPES[dtype].size
