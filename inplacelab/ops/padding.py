"""`pad`: elements around a tensor, in a copy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inplacelab import errors
from inplacelab.language import Text
from inplacelab.layout import Shape
from inplacelab.ops.arguments.attributes import constant, sizes_of
from inplacelab.ops.arguments.operands import as_tensor
from inplacelab.ops.creation import to_tensor
from inplacelab.ops.table import add_row, as_functional
from inplacelab.ops.table.depends import moved
from inplacelab.ops.table.row import same
from inplacelab.tensor import Tensor

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
