"""Our CUDA kernels on a GPU: the same launches on a real and a simulated one, by operations and by `kernels.run`.

The real GPU is replaced by CuPy's stand-in; a launch is noted there (`noted`), or run by g++.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import Tensor, errors, kernels
from inplacelab.backends import CPU, GPU, SIMULATED_GPU, cuda
from inplacelab.kernels import launching, on_cpu, on_gpu
from inplacelab.kernels.sources import Source
from tests.backends.launched import launches_on
from tests.backends.test_rows import DTYPES, _arrays, _check_equal
from tests.row_cases.every import CASES
from tests.tiers import choose, sample

OWN = [(case, variant) for case in CASES if case.row.cuda for variant in case.variants]
"""Every way to call a row that has an expression."""

COMPUTED = sample(
    [
        (dtype, *way)
        for dtype in ("float32", "float64", "float16", "int64", "int16", "int8", "uint8", "bool")
        for way in OWN
    ],
    one_in=choose(4, 4, 1),
    by=[lambda each: each[0], lambda each: (each[1].row.name, each[2])],
    name=lambda each: f"{each[0]} {each[1].name} {each[2]}",
)
"""The data types, and ways to call a row, in which a text is compiled and runs."""


def laid(array: Any, layout: str) -> Tensor:
    """A tensor with these values on the current device: packed, or with a gap after each element."""
    if layout == "packed" or not array.ndim:
        return paddle.to_tensor(array)
    wide = paddle.to_tensor(np.repeat(array, 2, axis=-1))
    return wide[..., ::2]


LEAST = {"float32": 100, "float64": 100, "float16": 100, "int64": 10, "bool": 10}
"""The least number of kernels launched for a data type. (Most cases have floating-point numbers, which are cast to it.)"""


def check_alike(dtype: str, layout: str) -> None:
    found = set()
    for case, variant in OWN:

        def program(case: Any = case, variant: str = variant) -> None:
            case.call(variant, [laid(each, layout) for each in _arrays(case, dtype)])

        simulated, real = launches_on(SIMULATED_GPU, program), launches_on(GPU, program)
        assert simulated == real, (case.name, variant)
        found |= {each.kernel for each in real if each.dtype == dtype}
    assert len(found) > LEAST.get(dtype, -1)


@pytest.mark.parametrize("layout", ["packed", pytest.param("apart", marks=pytest.mark.standard)])
def test_the_simulated_gpu_tells_of_what_a_real_one_launches(layout: str, noted: list[Source]) -> None:
    check_alike("float32", layout)
    assert len({source.text for source in noted}) > 100


@pytest.mark.standard
@pytest.mark.parametrize("dtype", DTYPES)
def test_so_it_does_in_every_dtype(dtype: str, noted: list[Source]) -> None:
    check_alike(dtype, "packed")


@pytest.mark.standard
@pytest.mark.parametrize("dtype", ["float32", "float16", "int64", "bool"])
def test_who_runs_a_kernel_by_its_name_launches_the_same(
    dtype: str, noted: list[Source], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launching, "run", lambda plan: None)
    compared = 0
    for case, variant in OWN:
        name = case.row.name + "_" * (variant == "in-place")
        try:
            kernel = kernels.get(name)
        except errors.Refusal:  # in place in name only
            continue
        if dtype not in kernel.dtypes:
            continue

        def by_name(case: Any = case, kernel: kernels.Kernel = kernel) -> None:
            arrays = _arrays(case, dtype)
            arrays[0] = arrays[0][1:] if case.row.name == "setitem" else arrays[0]
            kernel(**dict(zip(case.row.inputs, map(paddle.to_tensor, arrays), strict=True)), **case.attrs)

        def plainly(case: Any = case, variant: str = variant) -> None:
            case.call(variant, [paddle.to_tensor(each) for each in _arrays(case, dtype)])

        wanted, reported = launches_on(SIMULATED_GPU, by_name), launches_on(SIMULATED_GPU, plainly)
        if any(each.kernel != name for each in reported):  # of another data type, so in place in name only
            continue
        if case.row.name == "setitem":  # the same, in a part of a larger storage
            wanted = [replace(each, operands=reported[k].operands) for k, each in enumerate(wanted)]
        assert reported == wanted, name
        compared += len(reported)
    assert compared > {"float32": 100, "float16": 100, "int64": 30, "bool": 5}[dtype]


@pytest.mark.gpu
@pytest.mark.parametrize("layout", ["packed", "apart"])
def test_a_real_gpu_launches_what_the_simulated_one_tells(layout: str) -> None:
    if not cuda.found():
        pytest.skip("needs a GPU of NVIDIA, its driver, and CuPy: the stand-in runs the same test")
    paddle.set_device("gpu")
    check_alike("float32", layout)
    paddle.set_device("cpu")


# ---- the texts compute -------------------------------------------------------------------------------------------------------


@pytest.mark.standard
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's warnings about values, on the CPU
@pytest.mark.parametrize("dtype", dict.fromkeys(dtype for dtype, *_ in COMPUTED))
def test_the_texts_compute_what_the_cpu_computes(
    dtype: str, noted: list[Source], monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        on_cpu.compiler()
    except errors.MissingLibraryError as refusal:
        pytest.skip(f"needs a C++ compiler: {refusal.fix}")

    def outcome(case: Any, variant: str) -> list[Any]:
        return [case.call(variant, [paddle.to_tensor(each) for each in _arrays(case, dtype)]).numpy()]

    ways = [way for computed_in, *way in COMPUTED if computed_in == dtype]
    for case, variant in ways:
        launches_on(GPU, lambda case=case, variant=variant: outcome(case, variant))  # type: ignore[misc]
    on_cpu.compile_together(list(dict.fromkeys(noted)))
    monkeypatch.setattr(on_gpu, "run", on_cpu.run)
    for case, variant in ways:
        found = []
        for device in (GPU, CPU):
            paddle.set_device(device)
            with suppress(errors.Refusal, TypeError):
                found += outcome(case, variant)
        assert len(found) != 1, (case.name, variant)
        _check_equal(found[:1], found[1:], dtype)
