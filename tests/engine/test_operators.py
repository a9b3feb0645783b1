"""Operators, and type promotion: Paddle's rules, written out (`test_against_paddle.py` compares with Paddle)."""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import Tensor, dtypes
from tests.subtests import for_each

NAMES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128"]
REAL = ["float16", "float32", "float64"]


def named(dtype: Any) -> str:
    return str(dtype).removeprefix("paddle.")


@for_each(("x", "y"), product(NAMES, repeat=2))
def test_promotion(x: str, y: str) -> None:
    """Equal types stay, floating-point types widen, complex takes anything; nothing else mixes."""
    one, other = paddle.ones([2], x), paddle.ones([2], y)
    kinds = {np.dtype(x).kind, np.dtype(y).kind}
    if x == y or kinds == {"f"}:
        assert named((one * other).dtype) == max(x, y, key=lambda n: np.dtype(n).itemsize)
    elif "c" in kinds:
        double = {"float64", "complex128"} & {x, y}
        assert named((one * other).dtype) == ("complex128" if double else "complex64")
    else:
        with pytest.raises(TypeError, match=f"Type promotion only support .* x: {x}, y: {y}"):
            one * other
        with pytest.raises(TypeError, match="Type promotion only support"):
            one.multiply_(other)
        assert one.inplace_version == 0


@for_each(("x", "y"), [each for each in product(NAMES, NAMES) if {*each} & {*REAL} and {*each} & {*NAMES[:6]}])
def test_promotion_without_axes(x: str, y: str) -> None:
    """A tensor without axes counts as a number: integers become floating-point, but not in place."""
    one, other = paddle.ones([2], x), paddle.ones([], y)
    for made in (one * other, other - one, one[0] / other):
        assert named(made.dtype) == (x if x in REAL else y)
    with pytest.raises(TypeError, match=f"Type promotion only support .* x: {x}, y: {y}"):
        one.multiply_(other)
    assert (named(one.dtype), one.inplace_version) == (x, 0)


@pytest.mark.parametrize("name", ["exp", "log", "sqrt", "sin", "cos", "tanh", "sigmoid"])
@for_each("dtype", [n for n in NAMES if n != "bool"])
def test_functions_of_integers_are_floating_point(name: str, dtype: str) -> None:
    result = getattr(paddle.ones([2], dtype), name)()
    assert named(result.dtype) == (dtype if np.dtype(dtype).kind in "fc" else "float32")


def test_in_place_another_dtype_is_in_place_in_name_only() -> None:
    x = paddle.to_tensor([1, 4])
    view, storage = x[0], x.storage
    assert x.log2_() is x
    assert (named(x.dtype), x.tolist()) == ("float32", [0.0, 2.0])
    assert x.storage is not storage
    assert (named(view.dtype), view.item()) == ("int64", 1)  # (in Paddle it reads the bytes of a float)


def test_casting_a_complex_number_takes_its_real_part() -> None:
    assert paddle.to_tensor([1 + 2j]).cast("float32").tolist() == [1.0]


@pytest.mark.parametrize("symbol", [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow])
@for_each(("number", "dtype"), product([2, 0.5, True, np.float64(1.5), np.int32(3)], ["float32", "float64", "int64"]))
def test_numbers_on_the_right(symbol: Callable[[Any, Any], Tensor], number: Any, dtype: str) -> None:
    values = np.array([1, 2, 4], dtype)
    result = symbol(paddle.to_tensor(values), number)
    np.testing.assert_allclose(result.numpy(), symbol(values.astype("float64"), float(number)), rtol=1e-6)
    floating = isinstance(number, float | np.floating) or symbol is operator.truediv
    assert named(result.dtype) == ("float32" if dtype == "int64" and floating else dtype)


@pytest.mark.parametrize("symbol", [operator.add, operator.sub, operator.mul, operator.truediv])
def test_numbers_on_the_left(symbol: Callable[[Any, Any], Tensor]) -> None:
    values = np.array([1.0, 2.0, 4.0])
    np.testing.assert_allclose(symbol(3.0, paddle.to_tensor(values)).numpy(), symbol(3.0, values))
    np.testing.assert_allclose(symbol(values, paddle.to_tensor(values)).numpy(), symbol(values, values))


@pytest.mark.parametrize("symbol", [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge])
def test_comparisons(symbol: Callable[[Any, Any], Tensor]) -> None:
    x, y = np.array([1.0, 2.0, 3.0]), np.array([3.0, 2.0, 1.0])
    for other in (y, 2.0):
        result = symbol(paddle.to_tensor(x), paddle.to_tensor(other) if isinstance(other, np.ndarray) else other)
        assert named(result.dtype) == "bool"
        assert result.stop_gradient
        np.testing.assert_array_equal(result.numpy(), symbol(x, other))


@pytest.mark.filterwarnings("ignore:divide by zero")
def test_the_rest() -> None:
    x = paddle.to_tensor([[1.0, -2.0, 3.0]])
    assert (-x).tolist() == [[-1.0, 2.0, -3.0]]
    assert abs(x).tolist() == [[1.0, 2.0, 3.0]]
    assert (x @ x.T).tolist() == [[14.0]]
    assert paddle.matmul(x, x, transpose_y=True).tolist() == [[14.0]]
    assert (x + 1j).dtype == paddle.complex64
    assert (x / 0.0 == paddle.to_tensor([float("inf"), float("-inf"), float("inf")])).numpy().all()


def test_kinds_that_do_not_meet() -> None:
    x = paddle.ones([2])
    for use in (lambda: x + "a", lambda: x * None, lambda: [1.0] - x, lambda: x @ 2, lambda: x < "a"):
        with pytest.raises(TypeError):
            use()


def test_a_tensor_can_be_a_key_of_a_dictionary() -> None:
    x = paddle.ones([2])
    assert {x: 1}[x] == 1


@pytest.mark.parametrize("dtype", NAMES)
def test_names_of_dtypes(dtype: str) -> None:
    found = dtypes.named(dtype)
    assert found is dtypes.named(f"paddle.{dtype}") is dtypes.named(np.dtype(dtype)) is dtypes.named(found)
    assert str(found) == f"paddle.{dtype}"
    assert paddle.zeros([1], found).element_size() == found.itemsize == np.dtype(dtype).itemsize


def test_the_default_dtype() -> None:
    paddle.set_default_dtype("float64")
    assert paddle.get_default_dtype() == "float64"
    assert named(paddle.to_tensor([1.5]).dtype) == named(paddle.zeros([1]).dtype) == "float64"
    assert named(paddle.nn.Linear(2, 3).weight.dtype) == "float64"
    with pytest.raises(TypeError, match="choose one of float16, float32, float64"):
        paddle.set_default_dtype("int64")


def test_conversions_to_python() -> None:
    x = paddle.to_tensor([[2.5]])
    assert (float(x), int(x), bool(x), x.item(), complex(x)) == (2.5, 2, True, 2.5, 2.5 + 0j)
    assert [10, 20, 30][paddle.to_tensor(1)] == 20
    assert f"{paddle.to_tensor(2.5):.2f}" == "2.50"
    assert np.asarray(x).tolist() == [[2.5]]
    pair = paddle.ones([2])
    for use, error, first_line in (
        (lambda: float(pair), AssertionError, "only one element variable can be converted to float"),
        (lambda: int(pair), AssertionError, "only one element variable can be converted to int"),
        (lambda: bool(pair), AssertionError, "When Variable is used as the condition of if/while"),
        (pair.item, ValueError, "only one element tensors can be converted to Python scalars"),
    ):
        with pytest.raises(error, match=f"(?s){first_line}.*2 elements"):
            use()
    with pytest.raises(TypeError, match="0-D tensor"):
        len(paddle.to_tensor(1.0))


# ---- destinations and bounds -------------------------------------------------------------------------------------------


def test_a_product_goes_where_it_is_wanted() -> None:
    a, out = paddle.ones([2, 2], requires_grad=True), paddle.zeros([2, 2])
    assert paddle.matmul(a, a, transpose_x=True, out=out) is out
    assert (out.tolist(), out.inplace_version) == ([[2.0, 2.0], [2.0, 2.0]], 1)
    out.sum().backward()
    assert a.grad is not None
    assert a.grad.tolist() == [[4.0, 4.0], [4.0, 4.0]]


def test_the_slope_at_a_bound_spoils_no_second_derivative() -> None:
    x = paddle.to_tensor([0.0, 0.5, 1.0], dtype="float64", stop_gradient=False)
    (first,) = paddle.grad(x.logit(0.1).sum(), x, create_graph=True)
    assert first is not None
    (second,) = paddle.grad(first, x)
    assert second is not None
    assert (first.tolist(), second.tolist()) == ([0.0, 4.0, 0.0], [0.0, 0.0, 0.0])
