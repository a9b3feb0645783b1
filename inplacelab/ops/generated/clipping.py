"""The functions of the rows in `inplacelab/ops/clipping.py`.

Generated: `python -m inplacelab.ops.table.generate` writes this file. Do not edit it.
"""

from __future__ import annotations

from typing import Any

from inplacelab.autograd.history import accumulator, check_leaf, edge, rebase, refresh
from inplacelab.autograd.nodes import NOTHING, UNFINISHED, OpNode, new_node, next_serial
from inplacelab.autograd.saved import Saved, save, save_copy
from inplacelab.layout import common_shape
from inplacelab.modes import current as current_modes
from inplacelab.ops import clipping as chapter
from inplacelab.ops.arguments import keywords, operands
from inplacelab.ops.arguments.keywords import ABSENT
from inplacelab.ops.results import destinations, kernel_tools
from inplacelab.ops.results.kernel_tools import launcher
from inplacelab.ops.table.depends import dependence
from inplacelab.ops.table.row import required
from inplacelab.tensor import Tensor, fresh, known_form

# ---- _inside -------------------------------------------------------------------------------------

_INSIDE = chapter._INSIDE
_INSIDE_DTYPE = required(_INSIDE.dtype)
_INSIDE_LAUNCHED_ORDINARY = launcher(_INSIDE, "ordinary")
_INSIDE_KERNEL = kernel_tools.keep_where


def _inside(x: Tensor, mask: Tensor, name: str | None = None) -> Tensor:
    """`x` where `mask` is true, 0 elsewhere."""
    if type(x) is not Tensor:
        x = operands.as_tensor("where", "x", 0, x)
    if type(mask) is not Tensor:
        mask = operands.as_tensor("where", "mask", 1, mask)
    a0, form0 = (x.array, x.form or known_form(x))
    a1, form1 = (mask.array, mask.form or known_form(mask))
    storage = x.storage
    if mask.storage.device is not storage.device:
        operands.refuse_devices("where", x, mask)
    form = None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("_inside", x, mask),
        _INSIDE_DTYPE(form0.dtype),
    )
    try:
        if not (storage.device.launches and _INSIDE_LAUNCHED_ORDINARY((x, mask), (a0, a1), array)):
            _INSIDE_KERNEL(array, a0, a1, storage.device)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e0 = edge(x) if x.base is not None else None if x._stop else x.node or accumulator(x)
        e1 = edge(mask) if mask.base is not None else None if mask._stop else mask.node or accumulator(mask)
        if e0 is not None or e1 is not None:
            kept: tuple[Saved, ...] = ()
            if e0 is not None:
                kept += (save("mask", a1, mask.storage, e1),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (_INSIDE, (e0, e1), kept)
            node.forms, node.facts = ((form0, form1), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify(
            "where",
            "ordinary",
            (x, mask),
            result,
            node,
            depends=dependence(_INSIDE, {"x": a0, "mask": a1}, array.shape),
        )
    return result


# ---- _outside ------------------------------------------------------------------------------------

_OUTSIDE = chapter._OUTSIDE
_OUTSIDE_DTYPE = required(_OUTSIDE.dtype)
_OUTSIDE_LAUNCHED_ORDINARY = launcher(_OUTSIDE, "ordinary")
_OUTSIDE_KERNEL = chapter._outside


def _outside(x: Tensor, mask: Tensor, name: str | None = None) -> Tensor:
    """0 where `mask` is true, `x` elsewhere."""
    if type(x) is not Tensor:
        x = operands.as_tensor("where", "x", 0, x)
    if type(mask) is not Tensor:
        mask = operands.as_tensor("where", "mask", 1, mask)
    a0, form0 = (x.array, x.form or known_form(x))
    a1, form1 = (mask.array, mask.form or known_form(mask))
    storage = x.storage
    if mask.storage.device is not storage.device:
        operands.refuse_devices("where", x, mask)
    form = None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("_outside", x, mask),
        _OUTSIDE_DTYPE(form0.dtype),
    )
    try:
        if not (storage.device.launches and _OUTSIDE_LAUNCHED_ORDINARY((x, mask), (a0, a1), array)):
            _OUTSIDE_KERNEL(array, a0, a1, storage.device)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e0 = edge(x) if x.base is not None else None if x._stop else x.node or accumulator(x)
        e1 = edge(mask) if mask.base is not None else None if mask._stop else mask.node or accumulator(mask)
        if e0 is not None or e1 is not None:
            kept: tuple[Saved, ...] = ()
            if e0 is not None:
                kept += (save("mask", a1, mask.storage, e1),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (_OUTSIDE, (e0, e1), kept)
            node.forms, node.facts = ((form0, form1), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify(
            "where",
            "ordinary",
            (x, mask),
            result,
            node,
            depends=dependence(_OUTSIDE, {"x": a0, "mask": a1}, array.shape),
        )
    return result


# ---- clip ----------------------------------------------------------------------------------------

CLIP = chapter.CLIP
CLIP_PREPARE_MIN = chapter._bound
CLIP_PREPARE_MAX = chapter._bound
CLIP_DTYPE = chapter._clip_dtype
CLIP_LAUNCHED_ORDINARY = launcher(CLIP, "ordinary")
CLIP_KERNEL = kernel_tools.clip_into
CLIP_LAUNCHED_IN_PLACE = launcher(CLIP, "in-place")


def clip(
    x: Tensor = ABSENT,
    min: Any = None,
    max: Any = None,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
) -> Tensor:
    """Keep each element between `min` and `max`."""
    if input is not _:
        keywords.check_named("clip", 4, _)
        x = keywords.either("clip", "x", x, "input", input)
    if out is not None:
        return destinations.into("clip", out, (x,), lambda: clip(x=x, min=min, max=max, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("clip", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "fiu":
        operands.check_dtype("clip", "fiu", form0.dtype)
    storage = x.storage
    min = CLIP_PREPARE_MIN(a0, min)
    max = CLIP_PREPARE_MAX(a0, max)
    form = None
    array = storage.device.empty(form0.shape, CLIP_DTYPE(form0.dtype, min, max))
    try:
        if not (storage.device.launches and CLIP_LAUNCHED_ORDINARY((x,), (a0,), array, min=min, max=max)):
            CLIP_KERNEL(array, a0, min, max)
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
            node.row, node.edges, node.kept = (CLIP, (e0,), kept)
            node.forms, node.facts = ((form0,), {"max": max, "min": min})
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify(
            "clip",
            "ordinary",
            (x,),
            result,
            node,
            attributes={"min": min, "max": max},
            depends=dependence(CLIP, {"x": a0, "min": min, "max": max}, array.shape),
        )
    return result


def clip_(x: Tensor, min: Any = None, max: Any = None, name: str | None = None) -> Tensor:
    """Keep each element between `min` and `max`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("clip_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("clip_", x)
    if form0.kind not in "fiu":
        operands.check_dtype("clip_", "fiu", form0.dtype)
    min = CLIP_PREPARE_MIN(a0, min)
    max = CLIP_PREPARE_MAX(a0, max)
    dtype = CLIP_DTYPE(form0.dtype, min, max)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate(
            "clip_",
            x,
            lambda: clip(x=x, min=min, max=max),
            (),
            lambda: dependence(CLIP, {"x": a0, "min": min, "max": max}, form0.shape),
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("clip_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (CLIP, (e0,), UNFINISHED)
            node.forms, node.facts = ((form0,), {"max": max, "min": min})
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
        if not (storage.device.launches and CLIP_LAUNCHED_IN_PLACE((x,), (a0,), min=min, max=max)):
            CLIP_KERNEL(a0, a0, min, max)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "clip_",
            "in-place",
            (x,),
            x,
            node,
            attributes={"min": min, "max": max},
            depends=dependence(CLIP, {"x": a0, "min": min, "max": max}, a0.shape),
        )
    return x


# ---- clamp_min -----------------------------------------------------------------------------------

CLAMP_MIN = chapter.CLAMP_MIN
CLAMP_MIN_PREPARE_MIN = CLAMP_MIN.prepare["min"]
CLAMP_MIN_LAUNCHED_ORDINARY = launcher(CLAMP_MIN, "ordinary")
CLAMP_MIN_KERNEL = chapter._at_least
CLAMP_MIN_LAUNCHED_IN_PLACE = launcher(CLAMP_MIN, "in-place")


def clamp_min(x: Tensor, min: Any, name: str | None = None) -> Tensor:
    """Replace elements below `min` by `min`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("clamp_min", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "fiu":
        operands.check_dtype("clamp_min", "fiu", form0.dtype)
    storage = x.storage
    min = CLAMP_MIN_PREPARE_MIN(a0, min)
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        if not (storage.device.launches and CLAMP_MIN_LAUNCHED_ORDINARY((x,), (a0,), array, min=min)):
            CLAMP_MIN_KERNEL(array, a0, min)
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
            node.row, node.edges, node.kept = (CLAMP_MIN, (e0,), kept)
            node.forms, node.facts = ((form0,), {"min": min})
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify(
            "clamp_min",
            "ordinary",
            (x,),
            result,
            node,
            attributes={"min": min},
            depends=dependence(CLAMP_MIN, {"x": a0, "min": min}, array.shape),
        )
    return result


def clamp_min_(x: Tensor, min: Any, name: str | None = None) -> Tensor:
    """Replace elements below `min` by `min`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("clamp_min_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("clamp_min_", x)
    if form0.kind not in "fiu":
        operands.check_dtype("clamp_min_", "fiu", form0.dtype)
    min = CLAMP_MIN_PREPARE_MIN(a0, min)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("clamp_min_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (CLAMP_MIN, (e0,), UNFINISHED)
            node.forms, node.facts = ((form0,), {"min": min})
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
        if not (storage.device.launches and CLAMP_MIN_LAUNCHED_IN_PLACE((x,), (a0,), min=min)):
            CLAMP_MIN_KERNEL(a0, a0, min)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "clamp_min_",
            "in-place",
            (x,),
            x,
            node,
            attributes={"min": min},
            depends=dependence(CLAMP_MIN, {"x": a0, "min": min}, a0.shape),
        )
    return x


# ---- clamp_max -----------------------------------------------------------------------------------

CLAMP_MAX = chapter.CLAMP_MAX
CLAMP_MAX_PREPARE_MAX = CLAMP_MAX.prepare["max"]
CLAMP_MAX_LAUNCHED_ORDINARY = launcher(CLAMP_MAX, "ordinary")
CLAMP_MAX_KERNEL = chapter._at_most
CLAMP_MAX_LAUNCHED_IN_PLACE = launcher(CLAMP_MAX, "in-place")


def clamp_max(x: Tensor, max: Any, name: str | None = None) -> Tensor:
    """Replace elements above `max` by `max`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("clamp_max", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "fiu":
        operands.check_dtype("clamp_max", "fiu", form0.dtype)
    storage = x.storage
    max = CLAMP_MAX_PREPARE_MAX(a0, max)
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        if not (storage.device.launches and CLAMP_MAX_LAUNCHED_ORDINARY((x,), (a0,), array, max=max)):
            CLAMP_MAX_KERNEL(array, a0, max)
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
            node.row, node.edges, node.kept = (CLAMP_MAX, (e0,), kept)
            node.forms, node.facts = ((form0,), {"max": max})
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify(
            "clamp_max",
            "ordinary",
            (x,),
            result,
            node,
            attributes={"max": max},
            depends=dependence(CLAMP_MAX, {"x": a0, "max": max}, array.shape),
        )
    return result


def clamp_max_(x: Tensor, max: Any, name: str | None = None) -> Tensor:
    """Replace elements above `max` by `max`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("clamp_max_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("clamp_max_", x)
    if form0.kind not in "fiu":
        operands.check_dtype("clamp_max_", "fiu", form0.dtype)
    max = CLAMP_MAX_PREPARE_MAX(a0, max)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("clamp_max_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (CLAMP_MAX, (e0,), UNFINISHED)
            node.forms, node.facts = ((form0,), {"max": max})
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
        if not (storage.device.launches and CLAMP_MAX_LAUNCHED_IN_PLACE((x,), (a0,), max=max)):
            CLAMP_MAX_KERNEL(a0, a0, max)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "clamp_max_",
            "in-place",
            (x,),
            x,
            node,
            attributes={"max": max},
            depends=dependence(CLAMP_MAX, {"x": a0, "max": max}, a0.shape),
        )
    return x


# ---- nan_to_num ----------------------------------------------------------------------------------

NAN_TO_NUM = chapter.NAN_TO_NUM
NAN_TO_NUM_VALIDATE = chapter._floats
NAN_TO_NUM_PREPARE_NAN = NAN_TO_NUM.prepare["nan"]
NAN_TO_NUM_PREPARE_POSINF = NAN_TO_NUM.prepare["posinf"]
NAN_TO_NUM_PREPARE_NEGINF = NAN_TO_NUM.prepare["neginf"]
NAN_TO_NUM_KERNEL = chapter._nan_to_num


def nan_to_num(x: Tensor, nan: Any = 0.0, posinf: Any = None, neginf: Any = None, name: str | None = None) -> Tensor:
    """Replace NaN and the infinities by finite numbers."""
    if type(x) is not Tensor:
        x = operands.as_tensor("nan_to_num", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    NAN_TO_NUM_VALIDATE(a0)
    storage = x.storage
    nan = NAN_TO_NUM_PREPARE_NAN(a0, nan)
    posinf = NAN_TO_NUM_PREPARE_POSINF(a0, posinf)
    neginf = NAN_TO_NUM_PREPARE_NEGINF(a0, neginf)
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        NAN_TO_NUM_KERNEL(array, a0, nan, posinf, neginf, storage.device)
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
            node.row, node.edges, node.kept = (NAN_TO_NUM, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify(
            "nan_to_num",
            "ordinary",
            (x,),
            result,
            node,
            attributes={"nan": nan, "posinf": posinf, "neginf": neginf},
            depends=dependence(NAN_TO_NUM, {"x": a0, "nan": nan, "posinf": posinf, "neginf": neginf}, array.shape),
        )
    return result


def nan_to_num_(x: Tensor, nan: Any = 0.0, posinf: Any = None, neginf: Any = None, name: str | None = None) -> Tensor:
    """Replace NaN and the infinities by finite numbers."""
    if type(x) is not Tensor:
        x = operands.as_tensor("nan_to_num_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("nan_to_num_", x)
    NAN_TO_NUM_VALIDATE(a0)
    nan = NAN_TO_NUM_PREPARE_NAN(a0, nan)
    posinf = NAN_TO_NUM_PREPARE_POSINF(a0, posinf)
    neginf = NAN_TO_NUM_PREPARE_NEGINF(a0, neginf)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("nan_to_num_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (NAN_TO_NUM, (e0,), UNFINISHED)
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
        NAN_TO_NUM_KERNEL(a0, a0, nan, posinf, neginf, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "nan_to_num_",
            "in-place",
            (x,),
            x,
            node,
            attributes={"nan": nan, "posinf": posinf, "neginf": neginf},
            depends=dependence(NAN_TO_NUM, {"x": a0, "nan": nan, "posinf": posinf, "neginf": neginf}, a0.shape),
        )
    return x
