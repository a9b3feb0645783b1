"""Cases for the rows of `ops/decompositions.py`. Matrices whose factors are unique and change smoothly."""

from __future__ import annotations

import numpy as np

from tests.row_cases.case import Array, case

GENERAL = np.array([[2.0, 0.5, -0.3], [0.4, 1.5, 0.2], [-0.6, 0.1, 1.8]])
STACK = np.stack([GENERAL, GENERAL.T + np.eye(3)])
SYMMETRIC = np.array([[2.0, 0.4, 0.1], [0.4, 3.0, 0.2], [0.1, 0.2, 4.5]])
TALL = np.array([[2.0, 0.5], [0.4, 1.5], [-0.6, 0.1]])


def _half(x: Array) -> Array:
    return np.asarray((x + np.swapaxes(x, -1, -2)) / 2)


CASES = [
    *(case("inverse", np.linalg.inv, fixed={"x": x}) for x in (GENERAL, STACK)),
    *(case("_det", np.linalg.det, fixed={"x": x}) for x in (GENERAL, STACK)),
    case("_logabsdet", lambda x: np.linalg.slogdet(x)[1], fixed={"x": STACK}),
    case("_solve", np.linalg.solve, fixed={"x": GENERAL, "y": TALL}),
    case("_solve", np.linalg.solve, fixed={"x": STACK, "y": np.stack([TALL, TALL * 2])}),
    case("_cholesky", lambda x: np.linalg.cholesky(_half(x)), fixed={"x": SYMMETRIC}),
    case("_eigvalsh", lambda x: np.linalg.eigvalsh(_half(x)), fixed={"x": SYMMETRIC}),
    case("_eigenvectors", lambda x: np.linalg.eigh(_half(x))[1], fixed={"x": SYMMETRIC}),
    case("_q", lambda x: np.linalg.qr(x)[0], fixed={"x": TALL}),
    case("_r", lambda x: np.linalg.qr(x)[1], fixed={"x": TALL}),
    case("_svdvals", lambda x: np.linalg.svd(x, compute_uv=False), fixed={"x": TALL}),
    case("_left", lambda x: np.linalg.svd(x, full_matrices=False)[0], fixed={"x": TALL}),
    case("_right", lambda x: np.linalg.svd(x, full_matrices=False)[2], fixed={"x": TALL}),
]  # fmt: skip
