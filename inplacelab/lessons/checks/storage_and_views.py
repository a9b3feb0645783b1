"""The exercises of the lesson on storage and views."""

from __future__ import annotations

from typing import Any

from inplacelab.language import Text
from inplacelab.lessons.checks.shared import named, runs
from inplacelab.lessons.exercise import Steps, exercise
from inplacelab.recording.queries import shares_storage, visible_values, who_raised
from inplacelab.recording.recording import Recording

_RIGHT = {"x[:, 0]": "view", "x.clone()": "copy", "x.t()": "view", "x[[0]]": "copy"}
_REMINDER = Text(
    "`x.clone()`: an earlier program of this lesson has a clone. Did it show zeros after the write?",
    "`x.clone()`：本课前面有一段程序用到了 `clone`。写入 0 之后，`clone` 的结果显示 0 了吗？",
)


@exercise
def which_is_it(answers: Any) -> Steps:
    yield (
        all(answers.get(program) in {"view", "copy"} for program in _RIGHT),
        Text('Write `"view"` or `"copy"` for each of the four.', '四个都要填写 `"view"` 或 `"copy"`。'),
    )
    for program in ("x[:, 0]", "x.t()", "x.clone()"):
        yield (
            answers[program] == _RIGHT[program],
            Text(
                f"`{program}`: at which address is its first element? Compare `data_ptr()` with that of `x`.",
                f"`{program}`：第一个元素的地址是多少？请与 `x` 的 `data_ptr()` 比较。",
            ),
            _REMINDER
            if program == "x.clone()"
            else Text(
                f"`{program}`: can an offset and strides describe the result?",
                f"`{program}`：用偏移和步幅能描述这个结果吗？",
            ),
        )
    yield (
        answers["x[[0]]"] == "copy",
        Text(
            "`x[[0]]` takes a list of rows. Try: `y = x[[0]]`, then compare `y.data_ptr()` with `x.data_ptr()`.",
            "`x[[0]]` 取出列表中列出的各行。请试一试：`y = x[[0]]`，再比较 `y.data_ptr()` 与 `x.data_ptr()`。",
        ),
        Text(
            "A list may name any rows in any order. Can strides describe that?",
            "列表可以按任意的次序列出任意的行。步幅能描述这样的选法吗？",
        ),
    )
    return Text(
        "Slices and `t` give views. `clone` copies, and so does indexing with a list.",
        "切片和 `t` 得到视图；`clone` 会复制，用列表作下标也会复制。",
    )


@exercise
def row_of_its_own(own: Recording) -> Steps:
    after = own.state(-1)
    yield runs(own)
    yield (
        {"q", "tail"} <= named(own),
        Text(
            "`q` and `tail` must both be tensors. What does line 2 make?",
            "`q` 和 `tail` 都应当是张量。第 2 行得到的是什么？",
        ),
    )
    yield (
        [step.op for step, _ in who_raised(own, after.tensor("q").storage)] == ["scale_"]
        and after.tensor("q").id == own.after_line(1).tensor("q").id,
        Text(
            "`q` must still be overwritten by line 3: the same object, on the same storage. Change line 2 only.",
            "第 3 行仍要覆盖 `q`，而且对象和存储都不变。请只改第 2 行。",
        ),
    )
    yield (
        visible_values(after, "q") == (10, 20, 30, 40, 50, 60),
        Text("Which numbers must `q` show?", "`q` 应当显示哪几个数？"),
    )
    yield (
        not shares_storage(after, "q", "tail"),
        Text("How many storages do `q` and `tail` use now?", "`q` 和 `tail` 现在一共占几个存储？"),
        Text(
            "An earlier program of this lesson has a tensor that kept its numbers while all others became zero.",
            "本课前面有一段程序，其中只有一个张量保住了原来的数，其余的都变成了零。是哪一个？",
        ),
    )
    yield (
        visible_values(after, "tail") == (4, 5, 6),
        Text("Which numbers must `tail` show?", "`tail` 应当显示哪几个数？"),
    )
    return Text(
        "`tail` reads a storage that line 3 does not write to. The price is the bytes of that storage.",
        "`tail` 读的存储，第 3 行没有写。代价是要多占这个存储的字节。",
    )


@exercise
def rotated_board(board: Any, turned: Any) -> Steps:
    wanted = [row[::-1] for row in board.tolist()[::-1]]
    yield isinstance(turned, type(board)), Text("`turned` must be a tensor.", "`turned` 应当是张量。")
    yield (
        list(turned.shape) == [4, 4],
        Text("`turned` must have four rows and four columns.", "`turned` 应当有四行四列。"),
    )
    yield (
        turned.tolist() == wanted,
        Text(
            "Which element must `turned[0, 0]` be? And `turned[0, 1]`?",
            "`turned[0, 0]` 应当是哪个元素？`turned[0, 1]` 呢？",
        ),
        Text("The rows come in reverse order. What about the columns?", "各行的次序要颠倒，那么各列呢？"),
    )
    first, last = board.data_ptr(), board.data_ptr() + board.nbytes
    yield (
        first <= turned.data_ptr() < last,
        Text(
            "The numbers are right, but they were copied. Which operations only change offset and strides?",
            "数值对了，但数据被复制了。哪些操作只改变偏移和步幅？",
        ),
        Text("A slice may have a negative step.", "切片的步长可以是负数。"),
    )
    return Text(
        "Offset 15, strides (-4, -1). By 90 degrees: `board.t()[::-1]` or `board.t()[:, ::-1]`. "
        "(PyTorch has no negative strides. There you would use `flip`, which copies.)",
        "偏移 15，步幅 (-4, -1)。要旋转 90 度，可以写 `board.t()[::-1]` 或 `board.t()[:, ::-1]`。（PyTorch 没有负步幅，只能用 `flip`，而 `flip` 会复制。）",
    )
