"""Paddle's `device.cuda`: memory measures under their older names, the name of the GPU and the driver's measures.

The functions read the current device, also a simulated one; on the CPU they return the numbers of its ledger.
"""

from __future__ import annotations

from typing import Any

from inplacelab import backends, errors
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
    """Returns cached memory that no storage uses to the driver."""
    backends.current().release_unused()


def get_device_name(device: Any = None) -> str:
    """Returns the name of the GPU.

    Args:
        device: a name, place or device; None for the current one.

    Raises:
        DeviceError: if the device is not a GPU.

    >>> import inplacelab as paddle
    >>> _ = paddle.set_device("gpu", simulate=True)
    >>> paddle.device.cuda.get_device_name()
    'gpu:0 simulated'
    >>> _ = paddle.set_device("cpu")
    """
    found = backends.find(device)
    if not found.place.is_gpu_place():
        raise errors.no_gpu_to_describe(function="get_device_name")
    return found.describe()


def mem_get_info(device: Any = None) -> tuple[int, int]:
    """Returns the driver's measures of the GPU's memory.

    The name is PyTorch's: PaddlePaddle 3.3.1 has no such function.

    Args:
        device: a name, place or device; None for the current one.

    Returns:
        The free and the total bytes.

    Raises:
        DeviceError: if the device has no driver, such as the CPU and the simulated GPU.
    """
    free_and_total = backends.find(device).driver()
    if free_and_total is None:
        raise errors.no_gpu_to_describe(function="mem_get_info")
    return free_and_total
