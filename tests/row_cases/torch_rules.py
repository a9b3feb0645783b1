"""Cases for the rows of `ops/torch_variants.py`."""

from __future__ import annotations

import numpy as np

from tests.row_cases.case import case


def _hardswish(x: np.ndarray) -> np.ndarray:
    return x * np.clip(x + 3, 0, 6) / 6


CASES = [
    case("_relu", lambda x: np.maximum(x, 0)),
    case("_sign", np.sign),
    case("_sgn", np.sign),
    case("_abs", np.abs),
    case("_hardtanh", lambda x, min, max: np.clip(x, min, max), min=-0.5, max=2.0),
    case("_leaky_relu", lambda x: np.where(x < 0, 0.01 * x, x)),
    case("_leaky_relu_over", lambda x, negative_slope: np.where(x < 0, negative_slope * x, x), negative_slope=0.25),
    case("_sqrt", np.sqrt, positive=True),
    case("_hardswish", _hardswish),
    case("_hardswish", _hardswish, within=(3.5, 5.0)),
    case("_maximum", np.maximum),
    case("_minimum", np.minimum),
    case("_at_least", np.maximum),
    case("_at_most", np.minimum),
    case("_atan2", np.arctan2),
    case("_lerp", lambda x, y, weight: x + weight * (y - x)),
    case("_max", np.max),
    case("_min", np.min),
]
