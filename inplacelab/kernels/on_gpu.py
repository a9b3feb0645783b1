"""Compiles kernels for GPUs with NVRTC, a library that works without a GPU, and runs them on one.

To compile, either of two packages is enough, CuPy or NVIDIA's `cuda-bindings`; both need the library (`nvidia-cuda-nvrtc`).
The extra `nvrtc` installs them.

CuPy launches what is compiled at the first launch, on its current stream. Nothing here waits for the device. CuPy is imported at the first
launch.

Source: CuPy's user guide, "User-Defined Kernels": a structure is passed by value as a NumPy array without axes, a pointer as an
integer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from inplacelab import errors
from inplacelab.kernels.launch import Dim3, by_value
from inplacelab.kernels.launching import packed_layout
from inplacelab.kernels.sources import Parameter, Source

OPTIONS = ("--std=c++17", "--fmad=false")
"""A product and a sum are rounded separately, as in NumPy. A kernel that waits for memory is not slower for it."""

ARCHITECTURES = (75, 80, 90)
"""Turing, Ampere, Hopper."""


def available() -> bool:
    """Returns whether NVRTC is available."""
    return _nvrtc() is not None


def ptx(source: Source, architecture: int) -> str:
    """Compiles a kernel to PTX, the readable instructions for an architecture and later ones.

    Args:
        source: the kernel.
        architecture: the architecture, such as 80 for compute_80.

    Raises:
        MissingLibraryError: if NVRTC is missing; the message says what to install.
        KernelTextError: if it does not compile, with the compiler's log.
    """
    return _found().build(source.text, f"compute_{architecture}", cubin=False).decode().rstrip("\0")


def cubin(source: Source, architecture: int) -> bytes:
    """Compiles a kernel to the machine code of an architecture.

    Args:
        source: the kernel.
        architecture: the architecture, such as 80 for sm_80.

    Raises:
        MissingLibraryError: if NVRTC is missing; the message says what to install.
        KernelTextError: if it does not compile, with the compiler's log.
    """
    return _found().build(source.text, f"sm_{architecture}", cubin=True)


def for_gpu(source: Source, capability: int) -> bytes:
    """Compiles a kernel for a GPU.

    The options are those of the tests. (CuPy adds `-ftz=true`, which replaces denormal numbers by zero.)

    Args:
        source: the kernel.
        capability: the compute capability of the GPU, such as 90 for 9.0.

    Returns:
        Machine code; for a GPU that is newer than this NVRTC, PTX that the driver compiles.

    Raises:
        MissingLibraryError: if NVRTC is missing; the message says what to install.
        KernelTextError: if the source does not compile, with the compiler's log.
        KernelError: if the GPU is older than all that this NVRTC supports.
    """
    known = _found().architectures()
    if capability in known:
        return cubin(source, capability)
    older = [each for each in known if each < capability]
    if not older:
        raise errors.gpu_too_old(capability=_dotted(capability), least=_dotted(min(known)))
    return ptx(source, max(older)).encode() + b"\0"


def _dotted(capability: int) -> str:
    return f"{capability // 10}.{capability % 10}"


class _OfCupy:
    """NVRTC through CuPy."""

    def __init__(self) -> None:
        self.nvrtc: Any = import_module("cupy.cuda").nvrtc
        self.nvrtc.getVersion()  # raises if the library itself is missing

    def architectures(self) -> tuple[int, ...]:
        """Returns the supported architectures, such as 80 for sm_80."""
        return tuple(self.nvrtc.getSupportedArchs())

    def build(self, text: str, target: str, *, cubin: bool) -> bytes:
        """Compiles to PTX for a target like compute_80, or to machine code for one like sm_80."""
        nvrtc = self.nvrtc
        program = nvrtc.createProgram(text, "kernel.cu", (), ())
        try:
            nvrtc.compileProgram(program, (*OPTIONS, f"--gpu-architecture={target}"))
            made = nvrtc.getCUBIN(program) if cubin else nvrtc.getPTX(program)
        except nvrtc.NVRTCError:
            raise errors.kernel_does_not_compile(log=nvrtc.getProgramLog(program).strip()) from None
        finally:
            nvrtc.destroyProgram(program)
        return made if isinstance(made, bytes) else str(made).encode()


class _OfNvidia:
    """NVRTC through NVIDIA's `cuda-bindings`, whose calls return an error code first."""

    def __init__(self) -> None:
        self.nvrtc: Any = import_module("cuda.bindings.nvrtc")
        self._checked(self.nvrtc.nvrtcVersion())

    def architectures(self) -> tuple[int, ...]:
        """Returns the supported architectures, such as 80 for sm_80."""
        (known,) = self._checked(self.nvrtc.nvrtcGetSupportedArchs())
        return tuple(map(int, known))

    def build(self, text: str, target: str, *, cubin: bool) -> bytes:
        """Compiles to PTX for a target like compute_80, or to machine code for one like sm_80."""
        nvrtc, options = self.nvrtc, [o.encode() for o in (*OPTIONS, f"--gpu-architecture={target}")]
        (program,) = self._checked(nvrtc.nvrtcCreateProgram(text.encode(), b"kernel.cu", 0, [], []))
        try:
            if nvrtc.nvrtcCompileProgram(program, len(options), options)[0] != nvrtc.nvrtcResult.NVRTC_SUCCESS:
                raise errors.kernel_does_not_compile(
                    log=self._read(nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog, program).decode().strip()
                )
            size, get = (
                (nvrtc.nvrtcGetCUBINSize, nvrtc.nvrtcGetCUBIN) if cubin else (nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX)
            )
            return self._read(size, get, program)
        finally:
            nvrtc.nvrtcDestroyProgram(program)

    def _read(self, size: Any, get: Any, program: Any) -> bytes:
        (length,) = self._checked(size(program))
        room = bytes(length + 1)  # one more: Python shares bytes objects of length 1, and this one is filled in place
        self._checked(get(program, room))
        return room[:length]

    def _checked(self, answer: tuple[Any, ...]) -> tuple[Any, ...]:
        code, *made = answer
        if code != self.nvrtc.nvrtcResult.NVRTC_SUCCESS:
            raise RuntimeError(f"NVRTC: {code}")
        return tuple(made)


def _found() -> _OfCupy | _OfNvidia:
    library = _nvrtc()
    if library is None:
        raise errors.nvrtc_missing()
    return library


@cache
def _nvrtc() -> _OfCupy | _OfNvidia | None:
    """The first that can be loaded. A missing library raises many kinds of exceptions, so all are caught."""
    for binding in (_OfCupy, _OfNvidia):
        try:
            return binding()
        except Exception:  # noqa: BLE001
            continue
    return None


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
        if source.kind == "strided":
            return lambda memory: np.uint64(memory.begin)
        return lambda memory: np.uint64(memory.first)
    if parameter.kind == "layout":
        return partial(packed_layout, bits=source.bits, axes=source.axes)
    return np.dtype(by_value(parameter.dtype)).type
