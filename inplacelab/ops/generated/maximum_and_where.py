"""The functions of the rows in `inplacelab/ops/maximum_and_where.py`.

Generated: `python -m inplacelab.ops.table.generate` writes this file. Do not edit it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab.autograd.history import accumulator, check_leaf, edge, rebase, refresh
from inplacelab.autograd.nodes import NOTHING, UNFINISHED, OpNode, new_node, next_serial
from inplacelab.autograd.saved import Saved, save, save_copy
from inplacelab.form import Form
from inplacelab.layout import common_shape
from inplacelab.modes import current as current_modes
from inplacelab.ops import maximum_and_where as chapter
from inplacelab.ops.arguments import keywords, operands
from inplacelab.ops.arguments.keywords import ABSENT
from inplacelab.ops.results import destinations, touched_slots
from inplacelab.ops.results.kernel_tools import launcher
from inplacelab.ops.table.depends import dependence
from inplacelab.ops.table.row import required
from inplacelab.tensor import Tensor, fresh, known_form

# ---- maximum -------------------------------------------------------------------------------------

MAXIMUM = chapter.MAXIMUM
MAXIMUM_LAUNCHED_ORDINARY = launcher(MAXIMUM, "ordinary")
MAXIMUM_KERNEL = chapter._maximum


def maximum(
    x: Tensor = ABSENT,
    y: Tensor = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
    other: Any = ABSENT,
) -> Tensor:
    """The larger of two elements; NaN if one of them is."""
    if input is not _ or other is not _:
        keywords.check_named("maximum", 3, _)
        x = keywords.either("maximum", "x", x, "input", input)
        y = keywords.either("maximum", "y", y, "other", other)
    if out is not None:
        return destinations.into("maximum", out, (x, y), lambda: maximum(x=x, y=y, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("maximum", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("maximum", "y", 1, y)
    a0, form0 = (x.array, x.form or known_form(x))
    a1, form1 = (y.array, y.form or known_form(y))
    if form0.kind not in "fiu" or form1.dtype is not form0.dtype:
        operands.check_dtype("maximum", "fiu", form0.dtype, form1.dtype)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("maximum", x, y)
    form = form0 if form1 is form0 else None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("maximum", x, y),
        form0.dtype if form0.dtype is form1.dtype else operands.promoted("maximum", form0.dtype, form1.dtype),
    )
    try:
        if not (storage.device.launches and MAXIMUM_LAUNCHED_ORDINARY((x, y), (a0, a1), array)):
            MAXIMUM_KERNEL(array, a0, a1)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e0 = edge(x) if x.base is not None else None if x._stop else x.node or accumulator(x)
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if e0 is not None or e1 is not None:
            kept: tuple[Saved, ...] = (save("x", a0, x.storage, e0), save("y", a1, y.storage, e1))
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (MAXIMUM, (e0, e1), kept)
            node.forms, node.facts = ((form0, form1), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify(
            "maximum", "ordinary", (x, y), result, node, depends=dependence(MAXIMUM, {"x": a0, "y": a1}, array.shape)
        )
    return result


# ---- minimum -------------------------------------------------------------------------------------

MINIMUM = chapter.MINIMUM
MINIMUM_LAUNCHED_ORDINARY = launcher(MINIMUM, "ordinary")
MINIMUM_KERNEL = chapter._minimum


def minimum(
    x: Tensor = ABSENT,
    y: Tensor = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
    other: Any = ABSENT,
) -> Tensor:
    """The smaller of two elements; NaN if one of them is."""
    if input is not _ or other is not _:
        keywords.check_named("minimum", 3, _)
        x = keywords.either("minimum", "x", x, "input", input)
        y = keywords.either("minimum", "y", y, "other", other)
    if out is not None:
        return destinations.into("minimum", out, (x, y), lambda: minimum(x=x, y=y, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("minimum", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("minimum", "y", 1, y)
    a0, form0 = (x.array, x.form or known_form(x))
    a1, form1 = (y.array, y.form or known_form(y))
    if form0.kind not in "fiu" or form1.dtype is not form0.dtype:
        operands.check_dtype("minimum", "fiu", form0.dtype, form1.dtype)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("minimum", x, y)
    form = form0 if form1 is form0 else None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("minimum", x, y),
        form0.dtype if form0.dtype is form1.dtype else operands.promoted("minimum", form0.dtype, form1.dtype),
    )
    try:
        if not (storage.device.launches and MINIMUM_LAUNCHED_ORDINARY((x, y), (a0, a1), array)):
            MINIMUM_KERNEL(array, a0, a1)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e0 = edge(x) if x.base is not None else None if x._stop else x.node or accumulator(x)
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if e0 is not None or e1 is not None:
            kept: tuple[Saved, ...] = (save("x", a0, x.storage, e0), save("y", a1, y.storage, e1))
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (MINIMUM, (e0, e1), kept)
            node.forms, node.facts = ((form0, form1), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify(
            "minimum", "ordinary", (x, y), result, node, depends=dependence(MINIMUM, {"x": a0, "y": a1}, array.shape)
        )
    return result


# ---- fmax ----------------------------------------------------------------------------------------

FMAX = chapter.FMAX
FMAX_UFUNC = np.fmax
FMAX_LAUNCHED_ORDINARY = launcher(FMAX, "ordinary")


def fmax(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """The larger of two elements; if one of them is NaN, the other."""
    if type(x) is not Tensor:
        x = operands.as_tensor("fmax", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("fmax", "y", 1, y)
    a0, form0 = (x.array, x.form or known_form(x))
    a1, form1 = (y.array, y.form or known_form(y))
    if form0.kind not in "fiu" or form1.dtype is not form0.dtype:
        operands.check_dtype("fmax", "fiu", form0.dtype, form1.dtype)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("fmax", x, y)
    array: Any = None
    if (
        form1 is form0
        and a0 is x.storage.buffer
        and (a1 is y.storage.buffer)
        and form0.shape
        and (not storage.device.launches)
    ):
        form: Form | None = form0
        try:
            array = FMAX_UFUNC(a0, a1)
        except RuntimeWarning:
            pass
    if array is None:
        form = form0 if form1 is form0 else None
        array = storage.device.empty(
            form0.shape
            if form0.shape == form1.shape
            else common_shape(form0.shape, form1.shape) or operands.broadcast("fmax", x, y),
            form0.dtype if form0.dtype is form1.dtype else operands.promoted("fmax", form0.dtype, form1.dtype),
        )
        try:
            if not (storage.device.launches and FMAX_LAUNCHED_ORDINARY((x, y), (a0, a1), array)):
                FMAX_UFUNC(a0, a1, array)
        except RuntimeWarning:
            pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e0 = edge(x) if x.base is not None else None if x._stop else x.node or accumulator(x)
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if e0 is not None or e1 is not None:
            kept: tuple[Saved, ...] = (save("x", a0, x.storage, e0), save("y", a1, y.storage, e1))
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (FMAX, (e0, e1), kept)
            node.forms, node.facts = ((form0, form1), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify("fmax", "ordinary", (x, y), result, node, depends=dependence(FMAX, {"x": a0, "y": a1}, array.shape))
    return result


# ---- fmin ----------------------------------------------------------------------------------------

FMIN = chapter.FMIN
FMIN_UFUNC = np.fmin
FMIN_LAUNCHED_ORDINARY = launcher(FMIN, "ordinary")


def fmin(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """The smaller of two elements; if one of them is NaN, the other."""
    if type(x) is not Tensor:
        x = operands.as_tensor("fmin", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("fmin", "y", 1, y)
    a0, form0 = (x.array, x.form or known_form(x))
    a1, form1 = (y.array, y.form or known_form(y))
    if form0.kind not in "fiu" or form1.dtype is not form0.dtype:
        operands.check_dtype("fmin", "fiu", form0.dtype, form1.dtype)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("fmin", x, y)
    array: Any = None
    if (
        form1 is form0
        and a0 is x.storage.buffer
        and (a1 is y.storage.buffer)
        and form0.shape
        and (not storage.device.launches)
    ):
        form: Form | None = form0
        try:
            array = FMIN_UFUNC(a0, a1)
        except RuntimeWarning:
            pass
    if array is None:
        form = form0 if form1 is form0 else None
        array = storage.device.empty(
            form0.shape
            if form0.shape == form1.shape
            else common_shape(form0.shape, form1.shape) or operands.broadcast("fmin", x, y),
            form0.dtype if form0.dtype is form1.dtype else operands.promoted("fmin", form0.dtype, form1.dtype),
        )
        try:
            if not (storage.device.launches and FMIN_LAUNCHED_ORDINARY((x, y), (a0, a1), array)):
                FMIN_UFUNC(a0, a1, array)
        except RuntimeWarning:
            pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e0 = edge(x) if x.base is not None else None if x._stop else x.node or accumulator(x)
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if e0 is not None or e1 is not None:
            kept: tuple[Saved, ...] = (save("x", a0, x.storage, e0), save("y", a1, y.storage, e1))
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (FMIN, (e0, e1), kept)
            node.forms, node.facts = ((form0, form1), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify("fmin", "ordinary", (x, y), result, node, depends=dependence(FMIN, {"x": a0, "y": a1}, array.shape))
    return result


# ---- heaviside -----------------------------------------------------------------------------------

HEAVISIDE = chapter.HEAVISIDE
HEAVISIDE_DTYPE = required(HEAVISIDE.dtype)
HEAVISIDE_LAUNCHED_ORDINARY = launcher(HEAVISIDE, "ordinary")
HEAVISIDE_KERNEL = chapter._heaviside
HEAVISIDE_LAUNCHED_IN_PLACE = launcher(HEAVISIDE, "in-place")


def heaviside(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """The step function: 0 below zero, 1 above, `y` where `x` is zero."""
    if type(x) is not Tensor:
        x = operands.as_tensor("heaviside", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("heaviside", "y", 1, y)
    a0, form0 = (x.array, x.form or known_form(x))
    a1, form1 = (y.array, y.form or known_form(y))
    if form0.kind not in "fiu":
        operands.check_dtype("heaviside", "fiu", form0.dtype)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("heaviside", x, y)
    form = None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("heaviside", x, y),
        HEAVISIDE_DTYPE(form0.dtype, form1.dtype),
    )
    try:
        if not (storage.device.launches and HEAVISIDE_LAUNCHED_ORDINARY((x, y), (a0, a1), array)):
            HEAVISIDE_KERNEL(array, a0, a1, storage.device)
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
            if e1 is not None:
                kept += (save("x", a0, x.storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (HEAVISIDE, (e0, e1), kept)
            node.forms, node.facts = ((form0, form1), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify(
            "heaviside",
            "ordinary",
            (x, y),
            result,
            node,
            depends=dependence(HEAVISIDE, {"x": a0, "y": a1}, array.shape),
        )
    return result


def heaviside_(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """The step function: 0 below zero, 1 above, `y` where `x` is zero."""
    if type(x) is not Tensor:
        x = operands.as_tensor("heaviside_", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("heaviside_", "y", 1, y)
    a0, form0 = (x.array, x.form or known_form(x))
    a1, form1 = (y.array, y.form or known_form(y))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("heaviside_", x)
    storage1 = y.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("heaviside_", x, y)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("heaviside_", x, y)
    if storage1 is storage and y is not x:
        operands.check_overlap("heaviside_", x, y)
    if form0.kind not in "fiu":
        operands.check_dtype("heaviside_", "fiu", form0.dtype)
    dtype = HEAVISIDE_DTYPE(form0.dtype, form1.dtype)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate(
            "heaviside_",
            x,
            lambda: heaviside(x=x, y=y),
            (y,),
            lambda: dependence(HEAVISIDE, {"x": a0, "y": a1}, form0.shape),
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("heaviside_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            if e1 is not None:
                kept += (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (HEAVISIDE, (e0, e1), UNFINISHED)
            node.forms, node.facts = ((form0, form1), NOTHING)
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
        if not (storage.device.launches and HEAVISIDE_LAUNCHED_IN_PLACE((x, y), (a0, a1))):
            HEAVISIDE_KERNEL(a0, a0, a1, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "heaviside_", "in-place", (x, y), x, node, depends=dependence(HEAVISIDE, {"x": a0, "y": a1}, a0.shape)
        )
    return x


# ---- where ---------------------------------------------------------------------------------------

WHERE = chapter._WHERE
WHERE_VALIDATE = chapter._check_condition
WHERE_DTYPE = required(WHERE.dtype)
WHERE_LAUNCHED_ORDINARY = launcher(WHERE, "ordinary")
WHERE_KERNEL = chapter._where
WHERE_LAUNCHED_IN_PLACE = launcher(WHERE, "in-place")


def where(condition: Tensor, x: Tensor, y: Tensor, name: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """`x` where the condition is true, `y` elsewhere."""
    if out is not None:
        return destinations.into(
            "where", out, (x, condition, y), lambda: where(condition=condition, x=x, y=y, name=name)
        )
    if type(x) is not Tensor:
        x = operands.as_tensor("where", "x", 0, x)
    if type(condition) is not Tensor:
        condition = operands.as_tensor("where", "condition", 1, condition)
    if type(y) is not Tensor:
        y = operands.as_tensor("where", "y", 2, y)
    a0, form0 = (x.array, x.form or known_form(x))
    a1, form1 = (condition.array, condition.form or known_form(condition))
    a2, form2 = (y.array, y.form or known_form(y))
    WHERE_VALIDATE(a1)
    storage = x.storage
    if condition.storage.device is not storage.device:
        operands.refuse_devices("where", x, condition)
    if y.storage.device is not storage.device:
        operands.refuse_devices("where", x, y)
    form = None
    array = storage.device.empty(
        form0.shape if form0.shape == form1.shape == form2.shape else operands.broadcast("where", x, condition, y),
        WHERE_DTYPE(form0.dtype, form2.dtype),
    )
    try:
        if not (storage.device.launches and WHERE_LAUNCHED_ORDINARY((x, condition, y), (a0, a1, a2), array)):
            WHERE_KERNEL(array, a1, a0, a2, storage.device)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e0 = edge(x) if x.base is not None else None if x._stop else x.node or accumulator(x)
        e1 = (
            edge(condition)
            if condition.base is not None
            else None
            if condition._stop
            else condition.node or accumulator(condition)
        )
        e2 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if e0 is not None or e1 is not None or e2 is not None:
            kept: tuple[Saved, ...] = ()
            if e0 is not None or e2 is not None:
                kept += (save("condition", a1, condition.storage, e1),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (WHERE, (e0, e1, e2), kept)
            node.forms, node.facts = ((form0, form1, form2), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify(
            "where",
            "ordinary",
            (x, condition, y),
            result,
            node,
            depends=dependence(WHERE, {"x": a0, "condition": a1, "y": a2}, array.shape),
        )
    return result


def where_(condition: Tensor, x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """`x` where the condition is true, `y` elsewhere."""
    if type(x) is not Tensor:
        x = operands.as_tensor("where_", "x", 0, x)
    if type(condition) is not Tensor:
        condition = operands.as_tensor("where_", "condition", 1, condition)
    if type(y) is not Tensor:
        y = operands.as_tensor("where_", "y", 2, y)
    a0, form0 = (x.array, x.form or known_form(x))
    a1, form1 = (condition.array, condition.form or known_form(condition))
    a2, form2 = (y.array, y.form or known_form(y))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("where_", x)
    storage1 = condition.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("where_", x, condition)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("where_", x, condition)
    if storage1 is storage and condition is not x:
        operands.check_overlap("where_", x, condition)
    storage2 = y.storage
    if storage2.device is not storage.device:
        operands.refuse_devices("where_", x, y)
    if form2 is not form0 and form2.shape != form0.shape and (common_shape(form0.shape, form2.shape) != form0.shape):
        operands.refuse_shape("where_", x, y)
    if storage2 is storage and y is not x:
        operands.check_overlap("where_", x, y)
    WHERE_VALIDATE(a1)
    dtype = WHERE_DTYPE(form0.dtype, form2.dtype)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate(
            "where_",
            x,
            lambda: where(condition=condition, x=x, y=y),
            (condition, y),
            lambda: dependence(WHERE, {"x": a0, "condition": a1, "y": a2}, form0.shape),
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = (
            edge(condition)
            if condition.base is not None
            else None
            if condition._stop
            else condition.node or accumulator(condition)
        )
        e2 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None or (e2 is not None):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("where_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            if e0 is not None or e2 is not None:
                kept += (
                    save("condition", a1, storage1, e1)
                    if storage1 is not storage
                    else operands.save_operand("condition", condition, e1, x),
                )
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (WHERE, (e0, e1, e2), UNFINISHED)
            node.forms, node.facts = ((form0, form1, form2), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
    touched = touched_slots.in_place(WHERE, x, {"x": a0, "condition": a1, "y": a2}) if mode.listeners else NOTHING
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
        if not (storage.device.launches and WHERE_LAUNCHED_IN_PLACE((x, condition, y), (a0, a1, a2))):
            WHERE_KERNEL(a0, a1, a0, a2, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "where_",
            "in-place",
            (x, condition, y),
            x,
            node,
            **touched,
            depends=dependence(WHERE, {"x": a0, "condition": a1, "y": a2}, a0.shape),
        )
    return x
