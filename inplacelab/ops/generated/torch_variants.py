"""The functions of the rows in `inplacelab/ops/torch_variants.py`.

Generated: `python -m inplacelab.ops.table.generate` writes this file. Do not edit it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab import dtypes
from inplacelab.autograd.history import accumulator, check_leaf, edge, rebase, refresh
from inplacelab.autograd.nodes import NOTHING, UNFINISHED, OpNode, new_node, next_serial
from inplacelab.autograd.saved import OUTPUT, Saved, save, save_copy
from inplacelab.layout import common_shape
from inplacelab.modes import current as current_modes
from inplacelab.ops import activations, arithmetic, comparisons_and_logic, reductions
from inplacelab.ops import torch_variants as chapter
from inplacelab.ops.arguments import operands
from inplacelab.ops.results import destinations, kernel_tools
from inplacelab.ops.results.kernel_tools import launcher
from inplacelab.ops.table.depends import dependence
from inplacelab.ops.table.row import required
from inplacelab.tensor import Tensor, fresh, known_form

# ---- _relu ---------------------------------------------------------------------------------------

_RELU = chapter._RELU
_RELU_LAUNCHED_ORDINARY = launcher(_RELU, "ordinary")
_RELU_KERNEL = chapter._relu
_RELU_LAUNCHED_IN_PLACE = launcher(_RELU, "in-place")


def _relu(x: Tensor, name: str | None = None) -> Tensor:
    """Replace negative elements by zero."""
    if type(x) is not Tensor:
        x = operands.as_tensor("relu", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fiu":
        operands.check_dtype("relu", "fiu", form0.dtype)
    storage = x.storage
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        if not (storage.device.launches and _RELU_LAUNCHED_ORDINARY((x,), (a0,), array)):
            _RELU_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = _RELU, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify("relu", "ordinary", (x,), result, node, depends=dependence(_RELU, {"x": a0}, array.shape))
    return result


def _relu_(x: Tensor, name: str | None = None) -> Tensor:
    """Replace negative elements by zero."""
    if type(x) is not Tensor:
        x = operands.as_tensor("relu_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("relu_", x)
    if form0.kind not in "fiu":
        operands.check_dtype("relu_", "fiu", form0.dtype)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("relu_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = _RELU, (e0,), UNFINISHED
            node.forms, node.facts = (form0,), NOTHING
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
        if not (storage.device.launches and _RELU_LAUNCHED_IN_PLACE((x,), (a0,))):
            _RELU_KERNEL(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if e0 is not None:
            kept += (save("out", a0, storage, OUTPUT),)
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("relu_", "in-place", (x,), x, node, depends=dependence(_RELU, {"x": a0}, a0.shape))
    return x


# ---- _sign ---------------------------------------------------------------------------------------

_SIGN = chapter._SIGN
_SIGN_LAUNCHED_ORDINARY = launcher(_SIGN, "ordinary")
_SIGN_KERNEL = chapter._sign
_SIGN_LAUNCHED_IN_PLACE = launcher(_SIGN, "in-place")


def _sign(x: Tensor, name: str | None = None) -> Tensor:
    """-1, 0 or 1 for each element; for a complex number, its direction."""
    if type(x) is not Tensor:
        x = operands.as_tensor("sign", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fiu":
        operands.check_dtype("sign", "fiu", form0.dtype)
    storage = x.storage
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        if not (storage.device.launches and _SIGN_LAUNCHED_ORDINARY((x,), (a0,), array)):
            _SIGN_KERNEL(array, a0, storage.device)
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
            node.row, node.edges, node.kept = _SIGN, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("sign", "ordinary", (x,), result, node, depends=dependence(_SIGN, {"x": a0}, array.shape))
    return result


def _sign_(x: Tensor, name: str | None = None) -> Tensor:
    """-1, 0 or 1 for each element; for a complex number, its direction."""
    if type(x) is not Tensor:
        x = operands.as_tensor("sign_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("sign_", x)
    if form0.kind not in "fiu":
        operands.check_dtype("sign_", "fiu", form0.dtype)
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
            node.row, node.edges, node.kept = _SIGN, (e0,), UNFINISHED
            node.forms, node.facts = (form0,), NOTHING
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
        if not (storage.device.launches and _SIGN_LAUNCHED_IN_PLACE((x,), (a0,))):
            _SIGN_KERNEL(a0, a0, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("sign_", "in-place", (x,), x, node, depends=dependence(_SIGN, {"x": a0}, a0.shape))
    return x


# ---- _sgn ----------------------------------------------------------------------------------------

_SGN = chapter._SGN
_SGN_LAUNCHED_ORDINARY = launcher(_SGN, "ordinary")
_SGN_KERNEL = chapter._sign
_SGN_LAUNCHED_IN_PLACE = launcher(_SGN, "in-place")


def _sgn(x: Tensor, name: str | None = None) -> Tensor:
    """The direction of each element: `x / |x|`, and 0 for 0."""
    if type(x) is not Tensor:
        x = operands.as_tensor("sgn", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fiu":
        operands.check_dtype("sgn", "fiu", form0.dtype)
    storage = x.storage
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        if not (storage.device.launches and _SGN_LAUNCHED_ORDINARY((x,), (a0,), array)):
            _SGN_KERNEL(array, a0, storage.device)
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
            node.row, node.edges, node.kept = _SGN, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("sgn", "ordinary", (x,), result, node, depends=dependence(_SGN, {"x": a0}, array.shape))
    return result


def _sgn_(x: Tensor, name: str | None = None) -> Tensor:
    """The direction of each element: `x / |x|`, and 0 for 0."""
    if type(x) is not Tensor:
        x = operands.as_tensor("sgn_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("sgn_", x)
    if form0.kind not in "fiu":
        operands.check_dtype("sgn_", "fiu", form0.dtype)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("sgn_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = _SGN, (e0,), UNFINISHED
            node.forms, node.facts = (form0,), NOTHING
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
        if not (storage.device.launches and _SGN_LAUNCHED_IN_PLACE((x,), (a0,))):
            _SGN_KERNEL(a0, a0, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("sgn_", "in-place", (x,), x, node, depends=dependence(_SGN, {"x": a0}, a0.shape))
    return x


# ---- _abs ----------------------------------------------------------------------------------------

_ABS = chapter._ABS
_ABS_DTYPE = required(_ABS.dtype)
_ABS_LAUNCHED_ORDINARY = launcher(_ABS, "ordinary")
_ABS_UFUNC = np.absolute
_ABS_LAUNCHED_IN_PLACE = launcher(_ABS, "in-place")


def _abs(x: Tensor, name: str | None = None) -> Tensor:
    """The absolute value of each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("abs", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fiu":
        operands.check_dtype("abs", "fiu", form0.dtype)
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, _ABS_DTYPE(form0.dtype))
    try:
        if not (storage.device.launches and _ABS_LAUNCHED_ORDINARY((x,), (a0,), array)):
            _ABS_UFUNC(a0, array)
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
            node.row, node.edges, node.kept = _ABS, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("abs", "ordinary", (x,), result, node, depends=dependence(_ABS, {"x": a0}, array.shape))
    return result


def _abs_(x: Tensor, name: str | None = None) -> Tensor:
    """The absolute value of each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("abs_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("abs_", x)
    if form0.kind not in "fiu":
        operands.check_dtype("abs_", "fiu", form0.dtype)
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
            node.row, node.edges, node.kept = _ABS, (e0,), UNFINISHED
            node.forms, node.facts = (form0,), NOTHING
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
        if not (storage.device.launches and _ABS_LAUNCHED_IN_PLACE((x,), (a0,))):
            _ABS_UFUNC(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("abs_", "in-place", (x,), x, node, depends=dependence(_ABS, {"x": a0}, a0.shape))
    return x


# ---- _hardtanh -----------------------------------------------------------------------------------

_HARDTANH = chapter._HARDTANH
_HARDTANH_PREPARE_MIN = _HARDTANH.prepare["min"]
_HARDTANH_PREPARE_MAX = _HARDTANH.prepare["max"]
_HARDTANH_LAUNCHED_ORDINARY = launcher(_HARDTANH, "ordinary")
_HARDTANH_KERNEL = kernel_tools.clip_into
_HARDTANH_LAUNCHED_IN_PLACE = launcher(_HARDTANH, "in-place")


def _hardtanh(x: Tensor, min: Any = -1.0, max: Any = 1.0, name: str | None = None) -> Tensor:
    """Keep each element between `min` and `max`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("hardtanh", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "f":
        operands.check_dtype("hardtanh", "f", form0.dtype)
    storage = x.storage
    min = _HARDTANH_PREPARE_MIN(a0, min)
    max = _HARDTANH_PREPARE_MAX(a0, max)
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        if not (storage.device.launches and _HARDTANH_LAUNCHED_ORDINARY((x,), (a0,), array, min=min, max=max)):
            _HARDTANH_KERNEL(array, a0, min, max)
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
            node.row, node.edges, node.kept = _HARDTANH, (e0,), kept
            node.forms, node.facts = (form0,), {"max": max, "min": min}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "hardtanh",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(_HARDTANH, {"x": a0, "min": min, "max": max}, array.shape),
        )
    return result


def _hardtanh_(x: Tensor, min: Any = -1.0, max: Any = 1.0, name: str | None = None) -> Tensor:
    """Keep each element between `min` and `max`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("hardtanh_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("hardtanh_", x)
    if form0.kind not in "f":
        operands.check_dtype("hardtanh_", "f", form0.dtype)
    min = _HARDTANH_PREPARE_MIN(a0, min)
    max = _HARDTANH_PREPARE_MAX(a0, max)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("hardtanh_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = _HARDTANH, (e0,), UNFINISHED
            node.forms, node.facts = (form0,), {"max": max, "min": min}
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
        if not (storage.device.launches and _HARDTANH_LAUNCHED_IN_PLACE((x,), (a0,), min=min, max=max)):
            _HARDTANH_KERNEL(a0, a0, min, max)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "hardtanh_",
            "in-place",
            (x,),
            x,
            node,
            depends=dependence(_HARDTANH, {"x": a0, "min": min, "max": max}, a0.shape),
        )
    return x


# ---- _leaky_relu ---------------------------------------------------------------------------------

_LEAKY_RELU = chapter._LEAKY_RELU
_LEAKY_RELU_PREPARE_NEGATIVE_SLOPE = _LEAKY_RELU.prepare["negative_slope"]
_LEAKY_RELU_LAUNCHED_ORDINARY = launcher(_LEAKY_RELU, "ordinary")
_LEAKY_RELU_KERNEL = activations._leaky_relu


def _leaky_relu(x: Tensor, negative_slope: Any = 0.01, name: str | None = None) -> Tensor:
    """Multiply negative elements by `negative_slope`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("leaky_relu", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "f":
        operands.check_dtype("leaky_relu", "f", form0.dtype)
    storage = x.storage
    negative_slope = _LEAKY_RELU_PREPARE_NEGATIVE_SLOPE(a0, negative_slope)
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        if not (
            storage.device.launches and _LEAKY_RELU_LAUNCHED_ORDINARY((x,), (a0,), array, negative_slope=negative_slope)
        ):
            _LEAKY_RELU_KERNEL(array, a0, negative_slope, storage.device)
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
            node.row, node.edges, node.kept = _LEAKY_RELU, (e0,), kept
            node.forms, node.facts = (form0,), {"negative_slope": negative_slope}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "leaky_relu",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(_LEAKY_RELU, {"x": a0, "negative_slope": negative_slope}, array.shape),
        )
    return result


# ---- _leaky_relu_over ----------------------------------------------------------------------------

_LEAKY_RELU_OVER = chapter._LEAKY_RELU_OVER
_LEAKY_RELU_OVER_PREPARE_NEGATIVE_SLOPE = _LEAKY_RELU_OVER.prepare["negative_slope"]
_LEAKY_RELU_OVER_LAUNCHED_IN_PLACE = launcher(_LEAKY_RELU_OVER, "in-place")
_LEAKY_RELU_OVER_KERNEL = activations._leaky_relu


def _leaky_relu_over_(x: Tensor, negative_slope: Any = 0.01, name: str | None = None) -> Tensor:
    """Multiply negative elements by `negative_slope`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("leaky_relu_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("leaky_relu_", x)
    if form0.kind not in "f":
        operands.check_dtype("leaky_relu_", "f", form0.dtype)
    negative_slope = _LEAKY_RELU_OVER_PREPARE_NEGATIVE_SLOPE(a0, negative_slope)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("leaky_relu_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = _LEAKY_RELU_OVER, (e0,), UNFINISHED
            node.forms, node.facts = (form0,), {"negative_slope": negative_slope}
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
        if not (
            storage.device.launches and _LEAKY_RELU_OVER_LAUNCHED_IN_PLACE((x,), (a0,), negative_slope=negative_slope)
        ):
            _LEAKY_RELU_OVER_KERNEL(a0, a0, negative_slope, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if e0 is not None:
            kept += (save("out", a0, storage, OUTPUT),)
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "leaky_relu_",
            "in-place",
            (x,),
            x,
            node,
            depends=dependence(_LEAKY_RELU_OVER, {"x": a0, "negative_slope": negative_slope}, a0.shape),
        )
    return x


# ---- _sqrt ---------------------------------------------------------------------------------------

_SQRT = chapter._SQRT
_SQRT_DTYPE = dtypes.floating
_SQRT_LAUNCHED_ORDINARY = launcher(_SQRT, "ordinary")
_SQRT_UFUNC = np.sqrt
_SQRT_KERNEL = required(_SQRT.kernel)
_SQRT_LAUNCHED_IN_PLACE = launcher(_SQRT, "in-place")


def _sqrt(x: Tensor, name: str | None = None) -> Tensor:
    """The square root of each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("sqrt", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fciu":
        operands.check_dtype("sqrt", "fciu", form0.dtype)
    plain = form0.kind in "fc"
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, _SQRT_DTYPE(form0.dtype))
    try:
        if not (storage.device.launches and _SQRT_LAUNCHED_ORDINARY((x,), (a0,), array)):
            if plain:
                _SQRT_UFUNC(a0, array)
            else:
                _SQRT_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = _SQRT, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify("sqrt", "ordinary", (x,), result, node, depends=dependence(_SQRT, {"x": a0}, array.shape))
    return result


def _sqrt_(x: Tensor, name: str | None = None) -> Tensor:
    """The square root of each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("sqrt_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
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
            node.row, node.edges, node.kept = _SQRT, (e0,), UNFINISHED
            node.forms, node.facts = (form0,), NOTHING
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
        if not (storage.device.launches and _SQRT_LAUNCHED_IN_PLACE((x,), (a0,))):
            _SQRT_UFUNC(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if e0 is not None:
            kept += (save("out", a0, storage, OUTPUT),)
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("sqrt_", "in-place", (x,), x, node, depends=dependence(_SQRT, {"x": a0}, a0.shape))
    return x


# ---- _hardswish ----------------------------------------------------------------------------------

_HARDSWISH = chapter._HARDSWISH
_HARDSWISH_LAUNCHED_ORDINARY = launcher(_HARDSWISH, "ordinary")
_HARDSWISH_KERNEL = chapter._hardswish
_HARDSWISH_LAUNCHED_IN_PLACE = launcher(_HARDSWISH, "in-place")


def _hardswish(x: Tensor, name: str | None = None) -> Tensor:
    """`x * (x + 3) / 6` between -3 and 3, 0 below and `x` above."""
    if type(x) is not Tensor:
        x = operands.as_tensor("hardswish", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "f":
        operands.check_dtype("hardswish", "f", form0.dtype)
    storage = x.storage
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        if not (storage.device.launches and _HARDSWISH_LAUNCHED_ORDINARY((x,), (a0,), array)):
            _HARDSWISH_KERNEL(array, a0, storage.device)
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
            node.row, node.edges, node.kept = _HARDSWISH, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("hardswish", "ordinary", (x,), result, node, depends=dependence(_HARDSWISH, {"x": a0}, array.shape))
    return result


def _hardswish_(x: Tensor, name: str | None = None) -> Tensor:
    """`x * (x + 3) / 6` between -3 and 3, 0 below and `x` above."""
    if type(x) is not Tensor:
        x = operands.as_tensor("hardswish_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("hardswish_", x)
    if form0.kind not in "f":
        operands.check_dtype("hardswish_", "f", form0.dtype)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("hardswish_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = _HARDSWISH, (e0,), UNFINISHED
            node.forms, node.facts = (form0,), NOTHING
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
        if not (storage.device.launches and _HARDSWISH_LAUNCHED_IN_PLACE((x,), (a0,))):
            _HARDSWISH_KERNEL(a0, a0, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("hardswish_", "in-place", (x,), x, node, depends=dependence(_HARDSWISH, {"x": a0}, a0.shape))
    return x


# ---- _maximum ------------------------------------------------------------------------------------

_MAXIMUM = chapter._MAXIMUM
_MAXIMUM_LAUNCHED_ORDINARY = launcher(_MAXIMUM, "ordinary")
_MAXIMUM_KERNEL = comparisons_and_logic._maximum


def _maximum(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """The larger of two elements; NaN if one of them is."""
    if type(x) is not Tensor:
        x = operands.as_tensor("maximum", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("maximum", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form0.kind not in "fiu" or form1.dtype is not form0.dtype:
        operands.check_dtype("maximum", "fiu", form0.dtype, form1.dtype)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("maximum", x, y)
    form = form0 if form1 is form0 else None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("_maximum", x, y),
        form0.dtype if form0.dtype is form1.dtype else operands.promoted("_maximum", form0.dtype, form1.dtype),
    )
    try:
        if not (storage.device.launches and _MAXIMUM_LAUNCHED_ORDINARY((x, y), (a0, a1), array)):
            _MAXIMUM_KERNEL(array, a0, a1)
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
            node.row, node.edges, node.kept = _MAXIMUM, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "maximum", "ordinary", (x, y), result, node, depends=dependence(_MAXIMUM, {"x": a0, "y": a1}, array.shape)
        )
    return result


# ---- _minimum ------------------------------------------------------------------------------------

_MINIMUM = chapter._MINIMUM
_MINIMUM_LAUNCHED_ORDINARY = launcher(_MINIMUM, "ordinary")
_MINIMUM_KERNEL = comparisons_and_logic._minimum


def _minimum(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """The smaller of two elements; NaN if one of them is."""
    if type(x) is not Tensor:
        x = operands.as_tensor("minimum", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("minimum", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form0.kind not in "fiu" or form1.dtype is not form0.dtype:
        operands.check_dtype("minimum", "fiu", form0.dtype, form1.dtype)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("minimum", x, y)
    form = form0 if form1 is form0 else None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("_minimum", x, y),
        form0.dtype if form0.dtype is form1.dtype else operands.promoted("_minimum", form0.dtype, form1.dtype),
    )
    try:
        if not (storage.device.launches and _MINIMUM_LAUNCHED_ORDINARY((x, y), (a0, a1), array)):
            _MINIMUM_KERNEL(array, a0, a1)
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
            node.row, node.edges, node.kept = _MINIMUM, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "minimum", "ordinary", (x, y), result, node, depends=dependence(_MINIMUM, {"x": a0, "y": a1}, array.shape)
        )
    return result


# ---- _at_least -----------------------------------------------------------------------------------

_AT_LEAST = chapter._AT_LEAST
_AT_LEAST_LAUNCHED_ORDINARY = launcher(_AT_LEAST, "ordinary")
_AT_LEAST_KERNEL = comparisons_and_logic._maximum


def _at_least(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """The larger of two elements; NaN if one of them is."""
    if type(x) is not Tensor:
        x = operands.as_tensor("maximum", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("maximum", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form0.kind not in "fiu" or form1.dtype is not form0.dtype:
        operands.check_dtype("maximum", "fiu", form0.dtype, form1.dtype)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("maximum", x, y)
    form = form0 if form1 is form0 else None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("_at_least", x, y),
        form0.dtype if form0.dtype is form1.dtype else operands.promoted("_at_least", form0.dtype, form1.dtype),
    )
    try:
        if not (storage.device.launches and _AT_LEAST_LAUNCHED_ORDINARY((x, y), (a0, a1), array)):
            _AT_LEAST_KERNEL(array, a0, a1)
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
            node.row, node.edges, node.kept = _AT_LEAST, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "maximum", "ordinary", (x, y), result, node, depends=dependence(_AT_LEAST, {"x": a0, "y": a1}, array.shape)
        )
    return result


# ---- _at_most ------------------------------------------------------------------------------------

_AT_MOST = chapter._AT_MOST
_AT_MOST_LAUNCHED_ORDINARY = launcher(_AT_MOST, "ordinary")
_AT_MOST_KERNEL = comparisons_and_logic._minimum


def _at_most(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """The smaller of two elements; NaN if one of them is."""
    if type(x) is not Tensor:
        x = operands.as_tensor("minimum", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("minimum", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form0.kind not in "fiu" or form1.dtype is not form0.dtype:
        operands.check_dtype("minimum", "fiu", form0.dtype, form1.dtype)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("minimum", x, y)
    form = form0 if form1 is form0 else None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("_at_most", x, y),
        form0.dtype if form0.dtype is form1.dtype else operands.promoted("_at_most", form0.dtype, form1.dtype),
    )
    try:
        if not (storage.device.launches and _AT_MOST_LAUNCHED_ORDINARY((x, y), (a0, a1), array)):
            _AT_MOST_KERNEL(array, a0, a1)
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
            node.row, node.edges, node.kept = _AT_MOST, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "minimum", "ordinary", (x, y), result, node, depends=dependence(_AT_MOST, {"x": a0, "y": a1}, array.shape)
        )
    return result


# ---- _atan2 --------------------------------------------------------------------------------------

_ATAN2 = chapter._ATAN2
_ATAN2_DTYPE = required(_ATAN2.dtype)
_ATAN2_LAUNCHED_ORDINARY = launcher(_ATAN2, "ordinary")
_ATAN2_UFUNC = np.arctan2
_ATAN2_KERNEL = required(_ATAN2.kernel)
_ATAN2_LAUNCHED_IN_PLACE = launcher(_ATAN2, "in-place")


def _atan2(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """The angle of the point (y, x): the arc tangent of `x / y`, in the quadrant of the point."""
    if type(x) is not Tensor:
        x = operands.as_tensor("atan2", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("atan2", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form0.kind not in "fiu":
        operands.check_dtype("atan2", "fiu", form0.dtype)
    plain = form0.kind in "f"
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("atan2", x, y)
    form = None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("_atan2", x, y),
        _ATAN2_DTYPE(form0.dtype, form1.dtype),
    )
    try:
        if not (storage.device.launches and _ATAN2_LAUNCHED_ORDINARY((x, y), (a0, a1), array)):
            if plain:
                _ATAN2_UFUNC(a0, a1, array)
            else:
                _ATAN2_KERNEL(array, a0, a1)
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
            node.row, node.edges, node.kept = _ATAN2, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "atan2", "ordinary", (x, y), result, node, depends=dependence(_ATAN2, {"x": a0, "y": a1}, array.shape)
        )
    return result


def _atan2_(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """The angle of the point (y, x): the arc tangent of `x / y`, in the quadrant of the point."""
    if type(x) is not Tensor:
        x = operands.as_tensor("atan2_", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("atan2_", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("atan2_", x)
    storage1 = y.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("atan2_", x, y)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("atan2_", x, y)
    if storage1 is storage and y is not x:
        operands.check_overlap("atan2_", x, y)
    if form0.kind not in "fiu":
        operands.check_dtype("atan2_", "fiu", form0.dtype)
    plain = form0.kind in "f"
    dtype = _ATAN2_DTYPE(form0.dtype, form1.dtype)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate(
            "atan2_", x, lambda: _atan2(x=x, y=y), (y,), lambda: dependence(_ATAN2, {"x": a0, "y": a1}, form0.shape)
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("atan2_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (
                save_copy("x", a0, storage, e0),
                save("y", a1, storage1, e1) if storage1 is not storage else operands.save_operand("y", y, e1, x),
            )
            node = new_node(OpNode)
            node.row, node.edges, node.kept = _ATAN2, (e0, e1), UNFINISHED
            node.forms, node.facts = (form0, form1), NOTHING
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
        if not (storage.device.launches and _ATAN2_LAUNCHED_IN_PLACE((x, y), (a0, a1))):
            if plain:
                _ATAN2_UFUNC(a0, a1, a0)
            else:
                _ATAN2_KERNEL(a0, a0, a1)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("atan2_", "in-place", (x, y), x, node, depends=dependence(_ATAN2, {"x": a0, "y": a1}, a0.shape))
    return x


# ---- _lerp ---------------------------------------------------------------------------------------

_LERP = chapter._LERP
_LERP_DTYPE = arithmetic._one_dtype
_LERP_LAUNCHED_ORDINARY = launcher(_LERP, "ordinary")
_LERP_KERNEL = chapter._lerp
_LERP_LAUNCHED_IN_PLACE = launcher(_LERP, "in-place")


def _lerp(x: Tensor, y: Tensor, weight: Any, name: str | None = None) -> Tensor:
    """Interpolate between `x` and `y`: `x + weight * (y - x)`; `weight` is a number or a tensor."""
    if type(x) is not Tensor:
        x = operands.as_tensor("lerp", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("lerp", "y", 1, y)
    if type(weight) is not Tensor:
        weight = operands.as_operand("lerp", "weight", 2, weight, x)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    a2, form2 = weight.array, weight.form or known_form(weight)
    if form0.kind not in "f":
        operands.check_dtype("lerp", "f", form0.dtype)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("lerp", x, y)
    if weight.storage.device is not storage.device:
        operands.refuse_devices("lerp", x, weight)
    form = None
    array = storage.device.empty(
        form0.shape if form0.shape == form1.shape == form2.shape else operands.broadcast("_lerp", x, y, weight),
        _LERP_DTYPE(form0.dtype, form1.dtype, form2.dtype),
    )
    try:
        if not (storage.device.launches and _LERP_LAUNCHED_ORDINARY((x, y, weight), (a0, a1, a2), array)):
            _LERP_KERNEL(array, a0, a1, a2, storage.device)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e0 = edge(x) if x.base is not None else None if x._stop else x.node or accumulator(x)
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        e2 = edge(weight) if weight.base is not None else None if weight._stop else weight.node or accumulator(weight)
        if e0 is not None or e1 is not None or e2 is not None:
            kept: tuple[Saved, ...] = ()
            if e2 is not None:
                kept += (save("x", a0, x.storage, e0),)
            if e2 is not None:
                kept += (save("y", a1, y.storage, e1),)
            if e0 is not None or e1 is not None:
                kept += (save("weight", a2, weight.storage, e2),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = _LERP, (e0, e1, e2), kept
            node.forms, node.facts = (form0, form1, form2), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "lerp",
            "ordinary",
            (x, y, weight),
            result,
            node,
            depends=dependence(_LERP, {"x": a0, "y": a1, "weight": a2}, array.shape),
        )
    return result


def _lerp_(x: Tensor, y: Tensor, weight: Any, name: str | None = None) -> Tensor:
    """Interpolate between `x` and `y`: `x + weight * (y - x)`; `weight` is a number or a tensor."""
    if type(x) is not Tensor:
        x = operands.as_tensor("lerp_", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("lerp_", "y", 1, y)
    if type(weight) is not Tensor:
        weight = operands.as_operand("lerp_", "weight", 2, weight, x)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    a2, form2 = weight.array, weight.form or known_form(weight)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("lerp_", x)
    storage1 = y.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("lerp_", x, y)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("lerp_", x, y)
    if storage1 is storage and y is not x:
        operands.check_overlap("lerp_", x, y)
    storage2 = weight.storage
    if storage2.device is not storage.device:
        operands.refuse_devices("lerp_", x, weight)
    if form2 is not form0 and form2.shape != form0.shape and (common_shape(form0.shape, form2.shape) != form0.shape):
        operands.refuse_shape("lerp_", x, weight)
    if storage2 is storage and weight is not x:
        operands.check_overlap("lerp_", x, weight)
    if form0.kind not in "f":
        operands.check_dtype("lerp_", "f", form0.dtype)
    dtype = _LERP_DTYPE(form0.dtype, form1.dtype, form2.dtype)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate(
            "lerp_",
            x,
            lambda: _lerp(x=x, y=y, weight=weight),
            (y, weight),
            lambda: dependence(_LERP, {"x": a0, "y": a1, "weight": a2}, form0.shape),
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(y) if y.base is not None else None if y._stop else y.node or accumulator(y)
        e2 = edge(weight) if weight.base is not None else None if weight._stop else weight.node or accumulator(weight)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None or (e2 is not None):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("lerp_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            if e2 is not None:
                kept += (save_copy("x", a0, storage, e0),)
            if e2 is not None:
                kept += (
                    save("y", a1, storage1, e1) if storage1 is not storage else operands.save_operand("y", y, e1, x),
                )
            if e0 is not None or e1 is not None:
                kept += (
                    save("weight", a2, storage2, e2)
                    if storage2 is not storage
                    else operands.save_operand("weight", weight, e2, x),
                )
            node = new_node(OpNode)
            node.row, node.edges, node.kept = _LERP, (e0, e1, e2), UNFINISHED
            node.forms, node.facts = (form0, form1, form2), NOTHING
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
        if not (storage.device.launches and _LERP_LAUNCHED_IN_PLACE((x, y, weight), (a0, a1, a2))):
            _LERP_KERNEL(a0, a0, a1, a2, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "lerp_",
            "in-place",
            (x, y, weight),
            x,
            node,
            depends=dependence(_LERP, {"x": a0, "y": a1, "weight": a2}, a0.shape),
        )
    return x


# ---- _max ----------------------------------------------------------------------------------------

_MAX = chapter._MAX
_MAX_VALIDATE = reductions._check_elements
_MAX_PREPARE_AXIS = reductions.axes_of
_MAX_SHAPE = required(_MAX.shape)
_MAX_KERNEL = reductions._largest


def _max(x: Tensor, axis: Any = None, keepdim: Any = False, name: str | None = None) -> Tensor:
    """The largest element over the axes in `axis`, or of all."""
    if type(x) is not Tensor:
        x = operands.as_tensor("max", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fiu":
        operands.check_dtype("max", "fiu", form0.dtype)
    _MAX_VALIDATE(a0, axis)
    storage = x.storage
    axis = _MAX_PREPARE_AXIS(a0, axis)
    form = None
    array = storage.device.empty(_MAX_SHAPE(form0.shape, axis, keepdim), form0.dtype)
    try:
        _MAX_KERNEL(array, a0, axis, keepdim)
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
            node.row, node.edges, node.kept = _MAX, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify(
            "max",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(_MAX, {"x": a0, "axis": axis, "keepdim": keepdim}, array.shape),
        )
    return result


# ---- _min ----------------------------------------------------------------------------------------

_MIN = chapter._MIN
_MIN_VALIDATE = reductions._check_elements
_MIN_PREPARE_AXIS = reductions.axes_of
_MIN_SHAPE = required(_MIN.shape)
_MIN_KERNEL = reductions._smallest


def _min(x: Tensor, axis: Any = None, keepdim: Any = False, name: str | None = None) -> Tensor:
    """The smallest element over the axes in `axis`, or of all."""
    if type(x) is not Tensor:
        x = operands.as_tensor("min", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fiu":
        operands.check_dtype("min", "fiu", form0.dtype)
    _MIN_VALIDATE(a0, axis)
    storage = x.storage
    axis = _MIN_PREPARE_AXIS(a0, axis)
    form = None
    array = storage.device.empty(_MIN_SHAPE(form0.shape, axis, keepdim), form0.dtype)
    try:
        _MIN_KERNEL(array, a0, axis, keepdim)
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
            node.row, node.edges, node.kept = _MIN, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify(
            "min",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(_MIN, {"x": a0, "axis": axis, "keepdim": keepdim}, array.shape),
        )
    return result
