"""Comparisons. The result is a tensor of bools, and has no derivative.

In place (`x.equal_(y)`) the tensor becomes one of bools: it gets a new storage, older views keep the numbers, and its
history ends. Complex numbers are compared as in Paddle: by their real parts, equal ones by their imaginary parts.
"""

from __future__ import annotations

import numpy as np

from inplacelab import dtypes
from inplacelab.autograd.grad_mode import no_grad
from inplacelab.ops.arguments.operands import alike, truth
from inplacelab.ops.creation import operand
from inplacelab.ops.table import as_function, as_method, elementwise
from inplacelab.ops.table.row import Row
from inplacelab.tensor import Tensor


def _comparison(name: str, ufunc: np.ufunc, sign: str, aliases: tuple[str, ...], en: str, zh: str) -> Row:
    return elementwise(name, "x, y", (f"True where `x` is {en} `y`.", f"`x` {zh} `y` 处为 True。"), ufunc=ufunc,
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
