"""Operands of an operation, converted to tensors or refused.

The generated functions (see `ops/template/`) handle the usual cases with comparisons of attributes, and call these functions
in the other cases.
"""

from __future__ import annotations

from numbers import Number
from typing import Any

import numpy as np

from inplacelab import dtypes, errors
from inplacelab.layout import Shape, common_shape
from inplacelab.ops.arguments.attributes import check_holds, constant
from inplacelab.ops.arguments.keywords import ABSENT, missing
from inplacelab.storage import Unaccounted
from inplacelab.tensor import Tensor, over

# ---- tensors, and numbers instead of them -----------------------------------------------------------------------------


def as_tensor(op: str, argument: str, position: int, value: Any) -> Tensor:
    """Returns `value` if it is a tensor (such as a `Parameter`), and refuses it otherwise."""
    if isinstance(value, Tensor):
        return value
    if value is ABSENT:
        missing(op, argument)
    raise errors.not_a_tensor(op, argument, position, value)


def as_operand(op: str, argument: str, position: int, value: Any, x: Any) -> Tensor:
    """Returns an input that may be a number, which `x` must be able to hold: a number becomes a tensor without axes."""
    if isinstance(value, Tensor):
        return value
    _check_number(op, argument, value, x)
    check_holds(x.array.dtype, value)
    return number_like(value, x)


def as_promoted(op: str, argument: str, position: int, value: Any, x: Any) -> Tensor:
    """Returns an input that may be a number, which `x` is computed with: a number becomes a tensor without axes. Refuses a
    fraction for an integer or bool tensor.
    """
    if isinstance(value, Tensor):
        return value
    _check_number(op, argument, value, x)
    dtype = x.array.dtype
    if dtype.kind in "iub":
        with np.errstate(invalid="ignore"):  # infinity is not an integer, either
            if constant(value, dtype) != value:
                raise errors.number_does_not_fit(x=dtype.name, y=type(value).__name__)
    return number_like(value, x)


def _check_number(op: str, argument: str, value: Any, x: Any) -> None:
    if value is ABSENT:
        missing(op, argument)
    if not isinstance(value, Number | np.bool_):
        if op.rstrip("_") == "pow":  # the one that is checked in Python in PaddlePaddle
            raise errors.exponent_not_a_number(argument=argument, value=value)
        raise errors.not_a_number(value=value)
    if not isinstance(x, Tensor):
        raise errors.not_a_tensor(op, "x", 0, x)
    if isinstance(value, complex) and x.array.dtype.kind != "c":
        raise errors.number_does_not_fit(x=x.array.dtype.name, y="complex")


def number_like(value: Any, x: Tensor) -> Tensor:
    """Returns a number as a tensor without axes, in the dtype of `x`. It is not a tensor of the program, so the memory account does
    not count its bytes.
    """
    device = x.storage.device
    made = device.constant(constant(value, x.array.dtype))
    return over(made, Unaccounted(made, device))


# ---- dtypes, shapes and devices that must go together -----------------------------------------------------------------


def check_dtype(op: str, kinds: str, *inputs: np.dtype[Any]) -> None:
    """Refuses inputs without a common dtype, and a common dtype that the operation is not defined for."""
    dtype = promoted(op, *inputs)
    if dtype.kind not in kinds:
        raise errors.kernel_not_registered(dtype=dtype.name, op=op.rstrip("_"))


def promoted(op: str, *inputs: np.dtype[Any]) -> np.dtype[Any]:
    """Returns the common dtype of the inputs."""
    result = inputs[0]
    for other in inputs[1:]:
        result = dtypes.promote(op, result, other)
    return result


def broadcast(op: str, *tensors: Tensor) -> Shape:
    """Returns the shape of the result of an element-wise operation."""
    shape: Shape = tensors[0].array.shape
    for each in tensors[1:]:
        together = common_shape(shape, each.array.shape)
        if together is None:
            raise errors.cannot_broadcast(x=shape, y=each.shape, op=op)
        shape = together
    return shape


def refuse_shape(op: str, x: Tensor, y: Tensor) -> None:
    """Refuses an operand that cannot be broadcast to the shape of `x`, the target of an in-place operation."""
    refuse_growth(op, x, broadcast(op, x, y))


def refuse_growth(op: str, x: Tensor, shape: Shape) -> None:
    """Refuses to write a result of another shape into `x`."""
    if op == "setitem":
        raise errors.assigned_would_grow(op=op, target=x.shape, result=shape)
    raise errors.would_grow(op=op, target=x.shape, result=shape)


def refuse_devices(op: str, x: Tensor, y: Tensor) -> None:
    """Refuses operands on different devices."""
    raise errors.devices_differ(op=op, x=x.place.text, y=y.place.text)
