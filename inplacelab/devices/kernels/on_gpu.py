"""Runs a kernel on a GPU: NVRTC compiles it at the first launch, and CuPy launches it on its current stream.

Nothing here waits for the device. CuPy is imported at the first launch.

Source: CuPy's user guide, "User-Defined Kernels": a structure is passed by value as a NumPy array without axes, a pointer as an
integer.
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
    """Launches a kernel and returns without waiting for it.

    Args:
        source: the kernel.
        grid: the number of blocks along x, y and z.
        block: the number of threads in a block.
        arguments: as for `on_cpu.run`, with addresses in the device's memory. The memory must stay allocated until the kernel
            is done; CuPy's pool guarantees this for the same stream.

    Raises:
        MissingLibraryError: if NVRTC is missing.
        KernelTextError: if the source does not compile.
        KernelError: if this NVRTC does not support the GPU.
    """
    kernel, passed, _ = compiled(source)
    kernel(grid, block, tuple([each(given) for each, given in zip(passed, arguments, strict=True)]))


def prepare(source: Source) -> None:
    """Compiles a kernel; raises what `run` raises."""
    compiled(source)


class Compiled(NamedTuple):
    """A kernel that is loaded on the device.

    Attributes:
        function: CuPy's handle of the kernel.
        passed: converts each argument.
        module: the loaded machine code, kept alive.
    """

    function: Any
    passed: tuple[Callable[[Any], Any], ...]
    module: Any


@cache
def compiled(source: Source) -> Compiled:
    """Compiles a kernel for the current device, once. NVRTC is called directly, because CuPy adds other options."""
    cuda = import_module("cupy").cuda
    module = cuda.function.Module()
    module.load(for_gpu(source, int(cuda.Device().compute_capability)))
    return Compiled(module.get_function(source.name), tuple(_passing(source, p) for p in source.parameters), module)


def device_name() -> str:
    """Returns the name of the GPU, such as "NVIDIA H200"."""
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
