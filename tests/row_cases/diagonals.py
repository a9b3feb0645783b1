"""Cases for the rows of `ops/masks_and_diagonals.py`."""

from __future__ import annotations

import numpy as np

from tests.row_cases.case import Array, case


def _filled(x: Array, value: float, offset: int = 0, wrap: bool = False) -> Array:
    if offset:
        for k in range(min(len(x), x.shape[1])):
            if 0 <= k + offset < x.shape[1]:
                x[k, k + offset] = value
    else:
        np.fill_diagonal(x, value, wrap)
    return x


def _diagonal_written(x: Array, y: Array, offset: int, dim1: int, dim2: int) -> Array:
    for place in np.ndindex(y.shape):
        k = place[-1]
        moved = np.moveaxis(x, (dim1, dim2), (-2, -1))
        moved[(*place[:-1], k + max(-offset, 0), k + max(offset, 0))] = y[place]
    return x


def _diag(x: Array, offset: int = 0, padding_value: float = 0) -> Array:
    if x.ndim == 2:
        return np.diag(x, offset)
    vector = np.atleast_1d(x)
    return np.diag(vector, offset) + padding_value * (1 - np.diag(np.ones_like(vector), offset))


CASES = [
    case("diag", _diag, (3,)),
    case("diag", _diag, (3,), offset=1),
    case("diag", _diag, (2,), offset=-2, padding_value=2.5),
    case("diag", _diag, ()),
    case("diag", _diag, (3, 4), offset=1),
    case("diag", _diag, (4, 2), offset=-1),
    case("diag", _diag, (2, 2), offset=5),
    case("tril", lambda x, diagonal: np.tril(x, diagonal), (3, 4), diagonal=1),
    case("tril", np.tril, (2, 3, 3)),
    case("triu", lambda x, diagonal: np.triu(x, diagonal), (4, 3), diagonal=-1),
    case("fill_diagonal", _filled, (3, 3), value=2.5),
    case("fill_diagonal", _filled, (7, 3), value=2.5, wrap=True),
    case("fill_diagonal", _filled, (2, 2, 2), value=-1),
    case("fill_diagonal", _filled, (3, 4), value=2.5, offset=-1),
    case("fill_diagonal_tensor", _diagonal_written, (3, 4), (3,), offset=0, dim1=0, dim2=1),
    case("fill_diagonal_tensor", _diagonal_written, (4, 2, 3), (2, 2), offset=-2, dim1=0, dim2=2),
]  # fmt: skip
