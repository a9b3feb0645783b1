"""Paddle's `device.cuda`: the same account under its older name. It reads the current device, also the simulated one."""

from __future__ import annotations

from inplacelab.device import max_memory_allocated, memory_allocated, reset_max_memory_allocated

__all__ = ["device_count", "max_memory_allocated", "memory_allocated", "reset_max_memory_allocated", "synchronize"]


def device_count() -> int:
    """How many real GPUs there are to compute on: none in this version."""
    return 0


def synchronize(device: object = None) -> None:
    """Wait until the device has done its work; NumPy always has."""
