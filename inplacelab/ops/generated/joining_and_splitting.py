"""The functions of the rows in `inplacelab/ops/joining_and_splitting.py`.

Generated: `python -m inplacelab.ops.table.generate` writes this file. Do not edit it.
"""

from __future__ import annotations

from typing import Any

from inplacelab.autograd.history import accumulator, edge
from inplacelab.autograd.nodes import OpNode, new_node, next_serial
from inplacelab.autograd.saved import Saved
from inplacelab.modes import current as current_modes
from inplacelab.ops import joining_and_splitting as chapter
from inplacelab.ops.arguments import operands
from inplacelab.ops.table.depends import dependence
from inplacelab.ops.table.row import required
from inplacelab.tensor import Tensor, fresh, known_form

# ---- _part ---------------------------------------------------------------------------------------

_PART = chapter._PART
_PART_SHAPE = required(_PART.shape)
_PART_KERNEL = chapter._part


def _part(x: Tensor, axis: Any, start: Any, stop: Any, name: str | None = None) -> Tensor:
    """A copy of the places from `start` to `stop` of one axis."""
    if type(x) is not Tensor:
        x = operands.as_tensor("split", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage = x.storage
    form = None
    array = storage.device.empty(_PART_SHAPE(form0.shape, axis, start, stop), form0.dtype)
    try:
        _PART_KERNEL(array, a0, axis, start, stop)
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
            node.row, node.edges, node.kept = _PART, (e0,), kept
            node.forms, node.facts = (form0,), {"axis": axis, "start": start, "stop": stop}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "split",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(_PART, {"x": a0, "axis": axis, "start": start, "stop": stop}, array.shape),
        )
    return result


# ---- _place --------------------------------------------------------------------------------------

_PLACE = chapter._PLACE
_PLACE_SHAPE = required(_PLACE.shape)
_PLACE_KERNEL = chapter._place


def _place(x: Tensor, axis: Any, place: Any, name: str | None = None) -> Tensor:
    """A copy of one place of one axis."""
    if type(x) is not Tensor:
        x = operands.as_tensor("unstack", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage = x.storage
    form = None
    array = storage.device.empty(_PLACE_SHAPE(form0.shape, axis, place), form0.dtype)
    try:
        _PLACE_KERNEL(array, a0, axis, place)
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
            node.row, node.edges, node.kept = _PLACE, (e0,), kept
            node.forms, node.facts = (form0,), {"axis": axis, "place": place}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "unstack",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(_PLACE, {"x": a0, "axis": axis, "place": place}, array.shape),
        )
    return result
