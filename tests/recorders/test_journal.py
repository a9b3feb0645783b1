"""The journal: its short ways say what its long ways say, and large storages are told by the right few numbers."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab.recorders import copies
from inplacelab.recorders.operations import Operations
from inplacelab.recording import Recording, Summary

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


def _without_short_ways(patched: pytest.MonkeyPatch) -> None:
    patched.setattr(Operations, "_made", Operations._met)
    patched.setattr(Operations, "_viewed", Operations._met)


def test_results_written_down_at_once_are_those_that_are_met(run: Callable[..., Any], program: str) -> None:
    paddle.seed(0)
    short = run(program).recording.steps
    paddle.seed(0)
    with pytest.MonkeyPatch.context() as patched:
        _without_short_ways(patched)
        assert run(program).recording.steps == short


def test_the_same_of_large_storages_in_a_block(run_block: Callable[[str], Recording]) -> None:
    short = run_block(LARGE).steps
    with pytest.MonkeyPatch.context() as patched:
        _without_short_ways(patched)
        assert run_block(LARGE).steps == short


def test_what_is_told_of_a_large_storage(run: Callable[..., Any]) -> None:
    recorded = run(LARGE)
    values, last = recorded.names["x"].numpy(), recorded.recording.state().storage_of("x").values
    assert isinstance(last, Summary)
    assert (last.minimum, last.maximum) == (values.min(), values.max())
    assert last.head == tuple(values[: copies.ENDS])
    assert last.tail == tuple(values[-copies.ENDS :])
    assert last.runs
    for start, some in last.runs:
        assert some == tuple(values[start : start + len(some)])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "int64", "uint8", "bool"])
def test_the_extremes_are_those_that_numpy_finds(dtype: str) -> None:
    values = np.random.default_rng(0).integers(0, 100, copies.WHOLE + 1).astype(dtype)
    lowest, highest, *_ = copies.summary(values)
    assert (lowest, highest) == (values.min(), values.max())


def test_one_value_that_is_no_number_is_the_extreme() -> None:
    values = np.ones(copies.WHOLE + 1)
    values[17] = np.nan
    lowest, highest, *_ = copies.summary(values)
    assert np.isnan([lowest, highest]).all()


def test_nothing_keeps_the_array_of_a_result() -> None:
    with paddle.record():
        x = paddle.ones([1000])
        results = [x * 2]
        array = weakref.ref(results[0].array)
        results.clear()
        assert array() is None


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "int64", "uint8", "bool", "complex64"])
def test_views_that_were_made_once_show_what_is_there_now(dtype: str) -> None:
    values = np.zeros((2, copies.WHOLE), dtype)
    views = copies.Views(values)
    for k in range(3):
        values[:] = np.random.default_rng(k).integers(0, 100, values.shape).astype(dtype)
        assert views.written(7) == copies.through(values, values, 7)


def test_a_large_storage_is_told_of_at_each_version(run: Callable[..., Any]) -> None:
    text = f"x = paddle.arange({copies.WHOLE + 8}, dtype='float32')\nfor k in range(3):\n    x.scale_(-2.)\n"
    stored = [facts.values for step in run(text).recording.steps for _, facts in step.storages if facts is not None]
    last = copies.WHOLE + 7.0
    told = [(each.minimum, each.maximum, each.tail[-1]) for each in stored if isinstance(each, Summary)]
    assert told == [(0, last, last), (-2 * last, 0, -2 * last), (0, 4 * last, 4 * last), (-8 * last, 0, -8 * last)]


def test_nothing_keeps_the_array_of_what_was_written() -> None:
    with paddle.record():
        held = [paddle.ones([copies.WHOLE + 1])]
        held[0].scale_(2.0).scale_(2.0)
        array = weakref.ref(held[0].storage.buffer)
        held.clear()
        assert array() is None
