"""Element-wise operations. Elements do not affect each other, so the result may be written over the input.

Read a derivative's parameters as the list of what backward keeps. `exp` asks for `out` and `relu` too: they may overwrite
their input for nothing. `sin` asks for `x`: in place, a copy of it is kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab import dtypes, errors
from inplacelab.language import Text
from inplacelab.ops.run import constant, plain_number
from inplacelab.ops.spec import ZERO
from inplacelab.ops.table import elementwise, transcendental
from inplacelab.tensor import Tensor


def conj(x: Tensor) -> Tensor:
    """Conjugate a complex tensor; a real one is its own conjugate. A product with `y` has `g` times that of `y` as its derivative."""
    return x.conj() if x.array.dtype.kind == "c" else x


# ---- kernels that are not a single ufunc ------------------------------------------------------------------------------------


quietly = np.errstate(all="ignore")
"""For kernels of several steps: a remark on the first must not keep the second from being taken (see `_launch`)."""


@quietly
def _add(out: Any, x: Any, y: Any, alpha: Any, device: Any) -> None:
    np.add(x, _times(y, alpha, device), out)


@quietly
def _subtract(out: Any, x: Any, y: Any, alpha: Any, device: Any) -> None:
    np.subtract(x, _times(y, alpha, device), out)


def _times(y: Any, alpha: Any, device: Any) -> Any:
    """Multiply into a buffer of its own that is needed for a moment."""
    device.ledger.borrow(y.nbytes)
    return np.multiply(y, constant(alpha, y.dtype))


def _scale(out: Any, x: Any, scale: Any, bias: Any, bias_after_scale: bool) -> None:
    if bias == 0:
        np.multiply(x, constant(scale, x.dtype), out)
    else:
        _scale_and_shift(out, x, scale, bias, bias_after_scale)


@quietly
def _scale_and_shift(out: Any, x: Any, scale: Any, bias: Any, bias_after_scale: bool) -> None:
    if bias_after_scale:
        np.multiply(x, constant(scale, x.dtype), out)
        np.add(out, constant(bias, x.dtype), out)
    else:
        np.add(x, constant(bias, x.dtype), out)
        np.multiply(out, constant(scale, x.dtype), out)


def _relu(out: Any, x: Any) -> None:
    np.maximum(x, constant(0, x.dtype), out=out)


@quietly
def _sigmoid(out: Any, x: Any) -> None:
    """1 / (1 + exp(-x)) as (1 + tanh(x/2)) / 2, which does not overflow."""
    np.multiply(x, constant(0.5, out.dtype), out)
    np.tanh(out, out)
    np.multiply(out, constant(0.5, out.dtype), out)
    np.add(out, constant(0.5, out.dtype), out)


def _pow(out: Any, x: Any, y: Any) -> None:
    np.power(x, constant(y, x.dtype), out)


def _cast(out: Any, x: Any) -> None:
    np.copyto(out, x.real if x.dtype.kind == "c" and out.dtype.kind != "c" else x, casting="unsafe")


def _no_activation(x: Any, act: Any) -> None:
    if act is not None:
        raise errors.bad_argument("scale", "act", act, Text("None", "None"))


# ---- arithmetic -------------------------------------------------------------------------------------------------------------

elementwise(
    "add", "x, y", ("Add `alpha * y` to `x`, element by element.", "逐元素计算 `x + alpha * y`。"),
    attrs="*, alpha=1", ufunc=np.add, plain="type(alpha) is int and alpha == 1", prepare={"alpha": plain_number}, kernel=_add,
    d_x=lambda g: g,
    d_y=lambda g, alpha: g if alpha == 1 else g.scale(alpha.conjugate()),
)  # fmt: skip
elementwise(
    "subtract", "x, y", ("Subtract `alpha * y` from `x`, element by element.", "逐元素计算 `x - alpha * y`。"),
    attrs="*, alpha=1", ufunc=np.subtract, plain="type(alpha) is int and alpha == 1", prepare={"alpha": plain_number}, kernel=_subtract, aliases=("sub",),
    d_x=lambda g: g,
    d_y=lambda g, alpha: g.scale(-alpha.conjugate()),
)  # fmt: skip
elementwise(
    "multiply", "x, y", ("Multiply element by element.", "逐元素相乘。"),
    ufunc=np.multiply, aliases=("mul",),
    d_x=lambda g, y: g * conj(y),
    d_y=lambda g, x: g * conj(x),
)  # fmt: skip
elementwise(
    "divide", "x, y", ("Divide element by element; integers give floating-point quotients.", "逐元素相除；整数相除得到浮点数。"),
    ufunc=np.true_divide, aliases=("div",), dtype=dtypes.quotient,
    d_x=lambda g, y: g / conj(y),
    d_y=lambda g, x, y: (g * conj(x / y / y)).scale(-1.0),
)  # fmt: skip
elementwise(
    "scale", "x", ("Multiply by a number and add another: `scale * x + bias`.", "乘以一个数再加一个数：`scale * x + bias`。"),
    attrs="scale=1.0, bias=0.0, bias_after_scale=True, act=None", kernel=_scale,
    prepare={"scale": plain_number, "bias": plain_number, "act": _no_activation},
    d_x=lambda g, scale: g.scale(scale.conjugate()),
)  # fmt: skip
elementwise(
    "neg", "x", ("The negative of each element.", "逐元素取负。"), ufunc=np.negative, d_x=lambda g: g.scale(-1.0)
)
elementwise(
    "square",
    "x",
    ("The square of each element.", "逐元素平方。"),
    ufunc=np.square,
    d_x=lambda g, x: g * conj(x).scale(2.0),
)
elementwise(
    "pow", "x", ("Raise each element to the power `y`, a number.", "逐元素求 `y` 次幂，`y` 是一个数。"),
    attrs="y", kernel=_pow, prepare={"y": plain_number},
    d_x=lambda g, x, y: g * conj(x.pow(y - 1).scale(y)) if y else g._zeros(),
)  # fmt: skip

# ---- functions of one number --------------------------------------------------------------------------------------------------

elementwise(
    "relu",
    "x",
    ("Replace negative elements by zero.", "把负元素替换为零。"),
    kernel=_relu,
    d_x=lambda g, out: g * out.sign(),
    function=False,
    functional=True,
)
elementwise("abs", "x", ("The absolute value of each element.", "逐元素取绝对值。"), ufunc=np.absolute, d_x=lambda g, x: g * x.sign(),
            dtype=dtypes.real)  # fmt: skip
elementwise(
    "sign", "x", ("-1, 0 or 1 for each element.", "逐元素取符号：-1、0 或 1。"), ufunc=np.sign, in_place=False, d_x=ZERO
)
transcendental(
    "exp", ("e to the power of each element.", "逐元素求 e 的幂。"), ufunc=np.exp, d_x=lambda g, out: g * conj(out)
)
transcendental(
    "log", ("The natural logarithm of each element.", "逐元素求自然对数。"), ufunc=np.log, d_x=lambda g, x: g / conj(x)
)
transcendental(
    "sqrt",
    ("The square root of each element.", "逐元素求平方根。"),
    ufunc=np.sqrt,
    d_x=lambda g, out: g / conj(out).scale(2.0),
)
transcendental(
    "sin",
    ("The sine of each element (radians).", "逐元素求正弦（弧度）。"),
    ufunc=np.sin,
    d_x=lambda g, x: g * conj(x.cos()),
)
transcendental(
    "cos",
    ("The cosine of each element (radians).", "逐元素求余弦（弧度）。"),
    ufunc=np.cos,
    d_x=lambda g, x: g * conj(x.sin()).scale(-1.0),
)
transcendental("tanh", ("The hyperbolic tangent of each element.", "逐元素求双曲正切。"), ufunc=np.tanh, functional=True,
               d_x=lambda g, out: g * conj(out.square()).scale(-1.0, 1.0))  # fmt: skip
transcendental("sigmoid", ("1 / (1 + exp(-x)) for each element.", "逐元素求 1 / (1 + exp(-x))。"), kernel=_sigmoid, functional=True,
               d_x=lambda g, out: g * conj(out * out.scale(-1.0, 1.0)))  # fmt: skip

# ---- copies, casts, parts of complex numbers --------------------------------------------------------------------------------

elementwise("clone", "x", ("A copy with a storage of its own; gradients pass through.", "有自己存储的副本；梯度可以穿过它。"),
            kernel=_cast, in_place=False, node="AssignGradNode", d_x=lambda g: g)  # fmt: skip
elementwise("cast", "x", ("The same numbers in another data type.", "同样的数值，换一种数据类型。"),
            attrs="dtype", kernel=_cast, dtype=dtypes.as_numpy, d_x=lambda g: g)  # fmt: skip
elementwise(
    "conj",
    "x",
    ("The complex conjugate of each element.", "逐元素取共轭。"),
    ufunc=np.conjugate,
    in_place=False,
    d_x=lambda g: conj(g),
)
elementwise("real", "x", ("The real part of each element.", "逐元素取实部。"), kernel=_cast, in_place=False,
            dtype=dtypes.real, d_x=lambda g: g)  # fmt: skip

# ---- comparisons: the result is boolean and has no derivative -----------------------------------------------------------------

for _name, _ufunc, _en, _zh in (
    ("equal", np.equal, "equal to", "等于"),
    ("not_equal", np.not_equal, "different from", "不等于"),
    ("less_than", np.less, "less than", "小于"),
    ("less_equal", np.less_equal, "less than or equal to", "小于等于"),
    ("greater_than", np.greater, "greater than", "大于"),
    ("greater_equal", np.greater_equal, "greater than or equal to", "大于等于"),
):
    elementwise(_name, "x, y", (f"True where `x` is {_en} `y`.", f"`x` {_zh} `y` 处为 True。"), ufunc=_ufunc, in_place=False,
                dtype=lambda: np.dtype(bool))  # fmt: skip
