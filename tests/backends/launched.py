"""Helpers: the launches of a program on a device, and its kernels compiled together."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import pytest

import inplacelab as paddle
from inplacelab import errors, kernels
from inplacelab.backends import Device
from inplacelab.kernels import on_cpu, on_gpu
from inplacelab.kernels.launch import Launch
from inplacelab.kernels.sources import Source


def launches_on(device: Device, program: Callable[[], object]) -> list[Launch]:
    """The launches of a program there, without the facts that may differ: `simulated` and `device`."""
    paddle.set_device(device)
    with kernels.launches() as seen, suppress(errors.Refusal, TypeError), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # NumPy's warnings about values
        program()
    if seen:
        expected = ("", True) if device.simulated else (on_gpu.device_name(), False)
        assert {(each.device, each.simulated) for each in seen} == {expected}
    return [replace(each, device="", simulated=True) for each in seen]


def compile_for(*programs: Callable[[], object]) -> None:
    """Compiles the kernels of some programs for the CPU together: most of the time is the compiler's start."""
    wanted: dict[Source, None] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(on_cpu, "run", lambda source, *_, **__: wanted.setdefault(source))
        for program in programs:
            program()
    on_cpu.compile_together(list(wanted))
