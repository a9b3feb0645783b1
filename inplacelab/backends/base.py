"""The base of all devices: memory, a ledger of its bytes, and windows on a buffer through a layout; and the two on which NumPy computes."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from inplacelab import errors
from inplacelab.layout import Layout, Shape
from inplacelab.memory import Ledger


@cache
def scipy_special() -> Any:
    """Returns the module `scipy.special`, whose functions are ufuncs.

    Raises:
        MissingLibraryError: if SciPy is not installed; the message has the command that installs it.

    Source: https://docs.scipy.org/doc/scipy/reference/special.html
    """
    try:
        return import_module("scipy.special")
    except ImportError:
        raise errors.scipy_missing() from None


class Place:
    """The device of a tensor, printed as in Paddle: `Place(cpu)`, `Place(gpu:0)`.

    Attributes:
        kind: "cpu", "gpu" or "gpu_pinned".
        text: the name that is printed.
    """

    __slots__ = ("kind", "text")

    def __init__(self, kind: str, text: str) -> None:
        self.kind, self.text = kind, text

    def __repr__(self) -> str:
        return f"Place({self.text})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def is_cpu_place(self) -> bool:
        """Whether this is the CPU."""
        return self.kind == "cpu"

    def is_gpu_place(self) -> bool:
        """Whether this is a GPU, real or simulated."""
        return self.kind == "gpu"

    def is_cuda_pinned_place(self) -> bool:
        """Whether this is pinned host memory."""
        return self.kind == "gpu_pinned"

    def gpu_device_id(self) -> int:
        """Returns the number of the GPU; 0 on the CPU, too, as in Paddle."""
        return 0


class Device:
    """A device on which NumPy computes, and the base of the others.

    The kernels in `ops/` call NumPy's functions, which dispatch to the library of the array; for `cuda.CudaDevice` that is CuPy.

    Attributes:
        name: "cpu" or "gpu:0", as `set_device` and `get_device` use it.
        place: the place that a tensor's repr shows.
        simulated: whether this is not the hardware that its name says.
        ledger: counts the bytes of its storages.
        generator_kind: devices of one kind share one seeded stream of random numbers.
        launches: whether rows with a CUDA kernel launch it here (on a GPU) or report the launch (on the simulated GPU).
        empty: makes an array from a shape and a dtype without writing its elements.
        zeros: makes an array of zeros from a shape and a dtype.
    """

    generator_kind = "numpy"

    def __init__(self, name: str, kind: str, place: str, *, simulated: bool = False, launches: bool = False) -> None:
        self.name, self.place, self.simulated, self.launches = name, Place(kind, place), simulated, launches
        self.ledger = Ledger()
        self.empty, self.zeros = np.empty, np.zeros

    def __repr__(self) -> str:
        return f"<device {self.place.text}>"

    @property
    def special(self) -> Any:
        """The library of special functions for this device's arrays, imported when first used."""
        return scipy_special()

    def window(self, buffer: Any, layout: Layout, dtype: np.dtype[Any]) -> Any:
        """Makes an array on the memory of `buffer`, without a copy.

        Args:
            buffer: a one-dimensional array that owns the memory.
            layout: shape, strides and offset in slots.
            dtype: the dtype of the elements.

        Returns:
            An array that shares memory with `buffer`; a new one if it has no elements.
        """
        step = dtype.itemsize
        if layout.size == 0:
            return self.empty(layout.shape, dtype)
        return np.ndarray(layout.shape, dtype, buffer, layout.offset * step, [s * step for s in layout.strides])

    def restrided(self, array: Any, shape: Shape, strides: Shape) -> Any:
        """Makes a window that begins at the first element of `array`.

        Args:
            array: a window of this device.
            shape: the shape of the new window.
            strides: its strides in bytes.

        Returns:
            An array that shares memory with `array`.
        """
        return np.lib.stride_tricks.as_strided(array, shape, strides)

    def offset(self, array: Any, buffer: Any) -> int:
        """Finds the slot of the first element of a window.

        Args:
            array: a window on `buffer`.
            buffer: the array that owns the memory.

        Returns:
            The number of the slot; 0 if the window has no elements.
        """
        if array is buffer or array.size == 0:
            return 0
        start = array.__array_interface__["data"][0] - buffer.__array_interface__["data"][0]
        return int(start) // int(array.itemsize)

    def address(self, array: Any) -> int:
        """Returns the address of the first element in the device's memory."""
        return int(array.__array_interface__["data"][0])

    def share_a_slot(self, x: Any, y: Any) -> bool:
        """Returns whether two windows have a slot in common.

        Args:
            x: a window.
            y: another window of the same dtype.

        Returns:
            True also if the exact answer would take too long.
        """
        try:
            return bool(np.shares_memory(x, y, max_work=100_000))  # type: ignore[arg-type]  # the stub allows only 0 and -1
        except np.exceptions.TooHardError:
            return True

    def constant(self, number: Any) -> Any:
        """Converts a NumPy scalar to the form that the device's kernels take."""
        return number

    def from_host(self, array: np.ndarray[Any, Any]) -> Any:
        """Returns a packed copy of a NumPy array in this device's memory."""
        return array.copy()  # in a third of the time that `np.array` takes

    def to_host(self, array: Any) -> np.ndarray[Any, Any]:
        """Returns a packed copy in host memory, as a NumPy array."""
        return array.copy()  # type: ignore[no-any-return]  # the kernels' arrays have no static type

    # ---- random numbers, streams and memory of the device ------------------------------------------------------------

    def stream_of(self, seed: int) -> Any:
        """Starts a seeded stream of random numbers: NumPy's PCG64, the same on every machine."""
        return np.random.Generator(np.random.PCG64(seed))

    def synchronize(self) -> None:
        """Waits until the device has done its work; NumPy computes synchronously."""

    def release_unused(self) -> None:
        """Frees cached memory that no storage uses; NumPy caches none."""

    def reserved(self) -> tuple[int, int]:
        """Returns the bytes that the allocator holds, now and at the peak; without a cache, those of the live storages."""
        return self.ledger.live, self.ledger.peak

    def driver(self) -> tuple[int, int] | None:
        """Returns the free and the total bytes that the driver reports; None if there is no driver."""
        return None

    def describe(self) -> str:
        """Returns the name of the hardware."""
        return self.place.text


CPU = Device("cpu", "cpu", "cpu")
SIMULATED_GPU = Device("gpu:0", "gpu", "gpu:0 simulated", simulated=True, launches=True)
"""It has a separate memory ledger and is labeled everywhere. So programs that measure device memory or collect launches run on any
machine: NumPy computes, and the launches are those of a real GPU. It gives no information about speed."""
