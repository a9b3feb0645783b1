"""Lists the available GPUs, and measures the memory of a device."""

from __future__ import annotations

from typing import Any

from inplacelab import backends


def get_available_device() -> list[str]:
    """Returns the names of the GPUs that a program may use now, with the simulated one if it is the current device.

    >>> import inplacelab as paddle
    >>> _ = paddle.set_device("gpu", simulate=True)
    >>> paddle.device.get_available_device()[-1]
    'gpu:0 simulated'
    >>> _ = paddle.set_device("cpu")
    """
    return [each.place.text for each in backends.available()]


def get_all_device_type() -> list[str]:
    """Returns the kinds of devices other than the CPU: ["gpu"] if a GPU is available, otherwise an empty list."""
    return ["gpu"] if backends.available() else []


def device_count() -> int:
    """Returns the number of GPUs that a program may use now, with the simulated one if it is the current device."""
    return len(backends.available())


def max_memory_allocated(device: Any = None) -> int:
    """Returns the peak of the bytes of live storages since the start or the last reset.

    Args:
        device: a name, place or device; None for the current one.

    Returns:
        A number of bytes.

    >>> import inplacelab as paddle
    >>> paddle.device.reset_max_memory_allocated()
    >>> before = paddle.device.max_memory_allocated()
    >>> x = paddle.ones([1000])
    >>> paddle.device.max_memory_allocated() - before
    4000
    """
    return backends.find(device).ledger.peak


def memory_allocated(device: Any = None) -> int:
    """Returns the bytes of the storages that are live on `device` (None for the current one)."""
    return backends.find(device).ledger.live


def reset_max_memory_allocated(device: Any = None) -> None:
    """Resets the peak of `device` (None for the current one) to the bytes that are live now."""
    backends.find(device).ledger.reset_peak()


reset_peak_memory_stats = reset_max_memory_allocated


def memory_reserved(device: Any = None) -> int:
    """Returns the bytes that the allocator of `device` (None for the current one) holds now, in whole blocks on a GPU."""
    return backends.find(device).reserved()[0]


def max_memory_reserved(device: Any = None) -> int:
    """Returns the peak of the bytes that the allocator held.

    On a GPU it is the largest result of `memory_reserved` and this function so far; on other devices `max_memory_allocated`.

    Args:
        device: a name, place or device; None for the current one.
    """
    return backends.find(device).reserved()[1]


def synchronize(device: Any = None) -> None:
    """Waits until `device` (None for the current one) has done its work. Only a real GPU computes asynchronously."""
    backends.find(device).synchronize()
