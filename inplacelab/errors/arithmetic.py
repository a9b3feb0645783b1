"""Pairs of numbers that an operation is not defined for."""

from __future__ import annotations

from typing import Any

from inplacelab.errors.kinds import ArgumentError, DivisionError, DTypeError, NoGradientError, OperandError
from inplacelab.language import Text


def dtypes_differ(op: str, x: str, y: str) -> OperandError:
    return OperandError(
        f"(InvalidArgument) The type of data we are trying to retrieve ({x}) does not match the type of data ({y}) currently "
        "contained in the container.",
        Text(
            "`{op}` takes operands of one dtype; these are {x} and {y}.",
            "`{op}` 要求各操作数的数据类型相同，而这里是 {x} 与 {y}。",
        ).format(op=op, x=x, y=y),
        Text("cast one of them: `y.astype('{x}')`.", "转换其中一个：`y.astype('{x}')`。").format(x=x),
    )


def divided_by_zero(op: str) -> DivisionError:
    return DivisionError(
        "() InvalidArgumentError: Integer division by zero encountered in (floor/trunc) divide. Please check the input value.",
        Text(
            "`{op}`: an element of the divisor is 0, and integers have no infinity to answer with.",
            "`{op}`：除数中有 0，而整数没有可以作为结果的无穷大。",
        ).format(op=op),
        Text(
            "mask those elements first, or divide floating-point tensors: they give inf or nan.",
            "先遮盖这些元素，或改用浮点张量相除：其结果是 inf 或 nan。",
        ),
    )


def bad_rounding(mode: Any) -> ArgumentError:
    return ArgumentError(
        f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found {mode}.",
        Text("a quotient is left as it is, cut off, or rounded down.", "商可以保持原样、截断小数，或向下取整。"),
        Text("choose None, 'trunc' or 'floor'.", "请选择 None、'trunc' 或 'floor'。"),
    )


def not_a_condition(dtype: str) -> OperandError:
    return OperandError(
        f"The `condition` is expected to be a boolean Tensor, but got a Tensor with dtype paddle.{dtype}",
        Text("each element of the condition chooses between two values.", "条件的每个元素在两个值之间作选择。"),
        Text("compare: `x != 0`, or `x.astype('bool')`.", "作比较：`x != 0`，或用 `x.astype('bool')`。"),
    )


def one_of_two_choices() -> OperandError:
    return OperandError(
        "either both or neither of x and y should be given",
        Text(
            "`where` chooses between `x` and `y`; `where_` writes the choice into `x`, so both are tensors there.",
            "`where` 在 `x` 与 `y` 之间选择；`where_` 把结果写入 `x`，因此那里两者都须是张量。",
        ),
        Text(
            "give both, or neither for the indices where the condition is true.",
            "两者都给出；或都不给出，以得到条件成立处的下标。",
        ),
    )


def below_zero(op: str, argument: str) -> ArgumentError:
    return ArgumentError(
        f"The input argument {argument} must be greater than or equal to 0.",
        Text(
            "`{op}` is an integral from 0 on, with positive weights.", "`{op}` 是从 0 起的积分，其被积函数为正。"
        ).format(op=op),
        Text("replace the negative elements first.", "请先替换掉负的元素。"),
    )


def no_formula(op: str, argument: str) -> NoGradientError:
    return NoGradientError(
        f"(Unavailable) the derivative of {op} with respect to '{argument}' is not implemented",
        Text(
            "it is no elementary function, and a gradient of zero would be wrong without a word.",
            "它不是初等函数，而返回零梯度会悄无声息地出错。",
        ),
        Text(
            "detach it: `{op}({argument}.detach(), ...)`.", "将其从计算图中分离：`{op}({argument}.detach(), ...)`。"
        ).format(op=op, argument=argument),
    )


def no_positive_truth() -> DTypeError:
    return DTypeError(
        "The `+` operator, on a bool tensor is not supported.",
        Text("truth values have no sign.", "布尔值没有正负号。"),
        Text("cast first: `+x.astype('int64')`.", "先转换：`+x.astype('int64')`。"),
    )
