"""Cases for the rows of `ops/comparisons_and_logic.py`, `ops/comparisons_and_logic.py` and `ops/comparisons_and_logic.py`."""

from __future__ import annotations

import numpy as np

from tests.row_cases.case import Array, case

BITS = {"x": np.array([[-7, 12, 5], [1 << 40, 0, -1]]), "y": np.array([[2, 1, 63], [4, 70, 3]])}
HOLDS = np.array([[True, False, True], [False, False, True]])
SPECIAL = np.array([[1.0, np.nan, np.inf], [-np.inf, 0.0, 2.0]])


def _unsigned_shift(x: Array, y: Array, is_arithmetic: bool) -> Array:
    return np.where(y < 64, x.view(np.uint64) >> np.minimum(y, 63).view(np.uint64), 0).view(np.int64)


CASES = [
    case("equal", np.equal),
    case("equal", np.equal, fixed={"x": [1.0, 2.0, 3.0], "y": [1.0, 5.0, 3.0]}),
    case("not_equal", np.not_equal),
    case("less_than", np.less),
    case("less_equal", np.less_equal, (2, 3), (3,)),
    case("greater_than", np.greater),
    case("greater_equal", np.greater_equal),
    case("isnan", np.isnan, fixed={"x": SPECIAL}),
    case("isinf", np.isinf, fixed={"x": SPECIAL}),
    case("isfinite", np.isfinite, fixed={"x": SPECIAL}),
    case("logical_and", np.logical_and),
    case("logical_or", np.logical_or, fixed={"x": HOLDS, "y": HOLDS[:, ::-1]}),
    case("logical_xor", np.logical_xor, (2, 3), (3,)),
    case("logical_not", np.logical_not),
    case("bitwise_and", np.bitwise_and, fixed=BITS),
    case("bitwise_or", np.bitwise_or, fixed=BITS),
    case("bitwise_xor", np.bitwise_xor, fixed={"x": HOLDS, "y": HOLDS[::-1]}),
    case("bitwise_not", np.invert, fixed={"x": BITS["x"]}),
    case("bitwise_left_shift", np.left_shift, fixed=BITS),
    case("bitwise_right_shift", np.right_shift, fixed=BITS),
    case("bitwise_right_shift", _unsigned_shift, fixed=BITS, is_arithmetic=False),
    case("maximum", np.maximum),
    case("maximum", np.maximum, (2, 3), (3,)),
    case("minimum", np.minimum),
    case("fmax", np.fmax),
    case("fmin", np.fmin, (2, 3), (2, 1)),
    case("heaviside", np.heaviside),
    case("heaviside", np.heaviside, (2, 3), ()),
    case("where", lambda x, condition, y: np.where(condition, x, y), fixed={"condition": HOLDS}),
    case("where", lambda x, condition, y: np.where(condition, x, y), (2, 3), (3,), (2, 1), fixed={"condition": HOLDS[0]}),
]  # fmt: skip
