"""The exercises of lesson 18."""

from __future__ import annotations

from typing import Any

from inplacelab.language import Text
from inplacelab.lessons.exercise import Steps, exercise

_KEEP_THEIR_RESULT = ("exp", "tanh", "sigmoid")
_DO_NOT = {"scale", "add", "matmul"}


@exercise
def collectives_of_a_network(in_forward: Any, in_backward: Any) -> Steps:
    yield (
        in_forward == 6,
        Text("How many does one layer make in a forward pass?", "一个层在前向计算中做几次？"),
        Text("One for the sums, and one for the squared distances.", "求和一次，求平方距离一次。"),
    )
    yield (
        in_backward == 3,
        Text("Count those in backward in section 2.", "数一数第 2 节中属于反向传播的次数。"),
        Text("One for each layer.", "每个层一次。"),
    )
    return Text("Two and one for each layer.", "每个层前向计算两次、反向传播一次。")


@exercise
def allowed_before(allowed: Any) -> Steps:
    wrong = [name for name in _KEEP_THEIR_RESULT if name in allowed]
    yield (
        not wrong,
        Text(
            "One of them has a derivative that needs the result. Which?",
            "其中有一个操作，它的导数是用结果写出来的。是哪一个？",
        ),
        Text("The derivative of `tanh` is `1 - out ** 2`.", "`tanh` 的导数是 `1 - out ** 2`。"),
    )
    yield (
        set(allowed) == _DO_NOT,
        Text(
            "Is one missing? Which operations keep only operands, or nothing?",
            "漏了吗？哪些操作只保存操作数，或者什么都不保存？",
        ),
        Text("`add` keeps nothing.", "`add` 什么都不保存。"),
    )
    return Text(
        "`scale` and `add` keep nothing, `matmul` its operands.", "`scale` 和 `add` 什么都不保存，`matmul` 保存操作数。"
    )
