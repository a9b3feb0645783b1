"""Paddle's `device` module: choose a device, and read the account of its memory.

Three figures, which differ on a real GPU: *allocated* is what tensors own, byte for byte, from the ledger of this package;
*reserved* is what the allocator holds (CuPy's pool rounds up, and keeps what is given back); the *driver* counts everything on
the GPU, of other programs too (`cuda.mem_get_info`). PaddlePaddle without CUDA refuses to answer on the CPU; the ledger can.
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
