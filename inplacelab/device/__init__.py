"""Paddle's `device` module: the choice of a device, and the account of its memory.

Three numbers differ on a real GPU: *allocated* is the memory of tensors, byte for byte, from the ledger of this package;
*reserved* is the memory of the allocator (CuPy's pool rounds up, and keeps released blocks); the *driver* counts all memory
in use on the GPU, also by other programs (`cuda.mem_get_info`). PaddlePaddle without CUDA raises an error on the CPU; here
the ledger has the numbers.
"""

from __future__ import annotations

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
from inplacelab.devices import get_device, set_device

__all__ = [
    "cuda", "device_count", "get_all_device_type", "get_available_device", "get_device", "max_memory_allocated",
    "max_memory_reserved", "memory_allocated", "memory_reserved", "reset_max_memory_allocated", "reset_peak_memory_stats",
    "set_device", "synchronize",
]  # fmt: skip
