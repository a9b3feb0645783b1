"""Overwrites: the new value does not depend on the old one, whose derivative is zero.

The zero is passed on: the node that computed the old value receives a zero gradient.
"""

from __future__ import annotations

from typing import Any

from inplacelab import errors, modes, observe
from inplacelab.autograd.grad_mode import recording
from inplacelab.autograd.history import refresh
from inplacelab.dependence import CONSTANT, OVERWRITTEN
from inplacelab.ops.arguments.attributes import check_all_hold, check_keeps_imaginary, constant, number_for
from inplacelab.ops.creation import operand
from inplacelab.ops.table import as_function, as_method, overwrite
from inplacelab.ops.table.row import ZERO
from inplacelab.tensor import Tensor


def _fill(out: Any, value: Any) -> None:
    out.fill(constant(value, out.dtype))


def _zero(out: Any) -> None:
    out.fill(0)


def _copy(out: Any, y: Any) -> None:
    out[...] = y  # casts, too; twice as fast as `np.copyto` for small arrays


def _check_copy(x: Any, y: Any) -> None:
    if y.dtype is not x.dtype:
        check_keeps_imaginary("copy_", x.dtype, y.dtype)
        check_all_hold("copy_", x.dtype, y)


def _check_set(x: Any, y: Any) -> None:
    if y.dtype is not x.dtype:
        check_keeps_imaginary("setitem", x.dtype, y.dtype)
        check_all_hold("setitem", x.dtype, y)


FILL = overwrite("fill", "x", ("Write one number into every element.", "把每个元素写成同一个数。"),
          attrs="value", kernel=_fill, cuda=dict.fromkeys("fib", "value"), prepare={"value": number_for}, d_x=ZERO)  # fmt: skip
ZERO_ROW = overwrite("zero", "x", ("Write zero into every element.", "把每个元素写成零。"), kernel=_zero, cuda=dict.fromkeys("fib", "0"),
          node="FillGradNode", d_x=ZERO)  # fmt: skip
COPY = overwrite("copy", "x, y", ("Write the elements of `y`, cast to the dtype of `x`.", "写入 `y` 的元素，并转换为 `x` 的数据类型。"),
          attrs="blocking=True", kernel=_copy, cuda=dict.fromkeys("fib", "y"), validate=_check_copy, node="AssignGradNode", copies=True, d_x=ZERO, d_y=lambda g: g)  # fmt: skip
SETITEM = overwrite("setitem", "x, y", ("Write `y` into a part: `x[key] = y`.", "写入一部分：`x[key] = y`。"),
                    attrs="selected=None", kernel=_copy, cuda=dict.fromkeys("fib", "y"), validate=_check_set, node="SetValueGradNode", called="setitem", method=False, copies=True, d_x=ZERO, d_y=lambda g: g)  # fmt: skip


@as_method
def set_value(self: Tensor, value: Any) -> None:
    """Replaces the elements by those of `value`, which must have the same shape and dtype.

    Args:
        self: the tensor to write.
        value: a tensor, an array, or nested lists of numbers, which get the tensor's dtype.

    Parameters are loaded with it: the tensor may be a leaf, and stays one. Any other tensor loses its history, as with every
    overwrite. The version is raised by one (not in PaddlePaddle 3.3.1, where a stale saved tensor is not detected).

    Raises:
        ConversionError: if the shapes or the dtypes differ.
    """
    given = operand(value, self, getattr(value, "dtype", None))
    if given.array.shape != self.array.shape:
        raise errors.value_shape_differs(expected=self.shape, given=given.shape)
    if given.array.dtype != self.array.dtype:
        raise errors.value_dtype_differs(expected=self.dtype.name, given=given.dtype.name)
    if self.base is not None:
        refresh(self)
    observe.silently(_overwrite, self, given)
    if modes.current().listeners:
        source = (value,) if isinstance(value, Tensor) else ()
        depends = OVERWRITTEN if source else CONSTANT
        observe.notify(
            "set_value",
            "in-place",
            (self, *source),
            self,
            self.node,
            read=(),
            copied=1 if source else None,
            depends=depends,
        )


def _overwrite(x: Tensor, given: Tensor) -> None:
    """Copies the values; a leaf is written outside the history."""
    root = x if x.base is None else x.base
    if root.node is None and not (root._stop and x._stop) and x.untracked != "left":
        modes.run_inside(recording(False), x.copy_, given.detach())
    else:
        x.copy_(given.detach())


@as_method
@as_function
def increment(x: Tensor, value: float = 1.0, name: str | None = None) -> Tensor:
    """Adds a number to a tensor of one element, in place although the name has no underscore: a counter.

    Args:
        x: a tensor of one element, whose version is raised by one.
        value: the number.
        name: ignored.

    Returns:
        `x` itself.

    Raises:
        ShapeError: if there is more than one element.
        LeafWriteError: if it is a leaf that needs a gradient. (PaddlePaddle 3.3.1 allows it.)
    """
    if x.size != 1:
        raise errors.increment_needs_one_element(size=x.size)
    return x.scale_(1.0, value)
