"""The exercises of lesson 17."""

from __future__ import annotations

from typing import Any

from inplacelab.language import Text
from inplacelab.lessons.exercise import Steps, exercise


@exercise
def collectives_counted(collectives: Any) -> Steps:
    yield (
        collectives != 10,
        Text("Which collectives come before the loop?", "循环之前做了哪些集合通信？"),
        Text("`DataParallel` broadcasts each parameter once.", "`DataParallel` 把每个参数广播一次。"),
    )
    yield (
        collectives == 12,
        Text("How many does each round make?", "每一轮做几次？"),
        Text("One for the gradient of each parameter.", "每个参数的梯度一次。"),
    )
    return Text(
        "Two broadcasts, and two averages in each of five rounds.", "两次广播，再加上五轮、每轮两次的梯度平均。"
    )


@exercise
def blamed_line(blamed: Any) -> Steps:
    yield (
        blamed != 13,
        Text(
            "The optimizer subtracts the averaged gradient, the same on both ranks. Were the weights still equal before it?",
            "优化器减去的是平均梯度，两个进程相同。在它之前，权重还相同吗？",
        ),
        Text("Look for the first write marked ≠.", "找第一个带有 ≠ 记号的写入。"),
    )
    yield (
        blamed == 12,
        Text("Which line writes values that come from the rank's own data?", "哪一行写入的值来自该进程自己的数据？"),
        Text("Follow `x`: it is not the same on both ranks.", "跟着 `x` 看：它在两个进程上不同。"),
    )
    return Text(
        "Line 12 multiplies by the rank's own `x`: the same line, different values. What is written into a replica must be the same on all ranks.",
        "第 12 行乘以该进程自己的 `x`：行相同，值不同。写进副本的值，在所有进程上必须相同。",
    )
