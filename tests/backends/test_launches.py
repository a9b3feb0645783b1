"""The conditions under which our CUDA kernels are launched on a GPU, real or simulated, and the reported operands."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import Tensor, kernels
from inplacelab.backends import CPU, GPU, SIMULATED_GPU
from inplacelab.kernels import launching, traffic
from inplacelab.kernels.sources import Source
from tests.backends.launched import launches_on
from tests.backends.test_rows import _check_equal

# ---- where there is no launch ------------------------------------------------------------------------------------------------


def ones(*shape: int, dtype: str = "float32") -> Tensor:
    return paddle.to_tensor(np.ones(shape, dtype))  # sent to the device: no kernel fills it


ELSEWHERE: dict[str, Callable[[], object]] = {
    "complex": lambda: ones(4, dtype="complex64").square_(),
    "complex with real": lambda: ones(4, dtype="complex64").add_(ones(4)),
    "numbers as a mask": lambda: ones(4).masked_fill_(ones(4, dtype="int64"), 2.0),
    "an integer as an exponent": lambda: ones(4).ldexp_(ones(4, dtype="int64")),
    "an attribute beyond the text": lambda: ones(4).divide_(ones(4), rounding_mode="floor"),
    "no elements": lambda: ones(0, 3).relu_(),
    "no expression": lambda: ones(4).cumsum_(),
    "metadata only": lambda: ones(4, 2).t(),
}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_no_launch_is_reported_where_our_kernel_does_not_run(name: str, noted: list[Source]) -> None:
    for device in (SIMULATED_GPU, GPU):
        assert launches_on(device, ELSEWHERE[name]) == []
        results = [np.asarray(ELSEWHERE[name]().numpy())]  # type: ignore[attr-defined]
        paddle.set_device("cpu")
        _check_equal(results, [ELSEWHERE[name]().numpy()], "float32")  # type: ignore[attr-defined]
    assert noted == []


MIXED: dict[str, tuple[Callable[[], object], str, str, str]] = {
    "half precision": (lambda: ones(4, dtype="float16").exp_(), "exp_", "float16", "float16"),
    "the wider type": (lambda: ones(4).add_(ones(4, dtype="float16")), "add_", "float32", "float32 float16"),
    "promoted": (lambda: ones(4) * ones(4, dtype="float64"), "multiply", "float64", "float32 float64 float64"),
    "compared": (lambda: ones(4) < ones(4, dtype="float64"), "less_than", "float64", "float32 float64 bool"),
    "cast": (lambda: ones(4).cast("int8"), "cast", "float32", "float32 int8"),
    "cast by copying": (lambda: ones(4).copy_(ones(4, dtype="float64")), "copy_", "float64", "float32 float64"),
    "integers become floats": (lambda: ones(4, dtype="int64").exp(), "exp", "float32", "int64 float32"),
    "in a wider type": (lambda: ones(4, dtype="int8").divide(ones(4, dtype="int8")), "divide", "float64", "int8 int8 float32"),
    "a mask": (lambda: ones(4).masked_fill(ones(4, dtype="bool"), 2.0), "masked_fill", "float32", "float32 bool float32 float32"),
    "a choice": (lambda: paddle.where(ones(4, dtype="bool"), ones(4), ones(4)), "where", "float32", "float32 bool float32 float32"),
    "zeros": (lambda: paddle.zeros([4]), "fill_", "float32", "float32"),
    "full": (lambda: paddle.full([4], 7, "int64"), "fill_", "int64", "int64"),
    "ones like": (lambda: paddle.ones_like(ones(4, dtype="float16")), "fill_", "float16", "float16"),
}  # fmt: skip


@pytest.mark.parametrize("name", MIXED)
def test_operands_of_several_types_are_converted_on_the_way(
    name: str, noted: list[Source], monkeypatch: pytest.MonkeyPatch
) -> None:
    program, kernel, dtype, operands = MIXED[name]
    (launch,) = launches_on(SIMULATED_GPU, program)
    assert launches_on(GPU, program) == [launch]
    assert (launch.kernel, launch.dtype, " ".join(each.dtype for each in launch.operands)) == (kernel, dtype, operands)
    assert kernels.source_of(launch) == noted[0]


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


# ---- composite operations, and operands ---------------------------------------------------------------------------------------


def launched(program: Callable[[], object]) -> list[tuple[str, list[tuple[str, str, int]]]]:
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

    assert launched(into) == [
        ("exp", [("x", "reads", 0), ("out", "writes", 0)]),
        ("copy_", [("x", "writes", 0), ("y", "reads", 0)]),
    ]
    assert launched(part) == [("setitem_", [("x", "writes", 2), ("y", "reads", 0)])]
    assert launched(in_name_only) == [("greater_than", [("x", "reads", 0), ("y", "reads", 0), ("out", "writes", 0)])]


def test_what_would_be_overwritten_is_read_from_a_copy(noted: list[Source]) -> None:
    def shift() -> None:
        x = ones(8)
        x[1:].copy_(x[:-1])

    (launch,) = launches_on(SIMULATED_GPU, shift)
    assert launches_on(GPU, shift) == [launch]
    target, source = launch.operands
    assert (target.role, target.offset, target.storage_bytes) == ("writes", 1, 32)
    assert (source.role, source.offset, source.storage_bytes) == ("reads", 0, 28)


def test_a_number_instead_of_a_tensor_has_no_storage(noted: list[Source], monkeypatch: pytest.MonkeyPatch) -> None:
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

    names = [name for name, _ in launched(program)]
    assert names[:2] == ["multiply", "exp"]
    assert names.count("multiply") > 2
