"""The functions of the rows in `inplacelab/ops/elementary_functions.py`.

Generated: `python -m inplacelab.ops.table.generate` writes this file. Do not edit it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab import dtypes
from inplacelab.autograd.history import accumulator, check_leaf, edge, rebase, refresh
from inplacelab.autograd.nodes import NOTHING, UNFINISHED, OpNode, new_node, next_serial
from inplacelab.autograd.saved import OUTPUT, Saved, save, save_copy
from inplacelab.dtypes import Form
from inplacelab.layout import common_shape
from inplacelab.modes import current as current_modes
from inplacelab.ops import elementary_functions as chapter
from inplacelab.ops.arguments import attributes, keywords, operands
from inplacelab.ops.arguments.keywords import ABSENT
from inplacelab.ops.results import destinations, kernel_tools
from inplacelab.ops.results.kernel_tools import launcher
from inplacelab.ops.table.depends import dependence
from inplacelab.ops.table.row import required
from inplacelab.tensor import Tensor, fresh, known_form

# ---- exp -----------------------------------------------------------------------------------------

EXP = chapter.EXP
EXP_DTYPE = dtypes.floating
EXP_LAUNCHED_ORDINARY = launcher(EXP, "ordinary")
EXP_UFUNC = np.exp
EXP_KERNEL = required(EXP.kernel)
EXP_LAUNCHED_IN_PLACE = launcher(EXP, "in-place")


def exp(
    x: Tensor = ABSENT, name: str | None = None, _: Any = ABSENT, out: Tensor | None = None, input: Any = ABSENT
) -> Tensor:
    """e to the power of each element."""
    if input is not _:
        keywords.check_named("exp", 2, _)
        x = keywords.either("exp", "x", x, "input", input)
    if out is not None:
        return destinations.into("exp", out, (x,), lambda: exp(x=x, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("exp", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fciu":
        operands.check_dtype("exp", "fciu", form0.dtype)
    plain = form0.kind in "fc"
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, EXP_DTYPE(form0.dtype))
    try:
        if not (storage.device.launches and EXP_LAUNCHED_ORDINARY((x,), (a0,), array)):
            if plain:
                EXP_UFUNC(a0, array)
            else:
                EXP_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = EXP, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify("exp", "ordinary", (x,), result, node, depends=dependence(EXP, {"x": a0}, array.shape))
    return result


def exp_(x: Tensor, name: str | None = None) -> Tensor:
    """e to the power of each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("exp_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("exp_", x)
    if form0.kind not in "fiuc":
        operands.check_dtype("exp_", "fiuc", form0.dtype)
    plain = form0.kind in "fc"
    dtype = EXP_DTYPE(form0.dtype)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate("exp_", x, lambda: exp(x=x), (), lambda: dependence(EXP, {"x": a0}, form0.shape))
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("exp_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = EXP, (e0,), UNFINISHED
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
        if not (storage.device.launches and EXP_LAUNCHED_IN_PLACE((x,), (a0,))):
            if plain:
                EXP_UFUNC(a0, a0)
            else:
                EXP_KERNEL(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if e0 is not None:
            kept += (save("out", a0, storage, OUTPUT),)
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("exp_", "in-place", (x,), x, node, depends=dependence(EXP, {"x": a0}, a0.shape))
    return x


# ---- exp2 ----------------------------------------------------------------------------------------

EXP2 = chapter.EXP2
EXP2_DTYPE = dtypes.floating
EXP2_LAUNCHED_ORDINARY = launcher(EXP2, "ordinary")
EXP2_UFUNC = np.exp2
EXP2_KERNEL = required(EXP2.kernel)
EXP2_LAUNCHED_IN_PLACE = launcher(EXP2, "in-place")


def exp2(x: Tensor, name: str | None = None) -> Tensor:
    """2 to the power of each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("exp2", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fiu":
        operands.check_dtype("exp2", "fiu", form0.dtype)
    plain = form0.kind in "fc"
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, EXP2_DTYPE(form0.dtype))
    try:
        if not (storage.device.launches and EXP2_LAUNCHED_ORDINARY((x,), (a0,), array)):
            if plain:
                EXP2_UFUNC(a0, array)
            else:
                EXP2_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = EXP2, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify("exp2", "ordinary", (x,), result, node, depends=dependence(EXP2, {"x": a0}, array.shape))
    return result


def exp2_(x: Tensor, name: str | None = None) -> Tensor:
    """2 to the power of each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("exp2_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("exp2_", x)
    if form0.kind not in "fiu":
        operands.check_dtype("exp2_", "fiu", form0.dtype)
    plain = form0.kind in "fc"
    dtype = EXP2_DTYPE(form0.dtype)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate(
            "exp2_", x, lambda: exp2(x=x), (), lambda: dependence(EXP2, {"x": a0}, form0.shape)
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("exp2_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = EXP2, (e0,), UNFINISHED
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
        if not (storage.device.launches and EXP2_LAUNCHED_IN_PLACE((x,), (a0,))):
            if plain:
                EXP2_UFUNC(a0, a0)
            else:
                EXP2_KERNEL(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if e0 is not None:
            kept += (save("out", a0, storage, OUTPUT),)
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("exp2_", "in-place", (x,), x, node, depends=dependence(EXP2, {"x": a0}, a0.shape))
    return x


# ---- expm1 ---------------------------------------------------------------------------------------

EXPM1 = chapter.EXPM1
EXPM1_DTYPE = dtypes.floating
EXPM1_LAUNCHED_ORDINARY = launcher(EXPM1, "ordinary")
EXPM1_UFUNC = np.expm1
EXPM1_KERNEL = required(EXPM1.kernel)
EXPM1_LAUNCHED_IN_PLACE = launcher(EXPM1, "in-place")


def expm1(
    x: Tensor = ABSENT, name: str | None = None, _: Any = ABSENT, out: Tensor | None = None, input: Any = ABSENT
) -> Tensor:
    """exp(x) - 1, accurate even near 0."""
    if input is not _:
        keywords.check_named("expm1", 2, _)
        x = keywords.either("expm1", "x", x, "input", input)
    if out is not None:
        return destinations.into("expm1", out, (x,), lambda: expm1(x=x, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("expm1", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fciu":
        operands.check_dtype("expm1", "fciu", form0.dtype)
    plain = form0.kind in "fc"
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, EXPM1_DTYPE(form0.dtype))
    try:
        if not (storage.device.launches and EXPM1_LAUNCHED_ORDINARY((x,), (a0,), array)):
            if plain:
                EXPM1_UFUNC(a0, array)
            else:
                EXPM1_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = EXPM1, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify("expm1", "ordinary", (x,), result, node, depends=dependence(EXPM1, {"x": a0}, array.shape))
    return result


def expm1_(x: Tensor, name: str | None = None) -> Tensor:
    """exp(x) - 1, accurate even near 0."""
    if type(x) is not Tensor:
        x = operands.as_tensor("expm1_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("expm1_", x)
    if form0.kind not in "fiuc":
        operands.check_dtype("expm1_", "fiuc", form0.dtype)
    plain = form0.kind in "fc"
    dtype = EXPM1_DTYPE(form0.dtype)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate(
            "expm1_", x, lambda: expm1(x=x), (), lambda: dependence(EXPM1, {"x": a0}, form0.shape)
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("expm1_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = EXPM1, (e0,), UNFINISHED
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
        if not (storage.device.launches and EXPM1_LAUNCHED_IN_PLACE((x,), (a0,))):
            if plain:
                EXPM1_UFUNC(a0, a0)
            else:
                EXPM1_KERNEL(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if e0 is not None:
            kept += (save("out", a0, storage, OUTPUT),)
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("expm1_", "in-place", (x,), x, node, depends=dependence(EXPM1, {"x": a0}, a0.shape))
    return x


# ---- log -----------------------------------------------------------------------------------------

LOG = chapter.LOG
LOG_DTYPE = dtypes.floating
LOG_LAUNCHED_ORDINARY = launcher(LOG, "ordinary")
LOG_UFUNC = np.log
LOG_KERNEL = required(LOG.kernel)
LOG_LAUNCHED_IN_PLACE = launcher(LOG, "in-place")


def log(
    x: Tensor = ABSENT, name: str | None = None, _: Any = ABSENT, out: Tensor | None = None, input: Any = ABSENT
) -> Tensor:
    """The natural logarithm of each element."""
    if input is not _:
        keywords.check_named("log", 2, _)
        x = keywords.either("log", "x", x, "input", input)
    if out is not None:
        return destinations.into("log", out, (x,), lambda: log(x=x, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("log", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fciu":
        operands.check_dtype("log", "fciu", form0.dtype)
    plain = form0.kind in "fc"
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, LOG_DTYPE(form0.dtype))
    try:
        if not (storage.device.launches and LOG_LAUNCHED_ORDINARY((x,), (a0,), array)):
            if plain:
                LOG_UFUNC(a0, array)
            else:
                LOG_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = LOG, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("log", "ordinary", (x,), result, node, depends=dependence(LOG, {"x": a0}, array.shape))
    return result


def log_(x: Tensor, name: str | None = None) -> Tensor:
    """The natural logarithm of each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("log_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("log_", x)
    if form0.kind not in "fiuc":
        operands.check_dtype("log_", "fiuc", form0.dtype)
    plain = form0.kind in "fc"
    dtype = LOG_DTYPE(form0.dtype)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate("log_", x, lambda: log(x=x), (), lambda: dependence(LOG, {"x": a0}, form0.shape))
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("log_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = LOG, (e0,), UNFINISHED
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
        if not (storage.device.launches and LOG_LAUNCHED_IN_PLACE((x,), (a0,))):
            if plain:
                LOG_UFUNC(a0, a0)
            else:
                LOG_KERNEL(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("log_", "in-place", (x,), x, node, depends=dependence(LOG, {"x": a0}, a0.shape))
    return x


# ---- log2 ----------------------------------------------------------------------------------------

LOG2 = chapter.LOG2
LOG2_DTYPE = dtypes.floating
LOG2_LAUNCHED_ORDINARY = launcher(LOG2, "ordinary")
LOG2_UFUNC = np.log2
LOG2_KERNEL = required(LOG2.kernel)
LOG2_LAUNCHED_IN_PLACE = launcher(LOG2, "in-place")


def log2(
    x: Tensor = ABSENT, name: str | None = None, _: Any = ABSENT, out: Tensor | None = None, input: Any = ABSENT
) -> Tensor:
    """The logarithm to base 2."""
    if input is not _:
        keywords.check_named("log2", 2, _)
        x = keywords.either("log2", "x", x, "input", input)
    if out is not None:
        return destinations.into("log2", out, (x,), lambda: log2(x=x, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("log2", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fciu":
        operands.check_dtype("log2", "fciu", form0.dtype)
    plain = form0.kind in "fc"
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, LOG2_DTYPE(form0.dtype))
    try:
        if not (storage.device.launches and LOG2_LAUNCHED_ORDINARY((x,), (a0,), array)):
            if plain:
                LOG2_UFUNC(a0, array)
            else:
                LOG2_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = LOG2, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("log2", "ordinary", (x,), result, node, depends=dependence(LOG2, {"x": a0}, array.shape))
    return result


def log2_(x: Tensor, name: str | None = None) -> Tensor:
    """The logarithm to base 2."""
    if type(x) is not Tensor:
        x = operands.as_tensor("log2_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("log2_", x)
    if form0.kind not in "fiuc":
        operands.check_dtype("log2_", "fiuc", form0.dtype)
    plain = form0.kind in "fc"
    dtype = LOG2_DTYPE(form0.dtype)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate(
            "log2_", x, lambda: log2(x=x), (), lambda: dependence(LOG2, {"x": a0}, form0.shape)
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("log2_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = LOG2, (e0,), UNFINISHED
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
        if not (storage.device.launches and LOG2_LAUNCHED_IN_PLACE((x,), (a0,))):
            if plain:
                LOG2_UFUNC(a0, a0)
            else:
                LOG2_KERNEL(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("log2_", "in-place", (x,), x, node, depends=dependence(LOG2, {"x": a0}, a0.shape))
    return x


# ---- log10 ---------------------------------------------------------------------------------------

LOG10 = chapter.LOG10
LOG10_DTYPE = dtypes.floating
LOG10_LAUNCHED_ORDINARY = launcher(LOG10, "ordinary")
LOG10_UFUNC = np.log10
LOG10_KERNEL = required(LOG10.kernel)
LOG10_LAUNCHED_IN_PLACE = launcher(LOG10, "in-place")


def log10(
    x: Tensor = ABSENT, name: str | None = None, _: Any = ABSENT, out: Tensor | None = None, input: Any = ABSENT
) -> Tensor:
    """The logarithm to base 10."""
    if input is not _:
        keywords.check_named("log10", 2, _)
        x = keywords.either("log10", "x", x, "input", input)
    if out is not None:
        return destinations.into("log10", out, (x,), lambda: log10(x=x, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("log10", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fciu":
        operands.check_dtype("log10", "fciu", form0.dtype)
    plain = form0.kind in "fc"
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, LOG10_DTYPE(form0.dtype))
    try:
        if not (storage.device.launches and LOG10_LAUNCHED_ORDINARY((x,), (a0,), array)):
            if plain:
                LOG10_UFUNC(a0, array)
            else:
                LOG10_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = LOG10, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("log10", "ordinary", (x,), result, node, depends=dependence(LOG10, {"x": a0}, array.shape))
    return result


def log10_(x: Tensor, name: str | None = None) -> Tensor:
    """The logarithm to base 10."""
    if type(x) is not Tensor:
        x = operands.as_tensor("log10_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("log10_", x)
    if form0.kind not in "fiuc":
        operands.check_dtype("log10_", "fiuc", form0.dtype)
    plain = form0.kind in "fc"
    dtype = LOG10_DTYPE(form0.dtype)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate(
            "log10_", x, lambda: log10(x=x), (), lambda: dependence(LOG10, {"x": a0}, form0.shape)
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("log10_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = LOG10, (e0,), UNFINISHED
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
        if not (storage.device.launches and LOG10_LAUNCHED_IN_PLACE((x,), (a0,))):
            if plain:
                LOG10_UFUNC(a0, a0)
            else:
                LOG10_KERNEL(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("log10_", "in-place", (x,), x, node, depends=dependence(LOG10, {"x": a0}, a0.shape))
    return x


# ---- log1p ---------------------------------------------------------------------------------------

LOG1P = chapter.LOG1P
LOG1P_DTYPE = dtypes.floating
LOG1P_LAUNCHED_ORDINARY = launcher(LOG1P, "ordinary")
LOG1P_UFUNC = np.log1p
LOG1P_KERNEL = required(LOG1P.kernel)
LOG1P_LAUNCHED_IN_PLACE = launcher(LOG1P, "in-place")


def log1p(
    x: Tensor = ABSENT, name: str | None = None, _: Any = ABSENT, out: Tensor | None = None, input: Any = ABSENT
) -> Tensor:
    """log(1 + x), accurate even near 0."""
    if input is not _:
        keywords.check_named("log1p", 2, _)
        x = keywords.either("log1p", "x", x, "input", input)
    if out is not None:
        return destinations.into("log1p", out, (x,), lambda: log1p(x=x, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("log1p", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fciu":
        operands.check_dtype("log1p", "fciu", form0.dtype)
    plain = form0.kind in "fc"
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, LOG1P_DTYPE(form0.dtype))
    try:
        if not (storage.device.launches and LOG1P_LAUNCHED_ORDINARY((x,), (a0,), array)):
            if plain:
                LOG1P_UFUNC(a0, array)
            else:
                LOG1P_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = LOG1P, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("log1p", "ordinary", (x,), result, node, depends=dependence(LOG1P, {"x": a0}, array.shape))
    return result


def log1p_(x: Tensor, name: str | None = None) -> Tensor:
    """log(1 + x), accurate even near 0."""
    if type(x) is not Tensor:
        x = operands.as_tensor("log1p_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("log1p_", x)
    if form0.kind not in "fiuc":
        operands.check_dtype("log1p_", "fiuc", form0.dtype)
    plain = form0.kind in "fc"
    dtype = LOG1P_DTYPE(form0.dtype)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate(
            "log1p_", x, lambda: log1p(x=x), (), lambda: dependence(LOG1P, {"x": a0}, form0.shape)
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("log1p_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = LOG1P, (e0,), UNFINISHED
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
        if not (storage.device.launches and LOG1P_LAUNCHED_IN_PLACE((x,), (a0,))):
            if plain:
                LOG1P_UFUNC(a0, a0)
            else:
                LOG1P_KERNEL(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("log1p_", "in-place", (x,), x, node, depends=dependence(LOG1P, {"x": a0}, a0.shape))
    return x


# ---- logit ---------------------------------------------------------------------------------------

LOGIT = chapter.LOGIT
LOGIT_PREPARE_EPS = LOGIT.prepare["eps"]
LOGIT_DTYPE = dtypes.floating
LOGIT_LAUNCHED_ORDINARY = launcher(LOGIT, "ordinary")
LOGIT_KERNEL = chapter._logit
LOGIT_LAUNCHED_IN_PLACE = launcher(LOGIT, "in-place")


def logit(x: Tensor, eps: Any = None, name: str | None = None) -> Tensor:
    """log(x / (1 - x)), the inverse of `sigmoid`; `eps` keeps `x` away from 0 and 1."""
    if type(x) is not Tensor:
        x = operands.as_tensor("logit", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fiu":
        operands.check_dtype("logit", "fiu", form0.dtype)
    storage = x.storage
    eps = LOGIT_PREPARE_EPS(a0, eps)
    form = None
    array = storage.device.empty(form0.shape, LOGIT_DTYPE(form0.dtype))
    try:
        if not (storage.device.launches and LOGIT_LAUNCHED_ORDINARY((x,), (a0,), array, eps=eps)):
            LOGIT_KERNEL(array, a0, eps, storage.device)
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
            node.row, node.edges, node.kept = LOGIT, (e0,), kept
            node.forms, node.facts = (form0,), {"eps": eps}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "logit", "ordinary", (x,), result, node, depends=dependence(LOGIT, {"x": a0, "eps": eps}, array.shape)
        )
    return result


def logit_(x: Tensor, eps: Any = None, name: str | None = None) -> Tensor:
    """log(x / (1 - x)), the inverse of `sigmoid`; `eps` keeps `x` away from 0 and 1."""
    if type(x) is not Tensor:
        x = operands.as_tensor("logit_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("logit_", x)
    if form0.kind not in "f":
        operands.check_dtype("logit_", "f", form0.dtype)
    eps = LOGIT_PREPARE_EPS(a0, eps)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("logit_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = LOGIT, (e0,), UNFINISHED
            node.forms, node.facts = (form0,), {"eps": eps}
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
        if not (storage.device.launches and LOGIT_LAUNCHED_IN_PLACE((x,), (a0,), eps=eps)):
            LOGIT_KERNEL(a0, a0, eps, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("logit_", "in-place", (x,), x, node, depends=dependence(LOGIT, {"x": a0, "eps": eps}, a0.shape))
    return x


# ---- scale ---------------------------------------------------------------------------------------

SCALE = chapter.SCALE
SCALE_PREPARE_SCALE = attributes.number_with
SCALE_PREPARE_BIAS = attributes.number_with
SCALE_PREPARE_ACT = chapter._no_activation
SCALE_LAUNCHED_ORDINARY = launcher(SCALE, "ordinary")
SCALE_KERNEL = chapter._scale
SCALE_LAUNCHED_IN_PLACE = launcher(SCALE, "in-place")


def scale(
    x: Tensor, scale: Any = 1.0, bias: Any = 0.0, bias_after_scale: Any = True, act: Any = None, name: str | None = None
) -> Tensor:
    """Multiply by a number and add another: `scale * x + bias`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("scale", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    plain = type(scale) is float and bias == 0.0 and (act is None) and (form0.kind in "fc")
    storage = x.storage
    if not plain:
        scale = SCALE_PREPARE_SCALE(a0, scale)
        bias = SCALE_PREPARE_BIAS(a0, bias)
        act = SCALE_PREPARE_ACT(a0, act)
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        if not (
            storage.device.launches
            and SCALE_LAUNCHED_ORDINARY((x,), (a0,), array, scale=scale, bias=bias, bias_after_scale=bias_after_scale)
        ):
            SCALE_KERNEL(array, a0, scale, bias, bias_after_scale)
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
            node.row, node.edges, node.kept = SCALE, (e0,), kept
            node.forms, node.facts = (form0,), {"scale": scale}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "scale",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(
                SCALE,
                {"x": a0, "scale": scale, "bias": bias, "bias_after_scale": bias_after_scale, "act": act},
                array.shape,
            ),
        )
    return result


def scale_(
    x: Tensor, scale: Any = 1.0, bias: Any = 0.0, bias_after_scale: Any = True, act: Any = None, name: str | None = None
) -> Tensor:
    """Multiply by a number and add another: `scale * x + bias`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("scale_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("scale_", x)
    plain = type(scale) is float and bias == 0.0 and (act is None) and (form0.kind in "fc")
    if not plain:
        scale = SCALE_PREPARE_SCALE(a0, scale)
        bias = SCALE_PREPARE_BIAS(a0, bias)
        act = SCALE_PREPARE_ACT(a0, act)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("scale_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = SCALE, (e0,), UNFINISHED
            node.forms, node.facts = (form0,), {"scale": scale}
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
            and SCALE_LAUNCHED_IN_PLACE((x,), (a0,), scale=scale, bias=bias, bias_after_scale=bias_after_scale)
        ):
            SCALE_KERNEL(a0, a0, scale, bias, bias_after_scale)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "scale_",
            "in-place",
            (x,),
            x,
            node,
            depends=dependence(
                SCALE,
                {"x": a0, "scale": scale, "bias": bias, "bias_after_scale": bias_after_scale, "act": act},
                a0.shape,
            ),
        )
    return x


# ---- neg -----------------------------------------------------------------------------------------

NEG = chapter.NEG
NEG_LAUNCHED_ORDINARY = launcher(NEG, "ordinary")
NEG_KERNEL = chapter._neg
NEG_LAUNCHED_IN_PLACE = launcher(NEG, "in-place")


def neg(x: Tensor, name: str | None = None) -> Tensor:
    """The negative of each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("neg", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fiuc":
        operands.check_dtype("neg", "fiuc", form0.dtype)
    storage = x.storage
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        if not (storage.device.launches and NEG_LAUNCHED_ORDINARY((x,), (a0,), array)):
            NEG_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = NEG, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("neg", "ordinary", (x,), result, node, depends=dependence(NEG, {"x": a0}, array.shape))
    return result


def neg_(x: Tensor, name: str | None = None) -> Tensor:
    """The negative of each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("neg_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("neg_", x)
    if form0.kind not in "fiuc":
        operands.check_dtype("neg_", "fiuc", form0.dtype)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("neg_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = NEG, (e0,), UNFINISHED
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
        if not (storage.device.launches and NEG_LAUNCHED_IN_PLACE((x,), (a0,))):
            NEG_KERNEL(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("neg_", "in-place", (x,), x, node, depends=dependence(NEG, {"x": a0}, a0.shape))
    return x


# ---- abs -----------------------------------------------------------------------------------------

ABS = chapter.ABS
ABS_DTYPE = dtypes.real
ABS_LAUNCHED_ORDINARY = launcher(ABS, "ordinary")
ABS_UFUNC = np.absolute
ABS_LAUNCHED_IN_PLACE = launcher(ABS, "in-place")


def abs(
    x: Tensor = ABSENT, name: str | None = None, _: Any = ABSENT, out: Tensor | None = None, input: Any = ABSENT
) -> Tensor:
    """The absolute value of each element."""
    if input is not _:
        keywords.check_named("abs", 2, _)
        x = keywords.either("abs", "x", x, "input", input)
    if out is not None:
        return destinations.into("abs", out, (x,), lambda: abs(x=x, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("abs", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fiuc":
        operands.check_dtype("abs", "fiuc", form0.dtype)
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, ABS_DTYPE(form0.dtype))
    try:
        if not (storage.device.launches and ABS_LAUNCHED_ORDINARY((x,), (a0,), array)):
            ABS_UFUNC(a0, array)
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
            node.row, node.edges, node.kept = ABS, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("abs", "ordinary", (x,), result, node, depends=dependence(ABS, {"x": a0}, array.shape))
    return result


def abs_(x: Tensor, name: str | None = None) -> Tensor:
    """The absolute value of each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("abs_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("abs_", x)
    if form0.kind not in "fiuc":
        operands.check_dtype("abs_", "fiuc", form0.dtype)
    dtype = ABS_DTYPE(form0.dtype)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate("abs_", x, lambda: abs(x=x), (), lambda: dependence(ABS, {"x": a0}, form0.shape))
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("abs_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = ABS, (e0,), UNFINISHED
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
        if not (storage.device.launches and ABS_LAUNCHED_IN_PLACE((x,), (a0,))):
            ABS_UFUNC(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("abs_", "in-place", (x,), x, node, depends=dependence(ABS, {"x": a0}, a0.shape))
    return x


# ---- sign ----------------------------------------------------------------------------------------

SIGN = chapter.SIGN
SIGN_UFUNC = np.sign
SIGN_LAUNCHED_ORDINARY = launcher(SIGN, "ordinary")
SIGN_KERNEL = chapter._sgn
SIGN_LAUNCHED_IN_PLACE = launcher(SIGN, "in-place")


def sign(
    x: Tensor = ABSENT, name: str | None = None, _: Any = ABSENT, out: Tensor | None = None, input: Any = ABSENT
) -> Tensor:
    """-1, 0 or 1 for each element; for a complex number, its direction."""
    if input is not _:
        keywords.check_named("sign", 2, _)
        x = keywords.either("sign", "x", x, "input", input)
    if out is not None:
        return destinations.into("sign", out, (x,), lambda: sign(x=x, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("sign", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fiuc":
        operands.check_dtype("sign", "fiuc", form0.dtype)
    plain = form0.kind in "fiub"
    storage = x.storage
    array: Any = None
    if plain and a0 is x.storage.buffer and form0.shape and (not storage.device.launches):
        form: Form | None = form0
        try:
            array = SIGN_UFUNC(a0)
        except RuntimeWarning:
            pass
    if array is None:
        form = form0
        array = storage.device.empty(form0.shape, form0.dtype)
        try:
            if not (storage.device.launches and SIGN_LAUNCHED_ORDINARY((x,), (a0,), array)):
                if plain:
                    SIGN_UFUNC(a0, array)
                else:
                    SIGN_KERNEL(array, a0, storage.device)
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
            node.row, node.edges, node.kept = SIGN, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("sign", "ordinary", (x,), result, node, depends=dependence(SIGN, {"x": a0}, array.shape))
    return result


def sign_(x: Tensor, name: str | None = None) -> Tensor:
    """-1, 0 or 1 for each element; for a complex number, its direction."""
    if type(x) is not Tensor:
        x = operands.as_tensor("sign_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("sign_", x)
    if form0.kind not in "fiuc":
        operands.check_dtype("sign_", "fiuc", form0.dtype)
    plain = form0.kind in "fiub"
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("sign_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = SIGN, (e0,), UNFINISHED
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
        if not (storage.device.launches and SIGN_LAUNCHED_IN_PLACE((x,), (a0,))):
            if plain:
                SIGN_UFUNC(a0, a0)
            else:
                SIGN_KERNEL(a0, a0, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("sign_", "in-place", (x,), x, node, depends=dependence(SIGN, {"x": a0}, a0.shape))
    return x


# ---- sgn -----------------------------------------------------------------------------------------

SGN = chapter.SGN
SGN_UFUNC = np.sign
SGN_LAUNCHED_ORDINARY = launcher(SGN, "ordinary")
SGN_KERNEL = chapter._sgn
SGN_LAUNCHED_IN_PLACE = launcher(SGN, "in-place")


def sgn(x: Tensor, name: str | None = None) -> Tensor:
    """The direction of each element: `x / |x|`, and 0 for 0."""
    if type(x) is not Tensor:
        x = operands.as_tensor("sgn", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fc":
        operands.check_dtype("sgn", "fc", form0.dtype)
    plain = form0.kind in "fiub"
    storage = x.storage
    array: Any = None
    if plain and a0 is x.storage.buffer and form0.shape and (not storage.device.launches):
        form: Form | None = form0
        try:
            array = SGN_UFUNC(a0)
        except RuntimeWarning:
            pass
    if array is None:
        form = form0
        array = storage.device.empty(form0.shape, form0.dtype)
        try:
            if not (storage.device.launches and SGN_LAUNCHED_ORDINARY((x,), (a0,), array)):
                if plain:
                    SGN_UFUNC(a0, array)
                else:
                    SGN_KERNEL(array, a0, storage.device)
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
            node.row, node.edges, node.kept = SGN, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify("sgn", "ordinary", (x,), result, node, depends=dependence(SGN, {"x": a0}, array.shape))
    return result


def sgn_(x: Tensor, name: str | None = None) -> Tensor:
    """The direction of each element: `x / |x|`, and 0 for 0."""
    if type(x) is not Tensor:
        x = operands.as_tensor("sgn_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("sgn_", x)
    if form0.kind not in "fc":
        operands.check_dtype("sgn_", "fc", form0.dtype)
    plain = form0.kind in "fiub"
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("sgn_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = SGN, (e0,), UNFINISHED
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
        if not (storage.device.launches and SGN_LAUNCHED_IN_PLACE((x,), (a0,))):
            if plain:
                SGN_UFUNC(a0, a0)
            else:
                SGN_KERNEL(a0, a0, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if e0 is not None:
            kept += (save("out", a0, storage, OUTPUT),)
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("sgn_", "in-place", (x,), x, node, depends=dependence(SGN, {"x": a0}, a0.shape))
    return x


# ---- square --------------------------------------------------------------------------------------

SQUARE = chapter.SQUARE
SQUARE_UFUNC = np.square
SQUARE_LAUNCHED_ORDINARY = launcher(SQUARE, "ordinary")
SQUARE_LAUNCHED_IN_PLACE = launcher(SQUARE, "in-place")


def square(x: Tensor, name: str | None = None) -> Tensor:
    """The square of each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("square", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fiuc":
        operands.check_dtype("square", "fiuc", form0.dtype)
    storage = x.storage
    array: Any = None
    if a0 is x.storage.buffer and form0.shape and (not storage.device.launches):
        form: Form | None = form0
        try:
            array = SQUARE_UFUNC(a0)
        except RuntimeWarning:
            pass
    if array is None:
        form = form0
        array = storage.device.empty(form0.shape, form0.dtype)
        try:
            if not (storage.device.launches and SQUARE_LAUNCHED_ORDINARY((x,), (a0,), array)):
                SQUARE_UFUNC(a0, array)
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
            node.row, node.edges, node.kept = SQUARE, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("square", "ordinary", (x,), result, node, depends=dependence(SQUARE, {"x": a0}, array.shape))
    return result


def square_(x: Tensor, name: str | None = None) -> Tensor:
    """The square of each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("square_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("square_", x)
    if form0.kind not in "fiuc":
        operands.check_dtype("square_", "fiuc", form0.dtype)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("square_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = SQUARE, (e0,), UNFINISHED
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
        if not (storage.device.launches and SQUARE_LAUNCHED_IN_PLACE((x,), (a0,))):
            SQUARE_UFUNC(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("square_", "in-place", (x,), x, node, depends=dependence(SQUARE, {"x": a0}, a0.shape))
    return x


# ---- sqrt ----------------------------------------------------------------------------------------

SQRT = chapter.SQRT
SQRT_DTYPE = dtypes.floating
SQRT_LAUNCHED_ORDINARY = launcher(SQRT, "ordinary")
SQRT_UFUNC = np.sqrt
SQRT_KERNEL = required(SQRT.kernel)
SQRT_LAUNCHED_IN_PLACE = launcher(SQRT, "in-place")


def sqrt(
    x: Tensor = ABSENT, name: str | None = None, _: Any = ABSENT, out: Tensor | None = None, input: Any = ABSENT
) -> Tensor:
    """The square root of each element."""
    if input is not _:
        keywords.check_named("sqrt", 2, _)
        x = keywords.either("sqrt", "x", x, "input", input)
    if out is not None:
        return destinations.into("sqrt", out, (x,), lambda: sqrt(x=x, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("sqrt", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fciu":
        operands.check_dtype("sqrt", "fciu", form0.dtype)
    plain = form0.kind in "fc"
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, SQRT_DTYPE(form0.dtype))
    try:
        if not (storage.device.launches and SQRT_LAUNCHED_ORDINARY((x,), (a0,), array)):
            if plain:
                SQRT_UFUNC(a0, array)
            else:
                SQRT_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = SQRT, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify("sqrt", "ordinary", (x,), result, node, depends=dependence(SQRT, {"x": a0}, array.shape))
    return result


def sqrt_(x: Tensor, name: str | None = None) -> Tensor:
    """The square root of each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("sqrt_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("sqrt_", x)
    if form0.kind not in "fc":
        operands.check_dtype("sqrt_", "fc", form0.dtype)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("sqrt_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = SQRT, (e0,), UNFINISHED
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
        if not (storage.device.launches and SQRT_LAUNCHED_IN_PLACE((x,), (a0,))):
            SQRT_UFUNC(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if e0 is not None:
            kept += (save("out", a0, storage, OUTPUT),)
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("sqrt_", "in-place", (x,), x, node, depends=dependence(SQRT, {"x": a0}, a0.shape))
    return x


# ---- rsqrt ---------------------------------------------------------------------------------------

RSQRT = chapter.RSQRT
RSQRT_DTYPE = dtypes.floating
RSQRT_LAUNCHED_ORDINARY = launcher(RSQRT, "ordinary")
RSQRT_KERNEL = chapter._rsqrt
RSQRT_LAUNCHED_IN_PLACE = launcher(RSQRT, "in-place")


def rsqrt(
    x: Tensor = ABSENT, name: str | None = None, _: Any = ABSENT, out: Tensor | None = None, input: Any = ABSENT
) -> Tensor:
    """1 / sqrt(x) for each element."""
    if input is not _:
        keywords.check_named("rsqrt", 2, _)
        x = keywords.either("rsqrt", "x", x, "input", input)
    if out is not None:
        return destinations.into("rsqrt", out, (x,), lambda: rsqrt(x=x, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("rsqrt", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fiu":
        operands.check_dtype("rsqrt", "fiu", form0.dtype)
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, RSQRT_DTYPE(form0.dtype))
    try:
        if not (storage.device.launches and RSQRT_LAUNCHED_ORDINARY((x,), (a0,), array)):
            RSQRT_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = RSQRT, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify("rsqrt", "ordinary", (x,), result, node, depends=dependence(RSQRT, {"x": a0}, array.shape))
    return result


def rsqrt_(x: Tensor, name: str | None = None) -> Tensor:
    """1 / sqrt(x) for each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("rsqrt_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("rsqrt_", x)
    if form0.kind not in "f":
        operands.check_dtype("rsqrt_", "f", form0.dtype)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("rsqrt_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = RSQRT, (e0,), UNFINISHED
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
        if not (storage.device.launches and RSQRT_LAUNCHED_IN_PLACE((x,), (a0,))):
            RSQRT_KERNEL(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if e0 is not None:
            kept += (save("out", a0, storage, OUTPUT),)
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("rsqrt_", "in-place", (x,), x, node, depends=dependence(RSQRT, {"x": a0}, a0.shape))
    return x


# ---- reciprocal ----------------------------------------------------------------------------------

RECIPROCAL = chapter.RECIPROCAL
RECIPROCAL_DTYPE = dtypes.floating
RECIPROCAL_LAUNCHED_ORDINARY = launcher(RECIPROCAL, "ordinary")
RECIPROCAL_UFUNC = np.reciprocal
RECIPROCAL_KERNEL = required(RECIPROCAL.kernel)
RECIPROCAL_LAUNCHED_IN_PLACE = launcher(RECIPROCAL, "in-place")


def reciprocal(x: Tensor, name: str | None = None) -> Tensor:
    """1 / x for each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("reciprocal", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fciu":
        operands.check_dtype("reciprocal", "fciu", form0.dtype)
    plain = form0.kind in "fc"
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, RECIPROCAL_DTYPE(form0.dtype))
    try:
        if not (storage.device.launches and RECIPROCAL_LAUNCHED_ORDINARY((x,), (a0,), array)):
            if plain:
                RECIPROCAL_UFUNC(a0, array)
            else:
                RECIPROCAL_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = RECIPROCAL, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify(
            "reciprocal", "ordinary", (x,), result, node, depends=dependence(RECIPROCAL, {"x": a0}, array.shape)
        )
    return result


def reciprocal_(x: Tensor, name: str | None = None) -> Tensor:
    """1 / x for each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("reciprocal_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("reciprocal_", x)
    if form0.kind not in "fc":
        operands.check_dtype("reciprocal_", "fc", form0.dtype)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("reciprocal_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = RECIPROCAL, (e0,), UNFINISHED
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
        if not (storage.device.launches and RECIPROCAL_LAUNCHED_IN_PLACE((x,), (a0,))):
            RECIPROCAL_UFUNC(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if e0 is not None:
            kept += (save("out", a0, storage, OUTPUT),)
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("reciprocal_", "in-place", (x,), x, node, depends=dependence(RECIPROCAL, {"x": a0}, a0.shape))
    return x


# ---- pow -----------------------------------------------------------------------------------------

POW = chapter.POW
POW_UFUNC = np.power
POW_LAUNCHED_ORDINARY = launcher(POW, "ordinary")
POW_KERNEL = kernel_tools.power
POW_LAUNCHED_IN_PLACE = launcher(POW, "in-place")


def pow(
    x: Tensor = ABSENT,
    y: Any = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
    exponent: Any = ABSENT,
) -> Tensor:
    """Raise each element to the power `y`, a tensor or a number."""
    if input is not _ or exponent is not _:
        keywords.check_named("pow", 3, _)
        x = keywords.either("pow", "x", x, "input", input)
        y = keywords.either("pow", "y", y, "exponent", exponent)
    if out is not None:
        return destinations.into("pow", out, (x, y), lambda: pow(x=x, y=y, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("pow", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_promoted("pow", "y", 1, y, x)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form1 is not form0 and form1.kind != form0.kind:
        x, y = operands.with_scalar(x, y)
        a0, form0 = x.array, x.form or known_form(x)
        a1, form1 = y.array, y.form or known_form(y)
    if form0.kind not in "fiuc" or form1.dtype is not form0.dtype:
        operands.check_dtype("pow", "fiuc", form0.dtype, form1.dtype)
    plain = form0.kind in "fbc"
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("pow", x, y)
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
            array = POW_UFUNC(a0, a1)
        except RuntimeWarning:
            pass
    if array is None:
        form = form0 if form1 is form0 else None
        array = storage.device.empty(
            form0.shape
            if form0.shape == form1.shape
            else common_shape(form0.shape, form1.shape) or operands.broadcast("pow", x, y),
            form0.dtype if form0.dtype is form1.dtype else operands.promoted("pow", form0.dtype, form1.dtype),
        )
        try:
            if not (storage.device.launches and POW_LAUNCHED_ORDINARY((x, y), (a0, a1), array)):
                if plain:
                    POW_UFUNC(a0, a1, array)
                else:
                    POW_KERNEL(array, a0, a1, storage.device)
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
            node.row, node.edges, node.kept = POW, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e1 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify("pow", "ordinary", (x, y), result, node, depends=dependence(POW, {"x": a0, "y": a1}, array.shape))
    return result


def pow_(x: Tensor, y: Any, name: str | None = None) -> Tensor:
    """Raise each element to the power `y`, a tensor or a number."""
    if type(x) is not Tensor:
        x = operands.as_tensor("pow_", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_promoted("pow_", "y", 1, y, x)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("pow_", x)
    storage1 = y.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("pow_", x, y)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("pow_", x, y)
    if storage1 is storage and y is not x:
        operands.check_overlap("pow_", x, y)
    if form0.kind not in "fiuc" or form1.dtype is not form0.dtype:
        operands.check_dtype("pow_", "fiuc", form0.dtype, form1.dtype)
    plain = form0.kind in "fbc"
    if (
        form1 is not form0
        and (form0.dtype if form0.dtype is form1.dtype else operands.promoted("pow_", form0.dtype, form1.dtype))
        != form0.dtype
    ):
        return destinations.reallocate(
            "pow_", x, lambda: pow(x=x, y=y), (y,), lambda: dependence(POW, {"x": a0, "y": a1}, form0.shape)
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("pow_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (
                save_copy("x", a0, storage, e0),
                save("y", a1, storage1, e1) if storage1 is not storage else operands.save_operand("y", y, e1, x),
            )
            node = new_node(OpNode)
            node.row, node.edges, node.kept = POW, (e0, e1), UNFINISHED
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
        if not (storage.device.launches and POW_LAUNCHED_IN_PLACE((x, y), (a0, a1))):
            if plain:
                POW_UFUNC(a0, a1, a0)
            else:
                POW_KERNEL(a0, a0, a1, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if e1 is not None:
            kept += (save("out", a0, storage, OUTPUT),)
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("pow_", "in-place", (x, y), x, node, depends=dependence(POW, {"x": a0, "y": a1}, a0.shape))
    return x


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
    a0, form0 = x.array, x.form or known_form(x)
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
            node.row, node.edges, node.kept = SIN, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("sin", "ordinary", (x,), result, node, depends=dependence(SIN, {"x": a0}, array.shape))
    return result


def sin_(x: Tensor, name: str | None = None) -> Tensor:
    """The sine of each element (radians)."""
    if type(x) is not Tensor:
        x = operands.as_tensor("sin_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
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
            node.row, node.edges, node.kept = SIN, (e0,), UNFINISHED
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
    a0, form0 = x.array, x.form or known_form(x)
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
            node.row, node.edges, node.kept = COS, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("cos", "ordinary", (x,), result, node, depends=dependence(COS, {"x": a0}, array.shape))
    return result


def cos_(x: Tensor, name: str | None = None) -> Tensor:
    """The cosine of each element (radians)."""
    if type(x) is not Tensor:
        x = operands.as_tensor("cos_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
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
            node.row, node.edges, node.kept = COS, (e0,), UNFINISHED
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
    a0, form0 = x.array, x.form or known_form(x)
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
            node.row, node.edges, node.kept = TAN, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("tan", "ordinary", (x,), result, node, depends=dependence(TAN, {"x": a0}, array.shape))
    return result


def tan_(x: Tensor, name: str | None = None) -> Tensor:
    """The tangent of each element (radians)."""
    if type(x) is not Tensor:
        x = operands.as_tensor("tan_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
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
            node.row, node.edges, node.kept = TAN, (e0,), UNFINISHED
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
    a0, form0 = x.array, x.form or known_form(x)
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
            node.row, node.edges, node.kept = ASIN, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("asin", "ordinary", (x,), result, node, depends=dependence(ASIN, {"x": a0}, array.shape))
    return result


def asin_(x: Tensor, name: str | None = None) -> Tensor:
    """The inverse sine of each element, in radians."""
    if type(x) is not Tensor:
        x = operands.as_tensor("asin_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
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
            node.row, node.edges, node.kept = ASIN, (e0,), UNFINISHED
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
    a0, form0 = x.array, x.form or known_form(x)
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
            node.row, node.edges, node.kept = ACOS, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("acos", "ordinary", (x,), result, node, depends=dependence(ACOS, {"x": a0}, array.shape))
    return result


def acos_(x: Tensor, name: str | None = None) -> Tensor:
    """The inverse cosine of each element, in radians."""
    if type(x) is not Tensor:
        x = operands.as_tensor("acos_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
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
            node.row, node.edges, node.kept = ACOS, (e0,), UNFINISHED
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
    a0, form0 = x.array, x.form or known_form(x)
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
            node.row, node.edges, node.kept = ATAN, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("atan", "ordinary", (x,), result, node, depends=dependence(ATAN, {"x": a0}, array.shape))
    return result


def atan_(x: Tensor, name: str | None = None) -> Tensor:
    """The inverse tangent of each element, in radians."""
    if type(x) is not Tensor:
        x = operands.as_tensor("atan_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
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
            node.row, node.edges, node.kept = ATAN, (e0,), UNFINISHED
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
    a0, form0 = x.array, x.form or known_form(x)
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
            node.row, node.edges, node.kept = SINH, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("sinh", "ordinary", (x,), result, node, depends=dependence(SINH, {"x": a0}, array.shape))
    return result


def sinh_(x: Tensor, name: str | None = None) -> Tensor:
    """The hyperbolic sine of each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("sinh_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
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
            node.row, node.edges, node.kept = SINH, (e0,), UNFINISHED
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
    a0, form0 = x.array, x.form or known_form(x)
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
            node.row, node.edges, node.kept = COSH, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("cosh", "ordinary", (x,), result, node, depends=dependence(COSH, {"x": a0}, array.shape))
    return result


def cosh_(x: Tensor, name: str | None = None) -> Tensor:
    """The hyperbolic cosine of each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("cosh_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
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
            node.row, node.edges, node.kept = COSH, (e0,), UNFINISHED
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
    a0, form0 = x.array, x.form or known_form(x)
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
            node.row, node.edges, node.kept = TANH, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify("tanh", "ordinary", (x,), result, node, depends=dependence(TANH, {"x": a0}, array.shape))
    return result


def tanh_(x: Tensor, name: str | None = None) -> Tensor:
    """The hyperbolic tangent of each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("tanh_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
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
            node.row, node.edges, node.kept = TANH, (e0,), UNFINISHED
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
    a0, form0 = x.array, x.form or known_form(x)
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
            node.row, node.edges, node.kept = ASINH, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("asinh", "ordinary", (x,), result, node, depends=dependence(ASINH, {"x": a0}, array.shape))
    return result


def asinh_(x: Tensor, name: str | None = None) -> Tensor:
    """The inverse hyperbolic sine of each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("asinh_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
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
            node.row, node.edges, node.kept = ASINH, (e0,), UNFINISHED
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
    a0, form0 = x.array, x.form or known_form(x)
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
            node.row, node.edges, node.kept = ACOSH, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("acosh", "ordinary", (x,), result, node, depends=dependence(ACOSH, {"x": a0}, array.shape))
    return result


def acosh_(x: Tensor, name: str | None = None) -> Tensor:
    """The inverse hyperbolic cosine of each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("acosh_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
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
            node.row, node.edges, node.kept = ACOSH, (e0,), UNFINISHED
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
    a0, form0 = x.array, x.form or known_form(x)
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
            node.row, node.edges, node.kept = ATANH, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("atanh", "ordinary", (x,), result, node, depends=dependence(ATANH, {"x": a0}, array.shape))
    return result


def atanh_(x: Tensor, name: str | None = None) -> Tensor:
    """The inverse hyperbolic tangent of each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("atanh_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
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
            node.row, node.edges, node.kept = ATANH, (e0,), UNFINISHED
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
    a0, form0 = x.array, x.form or known_form(x)
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
            node.row, node.edges, node.kept = SINC, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("sinc", "ordinary", (x,), result, node, depends=dependence(SINC, {"x": a0}, array.shape))
    return result


def sinc_(x: Tensor, name: str | None = None) -> Tensor:
    """sin(pi x) / (pi x), and 1 at 0."""
    if type(x) is not Tensor:
        x = operands.as_tensor("sinc_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
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
            node.row, node.edges, node.kept = SINC, (e0,), UNFINISHED
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
