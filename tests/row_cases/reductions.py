"""Cases for the rows of `ops/reductions.py`, `ops/reductions.py` and `ops/statistics.py`."""

from __future__ import annotations

import numpy as np

from tests.row_cases.case import case

CASES = [
    case("sum", lambda x: np.sum(x)),
    case("sum", lambda x, axis, keepdim: x.sum(tuple(axis), keepdims=keepdim), (2, 3, 2), axis=[0, -1], keepdim=True),
    case("mean", lambda x: np.mean(x)),
    case("mean", lambda x, axis: x.mean(axis), axis=1),
    case("mean", lambda x, dtype: x.mean(dtype=dtype), dtype="float64"),
    case("expand", lambda x, shape: np.broadcast_to(x, shape), (2, 1), shape=[4, 2, 3]),
    case("prod", np.prod),
    case("prod", lambda x, axis, keepdim: np.prod(x, tuple(axis), keepdims=keepdim), (2, 3, 2), axis=[0, 2], keepdim=True),
    case("prod", lambda x, axis: np.prod(x, axis), fixed={"x": [[0.5, 0.0, 2.0], [0.0, 3.0, 0.0]]}, axis=1),
    case("all", lambda x, axis: np.all(x, axis), axis=0),
    case("any", np.any),
    case("max", np.max),
    case("min", lambda x, axis: np.min(x, axis), axis=1),
    case("amax", lambda x, axis, keepdim: np.max(x, tuple(axis), keepdims=keepdim), (2, 3, 2), axis=[0, -1], keepdim=True),
    case("amin", np.min),
    case("argmax", np.argmax),
    case("argmin", lambda x, axis, keepdim: np.argmin(x, axis, keepdims=keepdim), axis=0, keepdim=True),
    case("var", lambda x: np.var(x, ddof=1)),
    case("var", lambda x, axis, unbiased: np.var(x, axis), axis=1, unbiased=False),
    case("std", lambda x, axis, keepdim: np.std(x, axis, ddof=1, keepdims=keepdim), axis=-1, keepdim=True),
    case("logsumexp", lambda x: np.log(np.sum(np.exp(x)))),
    case("logsumexp", lambda x, axis: np.log(np.sum(np.exp(x), axis)), axis=1),
]  # fmt: skip
