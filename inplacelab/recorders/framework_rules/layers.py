"""Layers that a framework computes in one operation: losses, normalizations, and steps of optimizers.

A step of Paddle's optimizers, or of PyTorch's `_foreach_` functions, writes several of its operands: what it returns has the dependence of each operand that
may be written, by its place among the operands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from inplacelab.dependence import CONSTANT, MOST_PLACES, POINTWISE, Dependence, Given, listed
from inplacelab.recorders.framework_rules.call import Call, Found, Rules, Shape, by_trial, numbered
from inplacelab.recorders.framework_rules.elements import POINTWISE_NAMES

_REDUCTIONS = ("mean", "sum", "none", "batchmean")


def _of_both(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:
    """A loss of two tensors of one shape."""
    if call.weight_has_rows:
        reduction, most = call.kwargs.get("reduction", "mean"), 2
    else:  # Paddle's kernels do not reduce, except this one
        reduction, most = call.named("x", "label", "reduction")["reduction"] if plain == "kldiv_loss" else "none", 4
    if len(shapes) > 2:
        return by_trial(call, plain, shapes)  # with weights
    if shapes[0] != shapes[-1] or reduction not in _REDUCTIONS or len(call.args) > most:
        return None
    return POINTWISE if reduction == "none" else Dependence("reduced", tuple(range(len(shapes[0]))), text="alike")


def _of_logits(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:
    """Paddle's losses of two tensors before they are reduced."""
    return POINTWISE if len(shapes) == 2 else by_trial(call, plain, shapes)


def _of_classes(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:
    """A loss of scores and the numbers of the right classes, in PyTorch."""
    reduction = call.kwargs.get("reduction", "mean")
    if len(shapes) > 2 or not call.weight_has_rows:
        return by_trial(call, plain, shapes) if len(shapes) > 2 else _picked_by_paddle(call, shapes)
    if len(shapes) != 2 or reduction not in _REDUCTIONS or len(call.args) > 2:
        return None
    rank = len(shapes[0])
    axis = min(1, rank - 1)
    if shapes[0] == shapes[1]:
        return _of_wanted_shares(shapes[0], axis, call.kwargs)
    labels = np.asarray(call.as_array(call.named("x", "target").get("target")))
    if (labels < 0).any():  # some are left out
        counts = plain == "cross_entropy" and rank == 2 and reduction != "none"
        return _of_counted_classes(shapes[0], labels, call.kwargs) if counts else None
    if plain == "nll_loss":
        chosen = _chosen(shapes[0], labels)
        return Dependence("moved", places=chosen) if reduction == "none" or labels.size == 1 else _picked(chosen)
    given = _labels(labels, call.kwargs) if rank <= 2 else ()
    return Dependence("reduced", (axis,) if reduction == "none" else tuple(range(rank)), text="none", given=given)


def _of_wanted_shares(shape: Shape, axis: int, named: Mapping[str, Any]) -> Dependence:
    """The same of scores and the shares that they should have."""
    rank = len(shape)
    given = (Given("classes", shape[-1]),) if rank <= 2 and not named.get("label_smoothing") else ()
    axes = (axis,) if named.get("reduction") == "none" else tuple(range(rank))
    return Dependence("reduced", axes, text="alike", given=given)


def _labels(labels: Any, named: Mapping[str, Any]) -> tuple[Given, ...]:
    """The right classes, if they are not too many, and how far they are smoothed."""
    if labels.size > 63:
        return ()
    smoothing = float(named.get("label_smoothing", 0.0))
    return (
        *(Given("label", int(each)) for each in labels.reshape(-1)),
        *((Given("smoothing", smoothing),) if smoothing else ()),
    )


def _of_counted_classes(shape: Shape, labels: Any, named: Mapping[str, Any]) -> Dependence | None:
    """The same if some examples are left out."""
    counted = labels != named.get("ignore_index", -100)
    if (labels[counted] < 0).any():
        return None
    places = np.arange(prod(shape)).reshape(shape)[counted].reshape(-1)
    return Dependence("reduced", (), places=tuple(places.tolist()), given=_labels(labels[counted], named))


def _picked_by_paddle(call: Call, shapes: Sequence[Shape]) -> Found:
    """Paddle's `nll_loss`: the loss, and the sum of the weights."""
    named = call.named("x", "label", "weight", "ignore", "reduction")
    labels = np.asarray(call.as_array(named["label"]))
    if len(shapes) != 2 or (labels < 0).any() or (labels == named["ignore"]).any():
        return None
    chosen = _chosen(shapes[0], labels)
    return (Dependence("moved", places=chosen) if named["reduction"] == "none" else _picked(chosen)), CONSTANT


def _chosen(shape: Shape, labels: Any) -> tuple[int, ...]:
    """The numbers of the scores of the right classes."""
    numbers = np.arange(prod(shape)).reshape(shape)
    axis = min(1, len(shape) - 1)
    found = np.take_along_axis(numbers, np.expand_dims(labels.reshape(labels.shape), axis), axis)
    if found.size > MOST_PLACES:
        raise ValueError
    return tuple(found.reshape(-1).tolist())


def _picked(chosen: tuple[int, ...]) -> Dependence | None:
    """A sum of some elements: written one upon the other."""
    return Dependence("reduced", (), places=chosen)


def _of_softmax(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    """Paddle's cross entropy: the shares, and the loss of each line."""
    named = call.named("x", "label", "soft", "use_softmax", "stable", "ignore", "axis")
    axis = named["axis"] % len(shapes[0])
    if not named["soft"] and (np.asarray(call.as_array(named["label"])) == named["ignore"]).any():
        return Dependence("whole", (axis,), text="none"), None  # some are left out
    text, given = ("alike", (Given("classes", shapes[0][axis]),)) if named["soft"] else ("none", ())
    return Dependence("whole", (axis,), text="none"), Dependence("whole", (axis,), text=text, given=given)


LOSSES: Rules = {
    **dict.fromkeys((
        "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits", "kl_div", "kldiv_loss",
    ), _of_both),
    **dict.fromkeys(("cross_entropy", "nll_loss"), _of_classes), "cross_entropy_with_softmax": _of_softmax,
    **dict.fromkeys(("sigmoid_cross_entropy_with_logits", "bce_loss"), _of_logits),
}  # fmt: skip


def _layer_norm(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:
    rank, further = len(shapes[0]), ("weight", "eps") if plain == "rms_norm" else ("weight", "bias", "eps")
    if call.weight_has_rows:
        named = call.named("x", "normalized_shape", *further)
        sizes = named["normalized_shape"]
        first = rank - (1 if isinstance(sizes, int) else len(sizes))
    else:
        named = call.named("x", "scale", "bias", "epsilon", "begin")
        first = named["begin"]
        if first != rank - 1 and len(shapes) > 1:
            return None  # its weights are in one line
    text = ",".join(["position"] * (len(shapes) - 1))
    return Dependence("whole", tuple(range(first, rank)), text=text, given=_epsilon(named))


def _group_norm(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    torch, paddle = ("x", "groups", "weight", "bias", "eps"), ("x", "weight", "bias", "epsilon", "groups", "format")
    named = call.named(*(torch if call.weight_has_rows else paddle))
    groups = named.get("groups", named.get("num_groups"))
    if groups is None or named.get("format", "NCHW")[:2] != "NC":
        return None
    text = ",".join(["channel"] * (len(shapes) - 1))
    return Dependence(
        "whole", tuple(range(1, len(shapes[0]))), text=text, given=(Given("groups", int(groups)), *_epsilon(named))
    )


def _batch_norm(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    names = ("x", "mean", "var", "weight", "bias", "mode", "momentum", "epsilon")
    named = call.named(*names)
    mode = bool(named.get("training", named.get("mode", False)))
    trains = mode if call.weight_has_rows else not mode
    given = [name for name in names[1:5] if call.is_tensor(named.get(name, named.get(f"running_{name}")))]
    if len(given) != len(shapes) - 1:
        return None
    words = ["none" if trains and name in ("mean", "var") else "channel" for name in given]
    axes = tuple(axis for axis in range(len(shapes[0])) if axis != 1) if trains else ()
    output = Dependence("whole", axes, text=",".join(words), given=_epsilon(named))
    return (output, *(_statistic(shapes, k) for k in (1, 2))) if trains and given[:2] == ["mean", "var"] else (output,)


def _statistic(shapes: Sequence[Shape], operand: int) -> Dependence | None:
    """Of a running mean or variance, which a layer updates with the elements of its channel."""
    channels, before = shapes[operand][0], sum(map(prod, shapes[:operand]))
    if prod(shapes[0]) > MOST_PLACES:
        return None
    lines = np.moveaxis(numbered(shapes[0]), 1, 0).reshape(channels, -1).tolist()
    return listed([[before + channel, *line] for channel, line in enumerate(lines)])


def _normalize(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    named = call.named("x", "p", "axis")
    return Dependence(
        "whole", (named.get("axis", 1) % len(shapes[0]),), given=(Given("p", float(named.get("p", 2.0))),)
    )


def _epsilon(named: Mapping[str, Any]) -> tuple[Given, ...]:
    """What is added to a variance."""
    found = named.get("eps", named.get("epsilon"))
    return () if found is None else (Given("epsilon", float(found)),)


NORMALIZATIONS: Rules = {
    "layer_norm": _layer_norm,
    "rms_norm": _layer_norm,
    "group_norm": _group_norm,
    "batch_norm": _batch_norm,
    "normalize": _normalize,
}


_OPERANDS: Mapping[str, Sequence[str]] = {
    "sgd": ("param", "rate", "grad"),
    "momentum": ("param", "grad", "velocity", "rate"),
    "adagrad": ("param", "grad", "moment", "rate"),
    "rmsprop": ("param", "mean_square", "grad", "moment", "rate", "mean_grad"),
    "adamax": ("param", "grad", "rate", "moment", "inf_norm", "beta1_pow"),
    **dict.fromkeys(
        ("adam", "adamw"),
        ("param", "grad", "rate", "moment1", "moment2", "moment2_max", "beta1_pow", "beta2_pow"),
    ),
}
"""The tensors of Paddle's kernels, in the order of their arguments."""
_READ: Mapping[str, Sequence[str]] = {
    **{each: (each, "grad") for each in ("velocity", "mean_square", "mean_grad", "moment1", "moment2", "inf_norm")},
    **{each: (each,) for each in ("beta1_pow", "beta2_pow", "grad", "rate")},
}
"""What a state is computed from. A parameter is computed from all, and so is a state that is not listed."""


def _step(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:
    names = [name for name, value in zip(_OPERANDS[plain], call.args, strict=False) if call.is_tensor(value)]
    if len(names) != len(shapes):
        return None
    return tuple(_pointwise_on(_READ.get(name, names), names) for name in names)


def _pointwise_on(read: Sequence[str], names: Sequence[str]) -> Dependence:
    return Dependence("pointwise", tuple(k for k, name in enumerate(names) if name not in read))


def _for_each(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:
    """A function of the tensors of a list, one after the other; of further lists, each with its own."""
    name, count = plain.removeprefix("_foreach_"), len(call.args[0])
    if name == "zero":
        return (CONSTANT,) * count
    if name == "norm":
        return tuple(Dependence("reduced", tuple(range(len(shape))), first=k) for k, shape in enumerate(shapes))
    lists = sum(type(value) in (list, tuple) and any(map(call.is_tensor, value)) for value in call.args)
    if len(shapes) - count * lists not in (0, 1):
        return None  # another order of the operands
    numbers = {"other": call.args[-1], **call.kwargs}
    given = tuple(Given(name, value) for name, value in numbers.items() if type(value) in (int, float))
    listed = range(count * lists)
    others = [
        {place for place in listed if place % count != k} | ({k} if name == "copy" else set()) for k in range(count)
    ]
    return tuple(Dependence("pointwise", tuple(sorted(other)), given=given) for other in others)


def _side_by_side(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    """Paddle's moves the tensors of a list to one storage."""
    return tuple(Dependence("pointwise", tuple(k for k in range(len(shapes)) if k != at)) for at in range(len(shapes)))


OPTIMIZERS: Rules = {
    "coalesce_tensor": _side_by_side,
    **dict.fromkeys(_OPERANDS, _step),
    **{f"_foreach_{name}": _for_each for name in (*POINTWISE_NAMES, "zero", "norm", "copy")},
}
