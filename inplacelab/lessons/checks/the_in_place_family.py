"""The exercises of lesson 3."""

from __future__ import annotations

from typing import Any

from inplacelab.language import Text
from inplacelab.lessons.exercise import Steps, exercise
from inplacelab.recording.queries import visible_values, who_raised
from inplacelab.recording.recording import Recording

_ELEMENTS = 1000 * 1000


def _storages(recording: Recording) -> set[int]:
    """All storages that there ever were."""
    return {storage for step in recording.steps for storage, _ in step.storages}


@exercise
def no_temporary(mine: Recording) -> Steps:
    after, first = mine.state(-1), mine.after_line(1)
    yield (
        visible_values(after, "w") == (7, 6, 5),
        Text(
            "Which numbers does `w` show, and which did it show before you changed the line?",
            "`w` 现在显示哪几个数？改动之前显示的又是哪几个？",
        ),
        Text("Where has the factor 0.5 gone?", "系数 0.5 到哪里去了？"),
    )
    yield (
        after.tensor("w").storage == first.tensor("w").storage and bool(who_raised(mine, first.tensor("w").storage)),
        Text(
            "The numbers are right. Is the storage of `w` still the one of line 1?",
            "数值对了。`w` 的存储还是第 1 行的那一块吗？",
        ),
        Text(
            "In Paddle, `w -= ...` makes a new tensor and moves the name. Which subtraction ends in an underscore?",
            "在 Paddle 里，`w -= ...` 会造一个新张量，再把名字移过去。哪个减法以下划线结尾？",
        ),
    )
    yield (
        len(_storages(mine)) == len(_storages(mine) & set(mine.after_line(2).storages)),
        Text(
            "It is in place now. But what is made before the subtraction begins, and how many bytes does that take?",
            "已经是原地写入了。可是在减法开始之前，先造出了什么？占多少字节？",
        ),
        Text("`subtract_` has a parameter for the factor.", "`subtract_` 有一个参数就是系数。"),
    )
    return Text("One operation, two storages from beginning to end.", "一个操作，从头到尾只有两块存储。")


@exercise
def right_order(suffix: Recording) -> Steps:
    after, first = suffix.state(-1), suffix.after_line(1)
    yield (
        after.tensor("x").storage == first.tensor("x").storage and after.version("x") > 0,
        Text(
            "`x` lies in another storage than at the beginning. Keep line 3; change only the order in line 2.",
            "`x` 已经不在最初的存储里了。请保留第 3 行，只改第 2 行里的次序。",
        ),
    )
    yield (
        visible_values(after, "x") == (10, 9, 7, 4),
        Text(
            "`x[0]` is to become 10. What must `x[1]` show at the moment when `x[0]` is computed?",
            "`x[0]` 应当变成 10。计算 `x[0]` 的那一刻，`x[1]` 必须已经是多少？",
        ),
        Text(
            "Each element takes the sum that its right neighbour has just become. So which one has to be the first?",
            "每个元素都要取右邻刚刚变成的那个和。那么谁应当最先算？",
        ),
    )
    return Text(
        "From right to left: where elements depend on one another, the order decides.",
        "从右往左：元素之间有依赖时，次序决定一切。",
    )


@exercise
def worth(bytes_of_relu_: Any, bytes_of_transpose_: Any, bytes_of_cast_to_float64: Any, bytes_of_equal_: Any) -> Steps:
    yield (
        bytes_of_relu_ == 0,
        Text("`relu_`: where does each result go?", "`relu_`：每个结果写到哪里去？"),
    )
    yield (
        bytes_of_transpose_ == 0,
        Text(
            "`transpose_`: how many slots did it write in the program above?",
            "`transpose_`：在前面的程序里，它写了几个槽位？",
        ),
    )
    yield (
        bytes_of_cast_to_float64 == 8 * _ELEMENTS,
        Text(
            "`cast_`: can the old storage be used for numbers of eight bytes, even in part?",
            "`cast_`：旧存储能不能用来放八字节的数，哪怕只用一部分？",
        ),
        Text(
            "`cast_`: the old storage exists until the new one is filled. How large is the new one, all of it?",
            "`cast_`：新存储填满之前，旧存储一直在。新存储总共有多大？",
        ),
    )
    yield (
        bytes_of_equal_ == _ELEMENTS,
        Text(
            "`equal_`: of which dtype is the result, and where is it put?",
            "`equal_`：结果是什么数据类型？放在哪里？",
        ),
        Text("`equal_`: how many bytes does one truth value take?", "`equal_`：一个真假值占几字节？"),
    )
    return Text(
        "Only the first of the four saves anything: the ordinary `relu` would have reserved 4,000,000 bytes.",
        "四个当中只有第一个省了：普通的 `relu` 要申请 4,000,000 字节。",
    )
