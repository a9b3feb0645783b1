"""Data types under Paddle's names, and the rules of type promotion; the form of a tensor: its shape and dtype.

>>> from inplacelab import dtypes
>>> dtypes.float32
<DataType.FLOAT32: 10>
>>> print(dtypes.promote("add", dtypes.float32.numpy, dtypes.float64.numpy))
float64
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from inplacelab import errors

__all__ = [
    "DType", "Form", "as_numpy", "bool_", "complex64", "complex128", "finfo", "float16", "float32", "float64", "form_of", "get_default_dtype",
    "iinfo", "int8", "int16", "int32", "int64", "named", "promote", "set_default_dtype", "uint8",
]  # fmt: skip


class DType:
    """A data type of tensor elements, such as `paddle.float32`. One object for each type; compare with `==` or `is`.

    Attributes:
        name: "float32".
        numpy: the NumPy data type that computes it.
        itemsize: bytes for one element.
    """

    __slots__ = ("code", "itemsize", "name", "numpy")

    def __init__(self, name: str, code: int) -> None:
        self.name, self.code = name, code
        self.numpy = np.dtype(name)
        self.itemsize = self.numpy.itemsize

    def __repr__(self) -> str:
        return f"<DataType.{self.name.upper()}: {self.code}>"

    def __str__(self) -> str:
        return f"paddle.{self.name}"

    def __reduce__(self) -> tuple[Any, ...]:
        return named, (self.name,)


bool_, uint8, int8, int16, int32, int64 = (
    DType(n, c) for n, c in [("bool", 1), ("uint8", 2), ("int8", 3), ("int16", 5), ("int32", 7), ("int64", 9)]
)
float16, float32, float64 = (DType(n, c) for n, c in [("float16", 15), ("float32", 10), ("float64", 11)])
complex64, complex128 = (DType(n, c) for n, c in [("complex64", 12), ("complex128", 13)])

ALL = (bool_, uint8, int8, int16, int32, int64, float16, float32, float64, complex64, complex128)
_BY_NAME = {d.name: d for d in ALL}
NAMES = frozenset(_BY_NAME)
_BY_NUMPY = {d.numpy: d for d in ALL}

_default = float32


def get_default_dtype() -> str:
    """Returns the name of the data type that Python floats become: "float32" unless changed."""
    return _default.name


def set_default_dtype(d: Any) -> None:
    """Sets the data type that Python floats become.

    Args:
        d: a floating-point type: a name ("float64"), a `DType` or a NumPy data type.
    """
    global _default
    wanted = named(d)
    if wanted.numpy.kind != "f":
        raise errors.unknown_dtype(dtype=d, known=[x.name for x in ALL if x.numpy.kind == "f"])
    _default = wanted


def named(dtype: Any) -> DType:
    """Returns the `DType` for a name ("float32"), a NumPy data type, a Python type, or a `DType`.

    Raises:
        DTypeError: if there is no such type; the message lists the existing ones.
    """
    if isinstance(dtype, DType):
        return dtype
    found = _BY_NAME.get(dtype.removeprefix("paddle.")) if isinstance(dtype, str) else None
    if dtype is float:
        found = _default
    elif found is None:
        try:
            found = _BY_NUMPY.get(np.dtype(dtype))  # NumPy's other names, too: "int", "double"
        except TypeError:
            found = None
    if found is None:
        raise errors.unknown_dtype(dtype=dtype, known=list(_BY_NAME))
    return found


def as_numpy(dtype: Any) -> np.dtype[Any]:
    """The NumPy data type for anything that `named` understands; the default type for None."""
    return (_default if dtype is None else named(dtype)).numpy


def promote(op: str, x: np.dtype[Any], y: np.dtype[Any]) -> np.dtype[Any]:
    """Returns the common type of `x` and `y`, by Paddle's rule: floating-point types widen, any type mixes with a complex
    type, and no other types mix.

    Args:
        op: the name of the operation, for the error message.
        x: the first operand's type.
        y: the second operand's type.

    Raises:
        DTypeError: for int with float, int with another int, and bool with anything real.

    Source: PaddlePaddle 3.3.1, `paddle.add` measured over all pairs of types.
    """
    if x == y:
        return x
    kinds = x.kind + y.kind
    if "c" in kinds:
        double = any(d in (float64.numpy, complex128.numpy) for d in (x, y))
        return complex128.numpy if double else complex64.numpy
    if kinds == "ff":
        return np.promote_types(x, y)
    raise errors.cannot_promote(x=x.name, y=y.name, op=op)


def floating(x: np.dtype[Any]) -> np.dtype[Any]:
    """Returns the result type of functions such as `exp`: that of `x`, or float32 for integers and booleans, as in Paddle."""
    return x if x.kind in "fc" else float32.numpy


def real(x: np.dtype[Any]) -> np.dtype[Any]:
    """The type of the real part of `x`."""
    if x.kind != "c":
        return x
    return float64.numpy if x == complex128.numpy else float32.numpy


def quotient(x: np.dtype[Any], y: np.dtype[Any]) -> np.dtype[Any]:
    """The type of `x / y`."""
    return floating(promote("divide", x, y))


# ---- limits of a type -----------------------------------------------------------------------------------------------------


class IntegerLimits(NamedTuple):
    """The result of `iinfo`: the smallest and the largest number, the number of bits, the type's name."""

    min: int
    max: int
    bits: int
    dtype: str

    def __repr__(self) -> str:
        return f"paddle.iinfo(min={self.min}, max={self.max}, bits={self.bits}, dtype={self.dtype})"


class FloatLimits(NamedTuple):
    """The result of `finfo`: the smallest and the largest number, the step at 1, the digits, the smallest normal number."""

    min: float
    max: float
    eps: float
    resolution: float
    smallest_normal: float
    tiny: float
    bits: int
    dtype: str

    def __repr__(self) -> str:
        numbers = ", ".join(
            f"{name}={getattr(self, name):g}" for name in ("min", "max", "eps", "resolution", "smallest_normal", "tiny")
        )
        return f"paddle.finfo({numbers}, bits={self.bits}, dtype={self.dtype})"


def iinfo(dtype: Any) -> IntegerLimits:
    """Returns the limits of an integer type.

    Raises:
        ArgumentError: if it is not an integer type.

    >>> from inplacelab import dtypes
    >>> dtypes.iinfo("int8")
    paddle.iinfo(min=-128, max=127, bits=8, dtype=int8)
    """
    wanted = named(dtype)
    if wanted.numpy.kind not in "iu":
        raise errors.not_an_integer_type(dtype=wanted.name)
    limits = np.iinfo(wanted.numpy)
    return IntegerLimits(int(limits.min), int(limits.max), limits.bits, wanted.name)


def finfo(dtype: Any) -> FloatLimits:
    """Returns the limits and the precision of a floating-point type; for a complex type, those of its parts.

    Raises:
        ArgumentError: if it is neither floating-point nor complex.
    """
    wanted = named(dtype)
    if wanted.numpy.kind not in "fc":
        raise errors.not_a_float_type(dtype=wanted.name)
    part = named(real(wanted.numpy))
    limits = np.finfo(part.numpy)
    smallest = float(limits.smallest_normal)
    return FloatLimits(
        float(limits.min), float(limits.max), float(limits.eps), 10.0**-limits.precision, smallest, smallest, limits.bits,
        part.name,
    )  # fmt: skip


# ---- forms -------------------------------------------------------------------------------------------------------------------
#
# Equal forms are the same object. Most operations on two tensors need to know whether both have the same shape and dtype. With forms that is
# one `is`; asking NumPy for two shapes and two dtypes takes as long as half an addition of small arrays.

_MANY = 10_000


class Form:
    """A shape and a dtype.

    Attributes:
        shape: the sizes of the axes.
        dtype: NumPy's dtype of the elements.
        kind: its letter: f, i, u, b or c.
    """

    __slots__ = ("dtype", "kind", "shape")

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.shape, self.dtype, self.kind = shape, dtype, dtype.kind

    def __repr__(self) -> str:
        return f"Form({list(self.shape)}, {self.dtype.name})"


_forms: dict[tuple[tuple[int, ...], np.dtype[Any]], Form] = {}


def form_of(array: Any) -> Form:
    """Returns the form of an array.

    When very many have been made, new objects replace them. So different objects may stand for equal forms: who finds two
    different ones must compare shapes and dtypes.
    """
    key = (array.shape, array.dtype)
    form = _forms.get(key)
    if form is None:
        if len(_forms) > _MANY:
            _forms.clear()
        form = _forms.setdefault(key, Form(*key))
    return form
