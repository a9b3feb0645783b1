"""Checks the exercises of lesson 13: any fix with the right numbers is accepted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from inplacelab.language import Text
from inplacelab.lessons.exercise import Steps, exercise
from inplacelab.recording.queries import visible_values, who_raised
from inplacelab.recording.recording import Recording, State

_Array = np.ndarray[Any, np.dtype[np.float64]]


@exercise
def repaired(x: Any, loss: Any) -> Steps:
    computed = loss.item()
    yield (
        computed != 132,
        Text(
            "The loss is 132: now `energy` is computed from the clipped row. That is another function.",
            "损失成了 132：现在的 `energy` 是由裁剪过的行算出的。这是另一个函数。",
        ),
    )
    yield (
        computed != 140,
        Text(
            "The loss is 140: `h.sum()` adds up the row that is not clipped. Which tensor did you clip, and which one should be clipped?",
            "损失成了 140：`h.sum()` 加的是没有裁剪的行。你裁剪的是哪个张量？应当裁剪哪个？",
        ),
    )
    yield (
        computed == 139,
        Text(f"The loss is {computed:g}. It should still be 139.", f"损失成了 {computed:g}，应当仍是 139。"),
    )
    yield (
        _has_run_backward(x, loss),
        Text(
            "`backward()` is still refused. Which tensors does the line that computes `energy` keep, and in which storage are the numbers that are overwritten?",
            "`backward()` 仍被拒绝。计算 `energy` 的那一行保存的是哪些张量？被覆盖的数在哪个存储里？",
        ),
        Text(
            "One of the two needs a storage of its own: what is kept, or what is clipped. `h.sum()` must still see the clipped row.",
            "被保存的和被裁剪的，其中之一要有自己的存储；`h.sum()` 加的应当仍是裁剪过的行。",
        ),
    )
    yield (
        x.grad is not None and x.grad.tolist() == [[10, 16], [26, 34]],
        Text(
            "The loss is 139, but the gradient does not agree with finite differences. Where is the history cut? Or has your program called `backward()` for a part of the loss only?",
            "损失是 139，梯度却与有限差分不符。历史在哪里被切断了？还是说，你的程序只对损失的一部分调用了 `backward()`？",
        ),
    )
    return Text(
        "The loss is 139, and the gradient [[10, 16], [26, 34]] agrees with finite differences. Two other fixes run as well, but compute another "
        "function: if the row is clipped first, the loss is 132; if only a clone of the row is clipped, it is 140.",
        "损失是 139，梯度 [[10, 16], [26, 34]] 与有限差分相符。另有两种改法也能运行，算的却是别的函数：如果先裁剪，损失是 132；如果裁剪的只是那一行的副本，损失是 140。",
    )


def _has_run_backward(x: Any, loss: Any) -> bool:
    """Runs backward, unless the learner or an earlier check has: whether it is not refused."""
    if x.grad is None:
        try:
            loss.backward()
        except RuntimeError:
            return False
    return True


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
        _close(visible_values(after, "loss"), (4,)),
        Text(
            "It runs, and nothing is overwritten. But it computes another function: is the mean still subtracted from both?",
            "能运行了，也没有覆盖数据，但算的是另一个函数：两个张量是否都还减去了各自的均值？",
        ),
    )
    yield (
        _close(_gradient(after, "w"), (0, -1, 1)),
        Text(
            "The loss is right, but the gradient is not: the mean depends on `w`, too. Does the gradient flow through it?",
            "损失对了，梯度却不对：均值也依赖 `w`。梯度经过均值吗？",
        ),
    )
    return Text(
        "A helper that overwrites its argument overwrites every tensor that it is called with.",
        "辅助函数如果覆盖传入的张量，那么传给它哪个张量，它就覆盖哪个张量。",
    )


@exercise
def states(history: Any, stacked: Recording) -> Steps:
    after = stacked.state(-1)
    yield (
        len(history) == 3,  # the rounds of the loop
        Text("There should be three states in the list.", "列表里应当有三个状态。"),
    )
    yield (
        all(hasattr(each, "storage") for each in history),
        Text(
            "The states in the list should be tensors. Can a gradient pass through anything else?",
            "列表里的状态应当是张量。梯度能经过别的东西吗？",
        ),
    )
    are_right = [each.tolist() for each in history] == [[4, 8], [8, 16], [16, 32]]  # as rows of one buffer may be, too
    yield (
        are_right or len({id(each) for each in history}) == len(history),
        Text("How many tensor objects are there in the list?", "列表里有几个张量对象？"),
        Text("`scale_` returns the object that it has written.", "`scale_` 返回的就是它所写的那个对象。"),
    )
    yield (
        are_right or len({id(each.storage) for each in history}) == len(history),
        Text("Three objects now. But on how many storages?", "现在有三个对象了，可是有几个存储？"),
    )
    yield (
        any("loss" in tensor.names for tensor in after.tensors.values()),
        Text(
            "The program ends without a `loss`. Does one of its lines raise an error?",
            "程序结束时没有 `loss`。是不是有哪一行报错了？",
        ),
    )
    yield (
        _close(visible_values(after, "loss"), (84,)),
        Text("The sum should be that of 4a, 8a and 16a.", "总和应当是 4a、8a、16a 之和。"),
    )
    yield (
        are_right,
        Text("The sum is right, but are these the three states?", "总和对了，可是列表里是那三个状态吗？"),
    )
    yield (
        after.step.error is None and _close(_gradient(after, "a"), (28, 28)),
        Text(
            "The numbers are right. Do the tensors in the list still have a history?",
            "数值对了。列表里的张量还有历史吗？",
        ),
    )
    return Text("Three states, and no write reaches an earlier one.", "三个状态，后面的写入不再改变前面的状态。")


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
    yield _has_history(after)
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
    used = _lines_behind(after, "loss")
    in_place = {step.op for step in norm.steps if step.writes and step.line in used}
    yield (
        {"subtract_", "divide_"} <= in_place,
        Text(
            "The numbers agree with finite differences. Now keep both underscores, in the writes that `loss` is computed from.",
            "数值与有限差分相符。现在把两个下划线都保留下来，而且 `loss` 要由这两次写入算出。",
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
    yield (
        not _leaf_refused(after),
        Text(
            "Now a write is refused: `w` is a leaf that requires a gradient. How does an optimizer write to it?",
            "现在有一次写入被拒绝：`w` 是需要梯度的叶子张量。优化器是怎样写它的？",
        ),
    )
    yield _has_history(after)
    yield _not_refused(after)
    stepped = [write.tensor for step in fitted.steps if step.op == "subtract_" for write in step.writes]
    falls = losses[-1] < losses[1] / 2
    yield (
        falls or stepped[-1] != after.tensor("w").id,
        Text(
            "The optimizer writes `w` now, but the loss does not fall. What is in `w.grad` at each step?",
            "现在优化器写的是 `w` 了，可是损失没有下降。每次更新时，`w.grad` 里是什么？",
        ),
    )
    yield (
        falls,
        Text(
            "The loss still does not fall. Which tensor is called `w`, and which one does the optimizer write?",
            "损失还是没有下降。名字 `w` 指向哪个张量？优化器写的又是哪个张量？",
        ),
        Text(
            "Line 11 makes a new tensor and calls it `w`. How can you clip the numbers and keep the tensor?",
            "第 11 行新建一个张量，让名字 `w` 指向它。怎样既裁剪数值，又保留原来的张量？",
        ),
    )
    yield (
        _close(losses, _descent(len(losses), 2)),
        Text(
            "The loss falls, but not as gradient descent from 0 with this learning rate would.",
            "损失在下降，但从 0 开始、按这个学习率做梯度下降，损失不应当这样变化。",
        ),
    )
    yield (
        "x * 2" in fitted.source,
        Text(
            "Keep the line `target = x * 2`: the check tries other targets.",
            "请保留 `target = x * 2` 这一行：检查时要换成别的目标来试。",
        ),
    )
    for factor, bound in ((20, 5), (-20, -5)):
        found, weight = _trained_toward(factor, fitted.source)
        yield (
            weight == bound and _close(found, _descent(len(losses), factor)),
            Text(
                f"The loss falls. But with `target = x * {factor}`, the losses are {np.round(found, 1).tolist()} and `w` ends at {weight:.4g}. Which values may `w` have after a step?",
                f"损失降下来了。不过换成 `target = x * {factor}`，损失就成了 {np.round(found, 1).tolist()}，`w` 最后是 {weight:.4g}。每一步之后，`w` 可以取哪些值？",
            ),
        )
    if len(set(stepped)) > 1:
        return Text(
            "The optimizer holds the tensor that the program uses, since each round makes a new optimizer. One that keeps velocities would forget them.",
            "优化器持有的就是程序正在用的张量，因为每一轮都新建一个优化器。如果优化器要记住速度，这样做就会把速度丢掉。",
        )
    return Text("The optimizer holds the tensor that the program uses.", "现在，优化器持有的就是程序正在用的张量。")


@exercise
def two_losses(pair: Recording) -> Steps:
    after = pair.state(-1)
    yield _has_history(after)
    yield (
        after.step.error is None,
        Text(
            "It is still refused. With which value of `w` was the loss of that line computed, and which value does its backward pass find?",
            "还是被拒绝。那一行的损失是在 `w` 取什么值时算出来的？它的反向传播遇到的又是什么值？",
        ),
        Text(
            "Between a forward pass and its backward pass, `w` must not change.",
            "从前向计算到相应的反向传播之间，`w` 不能改变。",
        ),
    )
    start = np.array([1.0, 2.0])
    found = visible_values(after, "w")
    together = start - _RATE * (2 * start + 3 * start**2)
    storage = after.tensor("w").storage
    written = [pair.state(step.index).storages[storage].values for step, _ in who_raised(pair, storage)]
    steps = sum(before != now for before, now in pairwise([tuple(start.tolist()), *written]))  # that change `w`
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
        any(_close(found, end) for end in _ends_of_two_steps(start)),
        Text(
            "`w` does not end where two such steps lead. What was in `w.grad` at each `step`?",
            "按题目的要求更新两次，`w` 不应当是现在这个值。每次调用 `step` 时，`w.grad` 里是什么？",
        ),
    )
    return Text(
        "Every factor of a gradient belongs to the *same* value of `w`.",
        "现在求每个梯度时，各个因子用的都是 `w` 的*同一个*值。",
    )


# ---- the right answers --------------------------------------------------------------------------------------------

_IMPORTS = "import numpy as np\nimport inplacelab as paddle\n"
_RATE = 0.1
_WEIGHTS = np.array([[0.5, -1.0], [1.0, 0.25]])
_DATA = np.array([[1.0, 2.0], [3.0, -1.0]])


def _loss_of_normalized(weights: _Array) -> float:
    y = np.tanh(_DATA @ weights)
    y = y - y.mean()
    return float((y / np.sqrt((y * y).mean()) * _DATA).sum())


def _ends_of_two_steps(start: _Array) -> list[_Array]:
    """Where two steps lead, one with each gradient: in either order, the second gradient at the weights of its step or at the first ones."""
    gradients: list[Callable[[_Array], _Array]] = [lambda w: 2 * w, lambda w: 3 * w**2]
    ends = []
    for first, second in (gradients, gradients[::-1]):
        between = start - _RATE * first(start)
        ends += [between - _RATE * second(at) for at in (start, between)]
    return ends


def _slope(function: Callable[[_Array], float], at: _Array, eps: float = 1e-6) -> tuple[float, ...]:
    """Finite differences, element by element."""
    steps = [eps * np.eye(at.size)[k].reshape(at.shape) for k in range(at.size)]
    return tuple((function(at + step) - function(at - step)) / (2 * eps) for step in steps)


def _descent(rounds: int, factor: float) -> list[float]:
    """The losses of fitting `w` to a number by gradient descent from 0, clipped to the range from -5 to 5."""
    w, data, found = 0.0, np.array([1.0, 2.0, 3.0]), []
    for _ in range(rounds):
        found.append(float(((data * w - factor * data) ** 2).mean()))
        w -= 0.05 * float((2 * (data * w - factor * data) * data).mean())
        w = min(5.0, max(-5.0, w))
    return found


def _trained_toward(factor: float, source: str) -> tuple[list[float], float]:
    """Runs the learner's program with another target. Returns its losses, and the weight at its end."""
    names: dict[str, Any] = {}
    exec(_IMPORTS + source.replace("x * 2", f"x * {factor}"), names)
    return names["losses"], names["w"].item()


# ---- looking at a recording ---------------------------------------------------------------------------------------


def _leaf_refused(after: State) -> bool:
    error = after.step.error
    return error is not None and error.message.startswith("(InvalidArgument) Leaf")


def _has_history(after: State) -> tuple[bool, Text]:
    error = after.step.error
    return (
        error is None or "no gradient history" not in error.message,
        Text(
            "The loss has no gradient history, so `backward()` cannot start. Where was it lost: at a `detach()`, or under `no_grad`?",
            "损失没有梯度历史，`backward()` 无从开始。历史是在哪里丢失的：是 `detach()`，还是 `no_grad`？",
        ),
    )


def _not_refused(after: State) -> tuple[bool, Text]:
    return (
        after.step.error is None,
        Text(
            "It raises: the last step of the picture says why. If a value was overwritten: which line kept it, and which wrote it?",
            "报错了：图的最后一步写明了原因。如果是某个值被覆盖了，那么是哪一行保存了它，又是哪一行写了它？",
        ),
    )


def _lines_behind(state: State, name: str) -> set[int | None]:
    """Returns the lines whose grad nodes a gradient reaches that starts at a tensor."""
    waiting, seen = [state.tensor(name).node], set()
    while waiting:
        key = waiting.pop()
        if key is not None and key in state.nodes and key not in seen:
            seen.add(key)
            waiting += [edge.to for edge in state.nodes[key].edges]
    return {state.nodes[key].line for key in seen}


def _gradient(state: State, name: str) -> Sequence[Any] | None:
    grad = state.tensor(name).grad
    return None if grad is None else visible_values(state, state.tensors[grad])


def _close(found: Sequence[Any] | None, wanted: Sequence[float] | _Array) -> bool:
    """Whether values are equal up to single-precision rounding, for any order of operations."""
    return found is not None and len(found) == len(wanted) and bool(np.allclose(found, wanted, rtol=1e-3, atol=1e-4))
