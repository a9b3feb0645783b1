"""The functions of the rows in `inplacelab/ops/comparisons.py`.

Generated: `python -m inplacelab.ops.table.generate` writes this file. Do not edit it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab.autograd.history import accumulator, check_leaf, edge, rebase, refresh
from inplacelab.autograd.nodes import NOTHING, UNFINISHED, OpNode, new_node, next_serial
from inplacelab.autograd.saved import Saved
from inplacelab.layout import common_shape
from inplacelab.modes import current as current_modes
from inplacelab.ops import comparisons as chapter
from inplacelab.ops.arguments import keywords, operands
from inplacelab.ops.arguments.keywords import ABSENT
from inplacelab.ops.results import destinations
from inplacelab.ops.results.kernel_tools import launcher
from inplacelab.ops.table.depends import dependence
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
    a0, form0 = (x.array, x.form or known_form(x))
    a1, form1 = (y.array, y.form or known_form(y))
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
    a0, form0 = (x.array, x.form or known_form(x))
    a1, form1 = (y.array, y.form or known_form(y))
    storage, base = (x.storage, x.base)
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
            node.row, node.edges, node.kept = (EQUAL, (e0, e1), UNFINISHED)
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
    a0, form0 = (x.array, x.form or known_form(x))
    a1, form1 = (y.array, y.form or known_form(y))
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
    a0, form0 = (x.array, x.form or known_form(x))
    a1, form1 = (y.array, y.form or known_form(y))
    storage, base = (x.storage, x.base)
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
            node.row, node.edges, node.kept = (NOT_EQUAL, (e0, e1), UNFINISHED)
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
    a0, form0 = (x.array, x.form or known_form(x))
    a1, form1 = (y.array, y.form or known_form(y))
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
    a0, form0 = (x.array, x.form or known_form(x))
    a1, form1 = (y.array, y.form or known_form(y))
    storage, base = (x.storage, x.base)
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
            node.row, node.edges, node.kept = (LESS_THAN, (e0, e1), UNFINISHED)
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
    a0, form0 = (x.array, x.form or known_form(x))
    a1, form1 = (y.array, y.form or known_form(y))
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
    a0, form0 = (x.array, x.form or known_form(x))
    a1, form1 = (y.array, y.form or known_form(y))
    storage, base = (x.storage, x.base)
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
            node.row, node.edges, node.kept = (LESS_EQUAL, (e0, e1), UNFINISHED)
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
    a0, form0 = (x.array, x.form or known_form(x))
    a1, form1 = (y.array, y.form or known_form(y))
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
    a0, form0 = (x.array, x.form or known_form(x))
    a1, form1 = (y.array, y.form or known_form(y))
    storage, base = (x.storage, x.base)
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
            node.row, node.edges, node.kept = (GREATER_THAN, (e0, e1), UNFINISHED)
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
    a0, form0 = (x.array, x.form or known_form(x))
    a1, form1 = (y.array, y.form or known_form(y))
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
    a0, form0 = (x.array, x.form or known_form(x))
    a1, form1 = (y.array, y.form or known_form(y))
    storage, base = (x.storage, x.base)
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
            node.row, node.edges, node.kept = (GREATER_EQUAL, (e0, e1), UNFINISHED)
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
    a0, form0 = (x.array, x.form or known_form(x))
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
    a0, form0 = (x.array, x.form or known_form(x))
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
    a0, form0 = (x.array, x.form or known_form(x))
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
