"""Special cases of operations of two and three tensors: numbers as operands, bools, choices, zeros."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import Tensor

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def test_a_comparison_in_place_ends_the_history_and_leaves_views_their_numbers(leaf: Callable[[Any], Tensor]) -> None:
    a = leaf([1.0, 2.0, 3.0])
    x = a * 2
    view, version = x[1:], x.inplace_version
    assert x.greater_than_(paddle.full([3], 3.0, "float64")) is x
    assert (x.tolist(), x.stop_gradient, x.inplace_version) == ([False, True, True], True, version + 1)
    view.sum().backward()
    assert (view.tolist(), a.grad.tolist() if a.grad is not None else None) == ([4.0, 6.0], [0.0, 2.0, 2.0])
    with pytest.raises(ValueError, match="Leaf Var"):
        a.equal_(a)
    assert a.tolist() == [1.0, 2.0, 3.0]


def test_rounded_quotients_have_the_derivative_zero(leaf: Callable[[Any], Tensor]) -> None:
    for divide in (
        lambda x, y: x.floor_divide_(y),
        lambda x, y: x.divide_(y, rounding_mode="floor"),
        lambda x, y: x.divide(y, rounding_mode="trunc"),
        lambda x, y: x // y,
    ):
        a, y = leaf([5.0, -7.0]), leaf([2.0, 2.0])
        found = paddle.grad(divide(a * 1, y).sum(), [a, y])
        assert [g.tolist() if g is not None else None for g in found] == [[0.0, 0.0], [0.0, 0.0]]


def test_integers_lose_no_fraction_silently() -> None:
    i = paddle.to_tensor([1, 2, 3])
    for use in (
        lambda: i.floor_divide(2.5), lambda: i.remainder_(0.5), lambda: i.equal(1.5), lambda: i.pow(0.5), lambda: i.add(i, alpha=0.5),
        lambda: i.addcmul(i, i, value=0.5), lambda: i.copysign(float("inf")), lambda: i.astype("uint8") == 300,
    ):  # fmt: skip
        with pytest.raises(TypeError, match="Type promotion"):
            use()
    assert (i.tolist(), i.inplace_version) == ([1, 2, 3], 0)
    assert (i // 2.5).tolist() == [0.0, 0.0, 1.0]
    assert (i == 2.5).tolist() == [False, False, False]


@pytest.mark.parametrize("write", ["floor_divide_", "remainder_", "mod_"])
def test_a_division_by_zero_that_has_no_answer_writes_nothing(write: str) -> None:
    x, y = paddle.to_tensor([6, 7, 8]), paddle.to_tensor([4, 0, 3])
    with pytest.raises(ZeroDivisionError, match=r"(?s)Integer division by zero.*replace the zeros"):
        getattr(x, write)(y)
    assert (x.tolist(), x.inplace_version) == ([6, 7, 8], 0)


def test_the_smallest_integer_by_minus_one_does_not_end_the_program() -> None:
    x, y = paddle.to_tensor([-(2**31), 6], dtype="int32"), paddle.to_tensor([-1, -4], dtype="int32")
    assert (x // y).tolist()[1] == -2
    assert (x % y).tolist() == [0, -2]


def test_integer_powers() -> None:
    x, y = paddle.to_tensor([2, 1, -1, -1, 0, 3]), paddle.to_tensor([-1, -5, -3, -2, 0, 4])
    assert x.pow(y).tolist() == [0, 1, -1, 1, 1, 81]
    assert x.clone().pow_(y).tolist() == [0, 1, -1, 1, 1, 81]
    assert (x**-1).tolist() == [0, 1, -1, -1, 0, 0]


def test_second_derivatives_of_powers_where_the_exponent_is_zero(leaf: Callable[[Any], Tensor]) -> None:
    """d/dy (y * x ** (y - 1)) is 1 / x at y = 0."""
    x, y = leaf([2.0, -4.0, 0.0]), leaf([0.0, 0.0, 0.0])
    (slope,) = paddle.grad(x.pow(y).sum(), x, create_graph=True)
    assert slope is not None
    assert slope.tolist() == [0.0, 0.0, 0.0]
    (mixed,) = paddle.grad(slope[:2].sum(), y)
    assert mixed is not None
    assert mixed.tolist()[:1] == [0.5]


def test_gradients_pass_an_integer_without_axes(leaf: Callable[[Any], Tensor]) -> None:
    """Once and twice, on either side."""
    n = paddle.to_tensor(3)
    for use in (
        lambda x: x * n, lambda x: n / x, lambda x: x / n, lambda x: n - x * x, lambda x: x**n, lambda x: n**x, lambda x: x.hypot(n),
        lambda x: x[0] * x[0] * paddle.to_tensor([2, 5]), lambda x: paddle.to_tensor([2, 5]) / x[1], lambda x: x * x % n,
    ):  # fmt: skip
        assert paddle.autograd.gradcheck(use, leaf([1.5, 0.75]))
        assert paddle.autograd.gradgradcheck(use, leaf([1.5, 0.75]))


def test_an_integer_without_axes_may_need_a_gradient(leaf: Callable[[Any], Tensor]) -> None:
    x, n = leaf([1.0, 2.0]), paddle.to_tensor(2, stop_gradient=False)
    (x * n).sum().backward()
    assert (x.grad.tolist(), n.grad.tolist(), n.grad.dtype) == ([2.0, 2.0], 3, paddle.int64)  # type: ignore[union-attr]


def test_where_writes_its_second_argument(leaf: Callable[[Any], Tensor]) -> None:
    a, y = leaf([1.0, -2.0, 3.0]), leaf([10.0, 20.0, 30.0])
    x = a * 1
    condition = x > 0
    assert paddle.where_(condition, x, y) is x
    assert (x.tolist(), x.inplace_version) == ([1.0, 20.0, 3.0], 1)
    x.sum().backward()
    assert a.grad is not None
    assert y.grad is not None
    assert (a.grad.tolist(), y.grad.tolist()) == ([1.0, 0.0, 1.0], [0.0, 1.0, 0.0])
    with pytest.raises(ValueError, match="broadcast output"):
        paddle.where_(condition, x[0], y)
    assert x.tolist() == [1.0, 20.0, 3.0]


def test_where_does_not_let_nan_through(leaf: Callable[[Any], Tensor]) -> None:
    x = leaf([4.0, -1.0])
    paddle.where(x > 0, x, paddle.zeros([2], "float64")).backward(paddle.to_tensor([1.0, float("nan")], "float64"))
    assert x.grad is not None
    assert x.grad.tolist() == [1.0, 0.0]


def test_where_finds_the_places() -> None:
    rows, columns = paddle.where(paddle.to_tensor([[True, False], [True, True]]))
    assert (rows.tolist(), columns.tolist()) == ([0, 1, 1], [0, 0, 1])
    assert rows.dtype == paddle.int64


def test_a_derivative_without_a_formula_is_refused_and_not_zero(leaf: Callable[[Any], Tensor]) -> None:
    a, y = leaf([1.0, 2.0]), leaf([0.5, 3.0])
    for use in (lambda: a.gammainc(y), lambda: (a * 1).gammaincc_(y)):
        (slope,) = paddle.grad(use().sum(), [y])
        assert slope is not None
        np.testing.assert_allclose(np.abs(slope.numpy()), [np.exp(-0.5), 3 * np.exp(-3.0)], rtol=1e-12)
        with pytest.raises(ValueError, match=r"(?s)'x' is not implemented.*detach"):
            use().sum().backward()


def test_an_operand_may_be_the_tensor_that_is_written() -> None:
    for name, expected in (("copysign_", [3, -2]), ("divide_", [1, 1]), ("gcd_", [3, 2]), ("bitwise_xor_", [0, 0])):
        x = paddle.to_tensor([3, -2])
        assert getattr(x, name)(x).tolist() == expected
    x = paddle.to_tensor([3.0, -2.0])
    assert x.lerp_(x, 0.5).tolist() == [3.0, -2.0]
    assert x.addcmul_(x, x, value=2).tolist() == [21.0, 6.0]
    assert x.divide_(x, rounding_mode="trunc").tolist() == [1.0, 1.0]


def test_single_precision_has_room_where_squares_have_not() -> None:
    x = paddle.to_tensor([1e30, 1e-30])
    assert np.allclose(x.hypot(x).numpy(), [1.4142135e30, 1.4142135e-30], atol=0)
    assert x[1:].ldexp(paddle.to_tensor([150])).item() == pytest.approx(1e-30 * 2.0**150, rel=1e-6)


def test_there_are_no_operators_that_write() -> None:
    x = paddle.to_tensor([6, 3])
    before = x
    x //= 2
    x <<= 1
    assert (x.tolist(), before.tolist(), before.inplace_version) == ([6, 2], [6, 3], 0)
