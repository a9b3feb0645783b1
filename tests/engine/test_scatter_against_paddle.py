"""Scans, scatters, masks, diagonals and matrix products in PaddlePaddle 3.3.1 and here: each keyword, over dtypes and layouts,
in place and out of place; values, dtypes, shapes, gradients and the kinds of errors.

`x` is a matrix of two rows and three columns of the dtype under test, contiguous or transposed; `row` has one row, `two` two, `one`
is a number, all of the same dtype. `I` makes an index.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import inplacelab

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::UserWarning")]

DTYPES = ("float32", "float64", "int32", "int64", "bool", "complex64", "complex128")


@pytest.fixture(scope="module")
def paddle() -> Iterator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Paddle warns about its own dependencies while it is imported
        yield pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")


def names(module: Any, dtype: str, transposed: bool) -> dict[str, Any]:
    def tensor(values: Any) -> Any:
        return module.to_tensor(np.array(values).astype(dtype))

    matrix = [[0.6, -1.4, 2.2], [1.3, 0.0, -0.2]]
    x = tensor(np.transpose(matrix)).transpose([1, 0]) if transposed else tensor(matrix)
    given = {
        "x": x,
        "row": tensor([[7, 8, -9]]),
        "two": tensor([[7, 8, -9], [2, 8, 3]]),
        "one": tensor(5),
        "column": tensor([[3], [4]]),
    }
    square = {
        "left": tensor([[1, 2], [3, 4]]),
        "right": tensor([[1, 0, 2], [0, 1, 1]]),
        "line": tensor([1, 2, 3, 4, 5, 6, 7]),
        "pair": tensor([1, 2]),
    }

    def index(*values: Any, dtype: str = "int64") -> Any:
        return module.to_tensor(np.array(values, dtype))

    mask = module.to_tensor(np.array([[True, False, True], [False, True, False]]))
    return {**given, **square, "I": index, "mask": mask, "paddle": module, "F": module.nn.functional, "np": np}


IN_PLACE_TOO = """
cumsum() | cumsum(0) | cumsum(-1) | cumsum(axis=1, dtype='float64') | cumsum(0, 'int32') | cumsum(2)
cumprod(0) | cumprod(dim=-1) | cumprod(dim=1, dtype='float64') | cumprod() | cumprod(2)
renorm(2.0, 0, 1.0) | renorm(1.0, -1, 1.5) | renorm(p=3, axis=1, max_norm=1) | renorm(2.0, 0, 100.0) | renorm(2.0, 2, 1.0) | renorm(2.0, -3, 1.0)
addmm(left, right) | addmm(left, right, beta=0.5, alpha=2.0) | addmm(left, right, 0.0) | addmm(left, right, alpha=-1) | addmm(left, left) | addmm(right, right)
addmm(left.unsqueeze(0), right)
tril() | tril(1) | triu(-1) | triu(diagonal=100) | tril(1.5)
masked_fill(mask, 5) | masked_fill(mask, one) | masked_fill(mask[0], 2.5) | masked_fill(mask.astype('int32'), 0) | masked_fill(mask, row)
masked_fill(mask[:, :2], 1.0) | masked_fill(mask, None)
masked_scatter(mask, line) | masked_scatter(mask[1], two) | masked_scatter(mask, pair[:1]) | masked_scatter(mask.astype('int32'), line) | masked_scatter(mask[:, :2], line)
index_add(I(1, 1), 0, two) | index_add(I(-1), 0, row) | index_add(I(0), -1, column) | index_add(I(0, dtype='int32'), 0, row) | index_add(I(2), 0, row)
index_add(I(0), 2, row) | index_add(I(0, 1), 0, column) | index_add(I([0]), 0, row) | index_add(I(0.0, dtype='float32'), 0, row) | index_add(I(0), 0, row[0])
index_add(I(0), 0, row, alpha=2) | index_add(I(0)[:0], 0, row[:0])
index_fill(I(1), 1, 9) | index_fill(I(-1, 0), -1, 2.5) | index_fill(I(0), 0, one) | index_fill(I(0, 0), 0, 1) | index_fill(I(0), 2, 9) | index_fill(I(0), 0, row)
index_fill(I(0)[:0], 0, 1)
index_put((I(0, 1), I(2, 0)), pair) | index_put((I(0, 0), I(1, 1)), pair) | index_put((I(1),), row[0]) | index_put((mask,), one) | index_put([I(-1)], one)
index_put((I([0], [1]), I(0, 2)), left) | index_put(I(0), one) | index_put((), one) | index_put((I(0),), pair) | index_put((I(0, 1), I(0, 1, 2)), one)
index_put((I(0),), 5.0)
scatter(I(1), row) | scatter(I(1, 1), two) | scatter(I(1, 1), two, overwrite=False) | scatter(I(-1), row) | scatter(I([1], [0]), two) | scatter(I(0), two)
scatter(I(2), row) | scatter(I(2), row, False) | scatter(I(1), row[:, :2]) | scatter(I(1), row[0]) | scatter(I(0, 1), row) | scatter(I(1.0, dtype='float32'), row)
scatter(I(0)[:0], row[:0]) | scatter(I(1)[0], row[0])
scatter_add(0, I([0, 0, 0], [0, 1, 0]), two) | scatter_add(1, I([2, 2], [0, 1]), two) | scatter_add(dim=0, index=I([1]), src=row) | scatter_add(0, I([2]), row)
scatter_add(0, I([0, 0]), column)
""".strip()  # fmt: skip

ALONG = """
put_along_axis(I([0, 1, 0]), row, 0, {}) | put_along_axis(I([0, 1, 0], [0, -1, 1]), two, 0, {}) | put_along_axis(I([0], [2]), column, 1, {})
put_along_axis(I([1]), row, 0, {}) | put_along_axis(I([0, 1]), two, 0, {}, broadcast=False) | put_along_axis(I([2, 1, 0]), row, 0, {})
put_along_axis(I([0, 1, 0], [0, 1, 1]), two, 0, {}, False) | put_along_axis(I(0, 1), row, 0, {}) | put_along_axis(I([0, 1, 0]), row, 2, {})
put_along_axis(I([0, 1, 0]), left, 0, {}) | put_along_axis(I([0, 1, 0], dtype='float64'), row, 0, {})
""".strip()  # fmt: skip
MODES = ("assign", "add", "mul", "multiply", "mean", "amin", "amax")

ORDINARY = """
x.take_along_axis(I([0, 1, 0]), 0) | x.take_along_axis(I([-1, 1, 0]), 0) | x.take_along_axis(I([1]), 0) | x[:1].take_along_axis(I([0], [1], [2]), 1)
x.take_along_axis(I([1, 0]), 0, False) | x.take_along_axis(I([2, 1, 0]), 0) | x.take_along_axis(I(0), 0) | x.take_along_axis(I([1, 0, 0, 0]), 0, False)
x.take_along_axis(I([0, 0, 0]), 2)
x.index_select(I(1, 1)) | x.index_select(I(-1, 0), axis=1) | x.index_select(I([1])) | x.index_select(I(2)) | x.index_select(I(0), 2) | x.index_select(I(0)[:0])
x.gather(I(1, 1)) | x.gather(I(2, 0), 1) | x.gather(I(-1)) | x.gather(I(2)) | x.gather(I(1)[0]) | x.gather(I([1], [0])) | x.gather(I([1, 0])) | x.gather(1, I([0], [2]))
x.gather(I(2, 0), I(1)[0]) | x.gather(I(0), 2)
x.masked_select(mask) | x.masked_select(mask[0]) | x[0].masked_select(mask) | x.masked_select(I(1, 0, 1)) | x.nonzero() | x.nonzero(as_tuple=True)[1] | one.nonzero()
x.scatter_(0, I([0, 1, 0]), row) | x.scatter_(0, I([0, 1, 0]), row, reduce='add') | x.scatter_(dim=0, index=I([0, 1, 0]), src=row) | x.scatter_(index=I(1), updates=row)
paddle.addmm(row, left, right) | paddle.addmm(row[0], left, right) | paddle.addmm(one, left, right) | x.unsqueeze(0).baddbmm_(left.unsqueeze(0), right.unsqueeze(0), beta=0.5, alpha=2.0)
paddle.baddbmm(row, left.unsqueeze(0), right.unsqueeze(0)) | x[0].masked_fill(mask, 1) | x[0].masked_scatter(mask, line)
paddle.bmm(left.unsqueeze(0), right.unsqueeze(0)) | paddle.bmm(left, right) | paddle.dot(pair, pair) | paddle.dot(x, two) | paddle.dot(pair, line) | paddle.dot(one, one)
paddle.outer(pair, line) | paddle.outer(x, pair) | paddle.mv(left, pair) | paddle.mv(left, line) | paddle.mv(left, left) | paddle.mm(left, right)
x.max() | x.max(1) | x.max(axis=-1, keepdim=True) | x.min([0, 1]) | x.min(axis=2) | x.amax(0) | x.amin() | x.max([]) | x[:0].max() | x[:, :0].max(0) | one.max(0)
x.prod() | x.prod(0) | x.prod(-1, keepdim=True) | x.prod(dtype='float64') | x.prod([0, 1]) | x.all() | x.all(0) | x.any(axis=[0, 1], keepdim=True) | x[:0].all() | x[:0].any()
x.argmax() | x.argmax(0) | x.argmin(axis=-1, keepdim=True) | x.argmax(0, dtype='int32') | x.argmax(dtype='float32') | x.argmax(keepdim=True)
x.var() | x.var(0) | x.var(axis=1, unbiased=False, keepdim=True) | x.std() | x.std(1) | x[:1].var(0) | x.logsumexp() | x.logsumexp(1) | x.logsumexp([0, 1], keepdim=True) | x[:0].logsumexp()
x.norm() | x.norm(1) | x.norm(p=3.5, axis=1) | x.norm(float('inf'), 0, True) | x.norm(-2, 1) | x.norm(0) | x.norm('fro', [0, 1]) | x.norm(axis=2)
F.embedding_renorm_(I(0, 0, 1), x, 1.0) | F.embedding_renorm_(I(-1), x, 0.5, 1.0) | F.embedding_renorm_(I([0]), x, 1.0, float('inf')) | F.embedding_renorm_(I(5), x, 1.0)
F.embedding_renorm_(I(0), x[0], 1.0)
""".strip()  # fmt: skip

DIAGONALS = """
x.fill_diagonal_(5) | x.fill_diagonal_(2.7, 1) | x.fill_diagonal_(1, offset=-1) | x.t().fill_diagonal_(3) | x.t().fill_diagonal_(3, wrap=True) | x.t().fill_diagonal_(3, -1)
x.expand([2, 2, 3]).fill_diagonal_(1) | left.expand([2, 2, 2]).fill_diagonal_(1) | left.expand([2, 2, 2]).fill_diagonal_(1, 1)
x.fill_diagonal_tensor_(pair) | x.fill_diagonal_tensor_(pair, 1) | x.fill_diagonal_tensor_(pair[:1], -1) | x.fill_diagonal_tensor_(line) | x.fill_diagonal_tensor(pair)
x.expand([4, 2, 3]).fill_diagonal_tensor_(left, 0, 1, 0) | x.fill_diagonal_tensor_(pair, dim1=2) | x.fill_diagonal_tensor_(pair, dim1=1, dim2=1) | x[0].fill_diagonal_tensor_(pair)
x.fill_diagonal_tensor_(pair, offset=1, dim1=1, dim2=0) | x.fill_diagonal_tensor_(pair[:1], offset=-1, dim1=1, dim2=0) | x.fill_diagonal_tensor_(pair[:1], offset=1, dim1=1, dim2=0)
""".strip()  # fmt: skip


def each(block: str) -> list[str]:
    return [expression.strip() for line in block.splitlines() for expression in line.split("|")]


def written(expression: str) -> str:
    name, rest = expression.split("(", 1)
    return f"x.{name}_({rest}"


EXPRESSIONS = [
    *(f"x.{e}" for e in each(IN_PLACE_TOO)), *(written(e) for e in each(IN_PLACE_TOO)),
    *(f"{start}{e.format(repr(mode))}" for mode in MODES for e in each(ALONG) for start in ("x.",)),
    *(written(e.format(repr(mode))) for mode in MODES for e in each(ALONG)),
    *each(ORDINARY), *each(DIAGONALS),
]  # fmt: skip

OTHERWISE = {
    "x.expand([2, 2, 3]).fill_diagonal_(1)": "a diagonal of unequal axes is defined by nothing but the strides: refused",
    "_(I([0, 1, 0], dtype='float64'), row, 0": "reads the bytes of floating-point numbers as indices: refused",
}  # fmt: skip
OTHERWISE_FOR = {
    "int": (".var(", ".std("),  # integers: the mean is cut off to an integer first, the variance of one is -2147483648
    "complex": (".var(", "'fro'"),  # the square of a complex number is no distance; a length is a real number
    "transposed": ("cumsum_()", "cumsum_(axis=1, dtype", "cumsum_(0, 'int32')", "cumprod_(dim=1, dtype"),  # refuses to give it a storage
}  # fmt: skip
"""Where we differ on purpose: a piece of the expression, and why."""


def outcome(expression: str, scope: dict[str, Any]) -> Any:
    """A result, as dtype, shape and values; or the built-in error that was raised."""
    try:
        result = eval(expression, scope)
    except Exception as error:  # noqa: BLE001  # the exceptions are compared
        return next(
            kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins" and kind.__name__ != "object"
        )
    return str(result.dtype), list(result.shape), result.numpy()


def same(ours: Any, theirs: Any, dtype: str) -> bool:
    """Of two mistakes in one call, a dtype without a kernel and another, either may be named."""
    if isinstance(ours, str) and isinstance(theirs, str):
        return ours == theirs or (ours == "RuntimeError" and "float" not in dtype)
    if isinstance(ours, str) or isinstance(theirs, str):
        return False
    return ours[:2] == theirs[:2] and np.allclose(ours[2], theirs[2], rtol=1e-5, atol=1e-6, equal_nan=True)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("transposed", [False, True])
def test_values_and_errors(paddle: Any, dtype: str, transposed: bool) -> None:
    wrong = []
    apart = [
        piece
        for word, pieces in OTHERWISE_FOR.items()
        if word in f"{dtype} {'transposed' * transposed}"
        for piece in pieces
    ]
    for expression in EXPRESSIONS:
        if any(piece in expression for piece in [*OTHERWISE, *apart]):
            continue
        ours, theirs = (outcome(expression, names(module, dtype, transposed)) for module in (inplacelab, paddle))
        if not same(ours, theirs, dtype):
            wrong.append(f"{dtype} {expression}\n   ours: {ours}\n theirs: {theirs}")
    assert not wrong, "\n".join(wrong)
