"""The functions of the rows in `inplacelab/ops/contractions.py`.

Generated: `python -m inplacelab.ops.table.generate` writes this file. Do not edit it.
"""

from __future__ import annotations

from inplacelab.autograd.history import accumulator, edge
from inplacelab.autograd.nodes import NOTHING, OpNode, new_node, next_serial
from inplacelab.autograd.saved import Saved, save
from inplacelab.modes import current as current_modes
from inplacelab.ops import contractions as chapter
from inplacelab.ops.arguments import operands
from inplacelab.ops.table.depends import dependence
from inplacelab.tensor import Tensor, fresh, known_form

# ---- matmul --------------------------------------------------------------------------------------

MATMUL = chapter.MATMUL
MATMUL_SHAPE = chapter._product_shape
MATMUL_KERNEL = chapter._matmul


def matmul(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """The product of two matrices, or of two stacks of matrices."""
    if type(x) is not Tensor:
        x = operands.as_tensor("matmul", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("matmul", "y", 1, y)
    a0, form0 = (x.array, x.form or known_form(x))
    a1, form1 = (y.array, y.form or known_form(y))
    if form0.kind not in "fiuc" or form1.dtype is not form0.dtype:
        operands.check_dtype("matmul", "fiuc", form0.dtype, form1.dtype)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("matmul", x, y)
    form = None
    array = storage.device.empty(
        MATMUL_SHAPE(form0.shape, form1.shape),
        form0.dtype if form0.dtype is form1.dtype else operands.promoted("matmul", form0.dtype, form1.dtype),
    )
    try:
        MATMUL_KERNEL(array, a0, a1)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e0 = edge(x) if x.base is not None else None if x._stop else x.node or accumulator(x)
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if e0 is not None or e1 is not None:
            kept: tuple[Saved, ...] = ()
            if e1 is not None:
                kept += (save("x", a0, x.storage, e0),)
            if e0 is not None:
                kept += (save("y", a1, y.storage, e1),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (MATMUL, (e0, e1), kept)
            node.forms, node.facts = ((form0, form1), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify(
            "matmul", "ordinary", (x, y), result, node, depends=dependence(MATMUL, {"x": a0, "y": a1}, array.shape)
        )
    return result
