"""Cases for the rows of `ops/indexing.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.row_cases.case import Array, case


def _put(x: Array, y: Array, key: Any, accumulate: bool = False) -> Array:
    np.add.at(x, key, y) if accumulate else x.__setitem__(key, y)
    return x


def _gather_nd(x: Array, index: Array) -> Array:
    return x[tuple(np.moveaxis(index, -1, 0))] if index.shape[-1] else np.broadcast_to(x, (*index.shape[:-1], *x.shape))


CASES = [
    case("gather_nd", _gather_nd, (3, 2), (2, 2), fixed={"index": [[0, 1], [2, -1], [0, 1]]}),
    case("gather_nd", _gather_nd, (3, 2), (2, 1), fixed={"index": [[[1], [1]], [[0], [-3]]]}),
    case("gather_nd", _gather_nd, (3, 2), (1,), fixed={"index": [2]}),
    case("gather_nd", _gather_nd, (3, 2), (2, 0), fixed={"index": np.zeros((2, 0), np.int64)}),
    case("_take", lambda x, key: x[key], (3, 2), key=[0, 2, 0]),
    case("_take", lambda x, key: x[key], (3, 2), key=(slice(None), [1, 1])),
    case("_put", _put, (3, 2), (2, 2), key=[2, 0]),
    case("_put", _put, (3, 2), (3, 2), key=[1, 0, 1]),
    case("_put", _put, (3, 2), (3, 2), key=[1, 0, 1], accumulate=True),
]  # fmt: skip
