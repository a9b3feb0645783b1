"""Paddle's `device` module: choose a device, and measure its memory.

There are three measures, which differ on a real GPU. *Allocated* is the number of bytes that tensors own, from the ledger of this
package. *Reserved* is what the allocator holds (CuPy's pool rounds up and keeps freed blocks). The *driver* counts everything on the
GPU, including other programs (`cuda.mem_get_info`). PaddlePaddle without CUDA raises an error on the CPU; here the ledger answers.
"""

from __future__ import annotations

from typing import Any

from inplacelab import errors
from inplacelab.device import cuda
from inplacelab.device.cuda import (
    max_memory_allocated,
    memory_allocated,
    memory_reserved,
    reset_max_memory_allocated,
    synchronize,
)
from inplacelab.devices import get_device, set_device

__all__ = [
    "cuda", "get_device", "max_memory_allocated", "memory_allocated", "memory_reserved", "reset_max_memory_allocated", "set_device",
    "synchronize",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    raise errors.not_there(__name__, name, __all__)
