"""The exercises of the lesson on views and in-place together."""

from __future__ import annotations

from typing import Any

from inplacelab.language import Text
from inplacelab.lessons.checks.traced_elements import as_elements, ends_of_paths
from inplacelab.lessons.exercise import Steps, exercise
from inplacelab.recording.queries import visible_values
from inplacelab.recording.recording import Recording

_RIGHT = (14.0, 22.0, 6.0, 6.0)  # of sum((2 * a[0]) ** 2) + sum(6 * a), at 1, 2, 3, 4
_LOSS = 80.0
_ROW = 2 * 8


@exercise
def right_gradient(mine: Recording) -> Steps:
    after = mine.state(-1)
    error = after.step.error
    yield (
        error is None or "modified by an inplace operation" in error.message,
        Text(
            f"Another error than before, in line {after.step.line}. Read its first line.",
            f"报错和原来不同，在第 {after.step.line} 行。读一读报错的第一行。",
        ),
    )
    yield (
        error is None,
        Text(
            "It is still refused: which line saved what, and which line wrote?",
            "仍然被拒绝：哪一行保存了什么，哪一行又写了？",
        ),
        Text("`row * row` saves the row. In which storage is it?", "`row * row` 保存了这一行。它在哪个存储里？"),
    )
    yield (
        [step.op for step in mine.steps if step.writes] == ["scale_"],
        Text("`scale_` should be the only write in the program.", "程序里的写入应当只有 `scale_` 这一次。"),
    )
    yield (
        not _a_copy_was_kept(mine),
        Text(
            "The engine keeps a copy of what is overwritten. Do without it: one other line is enough.",
            "引擎留了被覆盖内容的副本。请不要借助它，改动一行就够了。",
        ),
    )
    grad = after.tensor("a").grad
    yield (
        grad is not None and visible_values(after, after.tensors[grad]) == _RIGHT,
        Text(
            "It runs, but computes another function. `c` must be the square of the row *before* the write, and `loss` the sum of both: "
            "what is the gradient by hand?",
            "能运行了，但算的是另一个函数。`c` 应当是*写入之前*那一行的平方，`loss` 是两者之和：请手算一下梯度。",
        ),
    )
    yield (
        visible_values(after, "loss") == (_LOSS,),
        Text(
            "The gradient is right, but the loss is not. What should `loss` be?",
            "梯度对了，损失却不对。`loss` 应当是多少？",
        ),
    )
    return Text(
        "The product saves a row in another storage, which nothing writes.",
        "乘积保存的那一行在另一个存储里，没有操作写它。",
    )


@exercise
def price(bytes_of_clone: Any, bytes_of_kept_copy: Any) -> Steps:
    yield (
        bytes_of_clone == _ROW,
        Text("The clone: how many numbers has a row, of how many bytes?", "克隆：一行有几个数，每个数几字节？"),
    )
    yield (
        bytes_of_kept_copy != 2 * _ROW,
        Text(
            "The kept copy: `row * row` saves the row twice. Are these two different windows?",
            "引擎留的副本：`row * row` 保存了两次这一行。它们是两个不同的窗口吗？",
        ),
    )
    yield (
        bytes_of_kept_copy == _ROW,
        Text(
            "The kept copy: which slots are about to be overwritten *and* are needed?",
            "引擎留的副本：哪些槽位既要被覆盖，又是需要的？",
        ),
    )
    return Text(
        "The same. The window is copied once, for both factors.",
        "一样多。同一个窗口只复制一次，两个因子共享。",
    )


@exercise
def both_rows(copies: Any, nbytes: Any) -> Steps:
    yield copies == 2, Text("Which saved windows are about to be overwritten now?", "现在有哪些保存的窗口即将被覆盖？")
    yield nbytes == 2 * _ROW, Text("How many bytes has each window?", "每个窗口占多少字节？")
    return Text("The gradient stays [[8, 16], [24, 32]].", "梯度仍是 [[8, 16], [24, 32]]。")


@exercise
def checkerboard(board: Recording) -> Steps:
    after, first = board.state(-1), board.after_line(3)
    wanted = tuple(1.0 - 2 * ((row + column) % 2) for row in range(4) for column in range(4))
    yield (
        after.step.error is None,
        Text("It raises. Read the first line of the error.", "报错了。读一读报错的第一行。"),
    )
    yield (
        after.tensor("b").id == first.tensor("b").id and any(step.writes for step in board.steps),
        Text("`b` must be written, and stay the object of line 3.", "`b` 应当被写入，而且仍是第 3 行的那个对象。"),
        Text(
            "Which view shows every other row? `neg_` changes its sign.",
            "哪个视图显示每隔一行的各行？`neg_` 能让它变号。",
        ),
    )
    yield (
        visible_values(after, "b") != tuple(-value for value in wanted),
        Text(
            "A checkerboard, but the top left corner must be 1. Which of the two views should miss it?",
            "是棋盘了，可是左上角应当是 1。哪个视图不该包含它？",
        ),
    )
    yield (
        visible_values(after, "b") == wanted,
        Text(
            "Which numbers does `b` show? How often does each square change its sign?",
            "`b` 显示什么？每个格子变号几次？",
        ),
        Text(
            "A square in an odd row and an odd column may change its sign twice.",
            "既在奇数行又在奇数列的格子，可以变号两次。",
        ),
    )
    grad = after.tensor("a").grad
    yield (
        grad is not None and visible_values(after, after.tensors[grad]) == wanted,
        Text(
            "`b` is right, but its history does not know of the writes: look at `a.grad`. Were the views made with a history?",
            "`b` 对了，可是它的历史不知道这些写入：看看 `a.grad`。这些视图有历史吗？",
        ),
    )
    written = [
        sum(stop - start for write in step.writes for start, stop in write.slots) for step in board.steps if step.writes
    ]
    yield (
        len(written) == 2 and max(written) <= 8,
        Text(
            f"Right, but with writes to {', '.join(map(str, written))} slots. Two writes to eight slots each are enough.",
            f"对了，但写入的槽位数是 {'、'.join(map(str, written))}。写两次、每次八个槽位就够了。",
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
            "Right, but another tensor is computed on the way. `neg_` needs no operand.",
            "对了，但途中还计算了别的张量。`neg_` 不需要操作数。",
        ),
    )
    return Text(
        "Rows 1 and 3, then columns 1 and 3: four squares change their sign twice. Two CopySlices nodes, each around the other.",
        "先是第 1、3 行，再是第 1、3 列：有四个格子变号两次。两个 CopySlices 节点，一个套一个。",
    )


@exercise
def without_a_path(asked: Recording, ends: Any) -> Steps:
    truth = ends_of_paths(asked, "w")
    answer = dict(ends)
    shape = asked.state(-1).tensor("w").shape
    named = as_elements(answer, shape)
    yield (
        named >= truth.keys() or not named <= truth.keys(),
        Text(
            "There are more. Select the elements of `w.grad` one by one: which of them are 0?",
            "还有。请在图中逐个选中 `w.grad` 的元素：哪些是 0？",
        ),
        Text(
            "A number can be lost in three ways: overwritten before anything reads it, read through a tensor without history, or met by a slope of 0.",
            "一个数会以三种方式丢失：在被读取之前就被覆盖；经由没有历史的张量读取；遇到为 0 的斜率。",
        ),
    )
    yield (
        named <= truth.keys(),
        Text(
            "`loss` does depend on one of the elements that you named. Change its number in line 1 and run again: does `loss` change?",
            "你列出的元素中，有一个是 `loss` 依赖的。改一改第 1 行里它的值再运行：`loss` 变了吗？",
        ),
    )
    yield (
        named == set(truth),
        Text("Not all of them yet: how many zeros has `w.grad`?", "还没有列全：`w.grad` 里有几个 0？"),
    )
    lines = {next(iter(as_elements([key], shape))): value for key, value in answer.items()}
    wrong = [index for index in sorted(truth) if lines[index] not in truth[index]]
    yield (
        not wrong,
        Text(
            f"The elements are right. Where does the path of `w{list(wrong[0]) if wrong else []}` end? The picture says it under the graph.",
            f"元素都对了。`w{list(wrong[0]) if wrong else []}` 的路径止于哪一行？图中反向图的下方写着。",
        ),
        Text(
            "The line is the one that overwrote it, that read it without history, or whose slope is 0: not the one that made the view.",
            "要找的是覆盖它、读取它而不带历史、或斜率为 0 的那一行，而不是产生视图的那一行。",
        ),
    )
    return Text(
        "One was overwritten, one was read without history, one met a slope of 0. In `w.grad` all three look alike: 0.",
        "一个被覆盖，一个在读取时没有历史，一个遇到为 0 的斜率。在 `w.grad` 里三者看起来一样，都是 0。",
    )


def _a_copy_was_kept(recording: Recording) -> bool:
    """At any step, since backward releases what it has used."""
    states = (recording.state(step) for step in range(len(recording)))
    return any(saved.copy for state in states for node in state.nodes.values() for saved in node.saved)
