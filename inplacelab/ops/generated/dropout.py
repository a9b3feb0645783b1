"""The functions of the rows in `inplacelab/ops/dropout.py`.

Generated: `python -m inplacelab.ops.table.generate` writes this file. Do not edit it.
"""

from __future__ import annotations

from typing import Any

from inplacelab.autograd.history import accumulator, check_leaf, edge, rebase, refresh
from inplacelab.autograd.nodes import UNFINISHED, OpNode, new_node, next_serial
from inplacelab.autograd.saved import Saved, save
from inplacelab.layout import common_shape
from inplacelab.modes import current as current_modes
from inplacelab.ops import dropout as chapter
from inplacelab.ops.arguments import operands
from inplacelab.ops.results import destinations
from inplacelab.ops.results.kernel_tools import launcher
from inplacelab.ops.table.depends import dependence
from inplacelab.ops.table.row import required
from inplacelab.tensor import Tensor, fresh, known_form

# ---- dropout -------------------------------------------------------------------------------------

DROPOUT = chapter.DROPOUT
DROPOUT_DTYPE = required(DROPOUT.dtype)
DROPOUT_LAUNCHED_ORDINARY = launcher(DROPOUT, "ordinary")
DROPOUT_KERNEL = chapter._dropout
DROPOUT_LAUNCHED_IN_PLACE = launcher(DROPOUT, "in-place")


def dropout(x: Tensor, mask: Tensor, factor: Any = 1.0, name: str | None = None) -> Tensor:
    """`x` times `factor` where `mask` is true, 0 elsewhere."""
    if type(x) is not Tensor:
        x = operands.as_tensor("dropout", "x", 0, x)
    if type(mask) is not Tensor:
        mask = operands.as_tensor("dropout", "mask", 1, mask)
    a0, form0 = (x.array, x.form or known_form(x))
    a1, form1 = (mask.array, mask.form or known_form(mask))
    if form0.kind not in "f":
        operands.check_dtype("dropout", "f", form0.dtype)
    storage = x.storage
    if mask.storage.device is not storage.device:
        operands.refuse_devices("dropout", x, mask)
    form = None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("dropout", x, mask),
        DROPOUT_DTYPE(form0.dtype),
    )
    try:
        if not (storage.device.launches and DROPOUT_LAUNCHED_ORDINARY((x, mask), (a0, a1), array, factor=factor)):
            DROPOUT_KERNEL(array, a0, a1, factor, storage.device)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e0 = edge(x) if x.base is not None else None if x._stop else x.node or accumulator(x)
        e1 = edge(mask) if mask.base is not None else None if mask._stop else mask.node or accumulator(mask)
        if e0 is not None or e1 is not None:
            kept: tuple[Saved, ...] = ()
            if e0 is not None:
                kept += (save("mask", a1, mask.storage, e1),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (DROPOUT, (e0, e1), kept)
            node.forms, node.facts = ((form0, form1), {"factor": factor})
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify(
            "dropout",
            "ordinary",
            (x, mask),
            result,
            node,
            attributes={"factor": factor},
            depends=dependence(DROPOUT, {"x": a0, "mask": a1, "factor": factor}, array.shape),
        )
    return result


def dropout_(x: Tensor, mask: Tensor, factor: Any = 1.0, name: str | None = None) -> Tensor:
    """`x` times `factor` where `mask` is true, 0 elsewhere."""
    if type(x) is not Tensor:
        x = operands.as_tensor("dropout_", "x", 0, x)
    if type(mask) is not Tensor:
        mask = operands.as_tensor("dropout_", "mask", 1, mask)
    a0, form0 = (x.array, x.form or known_form(x))
    a1, form1 = (mask.array, mask.form or known_form(mask))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("dropout_", x)
    storage1 = mask.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("dropout_", x, mask)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("dropout_", x, mask)
    if storage1 is storage and mask is not x:
        operands.check_overlap("dropout_", x, mask)
    if form0.kind not in "f":
        operands.check_dtype("dropout_", "f", form0.dtype)
    dtype = DROPOUT_DTYPE(form0.dtype)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate(
            "dropout_",
            x,
            lambda: dropout(x=x, mask=mask, factor=factor),
            (mask,),
            lambda: dependence(DROPOUT, {"x": a0, "mask": a1, "factor": factor}, form0.shape),
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(mask) if mask.base is not None else None if mask._stop else mask.node or accumulator(mask)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("dropout_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            if e0 is not None:
                kept += (
                    save("mask", a1, storage1, e1)
                    if storage1 is not storage
                    else operands.save_operand("mask", mask, e1, x),
                )
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (DROPOUT, (e0, e1), UNFINISHED)
            node.forms, node.facts = ((form0, form1), {"factor": factor})
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
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
        if not (storage.device.launches and DROPOUT_LAUNCHED_IN_PLACE((x, mask), (a0, a1), factor=factor)):
            DROPOUT_KERNEL(a0, a0, a1, factor, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "dropout_",
            "in-place",
            (x, mask),
            x,
            node,
            attributes={"factor": factor},
            depends=dependence(DROPOUT, {"x": a0, "mask": a1, "factor": factor}, a0.shape),
        )
    return x
