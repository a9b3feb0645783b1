"""The one path that every operation takes, in the pieces that the generated functions call (see `ops/template.py`).

    check -> keep what the derivatives ask for -> launch the kernel -> raise the version -> attach or rewrite history -> tell

All checks come before the launch. Whatever can be decided by comparing two attributes is written out in the template;
what stands here is called only in the cases that are not the plainest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite, prod
from numbers import Number
from operator import index as as_integer
from typing import Any

import numpy as np

from inplacelab import dtypes, errors, observe
from inplacelab.autograd import modes
from inplacelab.autograd.history import check_leaf, check_view, edge, refresh
from inplacelab.autograd.nodes import Meta, Node, OpNode, meta, number
from inplacelab.autograd.saved import Saved, save_copy
from inplacelab.autograd.views import Views
from inplacelab.layout import Layout, Shape, common_shape, extent, may_overlap_itself
from inplacelab.ops.spec import Row
from inplacelab.storage import Unaccounted
from inplacelab.tensor import Tensor, adopt, fresh, over

# ---- operands ---------------------------------------------------------------------------------------------------------


def as_tensor(op: str, argument: str, position: int, value: Any) -> Tensor:
    """`value` if it is a tensor (a `Parameter`, say); refused otherwise."""
    if isinstance(value, Tensor):
        return value
    raise errors.not_a_tensor(op, argument, position, value)


def as_operand(op: str, argument: str, position: int, value: Any, x: Any) -> Tensor:
    """An input that may be a number: a tensor as it is, a number as a tensor without axes, of the dtype of `x`.

    The number's bytes are no tensor of the program, so the memory account does not have them.
    """
    if isinstance(value, Tensor):
        return value
    if not isinstance(value, Number | np.bool_):
        raise errors.not_a_number(value)
    if not isinstance(x, Tensor):
        raise errors.not_a_tensor(op, "x", 0, x)
    if isinstance(value, complex) and x.array.dtype.kind != "c":
        raise errors.cannot_promote("number", x.array.dtype.name, "complex")
    return over(constant(value, x.array.dtype), Unaccounted(constant(value, x.array.dtype), x.storage.device))


def as_met(op: str, argument: str, position: int, value: Any, x: Any) -> Tensor:
    """The same for a number that an integer or boolean tensor is computed with: it must not lose its fraction on the way."""
    with np.errstate(invalid="ignore"):  # infinity is no integer, either
        made = as_operand(op, argument, position, value, x)
    if made is not value and made.array.dtype.kind in "iub" and made.array != value:
        raise errors.cannot_promote(op, made.array.dtype.name, type(value).__name__)
    return made


def check_dtype(op: str, kinds: str, *inputs: np.dtype[Any]) -> None:
    """Refuse an operation whose inputs do not meet, or meet in a dtype that it is not defined for."""
    dtype = promoted(op, *inputs)
    if dtype.kind not in kinds:
        raise errors.no_kernel(op.rstrip("_"), dtype.name)


def broadcast(op: str, *tensors: Tensor) -> Shape:
    """The shape of the result of an element-wise operation."""
    shape: Shape = tensors[0].array.shape
    for each in tensors[1:]:
        together = common_shape(shape, each.array.shape)
        if together is None:
            raise errors.cannot_broadcast(op, shape, each.shape)
        shape = together
    return shape


def refuse_growth(op: str, x: Tensor, shape: Shape) -> None:
    """Refuse to write a result of another shape into `x`."""
    raise errors.would_grow(op, x.shape, shape)


def check_fits(op: str, x: Tensor, y: Tensor) -> None:
    """Refuse to write a result into `x` that has another shape."""
    shape = broadcast(op, x, y)
    if shape != x.array.shape:
        raise errors.would_grow(op, x.shape, shape)


def same_window(x: Tensor, y: Tensor) -> bool:
    """True if two tensors show the same slots in the same order; axes of one element make no difference."""
    return x.array is y.array or (x.storage is y.storage and _walk(x.layout) == _walk(y.layout))


def _walk(layout: Layout) -> tuple[int, list[tuple[int, int]]]:
    """In which order a layout goes through the slots."""
    return layout.offset, [(n, s) for n, s in zip(layout.shape, layout.strides, strict=True) if n != 1]


def check_overlap(op: str, x: Tensor, y: Tensor) -> None:
    """Refuse to read `y` while writing `x` if some slot would be written by one element and read by another."""
    if not same_window(x, y) and x.storage.device.share_a_slot(x.array, y.array) and _cross(x, y):
        raise errors.partial_overlap(op, tensor=x, operand=y)


def _cross(x: Tensor, y: Tensor) -> bool:
    """True if an element of `y` lies in a slot that another element of `x` is written to."""
    if x.array.dtype != y.array.dtype:
        return True
    written = slots_of(x)
    read = np.broadcast_to(slots_of(y), written.shape)
    return bool(np.isin(read[read != written], written).any())


def slots_of(x: Tensor) -> Any:
    """The number of the slot that each element lies in."""
    return x.storage.device.window(np.arange(x.storage.slots), x.layout, np.dtype(np.int64))


def apart(x: Tensor, y: Tensor) -> Any:
    """The values of `y`, in a buffer of their own if some of them are about to be overwritten."""
    if not x.storage.device.share_a_slot(x.array, y.array):
        return y.array
    x.storage.device.ledger.lend(y.nbytes)
    return x.storage.device.from_host(y.array)


def refuse_devices(op: str, x: Tensor, y: Tensor) -> None:
    """Refuse operands on different devices."""
    raise errors.different_devices(op, x.place.text, y.place.text)


def refuse_self_overlap(op: str, x: Tensor) -> None:
    """Refuse to write a tensor whose elements share slots."""
    raise errors.self_overlap(op, tensor=x)


# ---- what backward keeps ----------------------------------------------------------------------------------------------


def save_operand(name: str, y: Tensor, y_edge: Node | None, x: Tensor) -> Saved:
    """Keep an operand of an operation that is about to write `x`.

    Normally nothing is copied. But if some of it will be overwritten (`x.multiply_(x)`), a copy is.
    """
    if y.storage is x.storage and x.storage.device.share_a_slot(x.array, y.array):
        return save_copy(name, y, y_edge)
    return Saved(name, y, y_edge)


def attach(row: Row, x: Tensor, result: Tensor, facts: Mapping[str, Any]) -> OpNode | None:
    """Give `result` its place in the history, for operations of one input that keep no tensors."""
    if not modes.recording_history or x._stop or row.rules[0] is None:
        return None
    node = OpNode.__new__(OpNode)
    node.row, node.edges, node.kept, node.facts = row, (edge(x),), {}, facts
    node.shapes, node.dtypes = (x.array.shape,), (x.array.dtype,)
    result.node, result._stop = number(node), False
    return node


# ---- views and changes of metadata --------------------------------------------------------------------------------------


def window(x: Tensor, layout: Layout, dtype: np.dtype[Any] | None = None) -> Any:
    """The array that shows the storage of `x` through a layout."""
    return x.storage.device.window(x.storage.buffer, layout, dtype or x.array.dtype)


def view(row: Row, x: Tensor, shown: Any, facts: Mapping[str, Any], after: Layout | None = None) -> Tensor:
    """Another tensor on the storage of `x`: it shows the array `shown`, whose layout is `after` (or is found out if needed)."""
    base, storage = x.base, x.storage
    if base is not None:
        if modes.recording_history:
            check_view(x)
        refresh(x)
    result = over(shown, storage)
    result.overlaps = x.overlaps
    _show(result, shown, after)
    _belong(result, x if base is None else base)
    result._seen = x._seen if x.untracked else storage.version
    result.untracked = x.untracked or ("" if modes.recording_history else "no_grad")
    if row.rules[0] is None:
        result.untracked = "bits"
    node = None
    if not x._stop and modes.recording_history:
        node = attach(row, x, result, _remembered(row, x, result, facts, after))
    if observe.listeners:
        observe.tell(row.called or row.name, "view", (x,), result, node)
    return result


def _show(x: Tensor, shown: Any, after: Layout | None) -> None:
    """Let `x` look through the window `shown`. What NumPy finds by itself shows no slot twice, unless `x` did so before."""
    x.array = shown
    if after is not None or x.overlaps:
        x.overlaps = may_overlap_itself(after or x.layout)


def _belong(view: Tensor, base: Tensor) -> None:
    """Make `view` one of the views of `base`."""
    view.base = base
    if base._views is None:
        base._views = Views()
    base._views.add(view)


def _remembered(
    row: Row, x: Tensor, result: Tensor, facts: Mapping[str, Any], after: Layout | None
) -> Mapping[str, Any]:
    """Of all there is to know about a view, what its derivative asks for: finding out where a window lies takes a while."""
    known = dict(facts)
    if "x_meta" in row.facts:
        known["x_meta"] = meta(x)
    if "out_meta" in row.facts:
        known["out_meta"] = meta(result) if after is None else Meta(after, result.array.dtype)
    return known


def copied(row: Row, x: Tensor, shape: Shape, facts: Mapping[str, Any]) -> Tensor:
    """What a view would show, in a storage of its own: for layouts that no strides can express."""
    device = x.storage.device
    out = device.empty(shape, x.array.dtype)
    np.copyto(out.reshape(x.array.shape), x.array)
    result = fresh(out, device)
    if x.base is not None:
        refresh(x)
    node = attach(row, x, result, {**facts, "x_meta": meta(x), "out_meta": meta(result)})
    if observe.listeners:
        observe.tell(row.name, "ordinary", (x,), result, node)
    return result


def relayout(row: Row, x: Tensor, shown: Any, facts: Mapping[str, Any], after: Layout | None = None) -> Tensor:
    """Change the metadata of `x` itself: it shows the array `shown` from now on, whose layout is `after` (or is found out if
    needed). No data move; the version is raised all the same, as in Paddle.

    A tensor with history keeps it also under `no_grad`: nothing is computed, only named differently, and the old node
    would not even fit the new shape.
    """
    name = row.name + "_"
    base, storage = x.base, x.storage
    if base is not None:
        refresh(x)
    has_history = not (x._stop and (base is None or base._stop))
    if modes.recording_history and has_history:
        check_leaf(name, x)
    node = None
    if has_history and (base is not None or x.node is not None):
        result = over(shown, storage)
        with modes.set_grad_enabled(True):
            node = attach(row, x, result, _remembered(row, x, result, facts, after))
    _show(x, shown, after)
    storage.version += 1
    if modes.keeper is not None:
        modes.keeper.after_write(storage)  # no slot was written: what is saved still shows what it showed
    if base is not None:
        x._seen = -1 if has_history else storage.version
    elif node is not None:
        x.node = node
    if observe.listeners:
        observe.tell(name, "relayout", (x,), x, node)
    return x


def reallocate(name: str, x: Tensor, ordinary: Callable[[], Tensor]) -> Tensor:
    """In place in name only: the result has another dtype, or cannot lie where `x` lies, so `x` is given a new storage.

    Views of the old storage, and what backward saved there, keep it. Under `no_grad` a leaf stays one, and a tensor with
    history keeps it, as with every write that is not recorded.
    """
    if x.base is not None:
        refresh(x)
    if modes.recording_history:
        check_leaf(name, x)
    raised, stop, node = x.storage.version + 1, x._stop, x.node
    with observe.silence():
        result = ordinary()
        if not modes.recording_history and node is not None and not stop:
            with modes.set_grad_enabled(True):
                node = x.reshape(result.array.shape).cast(result.dtype).node
            result.node = node
    bequeath(x)
    adopt(x, result)
    x.storage.version = raised
    if not modes.recording_history:
        x._stop = stop
    for saved in x.node.saved if x.node is not None else ():
        if saved.storage is x.storage:
            saved.version = raised
    if observe.listeners:
        observe.tell(name, "reallocated", (x,), x, x.node)
    return x


def into(op: str, out: Any, inputs: Sequence[Tensor], compute: Callable[[], Tensor]) -> Tensor:
    """`out=`: compute the result, then write it into `out`, which gets its history. The version is raised, as by any write
    (PaddlePaddle 3.3.1 forgets to, and gives `out` another shape where ours refuses).
    """
    if not isinstance(out, Tensor):
        raise errors.not_a_tensor(op, "out", len(inputs), out)
    with observe.silence():
        result = compute()
        if result.array.shape != out.array.shape:
            raise errors.would_grow(op, out.shape, result.shape)
        if result.array.dtype != out.array.dtype:
            raise errors.out_dtype(op, out.dtype.name, result.dtype.name)
        out.copy_(result)
    if observe.listeners:
        root = out if out.base is None else out.base
        observe.tell(op, "in-place", (out, *inputs), out, root.node)
    return out


def bequeath(x: Tensor) -> None:
    """`x` is about to leave its storage: the views that stay behind get a base in its place, with its history."""
    views = [view for view in x._views or () if view.base is x]
    if not views:
        return
    heir = over(x.array, x.storage)
    heir.overlaps, heir._stop, heir._name = x.overlaps, x._stop, x._name
    heir.node = edge(x)  # also of a leaf: what the old bytes were goes on to lead to it
    heir._views = Views()
    for view in views:
        view.base = heir
        heir._views.add(view)
    x._views = None


# ---- geometry for derivatives of views: gradients laid out like the storages they belong to -----------------------------


def arrange(row: Row, x: Tensor, layout: Layout) -> Tensor:
    """A copy of `x` in a new storage, laid out by `layout` (which starts at slot 0 and may leave gaps)."""
    device = x.storage.device
    whole = fresh(np.zeros(extent(layout)[1], x.array.dtype), device)
    result = over(device.window(whole.array, layout, x.array.dtype), whole.storage)
    np.copyto(result.array, x.array)
    attach(row, x, result, {"layout": layout})
    return result


def scatter(row: Row, x: Tensor, base: Meta, view: Meta) -> Tensor:
    """Zeros laid out like a base, with `x` in the slots of a view of it; added up where the view shows a slot twice."""
    device, (start, stop) = x.storage.device, extent(base.layout)
    whole = fresh(np.zeros(stop - start, base.dtype), device)
    shown = view.within(base)
    part = device.window(whole.array, shown, view.dtype)
    if part.size:
        line = whole.array.view(view.dtype)
        slots = device.window(np.arange(line.size), shown, np.dtype(np.int64))
        np.add.at(line, slots, x.array) if _repeats(slots) else np.copyto(part, x.array)
    result = over(device.window(whole.array, base.within(base), base.dtype), whole.storage)
    attach(row, x, result, {"base": base, "view": view})
    return result


def _repeats(slots: Any) -> bool:
    return bool(np.unique(slots).size != prod(slots.shape))


# ---- arguments ---------------------------------------------------------------------------------------------------------

REAL = frozenset((int, float))
"""The types of nearly all numbers: to ask whether one is a `Number`, whatever that may be, takes longer than to add it."""


def sizes_of(op: str, shape: Any) -> list[int]:
    """A shape, however it was given: a number, a sequence, a tensor."""
    sizes = shape.tolist() if hasattr(shape, "tolist") else shape
    try:
        return [
            as_integer(n) for n in (sizes if isinstance(sizes, Sequence) and not isinstance(sizes, str) else [sizes])
        ]
    except TypeError:
        raise errors.bad_shape(op, shape) from None


def plain_number(x: Any, value: Any) -> Any:
    """A factor, an exponent, a value to fill with: a Python number, or a tensor of one element."""
    if type(value) in REAL:
        return value
    if isinstance(value, Tensor):
        if not value.stop_gradient:
            raise errors.untracked_factor(tensor=value)
        value = value.item()
    if not isinstance(value, Number | np.bool_):
        raise errors.not_a_number(value)
    if isinstance(value, complex) and x.dtype.kind != "c":
        raise errors.cannot_promote("number", x.dtype.name, "complex")
    return value


def number_for(x: Any, value: Any) -> Any:
    """The same for a number that `x` has to hold: integers and truth values know neither NaN nor infinity."""
    number = plain_number(x, value)
    if x.dtype.kind in "biu" and isinstance(number, float | np.floating) and not isfinite(number):
        raise errors.not_finite(number, x.dtype.name)
    return number


# ---- constants ----------------------------------------------------------------------------------------------------------

_constants: dict[tuple[Any, Any], Any] = {}


def constant(value: Any, dtype: np.dtype[Any]) -> Any:
    """A number as an array without axes, in the dtype of the tensor it meets; cached, because making one takes longer
    than a small kernel.
    """
    try:
        return _constants[value, dtype]
    except KeyError:
        made = _number(value, dtype)
        if value:  # 0.0 and -0.0 are equal keys but different numbers
            if len(_constants) > 1000:
                _constants.clear()
            _constants[value, dtype] = made
        return made


def _number(value: Any, dtype: np.dtype[Any]) -> Any:
    """A Python number in `dtype`; towards zero for integers, as in Paddle."""
    return np.asarray(value).astype(dtype)


def promoted(op: str, *inputs: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype in which the inputs meet."""
    result = inputs[0]
    for other in inputs[1:]:
        result = dtypes.promote(op, result, other)
    return result
