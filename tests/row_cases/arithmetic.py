"""Cases for the rows of `ops/arithmetic.py` and `ops/special_functions.py`."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from tests.row_cases.case import Array, case

INTS = {"x": np.array([[-7, 12, 5], [30, 0, -9]]), "y": np.array([[2, -8, 5], [-4, 3, 6]])}


def _ldexp(x: Array, y: Array) -> Array:
    return np.asarray(x * 2.0**y)


def _lerp(x: Array, y: Array, weight: Any) -> Array:
    return np.asarray(x + weight * (y - x))


ARITHMETIC = [
    case("add", np.add),
    case("add", lambda x, y, alpha: x + alpha * y, (2, 3), (3,), alpha=-2.5),
    case("subtract", np.subtract, (2, 3), (2, 1)),
    case("subtract", lambda x, y, alpha: x - alpha * y, alpha=2),
    case("multiply", np.multiply),
    case("multiply", np.multiply, (2, 3), (1, 3)),
    case("divide", np.divide),
    case("divide", np.divide, (2, 3), ()),
    case("divide", lambda x, y, rounding_mode: np.floor(x / y), rounding_mode="floor"),
    case("divide", lambda x, y, rounding_mode: np.trunc(x / y), (2, 3), (3,), rounding_mode="trunc"),
    case("floor_divide", lambda x, y: np.floor(x / y)),
    case("remainder", lambda x, y: x - y * np.floor(x / y)),
    case("remainder", lambda x, y: x - y * np.floor(x / y), (2, 3), (2, 1)),
    case("gcd", np.gcd, fixed=INTS),
    case("lcm", np.lcm, fixed=INTS),
    case("lerp", _lerp),
    case("lerp", _lerp, (2, 3), (3,), ()),
    case("addcmul", lambda input, tensor1, tensor2: input + tensor1 * tensor2, (2, 3), (2, 3), (2, 3)),
    case("addcmul", lambda input, tensor1, tensor2, value: input + value * tensor1 * tensor2, (2, 3), (3,), (2, 1), value=-1.5),
    case("addcdiv", lambda input, tensor1, tensor2: input + tensor1 / tensor2, (2, 3), (3,), (2, 1)),
    case("addcdiv", lambda input, tensor1, tensor2, value: input + value * tensor1 / tensor2, value=0.5),
]  # fmt: skip

PAIRS = [
    case("pow", np.power, (2, 3), (2, 3), positive=True),
    case("pow", np.power, (2, 3), (3,), positive=True),
    case("hypot", np.hypot),
    case("hypot", np.hypot, (2, 3), (3,)),
    case("atan2", np.arctan2),
    case("logaddexp", np.logaddexp, (2, 3), (1, 3)),
    case("nextafter", np.nextafter),
    case("copysign", np.copysign),
    case("copysign", np.copysign, (2, 3), ()),
    case("ldexp", _ldexp),
    case("ldexp", _ldexp, fixed={"y": np.array([[2, -1, 0], [3, 1, -2]])}),
    case("gammainc", special.gammainc, positive=True),
    case("gammaincc", special.gammaincc, (2, 3), (3,), positive=True),
    case("_gamma_density", lambda x, y: y ** (x - 1) * np.exp(-y) / special.gamma(x), positive=True),
]  # fmt: skip

CASES = [*ARITHMETIC, *PAIRS]
