"""The exercises of the lesson on leaves."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

from inplacelab.language import Text
from inplacelab.lessons.checks.shared import as_names, names_in
from inplacelab.lessons.exercise import Steps, exercise
from inplacelab.recording.queries import visible_values, who_raised
from inplacelab.recording.recording import Recording, State

_RATE = 0.25
_START = 2.4
_TWO_THINGS = Text(
    "inplacelab asks two things about the tensor that is written: is it a leaf, and does it require a gradient? "
    "Can there be another tensor on the same storage?",
    "对被写的张量，inplacelab 只检查两点：它是不是叶子张量，需不需要梯度。同一个存储上，还可以有别的张量吗？",
)


@exercise
def leaves_at_the_end(chain: Recording, leaves: Any) -> Steps:
    after, named = chain.state(-1), as_names(leaves)
    yield (
        named <= set("wkuvt"),
        Text("Write names of tensors of the program, in quotes.", "请写程序里张量的名字，要加引号。"),
    )
    yield "w" in named, Text("Which operation made `w`?", "`w` 是由哪个操作产生的？")
    yield (
        "v" not in named,
        Text("Line 4 adds two tensors. Did that make a grad node?", "第 4 行把两个张量相加。这次加法有没有记入历史？"),
        Text(
            "`w` requires a gradient, so line 4 made a grad node. For which tensor?",
            "`w` 需要梯度，所以第 4 行创建了一个梯度节点。它属于哪个张量？",
        ),
    )
    yield (
        {"u", "t"} <= named,
        Text(
            "Must a leaf require a gradient? Look for more tensors without a grad node.",
            "叶子张量一定需要梯度吗？再找一找，还有哪些张量没有梯度节点。",
        ),
        Text(
            "Look at `k.exp()`, computed from a constant, and at what `detach()` leaves behind.",
            "请看由常数算出的 `k.exp()`，再看 `detach()` 的结果。",
        ),
    )
    yield (
        "k" not in named,
        Text("`k` was a leaf. What does line 5 do to it?", "`k` 原来是叶子张量。第 5 行对它做了什么？"),
        Text(
            "Which operation computed the numbers that `k` now shows, and did it get a grad node?",
            "`k` 现在显示的数是由哪个操作算出的？这个操作有没有梯度节点？",
        ),
    )
    yield (
        named == {name for name in "wkuvt" if after.tensor(name).leaf},
        Text("Keep the program.", "请保留原来的程序。"),
    )
    return Text(
        "`k` was a leaf until an operation with a grad node wrote to it.",
        "在一个有梯度节点的操作写入 `k` 之前，`k` 一直是叶子张量。",
    )


@exercise
def halved_leaf(halved: Recording) -> Steps:
    after = halved.state(-1)
    yield from _runs(
        halved,
        "w",
        Text(
            "Section 5 has a table: which of the three do you want?", "第 5 节有一张表：你要做的是其中三件事的哪一件？"
        ),
    )
    yield from _starts_with(halved, "w", (8, 4))
    yield (
        after.tensor("w").leaf,
        Text("Which tensor has the name `w` now, and is it a leaf?", "现在名字 `w` 指向哪个张量？它是叶子张量吗？"),
        Text(
            "The gradient went to the tensor of line 1, which has lost its name. `w` should be *that* one.",
            "梯度传给了第 1 行的那个张量，而它已经没有名字了。`w` 应当就是*这个*张量。",
        ),
    )
    yield from _is_still_the_parameter(halved, "w")
    yield (
        visible_values(after, "w") == (4, 2),
        Text("`w` should be half of [8, 4]. Which line halves it?", "`w` 应当是 [8, 4] 的一半。是哪一行把它减半的？"),
    )
    yield from _has_gradient(after, "w", (8, 4))
    return Text(
        "This write has no grad node, so the leaf stays a leaf.",
        "这次写入没有梯度节点，所以叶子张量还是叶子张量。",
    )


@exercise
def own_optimizer(x: Any, path: Any) -> Steps:
    yield (
        x.is_leaf and not x.stop_gradient,
        Text(
            "Is `x` still the leaf that you began with? Which tensor gets the gradient?",
            "`x` 还是一开始的那个叶子张量吗？反向传播把梯度传给了哪个张量？",
        ),
        Text(
            "Overwrite `x` instead of giving the name to a new tensor.",
            "请覆盖 `x` 的内容，而不是让这个名字指向新的张量。",
        ),
    )
    yield (
        len(path) == 31,
        Text(
            "The loop did not run thirty times. Which line stopped it?",
            "循环没有走完三十轮。是哪一行让它停下的？",
        ),
        Text(
            "A leaf that requires a gradient was written: `x`, or `x.grad`. Where is that allowed?",
            "你写入了需要梯度的叶子张量：`x` 或者 `x.grad`。这样的写入要放在哪里才允许？",
        ),
    )
    yield (
        max(path) > min(path) or x.inplace_version == 0,
        Text(
            "You wrote to `x`, but it does not move. What was in `x.grad` at that moment?",
            "你写入了 `x`，但它没有变。写入的时候，`x.grad` 里是什么？",
        ),
    )
    yield (
        max(path) > min(path),
        Text("`x` does not move. Which write to a leaf is allowed?", "`x` 没有变。怎样写入叶子张量才是允许的？"),
        Text(
            "Write under `no_grad`; `subtract_` has an `alpha`.",
            "请在 `no_grad` 下写入；`subtract_` 有一个参数 `alpha`。",
        ),
    )
    yield (
        path[1] < path[0],
        Text("At 2.4 the gradient is positive. Which way is down?", "在 2.4 处，梯度是正的。哪个方向是下坡？"),
    )
    yield (
        math.isclose(path[0], _START, rel_tol=1e-6)
        and math.isclose(path[1], _START - _RATE * _slope(_START), rel_tol=1e-5),
        Text(
            "The length of the first step is not 0.25 times the gradient. Which learning rate do you use?",
            "第一步的长度不是梯度的 0.25 倍。你用的学习率是多少？",
        ),
    )
    yield (
        math.isclose(path[2], path[1] - _RATE * _slope(path[1]), rel_tol=1e-5),
        Text(
            "The second step is too long. What was in `x.grad` when the second `backward()` began?",
            "第二步太长了。第二次 `backward()` 开始时，`x.grad` 里是什么？",
        ),
        Text(
            "An accumulation node *adds* to the gradient that is there. Which line clears it?",
            "累积节点把新的梯度*加*到已有的梯度上。哪一行负责清零？",
        ),
    )
    yield (
        all(math.isclose(then, now - _RATE * _slope(now), rel_tol=1e-4) for now, then in pairwise(path)),
        Text("A later step is not 0.25 times the gradient. Which?", "后面有一步的长度不是梯度的 0.25 倍。是哪一步？"),
    )
    if x.inplace_version == 0:
        return Text(
            "It arrives. But you made a new leaf in every round and wrote to none, so a real optimizer, "
            "or any other name, would still hold the first one. Better overwrite `x`, under `no_grad`.",
            "走到谷底了。但你每一轮都新建了一个叶子张量，并没有写入原来的那个，所以优化器和别的名字指的仍是最初的那个。最好在 `no_grad` 下覆盖 `x`。",
        )
    return Text(
        "Read the gradient of the leaf, write the new value to the leaf without a grad node, clear the gradient: that is an optimizer.",
        "读取叶子张量的梯度，不经过梯度节点把新值写回叶子张量，再把梯度清零：优化器做的就是这些事。",
    )


@exercise
def doubled_without_no_grad(doubled: Recording) -> Steps:
    after = doubled.state(-1)
    yield from _runs(doubled, "x", _TWO_THINGS)
    banned = {"no_grad", "set_grad_enabled", "set_value", "copy_", "optimizer"} & names_in(doubled.source)
    yield (
        not banned and not any(step.op == "setitem" for step in doubled.steps),
        Text(
            "That is not allowed here. Find a way without `no_grad`, `set_grad_enabled`, `set_value`, `copy_`, an optimizer and index assignments.",
            "这里不能这样写。请找一种不用 `no_grad`、`set_grad_enabled`、`set_value`、`copy_`、优化器和下标赋值的写法。",
        ),
        _TWO_THINGS,
    )
    yield from _starts_with(doubled, "x", (1, 2))
    yield from _is_still_the_parameter(doubled, "x")
    yield (
        visible_values(after, "x") == (2, 4),
        Text("`x` should show 2 and 4. Which storage did you write to?", "`x` 应当显示 2 和 4。你写的是哪个存储？"),
    )
    yield (
        after.tensor("x").needs_gradient and after.tensor("x").leaf,
        Text("Does `x` still require a gradient at the end?", "最后 `x` 还需要梯度吗？"),
    )
    yield from _has_gradient(after, "x", (4, 8))
    return Text(
        "At the write, inplacelab met a leaf that requires no gradient: `x.detach()`, on the same storage as `x`, or `x` itself while `stop_gradient` is on. "
        "But before you use this at home, read “A trap”, below.",
        "写入时，inplacelab 遇到的是不需要梯度的叶子张量：与 `x` 用同一个存储的 `x.detach()`，或者 `stop_gradient` 为 `True` 时的 `x` 自己。不过，在自己的程序里这样写之前，请先读下面的“一个陷阱”。",
    )


def _runs(program: Recording, name: str, hint: Text) -> Steps:
    after = program.state(-1)
    error = after.step.error
    message = error.message if error else ""
    yield (
        "inplace strategy" not in message,
        Text(
            "The write is still refused. Should it be part of the function to differentiate?",
            "写入还是被拒绝。待求导的函数应当包括这次写入吗？",
        ),
        hint,
    )
    made = {
        state.tensor(name).id
        for state in map(program.state, range(len(program.steps)))
        if state.bound(name) is not None
    }
    yield (
        "no gradient history" not in message or len(made) == 1,
        Text(
            f"`backward()` finds no history, since the name `{name}` now belongs to a new tensor, which requires no gradient. Which line made it?",
            f"`backward()` 找不到历史，因为名字 `{name}` 现在指向一个不需要梯度的新张量。它是哪一行创建的？",
        ),
        Text(
            f"Write to the tensor of line 1, and leave the name `{name}` with it.",
            f"请写入第 1 行的那个张量，并让名字 `{name}` 仍然指向它。",
        ),
    )
    yield (
        "no gradient history" not in message,
        Text(
            "The write is allowed now, but `backward()` finds no history. On which lines is history off?",
            "写入允许了，但 `backward()` 找不到历史。哪些行没有记入历史？",
        ),
        Text(
            f"When the loss is computed, does `{name}` require a gradient, and is `no_grad` over?",
            f"计算损失的时候，`{name}` 需要梯度吗？是否已经在 `no_grad` 之外？",
        ),
    )
    yield (
        error is None,
        Text(
            "The program still raises, for another reason. Read the error.", "程序仍然报错，但原因不同。请看报错信息。"
        ),
    )
    return None


def _starts_with(program: Recording, name: str, values: tuple[float, ...]) -> Steps:
    first = next(
        (state for state in map(program.state, range(len(program.steps))) if state.bound(name) is not None), None
    )
    yield (
        first is not None and visible_values(first, name) == values and first.tensor(name).needs_gradient,
        Text("Keep line 1 as it is: the parameter is given.", "请保留第 1 行：参数是给定的。"),
    )
    return None


def _is_still_the_parameter(program: Recording, name: str) -> Steps:
    first = next(state for state in map(program.state, range(len(program.steps))) if state.bound(name) is not None)
    begun, ended = first.tensor(name), program.state(-1).tensor(name)
    yield (
        (begun.id, begun.storage) == (ended.id, ended.storage),
        Text(
            f"Is `{name}` the parameter that line 1 made, in its own storage?",
            f"`{name}` 还是第 1 行创建的那个参数吗？还在它自己的存储里吗？",
        ),
    )
    yield (
        len(who_raised(program, ended.storage)) >= 1,
        Text(f"Nothing has been written to `{name}`.", f"`{name}` 还没有被写过。"),
    )
    return None


def _has_gradient(after: State, name: str, values: tuple[float, ...]) -> Steps:
    number = after.tensor(name).grad
    grad = None if number is None else after.tensors.get(number)
    yield (
        grad is not None and visible_values(after, grad) == values,
        Text(
            f"The gradient should be {values[0]} and {values[1]}: twice what `{name}` shows. When is the loss computed, before or after the write?",
            f"梯度应当是 {values[0]} 和 {values[1]}，也就是 `{name}` 显示的数的两倍。损失是在写入之前算的，还是在写入之后算的？",
        ),
    )
    return None


def _slope(x: float) -> float:
    """The slope of (sin x - 0.9)², the loss of the third exercise."""
    return 2 * (math.sin(x) - 0.9) * math.cos(x)
