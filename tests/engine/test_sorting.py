"""Sorting and selection by indices: values, gradients and refusals as in PaddlePaddle 3.3.1."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import Tensor, errors
from tests.subtests import for_each

NAN = float("nan")
X = np.array([[3.0, -1.0, 2.0, 0.5], [4.0, 1.0, -2.0, 7.0], [2.5, 6.0, 5.0, -4.0]], "float32")


def product(grids: list[Any]) -> Any:
    """Of all of them: backward through some of the grids only ends the process of PaddlePaddle 3.3.1."""
    first, *others = grids
    for each in others:
        first = first * each
    return first


Program = Callable[[Any, Any], Any]
PROGRAMS: dict[str, Program] = {
    "sort": lambda m, x: m.sort(x),
    "sort, an axis": lambda m, x: x.sort(0, descending=True),
    "sort, stable": lambda m, x: m.sort(x, axis=1, descending=True, stable=True),
    "topk": lambda m, x: m.topk(x, 2)[0],
    "topk, smallest": lambda m, x: x.topk(2, axis=0, largest=False).values,
    "topk, a tensor": lambda m, x: m.topk(x, m.to_tensor([3]))[0],
    "diag": lambda m, x: m.diag(x),
    "diag of a vector": lambda m, x: m.diag(x[0], 1, 2.5),
    "diag, above": lambda m, x: x.diag(2),
    "trace": lambda m, x: m.trace(x),
    "trace, stacks": lambda m, x: x.reshape([3, 2, 2]).trace(-1, 1, 2),
    "gather_nd": lambda m, x: m.gather_nd(x, m.to_tensor([[0, 1], [2, -1], [0, 1]])),
    "gather_nd, rows": lambda m, x: x.gather_nd(m.to_tensor([[[1]], [[1]]])),
    "gather_nd, all": lambda m, x: m.gather_nd(x, m.zeros([2, 0], "int64")),
    "meshgrid": lambda m, x: product(m.meshgrid(x[0], x[1, :3])),
    "meshgrid, xy": lambda m, x: product(m.meshgrid([x[0], x[1, :3], x[2, :2]], indexing="xy")),
    "meshgrid, no axes": lambda m, x: product(m.meshgrid(x[0, 0], x[1])),
    "mean": lambda m, x: m.mean(x, 1, dtype="float64"),
    "in place afterwards": lambda m, x: m.sort(x * 2.0).add_(x),
}


@pytest.mark.oracle
@for_each("name", PROGRAMS)
def test_values_and_gradients_are_those_of_paddle(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Paddle warns about its own dependencies while it is imported
        theirs = pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")
    found = []
    for module in (paddle, theirs):
        x = module.to_tensor(X, stop_gradient=False)
        result = PROGRAMS[name](module, x)
        (result * result).sum().backward()
        found.append((str(result.dtype), result.numpy(), x.grad.numpy()))
    assert found[0][0] == found[1][0]
    for ours, others in zip(found[0][1:], found[1][1:], strict=True):
        assert ours.shape == others.shape
        np.testing.assert_allclose(ours, others, rtol=1e-6)


COUNTED: dict[str, Callable[[Any], Any]] = {
    "all": lambda m: [m.unique(m.to_tensor([3, 1, 3, 2]))],
    "how": lambda m: m.unique(m.to_tensor([[3, 1], [3, 2]]), True, True, True),
    "rows": lambda m: m.unique(m.to_tensor([[3.0, 1.0], [2.0, 5.0], [3.0, 1.0]]), return_counts=True, axis=0),
    "int32": lambda m: m.to_tensor([[3, 1], [3, 2]]).unique(return_inverse=True, axis=1, dtype="int32"),
}


@pytest.mark.oracle
@for_each("name", COUNTED)
def test_unique_elements_are_those_of_paddle(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")
    ours, others = ([(str(t.dtype), t.tolist(), t.stop_gradient) for t in COUNTED[name](m)] for m in (paddle, theirs))
    assert ours == others


def test_equal_elements_keep_their_order_and_nan_is_the_largest() -> None:
    x = paddle.to_tensor([3.0, 1.0, 3.0, NAN, 1.0])
    assert x.argsort().tolist() == [1, 4, 0, 2, 3]
    assert x.argsort(descending=True).tolist() == [3, 0, 2, 1, 4]
    assert x.topk(3).indices.tolist() == [3, 0, 2]
    assert paddle.topk(x, 2, largest=False).values.tolist() == [1.0, 1.0]


def test_a_tensor_without_axes_and_one_without_elements() -> None:
    x = paddle.to_tensor(2.0, stop_gradient=False)
    assert (x.sort().shape, x.argsort().item(), x.topk(1).indices.shape) == ([], 0, [])
    (x.sort() * 3.0).backward()
    assert x.grad.item() == 3.0
    assert paddle.zeros([0, 2]).sort(0).shape == [0, 2]


def test_what_is_sorted_is_a_copy_and_the_original_may_be_written_meanwhile() -> None:
    leaf = paddle.to_tensor([3.0, 1.0, 2.0], stop_gradient=False)
    x = leaf * 1.0
    ordered = x.sort()
    x.zero_()
    (ordered * paddle.to_tensor([1.0, 10.0, 100.0])).sum().backward()
    assert leaf.grad.tolist() == [100.0, 1.0, 10.0]  # the places were kept, not the values


REFUSED: dict[str, tuple[Callable[[Tensor], object], type[Exception], str]] = {
    "truth values": (lambda x: (x > 0).sort(), RuntimeError, "argsort"),
    "complex numbers": (lambda x: x.astype("complex64").argsort(), RuntimeError, "argsort"),
    "an axis": (lambda x: x.sort(2), ValueError, "but got 2"),
    "too many": (lambda x: x.topk(5), ValueError, "can not find 5 top values"),
    "none": (lambda x: x.topk(0), ValueError, "must >= 1"),
    "no number": (lambda x: x.topk("a"), ValueError, "must >= 1"),  # type: ignore[arg-type]
    "no tensor": (lambda x: paddle.sort([1.0]), ValueError, "must be Tensor"),
    "diag of a stack": (lambda x: x.reshape([3, 2, 2]).diag(), ValueError, "less than or equal to 2"),
    "a grid of matrices": (lambda x: paddle.meshgrid(x), ValueError, "scalar or 1D tensor"),
    "a grid of two dtypes": (lambda x: paddle.meshgrid(x[0], x[0].astype("int32")), ValueError, "int32"),
    "a grid in no order": (lambda x: paddle.meshgrid(x[0], indexing="ji"), ValueError, "indexing"),
    "a place outside": (lambda x: x.gather_nd(paddle.to_tensor([[3, 0]])), ValueError, "but got 3"),
    "too long a place": (lambda x: x.gather_nd(paddle.to_tensor([[0, 0, 0]])), ValueError, "no greater than"),
    "no place": (lambda x: x.gather_nd(paddle.to_tensor([[0.5]])), ValueError, "float32"),
}


@for_each("name", REFUSED)
def test_what_cannot_be_done_is_refused(name: str) -> None:
    call, kind, match = REFUSED[name]
    with pytest.raises(kind, match=match) as caught:
        call(paddle.to_tensor(X))
    assert isinstance(caught.value, errors.Refusal)
