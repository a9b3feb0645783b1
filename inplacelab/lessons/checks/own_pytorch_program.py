"""The exercises of lesson 16."""

from __future__ import annotations

from numbers import Real
from typing import Any

from inplacelab.language import Text
from inplacelab.lessons.exercise import Steps, exercise
from inplacelab.lessons.recorded import recorded


@exercise
def weight_versions(after_three: Any) -> Steps:
    loop = recorded("torch-loop")
    two = loop.state().version("model.0.weight")
    yield (
        isinstance(after_three, Real),
        Text("The answer is one number.", "答案是一个数。"),
        Text("Count the writes to `model.0.weight` by line.", "请逐行数一数 `model.0.weight` 被写了几次。"),
    )
    yield (
        after_three != two,
        Text("That is the version after two epochs.", "那是两轮之后的版本号。"),
        Text("What does one more epoch add?", "多训练一轮，版本号会增加多少？"),
    )
    yield (
        after_three == two + 1,
        Text(
            "Count the line that made the weight, too. How often does each line write the weight?",
            "创建权重的那一行也要算。每一行各写几次权重？",
        ),
        Text("Once before the first epoch, and once in each epoch.", "第一轮之前写一次，此后每轮写一次。"),
    )
    return Text("One write by the initialization, and one by each step.", "初始化写一次，此后每一步写一次。")


@exercise
def edits_that_work(edits: Any) -> Steps:
    found = {edits} if isinstance(edits, str) else {str(each) for each in edits}
    yield (
        "quiet" not in found,
        Text("Does `no_grad` keep the step from writing the weight?", "放在 `no_grad` 下，更新就不写权重了吗？"),
        Text(
            "An optimizer writes under `no_grad` anyway. The write raises the version.",
            "优化器本来就是在 `no_grad` 下写的，而写入会使版本号加一。",
        ),
    )
    yield (
        "detach" not in found,
        Text("Which parameters get a gradient after `detach()`?", "`detach()` 之后，哪些参数还有梯度？"),
        Text("The loss no longer has a history: `backward()` raises.", "损失没有历史了，`backward()` 会报错。"),
    )
    yield (
        found == {"swap", "again"},
        Text(
            "There is one more: the value must be kept *after* the write, or used *before* it.",
            "还有一种改法：这个值要么在写入*之后*才保存，要么在写入*之前*就使用。",
        ),
        Text("There are two, and no others.", "正确的改法只有两种。"),
    )
    return Text(
        "Use the value before it is overwritten, or compute the loss again afterwards.",
        "要么在覆盖之前使用这个值，要么在覆盖之后重新计算损失。",
    )


@exercise
def epochs_counted(epochs: Any) -> Steps:
    yield (
        epochs not in (10, 11, 12),
        Text("How often is the weight written in one epoch?", "在一轮里，权重被写了几次？"),
        Text("The step writes, and so does the clamp.", "优化器更新时写一次，裁剪时也写一次。"),
    )
    yield (
        epochs == (_VERSION - _BEFORE_TRAINING) / _IN_AN_EPOCH,
        Text("Which writes came before the loop?", "在循环之前，权重已经被写了几次？"),
        Text(
            "Two: the layer fills its weight, and `zeros_` fills it again.",
            "两次：创建层时填充权重，`zeros_` 又填充一次。",
        ),
    )
    return Text("2 + 5 · 2 = 12.", "2 + 5 · 2 = 12。")


_VERSION = 12
_BEFORE_TRAINING = 2
_IN_AN_EPOCH = 2
