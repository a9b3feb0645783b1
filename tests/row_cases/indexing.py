"""Cases for the rows of `ops/indexing.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.row_cases.case import Array, case


def _put(x: Array, y: Array, key: Any, accumulate: bool = False) -> Array:
    np.add.at(x, key, y) if accumulate else x.__setitem__(key, y)
    return x


CASES = [
    case("_take", lambda x, key: x[key], (3, 2), key=[0, 2, 0]),
    case("_take", lambda x, key: x[key], (3, 2), key=(slice(None), [1, 1])),
    case("_put", _put, (3, 2), (2, 2), key=[2, 0]),
    case("_put", _put, (3, 2), (3, 2), key=[1, 0, 1]),
    case("_put", _put, (3, 2), (3, 2), key=[1, 0, 1], accumulate=True),
]  # fmt: skip
