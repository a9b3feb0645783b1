"""The exercises of the lesson on in-place operations and versions."""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab.language import Text
from inplacelab.lessons.checks.shared import names_in, runs
from inplacelab.lessons.exercise import Steps, exercise
from inplacelab.recording.queries import visible_values, who_raised
from inplacelab.recording.recording import Recording


@exercise
def seen_by_both(added: Recording) -> Steps:
    after, first = added.state(-1), added.after_line(1)
    yield (
        after.step.error is None,
        Text(
            "The program raises an error. What does the message suggest?",
            "程序报错了。报错信息建议怎样写？",
        ),
    )
    writes = len(who_raised(added, first.tensor("x").storage))
    yield (
        not writes or after.tensor("y").id != first.tensor("x").id or visible_values(after, "y") == (2, 3),
        Text(
            "The tensor of line 1 was written to, but `y` does not show 2 and 3. What should be added to it, and how often? What did your program do?",
            "第 1 行的那个张量确实被写过，但 `y` 显示的不是 2 和 3。应当给它加上什么、加几次？你的程序是怎样写入的？",
        ),
    )
    yield (
        visible_values(after, "y") == (2, 3),
        Text("`y` must show 2 and 3. What does it show, and why?", "`y` 应当显示 2 和 3。它现在显示什么？为什么？"),
        Text(
            "`x += one` is short for `x = x + one`. Which name has moved to another object?",
            "`x += one` 是 `x = x + one` 的简写。哪个名字改为指向别的对象了？",
        ),
        Text("Look for the addition whose name ends in an underscore.", "找一找名字以下划线结尾的加法。"),
    )
    yield (
        visible_values(after, "x") == (2, 3),
        Text("`y` is right. What does `x` show?", "`y` 对了。`x` 显示什么？"),
    )
    yield (
        writes > 0,
        Text(
            "The numbers are right. But both names have moved to a new tensor: was the tensor of line 1 written to?",
            "数值对了，可是两个名字都改为指向新的张量了。第 1 行的那个张量被写过吗？",
        ),
    )
    yield (
        after.tensor("x").id == after.tensor("y").id == first.tensor("x").id,
        Text(
            "Do both names still stand for the tensor of line 1?",
            "两个名字指的还都是第 1 行的那个张量吗？",
        ),
    )
    return Text(
        f"One object with two names, one storage, version {writes}.",
        f"一个对象有两个名字，只用一个存储，版本号为 {writes}。",
    )


@exercise
def bytes_kept(kept_by_add: Any, kept_by_sin: Any) -> Steps:
    yield (
        kept_by_add == 0,
        Text(
            "`add_`: does the derivative of the sum depend on the numbers that are added?",
            "`add_`：和的导数与相加的数有关吗？",
        ),
    )
    yield (
        kept_by_sin != 0,
        Text(
            "`sin_`: what is the derivative of the sine, and at which number is it taken?",
            "`sin_`：正弦的导数是什么？要代入哪个数？",
        ),
    )
    yield (
        kept_by_sin == 8 * 4,
        Text(
            "`sin_`: how many numbers are overwritten, and how many bytes does each take?",
            "`sin_`：有几个数被覆盖，每个占几字节？",
        ),
    )
    return Text(
        "The derivative of the sine is the cosine of the old number, so a copy of all eight numbers is kept. This in-place operation saves no memory.",
        "正弦的导数是旧值的余弦，所以八个数都要保存副本。可见，这次原地操作并没有节省内存。",
    )


@exercise
def swapped_rows(swapped: Recording) -> Steps:
    after, first = swapped.state(-1), swapped.state(0)
    yield runs(swapped)
    yield (
        visible_values(after, "q") == (3, 4, 1, 2),
        Text("Which numbers must `q` show? Which does it show?", "`q` 应当显示哪几个数？它现在显示什么？"),
        Text(
            "Adding and subtracting can be undone. What are the rows after `top.add_(bottom)`?",
            "加法和减法可以还原。执行 `top.add_(bottom)` 之后，两行各是什么？",
        ),
        Text(
            "After that, which subtraction turns `bottom` into the old `top`, up to its sign?",
            "在此之后，用哪一次减法可以使 `bottom` 变成原来的 `top`（符号相反也可以）？",
        ),
    )
    yield (
        after.tensor("q").storage == first.tensor("q").storage and after.tensor("q").id == first.tensor("q").id,
        Text(
            "`q` shows the right numbers, but is it still the same object?",
            "`q` 显示的数对了，可是它还是原来那个对象吗？",
        ),
    )
    yield (
        not names_in(swapped.source) & {"tolist", "item", "int", "float", "complex", np.__name__},
        Text(
            "Swapped. But Python held some of the numbers meanwhile, and that is extra memory, too.",
            "交换成功了。但中途有些数由 Python 保管，这也是额外的内存。",
        ),
    )
    start = swapped.steps[0].live
    yield (
        max(step.peak for step in swapped.steps) == start,
        Text(
            "Swapped. But one line allocated memory, if only for a moment. Which?",
            "交换成功了。但有一行申请过内存，虽然只是一瞬间。是哪一行？",
        ),
        Text(
            "Use only operations that end in an underscore, with a tensor that already exists as the operand.",
            "请只用名字以下划线结尾的操作，而且操作数只用已有的张量。",
        ),
    )
    version = after.version("q")
    yield (
        version >= 3,  # what is still to be read would be overwritten in fewer
        Text(
            "Swapped. But in so few writes, the old numbers must be kept elsewhere: in a buffer that the memory account does "
            "not show, or in the text of your program. Which operations need neither?",
            "交换成功了。但只写这么少的次数，旧的数总要另存在别处：或是内存统计看不到的缓冲区，或是你的代码本身。哪些操作两者都不需要？",
        ),
    )
    return Text(
        f"Version {version}, and not one new byte. But floating-point results may be rounded: for real data, make the copy.",
        f"版本号为 {version}，一个字节也没有多占。不过，浮点运算可能有舍入误差，所以对于真实的数据，还是复制一份更好。",
    )
