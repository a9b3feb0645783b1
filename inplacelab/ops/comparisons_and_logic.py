"""Comparisons, logic of truth values and of bits, and choices between two values: the larger, the smaller, or by a condition.

The result of a comparison or a logical operation is a tensor of bools, and has no derivative. In place (`x.equal_(y)`) the tensor
becomes one of bools: it gets a new storage, older views keep the numbers, and its history ends. Complex numbers are compared as in
Paddle: by their real parts, equal ones by their imaginary parts.

Any number is a truth value: zero is false, all others are true. The result of a bitwise operation has the operands' dtype.

The gradient of a choice goes to the value that was chosen. Where the two are equal, `maximum` and `minimum` give each a half, as in
Paddle and PyTorch; `fmax` and `fmin` give all to the first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab import dtypes, errors
from inplacelab.autograd.grad_mode import no_grad
from inplacelab.ops.arguments.operands import alike, truth
from inplacelab.ops.creation import made, operand, to_tensor
from inplacelab.ops.results.kernel_tools import choose
from inplacelab.ops.table import LazyFunction, as_function, as_method, elementwise
from inplacelab.ops.table.depends import chosen as chosen_by
from inplacelab.ops.table.depends import pointwise
from inplacelab.ops.table.row import ZERO, Row
from inplacelab.tensor import Tensor


def _comparison(name: str, ufunc: np.ufunc, sign: str, aliases: tuple[str, ...], en: str, zh: str) -> Row:
    return elementwise(name, "x, y", (f"True where `x` is {en} `y`.", f"`x` {zh} `y` 处为 True。"), scalars=True, ufunc=ufunc,
                aliases=aliases, dtype=truth(name), cuda=dict.fromkeys("fib", f"x {sign} y"), numbers=("y",) if name == "equal" else ())  # fmt: skip


def _test(name: str, ufunc: np.ufunc, en: str, zh: str) -> Row:
    return elementwise(name, "x", (f"True where `x` is {en}.", f"`x` {zh}处为 True。"), ufunc=ufunc, accepts="fic",
                dtype=lambda: dtypes.bool_.numpy, in_place=False, cuda={"f": f"{name}(x)", "i": "true" if name == "isfinite" else "false"})  # fmt: skip


EQUAL = _comparison("equal", np.equal, "==", ("eq",), "equal to", "等于")
NOT_EQUAL = _comparison("not_equal", np.not_equal, "!=", ("ne",), "different from", "不等于")
LESS_THAN = _comparison("less_than", np.less, "<", ("less", "lt"), "less than", "小于")
LESS_EQUAL = _comparison("less_equal", np.less_equal, "<=", ("le",), "less than or equal to", "小于等于")
GREATER_THAN = _comparison("greater_than", np.greater, ">", ("greater", "gt"), "greater than", "大于")
GREATER_EQUAL = _comparison("greater_equal", np.greater_equal, ">=", ("ge",), "greater than or equal to", "大于等于")

ISNAN = _test("isnan", np.isnan, "not a number", "是 NaN（非数）")
ISINF = _test("isinf", np.isinf, "infinite", "为无穷大")
ISFINITE = _test("isfinite", np.isfinite, "neither infinite nor NaN", "既非无穷大也非 NaN")


# ---- compositions -----------------------------------------------------------------------------------------------------------


@as_method
@as_function
@no_grad()
def isclose(
    x: Tensor, y: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False, name: str | None = None
) -> Tensor:
    """Returns True where `x` and `y` differ by no more than `atol + rtol * |y|`; infinities are close to themselves.

    `x` 与 `y` 之差不超过 `atol + rtol * |y|` 处为 True；无穷大只与自身接近。

    Args:
        x: a tensor.
        y: a tensor of the same dtype, that can be broadcast against `x`.
        rtol: tolerance relative to `y`.
        atol: absolute tolerance.
        equal_nan: whether NaN is close to NaN.
        name: ignored.

    Raises:
        OperandError: if the dtypes differ.

    >>> import inplacelab as paddle
    >>> paddle.isclose(paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([1.000001, 2.1])).tolist()
    [True, False]
    """
    dtype = alike("isclose")(x.array.dtype, y.array.dtype)
    if dtype.kind in "biu":
        x, y = x.cast("float64"), y.cast("float64")
    near = (x - y).abs().less_equal(y.abs().scale(rtol, atol))
    close = near.logical_and(y.isfinite()).logical_or(x.equal(y))
    return close.logical_or(x.isnan().logical_and(y.isnan())) if equal_nan else close


@as_method
@as_function
def allclose(
    x: Tensor, y: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False, name: str | None = None
) -> Tensor:
    """Returns a bool tensor without axes: True if all elements are close. The arguments and errors are those of `isclose`.

    单个布尔值：是否所有元素都接近（含义同 `isclose`）。

    >>> import inplacelab as paddle
    >>> paddle.allclose(paddle.ones([3]), paddle.ones([3])).item()
    True
    """
    return _all(isclose(x, y, rtol, atol, equal_nan))


@as_method
@as_function
def equal_all(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Returns a bool tensor without axes: True if two tensors have the same shape and equal elements.

    单个布尔值：两个张量的形状是否相同，且各元素都相等。

    Args:
        x: a tensor.
        y: a tensor of the same dtype.
        name: ignored.

    Raises:
        OperandError: if the dtypes differ.

    >>> import inplacelab as paddle
    >>> paddle.equal_all(paddle.ones([2]), paddle.ones([3])).item()
    False
    """
    alike("equal_all")(x.array.dtype, y.array.dtype)
    return _all(x.equal(y)) if x.shape == y.shape else operand(False, x, dtypes.bool_.numpy)


def _all(condition: Tensor) -> Tensor:
    return condition.logical_not().sum().equal(0)


# ---- logic of truth values, and of the bits of integers ---------------------------------------------------------------------


def _logical(name: str, ufunc: np.ufunc, cuda: str, en: str, zh: str) -> Row:
    return elementwise(name, "x, y", (f"True where {en} different from zero.", f"{zh}不为零处为 True。"), ufunc=ufunc,
                dtype=truth(name), cuda=dict.fromkeys("fib", cuda))  # fmt: skip


LOGICAL_AND = _logical("logical_and", np.logical_and, "x && y", "both `x` and `y` are", "`x` 与 `y` 都")
LOGICAL_OR = _logical("logical_or", np.logical_or, "x || y", "`x` or `y` or both are", "`x` 与 `y` 至少有一个")
LOGICAL_XOR = _logical(
    "logical_xor", np.logical_xor, "!x != !y", "exactly one of `x` and `y` is", "`x` 与 `y` 恰有一个"
)
LOGICAL_NOT = elementwise("logical_not", "x", ("True where `x` is zero.", "`x` 为零处为 True。"), ufunc=np.logical_not,
            dtype=lambda: dtypes.bool_.numpy, cuda=dict.fromkeys("fib", "!x"))  # fmt: skip

_OUT = "out=None, name=None"
"""The bitwise functions take `out` before `name`, as in Paddle."""


def _bitwise(name: str, ufunc: np.ufunc, sign: str, en: str, zh: str) -> Row:
    return elementwise(name, "x, y", (f"The bits {en}.", f"{zh}。"), call=f"x, y, {_OUT}", ufunc=ufunc, accepts="ib", cuda=dict.fromkeys("ib", f"x {sign} y"),
                dtype=alike(name), d_x=ZERO, d_y=ZERO)  # fmt: skip


BITWISE_AND = _bitwise(
    "bitwise_and", np.bitwise_and, "&", "that are set in both `x` and `y`", "`x` 与 `y` 中都为 1 的位"
)
BITWISE_OR = _bitwise(
    "bitwise_or", np.bitwise_or, "|", "that are set in `x`, in `y`, or in both", "`x` 或 `y` 中为 1 的位"
)
BITWISE_XOR = _bitwise("bitwise_xor", np.bitwise_xor, "^", "in which `x` and `y` differ", "`x` 与 `y` 中不同的位")
BITWISE_NOT = elementwise("bitwise_not", "x", ("Invert every bit; for bools, the logical not.", "逐位取反；布尔值取非。"), call=f"x, {_OUT}",
            ufunc=np.invert, accepts="ib", cuda={"i": "~x", "b": "!x"}, aliases=("bitwise_invert",), d_x=ZERO)  # fmt: skip


def _right_shift(out: Any, x: Any, y: Any, is_arithmetic: bool) -> None:
    if is_arithmetic:
        np.right_shift(x, y, out)
    else:
        unsigned = f"u{x.dtype.itemsize}"  # the same bits: zeros come in from the left, and not the sign
        np.right_shift(x.view(unsigned), y.view(unsigned), out.view(unsigned))


BITWISE_LEFT_SHIFT = elementwise(
    "bitwise_left_shift", "x, y", ("Shift the bits of `x` to the left by `y` places.", "把 `x` 的各位左移 `y` 位。"),
    call=f"x, y, is_arithmetic=True, {_OUT}", ufunc=np.left_shift, accepts="i", dtype=alike("bitwise_left_shift"), d_x=ZERO, d_y=ZERO,
    cuda={"i": "(unsigned long long)y < 8 * sizeof(T) ? x << y : 0"},  # in C a shift by more bits than there are is undefined
)  # fmt: skip
BITWISE_RIGHT_SHIFT = elementwise(
    "bitwise_right_shift", "x, y",
    ("Shift the bits of `x` to the right by `y` places; copies of the sign bit come in from the left, or zeros if `is_arithmetic` is False.",
     "把 `x` 的各位右移 `y` 位；左侧补符号位，若 `is_arithmetic` 为 False 则补零。"),
    call=f"x, y, is_arithmetic=True, {_OUT}", kernel=_right_shift, accepts="i", dtype=alike("bitwise_right_shift"), d_x=ZERO, d_y=ZERO,
    cuda={"i": "(unsigned long long)y < 8 * sizeof(T) ? x >> y : x < 0 ? -1 : 0"},
)  # fmt: skip


# ---- choices ----------------------------------------------------------------------------------------------------------------


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
