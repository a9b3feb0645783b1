"""The exercises of the lesson on what an in-place operation keeps."""

from __future__ import annotations

import math
from itertools import takewhile
from typing import Any

from inplacelab.language import Text
from inplacelab.lessons.exercise import Steps, exercise
from inplacelab.recording.queries import visible_values
from inplacelab.recording.recording import Recording, State

_KEPT = {"tanh_": "output", "neg_": "nothing", "square_": "input", "sqrt_": "output", "cos_": "input"}
_ABOUT = {
    "tanh_": Text(
        "`tanh_`: the derivative of y = tanh(x) is 1 − y². Which of x and y does it need?",
        "`tanh_`：y = tanh(x) 的导数是 1 − y²。它需要的是 x 还是 y？",
    ),
    "neg_": Text("`neg_`: does the derivative of −x depend on x?", "`neg_`：−x 的导数与 x 有关吗？"),
    "square_": Text(
        "`square_`: the derivative is 2·x. Can x be found from x² alone? Think of 3 and −3.",
        "`square_`：导数是 2·x。只知道 x²，能求出 x 吗？请想一想 3 和 −3。",
    ),
    "sqrt_": Text(
        "`sqrt_`: the derivative is 1 / (2·√x). Is √x the input or the output?",
        "`sqrt_`：导数是 1 / (2·√x)。√x 是输入还是输出？",
    ),
    "cos_": Text(
        "`cos_`: the derivative is −sin(x). If you know only the cosine, do you know the sign of the sine?",
        "`cos_`：导数是 −sin(x)。只知道余弦，能知道正弦的正负吗？",
    ),
}


@exercise
def what_is_kept(tanh_: Any, neg_: Any, square_: Any, sqrt_: Any, cos_: Any) -> Steps:
    given = {"tanh_": tanh_, "neg_": neg_, "square_": square_, "sqrt_": sqrt_, "cos_": cos_}
    answers = {name: answer.strip().lower() if isinstance(answer, str) else answer for name, answer in given.items()}
    known = {"nothing", "input", "output"}
    yield (
        set(answers.values()) <= known,
        Text(
            'Each answer is one of "nothing", "input" and "output".',
            '每个答案是 "nothing"、"input"、"output" 之一。',
        ),
    )
    for name, wanted in _KEPT.items():
        yield answers[name] == wanted, _ABOUT[name]
    return Text(
        "For these five: if the derivative depends on no number, nothing is kept; if it can be computed from the output, the output is kept; "
        "otherwise, a copy of the input is kept.",
        "就这五个操作来说，如果导数与数值无关，就什么也不保存；如果导数能由输出算出，就保存输出；否则就要保存输入的副本。",
    )


@exercise
def copies_and_bytes(copies: Any, mebibytes: Any) -> Steps:
    yield (
        copies != 0,
        Text(
            "Which of these derivatives can be computed only from the number that is overwritten?",
            "在这四次操作中，哪些操作的导数只能由被覆盖的数算出？",
        ),
    )
    yield (
        copies != 1,
        Text(
            "Line 4 overwrites `x`, not the copy that line 2 made. Can it use that copy for its own derivative?",
            "第 4 行覆盖的是 `x`，而不是第 2 行保存的副本。求第 4 行的导数时，能用那份副本吗？",
        ),
    )
    yield (
        copies == 2,
        Text(
            "Go through the four calls. What does each one keep, and is that a copy?",
            "请逐个看这四次调用：它们各保存了什么？保存的是副本吗？",
        ),
        Text(
            "`exp_` keeps its output, which is in the storage of `x` anyway.",
            "`exp_` 保存的是输出，而输出本来就在 `x` 的存储里。",
        ),
    )
    yield (
        mebibytes == 16,
        Text(
            f"There are {copies} copies. Which tensors are there besides? Count `a` and `x`, too.",
            f"副本有 {copies} 份。此外还有哪些张量？别忘了 `a` 和 `x`。",
        ),
    )
    return Text("`a`, `x` and two copies, of 4 MiB each.", "一共有 `a`、`x` 和两份副本，各占 4 MiB。")


@exercise
def one_underscore_less(mine: Recording, a: Any, b: Any) -> Steps:
    yield from _runs(mine.state(-1))
    yield (
        bool(abs(b.numpy() - [3.0, 3 * math.e]).max() < 1e-3),
        Text(
            f"`b` is {[round(v, 3) for v in b.tolist()]} now. Is that still three times the exponential of `a`?",
            f"现在 `b` 是 {[round(v, 3) for v in b.tolist()]}。它还是 3·exp(a) 吗？",
        ),
    )
    written = [str(step.op) for step in mine.steps if step.writes]
    yield (
        written == ["exp_"],
        Text(
            f"The in-place writes are now: {', '.join(written) or 'none'}. One of the two underscores may stay. Which?",
            f"现在的原地写入：{'、'.join(written) or '没有'}。两个下划线中，有一个可以保留。是哪一个？",
        ),
    )
    yield a.grad is not None, Text("`a` has no gradient: keep the last line.", "`a` 没有梯度：请保留最后一行。")
    yield (
        bool(abs(a.grad.numpy() - [3.0, 3 * math.e]).max() < 1e-3),
        Text("The gradient should be the same as `b`.", "梯度应当与 `b` 相同。"),
    )
    return Text(
        "`exp_` may overwrite its input, but nothing may overwrite its output.",
        "`exp_` 可以覆盖它的输入，但它的输出不能再被覆盖。",
    )


@exercise
def both_underscores(both: Recording) -> Steps:
    after = both.state(-1)
    yield from _runs(after)
    wanted = [3 * math.exp(value) for value in range(6)]
    yield (
        _close(visible_values(after, "b"), wanted),
        Text("`b` is not three times the exponential of `a`.", "`b` 不是 3·exp(a)。"),
        Text(
            "3·exp(a) is the exponential of another number. Of which one?",
            "3·exp(a) 等于 exp 在另一个数处的值。是哪个数？",
        ),
    )
    number = after.tensor("a").grad
    grad = None if number is None else after.tensors.get(number)
    yield (
        grad is not None and _close(visible_values(after, grad), wanted),
        Text(
            "The derivative of 3·exp(a) is 3·exp(a). What is `a.grad`?",
            "3·exp(a) 的导数还是 3·exp(a)。`a.grad` 是什么？",
        ),
    )
    forward = [step.peak for step in takewhile(lambda step: step.phase == "forward", both.steps)]
    yield (
        max(forward) <= _TWO_TENSORS and any(step.writes for step in both.steps),
        Text(
            "It runs and is right. But some line makes another tensor of that size, a result or a copy, even if only for a moment. Which line?",
            "能运行，结果也正确。但有一行另外新建了一个同样大小的张量（结果或副本），虽然它可能只存在一瞬间。是哪一行？",
        ),
        Text(
            "`exp_` must be the last write, so the factor 3 must be in `b` before it. exp(x + c) is exp(x) times what?",
            "`exp_` 必须是最后一次写入，所以要先把系数 3 放进 `b`。exp(x + c) 等于 exp(x) 乘以多少？",
        ),
    )
    return Text(
        "3·exp(a) = exp(a + log 3). The addition keeps nothing, and nothing is written after `exp_`.",
        "3·exp(a) = exp(a + log 3)。加法什么也不保存，而 `exp_` 之后没有再写入。",
    )


_TWO_TENSORS = 2 * 6 * 4 + 16
"""Bytes of `a` and `b` in the last exercise, and of a few numbers."""


def _close(values: Any, wanted: list[float]) -> bool:
    return len(values) == len(wanted) and all(
        math.isclose(one, other, rel_tol=1e-4) for one, other in zip(values, wanted, strict=True)
    )


def _runs(after: State) -> Steps:
    error = after.step.error
    message = error.message if error else ""
    yield (
        "used in gradient computation has been modified" not in message,
        Text(
            "`backward()` is still refused. Which node keeps a tensor, and which line overwrites that tensor?",
            "`backward()` 还是被拒绝。哪个节点保存了张量？哪一行覆盖了这个张量？",
        ),
        Text(
            "The exponential keeps its output, in place or not.",
            "无论是不是原地操作，指数函数保存的都是它的输出。",
        ),
    )
    yield (
        error is None,
        Text("It raises, but for another reason now. Read the error.", "仍然报错，但原因不同了。请看报错信息。"),
    )
    return None
