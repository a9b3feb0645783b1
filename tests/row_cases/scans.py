"""Cases for the rows of `ops/reductions.py`."""

from __future__ import annotations

import numpy as np

from tests.row_cases.case import Array, case


def _recurrence(x: Array, factors: Array, axis: int) -> Array:
    lines = np.moveaxis(np.array(x), axis, 0)
    for k in range(1, len(lines)):
        lines[k] += np.moveaxis(factors, axis, 0)[k - 1] * lines[k - 1]
    return np.moveaxis(lines, 0, axis)


CASES = [
    case("cumsum", np.cumsum, axis=0),
    case("cumsum", np.cumsum, (2, 3, 2), axis=-2),
    case("cumprod", lambda x, dim: np.cumprod(x, dim), (2, 4), dim=1),
    case("cumprod", lambda x, dim: np.cumprod(x, dim), (5,), fixed={"x": [0.5, 0.0, -2.0, 0.0, 3.0]}, dim=0),
    case("cumprod", lambda x, dim: np.cumprod(x, dim), (2, 3, 2), dim=-3),
    case("logcumsumexp", np.logaddexp.accumulate, axis=0),
    case("logcumsumexp", lambda x: np.logaddexp.accumulate(x.reshape(-1)), (2, 4)),
    case("_recurrence", _recurrence, (7,), (6,), axis=0),
    case("_recurrence", _recurrence, (2, 4), (2, 3), axis=1),
]  # fmt: skip
