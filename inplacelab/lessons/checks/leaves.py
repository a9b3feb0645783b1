"""The exercises of lesson 6."""

from __future__ import annotations

import math
from typing import Any

from inplacelab.language import Text
from inplacelab.lessons.exercise import Steps, exercise
from inplacelab.recording.queries import visible_values


@exercise
def leaves_at_the_end(puzzle: Any, leaves: Any) -> Steps:
    after, named = puzzle.state(-1), set(leaves)
    yield "w" in named, Text("Which operation has made `w`?", "`w` 是由哪个操作产生的？")
    yield (
        "v" not in named,
        Text("Line 4 adds two tensors. Was that recorded?", "第 4 行把两个张量相加。这次加法有没有被记录？"),
        Text(
            "`w` needs a gradient, so there is a node in the graph. Whose?",
            "`w` 需要梯度，所以图里有一个节点。它产生了谁？",
        ),
    )
    yield (
        {"u", "t"} <= named,
        Text(
            "Does a leaf have to need a gradient? Look for further tensors that no node has made.",
            "叶子一定需要梯度吗？再找找还有哪些张量不是由节点产生的。",
        ),
        Text(
            "Look at `k.exp()`, computed from a constant, and at what `detach()` leaves behind.",
            "看看由常数算出的 `k.exp()`，再看看 `detach()` 得到的是什么。",
        ),
    )
    yield (
        "k" not in named,
        Text("`k` was a leaf. What does line 5 do to it?", "`k` 原来是叶子。第 5 行对它做了什么？"),
        Text("Which node has made the numbers that `k` now holds?", "`k` 现在的数值是由哪个节点产生的？"),
    )
    yield (
        named == {name for name in "wkuvt" if after.tensor(name).leaf},
        Text("Name only tensors of the program, in quotes.", "只写程序里的张量名，要加引号。"),
    )
    return Text(
        "`k` was a leaf as long as nobody wrote a gradient's history into it.",
        "在有历史的内容写进来之前，`k` 一直是叶子。",
    )


@exercise
def halved_leaf(halved: Any) -> Steps:
    after = halved.state(-1)
    yield (
        after.step.error is None,
        Text(
            "It is still refused. Is this write part of what should be differentiated?",
            "还是被拒绝。这次写入属于要求导的计算吗？",
        ),
        Text("Section 6 has a table: which of the three do you want?", "第 6 节有一张表：你想做的是三件事中的哪一件？"),
    )
    w = after.tensor("w")
    yield (
        w.leaf,
        Text("Which tensor has the name `w` now, and is it a leaf?", "现在名字 `w` 指向哪个张量？它是叶子吗？"),
        Text(
            "The gradient went on to the tensor of line 1, which has lost its name. `w` should be *that* one.",
            "梯度流到了第 1 行的那个张量，而它已经没有名字了。`w` 应当就是*它*。",
        ),
    )
    yield (
        w.grad is not None and visible_values(after, after.tensors[w.grad]) == (8, 4),
        Text(
            "The gradient should be 2 · 4 and 2 · 2. Which lines belong under `no_grad`, and which do not?",
            "梯度应当是 2 · 4 和 2 · 2。哪些行应该放在 `no_grad` 之下，哪些不该？",
        ),
    )
    first = halved.after_line(1).tensor("w")
    yield (
        w.storage == first.storage and w.id == first.id and first.needs_gradient,
        Text(
            "Is `w` the parameter that line 1 made, in its own storage?",
            "`w` 还是第 1 行创建的那个参数吗？还在它自己的存储里吗？",
        ),
    )
    return Text("A write outside of history: still a leaf.", "历史之外的写入：叶子还是叶子。")


@exercise
def own_optimiser(x: Any, path: Any) -> Steps:
    yield (
        x.is_leaf and not x.stop_gradient,
        Text(
            "Is `x` still the leaf that you began with? To which tensor does backward bring the gradient?",
            "`x` 还是一开始的那个叶子吗？反向传播把梯度交给了哪个张量？",
        ),
        Text("Overwrite `x` instead of giving the name to a new tensor.", "请改写 `x`，而不是让这个名字指向新的张量。"),
    )
    yield (
        max(path) > min(path),
        Text("`x` does not move. Which write is allowed on a leaf?", "`x` 没有动。对叶子来说，怎样写才允许？"),
        Text(
            "Write under `no_grad`; `subtract_` has an `alpha`.",
            "在 `no_grad` 之下写；`subtract_` 有一个参数 `alpha`。",
        ),
    )
    yield (
        path[1] < path[0],
        Text("At 2.4 the gradient is positive. Which way is down?", "在 2.4 处梯度是正的。哪边是下坡？"),
    )
    yield (
        len(path) > 2 and path[1] - path[2] < path[0] - path[1],
        Text(
            "The second step is longer than the first, though the slope is gentler there. What was in `x.grad` when the "
            "second `backward()` came by?",
            "坡变缓了，第二步却比第一步还长。第二次 `backward()` 到来时，`x.grad` 里是什么？",
        ),
        Text(
            "An accumulation node *adds* to what is there. Who clears it?",
            "累积节点是往已有的梯度上*加*。由谁来清零？",
        ),
    )
    yield (
        abs(math.sin(path[-1]) - 0.9) < 0.01,  # the exercise's own target
        Text("The end is not yet at the bottom. Is your learning rate 0.25?", "还没有走到谷底。学习率是 0.25 吗？"),
    )
    return Text(
        "The gradient is fetched from the leaf, the new value is written to the leaf, and nobody records it: that is an "
        "optimiser.",
        "从叶子取梯度，把新值写回叶子，而且不留历史：这就是优化器。",
    )
