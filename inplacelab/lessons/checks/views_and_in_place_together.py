"""The exercises of the lesson on views and in-place together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inplacelab.language import Text
from inplacelab.lessons.checks.shared import as_elements, copied_on_request, ends_of_paths
from inplacelab.lessons.exercise import Steps, exercise
from inplacelab.recording.queries import visible_values
from inplacelab.recording.recording import Recording

_RIGHT = (14.0, 22.0, 6.0, 6.0)  # of sum((2 * a[0]) ** 2) + sum(6 * a), at 1, 2, 3, 4
_LOSS = 80.0


@exercise
def right_gradient(mine: Recording) -> Steps:
    after = mine.state(-1)
    error = after.step.error
    yield (
        error is None or "modified by an inplace operation" in error.message,
        Text(
            f"Line {after.step.line} raises another error than before. Read the first line of the message.",
            f"第 {after.step.line} 行报错，而且与原来的报错不同。读一读报错信息的第一行。",
        ),
    )
    yield (
        error is None,
        Text(
            "It is still refused. Which line made a node that keeps a tensor, and which line overwrote that tensor?",
            "仍然被拒绝。哪一行代码创建的节点保存了张量？哪一行覆盖了这个张量？",
        ),
        Text(
            "The node of `row * row` keeps `row`. In which storage is `row`?",
            "`row * row` 的节点保存了 `row`。`row` 在哪个存储里？",
        ),
    )
    yield (
        [step.op for step in mine.steps if step.writes] == ["scale_"],
        Text("`scale_` should be the only write in the program.", "程序里的写入应当只有 `scale_` 这一次。"),
    )
    yield (
        not copied_on_request(mine),
        Text(
            "The engine made a copy before the write. Do without `copy_saved_before_write`: one changed line is enough.",
            "引擎在写入之前保存了副本。请不要用 `copy_saved_before_write`，改动一行就够了。",
        ),
    )
    yield (
        visible_values(after, "loss") == (_LOSS,),
        Text(
            "It runs, but computes another function. `c` must be the square of the row *before* the write, and `loss` must be the sum of `c` and `b`.",
            "能运行了，但计算的是另一个函数。`c` 应当是*写入之前*那一行的平方，`loss` 应当是 `c` 与 `b` 之和。",
        ),
    )
    grad = after.tensor("a").grad
    yield (
        grad is not None and visible_values(after, after.tensors[grad]) == _RIGHT,
        Text(
            "The loss is right, but the gradient is not: look at `a.grad`. Do all tensors between `a` and `loss` have a history?",
            "损失对了，梯度却不对：请看 `a.grad`。从 `a` 到 `loss` 的各个张量都有历史吗？",
        ),
    )
    return Text(
        "What line 4 keeps is now in a storage to which nothing writes afterwards.",
        "第 4 行保存的值，现在放在一个此后不再被写入的存储里。",
    )


@exercise
def checkerboard(board: Recording) -> Steps:
    after, first = board.state(-1), board.after_line(3)
    wanted = tuple(1.0 - 2 * ((row + column) % 2) for row in range(4) for column in range(4))
    yield (
        after.step.error is None,
        Text("It raises. Read the first line of the message.", "报错了。读一读报错信息的第一行。"),
    )
    yield (
        after.tensor("b").id == first.tensor("b").id and after.version("b") > 0,
        Text(
            "`b` must be written in place: it must stay the object of line 3.",
            "`b` 应当被原地写入：它仍应是第 3 行的那个对象。",
        ),
        Text(
            "Which view shows every other row of `b`? (A list of row numbers gives a copy.) `neg_` changes the signs in the view.",
            "哪个视图显示 `b` 中每隔一行的各行？（用行号的列表得到的是副本。）用 `neg_` 可以使视图里的数变号。",
        ),
    )
    yield (
        visible_values(after, "b") != tuple(-value for value in wanted),
        Text(
            "That is a checkerboard, but its top left corner must be 1. Which of the two views should not contain that corner?",
            "已经是棋盘了，但左上角应当是 1。在两个视图中，哪一个不应当包含左上角？",
        ),
    )
    yield (
        visible_values(after, "b") == wanted,
        Text(
            "Which numbers does `b` show? How often does each square change sign?",
            "`b` 显示的是哪些数？每个格子变号了几次？",
        ),
        Text(
            "Count rows and columns from 0. A square in an odd row and an odd column may change sign twice.",
            "行和列都从 0 开始编号。既在奇数行又在奇数列的格子可以变号两次。",
        ),
    )
    grad = after.tensor("a").grad
    gradient = None if grad is None else visible_values(after, after.tensors[grad])
    yield (
        gradient is None or 0 not in gradient,
        Text(
            "`b` is right, but some elements of `a.grad` are 0: these slots were filled with constants, which do not depend on `a`. How can a "
            "slot get another sign and still depend on `a`?",
            "`b` 对了，但 `a.grad` 的某些元素是 0：这些槽位里写的是常数，与 `a` 无关。怎样使槽位变号，而仍然依赖 `a`？",
        ),
    )
    yield (
        gradient == wanted,
        Text(
            "`b` is right, but its history does not contain the writes: look at `a.grad`. Do the views have a history?",
            "`b` 对了，但它的历史里没有这些写入：请看 `a.grad`。这些视图有历史吗？",
        ),
    )
    written = [
        sum(stop - start for write in step.writes for start, stop in write.slots) for step in board.steps if step.writes
    ]
    yield (
        written == [8, 8],
        Text(
            f"The result is right, but the writes go to {', '.join(map(str, written))} slots. There should be two writes, each to eight slots.",
            f"结果对了，但各次写入的槽位数是 {'、'.join(map(str, written))}。应当写入两次，每次写八个槽位。",
        ),
        Text(
            "Two views of eight squares each: sixteen changes of sign for eight negative squares. Which squares may change sign twice?",
            "两个视图各八个格子，一共变号十六次，最后却只有八个格子是 −1。哪些格子可以变号两次？",
        ),
    )
    made = {
        storage
        for step in board.steps
        for storage, facts in step.storages
        if facts and step.line not in (1, 2, 3) and step.phase != "backward"
    }
    yield (
        len(made - set(first.storages)) <= 1,  # the sum, on the last line
        Text(
            "That is right, but another tensor is computed on the way. `neg_` changes the signs in the view itself.",
            "结果对了，但中途还计算了别的张量。`neg_` 可以直接在视图里变号。",
        ),
    )
    return Text(
        "Four squares changed sign twice, and eight once. Each write added a CopySlices node.",
        "有四个格子变号两次，八个格子变号一次。每次写入都增加了一个 CopySlices 节点。",
    )


@exercise
def without_a_path(asked: Recording, ends: Any) -> Steps:
    yield (
        _gives_lines(ends),
        Text(
            "Write `ends` as a dictionary, with a line for each element: `{0: 1}` says that the path of `w[0]` ends at line 1.",
            "请把 `ends` 写成字典，给每个元素写上一个行号：`{0: 1}` 表示 `w[0]` 的路径在第 1 行中断。",
        ),
    )
    truth = ends_of_paths(asked, "w")
    answer = dict(ends)
    shape = asked.state(-1).tensor("w").shape
    named = as_elements(answer, shape)
    yield (
        named >= truth.keys() or not named <= truth.keys(),
        Text(
            "There are more. Select the elements of `w.grad` one by one: which of them are 0?",
            "还没有列全。请在图中逐个选中 `w.grad` 的元素：哪些是 0？",
        ),
        Text(
            "A path can end in three ways: the number is overwritten before anything reads it, it is read through a tensor without history, "
            "or an operation on the path has a derivative of 0.",
            "路径的中断有三种方式：数在被读取之前就被覆盖；读取它时，用的是没有历史的张量；路径上某个操作的导数是 0。",
        ),
    )
    yield (
        named <= truth.keys(),
        Text(
            "`loss` sends a gradient to one or more of the elements that you named. Which of them are not 0 in `w.grad`?",
            "你列出的元素中，有的梯度不是 0。请看 `w.grad`：是哪些？",
        ),
    )
    lines = {next(iter(as_elements([key], shape))): value for key, value in answer.items()}
    wrong = [index for index in sorted(truth) if lines[index] not in truth[index]]
    yield (
        not wrong,
        Text(
            f"The elements are right. Where does the path of `w{list(wrong[0]) if wrong else []}` end? The text under the graph says it.",
            f"元素都对了。`w{list(wrong[0]) if wrong else []}` 的路径在哪一行中断？反向图的下方写明了这一点。",
        ),
        Text(
            "Name the line that overwrote the number, that read it without history, or whose derivative is 0. Do not name the line that made the view.",
            "要写的是覆盖它的那一行、通过没有历史的张量读取它的那一行，或者导数为 0 的那一行，而不是创建视图的那一行。",
        ),
    )
    return Text(
        "One was overwritten, one was read without history, and one has a derivative of 0 on its path. In `w.grad` all three look alike: 0.",
        "一条路径因为数被覆盖而中断，一条因为读取时用的张量没有历史，一条因为途中的导数是 0。在 `w.grad` 里，三者看起来一样，都是 0。",
    )


def _gives_lines(ends: Any) -> bool:
    """Whether an answer names a line for each element: a dictionary, or a list of pairs."""
    pairs = ends.items() if isinstance(ends, Mapping) else ends
    return all(isinstance(each, list | tuple) and len(each) == 2 and _names_a_line(*each) for each in pairs)


def _names_a_line(element: Any, line: Any) -> bool:
    """Whether an element and a line are given. Digits in quotes get a hint of their own."""
    is_text = isinstance(element, str) and not element.isdigit()
    return not is_text and not isinstance(line, list | tuple | dict)
