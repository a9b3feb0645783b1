"""Derivatives of the operations along an axis.

All of them use flat positions in the whole tensor (`slots_of`), which do not depend on values; the rest is tensor
operations, so that second derivatives follow.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab import errors
from inplacelab.dtypes import Form
from inplacelab.layout import Shape
from inplacelab.ops.arguments.axis_index import Along, index_shape, slots_of, written_last
from inplacelab.ops.arguments.index_checks import Positions
from inplacelab.ops.creation import to_tensor
from inplacelab.tensor import Tensor

# ---- which places, which values -------------------------------------------------------------------------------------------------


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
