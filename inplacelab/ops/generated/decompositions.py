"""The functions of the rows in `inplacelab/ops/decompositions.py`.

Generated: `python -m inplacelab.ops.table.generate` writes this file. Do not edit it.
"""

from __future__ import annotations

from typing import Any

from inplacelab import dtypes
from inplacelab.autograd.history import accumulator, check_leaf, edge, rebase, refresh
from inplacelab.autograd.nodes import NOTHING, UNFINISHED, OpNode, new_node, next_serial
from inplacelab.autograd.saved import OUTPUT, Saved, save, save_copy
from inplacelab.modes import current as current_modes
from inplacelab.ops import decompositions as chapter
from inplacelab.ops import reductions
from inplacelab.ops.arguments import keywords, operands
from inplacelab.ops.arguments.keywords import ABSENT
from inplacelab.ops.results import destinations
from inplacelab.ops.table.depends import dependence, slots_touched
from inplacelab.ops.table.row import required
from inplacelab.tensor import Tensor, fresh, known_form

# ---- inverse -------------------------------------------------------------------------------------

INVERSE = chapter.INVERSE
INVERSE_VALIDATE = required(INVERSE.validate)
INVERSE_KERNEL = required(INVERSE.kernel)


def inverse(x: Tensor, name: str | None = None) -> Tensor:
    """The inverse of a matrix."""
    if type(x) is not Tensor:
        x = operands.as_tensor("inverse", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "f":
        operands.check_dtype("inverse", "f", form0.dtype)
    INVERSE_VALIDATE(a0)
    storage = x.storage
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        INVERSE_KERNEL(array, a0, storage.device)
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
            node.row, node.edges, node.kept = INVERSE, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify("inverse", "ordinary", (x,), result, node, depends=dependence(INVERSE, {"x": a0}, array.shape))
    return result


# ---- _det ----------------------------------------------------------------------------------------

_DET = chapter._DET
_DET_VALIDATE = required(_DET.validate)
_DET_SHAPE = required(_DET.shape)
_DET_KERNEL = required(_DET.kernel)


def _det(x: Tensor, name: str | None = None) -> Tensor:
    """The determinant of a matrix."""
    if type(x) is not Tensor:
        x = operands.as_tensor("det", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "f":
        operands.check_dtype("det", "f", form0.dtype)
    _DET_VALIDATE(a0)
    storage = x.storage
    form = None
    array = storage.device.empty(_DET_SHAPE(form0.shape), form0.dtype)
    try:
        _DET_KERNEL(array, a0, storage.device)
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
            node.row, node.edges, node.kept = _DET, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify("det", "ordinary", (x,), result, node, depends=dependence(_DET, {"x": a0}, array.shape))
    return result


# ---- _logabsdet ----------------------------------------------------------------------------------

_LOGABSDET = chapter._LOGABSDET
_LOGABSDET_VALIDATE = required(_LOGABSDET.validate)
_LOGABSDET_SHAPE = required(_LOGABSDET.shape)
_LOGABSDET_KERNEL = required(_LOGABSDET.kernel)


def _logabsdet(x: Tensor, name: str | None = None) -> Tensor:
    """The logarithm of the magnitude of the determinant."""
    if type(x) is not Tensor:
        x = operands.as_tensor("slogdet", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "f":
        operands.check_dtype("slogdet", "f", form0.dtype)
    _LOGABSDET_VALIDATE(a0)
    storage = x.storage
    form = None
    array = storage.device.empty(_LOGABSDET_SHAPE(form0.shape), form0.dtype)
    try:
        _LOGABSDET_KERNEL(array, a0, storage.device)
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
            node.row, node.edges, node.kept = _LOGABSDET, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("slogdet", "ordinary", (x,), result, node, depends=dependence(_LOGABSDET, {"x": a0}, array.shape))
    return result


# ---- _solve --------------------------------------------------------------------------------------

_SOLVE = chapter._SOLVE
_SOLVE_VALIDATE = chapter._check_solve
_SOLVE_SHAPE = required(_SOLVE.shape)
_SOLVE_KERNEL = chapter._solve


def _solve(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """The solution of `x @ out = y`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("solve", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("solve", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form0.kind not in "f" or form1.dtype is not form0.dtype:
        operands.check_dtype("solve", "f", form0.dtype, form1.dtype)
    _SOLVE_VALIDATE(a0, a1)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("solve", x, y)
    form = None
    array = storage.device.empty(
        _SOLVE_SHAPE(form0.shape, form1.shape),
        form0.dtype if form0.dtype is form1.dtype else operands.promoted("_solve", form0.dtype, form1.dtype),
    )
    try:
        _SOLVE_KERNEL(array, a0, a1, storage.device)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e0 = edge(x) if x.base is not None else None if x._stop else x.node or accumulator(x)
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if e0 is not None or e1 is not None:
            kept: tuple[Saved, ...] = (save("x", a0, x.storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = _SOLVE, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify(
            "solve", "ordinary", (x, y), result, node, depends=dependence(_SOLVE, {"x": a0, "y": a1}, array.shape)
        )
    return result


# ---- _cholesky -----------------------------------------------------------------------------------

_CHOLESKY = chapter._CHOLESKY
_CHOLESKY_VALIDATE = required(_CHOLESKY.validate)
_CHOLESKY_KERNEL = required(_CHOLESKY.kernel)


def _cholesky(x: Tensor, name: str | None = None) -> Tensor:
    """The lower triangular factor L of a positive definite matrix: `L @ Lᵀ`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("cholesky", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "f":
        operands.check_dtype("cholesky", "f", form0.dtype)
    _CHOLESKY_VALIDATE(a0)
    storage = x.storage
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        _CHOLESKY_KERNEL(array, a0, storage.device)
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
            node.row, node.edges, node.kept = _CHOLESKY, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify("cholesky", "ordinary", (x,), result, node, depends=dependence(_CHOLESKY, {"x": a0}, array.shape))
    return result


# ---- _eigvalsh -----------------------------------------------------------------------------------

_EIGVALSH = chapter._EIGVALSH
_EIGVALSH_VALIDATE = required(_EIGVALSH.validate)
_EIGVALSH_SHAPE = required(_EIGVALSH.shape)
_EIGVALSH_KERNEL = required(_EIGVALSH.kernel)


def _eigvalsh(x: Tensor, name: str | None = None) -> Tensor:
    """The eigenvalues of a symmetric matrix, in ascending order."""
    if type(x) is not Tensor:
        x = operands.as_tensor("eigvalsh", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "f":
        operands.check_dtype("eigvalsh", "f", form0.dtype)
    _EIGVALSH_VALIDATE(a0)
    storage = x.storage
    form = None
    array = storage.device.empty(_EIGVALSH_SHAPE(form0.shape), form0.dtype)
    try:
        _EIGVALSH_KERNEL(array, a0, storage.device)
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
            node.row, node.edges, node.kept = _EIGVALSH, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("eigvalsh", "ordinary", (x,), result, node, depends=dependence(_EIGVALSH, {"x": a0}, array.shape))
    return result


# ---- _eigenvectors -------------------------------------------------------------------------------

_EIGENVECTORS = chapter._EIGENVECTORS
_EIGENVECTORS_VALIDATE = required(_EIGENVECTORS.validate)
_EIGENVECTORS_KERNEL = required(_EIGENVECTORS.kernel)


def _eigenvectors(x: Tensor, name: str | None = None) -> Tensor:
    """The eigenvectors of a symmetric matrix, as columns."""
    if type(x) is not Tensor:
        x = operands.as_tensor("eigh", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "f":
        operands.check_dtype("eigh", "f", form0.dtype)
    _EIGENVECTORS_VALIDATE(a0)
    storage = x.storage
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        _EIGENVECTORS_KERNEL(array, a0, storage.device)
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
            node.row, node.edges, node.kept = _EIGENVECTORS, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify("eigh", "ordinary", (x,), result, node, depends=dependence(_EIGENVECTORS, {"x": a0}, array.shape))
    return result


# ---- _q ------------------------------------------------------------------------------------------

_Q = chapter._Q
_Q_VALIDATE = required(_Q.validate)
_Q_SHAPE = required(_Q.shape)
_Q_KERNEL = required(_Q.kernel)


def _q(x: Tensor, name: str | None = None) -> Tensor:
    """The orthogonal factor Q of `x = Q @ R`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("qr", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "f":
        operands.check_dtype("qr", "f", form0.dtype)
    _Q_VALIDATE(a0)
    storage = x.storage
    form = None
    array = storage.device.empty(_Q_SHAPE(form0.shape), form0.dtype)
    try:
        _Q_KERNEL(array, a0, storage.device)
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
            node.row, node.edges, node.kept = _Q, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify("qr", "ordinary", (x,), result, node, depends=dependence(_Q, {"x": a0}, array.shape))
    return result


# ---- _r ------------------------------------------------------------------------------------------

_R = chapter._R
_R_VALIDATE = required(_R.validate)
_R_SHAPE = required(_R.shape)
_R_KERNEL = required(_R.kernel)


def _r(x: Tensor, name: str | None = None) -> Tensor:
    """The upper triangular factor R of `x = Q @ R`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("qr", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "f":
        operands.check_dtype("qr", "f", form0.dtype)
    _R_VALIDATE(a0)
    storage = x.storage
    form = None
    array = storage.device.empty(_R_SHAPE(form0.shape), form0.dtype)
    try:
        _R_KERNEL(array, a0, storage.device)
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
            node.row, node.edges, node.kept = _R, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify("qr", "ordinary", (x,), result, node, depends=dependence(_R, {"x": a0}, array.shape))
    return result


# ---- _svdvals ------------------------------------------------------------------------------------

_SVDVALS = chapter._SVDVALS
_SVDVALS_VALIDATE = required(_SVDVALS.validate)
_SVDVALS_SHAPE = required(_SVDVALS.shape)
_SVDVALS_KERNEL = required(_SVDVALS.kernel)


def _svdvals(x: Tensor, name: str | None = None) -> Tensor:
    """The singular values, in descending order."""
    if type(x) is not Tensor:
        x = operands.as_tensor("svd", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "f":
        operands.check_dtype("svd", "f", form0.dtype)
    _SVDVALS_VALIDATE(a0)
    storage = x.storage
    form = None
    array = storage.device.empty(_SVDVALS_SHAPE(form0.shape), form0.dtype)
    try:
        _SVDVALS_KERNEL(array, a0, storage.device)
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
            node.row, node.edges, node.kept = _SVDVALS, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("svd", "ordinary", (x,), result, node, depends=dependence(_SVDVALS, {"x": a0}, array.shape))
    return result


# ---- _left ---------------------------------------------------------------------------------------

_LEFT = chapter._LEFT
_LEFT_VALIDATE = required(_LEFT.validate)
_LEFT_SHAPE = required(_LEFT.shape)
_LEFT_KERNEL = required(_LEFT.kernel)


def _left(x: Tensor, name: str | None = None) -> Tensor:
    """The left singular vectors, as columns."""
    if type(x) is not Tensor:
        x = operands.as_tensor("svd", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "f":
        operands.check_dtype("svd", "f", form0.dtype)
    _LEFT_VALIDATE(a0)
    storage = x.storage
    form = None
    array = storage.device.empty(_LEFT_SHAPE(form0.shape), form0.dtype)
    try:
        _LEFT_KERNEL(array, a0, storage.device)
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
            node.row, node.edges, node.kept = _LEFT, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("svd", "ordinary", (x,), result, node, depends=dependence(_LEFT, {"x": a0}, array.shape))
    return result


# ---- _right --------------------------------------------------------------------------------------

_RIGHT = chapter._RIGHT
_RIGHT_VALIDATE = required(_RIGHT.validate)
_RIGHT_SHAPE = required(_RIGHT.shape)
_RIGHT_KERNEL = required(_RIGHT.kernel)


def _right(x: Tensor, name: str | None = None) -> Tensor:
    """The right singular vectors, as rows."""
    if type(x) is not Tensor:
        x = operands.as_tensor("svd", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "f":
        operands.check_dtype("svd", "f", form0.dtype)
    _RIGHT_VALIDATE(a0)
    storage = x.storage
    form = None
    array = storage.device.empty(_RIGHT_SHAPE(form0.shape), form0.dtype)
    try:
        _RIGHT_KERNEL(array, a0, storage.device)
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
            node.row, node.edges, node.kept = _RIGHT, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("svd", "ordinary", (x,), result, node, depends=dependence(_RIGHT, {"x": a0}, array.shape))
    return result


# ---- norm ----------------------------------------------------------------------------------------

NORM = chapter.NORM
NORM_VALIDATE = chapter._check_axes
NORM_PREPARE_P = chapter._power
NORM_PREPARE_AXIS = reductions.axes_of
NORM_SHAPE = required(NORM.shape)
NORM_DTYPE = dtypes.real
NORM_KERNEL = chapter._norm


def norm(
    x: Tensor = ABSENT,
    p: Any = ABSENT,
    axis: Any = ABSENT,
    keepdim: Any = False,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
    A: Any = ABSENT,
    ord: Any = ABSENT,
    dim: Any = ABSENT,
) -> Tensor:
    """The p-norm: the p-th root of the sum of |x| to the power p."""
    if input is not _ or A is not _ or ord is not _ or (dim is not _):
        keywords.check_named("norm", 5, _)
        x = keywords.either("norm", "x", x, "input", input)
        x = keywords.either("norm", "x", x, "A", A)
        p = keywords.either("norm", "p", p, "ord", ord)
        axis = keywords.either("norm", "axis", axis, "dim", dim)
    if p is _:
        p = None
    if axis is _:
        axis = None
    if out is not None:
        return destinations.into("norm", out, (x,), lambda: norm(x=x, p=p, axis=axis, keepdim=keepdim, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("norm", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fc":
        operands.check_dtype("norm", "fc", form0.dtype)
    NORM_VALIDATE(p, axis)
    storage = x.storage
    p = NORM_PREPARE_P(a0, p)
    axis = NORM_PREPARE_AXIS(a0, axis)
    form = None
    array = storage.device.empty(NORM_SHAPE(form0.shape, axis, keepdim), NORM_DTYPE(form0.dtype))
    try:
        NORM_KERNEL(array, a0, p, axis, storage.device)
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
            node.row, node.edges, node.kept = NORM, (e0,), kept
            node.forms, node.facts = (form0,), {"axis": axis, "p": p}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify(
            "norm",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(NORM, {"x": a0, "p": p, "axis": axis, "keepdim": keepdim}, array.shape),
        )
    return result


# ---- renorm --------------------------------------------------------------------------------------

RENORM = chapter.RENORM
RENORM_VALIDATE = required(RENORM.validate)
RENORM_PREPARE_AXIS = chapter._renorm_axis
RENORM_KERNEL = chapter._renorm


def renorm(x: Tensor, p: Any, axis: Any, max_norm: Any, name: str | None = None) -> Tensor:
    """Scale down each slice along `axis` whose p-norm is greater than `max_norm`, so that its norm is `max_norm`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("renorm", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "f":
        operands.check_dtype("renorm", "f", form0.dtype)
    RENORM_VALIDATE(p, max_norm)
    storage = x.storage
    axis = RENORM_PREPARE_AXIS(a0, axis)
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        RENORM_KERNEL(array, a0, p, axis, max_norm, storage.device)
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
            node.row, node.edges, node.kept = RENORM, (e0,), kept
            node.forms, node.facts = (form0,), {"axis": axis, "max_norm": max_norm, "p": p}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "renorm",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(RENORM, {"x": a0, "p": p, "axis": axis, "max_norm": max_norm}, array.shape),
        )
    return result


def renorm_(x: Tensor, p: Any, axis: Any, max_norm: Any, name: str | None = None) -> Tensor:
    """Scale down each slice along `axis` whose p-norm is greater than `max_norm`, so that its norm is `max_norm`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("renorm_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("renorm_", x)
    if form0.kind not in "f":
        operands.check_dtype("renorm_", "f", form0.dtype)
    RENORM_VALIDATE(p, max_norm)
    axis = RENORM_PREPARE_AXIS(a0, axis)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("renorm_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = RENORM, (e0,), UNFINISHED
            node.forms, node.facts = (form0,), {"axis": axis, "max_norm": max_norm, "p": p}
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
        RENORM_KERNEL(a0, a0, p, axis, max_norm, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "renorm_",
            "in-place",
            (x,),
            x,
            node,
            depends=dependence(RENORM, {"x": a0, "p": p, "axis": axis, "max_norm": max_norm}, a0.shape),
        )
    return x


# ---- embedding_renorm ----------------------------------------------------------------------------

EMBEDDING_RENORM = chapter.EMBEDDING_RENORM
EMBEDDING_RENORM_VALIDATE = chapter._check_embedding
EMBEDDING_RENORM_KERNEL = chapter._embedding_renorm


def embedding_renorm_(
    x: Tensor, weight: Tensor, max_norm: Any, norm_type: Any = 2.0, name: str | None = None
) -> Tensor:
    """Scale down those rows of `weight` that `x` looks up and whose norm is greater than `max_norm`."""
    if type(weight) is not Tensor:
        weight = operands.as_tensor("embedding_renorm_", "weight", 0, weight)
    if type(x) is not Tensor:
        x = operands.as_tensor("embedding_renorm_", "x", 1, x)
    a0, form0 = weight.array, weight.form or known_form(weight)
    a1, form1 = x.array, x.form or known_form(x)
    storage, base = weight.storage, weight.base
    if base is not None:
        refresh(weight)
    if weight.overlaps:
        operands.refuse_self_overlap("embedding_renorm_", weight)
    storage1 = x.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("embedding_renorm_", weight, x)
    if form0.kind not in "f":
        operands.check_dtype("embedding_renorm_", "f", form0.dtype)
    EMBEDDING_RENORM_VALIDATE(a1, a0, max_norm, norm_type)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(x) if x.base is not None else None if x._stop else x.node or accumulator(x)
        if not weight._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or weight.node is None:
                check_leaf("embedding_renorm_", weight)
            e0 = None if weight._stop else weight.node
            kept: tuple[Saved, ...] = ()
            if e0 is not None:
                kept += (save_copy("weight", a0, storage, e0),)
            if e0 is not None:
                kept += (
                    save("x", a1, storage1, e1)
                    if storage1 is not storage
                    else operands.save_operand("x", x, e1, weight),
                )
            node = new_node(OpNode)
            node.row, node.edges, node.kept = EMBEDDING_RENORM, (e0, e1), UNFINISHED
            node.forms, node.facts = (form0, form1), {"max_norm": max_norm, "norm_type": norm_type}
            node.serial, node.hooks, node.retained = next_serial(), None, None
    touched = (
        slots_touched(EMBEDDING_RENORM, weight, {"weight": a0, "x": a1, "max_norm": max_norm, "norm_type": norm_type})
        if mode.listeners
        else NOTHING
    )
    try:
        if storage1 is storage:
            a1 = operands.copy_if_overlapping(weight, x)
        if mode.keeper is not None:
            mode.keeper.before_write(weight)
        if node is not None:
            if base is None:
                weight.node = node
                weight._stop = False
            else:
                rebase(weight, node)
        storage.version += 1
        if mode.keeper is not None:
            mode.keeper.after_write(storage)
        try:
            EMBEDDING_RENORM_KERNEL(a0, a1, max_norm, norm_type, storage.device)
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
            "embedding_renorm_",
            "in-place",
            (weight, x),
            weight,
            node,
            **touched,
            depends=dependence(
                EMBEDDING_RENORM, {"weight": a0, "x": a1, "max_norm": max_norm, "norm_type": norm_type}, a0.shape
            ),
        )
    return weight
