"""The exercises of the lesson on the in-place family."""

from __future__ import annotations

from typing import Any

from inplacelab.language import Text
from inplacelab.lessons.checks.shared import runs
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
    yield runs(mine)
    yield (
        visible_values(mine.after_line(2), "w") == (8, 8, 8) and visible_values(mine.after_line(2), "g") == (2, 4, 6),
        Text("Keep lines 1 and 2 as they are.", "第 1、2 行请保持原样。"),
    )
    yield (
        visible_values(after, "w") == (7, 6, 5),
        Text(
            "Which numbers does `w` show, and which did it show before you changed the line?",
            "`w` 现在显示哪几个数？改动之前显示哪几个数？",
        ),
        Text(
            "The result should be w − 0.5 · g. Does your line have this factor, given by the name of its parameter, and this sign?",
            "结果应当是 w − 0.5 · g。你写的这一行，系数和正负号都对吗？系数是用参数名传入的吗？",
        ),
    )
    yield (
        after.tensor("w").storage == first.tensor("w").storage and bool(who_raised(mine, first.tensor("w").storage)),
        Text(
            "The numbers are right. Is the storage of `w` still the one of line 1?",
            "数值对了。`w` 的存储还是第 1 行的那一个吗？",
        ),
        Text(
            "In Paddle, `w -= ...` makes a new tensor and moves the name. Which subtraction ends in an underscore?",
            "在 Paddle 里，`w -= ...` 会新建一个张量，再让名字 `w` 指向它。哪个减法的名字以下划线结尾？",
        ),
    )
    yield (
        len(_storages(mine)) == len(_storages(mine) & set(mine.after_line(2).storages)),
        Text(
            "It is in place now. But what is made before `w` is written, and how many bytes does that take?",
            "已经是原地写入了。可是在写入 `w` 之前，还新建了什么？它占多少字节？",
        ),
        Text("`subtract_` has a parameter for the factor.", "`subtract_` 有一个表示系数的参数。"),
    )
    yield (
        visible_values(after, "g") == (2, 4, 6),
        Text(
            "`w` is right, but `g` has been overwritten: the optimizer would find another gradient. One operation is enough.",
            "`w` 对了，可是 `g` 被覆盖了，里面已经不是梯度。一个操作就够了。",
        ),
    )
    writes = [step.op for step, _ in who_raised(mine, first.tensor("w").storage)]
    yield (
        len(writes) == 1,
        Text(
            f"It is written {len(writes)} times. One operation is enough.",
            f"一共写了 {len(writes)} 次。一个操作就够了。",
        ),
    )
    return Text("One operation, two storages from beginning to end.", "只用一个操作，从头到尾只有两个存储。")


@exercise
def running_sum(scan: Recording) -> Steps:
    after, first = scan.state(-1), scan.after_line(1)
    yield (
        after.tensor("x").storage == first.tensor("x").storage and not any(step.op == "cumsum_" for step in scan.steps),
        Text("Keep line 3, and change only the shifts in line 2.", "请保留第 3 行，只改第 2 行里的移位数。"),
    )
    writes = len(who_raised(scan, after.tensor("x").storage))
    yield runs(scan)
    yield (
        visible_values(after, "x") == (1, 3, 6, 10, 15, 21, 28, 36),
        Text(
            "After a pass with a shift by 1, how many elements does each sum contain? And after another pass, with a shift by 2?",
            "移 1 位相加之后，每个元素是几个元素的和？再移 2 位相加呢？",
        ),
        Text(
            "Each pass may double the number of elements that are summed: 1, 2, 4, 8.",
            "每一遍都可以使求和的元素个数翻倍：1、2、4、8。",
        ),
    )
    yield (
        writes == 3,
        Text(
            f"The sums are right, in {writes} writes. Three are enough.",
            f"累加和是对的，但写了 {writes} 次。三次就够了。",
        ),
    )
    return Text(
        "Eight sums in three passes. A GPU computes `cumsum` in a similar way: within a pass, it computes many elements at once.",
        "三遍就求出了八个和。GPU 计算 `cumsum` 的方法与此类似：在每一遍里，许多元素是同时计算的。",
    )


@exercise
def worth(bytes_of_relu_: Any, bytes_of_transpose_: Any, bytes_of_cast_to_float64: Any, bytes_of_equal_: Any) -> Steps:
    yield (
        bytes_of_relu_ == 0,
        Text("`relu_`: where does each result go?", "`relu_`：每个结果写到哪里？"),
    )
    yield (
        bytes_of_transpose_ == 0,
        Text(
            "`transpose_`: how many storages were there at the end of the program in section 4?",
            "`transpose_`：第 4 节的那段程序结束时，一共有几个存储？",
        ),
    )
    yield (
        bytes_of_cast_to_float64 not in {4, 8},
        Text(
            "`cast_`: those are the bytes of one element. How many are there?",
            "`cast_`：这是一个元素的字节数。一共有多少个元素？",
        ),
    )
    yield (
        not bytes_of_cast_to_float64 > 8 * _ELEMENTS,
        Text(
            "`cast_`: that is too much. Only the new storage counts: how many elements does it hold, and how many bytes does each take?",
            "`cast_`：太多了。只算新的存储：它有多少个元素，每个元素占几字节？",
        ),
    )
    yield (
        bytes_of_cast_to_float64 == 8 * _ELEMENTS,
        Text(
            "`cast_`: can the old storage be used for numbers of eight bytes, even in part?",
            "`cast_`：旧的存储能用来存放占 8 字节的数吗，哪怕只存其中一部分？",
        ),
        Text(
            "`cast_`: the old storage exists until the new one is filled. How large is the whole new storage?",
            "`cast_`：在新的存储填满之前，旧的存储一直保留着。新的存储一共有多大？",
        ),
    )
    yield (
        bytes_of_equal_ == _ELEMENTS,
        Text(
            "`equal_`: what is the dtype of the result, and where is it put?",
            "`equal_`：结果的数据类型是什么？结果放在哪里？",
        ),
        Text("`equal_`: how many bytes does one truth value take?", "`equal_`：一个真假值占几字节？"),
    )
    return Text(
        "Only the first of the four saves anything: the ordinary `relu` would have allocated 4,000,000 bytes.",
        "四个操作中，只有第一个节省内存：普通的 `relu` 要申请 4,000,000 字节。",
    )
