"""Operands of an operation, converted to tensors or refused; the ones that share slots with the target; dtypes of results.

The generated functions (see `ops/generated/`) handle the usual cases with comparisons of attributes, and call these functions
in the other cases.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Number
from typing import Any

import numpy as np

from inplacelab import dtypes, errors
from inplacelab.autograd.nodes import Node
from inplacelab.autograd.saved import Saved, save, save_copy
from inplacelab.layout import Layout, Shape, common_shape
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


def with_scalar(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Returns two operands of different kinds. If one has no axes, integers and bools are cast to the floating-point dtype of the
    other, as numbers are.

    Source: PaddlePaddle 3.3.1, `paddle.add` and others measured over all pairs of types.
    """
    if not (x.array.ndim and y.array.ndim):
        if y.array.dtype.kind == "f" and x.array.dtype.kind in "biu":
            return x.cast(y.array.dtype), y
        if x.array.dtype.kind == "f" and y.array.dtype.kind in "biu":
            return x, y.cast(x.array.dtype)
    return x, y


def check_dtype(op: str, kinds: str, *inputs: np.dtype[Any]) -> None:
    """Refuses inputs without a common dtype, and a common dtype that the operation is not defined for."""
    dtype = promoted(op, *inputs)
    if dtype.kind not in kinds:
        raise errors.kernel_not_registered(dtype=dtype.name, op=op, accepts=kinds)


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


# ---- operands that share slots with the target ----------------------------------------------------------------------------
# Reading an element that has been overwritten would be silently wrong. So such an operand must have exactly the target's
# window, or it is read from a copy, or refused; and backward keeps a copy of it.


def same_window(x: Tensor, y: Tensor) -> bool:
    """Returns True if two tensors show the same slots in the same order; axes of one element make no difference."""
    return x.array is y.array or (x.storage is y.storage and _walk(x.layout) == _walk(y.layout))


def _walk(layout: Layout) -> tuple[int, list[tuple[int, int]]]:
    """The order in which a layout visits the slots."""
    return layout.offset, [(n, s) for n, s in zip(layout.shape, layout.strides, strict=True) if n != 1]


def refuse_self_overlap(op: str, x: Tensor) -> None:
    """Refuses to write a tensor whose elements share slots."""
    raise errors.self_overlap(op=op, tensor=x)


def check_overlap(op: str, x: Tensor, y: Tensor) -> None:
    """Refuses to read `y` while writing `x` if one element writes a slot and another reads it."""
    if not same_window(x, y) and x.storage.device.share_a_slot(x.array, y.array) and _cross(x, y):
        raise errors.partial_overlap(op=op, tensor=x)


def _cross(x: Tensor, y: Tensor) -> bool:
    """True if an element of `y` is in a slot that another element of `x` writes."""
    if x.array.dtype != y.array.dtype:
        return True
    written = slots_of(x)
    read = np.broadcast_to(slots_of(y), written.shape)
    return bool(np.isin(read[read != written], written).any())


def slots_of(x: Tensor) -> Any:
    """Returns the slot of each element."""
    return x.storage.device.window(np.arange(x.storage.nbytes // x.element_size()), x.layout, np.dtype(np.int64))


def copy_if_overlapping(x: Tensor, y: Tensor) -> Any:
    """Returns the values of `y`, as a copy if the operation will overwrite some of them."""
    if not x.storage.device.share_a_slot(x.array, y.array):
        return y.array
    x.storage.device.ledger.lend(y.nbytes)
    return x.storage.device.from_host(y.array)


def save_operand(name: str, y: Tensor, y_edge: Node | None, x: Tensor) -> Saved:
    """Saves an operand of an operation that will write `x`.

    It saves a copy only if the write overwrites part of it (`x.multiply_(x)`).
    """
    if y.storage is x.storage and x.storage.device.share_a_slot(x.array, y.array):
        return save_copy(name, y.array, y.storage, y_edge)
    return save(name, y.array, y.storage, y_edge)


DType = np.dtype[Any]
Rule = Callable[[DType, DType], DType]


# ---- rules for the dtype of a result, for rows that do more than promote --------------------------------------------------
# Each function makes the rule of one operation, whose name appears in errors. (A row without a rule promotes its operands.)


def truth(op: str) -> Rule:
    """Bool, for operands that have a common dtype."""

    def rule(x: DType, y: DType) -> DType:
        if x is not y:
            dtypes.promote(op, x, y)
        return dtypes.bool_.numpy

    return rule


def alike(op: str) -> Rule:
    """The dtype that both operands must have."""

    def rule(x: DType, y: DType) -> DType:
        if x != y:
            raise errors.operand_dtypes_differ(x=x.name, y=y.name, op=op)
        return x

    return rule


def floating(op: str, integers: DType | None = None) -> Rule:
    """A real floating-point type: the common dtype of the operands; for integers the default type, or `integers`."""

    def rule(x: DType, y: DType) -> DType:
        if x is y and x.kind == "f":
            return x
        dtype = dtypes.promote(op, x, y)
        if dtype.kind in "bc":
            raise errors.kernel_not_registered(dtype=dtype.name, op=op)
        return integers if integers is not None and dtype.kind in "iu" else dtypes.floating(dtype)

    return rule
