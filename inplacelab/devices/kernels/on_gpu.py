"""Run the text of a kernel on a GPU: compiled by NVRTC when it is first launched, launched by CuPy on its current stream.

Nothing here waits for the device. CuPy is imported when this module is first used, and never before.

Source: CuPy's user guide, "User-Defined Kernels": a structure is passed by value as a NumPy array without axes, a pointer as
the integer that it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from inplacelab.devices.kernels.arguments import packed_layout
from inplacelab.devices.kernels.compile import for_gpu
from inplacelab.devices.kernels.launch import Dim3, Memory
from inplacelab.devices.kernels.source import Parameter, Source
from inplacelab.devices.kernels.types import by_value


def run(source: Source, grid: Dim3, block: Dim3, arguments: Sequence[Any]) -> None:
    """Launch a kernel; it runs when the stream comes to it.

    Args:
        source: the kernel.
        grid: the number of blocks along x, y and z.
        block: the number of threads in a block.
        arguments: as for `on_cpu.run`, with addresses in the device's memory. That memory must stay until the kernel is done:
            what CuPy's pool frees in the same stream's order does.
    """
    kernel, passed, _ = compiled(source)
    kernel(grid, block, tuple([each(given) for each, given in zip(passed, arguments, strict=True)]))


class Compiled(NamedTuple):
    """A kernel on the device.

    Attributes:
        function: CuPy's handle of it.
        passed: how each argument is passed.
        module: the machine code, which stays as long as this does.
    """

    function: Any
    passed: tuple[Callable[[Any], Any], ...]
    module: Any


@cache
def compiled(source: Source) -> Compiled:
    """The kernel, compiled for the device that is there, once. CuPy loads what we compile: its own options are others."""
    cuda = import_module("cupy").cuda
    module = cuda.function.Module()
    module.load(for_gpu(source, int(cuda.Device().compute_capability)))
    return Compiled(module.get_function(source.name), tuple(_passing(source, p) for p in source.parameters), module)


def device_name() -> str:
    """The name of the GPU: "NVIDIA H200"."""
    runtime = import_module("cupy").cuda.runtime
    name = runtime.getDeviceProperties(runtime.getDevice())["name"]
    return name.decode() if isinstance(name, bytes) else str(name)


def _passing(source: Source, parameter: Parameter) -> Callable[[Any], Any]:
    if parameter.kind == "slots":
        return _begin if source.kind == "strided" else _first
    if parameter.kind == "layout":
        return partial(packed_layout, bits=source.bits, axes=source.axes)
    return np.dtype(by_value(parameter.dtype)).type


def _first(memory: Memory) -> np.uint64:
    return np.uint64(memory.first)


def _begin(memory: Memory) -> np.uint64:
    return np.uint64(memory.begin)
