"""Python's operators on tensors (`x + y`, `2 * x`, `x @ y`, `x < y`, ...), properties and shorthands.

For two tensors an operator calls the operation of that name. As in Paddle, `x + 2`, `x * 2` and `-x` are computed by `scale`, and an
integer tensor with a Python float becomes floating-point first.

There is no `__iadd__`: `x += y` makes a new tensor and binds the name to it, as in Paddle. (In PyTorch it writes in place.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Number
from typing import Any, cast

import numpy as np

from inplacelab import dtypes, errors, modes
from inplacelab.ops import arithmetic  # noqa: F401  # whose rows are operators
from inplacelab.ops.arguments.attributes import REAL
from inplacelab.ops.arguments.operands import as_promoted, as_tensor
from inplacelab.ops.creation import made, operand
from inplacelab.ops.products import MATMUL, flip_last
from inplacelab.ops.results import destinations
from inplacelab.ops.table import ROWS, LazyFunction, as_function, as_method, as_property
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
                return _not_known(name, other)
        return with_number(_promoted(self, other), other)

    operator.__doc__ = ROWS[name].says.en if name in ROWS else None
    return operator


def _not_known(name: str, other: Any) -> Tensor:
    """Returns what Python takes as a sign to try the other operand, which knows tensors unless it is one itself; `==` compares anything."""
    if errors.is_foreign(other) and name not in ("equal", "not_equal"):
        raise errors.foreign_tensor(name, other)
    return cast(Tensor, NotImplemented)


def _divided(x: Tensor, number: Any) -> Tensor:
    """`x / number`, by scaling; integers become floating-point."""
    x = x.astype("float32") if x.array.dtype.kind in "biu" else x
    return x.divide(operand(number, x)) if number == 0 else x.scale(1.0 / number)


def _matmul(self: Tensor, other: Any) -> Tensor:
    return matmul(self, other) if isinstance(other, Tensor) else _not_known("matmul", other)


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


# ---- properties and shorthands: sizes, kinds of dtype, flags, versions, casts by name ---------------------------------------


def _counted(name: str, like: Tensor, value: Any, dtype: str = "int64") -> Tensor:
    device = like.storage.device
    return made(name, device.from_host(np.asarray(value, dtype)), device)


@as_method
@as_function
def numel(x: Tensor, name: str | None = None) -> Tensor:
    """Returns the number of elements, as a tensor of int64 without axes; `x.size` is a plain number."""
    return _counted("numel", x, x.size)


@as_method
@as_function
def rank(input: Tensor) -> Tensor:
    """Returns the number of axes, as a tensor of int32 without axes; `x.ndim` is a plain number."""
    return _counted("rank", input, input.ndim, "int32")


@as_function
def shape(input: Tensor) -> Tensor:
    """Returns the sizes of the axes, as a tensor of int64; `x.shape` is a list of plain numbers."""
    return _counted("shape", input, list(input.shape))


@as_method
@as_function
def is_empty(x: Tensor, name: str | None = None) -> Tensor:
    """Returns True if there are no elements, as a tensor of bool without axes."""
    return _counted("is_empty", x, x.size == 0, "bool")


@as_function
def broadcast_shape(x_shape: Sequence[int], y_shape: Sequence[int]) -> list[int]:
    """Returns the shape that two shapes are broadcast to.

    Raises:
        ShapeError: if they do not fit.

    >>> import inplacelab as paddle
    >>> paddle.broadcast_shape([2, 1, 3], [3, 1])
    [2, 3, 3]
    """
    try:
        return list(np.broadcast_shapes(tuple(x_shape), tuple(y_shape)))
    except ValueError:
        raise errors.cannot_broadcast(x=x_shape, y=y_shape, op="broadcast_shape") from None


@as_function
def tolist(x: Tensor) -> Any:
    """Returns the values as nested Python lists; a plain number for a tensor without axes."""
    return x.tolist()


# ---- kinds of dtype -----------------------------------------------------------------------------------------------------


@as_method
@as_function
def is_floating_point(x: Tensor) -> bool:
    """Returns True for float16, float32 and float64."""
    return bool(x.array.dtype.kind == "f")


@as_method
@as_function
def is_integer(x: Tensor) -> bool:
    """Returns True for integers, signed or not (not for bool)."""
    return bool(x.array.dtype.kind in "iu")


@as_method
@as_function
def is_complex(x: Tensor) -> bool:
    """Returns True for complex64 and complex128."""
    return bool(x.array.dtype.kind == "c")


def _caster(name: str, dtype: dtypes.DType) -> Callable[[Tensor], Tensor]:
    def cast(self: Tensor) -> Tensor:
        return astype(self, dtype)

    cast.__name__ = cast.__qualname__ = name
    cast.__doc__ = f"The same numbers as {dtype.name}: `astype('{dtype.name}')`."
    return cast


CASTS = {
    "bool": dtypes.bool_, "int": dtypes.int32, "long": dtypes.int64, "half": dtypes.float16, "float": dtypes.float32,
    "double": dtypes.float64,
}  # fmt: skip


@as_method
def type_as(self: Tensor, other: Tensor) -> Tensor:
    """Returns the same numbers in the dtype of `other`."""
    return astype(self, other.dtype)


# ---- metadata ------------------------------------------------------------------------------------------------------------


@as_method
def stride(self: Tensor, dim: int | None = None) -> Any:
    """Returns the stride of one axis, or of all, in elements (not bytes)."""
    return self.strides if dim is None else self.strides[dim]


@as_method
def get_strides(self: Tensor) -> list[int]:
    """Returns the strides of the axes, in elements (not bytes)."""
    return self.strides


def _itemsize(self: Tensor) -> int:
    """Bytes for one element."""
    return self.element_size()


@as_method
def is_same_shape(self: Tensor, y: Tensor) -> bool:
    """Returns True if both have the same shape."""
    return self.shape == y.shape


@as_method
def is_dense(self: Tensor) -> bool:
    """True: there are no sparse tensors here."""
    return True


@as_method
def is_sparse(self: Tensor) -> bool:
    """False: there are no sparse tensors here."""
    return False


# ---- the version counter --------------------------------------------------------------------------------------------------


@as_method
def _inplace_version(self: Tensor) -> int:
    """The version counter of the storage, the same as `x.inplace_version`."""
    return self.inplace_version


@as_method
def _bump_inplace_version(self: Tensor) -> None:
    """Raises the version by one, as a write does.

    For programs that write to the memory without the engine. Backward then refuses saved tensors on that storage.
    """
    keeper = modes.current().keeper
    if keeper is not None:
        keeper.before_write(self)
    self.storage.version += 1
    if keeper is not None:
        keeper.after_write(self.storage)


@as_method
def _is_shared_buffer_with(self: Tensor, tensor: Tensor) -> bool:
    """Returns True if both tensors have the same storage: views, `detach()`."""
    return self.storage is as_tensor("_is_shared_buffer_with", "tensor", 1, tensor).storage


# ---- gradients --------------------------------------------------------------------------------------------------------------


def _requires_grad(self: Tensor) -> bool:
    """PyTorch's name: the opposite of `stop_gradient`; settable."""
    return not self.stop_gradient


def _set_requires_grad(self: Tensor, requires_grad: bool) -> None:
    if not isinstance(requires_grad, bool):
        raise errors.requires_grad_not_bool(value=requires_grad)
    self.stop_gradient = not requires_grad


@as_method
def requires_grad_(self: Tensor, requires_grad: bool = True) -> Tensor:
    """Sets whether the tensor needs a gradient, and returns it. The version does not change.

    Raises:
        ArgumentKindError: if `requires_grad` is not a bool.
    """
    _set_requires_grad(self, requires_grad)
    return self


@as_method
def gradient(self: Tensor) -> Any:
    """Returns the gradient as a NumPy array, or None if there is none."""
    return None if self.grad is None else self.grad.numpy()


as_property("itemsize", _itemsize)
as_property("requires_grad", _requires_grad, _set_requires_grad)
for _name, _dtype in CASTS.items():
    as_method(_caster(_name, _dtype))
