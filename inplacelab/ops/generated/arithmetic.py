"""The functions of the rows in `inplacelab/ops/arithmetic.py`.

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
from inplacelab.ops import arithmetic as chapter
from inplacelab.ops import tensor_methods
from inplacelab.ops.arguments import keywords, operands
from inplacelab.ops.arguments.keywords import ABSENT
from inplacelab.ops.results import destinations, kernel_tools
from inplacelab.ops.results.kernel_tools import launcher
from inplacelab.ops.table.depends import dependence
from inplacelab.ops.table.row import required
from inplacelab.tensor import Tensor, fresh, known_form

# ---- add -----------------------------------------------------------------------------------------

ADD = chapter.ADD
ADD_PREPARE_ALPHA = chapter.factor
ADD_UFUNC = np.add
ADD_LAUNCHED_ORDINARY = launcher(ADD, "ordinary")
ADD_KERNEL = chapter._add
ADD_LAUNCHED_IN_PLACE = launcher(ADD, "in-place")
ADD_OTHERWISE = tensor_methods.OF_NUMBERS["__add__"]
ADD_LAUNCHED_OPERATOR = launcher(ADD, "operator")


def add(
    x: Tensor = ABSENT,
    y: Tensor = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    alpha: Any = 1,
    out: Tensor | None = None,
    input: Any = ABSENT,
    other: Any = ABSENT,
) -> Tensor:
    """Add `alpha * y` to `x`, element by element."""
    if input is not _ or other is not _:
        keywords.check_named("add", 3, _)
        x = keywords.either("add", "x", x, "input", input)
        y = keywords.either("add", "y", y, "other", other)
    if out is not None:
        return destinations.into("add", out, (x, y), lambda: add(x=x, y=y, name=name, alpha=alpha))
    if type(x) is not Tensor:
        x = operands.as_tensor("add", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("add", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form1 is not form0 and form1.kind != form0.kind:
        x, y = operands.with_scalar(x, y)
        a0, form0 = x.array, x.form or known_form(x)
        a1, form1 = y.array, y.form or known_form(y)
    plain = type(alpha) is int and alpha == 1
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("add", x, y)
    if not plain:
        alpha = ADD_PREPARE_ALPHA(a0, alpha)
    array: Any = None
    if (
        form1 is form0
        and plain
        and (a0 is x.storage.buffer)
        and (a1 is y.storage.buffer)
        and form0.shape
        and (not storage.device.launches)
    ):
        form: Form | None = form0
        try:
            array = ADD_UFUNC(a0, a1)
        except RuntimeWarning:
            pass
    if array is None:
        form = form0 if form1 is form0 else None
        array = storage.device.empty(
            form0.shape
            if form0.shape == form1.shape
            else common_shape(form0.shape, form1.shape) or operands.broadcast("add", x, y),
            form0.dtype if form0.dtype is form1.dtype else operands.promoted("add", form0.dtype, form1.dtype),
        )
        try:
            if not (storage.device.launches and ADD_LAUNCHED_ORDINARY((x, y), (a0, a1), array, alpha=alpha)):
                if plain:
                    ADD_UFUNC(a0, a1, array)
                else:
                    ADD_KERNEL(array, a0, a1, alpha, storage.device)
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
            node.row, node.edges, node.kept = ADD, (e0, e1), kept
            node.forms, node.facts = (form0, form1), {"alpha": alpha}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "add",
            "ordinary",
            (x, y),
            result,
            node,
            depends=dependence(ADD, {"x": a0, "y": a1, "alpha": alpha}, array.shape),
        )
    return result


def add_(
    x: Tensor = ABSENT,
    y: Tensor = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    alpha: Any = 1,
    other: Any = ABSENT,
) -> Tensor:
    """Add `alpha * y` to `x`, element by element."""
    if other is not _:
        keywords.check_named("add_", 3, _)
        y = keywords.either("add_", "y", y, "other", other)
    if type(x) is not Tensor:
        x = operands.as_tensor("add_", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("add_", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("add_", x)
    storage1 = y.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("add_", x, y)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("add_", x, y)
    if storage1 is storage and y is not x:
        operands.check_overlap("add_", x, y)
    plain = type(alpha) is int and alpha == 1
    if not plain:
        alpha = ADD_PREPARE_ALPHA(a0, alpha)
    if (
        form1 is not form0
        and (form0.dtype if form0.dtype is form1.dtype else operands.promoted("add_", form0.dtype, form1.dtype))
        != form0.dtype
    ):
        return destinations.reallocate(
            "add_",
            x,
            lambda: add(x=x, y=y, alpha=alpha),
            (y,),
            lambda: dependence(ADD, {"x": a0, "y": a1, "alpha": alpha}, form0.shape),
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("add_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = ADD, (e0, e1), UNFINISHED
            node.forms, node.facts = (form0, form1), {"alpha": alpha}
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
        if not (storage.device.launches and ADD_LAUNCHED_IN_PLACE((x, y), (a0, a1), alpha=alpha)):
            if plain:
                ADD_UFUNC(a0, a1, a0)
            else:
                ADD_KERNEL(a0, a0, a1, alpha, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "add_", "in-place", (x, y), x, node, depends=dependence(ADD, {"x": a0, "y": a1, "alpha": alpha}, a0.shape)
        )
    return x


def __add__(x: Tensor, y: Tensor) -> Tensor:
    """Add `alpha * y` to `x`, element by element."""
    if type(x) is not Tensor or type(y) is not Tensor:
        return ADD_OTHERWISE(x, y)
    alpha = 1
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form1 is not form0 and form1.kind != form0.kind:
        x, y = operands.with_scalar(x, y)
        a0, form0 = x.array, x.form or known_form(x)
        a1, form1 = y.array, y.form or known_form(y)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("add", x, y)
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
            array = ADD_UFUNC(a0, a1)
        except RuntimeWarning:
            pass
    if array is None:
        form = form0 if form1 is form0 else None
        array = storage.device.empty(
            form0.shape
            if form0.shape == form1.shape
            else common_shape(form0.shape, form1.shape) or operands.broadcast("add", x, y),
            form0.dtype if form0.dtype is form1.dtype else operands.promoted("add", form0.dtype, form1.dtype),
        )
        try:
            if not (storage.device.launches and ADD_LAUNCHED_OPERATOR((x, y), (a0, a1), array, alpha=alpha)):
                ADD_UFUNC(a0, a1, array)
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
            node.row, node.edges, node.kept = ADD, (e0, e1), kept
            node.forms, node.facts = (form0, form1), {"alpha": alpha}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "add",
            "ordinary",
            (x, y),
            result,
            node,
            depends=dependence(ADD, {"x": a0, "y": a1, "alpha": alpha}, array.shape),
        )
    return result


# ---- subtract ------------------------------------------------------------------------------------

SUBTRACT = chapter.SUBTRACT
SUBTRACT_PREPARE_ALPHA = chapter.factor
SUBTRACT_UFUNC = np.subtract
SUBTRACT_LAUNCHED_ORDINARY = launcher(SUBTRACT, "ordinary")
SUBTRACT_KERNEL = chapter._subtract
SUBTRACT_LAUNCHED_IN_PLACE = launcher(SUBTRACT, "in-place")
SUBTRACT_OTHERWISE = tensor_methods.OF_NUMBERS["__sub__"]
SUBTRACT_LAUNCHED_OPERATOR = launcher(SUBTRACT, "operator")


def subtract(
    x: Tensor = ABSENT,
    y: Tensor = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    alpha: Any = 1,
    out: Tensor | None = None,
    input: Any = ABSENT,
    other: Any = ABSENT,
) -> Tensor:
    """Subtract `alpha * y` from `x`, element by element."""
    if input is not _ or other is not _:
        keywords.check_named("subtract", 3, _)
        x = keywords.either("subtract", "x", x, "input", input)
        y = keywords.either("subtract", "y", y, "other", other)
    if out is not None:
        return destinations.into("subtract", out, (x, y), lambda: subtract(x=x, y=y, name=name, alpha=alpha))
    if type(x) is not Tensor:
        x = operands.as_tensor("subtract", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("subtract", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form1 is not form0 and form1.kind != form0.kind:
        x, y = operands.with_scalar(x, y)
        a0, form0 = x.array, x.form or known_form(x)
        a1, form1 = y.array, y.form or known_form(y)
    if form0.kind not in "fiuc" or form1.dtype is not form0.dtype:
        operands.check_dtype("subtract", "fiuc", form0.dtype, form1.dtype)
    plain = type(alpha) is int and alpha == 1
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("subtract", x, y)
    if not plain:
        alpha = SUBTRACT_PREPARE_ALPHA(a0, alpha)
    array: Any = None
    if (
        form1 is form0
        and plain
        and (a0 is x.storage.buffer)
        and (a1 is y.storage.buffer)
        and form0.shape
        and (not storage.device.launches)
    ):
        form: Form | None = form0
        try:
            array = SUBTRACT_UFUNC(a0, a1)
        except RuntimeWarning:
            pass
    if array is None:
        form = form0 if form1 is form0 else None
        array = storage.device.empty(
            form0.shape
            if form0.shape == form1.shape
            else common_shape(form0.shape, form1.shape) or operands.broadcast("subtract", x, y),
            form0.dtype if form0.dtype is form1.dtype else operands.promoted("subtract", form0.dtype, form1.dtype),
        )
        try:
            if not (storage.device.launches and SUBTRACT_LAUNCHED_ORDINARY((x, y), (a0, a1), array, alpha=alpha)):
                if plain:
                    SUBTRACT_UFUNC(a0, a1, array)
                else:
                    SUBTRACT_KERNEL(array, a0, a1, alpha, storage.device)
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
            node.row, node.edges, node.kept = SUBTRACT, (e0, e1), kept
            node.forms, node.facts = (form0, form1), {"alpha": alpha}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "subtract",
            "ordinary",
            (x, y),
            result,
            node,
            depends=dependence(SUBTRACT, {"x": a0, "y": a1, "alpha": alpha}, array.shape),
        )
    return result


def subtract_(
    x: Tensor = ABSENT,
    y: Tensor = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    alpha: Any = 1,
    input: Any = ABSENT,
    other: Any = ABSENT,
) -> Tensor:
    """Subtract `alpha * y` from `x`, element by element."""
    if input is not _ or other is not _:
        keywords.check_named("subtract_", 3, _)
        x = keywords.either("subtract_", "x", x, "input", input)
        y = keywords.either("subtract_", "y", y, "other", other)
    if type(x) is not Tensor:
        x = operands.as_tensor("subtract_", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("subtract_", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("subtract_", x)
    storage1 = y.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("subtract_", x, y)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("subtract_", x, y)
    if storage1 is storage and y is not x:
        operands.check_overlap("subtract_", x, y)
    if form0.kind not in "fiuc" or form1.dtype is not form0.dtype:
        operands.check_dtype("subtract_", "fiuc", form0.dtype, form1.dtype)
    plain = type(alpha) is int and alpha == 1
    if not plain:
        alpha = SUBTRACT_PREPARE_ALPHA(a0, alpha)
    if (
        form1 is not form0
        and (form0.dtype if form0.dtype is form1.dtype else operands.promoted("subtract_", form0.dtype, form1.dtype))
        != form0.dtype
    ):
        return destinations.reallocate(
            "subtract_",
            x,
            lambda: subtract(x=x, y=y, alpha=alpha),
            (y,),
            lambda: dependence(SUBTRACT, {"x": a0, "y": a1, "alpha": alpha}, form0.shape),
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("subtract_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = SUBTRACT, (e0, e1), UNFINISHED
            node.forms, node.facts = (form0, form1), {"alpha": alpha}
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
        if not (storage.device.launches and SUBTRACT_LAUNCHED_IN_PLACE((x, y), (a0, a1), alpha=alpha)):
            if plain:
                SUBTRACT_UFUNC(a0, a1, a0)
            else:
                SUBTRACT_KERNEL(a0, a0, a1, alpha, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "subtract_",
            "in-place",
            (x, y),
            x,
            node,
            depends=dependence(SUBTRACT, {"x": a0, "y": a1, "alpha": alpha}, a0.shape),
        )
    return x


def __sub__(x: Tensor, y: Tensor) -> Tensor:
    """Subtract `alpha * y` from `x`, element by element."""
    if type(x) is not Tensor or type(y) is not Tensor:
        return SUBTRACT_OTHERWISE(x, y)
    alpha = 1
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form1 is not form0 and form1.kind != form0.kind:
        x, y = operands.with_scalar(x, y)
        a0, form0 = x.array, x.form or known_form(x)
        a1, form1 = y.array, y.form or known_form(y)
    if form0.kind not in "fiuc" or form1.dtype is not form0.dtype:
        operands.check_dtype("subtract", "fiuc", form0.dtype, form1.dtype)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("subtract", x, y)
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
            array = SUBTRACT_UFUNC(a0, a1)
        except RuntimeWarning:
            pass
    if array is None:
        form = form0 if form1 is form0 else None
        array = storage.device.empty(
            form0.shape
            if form0.shape == form1.shape
            else common_shape(form0.shape, form1.shape) or operands.broadcast("subtract", x, y),
            form0.dtype if form0.dtype is form1.dtype else operands.promoted("subtract", form0.dtype, form1.dtype),
        )
        try:
            if not (storage.device.launches and SUBTRACT_LAUNCHED_OPERATOR((x, y), (a0, a1), array, alpha=alpha)):
                SUBTRACT_UFUNC(a0, a1, array)
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
            node.row, node.edges, node.kept = SUBTRACT, (e0, e1), kept
            node.forms, node.facts = (form0, form1), {"alpha": alpha}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "subtract",
            "ordinary",
            (x, y),
            result,
            node,
            depends=dependence(SUBTRACT, {"x": a0, "y": a1, "alpha": alpha}, array.shape),
        )
    return result


# ---- multiply ------------------------------------------------------------------------------------

MULTIPLY = chapter.MULTIPLY
MULTIPLY_UFUNC = np.multiply
MULTIPLY_LAUNCHED_ORDINARY = launcher(MULTIPLY, "ordinary")
MULTIPLY_LAUNCHED_IN_PLACE = launcher(MULTIPLY, "in-place")
MULTIPLY_OTHERWISE = tensor_methods.OF_NUMBERS["__mul__"]
MULTIPLY_LAUNCHED_OPERATOR = launcher(MULTIPLY, "operator")


def multiply(
    x: Tensor = ABSENT,
    y: Tensor = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
    other: Any = ABSENT,
) -> Tensor:
    """Multiply element by element."""
    if input is not _ or other is not _:
        keywords.check_named("multiply", 3, _)
        x = keywords.either("multiply", "x", x, "input", input)
        y = keywords.either("multiply", "y", y, "other", other)
    if out is not None:
        return destinations.into("multiply", out, (x, y), lambda: multiply(x=x, y=y, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("multiply", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("multiply", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form1 is not form0 and form1.kind != form0.kind:
        x, y = operands.with_scalar(x, y)
        a0, form0 = x.array, x.form or known_form(x)
        a1, form1 = y.array, y.form or known_form(y)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("multiply", x, y)
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
            array = MULTIPLY_UFUNC(a0, a1)
        except RuntimeWarning:
            pass
    if array is None:
        form = form0 if form1 is form0 else None
        array = storage.device.empty(
            form0.shape
            if form0.shape == form1.shape
            else common_shape(form0.shape, form1.shape) or operands.broadcast("multiply", x, y),
            form0.dtype if form0.dtype is form1.dtype else operands.promoted("multiply", form0.dtype, form1.dtype),
        )
        try:
            if not (storage.device.launches and MULTIPLY_LAUNCHED_ORDINARY((x, y), (a0, a1), array)):
                MULTIPLY_UFUNC(a0, a1, array)
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
            if e0 is not None:
                kept += (save("y", a1, y.storage, e1),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = MULTIPLY, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "multiply", "ordinary", (x, y), result, node, depends=dependence(MULTIPLY, {"x": a0, "y": a1}, array.shape)
        )
    return result


def multiply_(
    x: Tensor = ABSENT,
    y: Tensor = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    input: Any = ABSENT,
    other: Any = ABSENT,
) -> Tensor:
    """Multiply element by element."""
    if input is not _ or other is not _:
        keywords.check_named("multiply_", 3, _)
        x = keywords.either("multiply_", "x", x, "input", input)
        y = keywords.either("multiply_", "y", y, "other", other)
    if type(x) is not Tensor:
        x = operands.as_tensor("multiply_", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("multiply_", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("multiply_", x)
    storage1 = y.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("multiply_", x, y)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("multiply_", x, y)
    if storage1 is storage and y is not x:
        operands.check_overlap("multiply_", x, y)
    if (
        form1 is not form0
        and (form0.dtype if form0.dtype is form1.dtype else operands.promoted("multiply_", form0.dtype, form1.dtype))
        != form0.dtype
    ):
        return destinations.reallocate(
            "multiply_",
            x,
            lambda: multiply(x=x, y=y),
            (y,),
            lambda: dependence(MULTIPLY, {"x": a0, "y": a1}, form0.shape),
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("multiply_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            if e1 is not None:
                kept += (save_copy("x", a0, storage, e0),)
            if e0 is not None:
                kept += (
                    save("y", a1, storage1, e1) if storage1 is not storage else operands.save_operand("y", y, e1, x),
                )
            node = new_node(OpNode)
            node.row, node.edges, node.kept = MULTIPLY, (e0, e1), UNFINISHED
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
        if not (storage.device.launches and MULTIPLY_LAUNCHED_IN_PLACE((x, y), (a0, a1))):
            MULTIPLY_UFUNC(a0, a1, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "multiply_", "in-place", (x, y), x, node, depends=dependence(MULTIPLY, {"x": a0, "y": a1}, a0.shape)
        )
    return x


def __mul__(x: Tensor, y: Tensor) -> Tensor:
    """Multiply element by element."""
    if type(x) is not Tensor or type(y) is not Tensor:
        return MULTIPLY_OTHERWISE(x, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form1 is not form0 and form1.kind != form0.kind:
        x, y = operands.with_scalar(x, y)
        a0, form0 = x.array, x.form or known_form(x)
        a1, form1 = y.array, y.form or known_form(y)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("multiply", x, y)
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
            array = MULTIPLY_UFUNC(a0, a1)
        except RuntimeWarning:
            pass
    if array is None:
        form = form0 if form1 is form0 else None
        array = storage.device.empty(
            form0.shape
            if form0.shape == form1.shape
            else common_shape(form0.shape, form1.shape) or operands.broadcast("multiply", x, y),
            form0.dtype if form0.dtype is form1.dtype else operands.promoted("multiply", form0.dtype, form1.dtype),
        )
        try:
            if not (storage.device.launches and MULTIPLY_LAUNCHED_OPERATOR((x, y), (a0, a1), array)):
                MULTIPLY_UFUNC(a0, a1, array)
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
            if e0 is not None:
                kept += (save("y", a1, y.storage, e1),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = MULTIPLY, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "multiply", "ordinary", (x, y), result, node, depends=dependence(MULTIPLY, {"x": a0, "y": a1}, array.shape)
        )
    return result


# ---- divide --------------------------------------------------------------------------------------

DIVIDE = chapter.DIVIDE
DIVIDE_VALIDATE = chapter._check_division
DIVIDE_DTYPE = chapter._quotient
DIVIDE_LAUNCHED_ORDINARY = launcher(DIVIDE, "ordinary")
DIVIDE_UFUNC = np.divide
DIVIDE_KERNEL = chapter._divide
DIVIDE_LAUNCHED_IN_PLACE = launcher(DIVIDE, "in-place")
DIVIDE_OTHERWISE = tensor_methods.OF_NUMBERS["__truediv__"]
DIVIDE_LAUNCHED_OPERATOR = launcher(DIVIDE, "operator")


def divide(
    x: Tensor = ABSENT,
    y: Tensor = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    rounding_mode: Any = None,
    out: Tensor | None = None,
    input: Any = ABSENT,
    other: Any = ABSENT,
) -> Tensor:
    """Divide element by element. `rounding_mode` may be 'floor' or 'trunc'; without it, integers give floating-point quotients."""
    if input is not _ or other is not _:
        keywords.check_named("divide", 3, _)
        x = keywords.either("divide", "x", x, "input", input)
        y = keywords.either("divide", "y", y, "other", other)
    if out is not None:
        return destinations.into(
            "divide", out, (x, y), lambda: divide(x=x, y=y, name=name, rounding_mode=rounding_mode)
        )
    if type(x) is not Tensor:
        x = operands.as_tensor("divide", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("divide", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form1 is not form0 and form1.kind != form0.kind:
        x, y = operands.with_scalar(x, y)
        a0, form0 = x.array, x.form or known_form(x)
        a1, form1 = y.array, y.form or known_form(y)
    plain = rounding_mode is None and form0.kind in "fiuc"
    if not plain:
        DIVIDE_VALIDATE(a0, a1, rounding_mode)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("divide", x, y)
    form = None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("divide", x, y),
        DIVIDE_DTYPE(form0.dtype, form1.dtype, rounding_mode),
    )
    try:
        if not (
            storage.device.launches and DIVIDE_LAUNCHED_ORDINARY((x, y), (a0, a1), array, rounding_mode=rounding_mode)
        ):
            if plain:
                DIVIDE_UFUNC(a0, a1, array)
            else:
                DIVIDE_KERNEL(array, a0, a1, rounding_mode, storage.device)
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
            if e0 is not None or e1 is not None:
                kept += (save("y", a1, y.storage, e1),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = DIVIDE, (e0, e1), kept
            node.forms, node.facts = (form0, form1), {"rounding_mode": rounding_mode}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "divide",
            "ordinary",
            (x, y),
            result,
            node,
            depends=dependence(DIVIDE, {"x": a0, "y": a1, "rounding_mode": rounding_mode}, array.shape),
        )
    return result


def divide_(
    x: Tensor = ABSENT,
    y: Tensor = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    rounding_mode: Any = None,
    input: Any = ABSENT,
    other: Any = ABSENT,
) -> Tensor:
    """Divide element by element. `rounding_mode` may be 'floor' or 'trunc'; without it, integers give floating-point quotients."""
    if input is not _ or other is not _:
        keywords.check_named("divide_", 3, _)
        x = keywords.either("divide_", "x", x, "input", input)
        y = keywords.either("divide_", "y", y, "other", other)
    if type(x) is not Tensor:
        x = operands.as_tensor("divide_", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("divide_", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("divide_", x)
    storage1 = y.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("divide_", x, y)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("divide_", x, y)
    if storage1 is storage and y is not x:
        operands.check_overlap("divide_", x, y)
    plain = rounding_mode is None and form0.kind in "fiuc"
    if not plain:
        DIVIDE_VALIDATE(a0, a1, rounding_mode)
    dtype = DIVIDE_DTYPE(form0.dtype, form1.dtype, rounding_mode)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate(
            "divide_",
            x,
            lambda: divide(x=x, y=y, rounding_mode=rounding_mode),
            (y,),
            lambda: dependence(DIVIDE, {"x": a0, "y": a1, "rounding_mode": rounding_mode}, form0.shape),
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("divide_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            if e1 is not None:
                kept += (save_copy("x", a0, storage, e0),)
            if e0 is not None or e1 is not None:
                kept += (
                    save("y", a1, storage1, e1) if storage1 is not storage else operands.save_operand("y", y, e1, x),
                )
            node = new_node(OpNode)
            node.row, node.edges, node.kept = DIVIDE, (e0, e1), UNFINISHED
            node.forms, node.facts = (form0, form1), {"rounding_mode": rounding_mode}
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
        if not (storage.device.launches and DIVIDE_LAUNCHED_IN_PLACE((x, y), (a0, a1), rounding_mode=rounding_mode)):
            if plain:
                DIVIDE_UFUNC(a0, a1, a0)
            else:
                DIVIDE_KERNEL(a0, a0, a1, rounding_mode, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "divide_",
            "in-place",
            (x, y),
            x,
            node,
            depends=dependence(DIVIDE, {"x": a0, "y": a1, "rounding_mode": rounding_mode}, a0.shape),
        )
    return x


def __truediv__(x: Tensor, y: Tensor) -> Tensor:
    """Divide element by element. `rounding_mode` may be 'floor' or 'trunc'; without it, integers give floating-point quotients."""
    if type(x) is not Tensor or type(y) is not Tensor:
        return DIVIDE_OTHERWISE(x, y)
    rounding_mode = None
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form1 is not form0 and form1.kind != form0.kind:
        x, y = operands.with_scalar(x, y)
        a0, form0 = x.array, x.form or known_form(x)
        a1, form1 = y.array, y.form or known_form(y)
    plain = form0.kind in "fiuc"
    if not plain:
        DIVIDE_VALIDATE(a0, a1, rounding_mode)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("divide", x, y)
    form = None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("divide", x, y),
        DIVIDE_DTYPE(form0.dtype, form1.dtype, rounding_mode),
    )
    try:
        if not (
            storage.device.launches and DIVIDE_LAUNCHED_OPERATOR((x, y), (a0, a1), array, rounding_mode=rounding_mode)
        ):
            if plain:
                DIVIDE_UFUNC(a0, a1, array)
            else:
                DIVIDE_KERNEL(array, a0, a1, rounding_mode, storage.device)
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
            if e0 is not None or e1 is not None:
                kept += (save("y", a1, y.storage, e1),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = DIVIDE, (e0, e1), kept
            node.forms, node.facts = (form0, form1), {"rounding_mode": rounding_mode}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "divide",
            "ordinary",
            (x, y),
            result,
            node,
            depends=dependence(DIVIDE, {"x": a0, "y": a1, "rounding_mode": rounding_mode}, array.shape),
        )
    return result


# ---- floor_divide --------------------------------------------------------------------------------

FLOOR_DIVIDE = chapter.FLOOR_DIVIDE
FLOOR_DIVIDE_VALIDATE = chapter._check_divisor
FLOOR_DIVIDE_UFUNC = np.floor_divide
FLOOR_DIVIDE_LAUNCHED_ORDINARY = launcher(FLOOR_DIVIDE, "ordinary")
FLOOR_DIVIDE_LAUNCHED_IN_PLACE = launcher(FLOOR_DIVIDE, "in-place")


def floor_divide(
    x: Tensor = ABSENT,
    y: Any = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
    other: Any = ABSENT,
) -> Tensor:
    """Divide and round down, element by element."""
    if input is not _ or other is not _:
        keywords.check_named("floor_divide", 3, _)
        x = keywords.either("floor_divide", "x", x, "input", input)
        y = keywords.either("floor_divide", "y", y, "other", other)
    if out is not None:
        return destinations.into("floor_divide", out, (x, y), lambda: floor_divide(x=x, y=y, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("floor_divide", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_promoted("floor_divide", "y", 1, y, x)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form1 is not form0 and form1.kind != form0.kind:
        x, y = operands.with_scalar(x, y)
        a0, form0 = x.array, x.form or known_form(x)
        a1, form1 = y.array, y.form or known_form(y)
    if form0.kind not in "fiu" or form1.dtype is not form0.dtype:
        operands.check_dtype("floor_divide", "fiu", form0.dtype, form1.dtype)
    FLOOR_DIVIDE_VALIDATE(a1)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("floor_divide", x, y)
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
            array = FLOOR_DIVIDE_UFUNC(a0, a1)
        except RuntimeWarning:
            pass
    if array is None:
        form = form0 if form1 is form0 else None
        array = storage.device.empty(
            form0.shape
            if form0.shape == form1.shape
            else common_shape(form0.shape, form1.shape) or operands.broadcast("floor_divide", x, y),
            form0.dtype if form0.dtype is form1.dtype else operands.promoted("floor_divide", form0.dtype, form1.dtype),
        )
        try:
            if not (storage.device.launches and FLOOR_DIVIDE_LAUNCHED_ORDINARY((x, y), (a0, a1), array)):
                FLOOR_DIVIDE_UFUNC(a0, a1, array)
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
            node.row, node.edges, node.kept = FLOOR_DIVIDE, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "floor_divide",
            "ordinary",
            (x, y),
            result,
            node,
            depends=dependence(FLOOR_DIVIDE, {"x": a0, "y": a1}, array.shape),
        )
    return result


def floor_divide_(x: Tensor, y: Any, name: str | None = None) -> Tensor:
    """Divide and round down, element by element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("floor_divide_", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_promoted("floor_divide_", "y", 1, y, x)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("floor_divide_", x)
    storage1 = y.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("floor_divide_", x, y)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("floor_divide_", x, y)
    if storage1 is storage and y is not x:
        operands.check_overlap("floor_divide_", x, y)
    if form0.kind not in "fiu" or form1.dtype is not form0.dtype:
        operands.check_dtype("floor_divide_", "fiu", form0.dtype, form1.dtype)
    FLOOR_DIVIDE_VALIDATE(a1)
    if (
        form1 is not form0
        and (
            form0.dtype if form0.dtype is form1.dtype else operands.promoted("floor_divide_", form0.dtype, form1.dtype)
        )
        != form0.dtype
    ):
        return destinations.reallocate(
            "floor_divide_",
            x,
            lambda: floor_divide(x=x, y=y),
            (y,),
            lambda: dependence(FLOOR_DIVIDE, {"x": a0, "y": a1}, form0.shape),
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("floor_divide_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = FLOOR_DIVIDE, (e0, e1), UNFINISHED
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
        if not (storage.device.launches and FLOOR_DIVIDE_LAUNCHED_IN_PLACE((x, y), (a0, a1))):
            FLOOR_DIVIDE_UFUNC(a0, a1, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "floor_divide_", "in-place", (x, y), x, node, depends=dependence(FLOOR_DIVIDE, {"x": a0, "y": a1}, a0.shape)
        )
    return x


# ---- remainder -----------------------------------------------------------------------------------

REMAINDER = chapter.REMAINDER
REMAINDER_VALIDATE = chapter._check_divisor
REMAINDER_UFUNC = np.remainder
REMAINDER_LAUNCHED_ORDINARY = launcher(REMAINDER, "ordinary")
REMAINDER_LAUNCHED_IN_PLACE = launcher(REMAINDER, "in-place")


def remainder(
    x: Tensor = ABSENT,
    y: Any = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
    other: Any = ABSENT,
) -> Tensor:
    """The remainder of `x // y`; it has the sign of `y`."""
    if input is not _ or other is not _:
        keywords.check_named("remainder", 3, _)
        x = keywords.either("remainder", "x", x, "input", input)
        y = keywords.either("remainder", "y", y, "other", other)
    if out is not None:
        return destinations.into("remainder", out, (x, y), lambda: remainder(x=x, y=y, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("remainder", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_promoted("remainder", "y", 1, y, x)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form1 is not form0 and form1.kind != form0.kind:
        x, y = operands.with_scalar(x, y)
        a0, form0 = x.array, x.form or known_form(x)
        a1, form1 = y.array, y.form or known_form(y)
    if form0.kind not in "fiu" or form1.dtype is not form0.dtype:
        operands.check_dtype("remainder", "fiu", form0.dtype, form1.dtype)
    REMAINDER_VALIDATE(a1)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("remainder", x, y)
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
            array = REMAINDER_UFUNC(a0, a1)
        except RuntimeWarning:
            pass
    if array is None:
        form = form0 if form1 is form0 else None
        array = storage.device.empty(
            form0.shape
            if form0.shape == form1.shape
            else common_shape(form0.shape, form1.shape) or operands.broadcast("remainder", x, y),
            form0.dtype if form0.dtype is form1.dtype else operands.promoted("remainder", form0.dtype, form1.dtype),
        )
        try:
            if not (storage.device.launches and REMAINDER_LAUNCHED_ORDINARY((x, y), (a0, a1), array)):
                REMAINDER_UFUNC(a0, a1, array)
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
            if e1 is not None:
                kept += (save("y", a1, y.storage, e1),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = REMAINDER, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "remainder",
            "ordinary",
            (x, y),
            result,
            node,
            depends=dependence(REMAINDER, {"x": a0, "y": a1}, array.shape),
        )
    return result


def remainder_(x: Tensor, y: Any, name: str | None = None) -> Tensor:
    """The remainder of `x // y`; it has the sign of `y`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("remainder_", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_promoted("remainder_", "y", 1, y, x)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("remainder_", x)
    storage1 = y.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("remainder_", x, y)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("remainder_", x, y)
    if storage1 is storage and y is not x:
        operands.check_overlap("remainder_", x, y)
    if form0.kind not in "fiu" or form1.dtype is not form0.dtype:
        operands.check_dtype("remainder_", "fiu", form0.dtype, form1.dtype)
    REMAINDER_VALIDATE(a1)
    if (
        form1 is not form0
        and (form0.dtype if form0.dtype is form1.dtype else operands.promoted("remainder_", form0.dtype, form1.dtype))
        != form0.dtype
    ):
        return destinations.reallocate(
            "remainder_",
            x,
            lambda: remainder(x=x, y=y),
            (y,),
            lambda: dependence(REMAINDER, {"x": a0, "y": a1}, form0.shape),
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("remainder_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            if e1 is not None:
                kept += (save_copy("x", a0, storage, e0),)
            if e1 is not None:
                kept += (
                    save("y", a1, storage1, e1) if storage1 is not storage else operands.save_operand("y", y, e1, x),
                )
            node = new_node(OpNode)
            node.row, node.edges, node.kept = REMAINDER, (e0, e1), UNFINISHED
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
        if not (storage.device.launches and REMAINDER_LAUNCHED_IN_PLACE((x, y), (a0, a1))):
            REMAINDER_UFUNC(a0, a1, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "remainder_", "in-place", (x, y), x, node, depends=dependence(REMAINDER, {"x": a0, "y": a1}, a0.shape)
        )
    return x


# ---- gcd -----------------------------------------------------------------------------------------

GCD = chapter.GCD
GCD_UFUNC = np.gcd


def gcd(
    x: Tensor = ABSENT,
    y: Tensor = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    input: Any = ABSENT,
    other: Any = ABSENT,
) -> Tensor:
    """The greatest common divisor of integers."""
    if input is not _ or other is not _:
        keywords.check_named("gcd", 3, _)
        x = keywords.either("gcd", "x", x, "input", input)
        y = keywords.either("gcd", "y", y, "other", other)
    if type(x) is not Tensor:
        x = operands.as_tensor("gcd", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("gcd", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form0.kind not in "iu" or form1.dtype is not form0.dtype:
        operands.check_dtype("gcd", "iu", form0.dtype, form1.dtype)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("gcd", x, y)
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
            array = GCD_UFUNC(a0, a1)
        except RuntimeWarning:
            pass
    if array is None:
        form = form0 if form1 is form0 else None
        array = storage.device.empty(
            form0.shape
            if form0.shape == form1.shape
            else common_shape(form0.shape, form1.shape) or operands.broadcast("gcd", x, y),
            form0.dtype if form0.dtype is form1.dtype else operands.promoted("gcd", form0.dtype, form1.dtype),
        )
        try:
            GCD_UFUNC(a0, a1, array)
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
            node.row, node.edges, node.kept = GCD, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("gcd", "ordinary", (x, y), result, node, depends=dependence(GCD, {"x": a0, "y": a1}, array.shape))
    return result


def gcd_(
    x: Tensor = ABSENT,
    y: Tensor = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    input: Any = ABSENT,
    other: Any = ABSENT,
) -> Tensor:
    """The greatest common divisor of integers."""
    if input is not _ or other is not _:
        keywords.check_named("gcd_", 3, _)
        x = keywords.either("gcd_", "x", x, "input", input)
        y = keywords.either("gcd_", "y", y, "other", other)
    if type(x) is not Tensor:
        x = operands.as_tensor("gcd_", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("gcd_", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("gcd_", x)
    storage1 = y.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("gcd_", x, y)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("gcd_", x, y)
    if storage1 is storage and y is not x:
        operands.check_overlap("gcd_", x, y)
    if form0.kind not in "iu" or form1.dtype is not form0.dtype:
        operands.check_dtype("gcd_", "iu", form0.dtype, form1.dtype)
    if (
        form1 is not form0
        and (form0.dtype if form0.dtype is form1.dtype else operands.promoted("gcd_", form0.dtype, form1.dtype))
        != form0.dtype
    ):
        return destinations.reallocate(
            "gcd_", x, lambda: gcd(x=x, y=y), (y,), lambda: dependence(GCD, {"x": a0, "y": a1}, form0.shape)
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("gcd_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = GCD, (e0, e1), UNFINISHED
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
        GCD_UFUNC(a0, a1, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("gcd_", "in-place", (x, y), x, node, depends=dependence(GCD, {"x": a0, "y": a1}, a0.shape))
    return x


# ---- lcm -----------------------------------------------------------------------------------------

LCM = chapter.LCM
LCM_UFUNC = np.lcm


def lcm(
    x: Tensor = ABSENT,
    y: Tensor = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    input: Any = ABSENT,
    other: Any = ABSENT,
) -> Tensor:
    """The least common multiple of integers."""
    if input is not _ or other is not _:
        keywords.check_named("lcm", 3, _)
        x = keywords.either("lcm", "x", x, "input", input)
        y = keywords.either("lcm", "y", y, "other", other)
    if type(x) is not Tensor:
        x = operands.as_tensor("lcm", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("lcm", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form0.kind not in "iu" or form1.dtype is not form0.dtype:
        operands.check_dtype("lcm", "iu", form0.dtype, form1.dtype)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("lcm", x, y)
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
            array = LCM_UFUNC(a0, a1)
        except RuntimeWarning:
            pass
    if array is None:
        form = form0 if form1 is form0 else None
        array = storage.device.empty(
            form0.shape
            if form0.shape == form1.shape
            else common_shape(form0.shape, form1.shape) or operands.broadcast("lcm", x, y),
            form0.dtype if form0.dtype is form1.dtype else operands.promoted("lcm", form0.dtype, form1.dtype),
        )
        try:
            LCM_UFUNC(a0, a1, array)
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
            node.row, node.edges, node.kept = LCM, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("lcm", "ordinary", (x, y), result, node, depends=dependence(LCM, {"x": a0, "y": a1}, array.shape))
    return result


def lcm_(
    x: Tensor = ABSENT,
    y: Tensor = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    input: Any = ABSENT,
    other: Any = ABSENT,
) -> Tensor:
    """The least common multiple of integers."""
    if input is not _ or other is not _:
        keywords.check_named("lcm_", 3, _)
        x = keywords.either("lcm_", "x", x, "input", input)
        y = keywords.either("lcm_", "y", y, "other", other)
    if type(x) is not Tensor:
        x = operands.as_tensor("lcm_", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("lcm_", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("lcm_", x)
    storage1 = y.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("lcm_", x, y)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("lcm_", x, y)
    if storage1 is storage and y is not x:
        operands.check_overlap("lcm_", x, y)
    if form0.kind not in "iu" or form1.dtype is not form0.dtype:
        operands.check_dtype("lcm_", "iu", form0.dtype, form1.dtype)
    if (
        form1 is not form0
        and (form0.dtype if form0.dtype is form1.dtype else operands.promoted("lcm_", form0.dtype, form1.dtype))
        != form0.dtype
    ):
        return destinations.reallocate(
            "lcm_", x, lambda: lcm(x=x, y=y), (y,), lambda: dependence(LCM, {"x": a0, "y": a1}, form0.shape)
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("lcm_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = LCM, (e0, e1), UNFINISHED
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
        LCM_UFUNC(a0, a1, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("lcm_", "in-place", (x, y), x, node, depends=dependence(LCM, {"x": a0, "y": a1}, a0.shape))
    return x


# ---- lerp ----------------------------------------------------------------------------------------

LERP = chapter.LERP
LERP_DTYPE = chapter._one_dtype
LERP_LAUNCHED_ORDINARY = launcher(LERP, "ordinary")
LERP_KERNEL = chapter._lerp
LERP_LAUNCHED_IN_PLACE = launcher(LERP, "in-place")


def lerp(x: Tensor, y: Tensor, weight: Any, name: str | None = None) -> Tensor:
    """Interpolate between `x` and `y`: `x + weight * (y - x)`; `weight` is a number or a tensor."""
    if type(x) is not Tensor:
        x = operands.as_tensor("lerp", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("lerp", "y", 1, y)
    if type(weight) is not Tensor:
        weight = operands.as_operand("lerp", "weight", 2, weight, x)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    a2, form2 = weight.array, weight.form or known_form(weight)
    if form0.kind not in "f":
        operands.check_dtype("lerp", "f", form0.dtype)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("lerp", x, y)
    if weight.storage.device is not storage.device:
        operands.refuse_devices("lerp", x, weight)
    form = None
    array = storage.device.empty(
        form0.shape if form0.shape == form1.shape == form2.shape else operands.broadcast("lerp", x, y, weight),
        LERP_DTYPE(form0.dtype, form1.dtype, form2.dtype),
    )
    try:
        if not (storage.device.launches and LERP_LAUNCHED_ORDINARY((x, y, weight), (a0, a1, a2), array)):
            LERP_KERNEL(array, a0, a1, a2, storage.device)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e0 = edge(x) if x.base is not None else None if x._stop else x.node or accumulator(x)
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        e2 = edge(weight) if weight.base is not None else None if weight._stop else weight.node or accumulator(weight)
        if e0 is not None or e1 is not None or e2 is not None:
            kept: tuple[Saved, ...] = ()
            if e2 is not None:
                kept += (save("x", a0, x.storage, e0),)
            if e2 is not None:
                kept += (save("y", a1, y.storage, e1),)
            if e0 is not None or e1 is not None:
                kept += (save("weight", a2, weight.storage, e2),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = LERP, (e0, e1, e2), kept
            node.forms, node.facts = (form0, form1, form2), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "lerp",
            "ordinary",
            (x, y, weight),
            result,
            node,
            depends=dependence(LERP, {"x": a0, "y": a1, "weight": a2}, array.shape),
        )
    return result


def lerp_(x: Tensor, y: Tensor, weight: Any, name: str | None = None) -> Tensor:
    """Interpolate between `x` and `y`: `x + weight * (y - x)`; `weight` is a number or a tensor."""
    if type(x) is not Tensor:
        x = operands.as_tensor("lerp_", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("lerp_", "y", 1, y)
    if type(weight) is not Tensor:
        weight = operands.as_operand("lerp_", "weight", 2, weight, x)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    a2, form2 = weight.array, weight.form or known_form(weight)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("lerp_", x)
    storage1 = y.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("lerp_", x, y)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("lerp_", x, y)
    if storage1 is storage and y is not x:
        operands.check_overlap("lerp_", x, y)
    storage2 = weight.storage
    if storage2.device is not storage.device:
        operands.refuse_devices("lerp_", x, weight)
    if form2 is not form0 and form2.shape != form0.shape and (common_shape(form0.shape, form2.shape) != form0.shape):
        operands.refuse_shape("lerp_", x, weight)
    if storage2 is storage and weight is not x:
        operands.check_overlap("lerp_", x, weight)
    if form0.kind not in "f":
        operands.check_dtype("lerp_", "f", form0.dtype)
    dtype = LERP_DTYPE(form0.dtype, form1.dtype, form2.dtype)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate(
            "lerp_",
            x,
            lambda: lerp(x=x, y=y, weight=weight),
            (y, weight),
            lambda: dependence(LERP, {"x": a0, "y": a1, "weight": a2}, form0.shape),
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        e2 = edge(weight) if weight.base is not None else None if weight._stop else weight.node or accumulator(weight)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None or (e2 is not None):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("lerp_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            if e2 is not None:
                kept += (save_copy("x", a0, storage, e0),)
            if e2 is not None:
                kept += (
                    save("y", a1, storage1, e1) if storage1 is not storage else operands.save_operand("y", y, e1, x),
                )
            if e0 is not None or e1 is not None:
                kept += (
                    save("weight", a2, storage2, e2)
                    if storage2 is not storage
                    else operands.save_operand("weight", weight, e2, x),
                )
            node = new_node(OpNode)
            node.row, node.edges, node.kept = LERP, (e0, e1, e2), UNFINISHED
            node.forms, node.facts = (form0, form1, form2), NOTHING
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
        if not (storage.device.launches and LERP_LAUNCHED_IN_PLACE((x, y, weight), (a0, a1, a2))):
            LERP_KERNEL(a0, a0, a1, a2, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "lerp_",
            "in-place",
            (x, y, weight),
            x,
            node,
            depends=dependence(LERP, {"x": a0, "y": a1, "weight": a2}, a0.shape),
        )
    return x


# ---- addcmul -------------------------------------------------------------------------------------

ADDCMUL = chapter.ADDCMUL
ADDCMUL_PREPARE_VALUE = chapter.factor
ADDCMUL_LAUNCHED_ORDINARY = launcher(ADDCMUL, "ordinary")
ADDCMUL_KERNEL = required(ADDCMUL.kernel)
ADDCMUL_LAUNCHED_IN_PLACE = launcher(ADDCMUL, "in-place")


def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, name: str | None = None, *, value: Any = 1) -> Tensor:
    """Add `value * tensor1 * tensor2` (PyTorch's name)."""
    if type(input) is not Tensor:
        input = operands.as_tensor("addcmul", "input", 0, input)
    if type(tensor1) is not Tensor:
        tensor1 = operands.as_tensor("addcmul", "tensor1", 1, tensor1)
    if type(tensor2) is not Tensor:
        tensor2 = operands.as_tensor("addcmul", "tensor2", 2, tensor2)
    a0, form0 = input.array, input.form or known_form(input)
    a1, form1 = tensor1.array, tensor1.form or known_form(tensor1)
    a2, form2 = tensor2.array, tensor2.form or known_form(tensor2)
    if form0.kind not in "fiuc" or form1.dtype is not form0.dtype or form2.dtype is not form0.dtype:
        operands.check_dtype("addcmul", "fiuc", form0.dtype, form1.dtype, form2.dtype)
    storage = input.storage
    if tensor1.storage.device is not storage.device:
        operands.refuse_devices("addcmul", input, tensor1)
    if tensor2.storage.device is not storage.device:
        operands.refuse_devices("addcmul", input, tensor2)
    value = ADDCMUL_PREPARE_VALUE(a0, value)
    form = form0 if form1 is form0 and form2 is form0 else None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape == form2.shape
        else operands.broadcast("addcmul", input, tensor1, tensor2),
        form0.dtype
        if form0.dtype is form1.dtype is form2.dtype
        else operands.promoted("addcmul", form0.dtype, form1.dtype, form2.dtype),
    )
    try:
        if not (
            storage.device.launches
            and ADDCMUL_LAUNCHED_ORDINARY((input, tensor1, tensor2), (a0, a1, a2), array, value=value)
        ):
            ADDCMUL_KERNEL(array, a0, a1, a2, value, storage.device)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e0 = edge(input) if input.base is not None else None if input._stop else input.node or accumulator(input)
        e1 = (
            edge(tensor1)
            if tensor1.base is not None
            else None
            if tensor1._stop
            else tensor1.node or accumulator(tensor1)
        )
        e2 = (
            edge(tensor2)
            if tensor2.base is not None
            else None
            if tensor2._stop
            else tensor2.node or accumulator(tensor2)
        )
        if e0 is not None or e1 is not None or e2 is not None:
            kept: tuple[Saved, ...] = ()
            if e2 is not None:
                kept += (save("tensor1", a1, tensor1.storage, e1),)
            if e1 is not None:
                kept += (save("tensor2", a2, tensor2.storage, e2),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = ADDCMUL, (e0, e1, e2), kept
            node.forms, node.facts = (form0, form1, form2), {"value": value}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "addcmul",
            "ordinary",
            (input, tensor1, tensor2),
            result,
            node,
            depends=dependence(ADDCMUL, {"input": a0, "tensor1": a1, "tensor2": a2, "value": value}, array.shape),
        )
    return result


def addcmul_(input: Tensor, tensor1: Tensor, tensor2: Tensor, name: str | None = None, *, value: Any = 1) -> Tensor:
    """Add `value * tensor1 * tensor2` (PyTorch's name)."""
    if type(input) is not Tensor:
        input = operands.as_tensor("addcmul_", "input", 0, input)
    if type(tensor1) is not Tensor:
        tensor1 = operands.as_tensor("addcmul_", "tensor1", 1, tensor1)
    if type(tensor2) is not Tensor:
        tensor2 = operands.as_tensor("addcmul_", "tensor2", 2, tensor2)
    a0, form0 = input.array, input.form or known_form(input)
    a1, form1 = tensor1.array, tensor1.form or known_form(tensor1)
    a2, form2 = tensor2.array, tensor2.form or known_form(tensor2)
    storage, base = input.storage, input.base
    if base is not None:
        refresh(input)
    if input.overlaps:
        operands.refuse_self_overlap("addcmul_", input)
    storage1 = tensor1.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("addcmul_", input, tensor1)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("addcmul_", input, tensor1)
    if storage1 is storage and tensor1 is not input:
        operands.check_overlap("addcmul_", input, tensor1)
    storage2 = tensor2.storage
    if storage2.device is not storage.device:
        operands.refuse_devices("addcmul_", input, tensor2)
    if form2 is not form0 and form2.shape != form0.shape and (common_shape(form0.shape, form2.shape) != form0.shape):
        operands.refuse_shape("addcmul_", input, tensor2)
    if storage2 is storage and tensor2 is not input:
        operands.check_overlap("addcmul_", input, tensor2)
    if form0.kind not in "fiuc" or form1.dtype is not form0.dtype or form2.dtype is not form0.dtype:
        operands.check_dtype("addcmul_", "fiuc", form0.dtype, form1.dtype, form2.dtype)
    value = ADDCMUL_PREPARE_VALUE(a0, value)
    if (form1 is not form0 or form2 is not form0) and (
        form0.dtype
        if form0.dtype is form1.dtype is form2.dtype
        else operands.promoted("addcmul_", form0.dtype, form1.dtype, form2.dtype)
    ) != form0.dtype:
        return destinations.reallocate(
            "addcmul_",
            input,
            lambda: addcmul(input=input, tensor1=tensor1, tensor2=tensor2, value=value),
            (tensor1, tensor2),
            lambda: dependence(ADDCMUL, {"input": a0, "tensor1": a1, "tensor2": a2, "value": value}, form0.shape),
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = (
            edge(tensor1)
            if tensor1.base is not None
            else None
            if tensor1._stop
            else tensor1.node or accumulator(tensor1)
        )
        e2 = (
            edge(tensor2)
            if tensor2.base is not None
            else None
            if tensor2._stop
            else tensor2.node or accumulator(tensor2)
        )
        if not input._stop or (base is not None and (not base._stop)) or e1 is not None or (e2 is not None):
            version = storage.version
            if base is not None or input.node is None:
                check_leaf("addcmul_", input)
            e0 = None if input._stop else input.node
            kept: tuple[Saved, ...] = ()
            if e2 is not None:
                kept += (
                    save("tensor1", a1, storage1, e1)
                    if storage1 is not storage
                    else operands.save_operand("tensor1", tensor1, e1, input),
                )
            if e1 is not None:
                kept += (
                    save("tensor2", a2, storage2, e2)
                    if storage2 is not storage
                    else operands.save_operand("tensor2", tensor2, e2, input),
                )
            node = new_node(OpNode)
            node.row, node.edges, node.kept = ADDCMUL, (e0, e1, e2), UNFINISHED
            node.forms, node.facts = (form0, form1, form2), {"value": value}
            node.serial, node.hooks, node.retained = next_serial(), None, None
    if mode.keeper is not None:
        mode.keeper.before_write(input)
    if node is not None:
        if base is None:
            input.node = node
            input._stop = False
        else:
            rebase(input, node)
    storage.version += 1
    if mode.keeper is not None:
        mode.keeper.after_write(storage)
    try:
        if not (
            storage.device.launches and ADDCMUL_LAUNCHED_IN_PLACE((input, tensor1, tensor2), (a0, a1, a2), value=value)
        ):
            ADDCMUL_KERNEL(a0, a0, a1, a2, value, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "addcmul_",
            "in-place",
            (input, tensor1, tensor2),
            input,
            node,
            depends=dependence(ADDCMUL, {"input": a0, "tensor1": a1, "tensor2": a2, "value": value}, a0.shape),
        )
    return input


# ---- addcdiv -------------------------------------------------------------------------------------

ADDCDIV = chapter.ADDCDIV
ADDCDIV_PREPARE_VALUE = chapter.factor
ADDCDIV_LAUNCHED_ORDINARY = launcher(ADDCDIV, "ordinary")
ADDCDIV_KERNEL = required(ADDCDIV.kernel)
ADDCDIV_LAUNCHED_IN_PLACE = launcher(ADDCDIV, "in-place")


def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, name: str | None = None, *, value: Any = 1) -> Tensor:
    """Add `value * tensor1 / tensor2` (PyTorch's name)."""
    if type(input) is not Tensor:
        input = operands.as_tensor("addcdiv", "input", 0, input)
    if type(tensor1) is not Tensor:
        tensor1 = operands.as_tensor("addcdiv", "tensor1", 1, tensor1)
    if type(tensor2) is not Tensor:
        tensor2 = operands.as_tensor("addcdiv", "tensor2", 2, tensor2)
    a0, form0 = input.array, input.form or known_form(input)
    a1, form1 = tensor1.array, tensor1.form or known_form(tensor1)
    a2, form2 = tensor2.array, tensor2.form or known_form(tensor2)
    if form0.kind not in "fc" or form1.dtype is not form0.dtype or form2.dtype is not form0.dtype:
        operands.check_dtype("addcdiv", "fc", form0.dtype, form1.dtype, form2.dtype)
    storage = input.storage
    if tensor1.storage.device is not storage.device:
        operands.refuse_devices("addcdiv", input, tensor1)
    if tensor2.storage.device is not storage.device:
        operands.refuse_devices("addcdiv", input, tensor2)
    value = ADDCDIV_PREPARE_VALUE(a0, value)
    form = form0 if form1 is form0 and form2 is form0 else None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape == form2.shape
        else operands.broadcast("addcdiv", input, tensor1, tensor2),
        form0.dtype
        if form0.dtype is form1.dtype is form2.dtype
        else operands.promoted("addcdiv", form0.dtype, form1.dtype, form2.dtype),
    )
    try:
        if not (
            storage.device.launches
            and ADDCDIV_LAUNCHED_ORDINARY((input, tensor1, tensor2), (a0, a1, a2), array, value=value)
        ):
            ADDCDIV_KERNEL(array, a0, a1, a2, value, storage.device)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e0 = edge(input) if input.base is not None else None if input._stop else input.node or accumulator(input)
        e1 = (
            edge(tensor1)
            if tensor1.base is not None
            else None
            if tensor1._stop
            else tensor1.node or accumulator(tensor1)
        )
        e2 = (
            edge(tensor2)
            if tensor2.base is not None
            else None
            if tensor2._stop
            else tensor2.node or accumulator(tensor2)
        )
        if e0 is not None or e1 is not None or e2 is not None:
            kept: tuple[Saved, ...] = ()
            if e2 is not None:
                kept += (save("tensor1", a1, tensor1.storage, e1),)
            if e1 is not None or e2 is not None:
                kept += (save("tensor2", a2, tensor2.storage, e2),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = ADDCDIV, (e0, e1, e2), kept
            node.forms, node.facts = (form0, form1, form2), {"value": value}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "addcdiv",
            "ordinary",
            (input, tensor1, tensor2),
            result,
            node,
            depends=dependence(ADDCDIV, {"input": a0, "tensor1": a1, "tensor2": a2, "value": value}, array.shape),
        )
    return result


def addcdiv_(input: Tensor, tensor1: Tensor, tensor2: Tensor, name: str | None = None, *, value: Any = 1) -> Tensor:
    """Add `value * tensor1 / tensor2` (PyTorch's name)."""
    if type(input) is not Tensor:
        input = operands.as_tensor("addcdiv_", "input", 0, input)
    if type(tensor1) is not Tensor:
        tensor1 = operands.as_tensor("addcdiv_", "tensor1", 1, tensor1)
    if type(tensor2) is not Tensor:
        tensor2 = operands.as_tensor("addcdiv_", "tensor2", 2, tensor2)
    a0, form0 = input.array, input.form or known_form(input)
    a1, form1 = tensor1.array, tensor1.form or known_form(tensor1)
    a2, form2 = tensor2.array, tensor2.form or known_form(tensor2)
    storage, base = input.storage, input.base
    if base is not None:
        refresh(input)
    if input.overlaps:
        operands.refuse_self_overlap("addcdiv_", input)
    storage1 = tensor1.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("addcdiv_", input, tensor1)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("addcdiv_", input, tensor1)
    if storage1 is storage and tensor1 is not input:
        operands.check_overlap("addcdiv_", input, tensor1)
    storage2 = tensor2.storage
    if storage2.device is not storage.device:
        operands.refuse_devices("addcdiv_", input, tensor2)
    if form2 is not form0 and form2.shape != form0.shape and (common_shape(form0.shape, form2.shape) != form0.shape):
        operands.refuse_shape("addcdiv_", input, tensor2)
    if storage2 is storage and tensor2 is not input:
        operands.check_overlap("addcdiv_", input, tensor2)
    if form0.kind not in "fc" or form1.dtype is not form0.dtype or form2.dtype is not form0.dtype:
        operands.check_dtype("addcdiv_", "fc", form0.dtype, form1.dtype, form2.dtype)
    value = ADDCDIV_PREPARE_VALUE(a0, value)
    if (form1 is not form0 or form2 is not form0) and (
        form0.dtype
        if form0.dtype is form1.dtype is form2.dtype
        else operands.promoted("addcdiv_", form0.dtype, form1.dtype, form2.dtype)
    ) != form0.dtype:
        return destinations.reallocate(
            "addcdiv_",
            input,
            lambda: addcdiv(input=input, tensor1=tensor1, tensor2=tensor2, value=value),
            (tensor1, tensor2),
            lambda: dependence(ADDCDIV, {"input": a0, "tensor1": a1, "tensor2": a2, "value": value}, form0.shape),
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = (
            edge(tensor1)
            if tensor1.base is not None
            else None
            if tensor1._stop
            else tensor1.node or accumulator(tensor1)
        )
        e2 = (
            edge(tensor2)
            if tensor2.base is not None
            else None
            if tensor2._stop
            else tensor2.node or accumulator(tensor2)
        )
        if not input._stop or (base is not None and (not base._stop)) or e1 is not None or (e2 is not None):
            version = storage.version
            if base is not None or input.node is None:
                check_leaf("addcdiv_", input)
            e0 = None if input._stop else input.node
            kept: tuple[Saved, ...] = ()
            if e2 is not None:
                kept += (
                    save("tensor1", a1, storage1, e1)
                    if storage1 is not storage
                    else operands.save_operand("tensor1", tensor1, e1, input),
                )
            if e1 is not None or e2 is not None:
                kept += (
                    save("tensor2", a2, storage2, e2)
                    if storage2 is not storage
                    else operands.save_operand("tensor2", tensor2, e2, input),
                )
            node = new_node(OpNode)
            node.row, node.edges, node.kept = ADDCDIV, (e0, e1, e2), UNFINISHED
            node.forms, node.facts = (form0, form1, form2), {"value": value}
            node.serial, node.hooks, node.retained = next_serial(), None, None
    if mode.keeper is not None:
        mode.keeper.before_write(input)
    if node is not None:
        if base is None:
            input.node = node
            input._stop = False
        else:
            rebase(input, node)
    storage.version += 1
    if mode.keeper is not None:
        mode.keeper.after_write(storage)
    try:
        if not (
            storage.device.launches and ADDCDIV_LAUNCHED_IN_PLACE((input, tensor1, tensor2), (a0, a1, a2), value=value)
        ):
            ADDCDIV_KERNEL(a0, a0, a1, a2, value, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "addcdiv_",
            "in-place",
            (input, tensor1, tensor2),
            input,
            node,
            depends=dependence(ADDCDIV, {"input": a0, "tensor1": a1, "tensor2": a2, "value": value}, a0.shape),
        )
    return input


# ---- _inside -------------------------------------------------------------------------------------

_INSIDE = chapter._INSIDE
_INSIDE_DTYPE = required(_INSIDE.dtype)
_INSIDE_LAUNCHED_ORDINARY = launcher(_INSIDE, "ordinary")
_INSIDE_KERNEL = kernel_tools.keep_where


def _inside(x: Tensor, mask: Tensor, name: str | None = None) -> Tensor:
    """`x` where `mask` is true, 0 elsewhere."""
    if type(x) is not Tensor:
        x = operands.as_tensor("where", "x", 0, x)
    if type(mask) is not Tensor:
        mask = operands.as_tensor("where", "mask", 1, mask)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = mask.array, mask.form or known_form(mask)
    storage = x.storage
    if mask.storage.device is not storage.device:
        operands.refuse_devices("where", x, mask)
    form = None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("_inside", x, mask),
        _INSIDE_DTYPE(form0.dtype),
    )
    try:
        if not (storage.device.launches and _INSIDE_LAUNCHED_ORDINARY((x, mask), (a0, a1), array)):
            _INSIDE_KERNEL(array, a0, a1, storage.device)
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
            node.row, node.edges, node.kept = _INSIDE, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "where",
            "ordinary",
            (x, mask),
            result,
            node,
            depends=dependence(_INSIDE, {"x": a0, "mask": a1}, array.shape),
        )
    return result


# ---- _outside ------------------------------------------------------------------------------------

_OUTSIDE = chapter._OUTSIDE
_OUTSIDE_DTYPE = required(_OUTSIDE.dtype)
_OUTSIDE_LAUNCHED_ORDINARY = launcher(_OUTSIDE, "ordinary")
_OUTSIDE_KERNEL = chapter._outside


def _outside(x: Tensor, mask: Tensor, name: str | None = None) -> Tensor:
    """0 where `mask` is true, `x` elsewhere."""
    if type(x) is not Tensor:
        x = operands.as_tensor("where", "x", 0, x)
    if type(mask) is not Tensor:
        mask = operands.as_tensor("where", "mask", 1, mask)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = mask.array, mask.form or known_form(mask)
    storage = x.storage
    if mask.storage.device is not storage.device:
        operands.refuse_devices("where", x, mask)
    form = None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("_outside", x, mask),
        _OUTSIDE_DTYPE(form0.dtype),
    )
    try:
        if not (storage.device.launches and _OUTSIDE_LAUNCHED_ORDINARY((x, mask), (a0, a1), array)):
            _OUTSIDE_KERNEL(array, a0, a1, storage.device)
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
            node.row, node.edges, node.kept = _OUTSIDE, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "where",
            "ordinary",
            (x, mask),
            result,
            node,
            depends=dependence(_OUTSIDE, {"x": a0, "mask": a1}, array.shape),
        )
    return result


# ---- clip ----------------------------------------------------------------------------------------

CLIP = chapter.CLIP
CLIP_PREPARE_MIN = chapter._bound
CLIP_PREPARE_MAX = chapter._bound
CLIP_DTYPE = chapter._clip_dtype
CLIP_LAUNCHED_ORDINARY = launcher(CLIP, "ordinary")
CLIP_KERNEL = kernel_tools.clip_into
CLIP_LAUNCHED_IN_PLACE = launcher(CLIP, "in-place")


def clip(
    x: Tensor = ABSENT,
    min: Any = None,
    max: Any = None,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
) -> Tensor:
    """Keep each element between `min` and `max`."""
    if input is not _:
        keywords.check_named("clip", 4, _)
        x = keywords.either("clip", "x", x, "input", input)
    if out is not None:
        return destinations.into("clip", out, (x,), lambda: clip(x=x, min=min, max=max, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("clip", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fiu":
        operands.check_dtype("clip", "fiu", form0.dtype)
    storage = x.storage
    min = CLIP_PREPARE_MIN(a0, min)
    max = CLIP_PREPARE_MAX(a0, max)
    form = None
    array = storage.device.empty(form0.shape, CLIP_DTYPE(form0.dtype, min, max))
    try:
        if not (storage.device.launches and CLIP_LAUNCHED_ORDINARY((x,), (a0,), array, min=min, max=max)):
            CLIP_KERNEL(array, a0, min, max)
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
            node.row, node.edges, node.kept = CLIP, (e0,), kept
            node.forms, node.facts = (form0,), {"max": max, "min": min}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "clip",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(CLIP, {"x": a0, "min": min, "max": max}, array.shape),
        )
    return result


def clip_(x: Tensor, min: Any = None, max: Any = None, name: str | None = None) -> Tensor:
    """Keep each element between `min` and `max`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("clip_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("clip_", x)
    if form0.kind not in "fiu":
        operands.check_dtype("clip_", "fiu", form0.dtype)
    min = CLIP_PREPARE_MIN(a0, min)
    max = CLIP_PREPARE_MAX(a0, max)
    dtype = CLIP_DTYPE(form0.dtype, min, max)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate(
            "clip_",
            x,
            lambda: clip(x=x, min=min, max=max),
            (),
            lambda: dependence(CLIP, {"x": a0, "min": min, "max": max}, form0.shape),
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("clip_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = CLIP, (e0,), UNFINISHED
            node.forms, node.facts = (form0,), {"max": max, "min": min}
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
        if not (storage.device.launches and CLIP_LAUNCHED_IN_PLACE((x,), (a0,), min=min, max=max)):
            CLIP_KERNEL(a0, a0, min, max)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "clip_", "in-place", (x,), x, node, depends=dependence(CLIP, {"x": a0, "min": min, "max": max}, a0.shape)
        )
    return x


# ---- clamp_min -----------------------------------------------------------------------------------

CLAMP_MIN = chapter.CLAMP_MIN
CLAMP_MIN_PREPARE_MIN = CLAMP_MIN.prepare["min"]
CLAMP_MIN_LAUNCHED_ORDINARY = launcher(CLAMP_MIN, "ordinary")
CLAMP_MIN_KERNEL = chapter._at_least
CLAMP_MIN_LAUNCHED_IN_PLACE = launcher(CLAMP_MIN, "in-place")


def clamp_min(x: Tensor, min: Any, name: str | None = None) -> Tensor:
    """Replace elements below `min` by `min`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("clamp_min", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fiu":
        operands.check_dtype("clamp_min", "fiu", form0.dtype)
    storage = x.storage
    min = CLAMP_MIN_PREPARE_MIN(a0, min)
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        if not (storage.device.launches and CLAMP_MIN_LAUNCHED_ORDINARY((x,), (a0,), array, min=min)):
            CLAMP_MIN_KERNEL(array, a0, min)
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
            node.row, node.edges, node.kept = CLAMP_MIN, (e0,), kept
            node.forms, node.facts = (form0,), {"min": min}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "clamp_min",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(CLAMP_MIN, {"x": a0, "min": min}, array.shape),
        )
    return result


def clamp_min_(x: Tensor, min: Any, name: str | None = None) -> Tensor:
    """Replace elements below `min` by `min`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("clamp_min_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("clamp_min_", x)
    if form0.kind not in "fiu":
        operands.check_dtype("clamp_min_", "fiu", form0.dtype)
    min = CLAMP_MIN_PREPARE_MIN(a0, min)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("clamp_min_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = CLAMP_MIN, (e0,), UNFINISHED
            node.forms, node.facts = (form0,), {"min": min}
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
        if not (storage.device.launches and CLAMP_MIN_LAUNCHED_IN_PLACE((x,), (a0,), min=min)):
            CLAMP_MIN_KERNEL(a0, a0, min)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "clamp_min_", "in-place", (x,), x, node, depends=dependence(CLAMP_MIN, {"x": a0, "min": min}, a0.shape)
        )
    return x


# ---- clamp_max -----------------------------------------------------------------------------------

CLAMP_MAX = chapter.CLAMP_MAX
CLAMP_MAX_PREPARE_MAX = CLAMP_MAX.prepare["max"]
CLAMP_MAX_LAUNCHED_ORDINARY = launcher(CLAMP_MAX, "ordinary")
CLAMP_MAX_KERNEL = chapter._at_most
CLAMP_MAX_LAUNCHED_IN_PLACE = launcher(CLAMP_MAX, "in-place")


def clamp_max(x: Tensor, max: Any, name: str | None = None) -> Tensor:
    """Replace elements above `max` by `max`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("clamp_max", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fiu":
        operands.check_dtype("clamp_max", "fiu", form0.dtype)
    storage = x.storage
    max = CLAMP_MAX_PREPARE_MAX(a0, max)
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        if not (storage.device.launches and CLAMP_MAX_LAUNCHED_ORDINARY((x,), (a0,), array, max=max)):
            CLAMP_MAX_KERNEL(array, a0, max)
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
            node.row, node.edges, node.kept = CLAMP_MAX, (e0,), kept
            node.forms, node.facts = (form0,), {"max": max}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "clamp_max",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(CLAMP_MAX, {"x": a0, "max": max}, array.shape),
        )
    return result


def clamp_max_(x: Tensor, max: Any, name: str | None = None) -> Tensor:
    """Replace elements above `max` by `max`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("clamp_max_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("clamp_max_", x)
    if form0.kind not in "fiu":
        operands.check_dtype("clamp_max_", "fiu", form0.dtype)
    max = CLAMP_MAX_PREPARE_MAX(a0, max)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("clamp_max_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = CLAMP_MAX, (e0,), UNFINISHED
            node.forms, node.facts = (form0,), {"max": max}
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
        if not (storage.device.launches and CLAMP_MAX_LAUNCHED_IN_PLACE((x,), (a0,), max=max)):
            CLAMP_MAX_KERNEL(a0, a0, max)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "clamp_max_", "in-place", (x,), x, node, depends=dependence(CLAMP_MAX, {"x": a0, "max": max}, a0.shape)
        )
    return x


# ---- nan_to_num ----------------------------------------------------------------------------------

NAN_TO_NUM = chapter.NAN_TO_NUM
NAN_TO_NUM_VALIDATE = chapter._floats
NAN_TO_NUM_PREPARE_NAN = NAN_TO_NUM.prepare["nan"]
NAN_TO_NUM_PREPARE_POSINF = NAN_TO_NUM.prepare["posinf"]
NAN_TO_NUM_PREPARE_NEGINF = NAN_TO_NUM.prepare["neginf"]
NAN_TO_NUM_KERNEL = chapter._nan_to_num


def nan_to_num(x: Tensor, nan: Any = 0.0, posinf: Any = None, neginf: Any = None, name: str | None = None) -> Tensor:
    """Replace NaN and the infinities by finite numbers."""
    if type(x) is not Tensor:
        x = operands.as_tensor("nan_to_num", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    NAN_TO_NUM_VALIDATE(a0)
    storage = x.storage
    nan = NAN_TO_NUM_PREPARE_NAN(a0, nan)
    posinf = NAN_TO_NUM_PREPARE_POSINF(a0, posinf)
    neginf = NAN_TO_NUM_PREPARE_NEGINF(a0, neginf)
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        NAN_TO_NUM_KERNEL(array, a0, nan, posinf, neginf, storage.device)
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
            node.row, node.edges, node.kept = NAN_TO_NUM, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "nan_to_num",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(NAN_TO_NUM, {"x": a0, "nan": nan, "posinf": posinf, "neginf": neginf}, array.shape),
        )
    return result


def nan_to_num_(x: Tensor, nan: Any = 0.0, posinf: Any = None, neginf: Any = None, name: str | None = None) -> Tensor:
    """Replace NaN and the infinities by finite numbers."""
    if type(x) is not Tensor:
        x = operands.as_tensor("nan_to_num_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("nan_to_num_", x)
    NAN_TO_NUM_VALIDATE(a0)
    nan = NAN_TO_NUM_PREPARE_NAN(a0, nan)
    posinf = NAN_TO_NUM_PREPARE_POSINF(a0, posinf)
    neginf = NAN_TO_NUM_PREPARE_NEGINF(a0, neginf)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("nan_to_num_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = NAN_TO_NUM, (e0,), UNFINISHED
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
        NAN_TO_NUM_KERNEL(a0, a0, nan, posinf, neginf, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "nan_to_num_",
            "in-place",
            (x,),
            x,
            node,
            depends=dependence(NAN_TO_NUM, {"x": a0, "nan": nan, "posinf": posinf, "neginf": neginf}, a0.shape),
        )
    return x


# ---- floor ---------------------------------------------------------------------------------------

FLOOR = chapter.FLOOR
FLOOR_UFUNC = np.floor
FLOOR_LAUNCHED_ORDINARY = launcher(FLOOR, "ordinary")
FLOOR_KERNEL = chapter._already_whole
FLOOR_LAUNCHED_IN_PLACE = launcher(FLOOR, "in-place")


def floor(
    x: Tensor = ABSENT, name: str | None = None, _: Any = ABSENT, out: Tensor | None = None, input: Any = ABSENT
) -> Tensor:
    """The largest integer not larger than each element."""
    if input is not _:
        keywords.check_named("floor", 2, _)
        x = keywords.either("floor", "x", x, "input", input)
    if out is not None:
        return destinations.into("floor", out, (x,), lambda: floor(x=x, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("floor", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fiu":
        operands.check_dtype("floor", "fiu", form0.dtype)
    plain = form0.kind in "f"
    storage = x.storage
    array: Any = None
    if plain and a0 is x.storage.buffer and form0.shape and (not storage.device.launches):
        form: Form | None = form0
        try:
            array = FLOOR_UFUNC(a0)
        except RuntimeWarning:
            pass
    if array is None:
        form = form0
        array = storage.device.empty(form0.shape, form0.dtype)
        try:
            if not (storage.device.launches and FLOOR_LAUNCHED_ORDINARY((x,), (a0,), array)):
                if plain:
                    FLOOR_UFUNC(a0, array)
                else:
                    FLOOR_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = FLOOR, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("floor", "ordinary", (x,), result, node, depends=dependence(FLOOR, {"x": a0}, array.shape))
    return result


def floor_(x: Tensor, name: str | None = None) -> Tensor:
    """The largest integer not larger than each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("floor_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("floor_", x)
    if form0.kind not in "fiu":
        operands.check_dtype("floor_", "fiu", form0.dtype)
    plain = form0.kind in "f"
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("floor_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = FLOOR, (e0,), UNFINISHED
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
        if not (storage.device.launches and FLOOR_LAUNCHED_IN_PLACE((x,), (a0,))):
            if plain:
                FLOOR_UFUNC(a0, a0)
            else:
                FLOOR_KERNEL(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("floor_", "in-place", (x,), x, node, depends=dependence(FLOOR, {"x": a0}, a0.shape))
    return x


# ---- ceil ----------------------------------------------------------------------------------------

CEIL = chapter.CEIL
CEIL_UFUNC = np.ceil
CEIL_LAUNCHED_ORDINARY = launcher(CEIL, "ordinary")
CEIL_KERNEL = chapter._already_whole
CEIL_LAUNCHED_IN_PLACE = launcher(CEIL, "in-place")


def ceil(
    x: Tensor = ABSENT, name: str | None = None, _: Any = ABSENT, out: Tensor | None = None, input: Any = ABSENT
) -> Tensor:
    """The smallest integer not smaller than each element."""
    if input is not _:
        keywords.check_named("ceil", 2, _)
        x = keywords.either("ceil", "x", x, "input", input)
    if out is not None:
        return destinations.into("ceil", out, (x,), lambda: ceil(x=x, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("ceil", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fiu":
        operands.check_dtype("ceil", "fiu", form0.dtype)
    plain = form0.kind in "f"
    storage = x.storage
    array: Any = None
    if plain and a0 is x.storage.buffer and form0.shape and (not storage.device.launches):
        form: Form | None = form0
        try:
            array = CEIL_UFUNC(a0)
        except RuntimeWarning:
            pass
    if array is None:
        form = form0
        array = storage.device.empty(form0.shape, form0.dtype)
        try:
            if not (storage.device.launches and CEIL_LAUNCHED_ORDINARY((x,), (a0,), array)):
                if plain:
                    CEIL_UFUNC(a0, array)
                else:
                    CEIL_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = CEIL, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("ceil", "ordinary", (x,), result, node, depends=dependence(CEIL, {"x": a0}, array.shape))
    return result


def ceil_(x: Tensor, name: str | None = None) -> Tensor:
    """The smallest integer not smaller than each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("ceil_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("ceil_", x)
    if form0.kind not in "fiu":
        operands.check_dtype("ceil_", "fiu", form0.dtype)
    plain = form0.kind in "f"
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("ceil_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = CEIL, (e0,), UNFINISHED
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
        if not (storage.device.launches and CEIL_LAUNCHED_IN_PLACE((x,), (a0,))):
            if plain:
                CEIL_UFUNC(a0, a0)
            else:
                CEIL_KERNEL(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("ceil_", "in-place", (x,), x, node, depends=dependence(CEIL, {"x": a0}, a0.shape))
    return x


# ---- trunc ---------------------------------------------------------------------------------------

TRUNC = chapter.TRUNC
TRUNC_UFUNC = np.trunc
TRUNC_LAUNCHED_ORDINARY = launcher(TRUNC, "ordinary")
TRUNC_KERNEL = chapter._trunc
TRUNC_LAUNCHED_IN_PLACE = launcher(TRUNC, "in-place")


def trunc(input: Tensor, name: str | None = None) -> Tensor:
    """The integer part of each element: rounded toward zero."""
    if type(input) is not Tensor:
        input = operands.as_tensor("trunc", "input", 0, input)
    a0, form0 = input.array, input.form or known_form(input)
    if form0.kind not in "fiu":
        operands.check_dtype("trunc", "fiu", form0.dtype)
    plain = form0.kind in "f"
    storage = input.storage
    array: Any = None
    if plain and a0 is input.storage.buffer and form0.shape and (not storage.device.launches):
        form: Form | None = form0
        try:
            array = TRUNC_UFUNC(a0)
        except RuntimeWarning:
            pass
    if array is None:
        form = form0
        array = storage.device.empty(form0.shape, form0.dtype)
        try:
            if not (storage.device.launches and TRUNC_LAUNCHED_ORDINARY((input,), (a0,), array)):
                if plain:
                    TRUNC_UFUNC(a0, array)
                else:
                    TRUNC_KERNEL(array, a0)
        except RuntimeWarning:
            pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e0 = edge(input) if input.base is not None else None if input._stop else input.node or accumulator(input)
        if e0 is not None:
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = TRUNC, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("trunc", "ordinary", (input,), result, node, depends=dependence(TRUNC, {"input": a0}, array.shape))
    return result


def trunc_(input: Tensor, name: str | None = None) -> Tensor:
    """The integer part of each element: rounded toward zero."""
    if type(input) is not Tensor:
        input = operands.as_tensor("trunc_", "input", 0, input)
    a0, form0 = input.array, input.form or known_form(input)
    storage, base = input.storage, input.base
    if base is not None:
        refresh(input)
    if input.overlaps:
        operands.refuse_self_overlap("trunc_", input)
    if form0.kind not in "fiu":
        operands.check_dtype("trunc_", "fiu", form0.dtype)
    plain = form0.kind in "f"
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not input._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or input.node is None:
                check_leaf("trunc_", input)
            e0 = None if input._stop else input.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = TRUNC, (e0,), UNFINISHED
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
    if mode.keeper is not None:
        mode.keeper.before_write(input)
    if node is not None:
        if base is None:
            input.node = node
            input._stop = False
        else:
            rebase(input, node)
    storage.version += 1
    if mode.keeper is not None:
        mode.keeper.after_write(storage)
    try:
        if not (storage.device.launches and TRUNC_LAUNCHED_IN_PLACE((input,), (a0,))):
            if plain:
                TRUNC_UFUNC(a0, a0)
            else:
                TRUNC_KERNEL(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("trunc_", "in-place", (input,), input, node, depends=dependence(TRUNC, {"input": a0}, a0.shape))
    return input


# ---- round ---------------------------------------------------------------------------------------

ROUND = chapter.ROUND
ROUND_PREPARE_DECIMALS = ROUND.prepare["decimals"]
ROUND_LAUNCHED_ORDINARY = launcher(ROUND, "ordinary")
ROUND_KERNEL = chapter._round
ROUND_LAUNCHED_IN_PLACE = launcher(ROUND, "in-place")


def round(
    x: Tensor = ABSENT,
    decimals: Any = 0,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
) -> Tensor:
    """Round to a number of decimals; a half is rounded to the nearest even digit."""
    if input is not _:
        keywords.check_named("round", 3, _)
        x = keywords.either("round", "x", x, "input", input)
    if out is not None:
        return destinations.into("round", out, (x,), lambda: round(x=x, decimals=decimals, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("round", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fiuc":
        operands.check_dtype("round", "fiuc", form0.dtype)
    storage = x.storage
    decimals = ROUND_PREPARE_DECIMALS(a0, decimals)
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        if not (storage.device.launches and ROUND_LAUNCHED_ORDINARY((x,), (a0,), array, decimals=decimals)):
            ROUND_KERNEL(array, a0, decimals)
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
            node.row, node.edges, node.kept = ROUND, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "round",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(ROUND, {"x": a0, "decimals": decimals}, array.shape),
        )
    return result


def round_(x: Tensor, decimals: Any = 0, name: str | None = None) -> Tensor:
    """Round to a number of decimals; a half is rounded to the nearest even digit."""
    if type(x) is not Tensor:
        x = operands.as_tensor("round_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("round_", x)
    if form0.kind not in "fiuc":
        operands.check_dtype("round_", "fiuc", form0.dtype)
    decimals = ROUND_PREPARE_DECIMALS(a0, decimals)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("round_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = ROUND, (e0,), UNFINISHED
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
        if not (storage.device.launches and ROUND_LAUNCHED_IN_PLACE((x,), (a0,), decimals=decimals)):
            ROUND_KERNEL(a0, a0, decimals)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "round_", "in-place", (x,), x, node, depends=dependence(ROUND, {"x": a0, "decimals": decimals}, a0.shape)
        )
    return x


# ---- frac ----------------------------------------------------------------------------------------

FRAC = chapter.FRAC
FRAC_VALIDATE = chapter._real_numbers
FRAC_LAUNCHED_ORDINARY = launcher(FRAC, "ordinary")
FRAC_KERNEL = chapter._frac
FRAC_LAUNCHED_IN_PLACE = launcher(FRAC, "in-place")


def frac(
    x: Tensor = ABSENT, name: str | None = None, _: Any = ABSENT, out: Tensor | None = None, input: Any = ABSENT
) -> Tensor:
    """The fractional part of each element, with the sign of `x`."""
    if input is not _:
        keywords.check_named("frac", 2, _)
        x = keywords.either("frac", "x", x, "input", input)
    if out is not None:
        return destinations.into("frac", out, (x,), lambda: frac(x=x, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("frac", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    FRAC_VALIDATE(a0)
    storage = x.storage
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        if not (storage.device.launches and FRAC_LAUNCHED_ORDINARY((x,), (a0,), array)):
            FRAC_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = FRAC, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("frac", "ordinary", (x,), result, node, depends=dependence(FRAC, {"x": a0}, array.shape))
    return result


def frac_(x: Tensor, name: str | None = None) -> Tensor:
    """The fractional part of each element, with the sign of `x`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("frac_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("frac_", x)
    FRAC_VALIDATE(a0)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("frac_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = FRAC, (e0,), UNFINISHED
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
        if not (storage.device.launches and FRAC_LAUNCHED_IN_PLACE((x,), (a0,))):
            FRAC_KERNEL(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("frac_", "in-place", (x,), x, node, depends=dependence(FRAC, {"x": a0}, a0.shape))
    return x
