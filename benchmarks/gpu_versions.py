"""Reports the GPU and the versions of driver and libraries, which belong to every measurement."""

from __future__ import annotations

import platform
import shutil
import subprocess
from importlib import import_module

import numpy as np

from inplacelab.kernels.on_gpu import device_name


def machine() -> dict[str, str]:
    """Returns the device, the driver and all versions as text. Needs a GPU and CuPy.

    Returns:
        Values for "device", "compute capability", "driver" (of NVIDIA's kernel driver: "580.65"; "" without `nvidia-smi`),
        "CUDA of the driver" (the newest version that it supports), "CUDA runtime", "NVRTC", "CuPy", "NumPy" and "Python".
    """
    cupy = import_module("cupy")
    runtime = cupy.cuda.runtime
    return {
        "device": device_name(),
        "compute capability": _dotted(int(cupy.cuda.Device().compute_capability)),
        "driver": _driver(),
        "CUDA of the driver": _cuda(runtime.driverGetVersion()),
        "CUDA runtime": _cuda(runtime.runtimeGetVersion()),
        "NVRTC": ".".join(map(str, cupy.cuda.nvrtc.getVersion())),
        "CuPy": str(cupy.__version__),
        "NumPy": np.__version__,
        "Python": platform.python_version(),
    }


def _cuda(number: int) -> str:
    """13000 is 13.0, 12080 is 12.8."""
    return _dotted(number // 10, 100)


def _driver() -> str:
    program = shutil.which("nvidia-smi")
    if program is None:
        return ""
    command = [program, "--query-gpu=driver_version", "--format=csv,noheader"]
    versions = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()
    return versions[0] if versions else ""


def _dotted(number: int, base: int = 10) -> str:
    return f"{number // base}.{number % base}"
