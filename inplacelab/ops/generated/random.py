"""The functions of the rows in `inplacelab/ops/random.py`.

Generated: `python -m inplacelab.ops.table.generate` writes this file. Do not edit it.
"""

from __future__ import annotations

from typing import Any

from inplacelab.autograd.history import accumulator, check_leaf, edge, rebase, refresh
from inplacelab.autograd.nodes import NOTHING, UNFINISHED, OpNode, new_node, next_serial
from inplacelab.autograd.saved import Saved
from inplacelab.layout import common_shape
from inplacelab.modes import current as current_modes
from inplacelab.ops import random as chapter
from inplacelab.ops.arguments import attributes, keywords, operands
from inplacelab.ops.arguments.keywords import ABSENT
from inplacelab.ops.results import random_stream
from inplacelab.ops.table.depends import dependence
from inplacelab.ops.table.row import required
from inplacelab.tensor import Tensor, known_form

# ---- uniform -------------------------------------------------------------------------------------

UNIFORM = chapter.UNIFORM
UNIFORM_VALIDATE = chapter.check_uniform
UNIFORM_PREPARE_MIN = attributes.plain_number
UNIFORM_PREPARE_MAX = attributes.plain_number
UNIFORM_PREPARE_SEED = chapter._own_stream
UNIFORM_KERNEL = random_stream.uniform


def uniform_(
    x: Tensor = ABSENT,
    min: Any = ABSENT,
    max: Any = ABSENT,
    seed: Any = 0,
    name: str | None = None,
    _: Any = ABSENT,
    from_: Any = ABSENT,
    to: Any = ABSENT,
) -> Tensor:
    """Write random numbers, evenly distributed from `min` up to `max`."""
    if from_ is not _ or to is not _:
        keywords.check_named("uniform_", 5, _)
        min = keywords.either("uniform_", "min", min, "from", from_)
        max = keywords.either("uniform_", "max", max, "to", to)
    if min is _:
        min = 0
    if max is _:
        max = 1.0
    if type(x) is not Tensor:
        x = operands.as_tensor("uniform_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("uniform_", x)
    if form0.kind not in "f":
        operands.check_dtype("uniform_", "f", form0.dtype)
    UNIFORM_VALIDATE(a0, min, max)
    min = UNIFORM_PREPARE_MIN(a0, min)
    max = UNIFORM_PREPARE_MAX(a0, max)
    seed = UNIFORM_PREPARE_SEED(a0, seed)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("uniform_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = UNIFORM, (e0,), UNFINISHED
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
        UNIFORM_KERNEL(a0, min, max, seed, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "uniform_",
            "in-place",
            (x,),
            x,
            node,
            read=(),
            depends=dependence(UNIFORM, {"x": a0, "min": min, "max": max, "seed": seed}, a0.shape),
        )
    return x


# ---- normal --------------------------------------------------------------------------------------

NORMAL = chapter.NORMAL
NORMAL_PREPARE_MEAN = attributes.plain_number
NORMAL_PREPARE_STD = NORMAL.prepare["std"]
NORMAL_KERNEL = random_stream.normal


def normal_(x: Tensor, mean: Any = 0.0, std: Any = 1.0, name: str | None = None) -> Tensor:
    """Write random numbers with a normal distribution."""
    if type(x) is not Tensor:
        x = operands.as_tensor("normal_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("normal_", x)
    if form0.kind not in "fc":
        operands.check_dtype("normal_", "fc", form0.dtype)
    mean = NORMAL_PREPARE_MEAN(a0, mean)
    std = NORMAL_PREPARE_STD(a0, std)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("normal_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = NORMAL, (e0,), UNFINISHED
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
        NORMAL_KERNEL(a0, mean, std, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "normal_",
            "in-place",
            (x,),
            x,
            node,
            read=(),
            depends=dependence(NORMAL, {"x": a0, "mean": mean, "std": std}, a0.shape),
        )
    return x


# ---- log_normal ----------------------------------------------------------------------------------

LOG_NORMAL = chapter.LOG_NORMAL
LOG_NORMAL_PREPARE_MEAN = attributes.plain_number
LOG_NORMAL_PREPARE_STD = LOG_NORMAL.prepare["std"]
LOG_NORMAL_KERNEL = random_stream.log_normal


def log_normal_(x: Tensor, mean: Any = 1.0, std: Any = 2.0, name: str | None = None) -> Tensor:
    """Write random numbers whose logarithms have a normal distribution."""
    if type(x) is not Tensor:
        x = operands.as_tensor("log_normal_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("log_normal_", x)
    if form0.kind not in "fc":
        operands.check_dtype("log_normal_", "fc", form0.dtype)
    mean = LOG_NORMAL_PREPARE_MEAN(a0, mean)
    std = LOG_NORMAL_PREPARE_STD(a0, std)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("log_normal_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = LOG_NORMAL, (e0,), UNFINISHED
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
        LOG_NORMAL_KERNEL(a0, mean, std, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "log_normal_",
            "in-place",
            (x,),
            x,
            node,
            read=(),
            depends=dependence(LOG_NORMAL, {"x": a0, "mean": mean, "std": std}, a0.shape),
        )
    return x


# ---- exponential ---------------------------------------------------------------------------------

EXPONENTIAL = chapter.EXPONENTIAL
EXPONENTIAL_PREPARE_LAM = chapter._rate
EXPONENTIAL_KERNEL = random_stream.exponential


def exponential_(
    x: Tensor = ABSENT, lam: Any = ABSENT, name: str | None = None, _: Any = ABSENT, lambd: Any = ABSENT
) -> Tensor:
    """Write random numbers with an exponential distribution of rate `lam`."""
    if lambd is not _:
        keywords.check_named("exponential_", 3, _)
        lam = keywords.either("exponential_", "lam", lam, "lambd", lambd)
    if lam is _:
        lam = 1.0
    if type(x) is not Tensor:
        x = operands.as_tensor("exponential_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("exponential_", x)
    if form0.kind not in "f":
        operands.check_dtype("exponential_", "f", form0.dtype)
    lam = EXPONENTIAL_PREPARE_LAM(a0, lam)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("exponential_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = EXPONENTIAL, (e0,), UNFINISHED
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
        EXPONENTIAL_KERNEL(a0, lam, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "exponential_",
            "in-place",
            (x,),
            x,
            node,
            read=(),
            depends=dependence(EXPONENTIAL, {"x": a0, "lam": lam}, a0.shape),
        )
    return x


# ---- cauchy --------------------------------------------------------------------------------------

CAUCHY = chapter.CAUCHY
CAUCHY_PREPARE_LOC = attributes.plain_number
CAUCHY_PREPARE_SCALE = CAUCHY.prepare["scale"]
CAUCHY_KERNEL = random_stream.cauchy


def cauchy_(x: Tensor, loc: Any = 0, scale: Any = 1, name: str | None = None) -> Tensor:
    """Write random numbers with a Cauchy distribution around `loc`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("cauchy_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("cauchy_", x)
    if form0.kind not in "f":
        operands.check_dtype("cauchy_", "f", form0.dtype)
    loc = CAUCHY_PREPARE_LOC(a0, loc)
    scale = CAUCHY_PREPARE_SCALE(a0, scale)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("cauchy_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = CAUCHY, (e0,), UNFINISHED
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
        CAUCHY_KERNEL(a0, loc, scale, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "cauchy_",
            "in-place",
            (x,),
            x,
            node,
            read=(),
            depends=dependence(CAUCHY, {"x": a0, "loc": loc, "scale": scale}, a0.shape),
        )
    return x


# ---- bernoulli -----------------------------------------------------------------------------------

BERNOULLI = chapter.BERNOULLI
BERNOULLI_VALIDATE = required(BERNOULLI.validate)
BERNOULLI_KERNEL = random_stream.bernoulli


def bernoulli_(x: Tensor, p: Any = 0.5, name: str | None = None) -> Tensor:
    """Write 1 with probability `p`, otherwise 0."""
    if type(x) is not Tensor:
        x = operands.as_tensor("bernoulli_", "x", 0, x)
    if type(p) is not Tensor:
        p = operands.as_operand("bernoulli_", "p", 1, p, x)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = p.array, p.form or known_form(p)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("bernoulli_", x)
    storage1 = p.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("bernoulli_", x, p)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("bernoulli_", x, p)
    if form0.kind not in "f":
        operands.check_dtype("bernoulli_", "f", form0.dtype)
    BERNOULLI_VALIDATE(a1)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(p) if p.base is not None else None if p._stop else p.node or accumulator(p)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("bernoulli_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = BERNOULLI, (e0, e1), UNFINISHED
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
    try:
        if storage1 is storage:
            a1 = operands.copy_if_overlapping(x, p)
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
            BERNOULLI_KERNEL(a0, a1, storage.device)
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
            "bernoulli_",
            "in-place",
            (x, p),
            x,
            node,
            read=(),
            depends=dependence(BERNOULLI, {"x": a0, "p": a1}, a0.shape),
        )
    return x


# ---- geometric -----------------------------------------------------------------------------------

GEOMETRIC = chapter.GEOMETRIC
GEOMETRIC_VALIDATE = required(GEOMETRIC.validate)
GEOMETRIC_KERNEL = random_stream.geometric


def geometric_(x: Tensor, probs: Any, name: str | None = None) -> Tensor:
    """Write how many trials it takes until the first success, if each succeeds with probability `probs`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("geometric_", "x", 0, x)
    if type(probs) is not Tensor:
        probs = operands.as_operand("geometric_", "probs", 1, probs, x)
    a0, form0 = x.array, x.form or known_form(x)
    a1, form1 = probs.array, probs.form or known_form(probs)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("geometric_", x)
    storage1 = probs.storage
    if storage1.device is not storage.device:
        operands.refuse_devices("geometric_", x, probs)
    if form1 is not form0 and form1.shape != form0.shape and (common_shape(form0.shape, form1.shape) != form0.shape):
        operands.refuse_shape("geometric_", x, probs)
    if form0.kind not in "f":
        operands.check_dtype("geometric_", "f", form0.dtype)
    GEOMETRIC_VALIDATE(a1)
    mode = current_modes()
    node = None
    if mode.recording_history:
        e1 = edge(probs) if probs.base is not None else None if probs._stop else probs.node or accumulator(probs)
        if not x._stop or (base is not None and (not base._stop)) or e1 is not None:
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("geometric_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = GEOMETRIC, (e0, e1), UNFINISHED
            node.forms, node.facts = (form0, form1), NOTHING
            node.serial, node.hooks, node.retained = next_serial(), None, None
    try:
        if storage1 is storage:
            a1 = operands.copy_if_overlapping(x, probs)
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
            GEOMETRIC_KERNEL(a0, a1, storage.device)
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
            "geometric_",
            "in-place",
            (x, probs),
            x,
            node,
            read=(),
            depends=dependence(GEOMETRIC, {"x": a0, "probs": a1}, a0.shape),
        )
    return x


# ---- random --------------------------------------------------------------------------------------

RANDOM = chapter.RANDOM
RANDOM_VALIDATE = chapter._check_integers
RANDOM_KERNEL = chapter._random


def random_(x: Tensor, from_: Any = 0, to: Any = None, name: str | None = None, *, generator: Any = None) -> Tensor:
    """Write random integers from `from_` up to, but not including, `to`."""
    if type(x) is not Tensor:
        x = operands.as_tensor("random_", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    storage, base = x.storage, x.base
    if base is not None:
        refresh(x)
    if x.overlaps:
        operands.refuse_self_overlap("random_", x)
    if form0.kind not in "fiu":
        operands.check_dtype("random_", "fiu", form0.dtype)
    RANDOM_VALIDATE(a0, from_, to, generator)
    mode = current_modes()
    node = None
    if mode.recording_history:
        if not x._stop or (base is not None and (not base._stop)):
            version = storage.version
            if base is not None or x.node is None:
                check_leaf("random_", x)
            e0 = None if x._stop else x.node
            kept: tuple[Saved, ...] = ()
            node = new_node(OpNode)
            node.row, node.edges, node.kept = RANDOM, (e0,), UNFINISHED
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
        RANDOM_KERNEL(a0, from_, to, generator, storage.device)
    except RuntimeWarning:
        pass
    if node is not None:
        if storage.version == version + 1:
            node.kept = kept
    if mode.listeners:
        mode.notify(
            "random_",
            "in-place",
            (x,),
            x,
            node,
            read=(),
            depends=dependence(RANDOM, {"x": a0, "from_": from_, "to": to, "generator": generator}, a0.shape),
        )
    return x
