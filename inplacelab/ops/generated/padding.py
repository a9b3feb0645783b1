"""The functions of the rows in `inplacelab/ops/padding.py`.

Generated: `python -m inplacelab.ops.table.generate` writes this file. Do not edit it.
"""

from __future__ import annotations

from typing import Any

from inplacelab.autograd.history import accumulator, edge
from inplacelab.autograd.nodes import OpNode, new_node, next_serial
from inplacelab.autograd.saved import Saved
from inplacelab.modes import current as current_modes
from inplacelab.ops import padding as chapter
from inplacelab.ops.arguments import operands
from inplacelab.ops.table.depends import dependence
from inplacelab.ops.table.row import required
from inplacelab.tensor import Tensor, fresh, known_form

# ---- _framed -------------------------------------------------------------------------------------

_FRAMED = chapter._FRAMED
_FRAMED_SHAPE = required(_FRAMED.shape)
_FRAMED_KERNEL = chapter._frame


def _framed(x: Tensor, pairs: Any, value: Any, name: str | None = None) -> Tensor:
    """The tensor, with `value` around it."""
    if type(x) is not Tensor:
        x = operands.as_tensor("pad", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
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
            node.row, node.edges, node.kept = (_FRAMED, (e0,), kept)
            node.forms, node.facts = ((form0,), {"pairs": pairs})
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify(
            "pad",
            "ordinary",
            (x,),
            result,
            node,
            attributes={"pairs": pairs, "value": value},
            depends=dependence(_FRAMED, {"x": a0, "pairs": pairs, "value": value}, array.shape),
        )
    return result
