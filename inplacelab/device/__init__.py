"""Paddle's `device` module: choose a device, and read the account of its memory."""

from __future__ import annotations

from typing import Any

from inplacelab import devices
from inplacelab.devices import get_device, set_device

__all__ = [
    "cuda", "get_device", "max_memory_allocated", "memory_allocated", "reset_max_memory_allocated",
    "reset_peak_memory_stats", "set_device",
]  # fmt: skip


def max_memory_allocated(device: Any = None) -> int:
    """The most bytes of live storages there ever were on `device` (the current one if None) since the start or the last reset.

    >>> import inplacelab as paddle
    >>> paddle.device.reset_max_memory_allocated()
    >>> before = paddle.device.max_memory_allocated()
    >>> x = paddle.ones([1000])
    >>> paddle.device.max_memory_allocated() - before
    4000
    """
    return devices.find(device).ledger.highest


def memory_allocated(device: Any = None) -> int:
    """The bytes of the storages that are live on `device` now."""
    return devices.find(device).ledger.live


def reset_max_memory_allocated(device: Any = None) -> None:
    """Count the peak anew, from what is live on `device` now."""
    devices.find(device).ledger.reset_peak()


reset_peak_memory_stats = reset_max_memory_allocated

from inplacelab.device import cuda  # noqa: E402  # it needs the functions above
