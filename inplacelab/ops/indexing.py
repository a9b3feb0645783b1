"""`x[key]` and `x[key] = value`.

Basic keys (integers, slices, None, `...`) select by layout: reading gives a view, and writing is a write through that
view. Other keys (lists, tensors of integers, masks) select by a table of positions: reading gives a copy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from typing import Any

import numpy as np

from inplacelab import dtypes, errors, observe
from inplacelab.language import Text
from inplacelab.layout import Shape, is_basic
from inplacelab.ops import views, writes
from inplacelab.ops.factories import operand, to_tensor
from inplacelab.ops.kernels import start
from inplacelab.ops.positions import check_dtype
from inplacelab.ops.run import slots_of
from inplacelab.ops.spec import same
from inplacelab.ops.table import Made, add_row
from inplacelab.tensor import Tensor

_VIEW = Made(views.getitem, "view")
_WRITE_PART = Made(writes.setitem, "in-place")


def _positions(x: Any, key: Any) -> Any:
    """The key in NumPy's terms, checked against the shape."""
    keys = tuple(_plain(k) for k in (key if isinstance(key, tuple) else (key,)))
    try:
        _blank(x.shape)[keys]
    except IndexError as error:
        raise errors.IndexRangeError(f"(OutOfRange) {error}.", _WHY, _MEND) from None
    return keys


_WHY = Text("the key does not fit the tensor's shape.", "下标与张量的形状不符。")
_MEND = Text(
    "keep indices inside their axes, and masks of the same shape.", "让下标落在各轴范围内，掩码的形状与张量一致。"
)


def _plain(key: Any) -> Any:
    if isinstance(key, Tensor):
        key = key.numpy()
    elif isinstance(key, list | tuple):
        key = np.asarray([k.item() if isinstance(k, Tensor) else k for k in key], dtype=None if key else np.intp)
    elif not (key is None or key is Ellipsis or isinstance(key, int | slice | np.ndarray | np.integer)):
        raise errors.bad_index(key)
    if not isinstance(key, np.ndarray):
        return key
    if key.dtype.kind not in "biu":
        raise errors.bad_index(key.dtype.name)
    return np.ascontiguousarray(key) if key.ndim else key


def _selected_shape(x: Shape, key: Any) -> Shape:
    selected: Shape = _blank(x)[key].shape
    return selected


def _blank(shape: Shape) -> Any:
    """An array of any shape that takes one byte: to try keys on."""
    return np.ndarray(shape, bool, b"\0", 0, (0,) * len(shape))


def _winners(x: Shape, key: Any) -> Any:
    """1 where a written value stayed, 0 where the same key wrote the slot again later; None if no slot was written twice."""
    order = np.arange(int(np.prod(_selected_shape(x, key), dtype=int))).reshape(_selected_shape(x, key))
    last = np.full(x, -1)
    last[key] = order
    stayed = last[key] == order
    return None if stayed.all() else stayed


def _gradient_of_put(g: Tensor, key: Any, accumulate: bool) -> Tensor:
    taken = g._take(key)
    stayed = None if accumulate else _winners(g.array.shape, key)
    return taken if stayed is None else taken * to_tensor(stayed, dtype=g.dtype, place=g.place)


def fits(value: Shape, target: Shape) -> bool:
    """True if `value` can be broadcast to `target`; leading axes of one element are ignored."""
    while len(value) > len(target) and value[0] == 1:
        value = value[1:]
    return len(value) <= len(target) and all(
        v in (1, n) for v, n in zip(reversed(value), reversed(target), strict=False)
    )


def _take(out: Any, x: Any, key: Any, device: Any) -> None:
    device.ledger.borrow(out.nbytes)  # NumPy gathers into an array of its own
    np.copyto(out, x[key])


def _put(out: Any, x: Any, y: Any, key: Any, accumulate: bool, device: Any) -> None:
    """NumPy goes through indices and values in the order of their strides, and where a position repeats the order counts: so
    both are laid out in the order of their elements.
    """
    copied = 0 if accumulate or y.flags.c_contiguous else y.nbytes
    checking = prod(_selected_shape(x.shape, key))  # a byte for each element, while the key was checked
    device.ledger.borrow(_bytes_of(key) + max(copied, checking))
    start(out, x)
    if accumulate:
        np.add.at(out, key, y)
    else:
        out[key] = np.ascontiguousarray(y)


def _bytes_of(key: Any) -> int:
    """The indices are copied, as the program may go on to change its own."""
    return sum(k.nbytes for k in key if isinstance(k, np.ndarray))


add_row(
    "gather", "_take", "x", ("The elements at the positions in `key`.", "取出 `key` 所指位置的元素。"),
    d_x=lambda g, x_meta, key: g._spread_out(x_meta.shape)._put(g, key, True),
    attrs="key", kernel=_take, called="getitem", shape=_selected_shape, prepare={"key": _positions}, in_place=False, function=False,
    node="IndexElementwiseGetGradNode", dtype=same,
)  # fmt: skip
add_row(
    "scatter", "_put", "x, y", ("Write `y` at the positions in `key`, or add it there.", "把 `y` 写到（或加到）`key` 所指的位置。"),
    d_x=lambda g, key, accumulate: g if accumulate else g._put(g._take(key)._zeros(), key, False),
    d_y=_gradient_of_put,
    attrs="key, accumulate=False", kernel=_put, shape=same, prepare={"key": _positions}, function=False,
    node="IndexPutGradNode", called="setitem", dtype=same,
)  # fmt: skip


def _indices(x: Any, indices: Any) -> Any:
    if not isinstance(indices, tuple | list) or not indices:
        raise errors.not_indices(indices)
    counted = [tuple(k.shape) for k in indices if k.dtype not in (bool, dtypes.bool_)]
    try:
        np.broadcast_shapes(*counted)
    except ValueError:
        raise errors.cannot_broadcast("index_put", counted[0], counted[-1]) from None
    return _positions(x, tuple(indices))


def _check_put(x: Any, value: Any) -> None:
    check_dtype("index_put", "value", x, value)


def _shape_after_put(x: Shape, indices: Any, value: Shape) -> Shape:
    """That of `x`: but only if the values fit the places."""
    selected = _selected_shape(x, indices)
    if not fits(value, selected):
        raise errors.wrong_shape("index_put", "value", selected, value)
    return x


def _index_put(out: Any, x: Any, indices: Any, value: Any, accumulate: bool, device: Any) -> None:
    _put(out, x, value, indices, accumulate, device)


add_row(
    "scatter", "index_put", "x, value", ("Write `value` at the positions in `indices`, one tensor for each axis, or add it there.",
                                         "把 `value` 写到（或加到）`indices` 所指的位置，每个轴对应一个张量。"),
    call="x, indices, value, accumulate=False", validate=_check_put, kernel=_index_put, shape=_shape_after_put, dtype=same, prepare={"indices": _indices},
    d_x=lambda g, indices, accumulate: g if accumulate else g.index_put(indices, g._take(indices)._zeros()),
    d_value=lambda g, indices, accumulate: _gradient_of_put(g, indices, accumulate),
)  # fmt: skip


def getitem(self: Tensor, key: Any) -> Tensor:
    """`x[key]`: a view for integers, slices, None and `...`; a copy for lists, tensors and masks.

    Raises:
        IndexRangeError: if an index lies outside its axis.
        IndexKindError: if the key is of a kind that cannot select.
    """
    return _VIEW.function()(self, key) if is_basic(key) else self._take(key)


def setitem(self: Tensor, key: Any, value: Any) -> None:
    """`x[key] = value`: writes in place, whoever else looks at those slots; numbers are cast to the dtype of `x`.

    Raises:
        LeafWriteError: if the tensor is a leaf that needs a gradient, or a view of one.
        WriteConflictError: if the value overlaps the part that is written.
        ShapeError: if the value does not fit.
    """
    given = operand(value, self)
    if not is_basic(key):
        selected = _selected_shape(self.array.shape, _positions(self.array, key))
        if not fits(given.array.shape, selected):
            raise errors.would_grow("setitem", selected, given.shape)
        with observe.silence():
            self._put_(given, key)
        _tell_written(self, value, lambda: _slots_at(self, key))
        return
    with observe.silence():
        part = _VIEW.function()(self, key)
        _WRITE_PART.function()(part, given)
    _tell_written(self, value, lambda: part.layout)


def _tell_written(x: Tensor, value: Any, written: Callable[[], Any]) -> None:
    if observe.listeners:
        root = x if x.base is None else x.base
        observe.tell("setitem", "in-place", (x, value) if isinstance(value, Tensor) else (x,), x, root.node, written())


def _slots_at(x: Tensor, key: Any) -> list[int]:
    """The slots of the storage that `x[key]` shows."""
    slots = slots_of(x)
    return [int(slot) for slot in np.unique(slots[_positions(slots, key)])]


def iterate(self: Tensor) -> Iterator[Tensor]:
    """The views `x[0]`, `x[1]`, ..."""
    return (getitem(self, k) for k in range(len(self)))


def attach() -> None:
    """Give `Tensor` its square brackets."""
    Tensor.__getitem__ = getitem  # type: ignore[method-assign]
    Tensor.__setitem__ = setitem  # type: ignore[method-assign]
    Tensor.__iter__ = iterate  # type: ignore[method-assign]
