"""The functions of the rows in `inplacelab/ops/indexing.py`.

Generated: `python -m inplacelab.ops.table.generate` writes this file. Do not edit it.
"""

from __future__ import annotations

from typing import Any

from inplacelab.autograd.history import accumulator, check_leaf, edge, rebase, refresh
from inplacelab.autograd.nodes import NOTHING, UNFINISHED, OpNode, new_node, next_serial
from inplacelab.autograd.saved import Saved, save
from inplacelab.layout import common_shape
from inplacelab.modes import current as current_modes
from inplacelab.ops import indexing as chapter
from inplacelab.ops.arguments import attributes, keywords, operands
from inplacelab.ops.arguments.keywords import ABSENT
from inplacelab.ops.results.kernel_tools import launcher
from inplacelab.ops.table.depends import dependence, slots_read, slots_touched
from inplacelab.ops.table.row import required
from inplacelab.tensor import Tensor, fresh, known_form

# ---- _take ---------------------------------------------------------------------------------------

_TAKE = chapter._TAKE
_TAKE_PREPARE_KEY = chapter.positions
_TAKE_SHAPE = required(_TAKE.shape)
_TAKE_KERNEL = chapter._take


def _take(x: Tensor, key: Any, name: str | None = None) -> Tensor:
    """The elements at the positions in `key`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("getitem", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage = x.storage
    key = _TAKE_PREPARE_KEY(a0, key)
    form = None
    array = storage.device.empty(_TAKE_SHAPE(key), form0.dtype)
    try:
        _TAKE_KERNEL(array, a0, key, storage.device)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e0 = edge(x) if x.base is not None else None if x._stop else x.node or accumulator(x)
        if e0 is not None:
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = _TAKE, (e0,), kept
            node.forms, node.facts = (form0,), {"key": key}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "getitem",
            "ordinary",
            (x,),
            result,
            node,
            read=slots_read(_TAKE, x, {"x": a0, "key": key}, array.shape),
            copied=0,
            depends=dependence(_TAKE, {"x": a0, "key": key}, array.shape),
        )
    return result


# ---- gather_nd -----------------------------------------------------------------------------------

GATHER_ND = chapter.GATHER_ND
GATHER_ND_VALIDATE = chapter._check_places
GATHER_ND_SHAPE = required(GATHER_ND.shape)
GATHER_ND_KERNEL = chapter._gather_nd


def gather_nd(x: Tensor, index: Tensor, name: str | None = None) -> Tensor:
    """The parts of `x` at the positions that the last axis of `index` holds: a copy."""
    if type(x) is not Tensor:
        x = operands.as_tensor("gather_nd", "x", 0, x)
    if type(index) is not Tensor:
        index = operands.as_tensor("gather_nd", "index", 1, index)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = index.array, index.form or known_form(index)
    if form0.kind not in "fiub":
        operands.check_dtype("gather_nd", "fiub", form0.dtype)
    GATHER_ND_VALIDATE(a0, a1)
    storage = x.storage
    if index.storage.device is not storage.device:
        operands.refuse_devices("gather_nd", x, index)
    form = None
    array = storage.device.empty(GATHER_ND_SHAPE(form0.shape, form1.shape), form0.dtype)
    try:
        GATHER_ND_KERNEL(array, a0, a1, storage.device)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e0 = edge(x) if x.base is not None else None if x._stop else x.node or accumulator(x)
        e1 = edge(index) if index.base is not None else None if index._stop else index.node or accumulator(index)
        if e0 is not None or e1 is not None:
            kept: tuple[Saved, ...] = ()
            if e0 is not None:
                kept += (save("index", a1, index.storage, e1),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = GATHER_ND, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "gather_nd",
            "ordinary",
            (x, index),
            result,
            node,
            read=slots_read(GATHER_ND, x, {"x": a0, "index": a1}, array.shape),
            copied=0,
            depends=dependence(GATHER_ND, {"x": a0, "index": a1}, array.shape),
        )
    return result


# ---- _put ----------------------------------------------------------------------------------------

_PUT = chapter._PUT
_PUT_PREPARE_KEY = chapter.positions
_PUT_KERNEL = chapter._put


def _put(x: Tensor, y: Tensor, key: Any, accumulate: Any = False, name: str | None = None) -> Tensor:
    """Write `y` at the positions in `key`, or add it there."""
    if type(x) is not Tensor:
        x = operands.as_tensor("setitem", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("setitem", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("setitem", x, y)
    key = _PUT_PREPARE_KEY(a0, key)
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        _PUT_KERNEL(array, a0, a1, key, accumulate, storage.device)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e0 = edge(x) if x.base is not None else None if x._stop else x.node or accumulator(x)
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if e0 is not None or e1 is not None:
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = _PUT, (e0, e1), kept
            node.forms, node.facts = (form0, form1), {"accumulate": accumulate, "key": key}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "setitem",
            "ordinary",
            (x, y),
            result,
            node,
            depends=dependence(_PUT, {"x": a0, "y": a1, "key": key, "accumulate": accumulate}, array.shape),
        )
    return result


def _put_(x: Tensor, y: Tensor, key: Any, accumulate: Any = False, name: str | None = None) -> Tensor:
    """Write `y` at the positions in `key`, or add it there."""
    if type(x) is not Tensor:
        x = operands.as_tensor("setitem", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("setitem", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("setitem", x)
    storage1 = y.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("setitem", x, y)
    key = _PUT_PREPARE_KEY(a0, key)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("setitem", x, setitem=True)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = _PUT, (e0, e1), UNFINISHED
            node.forms, node.facts = (form0, form1), {"accumulate": accumulate, "key": key}
            node.serial, node.hooks, node.retained = next_serial(), None, None
    touched = (
        slots_touched(_PUT, x, {"x": a0, "y": a1, "key": key, "accumulate": accumulate}) if mode.listeners else NOTHING
    )
    depends = (
        dependence(_PUT, {"x": a0, "y": a1, "key": key, "accumulate": accumulate}, a0.shape) if mode.listeners else None
    )
    try:
        if storage1 is storage:
            a1 = operands.copy_if_overlapping(x, y)
        if mode.keeper is not None:
            mode.keeper.before_write(x)
        if node is not None:
            if base is None:
                x.node = node
                x._stop = False
            else:
                rebase(x, node)
        storage.version += 1
        if mode.keeper is not None:
            mode.keeper.after_write(storage)
        try:
            _PUT_KERNEL(a0, a0, a1, key, accumulate, storage.device)
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
        mode.notify("setitem", "in-place", (x, y), x, node, **touched, depends=depends)
    return x


# ---- index_put -----------------------------------------------------------------------------------

INDEX_PUT = chapter.INDEX_PUT
INDEX_PUT_VALIDATE = chapter._check_put
INDEX_PUT_PREPARE_INDICES = chapter._indices
INDEX_PUT_SHAPE = chapter._shape_after_put
INDEX_PUT_KERNEL = chapter._index_put


def index_put(
    x: Tensor = ABSENT,
    indices: Any = ABSENT,
    value: Tensor = ABSENT,
    accumulate: Any = False,
    name: str | None = None,
    _: Any = ABSENT,
    input: Any = ABSENT,
    values: Any = ABSENT,
) -> Tensor:
    """Write `value` at the positions in `indices` (one tensor for each axis), or add it there."""
    if input is not _ or values is not _:
        keywords.check_named("index_put", 5, _)
        x = keywords.either("index_put", "x", x, "input", input)
        value = keywords.either("index_put", "value", value, "values", values)
    if indices is ABSENT:
        keywords.missing("index_put", "indices")
    if type(x) is not Tensor:
        x = operands.as_tensor("index_put", "x", 0, x)
    if type(value) is not Tensor:
        value = operands.as_tensor("index_put", "value", 1, value)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = value.array, value.form or known_form(value)
    INDEX_PUT_VALIDATE(a0, a1)
    storage = x.storage
    if value.storage.device is not storage.device:
        operands.refuse_devices("index_put", x, value)
    indices = INDEX_PUT_PREPARE_INDICES(a0, indices)
    form = None
    array = storage.device.empty(INDEX_PUT_SHAPE(form0.shape, indices, form1.shape), form0.dtype)
    try:
        INDEX_PUT_KERNEL(array, a0, indices, a1, accumulate, storage.device)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e0 = edge(x) if x.base is not None else None if x._stop else x.node or accumulator(x)
        e1 = edge(value) if value.base is not None else None if value._stop else value.node or accumulator(value)
        if e0 is not None or e1 is not None:
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = INDEX_PUT, (e0, e1), kept
            node.forms, node.facts = (form0, form1), {"accumulate": accumulate, "indices": indices}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "index_put",
            "ordinary",
            (x, value),
            result,
            node,
            depends=dependence(
                INDEX_PUT, {"x": a0, "value": a1, "indices": indices, "accumulate": accumulate}, array.shape
            ),
        )
    return result


def index_put_(
    x: Tensor = ABSENT,
    indices: Any = ABSENT,
    value: Tensor = ABSENT,
    accumulate: Any = False,
    name: str | None = None,
    _: Any = ABSENT,
    values: Any = ABSENT,
) -> Tensor:
    """Write `value` at the positions in `indices` (one tensor for each axis), or add it there."""
    if values is not _:
        keywords.check_named("index_put_", 5, _)
        value = keywords.either("index_put_", "value", value, "values", values)
    if indices is ABSENT:
        keywords.missing("index_put_", "indices")
    if type(x) is not Tensor:
        x = operands.as_tensor("index_put_", "x", 0, x)
    if type(value) is not Tensor:
        value = operands.as_tensor("index_put_", "value", 1, value)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = value.array, value.form or known_form(value)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("index_put_", x)
    storage1 = value.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("index_put_", x, value)
    INDEX_PUT_VALIDATE(a0, a1)
    indices = INDEX_PUT_PREPARE_INDICES(a0, indices)
    shape = INDEX_PUT_SHAPE(form0.shape, indices, form1.shape)
    if shape != form0.shape:
        operands.refuse_growth("index_put_", x, shape)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(value) if value.base is not None else None if value._stop else value.node or accumulator(value)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("index_put_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = INDEX_PUT, (e0, e1), UNFINISHED
            node.forms, node.facts = (form0, form1), {"accumulate": accumulate, "indices": indices}
            node.serial, node.hooks, node.retained = next_serial(), None, None
    touched = (
        slots_touched(INDEX_PUT, x, {"x": a0, "value": a1, "indices": indices, "accumulate": accumulate})
        if mode.listeners
        else NOTHING
    )
    depends = (
        dependence(INDEX_PUT, {"x": a0, "value": a1, "indices": indices, "accumulate": accumulate}, a0.shape)
        if mode.listeners
        else None
    )
    try:
        if storage1 is storage:
            a1 = operands.copy_if_overlapping(x, value)
        if mode.keeper is not None:
            mode.keeper.before_write(x)
        if node is not None:
            if base is None:
                x.node = node
                x._stop = False
            else:
                rebase(x, node)
        storage.version += 1
        if mode.keeper is not None:
            mode.keeper.after_write(storage)
        try:
            INDEX_PUT_KERNEL(a0, a0, indices, a1, accumulate, storage.device)
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
        mode.notify("index_put_", "in-place", (x, value), x, node, **touched, depends=depends)
    return x


# ---- fill ----------------------------------------------------------------------------------------

FILL = chapter.FILL
FILL_PREPARE_VALUE = attributes.number_for
FILL_LAUNCHED_IN_PLACE = launcher(FILL, "in-place")
FILL_KERNEL = chapter._fill


def fill_(x: Tensor, value: Any, name: str | None = None) -> Tensor:
    """Write one number into every element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("fill_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("fill_", x)
    value = FILL_PREPARE_VALUE(a0, value)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("fill_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = FILL, (e0,), UNFINISHED
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
    if mode.keeper is not None:
        mode.keeper.before_write(x)
    if node is not None:
        if base is None:
            x.node = node
            x._stop = False
        else:
            rebase(x, node)
    storage.version += 1
    if mode.keeper is not None:
        mode.keeper.after_write(storage)
    try:
        if not (storage.device.launches and FILL_LAUNCHED_IN_PLACE((x,), (a0,), value=value)):
            FILL_KERNEL(a0, value)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "fill_", "in-place", (x,), x, node, read=(), depends=dependence(FILL, {"x": a0, "value": value}, a0.shape)
        )
    return x


# ---- zero ----------------------------------------------------------------------------------------

ZERO = chapter.ZERO_ROW
ZERO_LAUNCHED_IN_PLACE = launcher(ZERO, "in-place")
ZERO_KERNEL = chapter._zero


def zero_(x: Tensor, name: str | None = None) -> Tensor:
    """Write zero into every element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("zero_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("zero_", x)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("zero_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = ZERO, (e0,), UNFINISHED
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
    if mode.keeper is not None:
        mode.keeper.before_write(x)
    if node is not None:
        if base is None:
            x.node = node
            x._stop = False
        else:
            rebase(x, node)
    storage.version += 1
    if mode.keeper is not None:
        mode.keeper.after_write(storage)
    try:
        if not (storage.device.launches and ZERO_LAUNCHED_IN_PLACE((x,), (a0,))):
            ZERO_KERNEL(a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("zero_", "in-place", (x,), x, node, read=(), depends=dependence(ZERO, {"x": a0}, a0.shape))
    return x


# ---- copy ----------------------------------------------------------------------------------------

COPY = chapter.COPY
COPY_VALIDATE = chapter._check_copy
COPY_LAUNCHED_IN_PLACE = launcher(COPY, "in-place")
COPY_KERNEL = chapter._copy


def copy_(x: Tensor, y: Tensor, blocking: Any = True, name: str | None = None) -> Tensor:
    """Write the elements of `y`, cast to the dtype of `x`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("copy_", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("copy_", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("copy_", x)
    storage1 = y.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("copy_", x, y)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("copy_", x, y)
    COPY_VALIDATE(a0, a1)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("copy_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = COPY, (e0, e1), UNFINISHED
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
    try:
        if storage1 is storage:
            a1 = operands.copy_if_overlapping(x, y)
        if mode.keeper is not None:
            mode.keeper.before_write(x)
        if node is not None:
            if base is None:
                x.node = node
                x._stop = False
            else:
                rebase(x, node)
        storage.version += 1
        if mode.keeper is not None:
            mode.keeper.after_write(storage)
        try:
            if not (storage.device.launches and COPY_LAUNCHED_IN_PLACE((x, y), (a0, a1))):
                COPY_KERNEL(a0, a1)
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
        mode.notify(
            "copy_",
            "in-place",
            (x, y),
            x,
            node,
            read=(),
            copied=1,
            depends=dependence(COPY, {"x": a0, "y": a1, "blocking": blocking}, a0.shape),
        )
    return x


# ---- setitem -------------------------------------------------------------------------------------

SETITEM = chapter.SETITEM
SETITEM_VALIDATE = chapter._check_set
SETITEM_LAUNCHED_IN_PLACE = launcher(SETITEM, "in-place")
SETITEM_KERNEL = chapter._copy


def setitem_(x: Tensor, y: Tensor, selected: Any = None, name: str | None = None) -> Tensor:
    """Write `y` into a part: `x[key] = y`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("setitem", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("setitem", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("setitem", x)
    storage1 = y.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("setitem", x, y)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("setitem", x, y)
    SETITEM_VALIDATE(a0, a1)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("setitem", x, setitem=True)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = SETITEM, (e0, e1), UNFINISHED
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
    try:
        if storage1 is storage:
            a1 = operands.copy_if_overlapping(x, y)
        if mode.keeper is not None:
            mode.keeper.before_write(x)
        if node is not None:
            if base is None:
                x.node = node
                x._stop = False
            else:
                rebase(x, node, selected)
        storage.version += 1
        if mode.keeper is not None:
            mode.keeper.after_write(storage)
        try:
            if not (storage.device.launches and SETITEM_LAUNCHED_IN_PLACE((x, y), (a0, a1))):
                SETITEM_KERNEL(a0, a1)
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
        mode.notify(
            "setitem",
            "in-place",
            (x, y),
            x,
            node,
            read=(),
            copied=1,
            depends=dependence(SETITEM, {"x": a0, "y": a1, "selected": selected}, a0.shape),
        )
    return x
