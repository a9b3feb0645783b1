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
    error = mine.state(-1).step.error
    yield (
        error is None or error.type == "RuntimeError",
        Text(
            "It raises, but not because of a version: the last step of the picture says why.",
            "报错了，但与版本号无关：图的最后一步写着原因。",
        ),
    )
    yield (
        error is None,
        Text(
            "It is refused: at which version was the tensor saved, and which line of `forward` writes it?",
            "被拒绝了：张量是在哪个版本保存的？`forward` 的哪一行写了它？",
        ),
        Text(
            "What is saved and what is written is one storage. Does it have to be?",
            "保存的和覆盖的是同一个存储。非得这样吗？",
        ),
    )
    yield (
        after.tensor("h").id == after.tensor("y").id and np.allclose(visible_values(after, "h") or (), (1, -8, 27)),
        Text(
            "Is it still in place: is `y` the tensor `h`, and does it hold the cubes?",
            "还是原地操作吗：`y` 是不是 `h`，里面是不是立方？",
        ),
    )
    grad = after.tensor("a").grad
    yield (
        grad is not None and np.allclose(visible_values(after, after.tensors[grad]) or (), (3, 12, 27), rtol=1e-5),
        Text(
            "It runs, but the gradient of a³ is 3a²: 3, 12, 27. Which numbers did `backward` get: those before the write or after?",
            "能运行了，但 a³ 的梯度是 3a²，即 3、12、27。`backward` 拿到的是写入之前的数，还是之后的数？",
        ),
    )
    return Text(
        "A derivative that needs the overwritten input takes a copy of it.",
        "求导要用到被覆盖的输入，就得留一份副本。",
    )


@exercise
def squareplus(row: Any) -> Steps:
    x = paddle.to_tensor(_POINTS, dtype="float64")
    wanted = (np.array(_POINTS) + np.sqrt(np.array(_POINTS) ** 2 + 4)) / 2
    yield row.name == "squareplus", Text("The row should be called `squareplus`.", "这一行的名字应当是 `squareplus`。")
    yield (
        np.allclose(x.squareplus().numpy(), wanted),
        Text(
            "Look at the values of the ordinary form first: (x + sqrt(x² + 4)) / 2.",
            "先看普通形式的数值：(x + sqrt(x² + 4)) / 2。",
        ),
    )
    yield (
        np.allclose(x.clone().squareplus_().numpy(), wanted),
        Text(
            "The ordinary form is right, the in-place form is not. What is in `x` when `out` is `x`?",
            "普通形式是对的，原地形式不对。当 `out` 就是 `x` 时，`x` 里是什么？",
        ),
        Text("The kernel reads `x` again after it has written `out`.", "核函数在写了 `out` 之后又读了一次 `x`。"),
    )
    points = paddle.to_tensor(_POINTS, dtype="float64", stop_gradient=False)
    yield (
        gradcheck(lambda t: t.squareplus_(), points, raise_exception=False),
        Text(
            "Finite differences do not agree with the derivative. Compare yours with out² / (1 + out²), factor by factor.",
            "有限差分与导数不符。请把它与 out² / (1 + out²) 逐个因子对照。",
        ),
    )
    yield (
        row.keeps() == ("out",),
        Text(
            "It is right, but it keeps a copy of what it overwrites. Which parameters does the derivative have?",
            "结果对了，但要为被覆盖的内容留副本。导数有哪些参数？",
        ),
        Text(
            "The result alone gives the slope: out² / (1 + out²).",
            "斜率只用结果就能写出来：out² / (1 + out²)。",
        ),
    )
    return Text("In place, differentiable, and nothing is copied.", "原地、可导，而且什么也不复制。")


@exercise
def cubed_by_result(row: Any) -> Steps:
    x = paddle.to_tensor(_POINTS, dtype="float64")
    wanted = np.array(_POINTS) ** 3
    yield row.name == "cubed", Text("The row should be called `cubed`.", "这一行的名字应当是 `cubed`。")
    yield (
        np.allclose(x.cubed().numpy(), wanted) and np.allclose(x.clone().cubed_().numpy(), wanted),
        Text("Look at the values of both forms first: are they x³?", "先看两种形式的数值：是 x³ 吗？"),
    )
    yield (
        row.keeps() == ("out",),
        Text(
            "Only the result may be kept. Which parameters does the derivative have?",
            "只许保存结果。导数有哪些参数？",
        ),
        Text("If out = x³, what is |x|?", "如果 out = x³，那么 |x| 是多少？"),
    )
    points = paddle.to_tensor(_POINTS, dtype="float64", stop_gradient=False)
    x.stop_gradient = False
    x.cubed().sum().backward()
    yield (
        x.grad is not None and not np.isnan(x.grad.numpy()).any(),
        Text(
            "For negative numbers the slope is not a number. What is a fractional power of −8?",
            "对负数，斜率不是一个数（NaN）。−8 的分数次幂是什么？",
        ),
        Text("The slope 3x² does not depend on the sign of x.", "斜率 3x² 与 x 的符号无关。"),
    )
    yield (
        gradcheck(lambda t: t.cubed_(), points, raise_exception=False),
        Text(
            "Finite differences do not agree. The slope is 3x²: which power of |out| is x²?",
            "与有限差分不符。斜率是 3x²：x² 是 |out| 的几次幂？",
        ),
    )
    return Text(
        "The result holds what the derivative needs: nothing is copied.", "结果里就有导数要用的东西：什么也不必复制。"
    )
