"""The functions of the rows in `inplacelab/ops/reductions.py`.

Generated: `python -m inplacelab.ops.table.generate` writes this file. Do not edit it.
"""

from __future__ import annotations

from typing import Any

from inplacelab.autograd.history import accumulator, edge
from inplacelab.autograd.nodes import NOTHING, OpNode, new_node, next_serial
from inplacelab.autograd.saved import Saved, save
from inplacelab.modes import current as current_modes
from inplacelab.ops import reductions as chapter
from inplacelab.ops.arguments import keywords, operands
from inplacelab.ops.arguments.keywords import ABSENT
from inplacelab.ops.results import destinations
from inplacelab.ops.table.depends import dependence
from inplacelab.ops.table.row import required
from inplacelab.tensor import Tensor, fresh, known_form

# ---- sum -----------------------------------------------------------------------------------------

SUM = chapter.SUM
SUM_PREPARE_AXIS = chapter.axes_of
SUM_SHAPE = required(SUM.shape)
SUM_DTYPE = chapter._sum_dtype
SUM_KERNEL = chapter._sum


def sum(
    x: Tensor = ABSENT,
    axis: Any = ABSENT,
    dtype: Any = None,
    keepdim: Any = False,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
    dim: Any = ABSENT,
) -> Tensor:
    """The sum over the axes in `axis`, or over all."""
    if input is not _ or dim is not _:
        keywords.check_named("sum", 5, _)
        x = keywords.either("sum", "x", x, "input", input)
        axis = keywords.either("sum", "axis", axis, "dim", dim)
    if axis is _:
        axis = None
    if type(dtype) is bool:
        dtype, keepdim = (None if keepdim is False else keepdim, dtype)
    if out is not None:
        return destinations.into("sum", out, (x,), lambda: sum(x=x, axis=axis, dtype=dtype, keepdim=keepdim, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("sum", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage = x.storage
    axis = SUM_PREPARE_AXIS(a0, axis)
    form = None
    array = storage.device.empty(SUM_SHAPE(form0.shape, axis, keepdim), SUM_DTYPE(form0.dtype, dtype))
    try:
        SUM_KERNEL(array, a0, axis, keepdim)
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
            node.row, node.edges, node.kept = (SUM, (e0,), kept)
            node.forms, node.facts = ((form0,), {"axis": axis})
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify(
            "sum",
            "ordinary",
            (x,),
            result,
            node,
            attributes={"axis": axis, "dtype": dtype, "keepdim": keepdim},
            depends=dependence(SUM, {"x": a0, "axis": axis, "dtype": dtype, "keepdim": keepdim}, array.shape),
        )
    return result


# ---- mean ----------------------------------------------------------------------------------------

MEAN = chapter.MEAN
MEAN_PREPARE_AXIS = chapter.axes_of
MEAN_SHAPE = required(MEAN.shape)
MEAN_DTYPE = chapter._result_dtype
MEAN_KERNEL = chapter._mean


def mean(
    x: Tensor = ABSENT,
    axis: Any = ABSENT,
    keepdim: Any = False,
    name: str | None = None,
    _: Any = ABSENT,
    dtype: Any = None,
    out: Tensor | None = None,
    input: Any = ABSENT,
    dim: Any = ABSENT,
) -> Tensor:
    """The mean over the axes in `axis`, or over all."""
    if input is not _ or dim is not _:
        keywords.check_named("mean", 4, _)
        x = keywords.either("mean", "x", x, "input", input)
        axis = keywords.either("mean", "axis", axis, "dim", dim)
    if axis is _:
        axis = None
    if out is not None:
        return destinations.into(
            "mean", out, (x,), lambda: mean(x=x, axis=axis, keepdim=keepdim, name=name, dtype=dtype)
        )
    if type(x) is not Tensor:
        x = operands.as_tensor("mean", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage = x.storage
    axis = MEAN_PREPARE_AXIS(a0, axis)
    form = None
    array = storage.device.empty(MEAN_SHAPE(form0.shape, axis, keepdim), MEAN_DTYPE(form0.dtype, dtype))
    try:
        MEAN_KERNEL(array, a0, axis, keepdim)
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
            node.row, node.edges, node.kept = (MEAN, (e0,), kept)
            node.forms, node.facts = ((form0,), {"axis": axis})
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify(
            "mean",
            "ordinary",
            (x,),
            result,
            node,
            attributes={"axis": axis, "keepdim": keepdim, "dtype": dtype},
            depends=dependence(MEAN, {"x": a0, "axis": axis, "keepdim": keepdim, "dtype": dtype}, array.shape),
        )
    return result


# ---- prod ----------------------------------------------------------------------------------------

PROD = chapter.PROD
PROD_VALIDATE = chapter._check_factors
PROD_PREPARE_AXIS = chapter.axes_of
PROD_SHAPE = required(PROD.shape)
PROD_DTYPE = chapter._result_dtype
PROD_KERNEL = chapter._prod


def prod(
    x: Tensor = ABSENT,
    axis: Any = ABSENT,
    keepdim: Any = False,
    dtype: Any = None,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
    dim: Any = ABSENT,
) -> Tensor:
    """The product over the axes in `axis`, or over all."""
    if input is not _ or dim is not _:
        keywords.check_named("prod", 5, _)
        x = keywords.either("prod", "x", x, "input", input)
        axis = keywords.either("prod", "axis", axis, "dim", dim)
    if axis is _:
        axis = None
    if out is not None:
        return destinations.into(
            "prod", out, (x,), lambda: prod(x=x, axis=axis, keepdim=keepdim, dtype=dtype, name=name)
        )
    if type(x) is not Tensor:
        x = operands.as_tensor("prod", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    PROD_VALIDATE(a0, dtype)
    storage = x.storage
    axis = PROD_PREPARE_AXIS(a0, axis)
    form = None
    array = storage.device.empty(PROD_SHAPE(form0.shape, axis, keepdim), PROD_DTYPE(form0.dtype, dtype))
    try:
        PROD_KERNEL(array, a0, axis, keepdim)
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
            node.row, node.edges, node.kept = (PROD, (e0,), kept)
            node.forms, node.facts = ((form0,), {"axis": axis})
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify(
            "prod",
            "ordinary",
            (x,),
            result,
            node,
            attributes={"axis": axis, "keepdim": keepdim, "dtype": dtype},
            depends=dependence(PROD, {"x": a0, "axis": axis, "keepdim": keepdim, "dtype": dtype}, array.shape),
        )
    return result


# ---- all -----------------------------------------------------------------------------------------

ALL = chapter.ALL
ALL_PREPARE_AXIS = chapter.axes_of
ALL_SHAPE = required(ALL.shape)
ALL_DTYPE = required(ALL.dtype)
ALL_KERNEL = chapter._all


def all(
    x: Tensor = ABSENT,
    axis: Any = ABSENT,
    keepdim: Any = False,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
    dim: Any = ABSENT,
) -> Tensor:
    """True where all elements along `axis` are true (not zero)."""
    if input is not _ or dim is not _:
        keywords.check_named("all", 4, _)
        x = keywords.either("all", "x", x, "input", input)
        axis = keywords.either("all", "axis", axis, "dim", dim)
    if axis is _:
        axis = None
    if out is not None:
        return destinations.into("all", out, (x,), lambda: all(x=x, axis=axis, keepdim=keepdim, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("all", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage = x.storage
    axis = ALL_PREPARE_AXIS(a0, axis)
    form = None
    array = storage.device.empty(ALL_SHAPE(form0.shape, axis, keepdim), ALL_DTYPE())
    try:
        ALL_KERNEL(array, a0, axis, keepdim)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.listeners:
        mode.notify(
            "all",
            "ordinary",
            (x,),
            result,
            node,
            attributes={"axis": axis, "keepdim": keepdim},
            depends=dependence(ALL, {"x": a0, "axis": axis, "keepdim": keepdim}, array.shape),
        )
    return result


# ---- any -----------------------------------------------------------------------------------------

ANY = chapter.ANY
ANY_PREPARE_AXIS = chapter.axes_of
ANY_SHAPE = required(ANY.shape)
ANY_DTYPE = required(ANY.dtype)
ANY_KERNEL = chapter._any


def any(
    x: Tensor = ABSENT,
    axis: Any = ABSENT,
    keepdim: Any = False,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
    dim: Any = ABSENT,
) -> Tensor:
    """True where at least one element along `axis` is true (not zero)."""
    if input is not _ or dim is not _:
        keywords.check_named("any", 4, _)
        x = keywords.either("any", "x", x, "input", input)
        axis = keywords.either("any", "axis", axis, "dim", dim)
    if axis is _:
        axis = None
    if out is not None:
        return destinations.into("any", out, (x,), lambda: any(x=x, axis=axis, keepdim=keepdim, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("any", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage = x.storage
    axis = ANY_PREPARE_AXIS(a0, axis)
    form = None
    array = storage.device.empty(ANY_SHAPE(form0.shape, axis, keepdim), ANY_DTYPE())
    try:
        ANY_KERNEL(array, a0, axis, keepdim)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.listeners:
        mode.notify(
            "any",
            "ordinary",
            (x,),
            result,
            node,
            attributes={"axis": axis, "keepdim": keepdim},
            depends=dependence(ANY, {"x": a0, "axis": axis, "keepdim": keepdim}, array.shape),
        )
    return result


# ---- expand --------------------------------------------------------------------------------------

EXPAND = chapter.EXPAND
EXPAND_PREPARE_SHAPE = chapter._expanded
EXPAND_SHAPE = required(EXPAND.shape)
EXPAND_KERNEL = chapter._expand


def expand(x: Tensor = ABSENT, shape: Any = ABSENT, *more: Any, **named: Any) -> Tensor:
    """Repeat axes of size 1 to reach `shape`; -1 keeps a size."""
    if more or named:
        x, shape = keywords.spelled("expand", x, shape, more, named)
    if shape is ABSENT:
        keywords.missing("expand", "shape")
    if type(x) is not Tensor:
        x = operands.as_tensor("expand", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage = x.storage
    shape = EXPAND_PREPARE_SHAPE(a0, shape)
    form = None
    array = storage.device.empty(EXPAND_SHAPE(shape), form0.dtype)
    try:
        EXPAND_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = (EXPAND, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify(
            "expand",
            "ordinary",
            (x,),
            result,
            node,
            attributes={"shape": shape},
            depends=dependence(EXPAND, {"x": a0, "shape": shape}, array.shape),
        )
    return result
