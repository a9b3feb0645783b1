"""Calls that do not fit a function: an argument too many, one missing, one under two names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inplacelab.errors.kinds import KeywordError
from inplacelab.language import Text


def given_twice(op: str, parameter: str, alias: str) -> KeywordError:
    return KeywordError(
        f"{op}() got multiple values for argument '{parameter}': also as '{alias}'",
        Text("`{alias}` is another name for `{parameter}`.", "`{alias}` 是 `{parameter}` 的别名。").format(
            alias=alias, parameter=parameter
        ),
        Text("give only one of the two.", "两者只给一个。"),
    )


def missing_argument(op: str, parameter: str) -> KeywordError:
    return KeywordError(
        f"{op}() missing 1 required argument: '{parameter}'",
        Text("`{parameter}` has no default.", "`{parameter}` 没有默认值。").format(parameter=parameter),
        Text(
            "give it: `help(paddle.{op})` shows what is needed.", "请给出它：`help(paddle.{op})` 会列出所需的参数。"
        ).format(op=op),
    )


def too_many_arguments(op: str, most: int) -> KeywordError:
    return KeywordError(
        f"{op}() takes at most {most} positional arguments, and more were given",
        Text("what comes after them has to be named.", "其后的参数必须写出名字。"),
        Text(
            "write `word=value`; `help(paddle.{op})` shows the words.",
            "写成 `参数名=值`；`help(paddle.{op})` 会列出参数名。",
        ).format(op=op),
    )


def unknown_keyword(op: str, word: str) -> KeywordError:
    return KeywordError(
        f"{op}() got an unexpected keyword argument '{word}'",
        Text("no parameter is called `{word}`.", "没有名为 `{word}` 的参数。").format(word=word),
        Text("`help(paddle.{op})` shows the words.", "`help(paddle.{op})` 会列出参数名。").format(op=op),
    )


def not_two_axes(op: str, numbers: Sequence[Any]) -> KeywordError:
    return KeywordError(
        f"{op}() exchanges two axes, but {len(numbers)} numbers were given",
        Text(
            "separate numbers name two axes that change places. (PaddlePaddle 3.3.1 drops those behind the second.)",
            "分开写的数表示互换位置的两个轴。（PaddlePaddle 3.3.1 会丢弃第二个之后的数。）",
        ),
        Text(
            "for all axes in order, give a list: `x.{op}({numbers})`.",
            "要给出全部轴的顺序，请用列表：`x.{op}({numbers})`。",
        ).format(op=op, numbers=list(numbers)),
    )
