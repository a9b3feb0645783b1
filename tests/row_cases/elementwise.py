"""Cases for the rows of `ops/elementwise.py`."""

from __future__ import annotations

import numpy as np

from tests.row_cases.case import case

CASES = [
    case("add", np.add),
    case("add", lambda x, y, alpha: x + alpha * y, (2, 3), (3,), alpha=-2.5),
    case("subtract", np.subtract, (2, 3), (2, 1)),
    case("subtract", lambda x, y, alpha: x - alpha * y, alpha=2),
    case("multiply", np.multiply),
    case("multiply", np.multiply, (2, 3), (1, 3)),
    case("divide", np.divide),
    case("divide", np.divide, (2, 3), ()),
    case("scale", lambda x, scale, bias: x * scale + bias, scale=-1.5, bias=0.25),
    case("scale", lambda x, scale, bias, bias_after_scale: (x + bias) * scale, scale=2, bias=3, bias_after_scale=False),
    case("neg", np.negative),
    case("square", np.square),
    case("pow", lambda x, y: x**y, y=3),
    case("pow", lambda x, y: x**y, y=0.5, positive=True),
    case("pow", lambda x, y: x**y, y=0),
    case("relu", lambda x: np.maximum(x, 0)),
    case("abs", np.abs),
    case("sign", np.sign),
    case("exp", np.exp),
    case("log", np.log, positive=True),
    case("sqrt", np.sqrt, positive=True),
    case("sin", np.sin),
    case("cos", np.cos),
    case("tanh", np.tanh),
    case("sigmoid", lambda x: 1 / (1 + np.exp(-x))),
    case("clone", np.array),
    case("cast", lambda x, dtype: x.astype(dtype), dtype="float64"),
    case("conj", np.conjugate),
    case("real", np.real),
    case("equal", np.equal),
    case("not_equal", np.not_equal),
    case("less_than", np.less),
    case("less_equal", np.less_equal),
    case("greater_than", np.greater),
    case("greater_equal", np.greater_equal),
]  # fmt: skip
