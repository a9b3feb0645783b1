"""Operands of any data type: converted as NumPy converts them, when they are read and when they are written."""

from __future__ import annotations

import platform
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import kernels
from inplacelab.kernels import on_cpu
from inplacelab.kernels.kernel import Elementwise
from inplacelab.kernels.launch import C_TYPES
from inplacelab.kernels.sources import Form, Source
from inplacelab.ops import ROWS
from tests.backends.launched import compile_for

pytestmark = pytest.mark.usefixtures("compiler")

FLOATS = ("float32", "float64", "float16")
CAST = Elementwise((ROWS["cast"],), in_place=False)


def cast_kernel(given: str, wanted: str) -> Source:
    return CAST.source_for((given, wanted), Form())


def numbers(dtype: str) -> Any:
    """Numbers of every magnitude of a type: with fractions, at its limits, half way between the numbers of a smaller type."""
    given = np.dtype(dtype)
    if given.kind == "b":
        return np.array([True, False, True])
    if given.kind in "iu":
        limits = np.iinfo(given)
        drawn = np.random.default_rng(1).integers(limits.min, limits.max, 500, given, endpoint=True)
        return np.concatenate([drawn, np.arange(120).astype(dtype), np.array([limits.min, limits.max], dtype)])
    drawn_from = np.random.default_rng(2)
    drawn = drawn_from.normal(size=2000) * 10.0 ** drawn_from.integers(-10, 12, 2000)
    edges = [
        0.0,
        -0.0,
        65504,
        65519,
        65520,
        2049,
        2051,
        3e-8,
        2.9e-8,
        1.00048828125,
        1.00146484375,
        2.0**31,
        -(2.0**31),
        1e30,
    ]
    with np.errstate(over="ignore"):
        values = np.concatenate([drawn, edges, -np.array(edges)]).astype(dtype)
    return values[np.isfinite(values)]


def check_cast(given: str, wanted: str) -> None:
    values = numbers(given)
    if (
        wanted.startswith(("int", "uint"))
        and given.startswith("float")
        and platform.machine() not in ("x86_64", "AMD64")
    ):
        limits = np.iinfo(wanted)  # for numbers out of range, other processors have other results
        values = values[(values > limits.min) & (values < limits.max)]
    with np.errstate(over="ignore", invalid="ignore"):
        expected = values.astype(wanted)
    found = kernels.run("cast", paddle.to_tensor(values), wanted).numpy()
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
    assert given[0] != "f" or wanted[0] != "f" or (np.signbit(found) == np.signbit(expected)).all()


SOME = [
    ("float32", "float16"), ("float64", "float16"), ("float16", "float32"), ("float32", "int8"), ("float64", "int64"),
    ("int64", "float16"), ("float16", "bool"),
]  # fmt: skip


def test_casts() -> None:
    on_cpu.compile_together([cast_kernel(*each) for each in SOME])
    for given, wanted in SOME:
        check_cast(given, wanted)


@pytest.mark.standard
def test_all_casts() -> None:
    pairs = [*permutations(C_TYPES, 2)]
    on_cpu.compile_together([cast_kernel(*each) for each in pairs])
    for given, wanted in pairs:
        check_cast(given, wanted)


def test_every_number_of_half_precision_is_read_and_written_as_it_is() -> None:
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    wide = kernels.run("cast", paddle.to_tensor(every), "float32")
    np.testing.assert_array_equal(wide.numpy(), every.astype("float32"))
    back = kernels.run("cast", wide, "float16").numpy()
    number = ~np.isnan(every)
    np.testing.assert_array_equal(back.view(np.uint16)[number], every.view(np.uint16)[number])
    assert np.isnan(back[~number]).all()


def test_half_precision_is_rounded_once() -> None:
    """In single precision `x * scale + bias` overflows nowhere on the way; NumPy rounds the product first."""
    x = paddle.to_tensor(np.array([60000.0, 1.0], "float16"))
    found = kernels.run("scale_", x, 2.0, -60000.0).tolist()
    assert found == [60000.0, np.float16(-59998.0)]


# ---- several types in one operation ---------------------------------------------------------------------------------------------


THOROUGHLY = [pytest.param(name, marks=pytest.mark.standard) for name in ("less_than", "maximum", "where", "copy_")]


@pytest.mark.parametrize("name", ["multiply", *THOROUGHLY])
def test_floating_point_numbers_meet_in_the_widest_type(name: str) -> None:
    values = np.array([1e-3, -2.5, 0.1, 3.0])

    def given(one: str, other: str) -> tuple[Any, ...]:
        x, y = paddle.to_tensor(values.astype(one)), paddle.to_tensor(values[::-1].astype(other))
        return (x.greater_than(paddle.zeros_like(x)), x, y) if name == "where" else (x, y)

    pairs = [("float32", "float16")] if name == "multiply" else [*product(FLOATS, FLOATS)]
    compile_for(*(lambda pair=pair: kernels.run(name, *given(*pair)) for pair in pairs))
    for pair in pairs:
        expected = plainly(name)(*given(*pair)).numpy()
        found = kernels.run(name, *given(*pair)).numpy()
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


def plainly(name: str) -> Any:
    function = paddle.where if name == "where" else getattr(paddle.Tensor, name)
    return lambda *given: function(*given)


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("divide", "int32"),
        *(
            pytest.param(*each, marks=pytest.mark.standard)
            for each in [("exp", "int64"), ("hypot", "int8"), ("atan2", "uint8"), ("sqrt", "int16")]
        ),
    ],
)
def test_integers_become_floating_point_numbers(name: str, dtype: str) -> None:
    given = [paddle.to_tensor(np.array(each).astype(dtype)) for each in ([1, 3, 100], [2, 7, 100])]
    given = given[: len(ROWS[name].inputs)]
    found, expected = kernels.run(name, *given).numpy(), plainly(name)(*given).numpy()
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=3e-7 if found.dtype == np.float32 else 1e-15)


def test_small_integers_are_not_computed_in_half_precision() -> None:
    x = paddle.to_tensor(np.array([100], "int8"))
    assert x.hypot(x).item() == pytest.approx(141.42136, abs=1e-5)


def test_bounds_with_fractions_are_not_cut_off() -> None:
    assert kernels.run("clip", paddle.to_tensor([-5, 0, 5]), -0.5, 1.5).tolist() == [-0.5, 0.0, 1.5]
