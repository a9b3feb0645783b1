"""The functions of the rows in `inplacelab/ops/along_axis.py`.

Generated: `python -m inplacelab.ops.table.generate` writes this file. Do not edit it.
"""

from __future__ import annotations

from typing import Any

from inplacelab.autograd.history import accumulator, check_leaf, edge, rebase, refresh
from inplacelab.autograd.nodes import NOTHING, UNFINISHED, OpNode, new_node, next_serial
from inplacelab.autograd.saved import OUTPUT, Saved, save, save_copy
from inplacelab.modes import current as current_modes
from inplacelab.ops import along_axis as chapter
from inplacelab.ops.arguments import keywords, operands
from inplacelab.ops.arguments.keywords import ABSENT
from inplacelab.ops.results import destinations
from inplacelab.ops.table.depends import dependence, slots_read, slots_touched
from inplacelab.tensor import Tensor, fresh, known_form

# ---- take_along_axis -----------------------------------------------------------------------------

TAKE_ALONG_AXIS = chapter.TAKE_ALONG_AXIS
TAKE_ALONG_AXIS_VALIDATE = chapter._check_take
TAKE_ALONG_AXIS_SHAPE = chapter._taken_shape
TAKE_ALONG_AXIS_KERNEL = chapter._take


def take_along_axis(
    arr: Tensor = ABSENT,
    indices: Tensor = ABSENT,
    axis: Any = ABSENT,
    broadcast: Any = True,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
    dim: Any = ABSENT,
) -> Tensor:
    """For each entry of `indices`, the element of `arr` at that position on `axis`: a copy."""
    if input is not _ or dim is not _:
        keywords.check_named("take_along_axis", 5, _)
        arr = keywords.either("take_along_axis", "arr", arr, "input", input)
        axis = keywords.either("take_along_axis", "axis", axis, "dim", dim)
    if axis is ABSENT:
        keywords.missing("take_along_axis", "axis")
    if out is not None:
        return destinations.into(
            "take_along_axis",
            out,
            (arr, indices),
            lambda: take_along_axis(arr=arr, indices=indices, axis=axis, broadcast=broadcast, name=name),
        )
    if type(arr) is not Tensor:
        arr = operands.as_tensor("take_along_axis", "arr", 0, arr)
    if type(indices) is not Tensor:
        indices = operands.as_tensor("take_along_axis", "indices", 1, indices)
    a0, form0 = arr.array, arr.form or known_form(arr)
    a1, form1 = indices.array, indices.form or known_form(indices)
    if form0.kind not in "fiu":
        operands.check_dtype("take_along_axis", "fiu", form0.dtype)
    TAKE_ALONG_AXIS_VALIDATE(a0, a1, axis, broadcast)
    storage = arr.storage
    if indices.storage.device is not storage.device:
        operands.refuse_devices("take_along_axis", arr, indices)
    form = None
    array = storage.device.empty(TAKE_ALONG_AXIS_SHAPE(form0.shape, form1.shape, axis, broadcast), form0.dtype)
    try:
        TAKE_ALONG_AXIS_KERNEL(array, a0, a1, axis, broadcast, storage.device)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e0 = edge(arr) if arr.base is not None else None if arr._stop else arr.node or accumulator(arr)
        e1 = (
            edge(indices)
            if indices.base is not None
            else None
            if indices._stop
            else indices.node or accumulator(indices)
        )
        if e0 is not None or e1 is not None:
            kept: tuple[Saved, ...] = ()
            if e0 is not None:
                kept += (save("indices", a1, indices.storage, e1),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = TAKE_ALONG_AXIS, (e0, e1), kept
            node.forms, node.facts = (form0, form1), {"axis": axis, "broadcast": broadcast}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "take_along_axis",
            "ordinary",
            (arr, indices),
            result,
            node,
            read=slots_read(
                TAKE_ALONG_AXIS, arr, {"arr": a0, "indices": a1, "axis": axis, "broadcast": broadcast}, array.shape
            ),
            copied=0,
            depends=dependence(
                TAKE_ALONG_AXIS, {"arr": a0, "indices": a1, "axis": axis, "broadcast": broadcast}, array.shape
            ),
        )
    return result


# ---- _put_along ----------------------------------------------------------------------------------

_PUT_ALONG = chapter._PUT_ALONG
_PUT_ALONG_VALIDATE = chapter._check_put
_PUT_ALONG_KERNEL = chapter._assign


def _put_along(arr: Tensor, indices: Tensor, values: Any, at: Any, name: str | None = None) -> Tensor:
    """Write `values` at the places that `indices` names on an axis."""
    if type(arr) is not Tensor:
        arr = operands.as_tensor("put_along_axis", "arr", 0, arr)
    if type(indices) is not Tensor:
        indices = operands.as_tensor("put_along_axis", "indices", 1, indices)
    if type(values) is not Tensor:
        values = operands.as_operand("put_along_axis", "values", 2, values, arr)
    a0, form0 = arr.array, arr.form or known_form(arr)
    a1, form1 = indices.array, indices.form or known_form(indices)
    a2, form2 = values.array, values.form or known_form(values)
    if form0.kind not in "fiu":
        operands.check_dtype("put_along_axis", "fiu", form0.dtype)
    _PUT_ALONG_VALIDATE(a0, a1, a2, at)
    storage = arr.storage
    if indices.storage.device is not storage.device:
        operands.refuse_devices("put_along_axis", arr, indices)
    if values.storage.device is not storage.device:
        operands.refuse_devices("put_along_axis", arr, values)
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        _PUT_ALONG_KERNEL(array, a0, a1, a2, at, storage.device)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e0 = edge(arr) if arr.base is not None else None if arr._stop else arr.node or accumulator(arr)
        e1 = (
            edge(indices)
            if indices.base is not None
            else None
            if indices._stop
            else indices.node or accumulator(indices)
        )
        e2 = edge(values) if values.base is not None else None if values._stop else values.node or accumulator(values)
        if e0 is not None or e1 is not None or e2 is not None:
            kept: tuple[Saved, ...] = ()
            if e0 is not None or e2 is not None:
                kept += (save("indices", a1, indices.storage, e1),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = _PUT_ALONG, (e0, e1, e2), kept
            node.forms, node.facts = (form0, form1, form2), {"at": at}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "put_along_axis",
            "ordinary",
            (arr, indices, values),
            result,
            node,
            depends=dependence(_PUT_ALONG, {"arr": a0, "indices": a1, "values": a2, "at": at}, array.shape),
        )
    return result


def _put_along_(arr: Tensor, indices: Tensor, values: Any, at: Any, name: str | None = None) -> Tensor:
    """Write `values` at the places that `indices` names on an axis."""
    if type(arr) is not Tensor:
        arr = operands.as_tensor("put_along_axis_", "arr", 0, arr)
    if type(indices) is not Tensor:
        indices = operands.as_tensor("put_along_axis_", "indices", 1, indices)
    if type(values) is not Tensor:
        values = operands.as_operand("put_along_axis_", "values", 2, values, arr)
    a0, form0 = arr.array, arr.form or known_form(arr)
    a1, form1 = indices.array, indices.form or known_form(indices)
    a2, form2 = values.array, values.form or known_form(values)
    storage, base = arr.storage, arr.base
    if base is not None:
        refresh(arr)
    if arr.overlaps:
        operands.refuse_self_overlap("put_along_axis_", arr)
    storage1 = indices.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("put_along_axis_", arr, indices)
    storage2 = values.storage
    if storage2.device is not storage.device:
        operands.refuse_devices("put_along_axis_", arr, values)
    if form0.kind not in "fiu":
        operands.check_dtype("put_along_axis_", "fiu", form0.dtype)
    _PUT_ALONG_VALIDATE(a0, a1, a2, at)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = (
            edge(indices)
            if indices.base is not None
            else None
            if indices._stop
            else indices.node or accumulator(indices)
        )
        e2 = edge(values) if values.base is not None else None if values._stop else values.node or accumulator(values)
        if not arr._stop or (base is not None and (not base._stop)) or e1 is not None or (e2 is not None):
            version = storage.version
            if base is not None or arr.node is None:
                check_leaf("put_along_axis_", arr)
            e0 = None if arr._stop else arr.node
            kept: tuple[Saved, ...] = ()
            if e0 is not None or e2 is not None:
                kept += (
                    save("indices", a1, storage1, e1)
                    if storage1 is not storage
                    else operands.save_operand("indices", indices, e1, arr),
                )
            node = new_node(OpNode)
            node.row, node.edges, node.kept = _PUT_ALONG, (e0, e1, e2), UNFINISHED
            node.forms, node.facts = (form0, form1, form2), {"at": at}
            node.serial, node.hooks, node.retained = next_serial(), None, None
    touched = (
        slots_touched(_PUT_ALONG, arr, {"arr": a0, "indices": a1, "values": a2, "at": at})
        if mode.listeners
        else NOTHING
    )
    depends = (
        dependence(_PUT_ALONG, {"arr": a0, "indices": a1, "values": a2, "at": at}, a0.shape) if mode.listeners else None
    )
    try:
        if storage1 is storage:
            a1 = operands.copy_if_overlapping(arr, indices)
        if storage2 is storage:
            a2 = operands.copy_if_overlapping(arr, values)
        if mode.keeper is not None:
            mode.keeper.before_write(arr)
        if node is not None:
            if base is None:
                arr.node = node
                arr._stop = False
            else:
                rebase(arr, node)
        storage.version += 1
        if mode.keeper is not None:
            mode.keeper.after_write(storage)
        try:
            _PUT_ALONG_KERNEL(a0, a0, a1, a2, at, storage.device)
        except RuntimeWarning:
            pass
        storage.device.ledger.lent = 0
    except BaseException:
        storage.device.ledger.lent = 0
        raise
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("put_along_axis_", "in-place", (arr, indices, values), arr, node, **touched, depends=depends)
    return arr


# ---- _add_along ----------------------------------------------------------------------------------

_ADD_ALONG = chapter._ADD_ALONG
_ADD_ALONG_VALIDATE = chapter._check_put
_ADD_ALONG_KERNEL = chapter._add


def _add_along(arr: Tensor, indices: Tensor, values: Any, at: Any, name: str | None = None) -> Tensor:
    """Add `values` at the places that `indices` names on an axis."""
    if type(arr) is not Tensor:
        arr = operands.as_tensor("put_along_axis", "arr", 0, arr)
    if type(indices) is not Tensor:
        indices = operands.as_tensor("put_along_axis", "indices", 1, indices)
    if type(values) is not Tensor:
        values = operands.as_operand("put_along_axis", "values", 2, values, arr)
    a0, form0 = arr.array, arr.form or known_form(arr)
    a1, form1 = indices.array, indices.form or known_form(indices)
    a2, form2 = values.array, values.form or known_form(values)
    if form0.kind not in "fiu":
        operands.check_dtype("put_along_axis", "fiu", form0.dtype)
    _ADD_ALONG_VALIDATE(a0, a1, a2, at)
    storage = arr.storage
    if indices.storage.device is not storage.device:
        operands.refuse_devices("put_along_axis", arr, indices)
    if values.storage.device is not storage.device:
        operands.refuse_devices("put_along_axis", arr, values)
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        _ADD_ALONG_KERNEL(array, a0, a1, a2, at, storage.device)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e0 = edge(arr) if arr.base is not None else None if arr._stop else arr.node or accumulator(arr)
        e1 = (
            edge(indices)
            if indices.base is not None
            else None
            if indices._stop
            else indices.node or accumulator(indices)
        )
        e2 = edge(values) if values.base is not None else None if values._stop else values.node or accumulator(values)
        if e0 is not None or e1 is not None or e2 is not None:
            kept: tuple[Saved, ...] = ()
            if e0 is not None or e2 is not None:
                kept += (save("indices", a1, indices.storage, e1),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = _ADD_ALONG, (e0, e1, e2), kept
            node.forms, node.facts = (form0, form1, form2), {"at": at}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "put_along_axis",
            "ordinary",
            (arr, indices, values),
            result,
            node,
            depends=dependence(_ADD_ALONG, {"arr": a0, "indices": a1, "values": a2, "at": at}, array.shape),
        )
    return result


def _add_along_(arr: Tensor, indices: Tensor, values: Any, at: Any, name: str | None = None) -> Tensor:
    """Add `values` at the places that `indices` names on an axis."""
    if type(arr) is not Tensor:
        arr = operands.as_tensor("put_along_axis_", "arr", 0, arr)
    if type(indices) is not Tensor:
        indices = operands.as_tensor("put_along_axis_", "indices", 1, indices)
    if type(values) is not Tensor:
        values = operands.as_operand("put_along_axis_", "values", 2, values, arr)
    a0, form0 = arr.array, arr.form or known_form(arr)
    a1, form1 = indices.array, indices.form or known_form(indices)
    a2, form2 = values.array, values.form or known_form(values)
    storage, base = arr.storage, arr.base
    if base is not None:
        refresh(arr)
    if arr.overlaps:
        operands.refuse_self_overlap("put_along_axis_", arr)
    storage1 = indices.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("put_along_axis_", arr, indices)
    storage2 = values.storage
    if storage2.device is not storage.device:
        operands.refuse_devices("put_along_axis_", arr, values)
    if form0.kind not in "fiu":
        operands.check_dtype("put_along_axis_", "fiu", form0.dtype)
    _ADD_ALONG_VALIDATE(a0, a1, a2, at)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = (
            edge(indices)
            if indices.base is not None
            else None
            if indices._stop
            else indices.node or accumulator(indices)
        )
        e2 = edge(values) if values.base is not None else None if values._stop else values.node or accumulator(values)
        if not arr._stop or (base is not None and (not base._stop)) or e1 is not None or (e2 is not None):
            version = storage.version
            if base is not None or arr.node is None:
                check_leaf("put_along_axis_", arr)
            e0 = None if arr._stop else arr.node
            kept: tuple[Saved, ...] = ()
            if e0 is not None or e2 is not None:
                kept += (
                    save("indices", a1, storage1, e1)
                    if storage1 is not storage
                    else operands.save_operand("indices", indices, e1, arr),
                )
            node = new_node(OpNode)
            node.row, node.edges, node.kept = _ADD_ALONG, (e0, e1, e2), UNFINISHED
            node.forms, node.facts = (form0, form1, form2), {"at": at}
            node.serial, node.hooks, node.retained = next_serial(), None, None
    touched = (
        slots_touched(_ADD_ALONG, arr, {"arr": a0, "indices": a1, "values": a2, "at": at})
        if mode.listeners
        else NOTHING
    )
    depends = (
        dependence(_ADD_ALONG, {"arr": a0, "indices": a1, "values": a2, "at": at}, a0.shape) if mode.listeners else None
    )
    try:
        if storage1 is storage:
            a1 = operands.copy_if_overlapping(arr, indices)
        if storage2 is storage:
            a2 = operands.copy_if_overlapping(arr, values)
        if mode.keeper is not None:
            mode.keeper.before_write(arr)
        if node is not None:
            if base is None:
                arr.node = node
                arr._stop = False
            else:
                rebase(arr, node)
        storage.version += 1
        if mode.keeper is not None:
            mode.keeper.after_write(storage)
        try:
            _ADD_ALONG_KERNEL(a0, a0, a1, a2, at, storage.device)
        except RuntimeWarning:
            pass
        storage.device.ledger.lent = 0
    except BaseException:
        storage.device.ledger.lent = 0
        raise
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("put_along_axis_", "in-place", (arr, indices, values), arr, node, **touched, depends=depends)
    return arr


# ---- _multiply_along -----------------------------------------------------------------------------

_MULTIPLY_ALONG = chapter._MULTIPLY_ALONG
_MULTIPLY_ALONG_VALIDATE = chapter._check_put
_MULTIPLY_ALONG_KERNEL = chapter._multiply


def _multiply_along(arr: Tensor, indices: Tensor, values: Any, at: Any, name: str | None = None) -> Tensor:
    """Multiply by `values` at the places that `indices` names on an axis."""
    if type(arr) is not Tensor:
        arr = operands.as_tensor("put_along_axis", "arr", 0, arr)
    if type(indices) is not Tensor:
        indices = operands.as_tensor("put_along_axis", "indices", 1, indices)
    if type(values) is not Tensor:
        values = operands.as_operand("put_along_axis", "values", 2, values, arr)
    a0, form0 = arr.array, arr.form or known_form(arr)
    a1, form1 = indices.array, indices.form or known_form(indices)
    a2, form2 = values.array, values.form or known_form(values)
    if form0.kind not in "fiu":
        operands.check_dtype("put_along_axis", "fiu", form0.dtype)
    _MULTIPLY_ALONG_VALIDATE(a0, a1, a2, at)
    storage = arr.storage
    if indices.storage.device is not storage.device:
        operands.refuse_devices("put_along_axis", arr, indices)
    if values.storage.device is not storage.device:
        operands.refuse_devices("put_along_axis", arr, values)
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        _MULTIPLY_ALONG_KERNEL(array, a0, a1, a2, at, storage.device)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e0 = edge(arr) if arr.base is not None else None if arr._stop else arr.node or accumulator(arr)
        e1 = (
            edge(indices)
            if indices.base is not None
            else None
            if indices._stop
            else indices.node or accumulator(indices)
        )
        e2 = edge(values) if values.base is not None else None if values._stop else values.node or accumulator(values)
        if e0 is not None or e1 is not None or e2 is not None:
            kept: tuple[Saved, ...] = ()
            if e2 is not None:
                kept += (save("arr", a0, arr.storage, e0),)
            if e0 is not None or e2 is not None:
                kept += (save("indices", a1, indices.storage, e1),)
            if e0 is not None or e2 is not None:
                kept += (save("values", a2, values.storage, e2),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = _MULTIPLY_ALONG, (e0, e1, e2), kept
            node.forms, node.facts = (form0, form1, form2), {"at": at}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "put_along_axis",
            "ordinary",
            (arr, indices, values),
            result,
            node,
            depends=dependence(_MULTIPLY_ALONG, {"arr": a0, "indices": a1, "values": a2, "at": at}, array.shape),
        )
    return result


def _multiply_along_(arr: Tensor, indices: Tensor, values: Any, at: Any, name: str | None = None) -> Tensor:
    """Multiply by `values` at the places that `indices` names on an axis."""
    if type(arr) is not Tensor:
        arr = operands.as_tensor("put_along_axis_", "arr", 0, arr)
    if type(indices) is not Tensor:
        indices = operands.as_tensor("put_along_axis_", "indices", 1, indices)
    if type(values) is not Tensor:
        values = operands.as_operand("put_along_axis_", "values", 2, values, arr)
    a0, form0 = arr.array, arr.form or known_form(arr)
    a1, form1 = indices.array, indices.form or known_form(indices)
    a2, form2 = values.array, values.form or known_form(values)
    storage, base = arr.storage, arr.base
    if base is not None:
        refresh(arr)
    if arr.overlaps:
        operands.refuse_self_overlap("put_along_axis_", arr)
    storage1 = indices.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("put_along_axis_", arr, indices)
    storage2 = values.storage
    if storage2.device is not storage.device:
        operands.refuse_devices("put_along_axis_", arr, values)
    if form0.kind not in "fiu":
        operands.check_dtype("put_along_axis_", "fiu", form0.dtype)
    _MULTIPLY_ALONG_VALIDATE(a0, a1, a2, at)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = (
            edge(indices)
            if indices.base is not None
            else None
            if indices._stop
            else indices.node or accumulator(indices)
        )
        e2 = edge(values) if values.base is not None else None if values._stop else values.node or accumulator(values)
        if not arr._stop or (base is not None and (not base._stop)) or e1 is not None or (e2 is not None):
            version = storage.version
            if base is not None or arr.node is None:
                check_leaf("put_along_axis_", arr)
            e0 = None if arr._stop else arr.node
            kept: tuple[Saved, ...] = ()
            if e2 is not None:
                kept += (save_copy("arr", a0, storage, e0),)
            if e0 is not None or e2 is not None:
                kept += (
                    save("indices", a1, storage1, e1)
                    if storage1 is not storage
                    else operands.save_operand("indices", indices, e1, arr),
                )
            if e0 is not None or e2 is not None:
                kept += (
                    save("values", a2, storage2, e2)
                    if storage2 is not storage
                    else operands.save_operand("values", values, e2, arr),
                )
            node = new_node(OpNode)
            node.row, node.edges, node.kept = _MULTIPLY_ALONG, (e0, e1, e2), UNFINISHED
            node.forms, node.facts = (form0, form1, form2), {"at": at}
            node.serial, node.hooks, node.retained = next_serial(), None, None
    touched = (
        slots_touched(_MULTIPLY_ALONG, arr, {"arr": a0, "indices": a1, "values": a2, "at": at})
        if mode.listeners
        else NOTHING
    )
    depends = (
        dependence(_MULTIPLY_ALONG, {"arr": a0, "indices": a1, "values": a2, "at": at}, a0.shape)
        if mode.listeners
        else None
    )
    try:
        if storage1 is storage:
            a1 = operands.copy_if_overlapping(arr, indices)
        if storage2 is storage:
            a2 = operands.copy_if_overlapping(arr, values)
        if mode.keeper is not None:
            mode.keeper.before_write(arr)
        if node is not None:
            if base is None:
                arr.node = node
                arr._stop = False
            else:
                rebase(arr, node)
        storage.version += 1
        if mode.keeper is not None:
            mode.keeper.after_write(storage)
        try:
            _MULTIPLY_ALONG_KERNEL(a0, a0, a1, a2, at, storage.device)
        except RuntimeWarning:
            pass
        storage.device.ledger.lent = 0
    except BaseException:
        storage.device.ledger.lent = 0
        raise
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("put_along_axis_", "in-place", (arr, indices, values), arr, node, **touched, depends=depends)
    return arr


# ---- _mean_along ---------------------------------------------------------------------------------

_MEAN_ALONG = chapter._MEAN_ALONG
_MEAN_ALONG_VALIDATE = chapter._check_put
_MEAN_ALONG_KERNEL = chapter._mean


def _mean_along(arr: Tensor, indices: Tensor, values: Any, at: Any, name: str | None = None) -> Tensor:
    """The mean of what `values` bring to the places that `indices` names on an axis."""
    if type(arr) is not Tensor:
        arr = operands.as_tensor("put_along_axis", "arr", 0, arr)
    if type(indices) is not Tensor:
        indices = operands.as_tensor("put_along_axis", "indices", 1, indices)
    if type(values) is not Tensor:
        values = operands.as_operand("put_along_axis", "values", 2, values, arr)
    a0, form0 = arr.array, arr.form or known_form(arr)
    a1, form1 = indices.array, indices.form or known_form(indices)
    a2, form2 = values.array, values.form or known_form(values)
    if form0.kind not in "fiu":
        operands.check_dtype("put_along_axis", "fiu", form0.dtype)
    _MEAN_ALONG_VALIDATE(a0, a1, a2, at)
    storage = arr.storage
    if indices.storage.device is not storage.device:
        operands.refuse_devices("put_along_axis", arr, indices)
    if values.storage.device is not storage.device:
        operands.refuse_devices("put_along_axis", arr, values)
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        _MEAN_ALONG_KERNEL(array, a0, a1, a2, at, storage.device)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e0 = edge(arr) if arr.base is not None else None if arr._stop else arr.node or accumulator(arr)
        e1 = (
            edge(indices)
            if indices.base is not None
            else None
            if indices._stop
            else indices.node or accumulator(indices)
        )
        e2 = edge(values) if values.base is not None else None if values._stop else values.node or accumulator(values)
        if e0 is not None or e1 is not None or e2 is not None:
            kept: tuple[Saved, ...] = ()
            if e0 is not None or e2 is not None:
                kept += (save("indices", a1, indices.storage, e1),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = _MEAN_ALONG, (e0, e1, e2), kept
            node.forms, node.facts = (form0, form1, form2), {"at": at}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "put_along_axis",
            "ordinary",
            (arr, indices, values),
            result,
            node,
            depends=dependence(_MEAN_ALONG, {"arr": a0, "indices": a1, "values": a2, "at": at}, array.shape),
        )
    return result


def _mean_along_(arr: Tensor, indices: Tensor, values: Any, at: Any, name: str | None = None) -> Tensor:
    """The mean of what `values` bring to the places that `indices` names on an axis."""
    if type(arr) is not Tensor:
        arr = operands.as_tensor("put_along_axis_", "arr", 0, arr)
    if type(indices) is not Tensor:
        indices = operands.as_tensor("put_along_axis_", "indices", 1, indices)
    if type(values) is not Tensor:
        values = operands.as_operand("put_along_axis_", "values", 2, values, arr)
    a0, form0 = arr.array, arr.form or known_form(arr)
    a1, form1 = indices.array, indices.form or known_form(indices)
    a2, form2 = values.array, values.form or known_form(values)
    storage, base = arr.storage, arr.base
    if base is not None:
        refresh(arr)
    if arr.overlaps:
        operands.refuse_self_overlap("put_along_axis_", arr)
    storage1 = indices.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("put_along_axis_", arr, indices)
    storage2 = values.storage
    if storage2.device is not storage.device:
        operands.refuse_devices("put_along_axis_", arr, values)
    if form0.kind not in "fiu":
        operands.check_dtype("put_along_axis_", "fiu", form0.dtype)
    _MEAN_ALONG_VALIDATE(a0, a1, a2, at)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = (
            edge(indices)
            if indices.base is not None
            else None
            if indices._stop
            else indices.node or accumulator(indices)
        )
        e2 = edge(values) if values.base is not None else None if values._stop else values.node or accumulator(values)
        if not arr._stop or (base is not None and (not base._stop)) or e1 is not None or (e2 is not None):
            version = storage.version
            if base is not None or arr.node is None:
                check_leaf("put_along_axis_", arr)
            e0 = None if arr._stop else arr.node
            kept: tuple[Saved, ...] = ()
            if e0 is not None or e2 is not None:
                kept += (
                    save("indices", a1, storage1, e1)
                    if storage1 is not storage
                    else operands.save_operand("indices", indices, e1, arr),
                )
            node = new_node(OpNode)
            node.row, node.edges, node.kept = _MEAN_ALONG, (e0, e1, e2), UNFINISHED
            node.forms, node.facts = (form0, form1, form2), {"at": at}
            node.serial, node.hooks, node.retained = next_serial(), None, None
    touched = (
        slots_touched(_MEAN_ALONG, arr, {"arr": a0, "indices": a1, "values": a2, "at": at})
        if mode.listeners
        else NOTHING
    )
    depends = (
        dependence(_MEAN_ALONG, {"arr": a0, "indices": a1, "values": a2, "at": at}, a0.shape)
        if mode.listeners
        else None
    )
    try:
        if storage1 is storage:
            a1 = operands.copy_if_overlapping(arr, indices)
        if storage2 is storage:
            a2 = operands.copy_if_overlapping(arr, values)
        if mode.keeper is not None:
            mode.keeper.before_write(arr)
        if node is not None:
            if base is None:
                arr.node = node
                arr._stop = False
            else:
                rebase(arr, node)
        storage.version += 1
        if mode.keeper is not None:
            mode.keeper.after_write(storage)
        try:
            _MEAN_ALONG_KERNEL(a0, a0, a1, a2, at, storage.device)
        except RuntimeWarning:
            pass
        storage.device.ledger.lent = 0
    except BaseException:
        storage.device.ledger.lent = 0
        raise
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("put_along_axis_", "in-place", (arr, indices, values), arr, node, **touched, depends=depends)
    return arr


# ---- _extreme_along ------------------------------------------------------------------------------

_EXTREME_ALONG = chapter._EXTREME_ALONG
_EXTREME_ALONG_VALIDATE = chapter._check_put
_EXTREME_ALONG_KERNEL = chapter._extreme


def _extreme_along(arr: Tensor, indices: Tensor, values: Any, at: Any, name: str | None = None) -> Tensor:
    """The largest, or smallest, of what `values` bring to the places that `indices` names on an axis."""
    if type(arr) is not Tensor:
        arr = operands.as_tensor("put_along_axis", "arr", 0, arr)
    if type(indices) is not Tensor:
        indices = operands.as_tensor("put_along_axis", "indices", 1, indices)
    if type(values) is not Tensor:
        values = operands.as_operand("put_along_axis", "values", 2, values, arr)
    a0, form0 = arr.array, arr.form or known_form(arr)
    a1, form1 = indices.array, indices.form or known_form(indices)
    a2, form2 = values.array, values.form or known_form(values)
    if form0.kind not in "fiu":
        operands.check_dtype("put_along_axis", "fiu", form0.dtype)
    _EXTREME_ALONG_VALIDATE(a0, a1, a2, at)
    storage = arr.storage
    if indices.storage.device is not storage.device:
        operands.refuse_devices("put_along_axis", arr, indices)
    if values.storage.device is not storage.device:
        operands.refuse_devices("put_along_axis", arr, values)
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        _EXTREME_ALONG_KERNEL(array, a0, a1, a2, at, storage.device)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e0 = edge(arr) if arr.base is not None else None if arr._stop else arr.node or accumulator(arr)
        e1 = (
            edge(indices)
            if indices.base is not None
            else None
            if indices._stop
            else indices.node or accumulator(indices)
        )
        e2 = edge(values) if values.base is not None else None if values._stop else values.node or accumulator(values)
        if e0 is not None or e1 is not None or e2 is not None:
            kept: tuple[Saved, ...] = ()
            if e0 is not None or e2 is not None:
                kept += (save("arr", a0, arr.storage, e0),)
            if e0 is not None or e2 is not None:
                kept += (save("indices", a1, indices.storage, e1),)
            if e0 is not None or e2 is not None:
                kept += (save("values", a2, values.storage, e2),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = _EXTREME_ALONG, (e0, e1, e2), kept
            node.forms, node.facts = (form0, form1, form2), {"at": at}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e0 is not None or e2 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify(
            "put_along_axis",
            "ordinary",
            (arr, indices, values),
            result,
            node,
            depends=dependence(_EXTREME_ALONG, {"arr": a0, "indices": a1, "values": a2, "at": at}, array.shape),
        )
    return result


def _extreme_along_(arr: Tensor, indices: Tensor, values: Any, at: Any, name: str | None = None) -> Tensor:
    """The largest, or smallest, of what `values` bring to the places that `indices` names on an axis."""
    if type(arr) is not Tensor:
        arr = operands.as_tensor("put_along_axis_", "arr", 0, arr)
    if type(indices) is not Tensor:
        indices = operands.as_tensor("put_along_axis_", "indices", 1, indices)
    if type(values) is not Tensor:
        values = operands.as_operand("put_along_axis_", "values", 2, values, arr)
    a0, form0 = arr.array, arr.form or known_form(arr)
    a1, form1 = indices.array, indices.form or known_form(indices)
    a2, form2 = values.array, values.form or known_form(values)
    storage, base = arr.storage, arr.base
    if base is not None:
        refresh(arr)
    if arr.overlaps:
        operands.refuse_self_overlap("put_along_axis_", arr)
    storage1 = indices.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("put_along_axis_", arr, indices)
    storage2 = values.storage
    if storage2.device is not storage.device:
        operands.refuse_devices("put_along_axis_", arr, values)
    if form0.kind not in "fiu":
        operands.check_dtype("put_along_axis_", "fiu", form0.dtype)
    _EXTREME_ALONG_VALIDATE(a0, a1, a2, at)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = (
            edge(indices)
            if indices.base is not None
            else None
            if indices._stop
            else indices.node or accumulator(indices)
        )
        e2 = edge(values) if values.base is not None else None if values._stop else values.node or accumulator(values)
        if not arr._stop or (base is not None and (not base._stop)) or e1 is not None or (e2 is not None):
            version = storage.version
            if base is not None or arr.node is None:
                check_leaf("put_along_axis_", arr)
            e0 = None if arr._stop else arr.node
            kept: tuple[Saved, ...] = ()
            if e0 is not None or e2 is not None:
                kept += (save_copy("arr", a0, storage, e0),)
            if e0 is not None or e2 is not None:
                kept += (
                    save("indices", a1, storage1, e1)
                    if storage1 is not storage
                    else operands.save_operand("indices", indices, e1, arr),
                )
            if e0 is not None or e2 is not None:
                kept += (
                    save("values", a2, storage2, e2)
                    if storage2 is not storage
                    else operands.save_operand("values", values, e2, arr),
                )
            node = new_node(OpNode)
            node.row, node.edges, node.kept = _EXTREME_ALONG, (e0, e1, e2), UNFINISHED
            node.forms, node.facts = (form0, form1, form2), {"at": at}
            node.serial, node.hooks, node.retained = next_serial(), None, None
    touched = (
        slots_touched(_EXTREME_ALONG, arr, {"arr": a0, "indices": a1, "values": a2, "at": at})
        if mode.listeners
        else NOTHING
    )
    depends = (
        dependence(_EXTREME_ALONG, {"arr": a0, "indices": a1, "values": a2, "at": at}, a0.shape)
        if mode.listeners
        else None
    )
    try:
        if storage1 is storage:
            a1 = operands.copy_if_overlapping(arr, indices)
        if storage2 is storage:
            a2 = operands.copy_if_overlapping(arr, values)
        if mode.keeper is not None:
            mode.keeper.before_write(arr)
        if node is not None:
            if base is None:
                arr.node = node
                arr._stop = False
            else:
                rebase(arr, node)
        storage.version += 1
        if mode.keeper is not None:
            mode.keeper.after_write(storage)
        try:
            _EXTREME_ALONG_KERNEL(a0, a0, a1, a2, at, storage.device)
        except RuntimeWarning:
            pass
        storage.device.ledger.lent = 0
    except BaseException:
        storage.device.ledger.lent = 0
        raise
    if node is not None:
        if e0 is not None or e2 is not None:
            kept += (save("out", a0, storage, OUTPUT),)
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("put_along_axis_", "in-place", (arr, indices, values), arr, node, **touched, depends=depends)
    return arr


# ---- scatter_add ---------------------------------------------------------------------------------

SCATTER_ADD = chapter.SCATTER_ADD
SCATTER_ADD_VALIDATE = chapter._check_added
SCATTER_ADD_KERNEL = chapter._scatter_add


def scatter_add(input: Tensor, dim: Any, index: Tensor, src: Tensor, name: str | None = None) -> Tensor:
    """Add each element of `src` at the position on `dim` that `index` gives."""
    if type(input) is not Tensor:
        input = operands.as_tensor("scatter_add", "input", 0, input)
    if type(index) is not Tensor:
        index = operands.as_tensor("scatter_add", "index", 1, index)
    if type(src) is not Tensor:
        src = operands.as_tensor("scatter_add", "src", 2, src)
    a0, form0 = input.array, input.form or known_form(input)
    a1, form1 = index.array, index.form or known_form(index)
    a2, form2 = src.array, src.form or known_form(src)
    if form0.kind not in "fiu":
        operands.check_dtype("scatter_add", "fiu", form0.dtype)
    SCATTER_ADD_VALIDATE(a0, a1, a2, dim)
    storage = input.storage
    if index.storage.device is not storage.device:
        operands.refuse_devices("scatter_add", input, index)
    if src.storage.device is not storage.device:
        operands.refuse_devices("scatter_add", input, src)
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        SCATTER_ADD_KERNEL(array, a0, a1, a2, dim, storage.device)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e0 = edge(input) if input.base is not None else None if input._stop else input.node or accumulator(input)
        e1 = edge(index) if index.base is not None else None if index._stop else index.node or accumulator(index)
        e2 = edge(src) if src.base is not None else None if src._stop else src.node or accumulator(src)
        if e0 is not None or e1 is not None or e2 is not None:
            kept: tuple[Saved, ...] = ()
            if e2 is not None:
                kept += (save("index", a1, index.storage, e1),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = SCATTER_ADD, (e0, e1, e2), kept
            node.forms, node.facts = (form0, form1, form2), {"dim": dim}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "scatter_add",
            "ordinary",
            (input, index, src),
            result,
            node,
            depends=dependence(SCATTER_ADD, {"input": a0, "index": a1, "src": a2, "dim": dim}, array.shape),
        )
    return result


def scatter_add_(input: Tensor, dim: Any, index: Tensor, src: Tensor, name: str | None = None) -> Tensor:
    """Add each element of `src` at the position on `dim` that `index` gives."""
    if type(input) is not Tensor:
        input = operands.as_tensor("scatter_add_", "input", 0, input)
    if type(index) is not Tensor:
        index = operands.as_tensor("scatter_add_", "index", 1, index)
    if type(src) is not Tensor:
        src = operands.as_tensor("scatter_add_", "src", 2, src)
    a0, form0 = input.array, input.form or known_form(input)
    a1, form1 = index.array, index.form or known_form(index)
    a2, form2 = src.array, src.form or known_form(src)
    storage, base = input.storage, input.base
    if base is not None:
        refresh(input)
    if input.overlaps:
        operands.refuse_self_overlap("scatter_add_", input)
    storage1 = index.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("scatter_add_", input, index)
    storage2 = src.storage
    if storage2.device is not storage.device:
        operands.refuse_devices("scatter_add_", input, src)
    if form0.kind not in "fiu":
        operands.check_dtype("scatter_add_", "fiu", form0.dtype)
    SCATTER_ADD_VALIDATE(a0, a1, a2, dim)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(index) if index.base is not None else None if index._stop else index.node or accumulator(index)
        e2 = edge(src) if src.base is not None else None if src._stop else src.node or accumulator(src)
        if not input._stop or (base is not None and (not base._stop)) or e1 is not None or (e2 is not None):
            version = storage.version
            if base is not None or input.node is None:
                check_leaf("scatter_add_", input)
            e0 = None if input._stop else input.node
            kept: tuple[Saved, ...] = ()
            if e2 is not None:
                kept += (
                    save("index", a1, storage1, e1)
                    if storage1 is not storage
                    else operands.save_operand("index", index, e1, input),
                )
            node = new_node(OpNode)
            node.row, node.edges, node.kept = SCATTER_ADD, (e0, e1, e2), UNFINISHED
            node.forms, node.facts = (form0, form1, form2), {"dim": dim}
            node.serial, node.hooks, node.retained = next_serial(), None, None
    touched = (
        slots_touched(SCATTER_ADD, input, {"input": a0, "index": a1, "src": a2, "dim": dim})
        if mode.listeners
        else NOTHING
    )
    depends = (
        dependence(SCATTER_ADD, {"input": a0, "index": a1, "src": a2, "dim": dim}, a0.shape) if mode.listeners else None
    )
    try:
        if storage1 is storage:
            a1 = operands.copy_if_overlapping(input, index)
        if storage2 is storage:
            a2 = operands.copy_if_overlapping(input, src)
        if mode.keeper is not None:
            mode.keeper.before_write(input)
        if node is not None:
            if base is None:
                input.node = node
                input._stop = False
            else:
                rebase(input, node)
        storage.version += 1
        if mode.keeper is not None:
            mode.keeper.after_write(storage)
        try:
            SCATTER_ADD_KERNEL(a0, a0, a1, a2, dim, storage.device)
        except RuntimeWarning:
            pass
        storage.device.ledger.lent = 0
    except BaseException:
        storage.device.ledger.lent = 0
        raise
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("scatter_add_", "in-place", (input, index, src), input, node, **touched, depends=depends)
    return input
