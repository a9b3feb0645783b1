"""The functions of the rows in `inplacelab/ops/reductions.py`.

Generated: `python -m inplacelab.ops.table.generate` writes this file. Do not edit it.
"""

from __future__ import annotations

from typing import Any

from inplacelab.autograd.history import accumulator, check_leaf, edge, rebase, refresh
from inplacelab.autograd.nodes import NOTHING, UNFINISHED, OpNode, new_node, next_serial
from inplacelab.autograd.saved import OUTPUT, Saved, save, save_copy
from inplacelab.modes import current as current_modes
from inplacelab.ops import reductions as chapter
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
    a0, form0 = x.array, x.form or known_form(x)
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
            node.row, node.edges, node.kept = CUMSUM, (e0,), kept
            node.forms, node.facts = (form0,), {"axis": axis}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "cumsum",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(CUMSUM, {"x": a0, "axis": axis, "dtype": dtype}, array.shape),
        )
    return result


def cumsum_(x: Tensor, axis: Any = None, dtype: Any = None, name: str | None = None) -> Tensor:
    """Cumulative sums along `axis`, or over all elements in one line."""
    if type(x) is not Tensor:
        x = operands.as_tensor("cumsum_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
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
            node.row, node.edges, node.kept = CUMSUM, (e0,), UNFINISHED
            node.forms, node.facts = (form0,), {"axis": axis}
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
    a0, form0 = x.array, x.form or known_form(x)
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
            node.row, node.edges, node.kept = CUMPROD, (e0,), kept
            node.forms, node.facts = (form0,), {"dim": dim}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "cumprod",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(CUMPROD, {"x": a0, "dim": dim, "dtype": dtype}, array.shape),
        )
    return result


def cumprod_(x: Tensor, dim: Any = None, dtype: Any = None, name: str | None = None) -> Tensor:
    """Cumulative products along `dim`, or over all elements in one line."""
    if type(x) is not Tensor:
        x = operands.as_tensor("cumprod_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
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
            node.row, node.edges, node.kept = CUMPROD, (e0,), UNFINISHED
            node.forms, node.facts = (form0,), {"dim": dim}
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
    a0, form0 = x.array, x.form or known_form(x)
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
            node.row, node.edges, node.kept = LOGCUMSUMEXP, (e0,), kept
            node.forms, node.facts = (form0,), {"axis": axis}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify(
            "logcumsumexp",
            "ordinary",
            (x,),
            result,
            node,
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
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = factors.array, factors.form or known_form(factors)
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
            node.row, node.edges, node.kept = _RECURRENCE, (e0, e1), kept
            node.forms, node.facts = (form0, form1), {"axis": axis}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e1 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify(
            "_recurrence",
            "ordinary",
            (x, factors),
            result,
            node,
            depends=dependence(_RECURRENCE, {"x": a0, "factors": a1, "axis": axis}, array.shape),
        )
    return result


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
        dtype, keepdim = None if keepdim is False else keepdim, dtype
    if out is not None:
        return destinations.into("sum", out, (x,), lambda: sum(x=x, axis=axis, dtype=dtype, keepdim=keepdim, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("sum", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
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
            node.row, node.edges, node.kept = SUM, (e0,), kept
            node.forms, node.facts = (form0,), {"axis": axis}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "sum",
            "ordinary",
            (x,),
            result,
            node,
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
    a0, form0 = x.array, x.form or known_form(x)
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
            node.row, node.edges, node.kept = MEAN, (e0,), kept
            node.forms, node.facts = (form0,), {"axis": axis}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "mean",
            "ordinary",
            (x,),
            result,
            node,
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
    a0, form0 = x.array, x.form or known_form(x)
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
            node.row, node.edges, node.kept = PROD, (e0,), kept
            node.forms, node.facts = (form0,), {"axis": axis}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "prod",
            "ordinary",
            (x,),
            result,
            node,
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
    a0, form0 = x.array, x.form or known_form(x)
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
    a0, form0 = x.array, x.form or known_form(x)
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
    a0, form0 = x.array, x.form or known_form(x)
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
            node.row, node.edges, node.kept = EXPAND, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "expand", "ordinary", (x,), result, node, depends=dependence(EXPAND, {"x": a0, "shape": shape}, array.shape)
        )
    return result


# ---- max -----------------------------------------------------------------------------------------

MAX = chapter.MAX
MAX_VALIDATE = chapter._check_elements
MAX_PREPARE_AXIS = chapter.axes_of
MAX_SHAPE = required(MAX.shape)
MAX_KERNEL = chapter._largest


def max(x: Tensor, axis: Any = None, keepdim: Any = False, name: str | None = None) -> Tensor:
    """The largest element over the axes in `axis`, or of all."""
    if type(x) is not Tensor:
        x = operands.as_tensor("max", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fiu":
        operands.check_dtype("max", "fiu", form0.dtype)
    MAX_VALIDATE(a0, axis)
    storage = x.storage
    axis = MAX_PREPARE_AXIS(a0, axis)
    form = None
    array = storage.device.empty(MAX_SHAPE(form0.shape, axis, keepdim), form0.dtype)
    try:
        MAX_KERNEL(array, a0, axis, keepdim)
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
            node.row, node.edges, node.kept = MAX, (e0,), kept
            node.forms, node.facts = (form0,), {"axis": axis}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify(
            "max",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(MAX, {"x": a0, "axis": axis, "keepdim": keepdim}, array.shape),
        )
    return result


# ---- min -----------------------------------------------------------------------------------------

MIN = chapter.MIN
MIN_VALIDATE = chapter._check_elements
MIN_PREPARE_AXIS = chapter.axes_of
MIN_SHAPE = required(MIN.shape)
MIN_KERNEL = chapter._smallest


def min(x: Tensor, axis: Any = None, keepdim: Any = False, name: str | None = None) -> Tensor:
    """The smallest element over the axes in `axis`, or of all."""
    if type(x) is not Tensor:
        x = operands.as_tensor("min", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fiu":
        operands.check_dtype("min", "fiu", form0.dtype)
    MIN_VALIDATE(a0, axis)
    storage = x.storage
    axis = MIN_PREPARE_AXIS(a0, axis)
    form = None
    array = storage.device.empty(MIN_SHAPE(form0.shape, axis, keepdim), form0.dtype)
    try:
        MIN_KERNEL(array, a0, axis, keepdim)
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
            node.row, node.edges, node.kept = MIN, (e0,), kept
            node.forms, node.facts = (form0,), {"axis": axis}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify(
            "min",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(MIN, {"x": a0, "axis": axis, "keepdim": keepdim}, array.shape),
        )
    return result


# ---- amax ----------------------------------------------------------------------------------------

AMAX = chapter.AMAX
AMAX_VALIDATE = chapter._check_elements
AMAX_PREPARE_AXIS = chapter.axes_of
AMAX_SHAPE = required(AMAX.shape)
AMAX_KERNEL = chapter._largest


def amax(
    x: Tensor = ABSENT,
    axis: Any = ABSENT,
    keepdim: Any = False,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
    dim: Any = ABSENT,
) -> Tensor:
    """The largest element over the axes in `axis`, or of all."""
    if input is not _ or dim is not _:
        keywords.check_named("amax", 4, _)
        x = keywords.either("amax", "x", x, "input", input)
        axis = keywords.either("amax", "axis", axis, "dim", dim)
    if axis is _:
        axis = None
    if out is not None:
        return destinations.into("amax", out, (x,), lambda: amax(x=x, axis=axis, keepdim=keepdim, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("amax", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fiu":
        operands.check_dtype("amax", "fiu", form0.dtype)
    AMAX_VALIDATE(a0, axis)
    storage = x.storage
    axis = AMAX_PREPARE_AXIS(a0, axis)
    form = None
    array = storage.device.empty(AMAX_SHAPE(form0.shape, axis, keepdim), form0.dtype)
    try:
        AMAX_KERNEL(array, a0, axis, keepdim)
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
            node.row, node.edges, node.kept = AMAX, (e0,), kept
            node.forms, node.facts = (form0,), {"axis": axis}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify(
            "amax",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(AMAX, {"x": a0, "axis": axis, "keepdim": keepdim}, array.shape),
        )
    return result


# ---- amin ----------------------------------------------------------------------------------------

AMIN = chapter.AMIN
AMIN_VALIDATE = chapter._check_elements
AMIN_PREPARE_AXIS = chapter.axes_of
AMIN_SHAPE = required(AMIN.shape)
AMIN_KERNEL = chapter._smallest


def amin(
    x: Tensor = ABSENT,
    axis: Any = ABSENT,
    keepdim: Any = False,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
    dim: Any = ABSENT,
) -> Tensor:
    """The smallest element over the axes in `axis`, or of all."""
    if input is not _ or dim is not _:
        keywords.check_named("amin", 4, _)
        x = keywords.either("amin", "x", x, "input", input)
        axis = keywords.either("amin", "axis", axis, "dim", dim)
    if axis is _:
        axis = None
    if out is not None:
        return destinations.into("amin", out, (x,), lambda: amin(x=x, axis=axis, keepdim=keepdim, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("amin", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fiu":
        operands.check_dtype("amin", "fiu", form0.dtype)
    AMIN_VALIDATE(a0, axis)
    storage = x.storage
    axis = AMIN_PREPARE_AXIS(a0, axis)
    form = None
    array = storage.device.empty(AMIN_SHAPE(form0.shape, axis, keepdim), form0.dtype)
    try:
        AMIN_KERNEL(array, a0, axis, keepdim)
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
            node.row, node.edges, node.kept = AMIN, (e0,), kept
            node.forms, node.facts = (form0,), {"axis": axis}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify(
            "amin",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(AMIN, {"x": a0, "axis": axis, "keepdim": keepdim}, array.shape),
        )
    return result


# ---- argmax --------------------------------------------------------------------------------------

ARGMAX = chapter.ARGMAX
ARGMAX_VALIDATE = chapter._check_line
ARGMAX_PREPARE_AXIS = chapter._one_axis
ARGMAX_SHAPE = chapter._place_shape
ARGMAX_DTYPE = chapter._place_dtype
ARGMAX_KERNEL = chapter._argmax


def argmax(
    x: Tensor = ABSENT,
    axis: Any = ABSENT,
    keepdim: Any = ABSENT,
    dtype: Any = "int64",
    name: str | None = None,
    _: Any = ABSENT,
    input: Any = ABSENT,
    dim: Any = ABSENT,
    keepdims: Any = ABSENT,
) -> Tensor:
    """The index of the first largest element along `axis`, or among all in one line."""
    if input is not _ or dim is not _ or keepdims is not _:
        keywords.check_named("argmax", 5, _)
        x = keywords.either("argmax", "x", x, "input", input)
        axis = keywords.either("argmax", "axis", axis, "dim", dim)
        keepdim = keywords.either("argmax", "keepdim", keepdim, "keepdims", keepdims)
    if axis is _:
        axis = None
    if keepdim is _:
        keepdim = False
    if type(x) is not Tensor:
        x = operands.as_tensor("argmax", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fiu":
        operands.check_dtype("argmax", "fiu", form0.dtype)
    ARGMAX_VALIDATE(a0, axis)
    storage = x.storage
    axis = ARGMAX_PREPARE_AXIS(a0, axis)
    form = None
    array = storage.device.empty(ARGMAX_SHAPE(form0.shape, axis, keepdim), ARGMAX_DTYPE(dtype))
    try:
        ARGMAX_KERNEL(array, a0, axis, storage.device)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.listeners:
        mode.notify(
            "argmax",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(ARGMAX, {"x": a0, "axis": axis, "keepdim": keepdim, "dtype": dtype}, array.shape),
        )
    return result


# ---- argmin --------------------------------------------------------------------------------------

ARGMIN = chapter.ARGMIN
ARGMIN_VALIDATE = chapter._check_line
ARGMIN_PREPARE_AXIS = chapter._one_axis
ARGMIN_SHAPE = chapter._place_shape
ARGMIN_DTYPE = chapter._place_dtype
ARGMIN_KERNEL = chapter._argmin


def argmin(
    x: Tensor = ABSENT,
    axis: Any = ABSENT,
    keepdim: Any = ABSENT,
    dtype: Any = "int64",
    name: str | None = None,
    _: Any = ABSENT,
    input: Any = ABSENT,
    dim: Any = ABSENT,
    keepdims: Any = ABSENT,
) -> Tensor:
    """The index of the first smallest element along `axis`, or among all in one line."""
    if input is not _ or dim is not _ or keepdims is not _:
        keywords.check_named("argmin", 5, _)
        x = keywords.either("argmin", "x", x, "input", input)
        axis = keywords.either("argmin", "axis", axis, "dim", dim)
        keepdim = keywords.either("argmin", "keepdim", keepdim, "keepdims", keepdims)
    if axis is _:
        axis = None
    if keepdim is _:
        keepdim = False
    if type(x) is not Tensor:
        x = operands.as_tensor("argmin", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fiu":
        operands.check_dtype("argmin", "fiu", form0.dtype)
    ARGMIN_VALIDATE(a0, axis)
    storage = x.storage
    axis = ARGMIN_PREPARE_AXIS(a0, axis)
    form = None
    array = storage.device.empty(ARGMIN_SHAPE(form0.shape, axis, keepdim), ARGMIN_DTYPE(dtype))
    try:
        ARGMIN_KERNEL(array, a0, axis, storage.device)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.listeners:
        mode.notify(
            "argmin",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(ARGMIN, {"x": a0, "axis": axis, "keepdim": keepdim, "dtype": dtype}, array.shape),
        )
    return result
