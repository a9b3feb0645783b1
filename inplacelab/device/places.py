"""Places under Paddle's names, and what programs ask at their start: whether there is a GPU, and whether operations run immediately."""

from __future__ import annotations

from typing import Any

from inplacelab import backends, errors
from inplacelab.backends import Place, cuda


def CPUPlace() -> Place:  # noqa: N802  # Paddle's name
    """Returns the place of the CPU, for arguments named `place`.

    >>> import inplacelab as paddle
    >>> paddle.to_tensor([1.], place=paddle.CPUPlace()).place
    Place(cpu)
    """
    return backends.find("cpu").place


def CUDAPlace(id: int = 0) -> Place:  # noqa: A002, N802  # Paddle's names
    """Returns the place of a GPU, for arguments named `place`; of the simulated GPU if that is the current device.

    Args:
        id: the number of the GPU; only 0 is supported.

    Raises:
        DeviceError: if the GPU is not available, and the simulated one is not the current device.
    """
    return backends.find(f"gpu:{id}").place


def is_compiled_with_cuda() -> bool:
    """Returns whether a real GPU is available. The simulated GPU does not count, so programs take their branch for the CPU."""
    return cuda.found()


def is_compiled_with_rocm() -> bool:
    """Returns False: this package supports the CPU and NVIDIA GPUs only."""
    return False


is_compiled_with_cinn = is_compiled_with_distribute = is_compiled_with_ipu = is_compiled_with_xpu = (
    is_compiled_with_rocm
)


def in_dynamic_mode() -> bool:
    """Returns True: operations always run immediately."""
    return True


def disable_static(place: Any = None) -> None:
    """Switches to dynamic graphs, the only mode; creates tensors on `place` from now on if that is given."""
    backends.set_device(place)


def disable_signal_handler() -> None:
    """Does nothing: Paddle's signal handlers, which print a C++ stack when a process is killed, do not exist here."""


def enable_static() -> None:
    """Raises an error: there are no static graphs here.

    Raises:
        StaticGraphError: always.
    """
    raise errors.no_static_graphs()
