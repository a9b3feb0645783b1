"""The three devices that every row runs on: the CPU, the simulated GPU, and a GPU whose CuPy is a strict stand-in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import inplacelab as paddle
from inplacelab.devices import GPU, Device, find
from inplacelab.devices.cupy_calls import Cupy
from tests.devices import stand_in


@pytest.fixture(params=["cpu", "simulated", "stand-in"])
def device(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Device]:
    """The current device."""
    if request.param == "stand-in":
        monkeypatch.setitem(vars(GPU), "cupy", Cupy(stand_in, stand_in.special))
    paddle.set_device("cpu" if request.param == "cpu" else "gpu", simulate=request.param == "simulated")
    yield find(None)
    paddle.set_device("cpu")
