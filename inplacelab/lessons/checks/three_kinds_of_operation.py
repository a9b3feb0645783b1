"""The exercises of lesson 1."""

from __future__ import annotations

from typing import Any

from inplacelab.language import Text
from inplacelab.lessons.exercise import Steps, exercise
from inplacelab.recording.queries import same_object, shares_storage, visible_values, who_raised
from inplacelab.recording.recording import Recording


@exercise
def seen_by_both(added: Recording) -> Steps:
    after = added.state(-1)
    yield (
        visible_values(after, "y") == (2, 3),
        Text("`y` is to show 2 and 3. What does it show, and why?", "`y` 应当显示 2 和 3。它现在显示什么，为什么？"),
        Text(
            "`x += 1.` is short for `x = x + 1.`. Which name has moved to another object?",
            "`x += 1.` 是 `x = x + 1.` 的简写。哪个名字换到了别的对象上？",
        ),
        Text("Look for the addition whose name ends in an underscore.", "找一找名字以下划线结尾的加法。"),
    )
    yield (
        same_object(after, "x", "y") and len(who_raised(added, after.tensor("x").storage)) == 1,
        Text(
            "The numbers are right. But was anything written? Look at the version counter.",
            "数值对了。可是真的写过吗？看看版本计数器。",
        ),
    )
    return Text("One object with two names, one storage, version 1.", "一个对象、两个名字，一块存储，版本号为 1。")


@exercise
def row_of_its_own(own: Recording) -> Steps:
    after = own.state(-1)
    yield (
        [step.op for step, _ in who_raised(own, after.tensor("q").storage)] == ["scale_"],
        Text(
            "`q` is still to be multiplied by 10 in place: what does its version counter say?",
            "`q` 仍要原地乘以 10：它的版本计数器是多少？",
        ),
    )
    yield (
        not shares_storage(after, "q", "tail"),
        Text("In how many storages do `q` and `tail` lie now?", "`q` 和 `tail` 现在放在几块存储里？"),
        Text(
            "An earlier program of this lesson has a tensor that kept its numbers while all others went to zero.",
            "本课前面有一段程序，其他张量都变成了零，只有一个保住了数值。",
        ),
    )
    yield (
        visible_values(after, "tail") == (4, 5, 6),
        Text("Which numbers is `tail` to show?", "`tail` 应当显示哪几个数？"),
    )
    return Text(
        "A copy has a storage and a version counter of its own. It costs its bytes.",
        "副本有自己的存储和自己的版本计数器，代价是相应的字节。",
    )


@exercise
def bytes_kept(kept_by_scale: Any, kept_by_sin: Any) -> Steps:
    yield (
        kept_by_scale == 0,
        Text(
            "`scale_`: does the derivative of “times two” depend on the number that was doubled?",
            "`scale_`：“乘以二”的导数和被乘的那个数有关系吗？",
        ),
    )
    yield (
        kept_by_sin != 0,
        Text(
            "`sin_`: what is the derivative of the sine, and at which number is it taken?",
            "`sin_`：正弦的导数是什么？要在哪个数处取值？",
        ),
    )
    yield (
        kept_by_sin == 8 * 4,
        Text(
            "`sin_`: how many numbers are overwritten, and how many bytes has each?",
            "`sin_`：有几个数被改写，每个占几字节？",
        ),
    )
    return Text(
        "The derivative of the sine is the cosine of the old number: a copy of all eight is kept. So this in-place "
        "operation spares no memory.",
        "正弦的导数是旧值的余弦，所以八个数都要留副本。可见，这次原地操作并没有省下内存。",
    )
