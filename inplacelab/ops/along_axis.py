"""Reads and writes along an axis: for each element, an index is the position on the axis.

`put_along_axis` may also combine the written values with the old ones: by sum, product, mean, minimum or maximum. Each of
these is a row, so that backward keeps only what that one needs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from inplacelab.layout import Shape
from inplacelab.ops import along_axis_gradients as gradients
from inplacelab.ops.arguments.indices import (
    Along,
    as_index_error,
    as_runtime_error,
    check_dtype,
    check_index,
    index_shape,
    key_of,
)
from inplacelab.ops.results.kernel_tools import packed, quietly, start
from inplacelab.ops.table import add_row
from inplacelab.ops.table.depends import moved, written
from inplacelab.ops.table.row import Row, same

# ---- read -----------------------------------------------------------------------------------------------------------------------


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
    d_arr=gradients.of_taken,
)  # fmt: skip

# ---- write ----------------------------------------------------------------------------------------------------------------------


def _check_put(arr: Any, indices: Any, values: Any, at: Along) -> None:
    check_index("put_along_axis", arr, indices, at.axis, as_index_error if at.broadcast else as_runtime_error)
    check_dtype("put_along_axis", "values", arr, values)
    shape = index_shape("put_along_axis", arr.shape, indices.shape, at.axis, at.broadcast)
    gradients.values_for(values.shape, shape, at.broadcast)


def _aligned(arr: Any, indices: Any, values: Any, at: Along, device: Any) -> tuple[Any, Any]:
    """The key for all positions, and as many values, in one order: of several writes to one position the last one counts."""
    shape = index_shape("put_along_axis", arr.shape, indices.shape, at.axis, at.broadcast)
    device.ledger.borrow(int(np.prod(shape, dtype=int)) * (16 + arr.itemsize))
    part = packed(values[gradients.values_for(values.shape, shape, at.broadcast)])
    return key_of(np.broadcast_to(indices, shape), at.axis % arr.ndim), np.broadcast_to(part, shape)


def _places_along(places: Any, indices: Any, at: Along) -> Any:
    """The elements at the positions that an index names."""
    shape = index_shape("put_along_axis", places.shape, indices.shape, at.axis, at.broadcast)
    return places[key_of(np.broadcast_to(indices, shape), at.axis % places.ndim)]


def _used(values: Any, places: Shape, call: Mapping[str, Any]) -> Any:
    """The values that are written at some places."""
    return values[gradients.values_for(values.shape, places, call["at"].broadcast)]


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
    d_arr=gradients.without,
    d_values=gradients.of_assigned,
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
    d_arr=lambda g, indices, at: g if at.include_self else gradients.without(g, indices, at),
    d_values=gradients.of_added,
)  # fmt: skip
_MULTIPLY_ALONG = _write(
    "_multiply_along", ("Multiply by `values` at the places that `indices` names on an axis.", "在 `indices` 沿轴所指的位置累乘 `values`。"),
    kernel=_multiply, depends=written(_places_along, "values", _combines, used=_used),
    d_arr=gradients.of_multiplied,
    d_values=gradients.of_factors,
)  # fmt: skip
_MEAN_ALONG = _write(
    "_mean_along", ("The mean of what `values` bring to the places that `indices` names on an axis.", "在 `indices` 沿轴所指的位置对 `values` 求平均。"),
    kernel=_mean, depends=written(_places_along, "values", _combines, used=_used),
    d_arr=gradients.of_averaged,
    d_values=gradients.of_shares,
)  # fmt: skip
_EXTREME_ALONG = _write(
    "_extreme_along",
    ("The largest, or smallest, of what `values` bring to the places that `indices` names on an axis.",
     "在 `indices` 沿轴所指的位置取 `values` 的最大值或最小值。"),
    kernel=_extreme, depends=written(_places_along, "values", _combines, used=_used, rule=lambda call: "largest" if call["at"].largest else "smallest"),
    d_arr=gradients.of_candidate,
    d_values=gradients.of_candidates,
)  # fmt: skip


def _check_added(input: Any, index: Any, src: Any, dim: Any) -> None:
    _check_put(input, index, src, Along(dim, broadcast=False))


def _scatter_add(out: Any, input: Any, index: Any, src: Any, dim: int, device: Any) -> None:
    _add(out, input, index, src, Along(dim, broadcast=False), device)


SCATTER_ADD = add_row(
    "scatter", "scatter_add", "input, index, src", ("Add each element of `src` at the position on `dim` that `index` gives.", "在 `index` 于 `dim` 上所指的位置累加 `src`。"),
    call="input, dim, index, src", accepts="fi", validate=_check_added, kernel=_scatter_add,
    depends=written(lambda places, index, dim: _places_along(places, index, Along(dim, broadcast=False)), "src", "combined",
                    used=lambda numbers, shape, call: numbers[gradients.values_for(numbers.shape, shape, False)]), shape=same, dtype=same, node="PutAlongAxisGradNode",
    d_input=lambda g: g,
    d_src=lambda g, index, dim, src_form: gradients.of_added(g, index, Along(dim, broadcast=False), src_form),
)  # fmt: skip
