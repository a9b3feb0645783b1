"""The functions of the rows in `inplacelab/ops/comparisons_and_logic.py`.

Generated: `python -m inplacelab.ops.table.generate` writes this file. Do not edit it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab.autograd.history import accumulator, check_leaf, edge, rebase, refresh
from inplacelab.autograd.nodes import NOTHING, UNFINISHED, OpNode, new_node, next_serial
from inplacelab.autograd.saved import Saved, save, save_copy
from inplacelab.dtypes import Form
from inplacelab.layout import common_shape
from inplacelab.modes import current as current_modes
from inplacelab.ops import comparisons_and_logic as chapter
from inplacelab.ops.arguments import keywords, operands
from inplacelab.ops.arguments.keywords import ABSENT
from inplacelab.ops.results import destinations
from inplacelab.ops.results.kernel_tools import launcher
from inplacelab.ops.table.depends import dependence, slots_touched
from inplacelab.ops.table.row import required
from inplacelab.tensor import Tensor, fresh, known_form

# ---- equal ---------------------------------------------------------------------------------------

EQUAL = chapter.EQUAL
EQUAL_DTYPE = required(EQUAL.dtype)
EQUAL_LAUNCHED_ORDINARY = launcher(EQUAL, "ordinary")
EQUAL_UFUNC = np.equal
EQUAL_LAUNCHED_IN_PLACE = launcher(EQUAL, "in-place")


def equal(
    x: Tensor = ABSENT,
    y: Any = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
    other: Any = ABSENT,
) -> Tensor:
    """True where `x` is equal to `y`."""
    if input is not _ or other is not _:
        keywords.check_named("equal", 3, _)
        x = keywords.either("equal", "x", x, "input", input)
        y = keywords.either("equal", "y", y, "other", other)
    if out is not None:
        return destinations.into("equal", out, (x, y), lambda: equal(x=x, y=y, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("equal", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_promoted("equal", "y", 1, y, x)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form1 is not form0 and form1.kind != form0.kind:
        x, y = operands.with_scalar(x, y)
        a0, form0 = x.array, x.form or known_form(x)
        a1, form1 = y.array, y.form or known_form(y)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("equal", x, y)
    form = None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("equal", x, y),
        EQUAL_DTYPE(form0.dtype, form1.dtype),
    )
    try:
        if not (storage.device.launches and EQUAL_LAUNCHED_ORDINARY((x, y), (a0, a1), array)):
            EQUAL_UFUNC(a0, a1, array)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.listeners:
        mode.notify(
            "equal", "ordinary", (x, y), result, node, depends=dependence(EQUAL, {"x": a0, "y": a1}, array.shape)
        )
    return result


def equal_(x: Tensor, y: Any, name: str | None = None) -> Tensor:
    """True where `x` is equal to `y`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("equal_", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_promoted("equal_", "y", 1, y, x)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("equal_", x)
    storage1 = y.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("equal_", x, y)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("equal_", x, y)
    if storage1 is storage and y is not x:
        operands.check_overlap("equal_", x, y)
    dtype = EQUAL_DTYPE(form0.dtype, form1.dtype)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate(
            "equal_", x, lambda: equal(x=x, y=y), (y,), lambda: dependence(EQUAL, {"x": a0, "y": a1}, form0.shape)
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("equal_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = EQUAL, (e0, e1), UNFINISHED
            node.forms, node.facts = (form0, form1), NOTHING
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
        if not (storage.device.launches and EQUAL_LAUNCHED_IN_PLACE((x, y), (a0, a1))):
            EQUAL_UFUNC(a0, a1, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("equal_", "in-place", (x, y), x, node, depends=dependence(EQUAL, {"x": a0, "y": a1}, a0.shape))
    return x


# ---- not_equal -----------------------------------------------------------------------------------

NOT_EQUAL = chapter.NOT_EQUAL
NOT_EQUAL_DTYPE = required(NOT_EQUAL.dtype)
NOT_EQUAL_LAUNCHED_ORDINARY = launcher(NOT_EQUAL, "ordinary")
NOT_EQUAL_UFUNC = np.not_equal
NOT_EQUAL_LAUNCHED_IN_PLACE = launcher(NOT_EQUAL, "in-place")


def not_equal(
    x: Tensor = ABSENT,
    y: Tensor = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
    other: Any = ABSENT,
) -> Tensor:
    """True where `x` is different from `y`."""
    if input is not _ or other is not _:
        keywords.check_named("not_equal", 3, _)
        x = keywords.either("not_equal", "x", x, "input", input)
        y = keywords.either("not_equal", "y", y, "other", other)
    if out is not None:
        return destinations.into("not_equal", out, (x, y), lambda: not_equal(x=x, y=y, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("not_equal", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("not_equal", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form1 is not form0 and form1.kind != form0.kind:
        x, y = operands.with_scalar(x, y)
        a0, form0 = x.array, x.form or known_form(x)
        a1, form1 = y.array, y.form or known_form(y)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("not_equal", x, y)
    form = None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("not_equal", x, y),
        NOT_EQUAL_DTYPE(form0.dtype, form1.dtype),
    )
    try:
        if not (storage.device.launches and NOT_EQUAL_LAUNCHED_ORDINARY((x, y), (a0, a1), array)):
            NOT_EQUAL_UFUNC(a0, a1, array)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.listeners:
        mode.notify(
            "not_equal",
            "ordinary",
            (x, y),
            result,
            node,
            depends=dependence(NOT_EQUAL, {"x": a0, "y": a1}, array.shape),
        )
    return result


def not_equal_(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """True where `x` is different from `y`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("not_equal_", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("not_equal_", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("not_equal_", x)
    storage1 = y.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("not_equal_", x, y)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("not_equal_", x, y)
    if storage1 is storage and y is not x:
        operands.check_overlap("not_equal_", x, y)
    dtype = NOT_EQUAL_DTYPE(form0.dtype, form1.dtype)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate(
            "not_equal_",
            x,
            lambda: not_equal(x=x, y=y),
            (y,),
            lambda: dependence(NOT_EQUAL, {"x": a0, "y": a1}, form0.shape),
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("not_equal_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = NOT_EQUAL, (e0, e1), UNFINISHED
            node.forms, node.facts = (form0, form1), NOTHING
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
        if not (storage.device.launches and NOT_EQUAL_LAUNCHED_IN_PLACE((x, y), (a0, a1))):
            NOT_EQUAL_UFUNC(a0, a1, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "not_equal_", "in-place", (x, y), x, node, depends=dependence(NOT_EQUAL, {"x": a0, "y": a1}, a0.shape)
        )
    return x


# ---- less_than -----------------------------------------------------------------------------------

LESS_THAN = chapter.LESS_THAN
LESS_THAN_DTYPE = required(LESS_THAN.dtype)
LESS_THAN_LAUNCHED_ORDINARY = launcher(LESS_THAN, "ordinary")
LESS_THAN_UFUNC = np.less
LESS_THAN_LAUNCHED_IN_PLACE = launcher(LESS_THAN, "in-place")


def less_than(
    x: Tensor = ABSENT,
    y: Tensor = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
    other: Any = ABSENT,
) -> Tensor:
    """True where `x` is less than `y`."""
    if input is not _ or other is not _:
        keywords.check_named("less_than", 3, _)
        x = keywords.either("less_than", "x", x, "input", input)
        y = keywords.either("less_than", "y", y, "other", other)
    if out is not None:
        return destinations.into("less_than", out, (x, y), lambda: less_than(x=x, y=y, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("less_than", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("less_than", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form1 is not form0 and form1.kind != form0.kind:
        x, y = operands.with_scalar(x, y)
        a0, form0 = x.array, x.form or known_form(x)
        a1, form1 = y.array, y.form or known_form(y)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("less_than", x, y)
    form = None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("less_than", x, y),
        LESS_THAN_DTYPE(form0.dtype, form1.dtype),
    )
    try:
        if not (storage.device.launches and LESS_THAN_LAUNCHED_ORDINARY((x, y), (a0, a1), array)):
            LESS_THAN_UFUNC(a0, a1, array)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.listeners:
        mode.notify(
            "less_than",
            "ordinary",
            (x, y),
            result,
            node,
            depends=dependence(LESS_THAN, {"x": a0, "y": a1}, array.shape),
        )
    return result


def less_than_(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """True where `x` is less than `y`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("less_than_", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("less_than_", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("less_than_", x)
    storage1 = y.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("less_than_", x, y)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("less_than_", x, y)
    if storage1 is storage and y is not x:
        operands.check_overlap("less_than_", x, y)
    dtype = LESS_THAN_DTYPE(form0.dtype, form1.dtype)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate(
            "less_than_",
            x,
            lambda: less_than(x=x, y=y),
            (y,),
            lambda: dependence(LESS_THAN, {"x": a0, "y": a1}, form0.shape),
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("less_than_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = LESS_THAN, (e0, e1), UNFINISHED
            node.forms, node.facts = (form0, form1), NOTHING
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
        if not (storage.device.launches and LESS_THAN_LAUNCHED_IN_PLACE((x, y), (a0, a1))):
            LESS_THAN_UFUNC(a0, a1, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "less_than_", "in-place", (x, y), x, node, depends=dependence(LESS_THAN, {"x": a0, "y": a1}, a0.shape)
        )
    return x


# ---- less_equal ----------------------------------------------------------------------------------

LESS_EQUAL = chapter.LESS_EQUAL
LESS_EQUAL_DTYPE = required(LESS_EQUAL.dtype)
LESS_EQUAL_LAUNCHED_ORDINARY = launcher(LESS_EQUAL, "ordinary")
LESS_EQUAL_UFUNC = np.less_equal
LESS_EQUAL_LAUNCHED_IN_PLACE = launcher(LESS_EQUAL, "in-place")


def less_equal(
    x: Tensor = ABSENT,
    y: Tensor = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
    other: Any = ABSENT,
) -> Tensor:
    """True where `x` is less than or equal to `y`."""
    if input is not _ or other is not _:
        keywords.check_named("less_equal", 3, _)
        x = keywords.either("less_equal", "x", x, "input", input)
        y = keywords.either("less_equal", "y", y, "other", other)
    if out is not None:
        return destinations.into("less_equal", out, (x, y), lambda: less_equal(x=x, y=y, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("less_equal", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("less_equal", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form1 is not form0 and form1.kind != form0.kind:
        x, y = operands.with_scalar(x, y)
        a0, form0 = x.array, x.form or known_form(x)
        a1, form1 = y.array, y.form or known_form(y)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("less_equal", x, y)
    form = None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("less_equal", x, y),
        LESS_EQUAL_DTYPE(form0.dtype, form1.dtype),
    )
    try:
        if not (storage.device.launches and LESS_EQUAL_LAUNCHED_ORDINARY((x, y), (a0, a1), array)):
            LESS_EQUAL_UFUNC(a0, a1, array)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.listeners:
        mode.notify(
            "less_equal",
            "ordinary",
            (x, y),
            result,
            node,
            depends=dependence(LESS_EQUAL, {"x": a0, "y": a1}, array.shape),
        )
    return result


def less_equal_(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """True where `x` is less than or equal to `y`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("less_equal_", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("less_equal_", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("less_equal_", x)
    storage1 = y.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("less_equal_", x, y)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("less_equal_", x, y)
    if storage1 is storage and y is not x:
        operands.check_overlap("less_equal_", x, y)
    dtype = LESS_EQUAL_DTYPE(form0.dtype, form1.dtype)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate(
            "less_equal_",
            x,
            lambda: less_equal(x=x, y=y),
            (y,),
            lambda: dependence(LESS_EQUAL, {"x": a0, "y": a1}, form0.shape),
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("less_equal_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = LESS_EQUAL, (e0, e1), UNFINISHED
            node.forms, node.facts = (form0, form1), NOTHING
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
        if not (storage.device.launches and LESS_EQUAL_LAUNCHED_IN_PLACE((x, y), (a0, a1))):
            LESS_EQUAL_UFUNC(a0, a1, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "less_equal_", "in-place", (x, y), x, node, depends=dependence(LESS_EQUAL, {"x": a0, "y": a1}, a0.shape)
        )
    return x


# ---- greater_than --------------------------------------------------------------------------------

GREATER_THAN = chapter.GREATER_THAN
GREATER_THAN_DTYPE = required(GREATER_THAN.dtype)
GREATER_THAN_LAUNCHED_ORDINARY = launcher(GREATER_THAN, "ordinary")
GREATER_THAN_UFUNC = np.greater
GREATER_THAN_LAUNCHED_IN_PLACE = launcher(GREATER_THAN, "in-place")


def greater_than(
    x: Tensor = ABSENT,
    y: Tensor = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
    other: Any = ABSENT,
) -> Tensor:
    """True where `x` is greater than `y`."""
    if input is not _ or other is not _:
        keywords.check_named("greater_than", 3, _)
        x = keywords.either("greater_than", "x", x, "input", input)
        y = keywords.either("greater_than", "y", y, "other", other)
    if out is not None:
        return destinations.into("greater_than", out, (x, y), lambda: greater_than(x=x, y=y, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("greater_than", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("greater_than", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form1 is not form0 and form1.kind != form0.kind:
        x, y = operands.with_scalar(x, y)
        a0, form0 = x.array, x.form or known_form(x)
        a1, form1 = y.array, y.form or known_form(y)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("greater_than", x, y)
    form = None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("greater_than", x, y),
        GREATER_THAN_DTYPE(form0.dtype, form1.dtype),
    )
    try:
        if not (storage.device.launches and GREATER_THAN_LAUNCHED_ORDINARY((x, y), (a0, a1), array)):
            GREATER_THAN_UFUNC(a0, a1, array)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.listeners:
        mode.notify(
            "greater_than",
            "ordinary",
            (x, y),
            result,
            node,
            depends=dependence(GREATER_THAN, {"x": a0, "y": a1}, array.shape),
        )
    return result


def greater_than_(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """True where `x` is greater than `y`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("greater_than_", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("greater_than_", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("greater_than_", x)
    storage1 = y.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("greater_than_", x, y)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("greater_than_", x, y)
    if storage1 is storage and y is not x:
        operands.check_overlap("greater_than_", x, y)
    dtype = GREATER_THAN_DTYPE(form0.dtype, form1.dtype)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate(
            "greater_than_",
            x,
            lambda: greater_than(x=x, y=y),
            (y,),
            lambda: dependence(GREATER_THAN, {"x": a0, "y": a1}, form0.shape),
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("greater_than_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = GREATER_THAN, (e0, e1), UNFINISHED
            node.forms, node.facts = (form0, form1), NOTHING
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
        if not (storage.device.launches and GREATER_THAN_LAUNCHED_IN_PLACE((x, y), (a0, a1))):
            GREATER_THAN_UFUNC(a0, a1, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "greater_than_", "in-place", (x, y), x, node, depends=dependence(GREATER_THAN, {"x": a0, "y": a1}, a0.shape)
        )
    return x


# ---- greater_equal -------------------------------------------------------------------------------

GREATER_EQUAL = chapter.GREATER_EQUAL
GREATER_EQUAL_DTYPE = required(GREATER_EQUAL.dtype)
GREATER_EQUAL_LAUNCHED_ORDINARY = launcher(GREATER_EQUAL, "ordinary")
GREATER_EQUAL_UFUNC = np.greater_equal
GREATER_EQUAL_LAUNCHED_IN_PLACE = launcher(GREATER_EQUAL, "in-place")


def greater_equal(
    x: Tensor = ABSENT,
    y: Tensor = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
    other: Any = ABSENT,
) -> Tensor:
    """True where `x` is greater than or equal to `y`."""
    if input is not _ or other is not _:
        keywords.check_named("greater_equal", 3, _)
        x = keywords.either("greater_equal", "x", x, "input", input)
        y = keywords.either("greater_equal", "y", y, "other", other)
    if out is not None:
        return destinations.into("greater_equal", out, (x, y), lambda: greater_equal(x=x, y=y, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("greater_equal", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("greater_equal", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form1 is not form0 and form1.kind != form0.kind:
        x, y = operands.with_scalar(x, y)
        a0, form0 = x.array, x.form or known_form(x)
        a1, form1 = y.array, y.form or known_form(y)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("greater_equal", x, y)
    form = None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("greater_equal", x, y),
        GREATER_EQUAL_DTYPE(form0.dtype, form1.dtype),
    )
    try:
        if not (storage.device.launches and GREATER_EQUAL_LAUNCHED_ORDINARY((x, y), (a0, a1), array)):
            GREATER_EQUAL_UFUNC(a0, a1, array)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.listeners:
        mode.notify(
            "greater_equal",
            "ordinary",
            (x, y),
            result,
            node,
            depends=dependence(GREATER_EQUAL, {"x": a0, "y": a1}, array.shape),
        )
    return result


def greater_equal_(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """True where `x` is greater than or equal to `y`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("greater_equal_", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("greater_equal_", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("greater_equal_", x)
    storage1 = y.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("greater_equal_", x, y)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("greater_equal_", x, y)
    if storage1 is storage and y is not x:
        operands.check_overlap("greater_equal_", x, y)
    dtype = GREATER_EQUAL_DTYPE(form0.dtype, form1.dtype)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate(
            "greater_equal_",
            x,
            lambda: greater_equal(x=x, y=y),
            (y,),
            lambda: dependence(GREATER_EQUAL, {"x": a0, "y": a1}, form0.shape),
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("greater_equal_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = GREATER_EQUAL, (e0, e1), UNFINISHED
            node.forms, node.facts = (form0, form1), NOTHING
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
        if not (storage.device.launches and GREATER_EQUAL_LAUNCHED_IN_PLACE((x, y), (a0, a1))):
            GREATER_EQUAL_UFUNC(a0, a1, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "greater_equal_",
            "in-place",
            (x, y),
            x,
            node,
            depends=dependence(GREATER_EQUAL, {"x": a0, "y": a1}, a0.shape),
        )
    return x


# ---- isnan ---------------------------------------------------------------------------------------

ISNAN = chapter.ISNAN
ISNAN_DTYPE = required(ISNAN.dtype)
ISNAN_LAUNCHED_ORDINARY = launcher(ISNAN, "ordinary")
ISNAN_UFUNC = np.isnan


def isnan(x: Tensor = ABSENT, name: str | None = None, _: Any = ABSENT, input: Any = ABSENT) -> Tensor:
    """True where `x` is not a number."""
    if input is not _:
        keywords.check_named("isnan", 2, _)
        x = keywords.either("isnan", "x", x, "input", input)
    if type(x) is not Tensor:
        x = operands.as_tensor("isnan", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fiuc":
        operands.check_dtype("isnan", "fiuc", form0.dtype)
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, ISNAN_DTYPE())
    try:
        if not (storage.device.launches and ISNAN_LAUNCHED_ORDINARY((x,), (a0,), array)):
            ISNAN_UFUNC(a0, array)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.listeners:
        mode.notify("isnan", "ordinary", (x,), result, node, depends=dependence(ISNAN, {"x": a0}, array.shape))
    return result


# ---- isinf ---------------------------------------------------------------------------------------

ISINF = chapter.ISINF
ISINF_DTYPE = required(ISINF.dtype)
ISINF_LAUNCHED_ORDINARY = launcher(ISINF, "ordinary")
ISINF_UFUNC = np.isinf


def isinf(x: Tensor = ABSENT, name: str | None = None, _: Any = ABSENT, input: Any = ABSENT) -> Tensor:
    """True where `x` is infinite."""
    if input is not _:
        keywords.check_named("isinf", 2, _)
        x = keywords.either("isinf", "x", x, "input", input)
    if type(x) is not Tensor:
        x = operands.as_tensor("isinf", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fiuc":
        operands.check_dtype("isinf", "fiuc", form0.dtype)
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, ISINF_DTYPE())
    try:
        if not (storage.device.launches and ISINF_LAUNCHED_ORDINARY((x,), (a0,), array)):
            ISINF_UFUNC(a0, array)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.listeners:
        mode.notify("isinf", "ordinary", (x,), result, node, depends=dependence(ISINF, {"x": a0}, array.shape))
    return result


# ---- isfinite ------------------------------------------------------------------------------------

ISFINITE = chapter.ISFINITE
ISFINITE_DTYPE = required(ISFINITE.dtype)
ISFINITE_LAUNCHED_ORDINARY = launcher(ISFINITE, "ordinary")
ISFINITE_UFUNC = np.isfinite


def isfinite(x: Tensor = ABSENT, name: str | None = None, _: Any = ABSENT, input: Any = ABSENT) -> Tensor:
    """True where `x` is neither infinite nor NaN."""
    if input is not _:
        keywords.check_named("isfinite", 2, _)
        x = keywords.either("isfinite", "x", x, "input", input)
    if type(x) is not Tensor:
        x = operands.as_tensor("isfinite", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fiuc":
        operands.check_dtype("isfinite", "fiuc", form0.dtype)
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, ISFINITE_DTYPE())
    try:
        if not (storage.device.launches and ISFINITE_LAUNCHED_ORDINARY((x,), (a0,), array)):
            ISFINITE_UFUNC(a0, array)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.listeners:
        mode.notify("isfinite", "ordinary", (x,), result, node, depends=dependence(ISFINITE, {"x": a0}, array.shape))
    return result


# ---- logical_and ---------------------------------------------------------------------------------

LOGICAL_AND = chapter.LOGICAL_AND
LOGICAL_AND_DTYPE = required(LOGICAL_AND.dtype)
LOGICAL_AND_LAUNCHED_ORDINARY = launcher(LOGICAL_AND, "ordinary")
LOGICAL_AND_UFUNC = np.logical_and
LOGICAL_AND_LAUNCHED_IN_PLACE = launcher(LOGICAL_AND, "in-place")


def logical_and(
    x: Tensor = ABSENT,
    y: Tensor = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
    other: Any = ABSENT,
) -> Tensor:
    """True where both `x` and `y` are different from zero."""
    if input is not _ or other is not _:
        keywords.check_named("logical_and", 3, _)
        x = keywords.either("logical_and", "x", x, "input", input)
        y = keywords.either("logical_and", "y", y, "other", other)
    if out is not None:
        return destinations.into("logical_and", out, (x, y), lambda: logical_and(x=x, y=y, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("logical_and", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("logical_and", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("logical_and", x, y)
    form = None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("logical_and", x, y),
        LOGICAL_AND_DTYPE(form0.dtype, form1.dtype),
    )
    try:
        if not (storage.device.launches and LOGICAL_AND_LAUNCHED_ORDINARY((x, y), (a0, a1), array)):
            LOGICAL_AND_UFUNC(a0, a1, array)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.listeners:
        mode.notify(
            "logical_and",
            "ordinary",
            (x, y),
            result,
            node,
            depends=dependence(LOGICAL_AND, {"x": a0, "y": a1}, array.shape),
        )
    return result


def logical_and_(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """True where both `x` and `y` are different from zero."""
    if type(x) is not Tensor:
        x = operands.as_tensor("logical_and_", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("logical_and_", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("logical_and_", x)
    storage1 = y.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("logical_and_", x, y)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("logical_and_", x, y)
    if storage1 is storage and y is not x:
        operands.check_overlap("logical_and_", x, y)
    dtype = LOGICAL_AND_DTYPE(form0.dtype, form1.dtype)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate(
            "logical_and_",
            x,
            lambda: logical_and(x=x, y=y),
            (y,),
            lambda: dependence(LOGICAL_AND, {"x": a0, "y": a1}, form0.shape),
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("logical_and_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = LOGICAL_AND, (e0, e1), UNFINISHED
            node.forms, node.facts = (form0, form1), NOTHING
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
        if not (storage.device.launches and LOGICAL_AND_LAUNCHED_IN_PLACE((x, y), (a0, a1))):
            LOGICAL_AND_UFUNC(a0, a1, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "logical_and_", "in-place", (x, y), x, node, depends=dependence(LOGICAL_AND, {"x": a0, "y": a1}, a0.shape)
        )
    return x


# ---- logical_or ----------------------------------------------------------------------------------

LOGICAL_OR = chapter.LOGICAL_OR
LOGICAL_OR_DTYPE = required(LOGICAL_OR.dtype)
LOGICAL_OR_LAUNCHED_ORDINARY = launcher(LOGICAL_OR, "ordinary")
LOGICAL_OR_UFUNC = np.logical_or
LOGICAL_OR_LAUNCHED_IN_PLACE = launcher(LOGICAL_OR, "in-place")


def logical_or(
    x: Tensor = ABSENT,
    y: Tensor = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
    other: Any = ABSENT,
) -> Tensor:
    """True where `x` or `y` or both are different from zero."""
    if input is not _ or other is not _:
        keywords.check_named("logical_or", 3, _)
        x = keywords.either("logical_or", "x", x, "input", input)
        y = keywords.either("logical_or", "y", y, "other", other)
    if out is not None:
        return destinations.into("logical_or", out, (x, y), lambda: logical_or(x=x, y=y, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("logical_or", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("logical_or", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("logical_or", x, y)
    form = None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("logical_or", x, y),
        LOGICAL_OR_DTYPE(form0.dtype, form1.dtype),
    )
    try:
        if not (storage.device.launches and LOGICAL_OR_LAUNCHED_ORDINARY((x, y), (a0, a1), array)):
            LOGICAL_OR_UFUNC(a0, a1, array)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.listeners:
        mode.notify(
            "logical_or",
            "ordinary",
            (x, y),
            result,
            node,
            depends=dependence(LOGICAL_OR, {"x": a0, "y": a1}, array.shape),
        )
    return result


def logical_or_(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """True where `x` or `y` or both are different from zero."""
    if type(x) is not Tensor:
        x = operands.as_tensor("logical_or_", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("logical_or_", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("logical_or_", x)
    storage1 = y.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("logical_or_", x, y)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("logical_or_", x, y)
    if storage1 is storage and y is not x:
        operands.check_overlap("logical_or_", x, y)
    dtype = LOGICAL_OR_DTYPE(form0.dtype, form1.dtype)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate(
            "logical_or_",
            x,
            lambda: logical_or(x=x, y=y),
            (y,),
            lambda: dependence(LOGICAL_OR, {"x": a0, "y": a1}, form0.shape),
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("logical_or_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = LOGICAL_OR, (e0, e1), UNFINISHED
            node.forms, node.facts = (form0, form1), NOTHING
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
        if not (storage.device.launches and LOGICAL_OR_LAUNCHED_IN_PLACE((x, y), (a0, a1))):
            LOGICAL_OR_UFUNC(a0, a1, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "logical_or_", "in-place", (x, y), x, node, depends=dependence(LOGICAL_OR, {"x": a0, "y": a1}, a0.shape)
        )
    return x


# ---- logical_xor ---------------------------------------------------------------------------------

LOGICAL_XOR = chapter.LOGICAL_XOR
LOGICAL_XOR_DTYPE = required(LOGICAL_XOR.dtype)
LOGICAL_XOR_LAUNCHED_ORDINARY = launcher(LOGICAL_XOR, "ordinary")
LOGICAL_XOR_UFUNC = np.logical_xor
LOGICAL_XOR_LAUNCHED_IN_PLACE = launcher(LOGICAL_XOR, "in-place")


def logical_xor(
    x: Tensor = ABSENT,
    y: Tensor = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
    other: Any = ABSENT,
) -> Tensor:
    """True where exactly one of `x` and `y` is different from zero."""
    if input is not _ or other is not _:
        keywords.check_named("logical_xor", 3, _)
        x = keywords.either("logical_xor", "x", x, "input", input)
        y = keywords.either("logical_xor", "y", y, "other", other)
    if out is not None:
        return destinations.into("logical_xor", out, (x, y), lambda: logical_xor(x=x, y=y, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("logical_xor", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("logical_xor", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("logical_xor", x, y)
    form = None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("logical_xor", x, y),
        LOGICAL_XOR_DTYPE(form0.dtype, form1.dtype),
    )
    try:
        if not (storage.device.launches and LOGICAL_XOR_LAUNCHED_ORDINARY((x, y), (a0, a1), array)):
            LOGICAL_XOR_UFUNC(a0, a1, array)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.listeners:
        mode.notify(
            "logical_xor",
            "ordinary",
            (x, y),
            result,
            node,
            depends=dependence(LOGICAL_XOR, {"x": a0, "y": a1}, array.shape),
        )
    return result


def logical_xor_(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """True where exactly one of `x` and `y` is different from zero."""
    if type(x) is not Tensor:
        x = operands.as_tensor("logical_xor_", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("logical_xor_", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("logical_xor_", x)
    storage1 = y.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("logical_xor_", x, y)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("logical_xor_", x, y)
    if storage1 is storage and y is not x:
        operands.check_overlap("logical_xor_", x, y)
    dtype = LOGICAL_XOR_DTYPE(form0.dtype, form1.dtype)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate(
            "logical_xor_",
            x,
            lambda: logical_xor(x=x, y=y),
            (y,),
            lambda: dependence(LOGICAL_XOR, {"x": a0, "y": a1}, form0.shape),
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("logical_xor_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = LOGICAL_XOR, (e0, e1), UNFINISHED
            node.forms, node.facts = (form0, form1), NOTHING
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
        if not (storage.device.launches and LOGICAL_XOR_LAUNCHED_IN_PLACE((x, y), (a0, a1))):
            LOGICAL_XOR_UFUNC(a0, a1, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "logical_xor_", "in-place", (x, y), x, node, depends=dependence(LOGICAL_XOR, {"x": a0, "y": a1}, a0.shape)
        )
    return x


# ---- logical_not ---------------------------------------------------------------------------------

LOGICAL_NOT = chapter.LOGICAL_NOT
LOGICAL_NOT_DTYPE = required(LOGICAL_NOT.dtype)
LOGICAL_NOT_LAUNCHED_ORDINARY = launcher(LOGICAL_NOT, "ordinary")
LOGICAL_NOT_UFUNC = np.logical_not
LOGICAL_NOT_LAUNCHED_IN_PLACE = launcher(LOGICAL_NOT, "in-place")


def logical_not(
    x: Tensor = ABSENT, name: str | None = None, _: Any = ABSENT, out: Tensor | None = None, input: Any = ABSENT
) -> Tensor:
    """True where `x` is zero."""
    if input is not _:
        keywords.check_named("logical_not", 2, _)
        x = keywords.either("logical_not", "x", x, "input", input)
    if out is not None:
        return destinations.into("logical_not", out, (x,), lambda: logical_not(x=x, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("logical_not", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, LOGICAL_NOT_DTYPE())
    try:
        if not (storage.device.launches and LOGICAL_NOT_LAUNCHED_ORDINARY((x,), (a0,), array)):
            LOGICAL_NOT_UFUNC(a0, array)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.listeners:
        mode.notify(
            "logical_not", "ordinary", (x,), result, node, depends=dependence(LOGICAL_NOT, {"x": a0}, array.shape)
        )
    return result


def logical_not_(x: Tensor, name: str | None = None) -> Tensor:
    """True where `x` is zero."""
    if type(x) is not Tensor:
        x = operands.as_tensor("logical_not_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("logical_not_", x)
    dtype = LOGICAL_NOT_DTYPE()
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate(
            "logical_not_", x, lambda: logical_not(x=x), (), lambda: dependence(LOGICAL_NOT, {"x": a0}, form0.shape)
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("logical_not_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = LOGICAL_NOT, (e0,), UNFINISHED
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
        if not (storage.device.launches and LOGICAL_NOT_LAUNCHED_IN_PLACE((x,), (a0,))):
            LOGICAL_NOT_UFUNC(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("logical_not_", "in-place", (x,), x, node, depends=dependence(LOGICAL_NOT, {"x": a0}, a0.shape))
    return x


# ---- bitwise_and ---------------------------------------------------------------------------------

BITWISE_AND = chapter.BITWISE_AND
BITWISE_AND_DTYPE = required(BITWISE_AND.dtype)
BITWISE_AND_LAUNCHED_ORDINARY = launcher(BITWISE_AND, "ordinary")
BITWISE_AND_UFUNC = np.bitwise_and
BITWISE_AND_LAUNCHED_IN_PLACE = launcher(BITWISE_AND, "in-place")


def bitwise_and(x: Tensor, y: Tensor, out: Tensor | None = None, name: str | None = None) -> Tensor:
    """The bits that are set in both `x` and `y`."""
    if out is not None:
        return destinations.into("bitwise_and", out, (x, y), lambda: bitwise_and(x=x, y=y, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("bitwise_and", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("bitwise_and", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form0.kind not in "iub":
        operands.check_dtype("bitwise_and", "iub", form0.dtype)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("bitwise_and", x, y)
    form = None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("bitwise_and", x, y),
        BITWISE_AND_DTYPE(form0.dtype, form1.dtype),
    )
    try:
        if not (storage.device.launches and BITWISE_AND_LAUNCHED_ORDINARY((x, y), (a0, a1), array)):
            BITWISE_AND_UFUNC(a0, a1, array)
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
            node.row, node.edges, node.kept = BITWISE_AND, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "bitwise_and",
            "ordinary",
            (x, y),
            result,
            node,
            depends=dependence(BITWISE_AND, {"x": a0, "y": a1}, array.shape),
        )
    return result


def bitwise_and_(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """The bits that are set in both `x` and `y`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("bitwise_and_", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("bitwise_and_", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("bitwise_and_", x)
    storage1 = y.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("bitwise_and_", x, y)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("bitwise_and_", x, y)
    if storage1 is storage and y is not x:
        operands.check_overlap("bitwise_and_", x, y)
    if form0.kind not in "iub":
        operands.check_dtype("bitwise_and_", "iub", form0.dtype)
    dtype = BITWISE_AND_DTYPE(form0.dtype, form1.dtype)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate(
            "bitwise_and_",
            x,
            lambda: bitwise_and(x=x, y=y),
            (y,),
            lambda: dependence(BITWISE_AND, {"x": a0, "y": a1}, form0.shape),
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("bitwise_and_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = BITWISE_AND, (e0, e1), UNFINISHED
            node.forms, node.facts = (form0, form1), NOTHING
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
        if not (storage.device.launches and BITWISE_AND_LAUNCHED_IN_PLACE((x, y), (a0, a1))):
            BITWISE_AND_UFUNC(a0, a1, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "bitwise_and_", "in-place", (x, y), x, node, depends=dependence(BITWISE_AND, {"x": a0, "y": a1}, a0.shape)
        )
    return x


# ---- bitwise_or ----------------------------------------------------------------------------------

BITWISE_OR = chapter.BITWISE_OR
BITWISE_OR_DTYPE = required(BITWISE_OR.dtype)
BITWISE_OR_LAUNCHED_ORDINARY = launcher(BITWISE_OR, "ordinary")
BITWISE_OR_UFUNC = np.bitwise_or
BITWISE_OR_LAUNCHED_IN_PLACE = launcher(BITWISE_OR, "in-place")


def bitwise_or(
    x: Tensor = ABSENT,
    y: Tensor = ABSENT,
    out: Tensor | None = None,
    name: str | None = None,
    _: Any = ABSENT,
    input: Any = ABSENT,
    other: Any = ABSENT,
) -> Tensor:
    """The bits that are set in `x`, in `y`, or in both."""
    if input is not _ or other is not _:
        keywords.check_named("bitwise_or", 4, _)
        x = keywords.either("bitwise_or", "x", x, "input", input)
        y = keywords.either("bitwise_or", "y", y, "other", other)
    if out is not None:
        return destinations.into("bitwise_or", out, (x, y), lambda: bitwise_or(x=x, y=y, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("bitwise_or", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("bitwise_or", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form0.kind not in "iub":
        operands.check_dtype("bitwise_or", "iub", form0.dtype)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("bitwise_or", x, y)
    form = None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("bitwise_or", x, y),
        BITWISE_OR_DTYPE(form0.dtype, form1.dtype),
    )
    try:
        if not (storage.device.launches and BITWISE_OR_LAUNCHED_ORDINARY((x, y), (a0, a1), array)):
            BITWISE_OR_UFUNC(a0, a1, array)
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
            node.row, node.edges, node.kept = BITWISE_OR, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "bitwise_or",
            "ordinary",
            (x, y),
            result,
            node,
            depends=dependence(BITWISE_OR, {"x": a0, "y": a1}, array.shape),
        )
    return result


def bitwise_or_(
    x: Tensor = ABSENT,
    y: Tensor = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    input: Any = ABSENT,
    other: Any = ABSENT,
) -> Tensor:
    """The bits that are set in `x`, in `y`, or in both."""
    if input is not _ or other is not _:
        keywords.check_named("bitwise_or_", 3, _)
        x = keywords.either("bitwise_or_", "x", x, "input", input)
        y = keywords.either("bitwise_or_", "y", y, "other", other)
    if type(x) is not Tensor:
        x = operands.as_tensor("bitwise_or_", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("bitwise_or_", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("bitwise_or_", x)
    storage1 = y.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("bitwise_or_", x, y)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("bitwise_or_", x, y)
    if storage1 is storage and y is not x:
        operands.check_overlap("bitwise_or_", x, y)
    if form0.kind not in "iub":
        operands.check_dtype("bitwise_or_", "iub", form0.dtype)
    dtype = BITWISE_OR_DTYPE(form0.dtype, form1.dtype)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate(
            "bitwise_or_",
            x,
            lambda: bitwise_or(x=x, y=y),
            (y,),
            lambda: dependence(BITWISE_OR, {"x": a0, "y": a1}, form0.shape),
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("bitwise_or_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = BITWISE_OR, (e0, e1), UNFINISHED
            node.forms, node.facts = (form0, form1), NOTHING
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
        if not (storage.device.launches and BITWISE_OR_LAUNCHED_IN_PLACE((x, y), (a0, a1))):
            BITWISE_OR_UFUNC(a0, a1, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "bitwise_or_", "in-place", (x, y), x, node, depends=dependence(BITWISE_OR, {"x": a0, "y": a1}, a0.shape)
        )
    return x


# ---- bitwise_xor ---------------------------------------------------------------------------------

BITWISE_XOR = chapter.BITWISE_XOR
BITWISE_XOR_DTYPE = required(BITWISE_XOR.dtype)
BITWISE_XOR_LAUNCHED_ORDINARY = launcher(BITWISE_XOR, "ordinary")
BITWISE_XOR_UFUNC = np.bitwise_xor
BITWISE_XOR_LAUNCHED_IN_PLACE = launcher(BITWISE_XOR, "in-place")


def bitwise_xor(x: Tensor, y: Tensor, out: Tensor | None = None, name: str | None = None) -> Tensor:
    """The bits in which `x` and `y` differ."""
    if out is not None:
        return destinations.into("bitwise_xor", out, (x, y), lambda: bitwise_xor(x=x, y=y, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("bitwise_xor", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("bitwise_xor", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form0.kind not in "iub":
        operands.check_dtype("bitwise_xor", "iub", form0.dtype)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("bitwise_xor", x, y)
    form = None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("bitwise_xor", x, y),
        BITWISE_XOR_DTYPE(form0.dtype, form1.dtype),
    )
    try:
        if not (storage.device.launches and BITWISE_XOR_LAUNCHED_ORDINARY((x, y), (a0, a1), array)):
            BITWISE_XOR_UFUNC(a0, a1, array)
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
            node.row, node.edges, node.kept = BITWISE_XOR, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "bitwise_xor",
            "ordinary",
            (x, y),
            result,
            node,
            depends=dependence(BITWISE_XOR, {"x": a0, "y": a1}, array.shape),
        )
    return result


def bitwise_xor_(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """The bits in which `x` and `y` differ."""
    if type(x) is not Tensor:
        x = operands.as_tensor("bitwise_xor_", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("bitwise_xor_", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("bitwise_xor_", x)
    storage1 = y.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("bitwise_xor_", x, y)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("bitwise_xor_", x, y)
    if storage1 is storage and y is not x:
        operands.check_overlap("bitwise_xor_", x, y)
    if form0.kind not in "iub":
        operands.check_dtype("bitwise_xor_", "iub", form0.dtype)
    dtype = BITWISE_XOR_DTYPE(form0.dtype, form1.dtype)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate(
            "bitwise_xor_",
            x,
            lambda: bitwise_xor(x=x, y=y),
            (y,),
            lambda: dependence(BITWISE_XOR, {"x": a0, "y": a1}, form0.shape),
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("bitwise_xor_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = BITWISE_XOR, (e0, e1), UNFINISHED
            node.forms, node.facts = (form0, form1), NOTHING
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
        if not (storage.device.launches and BITWISE_XOR_LAUNCHED_IN_PLACE((x, y), (a0, a1))):
            BITWISE_XOR_UFUNC(a0, a1, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "bitwise_xor_", "in-place", (x, y), x, node, depends=dependence(BITWISE_XOR, {"x": a0, "y": a1}, a0.shape)
        )
    return x


# ---- bitwise_not ---------------------------------------------------------------------------------

BITWISE_NOT = chapter.BITWISE_NOT
BITWISE_NOT_UFUNC = np.invert
BITWISE_NOT_LAUNCHED_ORDINARY = launcher(BITWISE_NOT, "ordinary")
BITWISE_NOT_LAUNCHED_IN_PLACE = launcher(BITWISE_NOT, "in-place")


def bitwise_not(x: Tensor, out: Tensor | None = None, name: str | None = None) -> Tensor:
    """Invert every bit; for bools, the logical not."""
    if out is not None:
        return destinations.into("bitwise_not", out, (x,), lambda: bitwise_not(x=x, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("bitwise_not", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "iub":
        operands.check_dtype("bitwise_not", "iub", form0.dtype)
    storage = x.storage
    array: Any = None
    if a0 is x.storage.buffer and form0.shape and (not storage.device.launches):
        form: Form | None = form0
        try:
            array = BITWISE_NOT_UFUNC(a0)
        except RuntimeWarning:
            pass
    if array is None:
        form = form0
        array = storage.device.empty(form0.shape, form0.dtype)
        try:
            if not (storage.device.launches and BITWISE_NOT_LAUNCHED_ORDINARY((x,), (a0,), array)):
                BITWISE_NOT_UFUNC(a0, array)
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
            node.row, node.edges, node.kept = BITWISE_NOT, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "bitwise_not", "ordinary", (x,), result, node, depends=dependence(BITWISE_NOT, {"x": a0}, array.shape)
        )
    return result


def bitwise_not_(x: Tensor, name: str | None = None) -> Tensor:
    """Invert every bit; for bools, the logical not."""
    if type(x) is not Tensor:
        x = operands.as_tensor("bitwise_not_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("bitwise_not_", x)
    if form0.kind not in "iub":
        operands.check_dtype("bitwise_not_", "iub", form0.dtype)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("bitwise_not_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = BITWISE_NOT, (e0,), UNFINISHED
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
        if not (storage.device.launches and BITWISE_NOT_LAUNCHED_IN_PLACE((x,), (a0,))):
            BITWISE_NOT_UFUNC(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("bitwise_not_", "in-place", (x,), x, node, depends=dependence(BITWISE_NOT, {"x": a0}, a0.shape))
    return x


# ---- bitwise_left_shift --------------------------------------------------------------------------

BITWISE_LEFT_SHIFT = chapter.BITWISE_LEFT_SHIFT
BITWISE_LEFT_SHIFT_DTYPE = required(BITWISE_LEFT_SHIFT.dtype)
BITWISE_LEFT_SHIFT_LAUNCHED_ORDINARY = launcher(BITWISE_LEFT_SHIFT, "ordinary")
BITWISE_LEFT_SHIFT_UFUNC = np.left_shift
BITWISE_LEFT_SHIFT_LAUNCHED_IN_PLACE = launcher(BITWISE_LEFT_SHIFT, "in-place")


def bitwise_left_shift(
    x: Tensor, y: Tensor, is_arithmetic: Any = True, out: Tensor | None = None, name: str | None = None
) -> Tensor:
    """Shift the bits of `x` to the left by `y` places."""
    if out is not None:
        return destinations.into(
            "bitwise_left_shift",
            out,
            (x, y),
            lambda: bitwise_left_shift(x=x, y=y, is_arithmetic=is_arithmetic, name=name),
        )
    if type(x) is not Tensor:
        x = operands.as_tensor("bitwise_left_shift", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("bitwise_left_shift", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form0.kind not in "iu":
        operands.check_dtype("bitwise_left_shift", "iu", form0.dtype)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("bitwise_left_shift", x, y)
    form = None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("bitwise_left_shift", x, y),
        BITWISE_LEFT_SHIFT_DTYPE(form0.dtype, form1.dtype),
    )
    try:
        if not (storage.device.launches and BITWISE_LEFT_SHIFT_LAUNCHED_ORDINARY((x, y), (a0, a1), array)):
            BITWISE_LEFT_SHIFT_UFUNC(a0, a1, array)
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
            node.row, node.edges, node.kept = BITWISE_LEFT_SHIFT, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "bitwise_left_shift",
            "ordinary",
            (x, y),
            result,
            node,
            depends=dependence(BITWISE_LEFT_SHIFT, {"x": a0, "y": a1, "is_arithmetic": is_arithmetic}, array.shape),
        )
    return result


def bitwise_left_shift_(x: Tensor, y: Tensor, is_arithmetic: Any = True, name: str | None = None) -> Tensor:
    """Shift the bits of `x` to the left by `y` places."""
    if type(x) is not Tensor:
        x = operands.as_tensor("bitwise_left_shift_", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("bitwise_left_shift_", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("bitwise_left_shift_", x)
    storage1 = y.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("bitwise_left_shift_", x, y)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("bitwise_left_shift_", x, y)
    if storage1 is storage and y is not x:
        operands.check_overlap("bitwise_left_shift_", x, y)
    if form0.kind not in "iu":
        operands.check_dtype("bitwise_left_shift_", "iu", form0.dtype)
    dtype = BITWISE_LEFT_SHIFT_DTYPE(form0.dtype, form1.dtype)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate(
            "bitwise_left_shift_",
            x,
            lambda: bitwise_left_shift(x=x, y=y, is_arithmetic=is_arithmetic),
            (y,),
            lambda: dependence(BITWISE_LEFT_SHIFT, {"x": a0, "y": a1, "is_arithmetic": is_arithmetic}, form0.shape),
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("bitwise_left_shift_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = BITWISE_LEFT_SHIFT, (e0, e1), UNFINISHED
            node.forms, node.facts = (form0, form1), NOTHING
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
        if not (storage.device.launches and BITWISE_LEFT_SHIFT_LAUNCHED_IN_PLACE((x, y), (a0, a1))):
            BITWISE_LEFT_SHIFT_UFUNC(a0, a1, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "bitwise_left_shift_",
            "in-place",
            (x, y),
            x,
            node,
            depends=dependence(BITWISE_LEFT_SHIFT, {"x": a0, "y": a1, "is_arithmetic": is_arithmetic}, a0.shape),
        )
    return x


# ---- bitwise_right_shift -------------------------------------------------------------------------

BITWISE_RIGHT_SHIFT = chapter.BITWISE_RIGHT_SHIFT
BITWISE_RIGHT_SHIFT_DTYPE = required(BITWISE_RIGHT_SHIFT.dtype)
BITWISE_RIGHT_SHIFT_LAUNCHED_ORDINARY = launcher(BITWISE_RIGHT_SHIFT, "ordinary")
BITWISE_RIGHT_SHIFT_KERNEL = chapter._right_shift
BITWISE_RIGHT_SHIFT_LAUNCHED_IN_PLACE = launcher(BITWISE_RIGHT_SHIFT, "in-place")


def bitwise_right_shift(
    x: Tensor, y: Tensor, is_arithmetic: Any = True, out: Tensor | None = None, name: str | None = None
) -> Tensor:
    """Shift the bits of `x` to the right by `y` places; copies of the sign bit come in from the left, or zeros if `is_arithmetic` is False."""
    if out is not None:
        return destinations.into(
            "bitwise_right_shift",
            out,
            (x, y),
            lambda: bitwise_right_shift(x=x, y=y, is_arithmetic=is_arithmetic, name=name),
        )
    if type(x) is not Tensor:
        x = operands.as_tensor("bitwise_right_shift", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("bitwise_right_shift", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form0.kind not in "iu":
        operands.check_dtype("bitwise_right_shift", "iu", form0.dtype)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("bitwise_right_shift", x, y)
    form = None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("bitwise_right_shift", x, y),
        BITWISE_RIGHT_SHIFT_DTYPE(form0.dtype, form1.dtype),
    )
    try:
        if not (
            storage.device.launches
            and BITWISE_RIGHT_SHIFT_LAUNCHED_ORDINARY((x, y), (a0, a1), array, is_arithmetic=is_arithmetic)
        ):
            BITWISE_RIGHT_SHIFT_KERNEL(array, a0, a1, is_arithmetic)
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
            node.row, node.edges, node.kept = BITWISE_RIGHT_SHIFT, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "bitwise_right_shift",
            "ordinary",
            (x, y),
            result,
            node,
            depends=dependence(BITWISE_RIGHT_SHIFT, {"x": a0, "y": a1, "is_arithmetic": is_arithmetic}, array.shape),
        )
    return result


def bitwise_right_shift_(x: Tensor, y: Tensor, is_arithmetic: Any = True, name: str | None = None) -> Tensor:
    """Shift the bits of `x` to the right by `y` places; copies of the sign bit come in from the left, or zeros if `is_arithmetic` is False."""
    if type(x) is not Tensor:
        x = operands.as_tensor("bitwise_right_shift_", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("bitwise_right_shift_", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("bitwise_right_shift_", x)
    storage1 = y.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("bitwise_right_shift_", x, y)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("bitwise_right_shift_", x, y)
    if storage1 is storage and y is not x:
        operands.check_overlap("bitwise_right_shift_", x, y)
    if form0.kind not in "iu":
        operands.check_dtype("bitwise_right_shift_", "iu", form0.dtype)
    dtype = BITWISE_RIGHT_SHIFT_DTYPE(form0.dtype, form1.dtype)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate(
            "bitwise_right_shift_",
            x,
            lambda: bitwise_right_shift(x=x, y=y, is_arithmetic=is_arithmetic),
            (y,),
            lambda: dependence(BITWISE_RIGHT_SHIFT, {"x": a0, "y": a1, "is_arithmetic": is_arithmetic}, form0.shape),
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("bitwise_right_shift_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = BITWISE_RIGHT_SHIFT, (e0, e1), UNFINISHED
            node.forms, node.facts = (form0, form1), NOTHING
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
        if not (
            storage.device.launches
            and BITWISE_RIGHT_SHIFT_LAUNCHED_IN_PLACE((x, y), (a0, a1), is_arithmetic=is_arithmetic)
        ):
            BITWISE_RIGHT_SHIFT_KERNEL(a0, a0, a1, is_arithmetic)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "bitwise_right_shift_",
            "in-place",
            (x, y),
            x,
            node,
            depends=dependence(BITWISE_RIGHT_SHIFT, {"x": a0, "y": a1, "is_arithmetic": is_arithmetic}, a0.shape),
        )
    return x


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
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
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
            node.row, node.edges, node.kept = MAXIMUM, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
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
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
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
            node.row, node.edges, node.kept = MINIMUM, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
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
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
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
            node.row, node.edges, node.kept = FMAX, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
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
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
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
            node.row, node.edges, node.kept = FMIN, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
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
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
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
            node.row, node.edges, node.kept = HEAVISIDE, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
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
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage, base = x.storage, x.base
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
            node.row, node.edges, node.kept = HEAVISIDE, (e0, e1), UNFINISHED
            node.forms, node.facts = (form0, form1), NOTHING
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
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = condition.array, condition.form or known_form(condition)
    a2, form2 = y.array, y.form or known_form(y)
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
            node.row, node.edges, node.kept = WHERE, (e0, e1, e2), kept
            node.forms, node.facts = (form0, form1, form2), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
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
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = condition.array, condition.form or known_form(condition)
    a2, form2 = y.array, y.form or known_form(y)
    storage, base = x.storage, x.base
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
            node.row, node.edges, node.kept = WHERE, (e0, e1, e2), UNFINISHED
            node.forms, node.facts = (form0, form1, form2), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
    touched = slots_touched(WHERE, x, {"x": a0, "condition": a1, "y": a2}) if mode.listeners else NOTHING
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
