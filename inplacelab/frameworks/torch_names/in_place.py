"""How operations are written in place under PyTorch's names. A test compares this with the table of these names, which need not be imported here."""

from __future__ import annotations

from inplacelab.supported import InPlaceForms

_FUNCTIONS = frozenset({
    "abs", "absolute", "acos", "acosh", "add", "addcdiv", "addcmul", "addmm", "arccos", "arccosh", "arcsin", "arcsinh", "arctan",
    "arctan2", "arctanh", "asin", "asinh", "atan", "atan2", "atanh", "baddbmm", "ceil", "clamp", "clamp_max", "clamp_min", "clip",
    "copysign", "cos", "cosh", "cumprod", "cumsum", "digamma", "div", "divide", "erf", "erfinv", "exp", "exp2", "expm1", "fix",
    "floor", "floor_divide", "frac", "hypot", "i0", "index_put", "lerp", "lgamma", "log", "log10", "log1p", "log2", "logit",
    "masked_fill", "masked_scatter", "mul", "multiply", "nan_to_num", "neg", "negative", "pow", "reciprocal", "relu", "remainder",
    "renorm", "round", "rsqrt", "sgn", "sigmoid", "sign", "sin", "sinc", "sinh", "sqrt", "square", "sub", "subtract", "tan",
    "tanh", "tril", "triu", "true_divide", "trunc",
})  # fmt: skip

IN_PLACE = InPlaceForms(
    flagged={
        "dropout": 3,
        "elu": 2,
        "hardswish": 1,
        "hardtanh": 3,
        "leaky_relu": 2,
        "relu": 1,
        "relu6": 1,
        "silu": 1,
    },
    modules={"Dropout": 1, "Hardswish": 0, "Hardtanh": 2, "LeakyReLU": 1, "ReLU": 0, "ReLU6": 0, "SiLU": 0},
    functions=_FUNCTIONS,
    functional=frozenset({"elu", "leaky_relu", "relu"}),
    methods=_FUNCTIONS | {"index_add", "index_fill", "scatter", "scatter_add"},
    keeps_result=frozenset({"leaky_relu"}),
    either=frozenset({"add", "mul", "multiply"}),
    augments=True,
    joins=frozenset({"cat", "concat", "concatenate", "stack"}),
    casts=frozenset({"bfloat16", "double", "float", "half", "int", "long", "to", "type", "type_as"}),
)
