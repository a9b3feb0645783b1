"""Devices, which hold bytes and run kernels. Only this package imports an array library for a GPU.

`cpu` is NumPy. `gpu` is the first GPU that CuPy sees; CuPy is imported on first use. The *simulated* GPU is NumPy with a separate
memory account: a program must choose it explicitly, and it never replaces a missing GPU.

A row of the table computes by a kernel written once, with NumPy's functions. NumPy dispatches to its operands, on a GPU to
`gpu_array.py`:

    np.add(x, y, x)      GpuArray.__array_ufunc__      the same ufunc of CuPy: one launch on the current stream
    np.copyto(x, 0)      GpuArray.__array_function__   CuPy's function, or a replacement in `cupy_calls.py`
    np.add.at(x, i, y)                                 `cupy_scatter.py`: atomics, with NumPy's order where it has one

So a row needs no second kernel for a GPU; where it has one (an expression in CUDA C, see `kernels/`), that one is tried first.
Functions that CuPy does not have are listed in `cupy_calls.NOT_YET`, with the reason. Whether two windows overlap is decided on the
host, from their addresses. Memory has three measures: the ledger (what tensors own), the pool (`reserved`), and the driver.

The tests in `tests/devices/` run every row, dtype and gradient on a strict stand-in for CuPy, an array that has the
functions in `cupy_names.json`, recorded from the real one (names, parameters, the loops of each ufunc), and refuses all others. The mark `gpu` runs
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
"""All possible devices; whether there is a GPU is tested on first use."""

_BY_PLACE = {each.place.text: each for each in (CPU, SIMULATED_GPU, PINNED, SIMULATED_PINNED)}
"""Devices that always exist, by the text of their place."""

chosen: Device = CPU
"""The result of `current()`, for callers that cannot afford a call: a recorder reads it at each operation."""


def current() -> Device:
    """Returns the device on which new tensors are created."""
    return chosen


def available() -> list[Device]:
    """Returns the GPUs that a program can use now: the real one if there is one, and the simulated one if it was chosen."""
    gpus: list[Device] = [GPU] if cuda.found() else []
    return [*gpus, SIMULATED_GPU] if chosen is SIMULATED_GPU else gpus


def find(device: Any, *, simulate: bool = False) -> Device:
    """Returns the device of that name or place; the current one for None.

    Raises:
        DeviceError: if there is none; the message names what is missing. A missing GPU is never replaced silently.
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
    """Sets the device on which new tensors are created.

    A GPU needs CuPy (`pip install "inplacelab[gpu13]"` or `[gpu12]`). The simulated GPU computes with NumPy, but it has a
    separate memory account, so that peaks are those of a real one, and it reports the kernels that a real one would launch
    (`inplacelab.kernels.launches`). Its name always contains "simulated", and it is used only with `simulate=True`.

    Args:
        device: "cpu", "gpu", or a place; None changes nothing.
        simulate: True to choose the simulated GPU.

    Returns:
        The place of the device.

    Raises:
        DeviceError: if there is no such device; the message names what is missing.

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
    """Returns the name of the device on which new tensors are created: "cpu" or "gpu:0"."""
    return chosen.name
