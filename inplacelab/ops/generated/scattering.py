"""The functions of the rows in `inplacelab/ops/scattering.py`.

Generated: `python -m inplacelab.ops.table.generate` writes this file. Do not edit it.
"""

from __future__ import annotations

from typing import Any

from inplacelab.autograd.history import accumulator, check_leaf, edge, rebase, refresh
from inplacelab.autograd.nodes import NOTHING, UNFINISHED, OpNode, new_node, next_serial
from inplacelab.autograd.saved import Saved, save
from inplacelab.modes import current as current_modes
from inplacelab.ops import scattering as chapter
from inplacelab.ops.arguments import attributes, keywords, operands
from inplacelab.ops.arguments.keywords import ABSENT
from inplacelab.ops.results import destinations
from inplacelab.ops.table.depends import dependence, slots_read, slots_touched
from inplacelab.ops.table.row import required
from inplacelab.tensor import Tensor, fresh, known_form

# ---- index_select --------------------------------------------------------------------------------

INDEX_SELECT = chapter.INDEX_SELECT
INDEX_SELECT_VALIDATE = chapter._check_select
INDEX_SELECT_PREPARE_AXIS = attributes.front_axis
INDEX_SELECT_SHAPE = required(INDEX_SELECT.shape)
INDEX_SELECT_KERNEL = chapter._select


def index_select(
    x: Tensor = ABSENT,
    index: Any = ABSENT,
    axis: Any = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
    dim: Any = ABSENT,
) -> Tensor:
    """The rows at the positions in `index`, along `axis`: a copy."""
    if input is not _ or dim is not _:
        keywords.check_named("index_select", 4, _)
        x = keywords.either("index_select", "x", x, "input", input)
        axis = keywords.either("index_select", "axis", axis, "dim", dim)
    if axis is _:
        axis = 0
    if type(index) is int:
        index, axis = axis, index
    if out is not None:
        return destinations.into(
            "index_select", out, (x, index), lambda: index_select(x=x, index=index, axis=axis, name=name)
        )
    if type(x) is not Tensor:
        x = operands.as_tensor("index_select", "x", 0, x)
    if type(index) is not Tensor:
        index = operands.as_tensor("index_select", "index", 1, index)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = index.array, index.form or known_form(index)
    INDEX_SELECT_VALIDATE(a0, a1, axis)
    storage = x.storage
    if index.storage.device is not storage.device:
        operands.refuse_devices("index_select", x, index)
    axis = INDEX_SELECT_PREPARE_AXIS(a0, axis)
    form = None
    array = storage.device.empty(INDEX_SELECT_SHAPE(form0.shape, form1.shape, axis), form0.dtype)
    try:
        INDEX_SELECT_KERNEL(array, a0, a1, axis, storage.device)
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
            node.row, node.edges, node.kept = INDEX_SELECT, (e0, e1), kept
            node.forms, node.facts = (form0, form1), {"axis": axis}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "index_select",
            "ordinary",
            (x, index),
            result,
            node,
            read=slots_read(INDEX_SELECT, x, {"x": a0, "index": a1, "axis": axis}, array.shape),
            copied=0,
            depends=dependence(INDEX_SELECT, {"x": a0, "index": a1, "axis": axis}, array.shape),
        )
    return result


# ---- gather --------------------------------------------------------------------------------------

GATHER = chapter.GATHER
GATHER_VALIDATE = chapter._check_gather
GATHER_PREPARE_AXIS = chapter._axis_given
GATHER_SHAPE = required(GATHER.shape)
GATHER_KERNEL = chapter._select


def gather(x: Tensor, index: Tensor, axis: Any = None, name: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The rows at the positions in `index`, along `axis`: a copy."""
    if out is not None:
        return destinations.into("gather", out, (x, index), lambda: gather(x=x, index=index, axis=axis, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("gather", "x", 0, x)
    if type(index) is not Tensor:
        index = operands.as_tensor("gather", "index", 1, index)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = index.array, index.form or known_form(index)
    GATHER_VALIDATE(a0, a1, axis)
    storage = x.storage
    if index.storage.device is not storage.device:
        operands.refuse_devices("gather", x, index)
    axis = GATHER_PREPARE_AXIS(a0, axis)
    form = None
    array = storage.device.empty(GATHER_SHAPE(form0.shape, form1.shape, axis), form0.dtype)
    try:
        GATHER_KERNEL(array, a0, a1, axis, storage.device)
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
            node.row, node.edges, node.kept = GATHER, (e0, e1), kept
            node.forms, node.facts = (form0, form1), {"axis": axis}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "gather",
            "ordinary",
            (x, index),
            result,
            node,
            read=slots_read(GATHER, x, {"x": a0, "index": a1, "axis": axis}, array.shape),
            copied=0,
            depends=dependence(GATHER, {"x": a0, "index": a1, "axis": axis}, array.shape),
        )
    return result


# ---- index_add -----------------------------------------------------------------------------------

INDEX_ADD = chapter.INDEX_ADD
INDEX_ADD_VALIDATE = chapter._check_add
INDEX_ADD_PREPARE_AXIS = attributes.front_axis
INDEX_ADD_PREPARE_ALPHA = attributes.plain_number
INDEX_ADD_KERNEL = chapter._index_add


def index_add(
    x: Tensor = ABSENT,
    index: Any = ABSENT,
    axis: Any = ABSENT,
    value: Tensor = ABSENT,
    alpha: Any = 1,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
    dim: Any = ABSENT,
    source: Any = ABSENT,
) -> Tensor:
    """Add the rows of `value` to those at the positions in `index`."""
    if input is not _ or dim is not _ or source is not _:
        keywords.check_named("index_add", 6, _)
        x = keywords.either("index_add", "x", x, "input", input)
        axis = keywords.either("index_add", "axis", axis, "dim", dim)
        value = keywords.either("index_add", "value", value, "source", source)
    if axis is ABSENT:
        keywords.missing("index_add", "axis")
    if type(index) is int:
        index, axis = axis, index
    if out is not None:
        return destinations.into(
            "index_add",
            out,
            (x, index, value),
            lambda: index_add(x=x, index=index, axis=axis, value=value, alpha=alpha, name=name),
        )
    if type(x) is not Tensor:
        x = operands.as_tensor("index_add", "x", 0, x)
    if type(index) is not Tensor:
        index = operands.as_tensor("index_add", "index", 1, index)
    if type(value) is not Tensor:
        value = operands.as_tensor("index_add", "value", 2, value)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = index.array, index.form or known_form(index)
    a2, form2 = value.array, value.form or known_form(value)
    if form0.kind not in "fiu":
        operands.check_dtype("index_add", "fiu", form0.dtype)
    INDEX_ADD_VALIDATE(a0, a1, axis, a2, alpha)
    storage = x.storage
    if index.storage.device is not storage.device:
        operands.refuse_devices("index_add", x, index)
    if value.storage.device is not storage.device:
        operands.refuse_devices("index_add", x, value)
    axis = INDEX_ADD_PREPARE_AXIS(a0, axis)
    alpha = INDEX_ADD_PREPARE_ALPHA(a0, alpha)
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        INDEX_ADD_KERNEL(array, a0, a1, axis, a2, alpha, storage.device)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e0 = edge(x) if x.base is not None else None if x._stop else x.node or accumulator(x)
        e1 = edge(index) if index.base is not None else None if index._stop else index.node or accumulator(index)
        e2 = edge(value) if value.base is not None else None if value._stop else value.node or accumulator(value)
        if e0 is not None or e1 is not None or e2 is not None:
            kept: tuple[Saved, ...] = ()
            if e2 is not None:
                kept += (save("index", a1, index.storage, e1),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = INDEX_ADD, (e0, e1, e2), kept
            node.forms, node.facts = (form0, form1, form2), {"alpha": alpha, "axis": axis}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "index_add",
            "ordinary",
            (x, index, value),
            result,
            node,
            depends=dependence(
                INDEX_ADD, {"x": a0, "index": a1, "value": a2, "axis": axis, "alpha": alpha}, array.shape
            ),
        )
    return result


def index_add_(
    x: Tensor = ABSENT,
    index: Any = ABSENT,
    axis: Any = ABSENT,
    value: Tensor = ABSENT,
    alpha: Any = 1,
    name: str | None = None,
    _: Any = ABSENT,
    input: Any = ABSENT,
    dim: Any = ABSENT,
    source: Any = ABSENT,
) -> Tensor:
    """Add the rows of `value` to those at the positions in `index`."""
    if input is not _ or dim is not _ or source is not _:
        keywords.check_named("index_add_", 6, _)
        x = keywords.either("index_add_", "x", x, "input", input)
        axis = keywords.either("index_add_", "axis", axis, "dim", dim)
        value = keywords.either("index_add_", "value", value, "source", source)
    if axis is ABSENT:
        keywords.missing("index_add_", "axis")
    if type(index) is int:
        index, axis = axis, index
    if type(x) is not Tensor:
        x = operands.as_tensor("index_add_", "x", 0, x)
    if type(index) is not Tensor:
        index = operands.as_tensor("index_add_", "index", 1, index)
    if type(value) is not Tensor:
        value = operands.as_tensor("index_add_", "value", 2, value)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = index.array, index.form or known_form(index)
    a2, form2 = value.array, value.form or known_form(value)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("index_add_", x)
    storage1 = index.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("index_add_", x, index)
    storage2 = value.storage
    if storage2.device is not storage.device:
        operands.refuse_devices("index_add_", x, value)
    if form0.kind not in "fiu":
        operands.check_dtype("index_add_", "fiu", form0.dtype)
    INDEX_ADD_VALIDATE(a0, a1, axis, a2, alpha)
    axis = INDEX_ADD_PREPARE_AXIS(a0, axis)
    alpha = INDEX_ADD_PREPARE_ALPHA(a0, alpha)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(index) if index.base is not None else None if index._stop else index.node or accumulator(index)
        e2 = edge(value) if value.base is not None else None if value._stop else value.node or accumulator(value)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None or (e2 is not None):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("index_add_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            if e2 is not None:
                kept += (
                    save("index", a1, storage1, e1)
                    if storage1 is not storage
                    else operands.save_operand("index", index, e1, x),
                )
            node = new_node(OpNode)
            node.row, node.edges, node.kept = INDEX_ADD, (e0, e1, e2), UNFINISHED
            node.forms, node.facts = (form0, form1, form2), {"alpha": alpha, "axis": axis}
            node.serial, node.hooks, node.retained = next_serial(), None, None
    touched = (
        slots_touched(INDEX_ADD, x, {"x": a0, "index": a1, "value": a2, "axis": axis, "alpha": alpha})
        if mode.listeners
        else NOTHING
    )
    depends = (
        dependence(INDEX_ADD, {"x": a0, "index": a1, "value": a2, "axis": axis, "alpha": alpha}, a0.shape)
        if mode.listeners
        else None
    )
    try:
        if storage1 is storage:
            a1 = operands.copy_if_overlapping(x, index)
        if storage2 is storage:
            a2 = operands.copy_if_overlapping(x, value)
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
            INDEX_ADD_KERNEL(a0, a0, a1, axis, a2, alpha, storage.device)
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
        mode.notify("index_add_", "in-place", (x, index, value), x, node, **touched, depends=depends)
    return x


# ---- index_fill ----------------------------------------------------------------------------------

INDEX_FILL = chapter.INDEX_FILL
INDEX_FILL_VALIDATE = chapter._check_fill
INDEX_FILL_PREPARE_AXIS = attributes.front_axis
INDEX_FILL_KERNEL = chapter._index_fill


def index_fill(x: Tensor, index: Tensor, axis: Any, value: Any, name: str | None = None) -> Tensor:
    """Write one number into the rows at the positions in `index`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("index_fill", "x", 0, x)
    if type(index) is not Tensor:
        index = operands.as_tensor("index_fill", "index", 1, index)
    if type(value) is not Tensor:
        value = operands.as_operand("index_fill", "value", 2, value, x)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = index.array, index.form or known_form(index)
    a2, form2 = value.array, value.form or known_form(value)
    INDEX_FILL_VALIDATE(a0, a1, axis, a2)
    storage = x.storage
    if index.storage.device is not storage.device:
        operands.refuse_devices("index_fill", x, index)
    if value.storage.device is not storage.device:
        operands.refuse_devices("index_fill", x, value)
    axis = INDEX_FILL_PREPARE_AXIS(a0, axis)
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        INDEX_FILL_KERNEL(array, a0, a1, axis, a2, storage.device)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e0 = edge(x) if x.base is not None else None if x._stop else x.node or accumulator(x)
        e1 = edge(index) if index.base is not None else None if index._stop else index.node or accumulator(index)
        e2 = edge(value) if value.base is not None else None if value._stop else value.node or accumulator(value)
        if e0 is not None or e1 is not None or e2 is not None:
            kept: tuple[Saved, ...] = ()
            if e0 is not None or e2 is not None:
                kept += (save("index", a1, index.storage, e1),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = INDEX_FILL, (e0, e1, e2), kept
            node.forms, node.facts = (form0, form1, form2), {"axis": axis}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "index_fill",
            "ordinary",
            (x, index, value),
            result,
            node,
            depends=dependence(INDEX_FILL, {"x": a0, "index": a1, "value": a2, "axis": axis}, array.shape),
        )
    return result


def index_fill_(x: Tensor, index: Tensor, axis: Any, value: Any, name: str | None = None) -> Tensor:
    """Write one number into the rows at the positions in `index`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("index_fill_", "x", 0, x)
    if type(index) is not Tensor:
        index = operands.as_tensor("index_fill_", "index", 1, index)
    if type(value) is not Tensor:
        value = operands.as_operand("index_fill_", "value", 2, value, x)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = index.array, index.form or known_form(index)
    a2, form2 = value.array, value.form or known_form(value)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("index_fill_", x)
    storage1 = index.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("index_fill_", x, index)
    storage2 = value.storage
    if storage2.device is not storage.device:
        operands.refuse_devices("index_fill_", x, value)
    INDEX_FILL_VALIDATE(a0, a1, axis, a2)
    axis = INDEX_FILL_PREPARE_AXIS(a0, axis)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(index) if index.base is not None else None if index._stop else index.node or accumulator(index)
        e2 = edge(value) if value.base is not None else None if value._stop else value.node or accumulator(value)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None or (e2 is not None):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("index_fill_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            if e0 is not None or e2 is not None:
                kept += (
                    save("index", a1, storage1, e1)
                    if storage1 is not storage
                    else operands.save_operand("index", index, e1, x),
                )
            node = new_node(OpNode)
            node.row, node.edges, node.kept = INDEX_FILL, (e0, e1, e2), UNFINISHED
            node.forms, node.facts = (form0, form1, form2), {"axis": axis}
            node.serial, node.hooks, node.retained = next_serial(), None, None
    touched = (
        slots_touched(INDEX_FILL, x, {"x": a0, "index": a1, "value": a2, "axis": axis}) if mode.listeners else NOTHING
    )
    depends = (
        dependence(INDEX_FILL, {"x": a0, "index": a1, "value": a2, "axis": axis}, a0.shape) if mode.listeners else None
    )
    try:
        if storage1 is storage:
            a1 = operands.copy_if_overlapping(x, index)
        if storage2 is storage:
            a2 = operands.copy_if_overlapping(x, value)
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
            INDEX_FILL_KERNEL(a0, a0, a1, axis, a2, storage.device)
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
        mode.notify("index_fill_", "in-place", (x, index, value), x, node, **touched, depends=depends)
    return x


# ---- scatter -------------------------------------------------------------------------------------

SCATTER = chapter.SCATTER
SCATTER_VALIDATE = chapter._check_scatter
SCATTER_KERNEL = chapter._scatter


def scatter(
    x: Tensor,
    index: Tensor,
    updates: Tensor,
    overwrite: Any = True,
    name: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Write the rows of `updates` at the positions in `index`; with `overwrite=False`, zero these rows first and add."""
    if out is not None:
        return destinations.into(
            "scatter",
            out,
            (x, index, updates),
            lambda: scatter(x=x, index=index, updates=updates, overwrite=overwrite, name=name),
        )
    if type(x) is not Tensor:
        x = operands.as_tensor("scatter", "x", 0, x)
    if type(index) is not Tensor:
        index = operands.as_tensor("scatter", "index", 1, index)
    if type(updates) is not Tensor:
        updates = operands.as_tensor("scatter", "updates", 2, updates)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = index.array, index.form or known_form(index)
    a2, form2 = updates.array, updates.form or known_form(updates)
    if form0.kind not in "fiu":
        operands.check_dtype("scatter", "fiu", form0.dtype)
    SCATTER_VALIDATE(a0, a1, a2)
    storage = x.storage
    if index.storage.device is not storage.device:
        operands.refuse_devices("scatter", x, index)
    if updates.storage.device is not storage.device:
        operands.refuse_devices("scatter", x, updates)
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        SCATTER_KERNEL(array, a0, a1, a2, overwrite, storage.device)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e0 = edge(x) if x.base is not None else None if x._stop else x.node or accumulator(x)
        e1 = edge(index) if index.base is not None else None if index._stop else index.node or accumulator(index)
        e2 = (
            edge(updates)
            if updates.base is not None
            else None
            if updates._stop
            else updates.node or accumulator(updates)
        )
        if e0 is not None or e1 is not None or e2 is not None:
            kept: tuple[Saved, ...] = ()
            if e0 is not None or e2 is not None:
                kept += (save("index", a1, index.storage, e1),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = SCATTER, (e0, e1, e2), kept
            node.forms, node.facts = (form0, form1, form2), {"overwrite": overwrite}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "scatter",
            "ordinary",
            (x, index, updates),
            result,
            node,
            depends=dependence(SCATTER, {"x": a0, "index": a1, "updates": a2, "overwrite": overwrite}, array.shape),
        )
    return result


def scatter_(x: Tensor, index: Tensor, updates: Tensor, overwrite: Any = True, name: str | None = None) -> Tensor:
    """Write the rows of `updates` at the positions in `index`; with `overwrite=False`, zero these rows first and add."""
    if type(x) is not Tensor:
        x = operands.as_tensor("scatter_", "x", 0, x)
    if type(index) is not Tensor:
        index = operands.as_tensor("scatter_", "index", 1, index)
    if type(updates) is not Tensor:
        updates = operands.as_tensor("scatter_", "updates", 2, updates)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = index.array, index.form or known_form(index)
    a2, form2 = updates.array, updates.form or known_form(updates)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("scatter_", x)
    storage1 = index.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("scatter_", x, index)
    storage2 = updates.storage
    if storage2.device is not storage.device:
        operands.refuse_devices("scatter_", x, updates)
    if form0.kind not in "fiu":
        operands.check_dtype("scatter_", "fiu", form0.dtype)
    SCATTER_VALIDATE(a0, a1, a2)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(index) if index.base is not None else None if index._stop else index.node or accumulator(index)
        e2 = (
            edge(updates)
            if updates.base is not None
            else None
            if updates._stop
            else updates.node or accumulator(updates)
        )
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None or (e2 is not None):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("scatter_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            if e0 is not None or e2 is not None:
                kept += (
                    save("index", a1, storage1, e1)
                    if storage1 is not storage
                    else operands.save_operand("index", index, e1, x),
                )
            node = new_node(OpNode)
            node.row, node.edges, node.kept = SCATTER, (e0, e1, e2), UNFINISHED
            node.forms, node.facts = (form0, form1, form2), {"overwrite": overwrite}
            node.serial, node.hooks, node.retained = next_serial(), None, None
    touched = (
        slots_touched(SCATTER, x, {"x": a0, "index": a1, "updates": a2, "overwrite": overwrite})
        if mode.listeners
        else NOTHING
    )
    depends = (
        dependence(SCATTER, {"x": a0, "index": a1, "updates": a2, "overwrite": overwrite}, a0.shape)
        if mode.listeners
        else None
    )
    try:
        if storage1 is storage:
            a1 = operands.copy_if_overlapping(x, index)
        if storage2 is storage:
            a2 = operands.copy_if_overlapping(x, updates)
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
            SCATTER_KERNEL(a0, a0, a1, a2, overwrite, storage.device)
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
        mode.notify("scatter_", "in-place", (x, index, updates), x, node, **touched, depends=depends)
    return x
