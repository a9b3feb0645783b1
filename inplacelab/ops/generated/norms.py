"""The functions of the rows in `inplacelab/ops/norms.py`.

Generated: `python -m inplacelab.ops.table.generate` writes this file. Do not edit it.
"""

from __future__ import annotations

from typing import Any

from inplacelab import dtypes
from inplacelab.autograd.history import accumulator, check_leaf, edge, rebase, refresh
from inplacelab.autograd.nodes import NOTHING, UNFINISHED, OpNode, new_node, next_serial
from inplacelab.autograd.saved import OUTPUT, Saved, save, save_copy
from inplacelab.modes import current as current_modes
from inplacelab.ops import norms as chapter
from inplacelab.ops import reductions
from inplacelab.ops.arguments import keywords, operands
from inplacelab.ops.arguments.keywords import ABSENT
from inplacelab.ops.results import destinations, touched_slots
from inplacelab.ops.table.depends import dependence
from inplacelab.ops.table.row import required
from inplacelab.tensor import Tensor, fresh, known_form

# ---- norm ----------------------------------------------------------------------------------------

NORM = chapter.NORM
NORM_VALIDATE = chapter._check_axes
NORM_PREPARE_P = chapter._power
NORM_PREPARE_AXIS = reductions.axes_of
NORM_SHAPE = required(NORM.shape)
NORM_DTYPE = dtypes.real
NORM_KERNEL = chapter._norm


def norm(
    x: Tensor = ABSENT,
    p: Any = ABSENT,
    axis: Any = ABSENT,
    keepdim: Any = False,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
    A: Any = ABSENT,
    ord: Any = ABSENT,
    dim: Any = ABSENT,
) -> Tensor:
    """The p-norm: the p-th root of the sum of |x| to the power p."""
    if input is not _ or A is not _ or ord is not _ or (dim is not _):
        keywords.check_named("norm", 5, _)
        x = keywords.either("norm", "x", x, "input", input)
        x = keywords.either("norm", "x", x, "A", A)
        p = keywords.either("norm", "p", p, "ord", ord)
        axis = keywords.either("norm", "axis", axis, "dim", dim)
    if p is _:
        p = None
    if axis is _:
        axis = None
    if out is not None:
        return destinations.into("norm", out, (x,), lambda: norm(x=x, p=p, axis=axis, keepdim=keepdim, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("norm", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "fc":
        operands.check_dtype("norm", "fc", form0.dtype)
    NORM_VALIDATE(p, axis)
    storage = x.storage
    p = NORM_PREPARE_P(a0, p)
    axis = NORM_PREPARE_AXIS(a0, axis)
    form = None
    array = storage.device.empty(NORM_SHAPE(form0.shape, axis, keepdim), NORM_DTYPE(form0.dtype))
    try:
        NORM_KERNEL(array, a0, p, axis, storage.device)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e0 = edge(x) if x.base is not None else None if x._stop else x.node or accumulator(x)
        if e0 is not None:
            kept: tuple[Saved, ...] = (save("x", a0, x.storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (NORM, (e0,), kept)
            node.forms, node.facts = ((form0,), {"axis": axis, "p": p})
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify(
            "norm",
            "ordinary",
            (x,),
            result,
            node,
            attributes={"p": p, "axis": axis, "keepdim": keepdim},
            depends=dependence(NORM, {"x": a0, "p": p, "axis": axis, "keepdim": keepdim}, array.shape),
        )
    return result


# ---- renorm --------------------------------------------------------------------------------------

RENORM = chapter.RENORM
RENORM_VALIDATE = required(RENORM.validate)
RENORM_PREPARE_AXIS = chapter._renorm_axis
RENORM_KERNEL = chapter._renorm


def renorm(x: Tensor, p: Any, axis: Any, max_norm: Any, name: str | None = None) -> Tensor:
    """Scale down each slice along `axis` whose p-norm is greater than `max_norm`, so that its norm is `max_norm`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("renorm", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "f":
        operands.check_dtype("renorm", "f", form0.dtype)
    RENORM_VALIDATE(p, max_norm)
    storage = x.storage
    axis = RENORM_PREPARE_AXIS(a0, axis)
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        RENORM_KERNEL(array, a0, p, axis, max_norm, storage.device)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e0 = edge(x) if x.base is not None else None if x._stop else x.node or accumulator(x)
        if e0 is not None:
            kept: tuple[Saved, ...] = (save("x", a0, x.storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (RENORM, (e0,), kept)
            node.forms, node.facts = ((form0,), {"axis": axis, "max_norm": max_norm, "p": p})
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify(
            "renorm",
            "ordinary",
            (x,),
            result,
            node,
            attributes={"p": p, "axis": axis, "max_norm": max_norm},
            depends=dependence(RENORM, {"x": a0, "p": p, "axis": axis, "max_norm": max_norm}, array.shape),
        )
    return result


def renorm_(x: Tensor, p: Any, axis: Any, max_norm: Any, name: str | None = None) -> Tensor:
    """Scale down each slice along `axis` whose p-norm is greater than `max_norm`, so that its norm is `max_norm`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("renorm_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("renorm_", x)
    if form0.kind not in "f":
        operands.check_dtype("renorm_", "f", form0.dtype)
    RENORM_VALIDATE(p, max_norm)
    axis = RENORM_PREPARE_AXIS(a0, axis)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("renorm_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (RENORM, (e0,), UNFINISHED)
            node.forms, node.facts = ((form0,), {"axis": axis, "max_norm": max_norm, "p": p})
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
        RENORM_KERNEL(a0, a0, p, axis, max_norm, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "renorm_",
            "in-place",
            (x,),
            x,
            node,
            attributes={"p": p, "axis": axis, "max_norm": max_norm},
            depends=dependence(RENORM, {"x": a0, "p": p, "axis": axis, "max_norm": max_norm}, a0.shape),
        )
    return x


# ---- embedding_renorm ----------------------------------------------------------------------------

EMBEDDING_RENORM = chapter.EMBEDDING_RENORM
EMBEDDING_RENORM_VALIDATE = chapter._check_embedding
EMBEDDING_RENORM_KERNEL = chapter._embedding_renorm


def embedding_renorm_(
    x: Tensor, weight: Tensor, max_norm: Any, norm_type: Any = 2.0, name: str | None = None
) -> Tensor:
    """Scale down those rows of `weight` that `x` looks up and whose norm is greater than `max_norm`."""
    if type(weight) is not Tensor:
        weight = operands.as_tensor("embedding_renorm_", "weight", 0, weight)
    if type(x) is not Tensor:
        x = operands.as_tensor("embedding_renorm_", "x", 1, x)
    a0, form0 = (weight.array, weight.form or known_form(weight))
    a1, form1 = (x.array, x.form or known_form(x))
    storage, base = (weight.storage, weight.base)
    if base is not None:
        refresh(weight)
    if weight.overlaps:
        operands.refuse_self_overlap("embedding_renorm_", weight)
    storage1 = x.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("embedding_renorm_", weight, x)
    if form0.kind not in "f":
        operands.check_dtype("embedding_renorm_", "f", form0.dtype)
    EMBEDDING_RENORM_VALIDATE(a1, a0, max_norm, norm_type)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(x) if x.base is not None else None if x._stop else x.node or accumulator(x)
        if not weight._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or weight.node is None:
                check_leaf("embedding_renorm_", weight)
            e0 = None if weight._stop else weight.node
            kept: tuple[Saved, ...] = ()
            if e0 is not None:
                kept += (save_copy("weight", a0, storage, e0),)
            if e0 is not None:
                kept += (
                    save("x", a1, storage1, e1)
                    if storage1 is not storage
                    else operands.save_operand("x", x, e1, weight),
                )
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (EMBEDDING_RENORM, (e0, e1), UNFINISHED)
            node.forms, node.facts = ((form0, form1), {"max_norm": max_norm, "norm_type": norm_type})
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
    touched = (
        touched_slots.in_place(
            EMBEDDING_RENORM, weight, {"weight": a0, "x": a1, "max_norm": max_norm, "norm_type": norm_type}
        )
        if mode.listeners
        else NOTHING
    )
    try:
        if storage1 is storage:
            a1 = operands.copy_if_overlapping(weight, x)
        if mode.keeper is not None:
            mode.keeper.before_write(weight)
        if node is not None:
            if base is None:
                weight.node = node
                weight._stop = False
            else:
                rebase(weight, node)
        storage.version += 1
        if mode.keeper is not None:
            mode.keeper.after_write(storage)
        try:
            EMBEDDING_RENORM_KERNEL(a0, a1, max_norm, norm_type, storage.device)
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
            "embedding_renorm_",
            "in-place",
            (weight, x),
            weight,
            node,
            **touched,
            attributes={"max_norm": max_norm, "norm_type": norm_type},
            depends=dependence(
                EMBEDDING_RENORM, {"weight": a0, "x": a1, "max_norm": max_norm, "norm_type": norm_type}, a0.shape
            ),
        )
    return weight
