"""Functions of one tensor in PaddlePaddle 3.3.1 and here: dtypes, keywords, and the points where functions bend, jump or end.

Each program is a function of a tensor; it is run in both, on the same numbers. Where the two differ on purpose, the case is
not here but in the page of differences.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import inplacelab
from tests.subtests import for_each

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore::RuntimeWarning")]

Array = np.ndarray[Any, Any]
DTYPES = ("float32", "float64", "int32", "int64", "bool", "complex64", "complex128")
INF, NAN = float("inf"), float("nan")


@pytest.fixture(scope="module")
def paddle() -> Iterator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Paddle warns about its own dependencies while it is imported
        yield pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")


def found(module: Any, name: str) -> Callable[..., Any]:
    """The function of that name, in any module."""
    for place in (module.nn.functional, module, module.Tensor):
        if hasattr(place, name):
            return getattr(place, name)
    raise AttributeError(name)


def outcome(module: Any, name: str, array: Array, **given: Any) -> Any:
    """The outcome: dtype, shape and values; or the kind of the refusal."""
    x = module.to_tensor(array)
    try:
        result = found(module, name)(x, **given)
    except Exception as refused:  # noqa: BLE001  # the exceptions are compared
        return type(refused).__name__
    return str(result.dtype), list(result.shape), result.numpy()


def slope(module: Any, name: str, array: Array, **given: Any) -> Any:
    """The gradient of the sum, through a tensor that is written if the name ends in an underscore."""
    x = module.to_tensor(array, stop_gradient=False)
    result = found(module, name)(x.clone() if name.endswith("_") else x, **given)
    result.sum().backward()
    return x.grad.numpy()


def agree(ours: Any, theirs: Any) -> bool:
    """The same kind of refusal; or the same dtype, shape and values, as far as Paddle computes: complex128 in single precision."""
    if isinstance(ours, str) or isinstance(theirs, str):
        return bool(isinstance(ours, str) and ours == theirs)
    return ours[:2] == theirs[:2] and close(ours[2], theirs[2], 1e-9 if ours[0] == "paddle.float64" else 1e-6)


def close(ours: Array, theirs: Array, rtol: float = 1e-9) -> bool:
    with np.errstate(invalid="ignore"):
        return bool(np.allclose(ours, theirs, rtol=rtol, atol=rtol, equal_nan=True))


NUMBERS = np.array([[0.25, 0.5, 0.75], [0.9, 0.1, 0.6]])
"""Where all functions are defined, but for `acosh`."""

PLAIN = """abs atan asinh ceil cos cosh exp expm1 erf floor sigmoid sin sinh square tan tanh trunc i0 acos asin atanh erfinv log
log2 log10 log1p sqrt rsqrt reciprocal digamma gammaln lgamma logit round nan_to_num frac relu elu hardtanh leaky_relu
thresholded_relu softmax scale""".split()  # noqa: SIM905
ORDINARY_ONLY = ["sign", "sgn", "i1", "relu6", "silu", "softplus"]
ATTRIBUTES: dict[str, dict[str, Any]] = {
    "polygamma": {"n": 1}, "multigammaln": {"p": 1}, "pow": {"y": 2}, "clip": {"min": 0, "max": 1},
}  # fmt: skip
NAMES = [
    *PLAIN, *ATTRIBUTES, *ORDINARY_ONLY,
    *(name + "_" for name in (*PLAIN, *ATTRIBUTES)), "neg", "neg_", "sinc", "sinc_", "acosh", "acosh_",
]  # fmt: skip

DIFFERENT = {(name + end, "bool") for name in ("neg", "scale") for end in ("", "_")} | {
    ("sinc", "int32"), ("sinc", "int64"), ("sgn", "int32"), ("sgn", "int64"), ("sgn", "bool"),
    ("pow", "bool"), ("pow_", "bool"), ("softplus", "complex64"), ("softplus", "complex128"),
    *((name + end, d) for name in ("multigammaln",) for end in ("", "_") for d in ("int32", "int64")),
}  # fmt: skip
"""See the page of differences."""


@pytest.mark.parametrize("dtype", DTYPES)
@for_each("name", NAMES)
def test_values_dtypes_and_refusals(paddle: Any, name: str, dtype: str) -> None:
    if (name, dtype) in DIFFERENT:
        return  # listed as a difference
    numbers = NUMBERS + 1 if name.startswith("acosh") else NUMBERS
    array = (numbers * 1 if "float" in dtype or "complex" in dtype else numbers > 0.5).astype(dtype)
    for shown in (array, array.T, array[:1, :0], array[0, 0]):
        given = ATTRIBUTES.get(name.rstrip("_"), {})
        ours, theirs = (outcome(module, name, shown, **given) for module in (inplacelab, paddle))
        assert agree(ours, theirs), (ours, theirs)


EDGES = np.array([-INF, -0.0, -1.0, 0.0, 1.0, INF, NAN])
MANY = np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 25.0])
KEYWORDS: list[tuple[str, dict[str, Any]]] = [
    ("round", {"decimals": 1}), ("round", {"decimals": -1}), ("logit", {"eps": 0.2}), ("polygamma", {"n": 0}),
    ("polygamma", {"n": 3}), ("clip", {"min": -1.0, "max": 1.0}),
    ("scale", {"scale": 2.0, "bias": 1.0, "bias_after_scale": False}), ("pow", {"y": 0.5}), ("pow", {"y": 0}), ("pow", {"y": -1}),
    ("nan_to_num", {"nan": 5.0, "posinf": 7.0, "neginf": INF}), ("elu", {"alpha": 0.5}), ("hardtanh", {"min": -0.5, "max": 2.0}),
    ("hardtanh", {"min": 2.0, "max": -2.0}), ("leaky_relu", {"negative_slope": -0.5}),
    ("thresholded_relu", {"threshold": 0.5, "value": 3.0}),
]  # fmt: skip
VALUE_DIFFERS = {"sinc", "i0", "i1", "thresholded_relu", "erfinv", "lgamma", "gammaln", "polygamma", "pow"}
"""At infinity, nan or -0.0, or where there is no value. See the page of differences."""
AT_THE_EDGE = [n for n in NAMES if n.rstrip("_") not in {*ATTRIBUTES, "softmax"}]


ZERO_HAS_ANOTHER_SIGN = {"neg", "scale", "relu", "clip", "relu6"}


@for_each(("name", "given"), [*((n, {}) for n in AT_THE_EDGE), *KEYWORDS])
def test_values_at_the_edge(paddle: Any, name: str, given: dict[str, Any]) -> None:
    for points in (EDGES[2:5], MANY[2:4]) if name.rstrip("_") in VALUE_DIFFERS else (EDGES, MANY):
        ours, theirs = (outcome(module, name, points, **given) for module in (inplacelab, paddle))
        assert agree(ours, theirs), (ours, theirs)
        if not isinstance(ours, str) and name.rstrip("_") not in ZERO_HAS_ANOTHER_SIGN:
            known = ~np.isnan(ours[2])
            assert np.array_equal(np.signbit(ours[2])[known], np.signbit(theirs[2])[known])


@for_each(("name", "given"), [*((n, {}) for n in AT_THE_EDGE), *KEYWORDS, ("softmax", {"axis": 0})])
def test_gradients_at_the_edge(paddle: Any, name: str, given: dict[str, Any]) -> None:
    """Wherever the function has a value: gradients outside the domain mean nothing."""
    for points in (EDGES, MANY):
        value = found(inplacelab, name)(inplacelab.to_tensor(points), **given).numpy()
        inside = np.isfinite(value) & np.isfinite(points)
        ours, theirs = (slope(module, name, points, **given) for module in (inplacelab, paddle))
        assert close(ours[inside], theirs[inside]), (ours, theirs)


@pytest.mark.parametrize(
    "name",
    [
        "abs",
        "exp",
        "log",
        "sin",
        "tan",
        "acosh",
        "asin",
        "sigmoid",
        "square",
        "pow",
        "sqrt",
        "silu",
        "sgn",
        "tanh",
        "sinc",
    ],
)
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_gradients(paddle: Any, name: str, dtype: str) -> None:
    array = np.array([0.5 + 0.25j, 0.5 + 1j, 1.5 - 0.5j]).astype(dtype)
    given = ATTRIBUTES.get(name, {})
    ours, theirs = (slope(module, name, array, **given) for module in (inplacelab, paddle))
    assert close(ours, theirs, 1e-4 if dtype == "complex64" else 1e-6), (ours, theirs)


REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("polygamma", {"n": 1.5}), ("polygamma", {"n": -1}), ("multigammaln", {"p": 0}), ("clip", {"min": 2, "max": 1}), ("clip_", {"min": 2.0, "max": 1}),
    ("round", {"decimals": 1.5}), ("softmax", {"axis": 3}), ("softmax_", {"axis": -2}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "given"), REFUSED)
def test_the_same_refusals(paddle: Any, name: str, given: dict[str, Any]) -> None:
    ours, theirs = (outcome(module, name, EDGES, **given) for module in (inplacelab, paddle))
    assert isinstance(ours, str)
    assert ours == theirs


def test_a_negative_alpha_is_possible_out_of_place(paddle: Any) -> None:
    for function in (outcome, slope):
        ours, theirs = (function(module, "elu", MANY, alpha=-0.5) for module in (inplacelab, paddle))
        assert close(ours[2] if function is outcome else ours, theirs[2] if function is outcome else theirs)
