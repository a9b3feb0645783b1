"""`x[key]` and `x[key] = value`; and overwrites of a whole tensor.

Basic keys (integers, slices, None, `...`) select by layout: reading gives a view, and writing is a write through that
view. Other keys (lists, tensors of integers, masks) select by a table of positions: reading gives a copy.

The new value of an overwrite does not depend on the old one, whose derivative is zero. The zero is passed on: the node that
computed the old value receives a zero gradient.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from inplacelab import errors, modes, observe
from inplacelab.autograd.grad_mode import recording
from inplacelab.autograd.history import refresh
from inplacelab.autograd.nodes import meta
from inplacelab.autograd.saved import Selected
from inplacelab.dependence import CONSTANT, OVERWRITTEN, Dependence
from inplacelab.layout import Shape, index, is_basic
from inplacelab.ops import views
from inplacelab.ops.arguments.attributes import (
    REAL,
    Positions,
    as_value_error_of_range,
    check_all_hold,
    check_dtype,
    check_keeps_imaginary,
    check_range,
    constant,
    number_for,
    packed,
)
from inplacelab.ops.arguments.operands import number_like, slots_of
from inplacelab.ops.creation import operand, to_tensor
from inplacelab.ops.results.kernel_tools import start
from inplacelab.ops.results.metadata import temporary_view, view, window
from inplacelab.ops.table import LazyFunction, add_row, as_function, as_method, overwrite
from inplacelab.ops.table.depends import ENOUGH, moved, written, written_at
from inplacelab.ops.table.row import ZERO, same
from inplacelab.tensor import Tensor

# ---- selection by a table of positions --------------------------------------------------------------------------------------


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


# ---- overwrites -------------------------------------------------------------------------------------------------------------


def _fill(out: Any, value: Any) -> None:
    out.fill(constant(value, out.dtype))


def _zero(out: Any) -> None:
    out.fill(0)


def _copy(out: Any, y: Any) -> None:
    out[...] = y  # casts, too; twice as fast as `np.copyto` for small arrays


def _check_copy(x: Any, y: Any) -> None:
    if y.dtype is not x.dtype:
        check_keeps_imaginary("copy_", x.dtype, y.dtype)
        check_all_hold("copy_", x.dtype, y)


def _check_set(x: Any, y: Any) -> None:
    if y.dtype is not x.dtype:
        check_keeps_imaginary("setitem", x.dtype, y.dtype)
        check_all_hold("setitem", x.dtype, y)


FILL = overwrite("fill", "x", ("Write one number into every element.", "把每个元素写成同一个数。"),
          attrs="value", kernel=_fill, cuda=dict.fromkeys("fib", "value"), prepare={"value": number_for}, d_x=ZERO)  # fmt: skip
ZERO_ROW = overwrite("zero", "x", ("Write zero into every element.", "把每个元素写成零。"), kernel=_zero, cuda=dict.fromkeys("fib", "0"),
          node="FillGradNode", d_x=ZERO)  # fmt: skip
COPY = overwrite("copy", "x, y", ("Write the elements of `y`, cast to the dtype of `x`.", "写入 `y` 的元素，并转换为 `x` 的数据类型。"),
          attrs="blocking=True", kernel=_copy, cuda=dict.fromkeys("fib", "y"), validate=_check_copy, node="AssignGradNode", copies=True, d_x=ZERO, d_y=lambda g: g)  # fmt: skip
SETITEM = overwrite("setitem", "x, y", ("Write `y` into a part: `x[key] = y`.", "写入一部分：`x[key] = y`。"),
                    attrs="selected=None", kernel=_copy, cuda=dict.fromkeys("fib", "y"), validate=_check_set, node="SetValueGradNode", called="setitem", method=False, copies=True, d_x=ZERO, d_y=lambda g: g)  # fmt: skip


@as_method
def set_value(self: Tensor, value: Any) -> None:
    """Replaces the elements by those of `value`, which must have the same shape and dtype.

    Args:
        self: the tensor to write.
        value: a tensor, an array, or nested lists of numbers, which get the tensor's dtype.

    Parameters are loaded with it: the tensor may be a leaf, and stays one. Any other tensor loses its history, as with every
    overwrite. The version is raised by one (not in PaddlePaddle 3.3.1, where a stale saved tensor is not detected).

    Raises:
        ConversionError: if the shapes or the dtypes differ.
    """
    given = operand(value, self, getattr(value, "dtype", None))
    if given.array.shape != self.array.shape:
        raise errors.value_shape_differs(expected=self.shape, given=given.shape)
    if given.array.dtype != self.array.dtype:
        raise errors.value_dtype_differs(expected=self.dtype.name, given=given.dtype.name)
    if self.base is not None:
        refresh(self)
    observe.silently(_overwrite, self, given)
    if modes.current().listeners:
        source = (value,) if isinstance(value, Tensor) else ()
        depends = OVERWRITTEN if source else CONSTANT
        observe.notify(
            "set_value",
            "in-place",
            (self, *source),
            self,
            self.node,
            read=(),
            copied=1 if source else None,
            depends=depends,
        )


def _overwrite(x: Tensor, given: Tensor) -> None:
    """Copies the values; a leaf is written outside the history."""
    root = x if x.base is None else x.base
    if root.node is None and not (root._stop and x._stop) and x.untracked != "left":
        modes.run_inside(recording(False), x.copy_, given.detach())
    else:
        x.copy_(given.detach())


@as_method
@as_function
def increment(x: Tensor, value: float = 1.0, name: str | None = None) -> Tensor:
    """Adds a number to a tensor of one element, in place although the name has no underscore: a counter.

    Args:
        x: a tensor of one element, whose version is raised by one.
        value: the number.
        name: ignored.

    Returns:
        `x` itself.

    Raises:
        ShapeError: if there is more than one element.
        LeafWriteError: if it is a leaf that needs a gradient. (PaddlePaddle 3.3.1 allows it.)
    """
    if x.size != 1:
        raise errors.increment_needs_one_element(size=x.size)
    return x.scale_(1.0, value)


# ---- `x[key]` and `x[key] = value` ------------------------------------------------------------------------------------------


_VIEW = LazyFunction(views.GETITEM, "view")
_WRITE = LazyFunction(SETITEM, "in-place")
_SINGLE = frozenset((int, slice))
_LARGE = 2**63  # an integer beyond may not fit into any dtype, which `operand` refuses


def getitem(self: Tensor, key: Any) -> Tensor:
    """`x[key]`: a view for integers, slices, None and `...`; a copy for lists, tensors and masks.

    Raises:
        IndexRangeError: if an index is outside its axis.
        IndexKindError: if the key has a type that cannot select.
    """
    several = type(key) is tuple and _SINGLE.issuperset(map(type, key))
    if several or type(key) in _SINGLE:  # the usual keys, without further calls
        key = key if type(key) is int else views.fixed(self.array, key)
        try:
            shown = self.array[(*key, ...) if several else (key, ...)]
        except (IndexError, TypeError, ValueError):  # refused below
            pass
        else:
            return view(views.GETITEM, self, shown, {"key": key})
    return _VIEW.function()(self, key) if is_basic(key) else self._take(key)


def setitem(self: Tensor, key: Any, value: Any) -> None:
    """`x[key] = value`: writes in place, also into the views of those slots; numbers are cast to the dtype of `x`.

    Raises:
        LeafWriteError: if the tensor is a leaf that needs a gradient, or a view of one.
        WriteConflictError: if the value overlaps the written part.
        ShapeError: if the value does not fit.
    """
    usual = type(value) in REAL and self.array.dtype.kind == "f" and -_LARGE < value < _LARGE
    given = number_like(value, self) if usual else operand(value, self)
    if is_basic(key):
        _write_part(self, key, value, given)
    else:
        _write_positions(self, key, value, given)


def _write_part(x: Tensor, key: Any, value: Any, given: Tensor) -> None:
    plain = views.fixed(x.array, key)
    write, part = _WRITE.function(), _part(x, plain)
    if given.array.ndim > part.array.ndim and fits(given.array.shape, part.array.shape):
        given = _without_leading(given, part.array.ndim)
    selected = Selected(meta(x), plain) if modes.current().recording_history and not (x._stop and given._stop) else None
    if not modes.current().listeners:
        write(part, given, selected)
        return
    depends = _depends(x, value, plain)
    observe.silently(write, part, given, selected)
    _report_written(x, value, part, depends)


def _without_leading(value: Tensor, rank: int) -> Tensor:
    """A value without its leading axes of one element: `x[0] = y` where `y` is a matrix of one row."""
    return observe.silently(value.reshape, value.shape[value.ndim - rank :])


def _part(x: Tensor, key: Any) -> Tensor:
    """The view that a basic key selects. It needs no node: the write gives the base a new history in any case."""
    shown, after = views.indexed(x.array, key), None
    if shown is None:  # the layout raises the error for this key
        after = index(x.layout, key)
        shown = window(x, after)
    part = temporary_view(x, shown, after, modes.current().recording_history)
    part._stop = x._stop
    return part


def _write_positions(x: Tensor, key: Any, value: Any, given: Tensor) -> None:
    found = positions(x.array, key)
    if not fits(given.array.shape, found.shape):
        raise errors.assigned_would_grow(op="setitem", target=found.shape, result=given.shape)
    observe.silently(x._put_, given, found)
    if modes.current().listeners:
        _report_written(x, value, _slots_at(x, found), _depends(x, value, found.keys))


def _depends(x: Tensor, value: Any, key: Any) -> Dependence | None:
    """Which element of the value is written to which element; None if they are too many to report."""
    if x.array.size > ENOUGH:
        return None
    places = np.arange(x.array.size).reshape(x.array.shape)[key]
    return written_at(places, np.arange(value.size).reshape(value.array.shape) if isinstance(value, Tensor) else None)


def _report_written(x: Tensor, value: Any, written: Any, depends: Dependence | None) -> None:
    root = x if x.base is None else x.base
    source = (value,) if isinstance(value, Tensor) else ()
    observe.notify(
        "setitem",
        "in-place",
        (x, *source),
        x,
        root.node,
        written=written,
        read=(),
        copied=1 if source else None,
        depends=depends,
    )


def _slots_at(x: Tensor, found: Positions) -> list[int]:
    """The slots of the storage at some positions of a tensor."""
    return [int(slot) for slot in np.unique(slots_of(x)[found.keys])]


def iterate(self: Tensor) -> Iterator[Tensor]:
    """The views `x[0]`, `x[1]`, ..."""
    return (getitem(self, k) for k in range(len(self)))


as_method(getitem, "__getitem__")
as_method(setitem, "__setitem__")
as_method(iterate, "__iter__")
