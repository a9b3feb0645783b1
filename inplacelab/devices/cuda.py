"""The device for a real GPU, through CuPy, which is imported on first use.

Storages are in device memory. The ledger counts their bytes as on every device. CuPy's pool rounds each block up and keeps
released ones, and the driver also counts the memory of the CUDA context. So there are three numbers: `ledger`, `reserved` and
`driver`. Everything runs on CuPy's current stream.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from importlib import import_module
from typing import Any

import numpy as np

from inplacelab import errors
from inplacelab.devices.base import Device
from inplacelab.devices.cupy_calls import Cupy
from inplacelab.devices.cupy_random import Stream
from inplacelab.devices.gpu_array import GpuArray
from inplacelab.layout import Layout, Shape

WHEELS = ("cupy-cuda12x", "cupy-cuda13x")
"""CuPy has one package for each major version of CUDA. Only one of them may be installed."""


class CudaDevice(Device):
    """The first GPU that CuPy sees. CuPy is imported by the first call of `ready`."""

    kind_of_numbers = "cupy"

    def __init__(self) -> None:
        super().__init__("gpu:0", "gpu", "gpu:0", launches=True)
        self.empty, self.zeros = self._empty, self._zeros  # type: ignore[assignment]  # of device memory
        self._most_reserved = 0

    @cached_property
    def cupy(self) -> Cupy:
        """The library that computes, which also counts the synchronisations of the program."""
        return Cupy(import_module("cupy"), partial(import_module, "cupyx.scipy.special"))

    def ready(self) -> CudaDevice:
        """Returns the device, if it can be used.

        Raises:
            DeviceError: if it cannot; the message names what is missing.
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
        return self.cupy.special

    # ---- windows -----------------------------------------------------------------------------------------------------

    def window(self, buffer: Any, layout: Layout, dtype: np.dtype[Any]) -> Any:
        """Returns the array that shows `buffer` through `layout`; for a table on the host (such as slots), an array on the host."""
        if not isinstance(buffer, GpuArray):
            return super().window(buffer, layout, dtype)
        if layout.size == 0:
            return self.empty(layout.shape, dtype)
        step = dtype.itemsize
        start = buffer.held.data + layout.offset * step
        strides = tuple(s * step for s in layout.strides)
        return GpuArray(self.cupy.library.ndarray(layout.shape, dtype, start, strides), self.cupy)

    def restrided(self, array: Any, shape: Shape, strides: Shape) -> Any:
        held = array.held
        return GpuArray(self.cupy.library.ndarray(shape, held.dtype, held.data, strides), self.cupy)

    def offset(self, array: Any, buffer: Any) -> int:
        return 0 if array is buffer or array.size == 0 else (array.address - buffer.address) // int(array.itemsize)

    def address(self, array: Any) -> int:
        return int(array.address)

    def share_a_slot(self, x: Any, y: Any) -> bool:
        """Returns True if two windows have a slot in common. NumPy computes it on the host, from addresses and strides alone.

        CuPy's own function compares all addresses on the device, and synchronises.
        """
        return super().share_a_slot(_Addresses.of(x), _Addresses.of(y))

    # ---- between host and device -------------------------------------------------------------------------------------

    def from_host(self, array: Any) -> Any:
        """Returns a packed copy in device memory, of a NumPy array or of one on the device."""
        if isinstance(array, GpuArray):
            return GpuArray(array.held.copy(order="C"), self.cupy)
        return GpuArray(self.cupy.send(array), self.cupy)

    def to_host(self, array: Any) -> np.ndarray[Any, Any]:
        """Returns a packed copy in the CPU's memory: waits for the device."""
        return self.cupy.look(array.held)

    def constant(self, number: Any) -> Any:
        """Returns an array filled by a kernel that receives the number by value: no copy from the host."""
        return GpuArray(self.cupy.library.full((), number[()], number.dtype), self.cupy)

    # ---- the machine itself ------------------------------------------------------------------------------------------

    def stream_of(self, seed: int) -> Stream:
        """Returns a seeded stream of random numbers on the device: the same on every GPU, but not those of the CPU."""
        return Stream(self.cupy, seed)

    def synchronize(self) -> None:
        self.cupy.library.cuda.get_current_stream().synchronize()

    def release_unused(self) -> None:
        self.cupy.library.get_default_memory_pool().free_all_blocks()

    def reserved(self) -> tuple[int, int]:
        """Returns the bytes that CuPy's pool holds now, and the most in all calls so far."""
        held = int(self.cupy.library.get_default_memory_pool().total_bytes())
        self._most_reserved = max(self._most_reserved, held)
        return held, self._most_reserved

    def driver(self) -> tuple[int, int]:
        free, total = self.cupy.library.cuda.runtime.memGetInfo()
        return int(free), int(total)

    def describe(self) -> str:
        name = self.cupy.library.cuda.runtime.getDeviceProperties(0)["name"]
        return name.decode() if isinstance(name, bytes) else str(name)


class _Addresses:
    """The addresses of a window's elements, for NumPy's array interface."""

    def __init__(self, interface: dict[str, Any]) -> None:
        self.__array_interface__ = interface

    @classmethod
    def of(cls, array: GpuArray) -> np.ndarray[Any, Any]:
        """Returns a NumPy array that must never be read: its addresses are those of the device."""
        interface = {
            "shape": array.shape, "typestr": array.dtype.str, "data": (array.address, True), "strides": array.strides, "version": 3,
        }  # fmt: skip
        return np.asarray(cls(interface))


# ---- tests for a GPU -----------------------------------------------------------------------------------------------------


def missing() -> Callable[[], Exception] | None:
    """Returns a function that makes the error for what is missing to use a GPU; None if nothing is missing."""
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
    """Returns True if there is a GPU, and everything that is needed to compute on it."""
    return missing() is None


def _installed(wheel: str) -> bool:
    metadata = import_module("importlib.metadata")  # it takes a third of the time that NumPy takes
    return any(metadata.distributions(name=wheel))


def _driver_version(cupy: Any) -> int:
    """The CUDA version of the driver; 0 if there is none."""
    try:
        return int(cupy.cuda.runtime.driverGetVersion())
    except cupy.cuda.runtime.CUDARuntimeError:
        return 0


GPU = CudaDevice()
