"""The functions of the rows in `inplacelab/ops/creation.py`.

Generated: `python -m inplacelab.ops.table.generate` writes this file. Do not edit it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab import dtypes
from inplacelab.autograd.history import accumulator, check_leaf, edge, rebase, refresh
from inplacelab.autograd.nodes import NOTHING, UNFINISHED, OpNode, new_node, next_serial
from inplacelab.autograd.saved import Saved
from inplacelab.dtypes import Form
from inplacelab.modes import current as current_modes
from inplacelab.ops import creation as chapter
from inplacelab.ops.arguments import operands
from inplacelab.ops.results import destinations
from inplacelab.ops.results.kernel_tools import launcher
from inplacelab.ops.table.depends import dependence
from inplacelab.tensor import Tensor, fresh, known_form

# ---- clone ---------------------------------------------------------------------------------------

CLONE = chapter.CLONE
CLONE_LAUNCHED_ORDINARY = launcher(CLONE, "ordinary")
CLONE_KERNEL = chapter._cast


def clone(x: Tensor, name: str | None = None) -> Tensor:
    """A copy with a storage of its own; gradients pass through."""
    if type(x) is not Tensor:
        x = operands.as_tensor("clone", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage = x.storage
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        if not (storage.device.launches and CLONE_LAUNCHED_ORDINARY((x,), (a0,), array)):
            CLONE_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = CLONE, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "clone", "ordinary", (x,), result, node, copied=0, depends=dependence(CLONE, {"x": a0}, array.shape)
        )
    return result


# ---- cast ----------------------------------------------------------------------------------------

CAST = chapter.CAST
CAST_VALIDATE = chapter._check_cast
CAST_DTYPE = dtypes.as_numpy
CAST_LAUNCHED_ORDINARY = launcher(CAST, "ordinary")
CAST_KERNEL = chapter._cast
CAST_LAUNCHED_IN_PLACE = launcher(CAST, "in-place")


def cast(x: Tensor, dtype: Any, name: str | None = None) -> Tensor:
    """The same elements, converted to another data type."""
    if type(x) is not Tensor:
        x = operands.as_tensor("cast", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    CAST_VALIDATE(a0, dtype)
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, CAST_DTYPE(dtype))
    try:
        if not (storage.device.launches and CAST_LAUNCHED_ORDINARY((x,), (a0,), array)):
            CAST_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = CAST, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "cast",
            "ordinary",
            (x,),
            result,
            node,
            copied=0,
            depends=dependence(CAST, {"x": a0, "dtype": dtype}, array.shape),
        )
    return result


def cast_(x: Tensor, dtype: Any, name: str | None = None) -> Tensor:
    """The same elements, converted to another data type."""
    if type(x) is not Tensor:
        x = operands.as_tensor("cast_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("cast_", x)
    CAST_VALIDATE(a0, dtype)
    dtype = CAST_DTYPE(dtype)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate(
            "cast_",
            x,
            lambda: cast(x=x, dtype=dtype),
            (),
            lambda: dependence(CAST, {"x": a0, "dtype": dtype}, form0.shape),
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("cast_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = CAST, (e0,), UNFINISHED
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
        if not (storage.device.launches and CAST_LAUNCHED_IN_PLACE((x,), (a0,))):
            CAST_KERNEL(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "cast_", "in-place", (x,), x, node, copied=0, depends=dependence(CAST, {"x": a0, "dtype": dtype}, a0.shape)
        )
    return x


# ---- conj ----------------------------------------------------------------------------------------

CONJ = chapter.CONJ
CONJ_UFUNC = np.conjugate


def conj(x: Tensor, name: str | None = None) -> Tensor:
    """The complex conjugate of each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("conj", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage = x.storage
    array: Any = None
    if a0 is x.storage.buffer and form0.shape and (not storage.device.launches):
        form: Form | None = form0
        try:
            array = CONJ_UFUNC(a0)
        except RuntimeWarning:
            pass
    if array is None:
        form = form0
        array = storage.device.empty(form0.shape, form0.dtype)
        try:
            CONJ_UFUNC(a0, array)
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
            node.row, node.edges, node.kept = CONJ, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("conj", "ordinary", (x,), result, node, depends=dependence(CONJ, {"x": a0}, array.shape))
    return result
