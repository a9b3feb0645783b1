"""The functions of the rows in `inplacelab/ops/powers.py`.

Generated: `python -m inplacelab.ops.table.generate` writes this file. Do not edit it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab import dtypes
from inplacelab.autograd.history import accumulator, check_leaf, edge, rebase, refresh
from inplacelab.autograd.nodes import NOTHING, UNFINISHED, OpNode, new_node, next_serial
from inplacelab.autograd.saved import OUTPUT, Saved, save, save_copy
from inplacelab.form import Form
from inplacelab.layout import common_shape
from inplacelab.modes import current as current_modes
from inplacelab.ops import powers as chapter
from inplacelab.ops.arguments import attributes, keywords, operands
from inplacelab.ops.arguments.keywords import ABSENT
from inplacelab.ops.results import destinations, kernel_tools
from inplacelab.ops.results.kernel_tools import launcher
from inplacelab.ops.table.depends import dependence
from inplacelab.ops.table.row import required
from inplacelab.tensor import Tensor, fresh, known_form

# ---- scale ---------------------------------------------------------------------------------------

SCALE = chapter.SCALE
SCALE_PREPARE_SCALE = attributes.number_with
SCALE_PREPARE_BIAS = attributes.number_with
SCALE_PREPARE_ACT = chapter._no_activation
SCALE_LAUNCHED_ORDINARY = launcher(SCALE, "ordinary")
SCALE_KERNEL = chapter._scale
SCALE_LAUNCHED_IN_PLACE = launcher(SCALE, "in-place")


def scale(
    x: Tensor, scale: Any = 1.0, bias: Any = 0.0, bias_after_scale: Any = True, act: Any = None, name: str | None = None
) -> Tensor:
    """Multiply by a number and add another: `scale * x + bias`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("scale", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    plain = type(scale) is float and bias == 0.0 and (act is None) and (form0.kind in "fc")
    storage = x.storage
    if not plain:
        scale = SCALE_PREPARE_SCALE(a0, scale)
        bias = SCALE_PREPARE_BIAS(a0, bias)
        act = SCALE_PREPARE_ACT(a0, act)
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        if not (
            storage.device.launches
            and SCALE_LAUNCHED_ORDINARY((x,), (a0,), array, scale=scale, bias=bias, bias_after_scale=bias_after_scale)
        ):
            SCALE_KERNEL(array, a0, scale, bias, bias_after_scale)
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
            node.row, node.edges, node.kept = (SCALE, (e0,), kept)
            node.forms, node.facts = ((form0,), {"scale": scale})
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify(
            "scale",
            "ordinary",
            (x,),
            result,
            node,
            attributes={"scale": scale, "bias": bias, "bias_after_scale": bias_after_scale, "act": act},
            depends=dependence(
                SCALE,
                {"x": a0, "scale": scale, "bias": bias, "bias_after_scale": bias_after_scale, "act": act},
                array.shape,
            ),
        )
    return result


def scale_(
    x: Tensor, scale: Any = 1.0, bias: Any = 0.0, bias_after_scale: Any = True, act: Any = None, name: str | None = None
) -> Tensor:
    """Multiply by a number and add another: `scale * x + bias`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("scale_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("scale_", x)
    plain = type(scale) is float and bias == 0.0 and (act is None) and (form0.kind in "fc")
    if not plain:
        scale = SCALE_PREPARE_SCALE(a0, scale)
        bias = SCALE_PREPARE_BIAS(a0, bias)
        act = SCALE_PREPARE_ACT(a0, act)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("scale_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (SCALE, (e0,), UNFINISHED)
            node.forms, node.facts = ((form0,), {"scale": scale})
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
        if not (
            storage.device.launches
            and SCALE_LAUNCHED_IN_PLACE((x,), (a0,), scale=scale, bias=bias, bias_after_scale=bias_after_scale)
        ):
            SCALE_KERNEL(a0, a0, scale, bias, bias_after_scale)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "scale_",
            "in-place",
            (x,),
            x,
            node,
            attributes={"scale": scale, "bias": bias, "bias_after_scale": bias_after_scale, "act": act},
            depends=dependence(
                SCALE,
                {"x": a0, "scale": scale, "bias": bias, "bias_after_scale": bias_after_scale, "act": act},
                a0.shape,
            ),
        )
    return x


# ---- neg -----------------------------------------------------------------------------------------

NEG = chapter.NEG
NEG_LAUNCHED_ORDINARY = launcher(NEG, "ordinary")
NEG_KERNEL = chapter._neg
NEG_LAUNCHED_IN_PLACE = launcher(NEG, "in-place")


def neg(x: Tensor, name: str | None = None) -> Tensor:
    """The negative of each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("neg", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "fiuc":
        operands.check_dtype("neg", "fiuc", form0.dtype)
    storage = x.storage
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        if not (storage.device.launches and NEG_LAUNCHED_ORDINARY((x,), (a0,), array)):
            NEG_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = (NEG, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify("neg", "ordinary", (x,), result, node, depends=dependence(NEG, {"x": a0}, array.shape))
    return result


def neg_(x: Tensor, name: str | None = None) -> Tensor:
    """The negative of each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("neg_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("neg_", x)
    if form0.kind not in "fiuc":
        operands.check_dtype("neg_", "fiuc", form0.dtype)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("neg_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (NEG, (e0,), UNFINISHED)
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
        if not (storage.device.launches and NEG_LAUNCHED_IN_PLACE((x,), (a0,))):
            NEG_KERNEL(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("neg_", "in-place", (x,), x, node, depends=dependence(NEG, {"x": a0}, a0.shape))
    return x


# ---- abs -----------------------------------------------------------------------------------------

ABS = chapter.ABS
ABS_DTYPE = dtypes.real
ABS_LAUNCHED_ORDINARY = launcher(ABS, "ordinary")
ABS_UFUNC = np.absolute
ABS_LAUNCHED_IN_PLACE = launcher(ABS, "in-place")


def abs(
    x: Tensor = ABSENT, name: str | None = None, _: Any = ABSENT, out: Tensor | None = None, input: Any = ABSENT
) -> Tensor:
    """The absolute value of each element."""
    if input is not _:
        keywords.check_named("abs", 2, _)
        x = keywords.either("abs", "x", x, "input", input)
    if out is not None:
        return destinations.into("abs", out, (x,), lambda: abs(x=x, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("abs", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "fiuc":
        operands.check_dtype("abs", "fiuc", form0.dtype)
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, ABS_DTYPE(form0.dtype))
    try:
        if not (storage.device.launches and ABS_LAUNCHED_ORDINARY((x,), (a0,), array)):
            ABS_UFUNC(a0, array)
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
            node.row, node.edges, node.kept = (ABS, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify("abs", "ordinary", (x,), result, node, depends=dependence(ABS, {"x": a0}, array.shape))
    return result


def abs_(x: Tensor, name: str | None = None) -> Tensor:
    """The absolute value of each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("abs_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("abs_", x)
    if form0.kind not in "fiuc":
        operands.check_dtype("abs_", "fiuc", form0.dtype)
    dtype = ABS_DTYPE(form0.dtype)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate("abs_", x, lambda: abs(x=x), (), lambda: dependence(ABS, {"x": a0}, form0.shape))
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("abs_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (ABS, (e0,), UNFINISHED)
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
        if not (storage.device.launches and ABS_LAUNCHED_IN_PLACE((x,), (a0,))):
            ABS_UFUNC(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("abs_", "in-place", (x,), x, node, depends=dependence(ABS, {"x": a0}, a0.shape))
    return x


# ---- sign ----------------------------------------------------------------------------------------

SIGN = chapter.SIGN
SIGN_UFUNC = np.sign
SIGN_LAUNCHED_ORDINARY = launcher(SIGN, "ordinary")
SIGN_KERNEL = chapter._sgn
SIGN_LAUNCHED_IN_PLACE = launcher(SIGN, "in-place")


def sign(
    x: Tensor = ABSENT, name: str | None = None, _: Any = ABSENT, out: Tensor | None = None, input: Any = ABSENT
) -> Tensor:
    """-1, 0 or 1 for each element; for a complex number, its direction."""
    if input is not _:
        keywords.check_named("sign", 2, _)
        x = keywords.either("sign", "x", x, "input", input)
    if out is not None:
        return destinations.into("sign", out, (x,), lambda: sign(x=x, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("sign", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "fiuc":
        operands.check_dtype("sign", "fiuc", form0.dtype)
    plain = form0.kind in "fiub"
    storage = x.storage
    array: Any = None
    if plain and a0 is x.storage.buffer and form0.shape and (not storage.device.launches):
        form: Form | None = form0
        try:
            array = SIGN_UFUNC(a0)
        except RuntimeWarning:
            pass
    if array is None:
        form = form0
        array = storage.device.empty(form0.shape, form0.dtype)
        try:
            if not (storage.device.launches and SIGN_LAUNCHED_ORDINARY((x,), (a0,), array)):
                if plain:
                    SIGN_UFUNC(a0, array)
                else:
                    SIGN_KERNEL(array, a0, storage.device)
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
            node.row, node.edges, node.kept = (SIGN, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify("sign", "ordinary", (x,), result, node, depends=dependence(SIGN, {"x": a0}, array.shape))
    return result


def sign_(x: Tensor, name: str | None = None) -> Tensor:
    """-1, 0 or 1 for each element; for a complex number, its direction."""
    if type(x) is not Tensor:
        x = operands.as_tensor("sign_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("sign_", x)
    if form0.kind not in "fiuc":
        operands.check_dtype("sign_", "fiuc", form0.dtype)
    plain = form0.kind in "fiub"
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("sign_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (SIGN, (e0,), UNFINISHED)
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
        if not (storage.device.launches and SIGN_LAUNCHED_IN_PLACE((x,), (a0,))):
            if plain:
                SIGN_UFUNC(a0, a0)
            else:
                SIGN_KERNEL(a0, a0, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("sign_", "in-place", (x,), x, node, depends=dependence(SIGN, {"x": a0}, a0.shape))
    return x


# ---- sgn -----------------------------------------------------------------------------------------

SGN = chapter.SGN
SGN_UFUNC = np.sign
SGN_LAUNCHED_ORDINARY = launcher(SGN, "ordinary")
SGN_KERNEL = chapter._sgn
SGN_LAUNCHED_IN_PLACE = launcher(SGN, "in-place")


def sgn(x: Tensor, name: str | None = None) -> Tensor:
    """The direction of each element: `x / |x|`, and 0 for 0."""
    if type(x) is not Tensor:
        x = operands.as_tensor("sgn", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "fc":
        operands.check_dtype("sgn", "fc", form0.dtype)
    plain = form0.kind in "fiub"
    storage = x.storage
    array: Any = None
    if plain and a0 is x.storage.buffer and form0.shape and (not storage.device.launches):
        form: Form | None = form0
        try:
            array = SGN_UFUNC(a0)
        except RuntimeWarning:
            pass
    if array is None:
        form = form0
        array = storage.device.empty(form0.shape, form0.dtype)
        try:
            if not (storage.device.launches and SGN_LAUNCHED_ORDINARY((x,), (a0,), array)):
                if plain:
                    SGN_UFUNC(a0, array)
                else:
                    SGN_KERNEL(array, a0, storage.device)
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
            node.row, node.edges, node.kept = (SGN, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify("sgn", "ordinary", (x,), result, node, depends=dependence(SGN, {"x": a0}, array.shape))
    return result


def sgn_(x: Tensor, name: str | None = None) -> Tensor:
    """The direction of each element: `x / |x|`, and 0 for 0."""
    if type(x) is not Tensor:
        x = operands.as_tensor("sgn_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("sgn_", x)
    if form0.kind not in "fc":
        operands.check_dtype("sgn_", "fc", form0.dtype)
    plain = form0.kind in "fiub"
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("sgn_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (SGN, (e0,), UNFINISHED)
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
        if not (storage.device.launches and SGN_LAUNCHED_IN_PLACE((x,), (a0,))):
            if plain:
                SGN_UFUNC(a0, a0)
            else:
                SGN_KERNEL(a0, a0, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if e0 is not None:
            kept += (save("out", a0, storage, OUTPUT),)
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("sgn_", "in-place", (x,), x, node, depends=dependence(SGN, {"x": a0}, a0.shape))
    return x


# ---- square --------------------------------------------------------------------------------------

SQUARE = chapter.SQUARE
SQUARE_UFUNC = np.square
SQUARE_LAUNCHED_ORDINARY = launcher(SQUARE, "ordinary")
SQUARE_LAUNCHED_IN_PLACE = launcher(SQUARE, "in-place")


def square(x: Tensor, name: str | None = None) -> Tensor:
    """The square of each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("square", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "fiuc":
        operands.check_dtype("square", "fiuc", form0.dtype)
    storage = x.storage
    array: Any = None
    if a0 is x.storage.buffer and form0.shape and (not storage.device.launches):
        form: Form | None = form0
        try:
            array = SQUARE_UFUNC(a0)
        except RuntimeWarning:
            pass
    if array is None:
        form = form0
        array = storage.device.empty(form0.shape, form0.dtype)
        try:
            if not (storage.device.launches and SQUARE_LAUNCHED_ORDINARY((x,), (a0,), array)):
                SQUARE_UFUNC(a0, array)
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
            node.row, node.edges, node.kept = (SQUARE, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify("square", "ordinary", (x,), result, node, depends=dependence(SQUARE, {"x": a0}, array.shape))
    return result


def square_(x: Tensor, name: str | None = None) -> Tensor:
    """The square of each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("square_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("square_", x)
    if form0.kind not in "fiuc":
        operands.check_dtype("square_", "fiuc", form0.dtype)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("square_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (SQUARE, (e0,), UNFINISHED)
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
        if not (storage.device.launches and SQUARE_LAUNCHED_IN_PLACE((x,), (a0,))):
            SQUARE_UFUNC(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("square_", "in-place", (x,), x, node, depends=dependence(SQUARE, {"x": a0}, a0.shape))
    return x


# ---- sqrt ----------------------------------------------------------------------------------------

SQRT = chapter.SQRT
SQRT_DTYPE = dtypes.floating
SQRT_LAUNCHED_ORDINARY = launcher(SQRT, "ordinary")
SQRT_UFUNC = np.sqrt
SQRT_KERNEL = required(SQRT.kernel)
SQRT_LAUNCHED_IN_PLACE = launcher(SQRT, "in-place")


def sqrt(
    x: Tensor = ABSENT, name: str | None = None, _: Any = ABSENT, out: Tensor | None = None, input: Any = ABSENT
) -> Tensor:
    """The square root of each element."""
    if input is not _:
        keywords.check_named("sqrt", 2, _)
        x = keywords.either("sqrt", "x", x, "input", input)
    if out is not None:
        return destinations.into("sqrt", out, (x,), lambda: sqrt(x=x, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("sqrt", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "fciu":
        operands.check_dtype("sqrt", "fciu", form0.dtype)
    plain = form0.kind in "fc"
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, SQRT_DTYPE(form0.dtype))
    try:
        if not (storage.device.launches and SQRT_LAUNCHED_ORDINARY((x,), (a0,), array)):
            if plain:
                SQRT_UFUNC(a0, array)
            else:
                SQRT_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = (SQRT, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify("sqrt", "ordinary", (x,), result, node, depends=dependence(SQRT, {"x": a0}, array.shape))
    return result


def sqrt_(x: Tensor, name: str | None = None) -> Tensor:
    """The square root of each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("sqrt_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("sqrt_", x)
    if form0.kind not in "fc":
        operands.check_dtype("sqrt_", "fc", form0.dtype)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("sqrt_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (SQRT, (e0,), UNFINISHED)
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
        if not (storage.device.launches and SQRT_LAUNCHED_IN_PLACE((x,), (a0,))):
            SQRT_UFUNC(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if e0 is not None:
            kept += (save("out", a0, storage, OUTPUT),)
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("sqrt_", "in-place", (x,), x, node, depends=dependence(SQRT, {"x": a0}, a0.shape))
    return x


# ---- rsqrt ---------------------------------------------------------------------------------------

RSQRT = chapter.RSQRT
RSQRT_DTYPE = dtypes.floating
RSQRT_LAUNCHED_ORDINARY = launcher(RSQRT, "ordinary")
RSQRT_KERNEL = chapter._rsqrt
RSQRT_LAUNCHED_IN_PLACE = launcher(RSQRT, "in-place")


def rsqrt(
    x: Tensor = ABSENT, name: str | None = None, _: Any = ABSENT, out: Tensor | None = None, input: Any = ABSENT
) -> Tensor:
    """1 / sqrt(x) for each element."""
    if input is not _:
        keywords.check_named("rsqrt", 2, _)
        x = keywords.either("rsqrt", "x", x, "input", input)
    if out is not None:
        return destinations.into("rsqrt", out, (x,), lambda: rsqrt(x=x, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("rsqrt", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "fiu":
        operands.check_dtype("rsqrt", "fiu", form0.dtype)
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, RSQRT_DTYPE(form0.dtype))
    try:
        if not (storage.device.launches and RSQRT_LAUNCHED_ORDINARY((x,), (a0,), array)):
            RSQRT_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = (RSQRT, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify("rsqrt", "ordinary", (x,), result, node, depends=dependence(RSQRT, {"x": a0}, array.shape))
    return result


def rsqrt_(x: Tensor, name: str | None = None) -> Tensor:
    """1 / sqrt(x) for each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("rsqrt_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("rsqrt_", x)
    if form0.kind not in "f":
        operands.check_dtype("rsqrt_", "f", form0.dtype)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("rsqrt_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (RSQRT, (e0,), UNFINISHED)
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
        if not (storage.device.launches and RSQRT_LAUNCHED_IN_PLACE((x,), (a0,))):
            RSQRT_KERNEL(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if e0 is not None:
            kept += (save("out", a0, storage, OUTPUT),)
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("rsqrt_", "in-place", (x,), x, node, depends=dependence(RSQRT, {"x": a0}, a0.shape))
    return x


# ---- reciprocal ----------------------------------------------------------------------------------

RECIPROCAL = chapter.RECIPROCAL
RECIPROCAL_DTYPE = dtypes.floating
RECIPROCAL_LAUNCHED_ORDINARY = launcher(RECIPROCAL, "ordinary")
RECIPROCAL_UFUNC = np.reciprocal
RECIPROCAL_KERNEL = required(RECIPROCAL.kernel)
RECIPROCAL_LAUNCHED_IN_PLACE = launcher(RECIPROCAL, "in-place")


def reciprocal(x: Tensor, name: str | None = None) -> Tensor:
    """1 / x for each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("reciprocal", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "fciu":
        operands.check_dtype("reciprocal", "fciu", form0.dtype)
    plain = form0.kind in "fc"
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, RECIPROCAL_DTYPE(form0.dtype))
    try:
        if not (storage.device.launches and RECIPROCAL_LAUNCHED_ORDINARY((x,), (a0,), array)):
            if plain:
                RECIPROCAL_UFUNC(a0, array)
            else:
                RECIPROCAL_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = (RECIPROCAL, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify(
            "reciprocal", "ordinary", (x,), result, node, depends=dependence(RECIPROCAL, {"x": a0}, array.shape)
        )
    return result


def reciprocal_(x: Tensor, name: str | None = None) -> Tensor:
    """1 / x for each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("reciprocal_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("reciprocal_", x)
    if form0.kind not in "fc":
        operands.check_dtype("reciprocal_", "fc", form0.dtype)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("reciprocal_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (RECIPROCAL, (e0,), UNFINISHED)
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
        if not (storage.device.launches and RECIPROCAL_LAUNCHED_IN_PLACE((x,), (a0,))):
            RECIPROCAL_UFUNC(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if e0 is not None:
            kept += (save("out", a0, storage, OUTPUT),)
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("reciprocal_", "in-place", (x,), x, node, depends=dependence(RECIPROCAL, {"x": a0}, a0.shape))
    return x


# ---- pow -----------------------------------------------------------------------------------------

POW = chapter.POW
POW_UFUNC = np.power
POW_LAUNCHED_ORDINARY = launcher(POW, "ordinary")
POW_KERNEL = kernel_tools.power
POW_LAUNCHED_IN_PLACE = launcher(POW, "in-place")


def pow(
    x: Tensor = ABSENT,
    y: Any = ABSENT,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
    exponent: Any = ABSENT,
) -> Tensor:
    """Raise each element to the power `y`, a tensor or a number."""
    if input is not _ or exponent is not _:
        keywords.check_named("pow", 3, _)
        x = keywords.either("pow", "x", x, "input", input)
        y = keywords.either("pow", "y", y, "exponent", exponent)
    if out is not None:
        return destinations.into("pow", out, (x, y), lambda: pow(x=x, y=y, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("pow", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_promoted("pow", "y", 1, y, x)
    a0, form0 = (x.array, x.form or known_form(x))
    a1, form1 = (y.array, y.form or known_form(y))
    if form0.kind not in "fiuc" or form1.dtype is not form0.dtype:
        operands.check_dtype("pow", "fiuc", form0.dtype, form1.dtype)
    plain = form0.kind in "fbc"
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("pow", x, y)
    array: Any = None
    if (
        form1 is form0
        and plain
        and (a0 is x.storage.buffer)
        and (a1 is y.storage.buffer)
        and form0.shape
        and (not storage.device.launches)
    ):
        form: Form | None = form0
        try:
            array = POW_UFUNC(a0, a1)
        except RuntimeWarning:
            pass
    if array is None:
        form = form0 if form1 is form0 else None
        array = storage.device.empty(
            form0.shape
            if form0.shape == form1.shape
            else common_shape(form0.shape, form1.shape) or operands.broadcast("pow", x, y),
            form0.dtype if form0.dtype is form1.dtype else operands.promoted("pow", form0.dtype, form1.dtype),
        )
        try:
            if not (storage.device.launches and POW_LAUNCHED_ORDINARY((x, y), (a0, a1), array)):
                if plain:
                    POW_UFUNC(a0, a1, array)
                else:
                    POW_KERNEL(array, a0, a1, storage.device)
        except RuntimeWarning:
            pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e0 = edge(x) if x.base is not None else None if x._stop else x.node or accumulator(x)
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if e0 is not None or e1 is not None:
            kept: tuple[Saved, ...] = (save("x", a0, x.storage, e0), save("y", a1, y.storage, e1))
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (POW, (e0, e1), kept)
            node.forms, node.facts = ((form0, form1), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
            if e1 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify("pow", "ordinary", (x, y), result, node, depends=dependence(POW, {"x": a0, "y": a1}, array.shape))
    return result


def pow_(x: Tensor, y: Any, name: str | None = None) -> Tensor:
    """Raise each element to the power `y`, a tensor or a number."""
    if type(x) is not Tensor:
        x = operands.as_tensor("pow_", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_promoted("pow_", "y", 1, y, x)
    a0, form0 = (x.array, x.form or known_form(x))
    a1, form1 = (y.array, y.form or known_form(y))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("pow_", x)
    storage1 = y.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("pow_", x, y)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("pow_", x, y)
    if storage1 is storage and y is not x:
        operands.check_overlap("pow_", x, y)
    if form0.kind not in "fiuc" or form1.dtype is not form0.dtype:
        operands.check_dtype("pow_", "fiuc", form0.dtype, form1.dtype)
    plain = form0.kind in "fbc"
    if (
        form1 is not form0
        and (form0.dtype if form0.dtype is form1.dtype else operands.promoted("pow", form0.dtype, form1.dtype))
        != form0.dtype
    ):
        return destinations.reallocate(
            "pow_", x, lambda: pow(x=x, y=y), (y,), lambda: dependence(POW, {"x": a0, "y": a1}, form0.shape)
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("pow_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (
                save_copy("x", a0, storage, e0),
                save("y", a1, storage1, e1) if storage1 is not storage else operands.save_operand("y", y, e1, x),
            )
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (POW, (e0, e1), UNFINISHED)
            node.forms, node.facts = ((form0, form1), NOTHING)
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
        if not (storage.device.launches and POW_LAUNCHED_IN_PLACE((x, y), (a0, a1))):
            if plain:
                POW_UFUNC(a0, a1, a0)
            else:
                POW_KERNEL(a0, a0, a1, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if e1 is not None:
            kept += (save("out", a0, storage, OUTPUT),)
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("pow_", "in-place", (x, y), x, node, depends=dependence(POW, {"x": a0, "y": a1}, a0.shape))
    return x
