"""Paddle's `linalg`: the names of the functions of `ops/matrices.py`.

Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/linalg/Overview_en.html
"""

from __future__ import annotations

from inplacelab.ops.matrices import (
    cholesky,
    cond,
    corrcoef,
    cov,
    det,
    eigh,
    eigvalsh,
    inv,
    matrix_norm,
    matrix_power,
    matrix_rank,
    matrix_transpose,
    multi_dot,
    norm,
    qr,
    slogdet,
    solve,
    svd,
    svdvals,
    vector_norm,
)
from inplacelab.tensor import Tensor


def matmul(x: Tensor, y: Tensor) -> Tensor:
    """The product `x @ y`: see `paddle.matmul`."""
    return x @ y


__all__ = [
    "cholesky", "cond", "corrcoef", "cov", "det", "eigh", "eigvalsh", "inv", "matmul", "matrix_norm", "matrix_power", "matrix_rank", "matrix_transpose", "multi_dot", "norm", "qr", "slogdet", "solve", "svd", "svdvals", "vector_norm",
]  # fmt: skip
