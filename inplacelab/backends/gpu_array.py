"""The array type of the kernels on a GPU: calls of NumPy's functions on it are computed by CuPy.

The kernels in `ops/` are written once, with NumPy's functions. NumPy dispatches to its operands (`__array_ufunc__`,
`__array_function__`), and this array calls CuPy's function of the same name, or its replacement in `cupy_calls.py`. Three rules hold
for this type only:

- An array that is both an operand and the result is passed as *one* CuPy array: CuPy copies one of two that share memory.
- Nothing is copied to the host implicitly. Code that reads values (`bool`, `int`, `item`, `tolist`, ...) waits for the device; each
  wait is counted (`Cupy.waits`), and element-wise operations have none.
- NumPy arrays (positions, masks made from a shape) are sent to the device when they are used with an array of the device.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from typing import Any, Protocol

from numpy.lib.mixins import NDArrayOperatorsMixin


class Library(Protocol):
    """The members of `cupy_calls.Cupy` that an array uses."""

    def scalar(self, value: Any, dtype: Any) -> Any: ...

    def key(self, key: Any) -> Any: ...

    def write(self, held: Any, key: Any, value: Any) -> None: ...

    def ufunc(self, ufunc: Any, method: str, inputs: Any, options: Any) -> Any: ...

    def function(self, function: Any, args: Any, options: Any) -> Any: ...

    def look(self, held: Any) -> Any: ...


def _wrapped(name: str) -> Any:
    """Returns a method that calls CuPy's of this name; its result is an array of this type."""

    def method(self: GpuArray, *args: Any, **options: Any) -> GpuArray:
        return GpuArray(getattr(self.held, name)(*args, **options), self.cupy)

    return method


class GpuArray(NDArrayOperatorsMixin):
    """A window on device memory. Views, copies and reductions are those of `numpy.ndarray`; their results stay on the device.

    Attributes:
        held: CuPy's array.
        cupy: the library that computes on it.
    """

    __slots__ = ("cupy", "held")

    def __init__(self, held: Any, cupy: Library) -> None:
        self.held, self.cupy = held, cupy

    # ---- metadata: none of it is on the device -----------------------------------------------------------------------

    shape = property(attrgetter("held.shape"))
    strides = property(attrgetter("held.strides"))  # in bytes
    dtype = property(attrgetter("held.dtype"))
    ndim = property(attrgetter("held.ndim"))
    size = property(attrgetter("held.size"))
    itemsize = property(attrgetter("held.itemsize"))
    nbytes = property(attrgetter("held.nbytes"))
    flags = property(attrgetter("held.flags"))

    @property
    def address(self) -> int:
        """The address of the first element in the device's memory."""
        return int(self.held.data.ptr)

    def __len__(self) -> int:
        return len(self.held)

    # ---- windows on the same memory, and copies in it ----------------------------------------------------------------

    def _wrap(self, held: Any) -> Any:
        return GpuArray(held, self.cupy)

    @property
    def T(self) -> Any:  # noqa: N802  # NumPy's name
        return self._wrap(self.held.T)

    @property
    def real(self) -> Any:
        return self._wrap(self.held.real)

    @property
    def imag(self) -> Any:
        return self._wrap(self.held.imag)

    reshape, transpose, swapaxes = _wrapped("reshape"), _wrapped("transpose"), _wrapped("swapaxes")
    squeeze, ravel, diagonal = _wrapped("squeeze"), _wrapped("ravel"), _wrapped("diagonal")
    view, copy, conj = _wrapped("view"), _wrapped("copy"), _wrapped("conj")

    def astype(self, dtype: Any, copy: bool = True) -> Any:
        return self._wrap(self.held.astype(dtype, copy=copy))

    def fill(self, value: Any) -> None:
        self.held.fill(self.cupy.scalar(value, self.dtype))

    def __getitem__(self, key: Any) -> Any:
        return self._wrap(self.held[self.cupy.key(key)])

    def __setitem__(self, key: Any, value: Any) -> None:
        self.cupy.write(self.held, self.cupy.key(key), value)

    def __iter__(self) -> Iterator[Any]:
        return (self[place] for place in range(len(self)))

    # ---- reductions: the result stays on the device ------------------------------------------------------------------

    def sum(self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        if out is None:
            return self._wrap(self.held.sum(axis=axis, dtype=dtype, keepdims=keepdims))
        self.held.sum(axis=axis, dtype=dtype, out=out.held, keepdims=keepdims)
        return out

    any, all, argmin = _wrapped("any"), _wrapped("all"), _wrapped("argmin")
    min, max = _wrapped("min"), _wrapped("max")

    def argsort(self, axis: int = -1, kind: Any = None) -> Any:
        """Sorts as `numpy.ndarray.argsort`. CuPy's sort is always stable, and "stable" is the only kind that it accepts."""
        return self._wrap(self.held.argsort(axis, "stable" if kind == "stable" else None))

    # ---- NumPy's dispatch ----------------------------------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return self.cupy.ufunc(ufunc, method, inputs, options)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        return self.cupy.function(function, args, options)

    def __array__(self, *args: Any, **options: Any) -> Any:
        raise TypeError(
            "a GPU array is not converted to a NumPy array implicitly; `device.to_host(array)` waits and copies"
        )

    # ---- reading values: waits for the device --------------------------------------------------------------------------

    def item(self, *index: int) -> Any:
        """Returns one element as a Python number."""
        return self.cupy.look(self.held).item(*index)

    def tolist(self) -> Any:
        """Returns the elements as nested lists."""
        return self.cupy.look(self.held).tolist()

    def tobytes(self) -> bytes:
        """Returns the bytes of the elements in row-major order."""
        return bytes(self.cupy.look(self.held).tobytes())

    @property
    def flat(self) -> _Flat:
        """The elements in one axis; indexing it copies the selected ones to the host."""
        return _Flat(self)

    def __bool__(self) -> bool:
        return bool(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __index__(self) -> int:
        return int(self.item())

    def __repr__(self) -> str:
        return f"<GpuArray {self.dtype.name}{list(self.shape)}>"


class _Flat:
    """The elements in one axis, to read a few of them."""

    def __init__(self, array: GpuArray) -> None:
        self._array = array

    def __getitem__(self, some: Any) -> Any:
        return self._array.cupy.look(self._array.held.ravel()[some])[()]
