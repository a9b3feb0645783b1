"""How Paddle's operations are written in place: a table, measured with PaddlePaddle 3.3.1 (`tests/recorders/test_in_place_tables.py` measures again)."""

from __future__ import annotations

from inplacelab.supported import InPlaceForms

_FUNCTIONS = frozenset({
    "abs", "acos", "acosh", "addmm", "asin", "asinh", "atan", "atanh", "baddbmm", "copysign", "cos", "cosh", "cumprod", "cumsum",
    "digamma", "div", "divide", "erf", "expm1", "floor_divide", "floor_mod", "frac", "gammaincc", "gammaln", "i0", "index_add",
    "index_fill", "index_put", "lgamma", "log", "log10", "log1p", "log2", "logit", "masked_fill", "masked_scatter", "mod",
    "multiply", "nan_to_num", "neg", "polygamma", "pow", "remainder", "renorm", "scatter", "scatter_add", "sin", "sinh", "square",
    "sub", "subtract", "tan", "tanh", "tril", "triu", "trunc",
})  # fmt: skip
_METHODS = frozenset({
    "add", "ceil", "clamp", "clip", "erfinv", "exp", "fill_diagonal_tensor", "floor", "lerp", "mul", "put_along_axis",
    "reciprocal", "round", "rsqrt", "scale", "sigmoid", "sqrt",
})  # fmt: skip

# Not `sinc`, `hypot`, `ldexp`, `gammainc` and `multigammaln`: what Paddle computes in several steps keeps more in place than it saves.
IN_PLACE = InPlaceForms(
    flagged={"dropout": 4, "silu": 1},
    modules={"Dropout": 1, "SiLU": 0, "Silu": 0},
    functions=_FUNCTIONS,
    functional=frozenset({"elu", "hardtanh", "leaky_relu", "relu", "softmax", "tanh", "thresholded_relu"}),
    methods=(_FUNCTIONS - {"erf", "expm1"}) | _METHODS,
    # Its methods take no numbers. Of a quotient, `scale_` gives other last bits.
    scalars={
        "add": "scale_(bias={})",
        "sub": "scale_(bias=-{})",
        "mul": "scale_({})",
        "div": "",
        "floor_divide": "",
        "remainder": "",
    },
    either=frozenset({"add", "multiply"}),
    casts=frozenset({"cast"}),
)
