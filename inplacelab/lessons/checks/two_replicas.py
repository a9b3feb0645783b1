"""The exercises of lesson 17."""

from __future__ import annotations

from typing import Any

from inplacelab.language import Text
from inplacelab.lessons.checks.shared import are_known, as_names
from inplacelab.lessons.exercise import Steps, exercise


@exercise
def collectives_counted(collectives: int) -> Steps:
    yield (
        collectives not in (20, 24),
        Text(
            "Did you count each collective once per rank? All ranks take part in the same one.",
            "你是不是把每次集合通信按进程各算了一次？所有进程参与的是同一次集合通信。",
        ),
    )
    yield (
        collectives not in (10, 11),
        Text("How many collectives come before the loop?", "在循环之前，做了几次集合通信？"),
        Text("`DataParallel` broadcasts each parameter once.", "`DataParallel` 对每个参数广播一次。"),
    )
    yield (
        collectives == 12,
        Text("How many are performed in each round of the loop?", "在每一轮循环里，要做几次集合通信？"),
        Text("One for the gradient of each parameter.", "对每个参数的梯度做一次。"),
    )
    return Text(
        "Two broadcasts, and two averages in each of five rounds.", "两次广播，再加上五轮、每轮两次的梯度平均。"
    )


@exercise
def equal_again(equal: Any) -> Steps:
    given = as_names(equal)
    yield are_known(given, {"before", "gradient", "send", "average"})
    yield (
        "gradient" not in given,
        Text(
            "With one of your edits, the ranks take different steps. When are the gradients averaged: in `backward()`, or in `step()`?",
            "你列出的改法中，有一种会使两个进程的更新不同。梯度是什么时候求平均的：在 `backward()` 里，还是在 `step()` 里？",
        ),
        Text(
            "After `backward()`, nothing makes the gradients equal again.",
            "`backward()` 之后，没有操作会使各进程的梯度重新相等。",
        ),
    )
    yield (
        "before" in given,
        Text(
            "The list is not complete: what does `DataParallel` do with the weights of rank 1?",
            "还没有列全：`DataParallel` 会对进程 1 的权重做什么？",
        ),
        Text("It overwrites them with those of rank 0.", "它用进程 0 的权重覆盖它们。"),
    )
    yield (
        given == {"before", "send", "average"},
        Text("Which collectives leave the same values on all ranks?", "执行哪些集合通信之后，所有进程上的值相同？"),
        Text(
            "Both `broadcast` and `all_reduce` do. Three edits are right.",
            "`broadcast` 和 `all_reduce` 都可以做到。正确的改法有三种。",
        ),
    )
    return Text(
        "Replicas are equal at the end if a collective on the weights follows the last write that made them different.",
        "如果在最后一次造成差别的写入之后，又对权重做过一次集合通信，各模型副本最后就是一致的。",
    )


@exercise
def blamed_line(blamed: int) -> Steps:
    yield (
        blamed != 13,
        Text(
            "The optimizer subtracts the averaged gradient, the same on both ranks. Were the weights still equal before it?",
            "优化器减去的是平均梯度，它在两个进程上相同。在这一行之前，权重还相同吗？",
        ),
        Text("Which line before it writes to the weight?", "在这一行之前，哪一行写了权重？"),
    )
    yield (
        blamed != 8,
        Text(
            "In line 8, each rank takes its own data, as it should. Which line writes that difference into a parameter?",
            "第 8 行使每个进程有自己的数据，这是应当的。是哪一行把这种差别写进了参数？",
        ),
    )
    yield (
        blamed != 10,
        Text(
            "`backward()` averages the gradients over the ranks, so they are equal after line 10. Which line writes to the weight?",
            "`backward()` 会对各进程的梯度求平均，所以第 10 行执行之后，梯度是相同的。哪一行写了权重？",
        ),
    )
    yield (
        blamed == 12,
        Text("Which line writes values that come from the rank's own data?", "哪一行写入的值来自该进程自己的数据？"),
        Text("Follow `x`: it is not the same on both ranks.", "请追踪 `x`：它在两个进程上不同。"),
    )
    return Text(
        "Line 12 multiplies by the rank's own `x`: the same line, different values. What is written into a replica must be the same on all ranks.",
        "第 12 行把权重乘以该进程自己的 `x`：两个进程执行的是同一行，写入的值却不同。写进模型副本的值在所有进程上必须相同。",
    )
