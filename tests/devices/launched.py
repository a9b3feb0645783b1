"""What a program launches on a device; and those kernels, compiled at once."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import pytest

import inplacelab as paddle
from inplacelab import errors, kernels
from inplacelab.devices import Device
from inplacelab.devices.kernels import on_cpu, on_gpu
from inplacelab.devices.kernels.launch import Launch
from inplacelab.devices.kernels.source import Source


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


def compile_for(*programs: Callable[[], object]) -> None:
    """Have the kernels that some programs run on the CPU compiled at once: most of the time is the compiler's start."""
    wanted: dict[Source, None] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(on_cpu, "run", lambda source, *_, **__: wanted.setdefault(source))
        for program in programs:
            program()
    on_cpu.compile_together(list(wanted))
