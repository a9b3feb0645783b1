"""Fixtures of the tests of exercises."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import inplacelab as paddle


@pytest.fixture
def _simulated_gpu() -> Iterator[None]:
    paddle.set_device("gpu", simulate=True)
    yield
    paddle.set_device("cpu")
