"""The exercises of the lesson on how much in-place operations save."""

from __future__ import annotations

import ast
import inspect
from textwrap import dedent
from typing import Any

from inplacelab.language import Text
from inplacelab.lessons.checks.shared import IN_BYTES, LINES_AS_TEXT
from inplacelab.lessons.exercise import Steps, exercise
from inplacelab.recorders.run import record
from inplacelab.recording.savings.advice import advice


@exercise
def five_blocks(falls_by: float) -> Steps:
    yield falls_by != 3 * 2**20, IN_BYTES
    yield (
        falls_by != 15,
        Text(
            "Fifteen tensors are not made. How many of them would be alive at the same time?",
            "一共少建十五个张量。其中有几个会同时存在？",
        ),
    )
    yield (
        falls_by == 3,
        Text(
            "At the peak, which tensors do the names `h`, `b` and `s` hold in the ordinary program?",
            "在普通形式的程序里，峰值出现时，名字 `h`、`b`、`s` 各指向哪个张量？",
        ),
        Text("Make `blocks` longer, and measure.", "把 `blocks` 加长，然后测量。"),
    )
    return Text(
        "Three names, three tensors, however many blocks there are.", "三个名字，三个张量，无论有多少个残差块。"
    )


@exercise
def lines_of_score(lines: Any, score: Any, images: Any) -> Steps:
    with record() as rec:
        score(images)
    assert rec.recording is not None
    found = advice(rec.recording, ends=False)
    chosen, right = set(lines), {site.line for site in found.offered if _lowers(found, site)}
    yield not isinstance(lines, str), LINES_AS_TEXT
    yield chosen <= {3, 4, 5, 6}, Text("Only lines 3 to 6 are asked about.", "题目只问第 3 行至第 6 行。")
    wrong = min(chosen - right, default=0)
    yield (
        not wrong,
        Text(
            f"Line {wrong} would overwrite a tensor that is still needed. Which line reads it again, or which node keeps it?",
            f"第 {wrong} 行会覆盖一个以后还需要的张量。哪一行还要读取它，或者哪个节点保存着它？",
        ),
        Text(
            "`tanh` keeps its result, `v`. And which line reads `u` once more?",
            "`tanh` 保存了自己的结果 `v`。另外，哪一行还要读取 `u`？",
        ),
    )
    yield (
        right - chosen != {6},
        Text(
            "One is missing. A sum has two operands: is there one that nothing needs afterwards?",
            "还缺一行。加法有两个操作数：其中有没有一个以后不再需要？",
        ),
    )
    yield (
        chosen == right,
        Text(
            "There is a line whose operand nobody needs any more. Follow `w`: who reads it, and which node keeps it?",
            "有一行的操作数以后不再需要。请追踪 `w`：谁读取它？哪个节点保存它？",
        ),
    )
    return Text(
        "Line 5 overwrites `w`, and line 6 overwrites `u`, since `exp` keeps `z`.",
        "第 5 行覆盖 `w`；第 6 行覆盖 `u`，因为 `z` 由 `exp` 的节点保存。",
    )


def _lowers(found: Any, site: Any) -> bool:
    return bool(found.with_sites([site]).peak < found.before.peak)


def _crowded(program: Any) -> bool:
    """Whether a line of a loop has several operations."""
    loops = (each for each in ast.walk(ast.parse(dedent(inspect.getsource(program)))) if isinstance(each, ast.For))
    return any(
        sum(isinstance(each, ast.Call | ast.BinOp) for each in ast.walk(line)) > 1
        for loop in loops
        for line in loop.body
    )


@exercise
def without_an_underscore(shorter: Any, learn_in_place: Any, measured: Any, images: Any) -> Steps:
    (most, gradients), (peak, found) = measured(learn_in_place), measured(shorter)
    yield (
        not _crowded(shorter),
        Text(
            "Put each operation of the loop on a line of its own. Nested calls are the way of section 3; find another one.",
            "请让循环里的每个操作单独占一行。嵌套调用是第 3 节的办法，请另想一个。",
        ),
    )
    yield (
        found == gradients,
        Text(
            "The gradients are not the same. Does each block still add its input?",
            "梯度变了。每个残差块是不是仍然加上了自己的输入？",
        ),
    )
    with record() as rec:
        shorter(images)
    assert rec.recording is not None
    steps = rec.recording.steps
    yield (
        not any(each.category == "in-place" and each.phase == "forward" for each in steps),
        Text("There is still an in-place operation.", "还有原地操作。"),
        Text("Which names hold tensors that nothing needs?", "哪些名字持有不再需要的张量？"),
    )
    yield (
        peak <= most,
        Text(
            f"The peak is {peak - most:,} bytes too high. Which name still holds a tensor that no node keeps?",
            f"峰值还高出 {peak - most:,} 字节。哪个名字还持有一个没有被任何节点保存的张量？",
        ),
    )
    return Text(
        "Without a name, a tensor that nothing needs is freed at once.", "没有名字持有的张量，一旦不再需要就会释放。"
    )
