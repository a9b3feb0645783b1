"""Cases for the rows of `ops/masks_and_diagonals.py`."""

from __future__ import annotations

import numpy as np

from tests.row_cases.case import Array, case

MASK = [[True, False, True], [False, True, False]]


def _scattered(x: Array, mask: Array, value: Array) -> Array:
    places = np.broadcast_to(mask, x.shape)
    x[places] = value.reshape(-1)[: places.sum()]
    return x


CASES = [
    case("masked_fill", lambda x, mask, value: np.where(mask, value, x), fixed={"mask": MASK}),
    case("masked_fill", lambda x, mask, value: np.where(mask, value, x), (2, 3), (3,), (), fixed={"mask": MASK[0]}),
    case("masked_scatter", _scattered, (2, 3), (2, 3), (5,), fixed={"mask": MASK}),
    case("masked_scatter", _scattered, (2, 3), (3,), (2, 2), fixed={"mask": MASK[0]}),
]  # fmt: skip
