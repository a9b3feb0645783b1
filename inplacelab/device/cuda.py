"""Measures the memory of a device: Paddle's `device.cuda`, which `device` takes most of its functions from.

The functions read the current device, also a simulated one; on the CPU they return the numbers of its ledger.
"""

from __future__ import annotations

from typing import Any

from inplacelab import devices, errors

__all__ = [
    "empty_cache", "max_memory_allocated", "mem_get_info", "memory_allocated", "memory_reserved", "reset_max_memory_allocated", "synchronize",
]  # fmt: skip


def max_memory_allocated(device: Any = None) -> int:
    """Returns the peak of the bytes of live storages since the start or the last reset.

    Args:
        device: a name, place or device; None for the current one.

    Returns:
        A number of bytes.

    >>> import inplacelab as paddle
    >>> paddle.device.reset_max_memory_allocated()
    >>> before = paddle.device.max_memory_allocated()
    >>> x = paddle.ones([1000])
    >>> paddle.device.max_memory_allocated() - before
    4000
    """
    return devices.find(device).ledger.peak


def memory_allocated(device: Any = None) -> int:
    """Returns the bytes of the storages that are live on `device` (None for the current one)."""
    return devices.find(device).ledger.live


def reset_max_memory_allocated(device: Any = None) -> None:
    """Resets the peak of `device` (None for the current one) to the bytes that are live now."""
    devices.find(device).ledger.reset_peak()


def memory_reserved(device: Any = None) -> int:
    """Returns the bytes that the allocator of `device` (None for the current one) holds now, in whole blocks on a GPU."""
    return devices.find(device).reserved()[0]


def synchronize(device: Any = None) -> None:
    """Waits until `device` (None for the current one) has done its work. Only a real GPU computes asynchronously."""
    devices.find(device).synchronize()


def empty_cache() -> None:
    """Returns cached memory that no storage uses to the driver."""
    devices.current().release_unused()


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
    free_and_total = devices.find(device).driver()
    if free_and_total is None:
        raise errors.no_gpu_to_describe(function="mem_get_info")
    return free_and_total


def __getattr__(name: str) -> Any:
    raise errors.not_there(__name__, name, __all__)
