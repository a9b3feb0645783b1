"""The functions of the rows in `inplacelab/ops/max_and_min.py`.

Generated: `python -m inplacelab.ops.table.generate` writes this file. Do not edit it.
"""

from __future__ import annotations

from typing import Any

from inplacelab.autograd.history import accumulator, edge
from inplacelab.autograd.nodes import OpNode, new_node, next_serial
from inplacelab.autograd.saved import OUTPUT, Saved, save
from inplacelab.modes import current as current_modes
from inplacelab.ops import max_and_min as chapter
from inplacelab.ops import reductions
from inplacelab.ops.arguments import keywords, operands
from inplacelab.ops.arguments.keywords import ABSENT
from inplacelab.ops.results import destinations
from inplacelab.ops.table.depends import dependence
from inplacelab.ops.table.row import required
from inplacelab.tensor import Tensor, fresh, known_form

# ---- max -----------------------------------------------------------------------------------------

MAX = chapter.MAX
MAX_VALIDATE = chapter._check_elements
MAX_PREPARE_AXIS = reductions.axes_of
MAX_SHAPE = required(MAX.shape)
MAX_KERNEL = chapter._largest


def max(x: Tensor, axis: Any = None, keepdim: Any = False, name: str | None = None) -> Tensor:
    """The largest element over the axes in `axis`, or of all."""
    if type(x) is not Tensor:
        x = operands.as_tensor("max", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
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
            node.row, node.edges, node.kept = (MAX, (e0,), kept)
            node.forms, node.facts = ((form0,), {"axis": axis})
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify(
            "max",
            "ordinary",
            (x,),
            result,
            node,
            attributes={"axis": axis, "keepdim": keepdim},
            depends=dependence(MAX, {"x": a0, "axis": axis, "keepdim": keepdim}, array.shape),
        )
    return result


# ---- min -----------------------------------------------------------------------------------------

MIN = chapter.MIN
MIN_VALIDATE = chapter._check_elements
MIN_PREPARE_AXIS = reductions.axes_of
MIN_SHAPE = required(MIN.shape)
MIN_KERNEL = chapter._smallest


def min(x: Tensor, axis: Any = None, keepdim: Any = False, name: str | None = None) -> Tensor:
    """The smallest element over the axes in `axis`, or of all."""
    if type(x) is not Tensor:
        x = operands.as_tensor("min", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
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
            node.row, node.edges, node.kept = (MIN, (e0,), kept)
            node.forms, node.facts = ((form0,), {"axis": axis})
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify(
            "min",
            "ordinary",
            (x,),
            result,
            node,
            attributes={"axis": axis, "keepdim": keepdim},
            depends=dependence(MIN, {"x": a0, "axis": axis, "keepdim": keepdim}, array.shape),
        )
    return result


# ---- amax ----------------------------------------------------------------------------------------

AMAX = chapter.AMAX
AMAX_VALIDATE = chapter._check_elements
AMAX_PREPARE_AXIS = reductions.axes_of
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
    a0, form0 = (x.array, x.form or known_form(x))
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
            node.row, node.edges, node.kept = (AMAX, (e0,), kept)
            node.forms, node.facts = ((form0,), {"axis": axis})
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify(
            "amax",
            "ordinary",
            (x,),
            result,
            node,
            attributes={"axis": axis, "keepdim": keepdim},
            depends=dependence(AMAX, {"x": a0, "axis": axis, "keepdim": keepdim}, array.shape),
        )
    return result


# ---- amin ----------------------------------------------------------------------------------------

AMIN = chapter.AMIN
AMIN_VALIDATE = chapter._check_elements
AMIN_PREPARE_AXIS = reductions.axes_of
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
    a0, form0 = (x.array, x.form or known_form(x))
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
            node.row, node.edges, node.kept = (AMIN, (e0,), kept)
            node.forms, node.facts = ((form0,), {"axis": axis})
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify(
            "amin",
            "ordinary",
            (x,),
            result,
            node,
            attributes={"axis": axis, "keepdim": keepdim},
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
    a0, form0 = (x.array, x.form or known_form(x))
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
            attributes={"axis": axis, "keepdim": keepdim, "dtype": dtype},
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
    a0, form0 = (x.array, x.form or known_form(x))
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
            attributes={"axis": axis, "keepdim": keepdim, "dtype": dtype},
            depends=dependence(ARGMIN, {"x": a0, "axis": axis, "keepdim": keepdim, "dtype": dtype}, array.shape),
        )
    return result
