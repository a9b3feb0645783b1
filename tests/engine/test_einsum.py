"""`einsum`: Paddle's values, right derivatives, one new tensor for any equation; and refusals."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import Tensor, errors
from tests.subtests import for_each

EQUATIONS: dict[str, tuple[tuple[int, ...], ...]] = {
    "i,i->": ((3,), (3,)),
    "i,j": ((3,), (2,)),
    "i,i->i": ((3,), (3,)),
    "ij->ji": ((2, 3),),
    "ba": ((2, 3),),
    "ij->": ((2, 3),),
    "ij->j": ((2, 3),),
    "ii->i": ((3, 3),),
    "ii": ((3, 3),),
    "iji->j": ((2, 3, 2),),
    "iii->i": ((2, 2, 2),),
    "ij,jk->ik": ((2, 3), (3, 4)),
    "ij,jk->ki": ((2, 3), (3, 4)),
    "ij,kj->ik": ((2, 3), (4, 3)),
    "ij,ij->i": ((2, 3), (2, 3)),
    "ij,k->k": ((2, 3), (4,)),
    "bij,bjk->bik": ((2, 2, 3), (2, 3, 4)),
    "b i, b j -> b i j": ((2, 3), (2, 4)),
    "...ij,...jk->...ik": ((2, 1, 2, 3), (4, 3, 2)),
    "...i->...": ((2, 3, 4),),
    "...i,i": ((2, 3), (3,)),
    "i...->...i": ((2, 3, 4),),
    "ij,jk->ik, one broadcast": ((2, 3), (1, 4)),
    "ij,jk,kl->il": ((2, 3), (3, 2), (2, 4)),
    "i,i,i->": ((3,), (3,), (3,)),
    "bqhd,bkhd->bhqk": ((2, 2, 2, 3), (2, 3, 2, 3)),
}


def operands(shapes: tuple[tuple[int, ...], ...], dtype: str = "float64") -> list[Any]:
    draw = np.random.default_rng(3)
    return [draw.normal(size=shape).astype(dtype) for shape in shapes]


def equation(name: str) -> str:
    return name.partition(", one")[0]


@for_each("name", EQUATIONS)
def test_derivatives_of_first_and_second_order(name: str) -> None:
    leaves = [paddle.to_tensor(each, stop_gradient=False) for each in operands(EQUATIONS[name])]

    def function(*given: Tensor) -> Tensor:
        return paddle.einsum(equation(name), *given)

    assert paddle.autograd.gradcheck(function, leaves)
    assert paddle.autograd.gradgradcheck(function, leaves)


@pytest.mark.oracle
@for_each("name", EQUATIONS)
def test_values_are_those_of_paddle(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Paddle warns about its own dependencies while it is imported
        theirs = pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")
    found = []
    for module in (paddle, theirs):
        given = [module.to_tensor(each) for each in operands(EQUATIONS[name], "float32")]
        found.append(module.einsum(equation(name), *given).numpy())
    assert found[0].shape == found[1].shape
    np.testing.assert_allclose(found[0], found[1], rtol=1e-5, atol=1e-6)


@for_each("name", EQUATIONS)
def test_the_result_is_a_tensor_of_its_own(name: str) -> None:
    given = [paddle.to_tensor(each) for each in operands(EQUATIONS[name])]
    result = paddle.einsum(equation(name), *given)
    assert result.base is None
    assert all(result.storage is not each.storage for each in given)
    result.zero_()
    assert all(each.inplace_version == 0 for each in given)


def test_complex_factors_are_conjugated_on_the_way_back() -> None:
    x = paddle.to_tensor(np.array([1 + 2j, 3 - 1j]), stop_gradient=False)
    y = paddle.to_tensor(np.array([2 - 1j, 1j]))
    paddle.einsum("i,i->", x, y).real().backward()
    np.testing.assert_allclose(x.grad.numpy(), np.conj(y.numpy()))


def test_backward_keeps_the_operands_and_notices_when_they_are_written() -> None:
    x, y = (paddle.to_tensor(each, stop_gradient=False) * 1.0 for each in operands(((2, 3), (3, 2))))
    result = paddle.einsum("ij,jk->ik", x, y)
    x.add_(x)
    with pytest.raises(errors.StaleSavedTensorError):
        result.sum().backward()


REFUSED: dict[str, tuple[Callable[[Tensor], object], type[Exception], str]] = {
    "too few operands": (lambda x: paddle.einsum("ij,jk->ik", x), AssertionError, "number of operands is 1"),
    "too many": (lambda x: paddle.einsum("ij", x, x), AssertionError, "found 1 segments"),
    "too many letters": (lambda x: paddle.einsum("ijk", x), AssertionError, "misses dimensions"),
    "too few letters": (lambda x: paddle.einsum("i", x), AssertionError, "misses dimensions"),
    "no letter": (lambda x: paddle.einsum("i1", x), AssertionError, "misses dimensions"),
    "an unknown letter": (lambda x: paddle.einsum("ij->iz", x), ValueError, "must consist of labels"),
    "a letter twice": (lambda x: paddle.einsum("ij->ii", x), ValueError, "must consist of labels"),
    "sizes": (lambda x: paddle.einsum("ij,ij->ij", x, x.t()), ValueError, "Same label have different shapes"),
    "integers": (lambda x: paddle.einsum("ij->i", x.astype("int64")), RuntimeError, "kernel `einsum`"),
    "a list": (lambda x: paddle.einsum("ij->i", [[1.0]]), ValueError, "must be Tensor"),
}


@for_each("name", REFUSED)
def test_an_equation_that_does_not_fit_is_refused(name: str) -> None:
    call, kind, match = REFUSED[name]
    with pytest.raises(kind, match=match) as caught:
        call(paddle.ones([2, 3]))
    assert isinstance(caught.value, errors.Refusal)
