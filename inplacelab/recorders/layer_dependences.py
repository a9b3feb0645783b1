"""The same for calls with a rule of their own: layers, losses, windows of images, sorting, and equations.

A result of several tensors has a dependence for each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import prod
from typing import Any

import numpy as np

from inplacelab.dependence import CONSTANT, MOST_PLACES, POINTWISE, Dependence, Given, Rule, listed, products
from inplacelab.recorders.dependence_call import Call, Found

Shape = tuple[int, ...]


def of_layers(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:
    """Returns the dependence of a call that has a rule here; None for any other, or if it is not known.

    Args:
        call: the call.
        plain: its name without the underscore of an in-place operation.
        shapes: the shapes of its tensors.
    """
    rule = _RULES.get(plain)
    return None if rule is None else rule(call, plain, shapes)


def _constant(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    return CONSTANT


# --- normalization ---------------------------------------------------------------------------------------------------


def _layer_norm(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    rank = len(shapes[0])
    if call.weight_has_rows:
        sizes = call.named("x", "normalized_shape")["normalized_shape"]
        first = rank - (1 if isinstance(sizes, int) else len(sizes))
    else:
        first = call.named("x", "scale", "bias", "epsilon", "begin")["begin"]
        if first != rank - 1 and len(shapes) > 1:
            return None  # its weights are in one line
    given = _epsilon(
        call.named("x", "normalized_shape", "weight", "bias", "eps")
        if call.weight_has_rows
        else call.named("x", "scale", "bias", "epsilon")
    )
    return Dependence("whole", tuple(range(first, rank)), text=",".join(["position"] * (len(shapes) - 1)), given=given)


def _epsilon(named: Mapping[str, Any]) -> tuple[Given, ...]:
    """What is added to a variance."""
    found = named.get("eps", named.get("epsilon"))
    return () if found is None else (Given("epsilon", float(found)),)


def _rms_norm(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    named, rank = call.named("x", "normalized_shape", "weight", "eps"), len(shapes[0])
    sizes = named["normalized_shape"]
    first = rank - (1 if isinstance(sizes, int) else len(sizes))
    return Dependence(
        "whole", tuple(range(first, rank)), text=",".join(["position"] * (len(shapes) - 1)), given=_epsilon(named)
    )


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


def _instance_norm(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    torch = ("x", "running_mean", "running_var", "weight", "bias", "use_input_stats", "momentum", "eps")
    named = call.named(*(torch if call.weight_has_rows else ("x", "weight", "bias", "epsilon")))
    if named.get("running_mean") is not None or named.get("running_var") is not None:
        return None
    text = ",".join(["channel"] * (len(shapes) - 1))
    return Dependence("whole", tuple(range(2, len(shapes[0]))), text=text, given=_epsilon(named))


def _glu(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    axis = call.named("x", "axis").get("axis", -1)
    halves = np.split(_numbers(shapes[0]), 2, axis)
    return listed(np.stack([half.reshape(-1) for half in halves], 1).tolist())


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
    return (Dependence("whole", axes, text=",".join(words), given=_epsilon(named)),)


def _normalize(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    named = call.named("x", "p", "axis")
    return Dependence(
        "whole", (named.get("axis", 1) % len(shapes[0]),), given=(Given("p", float(named.get("p", 2.0))),)
    )


# --- losses ----------------------------------------------------------------------------------------------------------

_REDUCTIONS = ("mean", "sum", "none", "batchmean")


def _of_both(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:
    """A loss of two tensors of one shape."""
    if call.weight_has_rows:
        reduction, named, most = call.kwargs.get("reduction", "mean"), call.kwargs, 2
    else:  # Paddle's kernels do not reduce, except this one
        reduction, named, most = "none", call.named("x", "label", *(_PADDLE_LOSSES.get(plain, ()))), 4
        reduction = named.get("reduction", "none")
    if len(shapes) != 2 or shapes[0] != shapes[1] or reduction not in _REDUCTIONS or len(call.args) > most:
        return None
    given = [Given(name, float(named[name])) for name in ("delta", "beta", "log_target") if name in named]
    if reduction == "batchmean":
        given.append(Given("examples", shapes[0][0]))
    if reduction == "none":
        return replace(POINTWISE, given=tuple(given)) if given else POINTWISE
    return Dependence("reduced", tuple(range(len(shapes[0]))), text="alike", given=tuple(given))


_PADDLE_LOSSES: Mapping[str, tuple[str, ...]] = {"huber_loss": ("delta",), "kldiv_loss": ("reduction", "log_target")}


def _of_logits(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    """Paddle's losses of two tensors before they are reduced."""
    return POINTWISE if len(shapes) == 2 else None


def _of_classes(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:
    """A loss of scores and the numbers of the right classes, in PyTorch."""
    reduction = call.kwargs.get("reduction", "mean")
    if not call.weight_has_rows:
        return _picked_by_paddle(call, shapes)
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


# --- windows ---------------------------------------------------------------------------------------------------------


def _pairs(value: Any, count: int) -> list[int]:
    """A number for each axis."""
    found = [int(each) for each in value] if isinstance(value, list | tuple) else [int(value)]
    if len(found) == 2 * count and found[::2] == found[1::2]:
        found = found[::2]
    if len(found) == 1:
        found *= count
    if len(found) != count:
        raise ValueError
    return found


def _padding_alike(image: Shape, kernel: Shape, stride: Sequence[int], dilation: Sequence[int]) -> list[int]:
    """How far windows begin before an image, if as many of them are made as it has elements, divided by the stride."""
    ends = [
        (-(-size // step) - 1) * step + (wide - 1) * far + 1
        for size, wide, step, far in zip(image, kernel, stride, dilation, strict=True)
    ]
    return [max(end - size, 0) // 2 for end, size in zip(ends, image, strict=True)]


def _convolution(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    torch = ("x", "weight", "bias", "stride", "padding", "dilation", "groups")
    paddle = ("x", "weight", "stride", "padding", "algorithm", "dilation", "groups", "format")
    named = call.named(*(torch if call.weight_has_rows else paddle))
    count = len(shapes[1]) - 2
    if named.get("format", "NCHW")[:2] != "NC":
        return None
    stride, dilation = _pairs(named.get("stride", 1), count), _pairs(named.get("dilation", 1), count)
    how = (
        named.get("algorithm", "EXPLICIT")
        if named.get("algorithm", "EXPLICIT") != "EXPLICIT"
        else named.get("padding", 0)
    )
    if str(how).lower() == "same":  # Paddle counts no dilation here
        dilation = dilation if call.weight_has_rows else [1] * count
        padding = _padding_alike(shapes[0][-count:], shapes[1][2:], stride, dilation)
    else:
        padding = _pairs(0 if str(how).lower() == "valid" else how, count)
    sides = (stride, padding, dilation)
    return Dependence(
        "windowed", (int(named.get("groups", 1)), *shapes[1][2:], *(each for side in sides for each in side))
    )


def _transposed(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    torch = ("x", "weight", "bias", "stride", "padding", "output_padding", "groups", "dilation")
    paddle = ("x", "weight", "stride", "padding", "output_padding", "size", "algorithm", "groups", "dilation", "format")
    named = call.named(*(torch if call.weight_has_rows else paddle))
    count = len(shapes[1]) - 2
    if named.get("format", "NCHW")[:2] != "NC" or named.get("algorithm", "EXPLICIT") != "EXPLICIT":
        return None
    sides = [
        _pairs(named.get(name, default), count) for name, default in (("stride", 1), ("padding", 0), ("dilation", 1))
    ]
    numbers = (int(named.get("groups", 1)), *shapes[1][2:], *(each for side in sides for each in side))
    return Dependence("windowed", numbers, text="transposed")


def _adaptive(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:
    """A mean, or the largest, of windows that cover the image side by side; not known if they are of different sizes."""
    return _side_by_windows(shapes[0], call.args[1], int(plain[-2]), largest=plain.startswith("adaptive_max"))


def _side_by_windows(shape: Shape, sizes: Any, count: int, *, largest: bool) -> Dependence | None:
    """Windows that cover an image of some axes, so that so many results are left along each; None: as many as there are elements."""
    image = shape[len(shape) - count :]
    given = sizes if isinstance(sizes, list | tuple) else [sizes] * count
    wanted = [whole if size is None else int(size) for whole, size in zip(image, given, strict=True)]
    rule: Rule = "largest" if largest else ""
    if not any(whole % size for whole, size in zip(image, wanted, strict=True)):
        kernel = [whole // size for whole, size in zip(image, wanted, strict=True)]
        return Dependence("windowed", (0, *kernel, *kernel, *(0 for _ in kernel), *(1 for _ in kernel)), rule=rule)
    sides = [
        [slice(k * whole // size, -(-(k + 1) * whole // size)) for k in range(size)]
        for whole, size in zip(image, wanted, strict=True)
    ]
    images = _numbers(shape).reshape(-1, *image)
    windows = [one[at].reshape(-1).tolist() for one in images for at in product(*sides)]
    return listed(windows, () if largest else [[1 / len(each)] * len(each) for each in windows], rule)


def _pooling_with_places(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    """Paddle's: the largest of a window, and where it is, which depends on the whole window."""
    named = call.named("x", "kernel", "stride", "padding", "global", "adaptive", "ceil")
    count = len(shapes[0]) - 2
    if named["global"] or named.get("ceil"):
        return None
    if named["adaptive"]:
        found = _side_by_windows(shapes[0], named["kernel"], count, largest=True)
    else:
        sides = (_pairs(named[name], count) for name in ("kernel", "stride", "padding"))
        found = Dependence("windowed", (0, *(each for side in sides for each in side), *[1] * count), rule="largest")
    return found, None if found is None else replace(found, rule="")


def _pooling_with_indices(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:
    """PyTorch's."""
    kwargs = {name: value for name, value in call.kwargs.items() if name != "return_indices"}
    found = _pooling(replace(call, kwargs=kwargs), plain.removesuffix("_with_indices"), shapes)
    return (found, replace(found, rule="")) if isinstance(found, Dependence) else None


def _pooling(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:
    """The largest, or the mean, of a window."""
    names: tuple[str, ...]
    if call.weight_has_rows:
        names = (
            ("x", "kernel", "stride", "padding", "dilation")
            if plain.startswith("max")
            else ("x", "kernel", "stride", "padding")
        )
        named, count = call.named(*names), int(plain[-2])
        named["kernel"] = named.get("kernel", named.get("kernel_size"))
        largest = plain.startswith("max")
    else:
        names = (
            "x",
            "kernel",
            "stride",
            "padding",
            "ceil",
            "exclusive",
            "format",
            "kind",
            "global",
            "adaptive",
            "algorithm",
        )
        named, count = call.named(*names), len(shapes[0]) - 2
        largest = named["kind"] == "max"
        if named["adaptive"] and named["format"][:2] == "NC" and not named["global"]:
            return _side_by_windows(shapes[0], named["kernel"], count, largest=largest)
        if named["adaptive"] or named["global"] or named["format"][:2] != "NC" or named["algorithm"] != "EXPLICIT":
            return None
    kernel = _pairs(named["kernel"], count)
    stride = _pairs(named.get("stride") or kernel, count)
    sides = (kernel, stride, _pairs(named.get("padding", 0), count), _pairs(named.get("dilation", 1), count))
    return Dependence("windowed", (0, *(each for side in sides for each in side)), rule="largest" if largest else "")


# --- sorting and moving ----------------------------------------------------------------------------------------------


def _sorted(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:
    """The sorted values, whose positions are taken as they were, and their indices, which depend on the whole line."""
    topk = plain == "topk"
    named = call.named(*(("x", "k", "axis", "largest") if topk else ("x", "axis", "descending")))
    rank = len(shapes[0])
    axis = int(named.get("axis", -1)) % rank
    values = np.asarray(call.as_array(call.args[0]))
    whole = Dependence("whole", (axis,))
    if plain == "argsort" and call.weight_has_rows:
        return whole
    ordered = np.sort(values, axis)
    if values.size > MOST_PLACES or (np.diff(ordered, axis=axis) == 0).any():
        return None, whole  # of equal values it is not known which comes first
    descending = named.get("largest", True) if topk else named.get("descending", False)
    places = np.argsort(-values if descending else values, axis, kind="stable")
    if topk:
        if int(call.as_array(named["k"])) > places.shape[axis] or named.get("sorted") is False:
            return None
        places = np.take(places, range(int(call.as_array(named["k"]))), axis)
    numbers = np.arange(values.size).reshape(values.shape)
    return Dependence("moved", places=tuple(np.take_along_axis(numbers, places, axis).reshape(-1).tolist())), whole


def _numbers(shape: Shape) -> Any:
    if prod(shape) > MOST_PLACES:
        raise ValueError
    return np.arange(prod(shape)).reshape(shape)


def _moved(numbers: Any, first: int = 0) -> Dependence | None:
    if numbers.size > MOST_PLACES:
        return None
    return Dependence("moved", places=tuple(np.asarray(numbers).reshape(-1).tolist()), first=first)


def _kth(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    """The k-th smallest along an axis, whose position is taken as it was, and its index."""
    named = call.named("x", "k", "axis", "keepdim")
    axis = int(named.get("axis", -1)) % len(shapes[0])
    values = np.asarray(call.as_array(call.args[0]))
    whole = Dependence("reduced", (axis,))
    ordered = np.sort(values, axis)
    if (np.diff(ordered, axis=axis) == 0).any():
        return None, whole  # of equal values it is not known which was taken
    places = np.take(np.argsort(values, axis), [int(named["k"]) - 1], axis)
    return _moved(np.take_along_axis(_numbers(shapes[0]), places, axis)), whole


def _embedding(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    """Rows of the second operand, which the first one chooses."""
    return _moved(_numbers(shapes[1])[call.as_array(call.args[0])], first=1)


def _dropped(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    kept = Dependence("pointwise", rule="kept")
    return kept if call.weight_has_rows else (kept,)


def _median(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    rank = len(shapes[0])
    if not call.weight_has_rows:
        named = call.named("x", "axis", "keepdim", "mode")
        axes = tuple(int(each) % rank for each in named["axis"]) or tuple(range(rank))
        values = Dependence("reduced", axes, rule="middle" if named["mode"] == "avg" else "lower middle")
        return values, Dependence("reduced", axes)
    axis = call.named("x", "axis").get("axis")
    if axis is None:
        return Dependence("reduced", tuple(range(rank)), rule="lower middle")
    axes = (int(axis) % rank,)
    return Dependence("reduced", axes, rule="lower middle"), Dependence("reduced", axes)


def _einsum(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    equation = next(each for each in (*call.args, *call.kwargs.values()) if isinstance(each, str)).replace(" ", "")
    left, arrow, right = equation.partition("->")
    letters = left.replace(",", "")
    if not arrow:
        right = "".join(sorted(letter for letter in set(letters) if letters.count(letter) == 1))
    if "." in equation:
        left, right = _written_out(left, right if arrow else None, shapes)
    return products(f"{left}->{right}") if not right or right.isalpha() else None


def _written_out(left: str, right: str | None, shapes: Sequence[Shape]) -> tuple[str, str]:
    """An equation with letters for the axes that its dots stand for: those of the result come first if no arrow says where."""
    terms = left.split(",")
    free = [letter for letter in "abcdefghijklmnopqrstuvwxyz" if letter not in left]
    counts = [len(shape) - len(term.replace("...", "")) for term, shape in zip(terms, shapes, strict=True)]
    letters = "".join(free[: max(counts)])
    if right is None:
        alone = [letter for letter in set(left) if letter.isalpha() and left.count(letter) == 1]
        right = "..." + "".join(sorted(alone))
    full = [term.replace("...", letters[len(letters) - count :]) for term, count in zip(terms, counts, strict=True)]
    return ",".join(full), right.replace("...", letters)


_RULES: Mapping[str, Callable[[Any, str, Sequence[Shape]], Found]] = {
    "layer_norm": _layer_norm, "rms_norm": _rms_norm, "group_norm": _group_norm, "instance_norm": _instance_norm, "glu": _glu, "batch_norm": _batch_norm, "normalize": _normalize,
    **dict.fromkeys((
        "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits", "kl_div", "kldiv_loss",
    ), _of_both),
    **dict.fromkeys(("cross_entropy", "nll_loss"), _of_classes), "cross_entropy_with_softmax": _of_softmax,
    **dict.fromkeys(("sigmoid_cross_entropy_with_logits", "bce_loss"), _of_logits),
    **dict.fromkeys(("conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "conv2d_transpose", "conv3d_transpose"), _transposed),
    **dict.fromkeys(("adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_max_pool1d", "adaptive_max_pool2d"), _adaptive),
    **dict.fromkeys(("max_pool2d_with_index", "max_pool3d_with_index"), _pooling_with_places),
    **dict.fromkeys(("max_pool1d_with_indices", "max_pool2d_with_indices", "max_pool3d_with_indices"), _pooling_with_indices),
    "kthvalue": _kth,
    "dropout": _dropped, "median": _median,
    **dict.fromkeys(("conv1d", "conv2d", "conv3d", "depthwise_conv2d"), _convolution),
    **dict.fromkeys(("max_pool1d", "max_pool2d", "max_pool3d", "avg_pool1d", "avg_pool2d", "avg_pool3d", "pool2d", "pool3d"), _pooling),
    **dict.fromkeys(("sort", "topk", "argsort"), _sorted), "embedding": _embedding, "einsum": _einsum,
    **dict.fromkeys(("full_like", "ones_like", "zeros_like", "numel", "shape", "one_hot", "new_zeros", "new_ones", "new_full", "new_tensor"), _constant),
}  # fmt: skip
