"""The functions of the rows in `inplacelab/ops/reallocations.py`.

Generated: `python -m inplacelab.ops.table.generate` writes this file. Do not edit it.
"""

from __future__ import annotations

from typing import Any

from inplacelab.autograd.history import accumulator, edge
from inplacelab.autograd.nodes import NOTHING, OpNode, new_node, next_serial
from inplacelab.autograd.saved import Saved
from inplacelab.modes import current as current_modes
from inplacelab.ops import reallocations as chapter
from inplacelab.ops.arguments import operands
from inplacelab.ops.table.depends import dependence
from inplacelab.ops.table.row import required
from inplacelab.tensor import Tensor, fresh, known_form

# ---- _lengthened ---------------------------------------------------------------------------------

_LENGTHENED = chapter._LENGTHENED
_LENGTHENED_SHAPE = required(_LENGTHENED.shape)
_LENGTHENED_KERNEL = chapter._lengthen


def _lengthened(x: Tensor, shape: Any, name: str | None = None) -> Tensor:
    """The elements, and zeros after them."""
    if type(x) is not Tensor:
        x = operands.as_tensor("resize_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage = x.storage
    form = None
    array = storage.device.empty(_LENGTHENED_SHAPE(shape), form0.dtype)
    try:
        _LENGTHENED_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = _LENGTHENED, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "resize_",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(_LENGTHENED, {"x": a0, "shape": shape}, array.shape),
        )
    return result
