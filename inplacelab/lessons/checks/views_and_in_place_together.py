"""The exercises of lesson 9."""

from __future__ import annotations

from typing import Any

from inplacelab.language import Text
from inplacelab.lessons.exercise import Steps, exercise
from inplacelab.recording.queries import visible_values
from inplacelab.recording.recording import Recording

_RIGHT = (14.0, 22.0, 6.0, 6.0)  # of sum((2 * a[0]) ** 2) + sum(6 * a), at 1, 2, 3, 4
_ROW = 2 * 8


@exercise
def right_gradient(mine: Recording) -> Steps:
    after = mine.state(-1)
    yield (
        after.step.error is None,
        Text(
            "It is still refused: which line kept what, and which line wrote?",
            "仍然被拒绝：哪一行保存了什么，哪一行又写了？",
        ),
        Text(
            "`row * row` keeps the row. Whose storage does it lie in?", "`row * row` 保存了这一行。它放在谁的存储里？"
        ),
    )
    yield (
        [step.op for step in mine.steps if step.writes] == ["scale_"],
        Text("`scale_` should be the only write in the program.", "程序里的写入应当只有 `scale_` 这一次。"),
    )
    yield (
        not _a_copy_was_kept(mine),
        Text("The engine keeps a copy for you: do without it.", "引擎替你留了副本：请不要借助它。"),
    )
    grad = after.tensor("a").grad
    yield (
        grad is not None and visible_values(after, after.tensors[grad]) == _RIGHT,
        Text(
            "It runs, but it is another function now. `c` should be the square of the row *before* the write: what is its "
            "gradient by hand?",
            "能运行了，但已经是另一个函数。`c` 应当是*写入之前*那一行的平方：请手算一下它的梯度。",
        ),
    )
    return Text("Nobody writes the storage that the product keeps.", "乘积所保存的那块存储，没有人去写。")


@exercise
def price(bytes_of_clone: Any, bytes_of_kept_copy: Any) -> Steps:
    yield (
        bytes_of_clone == _ROW,
        Text("The clone: how many numbers has a row, of how many bytes?", "副本：一行有几个数，每个数几字节？"),
    )
    yield (
        bytes_of_kept_copy != 2 * _ROW,
        Text(
            "The kept copy: `row * row` keeps the row twice. Are these two different windows?",
            "引擎留的副本：`row * row` 保存了两次这一行。它们是两个不同的窗口吗？",
        ),
    )
    yield (
        bytes_of_kept_copy == _ROW,
        Text(
            "The kept copy: which slots are about to be lost *and* needed?",
            "引擎留的副本：哪些槽位既要丢失、又被需要？",
        ),
    )
    return Text(
        "The same. The window is copied once, and that does for both factors.",
        "一样多。同一个窗口只复制一次，两个因子共用。",
    )


@exercise
def both_rows(copies: Any, nbytes: Any) -> Steps:
    yield copies == 2, Text("Which saved windows are about to be lost now?", "现在有哪些保存的窗口即将丢失？")
    yield nbytes == 2 * _ROW, Text("How many bytes has each window?", "每个窗口占多少字节？")
    return Text("The gradient stays [[8, 16], [24, 32]].", "梯度仍是 [[8, 16], [24, 32]]。")


def _a_copy_was_kept(recording: Recording) -> bool:
    """At any step, since backward releases what it has used."""
    states = (recording.state(step) for step in range(len(recording)))
    return any(saved.copy for state in states for node in state.nodes.values() for saved in node.saved)
