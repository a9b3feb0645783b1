"""Python's operators on tensors: `x + y`, `2 * x`, `x @ y`, `x < y`, ...

For two tensors they call the operation of that name. As in Paddle, `x + 2`, `x * 2` and `-x` are computed by `scale`, and an
integer tensor with a Python float becomes floating-point first.

There is no `__iadd__`: `x += y` makes a new tensor and binds the name to it, as in Paddle. (In PyTorch it writes in place.)
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Number
from typing import Any, cast

import numpy as np

from inplacelab import dtypes, errors
from inplacelab.ops import arithmetic  # noqa: F401  # whose rows are operators
from inplacelab.ops.arguments.attributes import REAL
from inplacelab.ops.arguments.operands import as_promoted
from inplacelab.ops.contractions import MATMUL, flip_last
from inplacelab.ops.creation import operand
from inplacelab.ops.results import destinations
from inplacelab.ops.table import ROWS, LazyFunction, as_function, as_method
from inplacelab.tensor import Tensor

_PRODUCT = LazyFunction(MATMUL, "ordinary")


def matmul(
    x: Tensor,
    y: Tensor,
    transpose_x: bool = False,
    transpose_y: bool = False,
    name: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Returns the product of two matrices, or of stacks of them.

    Args:
        x: a vector, a matrix, or a stack of matrices, of floating-point or complex numbers.
        y: the same.
        transpose_x: swap the last two axes of `x` first.
        transpose_y: swap the last two axes of `y` first.
        name: ignored.
        out: a tensor to write the result into.

    Raises:
        ShapeError: if the rows of `x` and the columns of `y` differ in length, or `out` has another shape than the product.

    >>> import inplacelab as paddle
    >>> paddle.matmul(paddle.ones([2, 3]), paddle.ones([3])).tolist()
    [3.0, 3.0]
    """
    if out is not None:
        return destinations.into("matmul", out, (x, y), lambda: matmul(x, y, transpose_x, transpose_y))
    return _PRODUCT.function()(flip_last(x) if transpose_x else x, flip_last(y) if transpose_y else y)  # type: ignore[no-any-return]


def _is_number(value: Any) -> bool:
    return isinstance(value, Number | np.bool_) and not isinstance(value, Tensor)


def _promoted(x: Tensor, number: Any) -> Tensor:
    """`x`, cast if its dtype cannot hold the number."""
    kind = x.array.dtype.kind
    if kind in "fc" and type(number) in REAL:  # the usual case, without the tests below
        return x
    if isinstance(number, complex) and kind != "c":
        return x.astype("complex128" if x.array.dtype.itemsize == 8 and kind == "f" else "complex64")
    if isinstance(number, float | np.floating) and kind in "biu":
        return x.astype("float32")
    return x.astype("int64") if kind == "b" and not isinstance(number, bool | np.bool_) else x


_Operator = Callable[[Tensor, Any], Tensor]


def _binary(name: str, with_number: _Operator, *, reflected: bool = False) -> _Operator:
    def operator(self: Tensor, other: Any) -> Tensor:
        if type(other) not in REAL:
            if isinstance(other, np.ndarray) and other.ndim:
                other = operand(other, self, dtype=other.dtype)
            if isinstance(other, Tensor):
                first, second = (other, self) if reflected else (self, other)
                result: Tensor = getattr(first, name)(second)
                return result
            if not _is_number(other):
                return cast(Tensor, NotImplemented)  # Python then tries the other operand
        return with_number(_promoted(self, other), other)

    operator.__doc__ = ROWS[name].says.en if name in ROWS else None
    return operator


def _divided(x: Tensor, number: Any) -> Tensor:
    """`x / number`, by scaling; integers become floating-point."""
    x = x.astype("float32") if x.array.dtype.kind in "biu" else x
    return x.divide(operand(number, x)) if number == 0 else x.scale(1.0 / number)


def _matmul(self: Tensor, other: Any) -> Tensor:
    return matmul(self, other) if isinstance(other, Tensor) else NotImplemented


def _with_operand(name: str, *, reflected: bool = False) -> _Operator:
    """An operator that converts a number to a tensor without axes, of the dtype of `x`."""

    def with_number(x: Tensor, number: Any) -> Tensor:
        other = as_promoted(name, "y", 1, number, x)
        first, second = (other, x) if reflected else (x, other)
        result: Tensor = getattr(first, name)(second)
        return result

    return _binary(name, with_number, reflected=reflected)


def _on_bits(name: str, *, reflected: bool = False) -> _Operator:
    """The same for operators on bits, which accept only integers and bools as numbers."""
    operator = _with_operand(name, reflected=reflected)

    def checked(self: Tensor, other: Any) -> Tensor:
        fraction = _is_number(other) and not isinstance(other, int | np.integer | np.bool_)
        return cast(Tensor, NotImplemented) if fraction else operator(self, other)

    checked.__doc__ = operator.__doc__
    return checked


def _not(self: Tensor) -> Tensor:
    return self.bitwise_not()


def _pos(self: Tensor) -> Tensor:
    """The tensor itself."""
    if self.array.dtype.kind == "b":
        raise errors.unary_plus_of_bool()
    return self


def _neg(self: Tensor) -> Tensor:
    return self.scale(-1.0)


def _abs(self: Tensor) -> Tensor:
    return self.abs()


def astype(self: Tensor, dtype: Any) -> Tensor:
    """Returns the same numbers in another data type; the tensor itself if it has that type, as in Paddle."""
    return self if dtypes.as_numpy(dtype) == self.array.dtype else self.cast(dtype)


def _reversed_axes(self: Tensor) -> Tensor:
    """The axes in reverse order: a view; the tensor itself if it has fewer than two axes."""
    return self if self.ndim < 2 else self.transpose(list(range(self.ndim))[::-1])


_OPERATORS: dict[str, Any] = {
    "__add__": _binary("add", lambda x, n: x.scale(1.0, n)),
    "__radd__": _binary("add", lambda x, n: x.scale(1.0, n), reflected=True),
    "__sub__": _binary("subtract", lambda x, n: x.scale(1.0, -n)),
    "__rsub__": _binary("subtract", lambda x, n: x.scale(-1.0, n), reflected=True),
    "__mul__": _binary("multiply", lambda x, n: x.scale(n)),
    "__rmul__": _binary("multiply", lambda x, n: x.scale(n), reflected=True),
    "__truediv__": _binary("divide", _divided),
    "__rtruediv__": _with_operand("divide", reflected=True),
    "__floordiv__": _with_operand("floor_divide"), "__rfloordiv__": _with_operand("floor_divide", reflected=True),
    "__mod__": _with_operand("remainder"), "__rmod__": _with_operand("remainder", reflected=True),
    "__pow__": _with_operand("pow"), "__rpow__": _with_operand("pow", reflected=True),
    "__and__": _on_bits("bitwise_and"), "__rand__": _on_bits("bitwise_and", reflected=True),
    "__or__": _on_bits("bitwise_or"), "__ror__": _on_bits("bitwise_or", reflected=True),
    "__xor__": _on_bits("bitwise_xor"), "__rxor__": _on_bits("bitwise_xor", reflected=True),
    "__lshift__": _on_bits("bitwise_left_shift"), "__rlshift__": _on_bits("bitwise_left_shift", reflected=True),
    "__rshift__": _on_bits("bitwise_right_shift"), "__rrshift__": _on_bits("bitwise_right_shift", reflected=True),
    "__matmul__": _matmul, "__neg__": _neg, "__pos__": _pos, "__abs__": _abs, "__invert__": _not,
    "__eq__": _with_operand("equal"), "__ne__": _with_operand("not_equal"),
    "__lt__": _with_operand("less_than"), "__le__": _with_operand("less_equal"),
    "__gt__": _with_operand("greater_than"), "__ge__": _with_operand("greater_equal"),
    "T": property(_reversed_axes),
    "__array_priority__": 1000, "__array_ufunc__": None,
}  # fmt: skip
OF_NUMBERS: dict[str, Callable[..., Tensor]] = {
    row.operator: _OPERATORS[row.operator] for row in ROWS.values() if row.operator
}
"""What computes an operator of a row if an operand is no tensor."""
_OPERATORS |= {row.operator: LazyFunction(row, "operator") for row in ROWS.values() if row.operator}
for _name, _operator in _OPERATORS.items():
    setattr(Tensor, _name, _operator)
for _name in ("matmul", "mm"):
    as_method(matmul, _name)
    as_function(matmul, _name)
as_method(astype)
