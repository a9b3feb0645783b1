"""The functions of the rows in `inplacelab/ops/products.py`.

Generated: `python -m inplacelab.ops.table.generate` writes this file. Do not edit it.
"""

from __future__ import annotations

from typing import Any

from inplacelab.autograd.history import accumulator, check_leaf, edge, rebase, refresh
from inplacelab.autograd.nodes import NOTHING, UNFINISHED, OpNode, new_node, next_serial
from inplacelab.autograd.saved import Saved, save
from inplacelab.modes import current as current_modes
from inplacelab.ops import products as chapter
from inplacelab.ops.arguments import attributes, keywords, operands
from inplacelab.ops.arguments.keywords import ABSENT
from inplacelab.ops.results import destinations
from inplacelab.ops.table.depends import dependence
from inplacelab.ops.table.row import required
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
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
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
            node.row, node.edges, node.kept = MATMUL, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "matmul", "ordinary", (x, y), result, node, depends=dependence(MATMUL, {"x": a0, "y": a1}, array.shape)
        )
    return result


# ---- addmm ---------------------------------------------------------------------------------------

ADDMM = chapter.ADDMM
ADDMM_VALIDATE = required(ADDMM.validate)
ADDMM_PREPARE_BETA = attributes.plain_number
ADDMM_PREPARE_ALPHA = attributes.plain_number
ADDMM_SHAPE = required(ADDMM.shape)
ADDMM_KERNEL = chapter._add_product


def addmm(input: Tensor, x: Tensor, y: Tensor, beta: Any = 1.0, alpha: Any = 1.0, name: str | None = None) -> Tensor:
    """`beta * input + alpha * x @ y`, for matrices."""
    if type(input) is not Tensor:
        input = operands.as_tensor("addmm", "input", 0, input)
    if type(x) is not Tensor:
        x = operands.as_tensor("addmm", "x", 1, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("addmm", "y", 2, y)
    a0, form0 = input.array, input.form or known_form(input)
    a1, form1 = x.array, x.form or known_form(x)
    a2, form2 = y.array, y.form or known_form(y)
    if form0.kind not in "f" or form1.dtype is not form0.dtype or form2.dtype is not form0.dtype:
        operands.check_dtype("addmm", "f", form0.dtype, form1.dtype, form2.dtype)
    ADDMM_VALIDATE(a0, a1, a2)
    storage = input.storage
    if x.storage.device is not storage.device:
        operands.refuse_devices("addmm", input, x)
    if y.storage.device is not storage.device:
        operands.refuse_devices("addmm", input, y)
    beta = ADDMM_PREPARE_BETA(a0, beta)
    alpha = ADDMM_PREPARE_ALPHA(a0, alpha)
    form = None
    array = storage.device.empty(
        ADDMM_SHAPE(form0.shape, form1.shape, form2.shape),
        form0.dtype
        if form0.dtype is form1.dtype is form2.dtype
        else operands.promoted("addmm", form0.dtype, form1.dtype, form2.dtype),
    )
    try:
        ADDMM_KERNEL(array, a0, a1, a2, beta, alpha, storage.device)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e0 = edge(input) if input.base is not None else None if input._stop else input.node or accumulator(input)
        e1 = edge(x) if x.base is not None else None if x._stop else x.node or accumulator(x)
        e2 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if e0 is not None or e1 is not None or e2 is not None:
            kept: tuple[Saved, ...] = ()
            if e2 is not None:
                kept += (save("x", a1, x.storage, e1),)
            if e1 is not None:
                kept += (save("y", a2, y.storage, e2),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = ADDMM, (e0, e1, e2), kept
            node.forms, node.facts = (form0, form1, form2), {"alpha": alpha, "beta": beta}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "addmm",
            "ordinary",
            (input, x, y),
            result,
            node,
            depends=dependence(ADDMM, {"input": a0, "x": a1, "y": a2, "beta": beta, "alpha": alpha}, array.shape),
        )
    return result


def addmm_(input: Tensor, x: Tensor, y: Tensor, beta: Any = 1.0, alpha: Any = 1.0, name: str | None = None) -> Tensor:
    """`beta * input + alpha * x @ y`, for matrices."""
    if type(input) is not Tensor:
        input = operands.as_tensor("addmm_", "input", 0, input)
    if type(x) is not Tensor:
        x = operands.as_tensor("addmm_", "x", 1, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("addmm_", "y", 2, y)
    a0, form0 = input.array, input.form or known_form(input)
    a1, form1 = x.array, x.form or known_form(x)
    a2, form2 = y.array, y.form or known_form(y)
    storage, base = input.storage, input.base
    if base is not None:
        refresh(input)
    if input.overlaps:
        operands.refuse_self_overlap("addmm_", input)
    storage1 = x.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("addmm_", input, x)
    storage2 = y.storage
    if storage2.device is not storage.device:
        operands.refuse_devices("addmm_", input, y)
    if form0.kind not in "f" or form1.dtype is not form0.dtype or form2.dtype is not form0.dtype:
        operands.check_dtype("addmm_", "f", form0.dtype, form1.dtype, form2.dtype)
    ADDMM_VALIDATE(a0, a1, a2)
    beta = ADDMM_PREPARE_BETA(a0, beta)
    alpha = ADDMM_PREPARE_ALPHA(a0, alpha)
    if (form1 is not form0 or form2 is not form0) and (
        form0.dtype
        if form0.dtype is form1.dtype is form2.dtype
        else operands.promoted("addmm_", form0.dtype, form1.dtype, form2.dtype)
    ) != form0.dtype:
        return destinations.reallocate(
            "addmm_",
            input,
            lambda: addmm(input=input, x=x, y=y, beta=beta, alpha=alpha),
            (x, y),
            lambda: dependence(ADDMM, {"input": a0, "x": a1, "y": a2, "beta": beta, "alpha": alpha}, ()),
        )
    shape = ADDMM_SHAPE(form0.shape, form1.shape, form2.shape)
    if shape != form0.shape:
        operands.refuse_growth("addmm_", input, shape)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(x) if x.base is not None else None if x._stop else x.node or accumulator(x)
        e2 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if not input._stop or (base is not None and (not base._stop)) or e1 is not None or (e2 is not None):
            version = storage.version
            if base is not None or input.node is None:
                check_leaf("addmm_", input)
            e0 = None if input._stop else input.node
            kept: tuple[Saved, ...] = ()
            if e2 is not None:
                kept += (
                    save("x", a1, storage1, e1)
                    if storage1 is not storage
                    else operands.save_operand("x", x, e1, input),
                )
            if e1 is not None:
                kept += (
                    save("y", a2, storage2, e2)
                    if storage2 is not storage
                    else operands.save_operand("y", y, e2, input),
                )
            node = new_node(OpNode)
            node.row, node.edges, node.kept = ADDMM, (e0, e1, e2), UNFINISHED
            node.forms, node.facts = (form0, form1, form2), {"alpha": alpha, "beta": beta}
            node.serial, node.hooks, node.retained = next_serial(), None, None
    try:
        if storage1 is storage:
            a1 = operands.copy_if_overlapping(input, x)
        if storage2 is storage:
            a2 = operands.copy_if_overlapping(input, y)
        if mode.keeper is not None:
            mode.keeper.before_write(input)
        if node is not None:
            if base is None:
                input.node = node
                input._stop = False
            else:
                rebase(input, node)
        storage.version += 1
        if mode.keeper is not None:
            mode.keeper.after_write(storage)
        try:
            ADDMM_KERNEL(a0, a0, a1, a2, beta, alpha, storage.device)
        except RuntimeWarning:
            pass
        storage.device.ledger.lent = 0
    except BaseException:
        storage.device.ledger.lent = 0
        raise
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "addmm_",
            "in-place",
            (input, x, y),
            input,
            node,
            depends=dependence(ADDMM, {"input": a0, "x": a1, "y": a2, "beta": beta, "alpha": alpha}, a0.shape),
        )
    return input


# ---- baddbmm -------------------------------------------------------------------------------------

BADDBMM = chapter.BADDBMM
BADDBMM_VALIDATE = required(BADDBMM.validate)
BADDBMM_PREPARE_BETA = attributes.plain_number
BADDBMM_PREPARE_ALPHA = attributes.plain_number
BADDBMM_SHAPE = required(BADDBMM.shape)
BADDBMM_KERNEL = chapter._add_product


def baddbmm(input: Tensor, x: Tensor, y: Tensor, beta: Any = 1.0, alpha: Any = 1.0, name: str | None = None) -> Tensor:
    """`beta * input + alpha * x @ y`, for stacks of matrices."""
    if type(input) is not Tensor:
        input = operands.as_tensor("baddbmm", "input", 0, input)
    if type(x) is not Tensor:
        x = operands.as_tensor("baddbmm", "x", 1, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("baddbmm", "y", 2, y)
    a0, form0 = input.array, input.form or known_form(input)
    a1, form1 = x.array, x.form or known_form(x)
    a2, form2 = y.array, y.form or known_form(y)
    if form0.kind not in "f" or form1.dtype is not form0.dtype or form2.dtype is not form0.dtype:
        operands.check_dtype("baddbmm", "f", form0.dtype, form1.dtype, form2.dtype)
    BADDBMM_VALIDATE(a0, a1, a2)
    storage = input.storage
    if x.storage.device is not storage.device:
        operands.refuse_devices("baddbmm", input, x)
    if y.storage.device is not storage.device:
        operands.refuse_devices("baddbmm", input, y)
    beta = BADDBMM_PREPARE_BETA(a0, beta)
    alpha = BADDBMM_PREPARE_ALPHA(a0, alpha)
    form = None
    array = storage.device.empty(
        BADDBMM_SHAPE(form0.shape, form1.shape, form2.shape),
        form0.dtype
        if form0.dtype is form1.dtype is form2.dtype
        else operands.promoted("baddbmm", form0.dtype, form1.dtype, form2.dtype),
    )
    try:
        BADDBMM_KERNEL(array, a0, a1, a2, beta, alpha, storage.device)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e0 = edge(input) if input.base is not None else None if input._stop else input.node or accumulator(input)
        e1 = edge(x) if x.base is not None else None if x._stop else x.node or accumulator(x)
        e2 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if e0 is not None or e1 is not None or e2 is not None:
            kept: tuple[Saved, ...] = ()
            if e2 is not None:
                kept += (save("x", a1, x.storage, e1),)
            if e1 is not None:
                kept += (save("y", a2, y.storage, e2),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = BADDBMM, (e0, e1, e2), kept
            node.forms, node.facts = (form0, form1, form2), {"alpha": alpha, "beta": beta}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "baddbmm",
            "ordinary",
            (input, x, y),
            result,
            node,
            depends=dependence(BADDBMM, {"input": a0, "x": a1, "y": a2, "beta": beta, "alpha": alpha}, array.shape),
        )
    return result


def baddbmm_(input: Tensor, x: Tensor, y: Tensor, beta: Any = 1.0, alpha: Any = 1.0, name: str | None = None) -> Tensor:
    """`beta * input + alpha * x @ y`, for stacks of matrices."""
    if type(input) is not Tensor:
        input = operands.as_tensor("baddbmm_", "input", 0, input)
    if type(x) is not Tensor:
        x = operands.as_tensor("baddbmm_", "x", 1, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("baddbmm_", "y", 2, y)
    a0, form0 = input.array, input.form or known_form(input)
    a1, form1 = x.array, x.form or known_form(x)
    a2, form2 = y.array, y.form or known_form(y)
    storage, base = input.storage, input.base
    if base is not None:
        refresh(input)
    if input.overlaps:
        operands.refuse_self_overlap("baddbmm_", input)
    storage1 = x.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("baddbmm_", input, x)
    storage2 = y.storage
    if storage2.device is not storage.device:
        operands.refuse_devices("baddbmm_", input, y)
    if form0.kind not in "f" or form1.dtype is not form0.dtype or form2.dtype is not form0.dtype:
        operands.check_dtype("baddbmm_", "f", form0.dtype, form1.dtype, form2.dtype)
    BADDBMM_VALIDATE(a0, a1, a2)
    beta = BADDBMM_PREPARE_BETA(a0, beta)
    alpha = BADDBMM_PREPARE_ALPHA(a0, alpha)
    if (form1 is not form0 or form2 is not form0) and (
        form0.dtype
        if form0.dtype is form1.dtype is form2.dtype
        else operands.promoted("baddbmm_", form0.dtype, form1.dtype, form2.dtype)
    ) != form0.dtype:
        return destinations.reallocate(
            "baddbmm_",
            input,
            lambda: baddbmm(input=input, x=x, y=y, beta=beta, alpha=alpha),
            (x, y),
            lambda: dependence(BADDBMM, {"input": a0, "x": a1, "y": a2, "beta": beta, "alpha": alpha}, ()),
        )
    shape = BADDBMM_SHAPE(form0.shape, form1.shape, form2.shape)
    if shape != form0.shape:
        operands.refuse_growth("baddbmm_", input, shape)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(x) if x.base is not None else None if x._stop else x.node or accumulator(x)
        e2 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if not input._stop or (base is not None and (not base._stop)) or e1 is not None or (e2 is not None):
            version = storage.version
            if base is not None or input.node is None:
                check_leaf("baddbmm_", input)
            e0 = None if input._stop else input.node
            kept: tuple[Saved, ...] = ()
            if e2 is not None:
                kept += (
                    save("x", a1, storage1, e1)
                    if storage1 is not storage
                    else operands.save_operand("x", x, e1, input),
                )
            if e1 is not None:
                kept += (
                    save("y", a2, storage2, e2)
                    if storage2 is not storage
                    else operands.save_operand("y", y, e2, input),
                )
            node = new_node(OpNode)
            node.row, node.edges, node.kept = BADDBMM, (e0, e1, e2), UNFINISHED
            node.forms, node.facts = (form0, form1, form2), {"alpha": alpha, "beta": beta}
            node.serial, node.hooks, node.retained = next_serial(), None, None
    try:
        if storage1 is storage:
            a1 = operands.copy_if_overlapping(input, x)
        if storage2 is storage:
            a2 = operands.copy_if_overlapping(input, y)
        if mode.keeper is not None:
            mode.keeper.before_write(input)
        if node is not None:
            if base is None:
                input.node = node
                input._stop = False
            else:
                rebase(input, node)
        storage.version += 1
        if mode.keeper is not None:
            mode.keeper.after_write(storage)
        try:
            BADDBMM_KERNEL(a0, a0, a1, a2, beta, alpha, storage.device)
        except RuntimeWarning:
            pass
        storage.device.ledger.lent = 0
    except BaseException:
        storage.device.ledger.lent = 0
        raise
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "baddbmm_",
            "in-place",
            (input, x, y),
            input,
            node,
            depends=dependence(BADDBMM, {"input": a0, "x": a1, "y": a2, "beta": beta, "alpha": alpha}, a0.shape),
        )
    return input


# ---- bmm -----------------------------------------------------------------------------------------

BMM = chapter.BMM
BMM_VALIDATE = chapter._check_bmm
BMM_SHAPE = required(BMM.shape)
BMM_KERNEL = chapter._bmm


def bmm(
    x: Tensor = ABSENT,
    y: Tensor = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
    mat2: Any = ABSENT,
) -> Tensor:
    """The products of two stacks of matrices, pair by pair."""
    if input is not _ or mat2 is not _:
        keywords.check_named("bmm", 3, _)
        x = keywords.either("bmm", "x", x, "input", input)
        y = keywords.either("bmm", "y", y, "mat2", mat2)
    if out is not None:
        return destinations.into("bmm", out, (x, y), lambda: bmm(x=x, y=y, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("bmm", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("bmm", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form0.kind not in "f" or form1.dtype is not form0.dtype:
        operands.check_dtype("bmm", "f", form0.dtype, form1.dtype)
    BMM_VALIDATE(a0, a1)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("bmm", x, y)
    form = None
    array = storage.device.empty(
        BMM_SHAPE(form0.shape, form1.shape),
        form0.dtype if form0.dtype is form1.dtype else operands.promoted("bmm", form0.dtype, form1.dtype),
    )
    try:
        BMM_KERNEL(array, a0, a1)
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
            node.row, node.edges, node.kept = BMM, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("bmm", "ordinary", (x, y), result, node, depends=dependence(BMM, {"x": a0, "y": a1}, array.shape))
    return result


# ---- mv ------------------------------------------------------------------------------------------

MV = chapter.MV
MV_VALIDATE = chapter._check_mv
MV_SHAPE = required(MV.shape)
MV_KERNEL = chapter._mv


def mv(x: Tensor, vec: Tensor, name: str | None = None) -> Tensor:
    """The product of a matrix and a vector."""
    if type(x) is not Tensor:
        x = operands.as_tensor("mv", "x", 0, x)
    if type(vec) is not Tensor:
        vec = operands.as_tensor("mv", "vec", 1, vec)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = vec.array, vec.form or known_form(vec)
    if form0.kind not in "f" or form1.dtype is not form0.dtype:
        operands.check_dtype("mv", "f", form0.dtype, form1.dtype)
    MV_VALIDATE(a0, a1)
    storage = x.storage
    if vec.storage.device is not storage.device:
        operands.refuse_devices("mv", x, vec)
    form = None
    array = storage.device.empty(
        MV_SHAPE(form0.shape),
        form0.dtype if form0.dtype is form1.dtype else operands.promoted("mv", form0.dtype, form1.dtype),
    )
    try:
        MV_KERNEL(array, a0, a1)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e0 = edge(x) if x.base is not None else None if x._stop else x.node or accumulator(x)
        e1 = edge(vec) if vec.base is not None else None if vec._stop else vec.node or accumulator(vec)
        if e0 is not None or e1 is not None:
            kept: tuple[Saved, ...] = ()
            if e1 is not None:
                kept += (save("x", a0, x.storage, e0),)
            if e0 is not None:
                kept += (save("vec", a1, vec.storage, e1),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = MV, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("mv", "ordinary", (x, vec), result, node, depends=dependence(MV, {"x": a0, "vec": a1}, array.shape))
    return result


# ---- dot -----------------------------------------------------------------------------------------

DOT = chapter.DOT
DOT_VALIDATE = chapter._check_dot
DOT_SHAPE = required(DOT.shape)
DOT_KERNEL = chapter._dot


def dot(
    x: Tensor = ABSENT,
    y: Tensor = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
    tensor: Any = ABSENT,
) -> Tensor:
    """The sum of the products of two vectors, or of rows of two matrices; nothing is conjugated."""
    if input is not _ or tensor is not _:
        keywords.check_named("dot", 3, _)
        x = keywords.either("dot", "x", x, "input", input)
        y = keywords.either("dot", "y", y, "tensor", tensor)
    if out is not None:
        return destinations.into("dot", out, (x, y), lambda: dot(x=x, y=y, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("dot", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("dot", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form0.kind not in "fiuc" or form1.dtype is not form0.dtype:
        operands.check_dtype("dot", "fiuc", form0.dtype, form1.dtype)
    DOT_VALIDATE(a0, a1)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("dot", x, y)
    form = None
    array = storage.device.empty(
        DOT_SHAPE(form0.shape),
        form0.dtype if form0.dtype is form1.dtype else operands.promoted("dot", form0.dtype, form1.dtype),
    )
    try:
        DOT_KERNEL(array, a0, a1)
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
            node.row, node.edges, node.kept = DOT, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("dot", "ordinary", (x, y), result, node, depends=dependence(DOT, {"x": a0, "y": a1}, array.shape))
    return result


# ---- outer ---------------------------------------------------------------------------------------

OUTER = chapter.OUTER
OUTER_SHAPE = required(OUTER.shape)
OUTER_KERNEL = chapter._outer


def outer(
    x: Tensor = ABSENT,
    y: Tensor = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
    vec2: Any = ABSENT,
) -> Tensor:
    """The outer product: each element of `x` times each element of `y`, both taken as vectors."""
    if input is not _ or vec2 is not _:
        keywords.check_named("outer", 3, _)
        x = keywords.either("outer", "x", x, "input", input)
        y = keywords.either("outer", "y", y, "vec2", vec2)
    if out is not None:
        return destinations.into("outer", out, (x, y), lambda: outer(x=x, y=y, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("outer", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("outer", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("outer", x, y)
    form = None
    array = storage.device.empty(
        OUTER_SHAPE(form0.shape, form1.shape),
        form0.dtype if form0.dtype is form1.dtype else operands.promoted("outer", form0.dtype, form1.dtype),
    )
    try:
        OUTER_KERNEL(array, a0, a1, storage.device)
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
            node.row, node.edges, node.kept = OUTER, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "outer", "ordinary", (x, y), result, node, depends=dependence(OUTER, {"x": a0, "y": a1}, array.shape)
        )
    return result
