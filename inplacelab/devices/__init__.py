"""Devices: where bytes live and kernels run. Only this package imports an array library for a GPU.

`cpu` is NumPy. `gpu` is the first GPU that CuPy sees; CuPy is imported when a program first asks for it. The *simulated* GPU is
NumPy with a memory account of its own: a program asks for it by name, and it never replaces a GPU that is missing.

A row of the table computes by a kernel written once, with NumPy's functions. NumPy asks its operands who computes, and on a GPU
`gpu_array.py` answers:

    np.add(x, y, x)      GpuArray.__array_ufunc__      the same ufunc of CuPy: one launch on the current stream
    np.copyto(x, 0)      GpuArray.__array_function__   CuPy's function, or a replacement in `cupy_calls.py`
    np.add.at(x, i, y)                                 `cupy_scatter.py`: atomics, with NumPy's order where it has one

So a row needs no second kernel for a GPU; where it has one (an expression in CUDA C, see `kernels/`), that one is tried first.
What CuPy has no function for is listed in `cupy_calls.NOT_YET`, with the reason. Whether two windows overlap is decided on the
host, from their addresses. Memory has three measures: the ledger (what tensors own), the pool (`reserved`), and the driver.

The tests in `tests/devices/` run every row, dtype and gradient on a strict stand-in for CuPy, an array that has what
`cupy_names.json` recorded of the real one (names, parameters, the loops of each ufunc) and refuses all else. The mark `gpu` runs
the same tests on a GPU.
"""

from __future__ import annotations

import re
from typing import Any

from inplacelab import errors
from inplacelab.devices import cuda
from inplacelab.devices.base import Device, Place
from inplacelab.devices.cuda import GPU
from inplacelab.devices.gpu_array import GpuArray
from inplacelab.devices.numpy_devices import CPU, SIMULATED_GPU
from inplacelab.devices.pinned import PINNED, SIMULATED_PINNED, beside

__all__ = [
    "ALL", "CPU", "GPU", "SIMULATED_GPU", "Device", "GpuArray", "Place", "available", "beside", "current", "find",
    "get_device", "set_device",
]  # fmt: skip

ALL = (CPU, GPU, SIMULATED_GPU, PINNED, SIMULATED_PINNED)
"""Every device there may be; whether there is a GPU is found out when one is asked for."""

_BY_PLACE = {each.place.text: each for each in (CPU, SIMULATED_GPU, PINNED, SIMULATED_PINNED)}
"""Devices that are there without further ado, by what their place says."""

chosen: Device = CPU
"""What `current()` returns, for those who cannot afford a call: a recorder asks at each operation."""


def current() -> Device:
    """The device on which new tensors are made."""
    return chosen


def available() -> list[Device]:
    """The GPUs that a program may use now: a real one if there is one, and the simulated one where it has been chosen."""
    gpus: list[Device] = [GPU] if cuda.found() else []
    return [*gpus, SIMULATED_GPU] if chosen is SIMULATED_GPU else gpus


def find(device: Any, *, simulate: bool = False) -> Device:
    """The device of that name or place; the current one for None.

    Raises:
        DeviceError: if there is none; it says what is missing. A missing GPU is never replaced silently.
    """
    if device is None:
        return chosen
    if isinstance(device, Device):
        return device
    name = device.text if isinstance(device, Place) else device
    if name in _BY_PLACE:
        return _BY_PLACE[name]
    if not isinstance(name, str) or not re.fullmatch(r"gpu(:\d+)?", name):
        raise errors.unknown_device(device=device)
    if name not in ("gpu", "gpu:0"):
        raise errors.no_such_gpu(device=name)
    if simulate or (chosen is SIMULATED_GPU and not isinstance(device, Place)):
        return SIMULATED_GPU
    return GPU.ready()


def set_device(device: str | Place | Device | None, *, simulate: bool = False) -> Place:
    """Make new tensors on `device`: "cpu", "gpu", or "gpu" with `simulate=True`; a place will do, too. None changes nothing.

    A GPU needs CuPy (`pip install "inplacelab[gpu13]"` or `[gpu12]`). The simulated one computes with NumPy but keeps an account
    of its own, so that memory peaks read as on a real one, and tells which kernels a real one would launch
    (`inplacelab.kernels.launches`). It says "simulated" wherever it shows, and is never chosen unless
    `simulate=True` asks for it.

    Raises:
        DeviceError: if there is no such device; it says what is missing.

    >>> import inplacelab as paddle
    >>> paddle.set_device("gpu", simulate=True)
    Place(gpu:0 simulated)
    >>> paddle.set_device("cpu")
    Place(cpu)

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/device/set_device_en.html
    """
    global chosen
    chosen = find(device, simulate=simulate)
    return chosen.place


def get_device() -> str:
    """The name of the device on which new tensors are made: "cpu" or "gpu:0"."""
    return chosen.name
