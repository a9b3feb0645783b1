"""The exercises of lesson 16."""

from __future__ import annotations

from typing import Any

from inplacelab.language import Text
from inplacelab.lessons.exercise import Steps, exercise
from inplacelab.lessons.recorded import recorded


@exercise
def weight_versions(after_three: Any) -> Steps:
    loop = recorded("torch-loop")
    two = loop.state().version("model.0.weight")
    yield (
        isinstance(after_three, int),
        Text("The answer is one number.", "答案是一个数。"),
        Text("Count the writes to `model.0.weight` by line.", "按行数一数对 `model.0.weight` 的写入。"),
    )
    yield (
        after_three != two,
        Text("That is the version after two epochs.", "那是两轮之后的版本号。"),
        Text("What does one more epoch add?", "再多一轮会增加多少？"),
    )
    yield (
        after_three == two + 1,
        Text("Did you forget the line that made the weight?", "是不是忘了创建权重的那一行？"),
        Text("It was written once before the first epoch.", "第一轮之前，它已经被写过一次。"),
    )
    return Text("One write by its initialization, and one for each step.", "初始化写一次，此后每一步写一次。")


@exercise
def guilty_lines(kept: Any, wrote: Any) -> Steps:
    yield (
        (kept, wrote) != (11, 9),
        Text("Those are the right lines, the other way round.", "这两行没错，但顺序反了。"),
        Text("First it is kept, then it is overwritten.", "先保存，后改写。"),
    )
    yield (
        wrote == 11,
        Text("Which line writes parameters?", "哪一行会写参数？"),
        Text("Look at the versions in the picture, line by line.", "在图中逐行看版本号。"),
    )
    yield (
        kept == 9,
        Text("Which line made the grad nodes?", "哪一行建立了梯度节点？"),
        Text("`backward()` uses what was kept; it keeps nothing.", "`backward()` 使用保存的值，自己并不保存。"),
    )
    return Text(
        "Kept on line 9, overwritten on line 11, missed on line 12.",
        "第 9 行保存，第 11 行改写，第 12 行要用时已经没有了。",
    )
