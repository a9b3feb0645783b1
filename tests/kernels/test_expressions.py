"""Every CUDA expression of the table, executed, agrees with NumPy to a number of units in the last place."""

from __future__ import annotations

from operator import itemgetter
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import errors, kernels
from inplacelab.kernels import on_cpu
from inplacelab.kernels.kernel import Elementwise
from inplacelab.kernels.own_kernels import data_types
from inplacelab.ops import ROWS
from inplacelab.ops.table import LazyFunction
from inplacelab.ops.table.row import Row
from tests.subtests import for_each
from tests.tiers import choose, sample

WITH_EXPRESSION = [row for row in ROWS.values() if row.cuda and row.ordinary and row.name != "cast"]
"""(Casts are in test_data_types.py.)"""

ULPS = {
    # One rounding each on both sides, or none: equal to the last bit.
    **dict.fromkeys((row.name for row in WITH_EXPRESSION), 0),
    # Functions of libm on one side, NumPy's own vector loops on the other: each promises 4 units or better.
    **dict.fromkeys((
        "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh",
        "asinh", "acosh", "atanh", "erf", "hypot", "atan2", "_atan2", "pow", "ldexp", "elu", "sinc",
    ), 4),
    # Several such steps, whose errors add up.
    **dict.fromkeys(("sigmoid", "silu", "logit", "logaddexp"), 8),
    "softplus": 32,  # NumPy's logaddexp of values near zero
    "lgamma": 32, "gammaln": 32,  # in units of the last place of 1 at least: near its zeros at 1 and 2 SciPy loses digits
}  # fmt: skip

ATTRS: dict[str, dict[str, Any]] = {
    "scale": {"scale": -1.5, "bias": 0.25}, "add": {"alpha": 3}, "subtract": {"alpha": 3}, "addcmul": {"value": -2},
    "addcdiv": {"value": -2}, "clip": {"min": -1, "max": 2}, "clamp_min": {"min": -1}, "clamp_max": {"max": 2},
    "leaky_relu": {"negative_slope": 0.25}, "elu": {"alpha": 2.0}, "softplus": {"beta": 2.0, "threshold": 10.0},
    "thresholded_relu": {"threshold": 0.5, "value": -3.0},
}  # fmt: skip
INTEGER_ATTRS = {"scale": {"scale": -2, "bias": 3}, "clip": {"min": 1, "max": 2}, "clamp_min": {"min": 1}}
OUTSIDE_GAMMA = ("lgamma", "gammaln")
"""At -inf and for denormals the two disagree: SciPy gives -inf and inf, C and CUDA give inf and 744.4."""

SIGN_OF_ZERO_LEFT_OPEN = (
    "maximum",
    "minimum",
    "fmax",
    "fmin",
    "relu",
    "relu6",
    "clip",
    "hardtanh",
    "clamp_min",
    "clamp_max",
)
"""IEEE 754 does not define which of 0.0 and -0.0 is larger, and NumPy's loops differ between processors."""


def samples(dtype: str) -> np.ndarray[Any, Any]:
    """Difficult numbers: nan, infinities, both zeros, denormals, limits; and ordinary ones."""
    given = np.dtype(dtype)
    if given.kind == "b":
        return np.array([True, False])
    if given.kind in "iu":
        low, high = np.iinfo(given).min, np.iinfo(given).max
        return np.array([v for v in (low, -7, -2, -1, 0, 1, 2, 3, 9, high) if low <= v <= high], given)
    limits = np.finfo(given)
    denormal = limits.smallest_subnormal
    special = [np.nan, np.inf, 0.0, denormal, 3 * denormal, limits.tiny, limits.max, limits.eps]
    plain = [0.1, 0.25, 0.5, 0.999, 1.0, 1.0 + float(limits.eps), 1.5, 2.0, 2.5, 3.0, 6.5, 10.0, 19.9, 20.1, 80.0, 1e4]
    positive = np.array([*special, *plain], given)
    return np.concatenate([positive, -positive])


def operands(row: Row, dtype: str) -> list[np.ndarray[Any, Any]]:
    """Every combination of two samples; a third operand goes round."""
    values = samples(dtype)
    first, second = (np.ravel(a) for a in np.meshgrid(values, values))
    given = [first, second, np.roll(first, 5)][: len(row.inputs)] if len(row.inputs) > 1 else [values]
    given = [a > 0 if name in row.masks else a for a, name in zip(given, row.inputs, strict=True)]
    if row.validate is not None and len(given) == 2:  # divisors
        given = [a[given[1] != 0] for a in given]
    if row.name in OUTSIDE_GAMMA:
        given = [a[(a != -np.inf) & ~(np.abs(a) < np.finfo(dtype).tiny)] for a in given]
    return [np.ascontiguousarray(a) for a in given]


def attributes(row: Row, dtype: str) -> dict[str, Any]:
    integers = INTEGER_ATTRS if np.dtype(dtype).kind in "iu" else {}
    return integers.get(row.name, ATTRS.get(row.name, {}))


def distance(found: Any, expected: Any, least: float, *, signs: bool) -> Any:
    """In units in the last place of what is expected, or of `least` if that is more; 0 for two that are nan or equal. Of zeros the sign counts, if `signs`."""
    found, expected = np.asarray(found), np.asarray(expected)
    alike = (np.signbit(found) == np.signbit(expected)) | (not signs)
    same = ((found == expected) & alike) | (np.isnan(found) & np.isnan(expected))
    with np.errstate(all="ignore"):
        apart = np.abs(found - expected) / np.spacing(np.maximum(np.abs(expected), found.dtype.type(least)))
    return np.where(same, 0, np.where(np.isfinite(apart) & (apart > 0), apart, np.inf))


SINGLE = sample(
    [row for row in WITH_EXPRESSION if "float32" in data_types(row)],
    one_in=choose(8, 1, 1),
    name=lambda row: row.name,
)


@pytest.fixture(scope="session")
def compiled(compiler: str) -> None:
    """The kernels in single precision, compiled at once."""
    on_cpu.compile_together([Elementwise([row], in_place=False).source("float32") for row in SINGLE])


def check(row: Row, dtype: str) -> None:
    arrays, attrs = operands(row, dtype), attributes(row, dtype)
    tensors = [paddle.to_tensor(a) for a in arrays]
    try:
        expected = with_numpy(row, tensors, attrs)
    except errors.Refusal as refusal:
        with pytest.raises(type(refusal)):
            call(kernels.get(row.name), row, tensors, attrs)
        return
    found = call(kernels.get(row.name), row, tensors, attrs).numpy()
    assert found.dtype == expected.dtype
    if found.dtype.kind != "f":
        np.testing.assert_array_equal(found, expected)
        return
    least = 1.0 if row.name in OUTSIDE_GAMMA else float(np.finfo(found.dtype).tiny)
    apart = distance(found, expected, least, signs=row.name not in SIGN_OF_ZERO_LEFT_OPEN)
    worst = int(np.argmax(apart))
    assert apart[worst] <= ULPS[row.name], f"{[a[worst] for a in arrays]}: {found[worst]!r}, not {expected[worst]!r}"


def with_numpy(row: Row, tensors: list[Any], attrs: dict[str, Any]) -> Any:
    """The result of the row; for half precision, its result in single precision, rounded once: NumPy rounds after every step,
    and intermediate results may overflow.
    """
    half = tensors[0].array.dtype == np.float16
    given = [each.astype("float32") if half and each.array.dtype != bool else each for each in tensors]
    found = call(row_function(row), row, given, attrs).numpy()
    with np.errstate(over="ignore"):
        return found.astype("float16") if half and found.dtype == np.float32 else found


def call(function: Any, row: Row, tensors: list[Any], attrs: dict[str, Any]) -> Any:
    return function(**dict(zip(row.inputs, tensors, strict=True)), **attrs)


def row_function(row: Row) -> Any:
    return getattr(paddle.Tensor, row.name) if row.method else LazyFunction(row, "ordinary").function()


@for_each("row", SINGLE, ids=lambda row: row.name)
def test_single_precision(row: Row, compiled: None) -> None:
    check(row, "float32")


OTHERS = sample(
    [(row, dtype) for row in WITH_EXPRESSION for dtype in data_types(row) if dtype != "float32"],
    one_in=choose(4, 4, 1),
    by=[lambda each: each[0].name, itemgetter(1)],
    name=lambda each: f"{each[0].name} {each[1]}",
)


@pytest.fixture(scope="session")
def all_compiled(compiler: str) -> None:
    on_cpu.compile_together([Elementwise([row], in_place=False).source(dtype) for row, dtype in OTHERS])


@pytest.mark.standard
@for_each(("row", "dtype"), OTHERS, ids=lambda other: f"{other[0].name} {other[1]}")
def test_other_data_types(row: Row, dtype: str, all_compiled: None) -> None:
    check(row, dtype)


def test_every_row_with_an_expression_has_a_kernel() -> None:
    assert all(data_types(row) for row in WITH_EXPRESSION)
    assert len(WITH_EXPRESSION) > 75


def test_a_neighbor_in_half_precision_has_no_kernel() -> None:
    """A kernel would compute in single precision, and round the neighbor back."""
    assert data_types(ROWS["nextafter"]) == ("float32", "float64")
