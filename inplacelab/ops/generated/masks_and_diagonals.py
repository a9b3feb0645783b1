"""The functions of the rows in `inplacelab/ops/masks_and_diagonals.py`.

Generated: `python -m inplacelab.ops.table.generate` writes this file. Do not edit it.
"""

from __future__ import annotations

from typing import Any

from inplacelab.autograd.history import accumulator, check_leaf, edge, rebase, refresh
from inplacelab.autograd.nodes import NOTHING, UNFINISHED, OpNode, new_node, next_serial
from inplacelab.autograd.saved import Saved, save
from inplacelab.layout import common_shape
from inplacelab.modes import current as current_modes
from inplacelab.ops import masks_and_diagonals as chapter
from inplacelab.ops.arguments import attributes, keywords, operands
from inplacelab.ops.arguments.keywords import ABSENT
from inplacelab.ops.results import destinations
from inplacelab.ops.results.kernel_tools import launcher
from inplacelab.ops.table.depends import dependence, slots_touched
from inplacelab.ops.table.row import required
from inplacelab.tensor import Tensor, fresh, known_form

# ---- tril ----------------------------------------------------------------------------------------

TRIL = chapter.TRIL
TRIL_VALIDATE = chapter._check_matrix
TRIL_PREPARE_DIAGONAL = chapter._whole_number
TRIL_KERNEL = chapter._tril


def tril(
    x: Tensor = ABSENT,
    diagonal: Any = 0,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
) -> Tensor:
    """Keep the elements on and below a diagonal; the others become zero."""
    if input is not _:
        keywords.check_named("tril", 3, _)
        x = keywords.either("tril", "x", x, "input", input)
    if out is not None:
        return destinations.into("tril", out, (x,), lambda: tril(x=x, diagonal=diagonal, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("tril", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    TRIL_VALIDATE(a0)
    storage = x.storage
    diagonal = TRIL_PREPARE_DIAGONAL(a0, diagonal)
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        TRIL_KERNEL(array, a0, diagonal, storage.device)
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
            node.row, node.edges, node.kept = TRIL, (e0,), kept
            node.forms, node.facts = (form0,), {"diagonal": diagonal}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "tril",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(TRIL, {"x": a0, "diagonal": diagonal}, array.shape),
        )
    return result


def tril_(x: Tensor, diagonal: Any = 0, name: str | None = None) -> Tensor:
    """Keep the elements on and below a diagonal; the others become zero."""
    if type(x) is not Tensor:
        x = operands.as_tensor("tril_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("tril_", x)
    TRIL_VALIDATE(a0)
    diagonal = TRIL_PREPARE_DIAGONAL(a0, diagonal)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("tril_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = TRIL, (e0,), UNFINISHED
            node.forms, node.facts = (form0,), {"diagonal": diagonal}
            node.serial, node.hooks, node.retained = next_serial(), None, None
    touched = slots_touched(TRIL, x, {"x": a0, "diagonal": diagonal}) if mode.listeners else NOTHING
    depends = dependence(TRIL, {"x": a0, "diagonal": diagonal}, a0.shape) if mode.listeners else None
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
        TRIL_KERNEL(a0, a0, diagonal, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("tril_", "in-place", (x,), x, node, **touched, depends=depends)
    return x


# ---- triu ----------------------------------------------------------------------------------------

TRIU = chapter.TRIU
TRIU_VALIDATE = chapter._check_matrix
TRIU_PREPARE_DIAGONAL = chapter._whole_number
TRIU_KERNEL = chapter._triu


def triu(
    x: Tensor = ABSENT,
    diagonal: Any = 0,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
) -> Tensor:
    """Keep the elements on and above a diagonal; the others become zero."""
    if input is not _:
        keywords.check_named("triu", 3, _)
        x = keywords.either("triu", "x", x, "input", input)
    if out is not None:
        return destinations.into("triu", out, (x,), lambda: triu(x=x, diagonal=diagonal, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("triu", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    TRIU_VALIDATE(a0)
    storage = x.storage
    diagonal = TRIU_PREPARE_DIAGONAL(a0, diagonal)
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        TRIU_KERNEL(array, a0, diagonal, storage.device)
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
            node.row, node.edges, node.kept = TRIU, (e0,), kept
            node.forms, node.facts = (form0,), {"diagonal": diagonal}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "triu",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(TRIU, {"x": a0, "diagonal": diagonal}, array.shape),
        )
    return result


def triu_(x: Tensor, diagonal: Any = 0, name: str | None = None) -> Tensor:
    """Keep the elements on and above a diagonal; the others become zero."""
    if type(x) is not Tensor:
        x = operands.as_tensor("triu_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("triu_", x)
    TRIU_VALIDATE(a0)
    diagonal = TRIU_PREPARE_DIAGONAL(a0, diagonal)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("triu_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = TRIU, (e0,), UNFINISHED
            node.forms, node.facts = (form0,), {"diagonal": diagonal}
            node.serial, node.hooks, node.retained = next_serial(), None, None
    touched = slots_touched(TRIU, x, {"x": a0, "diagonal": diagonal}) if mode.listeners else NOTHING
    depends = dependence(TRIU, {"x": a0, "diagonal": diagonal}, a0.shape) if mode.listeners else None
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
        TRIU_KERNEL(a0, a0, diagonal, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("triu_", "in-place", (x,), x, node, **touched, depends=depends)
    return x


# ---- fill_diagonal -------------------------------------------------------------------------------

FILL_DIAGONAL = chapter.FILL_DIAGONAL
FILL_DIAGONAL_VALIDATE = chapter._check_square
FILL_DIAGONAL_PREPARE_VALUE = attributes.number_for
FILL_DIAGONAL_KERNEL = chapter._fill_diagonal


def fill_diagonal_(x: Tensor, value: Any, offset: Any = 0, wrap: Any = False, name: str | None = None) -> Tensor:
    """Write one number into every element of the diagonal."""
    if type(x) is not Tensor:
        x = operands.as_tensor("fill_diagonal_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("fill_diagonal_", x)
    if form0.kind not in "fiub":
        operands.check_dtype("fill_diagonal_", "fiub", form0.dtype)
    FILL_DIAGONAL_VALIDATE(a0)
    value = FILL_DIAGONAL_PREPARE_VALUE(a0, value)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("fill_diagonal_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = FILL_DIAGONAL, (e0,), UNFINISHED
            node.forms, node.facts = (form0,), {"offset": offset, "wrap": wrap}
            node.serial, node.hooks, node.retained = next_serial(), None, None
    touched = (
        slots_touched(FILL_DIAGONAL, x, {"x": a0, "value": value, "offset": offset, "wrap": wrap})
        if mode.listeners
        else NOTHING
    )
    depends = (
        dependence(FILL_DIAGONAL, {"x": a0, "value": value, "offset": offset, "wrap": wrap}, a0.shape)
        if mode.listeners
        else None
    )
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
        FILL_DIAGONAL_KERNEL(a0, value, offset, wrap, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("fill_diagonal_", "in-place", (x,), x, node, **touched, depends=depends)
    return x


# ---- fill_diagonal_tensor ------------------------------------------------------------------------

FILL_DIAGONAL_TENSOR = chapter.FILL_DIAGONAL_TENSOR
FILL_DIAGONAL_TENSOR_VALIDATE = chapter._check_diagonal
FILL_DIAGONAL_TENSOR_KERNEL = chapter._fill_diagonal_tensor


def fill_diagonal_tensor(
    x: Tensor, y: Tensor, offset: Any = 0, dim1: Any = 0, dim2: Any = 1, name: str | None = None
) -> Tensor:
    """Write `y` into the diagonals of the matrices in the axes `dim1` and `dim2`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("fill_diagonal_tensor", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("fill_diagonal_tensor", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    FILL_DIAGONAL_TENSOR_VALIDATE(a0, a1, offset, dim1, dim2)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("fill_diagonal_tensor", x, y)
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        FILL_DIAGONAL_TENSOR_KERNEL(array, a0, a1, offset, dim1, dim2, storage.device)
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
            node.row, node.edges, node.kept = FILL_DIAGONAL_TENSOR, (e0, e1), kept
            node.forms, node.facts = (form0, form1), {"dim1": dim1, "dim2": dim2, "offset": offset}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "fill_diagonal_tensor",
            "ordinary",
            (x, y),
            result,
            node,
            depends=dependence(
                FILL_DIAGONAL_TENSOR, {"x": a0, "y": a1, "offset": offset, "dim1": dim1, "dim2": dim2}, array.shape
            ),
        )
    return result


def fill_diagonal_tensor_(
    x: Tensor, y: Tensor, offset: Any = 0, dim1: Any = 0, dim2: Any = 1, name: str | None = None
) -> Tensor:
    """Write `y` into the diagonals of the matrices in the axes `dim1` and `dim2`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("fill_diagonal_tensor_", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("fill_diagonal_tensor_", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("fill_diagonal_tensor_", x)
    storage1 = y.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("fill_diagonal_tensor_", x, y)
    FILL_DIAGONAL_TENSOR_VALIDATE(a0, a1, offset, dim1, dim2)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("fill_diagonal_tensor_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = FILL_DIAGONAL_TENSOR, (e0, e1), UNFINISHED
            node.forms, node.facts = (form0, form1), {"dim1": dim1, "dim2": dim2, "offset": offset}
            node.serial, node.hooks, node.retained = next_serial(), None, None
    touched = (
        slots_touched(FILL_DIAGONAL_TENSOR, x, {"x": a0, "y": a1, "offset": offset, "dim1": dim1, "dim2": dim2})
        if mode.listeners
        else NOTHING
    )
    depends = (
        dependence(FILL_DIAGONAL_TENSOR, {"x": a0, "y": a1, "offset": offset, "dim1": dim1, "dim2": dim2}, a0.shape)
        if mode.listeners
        else None
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
            FILL_DIAGONAL_TENSOR_KERNEL(a0, a0, a1, offset, dim1, dim2, storage.device)
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
        mode.notify("fill_diagonal_tensor_", "in-place", (x, y), x, node, **touched, depends=depends)
    return x


# ---- diag ----------------------------------------------------------------------------------------

DIAG = chapter.DIAG
DIAG_VALIDATE = chapter._check_diag
DIAG_PREPARE_PADDING_VALUE = attributes.number_for
DIAG_SHAPE = required(DIAG.shape)
DIAG_KERNEL = chapter._diag


def diag(x: Tensor, offset: Any = 0, padding_value: Any = 0, name: str | None = None) -> Tensor:
    """A matrix with the vector `x` on a diagonal, or a copy of that diagonal of the matrix `x`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("diag", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fiuc":
        operands.check_dtype("diag", "fiuc", form0.dtype)
    DIAG_VALIDATE(a0)
    storage = x.storage
    padding_value = DIAG_PREPARE_PADDING_VALUE(a0, padding_value)
    form = None
    array = storage.device.empty(DIAG_SHAPE(form0.shape, offset), form0.dtype)
    try:
        DIAG_KERNEL(array, a0, offset, padding_value, storage.device)
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
            node.row, node.edges, node.kept = DIAG, (e0,), kept
            node.forms, node.facts = (form0,), {"offset": offset}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "diag",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(DIAG, {"x": a0, "offset": offset, "padding_value": padding_value}, array.shape),
        )
    return result


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
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = mask.array, mask.form or known_form(mask)
    a2, form2 = value.array, value.form or known_form(value)
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
            node.row, node.edges, node.kept = MASKED_FILL, (e0, e1, e2), kept
            node.forms, node.facts = (form0, form1, form2), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
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
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = mask.array, mask.form or known_form(mask)
    a2, form2 = value.array, value.form or known_form(value)
    storage, base = x.storage, x.base
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
            node.row, node.edges, node.kept = MASKED_FILL, (e0, e1, e2), UNFINISHED
            node.forms, node.facts = (form0, form1, form2), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
    touched = slots_touched(MASKED_FILL, x, {"x": a0, "mask": a1, "value": a2}) if mode.listeners else NOTHING
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
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = mask.array, mask.form or known_form(mask)
    a2, form2 = value.array, value.form or known_form(value)
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
            node.row, node.edges, node.kept = MASKED_SCATTER, (e0, e1, e2), kept
            node.forms, node.facts = (form0, form1, form2), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
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
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = mask.array, mask.form or known_form(mask)
    a2, form2 = value.array, value.form or known_form(value)
    storage, base = x.storage, x.base
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
            node.row, node.edges, node.kept = MASKED_SCATTER, (e0, e1, e2), UNFINISHED
            node.forms, node.facts = (form0, form1, form2), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
    touched = slots_touched(MASKED_SCATTER, x, {"x": a0, "mask": a1, "value": a2}) if mode.listeners else NOTHING
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
