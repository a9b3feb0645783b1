"""Operations with a mask: fill, overwrite or select the elements where it is True."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from inplacelab import errors
from inplacelab.layout import Shape, common_shape
from inplacelab.ops.arguments.indices import Positions
from inplacelab.ops.creation import made
from inplacelab.ops.results.kernel_tools import choose, start
from inplacelab.ops.table import add_row, as_function, as_method, elementwise
from inplacelab.ops.table.depends import chosen, one_after_the_other, written
from inplacelab.ops.table.row import same
from inplacelab.tensor import Tensor

# ---- the same value everywhere ------------------------------------------------------------------------------------------------


def _check_value(x: Any, value: Any) -> None:
    if value.ndim and value.dtype != x.dtype:
        raise errors.written_dtype_differs(
            op="masked_fill", argument="value", wanted=x.dtype.name, given=value.dtype.name
        )


def _masked_fill(out: Any, x: Any, mask: Any, value: Any, device: Any) -> None:
    if mask.dtype != bool:
        device.ledger.borrow(mask.size)
        mask = mask.astype(bool)
    if out is x:
        np.copyto(out, value, where=mask)
    else:
        choose(out, mask, value, x, device)


MASKED_FILL = elementwise(
    "masked_fill", "x, mask, value", ("Write `value` where the mask is true.", "在掩码成立处写入 `value`。"),
    numbers=("value",), validate=_check_value, kernel=_masked_fill, dtype=same, depends=chosen(1, 2, 0),
    masks=("mask",), cuda=dict.fromkeys("fib", "mask ? value : x"),
    d_x=lambda g, mask: g.masked_fill(mask, 0),
    d_value=lambda g, mask: g._zeros().masked_fill(mask, g),
)  # fmt: skip

# ---- one value after the other ------------------------------------------------------------------------------------------------


def _together(op: str, x: Shape, mask: Shape) -> Shape:
    shape = common_shape(x, mask)
    if shape is None:
        raise errors.cannot_broadcast(x=x, y=mask, op=op)
    return shape


def _check_scatter(x: Any, mask: Any, value: Any) -> None:
    if mask.dtype != bool:
        raise errors.not_a_mask(op="masked_scatter", dtype=mask.dtype.name)
    if value.dtype != x.dtype:
        raise errors.scattered_dtype_differs(
            op="masked_scatter", argument="value", wanted=x.dtype.name, given=value.dtype.name
        )
    shape = _together("masked_scatter", x.shape, mask.shape)
    needed = int(np.count_nonzero(mask)) * (prod(shape) // max(mask.size, 1))
    if needed > value.size:
        raise errors.too_few_values(needed=needed, given=value.size)


def _masked_scatter(out: Any, x: Any, mask: Any, value: Any, device: Any) -> None:
    shown = np.broadcast_to(mask, out.shape)
    device.ledger.borrow(value.nbytes * (not value.flags.c_contiguous) + 2 * out.size)
    start(out, x)
    out[shown] = value.reshape(-1)[: np.count_nonzero(shown)]


def _masked(places: Any, mask: Any) -> Any:
    """The elements where the mask holds."""
    return places[np.broadcast_to(mask, places.shape)]


def _gradient_of_values(g: Tensor, mask: Tensor, shape: Shape) -> Tensor:
    """The used values come first; the unused ones get zero."""
    used = g.masked_select(mask)
    values = g._spread_out((int(np.prod(shape, dtype=int)),))
    values[: used.shape[0]] = used
    return values.reshape(shape)


MASKED_SCATTER = add_row(
    "masking", "masked_scatter", "x, mask, value",
    ("Write the elements of `value`, one after the other, where the mask is true.", "在掩码成立处依次写入 `value` 的元素。"),
    validate=_check_scatter, kernel=_masked_scatter, depends=written(_masked, "value", used=one_after_the_other), dtype=same, shape=lambda x, mask: _together("masked_scatter", x, mask),
    d_x=lambda g, mask: g.masked_fill(mask, 0),
    d_value=lambda g, mask, value_form: _gradient_of_values(g, mask, value_form.shape),
)  # fmt: skip

# ---- pick out -----------------------------------------------------------------------------------------------------------------


def _check_mask(x: Any, mask: Any) -> None:
    _together("masked_select", x.shape, mask.shape)
    if mask.dtype != bool:
        raise errors.written_dtype_differs(op="masked_select", argument="mask", wanted="bool", given=mask.dtype.name)


@as_method
@as_function
def masked_select(x: Tensor, mask: Tensor, name: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """Returns a copy of the elements where the mask is true, as a vector.

    取出掩码成立处的元素，排成一行（副本）。

    Args:
        x: a tensor.
        mask: a bool tensor; `x` and `mask` are broadcast against each other.
        name: ignored.
        out: a tensor to write the result into.

    Raises:
        OperandError: if the mask is not bool.
        ShapeError: if the shapes cannot be broadcast.
    """
    _check_mask(x.array, mask.array)
    shape = _together("masked_select", x.array.shape, mask.array.shape)
    whole = x if x.array.shape == shape else x.expand(list(shape))
    picked = whole.reshape([-1])._take(Positions.counted(np.flatnonzero(np.broadcast_to(mask.array, shape))))
    return picked if out is None else out.copy_(picked)


@as_method
@as_function
def nonzero(x: Tensor, as_tuple: bool = False) -> Any:
    """Returns the indices of the elements that are not zero.

    非零元素的下标：每个元素一行；`as_tuple` 时每个轴一个张量。

    Args:
        x: a tensor.
        as_tuple: whether to return a tuple with a tensor of indices for each axis.

    Returns:
        A tensor of int64 of shape [number of elements, number of axes]; or the tuple.

    Raises:
        ShapeError: if the tensor has no axes.
    """
    if x.array.ndim == 0:
        raise errors.index_not_a_list(op="nonzero", shape=x.array.shape, rank=len(x.array.shape))
    device = x.storage.device
    places = np.nonzero(x.array)
    if as_tuple:
        return tuple(made("nonzero", device.from_host(each), device) for each in places)
    return made("nonzero", device.from_host(np.stack(places, 1)), device)
