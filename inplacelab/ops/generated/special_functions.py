"""The functions of the rows in `inplacelab/ops/special_functions.py`.

Generated: `python -m inplacelab.ops.table.generate` writes this file. Do not edit it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab import dtypes
from inplacelab.autograd.history import accumulator, check_leaf, edge, rebase, refresh
from inplacelab.autograd.nodes import NOTHING, UNFINISHED, OpNode, new_node, next_serial
from inplacelab.autograd.saved import OUTPUT, Saved, save, save_copy
from inplacelab.layout import common_shape
from inplacelab.modes import current as current_modes
from inplacelab.ops import special_functions as chapter
from inplacelab.ops.arguments import operands
from inplacelab.ops.results import destinations
from inplacelab.ops.results.kernel_tools import launcher
from inplacelab.ops.table.depends import dependence
from inplacelab.ops.table.row import required
from inplacelab.tensor import Tensor, fresh, known_form

# ---- hypot ---------------------------------------------------------------------------------------

HYPOT = chapter.HYPOT
HYPOT_DTYPE = required(HYPOT.dtype)
HYPOT_LAUNCHED_ORDINARY = launcher(HYPOT, "ordinary")
HYPOT_UFUNC = np.hypot
HYPOT_KERNEL = required(HYPOT.kernel)
HYPOT_LAUNCHED_IN_PLACE = launcher(HYPOT, "in-place")


def hypot(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """The length of the hypotenuse: the square root of `x * x + y * y`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("hypot", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("hypot", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form1 is not form0 and form1.kind != form0.kind:
        x, y = operands.with_scalar(x, y)
        a0, form0 = x.array, x.form or known_form(x)
        a1, form1 = y.array, y.form or known_form(y)
    if form0.kind not in "fiu":
        operands.check_dtype("hypot", "fiu", form0.dtype)
    plain = form0.kind in "f"
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("hypot", x, y)
    form = None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("hypot", x, y),
        HYPOT_DTYPE(form0.dtype, form1.dtype),
    )
    try:
        if not (storage.device.launches and HYPOT_LAUNCHED_ORDINARY((x, y), (a0, a1), array)):
            if plain:
                HYPOT_UFUNC(a0, a1, array)
            else:
                HYPOT_KERNEL(array, a0, a1)
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
            if e0 is not None:
                kept += (save("x", a0, x.storage, e0),)
            if e1 is not None:
                kept += (save("y", a1, y.storage, e1),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = HYPOT, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e0 is not None or e1 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify(
            "hypot", "ordinary", (x, y), result, node, depends=dependence(HYPOT, {"x": a0, "y": a1}, array.shape)
        )
    return result


def hypot_(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """The length of the hypotenuse: the square root of `x * x + y * y`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("hypot_", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("hypot_", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("hypot_", x)
    storage1 = y.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("hypot_", x, y)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("hypot_", x, y)
    if storage1 is storage and y is not x:
        operands.check_overlap("hypot_", x, y)
    if form0.kind not in "f":
        operands.check_dtype("hypot_", "f", form0.dtype)
    dtype = HYPOT_DTYPE(form0.dtype, form1.dtype)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate(
            "hypot_", x, lambda: hypot(x=x, y=y), (y,), lambda: dependence(HYPOT, {"x": a0, "y": a1}, form0.shape)
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("hypot_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            if e0 is not None:
                kept += (save_copy("x", a0, storage, e0),)
            if e1 is not None:
                kept += (
                    save("y", a1, storage1, e1) if storage1 is not storage else operands.save_operand("y", y, e1, x),
                )
            node = new_node(OpNode)
            node.row, node.edges, node.kept = HYPOT, (e0, e1), UNFINISHED
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
        if not (storage.device.launches and HYPOT_LAUNCHED_IN_PLACE((x, y), (a0, a1))):
            HYPOT_UFUNC(a0, a1, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if e0 is not None or e1 is not None:
            kept += (save("out", a0, storage, OUTPUT),)
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("hypot_", "in-place", (x, y), x, node, depends=dependence(HYPOT, {"x": a0, "y": a1}, a0.shape))
    return x


# ---- atan2 ---------------------------------------------------------------------------------------

ATAN2 = chapter.ATAN2
ATAN2_DTYPE = required(ATAN2.dtype)
ATAN2_LAUNCHED_ORDINARY = launcher(ATAN2, "ordinary")
ATAN2_UFUNC = np.arctan2
ATAN2_KERNEL = required(ATAN2.kernel)
ATAN2_LAUNCHED_IN_PLACE = launcher(ATAN2, "in-place")


def atan2(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """The angle of the point (y, x): the arc tangent of `x / y`, in the quadrant of the point."""
    if type(x) is not Tensor:
        x = operands.as_tensor("atan2", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("atan2", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form0.kind not in "fiu":
        operands.check_dtype("atan2", "fiu", form0.dtype)
    plain = form0.kind in "f"
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("atan2", x, y)
    form = None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("atan2", x, y),
        ATAN2_DTYPE(form0.dtype, form1.dtype),
    )
    try:
        if not (storage.device.launches and ATAN2_LAUNCHED_ORDINARY((x, y), (a0, a1), array)):
            if plain:
                ATAN2_UFUNC(a0, a1, array)
            else:
                ATAN2_KERNEL(array, a0, a1)
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
            node.row, node.edges, node.kept = ATAN2, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "atan2", "ordinary", (x, y), result, node, depends=dependence(ATAN2, {"x": a0, "y": a1}, array.shape)
        )
    return result


def atan2_(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """The angle of the point (y, x): the arc tangent of `x / y`, in the quadrant of the point."""
    if type(x) is not Tensor:
        x = operands.as_tensor("atan2_", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("atan2_", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("atan2_", x)
    storage1 = y.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("atan2_", x, y)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("atan2_", x, y)
    if storage1 is storage and y is not x:
        operands.check_overlap("atan2_", x, y)
    if form0.kind not in "fiu":
        operands.check_dtype("atan2_", "fiu", form0.dtype)
    plain = form0.kind in "f"
    dtype = ATAN2_DTYPE(form0.dtype, form1.dtype)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate(
            "atan2_", x, lambda: atan2(x=x, y=y), (y,), lambda: dependence(ATAN2, {"x": a0, "y": a1}, form0.shape)
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("atan2_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (
                save_copy("x", a0, storage, e0),
                save("y", a1, storage1, e1) if storage1 is not storage else operands.save_operand("y", y, e1, x),
            )
            node = new_node(OpNode)
            node.row, node.edges, node.kept = ATAN2, (e0, e1), UNFINISHED
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
        if not (storage.device.launches and ATAN2_LAUNCHED_IN_PLACE((x, y), (a0, a1))):
            if plain:
                ATAN2_UFUNC(a0, a1, a0)
            else:
                ATAN2_KERNEL(a0, a0, a1)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("atan2_", "in-place", (x, y), x, node, depends=dependence(ATAN2, {"x": a0, "y": a1}, a0.shape))
    return x


# ---- logaddexp -----------------------------------------------------------------------------------

LOGADDEXP = chapter.LOGADDEXP
LOGADDEXP_DTYPE = required(LOGADDEXP.dtype)
LOGADDEXP_LAUNCHED_ORDINARY = launcher(LOGADDEXP, "ordinary")
LOGADDEXP_UFUNC = np.logaddexp
LOGADDEXP_KERNEL = required(LOGADDEXP.kernel)


def logaddexp(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """The logarithm of `exp(x) + exp(y)`, without overflow."""
    if type(x) is not Tensor:
        x = operands.as_tensor("logaddexp", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("logaddexp", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form0.kind not in "fiu":
        operands.check_dtype("logaddexp", "fiu", form0.dtype)
    plain = form0.kind in "f"
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("logaddexp", x, y)
    form = None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("logaddexp", x, y),
        LOGADDEXP_DTYPE(form0.dtype, form1.dtype),
    )
    try:
        if not (storage.device.launches and LOGADDEXP_LAUNCHED_ORDINARY((x, y), (a0, a1), array)):
            if plain:
                LOGADDEXP_UFUNC(a0, a1, array)
            else:
                LOGADDEXP_KERNEL(array, a0, a1)
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
            node.row, node.edges, node.kept = LOGADDEXP, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "logaddexp",
            "ordinary",
            (x, y),
            result,
            node,
            depends=dependence(LOGADDEXP, {"x": a0, "y": a1}, array.shape),
        )
    return result


# ---- copysign ------------------------------------------------------------------------------------

COPYSIGN = chapter.COPYSIGN
COPYSIGN_LAUNCHED_ORDINARY = launcher(COPYSIGN, "ordinary")
COPYSIGN_KERNEL = chapter._copysign
COPYSIGN_LAUNCHED_IN_PLACE = launcher(COPYSIGN, "in-place")


def copysign(x: Tensor, y: Any, name: str | None = None) -> Tensor:
    """The magnitude of `x` with the sign of `y`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("copysign", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_promoted("copysign", "y", 1, y, x)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form1 is not form0 and form1.kind != form0.kind:
        x, y = operands.with_scalar(x, y)
        a0, form0 = x.array, x.form or known_form(x)
        a1, form1 = y.array, y.form or known_form(y)
    if form0.kind not in "fiub" or form1.dtype is not form0.dtype:
        operands.check_dtype("copysign", "fiub", form0.dtype, form1.dtype)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("copysign", x, y)
    form = form0 if form1 is form0 else None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("copysign", x, y),
        form0.dtype if form0.dtype is form1.dtype else operands.promoted("copysign", form0.dtype, form1.dtype),
    )
    try:
        if not (storage.device.launches and COPYSIGN_LAUNCHED_ORDINARY((x, y), (a0, a1), array)):
            COPYSIGN_KERNEL(array, a0, a1, storage.device)
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
            if e0 is not None:
                kept += (save("x", a0, x.storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = COPYSIGN, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify(
            "copysign", "ordinary", (x, y), result, node, depends=dependence(COPYSIGN, {"x": a0, "y": a1}, array.shape)
        )
    return result


def copysign_(x: Tensor, y: Any, name: str | None = None) -> Tensor:
    """The magnitude of `x` with the sign of `y`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("copysign_", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_promoted("copysign_", "y", 1, y, x)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("copysign_", x)
    storage1 = y.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("copysign_", x, y)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("copysign_", x, y)
    if storage1 is storage and y is not x:
        operands.check_overlap("copysign_", x, y)
    if form0.kind not in "fiub" or form1.dtype is not form0.dtype:
        operands.check_dtype("copysign_", "fiub", form0.dtype, form1.dtype)
    if (
        form1 is not form0
        and (form0.dtype if form0.dtype is form1.dtype else operands.promoted("copysign_", form0.dtype, form1.dtype))
        != form0.dtype
    ):
        return destinations.reallocate(
            "copysign_",
            x,
            lambda: copysign(x=x, y=y),
            (y,),
            lambda: dependence(COPYSIGN, {"x": a0, "y": a1}, form0.shape),
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("copysign_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            if e0 is not None:
                kept += (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = COPYSIGN, (e0, e1), UNFINISHED
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
        if not (storage.device.launches and COPYSIGN_LAUNCHED_IN_PLACE((x, y), (a0, a1))):
            COPYSIGN_KERNEL(a0, a0, a1, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if e0 is not None:
            kept += (save("out", a0, storage, OUTPUT),)
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "copysign_", "in-place", (x, y), x, node, depends=dependence(COPYSIGN, {"x": a0, "y": a1}, a0.shape)
        )
    return x


# ---- nextafter -----------------------------------------------------------------------------------

NEXTAFTER = chapter.NEXTAFTER
NEXTAFTER_DTYPE = required(NEXTAFTER.dtype)
NEXTAFTER_LAUNCHED_ORDINARY = launcher(NEXTAFTER, "ordinary")
NEXTAFTER_UFUNC = np.nextafter


def nextafter(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """The floating-point number next to `x` in the direction of `y`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("nextafter", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("nextafter", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form0.kind not in "f":
        operands.check_dtype("nextafter", "f", form0.dtype)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("nextafter", x, y)
    form = None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("nextafter", x, y),
        NEXTAFTER_DTYPE(form0.dtype, form1.dtype),
    )
    try:
        if not (storage.device.launches and NEXTAFTER_LAUNCHED_ORDINARY((x, y), (a0, a1), array)):
            NEXTAFTER_UFUNC(a0, a1, array)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.listeners:
        mode.notify(
            "nextafter",
            "ordinary",
            (x, y),
            result,
            node,
            depends=dependence(NEXTAFTER, {"x": a0, "y": a1}, array.shape),
        )
    return result


# ---- ldexp ---------------------------------------------------------------------------------------

LDEXP = chapter.LDEXP
LDEXP_DTYPE = chapter._scaled
LDEXP_LAUNCHED_ORDINARY = launcher(LDEXP, "ordinary")
LDEXP_KERNEL = chapter._ldexp
LDEXP_LAUNCHED_IN_PLACE = launcher(LDEXP, "in-place")


def ldexp(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Multiply by a power of two: `x * 2 ** y`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("ldexp", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("ldexp", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("ldexp", x, y)
    form = None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("ldexp", x, y),
        LDEXP_DTYPE(form0.dtype, form1.dtype),
    )
    try:
        if not (storage.device.launches and LDEXP_LAUNCHED_ORDINARY((x, y), (a0, a1), array)):
            LDEXP_KERNEL(array, a0, a1, storage.device)
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
            if e0 is not None:
                kept += (save("y", a1, y.storage, e1),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = LDEXP, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e1 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify(
            "ldexp", "ordinary", (x, y), result, node, depends=dependence(LDEXP, {"x": a0, "y": a1}, array.shape)
        )
    return result


def ldexp_(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Multiply by a power of two: `x * 2 ** y`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("ldexp_", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("ldexp_", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("ldexp_", x)
    storage1 = y.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("ldexp_", x, y)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("ldexp_", x, y)
    if storage1 is storage and y is not x:
        operands.check_overlap("ldexp_", x, y)
    dtype = LDEXP_DTYPE(form0.dtype, form1.dtype)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate(
            "ldexp_", x, lambda: ldexp(x=x, y=y), (y,), lambda: dependence(LDEXP, {"x": a0, "y": a1}, form0.shape)
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("ldexp_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            if e0 is not None:
                kept += (
                    save("y", a1, storage1, e1) if storage1 is not storage else operands.save_operand("y", y, e1, x),
                )
            node = new_node(OpNode)
            node.row, node.edges, node.kept = LDEXP, (e0, e1), UNFINISHED
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
        if not (storage.device.launches and LDEXP_LAUNCHED_IN_PLACE((x, y), (a0, a1))):
            LDEXP_KERNEL(a0, a0, a1, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if e1 is not None:
            kept += (save("out", a0, storage, OUTPUT),)
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("ldexp_", "in-place", (x, y), x, node, depends=dependence(LDEXP, {"x": a0, "y": a1}, a0.shape))
    return x


# ---- _gamma_density ------------------------------------------------------------------------------

_GAMMA_DENSITY = chapter._GAMMA_DENSITY
_GAMMA_DENSITY_DTYPE = required(_GAMMA_DENSITY.dtype)
_GAMMA_DENSITY_KERNEL = chapter._gamma_density


def _gamma_density(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """The slope of `gammainc` in `y`: `y ** (x - 1) * exp(-y) / gamma(x)`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("_gamma_density", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("_gamma_density", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form0.kind not in "f":
        operands.check_dtype("_gamma_density", "f", form0.dtype)
    special = x.storage.device.special
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("_gamma_density", x, y)
    form = None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("_gamma_density", x, y),
        _GAMMA_DENSITY_DTYPE(form0.dtype, form1.dtype),
    )
    try:
        _GAMMA_DENSITY_KERNEL(array, a0, a1, special, storage.device)
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
            node.row, node.edges, node.kept = _GAMMA_DENSITY, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e1 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify(
            "_gamma_density",
            "ordinary",
            (x, y),
            result,
            node,
            depends=dependence(_GAMMA_DENSITY, {"x": a0, "y": a1}, array.shape),
        )
    return result


# ---- gammainc ------------------------------------------------------------------------------------

GAMMAINC = chapter.GAMMAINC
GAMMAINC_VALIDATE = chapter._check_gamma
GAMMAINC_DTYPE = required(GAMMAINC.dtype)
GAMMAINC_KERNEL = chapter._gammainc


def gammainc(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """The regularized lower incomplete gamma function P(x, y)."""
    if type(x) is not Tensor:
        x = operands.as_tensor("gammainc", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("gammainc", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form0.kind not in "f":
        operands.check_dtype("gammainc", "f", form0.dtype)
    special = x.storage.device.special
    GAMMAINC_VALIDATE(a0, a1)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("gammainc", x, y)
    form = None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("gammainc", x, y),
        GAMMAINC_DTYPE(form0.dtype, form1.dtype),
    )
    try:
        GAMMAINC_KERNEL(array, a0, a1, special)
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
            node.row, node.edges, node.kept = GAMMAINC, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "gammainc", "ordinary", (x, y), result, node, depends=dependence(GAMMAINC, {"x": a0, "y": a1}, array.shape)
        )
    return result


def gammainc_(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """The regularized lower incomplete gamma function P(x, y)."""
    if type(x) is not Tensor:
        x = operands.as_tensor("gammainc_", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("gammainc_", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("gammainc_", x)
    storage1 = y.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("gammainc_", x, y)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("gammainc_", x, y)
    if storage1 is storage and y is not x:
        operands.check_overlap("gammainc_", x, y)
    if form0.kind not in "f":
        operands.check_dtype("gammainc_", "f", form0.dtype)
    special = x.storage.device.special
    GAMMAINC_VALIDATE(a0, a1)
    dtype = GAMMAINC_DTYPE(form0.dtype, form1.dtype)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate(
            "gammainc_",
            x,
            lambda: gammainc(x=x, y=y),
            (y,),
            lambda: dependence(GAMMAINC, {"x": a0, "y": a1}, form0.shape),
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("gammainc_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            if e1 is not None:
                kept += (save_copy("x", a0, storage, e0),)
            if e1 is not None:
                kept += (
                    save("y", a1, storage1, e1) if storage1 is not storage else operands.save_operand("y", y, e1, x),
                )
            node = new_node(OpNode)
            node.row, node.edges, node.kept = GAMMAINC, (e0, e1), UNFINISHED
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
        GAMMAINC_KERNEL(a0, a0, a1, special)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "gammainc_", "in-place", (x, y), x, node, depends=dependence(GAMMAINC, {"x": a0, "y": a1}, a0.shape)
        )
    return x


# ---- gammaincc -----------------------------------------------------------------------------------

GAMMAINCC = chapter.GAMMAINCC
GAMMAINCC_VALIDATE = chapter._check_gamma
GAMMAINCC_DTYPE = required(GAMMAINCC.dtype)
GAMMAINCC_KERNEL = chapter._gammaincc


def gammaincc(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """The regularized upper incomplete gamma function Q(x, y) = 1 - P(x, y)."""
    if type(x) is not Tensor:
        x = operands.as_tensor("gammaincc", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("gammaincc", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form0.kind not in "f":
        operands.check_dtype("gammaincc", "f", form0.dtype)
    special = x.storage.device.special
    GAMMAINCC_VALIDATE(a0, a1)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("gammaincc", x, y)
    form = None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("gammaincc", x, y),
        GAMMAINCC_DTYPE(form0.dtype, form1.dtype),
    )
    try:
        GAMMAINCC_KERNEL(array, a0, a1, special)
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
            node.row, node.edges, node.kept = GAMMAINCC, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "gammaincc",
            "ordinary",
            (x, y),
            result,
            node,
            depends=dependence(GAMMAINCC, {"x": a0, "y": a1}, array.shape),
        )
    return result


def gammaincc_(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """The regularized upper incomplete gamma function Q(x, y) = 1 - P(x, y)."""
    if type(x) is not Tensor:
        x = operands.as_tensor("gammaincc_", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("gammaincc_", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("gammaincc_", x)
    storage1 = y.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("gammaincc_", x, y)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("gammaincc_", x, y)
    if storage1 is storage and y is not x:
        operands.check_overlap("gammaincc_", x, y)
    if form0.kind not in "f":
        operands.check_dtype("gammaincc_", "f", form0.dtype)
    special = x.storage.device.special
    GAMMAINCC_VALIDATE(a0, a1)
    dtype = GAMMAINCC_DTYPE(form0.dtype, form1.dtype)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate(
            "gammaincc_",
            x,
            lambda: gammaincc(x=x, y=y),
            (y,),
            lambda: dependence(GAMMAINCC, {"x": a0, "y": a1}, form0.shape),
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("gammaincc_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            if e1 is not None:
                kept += (save_copy("x", a0, storage, e0),)
            if e1 is not None:
                kept += (
                    save("y", a1, storage1, e1) if storage1 is not storage else operands.save_operand("y", y, e1, x),
                )
            node = new_node(OpNode)
            node.row, node.edges, node.kept = GAMMAINCC, (e0, e1), UNFINISHED
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
        GAMMAINCC_KERNEL(a0, a0, a1, special)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "gammaincc_", "in-place", (x, y), x, node, depends=dependence(GAMMAINCC, {"x": a0, "y": a1}, a0.shape)
        )
    return x


# ---- erf -----------------------------------------------------------------------------------------

ERF = chapter.ERF
ERF_DTYPE = dtypes.floating
ERF_LAUNCHED_ORDINARY = launcher(ERF, "ordinary")
ERF_KERNEL = chapter._erf
ERF_LAUNCHED_IN_PLACE = launcher(ERF, "in-place")


def erf(x: Tensor, name: str | None = None) -> Tensor:
    """The error function."""
    if type(x) is not Tensor:
        x = operands.as_tensor("erf", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fiu":
        operands.check_dtype("erf", "fiu", form0.dtype)
    special = x.storage.device.special
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, ERF_DTYPE(form0.dtype))
    try:
        if not (storage.device.launches and ERF_LAUNCHED_ORDINARY((x,), (a0,), array)):
            ERF_KERNEL(array, a0, special)
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
            node.row, node.edges, node.kept = ERF, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("erf", "ordinary", (x,), result, node, depends=dependence(ERF, {"x": a0}, array.shape))
    return result


def erf_(x: Tensor, name: str | None = None) -> Tensor:
    """The error function."""
    if type(x) is not Tensor:
        x = operands.as_tensor("erf_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("erf_", x)
    if form0.kind not in "f":
        operands.check_dtype("erf_", "f", form0.dtype)
    special = x.storage.device.special
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("erf_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = ERF, (e0,), UNFINISHED
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
        if not (storage.device.launches and ERF_LAUNCHED_IN_PLACE((x,), (a0,))):
            ERF_KERNEL(a0, a0, special)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("erf_", "in-place", (x,), x, node, depends=dependence(ERF, {"x": a0}, a0.shape))
    return x


# ---- erfinv --------------------------------------------------------------------------------------

ERFINV = chapter.ERFINV
ERFINV_DTYPE = dtypes.floating
ERFINV_KERNEL = chapter._erfinv


def erfinv(x: Tensor, name: str | None = None) -> Tensor:
    """The inverse of the error function."""
    if type(x) is not Tensor:
        x = operands.as_tensor("erfinv", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fiu":
        operands.check_dtype("erfinv", "fiu", form0.dtype)
    special = x.storage.device.special
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, ERFINV_DTYPE(form0.dtype))
    try:
        ERFINV_KERNEL(array, a0, special)
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
            node.row, node.edges, node.kept = ERFINV, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify("erfinv", "ordinary", (x,), result, node, depends=dependence(ERFINV, {"x": a0}, array.shape))
    return result


def erfinv_(x: Tensor, name: str | None = None) -> Tensor:
    """The inverse of the error function."""
    if type(x) is not Tensor:
        x = operands.as_tensor("erfinv_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("erfinv_", x)
    if form0.kind not in "f":
        operands.check_dtype("erfinv_", "f", form0.dtype)
    special = x.storage.device.special
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("erfinv_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = ERFINV, (e0,), UNFINISHED
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
        ERFINV_KERNEL(a0, a0, special)
    except RuntimeWarning:
        pass
    if node is not None:
        if e0 is not None:
            kept += (save("out", a0, storage, OUTPUT),)
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("erfinv_", "in-place", (x,), x, node, depends=dependence(ERFINV, {"x": a0}, a0.shape))
    return x


# ---- lgamma --------------------------------------------------------------------------------------

LGAMMA = chapter.LGAMMA
LGAMMA_DTYPE = dtypes.floating
LGAMMA_LAUNCHED_ORDINARY = launcher(LGAMMA, "ordinary")
LGAMMA_KERNEL = chapter._lgamma
LGAMMA_LAUNCHED_IN_PLACE = launcher(LGAMMA, "in-place")


def lgamma(x: Tensor, name: str | None = None) -> Tensor:
    """The logarithm of the magnitude of the gamma function."""
    if type(x) is not Tensor:
        x = operands.as_tensor("lgamma", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fiu":
        operands.check_dtype("lgamma", "fiu", form0.dtype)
    special = x.storage.device.special
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, LGAMMA_DTYPE(form0.dtype))
    try:
        if not (storage.device.launches and LGAMMA_LAUNCHED_ORDINARY((x,), (a0,), array)):
            LGAMMA_KERNEL(array, a0, special, storage.device)
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
            node.row, node.edges, node.kept = LGAMMA, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("lgamma", "ordinary", (x,), result, node, depends=dependence(LGAMMA, {"x": a0}, array.shape))
    return result


def lgamma_(x: Tensor, name: str | None = None) -> Tensor:
    """The logarithm of the magnitude of the gamma function."""
    if type(x) is not Tensor:
        x = operands.as_tensor("lgamma_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("lgamma_", x)
    if form0.kind not in "f":
        operands.check_dtype("lgamma_", "f", form0.dtype)
    special = x.storage.device.special
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("lgamma_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = LGAMMA, (e0,), UNFINISHED
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
        if not (storage.device.launches and LGAMMA_LAUNCHED_IN_PLACE((x,), (a0,))):
            LGAMMA_KERNEL(a0, a0, special, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("lgamma_", "in-place", (x,), x, node, depends=dependence(LGAMMA, {"x": a0}, a0.shape))
    return x


# ---- gammaln -------------------------------------------------------------------------------------

GAMMALN = chapter.GAMMALN
GAMMALN_LAUNCHED_ORDINARY = launcher(GAMMALN, "ordinary")
GAMMALN_KERNEL = chapter._lgamma
GAMMALN_LAUNCHED_IN_PLACE = launcher(GAMMALN, "in-place")


def gammaln(x: Tensor, name: str | None = None) -> Tensor:
    """The same as `lgamma`, for floating-point tensors only."""
    if type(x) is not Tensor:
        x = operands.as_tensor("gammaln", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "f":
        operands.check_dtype("gammaln", "f", form0.dtype)
    special = x.storage.device.special
    storage = x.storage
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        if not (storage.device.launches and GAMMALN_LAUNCHED_ORDINARY((x,), (a0,), array)):
            GAMMALN_KERNEL(array, a0, special, storage.device)
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
            node.row, node.edges, node.kept = GAMMALN, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("gammaln", "ordinary", (x,), result, node, depends=dependence(GAMMALN, {"x": a0}, array.shape))
    return result


def gammaln_(x: Tensor, name: str | None = None) -> Tensor:
    """The same as `lgamma`, for floating-point tensors only."""
    if type(x) is not Tensor:
        x = operands.as_tensor("gammaln_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("gammaln_", x)
    if form0.kind not in "f":
        operands.check_dtype("gammaln_", "f", form0.dtype)
    special = x.storage.device.special
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("gammaln_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = GAMMALN, (e0,), UNFINISHED
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
        if not (storage.device.launches and GAMMALN_LAUNCHED_IN_PLACE((x,), (a0,))):
            GAMMALN_KERNEL(a0, a0, special, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("gammaln_", "in-place", (x,), x, node, depends=dependence(GAMMALN, {"x": a0}, a0.shape))
    return x


# ---- digamma -------------------------------------------------------------------------------------

DIGAMMA = chapter.DIGAMMA
DIGAMMA_DTYPE = dtypes.floating
DIGAMMA_KERNEL = chapter._digamma


def digamma(x: Tensor, name: str | None = None) -> Tensor:
    """The derivative of `lgamma`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("digamma", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fiu":
        operands.check_dtype("digamma", "fiu", form0.dtype)
    special = x.storage.device.special
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, DIGAMMA_DTYPE(form0.dtype))
    try:
        DIGAMMA_KERNEL(array, a0, special)
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
            node.row, node.edges, node.kept = DIGAMMA, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("digamma", "ordinary", (x,), result, node, depends=dependence(DIGAMMA, {"x": a0}, array.shape))
    return result


def digamma_(x: Tensor, name: str | None = None) -> Tensor:
    """The derivative of `lgamma`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("digamma_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("digamma_", x)
    if form0.kind not in "f":
        operands.check_dtype("digamma_", "f", form0.dtype)
    special = x.storage.device.special
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("digamma_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = DIGAMMA, (e0,), UNFINISHED
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
        DIGAMMA_KERNEL(a0, a0, special)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("digamma_", "in-place", (x,), x, node, depends=dependence(DIGAMMA, {"x": a0}, a0.shape))
    return x


# ---- polygamma -----------------------------------------------------------------------------------

POLYGAMMA = chapter.POLYGAMMA
POLYGAMMA_PREPARE_N = chapter._order
POLYGAMMA_DTYPE = dtypes.floating
POLYGAMMA_KERNEL = chapter._polygamma


def polygamma(x: Tensor, n: Any, name: str | None = None) -> Tensor:
    """The `n`-th derivative of `digamma`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("polygamma", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fiu":
        operands.check_dtype("polygamma", "fiu", form0.dtype)
    special = x.storage.device.special
    storage = x.storage
    n = POLYGAMMA_PREPARE_N(a0, n)
    form = None
    array = storage.device.empty(form0.shape, POLYGAMMA_DTYPE(form0.dtype))
    try:
        POLYGAMMA_KERNEL(array, a0, n, special)
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
            node.row, node.edges, node.kept = POLYGAMMA, (e0,), kept
            node.forms, node.facts = (form0,), {"n": n}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "polygamma", "ordinary", (x,), result, node, depends=dependence(POLYGAMMA, {"x": a0, "n": n}, array.shape)
        )
    return result


def polygamma_(x: Tensor, n: Any, name: str | None = None) -> Tensor:
    """The `n`-th derivative of `digamma`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("polygamma_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("polygamma_", x)
    if form0.kind not in "f":
        operands.check_dtype("polygamma_", "f", form0.dtype)
    special = x.storage.device.special
    n = POLYGAMMA_PREPARE_N(a0, n)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("polygamma_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = POLYGAMMA, (e0,), UNFINISHED
            node.forms, node.facts = (form0,), {"n": n}
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
        POLYGAMMA_KERNEL(a0, a0, n, special)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("polygamma_", "in-place", (x,), x, node, depends=dependence(POLYGAMMA, {"x": a0, "n": n}, a0.shape))
    return x


# ---- multigammaln --------------------------------------------------------------------------------

MULTIGAMMALN = chapter.MULTIGAMMALN
MULTIGAMMALN_PREPARE_P = chapter._dimension
MULTIGAMMALN_KERNEL = chapter._multigammaln


def multigammaln(x: Tensor, p: Any, name: str | None = None) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension `p`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("multigammaln", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "f":
        operands.check_dtype("multigammaln", "f", form0.dtype)
    special = x.storage.device.special
    storage = x.storage
    p = MULTIGAMMALN_PREPARE_P(a0, p)
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        MULTIGAMMALN_KERNEL(array, a0, p, special, storage.device)
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
            node.row, node.edges, node.kept = MULTIGAMMALN, (e0,), kept
            node.forms, node.facts = (form0,), {"p": p}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "multigammaln",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(MULTIGAMMALN, {"x": a0, "p": p}, array.shape),
        )
    return result


def multigammaln_(x: Tensor, p: Any, name: str | None = None) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension `p`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("multigammaln_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("multigammaln_", x)
    if form0.kind not in "f":
        operands.check_dtype("multigammaln_", "f", form0.dtype)
    special = x.storage.device.special
    p = MULTIGAMMALN_PREPARE_P(a0, p)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("multigammaln_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = MULTIGAMMALN, (e0,), UNFINISHED
            node.forms, node.facts = (form0,), {"p": p}
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
        MULTIGAMMALN_KERNEL(a0, a0, p, special, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "multigammaln_", "in-place", (x,), x, node, depends=dependence(MULTIGAMMALN, {"x": a0, "p": p}, a0.shape)
        )
    return x


# ---- i0 ------------------------------------------------------------------------------------------

I0 = chapter.I0
I0_DTYPE = dtypes.floating
I0_KERNEL = chapter._i0


def i0(x: Tensor, name: str | None = None) -> Tensor:
    """The modified Bessel function of order 0."""
    if type(x) is not Tensor:
        x = operands.as_tensor("i0", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fiu":
        operands.check_dtype("i0", "fiu", form0.dtype)
    special = x.storage.device.special
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, I0_DTYPE(form0.dtype))
    try:
        I0_KERNEL(array, a0, special)
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
            node.row, node.edges, node.kept = I0, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("i0", "ordinary", (x,), result, node, depends=dependence(I0, {"x": a0}, array.shape))
    return result


def i0_(x: Tensor, name: str | None = None) -> Tensor:
    """The modified Bessel function of order 0."""
    if type(x) is not Tensor:
        x = operands.as_tensor("i0_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("i0_", x)
    if form0.kind not in "f":
        operands.check_dtype("i0_", "f", form0.dtype)
    special = x.storage.device.special
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("i0_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = I0, (e0,), UNFINISHED
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
        I0_KERNEL(a0, a0, special)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("i0_", "in-place", (x,), x, node, depends=dependence(I0, {"x": a0}, a0.shape))
    return x


# ---- i1 ------------------------------------------------------------------------------------------

I1 = chapter.I1
I1_DTYPE = dtypes.floating
I1_KERNEL = chapter._i1


def i1(x: Tensor, name: str | None = None) -> Tensor:
    """The modified Bessel function of order 1."""
    if type(x) is not Tensor:
        x = operands.as_tensor("i1", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fiu":
        operands.check_dtype("i1", "fiu", form0.dtype)
    special = x.storage.device.special
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, I1_DTYPE(form0.dtype))
    try:
        I1_KERNEL(array, a0, special)
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
            node.row, node.edges, node.kept = I1, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("i1", "ordinary", (x,), result, node, depends=dependence(I1, {"x": a0}, array.shape))
    return result


# ---- _bessel_i -----------------------------------------------------------------------------------

_BESSEL_I = chapter._BESSEL_I
_BESSEL_I_KERNEL = chapter._bessel_i


def _bessel_i(x: Tensor, order: Any, name: str | None = None) -> Tensor:
    """The modified Bessel function of a whole order."""
    if type(x) is not Tensor:
        x = operands.as_tensor("_bessel_i", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "f":
        operands.check_dtype("_bessel_i", "f", form0.dtype)
    special = x.storage.device.special
    storage = x.storage
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        _BESSEL_I_KERNEL(array, a0, order, special)
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
            node.row, node.edges, node.kept = _BESSEL_I, (e0,), kept
            node.forms, node.facts = (form0,), {"order": order}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "_bessel_i",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(_BESSEL_I, {"x": a0, "order": order}, array.shape),
        )
    return result


# ---- _spherical_bessel ---------------------------------------------------------------------------

_SPHERICAL_BESSEL = chapter._SPHERICAL_BESSEL
_SPHERICAL_BESSEL_KERNEL = chapter._spherical_bessel


def _spherical_bessel(x: Tensor, order: Any, name: str | None = None) -> Tensor:
    """The spherical Bessel function of a whole order."""
    if type(x) is not Tensor:
        x = operands.as_tensor("_spherical_bessel", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fc":
        operands.check_dtype("_spherical_bessel", "fc", form0.dtype)
    special = x.storage.device.special
    storage = x.storage
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        _SPHERICAL_BESSEL_KERNEL(array, a0, order, special, storage.device)
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
            node.row, node.edges, node.kept = _SPHERICAL_BESSEL, (e0,), kept
            node.forms, node.facts = (form0,), {"order": order}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "_spherical_bessel",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(_SPHERICAL_BESSEL, {"x": a0, "order": order}, array.shape),
        )
    return result
