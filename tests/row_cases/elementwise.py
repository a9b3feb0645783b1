"""Cases for the rows of `ops/creation.py`."""

from __future__ import annotations

import numpy as np

from tests.row_cases.case import case

CASES = [
    case("clone", np.array),
    case("cast", lambda x, dtype: x.astype(dtype), dtype="float64"),
    case("conj", np.conjugate),
]  # fmt: skip
