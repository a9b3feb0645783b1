"""Kernels compute the right results, in any order of threads; and the shim detects errors that a GPU would not report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from inplacelab import errors
from inplacelab.kernels import geometry, on_cpu, sources
from inplacelab.kernels.sources import Form, Parameter, Source, Step, elementwise
from inplacelab.layout import Layout
from tests.kernels.traces import Race, races

RELU = [Step("relu_", "x > 0 ? x : 0")]
ORDERS = ("forward", "reversed", "shuffled")
FLOATS = ("float32", "float64")
Run = Callable[..., Any]


def drawn(*shape: int, dtype: str = "float64") -> Any:
    return np.random.default_rng(7).normal(3.0, 2.0, shape).astype(dtype)


def once(text: str, *parameters: Parameter, name: str = "once") -> Source:
    """A kernel that only a test needs."""
    return Source(name, "contiguous", f'extern "C" __global__ void {name}({text}', parameters, "float32")


X = Parameter("x", "slots", "float32", "both")
WAITS = once(
    "float *x)\n{ float next = x[(threadIdx.x + 1) % blockDim.x];\n__syncthreads();\nx[threadIdx.x] = next; }",
    X,
    name="waits",
)
SOME_WAIT = once("float *x)\n{ if (threadIdx.x < 3) __syncthreads();\n x[threadIdx.x] = 1; }", X, name="some_wait")


# ---- results --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("columns", [1, 2, 255, 256, 700])
def test_rows_are_normalized(run: Run, dtype: str, columns: int, order: str) -> None:
    x = drawn(3, columns, dtype=dtype)
    exact = x.astype("float64")
    expected = (exact - exact.mean(1, keepdims=True)) / np.sqrt(exact.var(1, keepdims=True) + 1e-5)
    run(sources.normalize(dtype), geometry.rows(3), x, 1e-5, 3, columns, order=order)
    np.testing.assert_allclose(x, expected, rtol=0, atol=2e-5 if dtype == "float32" else 1e-13)


def test_a_large_mean_does_not_hide_the_variance(run: Run) -> None:
    """The one-pass formula would subtract 1e8 from 1e8 here, which single precision cannot."""
    x = (1e4 + np.tile([-1.0, 1.0], 512)).astype("float32")
    run(sources.normalize("float32"), geometry.rows(1), x, 0.0, 1, x.size)
    np.testing.assert_allclose(np.abs(x), 1.0, rtol=1e-3)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("shape", [(1, 1), (32, 32), (33, 31), (64, 100), (5, 97)])
def test_a_matrix_is_transposed(run: Run, shape: tuple[int, int], order: str) -> None:
    x = drawn(*shape)
    out = np.zeros(shape[::-1])
    run(sources.transpose("float64"), geometry.tiles(*shape), x, out, *shape, order=order)
    np.testing.assert_array_equal(out, x.T)


def test_a_tall_matrix_is_transposed_by_fewer_blocks_than_it_has_tiles(run: Run) -> None:
    x, out = drawn(200, 40), np.zeros((40, 200))
    run(sources.transpose("float64"), geometry.Grid((2, 3, 1), (32, 8, 1)), x, out, 200, 40)
    np.testing.assert_array_equal(out, x.T)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("n", [1, 31, 32, 33, 96, 100])
def test_a_square_matrix_is_transposed_in_place(run: Run, n: int, order: str) -> None:
    x = drawn(n, n)
    expected = x.T.copy()
    run(sources.transpose_square("float64"), geometry.tiles(n, n), x, n, order=order)
    np.testing.assert_array_equal(x, expected)


@pytest.mark.parametrize("dtype", FLOATS)
def test_additions_meet_in_one_slot(run: Run, dtype: str) -> None:
    x, index, y = np.zeros(5, dtype), np.arange(1000) % 3, np.ones(1000, dtype)
    trace = run(sources.scatter_add(dtype), geometry.elementwise(1000), x, index, y, 1000, order="shuffled")
    assert x.tolist() == [334, 333, 333, 0, 0]
    assert races(trace) == []


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("n", [0, 1, 3, 4, 5, 1023, 1024, 1027])
def test_packs_and_what_is_left_over(run: Run, n: int, order: str) -> None:
    x = drawn(n + 1, dtype="float32") - 3
    expected = np.maximum(x[:n], 0)
    kernel = elementwise("relu", RELU, "float32", in_place=True)
    last = x[n]
    run(kernel, geometry.elementwise(n, 4), x[:n], n, order=order)
    np.testing.assert_array_equal(x[:n], expected)
    assert x[n] == last


def test_any_grid_does_all_elements(run: Run) -> None:
    kernel = elementwise("relu", RELU, "float32", in_place=True)
    for blocks in (1, 2, 7):
        x = drawn(1000, dtype="float32") - 3
        expected = np.maximum(x, 0)
        run(kernel, geometry.Grid((blocks, 1, 1), (32, 1, 1)), x, x.size)
        np.testing.assert_array_equal(x, expected)


# ---- errors that the shim detects -------------------------------------------------------------------------------------------


def test_leaving_the_storage_is_reported(run: Run) -> None:
    kernel = elementwise("relu", RELU, "float32", in_place=True)
    with pytest.raises(RuntimeError, match=r"thread 0 of block 0 touches byte 12 of the storage of `x`"):
        run(kernel, geometry.elementwise(4, 1), np.zeros(3, "float32"), np.int64(7) - 3)


def test_leaving_it_through_a_layout_is_reported(run: Run) -> None:
    kernel = elementwise("relu_strided", RELU, "float32", in_place=True, form=Form("strided"))
    x = np.ones(6, "float32")
    with pytest.raises(errors.KernelFaultError, match="illegal memory access"):
        run(kernel, geometry.elementwise(3), x, Layout((3,), (-2,), 3), 3)
    assert x.tolist() == [1] * 6


def test_a_pack_from_the_middle_of_two_is_reported(run: Run) -> None:
    kernel = elementwise("relu", RELU, "float32", in_place=True)
    with pytest.raises(RuntimeError, match=r"several elements of `x` at once, from byte 4"):
        run(kernel, geometry.elementwise(8, 4), np.zeros(9, "float32")[1:], 8)


def test_a_barrier_that_not_all_threads_reach_is_reported(run: Run) -> None:
    with pytest.raises(RuntimeError, match="a barrier was not reached by all threads"):
        run(SOME_WAIT, geometry.Grid((1, 1, 1), (8, 1, 1)), np.zeros(8, "float32"))


def test_two_barriers_are_not_one(run: Run) -> None:
    text = "float *x)\n{ if (threadIdx.x < 3) __syncthreads();\n else __syncthreads();\n x[threadIdx.x] = 1; }"
    with pytest.raises(RuntimeError, match="a barrier was not reached by all threads"):
        run(once(text, X), geometry.Grid((1, 1, 1), (8, 1, 1)), np.zeros(8, "float32"))


def test_a_race_is_found_and_shows_in_another_order(run: Run) -> None:
    """Every thread takes its neighbor's value, which that one may have replaced already."""
    kernel = once("float *x)\n{ x[threadIdx.x] = x[(threadIdx.x + 1) % blockDim.x]; }", X)
    results = []
    for order in ORDERS:
        x = np.arange(4, dtype="float32")
        trace = run(kernel, geometry.Grid((1, 1, 1), (4, 1, 1)), x, order=order)
        results.append(x.tolist())
        assert Race("x", 0, (0, 0), (0, 3)) in races(trace)
    assert results[0] != results[1]


def test_a_barrier_ends_a_race(run: Run) -> None:
    for order in ORDERS:
        x = np.arange(4, dtype="float32")
        trace = run(WAITS, geometry.Grid((1, 1, 1), (4, 1, 1)), x, order=order)
        assert (x.tolist(), races(trace)) == ([1, 2, 3, 0], [])


def test_a_text_that_does_not_compile_is_refused_with_the_compilers_words(run: Run) -> None:
    kernel = replace(once("float *x)\n{ x[0] = nonsense; }", X), name="once")
    with pytest.raises(RuntimeError, match="nonsense"):
        run(kernel, geometry.elementwise(1), np.zeros(1, "float32"))


def test_without_a_compiler_the_refusal_names_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(ImportError, match="apt-get install g") as refusal:
        on_cpu.compiler()
    assert isinstance(refusal.value, errors.MissingLibraryError)
    assert "编译器" in refusal.value.fix.zh
    assert "macOS" in refusal.value.fix.en
    assert "WSL" in refusal.value.fix.en


# ---- without contexts -------------------------------------------------------------------------------------------------------


@pytest.fixture
def by_threads(compiler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on macOS and Windows: a thread of the operating system for each thread of a block."""
    monkeypatch.setattr(on_cpu, "FLAGS", (*on_cpu.FLAGS, "-DONE_THREAD_EACH"))
    monkeypatch.setattr(on_cpu, "_ready", {})


@pytest.mark.standard
@pytest.mark.usefixtures("by_threads")
def test_threads_of_the_system_wait_for_each_other_too(run: Run) -> None:
    on_cpu.compile_together([sources.normalize("float64"), sources.transpose_square("float64"), WAITS, SOME_WAIT])
    for order in ORDERS:
        x, rows = drawn(33, 33), drawn(2, 40)
        expected = x.T.copy()
        trace = run(sources.transpose_square("float64"), geometry.tiles(33, 33), x, 33, order=order)
        np.testing.assert_array_equal(x, expected)
        assert races(trace) == []
        run(sources.normalize("float64"), geometry.rows(2), rows, 1e-5, 2, 40, order=order)
        np.testing.assert_allclose(rows.std(axis=1), 1, rtol=1e-4)
    with pytest.raises(RuntimeError, match="a barrier was not reached by all threads"):
        run(SOME_WAIT, geometry.Grid((2, 1, 1), (8, 1, 1)), np.zeros(8, "float32"))
    x = np.arange(4, dtype="float32")
    run(WAITS, geometry.Grid((1, 1, 1), (4, 1, 1)), x)  # after those that were given up
    assert x.tolist() == [1, 2, 3, 0]
