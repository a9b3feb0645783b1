"""Arithmetic: sums, products, quotients and remainders, `lerp`; rounding, clipping; complex numbers of two real ones.

The operands of two are promoted to one dtype (`dtypes.promote`) and broadcast against each other. In place, the first one is
written: the result must have its shape; if the result has another dtype, the tensor gets a new storage.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab import dtypes, errors
from inplacelab.ops.arguments.attributes import constant, number_with, plain_number
from inplacelab.ops.arguments.operands import alike, as_tensor
from inplacelab.ops.results.kernel_tools import (
    choose,
    clip_into,
    conj,
    keep_where,
    quietly,
    scalar,
    scratch,
    start,
    whole_number,
)
from inplacelab.ops.table import as_function, as_method, elementwise
from inplacelab.ops.table.depends import chosen
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
    attrs="*, alpha=1", scalars=True, ufunc=np.add, plain=_ONE, prepare={"alpha": factor}, kernel=_add,
    cuda=dict.fromkeys("fib", "x + alpha * y"),
    operator="__add__",
    d_x=lambda g: g,
    d_y=lambda g, alpha: g if alpha == 1 else g.scale(alpha.conjugate()),
)  # fmt: skip
SUBTRACT = elementwise(
    "subtract", "x, y", ("Subtract `alpha * y` from `x`, element by element.", "逐元素计算 `x - alpha * y`。"),
    attrs="*, alpha=1", scalars=True, ufunc=np.subtract, plain=_ONE, prepare={"alpha": factor}, kernel=_subtract, aliases=("sub",), accepts="fic",
    cuda="x - alpha * y", operator="__sub__",
    d_x=lambda g: g,
    d_y=lambda g, alpha: g.scale(-alpha.conjugate()),
)  # fmt: skip
MULTIPLY = elementwise(
    "multiply", "x, y", ("Multiply element by element.", "逐元素相乘。"),
    scalars=True, ufunc=np.multiply, aliases=("mul",), operator="__mul__", cuda=dict.fromkeys("fib", "x * y"),
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
            x, y, scratch(out, x, device)
        )  # the remainder with the sign of x; without it, the division leaves none
        np.floor_divide(np.subtract(x, whole, whole), y, out)


DIVIDE = elementwise(
    "divide", "x, y",
    ("Divide element by element. `rounding_mode` may be 'floor' or 'trunc'; without it, integers give floating-point quotients.",
     "逐元素相除；`rounding_mode` 可取 'floor'（向下取整）或 'trunc'（截断）。不取整时，整数相除得到浮点数。"),
    attrs="*, rounding_mode=None", scalars=True, ufunc=np.true_divide, plain="rounding_mode is None", plain_kinds="fic", kernel=_divide,
    validate=_check_division, dtype=_quotient, aliases=("div",), operator="__truediv__", cuda="x / y",
    d_x=lambda g, y, rounding_mode: g._zeros() if rounding_mode else g / conj(y),
    d_y=lambda g, x, y, rounding_mode: g._zeros() if rounding_mode else (g * conj(x / y / y)).scale(-1.0),
)  # fmt: skip
FLOOR_DIVIDE = elementwise(
    "floor_divide", "x, y", ("Divide and round down, element by element.", "逐元素相除并向下取整。"),
    scalars=True, ufunc=np.floor_divide, accepts="fi", numbers=("y",), validate=_check_divisor, d_x=ZERO, d_y=ZERO,
    cuda={"i": "y == -1 ? -x : x / y - (x % y != 0 && (x < 0) != (y < 0))"},  # the quotient of the smallest integer and -1 overflows
)  # fmt: skip
REMAINDER = elementwise(
    "remainder", "x, y",
    ("The remainder of `x // y`; it has the sign of `y`.", "整除 `x // y` 的余数，符号与 `y` 相同。"),
    scalars=True, ufunc=np.remainder, accepts="fi", numbers=("y",), validate=_check_divisor, aliases=("mod", "floor_mod"),
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
    part = scratch(out, x, device)
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
        part = scratch(out, input, device)
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


# ---- rounding: step functions, whose derivative is zero ---------------------------------------------------------------------


def _already_whole(out: Any, x: Any) -> None:
    """Copies integers unchanged; NumPy 1 would make them floating-point."""
    start(out, x)


def _trunc(out: Any, input: Any) -> None:
    start(out, input)


def _round(out: Any, x: Any, decimals: int) -> None:
    if x.dtype.kind in "iu":
        start(out, x)
    else:
        np.round(x, decimals, out)


@quietly
def _frac(out: Any, x: Any) -> None:
    """The fractional part, exactly. Adding zero turns -0.0 into 0.0."""
    np.fmod(x, constant(1, x.dtype), out)
    np.add(out, constant(0, x.dtype), out)


def _real_numbers(x: Any) -> None:
    if x.dtype.kind not in "fi":
        raise errors.unsupported_dtype(op="frac", dtype=x.dtype.name)


FLOOR = elementwise("floor", "x", ("The largest integer not larger than each element.", "逐元素向下取整。"),
            ufunc=np.floor, cuda={"f": "floor(x)", "i": "x"}, kernel=_already_whole, plain_kinds="f", accepts="fi", d_x=ZERO)  # fmt: skip
CEIL = elementwise("ceil", "x", ("The smallest integer not smaller than each element.", "逐元素向上取整。"),
            ufunc=np.ceil, cuda={"f": "ceil(x)", "i": "x"}, kernel=_already_whole, plain_kinds="f", accepts="fi", d_x=ZERO)  # fmt: skip
TRUNC = elementwise("trunc", "input", ("The integer part of each element: rounded toward zero.", "逐元素取整数部分（向零取整）。"),
            ufunc=np.trunc, cuda={"f": "trunc(input)", "i": "input"}, kernel=_trunc, plain_kinds="f", accepts="fi", aliases=("fix",), d_input=ZERO)  # fmt: skip
ROUND = elementwise("round", "x", ("Round to a number of decimals; a half is rounded to the nearest even digit.", "舍入到指定的小数位数；恰为一半时取偶数。"),
            attrs="decimals=0", prepare={"decimals": whole_number("round", "decimals")}, kernel=_round, accepts="fic",
            cuda={"f": "rint(x)", "i": "x"},
            d_x=ZERO)  # fmt: skip
FRAC = elementwise("frac", "x", ("The fractional part of each element, with the sign of `x`.", "逐元素取小数部分，符号与 `x` 相同。"),
            kernel=_frac, validate=_real_numbers, cuda={"f": "fmod(x, T(1)) + 0", "i": "0"}, d_x=lambda g: g)  # fmt: skip


# ---- clipping, replacement of nan and infinity, and masks for gradients -----------------------------------------------------


def _outside(out: Any, x: Any, mask: Any, device: Any) -> None:
    choose(out, mask, constant(0, out.dtype), x, device)


# A product with 0 would do the same except for inf and nan, which may be among the values left out here. In a recorded launch
# these rows appear as `where`, the public operation that does the same.
_INSIDE = elementwise("_inside", "x, mask", ("`x` where `mask` is true, 0 elsewhere.", "`mask` 为真处取 `x`，其余为 0。"), kernel=keep_where,
            masks=("mask",), depends=chosen(1, 0, -1), cuda=dict.fromkeys("fib", "mask ? x : 0"), dtype=lambda x: x, in_place=False, function=False, called="where",
            d_x=lambda g, mask: g._inside(mask))  # fmt: skip
_OUTSIDE = elementwise("_outside", "x, mask", ("0 where `mask` is true, `x` elsewhere.", "`mask` 为真处取 0，其余为 `x`。"), kernel=_outside,
            masks=("mask",), depends=chosen(1, -1, 0), cuda=dict.fromkeys("fib", "mask ? 0 : x"), dtype=lambda x: x, in_place=False, function=False, called="where",
            d_x=lambda g, mask: g._outside(mask))  # fmt: skip

# ---- clipping ---------------------------------------------------------------------------------------------------------------


def _clip_dtype(x: np.dtype[Any], min: Any, max: Any) -> np.dtype[Any]:
    """Integers between floating-point bounds become floating-point. Bounds in the wrong order are refused."""
    if min is not None and max is not None and min > max:
        raise errors.min_above_max(low=min, high=max)
    fractional = any(isinstance(bound, float) for bound in (min, max))
    return dtypes.float32.numpy if x.kind in "iu" and fractional else x


def _bound(x: Any, value: Any) -> Any:
    """A bound: None, a number, or a tensor of one element."""
    return None if value is None else plain_number(x, value)


def _within(g: Tensor, x: Tensor, min: Any, max: Any) -> Tensor:
    """The gradient passes between the bounds, and on them."""
    g = g if min is None else g._inside(x >= min)
    return g if max is None else g._inside(x <= max)


def _at_least(out: Any, x: Any, min: Any) -> None:
    np.maximum(x, constant(min, out.dtype), out=out)


def _at_most(out: Any, x: Any, max: Any) -> None:
    np.minimum(x, constant(max, out.dtype), out=out)


CLIP = elementwise("clip", "x", ("Keep each element between `min` and `max`.", "把每个元素限制在 `min` 与 `max` 之间。"),
            attrs="min=None, max=None", kernel=clip_into, accepts="fi", dtype=_clip_dtype, aliases=("clamp",),
            cuda="x < min ? min : x > max ? max : x",
            prepare={"min": _bound, "max": _bound}, d_x=_within)  # fmt: skip
CLAMP_MIN = elementwise("clamp_min", "x", ("Replace elements below `min` by `min`.", "把小于 `min` 的元素提高到 `min`。"),
            attrs="min", kernel=_at_least, accepts="fi", cuda="x < min ? min : x", prepare={"min": scalar("clamp_min", "min")},
            d_x=lambda g, x, min: _within(g, x, min, None))  # fmt: skip
CLAMP_MAX = elementwise("clamp_max", "x", ("Replace elements above `max` by `max`.", "把大于 `max` 的元素降低到 `max`。"),
            attrs="max", kernel=_at_most, accepts="fi", cuda="x > max ? max : x", prepare={"max": scalar("clamp_max", "max")},
            d_x=lambda g, x, max: _within(g, x, None, max))  # fmt: skip

# ---- nan and infinity -------------------------------------------------------------------------------------------------------


def _nan_to_num(out: Any, x: Any, nan: Any, posinf: Any, neginf: Any, device: Any) -> None:
    limits = np.finfo(x.dtype)
    found = np.empty_like(x, bool)
    device.ledger.borrow(found.nbytes)
    start(out, x)
    np.isnan(out, found)
    np.copyto(out, constant(nan, x.dtype), where=found)
    np.equal(out, np.inf, found)
    np.copyto(out, limits.max if posinf is None else constant(posinf, x.dtype), where=found)
    np.equal(out, -np.inf, found)
    np.copyto(out, limits.min if neginf is None else constant(neginf, x.dtype), where=found)


def _floats(x: Any) -> None:
    if x.dtype.kind != "f":
        raise errors.only_floats(op="nan_to_num", dtype=x.dtype.name)


NAN_TO_NUM = elementwise("nan_to_num", "x", ("Replace NaN and the infinities by finite numbers.", "把 nan 与正负无穷替换为数。"),
            attrs="nan=0.0, posinf=None, neginf=None", kernel=_nan_to_num, validate=_floats,
            prepare={"nan": scalar("nan_to_num", "nan"), "posinf": scalar("nan_to_num", "posinf", optional=True),
                     "neginf": scalar("nan_to_num", "neginf", optional=True)},
            d_x=lambda g, x: g._inside(x.isfinite()))  # fmt: skip


# ---- complex numbers (`explicit_views.py` has the views of them as pairs of numbers) ----------------------------------------


@as_method
@as_function
def angle(x: Tensor, name: str | None = None) -> Tensor:
    """Returns the angle of each complex number, in radians; of real ones 0, or pi for negative ones.

    >>> import inplacelab as paddle
    >>> paddle.to_tensor([1j, -1.], dtype="complex128").angle().numpy().round(3).tolist()
    [1.571, 3.142]
    """
    x = as_tensor("angle", "x", 0, x)
    if x.array.dtype.kind == "c":
        found: Tensor = x.imag().atan2(x.real())
        return found
    return x._zeros().atan2(x)


@as_function
def complex(real: Tensor, imag: Tensor, name: str | None = None) -> Tensor:
    """Returns the complex numbers with these real and imaginary parts.

    Args:
        real: float32 or float64.
        imag: of the same dtype; the shapes are broadcast.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        complex64 or complex128.

    Raises:
        DTypeError: if the dtypes differ, or are not float32 or float64.

    >>> import inplacelab as paddle
    >>> paddle.complex(paddle.to_tensor([1.]), paddle.to_tensor([2.])).tolist()
    [(1+2j)]
    """
    real, imag = as_tensor("complex", "real", 0, real), as_tensor("complex", "imag", 1, imag)
    both = real.array.dtype, imag.array.dtype
    if both[0] != both[1] or both[0] not in ("float32", "float64"):
        raise errors.cannot_promote(op="complex", x=both[0].name, y=both[1].name)
    kind = "complex64" if both[0] == "float32" else "complex128"
    found: Tensor = real.cast(kind) + imag.cast(kind) * 1j
    return found


@as_function
def polar(abs: Tensor, angle: Tensor, name: str | None = None) -> Tensor:
    """Returns the complex numbers with these lengths and angles in radians. The arguments are those of `complex`.

    >>> import inplacelab as paddle
    >>> paddle.polar(paddle.to_tensor([2.]), paddle.to_tensor([0.])).tolist()
    [(2+0j)]
    """
    abs, angle = as_tensor("polar", "abs", 0, abs), as_tensor("polar", "angle", 1, angle)
    return complex(abs * angle.cos(), abs * angle.sin())
