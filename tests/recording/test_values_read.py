"""What a tensor reads in recorded slots: compared with NumPy's own view of the same bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import inplacelab as paddle
from inplacelab.recording import StorageFacts, Summary, queries
from inplacelab.recording.facts import TensorFacts
from inplacelab.recording.slots import bytes_of, element_values, slot_value, slots_reached, slots_under

DTYPES = (
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
)


def stored(array: np.ndarray[Any, Any]) -> StorageFacts:
    return StorageFacts(0, array.nbytes, array.size, array.dtype.name, "cpu", tuple(array.tolist()))


@given(st.binary(min_size=16, max_size=64), st.sampled_from(DTYPES[1:]), st.sampled_from(DTYPES[1:]))
def test_another_dtype_reads_what_numpy_reads(data: bytes, own: str, other: str) -> None:
    data = data[: len(data) // 16 * 16]
    array = np.frombuffer(data, own)
    if array.dtype.kind in "fc" and not np.isfinite(array).all():
        array = np.nan_to_num(array)  # which of the many nans it was is not recorded
    expected = array.view(other)
    found = element_values(stored(array), other, range(expected.size))
    np.testing.assert_array_equal(np.array(found, expected.dtype), expected)


@pytest.mark.parametrize("dtype", DTYPES)
def test_an_element_is_as_wide_as_numpys(dtype: str) -> None:
    assert bytes_of(dtype, stored(np.zeros(2, "float32"))) == np.dtype(dtype).itemsize


def test_a_dtype_without_a_name_here_is_not_read() -> None:
    storage = StorageFacts(0, 8, 4, "bfloat16", "cpu", (1.0, 2.0, 3.0, 4.0))
    assert bytes_of("bfloat16", storage) == 2
    assert element_values(storage, "bfloat16", [3, 0]) == (4.0, 1.0)
    assert element_values(storage, "int16", [0]) == (None,)


@pytest.mark.parametrize(
    ("dtype", "run", "slots"),
    [("float32", (1, 3), (1, 3)), ("int16", (1, 2), (0, 1)), ("int16", (1, 3), (0, 2)), ("float64", (1, 2), (2, 4))],
)
def test_slots_under_a_run_of_elements(dtype: str, run: tuple[int, int], slots: tuple[int, int]) -> None:
    assert slots_under(stored(np.zeros(8, "float32")), dtype, *run) == slots


def test_of_a_summary_only_the_ends_are_known() -> None:
    storage = StorageFacts(0, 40, 10, "float32", "cpu", Summary(0.0, 9.0, (0.0, 1.0), (8.0, 9.0)))
    assert [slot_value(storage, slot) for slot in range(10)] == [0.0, 1.0, *[None] * 6, 8.0, 9.0]
    assert slot_value(StorageFacts(0, 4, 1, "float32", "cpu", None), 0) is None


def test_a_wide_element_needs_all_its_slots() -> None:
    storage = StorageFacts(0, 40, 10, "float32", "cpu", Summary(0.0, 9.0, (0.0, 1.0, 2.0), (8.0, 9.0)))
    read = element_values(storage, "float64", range(5))
    assert read[0] == np.array([0.0, 1.0], "float32").view("float64")[0]
    assert read[1:4] == (None, None, None)


def test_questions_know_of_bytes() -> None:
    with paddle.record("bits") as run:
        x = paddle.to_tensor([1.0, -2.0])
        halves = x.view("int16")
        tail = halves[3:]
    assert run.recording is not None
    assert tail is not x
    state = run.recording.state()
    assert queries.visible_values(state, "halves") == (0, 16256, 0, -16384)
    assert queries.overlap(state, "x", "halves") == ((0, 2),)
    assert queries.overlap(state, "x", "tail") == ((1, 2),)


def test_the_slots_of_an_ordinary_tensor_are_its_own() -> None:
    plain: dict[str, Any] = {"leaf": True, "needs_gradient": False, "base": None, "node": None, "grad": None}
    tensor = TensorFacts(0, (), 0, 0, (2,), (3,), 1, "float32", "cpu", **plain)
    assert slots_reached(stored(np.zeros(8, "float32")), tensor) == ((1, 2), (4, 5))
