"""Functions of one tensor where a comparison with NumPy is not enough: singular points, overflow, integers, a missing library."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import Tensor
from inplacelab.backends import base
from inplacelab.installing import command, requirement

F = paddle.nn.functional


def derivatives(function: Callable[[Tensor], Tensor], at: float) -> list[float]:
    """The value, the slope and the curvature at a point."""
    x = paddle.to_tensor(at, dtype="float64", stop_gradient=False)
    value = function(x)
    (slope,) = paddle.grad(value, x, create_graph=True)
    assert slope is not None
    (bend,) = paddle.grad(slope, x)
    assert bend is not None
    return [float(value), float(slope), float(bend)]


def test_sinc_has_no_hole_at_zero() -> None:
    for near in (0.0, 1e-300, 1e-9):
        assert derivatives(lambda x: x.sinc(), near) == pytest.approx([1.0, 0.0, -(math.pi**2) / 3], abs=1e-7)


def test_bessel_functions_have_no_hole_at_zero() -> None:
    assert derivatives(lambda x: x.i0(), 0.0) == pytest.approx([1.0, 0.0, 0.5])
    assert derivatives(lambda x: x.i1(), 0.0) == pytest.approx([0.0, 0.5, 0.0])


def test_an_elu_of_a_large_number_has_derivatives() -> None:
    """The exponential in the other branch must not cause inf times 0."""
    assert derivatives(lambda x: F.elu(x), 1e4)[:2] == [1e4, 1.0]
    assert derivatives(lambda x: F.elu(x, alpha=0.5), 1e4)[2] == 0.0


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_sigmoid_is_exact_in_its_tail(dtype: str) -> None:
    x = paddle.to_tensor([-30.0, -1000.0, 1000.0], dtype=dtype)
    np.testing.assert_allclose(x.sigmoid().numpy(), [math.exp(-30), 0.0, 1.0], rtol=1e-6)


def test_a_softmax_of_large_numbers_does_not_overflow() -> None:
    x = paddle.to_tensor([1e4, 1e4, -1e4], dtype="float64")
    assert F.softmax_(x) is x
    assert x.tolist() == [0.5, 0.5, 0.0]


def test_a_softmax_in_another_dtype_gets_another_storage() -> None:
    x = paddle.to_tensor([[1.0, 1.0]])
    view = x[0]
    assert F.softmax_(x, dtype="float64") is x
    assert x.dtype == paddle.float64
    assert x.tolist() == [[0.5, 0.5]]
    assert view.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("name", ["exp_", "expm1_", "log_", "log2_", "log10_", "log1p_"])
def test_integers_become_floating_point_in_name_only_in_place(name: str) -> None:
    x = paddle.to_tensor([1, 2, 3])
    old, view = x.storage, x[1:]
    assert getattr(x, name)() is x
    assert x.dtype == paddle.float32
    assert x.storage is not old
    assert view.tolist() == [2, 3]


@pytest.mark.parametrize("name", ["sin_", "sqrt_", "sigmoid_", "erf_", "digamma_", "reciprocal_"])
def test_integers_are_refused_in_place_where_paddle_refuses_them(name: str) -> None:
    x = paddle.to_tensor([1, 2, 3])
    with pytest.raises(RuntimeError, match="is not registered"):
        getattr(x, name)()
    assert x.tolist() == [1, 2, 3]
    assert x.inplace_version == 0


@pytest.mark.parametrize(
    ("use", "advice"),
    [
        (lambda: paddle.linalg.eigvalsh(paddle.to_tensor([[1, -2j], [2j, 5]])), "if all imaginary parts are zero, write `x.real()`"),
        (lambda: paddle.ones([2]).real(), "cast first, for example `x = x.astype('complex64')`"),
        (lambda: paddle.ones([2], "int64").sin_(), "cast first, for example `x = x.astype('float32')`"),
        (lambda: paddle.ones([2]).bitwise_not(), "cast first, for example `x = x.astype('int64')`"),
    ],
)  # fmt: skip
def test_a_cast_that_is_advised_leads_on_and_loses_nothing(use: Callable[[], object], advice: str) -> None:
    with pytest.raises(RuntimeError, match="is not registered") as refused:
        use()
    assert f"Instead: {advice}" in str(refused.value)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16"])
def test_small_integers_are_computed_in_single_precision(dtype: str) -> None:
    x = paddle.to_tensor([3, 100], dtype=dtype)
    np.testing.assert_allclose(x.sin().numpy(), np.sin(np.array([3, 100], "float32")), rtol=1e-6)


def test_the_magnitude_of_complex_numbers_is_real() -> None:
    z = paddle.to_tensor(np.array([3 + 4j, 0j], "complex64"), stop_gradient=False)
    magnitude = z.clone().abs_()
    assert magnitude.dtype == paddle.float32
    magnitude.sum().backward()
    assert z.grad is not None
    np.testing.assert_allclose(z.grad.numpy(), [0.6 + 0.8j, 0], rtol=1e-6)


def test_the_magnitude_of_a_complex_number_has_a_curvature() -> None:
    """Of |z| at 3 + 4i, straight ahead it is 0 and sideways 1/5."""
    z = paddle.to_tensor(np.array(3 + 4j), stop_gradient=False)
    (direction,) = paddle.grad(z.abs(), z, create_graph=True)
    assert direction is not None
    ahead = paddle.to_tensor(np.array(0.6 + 0.8j))
    for step, bend in ((ahead, 0.0), (ahead * 1j, 0.2)):
        (found,) = paddle.grad((direction.conj() * step).real(), z, retain_graph=True)
        assert found is not None
        np.testing.assert_allclose(found.numpy(), bend * step.numpy(), atol=1e-12)


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ({"min": paddle.to_tensor(1.0), "max": paddle.to_tensor([2.0])}, [1.0, 1.5, 2.0]),
        ({"min": 1}, [1.0, 1.5, 4.0]),
        ({}, [-1.0, 1.5, 4.0]),
    ],
)
def test_bounds_are_numbers_or_tensors_of_one_element(bounds: dict[str, Any], expected: list[float]) -> None:
    x = paddle.to_tensor([-1.0, 1.5, 4.0])
    assert x.clip(**bounds).tolist() == x.clamp_(**bounds).tolist() == expected


def test_bounds_in_the_wrong_order_are_refused_before_anything_happens() -> None:
    x = paddle.to_tensor([1.0, 5.0])
    with pytest.raises(ValueError, match="max should be greater than or equal to min"):
        x.clip_(3.0, 2.0)
    assert x.tolist() == [1.0, 5.0]
    assert x.inplace_version == 0


@pytest.mark.parametrize("use", [lambda x, t: x.clip_(t), lambda x, t: F.elu_(x, t), lambda x, t: x.logit_(t)])
def test_a_tensor_that_needs_a_gradient_is_no_plain_number(use: Callable[[Tensor, Tensor], Tensor]) -> None:
    bound = paddle.to_tensor(0.25, stop_gradient=False)
    x = paddle.to_tensor([0.1, 0.5])
    with pytest.raises(ValueError, match="cannot be used as a plain number"):
        use(x, bound)
    assert x.inplace_version == 0


def test_without_scipy_the_refusal_names_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(base, "import_module", missing)
    base.scipy_special.cache_clear()
    x = paddle.to_tensor([0.5])
    with pytest.raises(ImportError, match=re.escape(command(requirement("special")))):
        x.digamma_()
    assert x.inplace_version == 0
    monkeypatch.undo()
    base.scipy_special.cache_clear()
    assert x.digamma().item() == pytest.approx(-1.9635100260214235)
