"""Compiles kernels for GPUs with NVRTC, a library that works without a GPU.

Either of two packages is enough, CuPy or NVIDIA's `cuda-bindings`; both need the library (`nvidia-cuda-nvrtc`).
`pip install inplacelab[nvrtc]` installs them.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from inplacelab import errors
from inplacelab.devices.kernels.source import Source

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
