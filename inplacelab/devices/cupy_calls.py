"""NumPy's functions in CuPy's words: which function computes, and what takes its place where CuPy has none.

Most functions have the same name and mean the same; they are looked up. `_INSTEAD` has those that do not, each with the reason.
What has no place in it is refused in a sentence, before anything is written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from inplacelab import errors
from inplacelab.devices import cupy_scatter
from inplacelab.devices.gpu_array import GpuArray


class Cupy:
    """CuPy, as the kernels call it.

    Attributes:
        library: the module `cupy` (or what stands in for it in tests).
        waits: how often somebody has looked at values, and so waited for the device.
    """

    def __init__(self, library: Any, special: Callable[[], Any]) -> None:
        self.library, self._special, self.waits = library, special, 0

    # ---- between host and device -------------------------------------------------------------------------------------

    def look(self, held: Any) -> np.ndarray[Any, Any]:
        """The values on the host: waits until the device has computed them."""
        self.waits += 1
        return held.get()  # type: ignore[no-any-return]  # CuPy's arrays have no static type

    def send(self, array: Any) -> Any:
        """A packed copy of a NumPy array in the device's memory, on the current stream."""
        return self.library.array(array, order="C")

    def scalar(self, value: Any, dtype: np.dtype[Any]) -> Any:
        """A number in the form in which a kernel is given one: by value, so nothing is copied to the device."""
        if isinstance(value, GpuArray):
            return value.held
        return dtype.type(value[()] if isinstance(value, np.ndarray) else value)

    def inner(self, value: Any) -> Any:
        """What CuPy is to be given for an operand: its array, a number, a table sent to the device; lists part by part."""
        if type(value) is GpuArray:
            return value.held
        if isinstance(value, np.ndarray):
            return self.send(value) if value.ndim else value[()]
        if isinstance(value, list | tuple):
            return type(value)(map(self.inner, value))
        return value

    def outer(self, found: Any) -> Any:
        """What CuPy gave, as the kernels see it."""
        if isinstance(found, self.library.ndarray):
            return GpuArray(found, self)
        if isinstance(found, list | tuple):
            return type(found)(map(self.outer, found))
        return found

    def key(self, key: Any) -> Any:
        """An index: its tables are sent to the device."""
        if isinstance(key, tuple):
            return tuple(map(self.inner, key))
        return self.inner(key)

    def write(self, held: Any, key: Any, value: Any) -> None:
        """`held[key] = value`. Where one slot is named several times, the last one stays, as with NumPy."""
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value[()]
        cupy_scatter.assign(self, held, key, self.inner(value))

    # ---- who computes ------------------------------------------------------------------------------------------------

    def ufunc(self, ufunc: Any, method: str, inputs: Any, options: dict[str, Any]) -> Any:
        """Compute a ufunc: CuPy's of the same name."""
        name = ufunc.__name__
        if "out" in options:
            (out,) = options["out"]
            options = {**options, "out": out}
        if method == "at":
            return cupy_scatter.combine(self, name, *map(self.inner, inputs))
        instead = _INSTEAD.get(name if method == "__call__" else f"{name}.{method}")
        if instead is not None:
            return instead(self, *inputs, **options)
        found = getattr(self.library, name, None)
        compute = found if method == "__call__" else getattr(found, method, None)
        if compute is None:
            raise errors.not_on_the_gpu(name if method == "__call__" else f"{name}.{method}")
        return self._call(compute, inputs, options)

    def function(self, function: Any, args: Any, options: dict[str, Any]) -> Any:
        """Compute a function: CuPy's of the same name."""
        name = function.__name__
        instead = _INSTEAD.get(name)
        if instead is not None:
            return instead(self, *args, **options)
        compute = getattr(self.library, name, None)
        if compute is None:
            raise errors.not_on_the_gpu(name)
        return self._call(compute, args, options)

    def _call(self, compute: Any, args: Any, options: dict[str, Any]) -> Any:
        found = compute(*map(self.inner, args), **{name: self.inner(value) for name, value in options.items()})
        out = options.get("out")
        return self.outer(found) if out is None else out

    def argsort(self, held: Any, axis: int = -1) -> Any:
        """CuPy sorts by radix or by merging: both leave equal elements in their order."""
        return self.library.argsort(held, axis)

    @property
    def special(self) -> SpecialFunctions:
        """The functions of `cupyx.scipy.special`, by the names that they have in SciPy."""
        return SpecialFunctions(self, self._special())


class SpecialFunctions:
    """Special functions, each called with arrays of the device; the last may be the result's."""

    def __init__(self, cupy: Cupy, module: Any) -> None:
        self._cupy, self._module = cupy, module

    def __getattr__(self, name: str) -> Callable[..., Any]:
        compute = getattr(self._module, name, None)
        if compute is None:
            raise errors.not_on_the_gpu(f"special.{name}")
        return lambda *args, **options: self._cupy._call(compute, args, options)


# ---- what takes the place of a function ---------------------------------------------------------------------------------


def _copyto(cupy: Cupy, dst: GpuArray, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    """A number goes along by value, in the dtype of the target: CuPy asks NumPy whether it may be cast, which NumPy 2 does not say
    of every number.
    """
    if not isinstance(src, GpuArray) and np.ndim(src) == 0:
        src = cupy.scalar(src, dst.dtype)
    mask = None if where is True else cupy.inner(where)
    cupy.library.copyto(dst.held, cupy.inner(src), casting=casting, where=mask)


_INSTEAD: dict[str, Callable[..., Any]] = {
    "copyto": _copyto,
}
"""By the name of the function, or of the ufunc's method (`add.reduce`): what computes in its place."""
