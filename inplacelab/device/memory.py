"""The available GPUs, and the account of a device's memory."""

from __future__ import annotations

from typing import Any

from inplacelab import devices


def get_available_device() -> list[str]:
    """Returns the GPUs that a program can use now. The simulated one is included if it was chosen, and is marked.

    >>> import inplacelab as paddle
    >>> _ = paddle.set_device("gpu", simulate=True)
    >>> paddle.device.get_available_device()[-1]
    'gpu:0 simulated'
    >>> _ = paddle.set_device("cpu")
    """
    return [each.place.text for each in devices.available()]


def get_all_device_type() -> list[str]:
    """Returns the kinds of devices other than the CPU: ["gpu"] if one can be used."""
    return ["gpu"] if devices.available() else []


def device_count() -> int:
    """Returns the number of GPUs that a program can use now; the simulated one counts if it was chosen."""
    return len(devices.available())


def max_memory_allocated(device: Any = None) -> int:
    """Returns the peak of `memory_allocated` on `device` (the current one if None) since the start or the last reset, in bytes.

    >>> import inplacelab as paddle
    >>> paddle.device.reset_max_memory_allocated()
    >>> before = paddle.device.max_memory_allocated()
    >>> x = paddle.ones([1000])
    >>> paddle.device.max_memory_allocated() - before
    4000
    """
    return devices.find(device).ledger.highest


def memory_allocated(device: Any = None) -> int:
    """Returns the bytes of the storages that are live on `device`."""
    return devices.find(device).ledger.live


def reset_max_memory_allocated(device: Any = None) -> None:
    """Restarts the peak from what is live on `device` now."""
    devices.find(device).ledger.reset_peak()


reset_peak_memory_stats = reset_max_memory_allocated


def memory_reserved(device: Any = None) -> int:
    """Returns the bytes that the allocator of `device` holds: on a GPU at least those of the live storages, in whole blocks."""
    return devices.find(device).reserved()[0]


def max_memory_reserved(device: Any = None) -> int:
    """Returns the peak of `memory_reserved`. On a GPU it is sampled at each query; elsewhere it is the peak of allocated bytes."""
    return devices.find(device).reserved()[1]


def synchronize(device: Any = None) -> None:
    """Waits until `device` has finished its work. A GPU works asynchronously; NumPy does not."""
    devices.find(device).synchronize()
