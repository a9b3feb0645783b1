"""Tests the processes that measure, and what becomes of the figures."""

from __future__ import annotations

import math

import pytest

from benchmarks.interleaved import Measured, measured, processes
from benchmarks.tasks import Case


@pytest.mark.standard
def test_a_worker_goes_on_after_a_case_that_it_cannot_run() -> None:
    with processes(["numpy", "ours"]) as workers:
        answer = workers["ours"].ask({"prepare": Case("program", "no such program")})
        assert "no such program" in answer["cannot"]
        found = measured(workers, Case("operation", "add_"), rounds=2)
    assert found.wrong == frozenset()
    assert {name: len(seconds) for name, seconds in found.seconds.items()} == {"numpy": 2, "ours": 2}
    assert all(0 < each < math.inf for seconds in found.seconds.values() for each in seconds)


def test_a_ratio_is_the_median_of_the_rounds() -> None:
    found = Measured({"ours": [2.0, 9.0, 3.0], "numpy": [1.0, 1.0, 2.0]}, frozenset())
    assert found.ratio("ours", "numpy") == 2.0
    assert found.ratio("ours", "torch") is None
