"""Tells how the elements of a result depend on those of the operands, for calls of PyTorch and PaddlePaddle: by the same rules as the table of
operations (`inplacelab/dependence.py`). An operation without an entry here has no known dependence: nothing is guessed.

Parameters are named as in `positions.py`: "x" is the first tensor, "index", "mask", "value", "axis".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import inf, prod
from typing import TYPE_CHECKING, Any

import numpy as np

from inplacelab.dependence import (
    CONSTANT,
    DRAWN,
    MOST_PLACES,
    OVERWRITTEN,
    POINTWISE,
    REORDERED,
    Dependence,
    Given,
    How,
    Rule,
    products,
)
from inplacelab.recorders.dependence_call import Call, Found
from inplacelab.recorders.layer_dependences import of_layers
from inplacelab.recorders.trial_runs import by_trial

if TYPE_CHECKING:
    from inplacelab.recorders.events import Operand

__all__ = ["Call", "dependence", "depends_of"]

Shape = tuple[int, ...]


_POINTWISE = frozenset({
    "abs", "absolute", "acos", "acosh", "add", "addcdiv", "addcmul", "asin", "asinh", "assign", "atan", "atan2", "atanh", "bfloat16", "bool", "cast", "ceil",
    "celu", "clamp", "clamp_max", "clamp_min", "clip", "clone", "copysign", "cos", "cosh", "cpu", "deg2rad", "digamma", "div", "divide", "double", "elu", "eq",
    "equal", "erf", "erfinv", "exp", "exp2", "expand_copy", "expm1", "float", "floor", "floor_divide", "fmod", "frac", "gcd", "ge", "gelu", "greater_equal",
    "greater_than", "gt", "half", "hardtanh", "hypot", "iadd", "idiv", "imul", "int", "isfinite", "isinf", "isnan", "isub", "itruediv", "lcm", "ldexp", "le",
    "leaky_relu", "lerp", "less_equal", "less_than", "lgamma", "log", "log10", "log1p", "log2", "logaddexp", "logical_and", "logical_not", "logical_or",
    "logical_xor", "logit", "logsigmoid", "long", "lt", "mish", "mod", "mul", "multiply", "nan_to_num", "ne", "neg", "negative", "not_equal", "pow", "radd",
    "reciprocal", "relu", "relu6", "remainder", "rmul", "round", "rpow", "rsqrt", "rsub", "rtruediv", "scale", "selu", "sgn", "sigmoid", "sign", "silu", "sin",
    "hardshrink", "hardsigmoid", "hardswish", "increment", "log_sigmoid", "sinc", "sinh", "softplus", "softshrink", "softsign", "special_expit", "stanh",
    "tanh_shrink", "tanhshrink", "threshold", "_threshold", "thresholded_relu", "xlogy", "special_xlogy", "float_power", "add_n", "label_smooth", "sqrt", "square", "sub", "subtract", "swish", "tan", "tanh", "to", "true_divide", "truediv", "trunc", "type",
})  # fmt: skip
_LARGEST, _SMALLEST = frozenset({"maximum", "fmax"}), frozenset({"minimum", "fmin"})
_REORDERED = frozenset({"contiguous", "reshape", "flatten", "ravel"})
_EXPANDED = frozenset({"expand", "broadcast_to", "expand_as"})
_OVERWRITES = frozenset({"copy_", "set_value", "set_tensor"})
_CONSTANTS = frozenset({"fill_", "zero_", "full_", "assign_value_", "constant_"})
_DRAWN = frozenset({
    "uniform_", "normal_", "log_normal_", "exponential_", "cauchy_", "geometric_", "random_", "bernoulli_", "uniform_inplace_", "gaussian_inplace_",
    "rand_like", "randn_like", "randint_like", "bernoulli", "kaiming_uniform_",
})  # fmt: skip
_REDUCED: Mapping[str, Rule] = {
    **dict.fromkeys(("sum", "mean", "prod", "all", "any", "logsumexp", "std", "var", "argmax", "argmin", "nansum", "nanmean", "mean_all"), ""),
    **dict.fromkeys(("max", "amax"), "largest"), **dict.fromkeys(("min", "amin"), "smallest"),
}  # fmt: skip
_WHOLE = frozenset({"softmax", "log_softmax", "softmin"})
_RUNNING = frozenset({"cumsum", "cumprod", "logcumsumexp"})
_LETTERS = "abcdefgh"


def dependence(call: Call, tensors: Sequence[Any]) -> Found:
    """Returns how the result of a call depends on its tensors, or each of several results; None if that is not known.

    Args:
        call: the call, before it runs.
        tensors: its tensors, in the order in which the recorder lists them as inputs.
    """
    if not tensors:
        return None
    try:
        return _dependence(call, [tuple(map(int, each.shape)) for each in tensors])
    except (
        IndexError,
        KeyError,
        TypeError,
        ValueError,
        RuntimeError,
        AttributeError,
    ):  # as from the operation itself, most likely
        return None


def depends_of(found: Found, category: str, output: Operand, place: int = 0) -> Dependence | None:
    """Returns the dependence of one result of a call: none of a view; of indices, on all elements that were compared.

    Args:
        found: what `dependence` returned.
        category: how the operation treats memory.
        output: the result, or what was written.
        place: how many results came before it.
    """
    if category not in ("ordinary", "in-place", "reallocated"):
        return None
    if isinstance(found, tuple):
        return found[place] if category == "ordinary" and place < len(found) else None
    known = found
    return replace(known, rule="") if known is not None and known.rule and output.dtype.startswith("int") else known


def _dependence(call: Call, shapes: Sequence[Shape]) -> Found:
    name, plain = call.name, call.name.removesuffix("_")
    if call.kwargs.get("out") is not None:
        return _into_out(call, shapes)
    if name == "assign_out_":
        return Dependence("pointwise", (1,))  # the second operand is overwritten with the first
    if name == "set_":
        return _shortened(call, shapes)
    for names, made in ((_OVERWRITES, OVERWRITTEN), (_DRAWN, DRAWN)):
        if name in names:
            return made
    if name in _CONSTANTS:
        return OVERWRITTEN if len(shapes) > 1 else CONSTANT
    return (
        _of_positions(call, plain)
        or _of_elements(call, plain, shapes)
        or _of_axes(call, plain, shapes)
        or _of_pairs(call, plain, shapes)
        or _of_products(call, plain, shapes)
        or _of_parts(call, plain)
        or of_layers(call, plain, shapes)
        or by_trial(call, plain, shapes)
    )


def _shortened(call: Call, shapes: Sequence[Shape]) -> Dependence | None:
    """Paddle's `resize_`: `set_` with the tensor's own storage. With that of another tensor nothing is computed."""
    named = call.named("x", "source", "shape", "stride", "offset")
    size = prod(int(each) for each in named["shape"])
    alone = named["source"] is named["x"] and not named["offset"] and size <= min(prod(shapes[0]), MOST_PLACES)
    return Dependence("moved", places=tuple(range(size))) if alone else None


def _into_out(call: Call, shapes: Sequence[Shape]) -> Dependence | None:
    """With `out=`, which is the first operand and only written."""
    if not call.is_tensor(call.kwargs["out"]):
        return None
    rest = {name: value for name, value in call.kwargs.items() if name != "out"}
    found = _dependence(replace(call, kwargs=rest), shapes[1:])
    return replace(found, first=found.first + 1) if isinstance(found, Dependence) else None


# --- the same position ---------------------------------------------------------------------------------------------


def _of_elements(  # noqa: PLR0911  # one case after the other
    call: Call, plain: str, shapes: Sequence[Shape]
) -> Dependence | None:
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
    if plain in _EXPANDED or plain in _POINTWISE:
        given = tuple(_numbers(call, plain)) if plain in _POINTWISE else ()
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


# --- along axes ----------------------------------------------------------------------------------------------------


def _of_axes(call: Call, plain: str, shapes: Sequence[Shape]) -> Dependence | None:
    rank = len(shapes[0])
    if plain in _REDUCED and len(shapes) == 1:
        return Dependence("reduced", _axes(call.named("x", "axis").get("axis"), rank), rule=_REDUCED[plain])
    if plain == "dist" and len(shapes) == 2 and shapes[0] == shapes[1]:
        return Dependence("reduced", tuple(range(rank)), text="alike")
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
    axis = call.named("x", "axis").get("axis")
    if axis is None:
        return Dependence(how) if how == "running" else Dependence(how, (rank - 1,))
    return Dependence(how, _axes(axis, rank))


def _of_pairs(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:
    """Of operations along axes that have two results."""
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


# --- products ------------------------------------------------------------------------------------------------------


def _of_products(call: Call, plain: str, shapes: Sequence[Shape]) -> Dependence | None:
    counts, found = _PRODUCTS.get(plain, ((), None))
    return found(call, shapes) if found is not None and len(shapes) in counts else None


def _product(call: Call, shapes: Sequence[Shape]) -> Dependence:
    turned = call.named("x", "y", "transpose_x", "transpose_y")
    flipped = bool(turned.get("transpose_x", False)), bool(turned.get("transpose_y", False))
    return Dependence("contracted", text=_matmul(shapes[0], shapes[1], *flipped))


def _dot(call: Call, shapes: Sequence[Shape]) -> Dependence:  # noqa: ARG001
    return Dependence("contracted", text="i,i->" if len(shapes[0]) == 1 else "bi,bi->b")


def _outer(call: Call, shapes: Sequence[Shape]) -> Dependence:  # noqa: ARG001
    return Dependence("contracted", text="i,j->ij")


def _added(call: Call, shapes: Sequence[Shape]) -> Dependence:
    return Dependence("contracted", text=f"{'ij'[2 - len(shapes[0]) :]},ik,kj->ij", given=tuple(_scales(call)))


def _added_in_batches(call: Call, shapes: Sequence[Shape]) -> Dependence:  # noqa: ARG001
    return Dependence("contracted", text="bij,bik,bkj->bij", given=tuple(_scales(call)))


def _attention(call: Call, shapes: Sequence[Shape]) -> Dependence | None:
    """Of PyTorch, without dropout."""
    names = ("query", "key", "value", "mask", "dropout_p", "is_causal", "scale")
    named, size = call.named(*names), shapes[0][-1]
    mask = named.get("mask", named.get("attn_mask"))
    if named.get("dropout_p") or call.kwargs.get("enable_gqa") or len({each[:-2] for each in shapes[:3]}) > 1:
        return None
    pairs = shapes[0][-2], shapes[1][-2]
    shown = np.tril(np.ones(pairs, bool)) if named.get("is_causal") else np.ones(pairs, bool)
    adds = False
    if mask is not None:
        mask = call.as_array(mask)
        adds = mask.dtype != bool
        shown = np.broadcast_to(
            ~np.isneginf(mask) if adds else mask, (*shapes[0][:-2], *pairs) if mask.ndim > 2 else pairs
        )
    hidden = tuple(np.flatnonzero(~shown).tolist())
    if len(hidden) > MOST_PLACES:
        return None
    scale = named.get("scale")
    given = (Given("size", size), Given("scale", size**-0.5 if scale is None else scale), Given("added", adds))
    return Dependence("attended", (int(shown.ndim > 2), int(adds)), places=hidden, given=given)


def _scales(call: Call) -> list[Given]:
    return [Given(name, call.kwargs[name]) for name in ("beta", "alpha") if type(call.kwargs.get(name)) in (int, float)]


def _matmul(x: Shape, y: Shape, transpose_x: bool, transpose_y: bool) -> str:
    batch = max(len(x), len(y), 2) - 2
    lead = _LETTERS[:batch]
    row, column = "y" * (len(x) > 1), "z" * (len(y) > 1)
    left, right = (f"x{row}" if transpose_x else f"{row}x"), (f"{column}x" if transpose_y else f"x{column}")
    return (
        f"{lead[batch - max(len(x) - 2, 0) :]}{left},{lead[batch - max(len(y) - 2, 0) :]}{right}->{lead}{row}{column}"
    )


def _linear(call: Call, shapes: Sequence[Shape]) -> Dependence:
    """A layer, with a bias or without."""
    lead = _LETTERS[: len(shapes[0]) - 1]
    weight = "zx" if call.weight_has_rows else "xz"
    if len(shapes) == 2:
        return Dependence("contracted", text=f"{lead}x,{weight}->{lead}z")
    return Dependence("contracted", (2, 0, 1), text=f"z,{lead}x,{weight}->{lead}z")


def _bilinear(call: Call, shapes: Sequence[Shape]) -> Dependence:  # noqa: ARG001
    lead = _LETTERS[: len(shapes[0]) - 1]
    text = f"{lead}x,{lead}y,zxy->{lead}z"
    if len(shapes) == 3:
        return Dependence("contracted", text=text)
    return Dependence("contracted", (3, 0, 1, 2), text=f"+{'bz' if len(shapes[3]) > 1 else 'z'},{text}")


def _chain(call: Call, shapes: Sequence[Shape]) -> Dependence | None:  # noqa: ARG001
    """Of several matrices."""
    if any(len(each) != 2 for each in shapes) or len(shapes) > 7:
        return None
    pairs = [_LETTERS[k : k + 2] for k in range(len(shapes))]
    return products(f"{','.join(pairs)}->{pairs[0][0]}{pairs[-1][1]}")


def _inner(call: Call, shapes: Sequence[Shape]) -> Dependence:  # noqa: ARG001
    left, right = _LETTERS[: len(shapes[0]) - 1], "mnopqrst"[: len(shapes[1]) - 1]
    return Dependence("contracted", text=f"{left}x,{right}x->{left}{right}")


def _tensordot(call: Call, shapes: Sequence[Shape]) -> Dependence:
    named = call.named("x", "y", "dims")
    dims = named.get("dims", 2)
    pairs = (range(len(shapes[0]) - dims, len(shapes[0])), range(dims)) if isinstance(dims, int) else dims
    left, right = [*_LETTERS[: len(shapes[0])]], [*"mnopqrst"[: len(shapes[1])]]
    for at, other in zip(*pairs, strict=True):
        right[other] = left[at]
    result = "".join(letter for letter in left + right if (letter in left) != (letter in right))
    return Dependence("contracted", text=f"{''.join(left)},{''.join(right)}->{result}")


def _plus(equation: str) -> Callable[[Call, Sequence[Shape]], Dependence]:
    """The first tensor, times beta, plus the product of the others, times alpha."""
    return lambda call, shapes: Dependence("contracted", text=f"+{equation}", given=tuple(_scales(call)))  # noqa: ARG005


def _distances(call: Call, shapes: Sequence[Shape]) -> Dependence | None:  # noqa: ARG001
    lead = _LETTERS[: len(shapes[0]) - 2]
    return Dependence("contracted", text=f"{lead}yx,{lead}zx->{lead}yz")


def _line_by_line(call: Call, shapes: Sequence[Shape]) -> Dependence | None:
    """A distance, or likeness, of the lines of two tensors."""
    rank = len(shapes[0])
    axis = call.named("x", "y", "axis").get("axis", 1) % rank if call.name == "cosine_similarity" else rank - 1
    if shapes[0] != shapes[1] or (call.name != "cosine_similarity" and call.kwargs.get("keepdim")):
        return None
    letters = _LETTERS[:rank]
    return Dependence("contracted", text=f"{letters},{letters}->{letters[:axis]}{letters[axis + 1 :]}")


_PRODUCTS: Mapping[str, tuple[Sequence[int], Callable[[Call, Sequence[Shape]], Dependence | None]]] = {
    **dict.fromkeys(("matmul", "mm", "bmm", "mv", "rmatmul"), ((2,), _product)),
    "dot": ((2,), _dot), "outer": ((2,), _outer), "ger": ((2,), _outer), "addmm": ((3,), _added), "baddbmm": ((3,), _added_in_batches),
    "scaled_dot_product_attention": ((3, 4), _attention), "linear": ((2, 3), _linear), "bilinear": ((3, 4), _bilinear),
    **dict.fromkeys(("multi_dot", "linalg_multi_dot", "chain_matmul"), (range(2, 8), _chain)), "inner": ((2,), _inner), "vdot": ((2,), _dot), "tensordot": ((2,), _tensordot),
    "addmv": ((3,), _plus("i,ij,j->i")), "addr": ((3,), _plus("ij,i,j->ij")), "addbmm": ((3,), _plus("ij,bik,bkj->ij")),
    "cdist": ((2,), _distances), **dict.fromkeys(("pairwise_distance", "cosine_similarity"), ((2,), _line_by_line)),
}  # fmt: skip
"""For each name, how many tensors the call has, and what finds its dependence."""


# --- parts ---------------------------------------------------------------------------------------------------------


def _of_parts(call: Call, plain: str) -> Dependence | None:
    """Several tensors as one."""
    if plain in ("cat", "concat", "concatenate", "stack"):
        named = call.named("parts", "axis")
        parts: Any = named.get("parts", named.get("tensors"))
        first = parts[0]
        rank = len(first.shape) + (plain == "stack")
        return Dependence("stacked" if plain == "stack" else "joined", (int(named.get("axis", 0)) % rank,))
    return None


def _numbered(call: Call) -> Any:
    shape = tuple(map(int, call.args[0].shape))
    if prod(shape) > MOST_PLACES:
        raise ValueError
    return np.arange(prod(shape)).reshape(shape)


def _moved(numbers: Any) -> Dependence | None:
    return (
        None
        if numbers.size > MOST_PLACES
        else Dependence("moved", places=tuple(np.asarray(numbers).reshape(-1).tolist()))
    )


# --- positions -----------------------------------------------------------------------------------------------------


def _of_positions(  # noqa: PLR0911  # one case after the other
    call: Call, plain: str
) -> Dependence | None:
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
    selected = np.asarray(at.selects(_numbered(call), known))
    if call.name in call.reads:
        return _moved(selected)
    if plain in ("tril", "triu", "fill_diagonal"):
        return _written(selected, None, "assigned")
    if plain == "scatter" and at.combines(given) and given.get("reduce") is None:
        return _written(selected, given["value"], "replaced")  # Paddle's `overwrite=False`
    if given.get("reduce") not in (None, "assign", "add", "sum") or given.get("include_self") is False:
        return None
    value = given.get("value")
    how = "combined" if at.combines(given) else "assigned"
    in_order = plain in ("masked_scatter", "put")
    found = _written(selected, value if call.is_tensor(value) else None, how, in_order=in_order)
    alpha = call.kwargs.get("alpha", 1)
    return found if found is None or alpha == 1 else replace(found, given=(Given("alpha", alpha),))


def _keyed(call: Call, plain: str) -> Dependence | None:
    parts = call.args[1] if type(call.args[1]) is tuple else (call.args[1],)
    keys = tuple(call.as_array(part) if call.is_tensor(part) else part for part in parts)
    selected = np.asarray(_numbered(call)[keys])
    if plain == "getitem":
        return _moved(selected)
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
