"""The functions of `paddle.linalg`: matrices and what they are made of. Every function takes stacks of matrices, too.

Real matrices in single and double precision; on the CPU.

Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/linalg/Overview_en.html
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import inf
from typing import Any

import numpy as np

from inplacelab import errors
from inplacelab.language import Text
from inplacelab.layout import normal_axis
from inplacelab.ops.arguments.operands import as_tensor
from inplacelab.ops.creation import to_tensor
from inplacelab.ops.joining_and_splitting import stack
from inplacelab.ops.table import as_function, as_method
from inplacelab.tensor import Tensor


@as_method
@as_function
def matrix_transpose(x: Tensor, name: str | None = None) -> Tensor:
    """The last two axes exchanged: a view."""
    return as_tensor("matrix_transpose", "x", 0, x).mT


def inv(x: Tensor, name: str | None = None) -> Tensor:
    """Returns the inverse of a square matrix.

    Raises:
        ArgumentError: if it has none.

    >>> import inplacelab as paddle
    >>> paddle.linalg.inv(paddle.to_tensor([[2., 0.], [0., 4.]])).tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    return as_tensor("inverse", "x", 0, x).inverse()


def det(x: Tensor, name: str | None = None) -> Tensor:
    """Returns the determinant of a square matrix. Its gradient is refused for a singular matrix."""
    return as_tensor("det", "x", 0, x)._det()


@as_method
def slogdet(x: Tensor, name: str | None = None) -> Tensor:
    """Returns the sign of the determinant and the logarithm of its magnitude, along a new first axis."""
    x = as_tensor("slogdet", "x", 0, x)
    return stack([x._det().sign(), x._logabsdet()])


@as_method
def solve(x: Tensor, y: Tensor, left: bool = True, name: str | None = None) -> Tensor:
    """Returns the solution of `x @ out = y`; of `out @ x = y` if `left` is False.

    Args:
        x: square matrices.
        y: matrices, or one vector: then the solution is a vector.
        left: on which side the solution stands.
        name: accepted for compatibility with Paddle; ignored.

    Raises:
        ShapeError: if the sizes do not fit.
        ArgumentError: if `x` is singular.
    """
    x, y = as_tensor("solve", "x", 0, x), as_tensor("solve", "y", 1, y)
    if y.ndim == 1:
        found: Tensor = (x if left else x.mT)._solve(y.unsqueeze(-1)).squeeze(-1)
        return found
    return x._solve(y) if left else x.mT._solve(y.mT).mT


@as_method
@as_function
def cholesky(x: Tensor, upper: bool = False, name: str | None = None) -> Tensor:
    """Returns the triangular factor L of a positive definite matrix: `L @ Lᵀ`; its transpose if `upper`.

    The matrix is taken as (x + xᵀ) / 2. (PaddlePaddle reads one triangle only.)

    Raises:
        ArgumentError: if it is not positive definite.
    """
    lower = as_tensor("cholesky", "x", 0, x)._cholesky()
    return lower.mT if upper else lower


def eigh(x: Tensor, UPLO: str = "L", name: str | None = None) -> tuple[Tensor, Tensor]:  # noqa: N803  # Paddle's name
    """Returns the eigenvalues of a symmetric matrix in ascending order, and its eigenvectors as columns.

    The matrix is taken as (x + xᵀ) / 2, so `UPLO` makes no difference. (PaddlePaddle reads one triangle only.)
    """
    _check_triangle("eigh", UPLO)
    x = as_tensor("eigh", "x", 0, x)
    return x._eigvalsh(), x._eigenvectors()


@as_method
@as_function
def eigvalsh(x: Tensor, UPLO: str = "L", name: str | None = None) -> Tensor:  # noqa: N803  # Paddle's name
    """Returns the eigenvalues of a symmetric matrix, as `eigh` does."""
    _check_triangle("eigvalsh", UPLO)
    return as_tensor("eigvalsh", "x", 0, x)._eigvalsh()


def _check_triangle(op: str, triangle: str) -> None:
    if triangle not in ("L", "U"):
        raise errors.bad_argument(op=op, argument="UPLO", value=triangle, possible=Text("'L' or 'U'", "'L' 或 'U'"))


@as_method
def qr(x: Tensor, mode: str = "reduced", name: str | None = None) -> Any:
    """Returns an orthogonal factor Q and an upper triangular one R with `x = Q @ R`; R alone if the mode is "r".

    Raises:
        ArgumentError: if the mode is neither "reduced" nor "r".
        NoGradientError: in backward, if the matrix has more columns than rows.
    """
    x = as_tensor("qr", "x", 0, x)
    if mode not in ("reduced", "r"):
        raise errors.bad_argument(
            op="qr", argument="mode", value=mode, possible=Text("'reduced' or 'r'", "'reduced' 或 'r'")
        )
    return x._r() if mode == "r" else (x._q(), x._r())


def svd(x: Tensor, full_matrices: bool = False, name: str | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """Returns `U`, `S` and `VH` with `x = U @ diag(S) @ VH`. Gradients go through `S`; through `U` and `VH` they are refused.

    Raises:
        ArgumentError: if `full_matrices` is True.
    """
    x = as_tensor("svd", "x", 0, x)
    if full_matrices:
        raise errors.bad_argument(op="svd", argument="full_matrices", value=True, possible=Text("False", "False"))
    return x._left(), x._svdvals(), x._right()


def svdvals(x: Tensor, name: str | None = None) -> Tensor:
    """Returns the singular values in descending order."""
    return as_tensor("svdvals", "x", 0, x)._svdvals()


@as_method
def matrix_power(x: Tensor, n: int, name: str | None = None) -> Tensor:
    """Returns `x` to the power `n`: a product of inverses if `n` is negative, the identity if it is 0."""
    x = as_tensor("matrix_power", "x", 0, x)
    if n == 0:
        eye = np.broadcast_to(np.eye(x.shape[-1], dtype=x.array.dtype), x.array.shape)
        return to_tensor(eye, place=x.place)
    base, result, count = (inv(x) if n < 0 else x), None, abs(n)
    while count:
        if count & 1:
            result = base if result is None else result.matmul(base)
        count >>= 1
        base = base.matmul(base) if count else base
    assert result is not None
    return result


def matrix_rank(
    x: Tensor, tol: float | Tensor | None = None, hermitian: bool = False, name: str | None = None
) -> Tensor:
    """Returns the number of singular values above `tol`; above the rounding error of the largest one if None.

    Args:
        x: matrices.
        tol: the bound: a number, or one for each matrix.
        hermitian: whether the matrices are symmetric: then the magnitudes of eigenvalues are counted, which takes less time.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A tensor (int64) without the axes of rows and columns.

    >>> import inplacelab as paddle
    >>> paddle.linalg.matrix_rank(paddle.ones([2, 2])).item()
    1
    """
    x = as_tensor("matrix_rank", "x", 0, x).detach()
    values = x._eigvalsh().abs() if hermitian else x._svdvals()
    least = values.amax(-1, keepdim=True) * (max(x.shape[-2:]) * np.finfo(x.array.dtype).eps) if tol is None else tol
    if isinstance(least, Tensor) and tol is not None and least.ndim:
        least = least.unsqueeze(-1)
    return (values > least).cast("int64").sum(-1)


def multi_dot(x: Sequence[Tensor], name: str | None = None) -> Tensor:
    """Returns the product of several matrices, from left to right. The first and the last may be vectors."""
    return reduce(lambda left, right: left.matmul(right), (as_tensor("multi_dot", "x", 0, each) for each in x))


def norm(x: Tensor, p: Any = None, axis: Any = None, keepdim: bool = False, name: str | None = None) -> Tensor:
    """Returns the norm of vectors, or of matrices if `axis` names two axes: see `paddle.norm` and `matrix_norm`."""
    x = as_tensor("norm", "x", 0, x)
    if isinstance(axis, list | tuple) and len(axis) == 2 and p not in ("fro", None):
        return matrix_norm(x, p, axis, keepdim)
    length: Tensor = x.norm(p, axis, keepdim)
    return length


def matrix_norm(
    x: Tensor, p: Any = "fro", axis: Sequence[int] = (-2, -1), keepdim: bool = False, name: str | None = None
) -> Tensor:
    """Returns a norm of matrices.

    Args:
        x: the tensor.
        p: "fro" for the root of the sum of squares; "nuc" for the sum of the singular values; 2 or -2 for the largest or smallest of them;
            1 or -1 for the largest or smallest sum of magnitudes in a column; infinity or minus infinity for such a sum in a row.
        axis: the axes of the rows and of the columns.
        keepdim: keep these axes with size 1.
        name: accepted for compatibility with Paddle; ignored.

    Raises:
        ArgumentError: if there is no such norm.

    >>> import inplacelab as paddle
    >>> paddle.linalg.matrix_norm(paddle.to_tensor([[1., -2.], [3., 4.]]), 1).item()
    6.0

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/linalg/norm_en.html
    """
    x = as_tensor("norm", "x", 0, x)
    if p == "fro":
        found: Tensor = x.norm("fro", list(axis), keepdim)
        return found
    if p not in ("nuc", 1, -1, 2, -2, inf, -inf):
        raise errors.unknown_norm(op="norm", p=p)
    rows, columns = (normal_axis(k, x.ndim) for k in axis)
    others = [k for k in range(x.ndim) if k not in (rows, columns)]
    matrices = x.transpose([*others, rows, columns])
    sizes = matrices._svdvals() if p in ("nuc", 2, -2) else matrices.abs().sum(-2 if abs(p) == 1 else -1)
    found = sizes.sum(-1) if p == "nuc" else sizes.max(-1) if p > 0 else sizes.min(-1)
    return found.reshape([1 if k in (rows, columns) else n for k, n in enumerate(x.shape)]) if keepdim else found


@as_method
def cond(x: Tensor, p: Any = None, name: str | None = None) -> Tensor:
    """Returns the condition number of matrices: how much they can magnify a relative error.

    Args:
        x: matrices; square ones, unless `p` is None, 2 or -2.
        p: the norm, as for `matrix_norm`; None for 2.
        name: accepted for compatibility with Paddle; ignored.

    Raises:
        ArgumentError: if there is no such norm, or a matrix has no inverse.

    >>> import inplacelab as paddle
    >>> paddle.linalg.cond(paddle.to_tensor([[4., 0.], [0., 2.]])).item()
    2.0
    """
    x = as_tensor("cond", "x", 0, x)
    if p in (None, 2, -2):
        sizes = x._svdvals()
        largest, smallest = sizes.max(-1), sizes.min(-1)
        ratio: Tensor = smallest / largest if p == -2 else largest / smallest
        return ratio
    return matrix_norm(x, p) * matrix_norm(inv(x), p)


def vector_norm(x: Tensor, p: float = 2.0, axis: Any = None, keepdim: bool = False, name: str | None = None) -> Tensor:
    """Returns the norm of vectors: see `paddle.norm`. Several axes count as one."""
    x = as_tensor("vector_norm", "x", 0, x)
    if not isinstance(axis, list | tuple):
        return x.norm(float(p), axis, keepdim)
    axes = [each % x.ndim for each in axis]
    others = [k for k in range(x.ndim) if k not in axes]
    found = x.transpose([*others, *axes]).reshape([*(x.shape[k] for k in others), -1]).norm(float(p), -1)
    return found.reshape([1 if k in axes else n for k, n in enumerate(x.shape)]) if keepdim else found


@as_method
def cov(x: Tensor, rowvar: bool = True, ddof: bool = True, name: str | None = None) -> Tensor:
    """Returns the covariances of the rows, each of which holds the observations of one variable; of the columns if `rowvar` is False."""
    x = as_tensor("cov", "x", 0, x)
    rows = x.unsqueeze(0) if x.ndim < 2 else x if rowvar else x.t()
    away = rows - rows.mean(1, keepdim=True)
    found: Tensor = away.matmul(away.t()).scale(1.0 / (rows.shape[1] - bool(ddof)))
    return found.squeeze() if x.ndim < 2 else found


@as_method
def corrcoef(x: Tensor, rowvar: bool = True, name: str | None = None) -> Tensor:
    """Returns the correlations of the rows, from -1 to 1: their covariances, divided by their standard deviations. See `cov`.

    >>> import inplacelab as paddle
    >>> paddle.linalg.corrcoef(paddle.to_tensor([[1., 2., 3.], [3., 2., 1.]])).numpy().round(4).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    found = cov(x, rowvar)
    if not found.ndim:
        return found / found
    deviations = found.diagonal().sqrt()
    scaled: Tensor = found / deviations.unsqueeze(0) / deviations.unsqueeze(1)
    return scaled.clip(-1.0, 1.0)
