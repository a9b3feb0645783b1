"""The functions of the rows in `inplacelab/ops/statistics.py`.

Generated: `python -m inplacelab.ops.table.generate` writes this file. Do not edit it.
"""

from __future__ import annotations

from typing import Any

from inplacelab import dtypes
from inplacelab.autograd.history import accumulator, edge
from inplacelab.autograd.nodes import OpNode, new_node, next_serial
from inplacelab.autograd.saved import OUTPUT, Saved, save
from inplacelab.modes import current as current_modes
from inplacelab.ops import reductions
from inplacelab.ops import statistics as chapter
from inplacelab.ops.arguments import keywords, operands
from inplacelab.ops.arguments.keywords import ABSENT
from inplacelab.ops.results import destinations
from inplacelab.ops.table.depends import dependence
from inplacelab.ops.table.row import required
from inplacelab.tensor import Tensor, fresh, known_form

# ---- var -----------------------------------------------------------------------------------------

VAR = chapter.VAR
VAR_PREPARE_AXIS = reductions.axes_of
VAR_SHAPE = required(VAR.shape)
VAR_KERNEL = chapter._var


def var(
    x: Tensor = ABSENT,
    axis: Any = ABSENT,
    unbiased: Any = None,
    keepdim: Any = False,
    name: str | None = None,
    _: Any = ABSENT,
    correction: Any = 1,
    out: Tensor | None = None,
    input: Any = ABSENT,
    dim: Any = ABSENT,
) -> Tensor:
    """The variance: the mean of the squared distances from the mean."""
    if input is not _ or dim is not _:
        keywords.check_named("var", 5, _)
        x = keywords.either("var", "x", x, "input", input)
        axis = keywords.either("var", "axis", axis, "dim", dim)
    if axis is _:
        axis = None
    if out is not None:
        return destinations.into(
            "var",
            out,
            (x,),
            lambda: var(x=x, axis=axis, unbiased=unbiased, keepdim=keepdim, name=name, correction=correction),
        )
    if type(x) is not Tensor:
        x = operands.as_tensor("var", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "f":
        operands.check_dtype("var", "f", form0.dtype)
    storage = x.storage
    axis = VAR_PREPARE_AXIS(a0, axis)
    form = None
    array = storage.device.empty(VAR_SHAPE(form0.shape, axis, keepdim), form0.dtype)
    try:
        VAR_KERNEL(array, a0, axis, unbiased, keepdim, correction, storage.device)
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
            node.row, node.edges, node.kept = VAR, (e0,), kept
            node.forms, node.facts = (form0,), {"axis": axis, "correction": correction, "unbiased": unbiased}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "var",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(
                VAR,
                {"x": a0, "axis": axis, "unbiased": unbiased, "keepdim": keepdim, "correction": correction},
                array.shape,
            ),
        )
    return result


# ---- std -----------------------------------------------------------------------------------------

STD = chapter.STD
STD_PREPARE_AXIS = reductions.axes_of
STD_SHAPE = required(STD.shape)
STD_KERNEL = chapter._std


def std(x: Tensor, axis: Any = None, unbiased: Any = True, keepdim: Any = False, name: str | None = None) -> Tensor:
    """The standard deviation: the square root of the variance."""
    if type(x) is not Tensor:
        x = operands.as_tensor("std", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "f":
        operands.check_dtype("std", "f", form0.dtype)
    storage = x.storage
    axis = STD_PREPARE_AXIS(a0, axis)
    form = None
    array = storage.device.empty(STD_SHAPE(form0.shape, axis, keepdim), form0.dtype)
    try:
        STD_KERNEL(array, a0, axis, unbiased, keepdim, storage.device)
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
            node.row, node.edges, node.kept = STD, (e0,), kept
            node.forms, node.facts = (form0,), {"axis": axis, "unbiased": unbiased}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify(
            "std",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(STD, {"x": a0, "axis": axis, "unbiased": unbiased, "keepdim": keepdim}, array.shape),
        )
    return result


# ---- logsumexp -----------------------------------------------------------------------------------

LOGSUMEXP = chapter.LOGSUMEXP
LOGSUMEXP_PREPARE_AXIS = reductions.axes_of
LOGSUMEXP_SHAPE = required(LOGSUMEXP.shape)
LOGSUMEXP_DTYPE = dtypes.floating
LOGSUMEXP_KERNEL = chapter._logsumexp


def logsumexp(
    x: Tensor = ABSENT,
    axis: Any = ABSENT,
    keepdim: Any = False,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
    dim: Any = ABSENT,
) -> Tensor:
    """The logarithm of the sum of exponentials over the axes in `axis`."""
    if input is not _ or dim is not _:
        keywords.check_named("logsumexp", 4, _)
        x = keywords.either("logsumexp", "x", x, "input", input)
        axis = keywords.either("logsumexp", "axis", axis, "dim", dim)
    if axis is _:
        axis = None
    if out is not None:
        return destinations.into("logsumexp", out, (x,), lambda: logsumexp(x=x, axis=axis, keepdim=keepdim, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("logsumexp", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fiu":
        operands.check_dtype("logsumexp", "fiu", form0.dtype)
    storage = x.storage
    axis = LOGSUMEXP_PREPARE_AXIS(a0, axis)
    form = None
    array = storage.device.empty(LOGSUMEXP_SHAPE(form0.shape, axis, keepdim), LOGSUMEXP_DTYPE(form0.dtype))
    try:
        LOGSUMEXP_KERNEL(array, a0, axis, keepdim, storage.device)
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
            node.row, node.edges, node.kept = LOGSUMEXP, (e0,), kept
            node.forms, node.facts = (form0,), {"axis": axis}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify(
            "logsumexp",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(LOGSUMEXP, {"x": a0, "axis": axis, "keepdim": keepdim}, array.shape),
        )
    return result
