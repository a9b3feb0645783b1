"""Arithmetic of two and three tensors: sums, products, quotients, remainders, and combinations such as `lerp`.

The operands are promoted to one dtype (`dtypes.promote`) and broadcast against each other. In place, the first one is
written: the result must have its shape; if the result has another dtype, the tensor gets a new storage.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab import dtypes, errors
from inplacelab.ops.arguments.attributes import constant, number_with
from inplacelab.ops.arguments.operands import alike
from inplacelab.ops.results.kernel_tools import conj, quietly, room
from inplacelab.ops.table import elementwise
from inplacelab.ops.table.row import ZERO, Times
from inplacelab.tensor import Tensor

# ---- sums and products ------------------------------------------------------------------------------------------------------


def factor(x: Any, value: Any) -> Any:
    """Returns a factor in the kind of the dtype: an integer for integers, a bool for bools."""
    number = number_with(x, value)
    if x.dtype.kind in "biu" and number != (bool(number) if x.dtype.kind == "b" else int(number)):
        raise errors.number_does_not_fit(x=x.dtype.name, y=type(number).__name__)
    return number


@quietly
def _add(out: Any, x: Any, y: Any, alpha: Any, device: Any) -> None:
    np.add(x, _times(y, alpha, device), out)


@quietly
def _subtract(out: Any, x: Any, y: Any, alpha: Any, device: Any) -> None:
    np.subtract(x, _times(y, alpha, device), out)


def _times(y: Any, alpha: Any, device: Any) -> Any:
    """The product, in a temporary buffer."""
    device.ledger.borrow(y.nbytes)
    return np.multiply(y, constant(alpha, y.dtype))


_ONE = "type(alpha) is int and alpha == 1"

ADD = elementwise(
    "add", "x, y", ("Add `alpha * y` to `x`, element by element.", "逐元素计算 `x + alpha * y`。"),
    attrs="*, alpha=1", ufunc=np.add, plain=_ONE, prepare={"alpha": factor}, kernel=_add,
    cuda=dict.fromkeys("fib", "x + alpha * y"),
    operator="__add__",
    d_x=lambda g: g,
    d_y=lambda g, alpha: g if alpha == 1 else g.scale(alpha.conjugate()),
)  # fmt: skip
SUBTRACT = elementwise(
    "subtract", "x, y", ("Subtract `alpha * y` from `x`, element by element.", "逐元素计算 `x - alpha * y`。"),
    attrs="*, alpha=1", ufunc=np.subtract, plain=_ONE, prepare={"alpha": factor}, kernel=_subtract, aliases=("sub",), accepts="fic",
    cuda="x - alpha * y", operator="__sub__",
    d_x=lambda g: g,
    d_y=lambda g, alpha: g.scale(-alpha.conjugate()),
)  # fmt: skip
MULTIPLY = elementwise(
    "multiply", "x, y", ("Multiply element by element.", "逐元素相乘。"),
    ufunc=np.multiply, aliases=("mul",), operator="__mul__", cuda=dict.fromkeys("fib", "x * y"),
    d_x=Times(lambda y: conj(y)),
    d_y=Times(lambda x: conj(x)),
)  # fmt: skip

# ---- quotients and remainders -----------------------------------------------------------------------------------------------


def _check_divisor(y: Any) -> None:
    if y.dtype.kind in "iu" and not y.all():
        raise errors.integer_divided_by_zero(op="x // y")


def _check_division(x: Any, y: Any, rounding_mode: Any) -> None:
    """Refuses zero divisors of integers, and of bools, whose only divisor is True."""
    if rounding_mode not in (None, "floor", "trunc"):
        raise errors.unknown_rounding_mode(mode=rounding_mode)
    if y.dtype.kind in ("iu" if rounding_mode else "biu") and not y.all():
        raise errors.integer_divided_by_zero(op="divide")


def _quotient(x: Any, y: Any, rounding_mode: Any) -> Any:
    if x is y and x.kind == "f":
        return x
    dtype = dtypes.promote("divide", x, y)
    if rounding_mode and dtype.kind in "bc":
        raise errors.kernel_not_registered(dtype=dtype.name, op=f"{rounding_mode}_divide")
    return dtype if rounding_mode or dtype.kind == "b" else dtypes.floating(dtype)


@quietly
def _divide(out: Any, x: Any, y: Any, rounding_mode: Any, device: Any) -> None:
    """Rounded and truncated quotients, and those of bools."""
    if rounding_mode == "floor":
        np.floor_divide(x, y, out)
    elif rounding_mode is None:
        np.copyto(out, x) if out.dtype.kind == "b" else np.true_divide(x, y, out)
    elif out.dtype.kind == "f":
        np.trunc(np.true_divide(x, y, out), out)
    else:
        whole = np.fmod(
            x, y, room(out, x, device)
        )  # the remainder with the sign of x; without it, the division leaves none
        np.floor_divide(np.subtract(x, whole, whole), y, out)


DIVIDE = elementwise(
    "divide", "x, y",
    ("Divide element by element. `rounding_mode` may be 'floor' or 'trunc'; without it, integers give floating-point quotients.",
     "逐元素相除；`rounding_mode` 可取 'floor'（向下取整）或 'trunc'（截断）。不取整时，整数相除得到浮点数。"),
    attrs="*, rounding_mode=None", ufunc=np.true_divide, plain="rounding_mode is None", plain_kinds="fic", kernel=_divide,
    validate=_check_division, dtype=_quotient, aliases=("div",), operator="__truediv__", cuda="x / y",
    d_x=lambda g, y, rounding_mode: g._zeros() if rounding_mode else g / conj(y),
    d_y=lambda g, x, y, rounding_mode: g._zeros() if rounding_mode else (g * conj(x / y / y)).scale(-1.0),
)  # fmt: skip
FLOOR_DIVIDE = elementwise(
    "floor_divide", "x, y", ("Divide and round down, element by element.", "逐元素相除并向下取整。"),
    ufunc=np.floor_divide, accepts="fi", numbers=("y",), validate=_check_divisor, d_x=ZERO, d_y=ZERO,
    cuda={"i": "y == -1 ? -x : x / y - (x % y != 0 && (x < 0) != (y < 0))"},  # the quotient of the smallest integer and -1 overflows
)  # fmt: skip
REMAINDER = elementwise(
    "remainder", "x, y",
    ("The remainder of `x // y`; it has the sign of `y`.", "整除 `x // y` 的余数，符号与 `y` 相同。"),
    ufunc=np.remainder, accepts="fi", numbers=("y",), validate=_check_divisor, aliases=("mod", "floor_mod"),
    cuda={"f": "fmod(x, y) == 0 ? copysign(T(0), y) : (fmod(x, y) < 0) != (y < 0) ? fmod(x, y) + y : fmod(x, y)",
          "i": "y == -1 ? 0 : x % y != 0 && (x < 0) != (y < 0) ? x % y + y : x % y"},
    d_x=lambda g: g,
    d_y=lambda g, x, y: (g * x.floor_divide(y)).scale(-1.0),
)  # fmt: skip
GCD = elementwise("gcd", "x, y", ("The greatest common divisor of integers.", "整数的最大公约数。"),
            ufunc=np.gcd, accepts="i", d_x=ZERO, d_y=ZERO)  # fmt: skip
LCM = elementwise("lcm", "x, y", ("The least common multiple of integers.", "整数的最小公倍数。"),
            ufunc=np.lcm, accepts="i", d_x=ZERO, d_y=ZERO)  # fmt: skip

# ---- two steps in one -------------------------------------------------------------------------------------------------------


@quietly
def _lerp(out: Any, x: Any, y: Any, weight: Any, device: Any) -> None:
    part = room(out, x, device)
    np.subtract(y, x, part)
    np.multiply(part, weight, part)
    np.add(x, part, out)


def _one_dtype(x: Any, y: Any, weight: Any) -> Any:
    rule = alike("lerp")
    return rule(rule(x, y), weight)


def _add_scaled(combine: Any) -> Any:
    """The kernel of `input + value * combine(tensor1, tensor2)`."""

    @quietly
    def kernel(out: Any, input: Any, tensor1: Any, tensor2: Any, value: Any, device: Any) -> None:
        part = room(out, input, device)
        combine(tensor1, tensor2, part)
        np.multiply(part, constant(value, out.dtype), part)
        np.add(input, part, out)

    return kernel


def _of_factor(g: Tensor, other: Tensor, value: Any) -> Tensor:
    """The gradient of one factor of `value * factor * other`."""
    return (g * conj(other)).scale(value.conjugate())


LERP = elementwise(
    "lerp", "x, y, weight",
    ("Interpolate between `x` and `y`: `x + weight * (y - x)`; `weight` is a number or a tensor.",
     "由 `x` 向 `y` 线性插值：`x + weight * (y - x)`；`weight` 可以是数或张量。"),
    kernel=_lerp, accepts="f", numbers=("weight",), dtype=_one_dtype, cuda="x + (y - x) * weight",
    d_x=lambda g, weight: g - g * weight,
    d_y=lambda g, weight: g * weight,
    d_weight=lambda g, x, y: g * (y - x),
)  # fmt: skip
ADDCMUL = elementwise(
    "addcmul", "input, tensor1, tensor2",
    ("Add `value * tensor1 * tensor2` (PyTorch's name).", "加上 `value * tensor1 * tensor2`（PyTorch 的名称）。"),
    attrs="*, value=1", prepare={"value": factor}, kernel=_add_scaled(np.multiply), accepts="fic",
    cuda="input + tensor1 * tensor2 * value",
    d_input=lambda g: g,
    d_tensor1=lambda g, tensor2, value: _of_factor(g, tensor2, value),
    d_tensor2=lambda g, tensor1, value: _of_factor(g, tensor1, value),
)  # fmt: skip
ADDCDIV = elementwise(
    "addcdiv", "input, tensor1, tensor2",
    ("Add `value * tensor1 / tensor2` (PyTorch's name).", "加上 `value * tensor1 / tensor2`（PyTorch 的名称）。"),
    attrs="*, value=1", prepare={"value": factor}, kernel=_add_scaled(np.true_divide), accepts="fc",
    cuda="input + tensor1 / tensor2 * value",
    d_input=lambda g: g,
    d_tensor1=lambda g, tensor2, value: (g / conj(tensor2)).scale(value.conjugate()),
    d_tensor2=lambda g, tensor1, tensor2, value: _of_factor(g, tensor1 / tensor2 / tensor2, value).scale(-1.0),
)  # fmt: skip
