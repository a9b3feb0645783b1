"""Properties and shorthands of tensors: sizes as tensors, kinds of dtype, flags, versions, casts by name.

All computation is done by rows of the table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from inplacelab import dtypes, errors, modes
from inplacelab.ops.arguments.operands import as_tensor
from inplacelab.ops.creation import made
from inplacelab.ops.operators import astype
from inplacelab.ops.table import as_function, as_method, as_property
from inplacelab.tensor import Tensor

# ---- sizes, as tensors: a program that is traced would compute with them ---------------------------------------------------


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
