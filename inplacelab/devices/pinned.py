"""Pinned memory: ordinary memory that stays where it is, so that a GPU may copy from it while the program goes on.

Kernels do not run on it: it is where data wait for the GPU. With the simulated GPU it is simulated, and says so.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab.devices.base import Device
from inplacelab.devices.cuda import GPU


class PinnedMemory(Device):
    """Page-locked memory from CuPy's pool of it."""

    def __init__(self) -> None:
        super().__init__("gpu_pinned", "gpu_pinned", "gpu_pinned")

    def from_host(self, array: np.ndarray[Any, Any]) -> Any:
        """A packed copy in pinned memory."""
        memory = GPU.cupy.library.cuda.alloc_pinned_memory(array.nbytes)
        copy = np.frombuffer(memory, array.dtype, array.size).reshape(array.shape)
        np.copyto(copy, array)
        return copy


PINNED = PinnedMemory()
SIMULATED_PINNED = Device("gpu_pinned", "gpu_pinned", "gpu_pinned simulated", simulated=True)


def beside(gpu: Device) -> Device:
    """The pinned memory that belongs to a GPU."""
    return SIMULATED_PINNED if gpu.simulated else PINNED
