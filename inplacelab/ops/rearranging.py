"""Copies with the elements in another order, repeated, or framed by others: `flip`, `roll`, `tile`, `rot90`, `pad`.

A view with stride -1 could show a flipped tensor, and one with stride 0 a repeated one, as in NumPy. PaddlePaddle copies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inplacelab import errors
from inplacelab.language import Text
from inplacelab.layout import Shape, normal_axis
from inplacelab.ops.arguments.attributes import constant, sizes_of
from inplacelab.ops.arguments.operands import as_tensor
from inplacelab.ops.creation import to_tensor
from inplacelab.ops.table import add_row, as_function, as_functional, as_method
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


# ---- pad --------------------------------------------------------------------------------------------------------------------


Pairs = Sequence[tuple[int, int]]
"""For each axis, what is added before and after it."""


def _inside(shape: Shape, pairs: Pairs) -> tuple[slice, ...]:
    """The key of the part that shows the tensor."""
    return tuple(slice(before, before + n) for n, (before, _) in zip(shape, pairs, strict=True))


def _frame(out: Any, x: Any, pairs: Pairs, value: Any) -> None:
    np.copyto(out, constant(value, out.dtype))
    np.copyto(out[(*_inside(x.shape, pairs), ...)], x)


_FRAMED = add_row(
    "order", "_framed", "x", ("The tensor, with `value` around it.", "在张量四周填上 `value`。"),
    attrs="pairs, value", kernel=_frame, dtype=same, in_place=False, function=False, depends=moved(), called="pad", node="PadGradNode",
    shape=lambda x, pairs: tuple(before + n + after for n, (before, after) in zip(x, pairs, strict=True)),
    d_x=lambda g, x_form, pairs: g[_inside(x_form.shape, pairs)],
)  # fmt: skip

_MODES = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}
"""NumPy's names of the modes that repeat elements of the tensor."""

_FORMATS = {"NCL": 3, "NLC": 3, "NCHW": 4, "NHWC": 4, "NCDHW": 5, "NDHWC": 5}
_USUAL = {3: "NCL", 4: "NCHW", 5: "NCDHW"}


@as_functional
def pad(
    x: Tensor,
    pad: Any,
    mode: str = "constant",
    value: float = 0.0,
    data_format: str | None = None,
    pad_from_left_axis: bool = True,
    name: str | None = None,
) -> Tensor:
    """Returns a copy with elements added around it.

    Args:
        x: the tensor.
        pad: how many: either two for each axis, before and after it; or, for 3 to 5 axes, two for each axis that is neither the batch nor
            the channels, beginning with the last one: [left, right, top, bottom]. An integer stands for all of the latter.
        mode: "constant" adds `value`; "reflect" mirrors the elements at the edge, which is not repeated; "replicate" repeats the edge;
            "circular" continues at the other side.
        value: what is added in the mode "constant".
        data_format: where the channels are: "NCL", "NLC", "NCHW", "NHWC", "NCDHW" or "NDHWC"; the second axis if None.
        pad_from_left_axis: if two numbers are given for each axis: whether the first ones belong to the first axis.
        name: accepted for compatibility with Paddle; ignored.

    Raises:
        ArgumentError: if the mode or the data format is unknown, or the numbers do not fit the axes.

    >>> import inplacelab as paddle
    >>> paddle.nn.functional.pad(paddle.to_tensor([[1., 2.]]), [0, 1, 1, 0]).tolist()
    [[0.0, 1.0, 2.0], [0.0, 0.0, 0.0]]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/pad_en.html
    """
    x = as_tensor("pad", "x", 0, x)
    pairs = _pairs(x, pad, mode, data_format, pad_from_left_axis)
    if mode == "constant":
        framed: Tensor = x._framed(pairs, value)
        return framed
    if mode not in _MODES:
        names = ("constant", *_MODES)
        raise errors.bad_argument(
            op="pad", argument="mode", value=mode, possible=Text(", ".join(names), "、".join(names))
        )
    for axis, (before, after) in enumerate(pairs):
        if before or after:
            x = x.index_select(to_tensor(_repeated(x.shape[axis], before, after, mode), place=x.place), axis)
    return x


def _repeated(size: int, before: int, after: int, mode: str) -> Any:
    """The positions along an axis, continued at both ends."""
    most = {"reflect": size - 1, "circular": size, "replicate": before + after}[mode]
    if max(before, after) > most:
        raise errors.bad_argument(
            op="pad",
            argument="pad",
            value=[before, after],
            possible=Text(f"at most {most} with {mode!r}", f"{mode!r} 模式下至多为 {most}"),
        )
    return np.pad(np.arange(size), (before, after), mode=_MODES[mode])  # type: ignore[call-overload]


def _pairs(x: Tensor, given: Any, mode: str, data_format: str | None, from_left: bool) -> list[tuple[int, int]]:
    wanted = _USUAL.get(x.ndim, "") if data_format is None else data_format
    if data_format is not None and _FORMATS.get(data_format) != x.ndim:
        known = [name for name, rank in _FORMATS.items() if rank == x.ndim]
        raise errors.bad_argument(
            op="pad",
            argument="data_format",
            value=data_format,
            possible=Text(", ".join(known) or "None", "、".join(known) or "None"),
        )
    inner = [] if not wanted else range(1, x.ndim - 1) if wanted.endswith("C") else range(2, x.ndim)
    numbers = [given] * (2 * len(inner)) if isinstance(given, int) else sizes_of("pad", given)
    couples = [(a, b) for a, b in zip(numbers[::2], numbers[1::2], strict=False)]
    if len(numbers) % 2 or any(n < 0 for n in numbers):
        couples = []
    if mode == "constant" and couples and len(couples) == x.ndim:
        return couples if from_left else couples[::-1]
    if not couples or len(couples) > max(len(inner), 0):
        many = Text(
            f"2 for each axis ({2 * x.ndim}), or up to {2 * len(inner)}",
            f"每个轴两个（共 {2 * x.ndim} 个），或至多 {2 * len(inner)} 个",
        )
        raise errors.bad_argument(op="pad", argument="pad", value=given, possible=many)
    pairs = [(0, 0)] * x.ndim
    for axis, couple in zip(reversed(inner), couples, strict=False):
        pairs[axis] = couple
    return pairs
