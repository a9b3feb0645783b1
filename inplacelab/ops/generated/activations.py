"""The functions of the rows in `inplacelab/ops/activations.py`.

Generated: `python -m inplacelab.ops.table.generate` writes this file. Do not edit it.
"""

from __future__ import annotations

from typing import Any

from inplacelab import dtypes
from inplacelab.autograd.history import accumulator, check_leaf, edge, rebase, refresh
from inplacelab.autograd.nodes import NOTHING, UNFINISHED, OpNode, new_node, next_serial
from inplacelab.autograd.saved import OUTPUT, Saved, save, save_copy
from inplacelab.layout import common_shape
from inplacelab.modes import current as current_modes
from inplacelab.ops import activations as chapter
from inplacelab.ops.arguments import keywords, operands
from inplacelab.ops.arguments.keywords import ABSENT
from inplacelab.ops.results import destinations, kernel_tools
from inplacelab.ops.results.kernel_tools import launcher
from inplacelab.ops.table.depends import dependence
from inplacelab.ops.table.row import required
from inplacelab.tensor import Tensor, fresh, known_form

# ---- sigmoid -------------------------------------------------------------------------------------

SIGMOID = chapter.SIGMOID
SIGMOID_DTYPE = dtypes.floating
SIGMOID_LAUNCHED_ORDINARY = launcher(SIGMOID, "ordinary")
SIGMOID_KERNEL = chapter._sigmoid
SIGMOID_LAUNCHED_IN_PLACE = launcher(SIGMOID, "in-place")


def sigmoid(
    x: Tensor = ABSENT, name: str | None = None, _: Any = ABSENT, out: Tensor | None = None, input: Any = ABSENT
) -> Tensor:
    """1 / (1 + exp(-x)) for each element."""
    if input is not _:
        keywords.check_named("sigmoid", 2, _)
        x = keywords.either("sigmoid", "x", x, "input", input)
    if out is not None:
        return destinations.into("sigmoid", out, (x,), lambda: sigmoid(x=x, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("sigmoid", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fciu":
        operands.check_dtype("sigmoid", "fciu", form0.dtype)
    storage = x.storage
    form = None
    array = storage.device.empty(form0.shape, SIGMOID_DTYPE(form0.dtype))
    try:
        if not (storage.device.launches and SIGMOID_LAUNCHED_ORDINARY((x,), (a0,), array)):
            SIGMOID_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = SIGMOID, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify("sigmoid", "ordinary", (x,), result, node, depends=dependence(SIGMOID, {"x": a0}, array.shape))
    return result


def sigmoid_(x: Tensor, name: str | None = None) -> Tensor:
    """1 / (1 + exp(-x)) for each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("sigmoid_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("sigmoid_", x)
    if form0.kind not in "fc":
        operands.check_dtype("sigmoid_", "fc", form0.dtype)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("sigmoid_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = SIGMOID, (e0,), UNFINISHED
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
        if not (storage.device.launches and SIGMOID_LAUNCHED_IN_PLACE((x,), (a0,))):
            SIGMOID_KERNEL(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if e0 is not None:
            kept += (save("out", a0, storage, OUTPUT),)
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("sigmoid_", "in-place", (x,), x, node, depends=dependence(SIGMOID, {"x": a0}, a0.shape))
    return x


# ---- relu ----------------------------------------------------------------------------------------

RELU = chapter.RELU
RELU_LAUNCHED_ORDINARY = launcher(RELU, "ordinary")
RELU_KERNEL = chapter._relu
RELU_LAUNCHED_IN_PLACE = launcher(RELU, "in-place")


def relu(x: Tensor, name: str | None = None) -> Tensor:
    """Replace negative elements by zero."""
    if type(x) is not Tensor:
        x = operands.as_tensor("relu", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "f":
        operands.check_dtype("relu", "f", form0.dtype)
    storage = x.storage
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        if not (storage.device.launches and RELU_LAUNCHED_ORDINARY((x,), (a0,), array)):
            RELU_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = RELU, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify("relu", "ordinary", (x,), result, node, depends=dependence(RELU, {"x": a0}, array.shape))
    return result


def relu_(x: Tensor, name: str | None = None) -> Tensor:
    """Replace negative elements by zero."""
    if type(x) is not Tensor:
        x = operands.as_tensor("relu_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("relu_", x)
    if form0.kind not in "f":
        operands.check_dtype("relu_", "f", form0.dtype)
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
            node.row, node.edges, node.kept = RELU, (e0,), UNFINISHED
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
        if not (storage.device.launches and RELU_LAUNCHED_IN_PLACE((x,), (a0,))):
            RELU_KERNEL(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if e0 is not None:
            kept += (save("out", a0, storage, OUTPUT),)
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("relu_", "in-place", (x,), x, node, depends=dependence(RELU, {"x": a0}, a0.shape))
    return x


# ---- relu6 ---------------------------------------------------------------------------------------

RELU6 = chapter.RELU6
RELU6_LAUNCHED_ORDINARY = launcher(RELU6, "ordinary")
RELU6_KERNEL = chapter._relu6


def relu6(x: Tensor, name: str | None = None) -> Tensor:
    """Keep each element between 0 and 6."""
    if type(x) is not Tensor:
        x = operands.as_tensor("relu6", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "f":
        operands.check_dtype("relu6", "f", form0.dtype)
    storage = x.storage
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        if not (storage.device.launches and RELU6_LAUNCHED_ORDINARY((x,), (a0,), array)):
            RELU6_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = RELU6, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify("relu6", "ordinary", (x,), result, node, depends=dependence(RELU6, {"x": a0}, array.shape))
    return result


# ---- silu ----------------------------------------------------------------------------------------

SILU = chapter._SILU
SILU_LAUNCHED_ORDINARY = launcher(SILU, "ordinary")
SILU_KERNEL = chapter._silu
SILU_LAUNCHED_IN_PLACE = launcher(SILU, "in-place")


def silu(x: Tensor, name: str | None = None) -> Tensor:
    """x times sigmoid(x)."""
    if type(x) is not Tensor:
        x = operands.as_tensor("silu", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fc":
        operands.check_dtype("silu", "fc", form0.dtype)
    storage = x.storage
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        if not (storage.device.launches and SILU_LAUNCHED_ORDINARY((x,), (a0,), array)):
            SILU_KERNEL(array, a0, storage.device)
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
            node.row, node.edges, node.kept = SILU, (e0,), kept
            node.forms, node.facts = (form0,), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify("silu", "ordinary", (x,), result, node, depends=dependence(SILU, {"x": a0}, array.shape))
    return result


def silu_(x: Tensor, name: str | None = None) -> Tensor:
    """x times sigmoid(x)."""
    if type(x) is not Tensor:
        x = operands.as_tensor("silu_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("silu_", x)
    if form0.kind not in "fc":
        operands.check_dtype("silu_", "fc", form0.dtype)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("silu_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = SILU, (e0,), UNFINISHED
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
        if not (storage.device.launches and SILU_LAUNCHED_IN_PLACE((x,), (a0,))):
            SILU_KERNEL(a0, a0, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("silu_", "in-place", (x,), x, node, depends=dependence(SILU, {"x": a0}, a0.shape))
    return x


# ---- softplus ------------------------------------------------------------------------------------

SOFTPLUS = chapter.SOFTPLUS
SOFTPLUS_PREPARE_BETA = SOFTPLUS.prepare["beta"]
SOFTPLUS_PREPARE_THRESHOLD = SOFTPLUS.prepare["threshold"]
SOFTPLUS_LAUNCHED_ORDINARY = launcher(SOFTPLUS, "ordinary")
SOFTPLUS_KERNEL = chapter._softplus


def softplus(
    x: Tensor = ABSENT,
    beta: Any = 1,
    threshold: Any = 20,
    name: str | None = None,
    _: Any = ABSENT,
    input: Any = ABSENT,
) -> Tensor:
    """A smooth `relu`: log(1 + exp(beta x)) / beta."""
    if input is not _:
        keywords.check_named("softplus", 4, _)
        x = keywords.either("softplus", "x", x, "input", input)
    if type(x) is not Tensor:
        x = operands.as_tensor("softplus", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "f":
        operands.check_dtype("softplus", "f", form0.dtype)
    storage = x.storage
    beta = SOFTPLUS_PREPARE_BETA(a0, beta)
    threshold = SOFTPLUS_PREPARE_THRESHOLD(a0, threshold)
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        if not (
            storage.device.launches and SOFTPLUS_LAUNCHED_ORDINARY((x,), (a0,), array, beta=beta, threshold=threshold)
        ):
            SOFTPLUS_KERNEL(array, a0, beta, threshold, storage.device)
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
            node.row, node.edges, node.kept = SOFTPLUS, (e0,), kept
            node.forms, node.facts = (form0,), {"beta": beta, "threshold": threshold}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "softplus",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(SOFTPLUS, {"x": a0, "beta": beta, "threshold": threshold}, array.shape),
        )
    return result


# ---- leaky_relu ----------------------------------------------------------------------------------

LEAKY_RELU = chapter.LEAKY_RELU
LEAKY_RELU_PREPARE_NEGATIVE_SLOPE = LEAKY_RELU.prepare["negative_slope"]
LEAKY_RELU_LAUNCHED_ORDINARY = launcher(LEAKY_RELU, "ordinary")
LEAKY_RELU_KERNEL = chapter._leaky_relu
LEAKY_RELU_LAUNCHED_IN_PLACE = launcher(LEAKY_RELU, "in-place")


def leaky_relu(x: Tensor, negative_slope: Any = 0.01, name: str | None = None) -> Tensor:
    """Multiply negative elements by `negative_slope`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("leaky_relu", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "f":
        operands.check_dtype("leaky_relu", "f", form0.dtype)
    storage = x.storage
    negative_slope = LEAKY_RELU_PREPARE_NEGATIVE_SLOPE(a0, negative_slope)
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        if not (
            storage.device.launches and LEAKY_RELU_LAUNCHED_ORDINARY((x,), (a0,), array, negative_slope=negative_slope)
        ):
            LEAKY_RELU_KERNEL(array, a0, negative_slope, storage.device)
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
            node.row, node.edges, node.kept = LEAKY_RELU, (e0,), kept
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
            depends=dependence(LEAKY_RELU, {"x": a0, "negative_slope": negative_slope}, array.shape),
        )
    return result


def leaky_relu_(x: Tensor, negative_slope: Any = 0.01, name: str | None = None) -> Tensor:
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
    negative_slope = LEAKY_RELU_PREPARE_NEGATIVE_SLOPE(a0, negative_slope)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("leaky_relu_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = LEAKY_RELU, (e0,), UNFINISHED
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
        if not (storage.device.launches and LEAKY_RELU_LAUNCHED_IN_PLACE((x,), (a0,), negative_slope=negative_slope)):
            LEAKY_RELU_KERNEL(a0, a0, negative_slope, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "leaky_relu_",
            "in-place",
            (x,),
            x,
            node,
            depends=dependence(LEAKY_RELU, {"x": a0, "negative_slope": negative_slope}, a0.shape),
        )
    return x


# ---- elu -----------------------------------------------------------------------------------------

ELU = chapter.ELU
ELU_PREPARE_ALPHA = ELU.prepare["alpha"]
ELU_LAUNCHED_ORDINARY = launcher(ELU, "ordinary")
ELU_KERNEL = chapter._elu
ELU_LAUNCHED_IN_PLACE = launcher(ELU, "in-place")


def elu(x: Tensor, alpha: Any = 1.0, name: str | None = None) -> Tensor:
    """`alpha * (exp(x) - 1)` for negative elements."""
    if type(x) is not Tensor:
        x = operands.as_tensor("elu", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "f":
        operands.check_dtype("elu", "f", form0.dtype)
    storage = x.storage
    alpha = ELU_PREPARE_ALPHA(a0, alpha)
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        if not (storage.device.launches and ELU_LAUNCHED_ORDINARY((x,), (a0,), array, alpha=alpha)):
            ELU_KERNEL(array, a0, alpha, storage.device)
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
            node.row, node.edges, node.kept = ELU, (e0,), kept
            node.forms, node.facts = (form0,), {"alpha": alpha}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "elu", "ordinary", (x,), result, node, depends=dependence(ELU, {"x": a0, "alpha": alpha}, array.shape)
        )
    return result


def elu_(x: Tensor, alpha: Any = 1.0, name: str | None = None) -> Tensor:
    """`alpha * (exp(x) - 1)` for negative elements."""
    if type(x) is not Tensor:
        x = operands.as_tensor("elu_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("elu_", x)
    if form0.kind not in "f":
        operands.check_dtype("elu_", "f", form0.dtype)
    alpha = ELU_PREPARE_ALPHA(a0, alpha)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("elu_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = ELU, (e0,), UNFINISHED
            node.forms, node.facts = (form0,), {"alpha": alpha}
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
        if not (storage.device.launches and ELU_LAUNCHED_IN_PLACE((x,), (a0,), alpha=alpha)):
            ELU_KERNEL(a0, a0, alpha, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("elu_", "in-place", (x,), x, node, depends=dependence(ELU, {"x": a0, "alpha": alpha}, a0.shape))
    return x


# ---- hardtanh ------------------------------------------------------------------------------------

HARDTANH = chapter.HARDTANH
HARDTANH_PREPARE_MIN = HARDTANH.prepare["min"]
HARDTANH_PREPARE_MAX = HARDTANH.prepare["max"]
HARDTANH_LAUNCHED_ORDINARY = launcher(HARDTANH, "ordinary")
HARDTANH_KERNEL = kernel_tools.clip_into
HARDTANH_LAUNCHED_IN_PLACE = launcher(HARDTANH, "in-place")


def hardtanh(x: Tensor, min: Any = -1.0, max: Any = 1.0, name: str | None = None) -> Tensor:
    """Keep each element between `min` and `max`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("hardtanh", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "f":
        operands.check_dtype("hardtanh", "f", form0.dtype)
    storage = x.storage
    min = HARDTANH_PREPARE_MIN(a0, min)
    max = HARDTANH_PREPARE_MAX(a0, max)
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        if not (storage.device.launches and HARDTANH_LAUNCHED_ORDINARY((x,), (a0,), array, min=min, max=max)):
            HARDTANH_KERNEL(array, a0, min, max)
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
            node.row, node.edges, node.kept = HARDTANH, (e0,), kept
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
            depends=dependence(HARDTANH, {"x": a0, "min": min, "max": max}, array.shape),
        )
    return result


def hardtanh_(x: Tensor, min: Any = -1.0, max: Any = 1.0, name: str | None = None) -> Tensor:
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
    min = HARDTANH_PREPARE_MIN(a0, min)
    max = HARDTANH_PREPARE_MAX(a0, max)
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
            node.row, node.edges, node.kept = HARDTANH, (e0,), UNFINISHED
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
        if not (storage.device.launches and HARDTANH_LAUNCHED_IN_PLACE((x,), (a0,), min=min, max=max)):
            HARDTANH_KERNEL(a0, a0, min, max)
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
            depends=dependence(HARDTANH, {"x": a0, "min": min, "max": max}, a0.shape),
        )
    return x


# ---- thresholded_relu ----------------------------------------------------------------------------

THRESHOLDED_RELU = chapter.THRESHOLDED_RELU
THRESHOLDED_RELU_PREPARE_THRESHOLD = THRESHOLDED_RELU.prepare["threshold"]
THRESHOLDED_RELU_PREPARE_VALUE = THRESHOLDED_RELU.prepare["value"]
THRESHOLDED_RELU_LAUNCHED_ORDINARY = launcher(THRESHOLDED_RELU, "ordinary")
THRESHOLDED_RELU_KERNEL = chapter._thresholded_relu
THRESHOLDED_RELU_LAUNCHED_IN_PLACE = launcher(THRESHOLDED_RELU, "in-place")


def thresholded_relu(x: Tensor, threshold: Any = 1.0, value: Any = 0.0, name: str | None = None) -> Tensor:
    """Replace elements up to `threshold` by `value`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("thresholded_relu", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "f":
        operands.check_dtype("thresholded_relu", "f", form0.dtype)
    storage = x.storage
    threshold = THRESHOLDED_RELU_PREPARE_THRESHOLD(a0, threshold)
    value = THRESHOLDED_RELU_PREPARE_VALUE(a0, value)
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        if not (
            storage.device.launches
            and THRESHOLDED_RELU_LAUNCHED_ORDINARY((x,), (a0,), array, threshold=threshold, value=value)
        ):
            THRESHOLDED_RELU_KERNEL(array, a0, threshold, value, storage.device)
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
            node.row, node.edges, node.kept = THRESHOLDED_RELU, (e0,), kept
            node.forms, node.facts = (form0,), {"threshold": threshold}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "thresholded_relu",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(THRESHOLDED_RELU, {"x": a0, "threshold": threshold, "value": value}, array.shape),
        )
    return result


def thresholded_relu_(x: Tensor, threshold: Any = 1.0, value: Any = 0.0, name: str | None = None) -> Tensor:
    """Replace elements up to `threshold` by `value`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("thresholded_relu_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("thresholded_relu_", x)
    if form0.kind not in "f":
        operands.check_dtype("thresholded_relu_", "f", form0.dtype)
    threshold = THRESHOLDED_RELU_PREPARE_THRESHOLD(a0, threshold)
    value = THRESHOLDED_RELU_PREPARE_VALUE(a0, value)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("thresholded_relu_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = (save_copy("x", a0, storage, e0),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = THRESHOLDED_RELU, (e0,), UNFINISHED
            node.forms, node.facts = (form0,), {"threshold": threshold}
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
            storage.device.launches
            and THRESHOLDED_RELU_LAUNCHED_IN_PLACE((x,), (a0,), threshold=threshold, value=value)
        ):
            THRESHOLDED_RELU_KERNEL(a0, a0, threshold, value, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "thresholded_relu_",
            "in-place",
            (x,),
            x,
            node,
            depends=dependence(THRESHOLDED_RELU, {"x": a0, "threshold": threshold, "value": value}, a0.shape),
        )
    return x


# ---- softmax -------------------------------------------------------------------------------------

SOFTMAX = chapter.SOFTMAX
SOFTMAX_PREPARE_AXIS = chapter._one_axis
SOFTMAX_DTYPE = chapter._floating_only
SOFTMAX_KERNEL = chapter._softmax


def softmax(
    x: Tensor = ABSENT,
    axis: Any = ABSENT,
    dtype: Any = None,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
    dim: Any = ABSENT,
) -> Tensor:
    """The exponentials of the elements, divided by their sum along `axis`."""
    if input is not _ or dim is not _:
        keywords.check_named("softmax", 4, _)
        x = keywords.either("softmax", "x", x, "input", input)
        axis = keywords.either("softmax", "axis", axis, "dim", dim)
    if axis is _:
        axis = -1
    if out is not None:
        return destinations.into("softmax", out, (x,), lambda: softmax(x=x, axis=axis, dtype=dtype, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("softmax", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage = x.storage
    axis = SOFTMAX_PREPARE_AXIS(a0, axis)
    form = None
    array = storage.device.empty(form0.shape, SOFTMAX_DTYPE(form0.dtype, dtype))
    try:
        SOFTMAX_KERNEL(array, a0, axis, storage.device)
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
            node.row, node.edges, node.kept = SOFTMAX, (e0,), kept
            node.forms, node.facts = (form0,), {"axis": axis}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify(
            "softmax",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(SOFTMAX, {"x": a0, "axis": axis, "dtype": dtype}, array.shape),
        )
    return result


def softmax_(x: Tensor, axis: Any = -1, dtype: Any = None, name: str | None = None) -> Tensor:
    """The exponentials of the elements, divided by their sum along `axis`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("softmax_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("softmax_", x)
    axis = SOFTMAX_PREPARE_AXIS(a0, axis)
    dtype = SOFTMAX_DTYPE(form0.dtype, dtype)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate(
            "softmax_",
            x,
            lambda: softmax(x=x, axis=axis, dtype=dtype),
            (),
            lambda: dependence(SOFTMAX, {"x": a0, "axis": axis, "dtype": dtype}, form0.shape),
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("softmax_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = SOFTMAX, (e0,), UNFINISHED
            node.forms, node.facts = (form0,), {"axis": axis}
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
        SOFTMAX_KERNEL(a0, a0, axis, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if e0 is not None:
            kept += (save("out", a0, storage, OUTPUT),)
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "softmax_",
            "in-place",
            (x,),
            x,
            node,
            depends=dependence(SOFTMAX, {"x": a0, "axis": axis, "dtype": dtype}, a0.shape),
        )
    return x


# ---- _log_softmax --------------------------------------------------------------------------------

_LOG_SOFTMAX = chapter._LOG_SOFTMAX
_LOG_SOFTMAX_PREPARE_AXIS = chapter._one_axis
_LOG_SOFTMAX_DTYPE = required(_LOG_SOFTMAX.dtype)
_LOG_SOFTMAX_KERNEL = chapter._log_softmax


def _log_softmax(x: Tensor, axis: Any = -1, name: str | None = None) -> Tensor:
    """The logarithms of `softmax`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("log_softmax", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage = x.storage
    axis = _LOG_SOFTMAX_PREPARE_AXIS(a0, axis)
    form = None
    array = storage.device.empty(form0.shape, _LOG_SOFTMAX_DTYPE(form0.dtype))
    try:
        _LOG_SOFTMAX_KERNEL(array, a0, axis, storage.device)
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
            node.row, node.edges, node.kept = _LOG_SOFTMAX, (e0,), kept
            node.forms, node.facts = (form0,), {"axis": axis}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
            if e0 is not None:
                node.kept += (save("out", array, result.storage, OUTPUT),)
    if mode.listeners:
        mode.notify(
            "log_softmax",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(_LOG_SOFTMAX, {"x": a0, "axis": axis}, array.shape),
        )
    return result


# ---- _binary_cross_entropy -----------------------------------------------------------------------

_BINARY_CROSS_ENTROPY = chapter._BINARY_CROSS_ENTROPY
_BINARY_CROSS_ENTROPY_KERNEL = chapter._binary_cross_entropy


def _binary_cross_entropy(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """`-(y * log(x) + (1 - y) * log(1 - x))`, of probabilities."""
    if type(x) is not Tensor:
        x = operands.as_tensor("binary_cross_entropy", "x", 0, x)
    if type(y) is not Tensor:
        y = operands.as_tensor("binary_cross_entropy", "y", 1, y)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = y.array, y.form or known_form(y)
    if form0.kind not in "f" or form1.dtype is not form0.dtype:
        operands.check_dtype("binary_cross_entropy", "f", form0.dtype, form1.dtype)
    storage = x.storage
    if y.storage.device is not storage.device:
        operands.refuse_devices("binary_cross_entropy", x, y)
    form = form0 if form1 is form0 else None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("_binary_cross_entropy", x, y),
        form0.dtype
        if form0.dtype is form1.dtype
        else operands.promoted("_binary_cross_entropy", form0.dtype, form1.dtype),
    )
    try:
        _BINARY_CROSS_ENTROPY_KERNEL(array, a0, a1, storage.device)
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
            if e0 is not None or e1 is not None:
                kept += (save("x", a0, x.storage, e0),)
            if e0 is not None:
                kept += (save("y", a1, y.storage, e1),)
            node = new_node(OpNode)
            node.row, node.edges, node.kept = _BINARY_CROSS_ENTROPY, (e0, e1), kept
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "binary_cross_entropy",
            "ordinary",
            (x, y),
            result,
            node,
            depends=dependence(_BINARY_CROSS_ENTROPY, {"x": a0, "y": a1}, array.shape),
        )
    return result


# ---- dropout -------------------------------------------------------------------------------------

DROPOUT = chapter.DROPOUT
DROPOUT_DTYPE = required(DROPOUT.dtype)
DROPOUT_LAUNCHED_ORDINARY = launcher(DROPOUT, "ordinary")
DROPOUT_KERNEL = chapter._dropout
DROPOUT_LAUNCHED_IN_PLACE = launcher(DROPOUT, "in-place")


def dropout(x: Tensor, mask: Tensor, factor: Any = 1.0, name: str | None = None) -> Tensor:
    """`x` times `factor` where `mask` is true, 0 elsewhere."""
    if type(x) is not Tensor:
        x = operands.as_tensor("dropout", "x", 0, x)
    if type(mask) is not Tensor:
        mask = operands.as_tensor("dropout", "mask", 1, mask)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = mask.array, mask.form or known_form(mask)
    if form0.kind not in "f":
        operands.check_dtype("dropout", "f", form0.dtype)
    storage = x.storage
    if mask.storage.device is not storage.device:
        operands.refuse_devices("dropout", x, mask)
    form = None
    array = storage.device.empty(
        form0.shape
        if form0.shape == form1.shape
        else common_shape(form0.shape, form1.shape) or operands.broadcast("dropout", x, mask),
        DROPOUT_DTYPE(form0.dtype),
    )
    try:
        if not (storage.device.launches and DROPOUT_LAUNCHED_ORDINARY((x, mask), (a0, a1), array, factor=factor)):
            DROPOUT_KERNEL(array, a0, a1, factor, storage.device)
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
            node.row, node.edges, node.kept = DROPOUT, (e0, e1), kept
            node.forms, node.facts = (form0, form1), {"factor": factor}
            node.serial, node.hooks, node.retained = next_serial(), None, None
            result.node, result._stop = node, False
    if mode.listeners:
        mode.notify(
            "dropout",
            "ordinary",
            (x, mask),
            result,
            node,
            depends=dependence(DROPOUT, {"x": a0, "mask": a1, "factor": factor}, array.shape),
        )
    return result


def dropout_(x: Tensor, mask: Tensor, factor: Any = 1.0, name: str | None = None) -> Tensor:
    """`x` times `factor` where `mask` is true, 0 elsewhere."""
    if type(x) is not Tensor:
        x = operands.as_tensor("dropout_", "x", 0, x)
    if type(mask) is not Tensor:
        mask = operands.as_tensor("dropout_", "mask", 1, mask)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = mask.array, mask.form or known_form(mask)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("dropout_", x)
    storage1 = mask.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("dropout_", x, mask)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("dropout_", x, mask)
    if storage1 is storage and mask is not x:
        operands.check_overlap("dropout_", x, mask)
    if form0.kind not in "f":
        operands.check_dtype("dropout_", "f", form0.dtype)
    dtype = DROPOUT_DTYPE(form0.dtype)
    if dtype is not form0.dtype and dtype != form0.dtype:
        return destinations.reallocate(
            "dropout_",
            x,
            lambda: dropout(x=x, mask=mask, factor=factor),
            (mask,),
            lambda: dependence(DROPOUT, {"x": a0, "mask": a1, "factor": factor}, form0.shape),
        )
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(mask) if mask.base is not None else None if mask._stop else mask.node or accumulator(mask)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("dropout_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            if e0 is not None:
                kept += (
                    save("mask", a1, storage1, e1)
                    if storage1 is not storage
                    else operands.save_operand("mask", mask, e1, x),
                )
            node = new_node(OpNode)
            node.row, node.edges, node.kept = DROPOUT, (e0, e1), UNFINISHED
            node.forms, node.facts = (form0, form1), {"factor": factor}
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
        if not (storage.device.launches and DROPOUT_LAUNCHED_IN_PLACE((x, mask), (a0, a1), factor=factor)):
            DROPOUT_KERNEL(a0, a0, a1, factor, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "dropout_",
            "in-place",
            (x, mask),
            x,
            node,
            depends=dependence(DROPOUT, {"x": a0, "mask": a1, "factor": factor}, a0.shape),
        )
    return x
