"""Checks the exercises of lesson 13: any fix with the right numbers is accepted."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from inplacelab.language import Text
from inplacelab.lessons.checks.traced_elements import as_elements, goes_back_to
from inplacelab.lessons.exercise import Steps, exercise
from inplacelab.recording.facts import Step
from inplacelab.recording.origins import life
from inplacelab.recording.queries import visible_values, who_raised
from inplacelab.recording.recording import Recording, State

_Array = np.ndarray[Any, np.dtype[np.float64]]


@exercise
def helper(helped: Recording) -> Steps:
    after = helped.state(-1)
    yield (
        not _leaf_refused(after),
        Text(
            "The leaf is still refused. Which tensor does the helper write when it is called with `w`?",
            "写叶子张量仍被拒绝。用 `w` 调用时，辅助函数写的是哪个张量？",
        ),
        Text("`t` is a second name, not a second tensor.", "`t` 只是第二个名字，并不是第二个张量。"),
    )
    yield _has_history(after)
    yield _not_refused(after)
    yield (
        visible_values(after, "w") == (1, 2, 6) and not who_raised(helped, after.tensor("w").storage),
        Text(
            "The gradient has arrived, but what is in `w` now? Where would an optimizer's step begin?",
            "已经得到梯度了。可是 `w` 里现在是什么数？优化器会从哪里开始更新？",
        ),
    )
    yield (
        visible_values(after, "x") == (3, 4, 8),
        Text(
            "`w` is right. Look at `x`: does it still hold the numbers of line 6?",
            "`w` 没有问题了。再看 `x`：里面还是第 6 行的那些数吗？",
        ),
        Text("Fix the helper, not one of the calls.", "要改的是辅助函数，而不是其中一次调用。"),
    )
    yield (
        _close(_gradient(after, "w"), (-2, -1, 3)) and _close(visible_values(after, "loss"), (14,)),
        Text(
            "It runs, and nothing is overwritten. But it computes another function: is the mean still subtracted from both, and does the gradient flow through it?",
            "能运行了，也没有覆盖数据，但算的是另一个函数：两个张量是否都还减去了各自的均值？梯度是否经过均值？",
        ),
    )
    return Text(
        "A helper that overwrites its argument overwrites every tensor that it is called with.",
        "如果辅助函数会覆盖自己的参数，那么传给它哪个张量，它就覆盖哪个张量。",
    )


@exercise
def states(history: Any, stacked: Recording) -> Steps:
    after = stacked.state(-1)
    yield (
        len(history) == 3,  # the rounds of the loop
        Text("There should be three states in the list.", "列表里应当有三个状态。"),
    )
    yield (
        len({id(each) for each in history}) == len(history),
        Text("How many tensor objects are there in the list?", "列表里有几个张量对象？"),
        Text("`scale_` returns the object that it has written.", "`scale_` 返回的就是它所写的那个对象。"),
    )
    yield (
        len({id(each.storage) for each in history}) == len(history),
        Text("Three objects now. But on how many storages?", "现在有三个对象了，可是有几个存储？"),
    )
    yield (
        _close(visible_values(after, "loss") if "loss" in _names(after) else None, (84,)),
        Text("The sum should be that of 4a, 8a and 16a.", "总和应当是 4a、8a、16a 之和。"),
    )
    yield (
        [each.tolist() for each in history] == [[4, 8], [8, 16], [16, 32]],
        Text("The sum is right, but are these the three states?", "总和对了，可是列表里是那三个状态吗？"),
    )
    yield (
        after.step.error is None and _close(_gradient(after, "a"), (28, 28)),
        Text(
            "The numbers are right. Do the tensors in the list still have a history?",
            "数值对了。列表里的张量还有历史吗？",
        ),
    )
    return Text("Three states, three storages.", "三个状态，三个存储。")


@exercise
def normalized(norm: Recording) -> Steps:
    after = norm.state(-1)
    error = after.step.error
    node = after.nodes.get(error.node) if error and error.node is not None else None
    saved = node.name if node else ""
    yield (
        saved != "SquareGradNode",
        Text(
            "Backward stops at `SquareGradNode`. What did it keep, and which line overwrites that?",
            "反向传播停在 `SquareGradNode`。它保存了什么，又是哪一行把它覆盖了？",
        ),
        Text("Line 6 keeps `y` and writes `y`.", "第 6 行既保存 `y`，又覆盖 `y`。"),
    )
    yield (
        saved != "TanhGradNode",
        Text(
            "One fault is fixed: backward gets further and finds the other. What did `TanhGradNode` keep?",
            "一处错误改好了：反向传播走得更远，遇到了另一处。`TanhGradNode` 保存了什么？",
        ),
        Text("Its `out` is `y`. Which line writes `y` first?", "它的 `out` 就是 `y`。哪一行最先覆盖 `y`？"),
    )
    yield _not_refused(after)
    yield (
        _close(visible_values(after, "loss"), (_loss_of_normalized(_WEIGHTS),)),
        Text(
            "It runs, but the loss has changed: is `y` still centered *and* scaled?",
            "能运行了，但损失变了：`y` 是否仍然既减去均值，又除以标准差？",
        ),
    )
    yield (
        _close(_gradient(after, "w"), _slope(_loss_of_normalized, _WEIGHTS)),
        Text(
            "The loss is right, but the gradient does not agree with finite differences. Do the mean and the scale depend on `w`?",
            "损失对了，梯度却与有限差分不符。均值和标准差是否依赖 `w`？",
        ),
    )
    in_place = {step.op for step in norm.steps if step.writes}
    yield (
        {"subtract_", "divide_"} <= in_place,
        Text(
            "The numbers agree with finite differences. Now keep both underscores.",
            "数值与有限差分相符。现在把两个下划线都保留下来。",
        ),
        Text(
            "`tanh` needs its result, and `square` its input. With a clone in each place, each of them keeps its own copy.",
            "`tanh` 需要自己的结果，`square` 需要自己的输入。在两处各用一个副本，两个操作就各有一份了。",
        ),
    )
    return Text(
        "It agrees with finite differences. If each operation has its own copy, no write destroys anything that is still needed.",
        "与有限差分相符。如果每个操作都有自己的副本，写入就不会破坏还要用到的值。",
    )


@exercise
def descent(losses: Any, fitted: Recording) -> Steps:
    after = fitted.state(-1)
    yield _not_refused(after)
    yield (
        losses[-1] < losses[1] / 2,
        Text(
            "The loss still does not fall. Which tensor is called `w`, and which one does the optimizer write?",
            "损失还是没有下降。名字 `w` 指向哪个张量？优化器写的又是哪个张量？",
        ),
        Text(
            "Line 11 makes a new tensor and calls it `w`. How can you clip the numbers and keep the tensor?",
            "第 11 行新建一个张量，让名字 `w` 指向它。怎样既裁剪数值，又保留原来的张量？",
        ),
    )
    clipped = [
        step for step in fitted.steps if step.op and step.op.rstrip("_") in ("clip", "clamp", "minimum", "maximum")
    ]
    writes = who_raised(fitted, after.tensor("w").storage)
    yield (
        len(clipped) >= len(losses) and len(writes) >= 2 * len(losses),
        Text(
            "The loss falls. But `w` must stay between −5 and 5.",
            "损失降下来了。不过 `w` 应当保持在 −5 与 5 之间。",
        ),
    )
    yield (
        _bounds(fitted, clipped) <= {0, 1, 5},  # 0 and 1 may be indices
        Text(
            "The loss falls, and `w` is clipped. But are the bounds still −5 and 5?",
            "损失降下来了，`w` 也裁剪了。可是上下界还是 −5 和 5 吗？",
        ),
    )
    yield (
        _close(losses, _descent(len(losses))),
        Text(
            "The loss falls, but not as gradient descent from 0 with this learning rate would.",
            "损失在下降，但从 0 开始、按这个学习率做梯度下降，损失不应当这样变化。",
        ),
    )
    return Text("The optimizer holds the tensor that the program uses.", "现在，优化器持有的就是程序正在用的张量。")


@exercise
def two_losses(pair: Recording) -> Steps:
    after = pair.state(-1)
    yield _has_history(after)
    yield (
        after.step.error is None,
        Text(
            "It is still refused. With which value of `w` was `second` computed, and which value would its backward pass find?",
            "还是被拒绝。`second` 是在 `w` 取什么值时算出来的？它的反向传播遇到的又是什么值？",
        ),
        Text(
            "Between a forward pass and its backward pass, `w` must not change.",
            "从前向计算到相应的反向传播之间，`w` 不能改变。",
        ),
    )
    start = np.array([1.0, 2.0])
    stepped = start - _RATE * 2 * start
    found = visible_values(after, "w")
    together = start - _RATE * (2 * start + 3 * start**2)
    steps = len(who_raised(pair, after.tensor("w").storage))
    yield (
        steps == 2 or not _close(found, together),
        Text(
            "Both gradients went into one step. Use one loss for each step.",
            "两个梯度用在了同一次更新里。每次更新应当只用一个损失。",
        ),
        Text(
            "Backward *adds* to `w.grad`. Or did you leave a `step` out?",
            "反向传播把梯度*加*到 `w.grad` 上。还是说，你漏掉了一次 `step`？",
        ),
    )
    yield (
        any(_close(found, stepped - _RATE * 3 * value**2) for value in (start, stepped)),
        Text(
            "`w` does not end where two such steps lead. What was in `w.grad` at each `step`?",
            "这样更新两次，得到的 `w` 不应当是现在这个值。每次调用 `step` 时，`w.grad` 里是什么？",
        ),
    )
    return Text(
        "Every factor of the second gradient belongs to the *same* value of `w`.",
        "第二个梯度的每个因子都属于 `w` 的*同一个*值。",
    )


# ---- the right answers --------------------------------------------------------------------------------------------

_RATE = 0.1
_WEIGHTS = np.array([[0.5, -1.0], [1.0, 0.25]])
_DATA = np.array([[1.0, 2.0], [3.0, -1.0]])


def _loss_of_normalized(weights: _Array) -> float:
    y = np.tanh(_DATA @ weights)
    y = y - y.mean()
    return float((y / np.sqrt((y * y).mean()) * _DATA).sum())


def _slope(function: Callable[[_Array], float], at: _Array, eps: float = 1e-6) -> tuple[float, ...]:
    """Finite differences, element by element."""
    steps = [eps * np.eye(at.size)[k].reshape(at.shape) for k in range(at.size)]
    return tuple((function(at + step) - function(at - step)) / (2 * eps) for step in steps)


def _descent(rounds: int) -> list[float]:
    """The losses of fitting `w` to 2 by gradient descent from 0."""
    w, data, found = 0.0, np.array([1.0, 2.0, 3.0]), []
    for _ in range(rounds):
        found.append(float(((data * w - 2 * data) ** 2).mean()))
        w -= 0.05 * float((2 * (data * w - 2 * data) * data).mean())
    return found


@exercise
def traced(tracked: Recording, inputs: Any, written_by: Any) -> Steps:
    after = tracked.state(-1)
    truth = goes_back_to(tracked, "out", (0, 1), "x")
    named = as_elements(inputs, after.tensor("x").shape)
    yield (
        not truth - named,
        Text(
            "There are more. Select `out[0, 1]` and go back with `[` as far as you can: which elements are lit up then?",
            "还没有列全。选中 `out[0, 1]`，按 `[` 逐步往回追溯，直到尽头：这时亮起的是哪些元素？",
        ),
        Text("Line 3 adds up a whole column.", "第 3 行把一整列加了起来。"),
    )
    yield (
        named == truth,
        Text(
            "One of these no longer has any influence when line 6 runs. What does `x[0, 1]` hold by then, and from where?",
            "你列出的元素中，有一个在第 6 行运行时已经没有影响了。那时 `x[0, 1]` 里是什么数？这个数从哪里来？",
        ),
    )
    last = [event.line for event in life(tracked, "x", (0, 1)) if event.kind == "written"]
    yield (
        written_by == last[-1],
        Text(
            "Which line wrote slot 1 last? Its life is the line below the graph.",
            "最后写 1 号槽位的是哪一行？反向图下方的那条线就是它的经历。",
        ),
    )
    return Text(
        "The number that line 1 put into `x[0, 1]` is gone: line 5 overwrote it. The name of an element stays the same, but its number comes from elsewhere.",
        "第 1 行放进 `x[0, 1]` 的数已经不在了：第 5 行覆盖了它。元素的名字没有变，里面的数却来自别处。",
    )


def _bounds(recording: Recording, clipped: Sequence[Step]) -> set[float]:
    """Returns the sizes of the numbers on the lines that clip. The weight itself, between 0 and 2, does not show its bounds."""
    lines = {step.line for step in clipped}
    nodes = (node for node in ast.walk(ast.parse(recording.source)) if isinstance(node, ast.Constant))
    found = (node.value for node in nodes if node.lineno in lines)
    return {abs(value) for value in found if isinstance(value, int | float)}


# ---- looking at a recording ---------------------------------------------------------------------------------------


def _leaf_refused(after: State) -> bool:
    error = after.step.error
    return error is not None and error.message.startswith("(InvalidArgument) Leaf")


def _has_history(after: State) -> tuple[bool, Text]:
    error = after.step.error
    return (
        error is None or "no gradient history" not in error.message,
        Text(
            "Nothing is refused now, but `loss` has no gradient history. Where was it lost: at a `detach()`, or under `no_grad`?",
            "不再被拒绝了，但 `loss` 没有梯度历史。历史是在哪里丢失的：是 `detach()`，还是 `no_grad`？",
        ),
    )


def _not_refused(after: State) -> tuple[bool, Text]:
    return (
        after.step.error is None,
        Text(
            "It still raises: the last step of the picture says why. If a value was overwritten: which line kept it, and which wrote it?",
            "还是报错：图的最后一步写明了原因。如果是某个值被覆盖了，那么是哪一行保存了它，又是哪一行写了它？",
        ),
    )


def _names(state: State) -> set[str]:
    return {name for tensor in state.tensors.values() for name in tensor.names}


def _gradient(state: State, name: str) -> Sequence[Any] | None:
    grad = state.tensor(name).grad
    return None if grad is None else visible_values(state, state.tensors[grad])


def _close(found: Sequence[Any] | None, wanted: Sequence[float] | _Array) -> bool:
    """Whether values are equal up to single-precision rounding, for any order of operations."""
    return found is not None and len(found) == len(wanted) and bool(np.allclose(found, wanted, rtol=1e-3, atol=1e-4))
