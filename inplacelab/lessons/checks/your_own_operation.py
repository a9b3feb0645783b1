"""The exercises of lesson 12."""

from __future__ import annotations

from typing import Any

import numpy as np

import inplacelab as paddle
from inplacelab.autograd import gradcheck
from inplacelab.language import Text
from inplacelab.lessons.exercise import Steps, exercise
from inplacelab.recording.queries import visible_values
from inplacelab.recording.recording import Recording

_POINTS = (-2.0, -0.5, 0.75, 3.0)


@exercise
def cubed(mine: Recording) -> Steps:
    after = mine.state(-1)
    yield (
        not any(step.error for step in mine.steps),
        Text(
            "It is refused: at which version was the tensor saved, and which line of `forward` writes it?",
            "被拒绝了：张量是在哪个版本保存的？`forward` 的哪一行写了它？",
        ),
        Text(
            "What is saved and what is written is one storage. Must it be?", "保存的和改写的是同一块存储。非得这样吗？"
        ),
    )
    yield (
        after.tensor("h").id == after.tensor("y").id and visible_values(after, "h") == (1, -8, 27),
        Text(
            "Is it still in place: is `y` the tensor `h`, and does it hold the cubes?",
            "还是原地操作吗：`y` 是不是 `h`，里面是不是立方？",
        ),
    )
    grad = after.tensor("a").grad
    yield (
        grad is not None and visible_values(after, after.tensors[grad]) == (3, 12, 27),
        Text(
            "It runs, but the gradient of a³ is 3a²: 3, 12, 27. Which numbers did `backward` get: those before the write or after?",
            "能运行了，但 a³ 的梯度是 3a²，即 3、12、27。`backward` 拿到的是写入之前的数，还是之后的数？",
        ),
    )
    return Text(
        "A rule that needs the overwritten input has to pay for a copy of it.",
        "求导要用到被改写的输入，就得付出一份副本。",
    )


@exercise
def squareplus(row: Any) -> Steps:
    x = paddle.to_tensor(_POINTS, dtype="float64")
    wanted = (np.array(_POINTS) + np.sqrt(np.array(_POINTS) ** 2 + 4)) / 2
    yield row.name == "squareplus", Text("The row should be called `squareplus`.", "这一行的名字应当是 `squareplus`。")
    yield (
        np.allclose(x.squareplus().numpy(), wanted),
        Text(
            "Look at the values of the ordinary variant first: (x + sqrt(x² + 4)) / 2.",
            "先看普通形式的数值：(x + sqrt(x² + 4)) / 2。",
        ),
    )
    yield (
        np.allclose(x.clone().squareplus_().numpy(), wanted),
        Text(
            "Ordinary it is right, in place it is not. What is `x` when `out` is `x`?",
            "普通形式是对的，原地形式不对。当 `out` 就是 `x` 时，`x` 里是什么？",
        ),
        Text("The kernel reads `x` once more after it has written `out`.", "内核在写了 `out` 之后又读了一次 `x`。"),
    )
    points = paddle.to_tensor(_POINTS, dtype="float64", stop_gradient=False)
    yield (
        gradcheck(lambda t: t.squareplus_(), points, raise_exception=False),
        Text(
            "The finite differences do not agree with the rule. Which power of `out` stands where?",
            "有限差分与求导规则不符。`out` 的哪个幂应当在哪里？",
        ),
    )
    yield (
        row.keeps() == ("out",),
        Text(
            "It is right, and keeps a copy of what it overwrites. Which names does the rule ask for?",
            "结果对了，但要为被改写的内容留副本。求导规则的参数写了哪些名字？",
        ),
        Text(
            "The slope can be said by the result alone: out² / (1 + out²).",
            "斜率只用结果就能写出来：out² / (1 + out²)。",
        ),
    )
    return Text("In place, differentiable, and nothing is copied.", "原地、可导，而且什么也不复制。")
