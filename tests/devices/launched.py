"""What a program launches on a device."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import inplacelab as paddle
from inplacelab import errors, kernels
from inplacelab.devices import Device
from inplacelab.devices.kernels import on_gpu
from inplacelab.devices.kernels.launch import Launch


def launches_on(device: Device, program: Callable[[], object]) -> list[Launch]:
    """What a program launches there, without what may differ: whether it was simulated, and by what."""
    paddle.set_device(device)
    with kernels.launches() as seen, suppress(errors.Refusal, TypeError), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # NumPy's remarks on values
        program()
    if seen:
        expected = ("", True) if device.simulated else (on_gpu.device_name(), False)
        assert {(each.device, each.simulated) for each in seen} == {expected}
    return [replace(each, device="", simulated=True) for each in seen]
