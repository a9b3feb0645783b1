"""Cases for the rows of `ops/products.py`."""

from __future__ import annotations

import numpy as np

from tests.row_cases.case import Array, case


def _sum(added: Array, x: Array, y: Array, beta: float = 1.0, alpha: float = 1.0) -> Array:
    return np.asarray(beta * added + alpha * (x @ y))


CASES = [
    case("addmm", _sum, (2, 3), (2, 4), (4, 3)),
    case("addmm", _sum, (2, 3), (2, 4), (4, 3), beta=0.5, alpha=-2.0),
    case("addmm", _sum, (2, 3), (2, 4), (4, 3), beta=0.0),
    case("baddbmm", _sum, (2, 2, 3), (2, 2, 4), (2, 4, 3), beta=-1.5, alpha=3.0),
    case("bmm", np.matmul, (2, 2, 3), (2, 3, 2)),
    case("mv", np.matmul, (2, 3), (3,)),
    case("dot", np.dot, (4,), (4,)),
    case("dot", lambda x, y: (x * y).sum(-1), (2, 3), (2, 3)),
    case("outer", np.outer, (3,), (2,)),
    case("outer", np.outer, (2, 2), ()),
]  # fmt: skip
