"""Reads and writes along an axis, and their derivatives: for each element, an index is the position on the axis.

`put_along_axis` may also combine the written values with the old ones: by sum, product, mean, minimum or maximum. Each of
these is a row, so that backward keeps only what that one needs.

All derivatives use flat positions in the whole tensor (`slots_of`), which do not depend on values; the rest is tensor
operations, so that second derivatives follow.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from inplacelab import errors
from inplacelab.form import Form
from inplacelab.layout import Shape
from inplacelab.ops.arguments.attributes import (
    Along,
    Positions,
    as_index_error,
    as_runtime_error,
    check_dtype,
    check_index,
    index_shape,
    key_of,
    packed,
    slots_of,
    written_last,
)
from inplacelab.ops.creation import to_tensor
from inplacelab.ops.results.kernel_tools import quietly, start
from inplacelab.ops.table import add_row
from inplacelab.ops.table.depends import moved, written
from inplacelab.ops.table.row import Row, same
from inplacelab.tensor import Tensor

# ---- derivatives ------------------------------------------------------------------------------------------------------------


def values_for(values: Shape, index: Shape, broadcast: bool) -> tuple[slice, ...]:
    """Returns the part of `values` that is written: all, if they are broadcast; else (`broadcast=False`) as many as indices."""
    if broadcast or not values:
        try:
            if np.broadcast_shapes(values, index) == index:
                return ()
        except ValueError:
            pass
        raise errors.written_shape_differs(op="put_along_axis", argument="values", wanted=index, given=values)
    if len(values) != len(index):
        raise errors.index_rank_differs(op="put_along_axis")
    if any(v < n for v, n in zip(values, index, strict=True)):
        raise errors.too_few_values_along_axis(op="put_along_axis", argument="values", wanted=index, given=values)
    return tuple(slice(n) for n in index)


def _slots(shape: Shape, indices: Tensor, at: Along) -> Any:
    wanted = index_shape("put_along_axis", shape, indices.array.shape, at.axis, at.broadcast)
    return slots_of(np.broadcast_to(indices.array, wanted), shape, at.axis % len(shape))


def _at(x: Tensor, slots: Any) -> Tensor:
    """The elements of `x` at these positions."""
    picked: Tensor = x.reshape([-1])._take(Positions.counted(slots))
    return picked


def _part(values: Tensor, slots: Any, at: Along) -> Tensor:
    """The values that were written, one for each position."""
    part = values[values_for(values.array.shape, slots.shape, at.broadcast)] if values.ndim else values
    return part.expand(list(slots.shape))


def _whole(taken: Tensor, form: Form) -> Tensor:
    """The gradient of `values` from that of the part that was written; the caller undoes broadcasting."""
    if (
        not form.shape
        or len(form.shape) != taken.ndim
        or all(n <= m for n, m in zip(form.shape, taken.array.shape, strict=True))
    ):
        return taken
    values = taken._spread_out(form.shape)
    values[tuple(slice(n) for n in taken.array.shape)] = taken
    return values


def _like(array: Any, g: Tensor) -> Tensor:
    """An array of constants as a tensor on the device of `g`."""
    return to_tensor(array, place=g.place) if array.dtype == bool else to_tensor(array, dtype=g.dtype, place=g.place)


# ---- read, assigned, added --------------------------------------------------------------------------------------------------------


def of_taken(g: Tensor, indices: Tensor, axis: int, broadcast: bool, arr_form: Form) -> Tensor:
    """Each element of `arr` gets the sum of the gradients of the results that read it."""
    shape, axis = arr_form.shape, axis % len(arr_form.shape)
    if broadcast:
        shape = (*g.array.shape[:axis], shape[axis], *g.array.shape[axis + 1 :])
    added: Tensor = g._spread_out(shape)._add_along(indices, g, Along(axis, broadcast))
    return added


def without(g: Tensor, indices: Tensor, at: Along) -> Tensor:
    """Overwritten elements get no gradient."""
    erased: Tensor = g._put_along(indices, 0, at)
    return erased


def of_assigned(g: Tensor, indices: Tensor, at: Along, values_form: Form) -> Tensor:
    """Of several values for one position only the last one gets a gradient."""
    slots = _slots(g.array.shape, indices, at)
    lost = _like(~written_last(slots, g.array.size), g)
    return _whole(_at(g, slots).masked_fill(lost, 0), values_form)


def of_added(g: Tensor, indices: Tensor, at: Along, values_form: Form) -> Tensor:
    """Every value gets a gradient."""
    return _whole(_at(g, _slots(g.array.shape, indices, at)), values_form)


# ---- multiplied -------------------------------------------------------------------------------------------------------------------


def of_multiplied(g: Tensor, indices: Tensor, values: Tensor, at: Along) -> Tensor:
    """`g` times all factors of the element."""
    if not at.include_self:
        return without(g, indices, at)
    product: Tensor = g._multiply_along(indices, values, at)
    return product


def of_factors(
    g: Tensor,
    arr: Tensor,
    indices: Tensor,
    values: Tensor,
    at: Along,
    values_form: Form,
) -> Tensor:
    """`g` times the product of all other factors at the same position. There is no division, so zeros do no harm."""
    slots = _slots(g.array.shape, indices, at)
    others = _product_of_others(_part(values, slots, at).reshape([-1]), slots.ravel()).reshape(slots.shape)
    return _whole(_at(g * arr if at.include_self else g, slots) * others, values_form)


def _product_of_others(values: Tensor, slots: Any) -> Tensor:
    """For each value the product of all others with the same slot: those before it, times those after it."""
    order = np.argsort(slots, kind="stable")
    line, same_slot = values._take(Positions.counted(order)), np.diff(slots[order]) == 0
    before = _product_before(line, same_slot)
    behind = _product_before(line[::-1], same_slot[::-1])[::-1]
    product: Tensor = (before * behind)._take(Positions.counted(np.argsort(order)))
    return product


def _product_before(line: Tensor, same_slot: Any) -> Tensor:
    """For each value the product of those just before it that belong to the same slot: 1 for the first of a slot."""
    first = np.concatenate([np.ones(min(line.array.size, 1), like=same_slot), ~same_slot])
    product: Tensor = _like(first, line)._recurrence(line[:-1].masked_fill(_like(~same_slot, line), 0), 0)
    return product


# ---- averaged, extremes -------------------------------------------------------------------------------------------------------------


def _counts(slots: Any, shape: Shape, include_self: bool) -> Any:
    """The number of values at each position; 1 for those that were not written."""
    counts = np.bincount(slots.ravel(), minlength=int(np.prod(shape, dtype=int))).reshape(shape)
    return np.where(counts, counts + include_self, 1)


def of_averaged(g: Tensor, indices: Tensor, at: Along) -> Tensor:
    """The share of the old value."""
    if not at.include_self:
        return without(g, indices, at)
    return g / _like(_counts(_slots(g.array.shape, indices, at), g.array.shape, True), g)


def of_shares(g: Tensor, indices: Tensor, at: Along, values_form: Form) -> Tensor:
    """The share of each value."""
    slots = _slots(g.array.shape, indices, at)
    return _whole(_at(g / _like(_counts(slots, g.array.shape, at.include_self), g), slots), values_form)


def _winners(out: Tensor, arr: Tensor, values: Tensor, slots: Any, at: Along) -> tuple[Any, Any, Any]:
    """The elements of `arr` and the values that are the extreme at their position, and their number."""
    part = values.array[values_for(values.array.shape, slots.shape, at.broadcast)]
    candidates = np.broadcast_to(part, slots.shape) == out.array.reshape(-1)[slots]
    touched = np.bincount(slots.ravel(), minlength=out.array.size).reshape(out.array.shape) > 0
    stayed = ~touched | ((arr.array == out.array) & at.include_self)
    equal = np.bincount(slots[candidates], minlength=out.array.size).reshape(out.array.shape) + stayed
    return stayed, candidates, np.maximum(equal, 1)


def of_candidate(g: Tensor, arr: Tensor, indices: Tensor, values: Tensor, out: Tensor, at: Along) -> Tensor:
    """The old value gets the gradient if it is the extreme; equal ones share it, as in Paddle."""
    slots = _slots(g.array.shape, indices, at)
    stayed, _, equal = _winners(out, arr, values, slots, at)
    return (g / _like(equal, g)).masked_fill(_like(~stayed, g), 0)


def of_candidates(
    g: Tensor,
    arr: Tensor,
    indices: Tensor,
    values: Tensor,
    out: Tensor,
    at: Along,
    values_form: Form,
) -> Tensor:
    """Each value that is the extreme gets the gradient, or its share."""
    slots = _slots(g.array.shape, indices, at)
    _, candidates, equal = _winners(out, arr, values, slots, at)
    return _whole(_at(g / _like(equal, g), slots).masked_fill(_like(~candidates, g), 0), values_form)


# ---- the operations ---------------------------------------------------------------------------------------------------------


def _check_take(arr: Any, indices: Any, axis: Any, broadcast: Any) -> None:
    check_index("take_along_axis", arr, indices, axis)
    _taken_shape(arr.shape, indices.shape, axis, broadcast)


def _taken_shape(arr: Shape, indices: Shape, axis: int, broadcast: bool) -> Shape:
    return index_shape("take_along_axis", arr, indices, axis, broadcast, widen=True)


def _take(out: Any, arr: Any, indices: Any, axis: int, broadcast: bool, device: Any) -> None:
    device.ledger.borrow(out.nbytes + 8 * out.size)
    axis %= arr.ndim
    if broadcast:
        arr = np.broadcast_to(arr, (*out.shape[:axis], arr.shape[axis], *out.shape[axis + 1 :]))
    np.copyto(out, arr[key_of(np.broadcast_to(indices, out.shape), axis)])


TAKE_ALONG_AXIS = add_row(
    "selection", "take_along_axis", "arr, indices",
    ("For each entry of `indices`, the element of `arr` at that position on `axis`: a copy.", "对 `indices` 的每个位置，取出它在 `axis` 上所指的 `arr` 的元素（副本）。"),
    call="arr, indices, axis, broadcast=True", accepts="fi", validate=_check_take, kernel=_take, shape=_taken_shape, dtype=same, in_place=False, depends=moved(),
    d_arr=of_taken,
)  # fmt: skip

# ---- write ----------------------------------------------------------------------------------------------------------------------


def _check_put(arr: Any, indices: Any, values: Any, at: Along) -> None:
    check_index("put_along_axis", arr, indices, at.axis, as_index_error if at.broadcast else as_runtime_error)
    check_dtype("put_along_axis", "values", arr, values)
    shape = index_shape("put_along_axis", arr.shape, indices.shape, at.axis, at.broadcast)
    values_for(values.shape, shape, at.broadcast)


def _aligned(arr: Any, indices: Any, values: Any, at: Along, device: Any) -> tuple[Any, Any]:
    """The key for all positions, and as many values, in one order: of several writes to one position the last one counts."""
    shape = index_shape("put_along_axis", arr.shape, indices.shape, at.axis, at.broadcast)
    device.ledger.borrow(int(np.prod(shape, dtype=int)) * (16 + arr.itemsize))
    part = packed(values[values_for(values.shape, shape, at.broadcast)])
    return key_of(np.broadcast_to(indices, shape), at.axis % arr.ndim), np.broadcast_to(part, shape)


def _places_along(places: Any, indices: Any, at: Along) -> Any:
    """The elements at the positions that an index names."""
    shape = index_shape("put_along_axis", places.shape, indices.shape, at.axis, at.broadcast)
    return places[key_of(np.broadcast_to(indices, shape), at.axis % places.ndim)]


def _used(values: Any, places: Shape, call: Mapping[str, Any]) -> Any:
    """The values that are written at some places."""
    return values[values_for(values.shape, places, call["at"].broadcast)]


def _combines(call: Mapping[str, Any]) -> str:
    return "combined" if call["at"].include_self else "replaced"


def _write(name: str, says: tuple[str, str], **columns: Any) -> Row:
    """A row that writes at the positions that an index names."""
    return add_row(
        "scatter", name, "arr, indices, values", says, numbers=("values",), accepts="fi", validate=_check_put, shape=same, dtype=same,
        call="arr, indices, values, at", function=False, called="put_along_axis", node="PutAlongAxisGradNode", **columns,
    )  # fmt: skip


def _assign(out: Any, arr: Any, indices: Any, values: Any, at: Along, device: Any) -> None:
    key, written = _aligned(arr, indices, values, at, device)
    start(out, arr)
    out[key] = written


_PUT_ALONG = _write(
    "_put_along", ("Write `values` at the places that `indices` names on an axis.", "在 `indices` 沿轴所指的位置写入 `values`。"),
    kernel=_assign, depends=written(_places_along, "values", used=_used),
    d_arr=without,
    d_values=of_assigned,
)  # fmt: skip

# ---- combine --------------------------------------------------------------------------------------------------------------------


def _combine(ufunc: Any, out: Any, key: Any, written: Any, *, neutral: Any) -> None:
    """Combines all values written to one position with `neutral`; with the old value if `neutral` is None."""
    if neutral is not None:
        out[key] = neutral
    ufunc.at(out, key, written)


def _add(out: Any, arr: Any, indices: Any, values: Any, at: Along, device: Any) -> None:
    key, written = _aligned(arr, indices, values, at, device)
    start(out, arr)
    _combine(np.add, out, key, written, neutral=None if at.include_self else 0)


def _multiply(out: Any, arr: Any, indices: Any, values: Any, at: Along, device: Any) -> None:
    key, written = _aligned(arr, indices, values, at, device)
    start(out, arr)
    _combine(np.multiply, out, key, written, neutral=None if at.include_self else 1)


def _extreme(out: Any, arr: Any, indices: Any, values: Any, at: Along, device: Any) -> None:
    """The start may be any of the values: taking it twice makes no difference."""
    key, written = _aligned(arr, indices, values, at, device)
    start(out, arr)
    _combine(np.maximum if at.largest else np.minimum, out, key, written, neutral=None if at.include_self else written)


@quietly
def _mean(out: Any, arr: Any, indices: Any, values: Any, at: Along, device: Any) -> None:
    """The mean of integers is rounded down."""
    _add(out, arr, indices, values, at, device)
    key, written = _aligned(arr, indices, values, at, device)
    device.ledger.borrow(written.size * (16 + arr.itemsize) + 9 * out.size)
    count = np.zeros(out.shape, np.int64, like=out)
    np.add.at(count, key, 1)
    touched = count > 0
    np.add(count, at.include_self, count, where=touched)
    divide = np.floor_divide if out.dtype.kind in "iu" else np.true_divide
    divide(out, count, out, where=touched, casting="unsafe")


_ADD_ALONG = _write(
    "_add_along", ("Add `values` at the places that `indices` names on an axis.", "在 `indices` 沿轴所指的位置累加 `values`。"),
    kernel=_add, depends=written(_places_along, "values", _combines, used=_used),
    d_arr=lambda g, indices, at: g if at.include_self else without(g, indices, at),
    d_values=of_added,
)  # fmt: skip
_MULTIPLY_ALONG = _write(
    "_multiply_along", ("Multiply by `values` at the places that `indices` names on an axis.", "在 `indices` 沿轴所指的位置累乘 `values`。"),
    kernel=_multiply, depends=written(_places_along, "values", _combines, used=_used),
    d_arr=of_multiplied,
    d_values=of_factors,
)  # fmt: skip
_MEAN_ALONG = _write(
    "_mean_along", ("The mean of what `values` bring to the places that `indices` names on an axis.", "在 `indices` 沿轴所指的位置对 `values` 求平均。"),
    kernel=_mean, depends=written(_places_along, "values", _combines, used=_used),
    d_arr=of_averaged,
    d_values=of_shares,
)  # fmt: skip
_EXTREME_ALONG = _write(
    "_extreme_along",
    ("The largest, or smallest, of what `values` bring to the places that `indices` names on an axis.",
     "在 `indices` 沿轴所指的位置取 `values` 的最大值或最小值。"),
    kernel=_extreme, depends=written(_places_along, "values", _combines, used=_used, rule=lambda call: "largest" if call["at"].largest else "smallest"),
    d_arr=of_candidate,
    d_values=of_candidates,
)  # fmt: skip


def _check_added(input: Any, index: Any, src: Any, dim: Any) -> None:
    _check_put(input, index, src, Along(dim, broadcast=False))


def _scatter_add(out: Any, input: Any, index: Any, src: Any, dim: int, device: Any) -> None:
    _add(out, input, index, src, Along(dim, broadcast=False), device)


SCATTER_ADD = add_row(
    "scatter", "scatter_add", "input, index, src", ("Add each element of `src` at the position on `dim` that `index` gives.", "在 `index` 于 `dim` 上所指的位置累加 `src`。"),
    call="input, dim, index, src", accepts="fi", validate=_check_added, kernel=_scatter_add,
    depends=written(lambda places, index, dim: _places_along(places, index, Along(dim, broadcast=False)), "src", "combined",
                    used=lambda numbers, shape, call: numbers[values_for(numbers.shape, shape, False)]), shape=same, dtype=same, node="PutAlongAxisGradNode",
    d_input=lambda g: g,
    d_src=lambda g, index, dim, src_form: of_added(g, index, Along(dim, broadcast=False), src_form),
)  # fmt: skip
