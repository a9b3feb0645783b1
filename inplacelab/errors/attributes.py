"""Attributes of a wrong kind or out of range, and a library that is not there."""

from __future__ import annotations

from typing import Any

from inplacelab.errors.kinds import ArgumentError, ArgumentKindError, AssertedArgumentError, MissingLibraryError
from inplacelab.language import Text


def not_an_integer(op: str, argument: str, position: int, value: Any) -> ArgumentKindError:
    return ArgumentKindError(
        f"(InvalidType) {op}(): argument '{argument}' (position {position}) must be int, but got {type(value).__name__}",
        Text(
            "`{argument}` counts something, so it is a whole number.", "`{argument}` 用来计数，因此必须是整数。"
        ).format(argument=argument),
        Text("give a Python integer.", "请给出 Python 整数。"),
    )


def no_first_axis() -> ArgumentKindError:
    return ArgumentKindError(
        "len() of a 0-D tensor",
        Text(
            "a tensor without axes is one number: there is no first axis to count or to go along.",
            "没有轴的张量只是一个数：没有第一个轴可供计数或遍历。",
        ),
        Text("read the number with `item()`.", "请用 `item()` 读取这个数。"),
    )


def not_a_scalar(op: str, argument: str, value: Any) -> ArgumentKindError:
    return ArgumentKindError(
        f"(InvalidType) {op}(): argument '{argument}' must be a number, but got {type(value).__name__}",
        Text("every element is computed with this one number.", "每个元素都要与这一个数运算。"),
        Text("give a Python number.", "请给出 Python 数字。"),
    )


def order_below_zero(n: int) -> ArgumentError:
    return ArgumentError(
        f"The input of n must be greater than or equal to 0. But received n = {n}",
        Text("n says how often the digamma function is differentiated.", "n 表示对 digamma 函数求导的次数。"),
        Text("n = 0 is `digamma` itself; take n >= 0.", "n = 0 就是 `digamma` 本身；请取 n >= 0。"),
    )


def dimension_below_one(p: Any) -> AssertedArgumentError:
    return AssertedArgumentError(
        f"The p must be greater than or equal to 1, But received p is {p}.",
        Text("p is the number of rows of the matrices that are integrated over.", "p 是积分所遍历的矩阵的行数。"),
        Text("p = 1 is `lgamma`; take p >= 1.", "p = 1 就是 `lgamma`；请取 p >= 1。"),
    )


def bounds_out_of_order(low: float, high: float) -> ArgumentError:
    return ArgumentError(
        f"(InvalidArgument) max should be greater than or equal to min. But received min = {low:f}, max = {high:f}",
        Text("no number lies between these bounds.", "没有数位于这两个界限之间。"),
        Text("swap the bounds.", "请交换两个界限。"),
    )


def only_floats(op: str, dtype: str) -> AssertedArgumentError:
    return AssertedArgumentError(
        f"{op}: the dtype must be float32 or float64, but got {dtype}.",
        Text("only floating-point numbers can be nan or infinite.", "只有浮点数才可能是 nan 或无穷大。"),
        Text("there is nothing to replace: leave the call out.", "没有什么可替换的：去掉这个调用即可。"),
    )


def no_scipy() -> MissingLibraryError:
    return MissingLibraryError(
        "No module named 'scipy'",
        Text(
            "special functions (gamma, error and Bessel functions) are computed by SciPy, which is not installed here.",
            "特殊函数（伽马函数、误差函数、贝塞尔函数）由 SciPy 计算，而这里没有安装它。",
        ),
        Text("install it: `pip install inplacelab[special]`.", "安装它：`pip install inplacelab[special]`。"),
    )
