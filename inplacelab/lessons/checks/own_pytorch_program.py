"""The exercises of lesson 16."""

from __future__ import annotations

from typing import Any

from inplacelab.language import Text
from inplacelab.lessons.checks.shared import are_known, as_names
from inplacelab.lessons.exercise import Steps, exercise
from inplacelab.lessons.recorded import recorded


@exercise
def weight_versions(after_three: int) -> Steps:
    loop = recorded("torch-loop")
    two = loop.state().version("model.0.weight")
    yield (
        after_three != two,
        Text("That is the version after two epochs.", "那是两轮之后的版本号。"),
        Text("What does one more epoch add?", "多训练一轮，版本号会增加多少？"),
    )
    yield (
        after_three <= two + 1,
        Text(
            "That is too much. Which lines write the weight in one epoch, and how often does each of them run?",
            "太大了。在一轮里，哪几行写权重？这几行各执行几次？",
        ),
        Text("Only `optimizer.step()` writes it.", "只有 `optimizer.step()` 写它。"),
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
    found = as_names(edits)
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
    yield are_known(found, {"swap", "again", "detach", "quiet"})
    yield (
        found,
        Text(
            "Some edits do help. Which of them let `backward()` use the kept value *before* it is overwritten?",
            "有的改法是有效的。哪一种改法能让 `backward()` 在值被覆盖*之前*就用到它？",
        ),
    )
    yield (
        found == {"swap", "again"},
        Text(
            "That one is right, and there is another: the value must be used *before* the write, or kept *after* it.",
            "这一种是对的，但还有一种：这个值要么在写入*之前*就使用，要么在写入*之后*才保存。",
        ),
        Text("Two of the four edits are right.", "四种改法中有两种是对的。"),
    )
    return Text(
        "Use the value before it is overwritten, or compute the loss again afterwards. `zero_grad()` must still come before the second `backward()`.",
        "要么在覆盖之前使用这个值，要么在覆盖之后重新计算损失。而 `zero_grad()` 仍要在第二次 `backward()` 之前调用。",
    )


@exercise
def accumulated(after_swap: Any, after_again: Any) -> Steps:
    yield (
        after_swap != 1,
        Text("Does `backward()` overwrite `.grad`, or add to it?", "`backward()` 是覆盖 `.grad`，还是加到它上面？"),
    )
    yield (
        not isinstance(after_swap, str),
        Text("For `after_swap`, write a number.", "`after_swap` 请写数字。"),
    )
    yield (
        after_swap == 2,
        Text(
            "How often does `backward()` run, and with which weights each time?",
            "`backward()` 运行了几次？每次用的是什么时候的权重？",
        ),
        Text(
            "Twice, with the same weights: the same gradient is added twice.",
            "两次，权重相同：同样的梯度加了两次。",
        ),
    )
    said = as_names(after_again) & {"old", "new", "sum"}
    yield (
        said,
        Text('Write "old", "new" or "sum".', '请写 "old"、"new" 或 "sum"。'),
    )
    yield (
        said == {"sum"} or {"old", "new"} <= said,
        Text(
            "What was in `.grad` before the second `backward()`, and what did that do to it?",
            "第二次 `backward()` 之前，`.grad` 里是什么？第二次 `backward()` 又对它做了什么？",
        ),
    )
    return Text(
        "`backward()` adds to `.grad`. So after `again`, `.grad` is the gradient of neither loss, and no error tells you.",
        "`backward()` 会加到 `.grad` 上。所以按 `again` 修改时，`.grad` 不是其中任何一个损失的梯度，而且没有任何报错。",
    )


@exercise
def epochs_counted(epochs: int) -> Steps:
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
