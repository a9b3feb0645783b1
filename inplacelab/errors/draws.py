"""Random numbers that cannot be drawn: parameters for which there is no such distribution."""

from __future__ import annotations

from typing import Any

from inplacelab.errors.kinds import ArgumentError, IndexRangeError
from inplacelab.errors.operands import bad_argument
from inplacelab.language import Text


def no_room_to_draw(low: float, high: float) -> ArgumentError:
    return ArgumentError(
        f"(InvalidArgument) The uniform_random's min must less then max. But received min = {low:f} great than or equal max = "
        f"{high:f}.",
        _NOTHING_BETWEEN,
        Text("let `min` be smaller than `max`.", "让 `min` 小于 `max`。"),
    )


_NOTHING_BETWEEN = Text("there is no number to draw between the two.", "两者之间没有可以抽取的数。")


def no_integers_to_draw(low: int, high: int) -> ArgumentError:
    return ArgumentError(
        f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}",
        _NOTHING_BETWEEN,
        Text("the upper bound itself is never drawn: make it larger.", "上界本身不会被抽到：请取更大的上界。"),
    )


def no_integers_below(low: int, high: int) -> ArgumentError:
    return ArgumentError(
        f"(InvalidArgument) randint's low must less then high, but received: low = {low}, high = {high}.",
        _NOTHING_BETWEEN,
        Text("the upper bound itself is never drawn: make it larger.", "上界本身不会被抽到：请取更大的上界。"),
    )


def draws_do_not_fit(low: int, high: int, dtype: str) -> ArgumentError:
    return ArgumentError(
        f"(OutOfRange) random_: integers from {low} to {high - 1} do not fit into {dtype}.",
        Text(
            "numbers outside the range of the dtype would wrap round and no longer be evenly distributed.",
            "超出该数据类型范围的数会回绕，不再均匀分布。",
        ),
        Text("draw from a smaller range, or cast the tensor first.", "缩小抽取范围，或先转换张量的数据类型。"),
    )


def negative_spread(op: str, name: str, value: Any) -> ArgumentError:
    return bad_argument(op, name, value, Text("a number of 0 or more", "不小于 0 的数"))


def no_rate(op: str, name: str, value: Any) -> ArgumentError:
    return bad_argument(op, name, value, Text("a number greater than 0", "大于 0 的数"))


def no_probability(op: str, name: str, value: float, *, zero: bool) -> IndexRangeError:
    return IndexRangeError(
        f"(OutOfRange) The probability should be {'>=' if zero else '>'} 0 and <= 1, but got {value:f}",
        Text(
            "`{name}` of `{op}` is a probability." + ("" if zero else " With 0 the first success never comes."),
            "`{op}` 的 `{name}` 是概率。" + ("" if zero else "概率为 0 时，第一次成功永远不会出现。"),
        ).format(op=op, name=name),
        Text("give numbers between 0 and 1.", "请给出 0 到 1 之间的数。"),
    )


def no_weight(value: float) -> ArgumentError:
    return ArgumentError(
        f"(InvalidArgument) The input of multinomial distribution should be >= 0, but got {value:f}.",
        Text("the input holds weights: how often each place is to be drawn.", "输入是权重：各位置被抽到的多少。"),
        Text("give weights of 0 or more.", "请给出不小于 0 的权重。"),
    )


def all_weights_zero() -> ArgumentError:
    return ArgumentError(
        "(InvalidArgument) The sum of one multinomial distribution probability should be > 0, but got 0.000000.",
        Text("with all weights zero nothing can be drawn.", "权重全为 0 时什么也抽不到。"),
        Text("let at least one weight be positive.", "至少让一个权重为正。"),
    )


def too_many_draws(wanted: int, there: int) -> ArgumentError:
    return ArgumentError(
        "(InvalidArgument) When replacement is False, number of samples should be less than non-zero categories.",
        Text(
            "{n} places are to be drawn without putting any back, and {m} have a weight.",
            "要无放回地抽取 {n} 个位置，而有权重的只有 {m} 个。",
        ).format(n=wanted, m=there),
        Text("draw fewer, or pass `replacement=True`.", "减少抽取的个数，或传入 `replacement=True`。"),
    )
