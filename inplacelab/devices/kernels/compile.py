"""Compile kernels for GPUs that are not there, to be sure that they would run: by NVRTC, which is a library and needs no GPU.

Two packages offer it, and either will do: CuPy, and NVIDIA's own `cuda-bindings`; both need the library itself
(`nvidia-cuda-nvrtc`). `pip install inplacelab[nvrtc]` brings what is needed.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from inplacelab import errors
from inplacelab.devices.kernels.source import Source

OPTIONS = ("--std=c++17", "--fmad=false")
"""A product and a sum are two roundings, as in NumPy. A kernel that waits for memory loses nothing by it."""

ARCHITECTURES = (75, 80, 90)
"""Turing, Ampere, Hopper."""


def available() -> bool:
    """True if NVRTC can be used here."""
    return _nvrtc() is not None


def ptx(source: Source, architecture: int) -> str:
    """The kernel in the instructions of all GPUs of an architecture and later: to be read.

    Raises:
        MissingLibraryError: without NVRTC; the message says what to install.
        KernelTextError: if it does not compile, with the compiler's log.
    """
    return _found().build(source.text, f"compute_{architecture}", cubin=False).decode().rstrip("\0")


def cubin(source: Source, architecture: int) -> bytes:
    """The kernel in the machine code of an architecture: 80 for sm_80.

    Raises:
        MissingLibraryError: without NVRTC; the message says what to install.
        KernelTextError: if it does not compile, with the compiler's log.
    """
    return _found().build(source.text, f"sm_{architecture}", cubin=True)


def for_gpu(source: Source, capability: int) -> bytes:
    """What a GPU can load: machine code; or, if it is newer than this NVRTC, instructions that its driver compiles.

    The options are those of all tests. (CuPy's own way adds `-ftz=true`, which takes denormal numbers for zero.)

    Args:
        source: the kernel.
        capability: of the GPU: 90 for 9.0.

    Raises:
        MissingLibraryError: without NVRTC; the message says what to install.
        KernelError: if the GPU is older than all for which this NVRTC compiles.
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
    """NVRTC as CuPy offers it."""

    def __init__(self) -> None:
        self.nvrtc: Any = import_module("cupy.cuda").nvrtc
        self.nvrtc.getVersion()  # raises if the library itself is missing

    def architectures(self) -> tuple[int, ...]:
        """For which it compiles: 80 for sm_80."""
        return tuple(self.nvrtc.getSupportedArchs())

    def build(self, text: str, target: str, *, cubin: bool) -> bytes:
        """PTX for a target like compute_80, machine code for one like sm_80."""
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
    """NVRTC as NVIDIA's `cuda-bindings` offers it: every call returns an error code first."""

    def __init__(self) -> None:
        self.nvrtc: Any = import_module("cuda.bindings.nvrtc")
        self._checked(self.nvrtc.nvrtcVersion())

    def architectures(self) -> tuple[int, ...]:
        (known,) = self._checked(self.nvrtc.nvrtcGetSupportedArchs())
        return tuple(map(int, known))

    def build(self, text: str, target: str, *, cubin: bool) -> bytes:
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
        room = bytes(length + 1)  # one more: Python keeps the bytes of length 1, and this is filled in where it lies
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
    """Whichever is there. A library that cannot be loaded is reported in many ways, none of them our business."""
    for way in (_OfCupy, _OfNvidia):
        try:
            return way()
        except Exception:  # noqa: BLE001
            continue
    return None
