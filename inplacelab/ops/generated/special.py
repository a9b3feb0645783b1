"""The functions of the rows in `inplacelab/ops/special.py`.

Generated: `python -m inplacelab.ops.table.generate` writes this file. Do not edit it.
"""

from __future__ import annotations

from typing import Any

from inplacelab import dtypes
from inplacelab.autograd.history import accumulator, check_leaf, edge, rebase, refresh
from inplacelab.autograd.nodes import NOTHING, UNFINISHED, OpNode, new_node, next_serial
from inplacelab.autograd.saved import OUTPUT, Saved, save, save_copy
from inplacelab.modes import current as current_modes
from inplacelab.ops import special as chapter
from inplacelab.ops.arguments import operands
from inplacelab.ops.results.kernel_tools import launcher
from inplacelab.ops.table.depends import dependence
from inplacelab.tensor import Tensor, fresh, known_form

# ---- erf -----------------------------------------------------------------------------------------

ERF = chapter.ERF
ERF_DTYPE = dtypes.floating
ERF_LAUNCHED_ORDINARY = launcher(ERF, "ordinary")
ERF_KERNEL = chapter._erf
ERF_LAUNCHED_IN_PLACE = launcher(ERF, "in-place")


def erf(x: Tensor, name: str | None = None) -> Tensor:
    """The error function."""
    if type(x) is not Tensor:
        x = operands.as_tensor("erf", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "fiu":
        operands.check_dtype("erf", "fiu", form0.dtype)
    special = x.storage.device.special
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, ERF_DTYPE(form0.dtype))
    try:
        if not (storage.device.launches and ERF_LAUNCHED_ORDINARY((x,), (a0,), array)):
            ERF_KERNEL(array, a0, special)
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
            node.row, node.edges, node.kept = (ERF, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify("erf", "ordinary", (x,), result, node, depends=dependence(ERF, {"x": a0}, array.shape))
    return result


def erf_(x: Tensor, name: str | None = None) -> Tensor:
    """The error function."""
    if type(x) is not Tensor:
        x = operands.as_tensor("erf_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("erf_", x)
    if form0.kind not in "f":
        operands.check_dtype("erf_", "f", form0.dtype)
    special = x.storage.device.special
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("erf_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (ERF, (e0,), UNFINISHED)
            node.forms, node.facts = ((form0,), NOTHING)
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
        if not (storage.device.launches and ERF_LAUNCHED_IN_PLACE((x,), (a0,))):
            ERF_KERNEL(a0, a0, special)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("erf_", "in-place", (x,), x, node, depends=dependence(ERF, {"x": a0}, a0.shape))
    return x


# ---- erfinv --------------------------------------------------------------------------------------

ERFINV = chapter.ERFINV
ERFINV_DTYPE = dtypes.floating
ERFINV_KERNEL = chapter._erfinv


def erfinv(x: Tensor, name: str | None = None) -> Tensor:
    """The inverse of the error function."""
    if type(x) is not Tensor:
        x = operands.as_tensor("erfinv", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "fiu":
        operands.check_dtype("erfinv", "fiu", form0.dtype)
    special = x.storage.device.special
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, ERFINV_DTYPE(form0.dtype))
    try:
        ERFINV_KERNEL(array, a0, special)
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
            node.row, node.edges, node.kept = (ERFINV, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify("erfinv", "ordinary", (x,), result, node, depends=dependence(ERFINV, {"x": a0}, array.shape))
    return result


def erfinv_(x: Tensor, name: str | None = None) -> Tensor:
    """The inverse of the error function."""
    if type(x) is not Tensor:
        x = operands.as_tensor("erfinv_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("erfinv_", x)
    if form0.kind not in "f":
        operands.check_dtype("erfinv_", "f", form0.dtype)
    special = x.storage.device.special
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("erfinv_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (ERFINV, (e0,), UNFINISHED)
            node.forms, node.facts = ((form0,), NOTHING)
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
        ERFINV_KERNEL(a0, a0, special)
    except RuntimeWarning:
        pass
    if node is not None:
        if e0 is not None:
            kept += (save("out", a0, storage, OUTPUT),)
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("erfinv_", "in-place", (x,), x, node, depends=dependence(ERFINV, {"x": a0}, a0.shape))
    return x


# ---- lgamma --------------------------------------------------------------------------------------

LGAMMA = chapter.LGAMMA
LGAMMA_DTYPE = dtypes.floating
LGAMMA_LAUNCHED_ORDINARY = launcher(LGAMMA, "ordinary")
LGAMMA_KERNEL = chapter._lgamma
LGAMMA_LAUNCHED_IN_PLACE = launcher(LGAMMA, "in-place")


def lgamma(x: Tensor, name: str | None = None) -> Tensor:
    """The logarithm of the magnitude of the gamma function."""
    if type(x) is not Tensor:
        x = operands.as_tensor("lgamma", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "fiu":
        operands.check_dtype("lgamma", "fiu", form0.dtype)
    special = x.storage.device.special
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, LGAMMA_DTYPE(form0.dtype))
    try:
        if not (storage.device.launches and LGAMMA_LAUNCHED_ORDINARY((x,), (a0,), array)):
            LGAMMA_KERNEL(array, a0, special, storage.device)
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
            node.row, node.edges, node.kept = (LGAMMA, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify("lgamma", "ordinary", (x,), result, node, depends=dependence(LGAMMA, {"x": a0}, array.shape))
    return result


def lgamma_(x: Tensor, name: str | None = None) -> Tensor:
    """The logarithm of the magnitude of the gamma function."""
    if type(x) is not Tensor:
        x = operands.as_tensor("lgamma_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("lgamma_", x)
    if form0.kind not in "f":
        operands.check_dtype("lgamma_", "f", form0.dtype)
    special = x.storage.device.special
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("lgamma_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (LGAMMA, (e0,), UNFINISHED)
            node.forms, node.facts = ((form0,), NOTHING)
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
        if not (storage.device.launches and LGAMMA_LAUNCHED_IN_PLACE((x,), (a0,))):
            LGAMMA_KERNEL(a0, a0, special, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("lgamma_", "in-place", (x,), x, node, depends=dependence(LGAMMA, {"x": a0}, a0.shape))
    return x


# ---- gammaln -------------------------------------------------------------------------------------

GAMMALN = chapter.GAMMALN
GAMMALN_LAUNCHED_ORDINARY = launcher(GAMMALN, "ordinary")
GAMMALN_KERNEL = chapter._lgamma
GAMMALN_LAUNCHED_IN_PLACE = launcher(GAMMALN, "in-place")


def gammaln(x: Tensor, name: str | None = None) -> Tensor:
    """The same as `lgamma`, for floating-point tensors only."""
    if type(x) is not Tensor:
        x = operands.as_tensor("gammaln", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "f":
        operands.check_dtype("gammaln", "f", form0.dtype)
    special = x.storage.device.special
    storage = x.storage
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        if not (storage.device.launches and GAMMALN_LAUNCHED_ORDINARY((x,), (a0,), array)):
            GAMMALN_KERNEL(array, a0, special, storage.device)
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
            node.row, node.edges, node.kept = (GAMMALN, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify("gammaln", "ordinary", (x,), result, node, depends=dependence(GAMMALN, {"x": a0}, array.shape))
    return result


def gammaln_(x: Tensor, name: str | None = None) -> Tensor:
    """The same as `lgamma`, for floating-point tensors only."""
    if type(x) is not Tensor:
        x = operands.as_tensor("gammaln_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("gammaln_", x)
    if form0.kind not in "f":
        operands.check_dtype("gammaln_", "f", form0.dtype)
    special = x.storage.device.special
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("gammaln_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (GAMMALN, (e0,), UNFINISHED)
            node.forms, node.facts = ((form0,), NOTHING)
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
        if not (storage.device.launches and GAMMALN_LAUNCHED_IN_PLACE((x,), (a0,))):
            GAMMALN_KERNEL(a0, a0, special, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("gammaln_", "in-place", (x,), x, node, depends=dependence(GAMMALN, {"x": a0}, a0.shape))
    return x


# ---- digamma -------------------------------------------------------------------------------------

DIGAMMA = chapter.DIGAMMA
DIGAMMA_DTYPE = dtypes.floating
DIGAMMA_KERNEL = chapter._digamma


def digamma(x: Tensor, name: str | None = None) -> Tensor:
    """The derivative of `lgamma`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("digamma", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "fiu":
        operands.check_dtype("digamma", "fiu", form0.dtype)
    special = x.storage.device.special
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, DIGAMMA_DTYPE(form0.dtype))
    try:
        DIGAMMA_KERNEL(array, a0, special)
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
            node.row, node.edges, node.kept = (DIGAMMA, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify("digamma", "ordinary", (x,), result, node, depends=dependence(DIGAMMA, {"x": a0}, array.shape))
    return result


def digamma_(x: Tensor, name: str | None = None) -> Tensor:
    """The derivative of `lgamma`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("digamma_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("digamma_", x)
    if form0.kind not in "f":
        operands.check_dtype("digamma_", "f", form0.dtype)
    special = x.storage.device.special
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("digamma_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (DIGAMMA, (e0,), UNFINISHED)
            node.forms, node.facts = ((form0,), NOTHING)
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
        DIGAMMA_KERNEL(a0, a0, special)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("digamma_", "in-place", (x,), x, node, depends=dependence(DIGAMMA, {"x": a0}, a0.shape))
    return x


# ---- polygamma -----------------------------------------------------------------------------------

POLYGAMMA = chapter.POLYGAMMA
POLYGAMMA_PREPARE_N = chapter._order
POLYGAMMA_DTYPE = dtypes.floating
POLYGAMMA_KERNEL = chapter._polygamma


def polygamma(x: Tensor, n: Any, name: str | None = None) -> Tensor:
    """The `n`-th derivative of `digamma`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("polygamma", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "fiu":
        operands.check_dtype("polygamma", "fiu", form0.dtype)
    special = x.storage.device.special
    storage = x.storage
    n = POLYGAMMA_PREPARE_N(a0, n)
    form = None
    array = storage.device.empty(form0.shape, POLYGAMMA_DTYPE(form0.dtype))
    try:
        POLYGAMMA_KERNEL(array, a0, n, special)
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
            node.row, node.edges, node.kept = (POLYGAMMA, (e0,), kept)
            node.forms, node.facts = ((form0,), {"n": n})
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify(
            "polygamma",
            "ordinary",
            (x,),
            result,
            node,
            attributes={"n": n},
            depends=dependence(POLYGAMMA, {"x": a0, "n": n}, array.shape),
        )
    return result


def polygamma_(x: Tensor, n: Any, name: str | None = None) -> Tensor:
    """The `n`-th derivative of `digamma`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("polygamma_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("polygamma_", x)
    if form0.kind not in "f":
        operands.check_dtype("polygamma_", "f", form0.dtype)
    special = x.storage.device.special
    n = POLYGAMMA_PREPARE_N(a0, n)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("polygamma_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (POLYGAMMA, (e0,), UNFINISHED)
            node.forms, node.facts = ((form0,), {"n": n})
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
        POLYGAMMA_KERNEL(a0, a0, n, special)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "polygamma_",
            "in-place",
            (x,),
            x,
            node,
            attributes={"n": n},
            depends=dependence(POLYGAMMA, {"x": a0, "n": n}, a0.shape),
        )
    return x


# ---- multigammaln --------------------------------------------------------------------------------

MULTIGAMMALN = chapter.MULTIGAMMALN
MULTIGAMMALN_PREPARE_P = chapter._dimension
MULTIGAMMALN_KERNEL = chapter._multigammaln


def multigammaln(x: Tensor, p: Any, name: str | None = None) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension `p`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("multigammaln", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "f":
        operands.check_dtype("multigammaln", "f", form0.dtype)
    special = x.storage.device.special
    storage = x.storage
    p = MULTIGAMMALN_PREPARE_P(a0, p)
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        MULTIGAMMALN_KERNEL(array, a0, p, special, storage.device)
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
            node.row, node.edges, node.kept = (MULTIGAMMALN, (e0,), kept)
            node.forms, node.facts = ((form0,), {"p": p})
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify(
            "multigammaln",
            "ordinary",
            (x,),
            result,
            node,
            attributes={"p": p},
            depends=dependence(MULTIGAMMALN, {"x": a0, "p": p}, array.shape),
        )
    return result


def multigammaln_(x: Tensor, p: Any, name: str | None = None) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension `p`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("multigammaln_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("multigammaln_", x)
    if form0.kind not in "f":
        operands.check_dtype("multigammaln_", "f", form0.dtype)
    special = x.storage.device.special
    p = MULTIGAMMALN_PREPARE_P(a0, p)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("multigammaln_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (MULTIGAMMALN, (e0,), UNFINISHED)
            node.forms, node.facts = ((form0,), {"p": p})
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
        MULTIGAMMALN_KERNEL(a0, a0, p, special, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "multigammaln_",
            "in-place",
            (x,),
            x,
            node,
            attributes={"p": p},
            depends=dependence(MULTIGAMMALN, {"x": a0, "p": p}, a0.shape),
        )
    return x


# ---- i0 ------------------------------------------------------------------------------------------

I0 = chapter.I0
I0_DTYPE = dtypes.floating
I0_KERNEL = chapter._i0


def i0(x: Tensor, name: str | None = None) -> Tensor:
    """The modified Bessel function of order 0."""
    if type(x) is not Tensor:
        x = operands.as_tensor("i0", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "fiu":
        operands.check_dtype("i0", "fiu", form0.dtype)
    special = x.storage.device.special
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, I0_DTYPE(form0.dtype))
    try:
        I0_KERNEL(array, a0, special)
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
            node.row, node.edges, node.kept = (I0, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify("i0", "ordinary", (x,), result, node, depends=dependence(I0, {"x": a0}, array.shape))
    return result


def i0_(x: Tensor, name: str | None = None) -> Tensor:
    """The modified Bessel function of order 0."""
    if type(x) is not Tensor:
        x = operands.as_tensor("i0_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("i0_", x)
    if form0.kind not in "f":
        operands.check_dtype("i0_", "f", form0.dtype)
    special = x.storage.device.special
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("i0_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (I0, (e0,), UNFINISHED)
            node.forms, node.facts = ((form0,), NOTHING)
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
        I0_KERNEL(a0, a0, special)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("i0_", "in-place", (x,), x, node, depends=dependence(I0, {"x": a0}, a0.shape))
    return x


# ---- i1 ------------------------------------------------------------------------------------------

I1 = chapter.I1
I1_DTYPE = dtypes.floating
I1_KERNEL = chapter._i1


def i1(x: Tensor, name: str | None = None) -> Tensor:
    """The modified Bessel function of order 1."""
    if type(x) is not Tensor:
        x = operands.as_tensor("i1", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "fiu":
        operands.check_dtype("i1", "fiu", form0.dtype)
    special = x.storage.device.special
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, I1_DTYPE(form0.dtype))
    try:
        I1_KERNEL(array, a0, special)
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
            node.row, node.edges, node.kept = (I1, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify("i1", "ordinary", (x,), result, node, depends=dependence(I1, {"x": a0}, array.shape))
    return result


# ---- _bessel_i -----------------------------------------------------------------------------------

_BESSEL_I = chapter._BESSEL_I
_BESSEL_I_KERNEL = chapter._bessel_i


def _bessel_i(x: Tensor, order: Any, name: str | None = None) -> Tensor:
    """The modified Bessel function of a whole order."""
    if type(x) is not Tensor:
        x = operands.as_tensor("_bessel_i", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "f":
        operands.check_dtype("_bessel_i", "f", form0.dtype)
    special = x.storage.device.special
    storage = x.storage
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        _BESSEL_I_KERNEL(array, a0, order, special)
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
            node.row, node.edges, node.kept = (_BESSEL_I, (e0,), kept)
            node.forms, node.facts = ((form0,), {"order": order})
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify(
            "_bessel_i",
            "ordinary",
            (x,),
            result,
            node,
            attributes={"order": order},
            depends=dependence(_BESSEL_I, {"x": a0, "order": order}, array.shape),
        )
    return result


# ---- _spherical_bessel ---------------------------------------------------------------------------

_SPHERICAL_BESSEL = chapter._SPHERICAL_BESSEL
_SPHERICAL_BESSEL_KERNEL = chapter._spherical_bessel


def _spherical_bessel(x: Tensor, order: Any, name: str | None = None) -> Tensor:
    """The spherical Bessel function of a whole order."""
    if type(x) is not Tensor:
        x = operands.as_tensor("_spherical_bessel", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "fc":
        operands.check_dtype("_spherical_bessel", "fc", form0.dtype)
    special = x.storage.device.special
    storage = x.storage
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        _SPHERICAL_BESSEL_KERNEL(array, a0, order, special, storage.device)
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
            node.row, node.edges, node.kept = (_SPHERICAL_BESSEL, (e0,), kept)
            node.forms, node.facts = ((form0,), {"order": order})
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify(
            "_spherical_bessel",
            "ordinary",
            (x,),
            result,
            node,
            attributes={"order": order},
            depends=dependence(_SPHERICAL_BESSEL, {"x": a0, "order": order}, array.shape),
        )
    return result
