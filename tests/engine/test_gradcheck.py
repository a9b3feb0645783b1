"""`gradcheck` and `gradgradcheck` accept right derivatives, and report the position of a wrong one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import Tensor, errors
from inplacelab.autograd import PyLayer, gradcheck, gradgradcheck
from inplacelab.language import set_language


class Square(PyLayer):
    """A right derivative."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        (x,) = ctx.saved_tensor()
        return g * x.scale(2.0)


class Misled(Square):
    """Wrong only for the last element."""

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        (x,) = ctx.saved_tensor()
        gradient: Tensor = g * x.scale(2.0)
        gradient[-1] = gradient[-1] * 1.01
        return gradient


class Forgetful(Square):
    """First derivative right, second wrong: the saved tensor is used as a constant."""

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        (x,) = ctx.saved_tensor()
        return g * x.scale(2.0).detach()


@pytest.fixture
def x(leaf: Callable[[Any], Tensor]) -> Tensor:
    return leaf([[0.3, -1.2, 0.5], [0.7, 2.0, -0.4]])


@pytest.fixture
def y(leaf: Callable[[Any], Tensor]) -> Tensor:
    return leaf([1.5, 0.5, -2.0])


@pytest.fixture
def z() -> Tensor:
    return paddle.to_tensor(np.array([0.3 + 0.2j, 1.0 - 2.0j]), stop_gradient=False)


def through_views(x: Tensor) -> Tensor:
    """Writes its argument, through views, and its result."""
    x[0].sin_()
    double = x * 2
    column = double[:, 1]
    column.sin_()
    double[0] = double[1].clone() * column.sum()
    return double * x


def several(x: Tensor, y: Tensor) -> tuple[Tensor, list[int], Tensor]:
    """Results of different shapes, and one that is not a tensor."""
    return x * y, [1, 2], (x.sum() * y).exp()


RIGHT: dict[str, Callable[..., Any]] = {
    "one input": lambda x, y: x * x * x,
    "both inputs": lambda x, y: x * y / (x * x + 1.0),
    "several results": lambda x, y: (x * y, (x.sum() * y).sin()),
    "in place": lambda x, y: x.sin_().multiply_(y).add_(x.sum()),
    "a square in place": lambda x, y: x.multiply_(x),
    "through views": lambda x, y: through_views(x) * y,
    "an argument is a result": lambda x, y: (y, x),
    "a custom operation": lambda x, y: Square.apply(x) * y,
    "reductions": lambda x, y: ((x - x.mean()).square().mean(), y.sum()),
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_derivatives_pass(name: str, x: Tensor, y: Tensor) -> None:
    assert gradcheck(RIGHT[name], [x, y])
    assert gradgradcheck(RIGHT[name], [x, y])


@pytest.mark.parametrize(
    "function",
    [
        lambda z: z * z,
        lambda z: z * z.conj(),
        lambda z: z.sin().multiply_(z),
        lambda z: z.real(),
        lambda z: (z.real() * z).scale(1 + 2j),
        lambda z: z[:1].clone().square_(),
    ],
)
def test_complex_numbers_move_in_both_directions(function: Callable[..., Any], z: Tensor) -> None:
    assert gradcheck(function, z)
    assert gradgradcheck(function, z)


@pytest.mark.parametrize("function", [lambda z: z * z.detach(), lambda z: (z * 1.0).real() * z.detach()])
def test_wrong_complex_derivatives_fail(function: Callable[..., Any], z: Tensor) -> None:
    assert not gradcheck(function, z, raise_exception=False)


def test_the_other_direction_counts_too(z: Tensor) -> None:
    """The derivative of the conjugate, without the conjugation: right for a real change, wrong for an imaginary one."""

    class Conjugate(PyLayer):
        @staticmethod
        def forward(ctx: Any, z: Tensor) -> Tensor:
            return z.conj()

        @staticmethod
        def backward(ctx: Any, g: Tensor) -> Tensor:
            return g

    assert not gradcheck(Conjugate.apply, z, raise_exception=False)


def test_a_wrong_derivative_fails_and_is_found(y: Tensor) -> None:
    with pytest.raises(errors.GradcheckError) as refusal:
        gradcheck(Misled.apply, [y])
    assert str(refusal.value).splitlines()[0] == (
        "The gradient of result 0 at [2] with respect to input 0 at [2] is -4.04, but the finite difference is -4."
    )
    assert "absolute error is 0.04, the relative error 0.01; 1 of 9" in str(refusal.value)
    assert not gradcheck(Misled.apply, y, raise_exception=False)


def test_the_worst_place_is_named(x: Tensor, y: Tensor) -> None:
    def function(y: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
        forgotten = paddle.zeros([2, 3], dtype="float64")
        forgotten[1, 1] = 5.0
        return y * 1, x + x.detach() * forgotten

    with pytest.raises(
        errors.GradcheckError, match=r"result 1 at \[1, 1\] with respect to input 1 at \[1, 1\] is 1, but .* is 6"
    ):
        gradcheck(function, [y, x])


def test_a_derivative_may_be_right_once_and_wrong_twice(y: Tensor) -> None:
    assert gradcheck(Forgetful.apply, y)
    assert not gradgradcheck(Forgetful.apply, y, raise_exception=False)
    assert gradgradcheck(Square.apply, y)


def test_tolerances_are_those_given(y: Tensor) -> None:
    assert gradcheck(Misled.apply, y, rtol=0.02)
    assert gradcheck(Misled.apply, y, atol=0.1)
    assert not gradcheck(lambda y: y * y * y, y, eps=0.1, raise_exception=False)  # a coarse step measures another slope


def test_inputs_that_need_no_gradient_are_not_checked(y: Tensor) -> None:
    kink, places = paddle.zeros([3], dtype="float64"), paddle.to_tensor([2, 0])
    assert gradcheck(lambda y, kink, places, power: (y + kink.abs()).pow(power)[places], [y, kink, places, 3])


def test_a_kink_is_no_slope(leaf: Callable[[Any], Tensor]) -> None:
    assert not gradcheck(lambda x: x.pow(0.5), leaf([0.0, 1.0]), raise_exception=False)
    assert gradcheck(lambda x: x.pow(0.5), leaf([0.5, 1.0]))


def test_no_elements_and_no_axes(leaf: Callable[[Any], Tensor]) -> None:
    empty, number = leaf(np.zeros((0, 2))), leaf(2.0)
    assert gradcheck(lambda e, n: (e * n, n * n), [empty, number])
    assert gradgradcheck(lambda e, n: (e * n, n * n), [empty, number])


def test_the_inputs_stay_as_they_are(x: Tensor, y: Tensor) -> None:
    before = x.numpy(), x.inplace_version, x.grad
    assert gradcheck(through_views, x)
    assert gradgradcheck(through_views, x)
    assert gradcheck(several, [x, y])
    np.testing.assert_array_equal(x.numpy(), before[0])
    assert (x.inplace_version, x.grad) == before[1:]
    assert x.is_leaf


def test_what_is_not_deterministic_is_refused(y: Tensor) -> None:
    with pytest.raises(errors.GradcheckError, match="not deterministic: result 0"):
        gradcheck(lambda y: y * paddle.rand([3], dtype="float64"), y)


def test_a_function_that_writes_what_it_finds_outside_is_refused(y: Tensor) -> None:
    outside = paddle.ones([3], dtype="float64")
    with pytest.raises(errors.GradcheckError, match="not deterministic"):
        gradcheck(lambda y: y * outside.scale_(2.0), y)


def test_a_backward_that_is_not_deterministic_is_refused(y: Tensor) -> None:
    class Noisy(Square):
        @staticmethod
        def backward(ctx: Any, g: Tensor) -> Tensor:
            return g * paddle.rand([3], dtype="float64")

    with pytest.raises(errors.GradcheckError) as refusal:
        gradcheck(Noisy.apply, y)
    assert "the gradient differed" in str(refusal.value)


@pytest.mark.parametrize(
    ("function", "make", "line"),
    [
        (lambda x: x, lambda: paddle.ones([2], dtype="float64"), "No input needs a gradient."),
        (
            lambda x: x.detach(),
            lambda: paddle.to_tensor(np.ones(2), stop_gradient=False),
            "No result of the function has",
        ),
        (lambda x: x, lambda: paddle.to_tensor([1.0], stop_gradient=False), "Input 0 is of dtype float32"),
    ],
)
@pytest.mark.parametrize("check", [gradcheck, gradgradcheck])
def test_what_cannot_be_checked_is_refused(
    check: Callable[..., bool], function: Callable[..., Any], make: Callable[[], Tensor], line: str
) -> None:
    with pytest.raises(errors.GradcheckError, match=line):
        check(function, make())
    assert not check(function, make(), raise_exception=False)


def test_other_refusals_come_through(y: Tensor) -> None:
    def stale(y: Tensor) -> Tensor:
        product = y * y
        y.zero_()
        return product

    with pytest.raises(errors.StaleSavedTensorError):
        gradcheck(stale, y, raise_exception=False)


def test_it_works_while_the_history_is_switched_off(y: Tensor) -> None:
    with paddle.no_grad():
        assert gradcheck(Square.apply, y)
        assert not paddle.is_grad_enabled()


def test_the_start_of_the_second_check_may_be_given(y: Tensor) -> None:
    assert gradgradcheck(Square.apply, y, paddle.to_tensor(np.array([1.0, -2.0, 0.5])))
    assert not gradgradcheck(Forgetful.apply, y, [paddle.to_tensor(np.ones(3))], raise_exception=False)


def test_words_are_there_in_chinese(y: Tensor) -> None:
    set_language("zh")
    with pytest.raises(errors.GradcheckError, match=r"绝对误差为 0\.04"):
        gradcheck(Misled.apply, y)
