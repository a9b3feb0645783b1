"""How this package's operations are written in place. The rows of its table say the same (`ops/table/row.py`), which a test checks: this can be read
without importing them.

The ordinary form and the in-place form of a row save what its derivative names: the operand, of which the in-place form saves a copy, or the result.
"""

from __future__ import annotations

from inplacelab.supported import InPlaceForms

METHODS = frozenset({
    "abs", "absolute", "acos", "acosh", "add", "addcdiv", "addcmul", "addmm", "arccos", "arccosh", "arcsin", "arcsinh", "arctan",
    "arctanh", "asin", "asinh", "atan", "atan2", "atanh", "baddbmm", "ceil", "clamp", "clamp_max", "clamp_min", "clip",
    "copysign", "cos", "cosh", "cumprod", "cumsum", "digamma", "div", "divide", "erf", "erfinv", "exp", "exp2", "expm1",
    "fill_diagonal_tensor", "fix", "floor", "floor_divide", "floor_mod", "frac", "gammainc", "gammaincc", "gammaln", "heaviside",
    "hypot", "i0", "index_add", "index_fill", "index_put", "ldexp", "lerp", "lgamma", "log", "log10", "log1p", "log2", "logit",
    "masked_fill", "masked_scatter", "mod", "mul", "multigammaln", "multiply", "nan_to_num", "neg", "negative", "polygamma",
    "pow", "put_along_axis", "reciprocal", "relu", "remainder", "renorm", "round", "rsqrt", "scale", "scatter", "scatter_add",
    "sgn", "sigmoid", "sign", "sin", "sinc", "sinh", "sqrt", "square", "sub", "subtract", "tan", "tanh", "tril", "triu", "trunc",
})  # fmt: skip
SCALARS = {"add": "scale_(bias={})", "sub": "scale_(bias=-{})", "mul": "scale_({})", "div": "scale_(1 / {})"}
"""Paddle's methods of these names take no numbers."""

IN_PLACE = InPlaceForms(
    flagged={"dropout": 4, "silu": 1},
    modules={"Dropout": 1},
    functions=METHODS - {"fill_diagonal_tensor", "put_along_axis", "relu"},
    functional=frozenset({"elu", "hardtanh", "leaky_relu", "relu", "sigmoid", "softmax", "tanh", "thresholded_relu"}),
    methods=METHODS,
    scalars=SCALARS,
    either=frozenset({"add", "multiply"}),
    joins=frozenset({"concat", "stack"}),
    casts=frozenset({"cast"}),
)
