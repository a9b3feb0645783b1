"""Kernels with a `.cu` file each, and their rows: normalizing rows, transposing a matrix, adding at indices.

These operations exist in this module only, not in the table: their names are not Paddle's.
"""

from __future__ import annotations

from math import prod
from typing import Any

from inplacelab import errors
from inplacelab.devices.kernels import source
from inplacelab.kernels.kernel import Whole
from inplacelab.language import Text
from inplacelab.layout import Shape
from inplacelab.ops.table.row import Row, Rule, same
from inplacelab.tensor import Tensor

_ALONE: dict[str, Any] = {"method": False, "function": False, "accepts": "f", "dtype": same}


def _replaced(out: Any) -> None:
    """Does nothing: a `Whole` kernel replaces this one."""


# ---- normalize --------------------------------------------------------------------------------------------------------------


def _d_normalize(g: Tensor, x: Tensor, out: Tensor, epsilon: float) -> Tensor:
    """Mean and deviation depend on every element of the row, so the mean of `g` and its part along `out` are subtracted."""
    deviation = x.var(axis=-1, unbiased=False, keepdim=True).scale(1.0, epsilon).sqrt()
    along = (g * out).mean(axis=-1, keepdim=True)
    return (g - g.mean(axis=-1, keepdim=True) - out * along) / deviation


def _rows(x: Shape) -> tuple[int, int]:
    return prod(x[:-1]), x[-1]


def _has_rows(x: Any) -> None:
    if x.ndim == 0:
        raise errors.kernel_needs_layout(name="normalize_", what=Text("rows: at least one axis", "行：至少一个轴"))


NORMALIZE = Whole(
    Row(
        name="normalize", kind="normalization", inputs=("x",), attrs="epsilon=1e-05", shape=same, validate=_has_rows,
        kernel=_replaced, rules=(Rule(_d_normalize),), node="NormalizeGradNode", **_ALONE,
        says=Text("Each row minus its mean, divided by its standard deviation.", "每一行减去均值，再除以标准差。"),
    ),
    in_place=True, text=source.normalize, sizes=_rows,
)  # fmt: skip

# ---- transpose --------------------------------------------------------------------------------------------------------------


def _matrix(x: Any) -> None:
    if x.ndim != 2:
        raise errors.kernel_needs_layout(name="transpose_tiled", what=Text("a matrix", "矩阵"))


def _square(x: Any) -> None:
    if x.ndim != 2 or x.shape[0] != x.shape[1]:
        raise errors.kernel_needs_layout(name="transpose_square_", what=Text("a square matrix", "方阵"))


def _d_transpose(g: Tensor) -> Tensor:
    return g.transpose([1, 0])


TRANSPOSE = Whole(
    Row(
        name="transpose_tiled", kind="contraction", inputs=("x",), shape=lambda x: (x[1], x[0]), validate=_matrix, in_place=False,
        kernel=_replaced, rules=(Rule(_d_transpose),), node="TransposeGradNode", **_ALONE,
        says=Text("The transpose of a matrix, in a new storage.", "矩阵的转置，放在自己的存储中。"),
    ),
    in_place=False, text=source.transpose, sizes=lambda *shapes: shapes[0],
)  # fmt: skip
TRANSPOSE_SQUARE = Whole(
    Row(
        name="transpose_square", kind="contraction", inputs=("x",), shape=same, validate=_square,
        kernel=_replaced, rules=(Rule(_d_transpose),), node="TransposeGradNode", **_ALONE,
        says=Text("Swaps the elements of a square matrix across the diagonal.", "方阵的元素沿对角线互换位置。"),
    ),
    in_place=True, text=source.transpose_square, sizes=lambda x: x[:1],
)  # fmt: skip

# ---- add at indices ---------------------------------------------------------------------------------------------------------


def _check_indices(x: Any, index: Any, y: Any) -> None:
    wanted = (
        x.ndim == index.ndim == y.ndim == 1
        and index.size == y.size
        and index.dtype.name == "int64"
        and x.dtype == y.dtype
    )
    if not wanted:
        expected = Text(
            "three tensors of one axis: `x`, `index` (int64) and `y`", "三个一维张量：`x`、`index`（int64）与 `y`"
        )
        raise errors.kernel_needs_layout(name="add_at_", what=expected)
    if index.size and not (int(index.min()) >= 0 and int(index.max()) < x.size):
        raise errors.kernel_needs_layout(
            name="add_at_", what=Text("indices from 0 to {n}", "0 到 {n} 的索引").format(n=x.size - 1)
        )


ADD_AT = Whole(
    Row(
        name="add_at", kind="atomics", inputs=("x", "index", "y"), shape=lambda x: x, validate=_check_indices, kernel=_replaced,
        rules=(Rule(lambda g: g), None, Rule(lambda g, index: g.index_select(index))), node="AddAtGradNode", **_ALONE,
        says=Text("`x[index[i]] += y[i]`, by atomic additions.", "`x[index[i]] += y[i]`，使用原子加法。"),
    ),
    in_place=True, text=source.scatter_add, sizes=lambda *shapes: shapes[-1],
)  # fmt: skip

WHOLE = {each.name: each for each in (NORMALIZE, TRANSPOSE, TRANSPOSE_SQUARE, ADD_AT)}
"""By name."""
