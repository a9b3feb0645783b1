"""How PyTorch's operations are written in place: a table, measured with PyTorch 2.13."""

from __future__ import annotations

from inplacelab.supported import InPlaceForms

IN_PLACE = InPlaceForms(
    flagged={
        "alpha_dropout": 3, "celu": 2, "dropout": 3, "dropout1d": 3, "dropout2d": 3, "dropout3d": 3, "elu": 2, "feature_alpha_dropout": 3,
        "hardsigmoid": 1, "hardswish": 1, "hardtanh": 3, "leaky_relu": 2, "mish": 1, "relu": 1, "relu6": 1, "rrelu": 4, "selu": 1, "silu":
        1, "threshold": 3,
    },
    modules={
        "AlphaDropout": 1, "CELU": 1, "Dropout": 1, "Dropout1d": 1, "Dropout2d": 1, "Dropout3d": 1, "ELU": 1, "FeatureAlphaDropout": 1,
        "Hardsigmoid": 0, "Hardswish": 0, "Hardtanh": 2, "LeakyReLU": 1, "Mish": 0, "RReLU": 2, "ReLU": 0, "ReLU6": 0, "SELU": 0, "SiLU": 0,
        "Threshold": 2,
    },
    functions=frozenset({
        "abs", "acos", "acosh", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "asin", "asinh", "atan", "atanh", "ceil",
        "clamp", "clamp_max", "clamp_min", "clip", "cos", "cosh", "deg2rad", "erf", "erfc", "exp", "exp2", "expm1", "fix", "floor", "frac",
        "i0", "log", "log10", "log1p", "log2", "logit", "nan_to_num", "neg", "negative", "rad2deg", "reciprocal", "relu", "round", "rsqrt",
        "sigmoid", "sin", "sinc", "sinh", "sqrt", "square", "tan", "tanh", "trunc", "xlogy",
    }),
    methods=frozenset({
        "abs", "absolute", "acos", "acosh", "add", "addcdiv", "addcmul", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2",
        "arctanh", "asin", "asinh", "atan", "atan2", "atanh", "ceil", "clamp", "clamp_max", "clamp_min", "clip", "copysign", "cos", "cosh",
        "cumprod", "cumsum", "deg2rad", "digamma", "div", "divide", "erf", "erfc", "erfinv", "exp", "exp2", "expm1", "fix", "floor",
        "floor_divide", "fmod", "frac", "hypot", "i0", "index_add", "index_copy", "index_fill", "index_put", "lerp", "lgamma", "log",
        "log10", "log1p", "log2", "logit", "masked_fill", "masked_scatter", "mul", "multiply", "nan_to_num", "neg", "negative", "pow",
        "rad2deg", "reciprocal", "relu", "remainder", "round", "rsqrt", "scatter", "scatter_add", "sgn", "sigmoid", "sign", "sin", "sinc",
        "sinh", "sqrt", "square", "sub", "subtract", "tan", "tanh", "tril", "triu", "true_divide", "trunc", "xlogy",
    }),
    keeps_result=frozenset({
        "celu", "elu", "leaky_relu", "rrelu", "selu",
    }),
    rounds=frozenset({
        "celu", "elu", "selu",
    }),
    either=frozenset({
        "add", "mul", "multiply",
    }),
    augments=True,
    joins=frozenset({
        "cat", "concat", "concatenate", "stack",
    }),
    casts=frozenset({
        "bfloat16", "byte", "double", "float", "half", "int", "long", "short", "to", "type", "type_as",
    }),
)  # fmt: skip
