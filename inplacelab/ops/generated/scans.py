"""The functions of the rows in `inplacelab/ops/scans.py`.

Generated: `python -m inplacelab.ops.table.generate` writes this file. Do not edit it.
"""

from __future__ import annotations

from typing import Any

from inplacelab.autograd.history import accumulator, check_leaf, edge, rebase, refresh
from inplacelab.autograd.nodes import UNFINISHED, OpNode, new_node, next_serial
from inplacelab.autograd.saved import OUTPUT, Saved, save, save_copy
from inplacelab.modes import current as current_modes
from inplacelab.ops import scans as chapter
from inplacelab.ops.arguments import keywords, operands
from inplacelab.ops.arguments.keywords import ABSENT
from inplacelab.ops.results import destinations
from inplacelab.ops.table.depends import dependence
from inplacelab.ops.table.row import required
from inplacelab.tensor import Tensor, fresh, known_form

# ---- cumsum --------------------------------------------------------------------------------------

CUMSUM = chapter.CUMSUM
CUMSUM_VALIDATE = required(CUMSUM.validate)
CUMSUM_PREPARE_AXIS = chapter._axis
CUMSUM_SHAPE = chapter._line
CUMSUM_DTYPE_ORDINARY = chapter._counted
CUMSUM_KERNEL = chapter._cumsum
CUMSUM_DTYPE = chapter._dtype


def cumsum(
    x: Tensor = ABSENT,
    axis: Any = ABSENT,
    dtype: Any = None,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
    dim: Any = ABSENT,
) -> Tensor:
    """Cumulative sums along `axis`, or over all elements in one line."""
    if input is not _ or dim is not _:
        keywords.check_named("cumsum", 4, _)
        x = keywords.either("cumsum", "x", x, "input", input)
        axis = keywords.either("cumsum", "axis", axis, "dim", dim)
    if axis is _:
        axis = None
    if out is not None:
        return destinations.into("cumsum", out, (x,), lambda: cumsum(x=x, axis=axis, dtype=dtype, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("cumsum", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    CUMSUM_VALIDATE(a0, dtype)
    storage = x.storage
    axis = CUMSUM_PREPARE_AXIS(a0, axis)
    form = None
    array = storage.device.empty(CUMSUM_SHAPE(form0.shape, axis), CUMSUM_DTYPE_ORDINARY(form0.dtype, dtype))
    try:
        CUMSUM_KERNEL(array, a0, axis, storage.device)
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
            node.row, node.edges, node.kept = (CUMSUM, (e0,), kept)
            node.forms, node.facts = ((form0,), {"axis": axis})
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify(
            "cumsum",
            "ordinary",
            (x,),
            result,
            node,
            attributes={"axis": axis, "dtype": dtype},
            depends=dependence(CUMSUM, {"x": a0, "axis": axis, "dtype": dtype}, array.shape),
        )
    return result


def cumsum_(x: Tensor, axis: Any = None, dtype: Any = None, name: str | None = None) -> Tensor:
    """Cumulative sums along `axis`, or over all elements in one line."""
    if type(x) is not Tensor:
        x = operands.as_tensor("cumsum_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("cumsum_", x)
    CUMSUM_VALIDATE(a0, dtype)
    axis = CUMSUM_PREPARE_AXIS(a0, axis)
    dtype = CUMSUM_DTYPE(form0.dtype, dtype)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate(
            "cumsum_",
            x,
            lambda: cumsum(x=x, axis=axis, dtype=CUMSUM_DTYPE(form0.dtype, dtype)),
            (),
            lambda: dependence(CUMSUM, {"x": a0, "axis": axis, "dtype": dtype}, ()),
        )
    shape = CUMSUM_SHAPE(form0.shape, axis)
    if shape != form0.shape:
        return destinations.reallocate(
            "cumsum_",
            x,
            lambda: cumsum(x=x, axis=axis, dtype=CUMSUM_DTYPE(form0.dtype, dtype)),
            (),
            lambda: dependence(CUMSUM, {"x": a0, "axis": axis, "dtype": dtype}, ()),
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("cumsum_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (CUMSUM, (e0,), UNFINISHED)
            node.forms, node.facts = ((form0,), {"axis": axis})
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
        CUMSUM_KERNEL(a0, a0, axis, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "cumsum_",
            "in-place",
            (x,),
            x,
            node,
            attributes={"axis": axis, "dtype": dtype},
            depends=dependence(CUMSUM, {"x": a0, "axis": axis, "dtype": dtype}, a0.shape),
        )
    return x


# ---- cumprod -------------------------------------------------------------------------------------

CUMPROD = chapter.CUMPROD
CUMPROD_VALIDATE = required(CUMPROD.validate)
CUMPROD_PREPARE_DIM = chapter._dim
CUMPROD_SHAPE = required(CUMPROD.shape)
CUMPROD_DTYPE = chapter._dtype
CUMPROD_KERNEL = chapter._cumprod


def cumprod(
    x: Tensor = ABSENT,
    dim: Any = None,
    dtype: Any = None,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
) -> Tensor:
    """Cumulative products along `dim`, or over all elements in one line."""
    if input is not _:
        keywords.check_named("cumprod", 4, _)
        x = keywords.either("cumprod", "x", x, "input", input)
    if out is not None:
        return destinations.into("cumprod", out, (x,), lambda: cumprod(x=x, dim=dim, dtype=dtype, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("cumprod", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    CUMPROD_VALIDATE(a0, dtype)
    storage = x.storage
    dim = CUMPROD_PREPARE_DIM(a0, dim)
    form = None
    array = storage.device.empty(CUMPROD_SHAPE(form0.shape, dim), CUMPROD_DTYPE(form0.dtype, dtype))
    try:
        CUMPROD_KERNEL(array, a0, dim, storage.device)
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
            node.row, node.edges, node.kept = (CUMPROD, (e0,), kept)
            node.forms, node.facts = ((form0,), {"dim": dim})
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify(
            "cumprod",
            "ordinary",
            (x,),
            result,
            node,
            attributes={"dim": dim, "dtype": dtype},
            depends=dependence(CUMPROD, {"x": a0, "dim": dim, "dtype": dtype}, array.shape),
        )
    return result


def cumprod_(x: Tensor, dim: Any = None, dtype: Any = None, name: str | None = None) -> Tensor:
    """Cumulative products along `dim`, or over all elements in one line."""
    if type(x) is not Tensor:
        x = operands.as_tensor("cumprod_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("cumprod_", x)
    CUMPROD_VALIDATE(a0, dtype)
    dim = CUMPROD_PREPARE_DIM(a0, dim)
    dtype = CUMPROD_DTYPE(form0.dtype, dtype)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate(
            "cumprod_",
            x,
            lambda: cumprod(x=x, dim=dim, dtype=dtype),
            (),
            lambda: dependence(CUMPROD, {"x": a0, "dim": dim, "dtype": dtype}, ()),
        )
    shape = CUMPROD_SHAPE(form0.shape, dim)
    if shape != form0.shape:
        return destinations.reallocate(
            "cumprod_",
            x,
            lambda: cumprod(x=x, dim=dim, dtype=dtype),
            (),
            lambda: dependence(CUMPROD, {"x": a0, "dim": dim, "dtype": dtype}, ()),
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("cumprod_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (CUMPROD, (e0,), UNFINISHED)
            node.forms, node.facts = ((form0,), {"dim": dim})
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
        CUMPROD_KERNEL(a0, a0, dim, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "cumprod_",
            "in-place",
            (x,),
            x,
            node,
            attributes={"dim": dim, "dtype": dtype},
            depends=dependence(CUMPROD, {"x": a0, "dim": dim, "dtype": dtype}, a0.shape),
        )
    return x


# ---- logcumsumexp --------------------------------------------------------------------------------

LOGCUMSUMEXP = chapter.LOGCUMSUMEXP
LOGCUMSUMEXP_PREPARE_AXIS = chapter._axis
LOGCUMSUMEXP_SHAPE = chapter._line
LOGCUMSUMEXP_DTYPE = chapter._dtype
LOGCUMSUMEXP_KERNEL = chapter._logcumsumexp


def logcumsumexp(x: Tensor, axis: Any = None, dtype: Any = None, name: str | None = None) -> Tensor:
    """The logarithms of cumulative sums of exponentials along `axis`, or over all elements in one line."""
    if type(x) is not Tensor:
        x = operands.as_tensor("logcumsumexp", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "f":
        operands.check_dtype("logcumsumexp", "f", form0.dtype)
    storage = x.storage
    axis = LOGCUMSUMEXP_PREPARE_AXIS(a0, axis)
    form = None
    array = storage.device.empty(LOGCUMSUMEXP_SHAPE(form0.shape, axis), LOGCUMSUMEXP_DTYPE(form0.dtype, dtype))
    try:
        LOGCUMSUMEXP_KERNEL(array, a0, axis, storage.device)
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
            node.row, node.edges, node.kept = (LOGCUMSUMEXP, (e0,), kept)
            node.forms, node.facts = ((form0,), {"axis": axis})
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify(
            "logcumsumexp",
            "ordinary",
            (x,),
            result,
            node,
            attributes={"axis": axis, "dtype": dtype},
            depends=dependence(LOGCUMSUMEXP, {"x": a0, "axis": axis, "dtype": dtype}, array.shape),
        )
    return result


# ---- _recurrence ---------------------------------------------------------------------------------

_RECURRENCE = chapter._RECURRENCE
_RECURRENCE_SHAPE = required(_RECURRENCE.shape)
_RECURRENCE_KERNEL = chapter._recurrence


def _recurrence(x: Tensor, factors: Tensor, axis: Any, name: str | None = None) -> Tensor:
    """`out[k] = x[k] + factors[k-1] * out[k-1]` along `axis`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("_recurrence", "x", 0, x)
    if type(factors) is not Tensor:
        factors = operands.as_tensor("_recurrence", "factors", 1, factors)
    a0, form0 = (x.array, x.form or known_form(x))
    a1, form1 = (factors.array, factors.form or known_form(factors))
    storage = x.storage
    if factors.storage.device is not storage.device:
        operands.refuse_devices("_recurrence", x, factors)
    form = None
    array = storage.device.empty(_RECURRENCE_SHAPE(form0.shape), form0.dtype)
    try:
        _RECURRENCE_KERNEL(array, a0, a1, axis, storage.device)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e0 = edge(x) if x.base is not None else None if x._stop else x.node or accumulator(x)
        e1 = (
            edge(factors)
            if factors.base is not None
            else None
            if factors._stop
            else factors.node or accumulator(factors)
        )
        if e0 is not None or e1 is not None:
            kept: tuple[Saved, ...] = (save("factors", a1, factors.storage, e1),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (_RECURRENCE, (e0, e1), kept)
            node.forms, node.facts = ((form0, form1), {"axis": axis})
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
            if e1 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify(
            "_recurrence",
            "ordinary",
            (x, factors),
            result,
            node,
            attributes={"axis": axis},
            depends=dependence(_RECURRENCE, {"x": a0, "factors": a1, "axis": axis}, array.shape),
        )
    return result
