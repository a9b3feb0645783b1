"""Places by Paddle's names, and what this package was built with."""

from __future__ import annotations

from inplacelab import devices
from inplacelab.devices import Place

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
    """False: this version computes with NumPy, on the simulated GPU too."""
    return False


is_compiled_with_cinn = is_compiled_with_distribute = is_compiled_with_ipu = is_compiled_with_cuda
is_compiled_with_rocm = is_compiled_with_xpu = is_compiled_with_cuda
