"""Cases for the rows of `ops/decompositions.py`."""

from __future__ import annotations

import numpy as np

from tests.row_cases.case import Array, case

LONG_AND_SHORT = [[0.6, -1.4, 2.2], [0.3, 0.2, 0.1], [0.4, -3.0, 0.5]]


def _renorm(x: Array, p: float, axis: int, max_norm: float) -> Array:
    rows = np.moveaxis(x, axis, 0)
    for k in range(len(rows)):
        length = np.linalg.norm(rows[k].reshape(-1), p)
        rows[k] *= max_norm / length if length > max_norm else 1
    return x


def _embedding(weight: Array, x: Array, max_norm: float, norm_type: float = 2.0) -> Array:
    for row in {int(k) % len(weight) for k in x.reshape(-1)}:
        length = np.linalg.norm(weight[row], norm_type)
        weight[row] *= max_norm / (length + 1e-7) if length > max_norm else 1
    return weight


CASES = [
    case("norm", lambda x: np.linalg.norm(x)),
    *(case("norm", lambda x, p, axis: np.linalg.norm(x, p, axis), p=p, axis=1) for p in (1, 2, 3.5, -2, np.inf, -np.inf)),
    case("norm", lambda x, p, axis, keepdim: np.sqrt((x * x).sum(tuple(axis), keepdims=keepdim)), (2, 3, 2), p="fro", axis=[0, 2], keepdim=True),
    *(case("renorm", _renorm, fixed={"x": LONG_AND_SHORT}, p=p, axis=0, max_norm=1.0) for p in (1.0, 2.0, 3.5, np.inf)),
    case("renorm", _renorm, (2, 3, 2), p=2.0, axis=-2, max_norm=1.5),
    case("renorm", _renorm, (4,), p=2.0, axis=0, max_norm=1.0),
    case("renorm", _renorm, fixed={"x": [[0.0, -3.0, 0.5], [0.0, 0.0, 0.0]]}, p=2.0, axis=0, max_norm=1.0),
    case("embedding_renorm", _embedding, fixed={"weight": LONG_AND_SHORT, "x": [[0, 1], [0, -3]]}, max_norm=1.0),
    case("embedding_renorm", _embedding, fixed={"weight": LONG_AND_SHORT, "x": [2]}, max_norm=1.0, norm_type=1.0),
]  # fmt: skip
