"""The choice of a device, and the errors that name what is missing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab.devices import GPU, Device, cuda, current
from inplacelab.devices.cuda import CudaDevice
from inplacelab.installing import command, requirement


class NoDriverError(RuntimeError):
    """The exception that CuPy raises without a driver."""


def _no_driver() -> int:
    raise NoDriverError


def _pretend(patch: pytest.MonkeyPatch, wheels: list[str], driver: Callable[[], int] | None = None) -> None:
    """Pretends that these wheels are installed, with a CuPy that finds no device (`driver`: the driver's version); or no CuPy."""

    def load(name: str) -> Any:
        if name != "cupy":
            return import_module(name)
        if driver is None:
            raise ImportError(name)
        runtime = SimpleNamespace(driverGetVersion=driver, CUDARuntimeError=NoDriverError)
        return SimpleNamespace(__version__="14.2.0", cuda=SimpleNamespace(is_available=lambda: False, runtime=runtime))

    patch.setattr(cuda, "import_module", load)
    patch.setattr(cuda, "_installed", lambda wheel: wheel in wheels)


MISSING = {
    "no CuPy": (
        [],
        None,
        ["CuPy is not installed", command(requirement("gpu13")), command(requirement("gpu12")), "nvidia-smi"],
    ),
    "two CuPys": (
        list(cuda.WHEELS),
        lambda: 13000,
        ["two packages of CuPy", "pip uninstall cupy-cuda12x cupy-cuda13x"],
    ),
    "no driver": (["cupy-cuda13x"], lambda: 0, ["CuPy 14.2.0 finds no NVIDIA driver", "--gpus all"]),
    "a broken driver": (["cupy-cuda13x"], _no_driver, ["finds no NVIDIA driver"]),
    "no device": (["cupy-cuda13x"], lambda: 13000, ["but no GPU", "CUDA_VISIBLE_DEVICES"]),
}


@pytest.mark.parametrize(("wheels", "driver", "said"), MISSING.values(), ids=MISSING)
def test_a_missing_gpu_is_refused_with_what_is_missing(
    wheels: list[str], driver: Any, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _pretend(monkeypatch, wheels, driver)
    assert not cuda.found()
    x = paddle.ones([2])
    asking = (
        lambda: paddle.set_device("gpu"),
        lambda: paddle.set_device("gpu:0"),
        lambda: paddle.CUDAPlace(0),
        lambda: x.cuda(),
        lambda: x.to("gpu"),
        lambda: paddle.to_tensor([1.0], place=GPU.place),
    )
    for ask in asking:
        with pytest.raises(ValueError, match="The device should not be 'gpu'") as refused:
            ask()
        assert all(each in str(refused.value) for each in said)
        assert "simulate=True" in str(refused.value)
    assert paddle.get_device() == "cpu"
    assert not paddle.is_compiled_with_cuda()


def test_the_refusal_is_in_chinese_too(monkeypatch: pytest.MonkeyPatch) -> None:
    _pretend(monkeypatch, [])
    paddle.set_language("zh")
    try:
        with pytest.raises(ValueError, match="在 GPU 上计算需要 CuPy"):
            paddle.set_device("gpu")
    finally:
        paddle.set_language("en")


def test_cupy_is_imported_when_a_gpu_is_first_chosen() -> None:
    program = (
        "import sys, inplacelab as p; p.set_device('gpu', simulate=True); p.ones([2]).add_(p.ones([2])); p.set_device('cpu');"
        "assert 'cupy' not in sys.modules; print(p.is_compiled_with_cuda())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() in {"True", "False"}


@pytest.mark.parametrize("name", ["foo", "gpu:x", "", 3, "cpu:0"])
def test_an_unknown_device_is_refused(name: Any) -> None:
    with pytest.raises(ValueError, match="The device must be a string which is like"):
        paddle.set_device(name)


def test_only_the_first_gpu_is_used(gpu: Device) -> None:
    for ask in (lambda: paddle.set_device("gpu:1"), lambda: paddle.CUDAPlace(1), lambda: paddle.ones([1]).cuda(1)):
        with pytest.raises(ValueError, match="CUDA_VISIBLE_DEVICES"):
            ask()


def test_places_and_journeys(gpu: Device) -> None:
    label = "gpu:0 simulated" if gpu.simulated else "gpu:0"
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    assert (repr(x.place), x.is_cuda, paddle.get_device()) == (f"Place({label})", True, "gpu:0")
    assert f"place=Place({label})" in repr(x)
    assert x.place == paddle.CUDAPlace(0)
    assert (x.cuda() is x, x.to("gpu") is x, x.cuda(0, blocking=False) is x) == (True, True, True)
    home = x.cpu()
    assert (home.place, home.is_cuda, home.tolist()) == (paddle.CPUPlace(), False, [1.0, 2.0])
    back = home.cuda()
    assert back.place == x.place
    (back * back).sum().backward()
    assert x.grad is not None
    assert (x.grad.place, x.grad.tolist()) == (x.place, [2.0, 4.0])
    with pytest.raises(ValueError, match=label):
        x + home
    assert paddle.to_tensor([1.0], place=paddle.CPUPlace()).is_cuda is False


def test_pinned_memory(gpu: Device) -> None:
    if not gpu.simulated and isinstance(gpu, CudaDevice) and not cuda.found():
        pytest.skip("the stand-in has no pinned memory")
    x = paddle.to_tensor([1.0, 2.0], place="cpu")
    pinned = x.pin_memory()
    assert repr(pinned.place) == ("Place(gpu_pinned simulated)" if gpu.simulated else "Place(gpu_pinned)")
    assert (pinned.tolist(), pinned.pin_memory() is pinned, pinned.cuda().place) == ([1.0, 2.0], True, gpu.place)
    assert pinned.place.is_cuda_pinned_place()


def test_without_a_gpu_nothing_is_pinned() -> None:
    with pytest.raises(ValueError, match="Cannot use CUDAPinnedPlace"):
        paddle.ones([1]).pin_memory()


def test_what_there_is_to_ask(gpu: Device) -> None:
    assert gpu.describe() == "gpu:0 simulated" or not gpu.simulated
    if gpu.simulated:
        with pytest.raises(ValueError, match="not supported without a GPU"):
            paddle.device.cuda.mem_get_info()
    else:
        free, total = paddle.device.cuda.mem_get_info()
        assert 0 < free <= total
    paddle.set_device("cpu")
    with pytest.raises(ValueError, match="not supported without a GPU"):
        paddle.device.cuda.mem_get_info()
    assert (paddle.CPUPlace().gpu_device_id(), paddle.CPUPlace().is_cuda_pinned_place()) == (0, False)


def test_a_simulated_gpu_is_never_chosen_in_the_place_of_a_real_one(monkeypatch: pytest.MonkeyPatch) -> None:
    _pretend(monkeypatch, [])
    paddle.set_device("gpu", simulate=True)
    x = paddle.ones([1])
    paddle.set_device("cpu")
    with pytest.raises(ValueError, match="CuPy is not installed"):
        paddle.ones([1]).cuda()
    assert repr(paddle.ones([1]).to(x.place).place) == "Place(gpu:0 simulated)"  # by its own name it may be found again


def test_recordings_are_those_of_the_cpu_but_for_the_place_and_the_launches(gpu: Device) -> None:
    from inplacelab.recording.codec import to_json  # noqa: PLC0415

    def program() -> None:
        leaf = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]], stop_gradient=False)
        work = leaf * leaf
        work[0].scale_(3.0)
        large = paddle.zeros([4000])
        large[::2].exp_()
        large[[1, 2]] = 5.0
        work.sum().backward()

    def recorded() -> str:
        with paddle.record() as block:
            program()
        assert block.recording is not None
        assert any(step.launches for step in block.recording.steps) == current().launches
        steps = tuple(replace(step, launches=()) for step in block.recording.steps)
        alone = replace(block.recording, live_before=0, steps=steps)  # without the memory that other tests have left
        return to_json(alone).replace(gpu.place.text, "cpu").replace('"simulated":true', '"simulated":false')

    there = recorded()
    paddle.set_device("cpu")
    assert there == recorded()


def test_what_is_sent_and_brought_back_is_the_same(device: Device) -> None:
    for values in (np.arange(6, dtype="int8"), np.ones((2, 0)), np.array(1.5 - 2j), np.array([True, False])):
        x = paddle.to_tensor(values)
        assert x.storage.device is device
        assert x.numpy().dtype == values.dtype
        np.testing.assert_array_equal(x.numpy(), values)
