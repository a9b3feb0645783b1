"""Places by Paddle's names, and what this package was built with."""

from __future__ import annotations

from inplacelab import devices
from inplacelab.devices import Place, cuda

__all__ = [
    "CPUPlace", "CUDAPlace", "is_compiled_with_cinn", "is_compiled_with_cuda", "is_compiled_with_distribute",
    "is_compiled_with_ipu", "is_compiled_with_rocm", "is_compiled_with_xpu",
]  # fmt: skip


def CPUPlace() -> Place:  # noqa: N802  # Paddle's name
    """The CPU, to be passed as `place`.

    >>> import inplacelab as paddle
    >>> paddle.to_tensor([1.], place=paddle.CPUPlace()).place
    Place(cpu)
    """
    return devices.find("cpu").place


def CUDAPlace(id: int = 0) -> Place:  # noqa: A002, N802  # Paddle's names
    """The GPU of that number, to be passed as `place`. Of the simulated GPU only where that has been chosen.

    Raises:
        DeviceError: if there is no such GPU, and no simulated one has been chosen with `set_device`.
    """
    return devices.find(f"gpu:{id}").place


def is_compiled_with_cuda() -> bool:
    """True if there is a real GPU to compute on. It is found out when asked: nothing of this package is compiled for it.

    The simulated GPU is none: a program that asks takes its way for the CPU there.
    """
    return cuda.found()


def is_compiled_with_rocm() -> bool:
    """False: this package computes on the CPU and on GPUs of NVIDIA."""
    return False


is_compiled_with_cinn = is_compiled_with_distribute = is_compiled_with_ipu = is_compiled_with_rocm
is_compiled_with_xpu = is_compiled_with_rocm
