"""A fresh session for every test, and the cases of the rows handed to the tests that ask for them."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import Tensor
from inplacelab.autograd import modes
from inplacelab.language import set_language
from tests.row_cases.every import CASES


@pytest.fixture(autouse=True)
def _new_session() -> Iterator[None]:
    """Whatever a test switches, the next one finds what a new session finds."""
    yield
    paddle.set_device("cpu")
    paddle.set_default_dtype("float32")
    paddle.set_grad_enabled(True)
    set_language("en")
    assert modes.recording_history


@pytest.fixture
def leaf() -> Callable[[Any], Tensor]:
    """Makes a double-precision leaf whose gradient is wanted."""
    return lambda values: paddle.to_tensor(np.array(values, dtype="float64"), stop_gradient=False)


@pytest.fixture
def constant() -> Callable[[Any], Tensor]:
    """Makes a double-precision tensor that needs no gradient."""
    return lambda values: paddle.to_tensor(np.array(values, dtype="float64"))


ALL = ("ordinary", "view", "in-place", "relayout")


def _with(*wanted: str, kind: str = "") -> list[Any]:
    chosen = [c for c in CASES if kind in ("", c.row.kind)]
    return [pytest.param(c, v, id=f"{c.name} {v}") for c in chosen for v in c.variants if v in wanted]


def pytest_collection_finish() -> None:
    """Thousands of tests are alive from now on: the tests that ask the garbage collector need not look at them each time."""
    gc.collect()
    gc.freeze()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Tests that ask for these get every row: with each of its variants, or only those that write data."""
    names = set(metafunc.fixturenames)
    if {"elementwise", "variant"} <= names:
        metafunc.parametrize(("elementwise", "variant"), _with(*ALL, kind="elementwise"))
    elif {"case", "variant"} <= names:
        metafunc.parametrize(("case", "variant"), _with(*ALL))
    elif {"case", "writes"} <= names:
        metafunc.parametrize(("case", "writes"), _with("in-place"))
    elif "case" in names:
        metafunc.parametrize("case", [pytest.param(c, id=c.name) for c in CASES])
