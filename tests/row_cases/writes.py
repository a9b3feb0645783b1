"""Cases for the rows of `ops/indexing.py`."""

from __future__ import annotations

import numpy as np

from tests.row_cases.case import Array, case


def _written(x: Array, y: Array) -> Array:
    x[1:] = y
    return x


CASES = [
    case("fill", lambda x, value: np.full_like(x, value), value=2.5),
    case("zero", np.zeros_like),
    case("copy", lambda x, y: np.broadcast_to(y, x.shape), (2, 3), (3,)),
    case("setitem", _written, (3, 2), (2,)),
]  # fmt: skip
