"""Losses: of two tensors of one shape, and of scores and the numbers of the right classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from inplacelab.dependence import CONSTANT, MOST_PLACES, POINTWISE, Dependence, Given
from inplacelab.recorders.dependences.call import Call, Found, Rules, Shape
from inplacelab.recorders.dependences.trial_runs import by_trial

_REDUCTIONS = ("mean", "sum", "none", "batchmean")


def _of_both(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:
    """A loss of two tensors of one shape."""
    if call.weight_has_rows:
        reduction, named, most = call.kwargs.get("reduction", "mean"), call.kwargs, 2
    else:  # Paddle's kernels do not reduce, except this one
        reduction, named, most = "none", call.named("x", "label", *(_PADDLE_LOSSES.get(plain, ()))), 4
        reduction = named.get("reduction", "none")
    if len(shapes) > 2:
        return by_trial(call, plain, shapes)  # with weights
    if shapes[0] != shapes[-1] or reduction not in _REDUCTIONS or len(call.args) > most:
        return None
    given = [Given(name, float(named[name])) for name in ("delta", "beta", "log_target") if name in named]
    if reduction == "batchmean":
        given.append(Given("examples", shapes[0][0]))
    if reduction == "none":
        return replace(POINTWISE, given=tuple(given)) if given else POINTWISE
    return Dependence("reduced", tuple(range(len(shapes[0]))), text="alike", given=tuple(given))


_PADDLE_LOSSES: Mapping[str, tuple[str, ...]] = {"huber_loss": ("delta",), "kldiv_loss": ("reduction", "log_target")}


def _of_logits(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:
    """Paddle's losses of two tensors before they are reduced."""
    return POINTWISE if len(shapes) == 2 else by_trial(call, plain, shapes)


def _of_several(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:
    """A loss of tensors of one shape, in PyTorch: of each position, or of each line."""
    if len({*shapes}) > 1 or not shapes[0]:
        return None
    axes, further = tuple(range(len(shapes[0]))), ",".join(["alike"] * (len(shapes) - 1))
    if call.kwargs.get("reduction", "mean") != "none":
        return Dependence("reduced", axes, text=further)
    return Dependence("reduced", axes[-1:], text=further) if plain in _OF_LINES else POINTWISE


_OF_LINES = frozenset({"triplet_margin_loss", "multilabel_soft_margin_loss"})


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


RULES: Rules = {
    **dict.fromkeys((
        "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits", "kl_div", "kldiv_loss",
    ), _of_both),
    **dict.fromkeys(("cross_entropy", "nll_loss"), _of_classes), "cross_entropy_with_softmax": _of_softmax,
    **dict.fromkeys(("sigmoid_cross_entropy_with_logits", "bce_loss"), _of_logits),
    **dict.fromkeys((
        "triplet_margin_loss", "margin_ranking_loss", "hinge_embedding_loss", "soft_margin_loss", "multilabel_soft_margin_loss", "poisson_nll_loss", "gaussian_nll_loss",
    ), _of_several),
}  # fmt: skip
