"""Paddle's `device` module: choose a device, and measure its memory.

There are three measures, which differ on a real GPU. *Allocated* is the number of bytes that tensors own, from the ledger of this
package. *Reserved* is what the allocator holds (CuPy's pool rounds up and keeps freed blocks). The *driver* counts everything on the
GPU, including other programs (`cuda.mem_get_info`). PaddlePaddle without CUDA raises an error on the CPU; here the ledger answers.
"""

from __future__ import annotations

from inplacelab.backends import get_device, set_device
from inplacelab.device import cuda
from inplacelab.device.memory import (
    device_count,
    get_all_device_type,
    get_available_device,
    max_memory_allocated,
    max_memory_reserved,
    memory_allocated,
    memory_reserved,
    reset_max_memory_allocated,
    reset_peak_memory_stats,
    synchronize,
)

__all__ = [
    "cuda", "device_count", "get_all_device_type", "get_available_device", "get_device", "max_memory_allocated",
    "max_memory_reserved", "memory_allocated", "memory_reserved", "reset_max_memory_allocated", "reset_peak_memory_stats",
    "set_device", "synchronize",
]  # fmt: skip
