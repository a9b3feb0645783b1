"""The functions of the rows in `inplacelab/ops/masking.py`.

Generated: `python -m inplacelab.ops.table.generate` writes this file. Do not edit it.
"""

from __future__ import annotations

from typing import Any

from inplacelab.autograd.history import accumulator, check_leaf, edge, rebase, refresh
from inplacelab.autograd.nodes import NOTHING, UNFINISHED, OpNode, new_node, next_serial
from inplacelab.autograd.saved import Saved, save
from inplacelab.layout import common_shape
from inplacelab.modes import current as current_modes
from inplacelab.ops import masking as chapter
from inplacelab.ops.arguments import operands
from inplacelab.ops.results import touched_slots
from inplacelab.ops.results.kernel_tools import launcher
from inplacelab.ops.table.depends import dependence
from inplacelab.ops.table.row import required
from inplacelab.tensor import Tensor, fresh, known_form

# ---- masked_fill ---------------------------------------------------------------------------------

MASKED_FILL = chapter.MASKED_FILL
MASKED_FILL_VALIDATE = chapter._check_value
MASKED_FILL_LAUNCHED_ORDINARY = launcher(MASKED_FILL, "ordinary")
MASKED_FILL_KERNEL = chapter._masked_fill
MASKED_FILL_LAUNCHED_IN_PLACE = launcher(MASKED_FILL, "in-place")


def masked_fill(x: Tensor, mask: Tensor, value: Any, name: str | None = None) -> Tensor:
    """Write `value` where the mask is true."""
    if type(x) is not Tensor:
        x = operands.as_tensor("masked_fill", "x", 0, x)
    if type(mask) is not Tensor:
        mask = operands.as_tensor("masked_fill", "mask", 1, mask)
    if type(value) is not Tensor:
        value = operands.as_operand("masked_fill", "value", 2, value, x)
    a0, form0 = (x.array, x.form or known_form(x))
    a1, form1 = (mask.array, mask.form or known_form(mask))
    a2, form2 = (value.array, value.form or known_form(value))
    MASKED_FILL_VALIDATE(a0, a2)
    storage = x.storage
    if mask.storage.device is not storage.device:
        operands.refuse_devices("masked_fill", x, mask)
    if value.storage.device is not storage.device:
        operands.refuse_devices("masked_fill", x, value)
    form = form0 if form1 is form0 and form2 is form0 else None
    array = storage.device.empty(
        form0.shape if form0.shape == form1.shape == form2.shape else operands.broadcast("masked_fill", x, mask, value),
        form0.dtype,
    )
    try:
        if not (storage.device.launches and MASKED_FILL_LAUNCHED_ORDINARY((x, mask, value), (a0, a1, a2), array)):
            MASKED_FILL_KERNEL(array, a0, a1, a2, storage.device)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e0 = edge(x) if x.base is not None else None if x._stop else x.node or accumulator(x)
        e1 = edge(mask) if mask.base is not None else None if mask._stop else mask.node or accumulator(mask)
        e2 = edge(value) if value.base is not None else None if value._stop else value.node or accumulator(value)
        if e0 is not None or e1 is not None or e2 is not None:
            kept: tuple[Saved, ...] = ()
            if e0 is not None or e2 is not None:
                kept += (save("mask", a1, mask.storage, e1),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (MASKED_FILL, (e0, e1, e2), kept)
            node.forms, node.facts = ((form0, form1, form2), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify(
            "masked_fill",
            "ordinary",
            (x, mask, value),
            result,
            node,
            depends=dependence(MASKED_FILL, {"x": a0, "mask": a1, "value": a2}, array.shape),
        )
    return result


def masked_fill_(x: Tensor, mask: Tensor, value: Any, name: str | None = None) -> Tensor:
    """Write `value` where the mask is true."""
    if type(x) is not Tensor:
        x = operands.as_tensor("masked_fill_", "x", 0, x)
    if type(mask) is not Tensor:
        mask = operands.as_tensor("masked_fill_", "mask", 1, mask)
    if type(value) is not Tensor:
        value = operands.as_operand("masked_fill_", "value", 2, value, x)
    a0, form0 = (x.array, x.form or known_form(x))
    a1, form1 = (mask.array, mask.form or known_form(mask))
    a2, form2 = (value.array, value.form or known_form(value))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("masked_fill_", x)
    storage1 = mask.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("masked_fill_", x, mask)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("masked_fill_", x, mask)
    if storage1 is storage and mask is not x:
        operands.check_overlap("masked_fill_", x, mask)
    storage2 = value.storage
    if storage2.device is not storage.device:
        operands.refuse_devices("masked_fill_", x, value)
    if form2 is not form0 and form2.shape != form0.shape and (common_shape(form0.shape, form2.shape) != form0.shape):
        operands.refuse_shape("masked_fill_", x, value)
    if storage2 is storage and value is not x:
        operands.check_overlap("masked_fill_", x, value)
    MASKED_FILL_VALIDATE(a0, a2)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(mask) if mask.base is not None else None if mask._stop else mask.node or accumulator(mask)
        e2 = edge(value) if value.base is not None else None if value._stop else value.node or accumulator(value)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None or (e2 is not None):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("masked_fill_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            if e0 is not None or e2 is not None:
                kept += (
                    save("mask", a1, storage1, e1)
                    if storage1 is not storage
                    else operands.save_operand("mask", mask, e1, x),
                )
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (MASKED_FILL, (e0, e1, e2), UNFINISHED)
            node.forms, node.facts = ((form0, form1, form2), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
    touched = touched_slots.in_place(MASKED_FILL, x, {"x": a0, "mask": a1, "value": a2}) if mode.listeners else NOTHING
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
        if not (storage.device.launches and MASKED_FILL_LAUNCHED_IN_PLACE((x, mask, value), (a0, a1, a2))):
            MASKED_FILL_KERNEL(a0, a0, a1, a2, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "masked_fill_",
            "in-place",
            (x, mask, value),
            x,
            node,
            **touched,
            depends=dependence(MASKED_FILL, {"x": a0, "mask": a1, "value": a2}, a0.shape),
        )
    return x


# ---- masked_scatter ------------------------------------------------------------------------------

MASKED_SCATTER = chapter.MASKED_SCATTER
MASKED_SCATTER_VALIDATE = chapter._check_scatter
MASKED_SCATTER_SHAPE = required(MASKED_SCATTER.shape)
MASKED_SCATTER_KERNEL = chapter._masked_scatter


def masked_scatter(x: Tensor, mask: Tensor, value: Tensor, name: str | None = None) -> Tensor:
    """Write the elements of `value`, one after the other, where the mask is true."""
    if type(x) is not Tensor:
        x = operands.as_tensor("masked_scatter", "x", 0, x)
    if type(mask) is not Tensor:
        mask = operands.as_tensor("masked_scatter", "mask", 1, mask)
    if type(value) is not Tensor:
        value = operands.as_tensor("masked_scatter", "value", 2, value)
    a0, form0 = (x.array, x.form or known_form(x))
    a1, form1 = (mask.array, mask.form or known_form(mask))
    a2, form2 = (value.array, value.form or known_form(value))
    MASKED_SCATTER_VALIDATE(a0, a1, a2)
    storage = x.storage
    if mask.storage.device is not storage.device:
        operands.refuse_devices("masked_scatter", x, mask)
    if value.storage.device is not storage.device:
        operands.refuse_devices("masked_scatter", x, value)
    form = None
    array = storage.device.empty(MASKED_SCATTER_SHAPE(form0.shape, form1.shape), form0.dtype)
    try:
        MASKED_SCATTER_KERNEL(array, a0, a1, a2, storage.device)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e0 = edge(x) if x.base is not None else None if x._stop else x.node or accumulator(x)
        e1 = edge(mask) if mask.base is not None else None if mask._stop else mask.node or accumulator(mask)
        e2 = edge(value) if value.base is not None else None if value._stop else value.node or accumulator(value)
        if e0 is not None or e1 is not None or e2 is not None:
            kept: tuple[Saved, ...] = ()
            if e0 is not None or e2 is not None:
                kept += (save("mask", a1, mask.storage, e1),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (MASKED_SCATTER, (e0, e1, e2), kept)
            node.forms, node.facts = ((form0, form1, form2), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify(
            "masked_scatter",
            "ordinary",
            (x, mask, value),
            result,
            node,
            depends=dependence(MASKED_SCATTER, {"x": a0, "mask": a1, "value": a2}, array.shape),
        )
    return result


def masked_scatter_(x: Tensor, mask: Tensor, value: Tensor, name: str | None = None) -> Tensor:
    """Write the elements of `value`, one after the other, where the mask is true."""
    if type(x) is not Tensor:
        x = operands.as_tensor("masked_scatter_", "x", 0, x)
    if type(mask) is not Tensor:
        mask = operands.as_tensor("masked_scatter_", "mask", 1, mask)
    if type(value) is not Tensor:
        value = operands.as_tensor("masked_scatter_", "value", 2, value)
    a0, form0 = (x.array, x.form or known_form(x))
    a1, form1 = (mask.array, mask.form or known_form(mask))
    a2, form2 = (value.array, value.form or known_form(value))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("masked_scatter_", x)
    storage1 = mask.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("masked_scatter_", x, mask)
    storage2 = value.storage
    if storage2.device is not storage.device:
        operands.refuse_devices("masked_scatter_", x, value)
    MASKED_SCATTER_VALIDATE(a0, a1, a2)
    shape = MASKED_SCATTER_SHAPE(form0.shape, form1.shape)
    if shape != form0.shape:
        operands.refuse_growth("masked_scatter_", x, shape)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(mask) if mask.base is not None else None if mask._stop else mask.node or accumulator(mask)
        e2 = edge(value) if value.base is not None else None if value._stop else value.node or accumulator(value)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None or (e2 is not None):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("masked_scatter_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            if e0 is not None or e2 is not None:
                kept += (
                    save("mask", a1, storage1, e1)
                    if storage1 is not storage
                    else operands.save_operand("mask", mask, e1, x),
                )
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (MASKED_SCATTER, (e0, e1, e2), UNFINISHED)
            node.forms, node.facts = ((form0, form1, form2), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
    touched = (
        touched_slots.in_place(MASKED_SCATTER, x, {"x": a0, "mask": a1, "value": a2}) if mode.listeners else NOTHING
    )
    depends = dependence(MASKED_SCATTER, {"x": a0, "mask": a1, "value": a2}, a0.shape) if mode.listeners else None
    try:
        if storage1 is storage:
            a1 = operands.copy_if_overlapping(x, mask)
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
            MASKED_SCATTER_KERNEL(a0, a0, a1, a2, storage.device)
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
        mode.notify("masked_scatter_", "in-place", (x, mask, value), x, node, **touched, depends=depends)
    return x
