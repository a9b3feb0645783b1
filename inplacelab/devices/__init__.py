"""Devices: where bytes live and kernels run. Only this package knows which array library computes.

`cpu` is NumPy. `gpu` is, for now, only the *simulated* one, which has to be asked for by name.
"""

from __future__ import annotations

from inplacelab import errors
from inplacelab.devices.base import Device, Place
from inplacelab.devices.cpu import CPU
from inplacelab.devices.simulated import SIMULATED_GPU

__all__ = ["ALL", "CPU", "SIMULATED_GPU", "Device", "Place", "current", "find", "get_device", "set_device"]

ALL = (CPU, SIMULATED_GPU)
"""Every device there is."""

_current: Device = CPU


def current() -> Device:
    """The device on which new tensors are made."""
    return _current


def find(device: str | Place | Device | None, *, simulate: bool = False) -> Device:
    """The device of that name; the current one for None.

    Raises:
        DeviceError: if there is none. A missing GPU is never replaced silently.
    """
    if device is None:
        return _current
    if isinstance(device, Device):
        return device
    name = device.text if isinstance(device, Place) else device
    if name == "cpu":
        return CPU
    if name in ("gpu", "gpu:0", SIMULATED_GPU.place.text):
        if simulate or _current is SIMULATED_GPU or isinstance(device, Place):
            return SIMULATED_GPU
        raise errors.no_gpu(str(name))
    raise errors.unknown_device(device)


def set_device(device: str | Place | Device | None, *, simulate: bool = False) -> Place:
    """Make new tensors on `device`: "cpu", or "gpu" with `simulate=True`; a place will do, too. None changes nothing.

    The simulated GPU computes with NumPy but keeps an account of its own, so that memory peaks read as on a real one. It
    says "simulated" wherever it shows, and is never chosen unless `simulate=True` asks for it.

    Raises:
        DeviceError: if there is no such device.

    >>> import inplacelab as paddle
    >>> paddle.set_device("gpu", simulate=True)
    Place(gpu:0 simulated)
    >>> paddle.set_device("cpu")
    Place(cpu)

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/device/set_device_en.html
    """
    global _current
    _current = find(device, simulate=simulate)
    return _current.place


def get_device() -> str:
    """The name of the device on which new tensors are made: "cpu" or "gpu:0"."""
    return _current.name
