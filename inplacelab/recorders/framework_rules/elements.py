"""Elements at the same position, along axes, by their order, or chosen by an index, a mask or a key, reading and writing.

Where positions depend on values, they are taken as they were.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf, prod
from typing import Any

import numpy as np

from inplacelab.dependence import MOST_PLACES, POINTWISE, REORDERED, Dependence, Given, How, Rule, listed
from inplacelab.recorders.framework_rules.call import Call, Found, Rules, Shape, moved, numbered

POINTWISE_NAMES = frozenset({
    "abs", "absolute", "acos", "acosh", "add", "addcdiv", "addcmul", "asin", "asinh", "assign", "atan", "atan2", "atanh", "bfloat16", "bool", "cast", "ceil",
    "celu", "clamp", "clamp_max", "clamp_min", "clip", "clone", "copysign", "cos", "cosh", "cpu", "deg2rad", "digamma", "div", "divide", "double", "elu", "eq",
    "equal", "erf", "erfinv", "exp", "exp2", "expand_copy", "expm1", "float", "floor", "floor_divide", "fmod", "frac", "gcd", "ge", "gelu", "greater_equal",
    "greater_than", "gt", "half", "hardtanh", "hypot", "iadd", "idiv", "imul", "int", "isfinite", "isinf", "isnan", "isub", "itruediv", "lcm", "ldexp", "le",
    "leaky_relu", "lerp", "less_equal", "less_than", "lgamma", "log", "log10", "log1p", "log2", "logaddexp", "logical_and", "logical_not", "logical_or",
    "logical_xor", "logit", "logsigmoid", "long", "lt", "mish", "mod", "mul", "multiply", "nan_to_num", "ne", "neg", "negative", "not_equal", "pow", "radd",
    "reciprocal", "relu", "relu6", "remainder", "rmul", "round", "rpow", "rsqrt", "rsub", "rtruediv", "scale", "selu", "sgn", "sigmoid", "sign", "silu", "sin",
    "hardshrink", "hardsigmoid", "hardswish", "increment", "log_sigmoid", "sinc", "sinh", "softplus", "softshrink", "softsign", "special_expit", "stanh",
    "angle", "bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor", "complex", "conj", "erfc", "heaviside", "i0", "isclose", "logaddexp2", "nextafter", "normal",
    "polar", "polygamma", "rdiv", "rdivide", "signbit", "tanh_shrink", "tanhshrink", "threshold", "_threshold", "thresholded_relu", "xlogy", "special_xlogy", "float_power", "add_n", "label_smooth", "sqrt", "square", "sub", "subtract", "swish", "tan", "tanh", "to", "true_divide", "truediv", "trunc", "type",
})  # fmt: skip


_LARGEST, _SMALLEST = frozenset({"maximum", "fmax"}), frozenset({"minimum", "fmin"})


_REORDERED = frozenset({"contiguous", "reshape", "flatten", "ravel"})


_EXPANDED = frozenset({"expand", "broadcast_to", "expand_as"})


def of_elements(  # noqa: PLR0911  # one case after the other
    call: Call, plain: str, shapes: Sequence[Shape]
) -> Dependence | None:
    """Returns the dependence of an operation on elements at the same position; None if it is none, or not known."""
    if plain in _LARGEST or (plain == "max" and len(shapes) == 2):
        return Dependence("pointwise", rule="largest")
    if plain in _SMALLEST or (plain == "min" and len(shapes) == 2):
        return Dependence("pointwise", rule="smallest")
    if plain in _REORDERED:
        return REORDERED
    if plain == "prelu":
        return _with_weight_of_channels(shapes)
    if plain == "expand_as":
        return Dependence("pointwise", (1,))
    if plain in _EXPANDED or plain in POINTWISE_NAMES:
        given = tuple(_numbers(call, plain)) if plain in POINTWISE_NAMES else ()
        return Dependence("pointwise", given=given) if given else POINTWISE
    if plain in ("where", "masked_fill"):
        return _chosen(call, plain)
    return None


def _with_weight_of_channels(shapes: Sequence[Shape]) -> Dependence:
    """A weight alone, or one for each channel."""
    if prod(shapes[1]) == 1 or len(shapes[0]) < 2:
        return POINTWISE
    return Dependence("whole", (), text="channel")


_NUMBERS: Mapping[str, tuple[str, ...]] = {
    "scale": ("x", "scale", "bias", "bias_after_scale"),
    "pow": ("x", "other"),
    "clip": ("x", "min", "max"),
    "lerp": ("x", "y", "weight"),
    **dict.fromkeys(("elu", "celu"), ("x", "alpha")),
    **dict.fromkeys(
        ("hardshrink", "softshrink", "threshold", "_threshold", "thresholded_relu"), ("x", "threshold", "value")
    ),
    "label_smooth": ("x", "prior", "epsilon"),
}


def _numbers(call: Call, plain: str) -> list[Given]:
    """The numbers among the arguments, by name."""
    if len(call.args) == 1 and not call.kwargs:  # as `x.exp()`
        return []
    named = call.named(*_NUMBERS.get(plain, ("x", "other")))
    known = {"exponent": "other", "y": "other"}
    found = [Given(known.get(name, name), value) for name, value in named.items() if type(value) in (int, float, bool)]
    return [*found, Given("rounds", 1)] if named.get("rounding_mode") else found


def _chosen(call: Call, plain: str) -> Dependence | None:
    """A choice by a mask: of the other arguments, those that are numbers are no operands."""
    order = ("mask", "holds", "fails") if plain == "where" else ("fails", "mask", "holds")
    if (
        plain == "where"
        and len(call.args) == 3
        and call.name == "where"
        and not _is_mask(call.args[0])
        and _is_mask(call.args[1])
    ):
        order = ("holds", "mask", "fails")  # `x.where(condition, y)`
    given = dict(zip(order, [*call.args, *call.kwargs.values()], strict=False))
    places = {name: k for k, name in enumerate(name for name in order if name in given and call.is_tensor(given[name]))}
    if "mask" not in places or len(given) != 3:
        return None
    return Dependence("chosen", (places["mask"], places.get("holds", -1), places.get("fails", -1)))


def _is_mask(value: Any) -> bool:
    return str(getattr(value, "dtype", "")).endswith("bool")


_REDUCED: Mapping[str, Rule] = {
    **dict.fromkeys(("sum", "mean", "prod", "all", "any", "logsumexp", "std", "var", "argmax", "argmin", "nansum", "nanmean", "mean_all", "count_nonzero", "nanprod"), ""),
    **dict.fromkeys(("max", "amax"), "largest"), **dict.fromkeys(("min", "amin"), "smallest"),
}  # fmt: skip


_OF_ALL = frozenset({"dist", "allclose", "equal_all", "bincount", "histc", "histogram", "nonzero", "argwhere"})
"""Operations each of whose results is made of all elements of all tensors, which are of one shape."""
_WHOLE = frozenset({"softmax", "log_softmax", "softmin", "gumbel_softmax"})


_RUNNING = frozenset({"cumsum", "cumprod", "logcumsumexp"})


def of_axes(call: Call, plain: str, shapes: Sequence[Shape]) -> Dependence | None:
    """Returns the dependence of an operation along axes that has one result; None if it is none, or not known."""
    rank = len(shapes[0])
    if plain in _REDUCED and len(shapes) == 1:
        return Dependence("reduced", _axes(call.named("x", "axis").get("axis"), rank), rule=_REDUCED[plain])
    if plain in _OF_ALL and len({*shapes}) == 1 and (plain != "bincount" or len(shapes) == 1):
        return Dependence("reduced", tuple(range(rank)), text=",".join(["alike"] * (len(shapes) - 1)))
    if plain in ("norm", "p_norm", "linalg_norm", "linalg_vector_norm"):
        named = call.named("x", "p", "axis", "epsilon", "keepdim", "as_vector")
        if named.get("as_vector"):
            named["axis"] = None
        rules: Mapping[Any, Rule] = {inf: "largest size", -inf: "smallest size"}
        return Dependence(
            "reduced", _axes(named.get("axis"), rank), rule=rules.get(named.get("p", named.get("ord")), "")
        )
    how: How | None = "whole" if plain in _WHOLE else "running" if plain in _RUNNING else None
    if how is None or len(shapes) != 1:
        return None
    axis = call.kwargs.get("dim", -1) if plain == "gumbel_softmax" else call.named("x", "axis").get("axis")
    if axis is None:
        return Dependence(how) if how == "running" else Dependence(how, (rank - 1,))
    return Dependence(how, _axes(axis, rank))


def of_pairs(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:
    """Returns those of an operation along axes that has two results; None of any other."""
    rank = len(shapes[0])
    if plain in ("var_mean", "std_mean"):
        whole = Dependence("reduced", _axes(call.named("x", "axis").get("axis"), rank))
        return whole, whole
    if plain == "aminmax":
        axes = _axes(call.kwargs.get("dim"), rank)
        return Dependence("reduced", axes, rule="smallest"), Dependence("reduced", axes, rule="largest")
    if plain in ("cummax", "cummin"):
        running = Dependence("running", _axes(call.named("x", "axis").get("axis"), rank))
        return replace(running, rule="largest" if plain == "cummax" else "smallest"), running
    return None


def _axes(axis: Any, rank: int) -> tuple[int, ...]:
    """The axes, counted from the front: all for None or an empty list."""
    if axis is None or (isinstance(axis, list | tuple) and not axis):
        return tuple(range(rank))
    named = axis if isinstance(axis, list | tuple) else (axis,)
    return tuple(sorted(int(each) % rank for each in named)) if rank else ()


def _sorted(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:
    """The sorted values, whose positions are taken as they were, and their indices, which depend on the whole line."""
    topk = plain == "topk"
    named = call.named(*(("x", "k", "axis", "largest") if topk else ("x", "axis", "descending")))
    axis = int(named.get("axis", 0 if plain == "msort" else -1)) % len(shapes[0])
    whole = Dependence("whole", (axis,))
    if plain == "argsort" and call.weight_has_rows:
        return whole
    numbers, values = numbered(shapes[0]), np.asarray(call.as_array(call.args[0]))
    if (topk and named.get("sorted") is False) or not _differ(values, axis):
        return _found_at(call, values, numbers, axis), whole
    descending = named.get("largest", True) if topk else named.get("descending", False)
    places = np.argsort(-values if descending else values, axis, kind="stable")
    if topk:
        if int(call.as_array(named["k"])) > places.shape[axis]:
            return None
        places = np.take(places, range(int(call.as_array(named["k"]))), axis)
    return moved(np.take_along_axis(numbers, places, axis)), whole


def _differ(values: Any, axis: int) -> bool:
    """Whether no two values in a line are equal: of equal ones it is not known which comes first."""
    ordered = np.moveaxis(np.sort(values, axis), axis, 0)
    return not (ordered[1:] == ordered[:-1]).any()


def _found_at(call: Call, values: Any, numbers: Any, axis: int) -> Dependence | None:
    """Where an operation finds its values, as it says itself when it is run again on the same ones."""
    found = call.on([values])
    if not isinstance(found, tuple):
        return None
    places = found[1]
    if places.ndim < numbers.ndim:
        places = np.expand_dims(places, axis)
    return moved(np.take_along_axis(numbers, places, axis))


def _kth(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    """The k-th smallest along an axis, whose position is taken as it was, and its index."""
    named = call.named("x", "k", "axis", "keepdim")
    axis = int(named.get("axis", -1)) % len(shapes[0])
    numbers, values = numbered(shapes[0]), np.asarray(call.as_array(call.args[0]))
    whole = Dependence("reduced", (axis,))
    if not _differ(values, axis):
        return _found_at(call, values, numbers, axis), whole
    places = np.take(np.argsort(values, axis), [int(named["k"]) - 1], axis)
    return moved(np.take_along_axis(numbers, places, axis)), whole


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


def _searched(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    """Where values would stand in a sorted line: on the whole line, and on the value."""
    line, values = (1, 0) if plain == "bucketize" else (0, 1)
    if len(shapes) != 2 or len(shapes[line]) != 1:
        return None
    size = prod(shapes[0])
    numbers = [range(size), range(size, size + prod(shapes[1]))]
    return listed([[*numbers[line], each] for each in numbers[values]])


def _distinct(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    """Each value once, sorted: on the elements that have it."""
    if call.named("x").get("axis") is not None:
        return None
    values = np.asarray(call.as_array(call.args[0])).reshape(-1)
    if values.size > MOST_PLACES:
        return None
    return (listed([np.flatnonzero(values == each).tolist() for each in np.unique(values)]),)


SORTING: Rules = {
    "searchsorted": _searched,
    "bucketize": _searched,
    "unique": _distinct,
    **dict.fromkeys(("sort", "topk", "argsort", "msort"), _sorted),
    "kthvalue": _kth,
    "median": _median,
}


def _side_by_side(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:
    """Several tensors as one."""
    named = call.named("parts", "axis")
    rank = len(shapes[0]) + (plain == "stack")
    return Dependence("stacked" if plain == "stack" else "joined", (int(named.get("axis", 0)) % rank,))


def of_positions(  # noqa: PLR0911  # one case after the other
    call: Call,
    plain: str,
    shapes: Sequence[Shape],  # noqa: ARG001
) -> Dependence | None:
    """Returns the dependence of an operation that reads, or writes, at chosen positions; None if it is none, or not known."""
    if plain in ("getitem", "setitem") and len(call.args) > 1:
        return _keyed(call, plain)
    at = call.reads.get(call.name) or call.writes.get(f"{plain}_")  # or the same write to a copy
    if at is None or plain in ("where", "masked_fill") or call.name in ("tril", "triu"):
        return None
    given = at.given(call.args, call.kwargs, call.aliases)
    known: dict[str, Any] = {
        **given,
        **{name: call.as_array(given[name]) for name in ("index", "mask") if name in given},
    }
    if call.is_tensor(known.get("axis")):
        known["axis"] = int(call.as_array(known["axis"]))
    selected = np.asarray(at.selects(numbered(tuple(map(int, call.args[0].shape))), known))
    if call.name in call.reads:
        return moved(selected)
    if plain in ("tril", "triu", "fill_diagonal"):
        return _written(selected, None, "assigned")
    if plain == "scatter" and at.combines(given) and given.get("reduce") is None:
        return _written(selected, given["value"], "replaced")  # Paddle's `overwrite=False`
    value = given.get("value")
    how = "assigned" if not at.combines(given) else "replaced" if given.get("include_self") is False else "combined"
    in_order = plain in ("masked_scatter", "put")
    found = _written(selected, value if call.is_tensor(value) else None, how, in_order=in_order)
    alpha = call.kwargs.get("alpha", 1)
    reduces = str(given.get("reduce"))
    if found is None or reduces in _OF_CHOSEN:
        return found and replace(found, rule=_OF_CHOSEN[reduces])
    told = (("alpha", alpha), ("product", reduces in _MULTIPLYING), ("mean", reduces == "mean"))
    return replace(found, given=tuple(Given(name, value) for name, value in told if value != (name == "alpha")))


_OF_CHOSEN: Mapping[str, Rule] = {"amax": "largest", "amin": "smallest"}
"""Of the numbers that are written to one place, and the old one, only these count."""
_MULTIPLYING = ("mul", "multiply", "prod")


def _keyed(call: Call, plain: str) -> Dependence | None:
    parts = call.args[1] if type(call.args[1]) is tuple else (call.args[1],)
    keys = tuple(call.as_array(part) if call.is_tensor(part) else part for part in parts)
    selected = np.asarray(numbered(tuple(map(int, call.args[0].shape)))[keys])
    if plain == "getitem":
        return moved(selected)
    value = call.args[2] if len(call.args) > 2 else None
    return _written(selected, value if call.is_tensor(value) else None, "assigned")


def _written(places: Any, value: Any, how: str, *, in_order: bool = False) -> Dependence | None:
    if places.size > MOST_PLACES:
        return None
    used: Any = np.zeros(0, int)
    if value is not None:
        shape = tuple(map(int, value.shape))
        used = np.arange(prod(shape)).reshape(shape)
        if in_order:
            used = used.reshape(-1)[: places.size]
        else:
            while used.ndim > places.ndim and used.shape[0] == 1:
                used = used[0]
            if used.ndim == places.ndim and any(n > m for n, m in zip(used.shape, places.shape, strict=True)):
                used = used[tuple(slice(n) for n in places.shape)]  # a source larger than the index
            used = np.broadcast_to(used, places.shape).reshape(-1)
    return Dependence("written", text=how, places=tuple(places.reshape(-1).tolist()), values=tuple(used.tolist()))


def _embedding(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    """Rows of the second operand, which the first one chooses."""
    return moved(numbered(shapes[1])[call.as_array(call.args[0])], first=1)


def _dropped(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    kept = Dependence("pointwise", rule="kept")
    return kept if call.weight_has_rows else (kept,)


INDEXED: Rules = {
    **dict.fromkeys(("cat", "concat", "concatenate", "stack"), _side_by_side),
    "embedding": _embedding,
    "dropout": _dropped,
}
