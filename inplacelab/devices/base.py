"""The base class of devices: memory, its account, and windows on it through a layout."""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab.devices import special
from inplacelab.layout import Layout, Shape
from inplacelab.memory import Ledger


class Place:
    """The device of a tensor, as Paddle prints it: `Place(cpu)`, `Place(gpu:0)`."""

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
        return self.kind == "cpu"

    def is_gpu_place(self) -> bool:
        return self.kind == "gpu"

    def is_cuda_pinned_place(self) -> bool:
        return self.kind == "gpu_pinned"

    def gpu_device_id(self) -> int:
        """Returns the number of the GPU; 0 on the CPU too, as in Paddle."""
        return 0


class Device:
    """A device whose memory NumPy can access. The kernels in `ops/` call NumPy's functions, which dispatch to the library of
    the array; for the device in `cuda.py` that is CuPy.

    Attributes:
        name: "cpu" or "gpu:0", as `set_device` and `get_device` use it.
        place: the place in a tensor's repr.
        simulated: True if it simulates the hardware in its name.
        ledger: the account of its memory.
        kind_of_numbers: devices of one kind share one seeded stream of random numbers.
        launches: True if it launches our CUDA kernels, where a row has one (on a GPU), or reports such launches (on the
            simulated one).
    """

    kind_of_numbers = "numpy"

    def __init__(self, name: str, kind: str, place: str, *, simulated: bool = False, launches: bool = False) -> None:
        self.name, self.place, self.simulated, self.launches = name, Place(kind, place), simulated, launches
        self.ledger = Ledger()
        self.empty, self.zeros = np.empty, np.zeros

    def __repr__(self) -> str:
        return f"<device {self.place.text}>"

    @property
    def special(self) -> Any:
        """The library of special functions for this device's arrays, imported on first use."""
        return special.of_numpy_arrays()

    def window(self, buffer: Any, layout: Layout, dtype: np.dtype[Any]) -> Any:
        """Returns the array that shows `buffer` through `layout`: it shares the bytes, no data move."""
        step = dtype.itemsize
        if layout.size == 0:
            return self.empty(layout.shape, dtype)
        return np.ndarray(layout.shape, dtype, buffer, layout.offset * step, [s * step for s in layout.strides])

    def restrided(self, array: Any, shape: Shape, strides: Shape) -> Any:
        """Returns the window that begins where `array` begins, with another shape and other strides (in bytes)."""
        return np.lib.stride_tricks.as_strided(array, shape, strides)

    def offset(self, array: Any, buffer: Any) -> int:
        """Returns the slot of `buffer` that holds the first element of its window `array`."""
        if array is buffer or array.size == 0:
            return 0
        start = array.__array_interface__["data"][0] - buffer.__array_interface__["data"][0]
        return int(start) // int(array.itemsize)

    def address(self, array: Any) -> int:
        """Returns the address of the first element in the device's memory."""
        return int(array.__array_interface__["data"][0])

    def share_a_slot(self, x: Any, y: Any) -> bool:
        """Returns True if two windows have a slot in common, or if the exact answer would take too long to compute."""
        try:
            return bool(np.shares_memory(x, y, max_work=100_000))  # type: ignore[arg-type]  # the stub knows only 0 and -1
        except np.exceptions.TooHardError:
            return True

    def constant(self, number: Any) -> Any:
        """Returns an array without axes as an argument for the device's kernels."""
        return number

    def from_host(self, array: np.ndarray[Any, Any]) -> Any:
        """Returns a packed copy of a NumPy array in this device's memory."""
        return array.copy()  # in a third of the time that `np.array` takes

    def to_host(self, array: Any) -> np.ndarray[Any, Any]:
        """Returns a packed copy in the CPU's memory, as a NumPy array."""
        return array.copy()  # type: ignore[no-any-return]  # the kernels' arrays have no static type

    # ---- the machine itself ------------------------------------------------------------------------------------------

    def stream_of(self, seed: int) -> Any:
        """Returns a seeded stream of random numbers: NumPy's PCG64, the same on every machine."""
        return np.random.Generator(np.random.PCG64(seed))

    def synchronize(self) -> None:
        """Waits until the device has finished its work. NumPy is synchronous."""

    def release_unused(self) -> None:
        """Releases unused memory of the allocator; NumPy keeps none."""

    def reserved(self) -> tuple[int, int]:
        """Returns the bytes that the allocator holds, and their peak; without a pool, those of the live storages."""
        return self.ledger.live, self.ledger.highest

    def driver(self) -> tuple[int, int] | None:
        """Returns the driver's numbers: free bytes, and bytes in total; None where there is no driver."""
        return None

    def describe(self) -> str:
        """Returns the name of the hardware."""
        return self.place.text
