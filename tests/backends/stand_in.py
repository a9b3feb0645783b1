"""A strict stand-in for CuPy, over NumPy: it has the same functions and refuses the same calls, to test rows without a GPU.

Its functions (names, parameters, the dtypes of each ufunc) are in `cupy_names.json`, recorded from the real CuPy. It refuses NumPy
arrays as operands, implicit conversion to NumPy, casts that CuPy does not make, and every way to read a value except `get()`.
Writes to a repeated position happen in a shuffled order, as those of a GPU's threads may.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

NAMES = json.loads(Path(__file__).with_name("cupy_names.json").read_text())
_BLOCK = 512  # CuPy's pool hands out memory in blocks of so many bytes


class Memory:
    """A block of the device's memory."""

    held = 0

    def __init__(self, nbytes: int) -> None:
        self.bytes = np.zeros(nbytes, np.uint8)
        self.block = -(-nbytes // _BLOCK) * _BLOCK
        Memory.held += self.block

    def __del__(self) -> None:
        Memory.held -= self.block


class Pointer:
    """The beginning of an array: `cupy.cuda.MemoryPointer`."""

    def __init__(self, memory: Memory, offset: int) -> None:
        self.memory, self.offset = memory, offset

    def __add__(self, offset: int) -> Pointer:
        return Pointer(self.memory, self.offset + offset)

    @property
    def ptr(self) -> int:
        return int(self.memory.bytes.ctypes.data) + self.offset


class ndarray:  # noqa: N801  # CuPy's name
    """`cupy.ndarray`."""

    def __init__(
        self, shape: Any, dtype: Any = float, memptr: Any = None, strides: Any = None, order: Any = "C"
    ) -> None:
        dtype = np.dtype(dtype)
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        if memptr is None:
            memptr = Pointer(Memory(int(np.prod(shape, dtype=int)) * dtype.itemsize), 0)
        self.data = memptr
        self._host: Any = np.ndarray(shape, dtype, memptr.memory.bytes, memptr.offset, strides)

    def __getattr__(self, name: str) -> Any:
        if name not in NAMES["array"] or name in ("item", "tolist"):
            raise AttributeError(f"the stand-in for cupy.ndarray has no {name!r}")
        value = getattr(self._host, name)
        if isinstance(value, np.ndarray):
            return self._beside(value)
        return _checked(value) if callable(value) else value

    def _beside(self, shown: np.ndarray[Any, Any]) -> ndarray:
        """A window on the same memory; a copy if that is not possible."""
        memory = self.data.memory.bytes
        start = shown.ctypes.data - memory.ctypes.data
        if shown.size and not (0 <= start < memory.size):
            return fresh(shown)
        return ndarray(shown.shape, shown.dtype, Pointer(self.data.memory, start if shown.size else 0), shown.strides)

    def __len__(self) -> int:
        return len(self._host)

    def __getitem__(self, key: Any) -> Any:
        return self._beside(np.asarray(self._host[_key(key)]))

    def __setitem__(self, key: Any, value: Any) -> None:
        inside, values = _key(key), inner(value)
        parts = inside if isinstance(inside, tuple) else (inside,)
        if not any(isinstance(part, np.ndarray) and part.dtype != bool for part in parts):
            self._host[inside] = values
            return
        slots = np.arange(self._host.size).reshape(self._host.shape)[inside]
        order = np.random.default_rng(slots.size).permutation(slots.size)
        places = np.unravel_index(slots.ravel()[order], self._host.shape)
        self._host[places] = np.broadcast_to(values, slots.shape).ravel()[order]

    def reshape(self, *shape: Any, order: Any = "C") -> ndarray:
        return self._beside(self._host.reshape(*shape, order=order))

    def transpose(self, *axes: Any) -> ndarray:
        return self._beside(self._host.transpose(*axes))

    def swapaxes(self, first: int, second: int) -> ndarray:
        return self._beside(self._host.swapaxes(first, second))

    def squeeze(self, axis: Any = None) -> ndarray:
        return self._beside(self._host.squeeze(axis))

    def ravel(self, order: Any = "C") -> ndarray:
        return self._beside(self._host.ravel(order))

    def view(self, dtype: Any = None) -> ndarray:
        return self._beside(self._host.view(self.dtype if dtype is None else dtype))

    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> ndarray:
        return self._beside(self._host.diagonal(offset, axis1, axis2))

    def astype(
        self, dtype: Any, order: Any = "K", casting: Any = None, subok: Any = None, copy: bool = True
    ) -> ndarray:
        if not copy and np.dtype(dtype) == self.dtype:
            return self
        with np.errstate(all="ignore"):
            return fresh(self._host.astype(dtype, order))

    def argsort(self, axis: Any = -1, kind: Any = None) -> ndarray:
        if kind not in (None, "stable"):
            raise ValueError(f"kind can only be None or stable, got {kind}")
        return fresh(np.argsort(self._host, axis, kind="stable"))

    def fill(self, value: Any) -> None:
        self._host.fill(inner(value))

    def get(self, stream: Any = None, order: Any = "C", out: Any = None) -> np.ndarray[Any, Any]:
        return self._host.copy(order)

    def __array__(self, *asked: Any, **options: Any) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")

    def _looked_at(self, *asked: Any) -> Any:
        raise AssertionError("a value was looked at without `get()`: a hidden synchronization")

    __bool__ = __int__ = __float__ = __complex__ = __index__ = item = tolist = _looked_at

    def _operator(self, name: str, *others: Any) -> Any:
        return _UFUNCS[name](self, *others)

    def __add__(self, other: Any) -> Any:
        return self._operator("add", other)

    def __mul__(self, other: Any) -> Any:
        return self._operator("multiply", other)

    def __eq__(self, other: object) -> Any:
        return self._operator("equal", other)

    __hash__ = None  # type: ignore[assignment]


def fresh(values: Any) -> ndarray:
    """An array in new memory."""
    values = np.asarray(values)
    made = ndarray(values.shape, values.dtype)
    made._host[...] = values
    return made


def inner(value: Any) -> Any:
    """The NumPy array within; numbers as they are. NumPy arrays are refused, those without axes too."""
    if isinstance(value, ndarray):
        return value._host
    if isinstance(value, list | tuple):
        return type(value)(map(inner, value))
    if isinstance(value, np.ndarray):
        raise TypeError(f"Unsupported type {type(value)}")
    return value


def outer(found: Any) -> Any:
    """A result of NumPy, on the device: numbers too, as with CuPy."""
    if isinstance(found, np.ndarray | np.generic):
        return fresh(found)
    return type(found)(map(outer, found)) if isinstance(found, list | tuple) else found


def _key(key: Any) -> Any:
    parts = key if isinstance(key, tuple) else (key,)
    assert not any(isinstance(part, list) for part in parts), "CuPy would send a list to the device"
    return tuple(map(inner, key)) if isinstance(key, tuple) else inner(key)


def _checked(compute: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **options: Any) -> Any:
        out = options.get("out")
        found = compute(*map(inner, args), **{name: inner(value) for name, value in options.items()})
        return outer(found) if out is None else out

    return call


# ---- ufuncs -----------------------------------------------------------------------------------------------------------------------


class Ufunc:
    """A ufunc with the loops that CuPy's has, and with its rules of casting."""

    def __init__(self, name: str, compute: Any, types: list[str], **methods: bool) -> None:
        self.name, self._compute, self._methods = name, compute, methods
        self.types = [tuple(np.dtype(letter) for letter in loop.replace("->", "")) for loop in types]
        self.nin = types[0].index("->")

    def _loop(self, operands: list[Any], dtype: Any) -> tuple[np.dtype[Any], ...]:
        for loop in self.types:
            if dtype is not None and loop[-1] == np.dtype(dtype):
                return loop
            if dtype is None and all(_fits(each, to) for each, to in zip(operands, loop, strict=False)):
                return loop
        raise TypeError(f"Wrong type of arguments for cupy_{self.name}")

    def __call__(self, *args: Any, out: Any = None, dtype: Any = None, casting: Any = "same_kind") -> Any:
        operands, given = [*map(inner, args[: self.nin])], [*args[self.nin :]]
        out = given[0] if given else out
        weak = [v for v in operands if type(v) in (bool, int, float, complex)]
        strong = [v.dtype for v in operands if type(v) not in (bool, int, float, complex)]
        typed = np.result_type(*strong, *weak) if weak and strong else None
        operands = [typed.type(v) if type(v) in (bool, int, float, complex) and typed else v for v in operands]
        loop = self._loop(operands, dtype)
        with np.errstate(all="ignore"):
            cast = [np.asarray(v).astype(to) for v, to in zip(operands, loop, strict=False)]
            shape = np.broadcast_shapes(*(v.shape for v in cast), *([out.shape] if out is not None else []))
            found = np.asarray(self._compute(*(np.broadcast_to(v, shape) for v in cast))).astype(loop[-1])
        if out is None:
            return fresh(found)
        if out.shape != shape:
            raise ValueError("Out shape is mismatched")
        if not np.can_cast(loop[-1], out.dtype, casting):
            raise TypeError(
                f"output (typecode {loop[-1].char!r}) could not be coerced to {out.dtype.char!r}: {casting}"
            )
        with np.errstate(all="ignore"):
            np.copyto(out._host, found, casting="unsafe")
        return out

    def at(self, a: ndarray, indices: Any, b: Any = None) -> None:
        if not self._methods["at"]:
            raise NotImplementedError(f"`cupy_{self.name}.at` is not supported yet")
        letters = {"add": "iILQqefd", "maximum": "iILQfd", "minimum": "iILQfd"}[self.name].replace("q", "")
        if a.dtype.char not in letters:
            raise TypeError(f"scatter of {self.name}: {a.dtype} is not supported")
        getattr(np, self.name).at(a._host, _key(indices), inner(b))

    def accumulate(self, array: ndarray, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        assert self._methods["accumulate"]
        found = getattr(np, self.name).accumulate(inner(array), axis, dtype)
        if out is None:
            return fresh(found)
        out._host[...] = found
        return out

    def reduce(self, array: ndarray, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        if not self._methods["reduce"]:
            raise NotImplementedError(f"`cupy_{self.name}.reduce` is not supported yet")
        assert out is None
        return fresh(getattr(np, self.name).reduce(inner(array), axis, dtype, keepdims=keepdims))


def _fits(value: Any, dtype: np.dtype[Any]) -> bool:
    if type(value) in (bool, int, float, complex):
        return bool(np.can_cast(np.result_type(type(value)), dtype, "same_kind"))
    return bool(np.can_cast(value.dtype, dtype, "safe"))


def _numpys(name: str) -> Any:
    """NumPy's ufunc of that name; if there is none, a function that computes the same as CuPy's."""
    return getattr(np, name, None) or (lambda *args: (_ for _ in ()).throw(AssertionError(name)))


_UFUNCS = {name: Ufunc(name, _numpys(name), **facts) for name, facts in NAMES["ufuncs"].items()}

# ---- functions --------------------------------------------------------------------------------------------------------------------


@cache
def _signature(said: str) -> inspect.Signature:
    scope: dict[str, Any] = {}
    exec(f"def it{re.sub(r'<[^>]*>', 'None', said).split('->')[0]}: ...", {}, scope)  # from our own file
    return inspect.signature(scope["it"])


def _function(name: str, said: str) -> Callable[..., Any]:
    signature = _signature(said)

    def call(*args: Any, **options: Any) -> Any:
        signature.bind(*args, **options)  # CuPy's parameters, not NumPy's
        with np.errstate(all="ignore"):
            return _checked(getattr(np, name))(*args, **options)

    return call


def einsum(*operands: Any) -> ndarray:
    """Without `out`."""
    return _checked(np.einsum)(*operands)


def min(a: ndarray, axis: Any = None, keepdims: bool = False) -> ndarray:  # noqa: A001  # CuPy's name
    """CuPy 14.2 takes the `out` of `min` for its dtype: it must not be given."""
    return fresh(np.min(inner(a), axis, keepdims=keepdims))


def copyto(dst: ndarray, src: Any, casting: Any = "same_kind", where: Any = None) -> None:
    if type(src) in (int, float, complex) or (isinstance(src, np.generic) and not np.can_cast(src, dst.dtype, casting)):
        np.copyto(np.empty((), dst.dtype), src, casting=casting)
    with np.errstate(all="ignore"):
        np.copyto(dst._host, inner(src), casting=casting, where=True if where is None else inner(where))


def array(
    obj: Any, dtype: Any = None, copy: bool = True, order: Any = "K", subok: bool = False, ndmin: int = 0
) -> ndarray:
    return fresh(np.array(obj._host if isinstance(obj, ndarray) else obj, dtype, order=order))


def asarray(a: Any, dtype: Any = None, order: Any = None) -> ndarray:
    return a if isinstance(a, ndarray) and dtype in (None, a.dtype) else array(a, dtype)


def empty(shape: Any, dtype: Any = float, order: Any = "C") -> ndarray:
    return ndarray(shape, dtype)


def broadcast_to(array: ndarray, shape: Any) -> ndarray:
    return array._beside(np.broadcast_to(array._host, shape))


def moveaxis(a: ndarray, source: Any, destination: Any) -> ndarray:
    return a._beside(np.moveaxis(a._host, source, destination))


# ---- random numbers, special functions, the machine ---------------------------------------------------------------------------------


class XORWOW:
    """CuPy's bit generator, by its name; it gives other numbers."""

    def __init__(self, seed: int, size: int = 256_000) -> None:
        self.seed = seed


class Generator:
    """`cupy.random.Generator`."""

    def __init__(self, bits: XORWOW) -> None:
        self._draw = np.random.default_rng([bits.seed, 1])

    def __getattr__(self, name: str) -> Any:
        signature = _signature(NAMES["generator"][name])

        def call(*args: Any, **options: Any) -> Any:
            given = signature.bind(None, *args, **options).arguments
            out = given.get("out")
            assert out is None or given.get("size") == out.shape, "CuPy draws as many numbers as the size says"
            if out is not None and not (out.flags.c_contiguous and out.dtype.char in "fd"):
                raise ValueError("Supplied output array is not contiguous, or of another dtype")
            return _checked(getattr(self._draw, name))(*args, **options)

        return call


random = SimpleNamespace(Generator=Generator, XORWOW=XORWOW)
cuda = SimpleNamespace(
    get_current_stream=lambda: SimpleNamespace(synchronize=lambda: None),
    runtime=SimpleNamespace(memGetInfo=lambda: (3 << 30, 4 << 30), getDeviceProperties=lambda _: {"name": b"stand-in"}),
)


def get_default_memory_pool() -> Any:
    return SimpleNamespace(
        total_bytes=lambda: Memory.held, used_bytes=lambda: Memory.held, free_all_blocks=lambda: None
    )


def special() -> Any:
    """`cupyx.scipy.special`."""
    import scipy.special  # noqa: PLC0415  # optional

    return SimpleNamespace(**{
        name: Ufunc(name, getattr(scipy.special, name), facts) if isinstance(facts, list) else _checked(getattr(scipy.special, name))
        for name, facts in NAMES["special"].items()
        if hasattr(scipy.special, name)
    })  # fmt: skip


def __getattr__(name: str) -> Any:
    """CuPy's other names: ufuncs and functions."""
    if name in _UFUNCS:
        return _UFUNCS[name]
    if name in NAMES["functions"]:
        return _function(name, NAMES["functions"][name])
    raise AttributeError(f"the stand-in for cupy has no {name!r}")
