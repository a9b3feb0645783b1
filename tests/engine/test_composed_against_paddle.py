"""Functions that are made of others, and `linalg`: values and gradients here and in PaddlePaddle 3.3.1; second derivatives here."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import inplacelab
from inplacelab import errors
from inplacelab.autograd import gradcheck, gradgradcheck

Function = Callable[..., Any]


def numbers(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(size=shape)


CUBE, MATRIX, TALL, LINE = numbers(2, 3, 4), numbers(3, 3) + 2 * np.eye(3), numbers(4, 3, seed=1), numbers(3, seed=2)
POSITIVE = MATRIX @ MATRIX.T + np.diag([1.0, 2.0, 4.0])
STACK = np.stack([MATRIX, MATRIX.T + np.eye(3)])

CALLS: dict[str, tuple[Function, tuple[Any, ...]]] = {
    "select_scatter": (lambda m, x, y: m.select_scatter(x, y, 1, -1), (CUBE, CUBE[:, 0] * 2)),
    "slice_scatter": (lambda m, x, y: m.slice_scatter(x, y, [0, 2], [0, 1], [1, 4], [1, 2]), (CUBE, numbers(1, 3, 2, seed=3))),
    "slice_scatter, broadcast": (lambda m, x, y: m.slice_scatter(x, y, [2], [1], [4], [2]), (CUBE, numbers(3, 1, seed=3))),
    "diagonal_scatter": (lambda m, x, y: m.diagonal_scatter(x, y, 1, 1, 2), (CUBE, numbers(2, 3, seed=3))),
    "add_n": (lambda m, x, y: m.add_n([x, y, x]), (TALL, TALL * 2)),
    "add_n of one": (lambda m, x: m.add_n(x), (TALL,)),
    "inner": (lambda m, x, y: m.inner(x, y), (CUBE, numbers(5, 4))),
    "inner with a number": (lambda m, x, y: m.inner(x, y), (CUBE, np.array(2.0))),
    "tensordot": (lambda m, x, y: m.tensordot(x, y, 2), (CUBE, numbers(3, 4, 5))),
    "tensordot, axes": (lambda m, x, y: m.tensordot(x, y, [[0, 2], [1, 0]]), (CUBE, numbers(4, 2, 5))),
    "tensordot, the same axes": (lambda m, x, y: m.tensordot(x, y, [0, 1]), (CUBE, numbers(2, 3, 5))),
    "tensordot, none": (lambda m, x, y: m.tensordot(x, y, 0), (LINE, LINE)),
    "dist": (lambda m, x, y: m.dist(x, y, 3), (TALL, TALL * 0.5 + 1)),
    "broadcast_tensors": (lambda m, x, y: m.add_n(m.broadcast_tensors([x, y])), (LINE, TALL)),
    "diagflat": (lambda m, x: m.diagflat(x, 1), (LINE,)),
    "reverse": (lambda m, x: m.reverse(x, [0]), (TALL,)),
    "repeat_interleave": (lambda m, x: m.repeat_interleave(x, 2, 1), (TALL,)),
    "repeat_interleave, each": (lambda m, x: m.repeat_interleave(x, m.to_tensor([1, 0, 2]), -1), (TALL,)),
    "repeat_interleave, all": (lambda m, x: m.repeat_interleave(x, 2), (TALL,)),
    "take": (lambda m, x: m.take(x, m.to_tensor([[0, 5], [-1, 0]])), (TALL,)),
    "take, wrap": (lambda m, x: m.take(x, m.to_tensor([0, 13, -14]), mode="wrap"), (TALL,)),
    "take, clip": (lambda m, x: m.take(x, m.to_tensor([0, 13, -14]), mode="clip"), (TALL,)),
    "angle of real numbers": (lambda m, x: m.angle(x), (TALL,)),
    "quantile": (lambda m, x: m.quantile(x, 0.3, axis=1), (CUBE,)),
    "quantiles": (lambda m, x: m.quantile(x, [0.0, 0.6, 1.0], axis=[0, 2], keepdim=True), (CUBE,)),
    **{f"quantile, {how}": (lambda m, x, how=how: m.quantile(x, 0.4, interpolation=how), (CUBE,)) for how in ("lower", "higher", "nearest", "midpoint")},
    "trapezoid": (lambda m, y: m.trapezoid(y, dx=0.5, axis=0), (TALL,)),
    "trapezoid, places": (lambda m, y, x: m.trapezoid(y, x), (TALL, LINE)),
    "kthvalue": (lambda m, x: m.kthvalue(x, 2, axis=1, keepdim=True)[0], (CUBE,)),
    "parameters_to_vector": (lambda m, x, y: m.nn.utils.parameters_to_vector([x, y]), (TALL, LINE)),
    "inv": (lambda m, x: m.linalg.inv(x), (STACK,)),
    "det": (lambda m, x: m.linalg.det(x), (STACK,)),
    "slogdet": (lambda m, x: m.linalg.slogdet(x)[1], (STACK,)),
    "solve": (lambda m, x, y: m.linalg.solve(x, y), (MATRIX, TALL[:3])),
    "solve, a vector": (lambda m, x, y: m.linalg.solve(x, y), (MATRIX, LINE)),
    "solve, from the right": (lambda m, x, y: m.linalg.solve(x, y, left=False), (MATRIX, TALL)),
    "cholesky": (lambda m, x: m.linalg.cholesky(x), (POSITIVE,)),
    "cholesky, upper": (lambda m, x: m.linalg.cholesky(x, upper=True), (POSITIVE,)),
    "eigvalsh": (lambda m, x: m.linalg.eigvalsh(x), (POSITIVE,)),
    "eigh, vectors": (lambda m, x: m.linalg.eigh(x)[1] ** 2, (POSITIVE,)),
    "qr": (lambda m, x: m.linalg.qr(x)[0].matmul(m.linalg.qr(x)[1] ** 2), (TALL,)),
    "svdvals": (lambda m, x: m.linalg.svdvals(x), (TALL,)),
    "svd": (lambda m, x: m.linalg.svd(x)[1], (TALL,)),
    **{f"matrix_power {n}": (lambda m, x, n=n: m.linalg.matrix_power(x, n), (STACK,)) for n in (-2, 1, 3)},
    "multi_dot": (lambda m, x, y: m.linalg.multi_dot([x, x, y]), (MATRIX, TALL[:3])),
    "cov": (lambda m, x: m.linalg.cov(x), (TALL,)),
    "cov of columns": (lambda m, x: m.linalg.cov(x, rowvar=False, ddof=False), (TALL,)),
    "vector_norm": (lambda m, x: m.linalg.vector_norm(x, 3.0, axis=[0, 2], keepdim=True), (CUBE,)),
}  # fmt: skip

NOT_IN_PADDLE = {
    "qr": "Paddle's gradient of QR ends the process when Q and R come from two calls",
    "diagonal_scatter": "in Paddle the values that are written get no gradient",
    "parameters_to_vector": "in Paddle the vector has no history",
}
"""Calls whose gradients Paddle does not have, and why."""


def _answers(module: Any, call: Function, arrays: tuple[Any, ...]) -> list[Any]:
    tensors = [module.to_tensor(a, stop_gradient=False) for a in arrays]
    result = call(module, *tensors)
    weights = module.to_tensor(np.linspace(1, 2, result.size).reshape(result.shape))
    gradients = module.grad((result * result * weights).sum(), tensors)
    return [each.numpy() for each in (result, *gradients)]


@pytest.fixture(scope="module")
def paddle() -> Iterator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Paddle warns about its own dependencies while it is imported
        yield pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install -e '.[oracle]'")


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in CALLS if name not in NOT_IN_PADDLE])
def test_values_and_gradients(paddle: Any, name: str) -> None:
    for ours, theirs in zip(_answers(inplacelab, *CALLS[name]), _answers(paddle, *CALLS[name]), strict=True):
        assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", CALLS)
def test_first_and_second_derivatives(name: str) -> None:
    call, arrays = CALLS[name]
    tensors = [inplacelab.to_tensor(a, stop_gradient=False) for a in arrays]
    assert gradcheck(lambda *t: call(inplacelab, *t), tensors)
    if name not in ("svd", "svdvals", "angle of real numbers"):  # the second derivative of singular values is refused
        assert gradgradcheck(lambda *t: call(inplacelab, *t).square(), tensors)


def test_the_sinc_of_negative_numbers_needs_no_new_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    special = pytest.importorskip("scipy.special")
    bessel = special.spherical_jn
    monkeypatch.setattr(
        special, "spherical_jn", lambda n, z: np.where(np.real(z) < 0, np.nan, bessel(n, z))
    )  # as before 1.15
    x = inplacelab.to_tensor([-1.3, -0.2, 0.0, 0.7], dtype="float64", stop_gradient=False)
    assert gradcheck(lambda x: x.sinc(), x)
    assert gradgradcheck(lambda x: x.sinc(), x)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda p: p.linalg.inv(p.ones([2, 2])), errors.ArgumentError, "Singular matrix"),
        (lambda p: p.linalg.inv(p.ones([2, 3])), errors.ShapeError, "should be square"),
        (lambda p: p.linalg.det(p.ones([2])), errors.ShapeError, "rank of Input"),
        (
            lambda p: p.linalg.cholesky(p.to_tensor([[1.0, 2.0], [2.0, 1.0]])),
            errors.ArgumentError,
            "not positive definite",
        ),
        (lambda p: p.linalg.solve(p.ones([2, 2]), p.ones([3, 1])), errors.ShapeError, "2"),
        (lambda p: p.linalg.qr(p.ones([2, 2]), "complete"), errors.ArgumentError, "mode"),
        (lambda p: p.linalg.svd(p.ones([2, 2]), full_matrices=True), errors.ArgumentError, "full_matrices"),
        (lambda p: p.select_scatter(p.ones([2, 2]), p.ones([3]), 0, 0), errors.ShapeError, "select_scatter"),
        (lambda p: p.diagonal_scatter(p.ones([2, 2]), p.ones([2], "int64")), errors.Refusal, "diagonal_scatter"),
        (lambda p: p.tensordot(p.ones([2, 2]), p.ones([3]), 1), errors.ShapeError, "3"),
        (lambda p: p.quantile(p.ones([2]), 1.5), errors.ArgumentError, "from 0 to 1"),
        (lambda p: p.take(p.ones([2]), p.to_tensor([5])), errors.IndexRangeError, "5"),
        (lambda p: p.repeat_interleave(p.ones([3]), p.to_tensor([1, 2])), errors.ArgumentError, "repeats"),
    ],
)
def test_refusals(call: Function, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        call(inplacelab)


def test_a_factor_without_a_derivative_refuses_it() -> None:
    x = inplacelab.to_tensor(TALL, stop_gradient=False)
    with pytest.raises(errors.Refusal, match="svd"):
        inplacelab.linalg.svd(x)[0].sum().backward()


def test_gradients_are_clipped_in_place() -> None:
    utils = inplacelab.nn.utils
    x = inplacelab.to_tensor([3.0, 4.0], stop_gradient=False)
    (x * x).sum().backward()
    before = x.grad
    assert utils.clip_grad_norm_([x], 5.0).item() == 10.0
    assert x.grad is before
    np.testing.assert_allclose(before.numpy(), [3.0, 4.0], rtol=1e-5)
    utils.clip_grad_value_(x, 3.5)
    assert before.numpy().max() == 3.5
    x.grad = inplacelab.to_tensor([np.inf, 1.0])
    with pytest.raises(RuntimeError, match="non-finite"):
        utils.clip_grad_norm_([x], 5.0, error_if_nonfinite=True)


def test_a_vector_is_written_into_parameters() -> None:
    x, y = inplacelab.zeros([2, 2]), inplacelab.zeros([1])
    inplacelab.nn.utils.vector_to_parameters(inplacelab.arange(5, dtype="float32"), [x, y])
    assert (x.tolist(), y.tolist(), x.inplace_version) == ([[0.0, 1.0], [2.0, 3.0]], [4.0], 1)
    with pytest.raises(AssertionError, match=r"shape \[5\]"):
        inplacelab.nn.utils.vector_to_parameters(inplacelab.ones([4]), [x, y])


def test_modules_of_graphs_are_refused_with_one_sentence() -> None:
    for name in ("jit", "static"):
        with pytest.raises(AttributeError, match="every operation runs immediately"):
            getattr(inplacelab, name)
