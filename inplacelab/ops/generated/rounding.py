"""The functions of the rows in `inplacelab/ops/rounding.py`.

Generated: `python -m inplacelab.ops.table.generate` writes this file. Do not edit it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab.autograd.history import accumulator, check_leaf, edge, rebase, refresh
from inplacelab.autograd.nodes import NOTHING, UNFINISHED, OpNode, new_node, next_serial
from inplacelab.autograd.saved import Saved
from inplacelab.form import Form
from inplacelab.modes import current as current_modes
from inplacelab.ops import rounding as chapter
from inplacelab.ops.arguments import keywords, operands
from inplacelab.ops.arguments.keywords import ABSENT
from inplacelab.ops.results import destinations
from inplacelab.ops.results.kernel_tools import launcher
from inplacelab.ops.table.depends import dependence
from inplacelab.tensor import Tensor, fresh, known_form

# ---- floor ---------------------------------------------------------------------------------------

FLOOR = chapter.FLOOR
FLOOR_UFUNC = np.floor
FLOOR_LAUNCHED_ORDINARY = launcher(FLOOR, "ordinary")
FLOOR_KERNEL = chapter._already_whole
FLOOR_LAUNCHED_IN_PLACE = launcher(FLOOR, "in-place")


def floor(
    x: Tensor = ABSENT, name: str | None = None, _: Any = ABSENT, out: Tensor | None = None, input: Any = ABSENT
) -> Tensor:
    """The largest integer not larger than each element."""
    if input is not _:
        keywords.check_named("floor", 2, _)
        x = keywords.either("floor", "x", x, "input", input)
    if out is not None:
        return destinations.into("floor", out, (x,), lambda: floor(x=x, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("floor", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "fiu":
        operands.check_dtype("floor", "fiu", form0.dtype)
    plain = form0.kind in "f"
    storage = x.storage
    array: Any = None
    if plain and a0 is x.storage.buffer and form0.shape and (not storage.device.launches):
        form: Form | None = form0
        try:
            array = FLOOR_UFUNC(a0)
        except RuntimeWarning:
            pass
    if array is None:
        form = form0
        array = storage.device.empty(form0.shape, form0.dtype)
        try:
            if not (storage.device.launches and FLOOR_LAUNCHED_ORDINARY((x,), (a0,), array)):
                if plain:
                    FLOOR_UFUNC(a0, array)
                else:
                    FLOOR_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = (FLOOR, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify("floor", "ordinary", (x,), result, node, depends=dependence(FLOOR, {"x": a0}, array.shape))
    return result


def floor_(x: Tensor, name: str | None = None) -> Tensor:
    """The largest integer not larger than each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("floor_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("floor_", x)
    if form0.kind not in "fiu":
        operands.check_dtype("floor_", "fiu", form0.dtype)
    plain = form0.kind in "f"
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("floor_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (FLOOR, (e0,), UNFINISHED)
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
        if not (storage.device.launches and FLOOR_LAUNCHED_IN_PLACE((x,), (a0,))):
            if plain:
                FLOOR_UFUNC(a0, a0)
            else:
                FLOOR_KERNEL(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("floor_", "in-place", (x,), x, node, depends=dependence(FLOOR, {"x": a0}, a0.shape))
    return x


# ---- ceil ----------------------------------------------------------------------------------------

CEIL = chapter.CEIL
CEIL_UFUNC = np.ceil
CEIL_LAUNCHED_ORDINARY = launcher(CEIL, "ordinary")
CEIL_KERNEL = chapter._already_whole
CEIL_LAUNCHED_IN_PLACE = launcher(CEIL, "in-place")


def ceil(
    x: Tensor = ABSENT, name: str | None = None, _: Any = ABSENT, out: Tensor | None = None, input: Any = ABSENT
) -> Tensor:
    """The smallest integer not smaller than each element."""
    if input is not _:
        keywords.check_named("ceil", 2, _)
        x = keywords.either("ceil", "x", x, "input", input)
    if out is not None:
        return destinations.into("ceil", out, (x,), lambda: ceil(x=x, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("ceil", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "fiu":
        operands.check_dtype("ceil", "fiu", form0.dtype)
    plain = form0.kind in "f"
    storage = x.storage
    array: Any = None
    if plain and a0 is x.storage.buffer and form0.shape and (not storage.device.launches):
        form: Form | None = form0
        try:
            array = CEIL_UFUNC(a0)
        except RuntimeWarning:
            pass
    if array is None:
        form = form0
        array = storage.device.empty(form0.shape, form0.dtype)
        try:
            if not (storage.device.launches and CEIL_LAUNCHED_ORDINARY((x,), (a0,), array)):
                if plain:
                    CEIL_UFUNC(a0, array)
                else:
                    CEIL_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = (CEIL, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify("ceil", "ordinary", (x,), result, node, depends=dependence(CEIL, {"x": a0}, array.shape))
    return result


def ceil_(x: Tensor, name: str | None = None) -> Tensor:
    """The smallest integer not smaller than each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("ceil_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("ceil_", x)
    if form0.kind not in "fiu":
        operands.check_dtype("ceil_", "fiu", form0.dtype)
    plain = form0.kind in "f"
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("ceil_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (CEIL, (e0,), UNFINISHED)
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
        if not (storage.device.launches and CEIL_LAUNCHED_IN_PLACE((x,), (a0,))):
            if plain:
                CEIL_UFUNC(a0, a0)
            else:
                CEIL_KERNEL(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("ceil_", "in-place", (x,), x, node, depends=dependence(CEIL, {"x": a0}, a0.shape))
    return x


# ---- trunc ---------------------------------------------------------------------------------------

TRUNC = chapter.TRUNC
TRUNC_UFUNC = np.trunc
TRUNC_LAUNCHED_ORDINARY = launcher(TRUNC, "ordinary")
TRUNC_KERNEL = chapter._trunc
TRUNC_LAUNCHED_IN_PLACE = launcher(TRUNC, "in-place")


def trunc(input: Tensor, name: str | None = None) -> Tensor:
    """The integer part of each element: rounded toward zero."""
    if type(input) is not Tensor:
        input = operands.as_tensor("trunc", "input", 0, input)
    a0, form0 = (input.array, input.form or known_form(input))
    if form0.kind not in "fiu":
        operands.check_dtype("trunc", "fiu", form0.dtype)
    plain = form0.kind in "f"
    storage = input.storage
    array: Any = None
    if plain and a0 is input.storage.buffer and form0.shape and (not storage.device.launches):
        form: Form | None = form0
        try:
            array = TRUNC_UFUNC(a0)
        except RuntimeWarning:
            pass
    if array is None:
        form = form0
        array = storage.device.empty(form0.shape, form0.dtype)
        try:
            if not (storage.device.launches and TRUNC_LAUNCHED_ORDINARY((input,), (a0,), array)):
                if plain:
                    TRUNC_UFUNC(a0, array)
                else:
                    TRUNC_KERNEL(array, a0)
        except RuntimeWarning:
            pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e0 = edge(input) if input.base is not None else None if input._stop else input.node or accumulator(input)
        if e0 is not None:
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (TRUNC, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify("trunc", "ordinary", (input,), result, node, depends=dependence(TRUNC, {"input": a0}, array.shape))
    return result


def trunc_(input: Tensor, name: str | None = None) -> Tensor:
    """The integer part of each element: rounded toward zero."""
    if type(input) is not Tensor:
        input = operands.as_tensor("trunc_", "input", 0, input)
    a0, form0 = (input.array, input.form or known_form(input))
    storage, base = (input.storage, input.base)
    if base is not None:
        refresh(input)
    if input.overlaps:
        operands.refuse_self_overlap("trunc_", input)
    if form0.kind not in "fiu":
        operands.check_dtype("trunc_", "fiu", form0.dtype)
    plain = form0.kind in "f"
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not input._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or input.node is None:
                check_leaf("trunc_", input)
            e0 = None if input._stop else input.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (TRUNC, (e0,), UNFINISHED)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
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
        if not (storage.device.launches and TRUNC_LAUNCHED_IN_PLACE((input,), (a0,))):
            if plain:
                TRUNC_UFUNC(a0, a0)
            else:
                TRUNC_KERNEL(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("trunc_", "in-place", (input,), input, node, depends=dependence(TRUNC, {"input": a0}, a0.shape))
    return input


# ---- round ---------------------------------------------------------------------------------------

ROUND = chapter.ROUND
ROUND_PREPARE_DECIMALS = ROUND.prepare["decimals"]
ROUND_LAUNCHED_ORDINARY = launcher(ROUND, "ordinary")
ROUND_KERNEL = chapter._round
ROUND_LAUNCHED_IN_PLACE = launcher(ROUND, "in-place")


def round(
    x: Tensor = ABSENT,
    decimals: Any = 0,
    name: str | None = None,
    _: Any = ABSENT,
    out: Tensor | None = None,
    input: Any = ABSENT,
) -> Tensor:
    """Round to a number of decimals; a half is rounded to the nearest even digit."""
    if input is not _:
        keywords.check_named("round", 3, _)
        x = keywords.either("round", "x", x, "input", input)
    if out is not None:
        return destinations.into("round", out, (x,), lambda: round(x=x, decimals=decimals, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("round", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    if form0.kind not in "fiuc":
        operands.check_dtype("round", "fiuc", form0.dtype)
    storage = x.storage
    decimals = ROUND_PREPARE_DECIMALS(a0, decimals)
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        if not (storage.device.launches and ROUND_LAUNCHED_ORDINARY((x,), (a0,), array, decimals=decimals)):
            ROUND_KERNEL(array, a0, decimals)
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
            node.row, node.edges, node.kept = (ROUND, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify(
            "round",
            "ordinary",
            (x,),
            result,
            node,
            attributes={"decimals": decimals},
            depends=dependence(ROUND, {"x": a0, "decimals": decimals}, array.shape),
        )
    return result


def round_(x: Tensor, decimals: Any = 0, name: str | None = None) -> Tensor:
    """Round to a number of decimals; a half is rounded to the nearest even digit."""
    if type(x) is not Tensor:
        x = operands.as_tensor("round_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("round_", x)
    if form0.kind not in "fiuc":
        operands.check_dtype("round_", "fiuc", form0.dtype)
    decimals = ROUND_PREPARE_DECIMALS(a0, decimals)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("round_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (ROUND, (e0,), UNFINISHED)
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
        if not (storage.device.launches and ROUND_LAUNCHED_IN_PLACE((x,), (a0,), decimals=decimals)):
            ROUND_KERNEL(a0, a0, decimals)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "round_",
            "in-place",
            (x,),
            x,
            node,
            attributes={"decimals": decimals},
            depends=dependence(ROUND, {"x": a0, "decimals": decimals}, a0.shape),
        )
    return x


# ---- frac ----------------------------------------------------------------------------------------

FRAC = chapter.FRAC
FRAC_VALIDATE = chapter._real_numbers
FRAC_LAUNCHED_ORDINARY = launcher(FRAC, "ordinary")
FRAC_KERNEL = chapter._frac
FRAC_LAUNCHED_IN_PLACE = launcher(FRAC, "in-place")


def frac(
    x: Tensor = ABSENT, name: str | None = None, _: Any = ABSENT, out: Tensor | None = None, input: Any = ABSENT
) -> Tensor:
    """The fractional part of each element, with the sign of `x`."""
    if input is not _:
        keywords.check_named("frac", 2, _)
        x = keywords.either("frac", "x", x, "input", input)
    if out is not None:
        return destinations.into("frac", out, (x,), lambda: frac(x=x, name=name))
    if type(x) is not Tensor:
        x = operands.as_tensor("frac", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    FRAC_VALIDATE(a0)
    storage = x.storage
    form = form0
    array = storage.device.empty(form0.shape, form0.dtype)
    try:
        if not (storage.device.launches and FRAC_LAUNCHED_ORDINARY((x,), (a0,), array)):
            FRAC_KERNEL(array, a0)
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
            node.row, node.edges, node.kept = (FRAC, (e0,), kept)
            node.forms, node.facts = ((form0,), NOTHING)
            node.serial, node.hooks, node.retained = (next_serial(), None, None)
            result.node, result._stop = (node, False)
    if mode.listeners:
        mode.notify("frac", "ordinary", (x,), result, node, depends=dependence(FRAC, {"x": a0}, array.shape))
    return result


def frac_(x: Tensor, name: str | None = None) -> Tensor:
    """The fractional part of each element, with the sign of `x`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("frac_", "x", 0, x)
    a0, form0 = (x.array, x.form or known_form(x))
    storage, base = (x.storage, x.base)
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("frac_", x)
    FRAC_VALIDATE(a0)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("frac_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = (FRAC, (e0,), UNFINISHED)
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
        if not (storage.device.launches and FRAC_LAUNCHED_IN_PLACE((x,), (a0,))):
            FRAC_KERNEL(a0, a0)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify("frac_", "in-place", (x,), x, node, depends=dependence(FRAC, {"x": a0}, a0.shape))
    return x
