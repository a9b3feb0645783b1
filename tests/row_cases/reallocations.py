"""Cases for the row of `ops/reallocations.py`."""

from __future__ import annotations

import numpy as np

from tests.row_cases.case import Array, case


def _lengthened(x: Array, shape: tuple[int, ...]) -> Array:
    whole = np.zeros(shape, x.dtype)
    whole.flat[: x.size] = x.flat
    return whole


CASES = [
    case("_lengthened", _lengthened, (2, 3), shape=(4, 2)),
    case("_lengthened", _lengthened, (), shape=(2,)),
]
