"""How many GPUs there are, and the account of a device's memory."""

from __future__ import annotations

from typing import Any

from inplacelab import devices


def get_available_device() -> list[str]:
    """The GPUs that a program may use now. The simulated one is among them where it has been chosen, and says so.

    >>> import inplacelab as paddle
    >>> _ = paddle.set_device("gpu", simulate=True)
    >>> paddle.device.get_available_device()[-1]
    'gpu:0 simulated'
    >>> _ = paddle.set_device("cpu")
    """
    return [each.place.text for each in devices.available()]


def get_all_device_type() -> list[str]:
    """The kinds of device beside the CPU: ["gpu"] if there is one to use."""
    return ["gpu"] if devices.available() else []


def device_count() -> int:
    """How many GPUs a program may use now; the simulated one counts where it has been chosen."""
    return len(devices.available())


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


def memory_reserved(device: Any = None) -> int:
    """The bytes that the allocator of `device` holds now: on a GPU at least those of the live storages, in whole blocks."""
    return devices.find(device).reserved()[0]


def max_memory_reserved(device: Any = None) -> int:
    """The most bytes that the allocator of `device` held whenever somebody asked; elsewhere the highest that was allocated."""
    return devices.find(device).reserved()[1]


def synchronize(device: Any = None) -> None:
    """Wait until `device` has done its work. A GPU works while the program goes on; NumPy has always done its work."""
    devices.find(device).synchronize()
