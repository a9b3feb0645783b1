"""Products of matrices and vectors, and sums of such products with a tensor: `addmm`, `baddbmm`.

A product reads every element of its factors many times, so it is computed in temporary memory and then added to the target.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab import errors
from inplacelab.layout import Shape, common_shape
from inplacelab.ops.arguments.attributes import constant, plain_number
from inplacelab.ops.arguments.indices import check_dtype
from inplacelab.ops.contractions import flip_last
from inplacelab.ops.results.kernel_tools import conj, quietly
from inplacelab.ops.table import add_row, contraction
from inplacelab.ops.table.depends import contracted
from inplacelab.tensor import Tensor

# ---- beta * input + alpha * x @ y -----------------------------------------------------------------------------------------------


def _check_sum(op: str, rank: int, input: Any, x: Any, y: Any) -> None:
    check_dtype(op, "x", input, x)
    check_dtype(op, "y", input, y)
    if x.ndim != rank or y.ndim != rank:
        raise errors.not_matrices(rank=rank, x=x.shape, y=y.shape, op=op)
    if x.shape[-1] != y.shape[-2] or x.shape[:-2] != y.shape[:-2]:
        raise errors.cannot_multiply(x.shape, y.shape)
    _sum_shape(op, input.shape, x.shape, y.shape)


def _sum_shape(op: str, input: Shape, x: Shape, y: Shape) -> Shape:
    """The shape of the product, to which `input` is broadcast. `input` may lack one axis, as in Paddle."""
    product = (*x[:-1], y[-1])
    if len(input) not in (len(x) - 1, len(x)) or common_shape(_aligned(input, len(product)), product) != product:
        raise errors.cannot_broadcast(x=input, y=product, op=op)
    return product


def _aligned(input: Shape, rank: int) -> Shape:
    """Inserts the missing axis of rows: `baddbmm` accepts an `input` of shape `[batch, columns]`."""
    if rank == 3 and len(input) == 2:
        return (input[0], 1, input[1])
    return (1,) * (rank - len(input)) + input


@quietly
def _add_product(out: Any, input: Any, x: Any, y: Any, beta: Any, alpha: Any, device: Any) -> None:
    """With `beta=0` the input is ignored, even where it is NaN."""
    device.ledger.borrow(out.nbytes + _copied(x) + _copied(y))
    product = np.matmul(x, y)
    if alpha != 1:
        np.multiply(product, constant(alpha, product.dtype), product)
    if beta == 0:
        np.copyto(out, product)
        return
    np.multiply(input.reshape(_aligned(input.shape, out.ndim)), constant(beta, out.dtype), out)
    np.add(out, product, out)


def _copied(x: Any) -> int:
    """The most bytes that NumPy needs to copy a factor into the layout of its matrix product."""
    return 0 if x.flags.c_contiguous else int(x.nbytes)


def _gradient_of_input(g: Tensor, beta: Any, shape: Shape) -> Tensor:
    scaled = g.scale(beta)
    if g.ndim == 3 and len(shape) == 2:
        return scaled.sum(1)
    return scaled


def _gradient_of_left(g: Tensor, y: Tensor, alpha: Any) -> Tensor:
    return g.matmul(flip_last(y)).scale(alpha)


def _gradient_of_right(g: Tensor, x: Tensor, alpha: Any) -> Tensor:
    return flip_last(x).matmul(g).scale(alpha)


ADDMM = add_row(
    "contraction", "addmm", "input, x, y", ("`beta * input + alpha * x @ y`, for matrices.", "计算 `beta * input + alpha * x @ y`（矩阵）。"),
    attrs="beta=1.0, alpha=1.0", accepts="f", prepare={"beta": plain_number, "alpha": plain_number}, kernel=_add_product,
    validate=lambda input, x, y: _check_sum("addmm", 2, input, x, y), shape=lambda input, x, y: _sum_shape("addmm", input, x, y),
    depends=contracted(lambda input, beta: f"{'ij'[2 - len(input):] if beta else '-'},ik,kj->ij"),
    d_input=lambda g, beta, input_form: _gradient_of_input(g, beta, input_form.shape),
    d_x=_gradient_of_left,
    d_y=_gradient_of_right,
)  # fmt: skip
BADDBMM = add_row(
    "contraction", "baddbmm", "input, x, y", ("`beta * input + alpha * x @ y`, for stacks of matrices.", "计算 `beta * input + alpha * x @ y`（成叠的矩阵）。"),
    attrs="beta=1.0, alpha=1.0", accepts="f", prepare={"beta": plain_number, "alpha": plain_number}, kernel=_add_product,
    validate=lambda input, x, y: _check_sum("baddbmm", 3, input, x, y), shape=lambda input, x, y: _sum_shape("baddbmm", input, x, y),
    depends=contracted(lambda input, beta: f"{('bj' if len(input) == 2 else 'bij') if beta else '-'},bik,bkj->bij"),
    d_input=lambda g, beta, input_form: _gradient_of_input(g, beta, input_form.shape),
    d_x=_gradient_of_left,
    d_y=_gradient_of_right,
)  # fmt: skip

# ---- products -------------------------------------------------------------------------------------------------------------------


def _check_bmm(x: Any, y: Any) -> None:
    if x.ndim != 3 or y.ndim != 3:
        raise errors.not_matrices(rank=3, x=x.shape, y=y.shape, op="bmm")
    if x.shape[0] != y.shape[0] or x.shape[2] != y.shape[1]:
        raise errors.cannot_multiply(x.shape, y.shape)


def _check_mv(x: Any, vec: Any) -> None:
    if x.ndim != 2 or vec.ndim != 1:
        raise errors.not_matrices(rank=2, x=x.shape, y=vec.shape, op="mv")
    if x.shape[1] != vec.shape[0]:
        raise errors.cannot_multiply(x.shape, vec.shape)


def _check_dot(x: Any, y: Any) -> None:
    if x.shape != y.shape or x.ndim not in (1, 2):
        raise errors.cannot_dot(x=x.shape, y=y.shape)


def _bmm(out: Any, x: Any, y: Any) -> None:
    np.matmul(x, y, out)


def _mv(out: Any, x: Any, vec: Any) -> None:
    np.matmul(x, vec, out)


def _dot(out: Any, x: Any, y: Any) -> None:
    np.einsum("...i,...i->...", x, y, out=out)


def _outer(out: Any, x: Any, y: Any, device: Any) -> None:
    device.ledger.borrow(_copied(x) + _copied(y))
    np.multiply(x.reshape(-1, 1), y.reshape(-1), out)


BMM = contraction(
    "bmm", "x, y", ("The products of two stacks of matrices, pair by pair.", "两叠矩阵逐对相乘。"),
    kernel=_bmm, accepts="f", validate=_check_bmm, shape=lambda x, y: (*x[:2], y[2]), out=True, depends=contracted(lambda: "bik,bkj->bij"),
    d_x=lambda g, y: g.bmm(flip_last(y)),
    d_y=lambda g, x: flip_last(x).bmm(g),
)  # fmt: skip
MV = contraction(
    "mv", "x, vec", ("The product of a matrix and a vector.", "矩阵与向量的乘积。"),
    kernel=_mv, accepts="f", validate=_check_mv, shape=lambda x: x[:1], depends=contracted(lambda: "ij,j->i"),
    d_x=lambda g, vec: g.outer(vec),
    d_vec=lambda g, x: x.t().mv(g),
)  # fmt: skip
DOT = contraction(
    "dot", "x, y", ("The sum of the products of two vectors, or of rows of two matrices; nothing is conjugated.", "两个向量（或两个矩阵的各行）的点积；不取共轭。"),
    kernel=_dot, accepts="fic", validate=_check_dot, shape=lambda x: x[:-1], out=True,
    depends=contracted(lambda x: "i,i->" if len(x) == 1 else "bi,bi->b"),
    d_x=lambda g, y: g.unsqueeze(-1) * conj(y),
    d_y=lambda g, x: g.unsqueeze(-1) * conj(x),
)  # fmt: skip
OUTER = contraction(
    "outer", "x, y", ("The outer product: each element of `x` times each element of `y`, both taken as vectors.", "`x` 的每个元素乘 `y` 的每个元素，二者均视为向量。"),
    kernel=_outer, shape=lambda x, y: (int(np.prod(x, dtype=int)), int(np.prod(y, dtype=int))), depends=contracted(lambda: "i,j->ij"),
    d_x=lambda g, y, x_form: (g * conj(y).reshape([-1])).sum(1).reshape(x_form.shape),
    d_y=lambda g, x, y_form: (g * conj(x).reshape([-1, 1])).sum(0).reshape(y_form.shape),
)  # fmt: skip
