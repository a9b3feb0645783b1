"""On a real GPU the text computes what it computes on the CPU.

    compute-sanitizer --tool memcheck --error-exitcode 1 python -m pytest -n0 -m gpu tests/kernels/test_gpu.py

checks every access, too; `--tool racecheck` checks those to shared memory. Arrays are allocated one by one here, not from CuPy's
pool: otherwise an access outside one array could be in the next, undetected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from inplacelab import kernels
from inplacelab.kernels import geometry, launching, on_cpu, on_gpu, sources
from inplacelab.kernels.kernel import Elementwise
from inplacelab.kernels.launch import C_TYPES, Memory
from inplacelab.kernels.own_kernels import data_types, result
from inplacelab.kernels.sources import Form, Source
from inplacelab.layout import Layout
from inplacelab.ops import ROWS

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module")
def cupy() -> Iterator[Any]:
    library = pytest.importorskip("cupy", reason="needs CuPy: python -m pip install -e '.[gpu13]'")
    if not library.cuda.is_available():
        pytest.skip("needs a CUDA device; CuPy finds none")
    pool = library.cuda.get_allocator()
    library.cuda.set_allocator(None)
    yield library
    library.cuda.set_allocator(pool)


@pytest.fixture
def both(cupy: Any, compiler: str) -> Callable[..., None]:
    """Runs a kernel on both, and compares every array afterwards."""

    def both(kernel: Source, grid: geometry.Grid, *arguments: Any, rtol: float = 0.0) -> None:
        there = [cupy.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments]
        on_cpu.run(kernel, *grid, [on_cpu.memory(a) if isinstance(a, np.ndarray) else a for a in arguments])
        given = [Memory(a.data.ptr, a.data.ptr, a.nbytes) if isinstance(a, cupy.ndarray) else a for a in there]
        on_gpu.run(kernel, *grid, given)
        for here, device in zip(arguments, there, strict=True):
            if isinstance(here, np.ndarray):
                np.testing.assert_allclose(cupy.asnumpy(device), here, rtol=rtol, atol=rtol)

    return both


CLOSE = {"float32": 1e-5, "float64": 1e-13, "float16": 1e-3}
"""The allowed difference of functions of CUDA and of the C library."""


def drawn(*shape: int, dtype: str = "float32") -> Any:
    return np.random.default_rng(5).uniform(0.1, 0.9, shape).astype(dtype)


@pytest.mark.parametrize("dtype", CLOSE)
@pytest.mark.parametrize("layout", ["contiguous", "strided"])
def test_expressions(both: Callable[..., None], dtype: str, layout: str) -> None:
    chosen = [
        kernels.source(row.name, dtype, layout) for row in ROWS.values() if row.ordinary and dtype in data_types(row)
    ]
    on_cpu.compile_together(chosen)
    for kernel in chosen:
        arrays = [drawn(1027, dtype=p.dtype) for p in kernel.operands]
        numbers = [p.dtype == "bool" or 0.5 for p in kernel.parameters if p.kind == "number"]
        layouts = [Layout((1027,), (1,), 0) for p in kernel.parameters if p.kind == "layout"]
        grid = geometry.elementwise(1027, kernel.width)
        both(kernel, grid, *arrays, *numbers, *layouts, 1027, rtol=CLOSE[dtype])


@pytest.mark.parametrize("dtype", C_TYPES)
@pytest.mark.parametrize("name", ["maximum", "greater_than", "logical_xor"])
def test_every_form(both: Callable[..., None], name: str, dtype: str) -> None:
    """Contiguous and through layouts, single elements and packs, with indices of 32 and of 64 bits."""
    row, width = ROWS[name], C_TYPES[dtype].width
    if dtype not in data_types(row):
        pytest.skip(f"{name} has no kernel for {dtype}")
    kernel = Elementwise((row,), in_place=False)
    rows = Layout((16, 32), (48, 1), 16)
    forms = [Form("contiguous", width), Form("contiguous", 1)]
    forms += [Form("strided", each, bits, 2) for each in (1, width) for bits in (32, 64)]
    on_cpu.compile_together([kernel.source_for(dtype, form) for form in forms])
    for form in forms:
        arrays = [np.random.default_rng(k).choice([0, 0, 1, 7, 90], (17, 48)).astype(dtype) for k in (1, 2)]
        out = np.zeros((17, 48), result(row, dtype))
        n, layouts = rows.size // form.width, [launching.packs(rows, form.width)] * 3
        if form.kind == "contiguous":
            n, layouts = out.size - 3, []
        both(kernel.source_for(dtype, form), geometry.elementwise(rows.size, form.width), *arrays, out, *layouts, n)


@pytest.mark.parametrize("dtype", C_TYPES)
def test_casts(both: Callable[..., None], dtype: str) -> None:
    """Also of what is beyond the range of the other type, and of what is between its numbers."""
    cast = Elementwise((ROWS["cast"],), in_place=False)
    wanted = {other: cast.source_for((dtype, other), Form()) for other in C_TYPES if other != dtype}
    on_cpu.compile_together([*wanted.values()])
    drawn_from = np.random.default_rng(3)
    with np.errstate(over="ignore", invalid="ignore"):
        values = (drawn_from.normal(size=1027) * 10.0 ** drawn_from.integers(-12, 12, 1027)).astype(dtype)
    for other, kernel in wanted.items():
        both(kernel, geometry.elementwise(1027, kernel.width), values, np.zeros(1027, other), 1027)


def test_the_smallest_numbers_are_not_taken_for_zero(both: Callable[..., None]) -> None:
    """Independently of CuPy's options for its own kernels."""
    tiny = np.array([1e-45, -1e-45, 1e-40, -1e-40, 1.2e-38], "float32")
    programs: dict[str, list[Any]] = {
        "relu_": [tiny.copy()],
        "add_": [tiny.copy(), tiny[::-1].copy(), 1],
        "abs": [tiny, tiny * 0],
    }
    for name, operands in programs.items():
        both(kernels.source(name), geometry.elementwise(5, 4), *operands, 5)


def test_elements_are_found_along_several_axes(both: Callable[..., None]) -> None:
    """The products that replace divisions."""
    lying = Layout((7, 11, 13, 3), (1, 7, 77, 1001), 0)
    kernel = Elementwise((ROWS["neg"],), in_place=True).source_for("float32", Form("strided", 1, 32, 4))
    both(kernel, geometry.elementwise(lying.size), drawn(lying.size), lying, lying.size)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_texts_of_their_own(both: Callable[..., None], dtype: str) -> None:
    close = 1e-5 if dtype == "float32" else 1e-12
    both(sources.normalize(dtype), geometry.rows(3), drawn(3, 700, dtype=dtype), 1e-5, 3, 700, rtol=close)
    both(
        sources.transpose(dtype), geometry.tiles(45, 71), drawn(45, 71, dtype=dtype), np.zeros((71, 45), dtype), 45, 71
    )
    both(sources.transpose_square(dtype), geometry.tiles(71, 71), drawn(71, 71, dtype=dtype), 71)
    index = np.arange(1000) % 7
    both(sources.scatter_add(dtype), geometry.elementwise(1000), np.zeros(9, dtype), index, drawn(1000, dtype=dtype), 1000, rtol=close)  # fmt: skip
