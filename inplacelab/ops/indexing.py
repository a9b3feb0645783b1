"""Selection by a table of positions: lists, tensors of integers, masks. Reading gives a copy."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from inplacelab import errors
from inplacelab.layout import Shape
from inplacelab.ops.arguments.indices import Positions, as_value_error_of_range, check_dtype, check_range
from inplacelab.ops.creation import to_tensor
from inplacelab.ops.results.kernel_tools import packed, start
from inplacelab.ops.table import add_row
from inplacelab.ops.table.depends import moved, written
from inplacelab.ops.table.row import same
from inplacelab.tensor import Tensor


def positions(x: Any, key: Any) -> Positions:
    """Returns the key, checked against the shape of `x`. A key from a derivative has been checked already."""
    if type(key) is Positions:
        return key
    keys = tuple(map(_plain, key if isinstance(key, tuple) else (key,)))
    try:
        return Positions(keys, _blank(x.shape)[keys].shape)
    except IndexError as error:
        raise errors.key_does_not_fit(detail=error) from None


def _plain(key: Any) -> Any:
    """One part of a key. Its numbers are copied, since the program may change them later."""
    if isinstance(key, Tensor):
        key = key.numpy()
    elif isinstance(key, np.ndarray):
        key = np.array(key, order="C")
    elif isinstance(key, list | tuple | range):
        key = np.asarray([k.item() if isinstance(k, Tensor) else k for k in key], dtype=None if key else np.intp)
    elif key is None or key is Ellipsis or isinstance(key, int | slice | np.integer):
        return key
    else:
        raise errors.bad_index(index=key)
    if key.dtype.kind not in "biu":
        raise errors.bad_index(index=key.dtype.name)
    return key


@lru_cache(1000)
def _blank(shape: Shape) -> Any:
    """An array of any shape that takes one byte, on which keys are tried."""
    return np.ndarray(shape, bool, b"\0", 0, (0,) * len(shape))


def _winners(x: Shape, key: Positions) -> Any:
    """1 where a written value stayed, 0 where the same key overwrote it; None if no slot was written twice."""
    order = np.arange(prod(key.shape)).reshape(key.shape)
    last = np.full(x, -1)
    last[key.keys] = order
    stayed = last[key.keys] == order
    return None if stayed.all() else stayed


def _gradient_of_put(g: Tensor, key: Positions, accumulate: bool) -> Tensor:
    taken = g._take(key)
    stayed = None if accumulate else _winners(g.array.shape, key)
    return taken if stayed is None else taken * to_tensor(stayed, dtype=g.dtype, place=g.place)


def fits(value: Shape, target: Shape) -> bool:
    """Returns True if `value` can be broadcast to `target`; leading axes of one element are ignored."""
    if value == target:
        return True
    while len(value) > len(target) and value[0] == 1:
        value = value[1:]
    return len(value) <= len(target) and all(
        v in (1, n) for v, n in zip(reversed(value), reversed(target), strict=False)
    )


def _take(out: Any, x: Any, key: Positions, device: Any) -> None:
    device.ledger.borrow(out.nbytes)  # NumPy gathers into a new array
    np.copyto(out, x[key.keys])


def _put(out: Any, x: Any, y: Any, key: Positions, accumulate: bool, device: Any) -> None:
    """NumPy visits indices and values in the order of their strides. The order matters where a position repeats, so both
    are made contiguous.
    """
    copied = 0 if accumulate or y.flags.c_contiguous else y.nbytes
    checking = prod(key.shape)  # a byte for each element, while the key was checked
    device.ledger.borrow(_bytes_of(key.keys) + max(copied, checking))
    start(out, x)
    if accumulate:
        np.add.at(out, key.keys, y)
    else:
        out[key.keys] = packed(y)


def _adds(call: Mapping[str, Any]) -> str:
    return "combined" if call["accumulate"] else "assigned"


def _bytes_of(keys: tuple[Any, ...]) -> int:
    """The bytes of the copies of the indices."""
    return sum(k.nbytes for k in keys if isinstance(k, np.ndarray))


_TAKE = add_row(
    "gather", "_take", "x", ("The elements at the positions in `key`.", "取出 `key` 所指位置的元素。"),
    d_x=lambda g, x_form, key: g._spread_out(x_form.shape)._put(g, key, True),
    attrs="key", kernel=_take, called="getitem", depends=moved(), shape=lambda key: key.shape, prepare={"key": positions}, in_place=False, function=False,
    node="IndexElementwiseGetGradNode", dtype=same,
)  # fmt: skip


def _places(index: Any) -> tuple[Any, ...]:
    """A list of positions for each axis, from an index that has the positions on its last axis."""
    return tuple(index[..., k].astype(np.intp, copy=False) for k in range(index.shape[-1]))


def _check_places(x: Any, index: Any) -> None:
    columns = index.shape[-1] if index.ndim else 0
    if not index.ndim or columns > x.ndim:
        raise errors.index_too_long(columns=columns, rank=x.ndim)
    for k in range(columns):
        check_range("gather_nd", index[..., k], x.shape[k], as_value_error_of_range)


def _gather_nd(out: Any, x: Any, index: Any, device: Any) -> None:
    device.ledger.borrow(out.nbytes + 8 * index.size)
    np.copyto(out, x[_places(index)] if index.shape[-1] else x)


def _gradient_of_gathered(g: Tensor, index: Tensor, shape: Shape) -> Tensor:
    if not index.array.shape[-1]:
        return g.sum(list(range(index.ndim - 1)))
    return g._spread_out(shape)._put(g, Positions(_places(index.array), g.array.shape), True)


GATHER_ND = add_row(
    "selection", "gather_nd", "x, index",
    ("The parts of `x` at the positions that the last axis of `index` holds: a copy.", "取出 `index` 最后一个轴所给位置处的 `x` 的部分（副本）。"),
    accepts="fib", validate=_check_places, kernel=_gather_nd, dtype=same, in_place=False,
    shape=lambda x, index: (*index[:-1], *x[index[-1] :]), depends=moved(),
    d_x=lambda g, x_form, index: _gradient_of_gathered(g, index, x_form.shape),
)  # fmt: skip
_PUT = add_row(
    "scatter", "_put", "x, y", ("Write `y` at the positions in `key`, or add it there.", "把 `y` 写到（或加到）`key` 所指的位置。"),
    d_x=lambda g, key, accumulate: g if accumulate else g._put(g._take(key)._zeros(), key, False),
    d_y=_gradient_of_put,
    attrs="key, accumulate=False", kernel=_put, depends=written(lambda places, key: places[key.keys], "y", _adds), shape=same, prepare={"key": positions}, function=False,
    node="IndexPutGradNode", called="setitem", dtype=same,
)  # fmt: skip


def _indices(x: Any, indices: Any) -> Any:
    if not isinstance(indices, tuple | list):
        raise errors.indices_not_a_list(given=indices)
    if not indices:
        raise errors.no_indices()
    try:
        return positions(x, indices if type(indices) is Positions else tuple(indices))
    except errors.IndexRangeError:
        _check_together(indices)
        raise


def _check_together(indices: Any) -> None:
    """Refuses lists of positions of different lengths. Masks have the sizes of the axes that they select from."""
    counted = [k.shape for k in map(_plain, indices) if isinstance(k, np.ndarray) and k.dtype != bool]
    try:
        np.broadcast_shapes(*counted)
    except ValueError:
        raise errors.cannot_broadcast(x=counted[0], y=counted[-1], op="index_put") from None


def _check_put(x: Any, value: Any) -> None:
    check_dtype("index_put", "value", x, value)


def _shape_after_put(x: Shape, indices: Positions, value: Shape) -> Shape:
    """The shape of `x`; refuses values that do not fit the positions."""
    if not fits(value, indices.shape):
        raise errors.written_shape_differs(op="index_put", argument="value", wanted=indices.shape, given=value)
    return x


def _index_put(out: Any, x: Any, indices: Positions, value: Any, accumulate: bool, device: Any) -> None:
    _put(out, x, value, indices, accumulate, device)


INDEX_PUT = add_row(
    "scatter", "index_put", "x, value", ("Write `value` at the positions in `indices` (one tensor for each axis), or add it there.",
                                         "把 `value` 写到（或加到）`indices` 所指的位置，每个轴对应一个张量。"),
    call="x, indices, value, accumulate=False", validate=_check_put, kernel=_index_put, shape=_shape_after_put, dtype=same, prepare={"indices": _indices},
    depends=written(lambda places, indices: places[indices.keys], "value", _adds),
    d_x=lambda g, indices, accumulate: g if accumulate else g.index_put(indices, g._take(indices)._zeros()),
    d_value=lambda g, indices, accumulate: _gradient_of_put(g, indices, accumulate),
)  # fmt: skip
