"""Launches of every kind, made by hand, for the tests of kernel pictures."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

from inplacelab.kernels import geometry, traffic
from inplacelab.kernels.launch import Launch, Operand, Role
from inplacelab.layout import packed
from inplacelab_widgets.launch_pictures.launches import Pick, ShownLaunch, shown_launches


class Case(NamedTuple):
    """A launch, and the threads to pick in it."""

    shown: ShownLaunch
    picks: tuple[Pick, ...]


def operand(
    name: str,
    role: Role,
    shape: tuple[int, ...],
    strides: tuple[int, ...] | None = None,
    *,
    offset: int = 0,
    dtype: str = "float32",
    total: int | None = None,
) -> Operand:
    """Makes an operand, in row-major order unless `strides` are given."""
    size = geometry.itemsize(dtype) * (offset + prod(shape)) if total is None else total
    return Operand(name, role, dtype, shape, packed(shape) if strides is None else strides, offset, size)


def launch(kernel: str, kind: str, *operands: Operand, width: int = 1, device: str = "") -> Launch:
    """Makes a launch with its usual grid; on hardware if a device is named."""
    sized = operands[-1] if kind == "scatter_add" else operands[0]
    grid = geometry.grid_for(kind, sized.shape, width)
    moved = traffic.of_kernel(kind, operands, width)
    return Launch(kernel, kind, *grid, width, operands[0].dtype, operands, *moved, device, not device)


def _case(ran: Launch, *picks: tuple[int, int, int], index: list[int] | None = None) -> Case:
    return Case(shown_launches(ran, index)[0], tuple(Pick(*each) for each in picks))


def _scatter() -> Launch:
    places = operand("index", "reads", (40,), dtype="int64")
    return launch("add_at_", "scatter_add", operand("x", "both", (16,)), places, operand("y", "reads", (40,)))


CASES = {
    "vectorised, with leftovers": _case(
        launch("relu_", "contiguous", operand("x", "both", (1003,)), width=4), (0, 0, 0), (0, 249, 0), (0, 1, 1), (0, 40, 1)
    ),
    "many blocks": _case(launch("relu_", "contiguous", operand("x", "both", (100_000,))), (2, 37, 0), (300, 255, 0)),
    "more elements than threads": _case(
        launch("relu_", "contiguous", operand("x", "both", (3_000_000,))), (8191, 255, 0), (7, 9, 1)
    ),
    "not aligned": _case(launch("relu_", "contiguous", operand("x", "both", (300,), offset=3)), (0, 33, 0), (1, 44, 0)),
    "transposed": _case(
        launch("relu", "strided", operand("x", "reads", (64, 64), (1, 64)), operand("out", "writes", (64, 64))),
        (0, 37, 0), (15, 255, 0),
    ),
    "every second": _case(launch("scale_", "strided", operand("x", "both", (2048,), (2,), total=16384)), (3, 5, 0)),
    "backwards": _case(launch("scale_", "strided", operand("x", "both", (1, 40), (7, -1), offset=39, total=160)), (0, 2, 0)),
    "rows of a wider matrix": _case(
        launch("relu_", "strided", operand("x", "both", (40, 32), (64, 1), offset=8, total=10240), width=4), (0, 9, 0), (1, 63, 0)
    ),
    "broadcast": _case(
        launch("add_", "strided", operand("x", "both", (6, 48)), operand("y", "reads", (6, 48), (1, 0), total=24)), (0, 70, 0)
    ),
    "bytes": _case(launch("fill_", "contiguous", operand("x", "both", (600,), dtype="uint8")), (1, 3, 0)),
    "doubles": _case(launch("relu_", "contiguous", operand("x", "both", (512,), dtype="float64"), width=2), (0, 9, 0)),
    "rows": _case(
        launch("normalize_", "normalize", operand("x", "both", (40, 300))), (3, 40, 0), (3, 43, 3), (3, 44, 1), (39, 2, 4)
    ),
    "tiles": _case(
        launch("transpose_tiled", "transpose", operand("x", "reads", (100, 70)), operand("out", "writes", (70, 100))),
        (4, 70, 0), (11, 255, 3), (2, 6, 0),
    ),
    "many tiles": _case(
        launch("transpose_tiled", "transpose", operand("x", "reads", (400, 1100)), operand("out", "writes", (1100, 400))),
        (360, 70, 1),
    ),
    "tiles that change places": _case(
        launch("transpose_square_", "transpose_square", operand("x", "both", (80, 80)), device="NVIDIA H200"),
        (1, 70, 1), (0, 3, 1), (8, 255, 6), (3, 0, 0),
    ),
    "scatter": _case(_scatter(), (0, 3, 0), (0, 39, 0), (0, 64, 0), index=[k * k % 7 for k in range(40)]),
    "scatter, places not known": _case(_scatter(), (0, 3, 0)),
}  # fmt: skip
"""By name. Between them, every kind of kernel, every dtype's size, edges, folded grids."""

LIBRARY = Launch(
    "sort_",
    "library",
    (1, 1, 1),
    (1, 1, 1),
    1,
    "float32",
    (operand("x", "both", (1000,)),),
    4000,
    4000,
    "NVIDIA H200",
    False,
)
EMPTY = launch("relu_", "contiguous", operand("x", "both", (0, 3)))
