"""Cases for the rows of `ops/scattering.py`, and `index_put`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.row_cases.case import Array, case


def _added(x: Array, index: Array, value: Array, axis: int, alpha: float = 1) -> Array:
    np.add.at(np.moveaxis(x, axis, 0), index, alpha * np.moveaxis(value, axis, 0))
    return x


def _filled(x: Array, index: Array, value: Array, axis: int) -> Array:
    np.moveaxis(x, axis, 0)[index] = value
    return x


def _written(x: Array, index: Array, updates: Array, overwrite: bool = True) -> Array:
    rows = index.reshape(-1)
    if not overwrite:
        x[rows] = 0
    for k, row in enumerate(rows):
        x[row] = updates[k] if overwrite else x[row] + updates[k]
    return x


def _put(x: Array, value: Array, indices: Any, accumulate: bool = False) -> Array:
    np.add.at(x, indices, value) if accumulate else x.__setitem__(indices, value)
    return x


CASES = [
    case("index_select", lambda x, index, axis: np.take(x, index, axis), fixed={"index": [2, 0, -1]}, axis=1),
    case("gather", lambda x, index: np.take(x, index, 0), (3, 2), (4,), fixed={"index": [2, 0, 2, 1]}),
    case("gather", lambda x, index, axis: np.take(x, index, axis), fixed={"index": 1}, axis=1),
    case("index_add", _added, (3, 2), (3,), (3, 2), fixed={"index": [2, 0, 2]}, axis=0),
    case("index_add", _added, (2, 3), (2,), (2, 2), fixed={"index": [-1, 0]}, axis=-1, alpha=2.5),
    case("index_fill", _filled, (2, 3), (2,), (), fixed={"index": [0, 0]}, axis=1),
    case("scatter", _written, (3, 2), (3,), (3, 2), fixed={"index": [2, 0, 2]}),
    case("scatter", _written, (3, 2), (3,), (3, 2), fixed={"index": [2, 0, 2]}, overwrite=False),
    case("scatter", _written, (3, 2), (1,), (2, 2), fixed={"index": [-1]}),
    case("index_put", _put, (3, 2), (2,), indices=(np.array([0, 2]), np.array([1, 1]))),
    case("index_put", _put, (3, 2), (2, 2), indices=(np.array([1, 1]),)),
    case("index_put", _put, (3, 2), (2,), indices=(np.array([1, 1]),), accumulate=True),
    case("index_put", _put, (3, 2), (), indices=(np.array([True, False, True]),)),
]  # fmt: skip
