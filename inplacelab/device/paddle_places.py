"""Places under Paddle's names, and `is_compiled_with_cuda`."""

from __future__ import annotations

from inplacelab import devices
from inplacelab.devices import Place, cuda

__all__ = [
    "CPUPlace", "CUDAPlace", "is_compiled_with_cinn", "is_compiled_with_cuda", "is_compiled_with_distribute",
    "is_compiled_with_ipu", "is_compiled_with_rocm", "is_compiled_with_xpu",
]  # fmt: skip


def CPUPlace() -> Place:  # noqa: N802  # Paddle's name
    """Returns the place of the CPU, an argument for `place`.

    >>> import inplacelab as paddle
    >>> paddle.to_tensor([1.], place=paddle.CPUPlace()).place
    Place(cpu)
    """
    return devices.find("cpu").place


def CUDAPlace(id: int = 0) -> Place:  # noqa: A002, N802  # Paddle's names
    """Returns the place of the GPU number `id`, an argument for `place`. The simulated GPU must have been chosen before.

    Raises:
        DeviceError: if there is no such GPU, and no simulated one has been chosen with `set_device`.
    """
    return devices.find(f"gpu:{id}").place


def is_compiled_with_cuda() -> bool:
    """Returns True if there is a real GPU to compute on. This is tested in each call, since the package is not compiled for one.

    The simulated GPU does not count: a program that asks takes its branch for the CPU.
    """
    return cuda.found()


def is_compiled_with_rocm() -> bool:
    """Returns False: this package computes on the CPU and on NVIDIA's GPUs."""
    return False


is_compiled_with_cinn = is_compiled_with_distribute = is_compiled_with_ipu = is_compiled_with_rocm
is_compiled_with_xpu = is_compiled_with_rocm
