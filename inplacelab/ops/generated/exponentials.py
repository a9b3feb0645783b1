"""The functions of the rows in `inplacelab/ops/exponentials.py`.

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
from inplacelab.ops import exponentials as chapter
from inplacelab.ops.arguments import keywords, operands
from inplacelab.ops.arguments.keywords import ABSENT
from inplacelab.ops.results import destinations
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
    a0, form0 = (x.array, x.form or known_form(x))
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
            node.row, node.edges, node.kept = (EXP, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify("exp", "ordinary", (x,), result, node, depends=dependence(EXP, {"x": a0}, array.shape))
    return result


def exp_(x: Tensor, name: str | None = None) -> Tensor:
    """e to the power of each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("exp_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
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
            node.row, node.edges, node.kept = (EXP, (e0,), UNFINISHED)
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
    a0, form0 = (x.array, x.form or known_form(x))
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
            node.row, node.edges, node.kept = (EXP2, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify("exp2", "ordinary", (x,), result, node, depends=dependence(EXP2, {"x": a0}, array.shape))
    return result


def exp2_(x: Tensor, name: str | None = None) -> Tensor:
    """2 to the power of each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("exp2_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
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
            node.row, node.edges, node.kept = (EXP2, (e0,), UNFINISHED)
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
    a0, form0 = (x.array, x.form or known_form(x))
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
            node.row, node.edges, node.kept = (EXPM1, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify("expm1", "ordinary", (x,), result, node, depends=dependence(EXPM1, {"x": a0}, array.shape))
    return result


def expm1_(x: Tensor, name: str | None = None) -> Tensor:
    """exp(x) - 1, accurate even near 0."""
    if type(x) is not Tensor:
        x = operands.as_tensor("expm1_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
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
            node.row, node.edges, node.kept = (EXPM1, (e0,), UNFINISHED)
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
    a0, form0 = (x.array, x.form or known_form(x))
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
            node.row, node.edges, node.kept = (LOG, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify("log", "ordinary", (x,), result, node, depends=dependence(LOG, {"x": a0}, array.shape))
    return result


def log_(x: Tensor, name: str | None = None) -> Tensor:
    """The natural logarithm of each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("log_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
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
            node.row, node.edges, node.kept = (LOG, (e0,), UNFINISHED)
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
    a0, form0 = (x.array, x.form or known_form(x))
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
            node.row, node.edges, node.kept = (LOG2, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify("log2", "ordinary", (x,), result, node, depends=dependence(LOG2, {"x": a0}, array.shape))
    return result


def log2_(x: Tensor, name: str | None = None) -> Tensor:
    """The logarithm to base 2."""
    if type(x) is not Tensor:
        x = operands.as_tensor("log2_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
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
            node.row, node.edges, node.kept = (LOG2, (e0,), UNFINISHED)
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
    a0, form0 = (x.array, x.form or known_form(x))
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
            node.row, node.edges, node.kept = (LOG10, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify("log10", "ordinary", (x,), result, node, depends=dependence(LOG10, {"x": a0}, array.shape))
    return result


def log10_(x: Tensor, name: str | None = None) -> Tensor:
    """The logarithm to base 10."""
    if type(x) is not Tensor:
        x = operands.as_tensor("log10_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
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
            node.row, node.edges, node.kept = (LOG10, (e0,), UNFINISHED)
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
    a0, form0 = (x.array, x.form or known_form(x))
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
            node.row, node.edges, node.kept = (LOG1P, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify("log1p", "ordinary", (x,), result, node, depends=dependence(LOG1P, {"x": a0}, array.shape))
    return result


def log1p_(x: Tensor, name: str | None = None) -> Tensor:
    """log(1 + x), accurate even near 0."""
    if type(x) is not Tensor:
        x = operands.as_tensor("log1p_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
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
            node.row, node.edges, node.kept = (LOG1P, (e0,), UNFINISHED)
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
    a0, form0 = (x.array, x.form or known_form(x))
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
            node.row, node.edges, node.kept = (LOGIT, (e0,), kept)
            node.forms, node.facts = ((form0,), {"eps": eps})
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify(
            "logit",
            "ordinary",
            (x,),
            result,
            node,
            attributes={"eps": eps},
            depends=dependence(LOGIT, {"x": a0, "eps": eps}, array.shape),
        )
    return result


def logit_(x: Tensor, eps: Any = None, name: str | None = None) -> Tensor:
    """log(x / (1 - x)), the inverse of `sigmoid`; `eps` keeps `x` away from 0 and 1."""
    if type(x) is not Tensor:
        x = operands.as_tensor("logit_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
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
            node.row, node.edges, node.kept = (LOGIT, (e0,), UNFINISHED)
            node.forms, node.facts = ((form0,), {"eps": eps})
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
        if not (storage.device.launches and LOGIT_LAUNCHED_IN_PLACE((x,), (a0,), eps=eps)):
            LOGIT_KERNEL(a0, a0, eps, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "logit_",
            "in-place",
            (x,),
            x,
            node,
            attributes={"eps": eps},
            depends=dependence(LOGIT, {"x": a0, "eps": eps}, a0.shape),
        )
    return x
