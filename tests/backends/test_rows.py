"""Every row of the table, in every variant and every dtype, on every device."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import Tensor, errors, observe
from inplacelab.backends.cuda import CudaDevice
from inplacelab.backends.cupy_calls import NOT_YET
from tests.row_cases.each import for_each_variant

DRAWN = frozenset({"uniform", "normal", "log_normal", "exponential", "cauchy", "bernoulli", "geometric", "random"})
"""Rows whose numbers come from a stream: a GPU has a separate stream."""

NOT_ON_A_GPU = {
    "_bessel_i": "iv", "_spherical_bessel": "spherical_jn", "inverse": "inv", "_det": "det", "_logabsdet": "slogdet", "_solve": "solve",
    "_cholesky": "cholesky", "_eigvalsh": "eigvalsh", "_eigenvectors": "eigh", "_q": "qr", "_r": "qr", "_svdvals": "svd", "_left": "svd",
    "_right": "svd",
}  # fmt: skip
"""Rows that a GPU refuses, and the function that CuPy lacks."""

DERIVATIVE_NOT_ON_A_GPU = {"i1": "iv", "sinc": "spherical_jn", **NOT_ON_A_GPU}

DTYPES = (
    "float64", "float32", "float16", "int64", "int32", "int16", "int8", "uint8", "bool", "complex64", "complex128",
)  # fmt: skip

WITHIN = {"float64": 1e-10, "complex128": 1e-10, "float32": 2e-5, "complex64": 2e-5, "float16": 4e-3}
"""The allowed difference of results, relative to the larger of 1 and their size. Integers and bools are equal.

NumPy and CUDA round functions such as `exp` and `sin` to within a few units in the last place, not always alike, and add up in
another order; the gamma functions are other approximations. Half precision is computed in single precision on both.
"""


class Outcome(NamedTuple):
    """The outcome of a call: the result, with the gradients of the inputs if requested; or the refusal."""

    values: list[Any]
    refusal: Exception | None = None


def _arrays(case: Any, dtype: str) -> list[Any]:
    return [a.astype(dtype) if a.dtype.kind == "f" else a for a in case.arrays()]


def _run(case: Any, variant: str, arrays: list[Any], device: Any) -> Tensor:
    result: Tensor = case.call(variant, [paddle.to_tensor(a, place=device) for a in arrays])
    assert result.storage.device is device
    return result


def _outcome(case: Any, variant: str, dtype: str, device: Any) -> Outcome:
    try:
        return Outcome([_run(case, variant, _arrays(case, dtype), device).numpy()])
    except (errors.Refusal, TypeError) as refusal:
        return Outcome([], refusal)


def _check_equal(found: list[Any], expected: list[Any], dtype: str) -> None:
    for one, other in zip(found, expected, strict=True):
        # (Of integers, results may be floating-point numbers of single precision.)
        within = max(WITHIN.get(dtype, 0.0), WITHIN.get(one.dtype.name, 0.0))
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        if one.dtype.kind in "fc":
            np.testing.assert_allclose(one, other, rtol=within or 1e-10, atol=within or 1e-10)
        else:
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    "device",
    [
        *(pytest.param(name, marks=pytest.mark.standard) for name in ("cpu", "simulated")),  # NumPy's arrays on both
        "stand-in",
        pytest.param("gpu", marks=pytest.mark.gpu),
    ],
    indirect=True,
)
@for_each_variant()
def test_it_computes_what_numpy_computes(case: Any, variant: str, device: Any) -> None:
    if device.generator_kind == "cupy" and case.row.name in NOT_ON_A_GPU:
        with pytest.raises(NotImplementedError, match=NOT_ON_A_GPU[case.row.name]):
            _run(case, variant, case.arrays(), device)
    elif not (device.generator_kind == "cupy" and case.row.name == "uniform"):  # the other draws leave no choice
        result = _run(case, variant, case.arrays(), device)
        _check_equal([result.numpy()], [case.expected(case.arrays()).astype(result.array.dtype)], "float64")


@pytest.mark.standard
@for_each_variant()
def test_every_dtype_gives_what_the_cpu_gives_or_is_refused_as_there(
    case: Any, variant: str, cupys: CudaDevice
) -> None:
    if case.row.name in DRAWN or case.row.name in NOT_ON_A_GPU:
        return
    for dtype in DTYPES:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # NumPy's warnings about values, on the CPU
            expected = _outcome(case, variant, dtype, paddle.backends.CPU)
            found = _outcome(case, variant, dtype, cupys)
        assert (found.refusal is None) == (expected.refusal is None), (dtype, found.refusal, expected.refusal)
        if isinstance(expected.refusal, errors.Refusal):
            assert str(found.refusal) == str(expected.refusal), dtype
        _check_equal(found.values, expected.values, dtype)


def _gradients(case: Any, variant: str, device: Any) -> list[Any]:
    leaves = [paddle.to_tensor(a, place=device) for a in case.arrays()]
    for leaf in leaves:
        leaf.stop_gradient = leaf.array.dtype.kind != "f"
    result = case.call(variant, [leaf if leaf.stop_gradient else leaf.clone() for leaf in leaves])
    if result.array.dtype.kind != "f" or result.stop_gradient:
        return []
    try:
        (result * result).sum().backward()
    except errors.NoGradientError as refusal:  # as for the first argument of `gammainc`
        return [np.array(str(refusal))]
    return [leaf.grad.numpy() for leaf in leaves if leaf.grad is not None]


@pytest.mark.standard
@for_each_variant()
def test_gradients_are_those_of_the_cpu(case: Any, variant: str, cupys: CudaDevice) -> None:
    if case.row.name in DERIVATIVE_NOT_ON_A_GPU and case.arrays()[0].dtype.kind == "f":
        with pytest.raises(NotImplementedError, match=DERIVATIVE_NOT_ON_A_GPU[case.row.name]):
            _gradients(case, variant, cupys)
    elif case.row.name not in DRAWN:
        _check_equal(_gradients(case, variant, cupys), _gradients(case, variant, paddle.backends.CPU), "float64")


def test_what_is_refused_is_listed_with_its_reason_and_changes_nothing(cupys: CudaDevice) -> None:
    assert set(NOT_ON_A_GPU.values()) == set(NOT_YET)
    x = paddle.ones([3])
    with pytest.raises(NotImplementedError, match="does not run on the GPU yet") as refused:
        x._bessel_i(2)
    assert str(NOT_YET["iv"]) in str(refused.value)
    assert (x.tolist(), x.inplace_version) == ([1.0, 1.0, 1.0], 0)


class _Told(observe.Observer):
    """The slots that are reported to observers."""

    def __init__(self) -> None:
        self.slots: list[Any] = []

    def operation(self, *_: Any, read: Any = None, written: Any = None, **__: Any) -> None:
        self.slots.append((read, written))


@for_each_variant(only=lambda case: case.row.selects)
def test_reported_slots_of_an_index_are_the_same(case: Any, variant: str, device: Any) -> None:
    reported = []
    for place in ("cpu", device):
        inputs = [paddle.to_tensor(each, place=place) for each in case.arrays()]
        listener = _Told()
        with observe.listening(listener):
            case.call(variant, inputs)
        reported.append(listener.slots)
    assert reported[0] == reported[1]
