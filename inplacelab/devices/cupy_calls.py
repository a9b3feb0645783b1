"""Maps NumPy's functions to CuPy's, with replacements where CuPy has no such function.

Most functions have the same name and meaning in CuPy. `_INSTEAD` has replacements for the others, each with the reason. All
other functions are refused, before the first write.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from inplacelab import errors
from inplacelab.devices import cupy_scatter
from inplacelab.devices.gpu_array import GpuArray
from inplacelab.language import Text


class Cupy:
    """CuPy's functions, for the kernels.

    Attributes:
        library: the module `cupy` (or its stand-in in tests).
        waits: the number of synchronisations, each caused by reading values.
    """

    def __init__(self, library: Any, special: Callable[[], Any]) -> None:
        self.library, self._special, self.waits = library, special, 0

    # ---- between host and device -------------------------------------------------------------------------------------

    def look(self, held: Any) -> np.ndarray[Any, Any]:
        """Returns the values on the host: waits until the device has computed them."""
        self.waits += 1
        return held.get()  # type: ignore[no-any-return]  # CuPy's arrays have no static type

    def send(self, array: Any) -> Any:
        """Returns a packed copy of a NumPy array in the device's memory, on the current stream."""
        return self.library.array(array, order="C")

    def scalar(self, value: Any, dtype: np.dtype[Any]) -> Any:
        """Returns a number as an argument of a kernel: by value, so nothing is copied to the device."""
        if isinstance(value, GpuArray):
            return value.held
        return dtype.type(value[()] if isinstance(value, np.ndarray) else value)

    def inner(self, value: Any) -> Any:
        """Returns an operand for CuPy: its array, a number, a table sent to the device; for a list, its parts."""
        if type(value) is GpuArray:
            return value.held
        if isinstance(value, np.ndarray):
            return self.send(value) if value.ndim else value[()]
        if isinstance(value, list | tuple):
            return type(value)(map(self.inner, value))
        return value

    def outer(self, found: Any) -> Any:
        """Returns a result of CuPy for the kernels: as a `GpuArray`."""
        if isinstance(found, self.library.ndarray):
            return GpuArray(found, self)
        if isinstance(found, list | tuple):
            return type(found)(map(self.outer, found))
        return found

    def key(self, key: Any) -> Any:
        """Returns an index whose tables are on the device. The elements that a mask selects must be counted first."""
        parts = tuple(map(self.inner, key if isinstance(key, tuple) else (key,)))
        self.waits += any(isinstance(part, self.library.ndarray) and part.dtype.kind == "b" for part in parts)
        return parts if isinstance(key, tuple) else parts[0]

    def write(self, held: Any, key: Any, value: Any) -> None:
        """Executes `held[key] = value`. If a slot repeats, the last value counts, as in NumPy."""
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value[()]
        cupy_scatter.assign(self.library, held, key, self.inner(value))

    # ---- dispatch ----------------------------------------------------------------------------------------------------

    def ufunc(self, ufunc: Any, method: str, inputs: Any, options: dict[str, Any]) -> Any:
        """Computes a ufunc by CuPy's ufunc of the same name."""
        name = ufunc.__name__
        if "out" in options:
            (out,) = options["out"]
            options = {**options, "out": out}
        if method == "at":
            return cupy_scatter.combine(self.library, name, *map(self.inner, inputs))
        instead = _INSTEAD.get(name if method == "__call__" else f"{name}.{method}")
        if instead is not None:
            return instead(self, *inputs, **options)
        found = getattr(self.library, name, None)
        compute = found if method == "__call__" else getattr(found, method, None)
        if compute is None:
            raise errors.not_in_cupy(function=name if method == "__call__" else f"{name}.{method}")
        return self._call(compute, inputs, options)

    def function(self, function: Any, args: Any, options: dict[str, Any]) -> Any:
        """Computes a function by CuPy's function of the same name."""
        name = function.__name__
        options.pop("device", None)  # NumPy passes None for an array made `like` one of ours
        if name in _COUNTING:
            self.waits += 1
        instead = _INSTEAD.get(name)
        if instead is not None:
            return instead(self, *args, **options)
        compute = getattr(self.library, name, None)
        if compute is None:
            raise _missing(name)
        return self._call(compute, args, options)

    def _call(self, compute: Any, args: Any, options: dict[str, Any]) -> Any:
        where = options.pop("where", True)
        if where is not True:
            return self._call_where(where, compute, args, options)
        found = compute(*map(self.inner, args), **{name: self.inner(value) for name, value in options.items()})
        out = options.get("out")
        return self.outer(found) if out is None else out

    def _call_where(self, where: Any, compute: Any, args: Any, options: dict[str, Any]) -> Any:
        """CuPy's ufuncs have no `where`: they compute all elements, and those of the mask are copied to the result."""
        out, casting = options.pop("out"), options.pop("casting", "same_kind")
        found = self._call(compute, args, options)
        self.library.copyto(out.held, found.held, casting=casting, where=self.inner(where))
        return out

    @property
    def special(self) -> SpecialFunctions:
        """The functions of `cupyx.scipy.special`, under their names in SciPy."""
        return SpecialFunctions(self, self._special())


NOT_YET = {
    "iv": Text(
        "CuPy has the modified Bessel functions of orders 0 and 1 only.", "CuPy 只有 0 阶与 1 阶的修正贝塞尔函数。"
    ),
    "spherical_jn": Text("CuPy has no spherical Bessel functions.", "CuPy 没有球贝塞尔函数。"),
}
"""Functions that do not run on a GPU, and why: the second derivative of `i0` and the derivatives of `i1` and `sinc` need them."""


def _missing(name: str) -> Exception:
    if name in NOT_YET:
        return errors.not_on_the_gpu(function=name, reason=NOT_YET[name])
    return errors.not_in_cupy(function=name)


class SpecialFunctions:
    """Special functions, each called with arrays of the device; the last may be the result's."""

    def __init__(self, cupy: Cupy, module: Any) -> None:
        self._cupy, self._module = cupy, module

    def __getattr__(self, name: str) -> Callable[..., Any]:
        compute = getattr(self._module, name, None)
        if name in NOT_YET or compute is None:
            raise _missing(name)
        return lambda *args, **options: self._cupy._call(compute, args, options)


# ---- replacements of functions ------------------------------------------------------------------------------------------


def _copyto(cupy: Cupy, dst: GpuArray, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    """A number is passed by value, in the dtype of the target: CuPy calls NumPy's `can_cast`, which NumPy 2 refuses for some
    numbers.
    """
    if not isinstance(src, GpuArray) and np.ndim(src) == 0:
        src = cupy.scalar(src, dst.dtype)
    mask = None if where is True else cupy.inner(where)
    cupy.library.copyto(dst.held, cupy.inner(src), casting=casting, where=mask)


def _max(
    cupy: Cupy, a: GpuArray, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None
) -> GpuArray:
    """CuPy has no `initial`. Without elements, `initial` is the result, which NumPy computes from the shapes."""
    if initial is not None and not a.size:
        return cupy.outer(cupy.send(np.max(np.empty(a.shape, a.dtype), axis, keepdims=keepdims, initial=initial)))  # type: ignore[no-any-return]
    found = cupy.library.max(a.held, axis, None if out is None else out.held, keepdims)
    if initial is not None:
        cupy.library.maximum(found, cupy.scalar(initial, found.dtype), found)
    return cupy.outer(found) if out is None else out  # type: ignore[no-any-return]


def _into(name: str) -> Callable[..., Any]:
    """A function whose `out` does not work (CuPy 14's `einsum` has none, its `min` takes it for a dtype): the result is copied."""

    def compute(cupy: Cupy, *args: Any, out: Any = None, **options: Any) -> Any:
        found = cupy._call(getattr(cupy.library, name), args, options)
        if out is None:
            return found
        cupy.library.copyto(out.held, found.held)
        return out

    return compute


def _min(cupy: Cupy, a: GpuArray, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    return _into("min")(cupy, a, axis, out=out, keepdims=keepdims)


def _take(cupy: Cupy, a: GpuArray, indices: Any, axis: Any = None, out: Any = None, mode: str = "wrap") -> Any:
    """CuPy always uses the mode "wrap"."""
    if mode != "wrap":
        raise errors.not_in_cupy(function=f"take(mode={mode!r})")
    return cupy._call(cupy.library.take, (a, indices, axis), {"out": out})


def _logical(name: str) -> Callable[..., Any]:
    """CuPy has no truth value of complex numbers: they are compared with zero."""

    def compute(cupy: Cupy, *given: Any, **options: Any) -> Any:
        library, (operands, out) = cupy.library, _split(given, 1 if name == "logical_not" else 2, options)
        truths = [library.not_equal(each, 0) if each.dtype.kind == "c" else each for each in map(cupy.inner, operands)]
        return cupy._call(getattr(library, name), truths, {**options, "out": out})

    return compute


def _split(given: tuple[Any, ...], inputs: int, options: dict[str, Any]) -> tuple[tuple[Any, ...], Any]:
    """The operands of a ufunc, and its `out`."""
    return given[:inputs], given[inputs] if len(given) > inputs else options.get("out")


_COUNTING = frozenset({"bincount", "flatnonzero", "nonzero", "unique"})
"""The size of these results depends on values: CuPy synchronises to get it."""

_INSTEAD: dict[str, Callable[..., Any]] = {
    "copyto": _copyto,
    "einsum": _into("einsum"),
    "max": _max,
    "min": _min,
    "take": _take,
    **{name: _logical(name) for name in ("logical_and", "logical_not", "logical_or", "logical_xor")},
}
"""Replacements, by the name of the function, or of the ufunc's method (`add.reduce`)."""
