"""Backends: the devices of tensors, their memory, and the libraries that compute on it.

`inplacelab.device` is Paddle's module of that name, made of this package. Besides it, only `kernels/on_gpu.py` imports an array library for a
GPU.

`cpu` is NumPy. `gpu` is the first GPU that CuPy finds; CuPy is imported when a program first uses it. The *simulated* GPU is NumPy
with a separate memory ledger: a program chooses it explicitly, and it never replaces a missing GPU.

A row of the table has one kernel, written with NumPy's functions. NumPy dispatches to its operands, and on a GPU `gpu_array.py`
handles the call:

    np.add(x, y, x)      GpuArray.__array_ufunc__      the same ufunc of CuPy: one launch on the current stream
    np.copyto(x, 0)      GpuArray.__array_function__   CuPy's function, or a replacement in `cupy_calls.py`
    np.add.at(x, i, y)                                 `cupy_scatter.py`: atomics, with NumPy's order where it has one

So a row needs no second kernel for a GPU; if it has one (an expression in CUDA C, see `kernels/`), that is tried first. The
functions that CuPy lacks are in `cupy_calls.NOT_YET`, with the reason. The host decides from addresses whether two windows overlap.
Memory has three measures: the ledger (what tensors own), the pool (`reserved`) and the driver.

The tests in `tests/backends/` run every row, dtype and gradient on a strict substitute for CuPy: an array with the members that
`cupy_names.json` recorded from the real one (names, parameters, the loops of each ufunc) and no others. The mark `gpu` runs the same
tests on a GPU.
"""

from __future__ import annotations

import re
from typing import Any

from inplacelab import errors, modes
from inplacelab.backends import cuda
from inplacelab.backends.base import CPU, SIMULATED_GPU, Device, Place
from inplacelab.backends.cuda import GPU, PINNED, SIMULATED_PINNED, pinned_for
from inplacelab.backends.gpu_array import GpuArray

__all__ = [
    "ALL", "CPU", "GPU", "SIMULATED_GPU", "Device", "GpuArray", "Place", "available", "current", "find",
    "get_device", "pinned_for", "set_device",
]  # fmt: skip

ALL = (CPU, GPU, SIMULATED_GPU, PINNED, SIMULATED_PINNED)
"""All devices. Whether there is a GPU is determined when a program uses it."""

_BY_PLACE = {each.place.text: each for each in (CPU, SIMULATED_GPU, PINNED, SIMULATED_PINNED)}
"""The devices that are always available, by the text of their place."""


def current() -> Device:
    """Returns the device of new tensors, in this thread or coroutine."""
    return modes.current().device or CPU


def available() -> list[Device]:
    """Returns the GPUs that a program may use now: a real one if there is one, and the simulated one if it is current."""
    gpus: list[Device] = [GPU] if cuda.found() else []
    return [*gpus, SIMULATED_GPU] if current() is SIMULATED_GPU else gpus


def find(device: Any, *, simulate: bool = False) -> Device:
    """Returns a device.

    Args:
        device: a name ("cpu", "gpu", "gpu:0", "gpu_pinned"), a place or a device; None for the current device.
        simulate: whether "gpu" means the simulated GPU.

    Raises:
        DeviceError: if the device does not exist or is not available; the message says what is missing. A missing GPU is never
            replaced silently.
    """
    if device is None:
        return current()
    if isinstance(device, Device):
        return device
    name = device.text if isinstance(device, Place) else device
    if name in _BY_PLACE:
        return _BY_PLACE[name]
    if not isinstance(name, str) or not re.fullmatch(r"gpu(:\d+)?", name):
        raise errors.unknown_device(device=device)
    if name not in ("gpu", "gpu:0"):
        raise errors.no_such_gpu(device=name)
    if simulate or (current() is SIMULATED_GPU and not isinstance(device, Place)):
        return SIMULATED_GPU
    return GPU.ready()


def set_device(device: str | Place | Device | None, *, simulate: bool = False) -> Place:
    """Sets the device of new tensors, for this thread or coroutine; other threads begin with the CPU.

    A GPU needs CuPy (the extra `gpu13` or `gpu12`). The simulated GPU computes with NumPy, but has a separate
    memory ledger, so memory peaks are those of a real one, and reports the kernels that a real one would launch
    (`inplacelab.kernels.launches`). It is always labeled "simulated", and only `simulate=True` chooses it.

    Args:
        device: "cpu", "gpu", or a place; None for no change.
        simulate: whether "gpu" means the simulated GPU.

    Returns:
        The place of the current device.

    Raises:
        DeviceError: if the device does not exist or is not available; the message says what is missing.

    >>> import inplacelab as paddle
    >>> paddle.set_device("gpu", simulate=True)
    Place(gpu:0 simulated)
    >>> paddle.set_device("cpu")
    Place(cpu)

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/device/set_device_en.html
    """
    chosen = find(device, simulate=simulate)
    modes.set_device(chosen)
    return chosen.place


def get_device() -> str:
    """Returns the name of the device of new tensors: "cpu" or "gpu:0"."""
    return current().name
