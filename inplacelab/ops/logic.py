"""Logic of truth values (`logical_and`) and of the bits of integers (`bitwise_and`).

Any number is a truth value: zero is false, all others are true. The result of a logical operation is bool, so in place the
tensor gets a new storage (see `comparisons`); that of a bitwise operation has the operands' dtype.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab import dtypes
from inplacelab.ops.arguments.operands import alike, truth
from inplacelab.ops.table import elementwise
from inplacelab.ops.table.row import ZERO, Row


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
