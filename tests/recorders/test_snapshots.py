"""Snapshots: small storages are copied whole, and of large ones the right few numbers."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab.layout import Layout
from inplacelab.recorders import builder_facts, snapshots
from inplacelab.recording import Summary

LARGE = """\
x = paddle.arange(5000).cast("float32")
y = x * 2.
x.add_(y)
view = x.reshape([50, 100])
view[3].zero_()
view[:, 7:9] = -1.
view[[3, 1]] = paddle.ones([100])
z = view.t().exp_()
"""


def test_what_is_recorded_of_a_large_storage(run: Callable[..., Any]) -> None:
    recorded = run(LARGE)
    values, last = recorded.names["x"].numpy(), recorded.recording.state().storage_of("x").values
    assert isinstance(last, Summary)
    assert (last.minimum, last.maximum) == (values.min(), values.max())
    assert last.head == tuple(values[: snapshots.ENDS])
    assert last.tail == tuple(values[-snapshots.ENDS :])
    assert last.runs
    for start, some in last.runs:
        assert some == tuple(values[start : start + len(some)])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "int64", "uint8", "bool"])
def test_the_extremes_are_those_that_numpy_finds(dtype: str) -> None:
    values = np.random.default_rng(0).integers(0, 100, snapshots.WHOLE + 1).astype(dtype)
    assert snapshots.extremes(values) == (values.min(), values.max())


def test_one_value_that_is_no_number_is_the_extreme() -> None:
    values = np.ones(snapshots.WHOLE + 1)
    values[17] = np.nan
    low, high = snapshots.extremes(values)
    assert np.isnan(float(str(low)))
    assert np.isnan(float(str(high)))


def test_nothing_keeps_the_array_of_a_result() -> None:
    with paddle.record():
        x = paddle.ones([1000])
        results = [x * 2]
        array = weakref.ref(results[0].array)
        results.clear()
        assert array() is None


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "int64", "uint8", "bool", "complex64"])
def test_a_snapshot_shows_what_was_there_then(dtype: str) -> None:
    for size in (6, 2 * snapshots.WHOLE):
        values = np.random.default_rng(0).integers(0, 100, size).astype(dtype)
        layout = Layout((size // 4,), (2,), 1)
        taken = snapshots.snapshot(values, values[1 : size // 2 + 1 : 2], layout)
        before = values.tolist()
        values[:] = 0
        decoded = builder_facts.values(taken)
        if isinstance(decoded, Summary):
            for start, some in [(0, decoded.head), (size - len(decoded.tail), decoded.tail), *decoded.runs]:
                assert list(some) == before[start : start + len(some)]
            assert [start for start, _ in decoded.runs][:3] == [1, 3, 5]
        else:
            assert decoded == tuple(before)


def test_of_a_slot_written_twice_the_last_value_stays() -> None:
    values = np.arange(snapshots.WHOLE + 1.0)
    decoded = builder_facts.values(snapshots.snapshot(values, slots=[7, 3, 4, 7]))
    assert isinstance(decoded, Summary)
    assert decoded.runs == ((3, (3.0, 4.0)), (7, (7.0,)))
    assert decoded.minimum is None  # four slots are not worth looking at all of them


def test_a_large_storage_is_recorded_at_each_version(run: Callable[..., Any]) -> None:
    text = f"x = paddle.arange({snapshots.WHOLE + 8}, dtype='float32')\nfor k in range(3):\n    x.scale_(-2.)\n"
    stored = [facts.values for step in run(text).recording.steps for _, facts in step.storages if facts is not None]
    last = snapshots.WHOLE + 7.0
    decoded = [(each.minimum, each.maximum, each.tail[-1]) for each in stored if isinstance(each, Summary)]
    assert decoded == [(0, last, last), (-2 * last, 0, -2 * last), (0, 4 * last, 4 * last), (-8 * last, 0, -8 * last)]


def test_nothing_keeps_the_array_of_what_was_written() -> None:
    with paddle.record():
        held = [paddle.ones([snapshots.WHOLE + 1])]
        held[0].scale_(2.0).scale_(2.0)
        array = weakref.ref(held[0].storage.buffer)
        held.clear()
        assert array() is None
