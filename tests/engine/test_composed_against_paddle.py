"""Functions that are made of others, and `linalg`: values and gradients here and in PaddlePaddle 3.3.1; second derivatives here."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

import inplacelab
from inplacelab import errors
from inplacelab.autograd import gradcheck, gradgradcheck
from tests.subtests import for_each

Function = Callable[..., Any]


def numbers(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(size=shape)


CUBE, MATRIX, TALL, LINE = numbers(2, 3, 4), numbers(3, 3) + 2 * np.eye(3), numbers(4, 3, seed=1), numbers(3, seed=2)
POSITIVE = MATRIX @ MATRIX.T + np.diag([1.0, 2.0, 4.0])
STACK = np.stack([MATRIX, MATRIX.T + np.eye(3)])
IMAGE = numbers(1, 2, 3, 4, seed=5)
STEPS = np.array([[2, 3, 3, 1], [0, 1, 1, 1], [4, 0, 4, 2]])
COUNTS = np.array([[1.0, 2.0, 5.0]] * 4)
HOLE = np.eye(4, 3, -1) > 0
"""Where elements are replaced by NaN."""

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
    "tensordot, one list in a list": (lambda m, x, y: m.tensordot(x, y, [[0, 1]]), (CUBE, numbers(2, 3, 5))),
    "tensordot, fewer axes of y": (lambda m, x, y: m.tensordot(x, y, [[0, 1, 2], [1, 0]]), (CUBE, numbers(3, 2, 4))),
    "tensordot, fewer axes of x": (lambda m, x, y: m.tensordot(x, y, ((1,), (0, 2))), (CUBE, numbers(3, 5, 4))),
    "tensordot, an axis of size 1": (lambda m, x, y: m.tensordot(x, y, [[0, 1], [1, 0]]), (CUBE, numbers(3, 1, 5))),
    "tensordot, tensors": (lambda m, x, y: m.tensordot(x, y, [m.to_tensor([2]), m.to_tensor([0])]), (CUBE, numbers(4, 5))),
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
    "logcumsumexp": (lambda m, x: m.logcumsumexp(x), (TALL,)),
    "logcumsumexp, along an axis": (lambda m, x: m.logcumsumexp(x * 50.0, 0), (TALL,)),
    "median": (lambda m, x: m.median(x, axis=1), (CUBE,)),
    "median of an even number": (lambda m, x: m.median(x), (CUBE,)),
    "median, min": (lambda m, x: m.median(x, axis=2, keepdim=True, mode="min")[0], (CUBE,)),
    "nanmedian": (lambda m, x: m.nanmedian(x.masked_fill(m.to_tensor(HOLE), np.nan), axis=0), (TALL,)),
    "mode": (lambda m, x: m.mode(x, 1)[0], (CUBE,)),
    "nansum": (lambda m, x: m.nansum(x.masked_fill(m.to_tensor(HOLE), np.nan), axis=0), (TALL,)),
    "nanmean": (lambda m, x: m.nanmean(x.masked_fill(m.to_tensor(HOLE), np.nan), axis=0, keepdim=True), (TALL,)),
    "diff": (lambda m, x: m.diff(x, 2, axis=0), (TALL,)),
    "diff, with ends": (lambda m, x, y: m.diff(x, 1, 1, prepend=y, append=y), (TALL, TALL[:, :1])),
    "kron": (lambda m, x, y: m.kron(x, y), (TALL, LINE)),
    "kron, more axes": (lambda m, x, y: m.kron(x, y), (LINE, CUBE)),
    "cross": (lambda m, x, y: m.cross(x, y), (TALL, TALL * TALL)),
    "cross, along an axis": (lambda m, x, y: m.cross(x, y, axis=0), (MATRIX, MATRIX @ MATRIX)),
    "diag_embed": (lambda m, x: m.diag_embed(x, -1), (TALL,)),
    "diag_embed, axes": (lambda m, x: m.diag_embed(x, 2, 2, 0), (TALL,)),
    "deg2rad": (lambda m, x: m.deg2rad(x), (TALL,)),
    "rad2deg": (lambda m, x: m.rad2deg(x), (TALL,)),
    "frexp": (lambda m, x: m.frexp(x)[0], (TALL,)),
    "complex": (lambda m, x, y: m.complex(x, y).abs(), (TALL, TALL * 2)),
    "polar": (lambda m, x, y: m.polar(x, y).real(), (TALL, TALL * 2)),
    **{f"interpolate, {how}, {corners}, {size}": (lambda m, x, how=how, corners=corners, size=size: m.nn.functional.interpolate(x, *size, mode=how, align_corners=corners), (IMAGE,)) for how in ("bilinear", "bicubic") for corners in (True, False) for size in ([[5, 7]], [[2, 1]], [None, [0.7, 1.6]])},
    "interpolate, nearest": (lambda m, x: m.nn.functional.interpolate(x, [5, 2]), (IMAGE,)),
    "interpolate, linear": (lambda m, x: m.nn.functional.interpolate(x, [7], mode="linear", align_mode=1, data_format="NCW"), (CUBE,)),
    "interpolate, trilinear": (lambda m, x: m.nn.functional.interpolate(x, [2, 4, 5], mode="trilinear", data_format="NCDHW"), (IMAGE[None],)),
    "interpolate, channels last": (lambda m, x: m.nn.functional.interpolate(x, scale_factor=2, mode="bilinear", data_format="NHWC"), (IMAGE,)),
    **{f"matrix_norm {p}": (lambda m, x, p=p: m.linalg.matrix_norm(x, p, [0, 2], keepdim=True), (CUBE,)) for p in ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)},
    **{f"norm of a matrix, {p}": (lambda m, x, p=p: m.linalg.norm(x, p, [0, 1]), (MATRIX,)) for p in ("nuc", 1, np.inf)},
    **{f"cond {p}": (lambda m, x, p=p: m.linalg.cond(x, p), (MATRIX,)) for p in (None, "fro", "nuc", 1, -1, -2, np.inf)},
    "corrcoef": (lambda m, x: m.linalg.corrcoef(x), (CUBE[0, :, :],)),
    "corrcoef of columns": (lambda m, x: m.linalg.corrcoef(x, rowvar=False), (TALL,)),
}  # fmt: skip

NOT_IN_PADDLE = {
    "qr": "Paddle's gradient of QR ends the process when Q and R come from two calls",
    "diagonal_scatter": "in Paddle the values that are written get no gradient",
    "diag_embed": "in Paddle the matrix has no history",
    "diag_embed, axes": "in Paddle the matrix has no history",
}
"""Calls whose gradients Paddle does not have, and why."""

NO_SECOND_DERIVATIVE = {
    "angle of real numbers",
    *(
        "svd",
        "svdvals",
        "cond None",
        "cond nuc",
        "cond -2",
        "norm of a matrix, nuc",
    ),  # that of singular values is refused
    *(f"matrix_norm {p}" for p in ("nuc", 2, -2)),
}


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
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)  # Paddle weighs images in float32


@pytest.mark.parametrize("name", CALLS)
def test_first_and_second_derivatives(name: str) -> None:
    call, arrays = CALLS[name]
    tensors = [inplacelab.to_tensor(a, stop_gradient=False) for a in arrays]
    assert gradcheck(lambda *t: call(inplacelab, *t), tensors)
    if name not in NO_SECOND_DERIVATIVE:
        assert gradgradcheck(lambda *t: call(inplacelab, *t).square(), tensors)


@for_each(("left", "right"), product([each for n in range(4) for each in permutations(range(3), n)], repeat=2))
def test_a_shorter_list_of_axes_goes_on_like_the_longer(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    """All lists of different axes: the sums are NumPy's, unless an axis is named twice."""
    x, y = numbers(3, 3, 3), numbers(3, 3, 3, seed=1)
    longer = left + right[len(left) :], right + left[len(right) :]
    sums = lambda: inplacelab.tensordot(inplacelab.to_tensor(x), inplacelab.to_tensor(y), [list(left), list(right)])  # noqa: E731
    if all(len({*each}) == len(each) for each in longer):
        np.testing.assert_allclose(sums().numpy(), np.tensordot(x, y, longer))
    else:
        with pytest.raises(ValueError, match="must be a permutation of the 3 axes"):
            sums()


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
        (
            lambda p: p.tensordot(p.ones([2, 2]), p.ones([3]), 1),
            errors.AssertedArgumentError,
            "'x' has size 2 in dim 1",
        ),
        (lambda p: p.tensordot(p.ones([2]), p.ones([2]), -1), errors.AssertedArgumentError, "should not be negative"),
        (lambda p: p.tensordot(p.ones([2]), p.ones([2]), 2), errors.AxisError, "range"),
        (
            lambda p: p.tensordot(p.ones([2]), p.ones([2]), [0, [0]]),
            errors.ArgumentError,
            "a number, a list, or two lists",
        ),
        (lambda p: p.quantile(p.ones([2]), 1.5), errors.ArgumentError, "from 0 to 1"),
        (lambda p: p.take(p.ones([2]), p.to_tensor([5])), errors.IndexRangeError, "5"),
        (lambda p: p.median(p.ones([3]), mode="max"), errors.ArgumentError, "mode"),
        (lambda p: p.median(p.ones([0])), errors.ArgumentError, "median"),
        (lambda p: p.mode(p.ones([2, 0])), errors.ArgumentError, "mode"),
        (lambda p: p.bincount(p.to_tensor([-1, 2])), errors.ArgumentError, "0 or more"),
        (lambda p: p.bincount(p.to_tensor([1, 2]), p.ones([3])), errors.ArgumentError, "weights"),
        (lambda p: p.histogram(p.ones([3]), 0), errors.ArgumentError, "bins"),
        (lambda p: p.histogram(p.ones([3]), 3, 2, 1), errors.ArgumentError, "max"),
        (lambda p: p.searchsorted(p.ones([2, 3]), p.ones([3, 3])), errors.ArgumentError, "sorted_sequence"),
        (lambda p: p.bucketize(p.ones([3]), p.ones([2, 2])), errors.ArgumentError, "a vector"),
        (lambda p: p.diff(p.ones([3]), 0), errors.ArgumentError, "1 or more"),
        (lambda p: p.cross(p.ones([2, 2]), p.ones([2, 2])), errors.ArgumentError, "three elements"),
        (lambda p: p.cross(p.ones([3]), p.ones([2, 3])), errors.ShapeError, "cross"),
        (lambda p: p.diag_embed(p.ones([2]), 0, 1, -1), errors.ArgumentError, "dim2"),
        (lambda p: p.complex(p.ones([2]), p.ones([2], "float64")), errors.DTypeError, "float64"),
        (lambda p: p.linalg.matrix_norm(p.ones([2, 2]), 3), errors.ArgumentError, "norm"),
        (
            lambda p: p.nn.functional.interpolate(p.ones([1, 1, 2]), [4], mode="bilinear"),
            errors.ArgumentError,
            "for 3 axes",
        ),
        (
            lambda p: p.nn.functional.interpolate(p.ones([1, 1, 2]), [4], align_corners=True),
            errors.ArgumentError,
            "align_corners",
        ),
        (lambda p: p.nn.functional.interpolate(p.ones([1, 1, 2])), errors.ArgumentError, "scale_factor"),
        (lambda p: p.nn.functional.interpolate(p.ones([1, 1, 2]), [0]), errors.ArgumentError, "greater than 0"),
        (lambda p: p.repeat_interleave(p.ones([3]), p.to_tensor([1, 2])), errors.ArgumentError, "repeats"),
    ],
)
def test_refusals(call: Function, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        call(inplacelab)


NOT_DIFFERENTIABLE: dict[str, tuple[Function, tuple[Any, ...]]] = {
    "nextafter": (lambda m, x, y: m.nextafter(x, y), (TALL, -TALL)),
    "count_nonzero": (lambda m, x: m.count_nonzero(x, 1, keepdim=True), (STEPS,)),
    "median of integers": (lambda m, x: m.median(x, 0), (STEPS,)),
    "median with NaN": (lambda m, x: m.median(x.masked_fill(m.to_tensor(HOLE), np.nan), 0), (TALL,)),
    "mode": (lambda m, x: m.mode(x, 1), (STEPS,)),
    "mode, kept": (lambda m, x: m.mode(x.cast("float32"), 0, keepdim=True), (STEPS,)),
    "histogram": (lambda m, x: m.histogram(x, 4), (TALL,)),
    "histogram, bounds": (lambda m, x: m.histogram(x, 3, 1, 3), (STEPS,)),
    "histogram, density": (lambda m, x: m.histogram(x, 4, density=True), (TALL,)),
    "histogram, weights": (lambda m, x, w: m.histogram(x, 4, -1, 1, w), (TALL, TALL * TALL)),
    "histogram of one value": (lambda m, x: m.histogram(x, 4), (np.ones(3),)),
    "bincount": (lambda m, x: m.bincount(x, minlength=6), (STEPS[0],)),
    "bincount, weights": (lambda m, x, w: m.bincount(x, w), (STEPS[0], np.arange(4.0))),
    "bincount, whole weights": (lambda m, x: m.bincount(x, x), (STEPS[0],)),
    **{f"searchsorted, {right}": (lambda m, x, y, right=right: m.searchsorted(x, y, right=right), (np.sort(STEPS, 1), STEPS)) for right in (True, False)},
    "searchsorted in a vector": (lambda m, x, y: m.searchsorted(x, y, out_int32=True), (np.sort(STEPS[0]), STEPS)),
    "bucketize": (lambda m, x, y: m.bucketize(x, y, right=True), (STEPS, np.sort(STEPS[0]))),
    "isin": (lambda m, x, y: m.isin(x, y), (STEPS, STEPS[0, :2])),
    "isin, inverted": (lambda m, x, y: m.isin(x, y, invert=True), (STEPS, STEPS[0, :2])),
    **{f"unique_consecutive, {axis}": (lambda m, x, axis=axis: m.unique_consecutive(x, True, True, axis), (STEPS // 2,)) for axis in (None, 0, 1)},
    "logspace": (lambda m: m.logspace(0, 3, 4, 2, "float64"), ()),
    "matrix_rank of a symmetric matrix": (lambda m, x: m.linalg.matrix_rank(x, hermitian=True), (POSITIVE,)),
    "corrcoef of one variable": (lambda m, x: m.linalg.corrcoef(x), (LINE,)),
}  # fmt: skip


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NOT_DIFFERENTIABLE)
def test_values_without_gradients(paddle: Any, name: str) -> None:
    call, arrays = NOT_DIFFERENTIABLE[name]
    answers = [call(module, *map(module.to_tensor, arrays)) for module in (inplacelab, paddle)]
    pairs = zip(*(each if isinstance(each, tuple | list) else [each] for each in answers), strict=True)
    for ours, theirs in pairs:
        assert (ours.numpy().shape, ours.numpy().dtype) == (theirs.numpy().shape, theirs.numpy().dtype)
        np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-6)


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
    x.grad = inplacelab.to_tensor([np.inf, 1.0])
    with pytest.raises(RuntimeError, match="non-finite"):
        utils.clip_grad_norm_([x], 5.0, error_if_nonfinite=True)


def test_modules_of_graphs_are_refused_with_one_sentence() -> None:
    for name in ("jit", "static"):
        with pytest.raises(AttributeError, match="every operation runs immediately"):
            getattr(inplacelab, name)
