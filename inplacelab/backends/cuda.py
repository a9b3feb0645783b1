"""A real GPU, used through CuPy, which is imported when a program first uses a GPU.

Storages are in device memory. The ledger counts their bytes as on every device. CuPy's pool rounds each block up and keeps freed
blocks, and the driver also counts the memory of the CUDA context. So there are three measures: `ledger`, `reserved` and `driver`.
Everything runs on CuPy's current stream.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from inplacelab import errors
from inplacelab.backends.base import Device
from inplacelab.backends.gpu_array import GpuArray
from inplacelab.layout import Layout, Shape

if TYPE_CHECKING:
    from inplacelab.backends.cupy_calls import Cupy, Stream


WHEELS = ("cupy-cuda12x", "cupy-cuda13x")
"""CuPy has one package for each major version of CUDA. Only one of them may be installed."""


class CudaDevice(Device):
    """The first GPU that CuPy finds. The object always exists; CuPy is imported when it is first used."""

    generator_kind = "cupy"

    def __init__(self) -> None:
        super().__init__("gpu:0", "gpu", "gpu:0", launches=True)
        self.empty, self.zeros = self._empty, self._zeros  # type: ignore[assignment]  # of device memory
        self._most_reserved = 0

    @cached_property
    def cupy(self) -> Cupy:
        """The library that computes on this device's arrays."""
        from inplacelab.backends.cupy_calls import Cupy

        return Cupy(import_module("cupy"), partial(import_module, "cupyx.scipy.special"))

    def ready(self) -> CudaDevice:
        """Returns the device itself if a program can use it.

        Raises:
            DeviceError: if CuPy, the driver or a GPU is missing; the message says which.
        """
        if "cupy" not in vars(self):
            refusal = missing()
            if refusal is not None:
                raise refusal()
        return self

    def _empty(self, shape: Any, dtype: Any = float) -> GpuArray:
        return GpuArray(self.cupy.library.empty(shape, dtype), self.cupy)

    def _zeros(self, shape: Any, dtype: Any = float) -> GpuArray:
        return GpuArray(self.cupy.library.zeros(shape, dtype), self.cupy)

    @property
    def special(self) -> Any:
        """The library of special functions, from CuPy."""
        return self.cupy.special

    # ---- windows -----------------------------------------------------------------------------------------------------

    def window(self, buffer: Any, layout: Layout, dtype: np.dtype[Any]) -> Any:
        """Makes an array on the memory of `buffer`, without a copy; on the host if `buffer` is a NumPy array."""
        if not isinstance(buffer, GpuArray):
            return super().window(buffer, layout, dtype)
        if layout.size == 0:
            return self.empty(layout.shape, dtype)
        step = dtype.itemsize
        start = buffer.held.data + layout.offset * step
        strides = tuple(s * step for s in layout.strides)
        return GpuArray(self.cupy.library.ndarray(layout.shape, dtype, start, strides), self.cupy)

    def restrided(self, array: Any, shape: Shape, strides: Shape) -> Any:
        """Returns a window that begins at the first element of `array`, with another shape and other strides in bytes."""
        held = array.held
        return GpuArray(self.cupy.library.ndarray(shape, held.dtype, held.data, strides), self.cupy)

    def offset(self, array: Any, buffer: Any) -> int:
        """Returns the slot of `buffer` that holds the first element of its window `array`."""
        return 0 if array is buffer or array.size == 0 else (array.address - buffer.address) // int(array.itemsize)

    def address(self, array: Any) -> int:
        """Returns the address of the first element in the device's memory."""
        return int(array.address)

    def share_a_slot(self, x: Any, y: Any) -> bool:
        """Returns whether two windows have a slot in common.

        NumPy decides it on the host from addresses and strides. (CuPy compares all addresses on the device and waits.)
        """
        return super().share_a_slot(_Addresses.of(x), _Addresses.of(y))

    # ---- between host and device -------------------------------------------------------------------------------------

    def from_host(self, array: Any) -> Any:
        """Returns a packed copy of a NumPy or GPU array in device memory."""
        if isinstance(array, GpuArray):
            return GpuArray(array.held.copy(order="C"), self.cupy)
        return GpuArray(self.cupy.send(array), self.cupy)

    def to_host(self, array: Any) -> np.ndarray[Any, Any]:
        """Returns a packed copy in host memory; waits for the device."""
        return self.cupy.look(array.held)

    def constant(self, number: Any) -> Any:
        """Returns an array without axes. A kernel gets the number by value and fills it, so nothing is copied from the host."""
        return GpuArray(self.cupy.library.full((), number[()], number.dtype), self.cupy)

    # ---- random numbers, streams and memory of the device ------------------------------------------------------------

    def stream_of(self, seed: int) -> Stream:
        """Starts a seeded stream of random numbers on the device: the same on every GPU, but not that of the CPU."""
        from inplacelab.backends.cupy_calls import Stream

        return Stream(self.cupy, seed)

    def synchronize(self) -> None:
        """Waits until CuPy's current stream has done its work."""
        self.cupy.library.cuda.get_current_stream().synchronize()

    def release_unused(self) -> None:
        """Frees the blocks that CuPy's pool caches and no storage uses."""
        self.cupy.library.get_default_memory_pool().free_all_blocks()

    def reserved(self) -> tuple[int, int]:
        """Returns the bytes that CuPy's pool holds now, and the largest number that this method has found so far."""
        held = int(self.cupy.library.get_default_memory_pool().total_bytes())
        self._most_reserved = max(self._most_reserved, held)
        return held, self._most_reserved

    def driver(self) -> tuple[int, int]:
        """Returns the free and the total bytes that the driver reports."""
        free, total = self.cupy.library.cuda.runtime.memGetInfo()
        return int(free), int(total)

    def describe(self) -> str:
        """Returns the name of the GPU."""
        name = self.cupy.library.cuda.runtime.getDeviceProperties(0)["name"]
        return name.decode() if isinstance(name, bytes) else str(name)


class _Addresses:
    """The addresses of a window on the device, in the form of NumPy's array interface."""

    def __init__(self, interface: dict[str, Any]) -> None:
        self.__array_interface__ = interface

    @classmethod
    def of(cls, array: GpuArray) -> np.ndarray[Any, Any]:
        """Makes a NumPy array with the addresses of the device. Its elements must never be read."""
        interface = {
            "shape": array.shape, "typestr": array.dtype.str, "data": (array.address, True), "strides": array.strides, "version": 3,
        }  # fmt: skip
        return np.asarray(cls(interface))


# ---- availability -------------------------------------------------------------------------------------------------------


def missing() -> Callable[[], Exception] | None:
    """Finds what is missing to use a GPU.

    Returns:
        A function that makes the error to raise, or None if a GPU can be used.
    """
    installed = [wheel for wheel in WHEELS if _installed(wheel)]
    if len(installed) > 1:
        return lambda: errors.two_cupys(first=installed[0], second=installed[1])
    try:
        cupy = import_module("cupy")
    except ImportError:
        return lambda: errors.cupy_missing()  # noqa: PLW0108 (the catalogue is read when something is refused)
    if cupy.cuda.is_available():
        return None
    if _driver_version(cupy):
        return lambda: errors.no_gpu_found(cupy=cupy.__version__)
    return lambda: errors.driver_missing(cupy=cupy.__version__)


def found() -> bool:
    """Returns whether a program can use a GPU."""
    return missing() is None


def _installed(wheel: str) -> bool:
    metadata = import_module("importlib.metadata")  # slow: a third of the time to import NumPy
    return any(metadata.distributions(name=wheel))


def _driver_version(cupy: Any) -> int:
    """The CUDA version of the driver as an integer, such as 13000; 0 without a driver."""
    try:
        return int(cupy.cuda.runtime.driverGetVersion())
    except cupy.cuda.runtime.CUDARuntimeError:
        return 0


GPU = CudaDevice()


class PinnedMemory(Device):
    """Pinned (page-locked) host memory from CuPy's pool, from which a GPU can copy while the program goes on. Kernels do not run on it."""

    def __init__(self) -> None:
        super().__init__("gpu_pinned", "gpu_pinned", "gpu_pinned")

    def from_host(self, array: np.ndarray[Any, Any]) -> Any:
        """Returns a packed copy of `array` in pinned memory."""
        memory = GPU.cupy.library.cuda.alloc_pinned_memory(array.nbytes)
        copy = np.frombuffer(memory, array.dtype, array.size).reshape(array.shape)
        np.copyto(copy, array)
        return copy


PINNED = PinnedMemory()
SIMULATED_PINNED = Device("gpu_pinned", "gpu_pinned", "gpu_pinned simulated", simulated=True)


def pinned_for(gpu: Device) -> Device:
    """Returns the pinned memory of a GPU."""
    return SIMULATED_PINNED if gpu.simulated else PINNED
