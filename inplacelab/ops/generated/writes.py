"""The functions of the rows in `inplacelab/ops/writes.py`.

Generated: `python -m inplacelab.ops.table.generate` writes this file. Do not edit it.
"""

from __future__ import annotations

from typing import Any

from inplacelab.autograd.history import accumulator, check_leaf, edge, rebase, refresh
from inplacelab.autograd.nodes import NOTHING, UNFINISHED, OpNode, new_node, next_serial
from inplacelab.autograd.saved import Saved
from inplacelab.layout import common_shape
from inplacelab.modes import current as current_modes
from inplacelab.ops import writes as chapter
from inplacelab.ops.arguments import attributes, operands
from inplacelab.ops.results.kernel_tools import launcher
from inplacelab.ops.table.depends import dependence
from inplacelab.tensor import Tensor, known_form

# ---- fill ----------------------------------------------------------------------------------------

FILL = chapter.FILL
FILL_PREPARE_VALUE = attributes.number_for
FILL_LAUNCHED_IN_PLACE = launcher(FILL, "in-place")
FILL_KERNEL = chapter._fill


def fill_(x: Tensor, value: Any, name: str | None = None) -> Tensor:
    """Write one number into every element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("fill_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
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
            node.row, node.edges, node.kept = (FILL, (e0,), UNFINISHED)
            node.forms, node.facts = ((form0,), NOTHING)
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
        if not (storage.device.launches and FILL_LAUNCHED_IN_PLACE((x,), (a0,), value=value)):
            FILL_KERNEL(a0, value)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "fill_",
            "in-place",
            (x,),
            x,
            node,
            read=(),
            attributes={"value": value},
            depends=dependence(FILL, {"x": a0, "value": value}, a0.shape),
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
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
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
            node.row, node.edges, node.kept = (ZERO, (e0,), UNFINISHED)
            node.forms, node.facts = ((form0,), NOTHING)
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
    a0, form0 = (x.array, x.form or known_form(x))
    a1, form1 = (y.array, y.form or known_form(y))
    storage, base = (x.storage, x.base)
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
            node.row, node.edges, node.kept = (COPY, (e0, e1), UNFINISHED)
            node.forms, node.facts = ((form0, form1), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
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
            attributes={"blocking": blocking},
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
    a0, form0 = (x.array, x.form or known_form(x))
    a1, form1 = (y.array, y.form or known_form(y))
    storage, base = (x.storage, x.base)
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
            node.row, node.edges, node.kept = (SETITEM, (e0, e1), UNFINISHED)
            node.forms, node.facts = ((form0, form1), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
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
            attributes={"selected": selected},
            depends=dependence(SETITEM, {"x": a0, "y": a1, "selected": selected}, a0.shape),
        )
    return x
