"""The functions of the rows in `inplacelab/ops/rearranging.py`.

Generated: `python -m inplacelab.ops.table.generate` writes this file. Do not edit it.
"""

from __future__ import annotations

from typing import Any

from inplacelab.autograd.history import accumulator, edge
from inplacelab.autograd.nodes import OpNode, new_node, next_serial
from inplacelab.autograd.saved import Saved
from inplacelab.modes import current as current_modes
from inplacelab.ops import rearranging as chapter
from inplacelab.ops.arguments import keywords, operands
from inplacelab.ops.arguments.keywords import ABSENT
from inplacelab.ops.table.depends import dependence
from inplacelab.ops.table.row import required
from inplacelab.tensor import Tensor, fresh, known_form

# ---- flip ----------------------------------------------------------------------------------------

FLIP = chapter.FLIP
FLIP_PREPARE_AXIS = chapter._axes
FLIP_KERNEL = chapter._flip


def flip(x: Tensor, axis: Any, name: str | None = None) -> Tensor:
    """The elements in reverse order along the axes."""
    if type(x) is not Tensor:
        x = operands.as_tensor("flip", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage = x.storage
    axis = FLIP_PREPARE_AXIS(a0, axis)
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        FLIP_KERNEL(array, a0, axis)
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
            node.row, node.edges, node.kept = FLIP, (e0,), kept
            node.forms, node.facts = (form0,), {"axis": axis}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "flip", "ordinary", (x,), result, node, depends=dependence(FLIP, {"x": a0, "axis": axis}, array.shape)
        )
    return result


# ---- roll ----------------------------------------------------------------------------------------

ROLL = chapter.ROLL
ROLL_VALIDATE = chapter._as_many
ROLL_PREPARE_SHIFTS = chapter._shifts
ROLL_PREPARE_AXIS = chapter._rolled_axes
ROLL_KERNEL = chapter._roll


def roll(
    x: Tensor = ABSENT,
    shifts: Any = ABSENT,
    axis: Any = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    input: Any = ABSENT,
    dims: Any = ABSENT,
) -> Tensor:
    """The elements, shifted along the axes; those that leave at the end come in at the front."""
    if input is not _ or dims is not _:
        keywords.check_named("roll", 4, _)
        x = keywords.either("roll", "x", x, "input", input)
        axis = keywords.either("roll", "axis", axis, "dims", dims)
    if shifts is ABSENT:
        keywords.missing("roll", "shifts")
    if axis is _:
        axis = None
    if type(x) is not Tensor:
        x = operands.as_tensor("roll", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    ROLL_VALIDATE(shifts, axis)
    storage = x.storage
    shifts = ROLL_PREPARE_SHIFTS(a0, shifts)
    axis = ROLL_PREPARE_AXIS(a0, axis)
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        ROLL_KERNEL(array, a0, shifts, axis, storage.device)
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
            node.row, node.edges, node.kept = ROLL, (e0,), kept
            node.forms, node.facts = (form0,), {"axis": axis, "shifts": shifts}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "roll",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(ROLL, {"x": a0, "shifts": shifts, "axis": axis}, array.shape),
        )
    return result


# ---- tile ----------------------------------------------------------------------------------------

TILE = chapter.TILE
TILE_PREPARE_REPEAT_TIMES = chapter._times
TILE_SHAPE = chapter._tiled
TILE_KERNEL = chapter._tile


def tile(
    x: Tensor = ABSENT,
    repeat_times: Any = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    input: Any = ABSENT,
    dims: Any = ABSENT,
) -> Tensor:
    """The tensor, repeated along its axes."""
    if input is not _ or dims is not _:
        keywords.check_named("tile", 3, _)
        x = keywords.either("tile", "x", x, "input", input)
        repeat_times = keywords.either("tile", "repeat_times", repeat_times, "dims", dims)
    if repeat_times is ABSENT:
        keywords.missing("tile", "repeat_times")
    if type(x) is not Tensor:
        x = operands.as_tensor("tile", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage = x.storage
    repeat_times = TILE_PREPARE_REPEAT_TIMES(a0, repeat_times)
    form = None
    array = storage.device.empty(TILE_SHAPE(form0.shape, repeat_times), form0.dtype)
    try:
        TILE_KERNEL(array, a0, repeat_times)
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
            node.row, node.edges, node.kept = TILE, (e0,), kept
            node.forms, node.facts = (form0,), {"repeat_times": repeat_times}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "tile",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(TILE, {"x": a0, "repeat_times": repeat_times}, array.shape),
        )
    return result


# ---- _framed -------------------------------------------------------------------------------------

_FRAMED = chapter._FRAMED
_FRAMED_SHAPE = required(_FRAMED.shape)
_FRAMED_KERNEL = chapter._frame


def _framed(x: Tensor, pairs: Any, value: Any, name: str | None = None) -> Tensor:
    """The tensor, with `value` around it."""
    if type(x) is not Tensor:
        x = operands.as_tensor("pad", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage = x.storage
    form = None
    array = storage.device.empty(_FRAMED_SHAPE(form0.shape, pairs), form0.dtype)
    try:
        _FRAMED_KERNEL(array, a0, pairs, value)
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
            node.row, node.edges, node.kept = _FRAMED, (e0,), kept
            node.forms, node.facts = (form0,), {"pairs": pairs}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "pad",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(_FRAMED, {"x": a0, "pairs": pairs, "value": value}, array.shape),
        )
    return result
