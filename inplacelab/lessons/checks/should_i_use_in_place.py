"""The puzzle of the page "Should I use in-place here?"."""

from __future__ import annotations

import math
from typing import Any

from inplacelab.language import Text
from inplacelab.lessons.exercise import Steps, exercise
from inplacelab.recording.queries import visible_values

_NUMBERS = (0.0, 0.5, 1.0)


def _slope(x: float) -> float:
    return 6 * math.exp(2 * x) * math.cos(math.exp(2 * x) + 1)


def _value(x: float) -> float:
    return 3 * math.sin(math.exp(2 * x) + 1)


def _near(found: Any, expected: list[float]) -> bool:
    return len(found) == len(expected) and all(
        math.isclose(a, b, rel_tol=1e-4) for a, b in zip(found, expected, strict=True)
    )


@exercise
def as_few_bytes_as_possible(mine: Any) -> Steps:
    after = mine.state(-1)
    error = after.step.error
    yield (
        not error or error.type != "ValueError",
        Text(
            "A leaf that requires a gradient was refused: question 2.",
            "你写入了需要梯度的叶子张量，所以被拒绝：见第 2 个问题。",
        ),
    )
    yield (
        not error,
        Text(
            "`backward()` refuses: question 3. Which operation kept its result, and which line overwrote it?",
            "`backward()` 拒绝了：见第 3 个问题。哪个操作保存了自己的结果？哪一行覆盖了这个结果？",
        ),
    )
    names = {name for tensor in after.tensors.values() for name in tensor.names}
    yield {*"xabcde"} <= names, Text("Keep all six names.", "六个名字都要保留。")
    grad = after.tensors.get(after.tensor("x").grad)
    yield (
        grad is not None and after.tensor("x").leaf and visible_values(after, "x") == _NUMBERS,
        Text(
            "`x` of line 1 must get a gradient, and keep its numbers.",
            "第 1 行的 `x` 应当得到梯度，而且它的数不能改变。",
        ),
    )
    yield (
        _near(visible_values(after, grad), [_slope(x) for x in _NUMBERS])
        and _near(visible_values(after, "e"), [_value(x) for x in _NUMBERS]),
        Text("The result or the gradient has changed.", "结果或梯度变了。"),
    )
    yield (
        not any(
            saved.copy for step in mine.steps for node in mine.state(step.index).nodes.values() for saved in node.saved
        ),
        Text(
            "One of your operations keeps a copy: its underscore saves nothing. Question 4.",
            "有一个操作保存了副本，所以它的下划线没有节省内存：见第 4 个问题。",
        ),
    )
    storages = {after.tensor(name).storage for name in "xabcde"}
    yield (
        len(storages) <= 5,
        Text(
            "Which two of the five operations overwrite numbers that nothing needs?",
            "在五个操作中，哪两个操作覆盖的数不再被需要？",
        ),
    )
    yield (
        len(storages) == 4,
        Text(
            "There is one more. Ask the five questions about each line again.",
            "还有一个。请对每一行再问一遍那五个问题。",
        ),
    )
    return Text(
        "`exp_` keeps its result and not `a`; nothing has kept the result of `sin`. `add_` would overwrite what `exp` has kept, "
        "and `sin_` would keep a copy.",
        "`exp_` 保存的是结果，而不是 `a`；`sin` 的结果没有被任何节点保存。`add_` 会覆盖 `exp` 保存的内容，`sin_` 则会保存一份副本。",
    )
