"""Paddle's `device.cuda`: the same account under its older name, and properties of the GPU.

It reads the current device, also the simulated one; without a GPU, the numbers are those of the CPU's ledger.
"""

from __future__ import annotations

from typing import Any

from inplacelab import devices, errors
from inplacelab.device.memory import (
    device_count,
    max_memory_allocated,
    max_memory_reserved,
    memory_allocated,
    memory_reserved,
    reset_max_memory_allocated,
    synchronize,
)

__all__ = [
    "device_count", "empty_cache", "get_device_name", "max_memory_allocated", "max_memory_reserved", "mem_get_info",
    "memory_allocated", "memory_reserved", "reset_max_memory_allocated", "synchronize",
]  # fmt: skip


def empty_cache() -> None:
    """Returns the allocator's unused memory to the driver."""
    devices.current().release_unused()


def get_device_name(device: Any = None) -> str:
    """Returns the name of the GPU, or "gpu:0 simulated".

    Raises:
        DeviceError: if the device is not a GPU.

    >>> import inplacelab as paddle
    >>> _ = paddle.set_device("gpu", simulate=True)
    >>> paddle.device.cuda.get_device_name()
    'gpu:0 simulated'
    >>> _ = paddle.set_device("cpu")
    """
    found = devices.find(device)
    if not found.place.is_gpu_place():
        raise errors.no_gpu_to_describe(function="get_device_name")
    return found.describe()


def mem_get_info(device: Any = None) -> tuple[int, int]:
    """Returns the driver's numbers: free bytes on the GPU, and bytes in total.

    The name is PyTorch's: PaddlePaddle 3.3.1 has no such function.

    Raises:
        DeviceError: if the device has no driver, as the CPU and the simulated GPU.
    """
    figures = devices.find(device).driver()
    if figures is None:
        raise errors.no_gpu_to_describe(function="mem_get_info")
    return figures
