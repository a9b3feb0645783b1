"""The exercises of lesson 7."""

from __future__ import annotations

from itertools import takewhile
from typing import Any

from inplacelab.language import Text
from inplacelab.lessons.exercise import Steps, exercise
from inplacelab.recording.facts import Step
from inplacelab.recording.queries import kept_by
from inplacelab.recording.recording import State

_BYTES = 32
"""What the program of the third exercise needs before backward: `a`, `b`, `c` and the ones, of 8 bytes each."""


@exercise
def may_be_overwritten(chain: Any, safe: Any) -> Steps:
    names, after = {"b", "c", "d", "e"}, chain.state(-1)
    kept = {saved.storage for node in after.nodes for saved in kept_by(after, node)}
    needed = {name for name in names if after.tensor(name).storage in kept}
    yield (
        set(safe) <= names,
        Text("Write names as text: `b`, `c`, `d` or `e`, in quotes.", "请用带引号的名字：`b`、`c`、`d` 或 `e`。"),
    )
    yield (
        not needed & set(safe),
        Text(
            "One of yours is kept by a node. Which node does its line make, and what is that derivative?",
            "你选的当中有一个被某个节点保存着。它那一行产生了哪个节点？那个导数是什么？",
        ),
        Text(
            "The derivative of the exponential is its result; that of the sine is the cosine of its input.",
            "指数函数的导数是它的结果；正弦的导数是输入的余弦。",
        ),
    )
    yield (
        set(safe) == names - needed,
        Text(
            "All of yours may be overwritten, but there are more. Who keeps a tensor that is only multiplied by a number?",
            "你选的都可以改写，但还有别的。只是乘了一个数的张量，有谁保存它吗？",
        ),
        Text(
            "Look at the grad nodes in the picture: each says what it keeps.",
            "看图里的梯度节点：每个都写着保存了什么。",
        ),
    )
    return Text(
        "Only `c` is needed, and twice: as the output of the exponential and as the input of the sine.",
        "只有 `c` 是需要的，而且用到两次：既是指数函数的输出，又是正弦的输入。",
    )


@exercise
def versions_counted(x_version: Any, top_version: Any, copy_version: Any) -> Steps:
    yield (
        copy_version == 1,
        Text(
            "`copy` has a storage of its own. Which lines write to that one?",
            "`copy` 有自己的存储。哪些行写了那块存储？",
        ),
    )
    yield (
        top_version == 2,
        Text(
            "`top` counts on the counter of the first storage. Which lines write to it, under any name?",
            "`top` 用的是第一块存储的计数器。哪些行写了它？不管是通过哪个名字。",
        ),
    )
    yield (
        x_version == 0,
        Text(
            "Which tensor does the name `x` stand for after the last line?", "最后一行之后，名字 `x` 指的是哪个张量？"
        ),
        Text("`x = x + copy` is an ordinary operation.", "`x = x + copy` 是普通操作。"),
    )
    return Text(
        "`x` is a new tensor on a new storage; `top` still looks at the old one.",
        "`x` 是新存储上的新张量；`top` 看的仍是旧的那块。",
    )


@exercise
def fixed_for_nothing(mine: Any, a: Any, b: Any, c: Any) -> Steps:
    yield (
        mine.state(-1).step.error is None,
        Text(
            "It still raises. At which line, and who has needed what there?",
            "还是报错。在哪一行？那里是谁需要什么？",
        ),
        Text("After which line does nobody need the old `b` any more?", "从哪一行以后，就没有谁再需要旧的 `b` 了？"),
    )
    written = [step.op for step in mine.steps if step.writes]
    yield (
        written == ["add_"],
        Text(
            f"The in-place writes are now {written or 'gone'}; `add_` should be the only one.",
            f"现在的原地写入是 {written or '一个也没有'}；应当只有 `add_`。",
        ),
    )
    yield (
        c.tolist() == [4, 16],
        Text(
            f"`c` is {c.tolist()} now: another function. What did the program calculate before?",
            f"现在 `c` 是 {c.tolist()}：函数变了。原来的程序算的是什么？",
        ),
    )
    yield b.tolist() == [3, 5], Text("`b` is to end as [3, 5].", "`b` 最后应为 [3, 5]。")
    yield (
        a.grad is not None and a.grad.tolist() == [8, 16],
        Text("The gradient should be 8·a.", "梯度应当是 8·a。"),
    )
    yield (
        max(_bytes(mine.state(step.index)) for step in takewhile(_is_forward, mine.steps)) <= _BYTES,
        Text("It runs and is right, but a copy was paid for.", "能运行，也正确，但多付了一份副本。"),
        Text("Which of the four ways is free?", "四种改法里，哪一种不花钱？"),
    )
    return Text("First let backward use the number, then overwrite it.", "先让反向传播用完这个数，再改写它。")


def _is_forward(step: Step) -> bool:
    return step.phase == "forward"


def _bytes(state: State) -> int:
    return sum(storage.bytes for storage in state.storages.values())
