"""Scattered writes beyond the standard tests of the rows: repeated indices, zeros among factors, operands that share a storage,
refusals before any write, and the scratch memory that kernels report.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import Tensor
from inplacelab.autograd import gradcheck, gradgradcheck
from tests.engine.test_memory import SLACK, peak_beyond_the_ledger

F = paddle.nn.functional


def index(*values: Any) -> Tensor:
    return paddle.to_tensor(np.array(values, "int64"))


# ---- zeros, repetitions -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values", [[2.0, 0.0, 3.0, 4.0], [0.0, 0.0, 3.0], [0.0, 5.0], [0.0], [1.5, -2.0, 0.0, 0.0, 0.0]]
)
@pytest.mark.parametrize(
    "product", [lambda x: x.cumprod(0), lambda x: x.clone().cumprod_(0), lambda x: x.prod(), lambda x: x.cumprod()]
)
def test_products_with_zeros_have_right_derivatives(
    leaf: Callable[[Any], Tensor], values: list[float], product: Any
) -> None:
    assert gradcheck(product, [leaf(values)])
    assert gradgradcheck(product, [leaf(values)])


@pytest.mark.parametrize("include_self", [True, False])
def test_factors_that_meet_with_zeros_have_right_derivatives(leaf: Callable[[Any], Tensor], include_self: bool) -> None:
    """Paddle divides the product by each factor, and gives NaN."""

    def product(x: Tensor, values: Tensor) -> Tensor:
        return x.clone().put_along_axis_(index(0, 2, 0, 0, 2, 2), values, 0, "mul", include_self)

    inputs = [leaf([2.0, 3.0, 0.0]), leaf([0.0, 0.0, 1.5, -2.0, 0.0, 4.0])]
    assert gradcheck(product, inputs)
    assert gradgradcheck(product, inputs)


def _values(write: Callable[[Tensor, Tensor], Tensor], shape: tuple[int, ...]) -> list[float]:
    values = paddle.to_tensor(np.arange(1.0, 1 + np.prod(shape)).reshape(shape), stop_gradient=False)
    write(paddle.zeros([3], dtype="float64"), values).sum().backward()
    assert values.grad is not None
    return list(values.grad.numpy().reshape(-1))


@pytest.mark.parametrize(
    "write",
    [
        lambda x, values: x.put_along_axis_(index(1, 0, 1), values, 0),
        lambda x, values: x.scatter_(index(1, 0, 1), values),
        lambda x, values: x.index_put_((index(1, 0, 1),), values),
        lambda x, values: x.index_put_((index(-2, 0, 1),), values),
    ],
)
def test_only_the_write_that_stayed_has_a_gradient(write: Callable[[Tensor, Tensor], Tensor]) -> None:
    assert _values(write, (3,)) == [0.0, 1.0, 1.0]


@pytest.mark.parametrize("seed", range(20))
def test_which_write_stays_does_not_depend_on_strides(seed: int) -> None:
    """NumPy visits indices in the order of their strides; here the last in the order of the elements counts."""
    draw = np.random.default_rng(seed)
    places, values = draw.integers(0, 3, (3, 4)), draw.normal(size=(3, 4))
    expected = np.zeros(3)
    for place, value in zip(places.ravel(), values.ravel(), strict=True):
        expected[place] = value
    turned = paddle.to_tensor(places.T.copy()).transpose([1, 0]), paddle.to_tensor(values[::-1].copy())[::-1]
    x = paddle.zeros([3], dtype="float64")
    x[turned[0]] = turned[1]
    np.testing.assert_array_equal(x.numpy(), expected)
    y = paddle.zeros([3], dtype="float64").index_put_((turned[0],), turned[1])
    np.testing.assert_array_equal(y.numpy(), expected)


def test_index_fill_counts_a_row_once(leaf: Callable[[Any], Tensor]) -> None:
    value = leaf(2.0)
    paddle.zeros([2, 3], dtype="float64").index_fill_(index(0, -2, 0), 0, value).sum().backward()
    assert value.grad is not None
    assert value.grad.item() == 3.0


def test_values_that_a_mask_leaves_over_have_gradient_zero(leaf: Callable[[Any], Tensor]) -> None:
    values = leaf([1.0, 2.0, 3.0, 4.0])
    mask = paddle.to_tensor([True, False, True])
    (
        paddle.zeros([3], dtype="float64").masked_scatter_(mask, values) * paddle.to_tensor(np.array([5.0, 6.0, 7.0]))
    ).sum().backward()
    assert values.grad is not None
    assert values.grad.tolist() == [5.0, 7.0, 0.0, 0.0]


def test_equal_extremes_share_the_gradient(leaf: Callable[[Any], Tensor]) -> None:
    x, values = leaf([7.0, 1.0]), leaf([7.0, 7.0, 0.0])
    x.clone().put_along_axis_(index(0, 0, 1), values, 0, "amax").sum().backward()
    assert x.grad is not None
    assert values.grad is not None
    np.testing.assert_allclose(x.grad.numpy(), [1 / 3, 1.0])
    np.testing.assert_allclose(values.grad.numpy(), [1 / 3, 1 / 3, 0.0])


# ---- an embedding -----------------------------------------------------------------------------------------------------------


def test_the_gradient_goes_through_embedding_renorm(leaf: Callable[[Any], Tensor]) -> None:
    """PaddlePaddle 3.3.1 gives the gradient of the rows as they were before."""

    def shortened(weight: Tensor) -> Tensor:
        return F.embedding_renorm_(index(0, 2, 0), weight.clone(), 1.0)

    weight = leaf([[0.6, -1.4, 2.2], [3.0, 4.0, 0.0], [0.1, 0.2, 0.0]])
    assert gradcheck(shortened, [weight])
    assert gradgradcheck(shortened, [weight])


def test_an_embedding_that_is_trained_is_shortened_under_no_grad() -> None:
    weight = paddle.to_tensor([[3.0, 4.0], [30.0, 40.0]], stop_gradient=False)
    with pytest.raises(ValueError, match="Leaf Var"):
        F.embedding_renorm_(index(0), weight, 1.0)
    with paddle.no_grad():
        assert F.embedding_renorm_(index(0), weight, 1.0) is weight
    np.testing.assert_allclose(weight.numpy(), [[0.6, 0.8], [30.0, 40.0]], rtol=1e-6)
    assert weight.inplace_version == 1
    assert not weight.stop_gradient


# ---- refused before anything is written ---------------------------------------------------------------------------------------

LONG = paddle.ones([2, 3], dtype="float64")


@pytest.mark.parametrize(
    ("write", "kind"),
    [
        (lambda x: x.put_along_axis_(index([0, 1, 5]), 9.0, 0), IndexError),
        (lambda x: x.put_along_axis_(index([0, 1, 5]), 9.0, 0, "add", True, False), RuntimeError),
        (lambda x: x.scatter_(index(0, 5), LONG), IndexError),
        (lambda x: x.scatter_(index(0, -3), LONG, False), IndexError),
        (lambda x: x.index_add_(index(0, 5), 0, LONG), ValueError),
        (lambda x: x.index_fill_(index(0, 5), 0, 1.0), IndexError),
        (lambda x: x.index_put_((index(0, 5),), LONG[0]), IndexError),
        (lambda x: x.index_put_((index(0), index(0), index(0)), LONG[0, 0]), IndexError),
        (lambda x: x.scatter_add_(0, index([0, 0, -3]), LONG), IndexError),
        (lambda x: F.embedding_renorm_(index(0, 5), x, 0.1), ValueError),
        (lambda x: x.masked_scatter_(x > -9, LONG[0]), AssertionError),
        (lambda x: x.masked_fill_(paddle.ones([2, 2, 3], dtype="bool"), 1.0), ValueError),
        (
            lambda x: x.masked_scatter_(paddle.ones([2, 2, 3], dtype="bool"), paddle.ones([12], dtype="float64")),
            ValueError,
        ),
        (lambda x: x[:1].addmm_(LONG[:, :1], LONG[:1]), ValueError),
        (lambda x: x.addmm_(LONG[:, :2], LONG[:, :2]), ValueError),
        (lambda x: x.fill_diagonal_tensor_(LONG[0]), AssertionError),
        (lambda x: x.fill_diagonal_tensor_(paddle.ones([2])), ValueError),
        (lambda x: x.renorm_(float("nan"), 0, 1.0), ValueError),
        (lambda x: x.renorm_(2.0, 0, -1.0), ValueError),
        (lambda x: x.put_along_axis_(index([0, 1, 0]), 9.0, 0, "median"), ValueError),
        (lambda x: x[0].cumsum_(1), IndexError),
    ],
)
def test_refused_and_left_alone(write: Callable[[Tensor], Tensor], kind: type[Exception]) -> None:
    x = paddle.to_tensor(np.arange(6.0).reshape(2, 3))
    before = x.numpy()
    with pytest.raises(kind):
        write(x)
    np.testing.assert_array_equal(x.numpy(), before)
    assert x.shape == [2, 3]
    assert x.inplace_version == 0


@pytest.mark.parametrize("device", ["cpu", "gpu"])
@pytest.mark.parametrize(
    ("write", "expected"),
    [
        (lambda x: x.addmm_(x, x), [[8.0, 12.0], [18.0, 26.0]]),
        (lambda x: x.index_add_(index(1, 0), 0, x), [[4.0, 6.0], [4.0, 6.0]]),
        (lambda x: x.scatter_(index(1, 0), x), [[3.0, 4.0], [1.0, 2.0]]),
        (lambda x: x.put_along_axis_(index([1, 1], [0, 0]), x, 0), [[3.0, 4.0], [1.0, 2.0]]),
        (lambda x: x.masked_scatter_(x > 2, x), [[1.0, 2.0], [1.0, 2.0]]),
    ],
)
def test_the_target_itself_may_be_the_operand(device: str, write: Callable[[Tensor], Tensor], expected: Any) -> None:
    """It is read from a copy: all that is read was there before."""
    paddle.set_device(device, simulate=True) if device == "gpu" else paddle.set_device(device)
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    mask = write(x)
    assert mask is x
    assert x.tolist() == expected


def test_running_sums_of_a_whole_tensor_are_in_place_in_name_only() -> None:
    """They have another shape, so the tensor leaves its storage; older views keep what they show. (Paddle writes there, too.)"""
    for operation, dtype in (("cumsum_", "float32"), ("cumprod_", "int32")):
        x = paddle.to_tensor(np.array([[1, 2], [3, 4]]), dtype=dtype)
        view = x[0]
        assert getattr(x, operation)() is x
        assert x.shape == [4]
        assert str(x.dtype) == f"paddle.{dtype}"
        assert view.tolist() == [1, 2]
        assert x.inplace_version == 1


# ---- scratch ----------------------------------------------------------------------------------------------------------------

BIG = 1 << 16


def _big(*shape: int) -> Tensor:
    return paddle.ones(list(shape), dtype="float64")


PLACES = paddle.to_tensor(np.arange(BIG)[::-1].copy().reshape(1, BIG) % 2)
ROWS = paddle.ones([2, BIG], dtype="float64")
ROW = paddle.ones([1, BIG], dtype="float64")
COLUMN = paddle.to_tensor(np.arange(BIG)[::-1].copy().astype("int32"))


@pytest.mark.standard
@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.cumsum_(1),
        lambda x: x.cumprod_(0),
        lambda x: x.t().cumsum(),
        lambda x: x.renorm_(3.0, 0, 1.0),
        lambda x: x.norm(2, 1),
        lambda x: x.reshape([2, 256, 256])[0].addmm_(
            x.reshape([2, 256, 256])[1], x.reshape([2, 256, 256])[1].t(), 0.5, 2.0
        ),
        lambda x: x.reshape([512, 256]).tril_(3),
        lambda x: x.reshape([512, 256]).fill_diagonal_(1.0),
        lambda x: x.masked_fill_(PLACES, 1.0),
        lambda x: x.masked_scatter_(PLACES.astype("bool"), ROWS),
        lambda x: x.index_add_(COLUMN, 1, ROWS, 2),
        lambda x: x.index_fill_(COLUMN, 1, 3.0),
        lambda x: x.reshape([BIG, 2]).scatter_(COLUMN, ROWS.reshape([BIG, 2])),
        lambda x: x.reshape([BIG, 2]).scatter_(COLUMN, ROWS.reshape([BIG, 2]), False),
        lambda x: x.t().index_select(COLUMN),
        lambda x: x.take_along_axis(PLACES, 0),
        *(
            lambda x, how=how: x.put_along_axis_(PLACES, 2.0, 0, how)
            for how in ("assign", "add", "mul", "mean", "amax")
        ),
        lambda x: x.index_put_((PLACES[0],), ROW),
        lambda x: F.embedding_renorm_(COLUMN, x.reshape([BIG, 2]), 1.0),
        lambda x: x.prod(1),
        lambda x: x.var(1),
        lambda x: x.logsumexp(0),
        lambda x: x.argmax(0),
        lambda x: x.reshape([BIG, 2])._recurrence(x.reshape([BIG, 2])[1:], 0),
    ],
)
def test_kernels_need_no_more_than_they_report(call: Callable[[Tensor], Tensor]) -> None:
    x = _big(2, BIG)
    call(x)  # compiles it
    assert peak_beyond_the_ledger(lambda: call(x)) < SLACK
