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
def cubed(mine: Recording, Cube_: Any) -> Steps:  # noqa: N803  # the learner's class
    after = mine.state(-1)
    error = mine.state(-1).step.error
    yield (
        error is None or error.type == "RuntimeError",
        Text(
            "It raises, but not because of a version. The last step of the picture says why.",
            "报错了，但与版本号无关。图的最后一步写明了原因。",
        ),
    )
    yield (
        error is None or "modified by an inplace operation" in error.message,
        Text(
            "`forward` has overwritten its input, but returned another tensor. Which tensor must an in-place operation return?",
            "`forward` 覆盖了输入，返回的却是另一个张量。原地操作应当返回哪个张量？",
        ),
    )
    yield (
        error is None,
        Text(
            "It is refused. At which version was the tensor saved, and which line of `forward` writes it?",
            "被拒绝了。张量是在哪个版本保存的？`forward` 的哪一行写了它？",
        ),
        Text(
            "The saved tensor and the overwritten tensor share a storage. Do they have to?",
            "保存的张量与被覆盖的张量共享一个存储。一定要这样吗？",
        ),
    )
    yield (
        after.tensor("h").id == after.tensor("y").id and np.allclose(visible_values(after, "h") or (), (1, -8, 27)),
        Text(
            "Is the operation still in-place? Is `y` the same object as `h`, and does it hold the cubes?",
            "它还是原地操作吗？`y` 和 `h` 是不是同一个对象？其中的数是不是立方？",
        ),
    )
    grad = after.tensor("a").grad
    found = () if grad is None else visible_values(after, after.tensors[grad]) or ()
    yield (
        not np.isnan(found).any(),
        Text(
            "The gradient contains NaN (not a number). What is a fractional power of −8?",
            "梯度里有 NaN（不是数）。−8 的分数次幂是什么？",
        ),
    )
    yield (
        np.allclose(found, (3, 12, 27), rtol=1e-5),
        Text(
            "It runs, but the gradient of a³ is 3a²: 3, 12, 27. Which numbers did `backward` get, those before the write or after, and does its formula fit them?",
            "能运行了，但 a³ 的梯度是 3a²，即 3、12、27。`backward` 拿到的是写入之前的数，还是之后的数？它的公式适合这些数吗？",
        ),
    )
    x = paddle.to_tensor([2.0], stop_gradient=False)
    (Cube_.apply(x * 1) * 5.0).sum().backward()
    yield (
        np.allclose(x.grad.numpy(), 60),
        Text(
            "It is right here, where `g` is 1. What must `backward` return if `g` is 5?",
            "这里的 `g` 是 1，所以结果对了。如果 `g` 是 5，`backward` 应当返回什么？",
        ),
    )
    return Text(
        "In place, the input is gone after the write. So save a copy of it, or something computed from it, before the write; or compute the derivative from the result.",
        "原地写入之后，输入就没有了。所以，可以在写入之前保存它的副本或由它算出的值，也可以由结果来算导数。",
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
        Text(
            "The kernel must write its result into the array `out`; what it returns is ignored.",
            "核函数必须把结果写进数组 `out`，它的返回值不起作用。",
        ),
    )
    yield (
        np.allclose(x.clone().squareplus_().numpy(), wanted),
        Text(
            "The ordinary form is right, but the in-place form is not. If `out` is `x`, what does `x` hold after each step of the kernel?",
            "普通形式是对的，原地形式不对。如果 `out` 就是 `x`，那么核函数每执行一步，`x` 里是什么？",
        ),
        Text("The kernel reads `x` again after it has written `out`.", "核函数在写了 `out` 之后又读了一次 `x`。"),
    )
    points = paddle.to_tensor(_POINTS, dtype="float64", stop_gradient=False)
    yield (
        gradcheck(lambda t: t.squareplus_(), points, raise_exception=False),
        Text(
            "Finite differences do not agree with the derivative. Compare what yours returns with g · out² / (1 + out²), factor by factor.",
            "有限差分与导数不符。请把它返回的值与 g · out² / (1 + out²) 逐个因子对照。",
        ),
    )
    yield (
        row.keeps() == ("out",),
        Text(
            "It is right, but it keeps a copy of what it overwrites. Which parameters does the derivative have?",
            "结果对了，但还为被覆盖的值保存了副本。导数有哪些参数？",
        ),
        Text(
            "The derivative can be computed from the result alone: out² / (1 + out²).",
            "导数只用结果就能算出来：out² / (1 + out²)。",
        ),
    )
    return Text(
        "The operation works in place, can be differentiated, and copies nothing.",
        "这个操作可以原地进行，可以求导，而且不复制任何数据。",
    )


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
            "For negative numbers the derivative is NaN (not a number). What is a fractional power of −8?",
            "对负数，导数是 NaN（不是数）。−8 的分数次幂是什么？",
        ),
        Text("The derivative 3x² does not depend on the sign of x.", "导数 3x² 与 x 的符号无关。"),
    )
    yield (
        gradcheck(lambda t: t.cubed_(), points, raise_exception=False),
        Text(
            "Finite differences do not agree with the derivative. It should return g · 3x². Which power of |out| is x²?",
            "有限差分与导数不符。它应当返回 g · 3x²。x² 是 |out| 的几次幂？",
        ),
    )
    return Text(
        "The derivative can be computed from the result, so nothing is copied.",
        "导数可以由结果算出，所以什么也不必复制。",
    )
