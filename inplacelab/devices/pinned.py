"""Pinned (page-locked) host memory, from which a GPU can copy while the program goes on.

Kernels do not run on it. With the simulated GPU it is simulated, too, and its place shows that.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab.devices.base import Device
from inplacelab.devices.cuda import GPU


class PinnedMemory(Device):
    """Page-locked memory from CuPy's pool."""

    def __init__(self) -> None:
        super().__init__("gpu_pinned", "gpu_pinned", "gpu_pinned")

    def from_host(self, array: np.ndarray[Any, Any]) -> Any:
        """Returns a packed copy of `array` in pinned memory."""
        memory = GPU.cupy.library.cuda.alloc_pinned_memory(array.nbytes)
        copy = np.frombuffer(memory, array.dtype, array.size).reshape(array.shape)
        np.copyto(copy, array)
        return copy


PINNED = PinnedMemory()
SIMULATED_PINNED = Device("gpu_pinned", "gpu_pinned", "gpu_pinned simulated", simulated=True)


def pinned_for(gpu: Device) -> Device:
    """Returns the pinned memory of a GPU."""
    return SIMULATED_PINNED if gpu.simulated else PINNED
