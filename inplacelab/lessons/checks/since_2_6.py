"""The exercises of lesson 8."""

from __future__ import annotations

from typing import Any

from inplacelab.language import Text
from inplacelab.lessons.exercise import Steps, exercise

_KEPT = {"tanh_": "output", "neg_": "nothing", "square_": "input", "sqrt_": "output", "cos_": "input"}
_ABOUT = {
    "tanh_": Text(
        "`tanh_`: the derivative of y = tanh(x) is 1 − y². Which of the two does it ask for?",
        "`tanh_`：y = tanh(x) 的导数是 1 − y²。它要的是两者中的哪一个？",
    ),
    "neg_": Text("`neg_`: does the slope of −x depend on x?", "`neg_`：−x 的斜率与 x 有关吗？"),
    "square_": Text(
        "`square_`: the slope is 2·x. Can x be found from x² alone? Think of 3 and −3.",
        "`square_`：斜率是 2·x。只知道 x²，能知道 x 吗？想想 3 和 −3。",
    ),
    "sqrt_": Text(
        "`sqrt_`: the slope is 1 / (2·√x). What is √x?",
        "`sqrt_`：斜率是 1 / (2·√x)。√x 是什么？",
    ),
    "cos_": Text(
        "`cos_`: the slope is −sin(x). Does the cosine alone tell the sign of the sine?",
        "`cos_`：斜率是 −sin(x)。只知道余弦，能知道正弦的正负吗？",
    ),
}


@exercise
def what_is_kept(tanh_: Any, neg_: Any, square_: Any, sqrt_: Any, cos_: Any) -> Steps:
    answers = {"tanh_": tanh_, "neg_": neg_, "square_": square_, "sqrt_": sqrt_, "cos_": cos_}
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
        "The output suffices if the derivative can be written with it; otherwise a copy of the input is kept.",
        "导数能用输出写出来，保存输出就够了；否则要留输入的副本。",
    )


@exercise
def copies_and_bytes(copies: Any, mebibytes: Any) -> Steps:
    yield (
        copies != 0,
        Text(
            "Which of these derivatives depend on the number that is overwritten?", "这些导数里，哪些与被改写的数有关？"
        ),
    )
    yield (
        copies == 2,
        Text(
            "Go through the four calls: what does each one keep, and is it a copy?",
            "把四次调用逐个过一遍：各保存了什么？是副本吗？",
        ),
        Text("The exponential keeps its output, which is there anyway.", "指数函数保存的是输出，而输出本来就在那里。"),
    )
    yield (
        mebibytes == 16,
        Text(
            f"With {copies} copies, which tensors are there besides? Count `a` and `x`, too.",
            f"副本有 {copies} 份，此外还有哪些张量？`a` 和 `x` 也要算。",
        ),
    )
    return Text("`a`, `x` and two copies, of 4 MiB each.", "`a`、`x` 和两份副本，各 4 MiB。")


@exercise
def one_underscore_less(mine: Any, a: Any, b: Any) -> Steps:
    yield (
        mine.state(-1).step.error is None,
        Text(
            "It is still refused. Which node has kept something, and which line overwrites just that?",
            "还是被拒绝。哪个节点保存了东西？又是哪一行把它改写了？",
        ),
        Text(
            "The exponential keeps its result, whether it is in place or not.",
            "指数函数保存的是它的结果，不管是不是原地操作。",
        ),
    )
    yield (
        bool(abs(b.numpy() - [3.0, 8.154845]).max() < 1e-3),
        Text(
            f"`b` is {[round(v, 3) for v in b.tolist()]} now. Is that still three times the exponential of `a`?",
            f"现在 `b` 是 {[round(v, 3) for v in b.tolist()]}。它还是 `a` 的指数的三倍吗？",
        ),
    )
    written = [step.op for step in mine.steps if step.writes]
    yield (
        written == ["exp_"],
        Text(
            f"The in-place writes are {written or 'gone'} now. One of the two underscores may stay. Which?",
            f"现在的原地写入是 {written or '一个也没有'}。两个下划线里有一个可以留下，是哪一个？",
        ),
    )
    yield a.grad is not None, Text("`a` has got no gradient.", "`a` 没有得到梯度。")
    return Text(
        "`exp_` may overwrite its input; nobody may overwrite its output.",
        "`exp_` 可以改写它的输入；它的输出则谁也不能改写。",
    )
