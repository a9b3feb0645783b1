"""Runs the text of a kernel on a GPU: NVRTC compiles it on first use, CuPy launches it on its current stream.

Nothing here waits for the device. CuPy is imported on first use.

Source: CuPy's user guide, "User-Defined Kernels": a structure is passed by value as a NumPy array without axes, a pointer as
an integer.
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
    """Launches a kernel asynchronously on the current stream.

    Args:
        source: the kernel.
        grid: the number of blocks along x, y and z.
        block: the number of threads in a block.
        arguments: as for `on_cpu.run`, with addresses in the device's memory. That memory must stay allocated until the
            kernel has run, which CuPy's pool ensures for the same stream.
    """
    kernel, passed, _ = compiled(source)
    kernel(grid, block, tuple([each(given) for each, given in zip(passed, arguments, strict=True)]))


class Compiled(NamedTuple):
    """A kernel on the device.

    Attributes:
        function: CuPy's function object.
        passed: a function for each argument that converts it.
        module: the machine code, kept alive by this object.
    """

    function: Any
    passed: tuple[Callable[[Any], Any], ...]
    module: Any


@cache
def compiled(source: Source) -> Compiled:
    """Returns the kernel, compiled once for the current device. CuPy only loads it: its own compiler options differ."""
    cuda = import_module("cupy").cuda
    module = cuda.function.Module()
    module.load(for_gpu(source, int(cuda.Device().compute_capability)))
    return Compiled(module.get_function(source.name), tuple(_passing(source, p) for p in source.parameters), module)


def device_name() -> str:
    """Returns the name of the GPU: "NVIDIA H200"."""
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
