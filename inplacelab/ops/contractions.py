"""Contractions: every element of the result is a sum of products over a shared axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab import errors
from inplacelab.layout import Shape
from inplacelab.ops.results.kernel_tools import conj
from inplacelab.ops.table import contraction
from inplacelab.ops.table.depends import contracted
from inplacelab.tensor import Tensor


def flip_last(x: Tensor) -> Tensor:
    """The transpose of the last two axes: a view."""
    rank = x.ndim
    return x.transpose([*range(rank - 2), rank - 1, rank - 2]) if rank > 1 else x


def _product_shape(x: Shape, y: Shape) -> Shape:
    """As NumPy's `matmul`: vectors count as one row (left) or one column (right), leading axes are broadcast."""
    if len(x) == len(y) == 2 and x[1] == y[0]:
        return (x[0], y[1])
    if not x or not y or x[-1] != y[-2 if len(y) > 1 else 0]:
        raise errors.cannot_multiply(x, y)
    try:
        batch = np.broadcast_shapes(x[:-2], y[:-2])
    except ValueError:
        raise errors.cannot_broadcast(x=x, y=y, op="matmul") from None
    return (*batch, *x[-2:-1], *(y[-1:] if len(y) > 1 else ()))


_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def _equation(x: Shape, y: Shape) -> str:
    """The product in Einstein's notation: leading axes get letters from the last on, so that they are broadcast."""
    batch = max(len(x), len(y), 2) - 2
    lead = _LETTERS[:batch]
    row, column = "y" * (len(x) > 1), "z" * (len(y) > 1)
    return (
        f"{lead[batch - max(len(x) - 2, 0) :]}{row}x,{lead[batch - max(len(y) - 2, 0) :]}x{column}->{lead}{row}{column}"
    )


def _matmul(out: Any, x: Any, y: Any) -> None:
    np.matmul(x, y, out)


def _gradient_left(g: Tensor, y: Tensor, rank_x: int) -> Tensor:
    """The gradient of `x` in `x @ y`: `g @ yᵀ`, with the missing axes of a vector inserted and removed again."""
    rows = g if rank_x > 1 else g.unsqueeze(-2 if y.ndim > 1 else -1)
    if y.ndim == 1:
        return conj(y) * (g.unsqueeze(-1) if rank_x > 1 else g)
    product = rows.matmul(conj(flip_last(y)))
    return product if rank_x > 1 else product.squeeze(-2)


def _gradient_right(g: Tensor, x: Tensor, rank_y: int) -> Tensor:
    """The gradient of `y` in `x @ y`: `xᵀ @ g`."""
    if x.ndim == 1:
        return conj(x) * g if rank_y == 1 else conj(x).unsqueeze(-1) * g.unsqueeze(-2)
    if rank_y == 1:
        return conj(x) * g.unsqueeze(-1)
    return conj(flip_last(x)).matmul(g)


MATMUL = contraction(
    "matmul", "x, y", ("The product of two matrices, or of two stacks of matrices.", "两个矩阵（或两叠矩阵）的乘积。"),
    kernel=_matmul, accepts="fic", shape=_product_shape, depends=contracted(_equation), method=False, function=False,
    d_x=lambda g, y, x_form: _gradient_left(g, y, len(x_form.shape)),
    d_y=lambda g, x, y_form: _gradient_right(g, x, len(y_form.shape)),
)  # fmt: skip
