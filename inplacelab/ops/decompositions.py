"""Rows of `paddle.linalg`: inverses, determinants, equations, and factors of matrices. All take stacks of matrices, too.

An operation of the table has one result. So where `linalg` returns several, each is a row: the eigenvalues and the eigenvectors, Q
and R. Symmetric matrices are taken as (x + xᵀ) / 2, so their gradients are symmetric, as in Paddle.

Source of the derivatives: M. Giles, "Collected matrix derivative results for forward and reverse mode algorithmic
differentiation", 2008; for QR: S. Walter and L. Lehmann, "Algorithmic differentiation of linear algebra functions", 2018.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from inplacelab import errors
from inplacelab.layout import Shape
from inplacelab.ops.contractions import flip_last
from inplacelab.ops.creation import to_tensor
from inplacelab.ops.table import contraction
from inplacelab.ops.table.depends import NOT_KNOWN, along_axes
from inplacelab.ops.table.row import NoFormula, same
from inplacelab.tensor import Tensor

# ---- checks and kernels ---------------------------------------------------------------------------------------------------------


def _matrices(op: str, square: bool) -> Callable[[Any], None]:
    """Makes the check of a row of one input."""

    def check(x: Any) -> None:
        if x.dtype.itemsize < 4:  # NumPy's libraries compute in single and double precision
            raise errors.kernel_not_registered(dtype=x.dtype.name, op=op)
        if x.ndim < 2:
            raise errors.matrix_needed(op=op, x=x.shape)
        if square and x.shape[-1] != x.shape[-2]:
            raise errors.square_matrix_needed(op=op, x=x.shape)

    return check


def _computed(op: str, out: Any, device: Any, compute: Callable[..., Any], *given: Any) -> None:
    """Writes what NumPy computes in memory of its own."""
    device.ledger.borrow(out.nbytes + 2 * sum(each.nbytes for each in given))
    try:
        np.copyto(out, compute(*given), casting="same_kind")
    except np.linalg.LinAlgError as error:
        raise errors.no_such_factor(op=op, detail=error) from None


def _kernel(op: str, compute: Callable[[Any], Any]) -> Callable[[Any, Any, Any], None]:
    def kernel(out: Any, x: Any, device: Any) -> None:
        _computed(op, out, device, compute, x)

    return kernel


def _symmetric(x: Any) -> Any:
    return (x + np.swapaxes(x, -1, -2)) * x.dtype.type(0.5)


def _solve(out: Any, x: Any, y: Any, device: Any) -> None:
    _computed("solve", out, device, np.linalg.solve, x, y)


def _check_solve(x: Any, y: Any) -> None:
    _matrices("solve", True)(x)
    _matrices("solve", False)(y)
    if x.shape[-1] != y.shape[-2] or x.shape[:-2] != y.shape[:-2]:
        raise errors.cannot_multiply(x.shape, y.shape)


# ---- derivatives ----------------------------------------------------------------------------------------------------------------


def _halved(x: Tensor) -> Tensor:
    """The lower triangle with half of the diagonal."""
    return (x.tril() + x.tril(-1)).scale(0.5)


def _both(x: Tensor) -> Tensor:
    return (x + flip_last(x)).scale(0.5)


def _eye(x: Tensor) -> Tensor:
    n = x.shape[-1]
    return to_tensor(np.eye(n, dtype=x.array.dtype), place=x.place)


def _gradient_of_cholesky(g: Tensor, out: Tensor) -> Tensor:
    upper = flip_last(out)
    inner = _halved(upper.matmul(g.tril()))
    left = upper._solve(inner)
    return _both(flip_last(upper._solve(flip_last(left))))


def _gradient_of_eigenvectors(g: Tensor, x: Tensor, out: Tensor) -> Tensor:
    """The distances of equal eigenvalues are zero: the gradient is infinite there, as the vectors are arbitrary."""
    values = x._eigvalsh()
    apart = values.unsqueeze(-2) - values.unsqueeze(-1) + _eye(x)
    inner = (flip_last(out).matmul(g) / apart) * (1.0 - _eye(x))
    return _both(out.matmul(inner).matmul(flip_last(out)))


def _through_qr(q: Tensor, r: Tensor, g: Tensor | None, middle: Tensor) -> Tensor:
    """`(g + Q copyltu(M)) R⁻ᵀ`: the lower triangle of M is copied to the upper one."""
    whole = q.matmul(middle.tril() + flip_last(middle.tril(-1)))
    inner = whole if g is None else g + whole
    return flip_last(r._solve(flip_last(inner)))


def _gradient_of_q(g: Tensor, x: Tensor, out: Tensor) -> Tensor:
    _check_tall(x)
    return _through_qr(out, flip_last(out).matmul(x), g, flip_last(g).matmul(out).scale(-1.0))


def _gradient_of_r(g: Tensor, x: Tensor, out: Tensor) -> Tensor:
    _check_tall(x)
    q = flip_last(flip_last(out)._solve(flip_last(x)))
    return _through_qr(q, out, None, out.matmul(flip_last(g)))


def _check_tall(x: Tensor) -> None:
    if x.shape[-2] < x.shape[-1]:
        raise errors.derivative_not_implemented(op="qr", argument="x")


def _fewer(x: Shape) -> int:
    return min(x[-2:])


# ---- rows -----------------------------------------------------------------------------------------------------------------------

_METHOD = {"accepts": "f", "function": False}

INVERSE = contraction(
    "inverse", "x", ("The inverse of a matrix.", "矩阵的逆。"),
    accepts="f", validate=_matrices("inverse", True), kernel=_kernel("inverse", np.linalg.inv), shape=same, dtype=same,
    depends=along_axes("whole", fixed=(-2, -1)), d_x=lambda g, out: flip_last(out).matmul(g).matmul(flip_last(out)).scale(-1.0),
)  # fmt: skip
_DET = contraction(
    "_det", "x", ("The determinant of a matrix.", "矩阵的行列式。"),
    **_METHOD, called="det", node="DeterminantGradNode", validate=_matrices("det", True), kernel=_kernel("det", np.linalg.det),
    shape=lambda x: x[:-2], dtype=same,
    depends=along_axes("reduced", fixed=(-2, -1)), d_x=lambda g, x, out: (g * out).unsqueeze(-1).unsqueeze(-1) * flip_last(x.inverse()),
)  # fmt: skip
_LOGABSDET = contraction(
    "_logabsdet", "x", ("The logarithm of the magnitude of the determinant.", "行列式绝对值的对数。"),
    **_METHOD, called="slogdet", node="SlogdetGradNode", validate=_matrices("slogdet", True),
    kernel=_kernel("slogdet", lambda x: np.linalg.slogdet(x)[1]), shape=lambda x: x[:-2], dtype=same,
    depends=along_axes("reduced", fixed=(-2, -1)), d_x=lambda g, x: g.unsqueeze(-1).unsqueeze(-1) * flip_last(x.inverse()),
)  # fmt: skip
_SOLVE = contraction(
    "_solve", "x, y", ("The solution of `x @ out = y`.", "求解 `x @ out = y`。"),
    **_METHOD, depends=NOT_KNOWN, called="solve", node="SolveGradNode", validate=_check_solve, kernel=_solve, shape=lambda x, y: y,
    d_x=lambda g, x, out: flip_last(x)._solve(g).matmul(flip_last(out)).scale(-1.0),
    d_y=lambda g, x: flip_last(x)._solve(g),
)  # fmt: skip
_CHOLESKY = contraction(
    "_cholesky", "x", ("The lower triangular factor L of a positive definite matrix: `L @ Lᵀ`.", "正定矩阵的下三角因子 L：`L @ Lᵀ`。"),
    **_METHOD, depends=NOT_KNOWN, called="cholesky", node="CholeskyGradNode", validate=_matrices("cholesky", True),
    kernel=_kernel("cholesky", lambda x: np.linalg.cholesky(_symmetric(x))), shape=same, dtype=same,
    d_x=_gradient_of_cholesky,
)  # fmt: skip
_EIGVALSH = contraction(
    "_eigvalsh", "x", ("The eigenvalues of a symmetric matrix, in ascending order.", "对称矩阵的特征值，升序排列。"),
    **_METHOD, depends=NOT_KNOWN, called="eigvalsh", node="EigvalshGradNode", validate=_matrices("eigvalsh", True),
    kernel=_kernel("eigvalsh", lambda x: np.linalg.eigvalsh(_symmetric(x))), shape=lambda x: x[:-1], dtype=same,
    d_x=lambda g, x: (x._eigenvectors() * g.unsqueeze(-2)).matmul(flip_last(x._eigenvectors())),
)  # fmt: skip
_EIGENVECTORS = contraction(
    "_eigenvectors", "x", ("The eigenvectors of a symmetric matrix, as columns.", "对称矩阵的特征向量，按列排列。"),
    **_METHOD, depends=NOT_KNOWN, called="eigh", node="EighGradNode", validate=_matrices("eigh", True),
    kernel=_kernel("eigh", lambda x: np.linalg.eigh(_symmetric(x))[1]), shape=same, dtype=same,
    d_x=_gradient_of_eigenvectors,
)  # fmt: skip
_Q = contraction(
    "_q", "x", ("The orthogonal factor Q of `x = Q @ R`.", "`x = Q @ R` 中的正交因子 Q。"),
    **_METHOD, depends=NOT_KNOWN, called="qr", node="QrGradNode", validate=_matrices("qr", False), kernel=_kernel("qr", lambda x: np.linalg.qr(x)[0]),
    shape=lambda x: (*x[:-1], _fewer(x)), dtype=same, d_x=_gradient_of_q,
)  # fmt: skip
_R = contraction(
    "_r", "x", ("The upper triangular factor R of `x = Q @ R`.", "`x = Q @ R` 中的上三角因子 R。"),
    **_METHOD, depends=NOT_KNOWN, called="qr", node="QrGradNode", validate=_matrices("qr", False), kernel=_kernel("qr", lambda x: np.linalg.qr(x)[1]),
    shape=lambda x: (*x[:-2], _fewer(x), x[-1]), dtype=same, d_x=_gradient_of_r,
)  # fmt: skip
_SVDVALS = contraction(
    "_svdvals", "x", ("The singular values, in descending order.", "奇异值，降序排列。"),
    **_METHOD, depends=NOT_KNOWN, called="svd", node="SvdGradNode", validate=_matrices("svd", False),
    kernel=_kernel("svd", lambda x: np.linalg.svd(x, compute_uv=False)), shape=lambda x: (*x[:-2], _fewer(x)), dtype=same,
    d_x=lambda g, x: (x._left() * g.unsqueeze(-2)).matmul(x._right()),
)  # fmt: skip
_LEFT = contraction(
    "_left", "x", ("The left singular vectors, as columns.", "左奇异向量，按列排列。"),
    **_METHOD, depends=NOT_KNOWN, called="svd", node="SvdGradNode", validate=_matrices("svd", False),
    kernel=_kernel("svd", lambda x: np.linalg.svd(x, full_matrices=False)[0]), shape=lambda x: (*x[:-1], _fewer(x)), dtype=same,
    d_x=NoFormula("svd", "x"),
)  # fmt: skip
_RIGHT = contraction(
    "_right", "x", ("The right singular vectors, as rows.", "右奇异向量，按行排列。"),
    **_METHOD, depends=NOT_KNOWN, called="svd", node="SvdGradNode", validate=_matrices("svd", False),
    kernel=_kernel("svd", lambda x: np.linalg.svd(x, full_matrices=False)[2]), shape=lambda x: (*x[:-2], _fewer(x), x[-1]), dtype=same,
    d_x=NoFormula("svd", "x"),
)  # fmt: skip
