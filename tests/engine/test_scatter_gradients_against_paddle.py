"""Gradients of scans, scatters, masks, diagonals and matrix products in PaddlePaddle 3.3.1 and here, in place.

Where Paddle's gradient is wrong, ours is compared with finite differences (`gradcheck` in the rows' own tests).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import inplacelab

pytestmark = pytest.mark.oracle

X = np.array([[0.6, -1.4, 2.2], [1.3, 0.5, -0.2]])
V = np.array([[7.0, 8.0, -9.0], [2.0, 5.0, 3.0]])


@pytest.fixture(scope="module")
def paddle() -> Iterator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Paddle warns about its own dependencies while it is imported
        yield pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")


def gradients(module: Any, expression: str, arrays: list[Any]) -> list[Any]:
    """Those of `x`, `v`, `w` in an expression, weighted differently everywhere."""

    def index(*values: Any) -> Any:
        return module.to_tensor(np.array(values, "int64"))

    leaves = [module.to_tensor(np.array(each, "float64"), stop_gradient=False) for each in arrays]
    scope = dict(zip("xvw", (leaf.clone() for leaf in leaves), strict=False))
    result = eval(expression, {**scope, "I": index, "mask": module.to_tensor(X > 0)})
    weights = np.linspace(0.3, 1.7, int(np.prod(result.shape))).reshape(result.shape)
    (result * module.to_tensor(weights)).sum().backward()
    return [None if leaf.grad is None else leaf.grad.numpy() for leaf in leaves]


SAME: list[tuple[str, list[Any]]] = [
    ("x.cumsum_(1)", [X]), ("x.cumprod_(1)", [X]), ("x.renorm_(3.0, 0, 1.0)", [X]), ("x.tril_()", [X]), ("x.triu_(-1)", [X]),
    ("x.addmm_(v, w, 0.5, 2.0)", [X, np.ones((2, 2)), V]), ("x.baddbmm_(v, w, 0.5, 2.0)", [X[None], np.ones((1, 2, 2)), V[None]]),
    ("x.fill_diagonal_(3.0, 1)", [X]), ("x.masked_scatter_(mask, v)", [X, V]), ("x.masked_fill_(mask, 2.0)", [X]),
    ("x.index_add_(I(1, 1), 0, v)", [X, V]), ("x.index_fill_(I(1), 1, v)", [X, 5.0]),
    ("x.index_put_((I(0, 1), I(2, 0)), v)", [X, [1.0, 2.0]]), ("x.index_put_((I(0, 0), I(2, 2)), v, True)", [X, [1.0, 2.0]]),
    ("x.scatter_(I(1, 0), v)", [X, V]), ("x.scatter_(I(1, 1), v, overwrite=False)", [X, V]), ("x.scatter_add_(0, I([0, 0, 1], [0, 1, 1]), v)", [X, V]),
    *(
        (f"x.put_along_axis_(I([0, 1, 0], [0, 1, 1]), v, 0, {mode!r}, {include_self})", [X, V])
        for mode in ("assign", "add", "mul", "mean", "amin", "amax") for include_self in (True, False)
    ),
    ("x.take_along_axis(I([0, 1, 0], [0, 0, 0]), 0)", [X]), ("x.gather(I(1, 1, 0))", [X]), ("x.masked_select(mask)", [X]), ("x.index_select(I(2, 0, 2), 1)", [X]),
    ("x.max(1)", [X]), ("x.prod(1)", [X]), ("x.var(1)", [X]), ("x.std(0)", [X]), ("x.logsumexp(0)", [X]), ("x.norm(3, 1)", [X]), ("x.norm()", [X]),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "arrays"), SAME, ids=[expression for expression, _ in SAME])
def test_the_same_gradient(paddle: Any, expression: str, arrays: list[Any]) -> None:
    for ours, theirs in zip(*(gradients(module, expression, arrays) for module in (inplacelab, paddle)), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-7, atol=1e-12)  # Paddle adds 1e-12 to norms


WRONG: list[tuple[str, list[Any], Callable[[Any], bool], list[float]]] = [
    # the gradient of what is written into the diagonal is lost
    ("x.fill_diagonal_tensor_(v)", [X, [1.0, 2.0]], lambda theirs: theirs is None, [0.3, 1.42]),
    # in place, the gradient of the value is zero
    ("x.masked_fill_(mask, v)", [X, 5.0], lambda theirs: theirs == 0, [3.72]),
    # a row that was overwritten by another has a gradient
    ("x.scatter_(I(1, 1), v)", [X, V], lambda theirs: theirs[0].any(), [0, 0, 0, 1.14, 1.42, 1.7]),
    # the product is divided by a factor of zero
    ("x.put_along_axis_(I([0, 0, 0]), v, 0, 'mul')", [X, [[0.0, 8.0, 9.0]]], lambda theirs: np.isnan(theirs).any(), [0.18, -0.812, 1.892]),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "arrays", "fault", "right"), WRONG, ids=[each[0] for each in WRONG])
def test_right_where_paddle_is_not(
    paddle: Any, expression: str, arrays: list[Any], fault: Any, right: list[float]
) -> None:
    ours, theirs = (gradients(module, expression, arrays)[1] for module in (inplacelab, paddle))
    assert fault(theirs)
    np.testing.assert_allclose(ours.reshape(-1), right, rtol=1e-9)
