"""Copies with the elements in another order or repeated: `flip`, `roll`, `tile`, `rot90`.

A view with stride -1 could show a flipped tensor, and one with stride 0 a repeated one, as in NumPy. PaddlePaddle copies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inplacelab import errors
from inplacelab.layout import Shape, normal_axis
from inplacelab.ops.arguments.attributes import sizes_of
from inplacelab.ops.table import add_row, as_function, as_method
from inplacelab.ops.table.depends import moved
from inplacelab.ops.table.row import same
from inplacelab.tensor import Tensor


def _axes(x: Any, axis: Any) -> tuple[int, ...]:
    axes = tuple(normal_axis(a, x.ndim) for a in sizes_of("flip", axis))
    if len(set(axes)) != len(axes):
        raise errors.flipped_twice(count=len(axes), distinct=len(set(axes)))
    return axes


def _flip(out: Any, x: Any, axis: tuple[int, ...]) -> None:
    np.copyto(out, np.flip(x, axis))


def _shifts(x: Any, shifts: Any) -> tuple[int, ...]:
    return tuple(sizes_of("roll", shifts))


def _rolled_axes(x: Any, axis: Any) -> tuple[int, ...]:
    return () if axis is None else tuple(normal_axis(a, x.ndim) for a in sizes_of("roll", axis))


def _as_many(shifts: Any, axis: Any) -> None:
    given, wanted = len(sizes_of("roll", shifts)), 0 if axis is None else len(sizes_of("roll", axis))
    if given != (wanted or 1):
        if not wanted:
            raise errors.roll_of_no_axis(shifts=given)
        raise errors.roll_count_differs(shifts=given, axes=wanted)


def _roll(out: Any, x: Any, shifts: tuple[int, ...], axis: tuple[int, ...], device: Any) -> None:
    device.ledger.borrow(out.nbytes)  # NumPy rolls into a new array
    np.copyto(out, np.roll(x, shifts, axis) if axis else np.roll(x, shifts[0]))


def _times(x: Any, repeat_times: Any) -> tuple[int, ...]:
    """The number of repetitions of each axis, including new ones in front."""
    times = sizes_of("tile", repeat_times)
    for n in times:
        if n < 0:
            raise errors.negative_repeat(times=n)
    return (*[1] * (x.ndim - len(times)), *times)


def _padded(x: Shape, rank: int) -> Shape:
    return (*[1] * (rank - len(x)), *x)


def _tiled(x: Shape, repeat_times: tuple[int, ...]) -> Shape:
    return tuple(n * r for n, r in zip(_padded(x, len(repeat_times)), repeat_times, strict=True))


def _interleaved(x: Shape, repeat_times: tuple[int, ...]) -> Shape:
    """The shape of the result with a separate axis for every repetition."""
    pairs = zip(repeat_times, _padded(x, len(repeat_times)), strict=True)
    return tuple(size for pair in pairs for size in pair)


def _tile(out: Any, x: Any, repeat_times: tuple[int, ...]) -> None:
    once = [size for n in _padded(x.shape, len(repeat_times)) for size in (1, n)]
    np.copyto(out.reshape(_interleaved(x.shape, repeat_times)), x.reshape(once))


def _untiled(g: Tensor, x: Shape, repeat_times: tuple[int, ...]) -> Tensor:
    """An element gets the sum of the gradients of its copies."""
    if not repeat_times:
        return g
    return g.reshape(_interleaved(x, repeat_times)).sum(range(0, 2 * len(repeat_times), 2)).reshape(x)


FLIP = add_row(
    "order", "flip", "x", ("The elements in reverse order along the axes.", "沿指定的轴倒转元素的次序。"),
    attrs="axis", prepare={"axis": _axes}, kernel=_flip, dtype=same, shape=same, in_place=False, depends=moved(), d_x=lambda g, axis: g.flip(axis),
)  # fmt: skip
ROLL = add_row(
    "order", "roll", "x", ("The elements, shifted along the axes; those that leave at the end come in at the front.",
                           "沿指定的轴移动元素，移出末尾的从开头补入。"),
    attrs="shifts, axis=None", prepare={"shifts": _shifts, "axis": _rolled_axes}, kernel=_roll, dtype=same, shape=same,
    validate=_as_many, in_place=False, depends=moved(), d_x=lambda g, shifts, axis: g.roll([-n for n in shifts], axis or None),
)  # fmt: skip
TILE = add_row(
    "order", "tile", "x", ("The tensor, repeated along its axes.", "沿各轴重复整个张量。"),
    attrs="repeat_times", prepare={"repeat_times": _times}, kernel=_tile, dtype=same, in_place=False, depends=moved(),
    shape=_tiled, d_x=lambda g, x_form, repeat_times: _untiled(g, x_form.shape, repeat_times),
)  # fmt: skip


@as_method
@as_function
def rot90(x: Tensor, k: int = 1, axes: Sequence[int] = (0, 1), name: str | None = None) -> Tensor:
    """Rotates a tensor by right angles, from the first of two axes toward the second.

    Args:
        x: the tensor.
        k: the number of right angles; a negative one turns backwards.
        axes: the two axes.
        name: ignored.

    Returns:
        A copy; the tensor itself if `k` is a multiple of 4.

    Raises:
        AxisError: if the two axes are the same, or do not exist.
    """
    first, second = (normal_axis(axis, x.ndim) for axis in axes)
    if first == second:
        raise errors.bad_permutation(perm=list(axes), rank=x.ndim, last=max(x.ndim - 1, 0))
    match k % 4:
        case 0:
            return x
        case 1:
            return x.flip(second).swapaxes(first, second)
        case 2:
            return x.flip([first, second])
        case _:
            return x.swapaxes(first, second).flip(second)
