"""The devices that every row runs on: the CPU, the simulated GPU, a GPU whose CuPy is a strict stand-in, and a real one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import inplacelab as paddle
from inplacelab.backends import CPU, GPU, Device, cuda, find
from inplacelab.backends.cupy_calls import Cupy
from inplacelab.kernels import on_gpu
from inplacelab.kernels.sources import Source
from tests.backends import stand_in

DEVICES = ["cpu", "simulated", "stand-in", pytest.param("gpu", marks=pytest.mark.gpu)]


@pytest.fixture(autouse=True)
def _new_session() -> Iterator[None]:
    yield
    paddle.set_device("cpu")
    paddle.seed(0)


def _chosen(name: str, patch: pytest.MonkeyPatch) -> Device:
    if name == "stand-in":
        patch.setitem(vars(GPU), "cupy", Cupy(stand_in, stand_in.special))
        patch.setattr(GPU, "launches", False)  # a stand-in for CuPy only; `test_own_kernels.py` has the launches
    if name == "gpu" and not cuda.found():
        pytest.skip("needs a GPU of NVIDIA, its driver, and CuPy: the stand-in runs the same test in its place")
    paddle.seed(0)
    paddle.set_device("cpu" if name == "cpu" else "gpu", simulate=name == "simulated")
    return find(None)


@pytest.fixture(params=DEVICES)
def device(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Device:
    """The current device: each in turn."""
    return _chosen(request.param, monkeypatch)


@pytest.fixture(params=DEVICES[1:])
def gpu(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Device:
    """The current device: each that is called a GPU, in turn."""
    return _chosen(request.param, monkeypatch)


@pytest.fixture(params=DEVICES[2:])
def cupys(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> cuda.CudaDevice:
    """The current device: a GPU on which CuPy, or its stand-in, computes."""
    chosen = _chosen(request.param, monkeypatch)
    assert isinstance(chosen, cuda.CudaDevice)
    assert chosen is not CPU
    return chosen


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Source]]:
    """A GPU that notes the texts that it receives, and computes nothing."""
    seen: list[Source] = []
    monkeypatch.setitem(vars(GPU), "cupy", Cupy(stand_in, stand_in.special))
    monkeypatch.setattr(on_gpu, "run", lambda source, *_: seen.append(source))
    monkeypatch.setattr(on_gpu, "device_name", lambda: "stand-in")
    yield seen
    paddle.set_device("cpu")
