"""Fixtures: what is there before the first program, and a quiet interpreter."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from . import launches
from .state import Baseline, repair_modes


@pytest.fixture(scope="module")
def baseline(_out_of_the_collectors_sight: None) -> Baseline:
    """What is there before the tests of a file. Every operation is generated."""
    launches.generate_all()
    return Baseline()


@pytest.fixture(scope="module")
def wrapped(baseline: Baseline) -> Iterator[None]:
    """The kernels are wrapped for all tests of a file."""
    with launches.wrapped():
        yield


@pytest.fixture(autouse=True)
def _modes_of_a_new_process(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Restores the modes. An interrupt in a finalizer is not printed."""
    monkeypatch.setattr(sys, "unraisablehook", lambda _: None)
    yield
    repair_modes()
