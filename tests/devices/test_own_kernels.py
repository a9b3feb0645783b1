"""Kernels of our own, on a GPU: the same launches whether it is real or simulated, and whoever asks for them.

What stands in for the real GPU here is CuPy's stand-in; a launch of ours is noted there (`noted`), or carried out by g++.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import Tensor, errors, kernels
from inplacelab.devices import CPU, GPU, SIMULATED_GPU, Device, cuda
from inplacelab.devices.cupy_calls import Cupy
from inplacelab.devices.kernels import launching, on_cpu, on_gpu, traffic
from inplacelab.devices.kernels.launch import Launch
from inplacelab.devices.kernels.source import Source
from tests.devices import stand_in
from tests.devices.test_rows import DTYPES, _arrays, _check_equal
from tests.row_cases.every import CASES

OWN = [(case, variant) for case in CASES if case.row.cuda for variant in case.variants]
"""Every way to call a row that has an expression."""


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Source]]:
    """A GPU that notes which texts it is given, and computes nothing."""
    seen: list[Source] = []
    monkeypatch.setitem(vars(GPU), "cupy", Cupy(stand_in, stand_in.special))
    monkeypatch.setattr(on_gpu, "run", lambda source, *_: seen.append(source))
    monkeypatch.setattr(on_gpu, "device_name", lambda: "stand-in")
    yield seen
    paddle.set_device("cpu")


def launches_on(device: Device, program: Callable[[], object]) -> list[Launch]:
    """What a program launches there, without what may differ: whether it was simulated, and by what."""
    paddle.set_device(device)
    with kernels.launches() as seen, suppress(errors.Refusal, TypeError), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # NumPy's remarks on values
        program()
    if seen:
        expected = ("", True) if device.simulated else (on_gpu.device_name(), False)
        assert {(each.device, each.simulated) for each in seen} == {expected}
    return [replace(each, device="", simulated=True) for each in seen]


def laid(array: Any, layout: str) -> Tensor:
    """A tensor with these values on the current device: packed, or with a gap after each element."""
    if layout == "packed" or not array.ndim:
        return paddle.to_tensor(array)
    wide = paddle.to_tensor(np.repeat(array, 2, axis=-1))
    return wide[..., ::2]


LEAST = {"float32": 100, "float64": 100, "int64": 2, "bool": 2}
"""How many kernels are launched at least for a data type. (Most cases have floating-point numbers, which are cast to it.)"""


def check_alike(dtype: str, layout: str) -> None:
    found = set()
    for case, variant in OWN:

        def program(case: Any = case, variant: str = variant) -> None:
            case.call(variant, [laid(each, layout) for each in _arrays(case, dtype)])

        simulated, real = launches_on(SIMULATED_GPU, program), launches_on(GPU, program)
        assert simulated == real, (case.name, variant)
        found |= {each.kernel for each in real if each.dtype == dtype}
    assert len(found) > LEAST.get(dtype, -1)


@pytest.mark.parametrize("layout", ["packed", pytest.param("apart", marks=pytest.mark.thorough)])
def test_the_simulated_gpu_tells_of_what_a_real_one_launches(layout: str, noted: list[Source]) -> None:
    check_alike("float32", layout)
    assert len({source.text for source in noted}) > 100


@pytest.mark.thorough
@pytest.mark.parametrize("dtype", DTYPES)
def test_so_it_does_in_every_dtype(dtype: str, noted: list[Source]) -> None:
    check_alike(dtype, "packed")


@pytest.mark.thorough
@pytest.mark.parametrize("dtype", ["float32", "int64", "bool"])
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

        wanted, told = launches_on(SIMULATED_GPU, by_name), launches_on(SIMULATED_GPU, plainly)
        if case.row.name == "setitem":  # the same, in a part of a larger storage
            wanted = [replace(each, operands=told[k].operands) for k, each in enumerate(wanted)]
        assert told == wanted, name
        compared += len(told)
    assert compared > {"float32": 100, "int64": 30, "bool": 5}[dtype]


@pytest.mark.gpu
@pytest.mark.parametrize("layout", ["packed", "apart"])
def test_a_real_gpu_launches_what_the_simulated_one_tells(layout: str) -> None:
    if not cuda.found():
        pytest.skip(
            "needs a GPU of NVIDIA, its driver, and CuPy: what stands in for it runs the same test in its place"
        )
    paddle.set_device("gpu")
    check_alike("float32", layout)
    paddle.set_device("cpu")


# ---- where there is no launch ------------------------------------------------------------------------------------------------


def ones(*shape: int, dtype: str = "float32") -> Tensor:
    return paddle.ones(list(shape), dtype=dtype)


ELSEWHERE: dict[str, Callable[[], object]] = {
    "half precision": lambda: ones(4, dtype="float16").exp_(),
    "complex": lambda: ones(4, dtype="complex64").square_(),
    "another dtype is promoted": lambda: ones(4).add_(ones(4, dtype="float64")),
    "cast by copying": lambda: ones(4).copy_(ones(4, dtype="float64")),
    "integers become floats": lambda: ones(4, dtype="int64").exp(),
    "an attribute beyond the text": lambda: ones(4).divide_(ones(4), rounding_mode="floor"),
    "no elements": lambda: ones(0, 3).relu_(),
    "no expression": lambda: ones(4).cumsum_(),
    "metadata only": lambda: ones(4, 2).t(),
}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_where_our_kernel_cannot_nothing_is_told(name: str, noted: list[Source]) -> None:
    for device in (SIMULATED_GPU, GPU):
        assert launches_on(device, ELSEWHERE[name]) == []
        results = [np.asarray(ELSEWHERE[name]().numpy())]  # type: ignore[attr-defined]
        paddle.set_device("cpu")
        _check_equal(results, [ELSEWHERE[name]().numpy()], "float32")  # type: ignore[attr-defined]
    assert noted == []


def test_a_refused_operation_launches_nothing(noted: list[Source]) -> None:
    def leaf() -> None:
        w = ones(4)
        w.stop_gradient = False
        w.relu_()

    def overlapping() -> None:
        x = ones(8)
        x[1:].add_(x[:-1])

    for program in (leaf, overlapping):
        assert launches_on(SIMULATED_GPU, program) == launches_on(GPU, program) == []
    assert noted == []


def test_the_cpu_launches_nothing_and_needs_none_of_it() -> None:
    assert not CPU.launches
    assert launches_on(CPU, lambda: ones(4).relu_()) == []


# ---- operations made of others, and what an operand is ------------------------------------------------------------------------


def told(program: Callable[[], object]) -> list[tuple[str, list[tuple[str, str, int]]]]:
    found = launches_on(SIMULATED_GPU, program)
    assert found == launches_on(GPU, program)
    return [(each.kernel, [(o.name, o.role, o.offset) for o in each.operands]) for each in found]


def test_operations_made_of_others_tell_of_every_launch(noted: list[Source]) -> None:
    def into() -> None:
        paddle.exp(ones(4), out=ones(4))

    def part() -> None:
        ones(8)[2:] = 5.0

    def in_name_only() -> None:
        ones(4).greater_than_(ones(4))

    assert told(into) == [
        ("exp", [("x", "reads", 0), ("out", "writes", 0)]),
        ("copy_", [("x", "writes", 0), ("y", "reads", 0)]),
    ]
    assert told(part) == [("setitem_", [("x", "writes", 2), ("y", "reads", 0)])]
    assert told(in_name_only) == [("greater_than", [("x", "reads", 0), ("y", "reads", 0), ("out", "writes", 0)])]


def test_what_would_be_overwritten_is_read_from_a_copy(noted: list[Source]) -> None:
    def shift() -> None:
        x = ones(8)
        x[1:].copy_(x[:-1])

    (launch,) = launches_on(SIMULATED_GPU, shift)
    assert launches_on(GPU, shift) == [launch]
    target, source = launch.operands
    assert (target.role, target.offset, target.storage_bytes) == ("writes", 1, 32)
    assert (source.role, source.offset, source.storage_bytes) == ("reads", 0, 28)


def test_a_number_in_a_tensors_place_lies_in_bytes_of_its_own(
    noted: list[Source], monkeypatch: pytest.MonkeyPatch
) -> None:
    def between() -> None:
        ones(2, 3).lerp_(ones(2, 3), 0.5)

    def by_name() -> None:
        kernels.run("lerp_", ones(2, 3), ones(2, 3), 0.5)

    (launch,) = launches_on(SIMULATED_GPU, between)
    assert [o.storage_bytes for o in launch.operands] == [24, 24, 4]
    assert launches_on(GPU, between) == [launch]
    monkeypatch.setattr(launching, "run", lambda plan: None)
    assert launches_on(SIMULATED_GPU, by_name) == [launch]


def test_a_write_reads_nothing_of_what_was_there(noted: list[Source]) -> None:
    for name in ("zero_", "fill_"):
        (launch,) = launches_on(SIMULATED_GPU, lambda name=name: getattr(ones(8), name)(*[3][: name == "fill_"]))  # type: ignore[misc]
        assert ([o.role for o in launch.operands], launch.bytes_read, launch.bytes_written) == (["writes"], 0, 32)
        assert traffic.allocated([launch]) == 0


def test_what_derivatives_compute_is_launched_too(noted: list[Source]) -> None:
    def program() -> None:
        w = ones(4)
        w.stop_gradient = False
        (w * w).exp().backward()

    names = [name for name, _ in told(program)]
    assert names[:2] == ["multiply", "exp"]
    assert names.count("multiply") > 2


# ---- the texts compute -------------------------------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's remarks on values, on the CPU
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int8", "bool"])
def test_the_texts_compute_what_the_cpu_computes(
    dtype: str, noted: list[Source], monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        on_cpu.compiler()
    except errors.MissingLibraryError as refusal:
        pytest.skip(f"needs a C++ compiler: {refusal.mend}")

    def outcome(case: Any, variant: str) -> list[Any]:
        return [case.call(variant, [paddle.to_tensor(each) for each in _arrays(case, dtype)]).numpy()]

    for case, variant in OWN:
        launches_on(GPU, lambda case=case, variant=variant: outcome(case, variant))  # type: ignore[misc]
    on_cpu.compile_together(list(dict.fromkeys(noted)))
    monkeypatch.setattr(on_gpu, "run", on_cpu.run)
    for case, variant in OWN:
        found = []
        for device in (GPU, CPU):
            paddle.set_device(device)
            with suppress(errors.Refusal, TypeError):
                found += outcome(case, variant)
        assert len(found) != 1, (case.name, variant)
        _check_equal(found[:1], found[1:], dtype)
