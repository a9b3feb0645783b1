"""`x[key]` and `x[key] = value`.

Basic keys (integers, slices, None, `...`) select by layout: reading gives a view, and writing is a write through that
view. Other keys (lists, tensors of integers, masks) select by a table of positions (see `indexing`): reading gives a copy.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from inplacelab import errors, modes, observe
from inplacelab.autograd.meta import Selected
from inplacelab.autograd.nodes import meta
from inplacelab.dependence import Dependence
from inplacelab.layout import index, is_basic
from inplacelab.ops import views, writes
from inplacelab.ops.arguments.attributes import REAL
from inplacelab.ops.arguments.indices import Positions
from inplacelab.ops.arguments.operands import number_like, slots_of
from inplacelab.ops.creation import operand
from inplacelab.ops.indexing import fits, positions
from inplacelab.ops.results.metadata import temporary_view, view, window
from inplacelab.ops.results.touched_slots import ENOUGH
from inplacelab.ops.table import LazyFunction, as_method
from inplacelab.ops.table.depends import written_at
from inplacelab.tensor import Tensor

_VIEW = LazyFunction(views.GETITEM, "view")
_WRITE = LazyFunction(writes.SETITEM, "in-place")
_SINGLE = frozenset((int, slice))
_LARGE = 2**63  # an integer beyond may not fit into any dtype, which `operand` refuses


def getitem(self: Tensor, key: Any) -> Tensor:
    """`x[key]`: a view for integers, slices, None and `...`; a copy for lists, tensors and masks.

    Raises:
        IndexRangeError: if an index is outside its axis.
        IndexKindError: if the key has a type that cannot select.
    """
    if type(key) in _SINGLE:  # the usual keys, without further calls
        key = views.fixed(self.array, key) if type(key) is slice else key
        try:
            shown = self.array[key, ...]
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
