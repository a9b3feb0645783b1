"""The functions of the rows in `inplacelab/ops/trigonometry.py`.

Generated: `python -m inplacelab.ops.table.generate` writes this file. Do not edit it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab import dtypes
from inplacelab.autograd.history import accumulator, check_leaf, edge, rebase, refresh
from inplacelab.autograd.nodes import NOTHING, UNFINISHED, OpNode, new_node, next_serial
from inplacelab.autograd.saved import OUTPUT, Saved, save, save_copy
from inplacelab.modes import current as current_modes
from inplacelab.ops import trigonometry as chapter
from inplacelab.ops.arguments import keywords, operands
from inplacelab.ops.arguments.keywords import ABSENT
from inplacelab.ops.results import destinations
from inplacelab.ops.results.kernel_tools import launcher
from inplacelab.ops.table.depends import dependence
from inplacelab.ops.table.row import required
from inplacelab.tensor import Tensor, fresh, known_form

# ---- sin -----------------------------------------------------------------------------------------

SIN = chapter.SIN
SIN_DTYPE = dtypes.floating
SIN_LAUNCHED_ORDINARY = launcher(SIN, "ordinary")
SIN_UFUNC = np.sin
SIN_KERNEL = required(SIN.kernel)
SIN_LAUNCHED_IN_PLACE = launcher(SIN, "in-place")


def sin(
    x: Tensor = ABSENT, name: str | None = None, _: Any = ABSENT, out: Tensor | None = None, input: Any = ABSENT
) -> Tensor:
    """The sine of each element (radians)."""
    if input is not _:
        keywords.check_named("sin", 2, _)
        x = keywords.either("sin", "x", x, "input", input)
    if out is not None:
        return destinations.into("sin", out, (x,), lambda: sin(x=x, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("sin", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "fciu":
        operands.check_dtype("sin", "fciu", form0.dtype)
    plain = form0.kind in "fc"
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, SIN_DTYPE(form0.dtype))
    try:
        if not (storage.device.launches and SIN_LAUNCHED_ORDINARY((x,), (a0,), array)):
            if plain:
                SIN_UFUNC(a0, array)
            else:
                SIN_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = (SIN, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify("sin", "ordinary", (x,), result, node, depends=dependence(SIN, {"x": a0}, array.shape))
    return result


def sin_(x: Tensor, name: str | None = None) -> Tensor:
    """The sine of each element (radians)."""
    if type(x) is not Tensor:
        x = operands.as_tensor("sin_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("sin_", x)
    if form0.kind not in "fc":
        operands.check_dtype("sin_", "fc", form0.dtype)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("sin_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (SIN, (e0,), UNFINISHED)
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
        if not (storage.device.launches and SIN_LAUNCHED_IN_PLACE((x,), (a0,))):
            SIN_UFUNC(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("sin_", "in-place", (x,), x, node, depends=dependence(SIN, {"x": a0}, a0.shape))
    return x


# ---- cos -----------------------------------------------------------------------------------------

COS = chapter.COS
COS_DTYPE = dtypes.floating
COS_LAUNCHED_ORDINARY = launcher(COS, "ordinary")
COS_UFUNC = np.cos
COS_KERNEL = required(COS.kernel)
COS_LAUNCHED_IN_PLACE = launcher(COS, "in-place")


def cos(
    x: Tensor = ABSENT, name: str | None = None, _: Any = ABSENT, out: Tensor | None = None, input: Any = ABSENT
) -> Tensor:
    """The cosine of each element (radians)."""
    if input is not _:
        keywords.check_named("cos", 2, _)
        x = keywords.either("cos", "x", x, "input", input)
    if out is not None:
        return destinations.into("cos", out, (x,), lambda: cos(x=x, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("cos", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "fciu":
        operands.check_dtype("cos", "fciu", form0.dtype)
    plain = form0.kind in "fc"
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, COS_DTYPE(form0.dtype))
    try:
        if not (storage.device.launches and COS_LAUNCHED_ORDINARY((x,), (a0,), array)):
            if plain:
                COS_UFUNC(a0, array)
            else:
                COS_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = (COS, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify("cos", "ordinary", (x,), result, node, depends=dependence(COS, {"x": a0}, array.shape))
    return result


def cos_(x: Tensor, name: str | None = None) -> Tensor:
    """The cosine of each element (radians)."""
    if type(x) is not Tensor:
        x = operands.as_tensor("cos_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("cos_", x)
    if form0.kind not in "fc":
        operands.check_dtype("cos_", "fc", form0.dtype)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("cos_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (COS, (e0,), UNFINISHED)
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
        if not (storage.device.launches and COS_LAUNCHED_IN_PLACE((x,), (a0,))):
            COS_UFUNC(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("cos_", "in-place", (x,), x, node, depends=dependence(COS, {"x": a0}, a0.shape))
    return x


# ---- tan -----------------------------------------------------------------------------------------

TAN = chapter.TAN
TAN_DTYPE = dtypes.floating
TAN_LAUNCHED_ORDINARY = launcher(TAN, "ordinary")
TAN_UFUNC = np.tan
TAN_KERNEL = required(TAN.kernel)
TAN_LAUNCHED_IN_PLACE = launcher(TAN, "in-place")


def tan(x: Tensor, name: str | None = None) -> Tensor:
    """The tangent of each element (radians)."""
    if type(x) is not Tensor:
        x = operands.as_tensor("tan", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "fciu":
        operands.check_dtype("tan", "fciu", form0.dtype)
    plain = form0.kind in "fc"
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, TAN_DTYPE(form0.dtype))
    try:
        if not (storage.device.launches and TAN_LAUNCHED_ORDINARY((x,), (a0,), array)):
            if plain:
                TAN_UFUNC(a0, array)
            else:
                TAN_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = (TAN, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify("tan", "ordinary", (x,), result, node, depends=dependence(TAN, {"x": a0}, array.shape))
    return result


def tan_(x: Tensor, name: str | None = None) -> Tensor:
    """The tangent of each element (radians)."""
    if type(x) is not Tensor:
        x = operands.as_tensor("tan_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("tan_", x)
    if form0.kind not in "fc":
        operands.check_dtype("tan_", "fc", form0.dtype)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("tan_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (TAN, (e0,), UNFINISHED)
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
        if not (storage.device.launches and TAN_LAUNCHED_IN_PLACE((x,), (a0,))):
            TAN_UFUNC(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("tan_", "in-place", (x,), x, node, depends=dependence(TAN, {"x": a0}, a0.shape))
    return x


# ---- asin ----------------------------------------------------------------------------------------

ASIN = chapter.ASIN
ASIN_DTYPE = dtypes.floating
ASIN_LAUNCHED_ORDINARY = launcher(ASIN, "ordinary")
ASIN_UFUNC = np.arcsin
ASIN_KERNEL = required(ASIN.kernel)
ASIN_LAUNCHED_IN_PLACE = launcher(ASIN, "in-place")


def asin(x: Tensor = ABSENT, name: str | None = None, _: Any = ABSENT, input: Any = ABSENT) -> Tensor:
    """The inverse sine of each element, in radians."""
    if input is not _:
        keywords.check_named("asin", 2, _)
        x = keywords.either("asin", "x", x, "input", input)
    if type(x) is not Tensor:
        x = operands.as_tensor("asin", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "fciu":
        operands.check_dtype("asin", "fciu", form0.dtype)
    plain = form0.kind in "fc"
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, ASIN_DTYPE(form0.dtype))
    try:
        if not (storage.device.launches and ASIN_LAUNCHED_ORDINARY((x,), (a0,), array)):
            if plain:
                ASIN_UFUNC(a0, array)
            else:
                ASIN_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = (ASIN, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify("asin", "ordinary", (x,), result, node, depends=dependence(ASIN, {"x": a0}, array.shape))
    return result


def asin_(x: Tensor, name: str | None = None) -> Tensor:
    """The inverse sine of each element, in radians."""
    if type(x) is not Tensor:
        x = operands.as_tensor("asin_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("asin_", x)
    if form0.kind not in "fc":
        operands.check_dtype("asin_", "fc", form0.dtype)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("asin_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (ASIN, (e0,), UNFINISHED)
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
        if not (storage.device.launches and ASIN_LAUNCHED_IN_PLACE((x,), (a0,))):
            ASIN_UFUNC(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("asin_", "in-place", (x,), x, node, depends=dependence(ASIN, {"x": a0}, a0.shape))
    return x


# ---- acos ----------------------------------------------------------------------------------------

ACOS = chapter.ACOS
ACOS_DTYPE = dtypes.floating
ACOS_LAUNCHED_ORDINARY = launcher(ACOS, "ordinary")
ACOS_UFUNC = np.arccos
ACOS_KERNEL = required(ACOS.kernel)
ACOS_LAUNCHED_IN_PLACE = launcher(ACOS, "in-place")


def acos(
    x: Tensor = ABSENT, name: str | None = None, _: Any = ABSENT, out: Tensor | None = None, input: Any = ABSENT
) -> Tensor:
    """The inverse cosine of each element, in radians."""
    if input is not _:
        keywords.check_named("acos", 2, _)
        x = keywords.either("acos", "x", x, "input", input)
    if out is not None:
        return destinations.into("acos", out, (x,), lambda: acos(x=x, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("acos", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "fciu":
        operands.check_dtype("acos", "fciu", form0.dtype)
    plain = form0.kind in "fc"
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, ACOS_DTYPE(form0.dtype))
    try:
        if not (storage.device.launches and ACOS_LAUNCHED_ORDINARY((x,), (a0,), array)):
            if plain:
                ACOS_UFUNC(a0, array)
            else:
                ACOS_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = (ACOS, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify("acos", "ordinary", (x,), result, node, depends=dependence(ACOS, {"x": a0}, array.shape))
    return result


def acos_(x: Tensor, name: str | None = None) -> Tensor:
    """The inverse cosine of each element, in radians."""
    if type(x) is not Tensor:
        x = operands.as_tensor("acos_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("acos_", x)
    if form0.kind not in "fc":
        operands.check_dtype("acos_", "fc", form0.dtype)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("acos_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (ACOS, (e0,), UNFINISHED)
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
        if not (storage.device.launches and ACOS_LAUNCHED_IN_PLACE((x,), (a0,))):
            ACOS_UFUNC(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("acos_", "in-place", (x,), x, node, depends=dependence(ACOS, {"x": a0}, a0.shape))
    return x


# ---- atan ----------------------------------------------------------------------------------------

ATAN = chapter.ATAN
ATAN_DTYPE = dtypes.floating
ATAN_LAUNCHED_ORDINARY = launcher(ATAN, "ordinary")
ATAN_UFUNC = np.arctan
ATAN_KERNEL = required(ATAN.kernel)
ATAN_LAUNCHED_IN_PLACE = launcher(ATAN, "in-place")


def atan(x: Tensor, name: str | None = None) -> Tensor:
    """The inverse tangent of each element, in radians."""
    if type(x) is not Tensor:
        x = operands.as_tensor("atan", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "fciu":
        operands.check_dtype("atan", "fciu", form0.dtype)
    plain = form0.kind in "fc"
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, ATAN_DTYPE(form0.dtype))
    try:
        if not (storage.device.launches and ATAN_LAUNCHED_ORDINARY((x,), (a0,), array)):
            if plain:
                ATAN_UFUNC(a0, array)
            else:
                ATAN_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = (ATAN, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify("atan", "ordinary", (x,), result, node, depends=dependence(ATAN, {"x": a0}, array.shape))
    return result


def atan_(x: Tensor, name: str | None = None) -> Tensor:
    """The inverse tangent of each element, in radians."""
    if type(x) is not Tensor:
        x = operands.as_tensor("atan_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("atan_", x)
    if form0.kind not in "fc":
        operands.check_dtype("atan_", "fc", form0.dtype)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("atan_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (ATAN, (e0,), UNFINISHED)
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
        if not (storage.device.launches and ATAN_LAUNCHED_IN_PLACE((x,), (a0,))):
            ATAN_UFUNC(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("atan_", "in-place", (x,), x, node, depends=dependence(ATAN, {"x": a0}, a0.shape))
    return x


# ---- sinh ----------------------------------------------------------------------------------------

SINH = chapter.SINH
SINH_DTYPE = dtypes.floating
SINH_LAUNCHED_ORDINARY = launcher(SINH, "ordinary")
SINH_UFUNC = np.sinh
SINH_KERNEL = required(SINH.kernel)
SINH_LAUNCHED_IN_PLACE = launcher(SINH, "in-place")


def sinh(
    x: Tensor = ABSENT, name: str | None = None, _: Any = ABSENT, out: Tensor | None = None, input: Any = ABSENT
) -> Tensor:
    """The hyperbolic sine of each element."""
    if input is not _:
        keywords.check_named("sinh", 2, _)
        x = keywords.either("sinh", "x", x, "input", input)
    if out is not None:
        return destinations.into("sinh", out, (x,), lambda: sinh(x=x, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("sinh", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "fciu":
        operands.check_dtype("sinh", "fciu", form0.dtype)
    plain = form0.kind in "fc"
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, SINH_DTYPE(form0.dtype))
    try:
        if not (storage.device.launches and SINH_LAUNCHED_ORDINARY((x,), (a0,), array)):
            if plain:
                SINH_UFUNC(a0, array)
            else:
                SINH_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = (SINH, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify("sinh", "ordinary", (x,), result, node, depends=dependence(SINH, {"x": a0}, array.shape))
    return result


def sinh_(x: Tensor, name: str | None = None) -> Tensor:
    """The hyperbolic sine of each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("sinh_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("sinh_", x)
    if form0.kind not in "fc":
        operands.check_dtype("sinh_", "fc", form0.dtype)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("sinh_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (SINH, (e0,), UNFINISHED)
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
        if not (storage.device.launches and SINH_LAUNCHED_IN_PLACE((x,), (a0,))):
            SINH_UFUNC(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("sinh_", "in-place", (x,), x, node, depends=dependence(SINH, {"x": a0}, a0.shape))
    return x


# ---- cosh ----------------------------------------------------------------------------------------

COSH = chapter.COSH
COSH_DTYPE = dtypes.floating
COSH_LAUNCHED_ORDINARY = launcher(COSH, "ordinary")
COSH_UFUNC = np.cosh
COSH_KERNEL = required(COSH.kernel)
COSH_LAUNCHED_IN_PLACE = launcher(COSH, "in-place")


def cosh(
    x: Tensor = ABSENT, name: str | None = None, _: Any = ABSENT, out: Tensor | None = None, input: Any = ABSENT
) -> Tensor:
    """The hyperbolic cosine of each element."""
    if input is not _:
        keywords.check_named("cosh", 2, _)
        x = keywords.either("cosh", "x", x, "input", input)
    if out is not None:
        return destinations.into("cosh", out, (x,), lambda: cosh(x=x, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("cosh", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "fciu":
        operands.check_dtype("cosh", "fciu", form0.dtype)
    plain = form0.kind in "fc"
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, COSH_DTYPE(form0.dtype))
    try:
        if not (storage.device.launches and COSH_LAUNCHED_ORDINARY((x,), (a0,), array)):
            if plain:
                COSH_UFUNC(a0, array)
            else:
                COSH_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = (COSH, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify("cosh", "ordinary", (x,), result, node, depends=dependence(COSH, {"x": a0}, array.shape))
    return result


def cosh_(x: Tensor, name: str | None = None) -> Tensor:
    """The hyperbolic cosine of each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("cosh_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("cosh_", x)
    if form0.kind not in "fc":
        operands.check_dtype("cosh_", "fc", form0.dtype)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("cosh_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (COSH, (e0,), UNFINISHED)
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
        if not (storage.device.launches and COSH_LAUNCHED_IN_PLACE((x,), (a0,))):
            COSH_UFUNC(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("cosh_", "in-place", (x,), x, node, depends=dependence(COSH, {"x": a0}, a0.shape))
    return x


# ---- tanh ----------------------------------------------------------------------------------------

TANH = chapter.TANH
TANH_DTYPE = dtypes.floating
TANH_LAUNCHED_ORDINARY = launcher(TANH, "ordinary")
TANH_UFUNC = np.tanh
TANH_KERNEL = required(TANH.kernel)
TANH_LAUNCHED_IN_PLACE = launcher(TANH, "in-place")


def tanh(
    x: Tensor = ABSENT, name: str | None = None, _: Any = ABSENT, out: Tensor | None = None, input: Any = ABSENT
) -> Tensor:
    """The hyperbolic tangent of each element."""
    if input is not _:
        keywords.check_named("tanh", 2, _)
        x = keywords.either("tanh", "x", x, "input", input)
    if out is not None:
        return destinations.into("tanh", out, (x,), lambda: tanh(x=x, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("tanh", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "fciu":
        operands.check_dtype("tanh", "fciu", form0.dtype)
    plain = form0.kind in "fc"
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, TANH_DTYPE(form0.dtype))
    try:
        if not (storage.device.launches and TANH_LAUNCHED_ORDINARY((x,), (a0,), array)):
            if plain:
                TANH_UFUNC(a0, array)
            else:
                TANH_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = (TANH, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify("tanh", "ordinary", (x,), result, node, depends=dependence(TANH, {"x": a0}, array.shape))
    return result


def tanh_(x: Tensor, name: str | None = None) -> Tensor:
    """The hyperbolic tangent of each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("tanh_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("tanh_", x)
    if form0.kind not in "fc":
        operands.check_dtype("tanh_", "fc", form0.dtype)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("tanh_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (TANH, (e0,), UNFINISHED)
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
        if not (storage.device.launches and TANH_LAUNCHED_IN_PLACE((x,), (a0,))):
            TANH_UFUNC(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if e0 is not None:
            kept += (save("out", a0, storage, OUTPUT),)
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("tanh_", "in-place", (x,), x, node, depends=dependence(TANH, {"x": a0}, a0.shape))
    return x


# ---- asinh ---------------------------------------------------------------------------------------

ASINH = chapter.ASINH
ASINH_DTYPE = dtypes.floating
ASINH_LAUNCHED_ORDINARY = launcher(ASINH, "ordinary")
ASINH_UFUNC = np.arcsinh
ASINH_KERNEL = required(ASINH.kernel)
ASINH_LAUNCHED_IN_PLACE = launcher(ASINH, "in-place")


def asinh(x: Tensor, name: str | None = None) -> Tensor:
    """The inverse hyperbolic sine of each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("asinh", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "fciu":
        operands.check_dtype("asinh", "fciu", form0.dtype)
    plain = form0.kind in "fc"
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, ASINH_DTYPE(form0.dtype))
    try:
        if not (storage.device.launches and ASINH_LAUNCHED_ORDINARY((x,), (a0,), array)):
            if plain:
                ASINH_UFUNC(a0, array)
            else:
                ASINH_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = (ASINH, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify("asinh", "ordinary", (x,), result, node, depends=dependence(ASINH, {"x": a0}, array.shape))
    return result


def asinh_(x: Tensor, name: str | None = None) -> Tensor:
    """The inverse hyperbolic sine of each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("asinh_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("asinh_", x)
    if form0.kind not in "fc":
        operands.check_dtype("asinh_", "fc", form0.dtype)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("asinh_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (ASINH, (e0,), UNFINISHED)
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
        if not (storage.device.launches and ASINH_LAUNCHED_IN_PLACE((x,), (a0,))):
            ASINH_UFUNC(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("asinh_", "in-place", (x,), x, node, depends=dependence(ASINH, {"x": a0}, a0.shape))
    return x


# ---- acosh ---------------------------------------------------------------------------------------

ACOSH = chapter.ACOSH
ACOSH_DTYPE = dtypes.floating
ACOSH_LAUNCHED_ORDINARY = launcher(ACOSH, "ordinary")
ACOSH_UFUNC = np.arccosh
ACOSH_KERNEL = required(ACOSH.kernel)
ACOSH_LAUNCHED_IN_PLACE = launcher(ACOSH, "in-place")


def acosh(
    x: Tensor = ABSENT, name: str | None = None, _: Any = ABSENT, out: Tensor | None = None, input: Any = ABSENT
) -> Tensor:
    """The inverse hyperbolic cosine of each element."""
    if input is not _:
        keywords.check_named("acosh", 2, _)
        x = keywords.either("acosh", "x", x, "input", input)
    if out is not None:
        return destinations.into("acosh", out, (x,), lambda: acosh(x=x, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("acosh", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "fciu":
        operands.check_dtype("acosh", "fciu", form0.dtype)
    plain = form0.kind in "fc"
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, ACOSH_DTYPE(form0.dtype))
    try:
        if not (storage.device.launches and ACOSH_LAUNCHED_ORDINARY((x,), (a0,), array)):
            if plain:
                ACOSH_UFUNC(a0, array)
            else:
                ACOSH_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = (ACOSH, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify("acosh", "ordinary", (x,), result, node, depends=dependence(ACOSH, {"x": a0}, array.shape))
    return result


def acosh_(x: Tensor, name: str | None = None) -> Tensor:
    """The inverse hyperbolic cosine of each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("acosh_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("acosh_", x)
    if form0.kind not in "fc":
        operands.check_dtype("acosh_", "fc", form0.dtype)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("acosh_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (ACOSH, (e0,), UNFINISHED)
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
        if not (storage.device.launches and ACOSH_LAUNCHED_IN_PLACE((x,), (a0,))):
            ACOSH_UFUNC(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("acosh_", "in-place", (x,), x, node, depends=dependence(ACOSH, {"x": a0}, a0.shape))
    return x


# ---- atanh ---------------------------------------------------------------------------------------

ATANH = chapter.ATANH
ATANH_DTYPE = dtypes.floating
ATANH_LAUNCHED_ORDINARY = launcher(ATANH, "ordinary")
ATANH_UFUNC = np.arctanh
ATANH_KERNEL = required(ATANH.kernel)
ATANH_LAUNCHED_IN_PLACE = launcher(ATANH, "in-place")


def atanh(
    x: Tensor = ABSENT, name: str | None = None, _: Any = ABSENT, out: Tensor | None = None, input: Any = ABSENT
) -> Tensor:
    """The inverse hyperbolic tangent of each element."""
    if input is not _:
        keywords.check_named("atanh", 2, _)
        x = keywords.either("atanh", "x", x, "input", input)
    if out is not None:
        return destinations.into("atanh", out, (x,), lambda: atanh(x=x, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("atanh", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "fciu":
        operands.check_dtype("atanh", "fciu", form0.dtype)
    plain = form0.kind in "fc"
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, ATANH_DTYPE(form0.dtype))
    try:
        if not (storage.device.launches and ATANH_LAUNCHED_ORDINARY((x,), (a0,), array)):
            if plain:
                ATANH_UFUNC(a0, array)
            else:
                ATANH_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = (ATANH, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify("atanh", "ordinary", (x,), result, node, depends=dependence(ATANH, {"x": a0}, array.shape))
    return result


def atanh_(x: Tensor, name: str | None = None) -> Tensor:
    """The inverse hyperbolic tangent of each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("atanh_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("atanh_", x)
    if form0.kind not in "fc":
        operands.check_dtype("atanh_", "fc", form0.dtype)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("atanh_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (ATANH, (e0,), UNFINISHED)
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
        if not (storage.device.launches and ATANH_LAUNCHED_IN_PLACE((x,), (a0,))):
            ATANH_UFUNC(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("atanh_", "in-place", (x,), x, node, depends=dependence(ATANH, {"x": a0}, a0.shape))
    return x


# ---- sinc ----------------------------------------------------------------------------------------

SINC = chapter.SINC
SINC_DTYPE = dtypes.floating
SINC_LAUNCHED_ORDINARY = launcher(SINC, "ordinary")
SINC_KERNEL = chapter._sinc
SINC_LAUNCHED_IN_PLACE = launcher(SINC, "in-place")


def sinc(x: Tensor, name: str | None = None) -> Tensor:
    """sin(pi x) / (pi x), and 1 at 0."""
    if type(x) is not Tensor:
        x = operands.as_tensor("sinc", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "fc":
        operands.check_dtype("sinc", "fc", form0.dtype)
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, SINC_DTYPE(form0.dtype))
    try:
        if not (storage.device.launches and SINC_LAUNCHED_ORDINARY((x,), (a0,), array)):
            SINC_KERNEL(array, a0, storage.device)
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
            node.row, node.edges, node.kept = (SINC, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify("sinc", "ordinary", (x,), result, node, depends=dependence(SINC, {"x": a0}, array.shape))
    return result


def sinc_(x: Tensor, name: str | None = None) -> Tensor:
    """sin(pi x) / (pi x), and 1 at 0."""
    if type(x) is not Tensor:
        x = operands.as_tensor("sinc_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("sinc_", x)
    if form0.kind not in "fc":
        operands.check_dtype("sinc_", "fc", form0.dtype)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("sinc_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (SINC, (e0,), UNFINISHED)
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
        if not (storage.device.launches and SINC_LAUNCHED_IN_PLACE((x,), (a0,))):
            SINC_KERNEL(a0, a0, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("sinc_", "in-place", (x,), x, node, depends=dependence(SINC, {"x": a0}, a0.shape))
    return x
