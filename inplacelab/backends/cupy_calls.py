"""Maps NumPy's functions to CuPy's, with replacements where CuPy has none or another behavior.

Most functions have the same name and behavior, and are looked up. `_INSTEAD` has replacements for the others, each with the reason.
A function without either raises an error before anything is written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from inplacelab import errors
from inplacelab.backends import cupy_scatter
from inplacelab.backends.gpu_array import GpuArray
from inplacelab.language import Text


class Stream:
    """One seeded stream of random numbers on the device: CuPy's generator, with the methods of NumPy's `Generator` that
    `ops/results/random_stream.py` uses. It is the same in every run on every GPU, and differs from the stream of the CPU.

    Every call passes a size, even with `out`, because CuPy determines the number of draws from it alone.

    Args:
        cupy: the library.
        seed: the seed.
    """

    def __init__(self, cupy: Cupy, seed: int) -> None:
        random = cupy.library.random
        self._cupy, self._drawn_by = cupy, random.Generator(random.XORWOW(seed))

    def random(self, out: Any, dtype: Any) -> None:
        """Fills `out` from the uniform distribution on [0, 1)."""
        self._drawn_by.random(out.shape, dtype=dtype, out=out.held)

    def standard_normal(self, out: Any, dtype: Any) -> None:
        """Fills `out` from the standard normal distribution."""
        self._drawn_by.standard_normal(out.shape, dtype=dtype, out=out.held)

    def standard_exponential(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Draws from the exponential distribution with mean 1: returns an array of `size`, or fills `out`."""
        if out is None:
            return self._cupy.outer(self._drawn_by.standard_exponential(size, dtype=dtype))
        return self._drawn_by.standard_exponential(out.shape, dtype=dtype, out=out.held)

    def integers(self, low: int, high: int, size: Any, dtype: Any) -> Any:
        """Returns integers from `low`, included, to `high`, excluded. CuPy draws them as int64."""
        drawn = self._drawn_by.integers(low, high - 1, size, np.int64, endpoint=True)
        return self._cupy.outer(drawn.astype(dtype, copy=False))

    def poisson(self, lam: Any) -> Any:
        """Returns draws from the Poisson distribution with mean `lam`."""
        return self._cupy.outer(self._drawn_by.poisson(self._cupy.inner(lam)))

    def permutation(self, n: int) -> Any:
        """Returns the integers below `n` in random order: that of `n` random numbers."""
        return self._cupy.outer(self._cupy.library.argsort(self._drawn_by.random(n)))


class Cupy:
    """CuPy with the calls that the kernels make.

    Args:
        library: the module `cupy`.
        special: imports `cupyx.scipy.special`.

    Attributes:
        library: the module `cupy`, or its substitute in tests.
        waits: the number of times that the host has read values, and so waited for the device.
    """

    def __init__(self, library: Any, special: Callable[[], Any]) -> None:
        self.library, self._special, self.waits = library, special, 0

    # ---- between host and device -------------------------------------------------------------------------------------

    def look(self, held: Any) -> np.ndarray[Any, Any]:
        """Returns the values as a NumPy array; waits until the device has computed them."""
        self.waits += 1
        return held.get()  # type: ignore[no-any-return]  # CuPy's arrays have no static type

    def send(self, array: Any) -> Any:
        """Returns a packed copy of a NumPy array in the device's memory, made on the current stream."""
        return self.library.array(array, order="C")

    def scalar(self, value: Any, dtype: np.dtype[Any]) -> Any:
        """Converts a number to `dtype` as a kernel takes it: by value, so nothing is copied to the device."""
        if isinstance(value, GpuArray):
            return value.held
        return dtype.type(value[()] if isinstance(value, np.ndarray) else value)

    def inner(self, value: Any) -> Any:
        """Converts an operand for CuPy: unwraps GPU arrays and sends NumPy arrays to the device, also inside lists."""
        if type(value) is GpuArray:
            return value.held
        if isinstance(value, np.ndarray):
            return self.send(value) if value.ndim else value[()]
        if isinstance(value, list | tuple):
            return type(value)(map(self.inner, value))
        return value

    def outer(self, found: Any) -> Any:
        """Wraps CuPy's results for the kernels, also inside lists."""
        if isinstance(found, self.library.ndarray):
            return GpuArray(found, self)
        if isinstance(found, list | tuple):
            return type(found)(map(self.outer, found))
        return found

    def key(self, key: Any) -> Any:
        """Converts an index: arrays are sent to the device. A mask counts as a wait, because CuPy counts its elements first."""
        parts = tuple(map(self.inner, key if isinstance(key, tuple) else (key,)))
        self.waits += any(isinstance(part, self.library.ndarray) and part.dtype.kind == "b" for part in parts)
        return parts if isinstance(key, tuple) else parts[0]

    def write(self, held: Any, key: Any, value: Any) -> None:
        """Computes `held[key] = value`. If the index has one slot several times, the last value stays, as in NumPy."""
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value[()]
        cupy_scatter.assign(self.library, held, key, self.inner(value))

    # ---- dispatch ----------------------------------------------------------------------------------------------------

    def ufunc(self, ufunc: Any, method: str, inputs: Any, options: dict[str, Any]) -> Any:
        """Computes a ufunc with CuPy's of the same name, or its replacement.

        Args:
            ufunc: NumPy's ufunc.
            method: "__call__", "reduce", "at", ...
            inputs: the positional arguments.
            options: the keyword arguments, with `out` as a tuple.

        Raises:
            GpuError: if CuPy has no such function and there is no replacement.
        """
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
        """Computes a function with CuPy's of the same name, or its replacement.

        Args:
            function: NumPy's function.
            args: the positional arguments.
            options: the keyword arguments.

        Raises:
            GpuError: if CuPy has no such function and there is no replacement.
        """
        name = function.__name__
        options.pop("device", None)  # NumPy passes `device=None` for `like=`
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
        """CuPy's ufuncs take no mask: they compute everywhere, and the elements under the mask are copied to `out`."""
        out, casting = options.pop("out"), options.pop("casting", "same_kind")
        found = self._call(compute, args, options)
        self.library.copyto(out.held, found.held, casting=casting, where=self.inner(where))
        return out

    @property
    def special(self) -> SpecialFunctions:
        """The functions of `cupyx.scipy.special`, under SciPy's names."""
        return SpecialFunctions(self, self._special())


NOT_YET = {
    "iv": Text(
        "CuPy has the modified Bessel functions of orders 0 and 1 only.", "CuPy 只有 0 阶与 1 阶的修正贝塞尔函数。"
    ),
    "spherical_jn": Text("CuPy has no spherical Bessel functions.", "CuPy 没有球贝塞尔函数。"),
    **dict.fromkeys(
        ("cholesky", "det", "eigh", "eigvalsh", "inv", "qr", "slogdet", "solve", "svd"),
        Text(
            "whether a matrix has an inverse or a factor would have to be read back from the device.",
            "矩阵是否有逆或因子，须从设备读回才能知道。",
        ),
    ),
}
"""Functions that do not run on a GPU, and why. The second derivative of `i0` and the derivatives of `i1` and `sinc` need them."""


def _missing(name: str) -> Exception:
    """The refusal of a function that does not run on a GPU."""
    if name in NOT_YET:
        return errors.not_on_the_gpu(function=name, reason=NOT_YET[name])
    return errors.not_in_cupy(function=name)


class SpecialFunctions:
    """Special functions, called with arrays of the device; the last argument may be the array of the result."""

    def __init__(self, cupy: Cupy, module: Any) -> None:
        self._cupy, self._module = cupy, module

    def __getattr__(self, name: str) -> Callable[..., Any]:
        compute = getattr(self._module, name, None)
        if name in NOT_YET or compute is None:
            raise _missing(name)
        return lambda *args, **options: self._cupy._call(compute, args, options)


# ---- replacements of functions ------------------------------------------------------------------------------------------


def _copyto(cupy: Cupy, dst: GpuArray, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    """Passes a number by value in the dtype of the target: CuPy calls `np.can_cast`, which NumPy 2 refuses for Python numbers."""
    if not isinstance(src, GpuArray) and np.ndim(src) == 0:
        src = cupy.scalar(src, dst.dtype)
    mask = None if where is True else cupy.inner(where)
    cupy.library.copyto(dst.held, cupy.inner(src), casting=casting, where=mask)


def _max(
    cupy: Cupy, a: GpuArray, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None
) -> GpuArray:
    """CuPy's `max` has no `initial`. Without elements it is the result, which NumPy computes from the shapes."""
    if initial is not None and not a.size:
        return cupy.outer(cupy.send(np.max(np.empty(a.shape, a.dtype), axis, keepdims=keepdims, initial=initial)))  # type: ignore[no-any-return]
    found = cupy.library.max(a.held, axis, None if out is None else out.held, keepdims)
    if initial is not None:
        cupy.library.maximum(found, cupy.scalar(initial, found.dtype), found)
    return cupy.outer(found) if out is None else out  # type: ignore[no-any-return]


def _into(name: str) -> Callable[..., Any]:
    """A function whose `out` is unreliable (CuPy 14's `einsum` has none, its `min` takes it for a dtype): copies the result."""

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
    """CuPy always wraps indices around."""
    if mode != "wrap":
        raise errors.not_in_cupy(function=f"take(mode={mode!r})")
    return cupy._call(cupy.library.take, (a, indices, axis), {"out": out})


def _logical(name: str) -> Callable[..., Any]:
    """CuPy has no truth values of complex numbers: they are True if they differ from zero."""

    def compute(cupy: Cupy, *given: Any, **options: Any) -> Any:
        library, (operands, out) = cupy.library, _split(given, 1 if name == "logical_not" else 2, options)
        truths = [library.not_equal(each, 0) if each.dtype.kind == "c" else each for each in map(cupy.inner, operands)]
        return cupy._call(getattr(library, name), truths, {**options, "out": out})

    return compute


def _split(given: tuple[Any, ...], inputs: int, options: dict[str, Any]) -> tuple[tuple[Any, ...], Any]:
    """The operands of a ufunc, and the array of its result."""
    return given[:inputs], given[inputs] if len(given) > inputs else options.get("out")


_COUNTING = frozenset({"bincount", "flatnonzero", "nonzero", "unique"})
"""Functions whose result has a size that depends on values: CuPy waits to find it."""

_INSTEAD: dict[str, Callable[..., Any]] = {
    "copyto": _copyto,
    "einsum": _into("einsum"),
    "max": _max,
    "min": _min,
    "take": _take,
    **{name: _logical(name) for name in ("logical_and", "logical_not", "logical_or", "logical_xor")},
}
"""The replacements, by the name of the function or of the ufunc's method (`add.reduce`)."""
