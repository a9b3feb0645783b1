"""Cases for the rows of `ops/reductions.py`."""

from __future__ import annotations

import numpy as np

from tests.row_cases.case import case

CASES = [
    case("sum", lambda x: np.sum(x)),
    case("sum", lambda x, axis, keepdim: x.sum(tuple(axis), keepdims=keepdim), (2, 3, 2), axis=[0, -1], keepdim=True),
    case("mean", lambda x: np.mean(x)),
    case("mean", lambda x, axis: x.mean(axis), axis=1),
    case("expand", lambda x, shape: np.broadcast_to(x, shape), (2, 1), shape=[4, 2, 3]),
]  # fmt: skip
