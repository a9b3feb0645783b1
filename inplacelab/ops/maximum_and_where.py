"""Choices between two values, element by element: the larger, the smaller, or by a condition.

The gradient goes to the value that was chosen. Where the two are equal, `maximum` and `minimum` give each a half, as in
Paddle and PyTorch; `fmax` and `fmin` give all to the first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab import dtypes, errors
from inplacelab.ops.arguments.operands import alike
from inplacelab.ops.creation import made, operand, to_tensor
from inplacelab.ops.results.kernel_tools import choose
from inplacelab.ops.table import LazyFunction, as_function, as_method, elementwise
from inplacelab.ops.table.depends import chosen as chosen_by
from inplacelab.ops.table.depends import pointwise
from inplacelab.ops.table.row import ZERO
from inplacelab.tensor import Tensor

# ---- the larger, the smaller --------------------------------------------------------------------------------------------------


def _maximum(out: Any, x: Any, y: Any) -> None:
    np.maximum(x, y, out=out)


def _minimum(out: Any, x: Any, y: Any) -> None:
    np.minimum(x, y, out=out)


def _share(g: Tensor, larger: Tensor, smaller: Tensor) -> Tensor:
    """All of `g` where the first is larger, half of it where they are equal, 0 where one is NaN."""
    at_least, more = larger.greater_equal(smaller), larger.greater_than(smaller)
    return g * (at_least.cast(g.dtype) + more.cast(g.dtype)).scale(0.5)


def _first(wins: Tensor, y: Tensor) -> Tensor:
    """Where `fmax` or `fmin` takes the first: where it wins, or the second is NaN."""
    return wins.logical_or(y.isnan())


MAXIMUM = elementwise(
    "maximum", "x, y", ("The larger of two elements; NaN if one of them is.", "两个元素中较大者；其一为 NaN 时得 NaN。"),
    kernel=_maximum, accepts="fi", in_place=False, depends=pointwise("largest"), cuda={"f": "isnan(x) || x > y ? x : y", "i": "x > y ? x : y"},
    d_x=lambda g, x, y: _share(g, x, y),
    d_y=lambda g, x, y: _share(g, y, x),
)  # fmt: skip
MINIMUM = elementwise(
    "minimum", "x, y", ("The smaller of two elements; NaN if one of them is.", "两个元素中较小者；其一为 NaN 时得 NaN。"),
    kernel=_minimum, accepts="fi", in_place=False, depends=pointwise("smallest"), cuda={"f": "isnan(x) || x < y ? x : y", "i": "x < y ? x : y"},
    d_x=lambda g, x, y: _share(g, y, x),
    d_y=lambda g, x, y: _share(g, x, y),
)  # fmt: skip
FMAX = elementwise(
    "fmax", "x, y", ("The larger of two elements; if one of them is NaN, the other.", "两个元素中较大者；数与 NaN 之间取数。"),
    ufunc=np.fmax, accepts="fi", in_place=False, depends=pointwise("largest"), cuda={"f": "fmax(x, y)", "i": "x > y ? x : y"},
    d_x=lambda g, x, y: g._inside(_first(x.greater_equal(y), y)),
    d_y=lambda g, x, y: g._outside(_first(x.greater_equal(y), y)),
)  # fmt: skip
FMIN = elementwise(
    "fmin", "x, y", ("The smaller of two elements; if one of them is NaN, the other.", "两个元素中较小者；数与 NaN 之间取数。"),
    ufunc=np.fmin, accepts="fi", in_place=False, depends=pointwise("smallest"), cuda={"f": "fmin(x, y)", "i": "x < y ? x : y"},
    d_x=lambda g, x, y: g._inside(_first(x.less_equal(y), y)),
    d_y=lambda g, x, y: g._outside(_first(x.less_equal(y), y)),
)  # fmt: skip


def _heaviside(out: Any, x: Any, y: Any, device: Any) -> None:
    device.ledger.borrow(out.size)
    steps = np.broadcast_to(np.equal(x, 0), out.shape)
    np.greater(x, 0, out)
    np.copyto(out, y, where=steps)


HEAVISIDE = elementwise(
    "heaviside", "x, y", ("The step function: 0 below zero, 1 above, `y` where `x` is zero.", "阶跃函数：负数得 0，正数得 1，`x` 为零处得 `y`。"),
    kernel=_heaviside, accepts="fi", depends=chosen_by(0, 0, 1), dtype=alike("heaviside"), cuda="x == 0 ? y : x > 0 ? 1 : 0",
    d_x=ZERO,
    d_y=lambda g, x: g * x.equal(0).cast(g.dtype),
)  # fmt: skip

# ---- the one that a condition names -------------------------------------------------------------------------------------------


def _check_condition(condition: Any) -> None:
    if condition.dtype.kind != "b":
        raise errors.condition_is_not_bool(dtype=condition.dtype.name)


def _where(out: Any, condition: Any, x: Any, y: Any, device: Any) -> None:
    choose(out, condition, x, y, device)


def chosen(condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """Returns `x` where the condition holds, elsewhere `y`."""
    result: Tensor = _CHOOSE.function()(condition, x, y)
    return result


_WHERE = elementwise(
    "where", "x, condition, y", ("`x` where the condition is true, `y` elsewhere.", "条件成立处取 `x`，其余处取 `y`。"),
    call="condition, x, y", method=False, function=False, out=True, kernel=_where, validate=_check_condition, dtype=lambda x, y: dtypes.promote("where", x, y),
    masks=("condition",), depends=chosen_by(1, 0, 2), cuda=dict.fromkeys("fib", "condition ? x : y"),
    d_x=lambda g, condition: chosen(condition, g, operand(0, g)),
    d_y=lambda g, condition: chosen(condition, operand(0, g), g),
)  # fmt: skip

_CHOOSE, _CHOOSE_INTO = LazyFunction(_WHERE, "ordinary"), LazyFunction(_WHERE, "in-place")


@as_method
@as_function
def where(
    condition: Tensor, x: Any = None, y: Any = None, name: str | None = None, *, out: Tensor | None = None
) -> Any:
    """`x` where the condition is true, `y` elsewhere.

    条件成立处取 `x`，其余处取 `y`；只给出条件时，得到条件成立处的下标。

    Args:
        condition: truth values.
        x: a tensor or a number, which takes the dtype that `to_tensor` gives it.
        y: the same. Condition, `x` and `y` are broadcast against each other.
        name: ignored.
        out: a tensor to write the result into.

    Returns:
        A tensor; without `x` and `y`, the indices where the condition is true, with a tensor for each axis.

    Raises:
        OperandError: if the condition is not bool, or only one of `x` and `y` is given.
        DTypeError: if `x` and `y` have no common dtype: write `where(x > 0, x, 0.0)`, not `0`, for floating-point `x`.

    >>> import inplacelab as paddle
    >>> x = paddle.to_tensor([1.0, -2.0])
    >>> paddle.where(x > 0, x, 0.0).tolist()
    [1.0, 0.0]
    """
    if x is None and y is None:
        return _places(condition)
    if x is None or y is None:
        raise errors.only_one_choice()
    x, y = (each if not isinstance(each, int | float | complex | np.number) else to_tensor(each) for each in (x, y))
    return _CHOOSE.function()(condition, x, y, out=out)


@as_method
@as_function
def where_(condition: Tensor, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """Writes `y` into `x` where the condition is false, in place. The version of `x` is raised by one.

    原地操作：在条件不成立处把 `y` 写入 `x`；`x` 的版本号加一。

    Args:
        condition: a bool tensor.
        x: the tensor to write.
        y: a tensor. Condition, `x` and `y` are broadcast against each other, to the shape of `x`.
        name: ignored.

    Returns:
        `x` itself.

    Raises:
        OperandError: if the condition is not bool, or `x` and `y` are not both tensors.
        ShapeError: if the result has another shape than `x`. (PaddlePaddle 3.3.1 then does not change `x`.)
        LeafWriteError: if `x` is a leaf that needs a gradient, or a view of one.

    >>> import inplacelab as paddle
    >>> x = paddle.to_tensor([1.0, -2.0])
    >>> paddle.where_(x > 0, x, paddle.zeros([2])) is x
    True
    """
    if not (isinstance(x, Tensor) and isinstance(y, Tensor)):
        raise errors.only_one_choice()
    result: Tensor = _CHOOSE_INTO.function()(condition, x, y)
    return result


def _places(condition: Tensor) -> tuple[Tensor, ...]:
    device = condition.storage.device
    return tuple(made("where", device.from_host(places), device) for places in np.nonzero(condition.array))
