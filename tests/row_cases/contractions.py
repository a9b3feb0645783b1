"""Cases for the rows of `ops/products.py`."""

from __future__ import annotations

import numpy as np

from tests.row_cases.case import case

CASES = [
    case("matmul", np.matmul, (2, 3), (3, 4)),
    case("matmul", np.matmul, (3,), (3,)),
    case("matmul", np.matmul, (3,), (3, 2)),
    case("matmul", np.matmul, (2, 3), (3,)),
    case("matmul", np.matmul, (2, 2, 3), (3, 2)),
    case("matmul", np.matmul, (3,), (2, 3, 2)),
    case("matmul", np.matmul, (2, 1, 2, 3), (2, 3, 1)),
]  # fmt: skip
