"""The exercises of lesson 18."""

from __future__ import annotations

from typing import Any

import numpy as np

import inplacelab as paddle
from inplacelab.language import Text
from inplacelab.lessons.checks.shared import are_known, as_names
from inplacelab.lessons.exercise import Steps, exercise

_KEEP_THEIR_RESULT = {"exp": "out", "tanh": "1 - out ** 2", "sigmoid": "out * (1 - out)"}
"""Operations before an in-place layer that are refused, with their derivatives."""
_DO_NOT = {"scale", "add", "matmul"}


@exercise
def collectives_of_a_network(in_forward: Any, in_backward: Any) -> Steps:
    yield (
        in_forward == 6,
        Text(
            "How many does one layer perform in a forward pass? And how many layers are there?",
            "一层在一次前向计算中做几次集合通信？一共有几层？",
        ),
        Text(
            "Two for each layer: one for the sums, and one for the squared distances from the mean.",
            "每层两次：求总和一次，求各数与均值之差的平方和一次。",
        ),
    )
    yield (
        in_backward == 3,
        Text(
            "How many does the one layer of section 2 perform in the backward pass? And how many layers are there here?",
            "第 2 节的那一层在反向传播中做几次集合通信？这里有几层？",
        ),
        Text("One for each layer.", "每层一次。"),
    )
    return Text("For each layer, two in forward and one in backward.", "每层在前向计算中做两次，在反向传播中做一次。")


@exercise
def allowed_before(allowed: Any) -> Steps:
    found = as_names(allowed)
    yield are_known(found, _DO_NOT | _KEEP_THEIR_RESULT.keys())
    wrong = next((name for name in _KEEP_THEIR_RESULT if name in found), "exp")
    yield (
        wrong not in found,
        Text(
            "At least one of those that you list has a derivative that needs its result. Which?",
            "你列出的操作中，有的导数需要用到自己的结果。是哪些？",
        ),
        Text(
            f"If `out` is the result of `{wrong}`, the derivative is `{_KEEP_THEIR_RESULT[wrong]}`.",
            f"如果 `{wrong}` 的结果是 `out`，导数就是 `{_KEEP_THEIR_RESULT[wrong]}`。",
        ),
    )
    yield (
        found == _DO_NOT,
        Text(
            "One or more are missing. Which operations keep only their operands, or nothing?",
            "还有遗漏。哪些操作只保存操作数，或者什么也不保存？",
        ),
        Text("Three of the six are allowed.", "六个操作中有三个可以用。"),
    )
    return Text(
        "`scale` and `add` keep nothing, `matmul` its operands.", "`scale` 和 `add` 什么也不保存，`matmul` 保存操作数。"
    )


@exercise
def gradient_from_the_result(gradient: Any) -> Steps:
    g, x = _numbers((6, 2)), _numbers((6, 2))[::-1] * 3 + 5
    deviation = x.std(0)
    y = (x - x.mean(0)) / deviation
    found = gradient(*(paddle.to_tensor(each.copy()) for each in (g, y, deviation)))
    yield (
        found is not ... and found is not None,
        Text(
            "Write the gradient in place of `...`. Begin with the direct way: y = (x - mean) / deviation, as if mean and deviation were constants.",
            "请把 `...` 换成梯度。先写直接影响的那一部分：y = (x - 均值) / deviation，把均值和标准差都当作常数。",
        ),
    )
    found = np.asarray(found.numpy() if isinstance(found, paddle.Tensor) else found, dtype="float64")
    wanted = (g - g.mean(0) - y * (g * y).mean(0)) / deviation
    yield (
        found.shape == wanted.shape,
        Text(
            f"The gradient of `x` has the shape of `x`, {list(wanted.shape)}. Yours: {list(found.shape)}.",
            f"`x` 的梯度与 `x` 形状相同，是 {list(wanted.shape)}；你的是 {list(found.shape)}。",
        ),
    )
    yield (
        not np.allclose(found, g / deviation),
        Text(
            "That is the direct way only. If all numbers of a column grow by 1, `y` stays the same: what must the gradients of the column sum to?",
            "这只是直接影响的那一部分。如果一列的数都加 1，`y` 不变：这一列的梯度之和应当是多少？",
        ),
    )
    factor = (found * wanted).sum(0) / (wanted * wanted).sum(0)
    yield (
        np.allclose(factor, 1) or not np.allclose(found, wanted * factor),
        Text(
            "The factor is not right: by how much does `y` grow if `x` grows?",
            "因子不对：`x` 增大一点时，`y` 会增大多少？",
        ),
    )
    yield (
        np.allclose(found.sum(0), 0, atol=1e-9),
        Text(
            "If all numbers of a column grow by 1, `y` stays the same. So the gradients of a column must sum to 0. Yours do not.",
            "如果一列的数都加 1，`y` 不变，所以每一列的梯度之和应当是 0，而你的结果不是 0。",
        ),
        Text("Subtract the mean of `g`, column by column.", "逐列减去 `g` 的均值。"),
    )
    yield (
        np.allclose(found, wanted),
        Text(
            "The sums are right. If a column is stretched about its mean, `y` stays the same, too: what must the sum of gradient times `y` be?",
            "梯度之和对了。如果把一列的数以均值为中心拉开，`y` 也不变：那么梯度与 `y` 的乘积之和应当是多少？",
        ),
        Text(
            "Subtract a multiple of `y`. Which one makes that sum 0?",
            "还要减去 `y` 的某个倍数。哪个倍数能让这个和等于 0？",
        ),
    )
    return Text(
        "Neither `x` nor the mean occurs in it: the result and one number for each column are enough.",
        "式子里既没有 `x`，也没有均值：有了结果，以及每列的一个数，就足够了。",
    )


def _numbers(shape: tuple[int, ...]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Numbers without a pattern, the same in every run."""
    return np.random.default_rng(18).normal(size=shape)
