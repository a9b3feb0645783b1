"""Rows of `paddle.linalg`: inverses, determinants, equations, and factors of matrices; and norms. All take stacks of matrices, too.

An operation of the table has one result. So where `linalg` returns several, each is a row: the eigenvalues and the eigenvectors, Q
and R. Symmetric matrices are taken as (x + xᵀ) / 2, so their gradients are symmetric, as in Paddle.

Source of the derivatives: M. Giles, "Collected matrix derivative results for forward and reverse mode algorithmic
differentiation", 2008; for QR: S. Walter and L. Lehmann, "Algorithmic differentiation of linear algebra functions", 2018.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np

from inplacelab import dtypes, errors
from inplacelab.language import Text
from inplacelab.layout import Shape, normal_axis
from inplacelab.ops.arguments.attributes import as_value_error, check_range
from inplacelab.ops.creation import to_tensor
from inplacelab.ops.products import flip_last
from inplacelab.ops.reductions import axes_of, reduced
from inplacelab.ops.results.kernel_tools import quietly
from inplacelab.ops.table import add_row, contraction, overwrite, reduction
from inplacelab.ops.table.depends import NOT_KNOWN, along_axes, of_norm
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


# ---- norms of vectors, and operations that limit the norms of rows ----------------------------------------------------------


def _power(x: Any, p: Any) -> float:
    """None and "fro" are the square norm."""
    if p is None or p == "fro":
        return 2.0
    if isinstance(p, str):
        raise errors.unknown_norm(op="norm", p=p)
    return float(p)


def _check_axes(p: Any, axis: Any) -> None:
    if isinstance(axis, list | tuple) and len(axis) > 1 and p != "fro":
        raise errors.unknown_norm(op="norm", p=p)


@quietly
def lengths(x: Any, p: float, axis: tuple[int, ...]) -> Any:
    """Returns the p-norms over some axes, which keep one element each. Needs twice the bytes of `x` temporarily."""
    sizes = np.absolute(x)
    if p in (inf, -inf):
        return np.max(sizes, axis, keepdims=True, initial=0) if p > 0 else np.min(sizes, axis, keepdims=True)
    if p == 0:
        return np.count_nonzero(sizes, axis, keepdims=True).astype(sizes.dtype)
    number = sizes.dtype.type
    total = np.sum(sizes ** number(p) if p != 1 else sizes, axis, keepdims=True)
    return total ** number(1 / p)


def _norm(out: Any, x: Any, p: float, axis: tuple[int, ...], device: Any) -> None:
    device.ledger.borrow(2 * x.nbytes + out.nbytes)
    np.copyto(out, lengths(x, p, axis).reshape(out.shape))


def slope(x: Tensor, length: Tensor, p: float) -> Tensor:
    """Returns the derivative of the norms with respect to `x`; zero for a vector of length zero.

    For p = inf, equal largest elements share the slope.
    """
    if p == 0:
        return x._zeros()
    if p in (inf, -inf):
        extreme = x.abs().equal(length).cast(length.dtype)
        shared = np.maximum(np.sum(extreme.array, _axes_between(x, length), keepdims=True), 1)
        return _direction(x) * extreme / to_tensor(shared, place=x.place)
    safe = length.masked_fill(length.equal(length._zeros()), 1)
    if p == 2:
        return x / safe
    return _direction(x) * (x.abs() / safe).pow(p - 1)


def _direction(x: Tensor) -> Tensor:
    """The sign of a number, or the complex number of length 1 with the same angle."""
    return x.sgn() if x.array.dtype.kind == "c" else x.sign()


def _axes_between(x: Tensor, length: Tensor) -> tuple[int, ...]:
    """The axes that were reduced."""
    return tuple(k for k, (n, m) in enumerate(zip(x.array.shape, length.array.shape, strict=True)) if m == 1 and n != 1)


def _gradient_of_norm(g: Tensor, x: Tensor, out: Tensor, p: float, axis: tuple[int, ...]) -> Tensor:
    kept = reduced(x.array.shape, axis, True)
    return g.reshape(kept) * slope(x, out.reshape(kept), p)


NORM = reduction(
    "norm", ("The p-norm: the p-th root of the sum of |x| to the power p.", "向量的长度：|x| 的 p 次幂之和的 p 次方根。"),
    attrs="p=None, axis=None, keepdim=False", accepts="fc", validate=_check_axes, prepare={"p": _power, "axis": axes_of}, kernel=_norm,
    shape=lambda x, axis, keepdim: reduced(x, axis, keepdim), dtype=dtypes.real, node="PNormGradNode", out=True, depends=along_axes("reduced", rule=of_norm),
    d_x=_gradient_of_norm,
)  # fmt: skip

# ---- limited norms --------------------------------------------------------------------------------------------------------------


def _check_bounds(op: str, p: Any, max_norm: Any) -> None:
    if not p > 0:
        raise errors.bad_norm_bound(
            op=op, argument="p", value=p, at_least=Text("a number greater than 0, or infinity", "大于 0 的数，或无穷大")
        )
    if not max_norm >= 0:
        raise errors.bad_norm_bound(
            op=op, argument="max_norm", value=max_norm, at_least=Text("a number of 0 or more", "不小于 0 的数")
        )


def _others(rank: int, axis: int) -> tuple[int, ...]:
    return tuple(k for k in range(rank) if k != axis)


@quietly
def _factors(length: Any, max_norm: float, guard: float) -> Any:
    """The factor of each row: 1 where its norm is at most `max_norm`."""
    return np.where(length > max_norm, max_norm / (length + length.dtype.type(guard)), 1).astype(length.dtype)


def _shortened_gradient(g: Tensor, x: Tensor, p: float, max_norm: float, guard: float) -> Tensor:
    """A row that was shortened is `x * f(n)`, with its length `n` and `f(n) = max_norm / (n + guard)`: the product rule.

    Any other row has `f = 1` and `f' = 0`. Its length is replaced by 1 first, so that no slope is infinite.
    """
    length = x.norm(p, 1, keepdim=True)
    fits = length.less_equal(to_tensor(max_norm, dtype=x.dtype, place=x.place))
    bounded = length.masked_fill(fits, 1)
    factor = bounded.scale(1.0, guard).reciprocal().scale(max_norm).masked_fill(fits, 1)
    change = (factor / bounded.scale(-1.0, -guard)).masked_fill(fits, 0)
    return g * factor + slope(x, bounded, p) * ((g * x).sum(1, keepdim=True) * change)


# ---- all slices along an axis ---------------------------------------------------------------------------------------------------


def _renorm_axis(x: Any, axis: Any) -> int:
    return normal_axis(axis, x.ndim)


def _renorm(out: Any, x: Any, p: float, axis: int, max_norm: float, device: Any) -> None:
    device.ledger.borrow(2 * x.nbytes + 4 * x.itemsize * x.shape[axis])
    np.multiply(x, _factors(lengths(x, p, _others(x.ndim, axis)), max_norm, 0.0), out)


def _gradient_of_renorm(g: Tensor, x: Tensor, p: float, axis: int, max_norm: float) -> Tensor:
    """Reshapes each slice to a row and back."""
    order = [axis, *_others(x.ndim, axis)]
    shape = [x.shape[k] for k in order]
    rows = [x.shape[axis], int(np.prod(shape[1:], dtype=int))]
    g, x = (each.transpose(order).reshape(rows) for each in (g, x))
    found = _shortened_gradient(g, x, float(p), max_norm, 0.0)
    return found.reshape(shape).transpose(np.argsort(order).tolist())


RENORM = add_row(
    "scan", "renorm", "x",
    ("Scale down each slice along `axis` whose p-norm is greater than `max_norm`, so that its norm is `max_norm`.", "沿 `axis` 把 p 范数大于 `max_norm` 的切片缩短到该长度。"),
    attrs="p, axis, max_norm", accepts="f", validate=lambda p, max_norm: _check_bounds("renorm", p, max_norm), prepare={"axis": _renorm_axis},
    kernel=_renorm, shape=same, dtype=same, depends=along_axes("whole", others=True),
    d_x=_gradient_of_renorm,
)  # fmt: skip

# ---- the rows of an embedding that are used -------------------------------------------------------------------------------------

_GUARD = 1e-7
"""Paddle adds this to the norm before it divides."""


def _check_embedding(x: Any, weight: Any, max_norm: Any, norm_type: Any) -> None:
    _check_bounds("embedding_renorm_", norm_type, max_norm)
    if weight.ndim < 2:
        raise errors.bad_embedding_weight(shape=weight.shape)
    check_range("index_select", x, weight.shape[0], as_value_error)


def _used(x: Any, rows: int) -> Any:
    """The used rows, each once: a row must not be scaled twice."""
    return np.unique(x % max(rows, 1))


def _embedding_renorm(out: Any, x: Any, max_norm: float, norm_type: float, device: Any) -> None:
    rows = _used(x, out.shape[0])
    used_bytes = rows.size * int(np.prod(out.shape[1:], dtype=int)) * out.itemsize
    device.ledger.borrow(32 * x.size + 4 * used_bytes + 4 * rows.size * out.itemsize)
    used = out[rows]
    np.multiply(used, _factors(_row_lengths(used, norm_type), max_norm, _GUARD), used)
    out[rows] = used


def _row_lengths(used: Any, norm_type: float) -> Any:
    """The norms over the second axis only, even if there are more axes, as in Paddle."""
    return lengths(used, norm_type, (1,))


def _gradient_of_weight(g: Tensor, weight: Tensor, x: Tensor, max_norm: float, norm_type: float) -> Tensor:
    """The gradient of the used rows goes through the scaling, that of the others is unchanged."""
    rows = to_tensor(_used(x.array, weight.array.shape[0]), place=g.place)
    shortened = _shortened_gradient(g.index_select(rows), weight.index_select(rows), float(norm_type), max_norm, _GUARD)
    return g.index_put((rows,), shortened)


EMBEDDING_RENORM = overwrite(
    "embedding_renorm", "weight, x",
    ("Scale down those rows of `weight` that `x` looks up and whose norm is greater than `max_norm`.", "把 `x` 查到的、范数大于 `max_norm` 的 `weight` 的行缩短。"),
    call="x, weight, max_norm, norm_type=2.0", accepts="f", validate=_check_embedding, kernel=_embedding_renorm, shape=same, dtype=same,
    method=False, functional=True, depends=along_axes("whole", fixed=1),
    d_weight=_gradient_of_weight,
)  # fmt: skip
