"""Elements at the same position, after broadcasting; a choice of them by a mask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any

from inplacelab.dependence import POINTWISE, REORDERED, Dependence, Given
from inplacelab.recorders.dependences.call import Call, Shape

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
        return replace(POINTWISE, given=given) if given else POINTWISE
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
