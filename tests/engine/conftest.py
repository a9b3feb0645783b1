"""Fixtures: the initial state for every test, and tensors that many tests use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import Tensor, modes
from inplacelab.language import set_language


@pytest.fixture(autouse=True)
def _new_session() -> Iterator[None]:
    """Restores all switches after each test."""
    yield
    paddle.set_device("cpu")
    paddle.set_default_dtype("float32")
    modes.set_blocks(())
    set_language("en")


@pytest.fixture
def leaf() -> Callable[[Any], Tensor]:
    """Makes a double-precision leaf that needs a gradient."""
    return lambda values: paddle.to_tensor(np.array(values, dtype="float64"), stop_gradient=False)


@pytest.fixture
def constant() -> Callable[[Any], Tensor]:
    """Makes a double-precision tensor that needs no gradient."""
    return lambda values: paddle.to_tensor(np.array(values, dtype="float64"))
